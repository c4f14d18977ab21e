# SPDX-License-Identifier: BSD-3-Clause
"""Static analysis of bodies with an energy: a path of equilibria, recorded as it is found."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.finite.arc_length import follow_arc
from flexforge.runtime.finite.bifurcation import located
from flexforge.runtime.finite.course import Course
from flexforge.runtime.finite.load_steps import PathPoint, follow_loads
from flexforge.runtime.finite.newton import Equilibrium, Newton, Tangents
from flexforge.runtime.machine.phases import Phases
from flexforge.runtime.model.schema_analysis import StaticAnalysis
from flexforge.runtime.observe.motion import AtRest
from flexforge.runtime.observe.record import Figures, Recorder, largest_displacement
from flexforge.runtime.statics.balance import Balance
from flexforge.runtime.statics.rigid import require_held
from flexforge.runtime.statics.tied_balance import balance_of
from flexforge.runtime.system.deformation import Deformation
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.system import System


def require_linear_keys(analysis: StaticAnalysis) -> None:
    """Refuse keys of paths in a model of linear bodies.

    Raises
    ------
    InputError
        Naming the first of them.
    """
    for key in StaticAnalysis.OF_PATHS:
        if key in analysis.model_fields_set:
            raise InputError(
                f"analysis.{key}: found it in a model of linear bodies, whose equilibrium is one "
                "solution; expected a body with an energy (bodies.energy, or an element file)"
            )


def run_path(
    analysis: StaticAnalysis,
    system: System,
    loads: Loads,
    recorder: Recorder,
    deformation: Deformation,
    phases: Phases,
) -> tuple[Figures, list[str]]:
    """Follow the path of equilibria, record its points, and return figures and warnings.

    Points that were found are written whatever ends the path.

    Parameters
    ----------
    analysis : StaticAnalysis
        The settings.
    system : System
        The bodies.
    loads : Loads
        What acts on them.
    recorder : Recorder
        Receives the states.
    deformation : Deformation
        Checks linear bodies.
    phases : Phases
        Measures the time.

    Raises
    ------
    InputError
        When supports leave a motion free.
    AnalysisError
        When the path ends before its loads are whole.
    """
    require_held(system, "in a static analysis")
    balance = balance_of(system, loads, analysis.time)
    tangents = Tangents(balance, analysis.solver)
    newton = Newton(balance, tangents, analysis.tolerance)
    course = Course(balance)
    path = _path(analysis, newton)
    try:
        while True:
            with phases("solve", quiet=True):
                point = next(path, None)
            if point is None:
                break
            with phases("solve", quiet=True):
                course.follow(point, partial(located, newton))
            state, by_loads = point.state, analysis.path == "loads"
            with phases("write", quiet=True):
                time = state.factor if by_loads else float(course.count - 1)
                at_rest = AtRest(system, state.displacement, time, state.factor, analysis.time)
                recorder.record(time, at_rest)
                deformation.follow(time, state.displacement)
            if by_loads:
                phases.tell("load", round(100.0 * state.factor), 100)
            else:
                phases.tell("points", course.count, analysis.points)
    finally:
        with phases("write", quiet=True):
            recorder.flush()
            recorder.agree()
        name = "" if not tangents.factored else tangents.factors.name
        tangents.close()
        found: Figures = {}
        if course.last is not None:
            found = {
                "largest displacement": [largest_displacement(system, state.displacement), "m"],
                "strain energy": [balance.strain_energy(state.displacement, state.factor), "J"],
                "residual": state.residual,
                "solver": name,
                **course.figures(),
                "factorizations": tangents.factored,
                **_reactions(balance, state),
                **deformation.figures(),
                **recorder.figures(),
            }
        recorder.writer.summary({"figures": found})
    return found, course.warnings()


def _path(analysis: StaticAnalysis, newton: Newton) -> Iterator[PathPoint]:
    if analysis.path == "loads":
        return follow_loads(newton, analysis.load_steps)
    return follow_arc(newton, analysis.load_steps, analysis.points)


def _reactions(balance: Balance, state: Equilibrium) -> Figures:
    """Return the forces of the supports; moments, which act on rotations, are none."""
    placed = np.unique(np.concatenate([body.placed for body in balance.system.bodies]))
    held = balance.reactions(state.q, state.displacement, state.factor)[placed].sum(axis=0)
    return {f"reaction {axis}": [float(one), "N"] for axis, one in zip("xyz", held, strict=False)}
