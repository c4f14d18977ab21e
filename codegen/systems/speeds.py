# SPDX-License-Identifier: BSD-3-Clause
"""Independent speeds of a system: ``q' = A z + b`` from their definitions and the constraints.

The definitions ``z = Y q' + y`` and the constraints ``0 = C q' + c`` are as many as the
coordinates. They are solved for the rates once, symbolically.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import sympy
from flexforge.codegen.errors import InputError
from flexforge.codegen.mechanics.quantities import Quantities
from flexforge.codegen.systems.canonical import TooLargeError, canonical
from flexforge.codegen.systems.declaration import (
    Constraint,
    Contact,
    Equation,
    Meeting,
    System,
    rate_of,
)
from flexforge.codegen.systems.kinematics import SystemKinematics
from flexforge.codegen.systems.values import Values

#: Below this share of the largest entry, a number is zero.
_SMALL = 1e-9
_Name = Callable[[sympy.Expr], sympy.Expr]


@dataclass(frozen=True)
class Rows:
    """Constraints of a system, as quantities.

    Attributes
    ----------
    names : tuple of str
        Where each is declared.
    places : tuple of (sympy.Expr or None)
        What vanishes of a holonomic one; None of others.
    speeds : tuple of sympy.Expr
        Its rate, or the velocity that vanishes; linear in the rates of coordinates.
    """

    names: tuple[str, ...]
    places: tuple[sympy.Expr | None, ...]
    speeds: tuple[sympy.Expr, ...]


def constraint_rows(kinematics: SystemKinematics) -> Rows:
    """Return the constraints of a system, in the rates of its coordinates."""
    names: list[str] = []
    places: list[sympy.Expr | None] = []
    speeds: list[sympy.Expr] = []
    for k, constraint in enumerate(kinematics.system.constraints):
        for place, speed in _rows(kinematics, constraint):
            names.append(f"constraints[{k}]")
            places.append(place)
            speeds.append(speed)
    return Rows(tuple(names), tuple(places), tuple(speeds))


def _rows(
    kinematics: SystemKinematics, constraint: Constraint
) -> list[tuple[sympy.Expr | None, sympy.Expr]]:
    name = kinematics.quantities.name
    match constraint:
        case Equation(value, is_of_velocities):
            if is_of_velocities:
                return [(None, name(value))]
            return [(name(value), kinematics.rate(name(value)))]
        case Meeting(points, frame, directions):
            first, second = (kinematics.points[one] for one in points)
            gap = kinematics.quantities.column(second.position - first.position)
            axes = kinematics.frames[frame].axes
            found: list[tuple[sympy.Expr | None, sympy.Expr]] = []
            for direction in directions:
                along = kinematics.quantities.column(axes * sympy.Matrix(direction))
                place = name(along.dot(gap))
                found.append((place, kinematics.rate(place)))
            return found
        case Contact(body, point, frame, directions):
            declared = kinematics.system.bodies[body]
            centre = kinematics.points[declared.point]
            spin = kinematics.frames[declared.frame].spin
            arm = kinematics.quantities.column(kinematics.points[point].position - centre.position)
            velocity = kinematics.quantities.column(centre.velocity + spin.cross(arm))
            axes = kinematics.frames[frame].axes
            return [
                (None, name((axes * sympy.Matrix(direction)).dot(velocity)))
                for direction in directions
            ]


@dataclass(frozen=True)
class Solved:
    """Rates of the coordinates in independent speeds.

    Attributes
    ----------
    speeds : tuple of sympy.Symbol
        The speeds.
    rates : dict
        Rate of every coordinate.
    """

    speeds: tuple[sympy.Symbol, ...]
    rates: dict[sympy.Symbol, sympy.Expr]


def solved(kinematics: SystemKinematics, rows: Rows, values: Values) -> Solved | None:
    """Return the rates of coordinates in the speeds of a system; None where they are the speeds.

    Parameters
    ----------
    kinematics : SystemKinematics
        In the rates of the coordinates.
    rows : Rows
        The constraints.
    values : Values
        Numbers near which pivots are chosen.

    Raises
    ------
    InputError
        For redundant constraints, or definitions of speeds that are not independent, too many or
        too few.
    """
    system = kinematics.system
    if not system.speeds and not rows.names:
        return None
    count = len(system.coordinates) - len(rows.names)
    if count < 1:
        raise InputError(
            f"constraints: found {len(rows.names)} on {len(system.coordinates)} coordinates; "
            "expected fewer, nothing moves"
        )
    if system.speeds and len(system.speeds) != count:
        raise InputError(
            f"speeds: found {len(system.speeds)}; expected {count}, the number of coordinates "
            "less that of constraints"
        )
    quantities = kinematics.quantities
    definitions = [quantities.name(value) for value in system.speeds.values()]
    left = _linear(quantities, [*rows.speeds, *definitions], system)
    labels = (*rows.names, *(f"speeds.{s}" for s in system.speeds))
    right = [sympy.Integer(0)] * len(rows.names) + list(system.speeds)
    solution = _eliminate(_Table(quantities, left, right, labels, values), system)
    speeds = tuple(system.speeds) or tuple(
        rate for q, rate in zip(system.coordinates, system.rates, strict=True) if q not in solution
    )
    rates = {q: solution.get(q, rate_of(q)) for q in system.coordinates}
    return Solved(speeds, rates)


def _linear(
    quantities: Quantities, values: Sequence[sympy.Expr], system: System
) -> list[list[sympy.Expr]]:
    """Return the coefficients of the rates of each value, and the rest."""
    zero = dict.fromkeys(system.rates, sympy.Integer(0))
    found = []
    for value in values:
        row = [quantities.name(quantities.partial(value, rate)) for rate in system.rates]
        if any(set(system.rates) & _symbols(quantities, entry) for entry in row):
            raise InputError(
                "speeds, constraints: found an equation that is not linear in the rates of "
                "coordinates; expected linear ones"
            )
        found.append([*row, *quantities.at([value], zero)])
    return found


def _symbols(quantities: Quantities, value: sympy.Expr) -> set[sympy.Symbol]:
    """Return the symbols that a value depends on, through names."""
    found = set(value.free_symbols)
    for name in quantities.below([value]):
        found |= quantities.definitions[name].free_symbols
    return found


@dataclass
class _Table:
    """Linear equations: coefficients and a constant per row, right sides, and what they are."""

    quantities: Quantities
    left: list[list[sympy.Expr]]
    right: list[sympy.Expr]
    labels: tuple[str, ...]
    values: Values


def _eliminate(table: _Table, system: System) -> dict[sympy.Symbol, sympy.Expr]:
    """Return the rates that the equations determine, in right sides and remaining rates.

    Rates with a number as coefficient are eliminated first; the others by the inverse of their
    matrix, whose determinant is zero in singular positions only. Pivots that are expressions would
    vanish in others too: along a blade, which is nowhere singular, at one angle or another.
    """
    name, n = table.quantities.name, len(system.coordinates)
    rows = [[*row[:n], name(r - row[n])] for row, r in zip(table.left, table.right, strict=True)]
    pivots: dict[int, int] = {}
    for k, row in enumerate(rows):
        numbers = [j for j in range(n) if row[j].is_number and row[j] != 0]
        free = [j for j in numbers if j not in pivots.values()]
        if free:
            pivots[k] = free[0]
            _clear(rows, k, free[0], name)
    rest = [k for k in range(len(rows)) if k not in pivots]
    columns = _independent([rows[k][:n] for k in rest], [table.labels[k] for k in rest], table)
    pivots |= dict(zip(rest, columns, strict=True))
    solved_rows = _inverted([rows[k] for k in rest], columns, table.quantities)
    for k, row in zip(rest, solved_rows, strict=True):
        rows[k] = row
        for other in pivots:
            if other not in rest:
                _subtract(rows, other, k, pivots[k], name)
    taken = set(pivots.values())
    return {
        system.coordinates[j]: name(
            rows[k][n]
            - sympy.Add(*(rows[k][i] * system.rates[i] for i in range(n) if i not in taken))
        )
        for k, j in pivots.items()
    }


def _clear(rows: list[list[sympy.Expr]], k: int, j: int, name: _Name) -> None:
    """Divide a row by its number in a column, and subtract it from the others."""
    pivot = rows[k][j]
    rows[k] = [name(entry / pivot) for entry in rows[k]]
    for other in range(len(rows)):
        if other != k:
            _subtract(rows, other, k, j, name)


def _subtract(rows: list[list[sympy.Expr]], other: int, k: int, j: int, name: _Name) -> None:
    """Subtract a row with a one in a column from another one, so that it has a zero there."""
    factor = rows[other][j]
    if factor != 0:
        rows[other] = [name(a - factor * b) for a, b in zip(rows[other], rows[k], strict=True)]
        rows[other][j] = sympy.Integer(0)


def _independent(
    rows: Sequence[Sequence[sympy.Expr]], labels: Sequence[str], table: _Table
) -> list[int]:
    """Return a column for each row, in which the rows are independent and far from dependent."""
    sizes = np.array([[float(table.values.of(entry)) for entry in row] for row in rows])
    if not len(sizes):
        return []
    columns: list[int] = []
    for k in range(len(sizes)):
        j = int(np.abs(sizes[k]).argmax())
        if abs(sizes[k, j]) <= _SMALL * np.abs(sizes).max(initial=1.0):
            what = "is redundant, it follows from those before it"
            raise InputError(f"{labels[k]}: {what}; expected independent constraints and speeds")
        columns.append(j)
        sizes[k + 1 :] -= np.outer(sizes[k + 1 :, j] / sizes[k, j], sizes[k])
    return columns


def _inverted(
    rows: Sequence[Sequence[sympy.Expr]], columns: Sequence[int], quantities: Quantities
) -> list[list[sympy.Expr]]:
    """Return rows times the inverse of their matrix in some columns, where they become units."""
    if not rows:
        return []
    name, size = quantities.name, len(columns)
    matrix = sympy.Matrix([[row[j] for j in columns] for row in rows])
    adjugate, determinant = matrix.adjugate(method="berkowitz"), matrix.det(method="berkowitz")
    try:
        determinant, *entries = canonical(quantities, [determinant, *adjugate])
        adjugate = sympy.Matrix(size, size, entries)
    except TooLargeError:
        pass  # it is right as it is, only longer
    divisor = name(determinant)
    inverse = (adjugate / divisor).applyfunc(name)
    found = sympy.Matrix([list(row) for row in rows])
    product = (inverse * found).applyfunc(name)
    for k, j in enumerate(columns):
        for i in range(size):
            product[i, j] = sympy.Integer(int(i == k))
    return [list(product.row(i)) for i in range(size)]
