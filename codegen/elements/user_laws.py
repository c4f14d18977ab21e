# SPDX-License-Identifier: BSD-3-Clause
"""Strain operator and law of a user's element: by name, or written out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import sympy
from flexforge.codegen.elements.calls import CALLS
from flexforge.codegen.elements.constitutive import LAWS, Constitutive, spring
from flexforge.codegen.elements.expressions import parse
from flexforge.codegen.elements.field_scope import emitted
from flexforge.codegen.elements.linear import homogeneous
from flexforge.codegen.elements.parameters import check_parameter
from flexforge.codegen.elements.rod_energy import RodEnergy
from flexforge.codegen.elements.strain import OPERATORS, operator
from flexforge.codegen.elements.user_values import brief, check_keys, choice, entries, identifiers
from flexforge.codegen.errors import InputError

#: No operator has more than nine rows (a gradient in space); a symmetric law of nine rows
#: has 45 constants.
_MOST = {"parameters": 45, "matrix": 9}


def read_strain(data: dict[str, Any], components: int) -> str:
    """Return the strain operator as text, with written rows joined."""
    if not isinstance(data["strain"], list):
        return choice(data, "strain", tuple(OPERATORS))
    rows = entries(data, "strain")
    for i, row in enumerate(rows):
        if not isinstance(row, str) or ";" in row:
            raise InputError(f"strain[{i}]: found {row!r}; expected a text such as 'ux_x'")
    written = " ; ".join(rows)
    nothing = sympy.zeros(components, components)
    operator(written)(sympy.zeros(components, 1), nothing, nothing)  # reports which row is wrong
    return written


def read_law(data: dict[str, Any], strain: str, components: int) -> Constitutive:
    """Return the law between the strains of an operator and the stresses."""
    if isinstance(data["law"], dict):
        return _matrix_law(data["law"])
    law = choice(data, "law", (*LAWS, "spring"))
    if law == "spring":
        if strain != "displacement":
            raise InputError("strain: does not fit law 'spring'; expected 'displacement'")
        return spring(components)
    found = LAWS[law]
    size = {2: 3, 3: 6}[components] + (strain in ("selective", "axisymmetric"))
    if found.matrix.rows != size or strain in ("displacement", "axial"):
        raise InputError(
            f"law: '{law}' does not fit strain '{strain}' with {components} components"
        )
    return found


def _matrix_law(data: dict[str, Any]) -> Constitutive:
    """Return the law given by a matrix of formulas in named parameters."""
    if set(data) != {"parameters", "matrix"}:
        raise InputError(f"law: found {sorted(data)}; expected {{ parameters = .., matrix = .. }}")
    names, rows = data["parameters"], data["matrix"]
    for key, found in (("parameters", names), ("matrix", rows)):
        if isinstance(found, list) and len(found) > _MOST[key]:
            raise InputError(
                f"law.{key}: found {len(found)} entries; expected at most {_MOST[key]}"
            )
    names = identifiers(data, "parameters", "law.")
    for name in names:
        check_parameter(name, "law.parameters")
    if not isinstance(rows, list) or not all(
        isinstance(row, list) and len(row) == len(rows) for row in rows
    ):
        raise InputError(f"law.matrix: found {brief(rows)}; expected as many columns as rows")
    known = {name: sympy.Symbol(name, real=True) for name in names}
    size = len(rows)
    matrix = sympy.Matrix(
        size,
        size,
        lambda i, j: parse(rows[i][j], known, f"law.matrix[{i}][{j}]", ratios=True, calls=CALLS),
    )
    check_used(names, matrix.free_symbols, "law.parameters", "law.matrix")
    numbers = range(1, size + 1)
    _check_symmetry(matrix, lambda i, j: f"law.matrix[{i}][{j}]")
    return _named_law(names, matrix, [[f"law{i}{j}" for j in numbers] for i in numbers])


def section_law(
    stresses: Sequence[Mapping[str, sympy.Expr]], names: tuple[str, ...], strains: Sequence[str]
) -> Constitutive:
    """Return the law for the strains of a beam or shell.

    Parameters
    ----------
    stresses : sequence of mapping
        From :func:`read_stresses`, one per strain.
    names : tuple of str
        Parameters of the law.
    strains : sequence of str
        Names of the strains, used to name the entries of the law.

    Raises
    ------
    InputError
        For an unsymmetric law.
    """
    matrix = stress_matrix(stresses, strains)
    _check_symmetry(matrix, lambda i, j: f"law.stress.{strains[i]}")
    called = [[emitted(a if a == b else f"{a}_{b}") for b in strains] for a in strains]
    return _named_law(names, matrix, called)


def limit_law(energy: RodEnergy, names: tuple[str, ...], strains: Sequence[str]) -> Constitutive:
    """Return the law of small strains of an energy, for the strains of a rod.

    Parameters
    ----------
    energy : RodEnergy
        With a formula.
    names : tuple of str
        Parameters of the law.
    strains : sequence of str
        Names of the strains, used to name the entries of the law.
    """
    called = [[emitted(a if a == b else f"{a}_{b}") for b in strains] for a in strains]
    return _named_law(names, energy.limit(), called)


def check_used(
    names: Sequence[str], used: Collection[sympy.Basic], where: str, formulas: str
) -> None:
    """Raise an error for a parameter that no formula uses.

    Parameters
    ----------
    names : sequence of str
        The parameters.
    used : collection of sympy.Symbol
        Symbols of the formulas.
    where, formulas : str
        Key of the parameters, and what the formulas are, for the error.
    """
    found = [name for name in names if sympy.Symbol(name, real=True) not in used]
    if found:
        raise InputError(
            f"{where}: found {', '.join(map(repr, found))}, which {formulas} does not use; "
            "expected names of its formulas only"
        )


def named_forces(
    forces: Sequence[str], stresses: Sequence[Mapping[str, sympy.Expr]]
) -> dict[str, sympy.Expr]:
    """Return the stresses of a law by the names of the section forces."""
    found = {}
    for force, stress in zip(forces, stresses, strict=False):
        value = sympy.Add(*(sympy.Symbol(n, real=True) * factor for n, factor in stress.items()))
        found[force.removeprefix("-")] = -value if force.startswith("-") else value
    return found


def read_stresses(
    texts: Mapping[str, Any],
    names: tuple[str, ...],
    strains: tuple[str, ...],
    constants: Mapping[str, sympy.Expr],
    where: str = "stiffening.stress.",
) -> list[dict[str, sympy.Expr]]:
    """Return the stresses as coefficients by names of strains.

    Parameters
    ----------
    texts : mapping
        Stresses by name, linear in strains.
    names : tuple of str
        Names of all stresses, in order.
    strains : tuple of str
        Names of the strains.
    constants : mapping
        Other names known in the formulas.
    where : str
        Name of their table, for errors.
    """
    check_keys(texts, names, where=where)
    symbols = {name: sympy.Symbol(name, real=True) for name in strains}
    known = dict(constants) | symbols
    forms = []
    for name in names:
        here, text = f"{where}{name}", texts[name]
        value = parse(text, known, here, ratios=True, calls=CALLS)
        forms.append(homogeneous(value, symbols.values(), here, text, "the strains"))
    return [{str(symbol): factor for symbol, factor in form.items()} for form in forms]


def stress_matrix(
    forms: Sequence[Mapping[str, sympy.Expr]], strains: Sequence[str]
) -> sympy.ImmutableMatrix:
    """Return the matrix from strains to stresses."""
    rows = [[form.get(name, sympy.Integer(0)) for name in strains] for form in forms]
    return sympy.ImmutableMatrix(rows)


def _check_symmetry(matrix: sympy.MatrixBase, key: Callable[[int, int], str]) -> None:
    for i in range(matrix.rows):
        for j in range(i):
            unlike = matrix[i, j] != matrix[j, i]  # compare as written first, then by algebra
            if unlike and sympy.cancel(matrix[i, j] - matrix[j, i]) != 0:
                raise InputError(
                    f"{key(i, j)}: found {brief(str(matrix[i, j]))} in row {i + 1} of the law, "
                    f"column {j + 1}, and {brief(str(matrix[j, i]))} across the diagonal; expected "
                    "a symmetric law"
                )


def _named_law(
    names: tuple[str, ...], matrix: sympy.MatrixBase, called: Sequence[Sequence[str]]
) -> Constitutive:
    """Return the law of a symmetric matrix, with equal entries computed only once."""
    symbols: dict[sympy.Expr, sympy.Symbol] = {}
    for i in range(matrix.rows):
        for j in range(i, matrix.rows):
            name = called[i][j]
            while name in names:  # a parameter may be called like an entry
                name += "_"
            symbols.setdefault(matrix[i, j], sympy.Symbol(name, real=True))
    zero = sympy.Integer(0)
    symbols[zero] = zero
    named = sympy.ImmutableMatrix(*matrix.shape, lambda i, j: symbols[matrix[min(i, j), max(i, j)]])
    definitions = tuple((name, value) for value, name in symbols.items() if value != zero)
    return Constitutive("given", names, definitions, named)
