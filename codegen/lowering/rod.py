# SPDX-License-Identifier: BSD-3-Clause
"""Terms of rods with large displacements and rotations: which programs are theirs."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from flexforge.codegen.elements.field import FieldElement
from flexforge.codegen.ir.program import Program
from flexforge.codegen.lowering.rod_summed import (
    lower_summed_energy,
    lower_summed_forces,
    lower_summed_stress,
    lower_summed_tangent,
)
from flexforge.codegen.lowering.rod_turning import (
    lower_turning_energy,
    lower_turning_forces,
    lower_turning_stress,
    lower_turning_tangent,
)

_Lower = Callable[[FieldElement], Program]
#: By term: the program of bars and planar beams, that of beams in space, meaning and units.
_TERMS: Mapping[str, tuple[_Lower, _Lower, str, str]] = {
    "strain_energy": (lower_summed_energy, lower_turning_energy, "int W", "J"),
    "internal_forces": (lower_summed_forces, lower_turning_forces, "int dW/dd", "N"),
    "point_stress": (
        lower_summed_stress,
        lower_turning_stress,
        "generalized stresses at the stations",
        "of the law",
    ),
    "tangent": (lower_summed_tangent, lower_turning_tangent, "int d2W/dd2", "N/m"),
}


def finite_rod(element: FieldElement, term: str) -> tuple[_Lower, str, str, str]:
    """Return the function that lowers a term of a rod, its meaning, units and symmetry.

    Parameters
    ----------
    element : FieldElement
        A rod with an energy.
    term : str
        ``strain_energy``, ``internal_forces``, ``tangent`` or ``point_stress``.
    """
    summed, turning, meaning, units = _TERMS[term]
    turns = "rotation" in element.carried and element.components == 3
    if turns and term in ("internal_forces", "tangent"):
        meaning = f"{meaning}, by displacements and spins"
    symmetry = "symmetric" if term == "tangent" and not turns else "general"
    return turning if turns else summed, meaning, units, symmetry
