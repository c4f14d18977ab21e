# SPDX-License-Identifier: BSD-3-Clause
"""Consistent initial positions, velocities, accelerations and multipliers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from flexforge.codegen.errors import AnalysisError, InputError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.solvers.clear_rows import clear_rows
from flexforge.runtime.solvers.independent import independent_rows
from flexforge.runtime.transient.linear_solver import Solve
from flexforge.runtime.transient.model import Point, Rows
from flexforge.runtime.transient.newton import Newton
from flexforge.runtime.transient.operator import Bordered
from flexforge.runtime.transient.state import State
from numpy.typing import NDArray

_CLOSED = 1e-13  # of the scale of a row
_SETTLED = 1e-28  # square of a correction of rates and forces, relative to theirs
_MOST = 30


@dataclass(frozen=True)
class Start:
    """A state that satisfies all equations.

    Attributes
    ----------
    state : State
        Position and velocity.
    rate, force : ndarray
        v' and the multipliers.
    rows : ndarray of bool, (m,)
        Rows that are independent.
    redundant : tuple of str
        Names of the others, which depend on them and are satisfied with them.
    moved : dict of str to float
        How far each block had to move, in units of its scale; those that did.
    """

    state: State
    rate: Floats
    force: Floats
    rows: NDArray[np.bool_]
    redundant: tuple[str, ...]
    moved: dict[str, float]


def consistent(
    newton: Newton, state: State, held: Sequence[int] = (), *, with_rates: bool = True
) -> Start:
    """Return the nearest state that satisfies the rows, with its rates and multipliers.

    Parameters
    ----------
    newton : Newton
        The equations and what solves with their matrices.
    state : State
        Position and velocity wanted; its history is not looked at.
    held : sequence of int
        Components of z that stay as they are.
    with_rates : bool
        Whether rates and multipliers are wanted; otherwise they are zero.

    Raises
    ------
    InputError
        When the rows cannot be satisfied, or contradict each other.
    AnalysisError
        When the masses are singular.
    """
    layout = newton.layout
    n, z = layout.rates, layout.sizes[1]
    at = newton.point(state, np.zeros(n), np.zeros(0))
    rows = newton.model.constraints(at)
    weights = layout.scales.copy()
    weights[list(held)] = 0.0
    weights[z:] = 0.0
    which, at = _positions(newton, at, weights)
    v = np.concatenate([at.z, at.s])
    held_rows = newton.model.constraints(at)
    if which.any():
        v = v + _nearest(held_rows.take(which), weights, held_rows.take(which).speed, v)
        left = held_rows.matrix @ v - held_rows.speed
        _refuse(held_rows, left, np.abs(held_rows.matrix) @ np.abs(v) + 1.0, "velocity")
    found = replace(state, q=at.q, z=v[:z], s=v[z:], history=np.zeros(0))
    rate, force = np.zeros(n), np.zeros(len(which))
    if with_rates:
        rate, force = rates(newton, found, which)
    moved = np.concatenate([layout.manifold.difference(found.q, state.q), np.zeros(n - z)])
    redundant = tuple(name for name, one in zip(rows.names, which, strict=True) if not one)
    return Start(found, rate, force, which, redundant, _moves(newton, moved))


def start_free(newton: Newton, state: State, method: str) -> Start:
    """Return the start of a method that has no multipliers.

    Raises
    ------
    InputError
        When the model has rows.
    """
    start = consistent(newton, state)
    if len(start.rows):
        raise InputError(
            f"analysis.method: found '{method}' with constraints; expected an implicit one"
        )
    return start


def _moves(newton: Newton, moved: Floats) -> dict[str, float]:
    layout = newton.layout
    sizes = [float(np.linalg.norm(moved[at])) for at in layout.slices]
    return {
        f"{block.name} of '{block.owner}'": size / block.scale
        for block, size in zip(layout.blocks, sizes, strict=True)
        if size > 1e-12 * block.scale
    }


def _positions(newton: Newton, at: Point, weights: Floats) -> tuple[NDArray[np.bool_], Point]:
    """Return the independent rows, and the point moved to satisfy all rows."""
    z = newton.layout.sizes[1]
    for _ in range(_MOST):
        rows = newton.model.constraints(at)
        which = independent_rows(rows.matrix.multiply(weights).tocsr())
        if (np.abs(rows.place) <= _CLOSED * rows.scales).all():
            return which, at
        used = which & ~rows.of_speeds
        v = np.zeros(len(weights))
        step = _nearest(rows.take(used), weights, -rows.place[used], v)
        at = replace(at, q=newton.layout.manifold.retract(at.q, step[:z]))
    _refuse(rows, rows.place, rows.scales / 1e3, "position")
    return which, at


def _refuse(rows: Rows, left: Floats, scales: Floats, what: str) -> None:
    """Refuse a row that the others contradict, or that nothing can satisfy."""
    wrong = np.abs(left) / scales
    if wrong.max(initial=0.0) > 1e-9:
        worst = int(np.argmax(wrong))
        raise InputError(
            f"start: found no {what} that satisfies '{rows.names[worst]}' with all other "
            f"constraints ({abs(left[worst]):.3g} is left); expected constraints that agree"
        )


def _nearest(rows: Rows, weights: Floats, wanted: Floats, v: Floats) -> Floats:
    """Return the smallest change of v, in units of the scales, with ``G (v + change) = wanted``."""
    clear = clear_rows(rows.matrix.multiply(weights))
    if clear is not None:
        return np.asarray(weights * clear.least(wanted - rows.matrix @ v))
    g = rows.matrix.toarray() * weights
    change = np.linalg.lstsq(g, wanted - rows.matrix @ v, rcond=None)[0]
    return np.asarray(weights * change)


def rates(newton: Newton, state: State, which: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """Return v' and the multipliers of a state, by Newton's method.

    Forces of inertia and of rows are linear in both, and one solve would do; friction is a product
    of the two, and rates that are wrong at the start cost every motion an order.
    """
    rate, force = np.zeros(newton.layout.rates), np.zeros(len(which))
    if newton.model.lacking is not None and not which.any():
        return _regular_rates(newton, newton.point(state, rate, force)), force
    before = np.inf
    for _ in range(_MOST):
        change, pushed = _correction(newton, newton.point(state, rate, force), which)
        rate = rate + change
        force[which] += pushed
        size = newton.model.space.dot(change, change) + float(pushed @ pushed)
        whole = newton.model.space.dot(rate, rate) + float(force @ force)
        # Without rows one solve is exact: what is left at an equilibrium is round-off of forces.
        noise = 1e-16 * whole if which.any() else np.inf
        if size <= _SETTLED * whole or (size >= before and size <= noise):
            return rate, force
        before = size
    raise AnalysisError("start: found no accelerations and multipliers that satisfy the equations")


def _regular_rates(newton: Newton, at: Point) -> Floats:
    """Return v' of a model some of whose motions have no inertia, with that which they lack."""
    given = newton.model.linearize(at)
    masses = replace(given, rate=given.rate + newton.model.lacking).combine(1.0, 0.0, 0.0)
    return newton.solver.prepare(masses, newton.model.space)(-newton.residual(at))


