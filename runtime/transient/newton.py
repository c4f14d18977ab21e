# SPDX-License-Identifier: BSD-3-Clause
"""The equations of a step, solved with factors that are kept from step to step.

A stepper writes the end of a step as a function of one unknown A per equation,

    v' = v'_0 + a A,    v = v_0 + b A,    q = retract(q_old, d_0 + c A),

so that r = 0 has the matrix ``a r_v' + b r_v + c r_q T``. Rows are solved as ``G T A = -g / c``
next to it, so that neither they nor the multipliers depend on the length of the step (Bottasso,
Bauchau and Cardona, "Time-step-size-independent conditioning and sensitivity to perturbations in
the numerical solution of index three differential algebraic equations", SIAM J. Sci. Comput. 29,
2007).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.transient.counts import Counts
from flexforge.runtime.transient.linear_solver import LinearSolver, Solve
from flexforge.runtime.transient.model import Model, Point, Rows
from flexforge.runtime.transient.operator import Bordered, Matrix
from flexforge.runtime.transient.state import Layout, State, pack, unpack
from numpy.typing import NDArray

Inputs = Callable[[float], Floats]

_EPS = float(np.finfo(np.float64).eps)
_ROUND_OFF = 1e-11  # of the scale of a block: corrections below this that do not shrink are noise
_SLOW = 0.25  # correction relative to the one before, worth another factorization
_MOST = 40  # corrections of a step


def no_inputs(t: float) -> Floats:
    """Return no inputs, at any time."""
    del t
    return np.zeros(0)


class NotConvergedError(AnalysisError):
    """The equations of a step could not be solved; a shorter step may do."""


@dataclass(frozen=True)
class Kept:
    """A matrix that has been factored.

    Attributes
    ----------
    solve : callable
        With the factors.
    record : ndarray
        Where the matrix was taken: the factors can be made again from it, bit for bit.
    key : hashable or None
        Of the operator.
    border : float
        Scale of rows and multipliers.
    """

    solve: Solve
    record: Floats
    key: object
    border: float


@dataclass(frozen=True)
class Trial:
    """The end of a step as a function of A.

    Attributes
    ----------
    t, h : float
        Its time and the length of the step, s.
    a, b, c : float
        What a unit of A changes v', v and the increment of q by.
    rate, speed, increment, place : ndarray
        v', v and increment of q if A were zero, and q at the beginning.
    """

    t: float
    h: float
    a: float
    b: float
    c: float
    rate: Floats
    speed: Floats
    increment: Floats
    place: Floats


@dataclass
class Newton:
    """Solves the equations of steps.

    Attributes
    ----------
    model : Model
        The equations.
    solver : LinearSolver
        Solves with their matrices.
    tolerance : float
        Error of A, relative to its size, block by block.
    inputs : callable
        u of the time, s.
    """

    model: Model
    solver: LinearSolver
    tolerance: float
    inputs: Inputs
    counts: Counts = field(default_factory=Counts)

    def __post_init__(self) -> None:
        self.layout = Layout(self.model.blocks)
        self._used: Kept | None = None

    def point(self, state: State, rate: Floats, force: Floats) -> Point:
        """Return the point of a state."""
        u = self.inputs(state.t)
        return Point(state.t, state.q, state.z, state.s, state.mode, rate, force, u)

    def residual(self, at: Point) -> Floats:
        """Return r, summed over all ranks."""
        out = self.model.space.zeros()
        self.model.residual(at, out)
        self.counts.residuals += 1
        return self.model.space.halo(out)

    def reached(
        self, trial: Trial, unknown: Floats, force: Floats, mode: NDArray[np.int64]
    ) -> Point:
        """Return where a trial is."""
        z = self.layout.sizes[1]
        q = self.layout.manifold.retract(trial.place, trial.increment + trial.c * unknown[:z])
        v = trial.speed + trial.b * unknown
        rate = trial.rate + trial.a * unknown
        return Point(trial.t, q, v[:z], v[z:], mode, rate, force, self.inputs(trial.t))

    def record(self, trial: Trial, unknown: Floats, force: Floats) -> Floats:
        """Return where a trial is, for `factor`."""
        z = self.layout.sizes[1]
        increment = trial.increment + trial.c * unknown[:z]
        rate = trial.rate + trial.a * unknown
        speed = trial.speed + trial.b * unknown
        coefficients = np.array([trial.t, trial.h, trial.a, trial.b, trial.c])
        return pack(coefficients, trial.place, increment, speed, rate, force)

    def at(self, record: Floats, mode: NDArray[np.int64]) -> Point:
        """Return the point of a record."""
        (t, *_), place, increment, speed, rate, force = unpack(record)
        z = self.layout.sizes[1]
        q = self.layout.manifold.retract(place, increment)
        return Point(float(t), q, speed[:z], speed[z:], mode, rate, force, self.inputs(float(t)))

    def factor(
        self, record: Floats, mode: NDArray[np.int64], rows: NDArray[np.bool_], kept: Kept | None
    ) -> Kept:
        """Return factors of the matrix at a record, or those kept where the matrix is the same."""
        _, _, a, b, c = unpack(record)[0].tolist()
        turned = self.layout.manifold.tangent(unpack(record)[2])
        at = self.at(record, mode)
        linearization = self.model.linearize(at)
        operator = linearization.combine(a, b, c, turned)
        if not rows.any():
            if kept is not None and kept.key is not None and kept.key == operator.key:
                return kept
            self.counts.factorizations += 1
            return Kept(self.solver.prepare(operator, self.model.space), record, operator.key, 1.0)
        border = float(np.abs(operator.diagonal()).max())
        held = self.model.constraints(at).take(rows)
        matrix = _turned_rows(held, turned)
        bordered = Bordered(operator, linearization.force[:, rows], matrix, border)
        self.counts.factorizations += 1
        return Kept(self.solver.prepare(bordered, self.model.space), record, None, border)

    def recalled(
        self, record: Floats, h: float, mode: NDArray[np.int64], rows: NDArray[np.bool_]
    ) -> Kept | None:
        """Return the factors of a record, made again where they are not those used last.

        None without a record, or where it is of a step of another length.
        """
        if not len(record) or unpack(record)[0][1] != h:
            return None
        if self._used is None or not np.array_equal(self._used.record, record):
            self._used = self.factor(record, mode, rows, None)
        return self._used

    def solve(
        self,
        trial: Trial,
        mode: NDArray[np.int64],
        unknown: Floats,
        force: Floats,
        rows: NDArray[np.bool_],
        kept: Kept | None,
    ) -> tuple[Floats, Floats, Kept]:
        """Return A, the multipliers, and the factors that were used last.

        Parameters
        ----------
        trial : Trial
            The end of the step.
        mode : ndarray
            Of the step.
        unknown, force : ndarray
            Where to start.
        rows : ndarray of bool
            Rows that are independent; multipliers of the others are zero.
        kept : Kept, optional
            Factors of a matrix nearby.

        Raises
        ------
        NotConvergedError
            Naming the block that is worst.
        """
        n, fresh, age, before_all = len(unknown), kept is None, 0, self.counts.solves
        stale = kept is None
        before = np.full(len(self.layout.slices) + rows.any(), np.inf)
        for _ in range(_MOST):
            at = self.reached(trial, unknown, force, mode)
            right = [-self.residual(at)]
            if not np.isfinite(right[0]).all():
                break
            if kept is None or stale:
                kept = self.factor(self.record(trial, unknown, force), mode, rows, kept)
                stale = False
            if rows.any():
                held = self.model.constraints(at).take(rows)
                right.append(kept.border * _left(held, at, trial))
            change = kept.solve(np.concatenate(right))
            self.counts.solves += 1
            unknown = unknown + change[:n]
            if rows.any():
                force = force.copy()
                force[rows] += kept.border * change[n:]
            size, limit, noise = self._measure(trial, unknown, change[:n])
            if rows.any():
                tied = self._measure_forces(trial, held, kept, force, change[n:], limit)
                size, limit, noise = (
                    np.append(*two) for two in zip((size, limit, noise), tied, strict=True)
                )
            done, slow = _judge(size, limit, before)
            if (done | (slow & fresh & (size <= noise))).all():
                taken = self.counts.solves - before_all
                self.counts.most_solves = max(self.counts.most_solves, taken)
                self._used = kept
                return unknown, force, kept
            before, age = size, age + 1
            if slow.any() and (age > 1 or not fresh):
                stale, fresh, age = True, True, 0
                before = np.full(len(size), np.inf)
        raise NotConvergedError(self._worst(trial, before))

    def _measure(
        self, trial: Trial, unknown: Floats, change: Floats
    ) -> tuple[Floats, Floats, Floats]:
        """Return, per block, the size of a correction, the one asked for, that of round-off."""
        norms, slices, blocks = self.model.space.norms, self.layout.slices, self.layout.blocks
        size = norms(change, slices)
        speed = norms(trial.speed + trial.b * unknown, slices)
        limit = self.tolerance * norms(unknown, slices) + 4.0 * _EPS * speed / trial.b
        factors = np.array([trial.b if b.first_order or not trial.c else trial.c for b in blocks])
        scales = np.array([b.scale * np.sqrt(b.manifold.dimension) for b in blocks])
        return size, limit, _ROUND_OFF * scales / factors

    def _measure_forces(
        self, trial: Trial, rows: Rows, kept: Kept, force: Floats, change: Floats, limit: Floats
    ) -> tuple[float, float, float]:
        """Return the same of the multipliers: their errors need not show in the motion.

        A body that turns between factorizations turns the forces of its joints within the range of
        ``G^T``, so that the motion is right long before they are.
        """
        size, largest = kept.border * np.linalg.norm(change), np.linalg.norm(force)
        noise = _ROUND_OFF * kept.border * np.linalg.norm(rows.scales) / (trial.c or trial.b)
        return (
            float(size),
            float(self.tolerance * largest + kept.border * limit.max()),
            float(noise),
        )

    def _worst(self, trial: Trial, size: Floats) -> str:
        scales = np.array([b.scale for b in self.layout.blocks])
        size = size[: len(scales)]
        finite = np.where(np.isfinite(size), size / scales, 0.0)
        block = self.layout.blocks[int(np.argmax(finite))]
        return (
            f"transient: the equations of the step to t = {trial.t:g} s do not converge (worst: "
            f"{block.name} of '{block.owner}')"
        )


def _judge(
    size: Floats, limit: Floats, before: Floats
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which corrections have converged, and which others shrink slowly."""
    known = np.isfinite(before) & (before > 0.0)
    share = np.divide(size, before, out=np.zeros_like(size), where=known)
    # What is left after corrections that shrink by a constant share each.
    left = np.where(known & (share < 0.9), size * share / (1.0 - np.minimum(share, 0.9)), size)
    return left <= limit, (share > _SLOW) & (left > limit)


def _turned_rows(rows: Rows, turned: Matrix) -> Matrix:
    """Return ``G T``."""
    if turned is None:
        return rows.matrix
    from scipy.sparse import block_diag, eye_array

    rest = rows.matrix.shape[1] - turned.shape[0]
    return rows.matrix @ block_diag([turned, eye_array(rest)], format="csr")


def _left(rows: Rows, at: Point, trial: Trial) -> Floats:
    """Return what A leaves of the rows, scaled: g / c, or the rate of it / b."""
    v = np.concatenate([at.z, at.s])
    rate = (rows.matrix @ v - rows.speed) / trial.b
    return np.where(rows.of_speeds, rate, rows.place / trial.c if trial.c else 0.0)
