# SPDX-License-Identifier: BSD-3-Clause
"""The matrix of an implicit step, put together from the constant matrices of the bodies."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.solvers import Factorization, Layout
from flexforge.runtime.solvers.layout import Blocked
from flexforge.runtime.statics.rigid import blocked_of, layout_of
from flexforge.runtime.system.body import MOVED, Combination
from flexforge.runtime.system.system import System

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Blocks = tuple[tuple[list[Combination], ...], ...]


class Matrix(Protocol):
    """A matrix of a step that moves slowly: factors are kept, and products followed."""

    @property
    def system(self) -> System:
        """The bodies."""

    @property
    def symmetric_part(self) -> Any:
        """A matrix of the same kind without its skew part."""

    @property
    def symmetric(self) -> bool:
        """Whether it has no skew part."""

    @property
    def largest_stiffness(self) -> float:
        """Largest entry that comes from the stiffness of the elements."""

    def apply(self, x: Floats) -> Floats:
        """Return the matrix times unknowns."""

    def assemble(self) -> csr_matrix:
        """Return the factored part of the matrix, and its rows with their factors."""

    @property
    def layout(self) -> Layout | None:
        """Where its unknowns are among the nodes; None where they are others."""

    def blocked(self) -> Blocked | None:
        """Return the matrix in blocks of nodes; None where it has none."""

    @property
    def inner(self) -> StepMatrix:
        """The matrix of the coordinates that it is made of, S."""

    def reach(self, x: Floats) -> Floats:
        """Return the coordinates that unknowns move."""

    def beside(self, turned: Floats) -> Floats:
        """Return S times coordinates of which few are not zero: those that joints turn."""

    def finish(self, x: Floats, reached: Floats, forces: Floats) -> Floats:
        """Return the matrix times unknowns, from S times the coordinates they move.

        Parameters
        ----------
        x : ndarray
            The unknowns.
        reached, forces : ndarray, (n,)
            The coordinates, and S times those; the latter may be changed.
        """

    def kept(self, factors: Factorization) -> Factorization:
        """Return the factors of the assembled matrix to keep."""

    def solve_with(self, factors: Factorization, rhs: Floats) -> Floats:
        """Return an approximate solution with what is kept."""

    def moved(self, then: Any) -> bool:
        """Whether the symmetric part differs much from that of an earlier one of its kind."""


class FactoredWhole:
    """A matrix that is factored as it is, but for factors of its rows."""

    @property
    def layout(self) -> Layout | None:
        """None: its unknowns are others than those of the nodes."""
        return None

    def blocked(self) -> Blocked | None:
        """Return None: its unknowns are others than those of the nodes."""
        return None

    def weigh(self, x: Floats) -> Floats:
        """Return values of the unknowns with the rows' factors: none."""
        return x

    def kept(self, factors: Factorization) -> Factorization:
        """Return all of the factors."""
        return factors

    def solve_with(self, factors: Factorization, rhs: Floats) -> Floats:
        """Return the solution for a right-hand side, or an approximation where it is iterated."""
        return factors.precondition(self.weigh(rhs))


