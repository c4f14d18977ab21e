# SPDX-License-Identifier: BSD-3-Clause
"""Strain operator and law of a user's element: by name, or written out."""

from __future__ import annotations

import re
from typing import Any

import sympy
from flexforge.codegen.elements.constitutive import LAWS, Constitutive, spring
from flexforge.codegen.elements.expressions import parse
from flexforge.codegen.elements.strain import OPERATORS, operator
from flexforge.codegen.elements.user_values import IDENTIFIER, brief, choice, entries
from flexforge.codegen.errors import InputError

#: No operator has more than nine rows (a gradient in space); a law of nine rows that is symmetric
#: has 45 constants.
_MOST = {"parameters": 45, "matrix": 9}


def read_strain(data: dict[str, Any], components: int) -> str:
    """Return the strain operator, its rows joined if they are written out."""
    if not isinstance(data["strain"], list):
        return choice(data, "strain", tuple(OPERATORS))
    rows = entries(data, "strain")
    for i, row in enumerate(rows):
        if not isinstance(row, str) or ";" in row:
            raise InputError(f"strain[{i}]: found {row!r}; expected a text such as 'ux_x'")
    written = " ; ".join(rows)
    nothing = sympy.zeros(components, components)
    operator(written)(sympy.zeros(components, 1), nothing, nothing)  # says which row is wrong
    return written


def read_law(data: dict[str, Any], strain: str, components: int) -> Constitutive:
    """Return the law between the strains of an operator and the stresses."""
    if isinstance(data["law"], dict):
        return _matrix_law(data["law"])
    law = choice(data, "law", (*LAWS, "spring"))
    if law == "spring":
        if strain != "displacement":
            raise InputError("strain: a spring's is the displacement; expected 'displacement'")
        return spring(components)
    found = LAWS[law]
    size = {2: 3, 3: 6}[components] + (strain in ("selective", "axisymmetric"))
    if found.matrix.rows != size or strain in ("displacement", "axial"):
        raise InputError(
            f"law: '{law}' does not fit strain '{strain}' with {components} components"
        )
    return found


def _matrix_law(data: dict[str, Any]) -> Constitutive:
    """Return the law of a matrix of formulas in named parameters."""
    if set(data) != {"parameters", "matrix"}:
        raise InputError(f"law: found {sorted(data)}; expected {{ parameters = .., matrix = .. }}")
    names, rows = data["parameters"], data["matrix"]
    for key, found in (("parameters", names), ("matrix", rows)):
        if isinstance(found, list) and len(found) > _MOST[key]:
            raise InputError(
                f"law.{key}: found {len(found)} entries; expected at most {_MOST[key]}"
            )
    if not isinstance(names, list) or not all(
        isinstance(n, str) and re.fullmatch(IDENTIFIER, n) for n in names
    ):
        raise InputError(f"law.parameters: found {brief(names)}; expected a list of C identifiers")
    if not isinstance(rows, list) or not all(
        isinstance(row, list) and len(row) == len(rows) for row in rows
    ):
        raise InputError(f"law.matrix: found {brief(rows)}; expected as many columns as rows")
    known = {name: sympy.Symbol(name, real=True) for name in names}
    size = len(rows)
    matrix = sympy.Matrix(
        size, size, lambda i, j: parse(rows[i][j], known, f"law.matrix[{i}][{j}]", ratios=True)
    )
    definitions: dict[sympy.Symbol, sympy.Expr] = {}
    for i in range(size):
        for j in range(i, size):
            unlike = matrix[i, j] != matrix[j, i]  # as written; only then by algebra
            if unlike and sympy.cancel(matrix[i, j] - matrix[j, i]) != 0:
                raise InputError(
                    f"law.matrix[{j}][{i}]: found '{rows[j][i]}', and '{rows[i][j]}' across the "
                    "diagonal; expected a symmetric matrix"
                )
            if matrix[i, j] != 0:
                definitions[sympy.Symbol(f"law{i + 1}{j + 1}", real=True)] = matrix[i, j]
    symbols = {str(symbol): symbol for symbol in definitions}
    named = sympy.Matrix(
        size, size,
        lambda i, j: symbols.get(f"law{min(i, j) + 1}{max(i, j) + 1}", sympy.Integer(0)),
    )  # fmt: skip
    return Constitutive(
        "given", tuple(names), tuple(definitions.items()), sympy.ImmutableMatrix(named)
    )
