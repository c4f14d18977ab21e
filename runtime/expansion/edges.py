# SPDX-License-Identifier: BSD-3-Clause
"""Facets of solids along the edges of a shell, on which pressures act."""

from __future__ import annotations

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Ints
from flexforge.runtime.expansion.sections import Sections
from flexforge.runtime.expansion.solids import ABOVE, BELOW, ON, Solids

#: Cells of edges, and those of the facets that they become.
FACETS = {"line2": "quad4", "line3": "quad8"}


def edge_facets(
    lines: Ints, sections: Sections, solids: Solids, count: int, group: str
) -> Ints | None:
    """Return the nodes of the facets along lines, (n, 4 or 8); None where they are of no shell.

    Parameters
    ----------
    lines : ndarray of int64, (n, 2 or 3)
        Nodes of the edges: both ends, and the middle.
    sections, solids : Sections, Solids
        Cross sections at the nodes, and their points.
    count : int
        Number of nodes of the mesh.
    group : str
        Name of their group, for messages.

    Raises
    ------
    InputError
        Where shells meet at an edge, so that it has several facets.
    """
    shells = ~sections.is_beam
    number = np.bincount(sections.node[shells], minlength=count)[lines]
    if not number.all():
        return None
    if number.max(initial=0) > 1:
        raise InputError(
            f"loads: found a pressure on the edges '{group}', where shells of different directions "
            "or thicknesses meet; expected edges of one shell"
        )
    of = np.zeros(count, dtype=np.int64)
    of[sections.node[shells]] = np.flatnonzero(shells)
    there = solids.number[of[lines]]
    begin, end = there[:, 0], there[:, 1]
    corners = [begin[:, BELOW], end[:, BELOW], end[:, ABOVE], begin[:, ABOVE]]
    if lines.shape[1] == 2:
        return np.stack(corners, axis=1)
    middle = there[:, 2]
    sides = [middle[:, BELOW], end[:, ON], middle[:, ABOVE], begin[:, ON]]
    return np.stack([*corners, *sides], axis=1)
