# SPDX-License-Identifier: BSD-3-Clause
"""A random analysis: densities of excitations, mean squares of answers, and what results show."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from flexforge.codegen.errors import AnalysisError, InputError
from flexforge.runtime.arrays import Complex, Floats
from flexforge.runtime.machine.phases import Phases
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.model.schema_spectra import RandomAnalysis
from flexforge.runtime.observe.answers import Answers
from flexforge.runtime.observe.combined import Sizes, root_sum_squares
from flexforge.runtime.observe.record import Figures, Recorder
from flexforge.runtime.results.densities import ResponseDensities
from flexforge.runtime.statics.balance import is_large
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.system import System
from flexforge.runtime.vibration.excitation import axis_of, base_motion, require_rest
from flexforge.runtime.vibration.harmonic import directly
from flexforge.runtime.vibration.missing import static_remainders
from flexforge.runtime.vibration.modal_basis import superposition
from flexforge.runtime.vibration.quadrature import Quadrature, edges_at, refined
from flexforge.runtime.vibration.random_response import Densities, ModalStates
from flexforge.runtime.vibration.response_spectrum import principal_states
from flexforge.runtime.vibration.superposition import Superposition

#: Tolerances of mean squares by modes, and where every frequency takes a factorization.
_BY_MODES, _DIRECTLY = 1e-6, 1e-3
_FIRST = 16  # modes looked for at first, whose resonances tell where peaks are
_UNDAMPED = 1e-12  # damping of a mode, relative to its circular frequency, that is none
_DRAWN = 400  # frequencies of densities that are drawn, beside those that integrals have


def run_random(
    analysis: RandomAnalysis,
    spec: ModelSpec,
    system: System,
    loads: Loads,
    recorder: Recorder,
    phases: Phases,
) -> Figures:
    """Compute mean squares of the answers to random excitations, and write them.

    Parameters
    ----------
    analysis : RandomAnalysis
        The settings of the analysis.
    spec : ModelSpec
        The model.
    system : System
        The bodies, with the stresses of their preloads.
    loads : Loads
        The loads on them, of which those with an ``excitation`` vary.
    recorder : Recorder
        Receives the root mean squares.
    phases : Phases
        Measures the time of the phases.

    Returns
    -------
    dict
        The estimated error of mean squares, and root mean squares of probes.

    Raises
    ------
    InputError
        For bodies with an energy, frames that move, and values that cannot be combined.
    AnalysisError
        When modes do not converge, or integrals without damping.
    """
    if is_large(system):
        raise InputError(
            "analysis.kind: found random with bodies with an energy; expected linear bodies"
        )
    require_rest(system, analysis.time, "random")
    answers = Answers(recorder, system, analysis.time)
    given = _Excited.of(analysis, spec, system, loads)
    densities = Densities.of(analysis, spec.unit_system)
    with phases("modes"):
        modes = _modes(analysis, system, densities.high)
        resonances = np.sqrt(modes.squares) / (2.0 * np.pi)
        ratios = np.diag(modes.damping) / (2.0 * np.sqrt(np.maximum(modes.squares, 1e-300)))
        edges = edges_at(resonances, ratios, densities.kinks, densities.low, densities.high)
        _require_damping(modes, given.forces, edges)
    with phases("integrate"):
        if analysis.modes is not None:
            still = np.zeros_like(given.forces)
            if analysis.missing_mass:
                still = static_remainders(
                    system, modes, given.forces, analysis.time, analysis.solver,
                    analysis="random analysis",
                )  # fmt: skip
            found = _by_modes(analysis, modes, given, still, densities, answers, edges)
        else:
            found = _directly(analysis, system, given, densities, answers, edges)
    response = ResponseDensities(
        [probe.column for probe in recorder.probes],
        answers.linear_probes,
        found.frequencies,
        found.densities,
        [(one.name, one.unit, curve) for one, curve in
         zip(analysis.excitations, densities.at(found.frequencies).T, strict=True)],
    )  # fmt: skip
    with phases("write"):
        recorder.writer.table("densities", response.csv())
        recorder.writer.summary({"densities": response.data()})
        answers.write(_with_mean_frequency(found.sizes))
    figures: Figures = {
        "frequencies": len(found.quadrature.points),
        "estimated error of mean squares": found.quadrature.error,
    }
    figures |= answers.figures("root mean square")
    return figures | response.figures(found.mean_frequencies)


#: Displacements, velocities, accelerations and nodal forces of loads, (N, d) each.
_State: TypeAlias = tuple[Floats, Floats, Floats, Floats]


@dataclass(frozen=True, slots=True)
class _Excited:
    """What unit excitations do.

    Attributes
    ----------
    forces : ndarray, (e, N, d)
        Nodal forces, in a base that moves relative to it, N.
    bases : ndarray, (e, N, d)
        Accelerations of all nodes with the base, m/s^2.
    loads : ndarray, (e, N, d)
        Nodal forces of loads alone, N.
    """

    forces: Floats
    bases: Floats
    loads: Floats

    @classmethod
    def of(
        cls, analysis: RandomAnalysis, spec: ModelSpec, system: System, loads: Loads
    ) -> _Excited:
        """Return what the excitations of an analysis do."""
        here, spins = loads.on(system), system.spins(analysis.time)
        none = here.only(()).at(analysis.time, spins)
        forces, bases, acting = [], [], []
        for one in analysis.excitations:
            base, load = np.zeros_like(none), np.zeros_like(none)
            if one.direction is not None:
                base = base_motion(system, axis_of(one.direction), analysis.time)
                force = -system.mass_times(base)
            else:
                keys = [
                    f"loads[{i}]" for i, load in enumerate(spec.loads)
                    if load.excitation == one.name
                ]  # fmt: skip
                force = load = here.only(keys).at(analysis.time, spins) - none
            forces.append(force)
            bases.append(base)
            acting.append(load)
        return cls(np.array(forces), np.array(bases), np.array(acting))


def _require_damping(modes: Superposition, forces: Floats, edges: Floats) -> None:
    """Refuse resonances without damping between the edges (Hz) of what nodal forces excite.

    Their mean squares are infinite, which a quadrature need not notice.
    """
    frequencies = np.sqrt(modes.squares) / (2.0 * np.pi)
    acting = np.abs(modes.forces(forces)).max(axis=0)
    rates = np.abs(modes.damping).max(axis=1)
    bare = rates <= _UNDAMPED * np.sqrt(modes.squares)
    bare &= acting > _UNDAMPED * acting.max(initial=0.0)
    bare &= (frequencies >= edges[0]) & (frequencies <= edges[-1])
    if bare.any():
        mode = int(np.argmax(bare))
        raise AnalysisError(
            f"random: mode {mode + 1} at {frequencies[mode]:.6g} Hz has no damping; expected "
            "damping of every mode"
        )


@dataclass(frozen=True, slots=True)
class _Found:
    """Mean squares of everything.

    Attributes
    ----------
    sizes : mapping
        Root mean squares, by key.
    quadrature : Quadrature
        How they were integrated.
    frequencies : ndarray, (n,)
        At which densities of probes are known, Hz.
    densities : ndarray, (n, P)
        Densities of the probes that are linear.
    mean_frequencies : ndarray, (P,)
        Upward crossings of zero by these probes, 1/s.
    """

    sizes: Sizes
    quadrature: Quadrature
    frequencies: Floats
    densities: Floats
    mean_frequencies: Floats


def _modes(analysis: RandomAnalysis, system: System, high: float) -> Superposition:
    """Return the modes that add up; without such, those that tell where peaks are."""

    def some(count: int) -> Superposition:
        return superposition(system, count, analysis.modal_damping, analysis.time, analysis.solver)

    if analysis.modes is not None:
        return some(analysis.modes)
    count = min(_FIRST, system.unknowns)
    while True:
        found = some(count)
        known = len(found.squares)
        if known < count or count == system.unknowns or found.squares[-1] > (2 * np.pi * high) ** 2:
            return found
        count = min(2 * count, system.unknowns)


def _by_modes(
    analysis: RandomAnalysis,
    modes: Superposition,
    given: _Excited,
    still: Floats,
    densities: Densities,
    answers: Answers,
    edges: Floats,
) -> _Found:
    states = ModalStates(modes, modes.forces(given.forces).T, densities)
    quadrature = refined(states.mean_squares, edges, analysis.tolerance or _BY_MODES)
    own, rates = states.covariances(quadrature.points, quadrature.weights)
    k = len(modes.squares)

    def moved(z: Floats) -> _State:
        u, v, a = (modes.moved(z[i * k : (i + 1) * k]) for i in range(3))
        at_once, bases, loads = (
            np.tensordot(z[3 * k :], one, axes=1) for one in (still, given.bases, given.loads)
        )
        return u + at_once, v, a + bases, loads

    sizes = root_sum_squares(answers.values(*moved(row)) for row in principal_states(own))
    count = len(own)
    rows = np.array([answers.probes(*moved(unit)) for unit in np.eye(count)]).reshape(count, -1).T
    rows = rows[answers.linear_probes]
    frequencies = _drawn(quadrature.points, densities, np.sqrt(modes.squares) / (2.0 * np.pi))
    return _Found(
        sizes,
        quadrature,
        frequencies,
        states.densities_of(rows, frequencies),
        _crossings(np.einsum("pi,ij,pj->p", rows, own, rows),
                   np.einsum("pi,ij,pj->p", rows, rates, rows)),
    )  # fmt: skip


def _drawn(points: Floats, densities: Densities, resonances: Floats) -> Floats:
    """Return frequencies of which densities are told: some of the integrals, and resonances."""
    chosen = points[:: max(1, len(points) // _DRAWN)]
    low, high = densities.low, densities.high
    inside = resonances[(resonances > low) & (resonances < high)]
    return np.unique(np.concatenate([[low, high], chosen, inside]))


def _directly(
    analysis: RandomAnalysis,
    system: System,
    given: _Excited,
    densities: Densities,
    answers: Answers,
    edges: Floats,
) -> _Found:
    at = directly(
        system,
        given.forces.astype(complex),
        np.zeros_like(given.forces[0]),
        analysis.time,
        analysis.solver,
    )
    kept: dict[float, Complex] = {}

    def signals(frequency: float) -> Complex:
        """Return displacement of every signal (e, N, d), whose squares add up."""
        if frequency not in kept:
            kept[frequency] = at(2.0 * np.pi * frequency)
        mixed = densities.signals(np.array([frequency]))[0]
        return np.asarray(np.tensordot(mixed.T, kept[frequency], axes=1))

    def states(frequency: float) -> Iterator[_State]:
        """Yield the real and the imaginary part of the state of every signal."""
        w = 2.0 * np.pi * frequency
        mixed = densities.signals(np.array([frequency]))[0]
        for number, u in enumerate(signals(frequency)):
            base, loads = (
                np.tensordot(mixed[:, number], one, axes=1) for one in (given.bases, given.loads)
            )
            yield u.real, (1j * w * u).real, (-w * w * u + base).real, loads
            yield u.imag, (1j * w * u).imag, (-w * w * u).imag, np.zeros_like(loads)

    def probed(frequency: float) -> Floats:
        """Return the densities of the probes that are linear, (P,)."""
        each = [answers.probes(*one)[answers.linear_probes] for one in states(frequency)]
        return np.asarray(np.sum(np.array(each) ** 2, axis=0))

    def energies(frequency: float) -> list[float]:
        """Return what mean squares of displacements, velocities and accelerations are like."""
        w = 2.0 * np.pi * frequency
        total = 0.0
        for u in signals(frequency):
            for part in (np.ascontiguousarray(u.real), np.ascontiguousarray(u.imag)):
                total += float(np.sum(part * system.mass_times(part)))
        return [total, w**2 * total, w**4 * total]

    def watched(frequencies: Floats) -> Floats:
        return np.array([[*energies(f), *probed(f)] for f in frequencies.tolist()])

    quadrature = refined(watched, edges, analysis.tolerance or _DIRECTLY)
    points = quadrature.points.tolist()
    rows = np.array([probed(f) for f in points]).reshape(len(points), -1)
    w = 2.0 * np.pi * quadrature.points

    def every() -> Iterator[_State]:
        for point, weight in zip(points, quadrature.weights.tolist(), strict=True):
            for one in states(point):
                u, v, a, loads = (np.sqrt(weight) * part for part in one)
                yield u, v, a, loads

    return _Found(
        root_sum_squares(answers.values(*one) for one in every()),
        quadrature,
        quadrature.points,
        rows,
        _crossings(quadrature.weights @ rows, (quadrature.weights * w**2) @ rows),
    )


def _crossings(squares: Floats, rates: Floats) -> Floats:
    """Return upward crossings of zero, 1/s, of mean squares of values and of their rates."""
    own = np.where(squares > 0.0, squares, 1.0)
    return np.asarray(np.sqrt(np.where(squares > 0.0, rates, 0.0) / own) / (2.0 * np.pi))


def _with_mean_frequency(sizes: Sizes) -> Sizes:
    """Return root mean squares with the mean frequency of the displacement of every node, Hz."""
    found = dict(sizes)
    lengths: Callable[[Floats], Floats] = lambda one: np.linalg.norm(one, axis=-1)  # noqa: E731
    for (where, name, what), one in sizes.items():
        if where == "nodes" and what == "displacement":
            moved, rate = lengths(one), lengths(sizes[where, name, "velocity"])
            found[where, name, "mean_frequency"] = _crossings(moved**2, rate**2)
    return found
