# SPDX-License-Identifier: BSD-3-Clause
"""Geometric stiffness of the centrifugal prestress.

The stresses of a steady rotation are linear in the products of the components of w, so the
geometric stiffness is ``k_geo(t) = sum_k c_k(w(t)) G_k`` with G_k from the stresses under the unit
loads ``U_k``: one static solution each, once an analysis. The prestress follows from k alone
(physics.md section 2: k_geo), as is usual for small strains.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from flexforge.codegen.errors import AnalysisError, InputError
from flexforge.runtime.mechanism.motion import LinkMotion
from flexforge.runtime.motion.frame import AxisRotation, FrameMotion
from flexforge.runtime.statics.held import factor_held, factor_slightly_held
from flexforge.runtime.statics.pencil import Pencil
from flexforge.runtime.statics.rigid import free_motions, require_held
from flexforge.runtime.system.body import Body
from flexforge.runtime.system.inertia import prestress_patterns
from flexforge.runtime.system.system import System
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_UNHELD = 1e-5  # share of a load that only what holds nothing would balance


@dataclass(frozen=True, slots=True)
class PrestressReport:
    """What was done: patterns solved for, and why not, where not."""

    patterns: int
    warning: str = ""


def unstiffened(bodies: Sequence[Body]) -> list[str]:
    """Return what to say of bodies that turn, and whose element has no geometric stiffness.

    Parameters
    ----------
    bodies : sequence of Body
        All bodies; those on links count as turning, whose motion is not looked at.
    """
    return [
        f"body '{body.name}': geometric stiffness left out: element '{body.element}' has none "
        "derived"
        for body in bodies
        if has_none(body) and (isinstance(body.motion, LinkMotion) or body.motion.rotates)
    ]


def has_none(body: Body) -> bool:
    """Whether the element of a body has no geometric stiffness, and is no point without stress."""
    within = body.lumped or body.part.cell == "point1"
    return not within and "geometric" not in body.kernels


def add_prestress(system: System, solver: str) -> PrestressReport:
    """Compute the geometric stiffness matrices of all rotating bodies.

    Parameters
    ----------
    system : System
        Its bodies get their ``patterns`` and ``geometric``.
    solver : str
        Linear solver.

    Raises
    ------
    InputError
        When ``geometric = true`` and the bodies are free, or their element has no such term.
    """
    wanted = system.include.geometric
    rotating = [b for b in system.bodies if wanted is not False and b.motion.rotates]
    for body in rotating:
        if wanted is True and has_none(body):
            raise InputError(
                f"include.geometric: element '{body.element}' has no geometric stiffness; expected "
                "false"
            )
        if body.stiffens_itself:
            _stiffen(body)
    bodies = [b for b in rotating if "geometric" in b.kernels and not b.stiffens_itself]
    if not bodies:
        return PrestressReport(0)
    if wanted == "auto" and free_motions(system):
        return PrestressReport(
            0, "geometric stiffness left out: the supports do not hold the rotating bodies"
        )
    require_held(system, "for their centrifugal prestress (or include.geometric = false)")
    loading = [b for b in rotating if b.lumped or b in bodies]
    for body in loading:
        body.patterns, body.stressing = prestress_patterns(_axis(body)), []
    pencil, unheld = Pencil.at_rest(system), None
    try:
        factors = factor_held(pencil, solver, "centrifugal prestress")
    except AnalysisError as error:  # what hangs in its tension, as a string does
        factors, unheld = factor_slightly_held(pencil, solver), error
    count = max(len(body.patterns) for body in bodies)
    for k in range(count):
        load = np.zeros((system.size, system.dimension))
        for body in loading:
            if k < len(body.patterns):
                unit = body.patterns[k, : system.dimension, : system.dimension]
                load[body.nodes] -= body.inertia_load(unit)
        rhs = system.restrict(load)
        found = factors.solve(rhs)
        if unheld is not None:
            rest = np.linalg.norm(pencil.stiffness @ found - rhs)
            if rest > _UNHELD * np.linalg.norm(rhs):
                raise unheld
        shape = system.expand(found)
        for body in bodies:
            if k < len(body.patterns):
                body.stressing.append(shape[body.nodes])
                unit = body.patterns[k, : body.dimension, : body.dimension]
                body.geometric.append(body.prestress(body.stressing[-1], block=unit))
    factors.close()
    return PrestressReport(count)


def _stiffen(body: Body) -> None:
    """Give a rigid body the stiffness of its own centrifugal forces, be it held or not."""
    d = body.dimension
    body.patterns = prestress_patterns(_axis(body))
    body.geometric = [
        body.prestress(np.zeros_like(body.points), block=unit[:d, :d]) for unit in body.patterns
    ]


def _axis(body: Body) -> Floats | None:
    """Return the fixed axis of rotation, or None where it changes."""
    rotation = body.motion.rotation if isinstance(body.motion, FrameMotion) else None
    return rotation.axis if isinstance(rotation, AxisRotation) else None
