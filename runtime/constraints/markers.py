# SPDX-License-Identifier: BSD-3-Clause
"""How the marker of a joint moves with the nodes it is on: at a node, or as a surface on average.

Of a surface the displacement is the mean of its nodes', and the turn is the one that fits their
displacements best. Forces of the joint spread over the nodes the same way, transposed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.body import Body
from flexforge.runtime.mechanism.motion import LinkMotion
from flexforge.runtime.mesh import Mesh
from flexforge.runtime.model.schema_mechanism import Place
from flexforge.runtime.system import System
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_CLOSE = 1e-9


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
    """

    columns: Ints
    matrix: Floats
    turns: bool


NOWHERE = Attachment(np.zeros(0, dtype=np.int64), np.zeros((6, 0)), True)


def attach(
    system: System, mesh: Mesh, link: int, place: Place, point: Floats, key: str
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

    Raises
    ------
    InputError
        When no node of the link is there.
    """
    if link < 0:
        return NOWHERE
    bodies = [
        body
        for body in system.bodies
        if isinstance(body.motion, LinkMotion) and body.motion.link == link
    ]
    if isinstance(place, str):
        found = _of_group(bodies, mesh, place)
        if not len(found.displaced):
            raise InputError(
                f"{key}: no node of group '{place}' belongs to a body of the link; expected one"
            )
    else:
        found = _nearest(bodies, point, key)
    if len(found.displaced) > 1:
        return _averaged(found, point, system.dimension)
    return _single(found, point, system.dimension)


@dataclass(frozen=True, slots=True)
class _Nodes:
    """Nodes of a link: where they are, and the numbers of their vectors; -1 without rotation."""

    points: Floats
    displaced: Ints
    turned: Ints


def _nodes(body: Body, chosen: Ints) -> _Nodes:
    turned = body.rotations[chosen] if len(body.rotations) else np.full(len(chosen), -1)
    return _Nodes(body.part.points[chosen], body.placed[chosen], turned)


def _of_group(bodies: list[Body], mesh: Mesh, group: str) -> _Nodes:
    """Return the nodes of a group, each once, with its rotation if any body there has one."""
    nodes = mesh.select(group).nodes
    parts = [_nodes(body, body.part.local(nodes)) for body in bodies]
    displaced = np.concatenate([one.displaced for one in parts])
    turned = np.concatenate([one.turned for one in parts])
    points = np.concatenate([one.points for one in parts])
    order = np.lexsort((-turned, displaced))  # of a node the entry with a rotation first
    _, first = np.unique(displaced[order], return_index=True)
    kept = order[first]
    return _Nodes(points[kept], displaced[kept], turned[kept])


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
            f"{point.tolist()}; expected a point where a node is, or a group"
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
    arms = found.points - point
    count = len(arms)
    inertia = np.einsum("ni,ni->", arms, arms) * np.eye(3) - arms.T @ arms
    if dimension == 2:
        inverse = np.zeros((3, 3))
        inverse[2, 2] = 1.0 / inertia[2, 2]
    else:
        # Nodes on a line do not tell how it turns about itself.
        inverse = np.linalg.pinv(inertia, rcond=_CLOSE, hermitian=True)
    columns = (found.displaced[:, None] * dimension + np.arange(dimension)).ravel()
    matrix = np.zeros((6, count, dimension))
    for i in range(dimension):
        unit = np.eye(3)[i]
        matrix[i, :, i] = 1.0 / count
        matrix[3:, :, i] = inverse @ np.cross(arms, unit).T
    turns = bool(np.linalg.matrix_rank(inverse, tol=_CLOSE * np.abs(inverse).max()) == 3)
    return Attachment(columns, matrix.reshape(6, -1), turns or dimension == 2)
