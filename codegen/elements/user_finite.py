# SPDX-License-Identifier: BSD-3-Clause
"""Strains of large displacements and rotations, and the energy, of a user's rod."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sympy
from flexforge.codegen.elements.field import Fibre
from flexforge.codegen.elements.rod_energy import RodEnergy, measures_of
from flexforge.codegen.elements.user_laws import read_stresses, stress_matrix
from flexforge.codegen.elements.user_values import brief, table, text
from flexforge.codegen.errors import InputError


def read_finite(
    data: Mapping[str, Any],
    strains: Sequence[str],
    constants: Mapping[str, sympy.Expr],
    components: int,
    section: Sequence[Fibre],
) -> RodEnergy | None:
    """Return the energy of a declaration, or None where displacements are small.

    Parameters
    ----------
    data : mapping
        The declaration.
    strains : sequence of str
        Names of the linear strains.
    constants : mapping
        Names of parameters and definitions that formulas may use.
    components : int
        Coordinates of a vector.
    section : sequence of Fibre
        Points of the section for the stiffness.

    Raises
    ------
    InputError
        Naming the key, what was found and what is expected.
    """
    if "finite" not in data:
        if "slope" in data["carried"]:
            raise InputError(
                "carried: found slopes without the table finite; expected the strains of large "
                'displacements there, as extends = ["ancf_cable"] has them'
            )
        if "energy" in data:
            raise InputError(
                "energy: found it without the table finite; expected the strains of large "
                'displacements there, as extends = ["simo_beam2"] has them'
            )
        return None
    measures = measures_of(data["carried"], components)
    if data["cell"] != "interval" or not measures:
        raise InputError(
            "finite: found it in an element that is no rod; expected the cell 'interval'"
        )
    axes = "line" if "rotation" in data["carried"] else "frame"
    if data["axes"] != axes:
        raise InputError(
            f"axes: found {brief(data['axes'])} in a rod with the table finite; expected '{axes}'"
        )
    if "energy" not in data and (len(section) != 1 or any(section[0].place)):
        raise InputError(
            f"fibres.stiffness: found {len(section)} points in a rod with the table finite; "
            "expected one at 0, as the law is that of the whole section"
        )
    forms = read_stresses(
        table(dict(data), "finite"), tuple(strains), measures, constants, "finite."
    )
    matrix = stress_matrix(forms, measures)
    if "energy" not in data:
        return RodEnergy(tuple(strains), measures, matrix)
    names = tuple(data["law"].get("parameters", ()))
    found = RodEnergy(tuple(strains), measures, matrix, text(dict(data), "energy"), names)
    found.written  # noqa: B018 (reports what is wrong with it)
    return found
