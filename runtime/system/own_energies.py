# SPDX-License-Identifier: BSD-3-Clause
"""Whether an element of a user's file resists what it should, judged on one cell of a body.

``flexforge check-element`` judges far more; a run says what would make its results worthless.
"""

from __future__ import annotations

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.assembly.assemble import evaluate, some_of
from flexforge.runtime.system.body import Body

#: Energy or mass relative to the largest, below which there is none.
_NONE = 1e-9


def energy_remark(body: Body) -> str:
    """Return a warning of motions that are without energy but not rigid, or of negative ones.

    Parameters
    ----------
    body : Body
        With an element of the library, of which nothing is said, or of a user's file.
    """
    if body.declared is None:
        return ""
    from flexforge.codegen.elements.declaration import Element  # SymPy: a second of every run

    element = body.declared
    if not isinstance(element, Element) or element.revolved or element.dimension != body.ambient:
        return ""
    found = []
    energies = _sizes(body, "stiffness")
    rigid = 3 if body.dimension == 2 else 6
    loose = int((np.abs(energies) <= _NONE * energies[-1]).sum()) - rigid
    if energies[0] < -_NONE * energies[-1]:
        found.append("motions of negative energy")
    elif loose > 0:
        found.append(f"{loose} motions without energy besides the {rigid} rigid ones")
    masses = _sizes(body, "scalar_mass")
    if masses[0] < -_NONE * masses[-1]:
        found.append("motions of negative mass")
    if not found:
        return ""
    return (
        f"body '{body.name}': a cell of element '{body.element}' has {' and '.join(found)}; "
        "flexforge check-element says which, and why"
    )


def _sizes(body: Body, term: str) -> Floats:
    """Return the eigenvalues of a matrix of the element on the first cell, ascending."""
    first = slice(0, 1)
    cell, values = body.part.connectivity[first], some_of(body.values, first)
    points = body.part.points[:, : body.dimension]
    (matrix,) = evaluate(body.kernels[term], cell, points, values)
    return np.linalg.eigvalsh(0.5 * (matrix + matrix.T))
