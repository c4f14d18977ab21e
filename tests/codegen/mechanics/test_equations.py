# SPDX-License-Identifier: BSD-3-Clause
"""The symbols of derived equations in the hands of other code in SymPy."""

from __future__ import annotations

import numpy as np
import sympy
from flexforge.codegen.mechanics.derivation import derive

CORNERS = np.array([[0.1, 0.2], [1.3, 0.4], [0.5, 1.7]])
YOUNG, POISSON, THICKNESS = 3.0, 0.21, 0.7


def test_a_density_with_named_symbols_gives_the_textbook_stiffness() -> None:
    """``t A B^T D B`` of a triangle in plane stress (Zienkiewicz): its strain is constant."""
    equations = derive("tri3")
    symbols, law = equations.symbols, equations.point.law
    block = equations.terms["stiffness"].density.subs(dict(law.definitions))
    names = ["N_a,1", "N_a,2", "N_b,1", "N_b,2", "young", "poisson"]
    integrand = sympy.lambdify([symbols[name] for name in names], block)

    sides = np.vstack([CORNERS[1] - CORNERS[0], CORNERS[2] - CORNERS[0]])
    area = np.linalg.det(sides) / 2
    slopes = np.linalg.solve(sides, [[-1, 1, 0], [-1, 0, 1]]).T
    found = np.block([
        [THICKNESS * area * np.array(integrand(*a, *b, YOUNG, POISSON)) for b in slopes]
        for a in slopes
    ])  # fmt: skip

    B = np.zeros((3, 6))
    B[0, ::2], B[1, 1::2] = slopes[:, 0], slopes[:, 1]
    B[2, ::2], B[2, 1::2] = slopes[:, 1], slopes[:, 0]
    D = np.array([[1, POISSON, 0], [POISSON, 1, 0], [0, 0, (1 - POISSON) / 2]])
    D *= YOUNG / (1 - POISSON**2)
    assert np.allclose(found, THICKNESS * area * B.T @ D @ B, rtol=1e-13, atol=1e-15)


def test_symbols_cover_every_density() -> None:
    """No symbol of a term is missing, and each is found by the name that it prints."""
    equations = derive("hex8", formalism="kane")
    for term in equations.terms.values():
        assert term.density.free_symbols <= set(equations.symbols.values())
    assert all(str(symbol) == name for name, symbol in equations.symbols.items())
