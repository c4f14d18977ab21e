# SPDX-License-Identifier: BSD-3-Clause
"""Strain operators on displacements whose strain is known."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sympy
from flexforge.codegen.elements.declaration import Element
from flexforge.codegen.elements.strain import OPERATORS, axial
from flexforge.codegen.errors import InputError
from flexforge.codegen.mechanics.derivation import derive
from flexforge.codegen.study.pages.bar import BAR


@pytest.mark.parametrize("size", [2, 3])
def test_axial_strain_is_the_stretch_along_the_first_axis(size: int) -> None:
    """Of a displacement gradient it takes du_1/dx_1 and nothing else."""
    gradient = sympy.Matrix(size, size, lambda i, j: 10 * (i + 1) + j + 1)
    assert OPERATORS["axial"] is axial
    assert axial(sympy.zeros(size, 1), gradient, gradient) == sympy.Matrix([11])


def test_a_bar_that_turns_as_a_rigid_body_is_not_stretched() -> None:
    """A small rotation moves node 2 across the bar; the axial strain does not see it."""
    terms = derive(BAR, unrolled=True).terms
    rotation = sympy.Matrix([0, 0, 0, 1])
    assert (terms["stiffness"].density * rotation).is_zero_matrix
    assert not (terms["stiffness"].density * sympy.Matrix([0, 0, 1, 0])).is_zero_matrix


def test_a_point_has_no_axial_strain() -> None:
    """A point has no gradient: refused when it is derived."""
    point: Element = replace(BAR, cell="point", nodes=((),), monomials=(sympy.Integer(1),))
    with pytest.raises(InputError, match="strain 'axial' needs the derivatives N_a,1"):
        derive(point)
