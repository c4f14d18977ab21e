# SPDX-License-Identifier: BSD-3-Clause
"""Kept factors: reused while the matrix of the steps changes.

The matrix is a constant part, which is factored once, and small terms that move with the speed of
the frame. GMRES solves with the matrix as operator and the factors as preconditioner, from the
combination of the last solutions whose residual is least. Multigrid, where it is taken instead of
factors, gives one V-cycle per iteration. Where the speed has moved so far that this stops paying,
the current matrix is factored, and counted.
"""

from __future__ import annotations

from collections import deque

import numpy as np
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.solvers import Factorization, factorize, gmres
from flexforge.runtime.solvers.amg import INSTEAD
from flexforge.runtime.solvers.gmres import GmresResult
from flexforge.runtime.statics.iterated import prepared
from flexforge.runtime.transient.counts import Counts
from flexforge.runtime.transient.linear.step_matrix import Matrix, StepMatrix
from flexforge.runtime.transient.linear.tracked_product import TrackedProduct

MOST_SOLVES = 3
"""Solves a step may take before factoring the current matrix is considered."""

_STEADY = 1e-13  # residual with multigrid of steps that keep the energy to round-off with factors
_MORE = 1.5  # times the iterations that multigrid usually takes
_REMEMBERED = 8  # solutions the first guess is combined from
_ROUND_OFF = 1e-16
_LOST = 1e-13  # of products of vectors that nearly depend on each other


