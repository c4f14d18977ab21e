# SPDX-License-Identifier: BSD-3-Clause
"""Rigid motions that the supports leave free, which an equilibrium must not have."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.system import System
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_NAMES = {
    2: ("translation along x", "translation along y", "rotation about z"),
    3: (
        "translation along x", "translation along y", "translation along z",
        "rotation about x", "rotation about y", "rotation about z",
    ),
}  # fmt: skip
_RANK = 1e-8


def rigid_motions(points: Floats, turning: NDArray[np.bool_] | None = None) -> Floats:
    """Return the rigid motions of points: translations, then rotations about their centre.

    Parameters
    ----------
    points : ndarray, (n, d)
        Positions, m.
    turning : ndarray of bool, (n,), optional
        Which of them are rotations of the nodes there; by default none.

    Returns
    -------
    ndarray, (n, d, 3 or 6)
        Rotations are scaled by the extent, so that all columns have one unit.
    """
    n, d = points.shape
    centred = points - points.mean(axis=0)
    extent = max(float(np.abs(centred).max(initial=0.0)), np.finfo(float).tiny)
    arm = centred / extent
    motions = np.zeros((n, d, 3 if d == 2 else 6))
    motions[:, range(d), range(d)] = 1.0
    if d == 2:
        motions[:, 0, 2], motions[:, 1, 2] = -arm[:, 1], arm[:, 0]
    else:
        for axis in range(3):
            motions[:, :, 3 + axis] = np.cross(np.eye(3)[axis], arm)
    if turning is not None:
        motions[turning] = 0.0
        for axis in range(1 if d == 2 else 3):
            motions[turning, axis, d + axis] = 1.0 / extent
    return motions


def free_motions(system: System) -> list[tuple[str, list[str]]]:
    """Return every connected part that is not held: its first body, and the motions it has.

    Parameters
    ----------
    system : System
        The bodies with their supports.
    """
    found = []
    for nodes, _, loose in _loose(system):
        share = np.linalg.norm(loose, axis=0)
        named = _NAMES[system.dimension]
        if system.bodies[0].revolved:
            named = named[1:2]
        names = [n for n, s in zip(named, share, strict=True) if s > 0.1]
        body = next(b for b in system.bodies if np.isin(b.nodes, nodes).any())
        found.append((body.name, names))
    return found


def free_displacements(system: System) -> Floats:
    """Return a basis of the rigid motions that nothing holds, on the unknowns, (n, motions)."""
    columns = [np.zeros((system.unknowns, 0))]
    for nodes, motions, loose in _loose(system):
        full = np.zeros((system.size, system.dimension, len(loose)))
        full[nodes] = motions @ loose.T
        columns.append(full.reshape(-1, len(loose))[system.free])
    return np.hstack(columns)


def _loose(system: System) -> Iterator[tuple[NDArray[np.int64], Floats, Floats]]:
    """Yield nodes, rigid motions and their free combinations of every part that is not held."""
    points = np.zeros((system.size, system.dimension))
    turning = np.zeros(system.size, dtype=bool)
    for body in system.bodies:
        points[body.nodes] = body.points
        turning[body.rotations] = True
    held = np.ones(system.size * system.dimension, dtype=bool)
    held[system.free] = False
    held = held.reshape(points.shape)
    labels = _connected(system)
    for label in range(labels.max() + 1):
        nodes = np.flatnonzero(labels == label)
        motions = rigid_motions(points[nodes], turning[nodes])
        if system.bodies[0].revolved:  # of a body of revolution only what keeps the symmetry
            motions = motions[:, :, 1:2]
        # Every held component is one condition on the amplitudes of the rigid motions.
        _, sizes, directions = np.linalg.svd(
            np.vstack([motions[held[nodes]], np.zeros((6, motions.shape[2]))]), full_matrices=False
        )
        loose = directions[sizes <= _RANK * max(float(sizes.max(initial=0.0)), 1.0)]
        if len(loose):
            yield nodes, motions, loose


def require_held(system: System, why: str) -> None:
    """Refuse a system with free rigid motions.

    Bodies with elements that are no continua may be held by them; the factorization decides there.

    Raises
    ------
    InputError
        Naming the body and the motions.
    """
    if any("stress" not in body.kernels for body in system.bodies):
        return
    for body, motions in free_motions(system):
        raise InputError(
            f"supports: body '{body}' is free to move ({', '.join(motions)}); expected supports "
            f"that hold it {why}"
        )


def name_equation(system: System, equation: int | None) -> str:
    """Return which body, node and component an unknown is, in words."""
    if equation is None:
        return "a displacement"
    node, component = divmod(int(system.free[equation]), system.dimension)
    for body in system.bodies:
        found = np.flatnonzero(body.nodes == node)
        if len(found):
            place = ", ".join(f"{x:.4g}" for x in body.points[found[0]])
            return f"displacement {'xyz'[component]} of body '{body.name}' at ({place})"
    raise ValueError(f"node {node} belongs to no body")


def _connected(system: System) -> NDArray[np.int32]:
    """Return the number of the connected part every node belongs to."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    rows, columns = [], []
    for body in system.bodies:
        first = body.nodes[body.graph.cells[:, :1]]
        others = body.nodes[body.graph.cells]
        rows.append(np.broadcast_to(first, others.shape).ravel())
        columns.append(others.ravel())
    row, column = np.concatenate(rows), np.concatenate(columns)
    shape = (system.size, system.size)
    links = coo_matrix((np.ones(len(row), dtype=np.int8), (row, column)), shape=shape)
    labels: NDArray[np.int32] = connected_components(links, directed=False)[1]
    return labels
