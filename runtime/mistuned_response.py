# SPDX-License-Identifier: BSD-3-Clause
"""Steady vibrations of a wheel whose sectors differ, beside those of the tuned one."""

from __future__ import annotations

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Complex, Floats
from flexforge.runtime.harmonics import nodal_forces, require_linear
from flexforge.runtime.machine.phases import Phases
from flexforge.runtime.mistuned import MistunedWheel, wheel_of
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.model.schema_analysis import HarmonicAnalysis
from flexforge.runtime.observe.answers import Answers
from flexforge.runtime.observe.probes import Probe
from flexforge.runtime.observe.record import Figures, Recorder
from flexforge.runtime.observe.seen import PROBES
from flexforge.runtime.results.data import Column
from flexforge.runtime.results.response import Response
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.name_table import NameTable
from flexforge.runtime.vibration.harmonic import swept
from flexforge.runtime.vibration.mistuning import whitehead_factor
from flexforge.runtime.vibration.tuned_waves import TunedWaves

#: Probes whose values do not depend on the stiffness of the sector that they are in.
_MOTIONS = ("displacement", "velocity", "acceleration")


def run_mistuned_response(
    analysis: HarmonicAnalysis,
    spec: ModelSpec,
    places: NameTable,
    loads: Loads,
    recorder: Recorder,
    phases: Phases,
) -> Figures:
    """Compute steady vibrations of a wheel whose sectors differ, beside those of the tuned one.

    Parameters
    ----------
    analysis : HarmonicAnalysis
        The settings of the analysis: waves of the tuned wheel, and the nodal diameter of loads.
    spec : ModelSpec
        The model, with mistuning.
    places : NameTable
        Its names in the system, which has the stresses of the preloads.
    loads : Loads
        The loads on the sector.
    recorder : Recorder
        Receives what probes see in every sector.
    phases : Phases
        Measures the time of the phases.

    Returns
    -------
    dict
        Of every probe the largest amplitudes of both wheels and their ratio.

    Raises
    ------
    InputError
        For supports that move, and probes of anything but motions.
    AnalysisError
        When tuned waves do not converge, or a motion grows.
    """
    system = places.system
    require_linear(spec, system, recorder.probes)
    _require_motions(spec, loads, recorder)
    assert analysis.modes is not None
    diameter = analysis.nodal_diameter or 0
    with phases("modes"):
        wheel = wheel_of(analysis, spec, places, system, analysis.modes)
        waves, force = wheel.waves, np.zeros(len(wheel.waves.squares), dtype=complex)
        for sectors, nodal in nodal_forces(spec, system, loads, analysis.time).items():
            force += waves.forces(nodal, sectors, diameter)
        frequencies = _frequencies(analysis, wheel)
    with phases("solve"):
        w = 2.0 * np.pi * frequencies
        answers = wheel.mistuned.answers(w, force)
        tuned = wheel.tuned.answers(w, force)
    seen = _seen(waves, Answers(recorder, system, analysis.time, accelerates=False), w)
    columns, of = _columns(recorder, waves.sector.count)
    response = Response(columns, of=of)
    turns = waves.in_sectors()
    values = []
    for place, frequency in enumerate(frequencies.tolist()):
        one = (turns * answers[place]) @ seen[place]  # (N, probes)
        other = (turns[0] * tuned[place]) @ seen[place]
        values.append(np.vstack([other[None], one]))
        response.add(frequency, values[-1].T.ravel())
    recorder.writer.table("response", response.csv())
    recorder.writer.summary({"response": response.data()})
    return _figures(recorder, frequencies, np.abs(np.array(values)))


def _require_motions(spec: ModelSpec, loads: Loads, recorder: Recorder) -> None:
    """Refuse what the stiffness of a sector tells, which differs, and what is not in waves."""
    if loads.given is not None:
        raise InputError(
            "cyclic.mistuning: found with supports that move; expected supports at rest"
        )
    if not recorder.probes:
        raise InputError(
            "probes: found none with mistuning; expected some, which are seen in every sector"
        )
    if spec.tables:
        raise InputError("tables: found with mistuning; expected probes alone")
    for number, probe in enumerate(recorder.probes):
        if not isinstance(probe, Probe) or probe.spec.quantity not in _MOTIONS:
            raise InputError(
                f"probes[{number}]: found '{probe.column.name}' with mistuning; expected a "
                "displacement, velocity or acceleration"
            )


def _frequencies(analysis: HarmonicAnalysis, wheel: MistunedWheel) -> Floats:
    """Return the frequencies of a sweep that gathers at resonances of both wheels, Hz."""
    if analysis.between is None:
        assert analysis.frequencies is not None
        return np.array(analysis.frequencies)
    own = [one.modes().values.imag / (2.0 * np.pi) for one in (wheel.mistuned, wheel.tuned)]
    return swept(np.concatenate(own), *analysis.between, analysis.points, analysis.bias)


def _seen(waves: TunedWaves, answers: Answers, w: Floats) -> Complex:
    """Return what probes see of waves in the sector of the mesh at frequencies, (F, R, P)."""
    still = np.zeros(waves.shapes.shape[1:])

    def of(fields: tuple[Floats, Floats, Floats]) -> Floats:
        return answers.values(*fields, still, bodies=False)[PROBES]

    each = []
    for place in range(3):  # displacements, velocities, accelerations
        parts = []
        for shape in waves.shapes:
            real, imaginary = (
                of(tuple(part if k == place else still for k in range(3)))  # type: ignore[arg-type]
                for part in (np.ascontiguousarray(shape.real), np.ascontiguousarray(shape.imag))
            )
            parts.append(real + 1j * imaginary)
        each.append(np.array(parts))
    rate = 1j * w[:, None, None]
    return np.asarray(each[0] + rate * each[1] + rate**2 * each[2])


def _columns(recorder: Recorder, sectors: int) -> tuple[list[Column], list[str]]:
    """Return columns of every probe, of the tuned wheel and of each sector, and of what each is."""
    columns, of = list[Column](), list[str]()
    for probe in recorder.probes:
        name, unit = probe.column.name, probe.column.unit
        parts = ["tuned", *(f"sector {number + 1}" for number in range(sectors))]
        columns += [Column(f"{name} {part}", unit) for part in parts]
        of += [name] * len(parts)
    return columns, of


def _figures(recorder: Recorder, frequencies: Floats, sizes: Floats) -> Figures:
    """Return the largest amplitudes, of sizes (F, 1 + N, P), the tuned wheel first."""
    sectors = sizes.shape[1] - 1
    figures: Figures = {"frequencies": len(frequencies)}
    for number, probe in enumerate(recorder.probes):
        name, unit, own = probe.column.name, probe.column.unit, sizes[:, 1:, number]
        place, sector = np.unravel_index(own.argmax(), own.shape)
        tuned = sizes[:, 0, number]
        figures |= {
            f"{name}, largest amplitude": [float(own.max()), unit],
            f"{name}, frequency of it": [float(frequencies[place]), "Hz"],
            f"{name}, sector of it": int(sector) + 1,
            f"{name}, largest amplitude of the tuned wheel": [float(tuned.max()), unit],
        }
        if tuned.max() > 0.0:
            figures[f"{name}, amplification"] = float(own.max() / tuned.max())
    return figures | {"largest amplification of one mode per blade": whitehead_factor(sectors)}
