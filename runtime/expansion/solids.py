# SPDX-License-Identifier: BSD-3-Clause
"""Points and cells of the solids that shells and beams become.

The points of a section of a shell are below, on and above its middle surface. Those of a beam are
the four corners of its cross section, then the middles of its sides. Quadratic cells have the
middle points at their corners alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.expansion.members import Members
from flexforge.runtime.expansion.sections import Sections
from flexforge.runtime.mesh.cells import CELLS

#: Where the points of a shell are along its normal, and those of a beam along its two directions,
#: in thicknesses.
LAYERS = np.array([-0.5, 0.0, 0.5])
CORNERS = np.array([[-0.5, 0.5], [-0.5, -0.5], [0.5, -0.5], [0.5, 0.5]])
SIDES = np.array([[-0.5, 0.0], [0.0, -0.5], [0.5, 0.0], [0.0, 0.5]])
#: Of the corners of a round section, which are on its circle.
_ROUND = np.sqrt(0.5)
#: Middle points that lie between two corners: their number, and those of the corners.
BETWEEN = ((4, 0, 1), (5, 1, 2), (6, 2, 3), (7, 3, 0))
BELOW, ON, ABOVE = 0, 1, 2
#: Solid cells by cells of shells and beams.
SOLIDS = {"tri3": "wedge6", "tri6": "wedge15", "quad4": "hex8", "quad8": "hex20",
          "line2": "hex8", "line3": "hex20"}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Solids:
    """Points and cells of solids.

    Attributes
    ----------
    points : ndarray, (n, 3)
        New points.
    number : ndarray of int64, (s, 8)
        Of every section the numbers of its points in the new mesh, -1 where it has none.
    cells : tuple of ndarray of int64, (n, k)
        Of all members the cells in these numbers.
    """

    points: Floats
    number: Ints
    cells: tuple[Ints, ...]


def solids_of(members: Sequence[Members], sections: Sections, points: Floats) -> Solids:
    """Return the solids of members.

    Parameters
    ----------
    members : sequence of Members
        The cells.
    sections : Sections
        Cross sections at their nodes.
    points : ndarray, (n, 3)
        Points of the mesh, before those of the solids.
    """
    number = np.full((len(sections.node), 8), -1)
    beams, corners = sections.is_beam, sections.at_corner
    number[:, BELOW] = number[:, ABOVE] = 0
    number[corners & ~beams, ON] = 0
    number[beams, :4] = 0
    number[beams & corners, 4:] = 0
    made = number == 0
    number[made] = len(points) + np.arange(int(made.sum()))
    return Solids(
        (points[sections.node][:, None] + places_of(sections))[made],
        number,
        tuple(_cells(one, number[of]) for one, of in zip(members, sections.of, strict=True)),
    )


def places_of(sections: Sections) -> Floats:
    """Return the places of all points of sections from their nodes, (s, 8, 3), m."""
    across = np.zeros((len(sections.node), 8, 2))
    across[:, :3, 0] = LAYERS
    across[sections.is_beam, :4] = CORNERS
    across[sections.is_beam, 4:] = SIDES
    across[sections.is_round, :4] *= _ROUND
    across -= sections.offset[:, None]
    across[~sections.is_beam, :, 1] = 0.0
    directions = np.stack([sections.first, sections.second], axis=1) * sections.size[:, :, None]
    return np.asarray(np.einsum("spd,sdx->spx", across, directions))


def _cells(one: Members, number: Ints) -> Ints:
    """Return the cells of solids in the order of `cells`, from their points (n, k, 8)."""
    kind = CELLS[one.cell]
    if not one.is_beam:
        corners, middles = number[:, : kind.corners], number[:, kind.corners :]
        pieces = [corners[:, :, BELOW], corners[:, :, ABOVE]]
        if kind.nodes > kind.corners:
            pieces += [middles[:, :, BELOW], middles[:, :, ABOVE], corners[:, :, ON]]
        return np.concatenate(pieces, axis=1)
    start, end = number[:, 0], number[:, 1]
    lower, upper = ([start[:, a], end[:, a], end[:, b], start[:, b]] for a, b in ((0, 1), (3, 2)))
    pieces = [*lower, *upper]
    if kind.nodes > kind.corners:
        middle = number[:, 2]
        pieces += [middle[:, 0], end[:, 4], middle[:, 1], start[:, 4]]
        pieces += [middle[:, 3], end[:, 6], middle[:, 2], start[:, 6]]
        pieces += [start[:, 7], end[:, 7], end[:, 5], start[:, 5]]
    return np.stack(pieces, axis=1)
