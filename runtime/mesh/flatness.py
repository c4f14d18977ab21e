# SPDX-License-Identifier: BSD-3-Clause
"""Check for straight or flat cells, as elements with constant axes require them."""

from __future__ import annotations

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.mesh.cells import CELLS
from flexforge.runtime.mesh.part import Part

#: Distance of a node from the line or plane of its cell, relative to the cell, that counts as
#: round-off of a mesh: a rigid rotation strains the element by this fraction of its angle.
FLAT = 1e-6


def check_flat(part: Part, element: str) -> None:
    """Refuse cells that are not straight or flat.

    Parameters
    ----------
    part : Part
        The cells of a body.
    element : str
        Name of its element, for the message.

    Raises
    ------
    InputError
        Naming the cell that is farthest from its line or plane.
    """
    dimension = CELLS[part.cell].dim
    corners = part.points[part.connectivity]
    sizes = np.linalg.svd(corners - corners.mean(axis=1, keepdims=True), compute_uv=False)
    if sizes.shape[1] <= dimension:
        return
    away = sizes[:, dimension] / sizes[:, 0]
    worst = int(away.argmax())
    if away[worst] > FLAT:
        shape = "straight" if dimension == 1 else "flat"
        raise InputError(
            f"{part.source}: cell {part.labels[worst]} is not {shape}: its nodes deviate by "
            f"{away[worst]:.2g} of its size; element '{element}' is declared in axes that expect "
            f"{shape} cells"
        )
