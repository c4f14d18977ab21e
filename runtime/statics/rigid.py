# SPDX-License-Identifier: BSD-3-Clause
"""Rigid-body motions left free by the supports, which an equilibrium must not have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.ranks import Ranks
from flexforge.runtime.solvers import Layout
from flexforge.runtime.solvers.blocks import hold, some_rows, turn, with_diagonal
from flexforge.runtime.solvers.layout import Blocked
from flexforge.runtime.solvers.rows import KeptRows, SharedRows
from flexforge.runtime.system.body import Body, Combination
from flexforge.runtime.system.corners import linear_displacements
from flexforge.runtime.system.inertia import skew
from flexforge.runtime.system.shared_map import SharedMap
from flexforge.runtime.system.swept_body import SINGLE, SweptBody, sweeps_pay
from flexforge.runtime.system.swept_rows import (
    KeptSweptRows,
    SharedKeptSweptRows,
    SharedSweptRows,
    SweptRows,
)
from flexforge.runtime.system.system import System
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import bsr_matrix

_NAMES = {
    2: ("translation along x", "translation along y", "rotation about z"),
    3: (
        "translation along x", "translation along y", "translation along z",
        "rotation about x", "rotation about y", "rotation about z",
    ),
}  # fmt: skip
#: Of these, motions along and about y.
_ALONG_AXIS = slice(1, None, 3)
_RANK = 1e-8
_NAMED = 0.1  # fraction of a motion from which on it is named
_STILL = 1e-12  # squares of amplitudes
_NOISE = 1e-12  # amplitudes that are round-off


def rigid_motions(
    points: Floats,
    turning: NDArray[np.bool_] | None = None,
    about: tuple[Floats, float] | None = None,
) -> Floats:
    """Return the rigid motions of points: translations, then rotations about their centre.

    Parameters
    ----------
    points : ndarray, (..., n, d)
        Positions, m; of one group of points or of many.
    turning : ndarray of bool, (..., n), optional
        Which of them are rotations of nodes; by default none.
    about : tuple of ndarray (d,) and float, optional
        Centre and extent, m; by default their own.

    Returns
    -------
    ndarray, (..., n, d, 3 or 6)
        Rotations are scaled by the extent, so that all columns have the same unit.
    """
    *_, n, d = points.shape
    centre = points.mean(axis=-2, keepdims=True) if about is None else about[0]
    centred = points - centre
    extent = np.abs(centred).max(axis=(-2, -1), initial=0.0, keepdims=True)
    if about is not None:
        extent = np.full_like(extent, about[1])
    extent = np.where(extent > 0.0, extent, 1.0)
    arm = centred / extent
    motions = np.zeros((*points.shape, 3 if d == 2 else 6))
    motions[..., range(d), range(d)] = 1.0
    if d == 2:
        motions[..., 0, 2], motions[..., 1, 2] = -arm[..., 1], arm[..., 0]
    else:
        for axis in range(3):
            motions[..., 3 + axis] = np.cross(np.eye(3)[axis], arm)
    if turning is not None:
        motions[turning] = 0.0
        per_turn = np.broadcast_to(1.0 / extent[..., 0], turning.shape)[turning]
        for axis in range(1 if d == 2 else 3):
            motions[turning, axis, d + axis] = per_turn
    return motions


@dataclass(frozen=True, slots=True)
class _Group:
    """Nodes connected by elements or connectors, and not held.

    Attributes
    ----------
    nodes : list of ndarray
        Numbers of the nodes of every cluster, that is of every piece connected by elements.
    motions : list of ndarray, (nodes, d, 3 or 6)
        Rigid motions of every cluster.
    loose : ndarray, (k, clusters * motions)
        Combinations of them that cost no energy and move no support.
    """

    nodes: list[NDArray[np.int64]]
    motions: list[Floats]
    loose: Floats


def motion_names(system: System) -> tuple[str, ...]:
    """Return the possible rigid motions of a body in words, in the order of their columns."""
    named = _NAMES[system.dimension]
    return named[_ALONG_AXIS] if system.bodies[0].revolved else named


def motions_of(body: Body, points: Floats, turning: NDArray[np.bool_]) -> Floats:
    """Return the rigid motions of points of a body that it can have, as :func:`rigid_motions`.

    In a body of revolution these are motions along its axis y, and with torsion about it.
    """
    if not body.revolved:
        return rigid_motions(points, turning)
    about = np.zeros(body.dimension), float(points[..., 0].max(initial=0.0)) or 1.0
    return rigid_motions(points, turning, about)[..., _ALONG_AXIS]


def free_motions(system: System) -> list[tuple[str, list[str]]]:
    """Return every connected part that is not held: its first body, and its free motions.

    Parameters
    ----------
    system : System
        The bodies with their supports.
    """
    if isinstance(system.map, SharedMap):
        return list(system.map.loose)
    named = motion_names(system)
    points = _points(system)
    found = []
    for group in _loose(system):
        shares = np.split(group.loose, len(group.nodes), axis=1)
        for nodes, share in zip(group.nodes, shares, strict=True):
            names = _worded(named, share, points[nodes])
            body = next(b for b in system.bodies if np.isin(b.nodes, nodes).any())
            if names:
                found.append((body.name, names))
    return found


def count_of_free(system: System) -> int:
    """Return the number of independent motions of parts that are not held."""
    if isinstance(system.map, SharedMap):
        return system.map.motions
    return sum(len(group.loose) for group in _loose(system))


def _worded(named: tuple[str, ...], loose: Floats, points: Floats) -> list[str]:
    """Return combinations of rigid motions (k, 3 or 6) in words.

    Translations and rotations are distinguished; for rotations, the point on their axis is named if
    it is not the centre: a body that hangs at a point rotates about that point and is not free in
    all motions.
    """
    d = points.shape[1]
    if len(named) <= d:  # body of revolution
        return [n for n, s in zip(named, np.linalg.norm(loose, axis=0), strict=True) if s > _NAMED]
    centre = points.mean(axis=0)
    extent = float(np.abs(points - centre).max(initial=0.0)) or 1.0
    moves, turns = loose[:, :d], loose[:, d:] / extent
    mix, sizes, axes = np.linalg.svd(turns)
    count = int((sizes * extent > _RANK).sum())
    shifts = mix[:, count:].T @ moves
    names = [
        n for n, s in zip(named[:d], np.linalg.norm(shifts, axis=0), strict=True) if s > _NAMED
    ]
    if not count:
        return names
    turning = np.asarray(np.linalg.norm(axes[:count], axis=0))
    names += [n for n, s in zip(named[d:], turning, strict=True) if s > _NAMED]
    away = _pivot(mix[:, :count].T @ moves, mix[:, :count].T @ turns, shifts)
    if float(np.linalg.norm(away)) > _RANK * extent:
        digits = 9 - int(np.floor(np.log10(extent)))
        pivot = np.round(centre + away, digits) + 0.0  # no -0
        place = ", ".join(f"{x:.4g}" for x in pivot)
        names[-1] += f" through ({place})"
    return names


def _pivot(moves: Floats, turns: Floats, shifts: Floats) -> Floats:
    """Return the point about which motions rotate, relative to their centre, as close as possible.

    ``moves + turns x p`` vanishes there, except for motions along free shifts.
    """
    d = moves.shape[1]
    held = np.eye(d)
    if len(shifts):  # the part that no shift moves
        _, sizes, directions = np.linalg.svd(shifts)
        held = directions[int((sizes > _RANK).sum()) :].T
    if d == 2:
        rows = [np.array([[0.0, -w], [w, 0.0]]) for (w,) in turns]
    else:
        rows = [skew(w) for w in turns]
    matrix = np.vstack([held.T @ row for row in rows])
    wanted = np.concatenate([-held.T @ v for v in moves])
    if not matrix.size:
        return np.zeros(d)
    return np.asarray(np.linalg.lstsq(matrix, wanted, rcond=1e-9)[0])


def _points(system: System) -> Floats:
    """Return the undeformed positions of all nodes, (N, d)."""
    points = np.zeros((system.size, system.dimension))
    for body in system.bodies:
        points[body.nodes] = body.points
    return points


def free_displacements(system: System) -> Floats:
    """Return a basis of the unrestrained rigid motions for the unknowns, (n, motions)."""
    columns = [np.zeros((system.unknowns, 0))]
    if isinstance(system.map, SharedMap):
        require_held(system, f"with {system.ranks.count} processes")
        return columns[0]
    for group in _loose(system):
        shape = (system.size, system.dimension, len(group.loose))
        full = np.zeros(shape, dtype=group.loose.dtype)
        shares = np.split(group.loose, len(group.nodes), axis=1)
        for nodes, motions, loose in zip(group.nodes, group.motions, shares, strict=True):
            full[nodes] = motions @ loose.T
        columns.append(full.reshape(-1, len(group.loose))[system.map.places])
    return np.hstack(columns)


def layout_of(system: System) -> Layout:
    """Return what multigrid needs to know of the unknowns: their nodes and rigid motions.

    Parameters
    ----------
    system : System
        The bodies with their supports.
    """

    def motions() -> Floats:
        turning = np.zeros(system.size, dtype=bool)
        for body in system.bodies:
            turning[body.rotations] = True
        points = _points(system)
        full = rigid_motions(points, turning, _middle(system.ranks, points[system.map.own]))
        full = full.reshape(system.size * system.dimension, -1)
        transform = system.map.matrix
        if transform is None:
            return full[system.map.places]
        squares = np.asarray(transform.multiply(transform).sum(axis=0)).ravel()
        return np.asarray((transform.T @ full) / squares[:, None])

    return Layout(
        system.dimension, system.map.places, motions, lambda: linear_displacements(system)
    )


def blocked_of(system: System, combinations: Sequence[Combination]) -> Blocked | None:
    """Return a combination of the matrices of bodies in blocks of nodes.

    Parameters
    ----------
    system : System
        The bodies with their supports.
    combinations : sequence of Combination
        One per body.

    Returns
    -------
    Blocked or None
        None where unknowns move more than their own nodes.
    """
    if not system.is_blocked:
        return None
    layout = layout_of(system)
    swept = any(
        isinstance(body, SweptBody) and c.stiffness
        for body, c in zip(system.bodies, combinations, strict=True)
    )
    if not isinstance(system.map, SharedMap):
        rows = SweptRows(system, combinations) if swept else _rows(system, combinations)
        return Blocked(rows, layout.places, layout.motions, layout.linear)
    own, d = np.flatnonzero(system.map.own), system.dimension
    number = np.cumsum(system.map.own) - 1
    slots = number[layout.places // d] * d + layout.places % d

    def linear() -> bsr_matrix | None:
        whole = layout.linear()
        return None if whole is None else some_rows(whole, own)

    shared = SharedSweptRows(system, combinations) if swept else _rows(system, combinations, own)
    return Blocked(shared, slots, layout.motions, linear)


def _rows(system: System, combinations: Sequence[Combination], own: Ints | None = None) -> KeptRows:
    """Return rows that are kept, of own nodes of a rank; products sweep where that pays."""
    matrix = _kept(system, combinations)
    if own is not None:
        matrix = some_rows(matrix, own)
    swept = {
        n: body
        for n, body in enumerate(map(SweptBody.instead_of, system.bodies))
        if isinstance(body, SweptBody) and combinations[n].is_stiffness and sweeps_pay(body, SINGLE)
    }
    if swept:
        kind = KeptSweptRows if own is None else SharedKeptSweptRows
        return kind(matrix, system.with_bodies(swept), combinations)
    if own is None:
        return KeptRows(matrix)
    assert isinstance(system.map, SharedMap)
    return SharedRows(matrix, system.map.halo, system.map.nodes[0])


def _kept(system: System, combinations: Sequence[Combination]) -> bsr_matrix:
    """Return the blocks of all nodes, in the axes in which supports hold them."""
    blocks = with_diagonal(system.blocks(combinations))
    if not system.map.is_selection:
        triads = system.map.triads
        assert triads is not None
        turn(blocks, triads)
    hold(blocks, system.map.free)
    return blocks


def _middle(ranks: Ranks, points: Floats) -> tuple[Floats, float]:
    """Return the centre and the extent of the nodes of all ranks, m."""
    centre = ranks.total(points.sum(axis=0)) / ranks.total(float(len(points)))
    return centre, ranks.largest(float(np.abs(points - centre).max(initial=0.0)))


def _loose(system: System) -> Iterator[_Group]:
    """Yield the parts that are not held, with their free motions."""
    points = _points(system)
    turning = np.zeros(system.size, dtype=bool)
    for body in system.bodies:
        turning[body.rotations] = True
    held = system.map.numbers < 0
    following = _following(system)
    held &= ~following
    ties = [b for b in system.bodies if b.is_connector]
    together = _connected(system, list(system.bodies), equations=True)
    pieces = _connected(system, [b for b in system.bodies if b not in ties])
    apart = ~_determined(system, pieces)
    for label in range(together.max() + 1):
        group = np.flatnonzero((together == label) & apart)
        if not len(group):
            continue
        clusters = [group[pieces[group] == piece] for piece in np.unique(pieces[group])]
        first = system.bodies[0]
        motions = [motions_of(first, points[nodes], turning[nodes]) for nodes in clusters]
        count = motions[0].shape[2]
        rows = [np.zeros((count * len(clusters),) * 2)]
        for i, (nodes, one) in enumerate(zip(clusters, motions, strict=True)):
            # Every held component is one condition on the amplitudes of the rigid motions; so is an
            # amplitude that moves nothing, such as the rotation of a single point.
            conditions = np.vstack([one[held[nodes]], _still(one.reshape(-1, count))])
            row = np.zeros((len(conditions), count * len(clusters)))
            row[:, i * count : (i + 1) * count] = conditions
            rows.append(row)
        rows += [_forces(tie, clusters, motions) for tie in ties if tie.nodes[0] in group]
        rows.append(_gaps(system, following, clusters, motions))
        _, sizes, directions = np.linalg.svd(np.vstack(rows), full_matrices=False)
        loose = directions[sizes <= _RANK * max(float(sizes.max(initial=0.0)), 1.0)].conj()
        loose[np.abs(loose) <= _NOISE] = 0.0  # turns that would bend beams
        if len(loose):
            yield _Group(clusters, motions, loose)


def _determined(system: System, pieces: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Return which nodes are points of no element that follow others, or are held, entirely."""
    alone = np.ones(system.size, dtype=bool)
    for body in system.bodies:
        if body.part.cell != "point1":
            alone[body.nodes] = False
    moving = system.map.free.any(axis=1) | ~alone
    return np.asarray(np.bincount(pieces, moving)[pieces] == 0)


