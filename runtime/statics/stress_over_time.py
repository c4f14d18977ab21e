# SPDX-License-Identifier: BSD-3-Clause
"""Stresses of a motion in time: those of the rotation vary with it, a steady state is constant.

Steps, reduced and exported models combine constant matrices with time-dependent factors, which
exist for the loads of a rotation. The stresses of a steady state are constant if frames rotate
steadily under constant loads; treated as those of the load ``w~ w~`` of the rotation at its speed,
they have the factor 1. Bodies at rest in space have no such load: only steps in Python support
their stresses.
"""

from __future__ import annotations

from dataclasses import replace

from flexforge.codegen.errors import InputError
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.statics.preload import preloaded
from flexforge.runtime.statics.stress_state import (
    StateAt,
    StressState,
    stress_at,
    theory_of,
)
from flexforge.runtime.system.body import Body
from flexforge.runtime.system.inertia import skew
from flexforge.runtime.system.loads import Loads, MassForce
from flexforge.runtime.system.nodal_loads import NodalForce
from flexforge.runtime.system.system import System


def stress_of(model: ModelSpec, system: System, loads: Loads, vibrating: StateAt) -> StressState:
    """Return the bodies of a model with the stresses of its analysis, one at fixed speeds.

    Parameters
    ----------
    model : ModelSpec
        The model.
    system : System
        Its bodies, without stresses.
    loads : Loads
        The loads on them.
    vibrating : callable
        Returns the state about which bodies vibrate, of system, loads, solver and time.

    Raises
    ------
    InputError
        As for :func:`stress_over_time`; for reduced models also for stresses of bodies at rest.
    AnalysisError
        When there is no steady state.
    """
    analysis = model.analysis
    assert analysis.kind != "kinematics"
    if analysis.kind == "static" or analysis.kind == "buckling":
        return stress_at(system, loads, analysis.kind, analysis.solver, analysis.time)
    if analysis.kind != "transient" or analysis.method == "modal":
        begin = 0.0 if analysis.kind == "transient" else analysis.time
        return preloaded(model, system, loads, analysis.solver, begin, vibrating)
    found = stress_over_time(system, loads, analysis.solver)
    if model.reduction is not None:
        require_by_rotation(found.system, "a reduced model")
    return found


def stress_over_time(system: System, loads: Loads, solver: str) -> StressState:
    """Return the bodies with the stresses of a motion in time.

    Parameters
    ----------
    system : System
        The bodies, without stresses.
    loads : Loads
        The loads on them.
    solver : str
        Linear solver.

    Raises
    ------
    InputError
        When ``prestress = "steady"`` and the frames or loads of the steady state vary in time;
        otherwise as in :meth:`StressSolver.find`.
    AnalysisError
        When there is no steady state.
    """
    require_constant(system, loads)
    state = stress_at(system, loads, "transient", solver, 0.0)
    if state.theory != "steady":
        return state
    return replace(state, system=by_rotation(state, 0.0))


def exported_stress(system: System, loads: Loads, solver: str) -> StressState:
    """Return the bodies with the stresses of an exported model.

    Parameters and errors are those of :func:`stress_over_time`. Stresses of bodies at rest are
    refused too, and so are temperatures in a steady state, which a solver without matrices does not
    support.
    """
    state = stress_over_time(system, loads, solver)
    if state.theory == "steady":
        require_by_rotation(state.system, "an exported model")
        for name in loads.heat:
            raise InputError(
                f"include.prestress: found \"steady\" with a temperature of body '{name}'; "
                'expected "rigid_load", or no temperature, to export it'
            )
    return state


def by_rotation(state: StressState, time: float) -> System:
    """Return bodies with the stresses of a steady state, as those of a load of the rotation.

    Bodies at rest keep their stresses unchanged: see :func:`stressed_at_rest`.

    Parameters
    ----------
    state : StressState
        The steady state.
    time : float
        Its time, s.
    """
    changed: dict[int, Body] = {}
    frames = state.system.frames(time)
    for number, (body, frame) in enumerate(zip(state.system.bodies, frames, strict=True)):
        turn = skew(frame.w)
        pattern = turn @ turn
        if not body.geometric:
            continue
        if not any(one.any() for one in body.geometric):
            changed[number] = body.stressed(())
        elif pattern.any():
            shape = state.displacement[body.nodes]
            changed[number] = body.stressed(body.geometric, pattern[None], (shape,))
    return state.system.with_bodies(changed)


def stressed_at_rest(system: System) -> list[str]:
    """Return the names of bodies with stresses that are not caused by a rotation.

    Native steps and reduced and exported models have factors for loads of the rotation only.
    """
    return [body.name for body in system.bodies if body.geometric and not len(body.patterns)]


def require_by_rotation(system: System, what: str) -> None:
    """Refuse bodies with stresses that are not caused by a rotation.

    Parameters
    ----------
    system : System
        The bodies with their stresses.
    what : str
        The kind of model that does not support such stresses.

    Raises
    ------
    InputError
        Naming the body.
    """
    for name in stressed_at_rest(system):
        raise InputError(
            f"include.prestress: found \"steady\" with body '{name}', which is at rest under "
            f'prestress by loads; expected "rigid_load", or a rotating frame: {what} supports '
            "prestress by rotation only"
        )


def require_constant(system: System, loads: Loads) -> None:
    """Refuse a motion in time about a steady state whose frames or loads vary.

    Loads that rotate relative to their frames are not part of a steady state, and may vary.

    Parameters
    ----------
    system : System
        The bodies.
    loads : Loads
        What acts on them.

    Raises
    ------
    InputError
        Naming the frame, the support or the load.
    """
    if theory_of(system.include, "transient") != "steady":
        return
    instead = 'or prestress = "rigid_load"'
    for body in system.bodies:
        motion = body.motion
        assert motion.link is None  # the model is refused before
        if motion.rotates and not motion.is_steady:
            raise _changing(
                f"the frame of body '{body.name}', which rotates at a varying speed",
                f"a constant angular velocity, {instead}, whose stresses scale with the speed",
            )
        gliding = all(axis.velocity_is_constant for axis in motion.origin)
        if system.include.origin_load and not gliding:
            raise _changing(
                f"the frame of body '{body.name}', whose origin is accelerated",
                f"an origin at rest or in uniform motion, {instead}",
            )
    if loads.given is not None and not loads.given.is_constant:
        raise _changing(
            "supports with time-dependent displacements", f"constant displacements, {instead}"
        )
    constant, _ = loads.constant_in_frames()
    acting: list[NodalForce | MassForce] = [*constant.nodal, *constant.mass]
    for load in acting:
        if not load.amplitude.is_constant:
            raise _changing(
                f"{load.key} on body '{system.bodies[load.body].name}', which depends on time",
                f"loads constant in time or fixed in their frames, {instead}",
            )


def _changing(found: str, expected: str) -> InputError:
    return InputError(
        f'include.prestress: found "steady" in a motion in time with {found}; expected {expected}'
    )