def settle(
    newton: Newton,
    here: Point,
    average: Floats,
    which: NDArray[np.bool_],
    h: float,
    late: float,
    off: float,
) -> tuple[Floats, Floats, Floats]:
    """Return (v, v', averaged v') that steps of a length have settled at, along the rows.

    Steps that close rows of positions do so at velocities that are off by ``off h^2 v''`` along the
    rows, and the averaged rate is that of a time ``late h`` later. Started otherwise, a motion has
    multipliers that swing, by h instead of h^2 (Arnold, Bruels and Cardona, "Error analysis of
    generalized-alpha Lie group time integration methods for constrained mechanical systems", Numer.
    Math. 129, 2015: perturbed initial values). Nothing is changed but ``M^-1 G^T mu``: other forces
    may change in a step beyond all bounds.

    Parameters
    ----------
    newton : Newton
        The equations.
    here : Point
        Where the motion is.
    average : ndarray
        The averaged rate, moved to the length of the step.
    which : ndarray of bool
        Rows that are independent.
    h : float
        Length of the steps, s.
    late, off : float
        Of the method.
    """
    rows, n = newton.model.constraints(here).take(which), len(here.rate)
    solve, border = _bordered(newton, here, which)

    def reach(x: Floats, wanted: Floats) -> Floats:
        return x + solve(np.concatenate([np.zeros(n), -border * (wanted - rows.matrix @ x)]))[:n]

    rate = reach(here.rate, rows.second)
    # Along the motion G v' = second, so that h G v'' is second - G v'_0 a step later.
    z = len(here.z)
    increment = h * here.z + 0.5 * h * h * rate[:z]
    later = newton.model.constraints(
        replace(
            here,
            t=here.t + h,
            q=newton.layout.manifold.retract(here.q, increment),
            z=here.z + h * rate[:z],
            s=here.s + h * rate[z:],
            u=newton.inputs(here.t + h),
        )
    ).take(which)
    gained = later.second - later.matrix @ rate
    speed = rows.speed + np.where(rows.of_speeds, 0.0, off * h * gained)
    v = reach(np.concatenate([here.z, here.s]), speed)
    return v, rate, reach(average, rows.second + late * gained)


def _correction(newton: Newton, at: Point, which: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """Return a correction of v' and of the multipliers of independent rows."""
    right, n = -newton.residual(at), len(at.rate)
    if not which.any():
        masses = newton.model.linearize(at).combine(1.0, 0.0, 0.0)
        try:
            return newton.solver.prepare(masses, newton.model.space)(right), np.zeros(0)
        except AnalysisError as error:
            raise _massless(error) from error
    solve, border = _bordered(newton, at, which)
    held = newton.model.constraints(at).take(which)
    found = solve(np.concatenate([right, border * (held.matrix @ at.rate - held.second)]))
    return found[:n], border * found[n:]


def _bordered(newton: Newton, at: Point, which: NDArray[np.bool_]) -> tuple[Solve, float]:
    """Return the solver for masses and rows, and the scale of the rows."""
    linearization = newton.model.linearize(at)
    masses = linearization.combine(1.0, 0.0, 0.0)
    held = newton.model.constraints(at).take(which)
    border = float(np.abs(masses.diagonal()).max())
    bordered = Bordered(masses, linearization.force[:, which], held.matrix, border)
    try:
        return newton.solver.prepare(bordered, newton.model.space), border
    except AnalysisError as error:
        raise _massless(error) from error


def _massless(error: AnalysisError) -> AnalysisError:
    return AnalysisError(f"start: the masses give no accelerations: {error}")
