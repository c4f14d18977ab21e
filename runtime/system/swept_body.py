# SPDX-License-Identifier: BSD-3-Clause
"""A body whose stiffness matrix is not assembled: products are sweeps over its elements.

Explicit steps need nothing but products. A sweep of most elements takes less time than a product
with the matrix, and positions and node numbers a ninth of its memory.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.assembly.action import Action, build_action
from flexforge.runtime.assembly.assemble import evaluate
from flexforge.runtime.assembly.calls import CompiledKernel
from flexforge.runtime.assembly.graph import build_graph
from flexforge.runtime.assembly.kernels import kernels_of
from flexforge.runtime.mesh.part import compact
from flexforge.runtime.solvers.blocks import some_rows
from flexforge.runtime.system.body import Body, Combination

if TYPE_CHECKING:
    from scipy.sparse import bsr_matrix

_ACTION = "stiffness_action"
#: Number of entries of element matrices in memory at once.
_AT_ONCE = 1 << 22
#: Time for a node of an element relative to that of a pair of nodes, in a matrix in double and in
#: single precision.
DOUBLE, SINGLE = 1.5, 3.0


@dataclass(frozen=True, eq=False)
class SweptBody(Body):
    """A continuum in space or in a plane; bodies of revolution have prestress in blocks.

    The matrix is assembled if something other than a step asks for it, such as prestress.
    """

    @classmethod
    def instead_of(cls, body: Body) -> Body:
        """Return a body without assembled stiffness, the body itself without such a kernel."""
        if type(body) is not Body or body.revolved or _action_of(body) is None:
            return body
        return cls(**{one.name: getattr(body, one.name) for one in fields(body)})

    def assemble(self) -> None:
        """Assemble masses, and pack the elements for sweeps."""
        self.mass, self.moments, self._sweep  # noqa: B018 (computed on first use)

    @cached_property
    def stiffest(self) -> float:
        """Largest diagonal entry of the stiffness matrix, N/m."""
        kernel, cells, d = self.kernels["stiffness"], self.graph.cells, self.dimension
        sums = np.zeros((len(self.points), d))
        few = max(_AT_ONCE // (kernel.rows * kernel.columns), 1)
        for begin in range(0, len(cells), few):
            some = cells[begin : begin + few]
            found = np.einsum("eii->ei", evaluate(kernel, some, self.points, self.values))
            for i in range(d):
                sums[:, i] += np.bincount(some.ravel(), found[:, i::d].ravel(), len(sums))
        return float(sums.max())

    def apply(self, c: Combination, x: Floats) -> Floats:
        """Return a combination of its matrices times nodal vectors (P, d)."""
        swept = self._swept(c.stiffness, x)
        rest = replace(c, stiffness=0.0)
        if rest.inertia.any() or rest.geometric.any():
            swept += super().apply(rest, x)
        return swept

    def inner(
        self, elastic: Combination, viscous: Combination, q: Floats, v: Floats, a: Floats
    ) -> Floats:
        """Return its forces for displacements, velocities and accelerations, (P, d) each, N.

        Parameters are those of ``Body.inner``.
        """
        u = q
        if elastic.stiffness != 1.0 or viscous.stiffness:
            u = elastic.stiffness * q + viscous.stiffness * v
        found = self._swept(1.0, u)
        for c, x in ((elastic, q), (viscous, v)):
            if c.geometric.any():
                found += super().apply(replace(c, stiffness=0.0, inertia=0.0 * c.inertia), x)
        moved = [x @ c.inertia.T for c, x in ((elastic, q), (viscous, v)) if c.inertia.any()]
        if a.any():
            moved.append(a)
        if moved:
            found += self.mass_times(sum(moved[1:], start=moved[0]))
        return found

    def some_rows(self, c: Combination, which: Ints) -> bsr_matrix:
        """Return some rows of a combination of its matrices in blocks, in the order given.

        Only the elements that reach these nodes are assembled. Rows are summed in the order of all
        elements, so that they are those of `blocks` to the last bit.

        Parameters
        ----------
        c : Combination
            Factors of the matrices.
        which : ndarray of int
            Numbers of the nodes.
        """
        cells = self.graph.cells
        wanted = np.zeros(len(self.points), dtype=bool)
        wanted[which] = True
        near = wanted[cells].any(axis=1)
        used, connectivity = compact(self.part.connectivity[near], len(self.points))
        part = replace(self.part, points=self.part.points[used], connectivity=connectivity)
        graph = build_graph(self.points[used], connectivity, self.graph.threads, part.source)
        own = {one.name: getattr(self, one.name) for one in fields(Body)}
        rows = np.searchsorted(used, which)
        stressed, factor = self._geometric(c)
        geometric: tuple[Floats, ...] = ()
        if factor:
            geometric = (np.zeros(graph.nnz),)
            geometric[0][graph.of_rows(rows)] = stressed[self.graph.of_rows(which)]
        here: dict[str, Any] = {"part": part, "graph": graph, "nodes": used, "geometric": geometric}
        some = Body(**own | here)
        found = some_rows(some.blocks(replace(c, geometric=np.full(len(geometric), factor))), rows)
        columns = used[found.indices].astype(np.int32)
        shape = (found.shape[0], self.dimension * len(self.points))
        return type(found)((found.data, columns, found.indptr), shape=shape)

    def mass_times(self, x: Floats) -> Floats:
        """Return the scalar mass matrix times nodal values (P, k), k = 1, 2 or 3."""
        return self._lumped[:, None] * x if self.lumps_mass else super().mass_times(x)

    def _swept(self, factor: float, x: Floats) -> Floats:
        """Return the stiffness matrix times a factor times nodal vectors (P, d)."""
        if not factor:
            return np.zeros_like(x)
        found = self._sweep(np.ascontiguousarray(x), self.values)
        return found if factor == 1.0 else factor * found

    @cached_property
    def _lumped(self) -> Floats:
        """Lumped masses of the nodes, (P,), kg."""
        return self.mass[self.diagonal]

    @cached_property
    def _sweep(self) -> Action:
        kernel = _action_of(self)
        assert kernel is not None
        return build_action(kernel, self.graph, self.points)


def sweeps_pay(body: Body, node: float = DOUBLE) -> bool:
    """Whether a sweep takes less time than a product: not where many elements meet at a node.

    A sweep reads every node of every element, a product every pair of nodes; tetrahedra with four
    nodes have more of the former.

    Parameters
    ----------
    body : Body
        The body.
    node : float
        Time for a node of an element relative to that of a pair of nodes.
    """
    return node * body.graph.cells.size < body.graph.nnz


def _action_of(body: Body) -> CompiledKernel | None:
    """Return the product of a body's element with its stiffness; none without a compiler."""
    try:
        return kernels_of(body.declared or body.element, [_ACTION])[_ACTION]
    except InputError:
        return None
