# SPDX-License-Identifier: BSD-3-Clause
"""Step matrices of large tied bodies, of which only those of the bodies are factored."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Protocol, TypeVar

from flexforge.runtime.arrays import Floats
from flexforge.runtime.constraints.rows import Rows
from flexforge.runtime.solvers import Factorization, Layout
from flexforge.runtime.solvers.layout import Blocked
from flexforge.runtime.system.system import System
from flexforge.runtime.transient.linear.directions import Directions
from flexforge.runtime.transient.linear.joint_schur import JointSchur, JointSchurRows
from flexforge.runtime.transient.linear.step_matrix import Matrix, StepMatrix

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


class Tied(Matrix, Protocol):
    """A matrix of a step with its constraints in it."""

    @property
    def constraints(self) -> Rows:
        """J at the end of the step."""

    def hold(self, directions: Directions) -> JointSchurRows:
        """Return the constraints in the directions of the joints."""

    def through(self, factors: JointSchur, held: JointSchurRows, rhs: Floats) -> Floats:
        """Return the solution for a right-hand side with factors of the bodies."""


@dataclass(frozen=True)
class CondensedMatrix:
    """A matrix of a step of which the bodies alone are factored.

    Attributes
    ----------
    whole : Tied
        The matrix.
    directions : Directions
        Of the joints.
    """

    whole: Tied
    directions: Directions

    @property
    def system(self) -> System:
        """The bodies."""
        return self.whole.inner.system

    @cached_property
    def held(self) -> JointSchurRows:
        """The constraints in the directions of the joints."""
        return self.whole.hold(self.directions)

    @property
    def inner(self) -> StepMatrix:
        """The matrix of the coordinates, S."""
        return self.whole.inner

    def reach(self, x: Floats) -> Floats:
        """Return the coordinates that unknowns move."""
        return self.whole.reach(x)

    def beside(self, turned: Floats) -> Floats:
        """Return S times coordinates that joints turn."""
        return self.whole.beside(turned)

    def finish(self, x: Floats, reached: Floats, forces: Floats) -> Floats:
        """Return the matrix times unknowns, from S times the coordinates they move."""
        return self.whole.finish(x, reached, forces)

    def apply(self, x: Floats) -> Floats:
        """Return the matrix times unknowns."""
        return self.whole.apply(x)

    @property
    def symmetric_part(self) -> CondensedMatrix:
        """The matrix without its skew part."""
        return replace(self, whole=self.whole.symmetric_part)

    @property
    def symmetric(self) -> bool:
        """Whether it has no skew part: never said, as J moves."""
        return False

    def assemble(self) -> csr_matrix:
        """Return the matrix of the bodies alone, all of them with inertia."""
        found = self.whole.inner.assemble()
        return found + self.directions.added() if len(self.directions.light) else found

    @property
    def layout(self) -> Layout | None:
        """Where the unknowns of the assembled matrix are among the nodes."""
        return self.whole.inner.layout

    def blocked(self) -> Blocked | None:
        """Return the matrix of one body alone in blocks of its nodes."""
        return None if len(self.directions.light) else self.whole.inner.blocked()

    @property
    def largest_stiffness(self) -> float:
        """Largest entry that comes from the stiffness of the elements."""
        return self.whole.inner.largest_stiffness

    def moved(self, then: CondensedMatrix) -> bool:
        """Whether the symmetric part of the bodies differs much from an earlier one."""
        return self.whole.inner.moved(then.whole.inner)

    def kept(self, factors: Factorization) -> JointSchur:
        """Return the kept factors of the bodies."""
        return JointSchur(factors, self.directions)

    def solve_with(self, factors: Factorization, rhs: Floats) -> Floats:
        """Return an approximate solution: all but the skew part."""
        assert isinstance(factors, JointSchur)
        return self.whole.through(factors, self.held, rhs)


T = TypeVar("T", bound=Tied)


def condensed(whole: T, directions: Directions | None) -> T | CondensedMatrix:
    """Return a matrix of which the bodies alone are factored, where there are directions."""
    return whole if directions is None else CondensedMatrix(whole, directions)
