# SPDX-License-Identifier: BSD-3-Clause
"""Kernels of a discrete system: straight-line programs of its named quantities.

All read the n coordinates q as ``coordinates``, then speeds, inputs and time as ``state``, filled
up to a multiple of n as all states of kernels are vectors like the coordinates; the constants are
parameters. A quantity used once is written where it is used. Where the equations multiplied out
take fewer operations, as of small systems, those are computed.

- ``equations``: M and, as last column, h of ``M z' + h = 0``.
- ``motion``: q', then z' of that system, solved by elimination without pivots, as M is positive
  definite: the right side of an ordinary differential equation.
- ``closure``: what constraints of positions make of q, and its derivatives by q.
- ``points``: positions of all points; ``energy``: kinetic energy, and potential of weights,
  springs and the declared potential.
- ``frames``: motion of what is drawn (:mod:`flexforge.codegen.systems.attached`), eight vectors
  each: r_O, the rows of R, then in components of the frame v_O, w, a_O, e; the rates of the speeds
  follow the time in its state.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import sympy
from flexforge.codegen.driver import Kernel
from flexforge.codegen.errors import InputError, nearest
from flexforge.codegen.ir.convert import convert
from flexforge.codegen.ir.count import count
from flexforge.codegen.ir.expression import Expr, Graph
from flexforge.codegen.ir.program import Array, Let, Program, Statement, Store
from flexforge.codegen.passes import PIPELINE
from flexforge.codegen.systems.attached import attached
from flexforge.codegen.systems.canonical import TooLargeError, canonical
from flexforge.codegen.systems.declaration import TIME
from flexforge.codegen.systems.derivation import SystemEquations

_MEANING = {
    "equations": "M and h of M z' + h = 0",
    "motion": "rates of the coordinates, then of the speeds",
    "closure": "constraints of positions, and their derivatives by the coordinates",
    "points": "positions of the points",
    "frames": "motion of the frames that are drawn",
    "energy": "kinetic and potential energy",
}
#: Terms of equations multiplied out above which named quantities take fewer operations: the chain
#: of two links has 22 and 51 operations instead of 57, that of three 112 and as many.
_MOST_TERMS = 150
_MOST_PRODUCTS = 5000
# Straight-line code: passes for loops have nothing to do.
_PASSES = ("factor", "cse", "prune")


def no_inertia(speed: str) -> InputError:
    """Return the error for a speed that moves no mass."""
    return InputError(
        f"bodies: speed {speed} has no inertia; expected masses or moments of inertia that every "
        "speed moves"
    )


def system_terms(equations: SystemEquations) -> tuple[str, ...]:
    """Return the kernels that a system can have."""
    closed = any(place is not None for place in equations.rows.places)
    return tuple(term for term in _MEANING if term != "closure" or closed)


def system_kernel(equations: SystemEquations, term: str, name: str | None = None) -> Kernel:
    """Return a kernel of a system, for one state per call.

    Parameters
    ----------
    equations : SystemEquations
        The derived equations.
    term : str
        One of :func:`system_terms`.
    name : str, optional
        Name of the C function; by default system and term.

    Raises
    ------
    InputError
        For an unknown term, or a speed that moves no mass.
    """
    system, known = equations.system, system_terms(equations)
    if term not in known:
        raise InputError(
            f"system '{system.name}' has no term '{term}'; expected one of "
            f"{', '.join(known)}{nearest(term, known)}"
        )
    program = min(_programs(equations, term), key=lambda one: count(one).operations)
    rows, columns = program.array("out").shape
    return Kernel(
        name=name or f"{system.name}_{term}",
        element=system.name,
        cell="system",
        term=term,
        formalism=equations.formalism,
        frame="spatial",
        meaning=_MEANING[term],
        units="",
        symmetry="general",
        structure="full",
        nodes=len(system.coordinates),
        dimension=1,
        rows=rows,
        columns=columns,
        scalar="double",
        lanes=1,
        program=program,
    )


def _programs(equations: SystemEquations, term: str) -> Iterator[Program]:
    """Yield the program of the named quantities, and that of the equations multiplied out."""
    for is_expanded in (False, True):
        try:
            program = _Scope(equations, term, is_expanded=is_expanded).program()
        except TooLargeError:
            continue
        for one in _PASSES:
            program = PIPELINE[one](program)
        yield program


class _Scope:
    """The leaves of a system's expressions, and statements for its names."""

    def __init__(self, equations: SystemEquations, term: str, *, is_expanded: bool) -> None:
        self.equations, self.term, self.is_expanded = equations, term, is_expanded
        self.graph = Graph()
        self.statements: list[Statement] = []
        system, load = equations.system, self.graph.load
        state, n = [*equations.speeds, *system.inputs, TIME], len(system.coordinates)
        if term == "frames":
            state += equations.kinematics.speed_rates
        self.leaves: dict[sympy.Symbol, Expr] = {
            q: load("coordinates", k, 0) for k, q in enumerate(system.coordinates)
        }
        self.leaves |= {s: load("state", k // n, k % n, 0) for k, s in enumerate(state)}
        self.leaves |= {s: self.graph.parameter(s.name) for s in system.constants}
        self.inputs = (
            Array("coordinates", (n, 1), "input"),
            Array("state", (-(-len(state) // n), n, 1), "input"),
        )

    def program(self) -> Program:
        """Return the program of the term, before the passes."""
        rows = getattr(self, f"_{self.term}")()
        columns = len(rows[0])
        self.statements += [
            Store("out", (i, j), value) for i, row in enumerate(rows) for j, value in enumerate(row)
        ]
        arrays = (*self.inputs, Array("out", (len(rows), columns), "output"))
        parameters = tuple(s.name for s in self.equations.system.constants)
        return Program(arrays, parameters, tuple(self.statements), self.graph)

    def _equations(self) -> list[list[Expr]]:
        found = self.equations
        n = len(found.speeds)
        values = [*found.mass, *found.forces]
        nodes = self._nodes(values)
        return [[*nodes[i * n : (i + 1) * n], nodes[n * n + i]] for i in range(n)]

    def _motion(self) -> list[list[Expr]]:
        found = self.equations
        n = len(found.speeds)
        upper = [found.mass[i, j] for i in range(n) for j in range(i, n)]
        nodes = iter(self._nodes([*upper, *found.forces, *found.rates]))
        mass = {(i, j): next(nodes) for i in range(n) for j in range(i, n)}
        forces = [next(nodes) for _ in range(n)]
        return [[rate] for rate in (*nodes, *self._solved(mass, forces))]

    def _solved(self, mass: dict[tuple[int, int], Expr], forces: list[Expr]) -> list[Expr]:
        """Return the solution of ``M x = -h`` by ``U^T D U``."""
        graph, n = self.graph, len(forces)
        minus = graph.const(-1)
        right = [graph.mul(minus, force) for force in forces]
        inverse: list[Expr] = []
        for k in range(n):
            if mass[k, k] == graph.const(0):
                raise no_inertia(str(self.equations.speeds[k]))
            inverse.append(self._let(graph.div(graph.const(1), mass[k, k])))
            for i in range(k + 1, n):
                factor = self._let(graph.mul(minus, mass[k, i], inverse[k]))
                for j in range(i, n):
                    mass[i, j] = self._let(graph.add(mass[i, j], graph.mul(factor, mass[k, j])))
                right[i] = self._let(graph.add(right[i], graph.mul(factor, right[k])))
        found: list[Expr] = [minus] * n
        for k in reversed(range(n)):
            later = (graph.mul(minus, mass[k, j], found[j]) for j in range(k + 1, n))
            found[k] = self._let(graph.mul(graph.add(right[k], *later), inverse[k]))
        return found

    def _closure(self) -> list[list[Expr]]:
        found = self.equations
        system, partial = found.system, found.quantities.partial
        places = [place for place in found.rows.places if place is not None]
        nodes = self._nodes(
            [
                v
                for place in places
                for v in (place, *(partial(place, q) for q in system.coordinates))
            ]
        )
        width = 1 + len(system.coordinates)
        return [nodes[k : k + width] for k in range(0, len(nodes), width)]

    def _points(self) -> list[list[Expr]]:
        values = [x for place in self.equations.kinematics.points.values() for x in place.position]
        nodes = self._nodes(values)
        return [nodes[k : k + 3] for k in range(0, len(nodes), 3)]

    def _frames(self) -> list[list[Expr]]:
        kinematics = self.equations.kinematics
        motions = [
            kinematics.frame_motion(one.origin, one.frame)
            for one in attached(self.equations.system)
        ]
        nodes = self._nodes([value for motion in motions for value in motion])
        return [nodes[k : k + 24] for k in range(0, len(nodes), 24)]

    def _energy(self) -> list[list[Expr]]:
        return [[node] for node in self._nodes(self.equations.energies)]

    def _nodes(self, values: Sequence[sympy.Expr]) -> list[Expr]:
        """Return expressions as nodes; names that occur several times become statements."""
        quantities = self.equations.quantities
        if self.is_expanded:
            values = canonical(quantities, values, _MOST_PRODUCTS)
            if sum(len(sympy.Add.make_args(value)) for value in values) > _MOST_TERMS:
                raise TooLargeError("more terms than the passes would make shorter")
        below = list(quantities.below(values))
        uses: Counter[sympy.Basic] = Counter()
        for value in (*values, *(quantities.definitions[name] for name in below)):
            uses.update(_leaves_of(value))
        for name in below:
            node = convert(quantities.definitions[name], self.leaves, self.graph)
            self.leaves[name] = self._let(node) if uses[name] > 1 else node
        return [convert(value, self.leaves, self.graph) for value in values]

    def _let(self, node: Expr) -> Expr:
        """Return a name for a node that is not one already."""
        if not node.args:
            return node
        name = f"t{len(self.statements)}"
        self.statements.append(Let(name, node))
        return self.graph.temp(name)


def _leaves_of(value: sympy.Expr) -> Iterable[sympy.Basic]:
    """Yield the symbols of an expression, each as often as it is written."""
    return (node for node in sympy.preorder_traversal(value) if not node.args)
