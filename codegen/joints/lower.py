# SPDX-License-Identifier: BSD-3-Clause
"""The kernels of a joint: for rigid links, for links with elastic displacements, for tangents.

All read the markers as ``coordinates`` [8][3] (for each link the point, then the axes x, y and z,
in components of the link) and the motion of the links as ``state`` [2][8][3] (r_O, the three rows
of R, v_O, w, a_O, e, as in a frame state). A row of the output begins with length, sine, cosine,
factor, from which its value is ``length + factor atan2(sine, cosine)``; the caller adds full turns
to the angle. Columns of Jacobians are displacement and rotation of the first link, then of the
second, in components of the link.

- ``rigid``: value, J (for the link's origin), gamma: the second rate without ``J`` times (a_O, e).
- ``elastic``: value, J, J', J'' (for the marker's point).
- ``tangent``: derivative of ``J^T effort`` by the twelve coordinates (of the marker's point), then,
  for every free coordinate, that of its rate; efforts of all rows are the first parameters.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import sympy
from flexforge.codegen.driver import Kernel
from flexforge.codegen.ir.convert import convert
from flexforge.codegen.ir.expression import Expr, Graph
from flexforge.codegen.ir.program import Array, Let, Program, Statement, Store
from flexforge.codegen.joints.derive import (
    JointEquations,
    JointRow,
    derive_joint,
    jacobian_changes,
)
from flexforge.codegen.joints.kinds import KINDS
from flexforge.codegen.joints.markers import (
    ATTITUDE,
    PLACE,
    first_rates,
    second_rates,
    tilde,
)
from flexforge.codegen.passes import PIPELINE

TERMS = ("rigid", "elastic", "tangent")
#: Length of a row: its value, then Jacobian and gamma, or Jacobian and two rates; of a tangent.
COLUMNS = {"rigid": 4 + 12 + 1, "elastic": 4 + 36, "tangent": 12}
_MEANING = {
    "rigid": "value, J of the origins, gamma of a joint's rows",
    "elastic": "value, J, J', J'' of a joint's rows",
    "tangent": "derivatives of a joint's forces and rates by its coordinates",
}
# Straight-line code: passes for loops have nothing to do.
_PASSES = ("factor", "cse", "prune")


def joint_kernels() -> tuple[Kernel, ...]:
    """Return all kernels of all joints."""
    return tuple(joint_kernel(kind, term) for kind in KINDS for term in TERMS)


@cache
def joint_kernel(kind: str, term: str) -> Kernel:
    """Return a kernel of a joint, for one joint per call.

    Parameters
    ----------
    kind : str
        Kind of joint.
    term : str
        ``rigid``, ``elastic`` or ``tangent``.
    """
    program = lower_joint(derive_joint(kind), term)
    for name in _PASSES:
        program = PIPELINE[name](program)
    rows, columns = program.array("out").shape
    return Kernel(
        f"joint_{kind}_{term}",
        f"joint_{kind}",
        "joint",
        term,
        "kinematics",
        "spatial",
        _MEANING[term],
        "",
        "general",
        "full",
        8,
        3,
        rows,
        columns,
        "double",
        1,
        program,
    )


def lower_joint(equations: JointEquations, term: str) -> Program:
    """Return the program of a joint's rows, before the passes."""
    scope = _Scope(elastic=term == "elastic")
    efforts = []
    if term == "tangent":
        efforts = [sympy.Symbol(f"effort{r}") for r in range(len(equations.rows))]
    parameters = [*efforts, *equations.kind.parameters]
    scope.leaves |= {s: scope.graph.parameter(s.name) for s in parameters}
    if term == "tangent":
        rows = scope.tangent(equations, efforts)
    else:
        of_row = scope.elastic if scope.is_elastic else scope.rigid
        rows = [[*map(scope.node, _value(row)), *of_row(row)] for row in equations.rows]
    scope.statements += [
        Store("out", (r, c), value) for r, row in enumerate(rows) for c, value in enumerate(row)
    ]
    arrays = (
        Array("coordinates", (8, 3), "input"),
        Array("state", (2, 8, 3), "input"),
        Array("out", (len(rows), COLUMNS[term]), "output"),
    )
    names = tuple(s.name for s in parameters)
    return Program(arrays, names, tuple(scope.statements), scope.graph)


def _value(row: JointRow) -> tuple[sympy.Expr, ...]:
    return row.row.length, row.row.sine, row.row.cosine, row.row.factor


