# SPDX-License-Identifier: BSD-3-Clause
"""Rods with a formula as energy, in place of their linear law."""

from __future__ import annotations

from dataclasses import replace

import sympy
from flexforge.codegen.elements.field import Fibre, FieldElement
from flexforge.codegen.elements.rod_energy import RodEnergy
from flexforge.codegen.elements.user_laws import limit_law


def by_formula(element: FieldElement, energy: RodEnergy) -> FieldElement:
    """Return a rod with an energy per length; its section is then a point of weight one.

    Parameters
    ----------
    element : FieldElement
        A rod with strains of large displacements.
    energy : RodEnergy
        With a formula. Parameters of the section that nothing needs any more are dropped.
    """
    place = tuple(sympy.Integer(0) for _ in element.across)
    found = replace(
        element,
        fibres={**element.fibres, "stiffness": (Fibre(place, sympy.Integer(1)),)},
        constitutive=limit_law(energy, energy.parameters, energy.strains),
        energy=energy,
    )
    names = {str(symbol) for symbol in used_symbols(found)}
    return replace(found, parameters=tuple(p for p in element.parameters if p in names))


def used_symbols(element: FieldElement) -> set[sympy.Basic]:
    """Return the symbols of all formulas of an element."""
    formulas = [value for _, value in (*element.definitions, *element.constitutive.definitions)]
    formulas += [element.measure, element.position, element.displacement, element.strain]
    for fibre in (fibre for group in element.fibres.values() for fibre in group):
        formulas += [*fibre.place, fibre.weight]
    if element.energy is not None:
        formulas += [element.energy.forms]
        formulas += [element.energy.written] if element.energy.formula else []
    if element.stiffening is not None:
        formulas += [element.stiffening.law, element.stiffening.rates]
    return {symbol for formula in formulas for symbol in formula.free_symbols}