def _following(system: System) -> NDArray[np.bool_]:
    """Return which components of the nodes follow unknowns by equations, (N, d)."""
    none = system.map.numbers < 0
    if system.map.is_selection:
        return np.zeros_like(none)
    followed: NDArray[np.bool_] = np.diff(system.map.sparse.indptr).reshape(none.shape) > 0
    return none & followed


def _gaps(
    system: System,
    following: NDArray[np.bool_],
    clusters: list[NDArray[np.int64]],
    motions: list[Floats],
) -> Floats:
    """Return the residuals of the equations under unit rigid motions."""
    from scipy.sparse import csr_matrix

    d, count = system.dimension, motions[0].shape[2]
    nodes = np.concatenate(clusters)
    some = (nodes[:, None] * d + np.arange(d))[following[nodes]]
    if not len(some):
        return np.zeros((0, count * len(clusters)))
    unknowns = system.map.sparse[some].tocoo()
    entries = (unknowns.data, (unknowns.row, system.map.places[unknowns.col]))
    shape = (len(some), following.size)
    own = csr_matrix((np.ones(len(some)), (np.arange(len(some)), some)), shape=shape)
    rows = (own - csr_matrix(entries, shape=shape)).tocsc()
    found = []
    for nodes, one in zip(clusters, motions, strict=True):
        places = (nodes[:, None] * d + np.arange(d)).ravel()
        found.append(rows[:, places] @ one.reshape(-1, count))
    return np.hstack(found)


