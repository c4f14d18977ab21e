# SPDX-License-Identifier: BSD-3-Clause
"""Matrices of steps in the speeds that constraints leave: ``A^T S A``, and what the rates of A add.

Only ``A^T S A`` is factored, or of large bodies S; the rest is in the products and left to the
iteration.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.constraints.null_space import NullSpace
from flexforge.runtime.constraints.rows import Rows
from flexforge.runtime.system.system import System
from flexforge.runtime.transient.linear.directions import Directions
from flexforge.runtime.transient.linear.joint_schur import JointSchur, JointSchurRows
from flexforge.runtime.transient.linear.step_matrix import FactoredWhole, StepMatrix

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


#: Relative change of A worth another factorization.
_TURNED = 0.05


@dataclass(frozen=True)
class Projected(FactoredWhole):
    """What all such matrices have in common.

    Attributes
    ----------
    inner : StepMatrix
        S, of the coordinates.
    reduction : NullSpace
        What constraints of positions leave.
    """

    inner: StepMatrix
    reduction: NullSpace

    @property
    def along(self) -> csr_matrix:
        """A, (n, s)."""
        return self.reduction.free

    def reach(self, x: Floats) -> Floats:
        """Return ``A x``, (n,)."""
        return self.reduction.along(x)

    def beside(self, turned: Floats) -> Floats:
        """Return S times coordinates."""
        return self.inner.apply(turned)

    def finish(self, x: Floats, reached: Floats, forces: Floats) -> Floats:
        """Return the matrix times values of the speeds (s,), from ``A x`` and ``S A x``."""
        del x, reached
        return self.reduction.onto(forces)

    def apply(self, x: Floats) -> Floats:
        """Return the matrix times values of the speeds (s,)."""
        reached = self.reach(x)
        return self.finish(x, reached, self.inner.apply(reached))

    @property
    def constraints(self) -> Rows:
        """J."""
        return self.reduction.rows

    def hold(self, directions: Directions) -> JointSchurRows:
        """Return the constraints in the directions of the joints."""
        return JointSchurRows(self.constraints, directions)

    def through(self, factors: JointSchur, held: JointSchurRows, rhs: Floats) -> Floats:
        """Return the solution ``Y x`` for ``S x - J^T lambda = Y^T rhs``, ``J x = 0``: x = A y."""
        basis = self.reduction.basis
        found: Floats = basis.speeds @ factors.tied(held, basis.spread @ rhs, 0.0)[0]
        return found

    @property
    def system(self) -> System:
        """The bodies."""
        return self.inner.system

    @property
    def symmetric_part(self) -> Self:
        """The matrix without its skew part, and without what the rates of A add."""
        return replace(self, inner=self.inner.symmetric_part)

    @property
    def symmetric(self) -> bool:
        """Whether it has no skew part: never said, as A moves."""
        return False

    def assemble(self) -> csr_matrix:
        """Return ``A^T S A``."""
        return (self.along.T @ self.inner.assemble() @ self.along).tocsr()

    @property
    def largest_stiffness(self) -> float:
        """Largest entry that comes from the stiffness of the elements."""
        return self.inner.largest_stiffness

    def moved(self, then: Self) -> bool:
        """Whether the symmetric part differs much from an earlier one."""
        # Constraints of velocities may leave other entries of A than those of before.
        turned, largest = abs(self.along - then.along), np.abs(then.along.data).max(initial=1.0)
        moved = turned.data.max(initial=0.0) > _TURNED * largest
        return bool(moved) or self.inner.moved(then.inner)
