# SPDX-License-Identifier: BSD-3-Clause
"""A harmonic analysis: frequencies, steady vibrations, what probes and tables see of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Complex, Floats
from flexforge.runtime.machine.phases import Phases
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.model.schema_analysis import HarmonicAnalysis
from flexforge.runtime.model.schema_solving import Rayleigh
from flexforge.runtime.model.schema_table import OF_CELLS
from flexforge.runtime.observe.answers import Answers
from flexforge.runtime.observe.orbit_pairs import orbit_pairs, spin_axis
from flexforge.runtime.observe.probes import AnyProbe, Probe
from flexforge.runtime.observe.record import Figures, Recorder
from flexforge.runtime.observe.seen import PROBES, Values
from flexforge.runtime.observe.support_probe import SupportProbe
from flexforge.runtime.results.bearing_loads import BearingForces
from flexforge.runtime.results.multiples import Multiples
from flexforge.runtime.results.orbits import OrbitPair
from flexforge.runtime.results.response import Response
from flexforge.runtime.results.speed_results import SpeedResults
from flexforge.runtime.statics.balance import is_large
from flexforge.runtime.statics.preload import preload_keys
from flexforge.runtime.statics.sector_stresses import SectorStresses
from flexforge.runtime.statics.stress_state import Stresses, StressSolver
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.name_table import NameTable
from flexforge.runtime.system.system import System
from flexforge.runtime.vibration.engine_orders import excited_by, signed_diameter
from flexforge.runtime.vibration.harmonic import by_modes, directly, swept
from flexforge.runtime.vibration.modal_basis import ModalBasis, superposition
from flexforge.runtime.vibration.superposition import Superposition
from flexforge.runtime.vibration.synchronous import Steady, Synchronous
from flexforge.runtime.vibration.wheel_sweep import sense_of

#: Speeds at which small systems may be solved before results are written.
MOST = 64

#: Components of which there is no amplitude: they are not linear in the displacement.
_NONLINEAR = ("magnitude", "von_mises", "principal1", "principal2", "principal3",
              "von_mises_top", "von_mises_bottom", "largest_normal_stress")  # fmt: skip


def run_harmonic(
    analysis: HarmonicAnalysis,
    spec: ModelSpec,
    places: NameTable,
    loads: Loads,
    recorder: Recorder,
    phases: Phases,
    basis: ModalBasis = superposition,
    about: Floats | None = None,
) -> Figures:
    """Compute steady vibrations over the frequency, and write them.

    Parameters
    ----------
    analysis : HarmonicAnalysis
        The settings of the analysis.
    spec : ModelSpec
        The model, of which the phases of loads are taken.
    places : NameTable
        Its names in the system, which has the stresses of the preloads, but over speeds none.
    loads : Loads
        The loads on the bodies.
    recorder : Recorder
        Receives the states: the real part at every frequency.
    phases : Phases
        Measures the time of the phases.
    basis : callable
        Returns the modes that add up.
    about : ndarray, (N, d), optional
        Displacements about which bodies with an energy vibrate, m.

    Returns
    -------
    dict
        Of every probe the largest amplitude and its frequency, or speed.

    Raises
    ------
    InputError
        For bodies with an energy over speeds, temperatures, and probes that are not linear in
        displacements.
    AnalysisError
        When there is no steady vibration at a frequency.
    """
    system = places.system
    require_linear(spec, system, recorder.probes)
    if analysis.speeds is not None:
        return _over_speeds(analysis, spec, places, loads, recorder, phases)
    vary = loads.only(preload_keys(spec, preload=False)).followers
    for number, probe in enumerate(recorder.probes):
        if vary and isinstance(probe, SupportProbe):
            raise InputError(
                f"probes[{number}]: found a reaction with {vary[0].key}, a load that follows and "
                "vibrates; expected one that keeps its direction (follows = false)"
            )
    forces = nodal_forces(spec, system, loads, analysis.time, about=about)
    given = np.zeros(system.map.shape)
    if loads.given is not None:
        given = loads.given.at(analysis.time)[0]
    if analysis.nodal_diameter:
        if loads.given is not None:
            raise InputError(
                "analysis.nodal_diameter: found with supports that move; expected supports at rest"
            )
        system = places.at_diameter(system, analysis.nodal_diameter)
    if analysis.modes is None:
        assert analysis.frequencies is not None
        frequencies = np.array(analysis.frequencies)
        at = directly(system, forces[None][None], given, analysis.time, analysis.solver)
    else:
        with phases("modes"):
            modes = basis(
                system, analysis.modes, analysis.modal_damping, analysis.time, analysis.solver
            )
        damping = analysis.modal_damping
        drag = damping.alpha if isinstance(damping, Rayleigh) else 0.0
        force = _modal(modes, forces)
        at = by_modes(system, modes, force, given, analysis.time, analysis.solver, drag)
        if analysis.between is not None:
            own = np.sqrt(modes.squares) / (2.0 * np.pi)
            frequencies = swept(own, *analysis.between, analysis.points, analysis.bias)
        else:
            assert analysis.frequencies is not None
            frequencies = np.array(analysis.frequencies)
    # Of a wheel results are those of the sector of the mesh, the first.
    here = np.sum([f for sectors, f in forces.items() if sectors is None or 1 in sectors], axis=0)
    answers = Answers(recorder, system, analysis.time, accelerates=False, about=about)
    response = Response([probe.column for probe in recorder.probes])
    for number, frequency in enumerate(frequencies.tolist(), start=1):
        with phases("solve", quiet=True):
            u = at(2.0 * np.pi * frequency)[0]
        with phases("write", quiet=True):
            if system.vibrates:
                there = system.vibrating(2.0 * np.pi * frequency)
                answers = Answers(recorder, there, analysis.time, accelerates=False)
            _write(recorder, answers, response, frequency, u, here)
            recorder.writer.progress("frequencies", number, len(frequencies))
        phases.tell("frequencies", number, len(frequencies))
    _finish(recorder, response)
    return {"frequencies": len(frequencies), **response.figures()}


def _over_speeds(
    analysis: HarmonicAnalysis,
    spec: ModelSpec,
    places: NameTable,
    loads: Loads,
    recorder: Recorder,
    phases: Phases,
) -> Figures:
    """Compute steady vibrations over the speed, of its frequency, and write them.

    Parameters, result and errors are those of :func:`run_harmonic`.
    """
    assert analysis.speeds is not None
    system = places.system
    if loads.given is not None:
        raise InputError(
            "analysis.speeds: found with supports that move; expected supports at rest"
        )
    unbalanced = {one.key for one in loads.unbalances}
    for one in loads.unbalances:
        order = one.order(system.bodies[one.body])
        if analysis.order != order:
            raise InputError(
                f"analysis.order: found {analysis.order} with {one.key}, an unbalance on body "
                f"'{system.bodies[one.body].name}'; expected {order}"
            )
    forces = nodal_forces(spec, system, loads, analysis.time, without=unbalanced)[None]
    constant = loads.only(preload_keys(spec, preload=True))
    own = StressSolver(system, constant, "modes", analysis.solver)
    stresses: Stresses = own
    waves: Figures = {}
    if places.sector is not None:
        diameter, waves = _waves_of_loads(analysis, places)
        stresses = SectorStresses(own, system).at_diameter()
        system = places.at_diameter(system, diameter)
    sweep = Synchronous(system, loads, stresses, analysis.order, analysis.time, analysis.solver)
    alone = bool(loads.unbalances) and not forces.any()
    response = Response(
        [probe.column for probe in recorder.probes],
        of_speeds=True,
        operating=analysis.operating,
        unbalance=sum(one.amount for one in loads.unbalances) if alone else None,
    )
    loads_of_bearings = BearingForces([one.body.name for one in sweep.bearings])
    multiples = Multiples([probe.column for probe in recorder.probes])
    done, count = 0, len(analysis.speeds)
    together = MOST if _shows_alike(system, recorder) else 1
    try:
        each = sweep.run(analysis.speeds, forces, together)
        while True:
            with phases("solve", quiet=True):
                found = next(each, None)
            if found is None:
                break
            with phases("write", quiet=True):
                _write_all(recorder, response, found, analysis)
                _add_multiples(recorder, multiples, found, analysis)
                loads_of_bearings.add(found.speeds, sweep.bearing_forces(found))
                done += len(found.speeds)
                recorder.writer.progress("speeds", done, count)
            phases.tell("speeds", done, count)
    finally:
        own.close()
        _finish(recorder, response)
        told = SpeedResults(response, loads_of_bearings, _pairs(recorder, places, analysis))
        for name, text in told.tables(recorder.writer.units):
            recorder.writer.table(name, text)
        if multiples.rows:
            recorder.writer.table("multiples", multiples.csv())
        recorder.writer.summary({"response": told.data()})
    amounts: Figures = {f"unbalance of {one.key}": [one.amount, "kg m"] for one in loads.unbalances}
    figures = {**response.figures(), **loads_of_bearings.figures()}
    return {"speeds": count, **waves, **amounts, **figures}


def _pairs(recorder: Recorder, places: NameTable, analysis: HarmonicAnalysis) -> list[OrbitPair]:
    """Return the pairs of probes that have orbits: of what vibrates, in axes at rest."""
    if not analysis.order or places.sector is not None:
        return []
    return orbit_pairs(recorder.probes, spin_axis(places.system, np.array([analysis.time])))


def _waves_of_loads(analysis: HarmonicAnalysis, places: NameTable) -> tuple[int, Figures]:
    """Return the nodal diameters of the loads on a sector over the speed, and what to say of them.

    Those of loads that rest in space are seen in the wheel, unless others are asked for.
    """
    assert places.sector is not None
    if analysis.nodal_diameter is not None:
        return analysis.nodal_diameter, {}
    sectors = places.sector.count
    diameter, travels = excited_by(analysis.order, sectors)
    told: Figures = {"nodal diameter of the loads": diameter, "wave of the loads": travels}
    return signed_diameter(analysis.order, sectors, sense_of(places)), told


def _shows_alike(system: System, recorder: Recorder) -> bool:
    """Whether results see vibrations alike at all speeds: probes at nodes, in axes that stand."""
    still = all(body.motion.stands or not body.motion.rotates for body in system.bodies)
    probes = all(isinstance(probe, Probe) for probe in recorder.probes)
    return still and probes and not recorder.tables


def _write_all(
    recorder: Recorder, response: Response, found: Steady, analysis: HarmonicAnalysis
) -> None:
    """Write vibrations at several speeds, each of its frequency."""
    answers = Answers(recorder, found.system, analysis.time, accelerates=False)
    frequencies = analysis.order * found.speeds / (2.0 * np.pi)
    each = zip(frequencies.tolist(), found.speeds.tolist(), strict=True)
    if answers.probes_alone:
        values = answers.write_probed(found.displacement, found.force, frequencies)
        for (frequency, speed), value in zip(each, values, strict=True):
            response.add(frequency, value, speed)
        return
    moved = zip(each, found.displacement, found.force, strict=True)
    for (frequency, speed), u, force in moved:
        _write(recorder, answers, response, frequency, u, force, speed)


def _add_multiples(
    recorder: Recorder, multiples: Multiples, found: Steady, analysis: HarmonicAnalysis
) -> None:
    """Add what probes see at other multiples of the speed, where there are any."""
    if not found.multiples or not recorder.probes:
        return
    answers = Answers(recorder, found.system, analysis.time, accelerates=False)
    for number, speed in enumerate(found.speeds.tolist()):
        for multiple, moved in sorted(found.multiples.items()):
            frequency = multiple * speed / (2.0 * np.pi)
            nothing = np.zeros_like(found.force[number])
            real, imaginary = both_parts(answers, frequency, moved[number], nothing)
            multiples.add(speed, multiple, real[PROBES] + 1j * imaginary[PROBES])


def _write(
    recorder: Recorder,
    answers: Answers,
    response: Response,
    frequency: float,
    u: Complex,
    force: Complex,
    speed: float | None = None,
) -> None:
    """Write a vibration (N, d) at a frequency (Hz), of a speed (rad/s) if it follows one."""
    real, imaginary = both_parts(answers, frequency, u, force)
    answers.write_vibration(real, imaginary, frequency)
    response.add(frequency, real[PROBES] + 1j * imaginary[PROBES], speed)


def _finish(recorder: Recorder, response: Response) -> None:
    """Write what probes have seen of all vibrations so far."""
    recorder.flush()
    if recorder.probes:
        recorder.writer.table("response", response.csv())
        recorder.writer.summary({"response": response.data()})


def nodal_forces(
    spec: ModelSpec,
    system: System,
    loads: Loads,
    time: float,
    without: Collection[str] = (),
    about: Floats | None = None,
) -> dict[tuple[int, ...] | None, Complex]:
    """Return the complex amplitudes of the nodal forces of loads, (N, d), N, by their sectors.

    Those on all sectors, or without any, are always there. Loads with some keys are left out; those
    that follow are those at displacements (N, d).
    """
    spins, here = system.spins(time), loads.on(system)
    none = here.only(()).at(time, spins)  # what the frames cause is constant
    every = ((f"loads[{i}]", load) for i, load in enumerate(spec.loads) if not load.preload)
    acting = [(key, load) for key, load in every if key not in without]
    alike: dict[tuple[tuple[int, ...] | None, float], list[str]] = {}
    for key, load in acting:
        alike.setdefault((load.sectors, load.phase), []).append(key)
    found: dict[tuple[int, ...] | None, Complex] = {None: np.zeros(none.shape, dtype=complex)}
    for (sectors, phase), keys in alike.items():
        some = here.only(keys)
        force = np.exp(1j * phase) * (some.at(time, spins) - none)
        if about is not None:
            force = force + np.exp(1j * phase) * some.following(time, about)
        found[sectors] = found.get(sectors, 0.0) + force
    return found


def _modal(modes: Superposition, forces: Mapping[tuple[int, ...] | None, Complex]) -> Complex:
    """Return the complex amplitudes of modal forces, (k,), of nodal ones by their sectors."""
    total = np.zeros(len(modes.squares), dtype=complex)
    for sectors, force in forces.items():
        acting = modes.acting_on(sectors)
        total += acting.forces(force.real) + 1j * acting.forces(force.imag)
    return total


def both_parts(
    answers: Answers, frequency: float, u: Complex, force: Complex
) -> tuple[Values, Values]:
    """Return what results show of a vibration at phase zero, and a quarter before."""
    w = 2j * np.pi * frequency
    amplitudes = (u, w * u, w * w * u, force)
    one, other = (
        answers.values(*(np.ascontiguousarray(part(x)) for x in amplitudes), bodies=bodies)
        for part, bodies in ((np.real, True), (np.imag, False))
    )
    return one, other


def require_linear(spec: ModelSpec, system: System, probes: Sequence[AnyProbe]) -> None:
    """Refuse bodies, loads, tables and probes whose vibrations have no amplitude.

    Raises
    ------
    InputError
        Naming what has none.
    """
    unlike = [key for key in ("speeds", "nodal_diameter") if getattr(spec.analysis, key, None)]
    if is_large(system) and (unlike or system.vibrates):
        key = unlike[0] if unlike else "kind"
        raise InputError(
            f"analysis.{key}: found in a harmonic analysis of bodies with an energy; expected "
            "frequencies, and constant coefficients of bearings"
        )
    for number, load in enumerate(spec.loads):
        if load.kind in ("temperature", "stress") and not load.preload:
            raise InputError(
                f"loads[{number}]: found a {load.kind} in a harmonic analysis; expected one with "
                "preload = true, or none"
            )
    for number, table in enumerate(spec.tables):
        if table.quantity in (*OF_CELLS, "energy_density"):
            raise InputError(
                f"tables[{number}].quantity: found {table.quantity} in a harmonic analysis; "
                "expected a quantity with an amplitude"
            )
    for number, probe in enumerate(probes):
        known = isinstance(probe, Probe | SupportProbe)
        if not known or probe.spec.component in _NONLINEAR:
            raise InputError(
                f"probes[{number}]: found '{probe.column.name}', which has no amplitude; expected "
                "a component of a displacement, velocity, acceleration, stress, section force or "
                "reaction"
            )
        if probe.spec.quantity == "position" or probe.spec.reduce == "max":
            raise InputError(
                f"probes[{number}]: found '{probe.column.name}', which is not linear in the "
                "displacements; expected the mean of a displacement, velocity or acceleration"
            )