def _still(motions: Floats) -> Floats:
    """Return the combinations of rigid motions that move nothing, one per row."""
    squares, directions = np.linalg.eigh(motions.T @ motions)
    return np.asarray(directions[:, squares <= _STILL * squares.max()].T)


def _forces(tie: Body, clusters: list[NDArray[np.int64]], motions: list[Floats]) -> Floats:
    """Return a connector's forces under unit rigid-body motions, each relative to its terms."""
    d, count = tie.dimension, motions[0].shape[2]
    moved = np.zeros((len(tie.nodes), d, count * len(clusters)))
    for i, (nodes, one) in enumerate(zip(clusters, motions, strict=True)):
        _, own, theirs = np.intersect1d(tie.nodes, nodes, return_indices=True)
        moved[own, :, i * count : (i + 1) * count] = one[theirs]
    flat = moved.reshape(-1, count * len(clusters))
    unit = Combination(1.0, np.zeros((d, d)), np.zeros(0))
    matrix = tie.matrix(unit).toarray()
    scale = np.abs(matrix) @ np.abs(flat).max(axis=1)
    return np.asarray(matrix @ flat / np.where(scale > 0.0, scale, 1.0)[:, None])


def require_held(system: System, why: str) -> None:
    """Refuse a system with free rigid motions.

    If elements may hold their bodies, the factorization decides.

    Raises
    ------
    InputError
        Naming the body and the motions.
    """
    if may_hold_itself(system):
        return
    for body, motions in free_motions(system.small):
        raise InputError(
            f"supports: body '{body}' is free to move ({', '.join(motions)}); expected supports "
            f"that hold it {why}"
        )