@dataclass(frozen=True)
class StepMatrix(FactoredWhole):
    """The matrix of a step: blocks of combinations of the system's matrices, one row a stage.

    Attributes
    ----------
    system : System
        The bodies.
    blocks : tuple of tuples of lists of Combination
        Row after row; each block has one combination a body.
    weights : tuple of float
        Factors of the rows with which the blocks of a frame at rest make a symmetric matrix.
    """

    system: System
    blocks: Blocks
    weights: tuple[float, ...] = (1.0,)

    @property
    def inner(self) -> StepMatrix:
        """The matrix itself."""
        return self

    @property
    def layout(self) -> Layout | None:
        """Where its unknowns are among the nodes; of one stage only."""
        return layout_of(self.system) if len(self.blocks) == 1 else None

    @property
    def _stage_by_stage(self) -> bool:
        """Whether what is kept is for one stage of several: ranks have no factors of all."""
        return len(self.blocks) > 1 and self.system.ranks.count > 1

    def blocked(self) -> Blocked | None:
        """Return the matrix of one stage in blocks of nodes; of several on ranks, of the first."""
        alone = self.weights == (1.0,) or self._stage_by_stage
        return blocked_of(self.system, self.blocks[0][0]) if alone else None

    def solve_with(self, factors: Factorization, rhs: Floats) -> Floats:
        """Return an approximate solution with what is kept.

        On ranks stage after stage (block Gauss-Seidel): the stages of a Gauss method have nearly
        the same matrix on the diagonal.
        """
        if not self._stage_by_stage:
            return super().solve_with(factors, rhs)
        found: list[Floats] = []
        for row, part in zip(self.blocks, np.split(rhs, len(self.blocks)), strict=True):
            left = part
            for block, known in zip(row, found, strict=False):  # those of earlier stages
                forces = self.system.apply(block, self.system.expand(known))
                left = left - self.system.restrict(forces)
            found.append(factors.precondition(left))
        return np.concatenate(found)

    def reach(self, x: Floats) -> Floats:
        """Return the unknowns themselves, which are the coordinates."""
        return x

    def beside(self, turned: Floats) -> Floats:
        """Return the matrix times coordinates."""
        return self.apply(turned)

    def finish(self, x: Floats, reached: Floats, forces: Floats) -> Floats:
        """Return the forces themselves."""
        del x, reached
        return forces

    def since(self, then: StepMatrix) -> StepMatrix | None:
        """Return the change since an earlier matrix, or None without a change."""
        blocks = tuple(
            tuple(
                [_difference(now, before) for now, before in zip(*both, strict=True)]
                for both in zip(*rows, strict=True)
            )
            for rows in zip(self.blocks, then.blocks, strict=True)
        )
        found = StepMatrix(self.system, blocks, self.weights)
        return found if any(c.acts for c in found._all()) else None

    def apply(self, x: Floats) -> Floats:
        """Return the matrix times values of the unknowns (stages n,)."""
        system = self.system
        fields = [system.expand(part) for part in np.split(x, len(self.blocks))]
        rows = []
        for row in self.blocks:
            total = system.apply(row[0], fields[0])
            for block, field in zip(row[1:], fields[1:], strict=True):
                total += system.apply(block, field)
            rows.append(system.restrict(total))
        return np.concatenate(rows)

    def weigh(self, x: Floats) -> Floats:
        """Return values of the unknowns with the rows' factors."""
        if len(self.weights) == 1:
            return self.weights[0] * x
        rows: Floats = x.reshape(len(self.weights), -1) * np.array(self.weights)[:, None]
        return rows.ravel()

    @property
    def symmetric_part(self) -> StepMatrix:
        """The matrix without its skew part, which is from c, k_eps and bearings."""
        rows = tuple(tuple([c.symmetric_part for c in b] for b in row) for row in self.blocks)
        return StepMatrix(self.system.symmetric_part, rows, self.weights)

    @property
    def symmetric(self) -> bool:
        """Whether it has no skew part."""
        return self.system.is_symmetric and all(c.is_symmetric for c in self._all())

    def assemble(self) -> csr_matrix:
        """Return the matrix, its rows with their factors."""
        from scipy.sparse import block_array

        rows = [
            [weight * self.system.matrix(block) for block in row]
            for weight, row in zip(self.weights, self.blocks, strict=True)
        ]
        return rows[0][0] if len(rows) == 1 else block_array(rows, format="csr")

    @property
    def largest_stiffness(self) -> float:
        """Largest entry that comes from the stiffness of the elements."""
        return max(abs(c.stiffness) for c in self._all()) * self.system.stiffness_scale

    def moved(self, then: StepMatrix) -> bool:
        """Whether the symmetric part differs much from an earlier one."""
        if self.system.ranks.any(self.system.differs(then.system)):
            return True
        for number, row in enumerate(self.blocks):
            for now, before in zip(row[number], then.blocks[number][number], strict=True):
                symmetric = 0.5 * (now.inertia + now.inertia.T)
                if _differ(symmetric, before.inertia, before.inertia):
                    return True
                if _differ(now.geometric, before.geometric, now.geometric):
                    return True
        return False

    def _all(self) -> Iterable[Combination]:
        return (c for row in self.blocks for block in row for c in block)


def _difference(now: Combination, then: Combination) -> Combination:
    """Return a combination less another."""
    return Combination(
        now.stiffness - then.stiffness,
        now.inertia - then.inertia,
        now.geometric - then.geometric,
        now.damping - then.damping,
        now.circulation - then.circulation,
    )


def _differ(now: Floats, then: Floats, scale: Floats) -> bool:
    """Whether two arrays differ by more than a small part of a third."""
    return bool(np.abs(now - then).max(initial=0.0) > MOVED * np.abs(scale).max(initial=0.0))
