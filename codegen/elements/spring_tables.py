# SPDX-License-Identifier: BSD-3-Clause
"""Springs whose force is a table of their elongation: straight lines between its points.

With the elongation x, its slope k at rest and changes of the slope at places on both sides

    W = k x^2/2 + sum c_i/2 positive(x - p_i)^2 + sum d_i/2 positive(-x - q_i)^2

is their energy. They are cables without mass, whose stretch tells the elongation, at any
displacement.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import sympy
from flexforge.codegen.elements.catalogue import declaration
from flexforge.codegen.elements.field import FieldElement
from flexforge.codegen.elements.rod_energy import RodEnergy
from flexforge.codegen.elements.rod_law import by_formula
from flexforge.codegen.positive import positive

#: Names of its length at rest and of its slope at rest.
SPAN, SLOPE = "span", "stiffness"


def kink_names(side: str, number: int) -> tuple[str, str]:
    """Return the parameters of a place where the slope changes: the place, and the change.

    Parameters
    ----------
    side : str
        ``pulled`` or ``pushed``.
    number : int
        From 1.
    """
    return f"{side}_at{number}", f"{side}_change{number}"


@dataclass(frozen=True)
class TableEnergy(RodEnergy):
    """The energy of such a spring per length at rest.

    Attributes
    ----------
    pulled, pushed : int
        Places on both sides where the slope changes.
    """

    pulled: int = 0
    pushed: int = 0

    @cached_property
    def written(self) -> sympy.Expr:
        """The energy in the symbol of Green's strain; of e the stretch is ``sqrt(1 + 2 e)``."""
        (green,) = self.symbols
        span, slope = (sympy.Symbol(name, real=True) for name in (SPAN, SLOPE))
        elongation = 2 * span * green / (1 + sympy.sqrt(1 + 2 * green))
        total = slope / 2 * elongation**2
        for side, sign, count in (("pulled", 1, self.pulled), ("pushed", -1, self.pushed)):
            for number in range(1, count + 1):
                place, change = (sympy.Symbol(name, real=True) for name in kink_names(side, number))
                total += change / 2 * positive(sign * elongation - place) ** 2
        return total / span


def tabulated_spring(components: int, pulled: int, pushed: int) -> FieldElement:
    """Return a spring whose slope changes at places of its elongation.

    Parameters
    ----------
    components : int
        2 in the plane, 3 in space.
    pulled, pushed : int
        Number of these places of positive and of negative elongations.
    """
    rod = declaration("cable2" if components == 3 else "cable2_plane")
    assert isinstance(rod, FieldElement) and rod.energy is not None
    names = [SPAN, SLOPE]
    for side, count in (("pulled", pulled), ("pushed", pushed)):
        for number in range(1, count + 1):
            names += kink_names(side, number)
    known = rod.energy
    energy = TableEnergy(
        known.strains, known.measures, known.forms, "table", tuple(names),
        pulled=pulled, pushed=pushed,
    )  # fmt: skip
    units = {name: "m" if "_at" in name or name == SPAN else "N/m" for name in names}
    return replace(
        by_formula(rod, energy),
        name=f"tabulated_spring{'' if components == 3 else '_plane'}_{pulled}_{pushed}",
        units={**rod.units, **units},
        description="spring along the line between two nodes, of a table of forces",
    )
