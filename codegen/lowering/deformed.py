# SPDX-License-Identifier: BSD-3-Clause
"""Points of a deformed cell in reference coordinates: scalars and tensors, each when needed.

The second derivative of the energy by the Jacobian j of the deformed cell is

    D = sum_k W_k d2I_k/dj2 + sum_kl W_kl dI_k/dj (x) dI_l/dj

with derivatives W_k, W_kl of the energy by its invariants. Gradients of shape functions in the
reference cell are numbers, so that nothing at a point depends on the number of nodes.

An energy of the mean J of the element adds the mean of its slope by it to that by J, and couples
all points: what is left of its second derivative is in :mod:`.averaged`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import sympy
from flexforge.codegen.elements.declaration import Element
from flexforge.codegen.elements.energy import (
    COMPONENTS,
    EXPANSION,
    FIBRES,
    GROWTH,
    I2,
    MEAN,
    SQUARES,
    J,
)
from flexforge.codegen.ir.convert import convert
from flexforge.codegen.ir.expression import Const, Expr, Graph
from flexforge.codegen.ir.program import Accumulate, Array, Let, Statement
from flexforge.codegen.lowering.finite_changes import BASES, in_powers
from flexforge.codegen.lowering.geometry import circumference, cofactor_statements
from flexforge.codegen.lowering.point_loops import Pause, point_loops
from flexforge.codegen.lowering.principal import PrincipalStretches
from flexforge.codegen.lowering.sweep import Sweep
from flexforge.codegen.lowering.tables import derivative_table
from flexforge.codegen.lowering.terms import Leaves
from flexforge.codegen.mechanics.combinations import Matrix
from flexforge.codegen.mechanics.convected import (
    DETERMINANT,
    RECIPROCAL,
    REFERENCE,
    Curvature,
    change,
    change_definitions,
    cofactors,
    curvature,
    definitions,
    direction,
    tensors,
)
from flexforge.codegen.mechanics.invariants import matrix_symbols, scalar_symbol

#: Volume of the element without its section: undeformed, now, and what a change of j adds.
VOLUME, VOLUME_NOW, VOLUME_CHANGE = map(
    scalar_symbol, ("volume_before", "volume_now", "volume_change")
)
#: Sum or value of the slope of the energy by the mean J, and the weight without the section.
PRESSURE, WEIGHT_ALONE = scalar_symbol("mean_pressure"), scalar_symbol("weight_alone")
_WEIGHT = scalar_symbol("weight")
_LOGARITHMS = {one: scalar_symbol(f"log_{one}") for one in BASES}


class DeformedPoint:
    """The point q of a deformed cell.

    Parameters
    ----------
    element : Element
        Its element, with an energy.
    graph : Graph
        Where expressions are created.
    changed : bool
        Whether the state holds a change of the displacements besides them.

    Attributes
    ----------
    arrays : list of Array
        Inputs.
    sweep : Sweep
        Interpolates positions and displacements.
    statements : list of Statement
        Those at the point.
    leaves : dict
        What is computed already, by its symbol.
    """

    def __init__(self, element: Element, graph: Graph, *, changed: bool = False) -> None:
        assert element.energy is not None
        energy = element.energy.at(element.strain)
        self.energy, self.graph, self.size = energy, graph, element.space
        self.flat = element.dimension
        self.sweep = Sweep(element, element.degree["stiffness"], "", graph)
        self.sweep.arrays.append(derivative_table(element, self.sweep.points))
        self.sweep.interpolate("coordinates", (), "jacobian", slopes=True)
        count = 1 + changed + energy.grows
        own = (0,) if count > 1 else ()
        self.sweep.interpolate("state", own, "displacement", slopes=True)
        if changed:
            self.sweep.interpolate("state", (1,), "change", slopes=True)
        if element.revolved:
            self.sweep.interpolate_radius()
            self.sweep.interpolate("state", own, "outward", slopes=False)
            if changed:
                self.sweep.interpolate("state", (1,), "outward_change", slopes=False)
        nodal = len(element.nodes), element.components
        self.arrays = [
            Array("coordinates", nodal, "input"),
            Array("state", (count, *nodal) if count > 1 else nodal, "input"),
        ]
        self.statements: list[Statement | Pause] = list(self.sweep.geometry())
        self.leaves: Leaves = {
            sympy.Symbol(name, real=True): graph.parameter(name) for name in energy.parameters
        }
        self._pauses: list[Pause] = []
        self._wide = {*self.leaves}  # what is the same at all points of an element
        self.section: sympy.Expr = sympy.Integer(1)
        if element.section is not None:
            self.section = scalar_symbol("section")
            self.leaves[self.section] = graph.parameter(element.section)
            self._wide.add(self.section)
        self.leaves |= {
            REFERENCE: graph.temp("determinant"),
            RECIPROCAL: graph.temp("reciprocal"),
            _WEIGHT: self._weight(),
            WEIGHT_ALONE: graph.load("quadrature_weight", "q"),
        }
        if energy.grows:  # temperatures are the last of the nodal vectors
            warmth = self.sweep.interpolate_first("state", (count - 1,), "warmth")
            grown = graph.mul(graph.parameter(EXPANSION), warmth)
            self._add(GROWTH, graph.add(graph.const(1), grown))
        self._deform()
        if changed:
            self.leaves |= self._reference_slopes(change(self.size), "change", "outward_change")
        self.principal = PrincipalStretches(self) if energy.principal else None
        for one in energy.along:
            self.form(one)
        if energy.averaged:
            self._average(changed=changed)

    def _deform(self) -> None:
        """Append the Jacobian of the deformed cell and what it needs of the undeformed one."""
        graph, size = self.graph, self.size
        axes = range(size)
        places = [(i, k) for i in axes for k in axes]
        j, adjugate = tensors(size).jacobian, matrix_symbols("adjugate", size)
        self.moved = sympy.Matrix(size, size, lambda i, k: scalar_symbol(f"moved{i + 1}{k + 1}"))
        self.leaves |= self._reference_slopes(self.moved, "displacement", "outward")
        before = self._reference_slopes(adjugate, "jacobian", "position")
        if self.sweep.element.revolved:
            self._revolve(adjugate)
        else:
            self.leaves |= {adjugate[i, k]: graph.temp(f"adjugate{i}{k}") for i, k in places}
        for i, k in places:
            here = graph.add(before[adjugate[i, k]], self.leaves[self.moved[i, k]])
            self._add(j[i, k], here)
        self._defined = definitions(size, second=I2 in self.energy.used)
        self._defined |= change_definitions(size)
        self._defined |= {log: sympy.log(one) for one, log in _LOGARITHMS.items()}
        metric = tensors(size).metric
        square = scalar_symbol("squared_reciprocal")
        self._defined[square] = RECIPROCAL**2
        products = adjugate * adjugate.T
        self._defined |= {metric[i, k]: square * products[i, k] for i, k in places}
        if J in self.energy.used or self.energy.averaged:
            entries = [[self.leaves[j[i, k]] for k in axes] for i in axes]
            found = {
                one.name: one.value
                for one in cofactor_statements(entries, graph, tag="_now")
                if isinstance(one, Let)
            }
            cofactor = cofactors(size)
            names = {f"adjugate{k}{i}_now": cofactor[i, k] for i, k in places}
            names[DETERMINANT.name] = DETERMINANT
            for name, value in found.items():
                self._add(names[name], value, name)

    def _weight(self) -> Expr:
        """Return the weight of the point: of a full turn in a body of revolution."""
        if not self.sweep.element.revolved:
            return self.sweep.weight()
        # Radii are in the determinants: what is left is that of a circle of radius 1.
        return circumference(self.graph, self.graph.load("quadrature_weight", "q"))

    def _add(self, symbol: sympy.Symbol, value: Expr, name: str = "") -> None:
        """Append a scalar, unless it is a number."""
        if not isinstance(value, Const):
            self.statements.append(Let(name or symbol.name, value))
            value = self.graph.temp(name or symbol.name)
        self.leaves[symbol] = value

    def _reference_slopes(self, symbols: sympy.MatrixBase, slopes: str, value: str) -> Leaves:
        """Return the derivatives of an interpolated vector by reference coordinates.

        In a body of revolution the third coordinate is the angle, along which positions and
        displacements change by what they have along the radius.
        """
        graph, flat = self.graph, self.sweep.element.components
        found: Leaves = {}
        for n, one in enumerate(symbols):
            i, k = divmod(n, self.size)
            if max(i, k) < flat:
                found[one] = graph.load(slopes, "q", i, k)
            else:
                found[one] = graph.load(value, "q", 0) if i == k else graph.const(0)
        return found

    def _revolve(self, adjugate: sympy.MatrixBase) -> None:
        """Append the determinant and the adjugate of the undeformed Jacobian with the angle."""
        graph, radius = self.graph, self.sweep.radius()
        flat = graph.temp("determinant")
        self._add(REFERENCE, graph.mul(flat, radius), "determinant_revolved")
        self._add(RECIPROCAL, graph.div(graph.temp("reciprocal"), radius), "reciprocal_revolved")
        for n, one in enumerate(adjugate):
            i, k = divmod(n, self.size)
            if max(i, k) < 2:
                plane = graph.temp(f"adjugate{i}{k}")
                self._add(one, graph.mul(plane, radius), f"revolved{i}{k}")
            else:
                self.leaves[one] = flat if i == k else graph.const(0)

    def _average(self, *, changed: bool) -> None:
        """Append the mean J of the element and, given a change of j, how that changes it."""
        sums = {VOLUME: REFERENCE, VOLUME_NOW: DETERMINANT}
        if changed:
            along = zip(cofactors(self.size), change(self.size), strict=True)
            sums[VOLUME_CHANGE] = sum(c * x for c, x in along)
        self.summed({one: WEIGHT_ALONE * value for one, value in sums.items()})
        self._defined[MEAN] = VOLUME_NOW / VOLUME

    def loops(self, further: Sequence[Statement]) -> tuple[list[Statement], list[Array]]:
        """Return the loops over the points, with further statements at the end, and arrays."""
        return point_loops([*self.statements, *further], len(self.sweep.points), self.graph)

    def summed(self, values: Mapping[sympy.Symbol, sympy.Expr]) -> None:
        """Append sums over all points, which what follows may use."""
        sums = tuple(Accumulate(one.name, self.value(value)) for one, value in values.items())
        self._pauses.append(Pause(sums, []))
        self.statements.append(self._pauses[-1])
        self.leaves |= {one: self.graph.temp(one.name) for one in values}
        self._wide |= values.keys()

    @cached_property
    def pressure(self) -> sympy.Expr:
        """The slope of the energy by the mean J, as its mean over the element."""
        slope = self.energy.slopes(MEAN)
        value = self.at_deformation(slope)
        if self.is_local(slope):
            self.summed({PRESSURE: WEIGHT_ALONE * REFERENCE * value})
            return PRESSURE / VOLUME
        return self.let(PRESSURE, value)

    def is_local(self, value: sympy.Expr) -> bool:
        """Whether a function of the invariants depends on the point, not on their mean alone."""
        return bool(value.free_symbols & {*self.energy.local})

    def let(self, symbol: sympy.Symbol, value: sympy.Expr) -> sympy.Symbol:
        """Append a scalar, once, after those that it needs."""
        if symbol not in self.leaves:
            value = value.xreplace({1 / REFERENCE: RECIPROCAL})
            found = self.value(value)  # may append others
            if isinstance(found, Const):
                self.leaves[symbol] = found
                return symbol
            if self._pauses and value.free_symbols <= self._wide:
                self._wide.add(symbol)
                self._pauses[-1].then.append(Let(symbol.name, found))
            else:
                self.statements.append(Let(symbol.name, found))
            self.leaves[symbol] = self.graph.temp(symbol.name)
        return symbol

    def value(self, expression: sympy.Expr) -> Expr:
        """Return an expression, after appending the scalars that it needs."""
        for one in sorted(expression.free_symbols - self.leaves.keys(), key=str):
            self.let(one, self._defined[one])
        return convert(expression, self.leaves, self.graph)

    def matrix(self, letter: str, values: sympy.MatrixBase) -> Matrix:
        """Append a matrix of scalars."""
        symbols = matrix_symbols(letter, self.size)
        for one, value in zip(symbols, values, strict=True):
            self.let(one, value)
        return symbols

    def weighted(self, name: str, factor: sympy.Expr, value: sympy.Expr) -> sympy.Symbol:
        """Append a factor times a scalar times the volume of the point."""
        return self.let(scalar_symbol(name), factor * _WEIGHT * REFERENCE * value)

    def at_deformation(self, value: sympy.Expr) -> sympy.Expr:
        """Return a function of the invariants with a logarithm of J and a root of each degree.

        Products of powers whose exponents are parameters have one exponential.
        """
        value = value.xreplace(dict.fromkeys(SQUARES[self.size :], sympy.Integer(1)))
        value, powers = in_powers(sympy.expand_log(value, force=True))
        for symbol, exponents in powers.items():
            whole = sympy.Add(*(e * _LOGARITHMS[base] for base, e in exponents.items()))
            self._defined[symbol] = sympy.exp(whole)

        def power(base: sympy.Expr, exponent: sympy.Expr) -> sympy.Expr:
            if base not in _LOGARITHMS or not exponent.is_Rational or exponent.is_Integer:
                return base**exponent
            if base in SQUARES and exponent.q == 2:
                return base ** sympy.floor(exponent) * sympy.sqrt(base)
            root = scalar_symbol(f"root{exponent.q}{'' if base == J else f'_{base}'}")
            self._defined[root] = sympy.exp(-_LOGARITHMS[base] / exponent.q)
            whole = sympy.ceiling(exponent)
            return base**whole * root ** (exponent.q * (whole - exponent))

        value = value.replace(lambda one: one.is_Pow, lambda one: power(one.base, one.exp))
        return value.xreplace({sympy.log(one): log for one, log in _LOGARITHMS.items()})

    @cached_property
    def curved(self) -> list[tuple[sympy.Symbol, Curvature]]:
        """Factors and second derivatives of invariants by j: the first part of D."""
        found = []
        if self.principal is not None:
            found.append(self.principal.curved())
        for one in self.energy.along:
            first, along, _ = self.form(one)
            factor = self.weighted(
                f"slope_{one}", first, self.at_deformation(self.energy.slopes(one))
            )
            whole = Matrix(sympy.kronecker_product(sympy.eye(self.size), along))
            found.append((factor, Curvature(first, whole, Matrix(change(self.size) * along))))
        bent = {*self.energy.plain, *([J] if self.energy.averaged else [])}
        for one in sorted(bent, key=str):
            known = curvature(one, self.size)
            value = self.at_deformation(self.energy.slopes(one))
            if one == J and self.energy.averaged:
                value += self.pressure
            found.append((self.weighted(f"slope_{one}", known.factor, value), known))
        return found

    @property
    def _moving(self) -> tuple[sympy.Symbol, ...]:
        """The invariants that displacements change; in the plane nothing is stretched across it."""
        energy = self.energy
        along = (one for one in energy.along if not self.form(one)[1].is_zero_matrix)
        return (*energy.plain, *along, *energy.principal[: self.size])

    @cached_property
    def directions(self) -> list[tuple[dict[int, sympy.Symbol], Matrix]]:
        """First derivatives of invariants by j, with factors of products of two of them."""
        energy, found = self.energy, []
        moving = self._moving
        for one in moving:
            first, matrix = self.direction(one)
            factors = {}
            for number, other in enumerate(moving):
                value = energy.slopes(one, other)
                if value != 0:
                    name = "_".join(["curve", *sorted((one.name, other.name))])
                    factors[number] = scalar_symbol(name)
                    if factors[number] not in self.leaves:
                        factor = first * self.direction(other)[0]
                        self.weighted(name, factor, self.at_deformation(value))
            found.append((factors, matrix))
        if self.principal is not None:
            for factor, matrix in self.principal.turning():
                found.append(({len(found): factor}, matrix))
        return found

    def direction(self, invariant: sympy.Symbol) -> tuple[sympy.Expr, Matrix]:
        """Return a factor and a matrix, whose product is the derivative of an invariant by j."""
        if invariant in SQUARES:
            assert self.principal is not None
            return self.principal.direction(SQUARES.index(invariant))
        if invariant in self.energy.along:
            first, _, matrix = self.form(invariant)
            return first, matrix
        return direction(invariant, self.size)

    def form(self, one: sympy.Symbol) -> tuple[sympy.Expr, Matrix, Matrix]:
        """Return a factor and the two derivatives by j of an invariant that is linear in C.

        The second one, (d, d), is that of every row of j. An invariant ``a . C b`` of vectors of
        the undeformed body is ``(j g) . (j h)`` of these vectors in the reference cell.
        """
        if one in FIBRES:
            return self._fibre(one)
        size, (i, k) = self.size, COMPONENTS[one]
        if max(i, k) >= size:  # nothing is strained across the plane
            self._defined[one] = sympy.Integer(0)
            nothing = Matrix(sympy.zeros(size, size))
            return sympy.Integer(1), nothing, nothing
        axes = [sympy.Matrix([sympy.Integer(n == axis) for n in range(size)]) for axis in (i, k)]
        (left, moved), (right, other) = (
            self._carried(f"axis{axis + 1}", unit) for axis, unit in zip((i, k), axes, strict=True)
        )
        if i == k:
            self._defined[one] = (sum(x**2 for x in moved) - 1) / 2
            return sympy.Integer(1), Matrix(left * left.T), Matrix(moved * left.T)
        self._defined[one] = moved.dot(other) / 2
        half = sympy.Rational(1, 2)
        both = left * right.T
        return half, Matrix(both + both.T), Matrix(moved * right.T + other * left.T)

    def _fibre(self, family: sympy.Symbol) -> tuple[sympy.Expr, Matrix, Matrix]:
        """Return what `form` does of the square of a stretch of fibres."""
        size = self.size
        units = [scalar_symbol(f"along_{family}_{axis}") for axis in "xyz"]
        for one, value in zip(units, self.energy.directions(family), strict=True):
            self.let(one, value)
        back, moved = self._carried(str(FIBRES.index(family) + 1), sympy.Matrix(units[:size]))
        squared = sum(one**2 for one in moved)
        self._defined[family] = squared + (units[2] ** 2 if size == 2 else 0)
        return sympy.Integer(2), Matrix(back * back.T), Matrix(moved * back.T)

    def _carried(self, tag: str, vector: sympy.Matrix) -> tuple[sympy.Matrix, sympy.Matrix]:
        """Return a vector of the undeformed body in the reference cell, and where it moves to."""
        size = self.size
        adjugate, j = matrix_symbols("adjugate", size), tensors(size).jacobian
        back, moved = (
            sympy.Matrix([scalar_symbol(f"{name}{tag}_{i + 1}") for i in range(size)])
            for name in ("back", "moved_fibre")
        )
        for one, value in zip(back, RECIPROCAL * adjugate * vector, strict=True):
            self.let(one, value)
        for one, value in zip(moved, j * back, strict=True):
            self.let(one, value)
        return back, moved

    def moduli(self) -> sympy.Matrix:
        """Return D, (d d, d d): row (i, k), column (j, l)."""
        count = self.size**2
        total = sympy.zeros(count, count)
        for factor, known in self.curved:
            total += factor * known.matrix
        for number, (factors, matrix) in enumerate(self.directions):
            if factors:
                scaled = sympy.zeros(self.size, self.size)
                for other, factor in factors.items():
                    scaled += factor * self.directions[other][1]
                row = self.matrix(f"S{number}", scaled)
                total += sympy.Matrix([*row]) * sympy.Matrix([*matrix]).T
        return total

    @cached_property
    def coupled(self) -> sympy.Matrix | None:
        """Slopes by j and by the mean J, of a mean J that acts through the other invariants."""
        total = sympy.zeros(self.size, self.size)
        for one in self._moving:
            value = self.energy.slopes(one, MEAN)
            if value != 0:
                first, matrix = self.direction(one)
                value = self.at_deformation(value)
                total += self.weighted(f"coupled_{one}", first, value) * matrix
        return None if total.is_zero_matrix else total

    def flux(self) -> sympy.Matrix:
        """Return D times the change of j, (d, d)."""
        size = self.size
        total = sympy.zeros(size, size)
        for factor, known in self.curved:
            total += factor * known.product
        along = {}
        for number, (factors, matrix) in enumerate(self.directions):
            if factors:
                value = sum(p * x for p, x in zip(matrix, change(size), strict=True))
                along[number] = self.let(scalar_symbol(f"along{number}"), value)
        for number, (factors, matrix) in enumerate(self.directions):
            if factors:
                gained = sum(factor * along[other] for other, factor in factors.items())
                total += self.let(scalar_symbol(f"gained{number}"), gained) * matrix
        return total