class KeptFactors:
    """Factors of the matrix of a step, kept as long as they serve.

    Parameters
    ----------
    solver : str
        Linear solver.
    tolerance : float
        Relative residual of the equations of a step.
    counts : Counts
        Where work is counted.
    steady : bool
        The matrix never changes: it is factored as it is, and solved with at once. Otherwise its
        symmetric part is factored, and the rest left to GMRES.

    Attributes
    ----------
    factors : Factorization or None
        Those in use.
    """

    def __init__(
        self, solver: str, tolerance: float, counts: Counts, *, steady: bool = False
    ) -> None:
        self._solver, self.tolerance, self.counts = solver, tolerance, counts
        self._recent: deque[TrackedProduct] = deque(maxlen=_REMEMBERED)
        self._late = 0
        self._last: StepMatrix | None = None  # that the recent ones' images are of
        self._newest: TrackedProduct | None = None
        self._steady = steady
        self._exact = False  # until a first step has shown it
        self._usual: int | None = None  # iterations of the first step with multigrid
        self._instead = ""  # of multigrid, and why
        self.factors: Factorization | None = None

    def prepare(self, matrix: Matrix) -> None:
        """Factor the matrix of the first step, or one like it, if nothing has been factored."""
        if self.factors is None:
            self.factors = self._factor(matrix)
            self._last = matrix.inner

    @property
    def solver_name(self) -> str:
        """Backend that factors."""
        return "" if self.factors is None else f"{self.factors.name}{self._instead}"

    @property
    def _iterative(self) -> bool:
        return self.factors is not None and self.factors.iterative

    @property
    def _remembers(self) -> bool:
        """Whether a first guess pays: not where factors of the matrix itself solve at once."""
        return self._iterative or not self._steady

    def solve(self, matrix: Matrix, rhs: Floats, size: float, time: float) -> Floats:
        """Return the solution of the equations of a step.

        Parameters
        ----------
        matrix : Matrix
            Matrix of the step.
        rhs : ndarray, (stages n,)
            Right-hand side.
        size : float
            Norm of what balances in it, which round-off is relative to.
        time : float
            When the step begins, for messages, s.

        Raises
        ------
        AnalysisError
            When the equations cannot be solved to the tolerance.
        """
        if not np.isfinite(size):
            raise grown(time)
        self.prepare(matrix)
        if self._exact:
            assert self.factors is not None
            self.counts.solved(1)
            return matrix.solve_with(self.factors, rhs)
        norm = matrix.system.ranks.norm(rhs)
        exactly = self._steady and (self._iterative or matrix.system.ranks.count > 1)
        wanted = min(self.tolerance, _STEADY) if exactly else self.tolerance
        tolerance = max(wanted, _ROUND_OFF * size / norm) if norm else wanted
        if self._late >= 2 and matrix.moved(self._reference):
            self._refactor(matrix)
        guess = None if not self._remembers else self._guess(matrix, rhs)
        result = self._iterate(matrix, rhs, guess, tolerance)
        if not _solved(result, matrix, tolerance, norm) and matrix.moved(self._reference):
            self._refactor(matrix)
            result = self._iterate(matrix, rhs, guess, tolerance)
        if not _solved(result, matrix, tolerance, norm) and self._iterative:
            assert self.factors is not None
            kind, left = self.factors.name.split()[0], f"residual {result.residual:.1e}"
            self._instead = f"{INSTEAD}{kind}, which stagnates ({left})"
            self._refactor(matrix)
            result = self._iterate(matrix, rhs, guess, tolerance)
        if not _solved(result, matrix, tolerance, norm):
            raise AnalysisError(
                f"transient: the step from t = {time:g} s fails at residual "
                f"{result.residual:.1e} after {result.iterations} iterations; expected "
                f"{tolerance:.1e}: take shorter steps"
            )
        spent = result.preconditioner_solves
        if self._usual is None and self._iterative:
            self._usual = spent
        most = max(MOST_SOLVES, (self._usual or 0) * _MORE)
        self._late = self._late + 1 if spent > most else 0
        self._exact = self._steady and result.iterations == 1
        self.counts.solved(spent)
        self.counts.products += result.products
        self._newest = None
        if norm and self._remembers:
            self._newest = TrackedProduct(matrix, result.solution)
            self._recent.appendleft(self._newest)
            self._last = matrix.inner
            self.counts.products += 1
        return result.solution

    @property
    def newest(self) -> TrackedProduct | None:
        """The last solution, and what the matrix' inner one makes of it; none if it is zero."""
        return self._newest

    def close(self) -> None:
        """Release the factors, and forget the solutions."""
        if self.factors is not None:
            self.factors.close()
        self.factors, self._late, self._exact = None, 0, False
        self._recent.clear()

    def _iterate(
        self, matrix: Matrix, rhs: Floats, guess: Floats | None, tolerance: float
    ) -> GmresResult:
        factors = self.factors
        assert factors is not None

        def precondition(x: Floats) -> Floats:
            return matrix.solve_with(factors, x)

        # What earlier solutions make has their errors, and is not taken as it is.
        return gmres(
            matrix.apply,
            rhs,
            precondition,
            guess=guess,
            tolerance=tolerance,
            least_iterations=1,
            ranks=matrix.system.ranks,
        )

    def _factor(self, matrix: Matrix) -> Factorization:
        """Factor a matrix as it is where it is steady, its symmetric part where it moves."""
        self._reference = part = matrix.symmetric_part
        whole = self._steady and not matrix.symmetric

        def factored(solver: str) -> Factorization:
            return factorize(
                (matrix if whole else part).assemble(),
                solver,
                matrix.system.threads,
                symmetric=not whole,
                check=False,
                layout=None if whole else part.layout,
            )

        alone = matrix.system.ranks.count == 1
        factors = matrix.kept(
            factored("auto")
            if self._instead and alone
            else prepared(
                matrix.system,
                "scipy" if self._instead else self._solver,  # of ranks, for which MUMPS factors
                part.blocked,
                factored,
                positive_definite=True,
                required=False,
            )
        )
        self.counts.factorizations += 1
        self.counts.factor_bytes = factors.bytes or 0
        return factors

    def _refactor(self, matrix: Matrix) -> None:
        assert self.factors is not None
        self.factors.close()
        self.factors = self._factor(matrix)
        self._late, self._usual = 0, None

    def _guess(self, matrix: Matrix, rhs: Floats) -> Floats | None:
        """Return the combination of the last solutions with the least residual.

        By the products of their images with each other: the digits that this loses are soon found
        again.
        """
        if not self._recent or self._last is None:
            return None
        since = matrix.inner.since(self._last)
        images = np.array([one.image(matrix, since) for one in self._recent])
        self._last = matrix.inner
        ranks = matrix.system.ranks
        products = ranks.total(images @ images.T)
        size = np.sqrt(products.diagonal())
        scaled = products / np.outer(size, size)
        along = ranks.total(images @ rhs)
        weights = np.linalg.lstsq(scaled, along / size, rcond=_LOST)[0] / size
        total = np.zeros_like(rhs)
        for weight, one in zip(weights, self._recent, strict=True):
            total += weight * one.solution
        return total


def grown(time: float, *, explicit: bool = False) -> AnalysisError:
    """Return the error of a motion that has numbers no more.

    Parameters
    ----------
    time : float
        When, s.
    explicit : bool
        Whether shorter steps would help.
    """
    advice = ": take shorter steps" if explicit else ""
    return AnalysisError(
        f"transient: the motion has grown beyond all bounds at t = {time:g} s{advice}"
    )


def _solved(result: GmresResult, matrix: Matrix, tolerance: float, norm: float) -> bool:
    """Whether a solution is as good as asked for, or as round-off in its products allows."""
    size = matrix.system.ranks.norm(result.solution)
    floor = 10 * _ROUND_OFF * matrix.largest_stiffness * size
    return result.converged or result.residual * norm <= max(tolerance * norm, floor)
