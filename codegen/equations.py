# SPDX-License-Identifier: BSD-3-Clause
"""Element equations: residuals of a formalism, taken apart into named and checked terms.

    m d'' + 2 c d' + (k + k_eps + k_omega + k_geo) d = q* - q_eps - q_omega - m_O a_O

(PHYSICS section 2). Every term is the density of an integral over the element.
"""

from __future__ import annotations

from dataclasses import dataclass

import sympy
from flexforge.codegen.errors import FlexforgeError
from flexforge.codegen.kinematics import MaterialPoint
from flexforge.codegen.ledger import Ledger


@dataclass(frozen=True)
class Term:
    """One named term of the element equations.

    Attributes
    ----------
    name, symbol : str
        The field's name and the letter of the papers.
    density : sympy.ImmutableMatrix
        Its integrand: a matrix over rows and columns of nodal coordinates, or a load's column.
    symmetry : str
        ``symmetric``, ``skew`` or ``general`` under exchange of rows and columns.
    depends : tuple of str
        Which motions of the frame it depends on: w, e, a_O, sigma_0, f.
    units : str
        Units of the integral.
    meaning : str
        The integral in the notation of PHYSICS.md.
    """

    name: str
    symbol: str
    density: sympy.ImmutableMatrix
    symmetry: str
    depends: tuple[str, ...]
    units: str
    meaning: str


# name: (symbol, symmetry, depends, units, meaning)
_MATRICES: dict[str, tuple[str, str, tuple[str, ...], str, str]] = {
    "mass": ("m", "symmetric", (), "kg", "int rho N^T N"),
    "coriolis": ("c", "skew", ("w",), "kg/s", "int rho N^T w~ N"),
    "stiffness": ("k", "symmetric", (), "N/m", "int (bN)^T H (bN)"),
    "euler": ("k_eps", "skew", ("e",), "N/m", "int rho N^T e~ N"),
    "centrifugal": ("k_omega", "symmetric", ("w",), "N/m", "int rho N^T w~ w~ N"),
    "geometric": ("k_geo", "symmetric", ("sigma_0",), "N/m", "int G^T sigma_0 G"),
}
_LOADS: dict[str, tuple[str, tuple[str, ...], str, str]] = {
    "euler_load": ("q_eps", ("e",), "N", "int rho N^T e~ x"),
    "centrifugal_load": ("q_omega", ("w",), "N", "int rho N^T w~ w~ x"),
    "translation": ("m_O a_O", ("a_O",), "N", "int rho N^T a_O"),
    "body_load": ("q*", ("f",), "N", "int N^T f"),
}


@dataclass(frozen=True)
class ElementEquations:
    """The equations of motion of an element, term by term.

    Attributes
    ----------
    element, formalism : str
        What was derived, and how.
    point : MaterialPoint
        The kinematics and the symbols in which the densities are written.
    terms : dict
        Terms by name, in the order of the equation.
    ledger : Ledger
        What the derivation took.
    """

    element: str
    formalism: str
    point: MaterialPoint
    terms: dict[str, Term]
    ledger: Ledger


def collect(
    element: str, formalism: str, point: MaterialPoint, residuals: list[sympy.Expr], ledger: Ledger
) -> ElementEquations:
    """Take the residuals apart and check that nothing is left over.

    Parameters
    ----------
    element, formalism : str
        Names, for reports.
    point : MaterialPoint
        Kinematics the residuals are written in.
    residuals : list of sympy.Expr
        One an equation of motion, linear in d'', d' and d.
    ledger : Ledger
        Counts the collection.

    Raises
    ------
    FlexforgeError
        When a residual holds something that is no term of PHYSICS section 2, for instance a
        velocity of the origin that should have cancelled.
    """
    second: list[list[sympy.Expr]] = []
    first: list[list[sympy.Expr]] = []
    zeroth: list[list[sympy.Expr]] = []
    free: list[sympy.Expr] = []
    for residual in residuals:
        rest = sympy.expand(residual)
        for rows, variables in (
            (second, point.accelerations),
            (first, point.velocities),
            (zeroth, point.coordinates),
        ):
            coefficients, rest = ledger.collect(rest, variables)
            rows.append(coefficients)
        free.append(rest)

    frame = point.frame
    spin = dict.fromkeys(frame.angular_velocity, 0)
    spinning_up = dict.fromkeys(frame.angular_acceleration, 0)
    stressed = dict.fromkeys(point.initial_stress, 0)
    positional = sympy.Matrix(zeroth)
    at_rest = positional.subs(spin | spinning_up)
    stiffness = at_rest.subs(stressed)
    densities = {
        "mass": sympy.Matrix(second),
        "coriolis": sympy.Matrix(first) / 2,
        "stiffness": stiffness,
        "euler": positional.subs(spin | stressed) - stiffness,
        "centrifugal": positional.subs(spinning_up | stressed) - stiffness,
        "geometric": at_rest - stiffness,
    }
    column = sympy.Matrix(free)
    accelerated = dict.fromkeys(frame.acceleration, 0)
    forced = dict.fromkeys(point.body_force, 0)
    densities |= {
        "euler_load": column.subs(spin | accelerated | forced),
        "centrifugal_load": column.subs(spinning_up | accelerated | forced),
        "translation": column.subs(spin | spinning_up | forced),
        "body_load": -column.subs(spin | spinning_up | accelerated),
    }
    densities = {name: density.applyfunc(sympy.expand) for name, density in densities.items()}
    _nothing_left(densities, positional, column, element, formalism)
    _only_known_symbols(densities, set(frame.velocity), element, formalism)

    terms = {
        name: Term(
            name, symbol, sympy.ImmutableMatrix(densities[name]), symmetry, depends, units, meaning
        )
        for name, (symbol, symmetry, depends, units, meaning) in _MATRICES.items()
        if name != "geometric" or point.initial_stress
    } | {
        name: Term(
            name, symbol, sympy.ImmutableMatrix(densities[name]), "general", depends, units, meaning
        )
        for name, (symbol, depends, units, meaning) in _LOADS.items()
    }
    return ElementEquations(element, formalism, point, terms, ledger)


def _nothing_left(densities: dict[str, sympy.Matrix], positional: sympy.Matrix,
                  column: sympy.Matrix, element: str, formalism: str) -> None:  # fmt: skip
    """Check that the named terms add up to what the formalism delivered."""
    d = densities
    left = positional - d["stiffness"] - d["euler"] - d["centrifugal"] - d["geometric"]
    rest = column - d["euler_load"] - d["centrifugal_load"] - d["translation"] + d["body_load"]
    for what, matrix in (("stiffness", left), ("load", rest)):
        remainder = matrix.applyfunc(sympy.expand)
        if not remainder.is_zero_matrix:
            raise FlexforgeError(
                f"{formalism} of {element}: {what} terms left over: {remainder}; expected zero"
            )


def _only_known_symbols(densities: dict[str, sympy.Matrix], forbidden: set[sympy.Symbol],
                        element: str, formalism: str) -> None:  # fmt: skip
    """Check that the velocity of the origin, which no force depends on, has cancelled."""
    for name, density in densities.items():
        if density.free_symbols & forbidden:
            raise FlexforgeError(
                f"{formalism} of {element}: term {name} depends on the velocity of the origin"
            )
