# SPDX-License-Identifier: BSD-3-Clause
"""Parameters of an energy that are formulas of the place, such as directions of fibres.

A formula is evaluated in the middle of every cell, the mean of its nodes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.mesh import Part
from flexforge.runtime.model.schema_body import BodySpec
from flexforge.runtime.motion.build import build_field

if TYPE_CHECKING:
    from flexforge.runtime.system.elements import CellElement


def values_at_cells(spec: BodySpec, element: CellElement, part: Part) -> dict[str, Floats]:
    """Return the parameters that are formulas, cell by cell, by the names of kernel arguments.

    Parameters
    ----------
    spec : BodySpec
        From the model file.
    element : CellElement
        Its element.
    part : Part
        Its cells.

    Raises
    ------
    InputError
        Naming the parameter: of an element without an energy, or of beams and shells; where a
        formula has no finite value, or an inertia is negative.
    """
    if not spec.fields:
        return {}
    if not element.is_large or element.has_field:
        name = next(iter(spec.fields))
        raise InputError(
            f"body '{spec.name}': parameters.{name}: found a formula with element "
            f"'{element.name}'; expected a number: formulas are for solids and plane strain with "
            "an energy"
        )
    middle = part.points[part.connectivity].mean(axis=1)
    x, y, z = middle.T
    found = {}
    for name, formula in spec.fields.items():
        try:
            each = build_field(formula)(x=x, y=y, z=z)
        except InputError as error:
            raise InputError(f"body '{spec.name}': parameters.{name}: {error}") from None
        found[name] = np.array(np.broadcast_to(each, len(middle)))
        if name == getattr(element.declared, "density", None) and (found[name] < 0.0).any():
            cell = int(found[name].argmin())
            place = ", ".join(f"{one:.6g}" for one in middle[cell])
            raise InputError(
                f"body '{spec.name}': parameters.{name}: found {found[name][cell]:.6g} at "
                f"[{place}], the middle of cell {part.labels[cell]}; expected at least 0"
            )
    return found