class _Scope:
    """The symbols of a joint, assigned in order from the markers and the motion of the links."""

    def __init__(self, *, elastic: bool) -> None:
        self.is_elastic = elastic
        self.graph = Graph()
        self.statements: list[Statement] = []
        self.leaves: dict[sympy.Symbol, Expr] = {}
        point, axes, states = [], [], []
        for link in (0, 1):
            rows = [self._loads("coordinates", 4 * link + k) for k in range(4)]
            point.append(rows[0])
            axes.append(
                sympy.Matrix.hstack(*rows[1:])
            )  # columns: marker axes in components of the link
            states.append([self._loads("state", link, k) for k in range(8)])
        self.points, self.axes = point, axes
        turned = []
        place = []
        for link, (r, x, y, z, *_) in enumerate(states):
            rotation = sympy.Matrix.hstack(x, y, z).T
            turned.append(self._let(f"M{link}", rotation * axes[link]))
            place.append(self._let(f"P{link}", r + rotation * point[link]))
        gap = self._let("gap", place[1] - place[0])
        self._assign(PLACE, turned[0].T * gap)
        self._assign(ATTITUDE, turned[0].T * turned[1])
        v, w, v_rate, w_rate = [], [], [], []
        for link, (*_, v_origin, spin, a_origin, spin_rate) in enumerate(states):
            s, own = point[link], axes[link].T
            moved = self._let(f"v{link}", v_origin + tilde(spin) * s)
            centripetal = tilde(spin) * (tilde(spin) * s)
            pull = a_origin + tilde(spin_rate) * s + centripetal if elastic else centripetal
            # Components also change because the link rotates.
            change = self._let(f"vd{link}", pull - tilde(spin) * moved)
            v.append(self._let(f"V{link}", own * moved))
            w.append(self._let(f"W{link}", own * spin))
            v_rate.append(self._let(f"Vd{link}", own * change))
            w_rate.append(self._let(f"Wd{link}", own * spin_rate) if elastic else sympy.zeros(3, 1))
        #: Velocity and angular velocity of the first marker, then of the second, in its own axes.
        self.motion = (*v[0], *w[0], *v[1], *w[1])
        pairs = [(a, b) for a, b in (v, w, v_rate, w_rate)]
        self._name(first_rates(pairs[0], pairs[1]))
        self._name(second_rates(*pairs))

    def tangent(
        self, equations: JointEquations, efforts: Sequence[sympy.Symbol]
    ) -> list[list[Expr]]:
        """Return the derivatives of ``J^T effort``, and of the rates of free coordinates."""
        changes = [jacobian_changes(row) for row in equations.rows]
        matrix = [
            self._local([
                sympy.Add(*(e * one[i][k] for e, one in zip(efforts, changes, strict=True)))
                for k in range(12)
            ])
            for i in range(12)
        ]  # fmt: skip
        columns = [self._local(column) for column in zip(*matrix, strict=True)]
        found = [[self.node(column[i]) for column in columns] for i in range(12)]
        for one in changes[len(equations.kind.held) :]:
            rate = [sympy.Add(*(v * one[k][i] for k, v in enumerate(self.motion)))
                    for i in range(12)]  # fmt: skip
            found.append([self.node(value) for value in self._local(rate)])
        return found

    def elastic(self, row: JointRow) -> list[Expr]:
        """Return J, J' and J'' in components of the links."""
        parts = (row.jacobian, row.jacobian_1, row.jacobian_2)
        return [self.node(value) for part in parts for value in self._local(part)]

    def rigid(self, row: JointRow) -> list[Expr]:
        """Return J for the origins and gamma; a rotation about the origin moves the point too."""
        u1, turn1, u2, turn2 = self._triples(self._local(row.jacobian))
        named = [self._let_row(u) for u in (u1, u2)]
        arms = [tilde(s) * sympy.Matrix(u) for s, u in zip(self.points, named, strict=True)]
        columns = (
            *named[0],
            *(sympy.Matrix(turn1) + arms[0]),
            *named[1],
            *(sympy.Matrix(turn2) + arms[1]),
        )
        return [*(self.node(value) for value in columns), self.node(row.second_rate)]

    def _local(self, row: Sequence[sympy.Expr]) -> list[sympy.Expr]:
        """Return a row for coordinates in axes of the markers as one in components of the links."""
        found: list[sympy.Expr] = []
        for k, part in enumerate(self._triples([self._named(value) for value in row])):
            found += list(self.axes[k // 2] * sympy.Matrix(part))
        return found

    @staticmethod
    def _triples(row: Sequence[sympy.Expr]) -> list[list[sympy.Expr]]:
        return [list(row[3 * k : 3 * k + 3]) for k in range(4)]

    def node(self, value: sympy.Expr) -> Expr:
        """Return an expression as a node of the graph."""
        return convert(value, self.leaves, self.graph)

    def _named(self, value: sympy.Expr) -> sympy.Expr:
        """Return an expression, or a new name for it if it is not trivial."""
        if value.is_number or value.is_Symbol or (-value).is_Symbol:
            return value
        name = f"t{len(self.statements)}"
        return self._let(name, sympy.Matrix([value]))[0]

    def _let_row(self, row: Sequence[sympy.Expr]) -> list[sympy.Expr]:
        return [self._named(value) for value in row]

    def _loads(self, array: str, *index: int) -> sympy.Matrix:
        symbols = [sympy.Symbol(f"{array}{'_'.join(map(str, index))}_{k}") for k in range(3)]
        self.leaves |= {s: self.graph.load(array, *index, k) for k, s in enumerate(symbols)}
        return sympy.Matrix(symbols)

    def _let(self, name: str, value: sympy.MatrixBase) -> sympy.Matrix:
        """Assign a matrix entry by entry; zeros and ones stay what they are."""
        symbols = [
            entry if entry.is_number else sympy.Symbol(f"{name}_{k}", real=True)
            for k, entry in enumerate(value)
        ]
        self._name({s: v for s, v in zip(symbols, value, strict=True) if s.is_Symbol})
        return sympy.Matrix(*value.shape, symbols)

    def _assign(self, symbols: sympy.MatrixBase, value: sympy.MatrixBase) -> None:
        self._name(dict(zip(symbols, value, strict=True)))

    def _name(self, values: dict[sympy.Symbol, sympy.Expr]) -> None:
        for symbol, value in values.items():
            self.statements.append(Let(symbol.name, self.node(value)))
            self.leaves[symbol] = self.graph.temp(symbol.name)
