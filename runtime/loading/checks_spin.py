# SPDX-License-Identifier: BSD-3-Clause
"""Checks of bodies that spin in axes that stand still, and of what turns with them."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from flexforge.codegen.errors import InputError
from flexforge.runtime.loading.checks_plies import known_name
from flexforge.runtime.model.messages import Problem
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.model.schema_body import BodySpec
from flexforge.runtime.model.schema_frame import FrameSpec
from flexforge.runtime.model.schema_lumped import MassSpec
from flexforge.runtime.motion.build import build_motion
from flexforge.runtime.system.bearing_speeds import METHODS

#: Terms of inertia that bodies and their machines have in common.
_INERTIA = (
    "coriolis", "euler", "centrifugal_stiffness", "centrifugal_load", "euler_load", "origin_load",
)  # fmt: skip
#: Analyses that do not know bodies of linear elements that spin.
_WITHOUT = ("kinematics", "periodic", "spectrum", "random", "buckling")


def spin_problems(model: ModelSpec) -> Iterator[Problem]:
    """Yield what a model with bodies that spin cannot have, and unbalances of others."""
    tables: list[tuple[str, int, BodySpec | MassSpec]] = []
    tables += [("bodies", i, body) for i, body in enumerate(model.bodies)]
    tables += [("masses", i, mass) for i, mass in enumerate(model.masses)]
    spinning = [(table, index, one) for table, index, one in tables if one.spin is not None]
    for table, index, one in spinning:
        where: tuple[str | int, ...] = (table, index, "spin")
        if one.frame not in (None, FrameSpec()):
            text = "found with a frame that moves; expected a frame at rest, or frame alone"
            yield Problem(where, text)
            continue
        assert one.spin is not None
        if one.spin.machine is not None:
            names = [machine.name for machine in model.machines]
            unknown = list(known_name(one.spin.machine, names, "machine", (*where, "machine")))
            yield from unknown
            if unknown:
                continue
        try:
            motion = build_motion(model.turning(one.spin), abs(model.span))
            motion.rotation.check(model.span)
            motion.rotation.at(model.span)
        except InputError as error:
            yield Problem((*where, one.spin.as_frame.given or ""), str(error))
    if spinning:
        table, index, _ = spinning[0]
        where = (table, index, "spin")
        if model.analysis.kind in _WITHOUT:
            text = f"found with analysis {model.analysis.kind}; expected static, modes, harmonic "
            yield Problem(where, text + "or transient")
        if model.cyclic is not None:
            yield Problem(where, "found with [cyclic]; expected frame, whose sectors turn with it")
        if model.reduction is not None:
            yield Problem(("reduction",), "found with a body that spins; expected it without")
    spins = [one.spin for _, _, one in spinning if one.spin is not None]
    yield from _machines(model, {spin.machine for spin in spins})
    yield from _unbalances(model)


def _machines(model: ModelSpec, used: Collection[str | None]) -> Iterator[Problem]:
    """Yield machines that nothing turns with, and what their motion in time does not go with."""
    for index, machine in enumerate(model.machines):
        if machine.name not in used:
            text = f"found '{machine.name}', with which nothing turns; expected a body whose spin "
            yield Problem(("machines", index, "name"), text + "has it as machine")
    names = [machine.name for machine in model.machines]
    for index, probe in enumerate(model.probes):
        if probe.machine is not None:
            yield from known_name(probe.machine, names, "machine", ("probes", index, "machine"))
    analysis = model.analysis
    if not model.machines or analysis.kind != "transient":
        return
    for key in ("links", "equations"):
        if getattr(model, key):
            yield Problem((key,), "found with [[machines]] in time; expected none")
    for key in _INERTIA:
        if not getattr(model.include, key):
            yield Problem(("include", key), "found false with [[machines]] in time; expected true")
    if analysis.method not in METHODS:
        text = f"found {analysis.method} with [[machines]]; expected one of {', '.join(METHODS)}"
        yield Problem(("analysis", "method"), text)
    elif analysis.is_conditional:
        text = f"found {analysis.beta:g} with [[machines]], of steps that are not stable at any "
        text += f"length; expected at least {0.5 * (analysis.gamma or 0.0):g}"
        yield Problem(("analysis", "beta"), text)


def _unbalances(model: ModelSpec) -> Iterator[Problem]:
    """Unbalances vibrate with the speed, or turn in time."""
    analysis = model.analysis
    if analysis.kind == "harmonic" and analysis.speeds is not None:
        return
    if analysis.kind == "transient" and analysis.method != "modal":
        return
    for index, load in enumerate(model.loads):
        if load.kind == "unbalance":
            text = (
                f"found unbalance with analysis {analysis.kind}; expected transient, or harmonic "
            )
            yield Problem(("loads", index, "kind"), text + "with speeds")
