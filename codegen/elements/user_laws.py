# SPDX-License-Identifier: BSD-3-Clause
"""Strain operator and law of a user's element: by name, or written out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import sympy
from flexforge.codegen.elements.constitutive import LAWS, Constitutive, spring
from flexforge.codegen.elements.expressions import parse
from flexforge.codegen.elements.field_scope import emitted, square_root
from flexforge.codegen.elements.strain import OPERATORS, operator
from flexforge.codegen.elements.user_values import brief, choice, entries, identifiers
from flexforge.codegen.errors import InputError, nearest

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
    names = identifiers(data, "parameters", "law.")
    if not isinstance(rows, list) or not all(
        isinstance(row, list) and len(row) == len(rows) for row in rows
    ):
        raise InputError(f"law.matrix: found {brief(rows)}; expected as many columns as rows")
    known = {name: sympy.Symbol(name, real=True) for name in names}
    entries_of = partial(_entry_name, tuple(map(str, range(1, len(rows) + 1))), "law")
    return _symmetric_law(names, rows, known, entries_of)


def read_section_law(
    data: dict[str, Any],
    names: tuple[str, ...],
    strains: tuple[str, ...],
    constants: Mapping[str, sympy.Expr],
) -> Constitutive:
    """Return the law of a beam's or a shell's strains.

    Parameters
    ----------
    data : dict
        The table ``law``: ``parameters`` and ``matrix`` or, of strains that are not coupled,
        ``diagonal``.
    names : tuple of str
        Its parameters.
    strains : tuple of str
        Names of the strains, of which entries of the law get theirs.
    constants : mapping
        What its formulas know.

    Raises
    ------
    InputError
        For a matrix of another size, or one that is not symmetric.
    """
    given = [key for key in ("matrix", "diagonal") if key in data]
    for key in data:
        if key not in ("parameters", "matrix", "diagonal"):
            known = ("parameters", "matrix", "diagonal")
            raise InputError(f"law.{key}: unknown key{nearest(key, known)}")
    if len(given) != 1:
        raise InputError(
            f"law: found {' and '.join(given) or 'neither matrix nor diagonal'}; expected one of "
            "matrix, diagonal"
        )
    rows, size = data[given[0]], len(strains)
    if not isinstance(rows, list) or len(rows) != size:
        raise InputError(
            f"law.{given[0]}: found {brief(rows)}; expected {size} entries, one for each strain"
        )
    if given == ["diagonal"]:
        rows = [["0"] * i + [value] + ["0"] * (size - 1 - i) for i, value in enumerate(rows)]
    if not all(isinstance(row, list) and len(row) == size for row in rows):
        raise InputError(f"law.matrix: found {brief(rows)}; expected as many columns as rows")
    return _symmetric_law(names, rows, constants, partial(_entry_name, strains, ""))


def _entry_name(names: tuple[str, ...], prefix: str, i: int, j: int) -> str:
    """Return what kernels call an entry of a law."""
    if prefix:
        return f"{prefix}{names[i]}{names[j]}"
    return emitted(names[i] if i == j else f"{names[i]}_{names[j]}")


def _symmetric_law(
    names: tuple[str, ...],
    rows: list[list[Any]],
    known: Mapping[str, sympy.Expr],
    called: Callable[[int, int], str],
) -> Constitutive:
    """Return the law of a matrix of formulas, whose entries are computed once."""
    size = len(rows)
    calls = {"sqrt": square_root}
    matrix = sympy.Matrix(
        size,
        size,
        lambda i, j: parse(rows[i][j], known, f"law.matrix[{i}][{j}]", ratios=True, calls=calls),
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
                definitions[sympy.Symbol(called(i, j), real=True)] = matrix[i, j]
    symbols = {str(symbol): symbol for symbol in definitions}
    named = sympy.Matrix(
        size,
        size,
        lambda i, j: symbols.get(called(min(i, j), max(i, j)), sympy.Integer(0)),
    )
    return Constitutive("given", names, tuple(definitions.items()), sympy.ImmutableMatrix(named))