def may_hold_itself(system: System) -> bool:
    """Whether rigid motions may cost energy in an element of one of the bodies."""
    return any(holds_itself(body) for body in system.bodies)


def holds_itself(body: Body) -> bool:
    """Whether rigid motions may cost energy, as in a user's element that is not a continuum."""
    return body.is_linear and "stress" not in body.kernels and not body.has_field


def name_equation(system: System, equation: int | None) -> str:
    """Return body, node and component of an unknown, in words."""
    if equation is None:
        return "a displacement"
    return name_place(system, *divmod(int(system.map.places[equation]), system.dimension))


def name_place(system: System, node: int, component: int) -> str:
    """Return body, node and component of a coordinate, in words."""
    for body in system.bodies:
        found = np.flatnonzero(body.nodes == node)
        if len(found):
            place = ", ".join(f"{x:.4g}" for x in body.points[found[0]])
            what = "rotation" if node in body.rotations else "displacement"
            return f"{what} {'xyz'[component]} of body '{body.name}' at ({place})"
    raise ValueError(f"node {node} belongs to no body")


def _connected(
    system: System, bodies: Sequence[Body], *, equations: bool = False
) -> NDArray[np.int32]:
    """Return the number of the part of every node, connected by some of the bodies."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    rows, columns = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for body in bodies:
        first = body.nodes[body.graph.cells[:, :1]]
        others = body.nodes[body.graph.cells]
        rows.append(np.broadcast_to(first, others.shape).ravel())
        columns.append(others.ravel())
    if equations and system.map.matrix is not None:
        moved = system.map.matrix.tocoo()
        rows.append(moved.row // system.dimension)
        columns.append(system.map.places[moved.col] // system.dimension)
    row, column = np.concatenate(rows), np.concatenate(columns)
    shape = (system.size, system.size)
    links = coo_matrix((np.ones(len(row), dtype=np.int8), (row, column)), shape=shape)
    labels: NDArray[np.int32] = connected_components(links, directed=False)[1]
    return labels
