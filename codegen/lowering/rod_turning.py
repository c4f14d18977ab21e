# SPDX-License-Identifier: BSD-3-Clause
"""Beams in space whose sections turn by any angle: energy, forces and tangent.

Positions and rotations are taken relative to one node, the reference, and interpolated in its axes:
rotation vectors ``psi_a`` and relative displacements ``g_a`` (Crisfield and Jelenic, Proceedings of
the Royal Society A 455, 1999, with the middle node as reference; of two nodes either gives the same
rotation). That makes strains invariant in rigid motions, and independent of the way.

The state of a node is its displacement and its rotation vector, in the frame. Forces are
derivatives by displacements and by spins w in the frame, ``dR = w~ R``: moments about its axes. The
tangent is the derivative of these forces by displacements and spins, which is not symmetric while
moments of nodes are not in balance.

Energy and strains know nothing of the reference node's own motion; its forces follow from balance,
and the change of all forces when it turns from their turning along.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

import sympy
from flexforge.codegen.elements.field import FieldElement
from flexforge.codegen.ir.program import Program
from flexforge.codegen.lowering.rod_points import Matrix, RodPoint, RodStatements
from flexforge.codegen.mechanics.rotations import (
    COTANGENT,
    EXCESS,
    VERSINE,
    conjugate,
    curvature,
    even,
    even_value,
    logarithm_slope,
    product,
    skew,
    total_slope,
    turned_back,
)

#: Values of symbols.
_Known: TypeAlias = dict[sympy.Expr, sympy.Expr]
#: Added to squares of lengths before roots that are divided by; even functions do not notice.
_TINY = sympy.Float(1e-30)
_ZERO = sympy.zeros(3, 3)
PSI, RATE, DRAWN = (Matrix(sympy.symbols(f"{name}0:3", finite=True)) for name in
                    ("psi", "psirate", "drawn"))  # fmt: skip
N, M = (Matrix(sympy.symbols(f"{name}0:3", finite=True)) for name in ("pull", "moment"))


@dataclass(frozen=True)
class _Strains:
    """gamma and kappa as functions of psi, psi' and g', with their derivatives.

    ``bent`` is the second derivative of ``N . gamma + M . kappa`` by psi and these.
    """

    measures: Matrix
    by_psi: Matrix
    by_rate: Matrix
    by_drawn: Matrix
    bent: tuple[Matrix, Matrix, Matrix]


@cache
def _strains() -> _Strains:
    along = Matrix([1, 0, 0])
    gamma = DRAWN + turned_back(PSI, Matrix(along + DRAWN))
    measures = Matrix([*gamma, *curvature(PSI, RATE)])

    def slopes(values: sympy.MatrixBase, by: Matrix) -> Matrix:
        return Matrix(values.rows, 3, lambda i, j: total_slope(values[i], by[j], PSI))

    by_psi, by_rate, by_drawn = (slopes(measures, one) for one in (PSI, RATE, DRAWN))
    turned = Matrix(by_psi.T * Matrix([*N, *M]))
    bent = tuple(slopes(turned, one) for one in (PSI, RATE, DRAWN))
    return _Strains(measures, by_psi, by_rate, by_drawn, (bent[0], bent[1], bent[2]))


@cache
def _turned_moment() -> Matrix:
    """Return the derivative of ``A^T M`` by psi, with the slope A of the logarithm, (3, 3)."""
    moment = logarithm_slope(PSI).T * M
    return Matrix(3, 3, lambda i, j: total_slope(moment[i], PSI[j], PSI))


class _Turning:
    """Statements that all kernels begin with."""

    def __init__(self, element: FieldElement) -> None:
        self.rod = rod = RodStatements(element)
        #: The reference is the middle node, or the first of two.
        self.centre = rod.nodes - 1 if rod.nodes > 2 else 0
        self.others = [a for a in range(rod.nodes) if a != self.centre]
        centre = self._quaternion(self.centre)
        self.turn = rod.matrix("turn", _rotation(centre))
        self.psi: dict[int, Matrix] = {}
        self.moved: dict[int, Matrix] = {}
        back = Matrix([-x for x in centre[1:]])
        for a in self.others:
            relative = rod.matrix(f"relative{a}_", product(conjugate(centre), self._quaternion(a)))
            part = Matrix(relative[1:])
            size = rod.let(f"sine{a}", sympy.sqrt(part.dot(part) + _TINY))
            # The arc tangent is odd: the same for both quaternions of a rotation.
            factor = rod.let(f"arc{a}", 2 * sympy.atan(size / relative[0]) / size)
            self.psi[a] = rod.matrix(f"psi{a}_", factor * part)
            u = rod.matrix(f"u{a}_", rod.moved(2 * a, 2 * self.centre))
            span = rod.matrix(f"span{a}_", Matrix([rod.place(a, self.centre) + u[0], u[1], u[2]]))
            once = rod.matrix(f"once{a}_", 2 * back.cross(span))
            self.moved[a] = rod.matrix(f"g{a}_", u + centre[0] * once + back.cross(once))

    def _quaternion(self, node: int) -> Matrix:
        """Append the quaternion of the rotation of a node, the scalar first, in local axes."""
        rod = self.rod
        vector = rod.matrix(f"r{node}_", rod.moved(2 * node + 1))
        angle = rod.let(f"angle{node}", sympy.sqrt(vector.dot(vector) + _TINY))
        sine = rod.let(f"sinc{node}", sympy.sin(angle / 2) / angle)
        return rod.matrix(f"q{node}_", Matrix([sympy.cos(angle / 2), *(sine * vector)]))

    def at(self, point: RodPoint, highest: int) -> tuple[Matrix, _Known]:
        """Append the measures at a point; return them and the values of the symbols."""
        rod, q = self.rod, point.number

        def summed(factors: tuple[sympy.Expr, ...], of: dict[int, Matrix]) -> Matrix:
            return Matrix(sum((factors[a] * of[a] for a in self.others), sympy.zeros(3, 1)))

        known: _Known = {}
        for name, symbols, value in (
            ("psi_at", PSI, summed(point.shape, self.psi)),
            ("psirate", RATE, summed(point.rates, self.psi)),
            ("drawn", DRAWN, summed(point.rates, self.moved)),
        ):
            known |= dict(zip(symbols, rod.matrix(f"{name}{q}_", value), strict=True))
        psi = Matrix([known[one] for one in PSI])
        self.evens(psi, (VERSINE, EXCESS), highest, f"_at{q}", known)
        measures = rod.matrix(f"measure{q}_", _strains().measures.xreplace(known))
        return measures, known

    def evens(
        self,
        psi: Matrix,
        names: tuple[str, ...],
        highest: int,
        where: str,
        known: _Known,
    ) -> None:
        """Append the even functions of an angle and their derivatives."""
        z = self.rod.let(f"square{where}", psi.dot(psi))
        for name in names:
            for order in range(highest + 1):
                value = self.rod.let(f"{name}{where}_{order}", even_value(name, order, z))
                known[even(name, order)] = value

    def to_frame(self) -> Matrix:
        """Append the matrix from axes of the reference section to the frame."""
        rod = self.rod
        return rod.matrix("axes", rod.axes.T * self.turn)


def lower_turning_energy(element: FieldElement) -> Program:
    """Return the program of the energy of a beam: ``out[0]``."""
    start = _Turning(element)
    rod = start.rod
    total: sympy.Expr = sympy.Integer(0)
    for point in rod.points():
        measures, _ = start.at(point, 0)
        total += point.weight * rod.stored(rod.strains(measures, point))
    rod.store((0,), total)
    return rod.program(1)


def lower_turning_stress(element: FieldElement) -> Program:
    """Return the program of the forces of sections, conjugate to the strains: ``out[q][k]``."""
    start = _Turning(element)
    return start.rod.section_forces((point, start.at(point, 0)[0]) for point in start.rod.points())


@dataclass
class _Nodal:
    """Forces on g and psi of the other nodes, and their tangent."""

    pulls: dict[int, Matrix]
    moments: dict[int, Matrix]
    tangent: dict[tuple[int, int], Matrix]


def _summed(start: _Turning, *, tangent: bool) -> _Nodal:
    rod, known_strains = start.rod, _strains()
    others = start.others
    pulls, moments = ({a: sympy.zeros(3, 1) for a in others} for _ in range(2))
    blocks = {(a, b): sympy.zeros(6, 6) for a in others for b in others if a <= b}
    for point in rod.points():
        measures, known = start.at(point, 2 if tangent else 1)
        strains, q = rod.strains(measures, point), point.number
        force = rod.forces(strains, point)
        known |= dict(zip((*N, *M), force, strict=True))
        by_psi, by_rate, by_drawn = (
            rod.matrix(f"{name}{q}_", one.xreplace(known))
            for name, one in (
                ("turning", known_strains.by_psi),
                ("bending", known_strains.by_rate),
                ("drawing", known_strains.by_drawn),
            )
        )
        on_psi = rod.matrix(f"on_psi{q}_", by_psi.T * force)
        on_rate = rod.matrix(f"on_rate{q}_", by_rate.T * force)
        on_drawn = rod.matrix(f"on_drawn{q}_", by_drawn.T * force)
        for a in others:
            pulls[a] += point.rates[a] * on_drawn
            moments[a] += point.shape[a] * on_psi + point.rates[a] * on_rate
        if tangent:
            _add_tangent(start, point, (by_psi, by_rate, by_drawn), strains, known, blocks)
    return _Nodal(
        {a: rod.matrix(f"pull{a}_", one) for a, one in pulls.items()},
        {a: rod.matrix(f"moment{a}_", one) for a, one in moments.items()},
        {pair: rod.matrix(f"block{pair[0]}{pair[1]}_", one) for pair, one in blocks.items()},
    )


def _add_tangent(
    start: _Turning,
    point: RodPoint,
    slopes: tuple[Matrix, Matrix, Matrix],
    strains: Matrix,
    known: _Known,
    blocks: dict[tuple[int, int], sympy.MatrixBase],
) -> None:
    """Append the tangent of a point by psi and g of pairs of nodes."""
    rod, q = start.rod, point.number
    moduli = rod.moduli(strains, point)
    by_psi, by_rate, by_drawn = slopes
    bent = [
        rod.matrix(f"bent{k}{q}_", one.xreplace(known)) for k, one in enumerate(_strains().bent)
    ]
    columns = {
        a: rod.matrix(
            f"columns{q}_{a}_",
            Matrix.hstack(
                point.shape[a] * by_psi + point.rates[a] * by_rate, point.rates[a] * by_drawn
            ),
        )
        for a in start.others
    }
    stressed = {a: rod.matrix(f"stressed{q}_{a}_", moduli * one) for a, one in columns.items()}
    for a, b in blocks:
        N_a, N_b, D_a, D_b = point.shape[a], point.shape[b], point.rates[a], point.rates[b]
        turned = N_a * N_b * bent[0] + N_a * D_b * bent[1] + D_a * N_b * bent[1].T
        drawn = N_a * D_b * bent[2]
        pulled = D_a * N_b * bent[2].T
        own = sympy.Matrix.vstack(
            sympy.Matrix.hstack(turned, drawn), sympy.Matrix.hstack(pulled, _ZERO)
        )
        blocks[a, b] += columns[a].T * stressed[b] + own


@dataclass
class _InFrame:
    """What the other nodes have, in the frame: forces, moments, places from the reference."""

    pulls: dict[int, Matrix]
    moments: dict[int, Matrix]
    spans: dict[int, Matrix]


def _in_frame(start: _Turning, nodal: _Nodal, axes: Matrix, slopes: dict[int, Matrix]) -> _InFrame:
    rod = start.rod
    pulls, moments, spans = {}, {}, {}
    for a in start.others:
        pulls[a] = rod.matrix(f"F{a}_", axes * nodal.pulls[a])
        turned = rod.matrix(f"turned{a}_", slopes[a].T * nodal.moments[a])
        moments[a] = rod.matrix(f"M{a}_", axes * turned)
        place = [
            rod.vector(array, 2 * a) - rod.vector(array, 2 * start.centre)
            for array in ("coordinates", "state")
        ]
        spans[a] = rod.matrix(f"c{a}_", place[0] + place[1])
    return _InFrame(pulls, moments, spans)


def _logarithms(start: _Turning, highest: int) -> tuple[dict[int, Matrix], dict[int, _Known]]:
    """Append the slopes of rotation vectors by spins, with the symbols of each node."""
    slopes: dict[int, Matrix] = {}
    symbols: dict[int, _Known] = {}
    for a in start.others:
        known: _Known = dict(zip(PSI, start.psi[a], strict=True))
        start.evens(start.psi[a], (COTANGENT,), highest, f"_of{a}", known)
        slopes[a] = start.rod.matrix(f"slope{a}_", logarithm_slope(PSI).xreplace(known))
        symbols[a] = known
    return slopes, symbols


def lower_turning_forces(element: FieldElement) -> Program:
    """Return the program of forces and moments of nodes: ``out[vector][i]``."""
    start = _Turning(element)
    rod = start.rod
    nodal = _summed(start, tangent=False)
    slopes, _ = _logarithms(start, 0)
    found = _in_frame(start, nodal, start.to_frame(), slopes)
    pulls, moments = dict(found.pulls), dict(found.moments)
    pulls[start.centre] = Matrix(-sum(found.pulls.values(), sympy.zeros(3, 1)))
    moments[start.centre] = Matrix(
        -sum(
            (found.spans[a].cross(found.pulls[a]) + found.moments[a] for a in start.others),
            sympy.zeros(3, 1),
        )
    )
    for a in range(rod.nodes):
        for i in range(3):
            rod.store((2 * a, i), pulls[a][i])
            rod.store((2 * a + 1, i), moments[a][i])
    return rod.program(2 * rod.nodes, 3)


def lower_turning_tangent(element: FieldElement) -> Program:
    """Return the program of the derivative of the forces: ``out[vector][i][vector][j]``."""
    start = _Turning(element)
    rod, others, centre = start.rod, start.others, start.centre
    nodal = _summed(start, tangent=True)
    slopes, symbols = _logarithms(start, 1)
    axes = start.to_frame()
    found = _in_frame(start, nodal, axes, slopes)
    blocks = _blocks_of_others(start, nodal, slopes, symbols, axes)
    # Columns of the reference: a rigid rotation turns all forces along, a translation does nothing.
    vectors = [2 * a + k for a in others for k in (0, 1)]
    forces = {2 * a: found.pulls[a] for a in others} | {2 * a + 1: found.moments[a] for a in others}
    for row in vectors:
        moved = [blocks[row, 2 * b] for b in others]
        blocks[row, 2 * centre] = -sum(moved, _ZERO)
        turned = -skew(forces[row])
        for b in others:
            turned += blocks[row, 2 * b] * skew(found.spans[b]) - blocks[row, 2 * b + 1]
        blocks[row, 2 * centre + 1] = turned
    named = {
        pair: rod.matrix(f"K{pair[0]}_{pair[1]}_", Matrix(one)) for pair, one in blocks.items()
    }
    # Rows of the reference: forces and moments are in balance.
    for column in range(2 * rod.nodes):
        node, kind = divmod(column, 2)
        named[2 * centre, column] = Matrix(-sum((named[2 * a, column] for a in others), _ZERO))
        total = _ZERO
        for a in others:
            total = total + skew(found.spans[a]) * named[2 * a, column] + named[2 * a + 1, column]
            if kind == 0 and node in (a, centre):
                sign = 1 if node == a else -1
                total = total - sign * skew(found.pulls[a])
        named[2 * centre + 1, column] = Matrix(-total)
    for (row, column), block in named.items():
        for i in range(3):
            for j in range(3):
                rod.store((row, i, column, j), block[i, j])
    vectors_in_all = 2 * rod.nodes
    return rod.program(vectors_in_all, 3, vectors_in_all, 3)


def _blocks_of_others(
    start: _Turning,
    nodal: _Nodal,
    slopes: dict[int, Matrix],
    symbols: dict[int, _Known],
    axes: Matrix,
) -> dict[tuple[int, int], sympy.MatrixBase]:
    """Append the tangent of all nodes but the reference, which is held, in the frame."""
    rod = start.rod
    found: dict[tuple[int, int], sympy.MatrixBase] = {}
    for (a, b), block in nodal.tangent.items():
        turned, drawn, pulled, stretched = (
            Matrix(block[i : i + 3, j : j + 3]) for i in (0, 3) for j in (0, 3)
        )
        corner = slopes[a].T * rod.matrix(f"half{a}{b}_", turned * slopes[b])
        if a == b:
            known = symbols[a] | dict(zip(M, nodal.moments[a], strict=True))
            rate = rod.matrix(f"spun{a}_", _turned_moment().xreplace(known))
            corner = corner + rate * slopes[a]
        parts = {
            (2 * a + 1, 2 * b + 1): corner,
            (2 * a + 1, 2 * b): slopes[a].T * drawn,
            (2 * a, 2 * b + 1): pulled * slopes[b],
            (2 * a, 2 * b): stretched,
        }
        for (row, column), part in parts.items():
            tag = f"{row}_{column}_"
            local = rod.matrix(f"L{tag}", Matrix(part))
            half = rod.matrix(f"H{tag}", axes * local)
            found[row, column] = rod.matrix(f"G{tag}", half * axes.T)
            if a != b:
                found[column, row] = Matrix(found[row, column].T)
    return found


def _rotation(quaternion: Matrix) -> Matrix:
    """Return the matrix of a unit quaternion."""
    w, cross = quaternion[0], skew(Matrix(quaternion[1:]))
    return Matrix(sympy.eye(3) + 2 * w * cross + 2 * cross * cross)
