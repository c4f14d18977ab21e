# SPDX-License-Identifier: BSD-3-Clause
"""Geometric stiffness of the centrifugal prestress.

The stresses of a steady rotation are linear in the products of the components of w, so the
geometric stiffness is ``k_geo(t) = sum_k c_k(w(t)) G_k`` with G_k from the stresses under the unit
loads ``U_k``: one static solution each, once per analysis. The prestress follows from k alone
(physics.md section 2: k_geo), as is usual for small strains.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from flexforge.codegen.errors import AnalysisError, InputError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.motion.frame import FrameMotion
from flexforge.runtime.statics.balanced import is_balanced, pinned
from flexforge.runtime.statics.held import factor_held, factor_slightly_held
from flexforge.runtime.statics.pencil import Pencil
from flexforge.runtime.statics.rigid import (
    free_displacements,
    free_motions,
    may_hold_itself,
    require_held,
)
from flexforge.runtime.system.body import Body
from flexforge.runtime.system.inertia import prestress_patterns
from flexforge.runtime.system.shared_map import SharedMap
from flexforge.runtime.system.system import System

_UNHELD = 1e-5  # fraction of a load that only an unrestrained motion would balance


@dataclass(frozen=True, slots=True)
class PrestressReport:
    """Result of the prestress computation.

    Attributes
    ----------
    system : System
        The bodies; those that rotate have ``patterns`` and ``geometric``.
    patterns : int
        Number of patterns solved for.
    warning : str
        Why there are none, if they were left out.
    """

    system: System
    patterns: int
    warning: str = ""


def unstiffened(bodies: Sequence[Body], *, stressed: bool = False) -> list[str]:
    """Return warnings about stressed bodies whose element has no geometric stiffness.

    Parameters
    ----------
    bodies : sequence of Body
        All bodies; those on links count as rotating, as their motion is not examined.
    stressed : bool
        Whether all of them are stressed; by default those that rotate are.
    """
    return [
        f"body '{body.name}': geometric stiffness left out: element '{body.element}' has none "
        "derived"
        for body in bodies
        if has_none(body) and (stressed or body.motion.link is not None or body.motion.rotates)
    ]


def has_none(body: Body) -> bool:
    """Whether the element of a body lacks a geometric stiffness that it needs."""
    within = body.lumped or body.part.cell == "point1" or not body.is_linear
    return not within and "geometric" not in body.kernels


def require_geometric(bodies: Iterable[Body]) -> None:
    """Refuse bodies whose element has no geometric stiffness."""
    for body in filter(has_none, bodies):
        raise InputError(
            f"include.geometric: element '{body.element}' has no geometric stiffness; expected "
            "false"
        )


def prestressed(system: System, solver: str) -> PrestressReport:
    """Return a system with the geometric stiffness matrices of all rotating bodies.

    Parameters
    ----------
    system : System
        The bodies.
    solver : str
        Linear solver.

    Raises
    ------
    InputError
        When ``geometric = true`` and the bodies are free, or their element has no geometric
        stiffness.
    """
    wanted, d = system.include.geometric, system.dimension
    everything = enumerate(system.bodies)
    rotating = {n: b for n, b in everything if wanted is not False and b.motion.rotates}
    if wanted is True:
        require_geometric(rotating.values())
    rigid = {n: _stiffened(body) for n, body in rotating.items() if body.stiffens_itself}
    bodies = {n: b for n, b in rotating.items() if "geometric" in b.kernels and n not in rigid}
    if not bodies:
        return PrestressReport(system.with_bodies(rigid), 0)
    patterns = {n: _patterns(body) for n, body in rotating.items() if body.lumped or n in bodies}
    count = max(len(patterns[number]) for number in bodies)
    loads = [_load(system, patterns, k) for k in range(count)]
    pencil, unheld = Pencil.at_rest(system), None
    if free_motions(system):
        free = _unloaded(system, loads)
        if wanted == "auto" and free is None:
            left_out = "geometric stiffness left out: the supports do not hold the rotating bodies"
            return PrestressReport(system.with_bodies(rigid), 0, left_out)
        if free is None:
            require_held(system, "for their centrifugal prestress (or include.geometric = false)")
        else:
            pencil = pinned(pencil, system, free)
    try:
        factors = factor_held(pencil, solver, "centrifugal prestress")
    except AnalysisError as error:  # held by its tension only, like a string
        factors, unheld = factor_slightly_held(pencil, solver), error
    shapes = []
    for rhs in loads:
        found = factors.solve(rhs)
        if unheld is not None:
            rest = np.linalg.norm(pencil.stiffness @ found - rhs)
            if rest > _UNHELD * np.linalg.norm(rhs):
                raise unheld
        shapes.append(system.expand(found))
    factors.close()
    stressed = dict(rigid)
    for number, loading in patterns.items():
        body = system.bodies[number]
        if number in bodies:
            stressing = [shape[body.nodes] for shape in shapes[: len(loading)]]
            each = zip(stressing, loading[:, :d, :d], strict=True)
            geometric = [body.prestress(u, block=unit) for u, unit in each]
            stressed[number] = body.stressed(geometric, loading, stressing)
        elif number not in rigid:  # a load on others, without stresses of its own
            stressed[number] = body.stressed((), loading)
    return PrestressReport(system.with_bodies(stressed), count)


def _load(system: System, patterns: dict[int, Floats], k: int) -> Floats:
    """Return the load of pattern k of all bodies on the unknowns, (n,), N."""
    d = system.dimension
    load = np.zeros((system.size, d))
    for number, loading in patterns.items():
        # On a body that spins about its axis of symmetry these forces cancel, but for round-off.
        if k < len(loading) and not system.bodies[number].spins:
            body, unit = system.bodies[number], loading[k, :d, :d]
            load[body.nodes] -= body.inertia_load(unit)
            if isinstance(body.motion, FrameMotion) and body.motion.is_beside:
                # Distances are from the axis, and not from the origin.
                load[body.nodes] += body.translation_load(unit @ body.motion.arm[:d])
    return system.restrict(load)


def _unloaded(system: System, loads: Sequence[Floats]) -> Floats | None:
    """Return the free motions (n, k) if none of the loads acts on them, as about its axis."""
    if isinstance(system.map, SharedMap) or may_hold_itself(system):
        return None
    free = free_displacements(system)
    return free if is_balanced(free, np.stack(loads, axis=1)) else None


def _stiffened(body: Body) -> Body:
    """Return a rigid body with the stiffness of its own centrifugal forces, held or not."""
    d, patterns, still = body.dimension, _patterns(body), np.zeros_like(body.points)
    return body.stressed([body.prestress(still, block=one[:d, :d]) for one in patterns], patterns)


def _patterns(body: Body) -> Floats:
    """Return the loads that span those of all its rotations."""
    return prestress_patterns(body.motion.rotation.axis)
