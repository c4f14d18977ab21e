# SPDX-License-Identifier: BSD-3-Clause
"""Analysis of undamped critical speeds, from the stresses to the results."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.machine.phases import Phases
from flexforge.runtime.model.schema_critical import CriticalSpeedsAnalysis
from flexforge.runtime.observe.record import Figures, Recorder
from flexforge.runtime.results.undamped import MapRow, UndampedRow, UndampedSpeeds
from flexforge.runtime.statics.balance import is_large
from flexforge.runtime.statics.stress_state import Theory, theory_of
from flexforge.runtime.system.bearing import BearingBody, bearings_of
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.system import System
from flexforge.runtime.vibration.critical import whirl_of
from flexforge.runtime.vibration.direct_criticals import CriticalSpeed, CriticalSpeeds
from flexforge.runtime.vibration.modes import in_phase
from flexforge.runtime.vibration.sensitivities import sensitivities
from flexforge.runtime.vibration.whirl import Whirl


def run_critical_speeds(
    analysis: CriticalSpeedsAnalysis,
    system: System,
    loads: Loads,
    recorder: Recorder,
    phases: Phases,
) -> tuple[Figures, list[str], Theory | None]:
    """Compute the undamped critical speeds of a system, and write them.

    Parameters
    ----------
    analysis : CriticalSpeedsAnalysis
        The settings of the analysis.
    system : System
        The bodies.
    loads : Loads
        The loads that stress them.
    recorder : Recorder
        Receives the shapes.
    phases : Phases
        Measures the time of the phases.

    Returns
    -------
    figures : dict
        Name to number with its unit.
    left_out : list of str
        Loads left out of the stresses, and orders with fewer critical speeds than wanted.
    theory : str or None
        Of the stresses, if there were any.

    Raises
    ------
    InputError
        For bodies with an energy, and where nothing turns steadily.
    AnalysisError
        When stresses do not grow with the square of the speed, or a motion is not held.
    """
    if is_large(system):
        raise InputError(
            "analysis.kind: found critical_speeds of bodies with an energy; expected modes, with "
            "speeds of the frames step by step"
        )
    bearings = bearings_of(system)
    replaced: Sequence[str] = ()
    if analysis.stiffness is not None:
        replaced = analysis.connectors or [one.name for one in bearings]
    stands = any(body.motion.stands for body in system.bodies)
    orders = analysis.orders or ((1,) if stands else (0,))
    told = UndampedSpeeds(recorder.writer.units.second)
    shapes: list[Floats] = []
    warnings: list[str] = []
    acted: Theory | None = None
    try:
        for order in orders:
            with phases("prestress"):
                solving = CriticalSpeeds(
                    system, loads, order, analysis.count, replaced, analysis.solver, analysis.time
                )
            try:
                warnings += _of_order(order, analysis, solving, told, shapes, recorder, phases)
            finally:
                solving.close()
            if solving.acted:
                acted = theory_of(system.include, "modes")
            warnings += [one for one in solving.warnings if one not in warnings]
    finally:  # what is found is kept, also of an analysis that is stopped
        if told.rows:
            with phases("write"):
                told.laws([(one.name, *_curve(one)) for one in bearings if one.name in replaced])
                known = np.array(shapes[: len(told.rows)])
                _write(told, known.reshape(-1, *system.map.shape), recorder)
    return told.figures(), warnings, acted


def _of_order(
    order: int,
    analysis: CriticalSpeedsAnalysis,
    solving: CriticalSpeeds,
    told: UndampedSpeeds,
    shapes: list[Floats],
    recorder: Recorder,
    phases: Phases,
) -> list[str]:
    """Find the critical speeds of an order, and their map; return what to warn of."""
    with phases("solve"):
        found = solving.own()
    turns = Whirl(solving.matrices.system, solving.axes)
    for number, one in enumerate(found, start=1):
        parts = sensitivities(
            solving.matrices, order, one.shape, one.speed**2, one.law, solving.varying
        )
        (sense,) = _senses(turns, [one], order)
        shapes.append(solving.matrices.system.expand(in_phase(one.shape[None])[0].real))
        told.add(UndampedRow(order, number, one.speed, sense, parts))
    stiffnesses = analysis.stiffness or ()
    each = solving.over(stiffnesses)
    for number, stiffness in enumerate(stiffnesses, start=1):
        with phases("map", quiet=True):
            some = next(each)
        speeds = [one.speed for one in some]
        told.add_to_map(MapRow(order, stiffness, speeds, _senses(turns, some, order)))
        recorder.writer.progress("stiffnesses", number, len(stiffnesses))
        phases.tell("stiffnesses", number, len(stiffnesses))
    if len(found) == analysis.count:
        return []
    return [
        f"order {order} has {len(found)} critical speeds of {analysis.count} asked for: gyroscopic "
        "stiffness or stresses raise other frequencies faster than the speed"
    ]


def _senses(turns: Whirl, found: Sequence[CriticalSpeed], order: int) -> list[str]:
    """Return forward, backward or standing of shapes; of order 0 none has a sense."""
    if not order or not found:
        return [""] * len(found)
    shapes = np.array([one.shape for one in found])
    return [whirl_of(float(sense)) for _, sense in turns.of(shapes)]


def _curve(bearing: BearingBody) -> tuple[Floats, Floats]:
    """Return the speeds of a bearing's table, rad/s, and its stiffness along both axes, N/m."""
    law = bearing.bearing
    return law.speeds, np.array([law.values[:, 0, i, i] for i in range(2)])


def _write(told: UndampedSpeeds, shapes: Floats, recorder: Recorder) -> None:
    writer = recorder.writer
    frequencies = np.array([one.speed / (2.0 * np.pi) for one in told.rows])
    about = [
        {"order": one.order, "critical_speed_rad_s": one.speed, "whirl": one.whirl}
        for one in told.rows
    ]
    recorder.modes(frequencies, shapes, about=about)
    for name, text in told.tables():
        writer.table(name, text)
    writer.summary({"undamped": told.data()})
