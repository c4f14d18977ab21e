# SPDX-License-Identifier: BSD-3-Clause
"""Solving with the mass matrix, which is never inverted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from flexforge.codegen.errors import AnalysisError, InputError
from flexforge.runtime._native import NO_INERTIA
from flexforge.runtime.arrays import Floats
from flexforge.runtime.solvers import Factorization, factorize, of_ranks
from flexforge.runtime.solvers.layout import Blocked
from flexforge.runtime.solvers.rows import KeptRows
from flexforge.runtime.statics.iterated import prepared
from flexforge.runtime.statics.rigid import blocked_of
from flexforge.runtime.system.body import Body, Combination
from flexforge.runtime.system.system import System
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

#: Cells of shells.
_SURFACES = ("triangle", "quadrilateral")


class MassFactors:
    """Factors of the mass matrix, which is a scalar matrix for every component of the nodes.

    Diagonal masses are divided by. Components that the supports hold at the same nodes share their
    factors. With all of them held alike the factors take a ninth (planar: a quarter) of what those
    of the stiffness take.

    A flat shell has no inertia as its nodes turn about its normal, nor a beam about its axis where
    its rotary inertia is left out: such motions, of which a solution has nothing, are left to the
    stiffness.

    Parameters
    ----------
    system : System
        The bodies.
    solver : str
        Linear solver.
    method : str, optional
        Name of one that cannot do with motions without inertia.

    Raises
    ------
    InputError
        When there are such motions, and the method cannot do with them.
    AnalysisError
        When the mass matrix is singular.
    """

    def __init__(self, system: System, solver: str, method: str | None = None) -> None:
        from scipy.sparse import diags

        self._parts: list[tuple[NDArray[np.int64], Factorization]] = []
        self._diagonal: Floats | None = None
        self._without: csr_matrix | None = None
        if system.map.is_selection and all(body.lumps_mass for body in system.bodies):
            self._diagonal = system.map.sample(system.mass_diagonal())
            if not (self._diagonal > 0.0).all():
                raise AnalysisError("the mass matrix is singular; expected inertia at every node")
            return
        if method is not None and any(body.lacks_mass for body in system.bodies):
            raise needs_inertia(method)
        if system.ranks.count > 1:
            rows = self._shared(system, method)
            shared = of_ranks(rows, solver, system.threads, positive_definite=True)
            self._parts.append((np.arange(system.unknowns), shared))
            return
        if not system.map.is_selection or any(
            body.has_field and body.is_inert for body in system.bodies
        ):
            unit = Combination(0.0, np.eye(system.dimension), np.zeros(0))
            whole = system.matrix([unit] * len(system.bodies)) + lacking_mass(system)
            without, usual = turns_without_inertia(system, whole)
            if len(usual):
                if method is not None:
                    raise needs_inertia(method)
                self._without = without
                whole = whole + without @ diags(usual) @ without.T
            factors = factorize(whole, solver, system.threads, positive_definite=True)
            self._parts.append((np.arange(system.unknowns), factors))
            return
        place, scalar = system.map.numbers, _scalar_mass(system)
        # Which components are free at the same nodes: columns of one pattern.
        patterns, member = np.unique(place >= 0, axis=1, return_inverse=True)
        for number, free in enumerate(patterns.T):
            if free.any():
                components = np.flatnonzero(member.ravel() == number)
                block = scalar[free][:, free]
                factors = _prepared(block, system, solver)
                self._parts.append((place[np.ix_(free, components)], factors))

    def _shared(self, system: System, method: str | None) -> Blocked:
        """Return the mass matrix of unknowns that ranks share, regular as that of one process."""
        from scipy.sparse import diags

        units = [Combination(0.0, np.eye(system.dimension), np.zeros(0))] * len(system.bodies)
        blocked = blocked_of(system, units)
        assert blocked is not None  # models without are refused before
        if not _without_some(system):
            return blocked
        self._without, usual = turns_without_inertia(system, system.matrix(units))
        if method is not None and system.ranks.any(len(usual)):
            raise needs_inertia(method)
        rows, d = blocked.rows, system.dimension
        assert isinstance(rows, KeptRows)
        more = (self._without @ diags(usual) @ self._without.T).tocoo()
        node, component = divmod(blocked.slots, d)
        added = np.zeros((rows.count, d, d))
        np.add.at(added, (node[more.row], component[more.row], component[more.col]), more.data)
        rows.add_to_diagonal(added)
        return blocked

    def solve(self, rhs: Floats) -> Floats:
        """Return ``m^-1`` times values of the unknowns (n,)."""
        if self._diagonal is not None:
            return rhs / self._diagonal
        if self._without is not None:
            rhs = rhs - self._without @ (self._without.T @ rhs)
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


def _prepared(mass: csr_matrix, system: System, solver: str) -> Factorization:
    """Return factors of a scalar mass matrix, or what iterates with it where they cost too much."""
    count = mass.shape[0]

    def blocked() -> Blocked:
        return Blocked(KeptRows(mass.tobsr((1, 1))), np.arange(count), lambda: np.ones((count, 1)))

    def factored(solver: str) -> Factorization:
        return factorize(mass, solver, system.threads, positive_definite=True)

    return prepared(system, solver, blocked, factored, positive_definite=True)


def solve_mass(system: System, solver: str, rhs: Floats) -> Floats:
    """Return ``m^-1`` times values of the unknowns (n,), once."""
    if not system.ranks.any(rhs.any()):
        return rhs
    factors = MassFactors(system, solver)
    solution = factors.solve(rhs)
    factors.close()
    return solution


def turns_without_inertia(system: System, mass: csr_matrix) -> tuple[csr_matrix, Floats]:
    """Return the rotations of nodes that move no mass.

    Of flat shells about their normal, and of beams without rotary inertia about their axis.

    Parameters
    ----------
    system : System
        The bodies.
    mass : csr_matrix, (n, n)
        Of the unknowns.

    Returns
    -------
    turns : csr_matrix, (n, k)
        Orthonormal columns.
    usual : ndarray, (k,)
        Inertia of other rotations of these nodes.
    """
    from scipy.sparse import csr_matrix

    d, n = system.dimension, system.unknowns
    bodies = _without_some(system)
    if not bodies:
        return csr_matrix((n, 0)), np.zeros(0)
    nodes = np.unique(np.concatenate([body.rotations for body in bodies]))
    places = system.map.numbers[nodes]
    places = places[(places >= 0).any(axis=1)]
    rows, columns = (
        np.broadcast_to(one, (len(places), d, d))
        for one in (places[:, :, None], places[:, None, :])
    )
    known = (rows >= 0) & (columns >= 0)
    blocks = np.zeros(rows.shape)
    blocks[known] = np.asarray(mass[rows[known], columns[known]]).ravel()
    largest = np.abs(blocks).max(axis=(1, 2), initial=0.0)
    blocks[(places < 0)[:, :, None] & np.eye(d, dtype=bool)] = np.inf
    blocks = np.where(np.isinf(blocks), np.maximum(largest, 1.0)[:, None, None], blocks)
    sizes, directions = np.linalg.eigh(blocks)
    which, number = np.nonzero(sizes <= NO_INERTIA * largest[:, None])
    entries = directions[which, :, number]
    free = places[which] >= 0
    columns = np.broadcast_to(np.arange(len(which))[:, None], free.shape)
    turns = csr_matrix((entries[free], (places[which][free], columns[free])), (n, len(which)))
    return turns, np.where(largest > 0.0, largest, 1.0)[which]


def _without_some(system: System) -> list[Body]:
    """Return the shells, surfaces whose nodes turn, and the beams without rotary inertia.

    What else has no inertia of its own, as the node of a link, is carried by what it is tied to.
    """
    return [
        body
        for body in system.bodies
        if body.turns
        and (
            ("stiffness" in body.kernels and body.kernels["stiffness"].cell in _SURFACES)
            or not body.rotary_inertia
        )
    ]


def factors_at_start(system: System, step: float) -> tuple[float, float, float]:
    """Return factors of masses, damping and stiffness for the accelerations at a start.

    The masses, and with what has no inertia so little of the stiffness that accelerations of what a
    step resolves are the same to a millionth.

    Parameters
    ----------
    system : System
        The bodies.
    step : float
        s.
    """
    if not _without_some(system):
        return 1.0, 0.0, 0.0
    unit = Combination(0.0, np.eye(system.dimension), np.zeros(0))
    _, usual = turns_without_inertia(system, system.matrix([unit] * len(system.bodies)))
    return 1.0, 0.0, 1e-6 * step**2 if system.ranks.any(len(usual)) else 0.0


def needs_inertia(
    found: str, key: str = "method", expected: str = "newmark or generalized_alpha"
) -> InputError:
    """Return the error for a method, or another key, with massless motions."""
    return InputError(
        f"analysis.{key}: found {found} with parts that have no inertia, as flat shells that turn "
        "about their normals, or beams with rotary_inertia = false about their axes; expected "
        f"{expected}"
    )


def _scalar_mass(system: System) -> csr_matrix:
    """Return the scalar mass matrix of the nodes, regular, (N, N), kg."""
    bodies = [body for body in system.bodies if "scalar_mass" in body.kernels]
    return _of_nodes(system, [(body, body.regular_mass) for body in bodies])


def lacking_mass(system: System) -> csr_matrix:
    """Return what makes the mass matrix of the unknowns regular, (n, n), kg."""
    from scipy.sparse import identity, kron

    short = [body for body in system.bodies if body.lacks_mass]
    found = _of_nodes(system, [(body, body.regular_mass - body.mass) for body in short])
    return system.map.reduce(kron(found, identity(system.dimension), format="csr"))


def _of_nodes(system: System, values: Sequence[tuple[Body, Floats]]) -> csr_matrix:
    """Return the matrix of the nodes, (N, N), of values in the graphs of bodies."""
    from scipy.sparse import coo_matrix, csr_matrix

    total = csr_matrix((system.size, system.size))
    for body, own in values:
        graph = body.graph
        rows = np.repeat(body.nodes, np.diff(graph.pointers))
        entries = (own, (rows, body.nodes[graph.columns]))
        total = total + coo_matrix(entries, shape=total.shape).tocsr()
    return total
