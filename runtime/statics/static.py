# SPDX-License-Identifier: BSD-3-Clause
"""Equilibrium in the moving frame: ``(k + k_eps + k_omega + k_geo) d = q - q_eps - q_omega``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.solvers import Factorization, gmres
from flexforge.runtime.statics.held import (
    SoftError,
    describe,
    factor_held,
    factor_slightly_held,
    product_of,
)
from flexforge.runtime.statics.pencil import Pencil
from flexforge.runtime.statics.refined import Refined
from flexforge.runtime.statics.rigid import require_held
from flexforge.runtime.system.body import Combination
from flexforge.runtime.system.combinations import elastic_of
from flexforge.runtime.system.inertia import Spin
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.system import System

TOLERANCE = 1e-12
LARGEST_RESIDUAL = 1e-11
_IDLE = 1e-9  # work of loads in a motion, of their size, that is none
ROUND_OFF = 2.0 * float(np.finfo(float).eps)  # of products, relative to forces inside elements
_LOST = 1e-10  # of the loads: round-off from which on solutions by factors are refined


@dataclass(frozen=True, slots=True)
class Equilibrium:
    """A displacement and the residual of its equilibrium.

    Attributes
    ----------
    displacement : ndarray, (N, d)
        m.
    reaction : ndarray, (N, d)
        Forces of the supports on the body, N; zero where nothing is held.
    residual : float
        Of the equations, relative to the loads or to the forces inside the elements.
    iterations : int
        Solves with the factors.
    solver : str
        Backend that factored.
    remarks : tuple of str
        What a user should know of it.
    """

    displacement: Floats
    reaction: Floats
    residual: float
    iterations: int
    solver: str
    remarks: tuple[str, ...] = ()


def static_combinations(system: System, spins: list[Spin]) -> list[Combination]:
    """Return the stiffness operator of bodies at rest in their frames."""
    return elastic_of(spins)


def _cause(combinations: Sequence[Combination]) -> str:
    """Return why an iteration does not converge: its operator differs by the Euler term alone."""
    if any((c.inertia != c.inertia.T).any() for c in combinations):
        return "the angular acceleration is too large for an equilibrium"
    return (
        "the stiffness is singular or nearly so, some motion of the supported bodies meets no "
        "stiffness; do elements, sections and laws resist every strain?"
    )


def solve_static(system: System, loads: Loads, time: float, solver: str) -> Equilibrium:
    """Return the equilibrium of a system at a time.

    Parameters
    ----------
    system : System
        The bodies, with their prestress.
    loads : Loads
        What acts on them.
    time : float
        Time, s, at which loads and frame motion are evaluated.
    solver : str
        Linear solver.

    Raises
    ------
    InputError
        When supports and elements leave a motion free, naming the body and the motion.
    AnalysisError
        When there is no stable equilibrium, or the iteration does not converge.
    """
    require_held(system, "in a static analysis")
    spins = system.spins(time)
    combinations = static_combinations(system, spins)
    # The Euler term is skew: the rest is factored, symmetric but for bearings, and this iterated.
    symmetric = [c.symmetric_part for c in combinations]
    softened = any((c.inertia.diagonal() < 0.0).any() for c in symmetric)
    force = loads.at(time, spins)
    given = np.zeros_like(force) if loads.given is None else loads.given.at(time)[0]
    rhs = system.restrict(force - system.apply(combinations, given))
    pencil = Pencil.of(system, symmetric)
    left_out = np.zeros((len(rhs), 0))
    factors: Factorization | Refined
    try:
        factors = factor_held(
            pencil, solver, "static analysis", positive_definite=not softened, solves=2
        )
    except SoftError as error:
        left_out = np.linalg.qr(error.motions)[0]
        works = np.linalg.norm(left_out.T @ rhs) > _IDLE * np.linalg.norm(rhs)
        if works or not _within_solids(system, left_out):
            raise
        factors = factor_slightly_held(pencil, solver)

    ranks = system.ranks
    first, load = factors.solve(rhs), ranks.norm(rhs)
    # Round-off is relative to the forces inside the elements, which nearly cancel in soft bodies.
    inside = system.stiffness_scale * ranks.norm(first)
    lost = ROUND_OFF * inside > _LOST * load and not left_out.shape[1]
    if lost and not isinstance(factors, Refined) and not factors.iterative:
        factors = Refined(factors, pencil.times, symmetric=pencil.is_symmetric, ranks=ranks)
        first = factors.solve(rhs)
    product = product_of(system, combinations, factors)
    tolerance = max(TOLERANCE, ROUND_OFF * inside / load) if load else TOLERANCE
    result = gmres(product, rhs, factors.solve, guess=first, tolerance=tolerance, ranks=ranks)
    factors.close()
    found = result.solution - left_out @ (left_out.T @ result.solution)
    displacement = system.expand(found) + given
    inside = system.stiffness_scale * ranks.norm(result.solution)
    residual = result.residual * load / max(load, inside, np.finfo(float).tiny)
    if not np.isfinite(result.solution).all():
        raise AnalysisError(
            "static analysis: a displacement is not finite; expected loads and stiffness "
            "of compatible magnitude"
        )
    if not residual <= LARGEST_RESIDUAL:
        raise AnalysisError(
            f"static analysis: residual {residual:.1e} after {result.iterations} iterations; "
            f"expected {LARGEST_RESIDUAL:.0e}: {_cause(combinations)}"
        )
    reaction = system.apply(combinations, displacement) - force
    reaction[~system.map.constrained] = 0.0
    solves = 1 + result.preconditioner_solves
    remarks = (_left_out(system, left_out),) if left_out.shape[1] else ()
    return Equilibrium(displacement, reaction, residual, solves, factors.name, remarks)


def _within_solids(system: System, motions: Floats) -> bool:
    """Whether motions (n, k) are within continua alone: mechanisms of rods are mistakes."""
    moving = np.abs(system.expand(motions.T)).max(axis=(0, 2)) > _IDLE * np.abs(motions).max()
    return not any(moving[body.nodes].any() for body in system.bodies if body.has_field)


def _left_out(system: System, motions: Floats) -> str:
    """Return what is said about motions that cost no energy and in which no load does work."""
    count = motions.shape[1]
    where = "; ".join(describe(system, motions))
    return (
        f"static analysis: motions within elements ({count}) meet no stiffness, as of elements "
        f"with reduced integration in a single row ({where}); no load does work in them, and they "
        "are left out"
    )
