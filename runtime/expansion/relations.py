# SPDX-License-Identifier: BSD-3-Clause
"""Relations between the nodes of a shell or a beam and those of its solids.

At a node with one section its displacement is a mean of that section, in a shell by Simpson's rule
``(u_below + 4 u_on + u_above) / 6``, and its rotation is the mean of the rotations of the points
around it, ``(a x p_i) . u_i / |p_i|^2`` about an axis a with the arms p_i perpendicular to it. At a
knot, where sections meet, every point follows the node: ``u_i = u + t x p_i + e p_i``, with an
expansion e, of coplanar beams one along each of their two directions. Where displacements are large
points follow by any rotation, ``x_i = x + R (1 + e) p_i``, and means are those of the angles.
Source: CalculiX CrunchiX 2.20, its user's manual on shell and beam elements; weights and what is
held at knots are those of the program, which `flexforge bench decks` compares with.
"""

from __future__ import annotations

import numpy as np
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.expansion.sections import Sections
from flexforge.runtime.expansion.solids import ABOVE, BELOW, BETWEEN, ON, Solids
from flexforge.runtime.mesh.relations import (
    ROTATION,
    Knot,
    MeanTurns,
    Relations,
)

_ALONG = 0.999  # cosine to the normal from which the rotation about an axis is one about the normal
_FLAT = 1e-10  # square of a distance, of the largest, which counts as none
_AXES = np.arange(3)
#: Means of the points below, on and above the surface: what is printed; what supports, solids and
#: springs at the node see; what forces see.
SIMPSON, OUTER, LOADED = (1 / 6, 2 / 3, 1 / 6), (0.5, 0.0, 0.5), (-0.5, 2.0, -0.5)


def means(
    nodes: Ints, sections: Sections, solids: Solids, which: Ints, weights: tuple[float, ...]
) -> Relations:
    """Return ``u - sum w_i u_i = 0`` of nodes of their own for some sections.

    Parameters
    ----------
    nodes : ndarray of int64, (m,)
        The nodes.
    sections, solids : Sections, Solids
        All sections, and their points.
    which : ndarray of int64, (m,)
        The section of each node.
    weights : tuple of float
        Of the points of a shell at corners of quadratic cells; those elsewhere have the mean of the
        points below and above, those of a beam that of the corners.
    """
    found = []
    beams, corners = sections.is_beam[which], sections.at_corner[which]
    kinds = (
        (~beams & corners, (BELOW, ON, ABOVE), weights),
        (~beams & ~corners, (BELOW, ABOVE), (0.5, 0.5)),
        (beams, (0, 1, 2, 3), (0.25,) * 4),
    )
    for some, points, factors in kinds:
        own = solids.number[which[some]][:, points]
        row = np.column_stack([nodes[some], own])
        found.append(_for_each_component(row, np.array([1.0, *(-np.array(factors))])))
    return Relations.together(found)


def middles(
    nodes: Ints, components: Ints, sections: Sections, solids: Solids, which: Ints
) -> Relations:
    """Return ``u_on - u = 0``: points on the surface move with nodes that are held.

    Parameters
    ----------
    nodes, components : ndarray of int64, (m,)
        Nodes of shells, and the component.
    sections, solids : Sections, Solids
        All sections, and their points.
    which : ndarray of int64, (m,)
        The section of each node.
    """
    some = sections.at_corner[which] & ~sections.is_beam[which]
    row = np.column_stack([solids.number[which[some], ON], nodes[some]])
    factors = np.broadcast_to([1.0, -1.0], row.shape)
    return Relations.of(row, components[some][:, None], factors)


def straight_sides(sections: Sections, solids: Solids, which: Ints) -> Relations:
    """Return ``2 u_5 - u_1 - u_2 = 0``: sides of beams stay straight where rotations are held."""
    some = which[sections.is_beam[which] & sections.at_corner[which]]
    found = [
        _for_each_component(solids.number[some][:, points], np.array([2.0, -1.0, -1.0]))
        for points in BETWEEN
    ]
    return Relations.together(found)


def rotations(
    nodes: Ints, sections: Sections, solids: Solids, places: Floats, which: Ints
) -> tuple[list[MeanTurns], Relations]:
    """Return the mean rotations of nodes for some sections, and equations of those that are none.

    Parameters
    ----------
    nodes : ndarray of int64, (m,)
        The nodes.
    sections, solids : Sections, Solids
        All sections, and their points.
    places : ndarray, (s, 8, 3)
        Of all sections the places of their points, m.
    which : ndarray of int64, (m,)
        The section of each node.
    """
    found, still = [], []
    for is_beam, points in ((False, (BELOW, ABOVE)), (True, (0, 1, 2, 3))):
        some = sections.is_beam[which] == is_beam
        chosen, own = which[some], nodes[some]
        for axis in _AXES:
            unit = np.broadcast_to(np.eye(3)[axis], (len(chosen), 3))
            if not is_beam:  # the part of the axis in the surface
                normal = sections.first[chosen]
                unit = unit - normal[:, axis, None] * normal
                unit = np.where((np.abs(normal[:, axis]) > _ALONG)[:, None], 0.0, unit)
            length = np.linalg.norm(unit, axis=1)
            turns = length > 0.0
            of = np.full(int(turns.sum()), axis)
            direction = unit[turns] / length[turns, None]
            numbers = solids.number[chosen[turns]][:, points]
            found.append(MeanTurns(own[turns], of, direction, 1.0 / length[turns], numbers))
            row = own[~turns, None]
            still.append(Relations.of(row, np.full(row.shape, ROTATION + axis), np.ones(row.shape)))
    return [one for one in found if len(one.node)], Relations.together(still)


def knot(
    node: int, strain: int, own: Ints, arms: Floats, *, has_beams: bool
) -> tuple[Knot, Relations]:
    """Return a knot, and the equations of what does not move its points.

    Parameters
    ----------
    node, strain : int
        Its node, and one whose displacement is its expansion.
    own : ndarray of int64, (m,)
        The points of its sections.
    arms : ndarray, (m, 3)
        From the node to them, m.
    has_beams : bool
        Whether beams meet there.
    """
    moments = np.cov(arms.T, bias=True) * len(own)
    sizes, axes = np.linalg.eigh(moments)
    flat = sizes < _FLAT * sizes[2]
    if has_beams and flat[0] and not flat[1]:
        stretched = [(arms @ axes[:, k])[:, None] * axes[:, k] for k in (2, 1)]
    else:
        stretched = [arms]
    unused = np.arange(len(stretched), 3)[:, None]
    found = [Relations.of(np.full_like(unused, strain), unused, np.ones(unused.shape))]
    if flat[1]:  # points on a line do not turn about it
        line = axes[:, 2]
        found.append(Relations.of(np.array([[node]]), (ROTATION + _AXES)[None], line[None]))
    made = Knot(node, strain, own, arms, np.stack(stretched, axis=1))
    return made, _without_zeros(Relations.together(found))


def _for_each_component(row: Ints, factors: Floats) -> Relations:
    """Return the same equation, (m, c), for all components of the displacement."""
    values = np.broadcast_to(factors, row.shape)
    return Relations.together([Relations.of(row, np.array(c), values) for c in range(3)])


def _without_zeros(given: Relations) -> Relations:
    """Return equations without terms that are zero."""
    kept = np.abs(given.factor) > 1e-14 * np.abs(given.factor).max(initial=0.0)
    return Relations(
        given.equation[kept], given.node[kept], given.component[kept], given.factor[kept]
    )
