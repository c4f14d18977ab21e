# SPDX-License-Identifier: BSD-3-Clause
"""Constraints and Maggi's equations: (2), (5)-(14), on three coordinates with linear relations.

One relation, divided by the coefficient of the dependent coordinate: b = (c1, c2, -1). Two
relations for (2), where the rows of the table matter.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

import numpy as np
import sympy
from flexforge.codegen.study.audit.equation import Context, Equation, Form, Reading
from flexforge.codegen.study.audit.instant import Array, Instant, column, matrix
from flexforge.codegen.study.audit.matrix_form import matrix_equation

NAMES = {
    "A": column("c", 2),
    "A'": column("c'", 2),
    "b": column("b", 1),
    "b'": column("b'", 1),
    "z": column("z", 2),
    "z'": column("z'", 2),
    "z''": column("z''", 2),
    "λ": column("λ", 1),
    "δq": column("δq", 3),
}
#: Three coordinates and a relation between them, the motion of an element for their inertia.
SYSTEM = Instant(2, 3, more=tuple((group, tuple(symbols)) for group, symbols in NAMES.items()))
RELATION = sympy.Matrix([[*NAMES["A"], -1]])

COEFFICIENTS, CONSTANTS, STRAY = matrix("b", 2, 3), column("b", 3), sympy.Symbol("c22", real=True)
RELATIONS = Instant(
    2, 3, more=(("B", tuple(COEFFICIENTS)), ("b", tuple(CONSTANTS)), ("c", (STRAY,)))
)

SOLVED = "(3) solved for the dependent coordinate"
MULTIPLIER = "Lagrange's equations with a multiplier give {Ma} = bᵀλ; [A] is (3) solved"


def relations() -> Array:
    """Return (1), row by row."""
    rates = RELATIONS.coordinates[1]
    rows = [sum(COEFFICIENTS[i, j] * rates[j] for j in range(3)) + CONSTANTS[i] for i in range(2)]
    return RELATIONS.array(sympy.Matrix(rows))


@cache
def of_relations() -> Context:
    """Return the tables of (2), as printed and as (1) has them."""
    printed = COEFFICIENTS.copy()
    printed[1, 1] = STRAY
    values = {
        "B_c": printed, "B": COEFFICIENTS, "b_n": CONSTANTS, "b_m": CONSTANTS[:2, :],
        "q'": RELATIONS.coordinates[1],
    }  # fmt: skip
    return Context(RELATIONS, {name: RELATIONS.array(value) for name, value in values.items()})


@cache
def displacement() -> sympy.Matrix:
    """Return the virtual displacement with the dependent coordinate from (3)."""
    virtual = NAMES["δq"]
    solved = sympy.solve((RELATION * virtual)[0], virtual[2], dict=True)[0]
    return virtual.subs(solved)


@cache
def nullspace() -> sympy.Matrix:
    """Return [A] of (6): what multiplies the independent displacements."""
    return displacement().jacobian(NAMES["δq"][:2, :])


def multiplier_force() -> sympy.Matrix:
    """Return {Ma} on the motion: the force of the multiplier."""
    return RELATION.T * NAMES["λ"]


@cache
def context() -> Context:
    """Return the symbols of matrix notation; ``δq_i`` are the independent displacements."""
    table = sympy.Matrix(1, 3, lambda i, j: sympy.Symbol(f"d{j + 1}", real=True))
    values = {
        "A": nullspace(),
        "Ma": multiplier_force(),
        "δq": displacement(),
        "δq_i": NAMES["δq"][:2, :],
        "A_14": table,
    }
    return Context(SYSTEM, {name: SYSTEM.array(value) for name, value in values.items()})


@cache
def of_indices() -> Context:
    """Return the symbols of index notation."""
    given = context().values
    values = {
        "a2": given["A"],
        "Ma1": given["Ma"].reshape(-1),
        "δq1": given["δq_i"].reshape(-1),
    }
    return Context(SYSTEM, values)


def nothing(*shape: int) -> Array:
    """Return zeros."""
    return SYSTEM.array(np.zeros(shape, int))


def indexed(
    number: str,
    title: str,
    source: str,
    printed: str,
    free: str,
    derived: Callable[[], Array],
    how: str,
    vocabulary: tuple[str, ...] = (),
) -> Equation:
    """Return an equation in index notation."""
    return Equation(
        number, title, Form(source, printed, derived), of_indices, free, vocabulary, how
    )


equation = partial(matrix_equation, context=context)

CONSTRAINTS = (
    matrix_equation(
        "2",
        "the relations as a table",
        "0",
        "B_c q' + b_n",
        relations,
        "(1), row by row",
        context=of_relations,
        vocabulary=("B q'", "b_m"),
        source=r"\begin{bmatrix} b_{11} & b_{12} & \dots & b_{1n} \\ b_{21} & c_{22} & \dots &"
        r" b_{2n} \\ \vdots \\ b_{m1} & b_{m2} & \dots & b_{mn} \end{bmatrix} \{\dot{q}\} +"
        r" \begin{Bmatrix} b_1 \\ b_2 \\ \vdots \\ b_n \end{Bmatrix} = 0",
        readings=(
            Reading("B_c", "B", "the entry c_22 among b_11, b_12, ... is b_22"),
            Reading("b_n", "b_m", "the column b_1 ... b_n ends with b_m: there are m relations"),
        ),
    ),
    equation(
        "5",
        "independent virtual displacements",
        r"\{\delta\tilde{q}\}",
        "δq",
        lambda: SYSTEM.array(NAMES["δq"][:2, :]),
        "the n - m coordinates that the m relations leave free",
        vocabulary=("δq_i",),
        source=r"\{\delta\tilde{q}\} = \{\delta q_1\ \delta q_2\ \dots\ \delta q_n\}",
    ),
    equation(
        "6",
        "virtual displacements by the independent ones",
        r"\{\delta q\}",
        "A δq_i",
        lambda: SYSTEM.array(displacement()),
        SOLVED,
        vocabulary=("A δq_i",),
        source=r"\{\delta q\} = [A_{n \times (n-m)}] \{\delta\tilde{q}\}",
    ),
    indexed(
        "7",
        "the same by components",
        r"\delta q_k = \sum_{j=1}^{n-m} a_{kj} \delta q_j",
        "a[kj] δq[j]",
        "k",
        lambda: SYSTEM.vector(displacement()),
        SOLVED,
        ("a[kj] δq[j]",),
    ),
    equation(
        "9",
        "the principle of d'Alembert and Lagrange",
        "0",
        "Ma^T δq",
        lambda: nothing(1, 1),
        MULTIPLIER,
        source=r"\{Ma\}^T \{\delta q\} = 0",
    ),
    equation(
        "10",
        "the same, transposed",
        "0",
        "δq^T Ma",
        lambda: nothing(1, 1),
        MULTIPLIER,
        source=r"\{\delta q\}^T \{Ma\} = 0",
    ),
    indexed(
        "11",
        "(7) in (10)",
        r"\sum_{k=1}^{n} \{ Ma_k \sum_{j=1}^{n-m} a_{kj} \delta q_j \} = 0",
        "Ma[k] a[kj] δq[j]",
        "",
        nothing,
        MULTIPLIER,
    ),
    indexed(
        "12",
        "Maggi's equations by components",
        r"\sum_{k=1}^{n} a_{kj} Ma_k = 0",
        "a[kj] Ma[k]",
        "j",
        lambda: nothing(2),
        MULTIPLIER,
    ),
    equation(
        "13",
        "Maggi's equations",
        "0",
        "A^T Ma",
        lambda: nothing(2, 1),
        MULTIPLIER,
        source="[A]^T \\{Ma\\} = 0",
    ),
    equation(
        "14",
        "size of [A]",
        "[A]",
        "A_14",
        lambda: SYSTEM.array(nullspace()),
        SOLVED + "; the printed table has m rows and n columns",
        vocabulary=("A",),
        source=r"[A] = \begin{bmatrix} a_{11} & \dots & a_{1n} \\ \vdots \\"
        r" a_{m1} & \dots & a_{mn} \end{bmatrix}",
    ),
)
