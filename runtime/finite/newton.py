# SPDX-License-Identifier: BSD-3-Clause
"""Newton's method for equilibria at a load factor, with a line search where it fails.

Slender bodies stretch in the first correction before they bend in the next ones, so that the
residual grows before it falls: corrections are taken whole as long as no element inverts. Where
that does not end in an equilibrium, corrections are taken once more, each as far as its work
``d . r`` falls to half (Crisfield, Non-linear Finite Element Analysis, vol. 1, section 9.2).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.solvers import Factorization, factorize
from flexforge.runtime.solvers.interface import Direct, SingularMatrixError
from flexforge.runtime.solvers.saddle import Saddle
from flexforge.runtime.statics.balance import Balance
from flexforge.runtime.system.system import System

#: Corrections of an equilibrium, and halvings of one of them.
_MOST, _HALVINGS = 25, 8
#: Residual relative to the forces that balance, of which nobody expects more corrections.
_BEYOND = 1e8
#: Work of the residual along a correction, relative to that before it, with which it is taken.
_FALLEN = 0.5
_ROUND_OFF = 64.0 * float(np.finfo(float).eps)  # of forces, relative to those of single elements


class NoEquilibriumError(AnalysisError):
    """No equilibrium was found near a state; one may be at a smaller change of the load factor."""


@dataclass(frozen=True)
class Equilibrium:
    """A state whose forces balance.

    Attributes
    ----------
    q : ndarray, (n,)
        Its unknowns.
    factor : float
        Its load factor.
    displacement : ndarray, (N, d)
        At the nodes, m.
    residual : float
        What is left, relative to the forces that balance.
    corrections : int
        How many were needed.
    """

    q: Floats
    factor: float
    displacement: Floats
    residual: float
    corrections: int


@dataclass
class Tangents:
    """Factors of the stiffness at a displacement, in one pattern.

    Attributes
    ----------
    balance : Balance
        The equations.
    solver : str
        Linear solver.
    factored : int
        Matrices factored so far.
    """

    balance: Balance
    solver: str
    factored: int = 0
    _factors: Factorization | None = field(default=None, init=False)
    _pattern: tuple[Ints, Ints] | tuple[()] = field(default=(), init=False)

    def at(self, q: Floats, u: Floats, factor: float) -> System:
        """Factor the stiffness at unknowns and nodal displacements (N, d); return the bodies there.

        Raises
        ------
        SingularMatrixError
            When it is singular.
        """
        system = self.balance.at(u, factor)
        matrix = self.balance.tangent(system, q, u, factor)
        self.factored += 1
        pattern = (matrix.indptr, matrix.indices)
        if self._factors is not None and all(map(np.array_equal, pattern, self._pattern)):
            self._factors.update(matrix)
            return system
        self.close()  # entries that were zero are none in sums of several bodies
        threads = self.balance.system.threads
        self._pattern = pattern
        balance = self.balance
        if balance.multipliers and balance.is_symmetric:
            scale, n = balance.system.stiffness_scale, balance.system.unknowns
            self._factors = Saddle(matrix, n, scale, self.solver, threads)
        else:
            self._factors = factorize(
                matrix, self.solver, threads, symmetric=balance.is_symmetric, check=False
            )
        return system

    @property
    def factors(self) -> Factorization:
        """Of the last matrix."""
        assert self._factors is not None
        return self._factors

    @property
    def negative(self) -> int | None:
        """Number of negative eigenvalues of the last matrix, if it is symmetric and they tell."""
        if not isinstance(self._factors, Direct) or self._factors.negative is None:
            return None
        return self._factors.negative - self.balance.multipliers

    def solve(self, right: Floats) -> Floats:
        """Return the solution with the last matrix."""
        return self.factors.solve(right)

    def close(self) -> None:
        """Release the factors."""
        if self._factors is not None:
            self._factors.close()


@dataclass(frozen=True)
class Newton:
    """Finds equilibria.

    Attributes
    ----------
    balance : Balance
        The equations.
    tangents : Tangents
        Factors of their derivatives.
    tolerance : float
        Residual relative to the forces that balance.
    """

    balance: Balance
    tangents: Tangents
    tolerance: float

    def solve(self, q: Floats, factor: float, limit: int = _MOST) -> Equilibrium:
        """Return the equilibrium at a load factor, near a state (n,).

        Raises
        ------
        NoEquilibriumError
            Saying why none was found.
        """
        try:
            return self._corrected(q, factor, limit, searched=False)
        except NoEquilibriumError:
            return self._corrected(q, factor, limit, searched=True)

    def is_balanced(self, right: Floats, size: float, u: Floats) -> tuple[bool, float]:
        """Return whether a residual is none, and its size relative to the forces that balance."""
        left, size = float(np.linalg.norm(right)), max(size, float(np.finfo(float).tiny))
        noise = _ROUND_OFF * self.balance.system.stiffness_scale * self.balance.extent(u)
        return left <= max(self.tolerance * size, noise), left / size

    def _corrected(self, q: Floats, factor: float, limit: int, *, searched: bool) -> Equilibrium:
        balance, tangents = self.balance, self.tangents
        u = balance.displacement(q, factor)
        self._require_upright(u)
        right, size = balance.residual(q, u, factor)
        for count in range(limit + 1):
            done, share = self.is_balanced(right, size, u)
            if done:
                return Equilibrium(q, factor, u, share, count)
            if not share < _BEYOND:
                raise NoEquilibriumError("corrections diverge")
            try:
                tangents.at(q, u, factor)
                change = tangents.solve(right)
            except SingularMatrixError as error:
                raise NoEquilibriumError(f"the stiffness is singular ({error})") from None
            q, u, right, size = self._moved(q, change, right, factor, searched=searched)
        raise NoEquilibriumError(f"corrections do not end ({limit} of them)")

    def _moved(
        self, q: Floats, change: Floats, before: Floats, factor: float, *, searched: bool
    ) -> tuple[Floats, Floats, Floats, float]:
        """Return unknowns, displacements, residual and size of forces after a correction.

        As much of it is taken as serves.
        """
        balance, share = self.balance, 1.0
        work = abs(float(change @ before))
        for _ in range(_HALVINGS):
            to = balance.moved(q, share * change)
            u = balance.displacement(to, factor)
            if np.isfinite(u).all() and not balance.fault(u):
                right, size = balance.residual(to, u, factor)
                if np.isfinite(right).all() and (
                    not searched or abs(float(change @ right)) <= _FALLEN * work
                ):
                    return to, u, right, size
            share *= 0.5
        if searched:
            raise NoEquilibriumError("no part of a correction reduces the residual")
        raise NoEquilibriumError(balance.fault(u) or "forces are not finite")

    def _require_upright(self, u: Floats) -> None:
        if found := self.balance.fault(u):
            raise NoEquilibriumError(found)
