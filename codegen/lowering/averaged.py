# SPDX-License-Identifier: BSD-3-Clause
"""Second derivatives of energies of the mean J of an element, by which all its points are coupled.

With ``J_mean = v / V``, the deformed volume over the undeformed one, ``t = dv/dd`` and the sum s
over the points of ``d2W / dJ_mean dd`` the tangent has, besides the sum of D over the points,

    (s t^T + t s^T) / V + a t t^T / V^2,    a = int d2W / dJ_mean^2 dV
"""

from __future__ import annotations

import sympy
from flexforge.codegen.elements.energy import MEAN
from flexforge.codegen.ir.convert import convert
from flexforge.codegen.ir.expression import Expr, Graph, Index
from flexforge.codegen.ir.program import Accumulate, Array, For, Statement, Store, Zero
from flexforge.codegen.lowering.deformed import VOLUME, VOLUME_CHANGE, WEIGHT_ALONE, DeformedPoint
from flexforge.codegen.mechanics.convected import REFERENCE, change, cofactors
from flexforge.codegen.mechanics.invariants import scalar_symbol

_CURVE, _GAIN = scalar_symbol("mean_curve"), scalar_symbol("mean_gain")
#: Sums at a node: t, and s where the mean J acts through other invariants.
_OF_VOLUME, _OF_MEAN = scalar_symbol("of_volume"), scalar_symbol("of_mean")


class MeanTerms:
    """The vectors t and s of an element, by which its tangent is more than a sum over points.

    Parameters
    ----------
    point : DeformedPoint
        Its points, with an energy of the mean J.
    graph : Graph
        Where expressions are created.
    """

    def __init__(self, point: DeformedPoint, graph: Graph) -> None:
        self.point, self.graph, self.size = point, graph, point.size
        self.nodes = len(point.sweep.element.nodes)
        self.by_volume = WEIGHT_ALONE * cofactors(self.size)
        curve = point.energy.slopes(MEAN, MEAN)
        value = point.section * point.at_deformation(curve)
        if point.is_local(curve):
            point.summed({_CURVE: WEIGHT_ALONE * REFERENCE * value})
            self.curve: sympy.Expr = _CURVE
        else:
            self.curve = point.let(_CURVE, VOLUME * value)
        self.fluxes = {_OF_VOLUME: self.by_volume}
        if point.coupled is not None:
            self.fluxes[_OF_MEAN] = point.coupled

    def stores(self) -> list[Statement]:
        """Return the statements that store what t and s are summed from at the point q."""
        return [
            Store(f"flux_{name}", ("q", *divmod(n, self.size)), self.point.value(value))
            for name, values in self.fluxes.items()
            for n, value in enumerate(values)
        ]

    @property
    def arrays(self) -> list[Array]:
        """Arrays of the points and of the nodes."""
        points, nodal = len(self.point.sweep.points), (self.nodes, self.size)
        fluxes = [Array(f"flux_{one}", (points, self.size, self.size), "local")
                  for one in self.fluxes]  # fmt: skip
        return [*fluxes, *(Array(name, nodal, "local") for name in ("by_volume", "scaled"))]

    def at_nodes(self) -> list[Statement]:
        """Return the loop that sums t, and what it is multiplied by, at the nodes."""
        graph, axes = self.graph, range(self.size)
        names = {(one, i): f"{one}{i}" for one in self.fluxes for i in axes}
        sums = tuple(Accumulate(name, self._along(*key)) for key, name in names.items())
        whole = self.curve / VOLUME**2 * _OF_VOLUME
        if _OF_MEAN in self.fluxes:
            whole = _OF_MEAN / VOLUME + whole / 2
        stores: list[Statement] = []
        for i in axes:
            sum_of = {one: graph.temp(names[one, i]) for one in self.fluxes}
            stores.append(Store("by_volume", ("a", i), sum_of[_OF_VOLUME]))
            scaled = convert(whole, self.point.leaves | sum_of, graph)
            stores.append(Store("scaled", ("a", i), scaled))
        zeros = [Zero(name) for name in names.values()]
        at_points = For("q", len(self.point.sweep.points), sums)
        return [For("a", self.nodes, (*zeros, at_points, *stores))]

    def _along(self, flux: sympy.Symbol, i: int) -> Expr:
        """Return the part of a sum at the node a that the point q adds."""
        graph = self.graph
        terms = [
            graph.mul(
                graph.load("shape_derivative", "q", "a", k), graph.load(f"flux_{flux}", "q", i, k)
            )
            for k in range(self.size)
        ]
        return graph.add(*terms)

    def entry(self, a: Index, i: Index, b: Index, j: Index) -> Expr:
        """Return what the tangent of components i, j of nodes a, b has besides its points."""
        graph, pairs = self.graph, [((a, i), (b, j))]
        if _OF_MEAN in self.fluxes:
            pairs.append(((b, j), (a, i)))
        terms = [
            graph.mul(graph.load("scaled", *one), graph.load("by_volume", *other))
            for one, other in pairs
        ]
        return graph.add(*terms)

    def flux(self) -> sympy.Matrix:
        """Return what the change of j adds to the stress at a point besides that of D, (d, d)."""
        point, coupled = self.point, self.point.coupled
        gained = VOLUME_CHANGE / VOLUME
        force = self.curve * gained
        total = sympy.zeros(self.size, self.size)
        if coupled is not None:
            along = zip(coupled, change(self.size), strict=True)
            point.summed({_GAIN: sum(s * x for s, x in along)})
            force += _GAIN
            total += gained * coupled
        pull = point.let(scalar_symbol("mean_force"), force / VOLUME)
        return total + pull * self.by_volume
