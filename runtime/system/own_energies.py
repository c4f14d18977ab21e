# SPDX-License-Identifier: BSD-3-Clause
"""Whether an element of a user's file resists what it should, judged on one cell of a body.

``flexforge check-element`` judges far more; a run says what would make its results worthless.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.system.body import Body

if TYPE_CHECKING:
    from flexforge.runtime.assembly.calls import CompiledKernel

#: Energy or mass relative to the largest, below which there is none.
_NONE = 1e-9


def energy_remark(body: Body) -> str:
    """Return a warning of motions that are without energy but not rigid, or of negative ones.

    Parameters
    ----------
    body : Body
        With an element of the library, of which nothing is said, or of a user's file.
    """
    from flexforge.codegen.elements.declaration import Element

    element = body.declared
    if not isinstance(element, Element) or element.revolved or element.dimension != body.dimension:
        return ""
    points = body.part.points[body.part.connectivity[0]][:, : body.dimension]
    found = []
    energies = _sizes(body, "stiffness", points)
    rigid = 3 if body.dimension == 2 else 6
    loose = int((np.abs(energies) <= _NONE * energies[-1]).sum()) - rigid
    if energies[0] < -_NONE * energies[-1]:
        found.append("motions of negative energy")
    elif loose > 0:
        found.append(f"{loose} motions without energy besides the {rigid} rigid ones")
    masses = _sizes(body, "scalar_mass", points)
    if masses[0] < -_NONE * masses[-1]:
        found.append("motions of negative mass")
    if not found:
        return ""
    return (
        f"body '{body.name}': a cell of element '{body.element}' has {' and '.join(found)}; "
        "flexforge check-element says which, and why"
    )


def _sizes(body: Body, term: str, points: Floats) -> Floats:
    """Return the eigenvalues of a matrix of the element on one cell, ascending."""
    kernel: CompiledKernel = body.kernels[term]
    values = {name: body.values[name] for name in kernel.parameters}
    matrix = kernel(points, **values)
    return np.linalg.eigvalsh(0.5 * (matrix + matrix.T))
