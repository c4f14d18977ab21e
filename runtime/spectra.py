# SPDX-License-Identifier: BSD-3-Clause
"""A response spectrum analysis: modes, their peaks, what results show of them combined."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from flexforge.codegen.errors import AnalysisError, InputError
from flexforge.runtime.arrays import Flags, Floats
from flexforge.runtime.machine.phases import Phases
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.model.schema_spectra import SpectrumAnalysis
from flexforge.runtime.observe.answers import Answers
from flexforge.runtime.observe.combined import (
    Sizes,
    absolute_sum,
    of_directions,
    root_sum_squares,
    with_close,
)
from flexforge.runtime.observe.record import Figures, Recorder
from flexforge.runtime.observe.seen import Key, Values
from flexforge.runtime.results.spectrum import ModalAnswer, spectrum_csv, spectrum_data
from flexforge.runtime.statics.balance import is_large
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.system import System
from flexforge.runtime.unit_systems import UnitSystem
from flexforge.runtime.vibration.excitation import axis_of, base_motion, name_of, require_rest
from flexforge.runtime.vibration.missing import static_remainders
from flexforge.runtime.vibration.modal_basis import superposition
from flexforge.runtime.vibration.response_spectrum import (
    Spectrum,
    close_pairs,
    cqc,
    principal_states,
)
from flexforge.runtime.vibration.superposition import Superposition

#: Share of the mass in modes below which a warning asks for more of them.
_ENOUGH = 0.9
_NEARLY = 0.9  # of a damping ratio
_BASE: Key = ("base", "", "")


def run_spectrum(
    analysis: SpectrumAnalysis,
    spec: ModelSpec,
    system: System,
    loads: Loads,
    recorder: Recorder,
    phases: Phases,
    warnings: list[str],
) -> Figures:
    """Compute modes and the combined peaks of their answers to spectra, and write them.

    Parameters
    ----------
    analysis : SpectrumAnalysis
        The settings of the analysis.
    spec : ModelSpec
        The model.
    system : System
        The bodies, with the stresses of their preloads.
    loads : Loads
        The loads on them, of which those with ``preload`` stress the bodies.
    recorder : Recorder
        Receives the modes and the combined values.
    phases : Phases
        Measures the time of the phases.
    warnings : list of str
        Receives what the spectra or the modes leave out.

    Returns
    -------
    dict
        Shares of the masses, forces on the base, and what recorders tell of one state.

    Raises
    ------
    InputError
        For bodies with an energy, frames that move, and values that cannot be combined.
    AnalysisError
        When modes do not converge, or one has the frequency zero.
    """
    if is_large(system):
        raise InputError(
            "analysis.kind: found spectrum with bodies with an energy; expected linear bodies"
        )
    require_rest(system, analysis.time, "spectrum")
    answers = Answers(recorder, system, analysis.time, without=("velocity",))
    with phases("modes"):
        modes = superposition(
            system, analysis.modes, analysis.modal_damping, analysis.time, analysis.solver
        )
        oscillators = _Oscillators.of(modes)
        recorder.modes(oscillators.frequencies, modes.shapes, listed=False)
    with phases("combine"):
        bases = [base_motion(system, axis_of(one.direction), analysis.time)
                 for one in analysis.excitations]  # fmt: skip
        found = [
            _Peaks.under(analysis, number, bases, system, modes, oscillators, spec.unit_system)
            for number in range(len(bases))
        ]
        parts = [_combined(analysis, one, answers, modes, oscillators) for one in found]
        whole = of_directions(parts, analysis.directions)
    rows = [one.told(analysis, oscillators, part) for one, part in zip(found, parts, strict=True)]
    warnings += _left_out(analysis, rows)
    with phases("write"):
        recorder.writer.table("spectrum", spectrum_csv(rows))
        recorder.writer.summary({"spectrum": spectrum_data(rows)})
        answers.write({key: one for key, one in whole.items() if key != _BASE})
    return _figures(rows) | answers.figures("peak")


@dataclass(frozen=True, slots=True)
class _Oscillators:
    """The modes as oscillators.

    Attributes
    ----------
    frequencies, ratios : ndarray, (k,)
        Frequencies, Hz, and damping ratios.
    """

    frequencies: Floats
    ratios: Floats

    @classmethod
    def of(cls, modes: Superposition) -> _Oscillators:
        """Return the oscillators of modes; those of frequency zero are refused."""
        w = np.sqrt(modes.squares)
        if not w.all():  # motions that nothing holds have exactly that
            raise AnalysisError(
                "spectrum: mode 1 has the frequency zero: it is a motion that nothing holds; "
                "expected supports"
            )
        return cls(w / (2.0 * np.pi), np.diag(modes.damping) / (2.0 * w))


@dataclass(frozen=True, slots=True)
class _Peaks:
    """The peaks of modes under one excitation.

    Attributes
    ----------
    number : int
        Of the excitation.
    spectrum : Spectrum
        Its spectrum.
    factors : ndarray, (k, e)
        Participation factors of the modes in all excitations, sqrt(kg).
    accelerations : ndarray, (k,)
        Spectral accelerations, m/s^2.
    vibrates : ndarray of bool, (k,)
        Whether modes are combined; others answer statically, with what modes leave out.
    rigid : float
        Acceleration at the highest frequency, m/s^2.
    masses : ndarray, (e,)
        Mass that the base accelerates along the directions of all excitations, kg.
    residual : tuple of ndarray, (N, d), optional
        Displacements and accelerations of what answers statically.
    """

    number: int
    spectrum: Spectrum
    factors: Floats
    accelerations: Floats
    vibrates: Flags
    rigid: float
    masses: Floats
    residual: tuple[Floats, Floats] | None

    @classmethod
    def under(
        cls,
        analysis: SpectrumAnalysis,
        number: int,
        bases: Sequence[Floats],
        system: System,
        modes: Superposition,
        oscillators: _Oscillators,
        units: UnitSystem,
    ) -> _Peaks:
        """Return the peaks under an excitation by its number."""
        carried = [system.mass_times(one) for one in bases]
        factors = np.stack([modes.forces(one) for one in carried], axis=-1)
        spectrum = Spectrum.of(analysis.excitations[number], units)
        accelerations = spectrum.accelerations(oscillators.frequencies, oscillators.ratios)
        masses = np.array([np.sum(one * carried[number]) for one in bases])
        residual, rigid = None, 0.0
        vibrates = np.ones(len(accelerations), dtype=bool)
        if analysis.missing_mass:
            # Above the spectrum modes follow the base together: no rule for independent peaks
            # gives their sum, the mass times the acceleration.
            rigid = spectrum.rigid_acceleration()
            vibrates = oscillators.frequencies <= spectrum.range[1]
            accelerations = np.where(vibrates, accelerations, rigid)
            (still,) = static_remainders(
                system, modes, rigid * carried[number][None], analysis.time, analysis.solver,
                analysis="spectrum analysis", kept=vibrates,
            )  # fmt: skip
            left = rigid * (bases[number] - modes.moved(factors[:, number] * vibrates))
            residual = still, -left
        return cls(number, spectrum, factors, accelerations, vibrates, rigid, masses, residual)

    @property
    def own(self) -> Floats:
        """Participation factors in this excitation, (k,)."""
        return np.asarray(self.factors[:, self.number])

    def told(self, analysis: SpectrumAnalysis, of: _Oscillators, part: Sizes) -> ModalAnswer:
        """Return what tables tell of the excitation."""
        return ModalAnswer(
            name_of(analysis.excitations[self.number].direction),
            of.frequencies,
            of.ratios,
            self.own,
            self.accelerations,
            self.vibrates,
            float(self.masses[self.number]),
            self.rigid if analysis.missing_mass else None,
            float(part[_BASE][self.number]),
            self.spectrum,
        )


def _combined(
    analysis: SpectrumAnalysis,
    peaks: _Peaks,
    answers: Answers,
    modes: Superposition,
    oscillators: _Oscillators,
) -> Sizes:
    """Return the combined answer to one excitation."""
    q = peaks.own * peaks.vibrates * peaks.accelerations / modes.squares

    def answer(coordinates: Floats) -> Values:
        rates = -modes.squares * coordinates
        values = answers.values(modes.moved(coordinates), a=modes.moved(rates))
        return values | {_BASE: peaks.factors.T @ (modes.squares * coordinates)}

    def each() -> Iterator[Values]:
        return (answer(row) for row in np.diag(q) if row.any())

    rule = analysis.combination
    if rule == "absolute":
        found = absolute_sum(each())
    elif rule == "ten_percent":
        found = with_close(list(each()), close_pairs(oscillators.frequencies[q != 0.0]))
    else:
        related = np.eye(len(q))
        if rule == "cqc":
            related = cqc(oscillators.frequencies, oscillators.ratios)
        found = root_sum_squares(answer(row) for row in principal_states(np.outer(q, q) * related))
    if peaks.residual is None:
        return found
    u, a = peaks.residual
    missing = peaks.masses - peaks.factors.T @ (peaks.own * peaks.vibrates)
    left = root_sum_squares([answers.values(u, a=a) | {_BASE: peaks.rigid * missing}])
    if not found:  # nothing vibrates
        return left
    return of_directions([found, left], "absolute" if rule == "absolute" else "srss")


def _left_out(analysis: SpectrumAnalysis, rows: Sequence[ModalAnswer]) -> Iterator[str]:
    """Yield what spectra do not cover, and what modes leave out."""
    for number, one in enumerate(rows):
        low, high = one.spectrum.range
        outside = (one.frequencies < low) | (one.vibrates & (one.frequencies > high))
        excited = one.shares > 1e-6
        named = [
            f"{mode + 1} ({one.frequencies[mode]:.4g} Hz)"
            for mode in np.flatnonzero(outside & excited)
        ]
        where = f"analysis.excitations[{number}]"
        if named:
            some = ", ".join(named[:6]) + (f" and {len(named) - 6} more" if len(named) > 6 else "")
            yield (
                f"{where}: the spectrum is from {low:.4g} to {high:.4g} Hz and does not cover "
                f"mode {some}; the value at its end is taken"
            )
        known = [ratio for ratio in one.spectrum.ratios if ratio is not None]
        if known:
            ratios = one.ratios[excited & one.vibrates]
            low, high = ratios.min(initial=known[0]), ratios.max(initial=known[-1])
            if low < _NEARLY * known[0] or high * _NEARLY > known[-1]:
                yield (
                    f"{where}: the spectrum is of damping ratios {known[0]:g} to {known[-1]:g}; "
                    f"modes have {low:.3g} to {high:.3g}, and take the nearest"
                )
        share = float(one.shares.sum())
        if share < _ENOUGH and not analysis.missing_mass:
            yield (
                f"{where}: {len(one.frequencies)} modes have {100 * share:.3g} % of the mass along "
                f"{one.name}; more modes, or missing_mass = true, take the rest into account"
            )


def _figures(rows: Sequence[ModalAnswer]) -> Figures:
    found: Figures = {}
    for one in rows:
        found[f"mass in modes along {one.name}"] = [100.0 * float(one.shares.sum()), "%"]
        found[f"force on the base along {one.name}, by its excitation"] = [one.base, "N"]
    return found
