# SPDX-License-Identifier: BSD-3-Clause
"""Factors of large tied bodies by body, which stay valid while joints rotate.

The symmetric part ``S0`` of a step's matrix, body by body in its own frame, hardly changes; J
does. But the rows of J are combinations of a few constant ones, ``J = (J E) E^T`` with E of the
coordinates that joints constrain (see ``constraints.span``). With ``X = S0^-1 E`` and
``F = E^T X``, both computed once, body by body, the solution of

    S0 x - J^T lambda = f,   J x = g

is ``x = S0^-1 f + X (J E)^T lambda`` with ``(J E) F (J E)^T lambda = g - J E E^T S0^-1 f``: one
solve with the factors and a small matrix. J is exact in it, whatever the time, so what is left to
the iteration is what is left of one body: the skew part.

In speeds that joints leave, the rates of J drag masses and dampers along with the coordinates that
are tied: forces ``-[M K, C K] P E^T x`` more (see
``carried_inertia``). With ``Z = S0^-1 [M K, C K]`` they are in the small matrix as well.

A link that has no inertia against a turn leaves ``S0`` singular where only joints hold it. Such
directions get a mass s, ``S0 + E_h s E_h^T``, and it is taken away again as one more force of
theirs, ``phi = s E_h^T x``: rows like those of J, with ``-1/s`` on the small matrix' diagonal.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.constraints.apart import Apart, ConnectedPart
from flexforge.runtime.constraints.rows import Rows
from flexforge.runtime.solvers import Factorization
from flexforge.runtime.transient.linear.carried_inertia import CarriedInertia
from flexforge.runtime.transient.linear.directions import Directions

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Answers: TypeAlias = tuple[ConnectedPart, Floats]

_NOTHING = np.zeros((0, 0))


class JointSchur:
    """Factors of the bodies, and what of them the joints ask for.

    Parameters
    ----------
    factors : Factorization
        Of S0.
    directions : Directions
        E.

    Attributes
    ----------
    flexibility : ndarray, (p, p)
        F.
    """

    def __init__(self, factors: Factorization, directions: Directions) -> None:
        self._factors, self._directions = factors, directions
        self.name = factors.name
        self.iterative = factors.iterative
        self._carried: CarriedInertia | None = None
        self._answer()
        own = sum(block.nbytes for _, block in self._answers)
        self.bytes: int | None = (factors.bytes or 0) + own

    def solve(self, rhs: Floats) -> Floats:
        """Solve for the bodies alone."""
        return self._factors.solve(rhs)

    def precondition(self, rhs: Floats) -> Floats:
        """Return the solution for the bodies alone: joints need it exactly."""
        return self.solve(rhs)

    def tied(
        self, held: JointSchurRows, force: Floats, gap: Floats | float
    ) -> tuple[Floats, Floats]:
        """Return x (n,) and lambda (m,) of ``S0 x - J^T lambda = force``, ``J x = gap``."""
        found = self._factors.solve(force)
        seen = self._directions.matrix.T @ found
        small = held.small(self)
        left = -(held.rows @ (small.turn @ seen if small.turn is not None else seen))
        left[: held.count] += gap
        forces = small.inverse @ left
        along = held.rows.T @ forces
        self._add(self._answers, along, found)
        if small.turn is not None:
            moved = small.turn @ (seen + self.flexibility @ along)
            for answers, own in zip(self._dragged, np.split(held.amounts @ moved, 2), strict=True):
                self._add(answers, own, found)
        return found, forces[: held.count]

    def update(self, matrix: csr_matrix) -> None:
        """Factor other values."""
        self._factors.update(matrix)
        self._carried = None
        self._answer()

    def close(self) -> None:
        """Release the factors."""
        self._factors.close()

    def dragged(self, carried: CarriedInertia) -> Floats:
        """Return ``E^T Z`` (p, 2 k) of what is dragged along."""
        if self._carried is not carried:
            self._carried, loads = carried, carried.loads()
            halves = [self._answers_to(one, carried.apart) for one in np.split(loads, 2, axis=1)]
            self._dragged = [answers for answers, _ in halves]
            self._seen = np.hstack([seen for _, seen in halves])
        return self._seen

    def _answer(self) -> None:
        """Find X and F."""
        apart = self._directions.apart
        packed = (self._directions.matrix @ apart.packing).toarray()
        self._answers, self.flexibility = self._answers_to(packed, apart)

    def _answers_to(self, packed: Floats, apart: Apart) -> tuple[list[Answers], Floats]:
        """Return the answers to packed loads part by part, and what directions see of them.

        With every solve one load of each part is answered, as they do not meet.
        """
        of = self._directions.matrix.tocsr()
        found = self._factors.solve(packed)
        answers, seen = [], np.zeros((of.shape[1], apart.packing.shape[0]))
        for part in apart.parts:
            block = np.ascontiguousarray(found[part.unknowns, : len(part.directions)])
            answers.append((part, block))
            seen[:, part.directions] = of[part.unknowns].T @ block
        return answers, seen

    @staticmethod
    def _add(answers: list[Answers], amounts: Floats, to: Floats) -> None:
        """Add combinations of answers."""
        for part, block in answers:
            to[part.unknowns] += block @ amounts[part.directions]


def _inverse(matrix: Floats) -> Floats:
    return np.asarray(np.linalg.inv(matrix), dtype=np.float64)


@dataclass(frozen=True, slots=True)
class JointSchurMatrix:
    """What is solved with instead of the constraints.

    Attributes
    ----------
    inverse : ndarray, (m + h, m + h)
        Of ``(J E) W F (J E)^T``, and of what was added.
    turn : ndarray, (p, p), optional
        ``W = (1 - E^T Z P)^-1``, where something is dragged along.
    """

    inverse: Floats
    turn: Floats | None


class JointSchurRows:
    """The constraints at one time in the directions of the joints.

    Parameters
    ----------
    rows : Rows
        J.
    directions : Directions
        E.
    carried : CarriedInertia, optional
        What is dragged along.
    amounts : ndarray, (2 k, p), optional
        P: how much of masses and of dampers.

    Attributes
    ----------
    rows : ndarray, (m + h, p)
        ``J E``, and a row for what was added to a direction.
    count : int
        Number of constraints, m.
    amounts : ndarray, (2 k, p)
        As given.
    """

    def __init__(
        self,
        rows: Rows,
        directions: Directions,
        carried: CarriedInertia | None = None,
        amounts: Floats = _NOTHING,
    ) -> None:
        light, span = directions.light, directions.matrix
        self._carried, self.amounts = carried, amounts
        self.rows: Floats = np.vstack(
            [(rows.matrix() @ span).toarray(), np.eye(span.shape[1])[light]]
        )
        self.count = rows.pattern.shape[0]
        self._loose = np.zeros(len(self.rows))
        self._loose[self.count :] = 1.0 / directions.mass
        self._small: JointSchurMatrix | None = None
        self._of: Floats | None = None

    def small(self, factors: JointSchur) -> JointSchurMatrix:
        """Return the solver for the constraints, given factors of the bodies."""
        if self._small is None or self._of is not factors.flexibility:
            self._of = flexibility = factors.flexibility
            turn = None
            if self._carried is not None:
                dragged = factors.dragged(self._carried) @ self.amounts
                turn = _inverse(np.eye(len(dragged)) - dragged)
                flexibility = turn @ flexibility
            matrix = self.rows @ flexibility @ self.rows.T - np.diag(self._loose)
            self._small = JointSchurMatrix(_inverse(matrix), turn)
        return self._small
