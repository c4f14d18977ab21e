# SPDX-License-Identifier: BSD-3-Clause
"""Tracked product of a varying matrix and an earlier solution, updated for less than a product.

From one step to the next only the inertia of a matrix moves, and what of its unknowns joints turn.
Both are few entries of many.
"""

from __future__ import annotations

from flexforge.runtime.arrays import Floats
from flexforge.runtime.transient.linear.step_matrix import Matrix, StepMatrix


class TrackedProduct:
    """A solution, and its product with a matrix that moves.

    Parameters
    ----------
    matrix : Matrix
        That it is a solution of.
    solution : ndarray
        Values of the unknowns.

    Attributes
    ----------
    solution : ndarray
        As given.
    reached : ndarray, (n,)
        The coordinates that it moves.
    forces : ndarray, (n,)
        The inner matrix times those.
    """

    def __init__(self, matrix: Matrix, solution: Floats) -> None:
        self.solution = solution
        self.reached = matrix.reach(solution)
        self.forces = matrix.inner.apply(self.reached)

    def image(self, matrix: Matrix, since: StepMatrix | None) -> Floats:
        """Return its product with the matrix of a step.

        Geometric stiffness that bodies have got since is left out: this serves for first guesses.

        Parameters
        ----------
        matrix : Matrix
            That of the step after the one it was last asked for.
        since : StepMatrix, optional
            What has been added to its inner one since then.
        """
        if since is not None:
            self.forces += since.apply(self.reached)
        reached = matrix.reach(self.solution)
        turned = reached - self.reached
        if turned.any():
            self.forces += matrix.beside(turned)
            self.reached = reached
        return matrix.finish(self.solution, reached, self.forces.copy())
