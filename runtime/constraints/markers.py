# SPDX-License-Identifier: BSD-3-Clause
"""How the marker of a joint moves with the nodes it is on: at a node, or as a surface on average.

Of a surface the displacement is the mean over its area, and the turn is the one that fits best.
Forces of the joint spread over the nodes the same way, transposed: evenly where they pull.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.mesh import Mesh
from flexforge.runtime.mesh.cells import CELLS
from flexforge.runtime.model.schema_mechanism import Place
from flexforge.runtime.system.body import Body
from flexforge.runtime.system.system import System
from flexforge.runtime.system.unknown_map import UnknownMap

_CLOSE = 1e-9
#: Share of what nodes move in a shape below which their marker stands still in it.
_NONE = 1e-9
#: Nodes that a rigid connection may hold: the constraints of all of them are solved for together.
MOST_RIGID = 150


@dataclass(frozen=True, slots=True)
class Attachment:
    """Displacement and turn of a marker from coordinates of the system.

    Attributes
    ----------
    columns : ndarray, (c,)
        Coordinates ``node * dimension + component`` of the system.
    matrix : ndarray, (6, c)
        What they make: displacement, then turn, in components of the link.
    turns : bool
        Whether there is a turn at all; a single node of a solid has none.
    shape : ndarray, (r, c)
        Combinations of the coordinates, orthonormal, that are zero where the nodes move as one
        rigid body; none where they may do otherwise.
    """

    columns: Ints
    matrix: Floats
    turns: bool
    shape: Floats = field(default_factory=lambda: np.zeros((0, 0)))

    def of_unknowns(self, unknowns: UnknownMap) -> Attachment:
        """Leave out what supports hold, and number the rest among the unknowns."""
        numbers = unknowns.reaching(self.columns)
        moved = unknowns.sparse[self.columns][:, numbers].toarray()
        shape = self.shape @ moved if self.shape.size else self.shape
        return Attachment(numbers, self.matrix @ moved, self.turns, shape)

    def on(self, basis: Floats) -> Attachment:
        """Return the attachment to the coordinates of shapes (n, r), in which it keeps its form."""
        matrix = self.matrix @ basis[self.columns]
        size = np.abs(self.matrix).sum(axis=1, keepdims=True)
        matrix[np.abs(matrix) <= _NONE * size * np.abs(basis[self.columns]).max(initial=0.0)] = 0.0
        columns = np.flatnonzero(matrix.any(axis=0))
        return Attachment(columns, matrix[:, columns], self.turns)


NOWHERE = Attachment(np.zeros(0, dtype=np.int64), np.zeros((6, 0)), True)


def attach(
    system: System, mesh: Mesh, link: int, place: Place, point: Floats, key: str, *, rigid: bool
) -> Attachment:
    """Return how a marker moves with the bodies of a link.

    Parameters
    ----------
    system : System
        The bodies.
    mesh : Mesh
        Where groups are.
    link : int
        Number of the link, -1 the ground.
    place : str or tuple
        Group of nodes, or a point.
    point : ndarray, (3,)
        Where the marker is, m.
    key : str
        Where the model file has it, for messages.
    rigid : bool
        Whether several nodes move as one rigid body, and not only on average.

    Raises
    ------
    InputError
        When no node of the link is there, or too many for a rigid connection.
    """
    if link < 0:
        return NOWHERE
    bodies = [body for body in system.bodies if body.motion.link == link]
    if isinstance(place, str):
        found = _of_group(bodies, mesh, place)
        if not len(found.displaced):
            raise InputError(
                f"{key}: no node of group '{place}' belongs to a body of the link; expected one"
            )
    else:
        found = _nearest(bodies, point, key)
    if len(found.displaced) > 1:
        average = _averaged(found, point, system.dimension)
        if rigid and len(found.displaced) > MOST_RIGID:
            raise InputError(
                f"{key}: a rigid connection of {len(found.displaced)} nodes; expected at most "
                f"{MOST_RIGID}, or connection averaged"
            )
        return replace(average, shape=_shapes(found, point, system.dimension)) if rigid else average
    return _single(found, point, system.dimension)


@dataclass(frozen=True, slots=True)
class _Nodes:
    """Nodes of a link: where they are, the numbers of their vectors (-1 without rotation), shares.

    The shares, which add up to one, are those of the area that each node stands for.
    """

    points: Floats
    displaced: Ints
    turned: Ints
    shares: Floats


def _nodes(body: Body, chosen: Ints, areas: Floats | None = None) -> _Nodes:
    turned = body.rotations[chosen] if body.turns else np.full(len(chosen), -1)
    own = np.ones(len(chosen)) if areas is None else areas[body.part.nodes[chosen]]
    return _Nodes(body.part.points[chosen], body.placed[chosen], turned, own)


def _of_group(bodies: list[Body], mesh: Mesh, group: str) -> _Nodes:
    """Return the nodes of a group, each once, with its rotation if any body there has one."""
    nodes, areas = mesh.select(group).nodes, _areas(mesh, group)
    parts = [_nodes(body, body.part.local(nodes), areas) for body in bodies]
    displaced = np.concatenate([one.displaced for one in parts])
    turned = np.concatenate([one.turned for one in parts])
    points = np.concatenate([one.points for one in parts])
    order = np.lexsort((-turned, displaced))  # of a node the entry with a rotation first
    _, first = np.unique(displaced[order], return_index=True)
    kept = order[first]
    shares = np.concatenate([one.shares for one in parts])[kept]
    return _Nodes(points[kept], displaced[kept], turned[kept], shares / shares.sum())


def _areas(mesh: Mesh, group: str) -> Floats | None:
    """Return what every node of the mesh has of the area of a group of facets; None without.

    A facet's area (in the plane: length) falls to its nodes in equal parts.
    """
    found = mesh.select(group)
    areas = np.zeros(len(mesh.points))
    for number, rows in found.cells.items():
        block = mesh.blocks[number]
        cell = CELLS[block.cell]
        if cell.dim == found.dim and cell.dim in (1, 2):
            corners = mesh.points[block.nodes[rows][:, : cell.corners]]
            sides = corners[:, 1:] - corners[:, :1]
            size = (
                np.linalg.norm(sides[:, 0], axis=1)
                if cell.dim == 1
                else 0.5 * np.linalg.norm(np.cross(sides[:, :-1], sides[:, 1:]).sum(axis=1), axis=1)
            )
            np.add.at(areas, block.nodes[rows], size[:, None] / cell.nodes)
    return areas if areas.any() else None


def _nearest(bodies: list[Body], point: Floats, key: str) -> _Nodes:
    """Return the node at a point; a rigid link has one that carries every point."""
    if len(bodies) == 1 and bodies[0].stiffens_itself:
        return _nodes(bodies[0], np.array([0]))
    best: tuple[float, int, _Nodes] | None = None
    size = max(float(np.abs(body.part.points).max()) for body in bodies)
    for body in bodies:
        gaps = np.linalg.norm(body.part.points - point, axis=1)
        node = int(gaps.argmin())
        found = _nodes(body, np.array([node]))
        rank = (float(gaps[node]), -int(found.turned[0] >= 0))
        if best is None or rank < best[:2]:
            best = (*rank, found)
    assert best is not None
    if best[0] > _CLOSE * size:
        raise InputError(
            f"{key}: the nearest node of the link's bodies is {best[0]:.3g} m from "
            f"{point.tolist()}; expected the position of a node, or a group"
        )
    return best[2]


def _single(found: _Nodes, point: Floats, dimension: int) -> Attachment:
    """Return the marker of one node: it may be off the node where that has a rotation."""
    node, turn, arm = found.displaced[0], found.turned[0], point - found.points[0]
    columns = [node * dimension + i for i in range(dimension)]
    parts = [np.eye(6)[:, i] for i in range(dimension)]
    if turn < 0:
        return Attachment(np.array(columns), np.stack(parts, axis=1), turns=False)
    for k, axis in enumerate((2,) if dimension == 2 else (0, 1, 2)):
        unit = np.eye(3)[axis]
        columns.append(turn * dimension + k)
        parts.append(np.concatenate([np.cross(unit, arm), unit]))
    return Attachment(np.array(columns), np.stack(parts, axis=1), turns=True)


def _averaged(found: _Nodes, point: Floats, dimension: int) -> Attachment:
    """Return the marker of a surface: mean displacement, and the turn of least squares."""
    shares = found.shares
    centre = shares @ found.points
    arms = found.points - centre
    weighted = shares[:, None] * arms
    inertia = np.einsum("ni,ni->", weighted, arms) * np.eye(3) - weighted.T @ arms
    if dimension == 2:
        inverse = np.zeros((3, 3))
        inverse[2, 2] = 1.0 / inertia[2, 2]
    else:
        # Nodes on a line do not tell how it turns about itself.
        inverse = np.linalg.pinv(inertia, rcond=_CLOSE, hermitian=True)
    columns = (found.displaced[:, None] * dimension + np.arange(dimension)).ravel()
    matrix = np.zeros((6, len(arms), dimension))
    for i in range(dimension):
        turn = inverse @ np.cross(weighted, np.eye(3)[i]).T
        matrix[3:, :, i] = turn
        # The point of the marker need not be the centre of the area.
        matrix[:3, :, i] = np.cross(turn.T, point - centre).T
        matrix[i, :, i] += shares
    turns = bool(np.linalg.matrix_rank(inverse, tol=_CLOSE * np.abs(inverse).max()) == 3)
    return Attachment(columns, matrix.reshape(6, -1), turns or dimension == 2)


def _shapes(found: _Nodes, point: Floats, dimension: int) -> Floats:
    """Return an orthonormal basis of the displacements that are no rigid motion, (r, c)."""
    arms, count = found.points - point, len(found.points)
    motions = [np.tile(np.eye(3)[i], (count, 1)) for i in range(dimension)]
    motions += [np.cross(np.eye(3)[i], arms) for i in ((2,) if dimension == 2 else (0, 1, 2))]
    rigid = np.stack([one[:, :dimension].ravel() for one in motions])
    _, sizes, basis = np.linalg.svd(rigid)
    rank = int((sizes > _CLOSE * sizes[0]).sum())
    shapes: Floats = basis[rank:]
    return shapes
