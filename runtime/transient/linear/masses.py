# SPDX-License-Identifier: BSD-3-Clause
"""Solving with the masses of tied bodies: initial accelerations, velocities from momenta."""

from __future__ import annotations

from flexforge.codegen.errors import AnalysisError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.solvers import factorize
from flexforge.runtime.transient.linear.joint_schur import JointSchur
from flexforge.runtime.transient.linear.joint_schur_matrix import CondensedMatrix, Tied


class Masses:
    """Solves with matrices that are their symmetric part, as those of masses are.

    Parameters
    ----------
    solver : str
        Linear solver.
    positive_definite : bool
        Whether the matrices as a whole are.
    keep : bool
        Whether factors of bodies alone, whose masses never change, are kept.
    """

    def __init__(self, solver: str, *, positive_definite: bool = False, keep: bool = False) -> None:
        self._solver, self._positive_definite, self._keep = solver, positive_definite, keep
        self._kept: JointSchur | None = None
        self._together = False

    def solve(self, matrix: Tied | CondensedMatrix, rhs: Floats) -> Floats:
        """Return the solution for a right-hand side.

        Raises
        ------
        AnalysisError
            When the matrix is singular.
        """
        if isinstance(matrix, CondensedMatrix):
            found = None if self._together else self._alone(matrix, rhs)
            if found is not None:
                return found
            matrix = matrix.whole
        factors = factorize(
            matrix.assemble(),
            self._solver,
            matrix.system.threads,
            symmetric=True,
            positive_definite=self._positive_definite,
        )
        try:
            return matrix.solve_with(matrix.kept(factors), rhs)
        finally:
            factors.close()

    def close(self) -> None:
        """Release the factors."""
        if self._kept is not None:
            self._kept.close()
            self._kept = None

    def _alone(self, matrix: CondensedMatrix, rhs: Floats) -> Floats | None:
        """Return the solution with factors of the bodies alone, None where they have none."""
        if self._kept is None:
            try:
                factors = factorize(
                    matrix.assemble(),
                    self._solver,
                    matrix.system.threads,
                    positive_definite=True,
                )
            except AnalysisError:
                # What has no mass of its own is carried by what it is tied to.
                self._together = True
                return None
            self._kept = matrix.kept(factors)
        found = matrix.solve_with(self._kept, rhs)
        if not self._keep:
            self.close()
        return found
