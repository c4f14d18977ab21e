# SPDX-License-Identifier: BSD-3-Clause
"""The mass matrix as something to solve with: it is never inverted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime.body import Combination
from flexforge.runtime.field_body import FieldBody
from flexforge.runtime.solvers import Factorization, factorize
from flexforge.runtime.system import System
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Floats = NDArray[np.float64]


class MassFactors:
    """Factors of the mass matrix, which is a scalar matrix for every component of the nodes.

    Diagonal masses are divided by. Components that the supports hold at the same nodes share their
    factors. With all of them held alike the factors take a ninth (planar: a quarter) of what those
    of the stiffness take.

    Parameters
    ----------
    system : System
        The bodies.
    solver : str
        Linear solver.

    Raises
    ------
    AnalysisError
        When the mass matrix is singular.
    """

    def __init__(self, system: System, solver: str) -> None:
        self._parts: list[tuple[NDArray[np.int64], Factorization]] = []
        self._diagonal: Floats | None = None
        if all(body.lumps_mass for body in system.bodies):
            self._diagonal = system.restrict(system.mass_diagonal())
            if not (self._diagonal > 0.0).all():
                raise AnalysisError("the mass matrix is singular; expected inertia at every node")
            return
        place = np.full((system.size, system.dimension), -1)
        place.ravel()[system.free] = np.arange(system.unknowns)
        if any(isinstance(body, FieldBody) and body.has_mass for body in system.bodies):
            unit = Combination(0.0, np.eye(system.dimension), np.zeros(0))
            whole = system.matrix([unit] * len(system.bodies))
            factors = factorize(whole, solver, system.threads, positive_definite=True)
            self._parts.append((np.arange(system.unknowns), factors))
            return
        scalar = _scalar_mass(system)
        # Which components are free at the same nodes: columns of one pattern.
        patterns, member = np.unique(place >= 0, axis=1, return_inverse=True)
        for number, free in enumerate(patterns.T):
            if free.any():
                components = np.flatnonzero(member.ravel() == number)
                block = scalar[free][:, free]
                factors = factorize(block, solver, system.threads, positive_definite=True)
                self._parts.append((place[np.ix_(free, components)], factors))

    def solve(self, rhs: Floats) -> Floats:
        """Return ``m^-1`` times values of the unknowns (n,)."""
        if self._diagonal is not None:
            return rhs / self._diagonal
        solution = np.empty_like(rhs)
        for places, factors in self._parts:
            solution[places] = factors.solve(rhs[places])
        return solution

    @property
    def factored(self) -> bool:
        """Whether there are factors; diagonal masses need none."""
        return self._diagonal is None

    def close(self) -> None:
        """Release the factors."""
        for _, factors in self._parts:
            factors.close()


def solve_mass(system: System, solver: str, rhs: Floats) -> Floats:
    """Return ``m^-1`` times values of the unknowns (n,), once."""
    factors = MassFactors(system, solver)
    solution = factors.solve(rhs)
    factors.close()
    return solution


def _scalar_mass(system: System) -> csr_matrix:
    """Return the scalar mass matrix of the nodes, (N, N), kg."""
    from scipy.sparse import coo_matrix, csr_matrix

    total = csr_matrix((system.size, system.size))
    for body in (body for body in system.bodies if "scalar_mass" in body.kernels):
        graph = body.graph
        rows = np.repeat(body.nodes, np.diff(graph.pointers))
        entries = (body.mass, (rows, body.nodes[graph.columns]))
        total = total + coo_matrix(entries, shape=total.shape).tocsr()
    return total
