# SPDX-License-Identifier: BSD-3-Clause
"""Linear solvers of a step: direct, or iterative with products alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from flexforge.codegen.errors import AnalysisError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.solvers import factorize
from flexforge.runtime.transient.counts import Counts
from flexforge.runtime.transient.operator import Operator
from flexforge.runtime.transient.space import Space

Solve = Callable[[Floats], Floats]


class LinearSolver(Protocol):
    """What solves with operators."""

    def prepare(self, operator: Operator, space: Space) -> Solve:
        """Return a solver for an operator, valid as long as it is kept.

        Parameters
        ----------
        operator : Operator
            The share of this rank.
        space : Space
            That of the right-hand sides, which are already sums over all ranks.

        Raises
        ------
        AnalysisError
            When the matrix is singular.
        """


@dataclass(frozen=True, slots=True)
class Direct:
    """Factors of the assembled matrix, on one rank.

    Attributes
    ----------
    solver : str
        Backend: as ``analysis.solver`` of a model file.
    """

    solver: str = "scipy"

    def prepare(self, operator: Operator, space: Space) -> Solve:
        """Factor the matrix."""
        if space.ranks > 1:
            raise ValueError(
                "a direct solver needs the whole matrix, not one rank's part: use Conjugate"
            )
        return factorize(operator.assemble(), self.solver, symmetric=operator.symmetric).solve


@dataclass(slots=True)
class Factored:
    """As `Direct`, with a number of threads; knows what factored last.

    Attributes
    ----------
    solver : str
        Backend: as ``analysis.solver`` of a model file.
    threads : int
        Number of threads.
    name : str
        Backend that factored last.
    bytes : int
        Memory of its factors.
    """

    solver: str
    threads: int
    name: str = ""
    bytes: int = 0

    def prepare(self, operator: Operator, space: Space) -> Solve:
        """Factor the matrix."""
        del space
        matrix, symmetric = operator.assemble(), operator.symmetric
        factors = factorize(matrix, self.solver, self.threads, symmetric=symmetric)
        self.name, self.bytes = factors.name, factors.bytes or 0
        return factors.solve


@dataclass(frozen=True, slots=True)
class Conjugate:
    """Conjugate gradients with the diagonal as preconditioner: products alone, on any ranks.

    Attributes
    ----------
    tolerance : float
        Residual, relative to the right-hand side, in the norm of the inverse diagonal.
    most : int
        Iterations, per unknown of this rank.
    """

    tolerance: float = 1e-14
    most: int = 20

    def prepare(self, operator: Operator, space: Space) -> Solve:
        """Sum the diagonal over the ranks."""
        if not operator.symmetric:
            raise ValueError("conjugate gradients need a symmetric operator")
        inverse = 1.0 / space.halo(operator.diagonal())

        def solve(rhs: Floats) -> Floats:
            x, r = space.zeros(), rhs.copy()
            y = inverse * r
            p, size = y, space.dot(r, y)
            end = self.tolerance**2 * size
            for _ in range(self.most * space.size + 100):
                if not size > end:
                    return x
                moved = space.halo(operator.apply(p))
                length = size / space.dot(p, moved)
                x, r = x + length * p, r - length * moved
                y, before = inverse * r, size
                size = space.dot(r, y)
                p = y + size / before * p
            raise AnalysisError(
                "conjugate gradients: found no solution within "
                f"{self.most * space.size + 100} iterations"
            )

        return solve


class FactoredByKey:
    """Solves the equations of steps exactly: a matrix is factored anew where its key changes.

    Parameters
    ----------
    solver : LinearSolver
        What factors.
    space : Space
        Of the right-hand sides, of which every rank has its share.
    counts : Counts
        Where work is counted.
    """

    def __init__(self, solver: LinearSolver, space: Space, counts: Counts) -> None:
        self._solver, self._space, self._counts = solver, space, counts
        self._kept: tuple[object, Solve] | None = None
        self.solver_name = ""

    def prepare(self, matrix: Operator) -> None:
        """Factor a matrix, unless the factors kept are its own."""
        if self._kept is None or matrix.key is None or self._kept[0] != matrix.key:
            self._kept = matrix.key, self._solver.prepare(matrix, self._space)
            self._counts.factorizations += 1

    def solve(self, matrix: Operator, rhs: Floats, size: float, time: float) -> Floats:
        """Return the solution."""
        del size, time
        self.prepare(matrix)
        assert self._kept is not None
        self._counts.solved(1)
        return self._kept[1](self._space.halo(rhs))

    def close(self) -> None:
        """Forget the factors."""
        self._kept = None
