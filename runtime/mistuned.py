# SPDX-License-Identifier: BSD-3-Clause
"""Modes of a wheel whose sectors differ, from its tuned waves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from flexforge.runtime.arrays import Complex, Floats
from flexforge.runtime.cyclic_modes import diameters_of
from flexforge.runtime.machine.phases import Phases
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.model.schema_analysis import HarmonicAnalysis, ModesAnalysis
from flexforge.runtime.observe.record import Figures, Recorder
from flexforge.runtime.results.mistuning import mistuned_csv
from flexforge.runtime.system.name_table import NameTable
from flexforge.runtime.system.sector import turned_by
from flexforge.runtime.system.system import System
from flexforge.runtime.vibration.mistuning import (
    WheelMatrices,
    WheelModes,
    changes_of,
    coupling,
)
from flexforge.runtime.vibration.modal_basis import further_damping
from flexforge.runtime.vibration.modes import in_phase
from flexforge.runtime.vibration.tuned_waves import TunedWaves, products, tuned_waves


@dataclass(frozen=True, slots=True)
class MistunedWheel:
    """A wheel in its tuned waves: as it is, and with equal sectors."""

    waves: TunedWaves
    mistuned: WheelMatrices
    tuned: WheelMatrices


def wheel_of(
    analysis: ModesAnalysis | HarmonicAnalysis,
    spec: ModelSpec,
    places: NameTable,
    stressed: System,
    count: int,
) -> MistunedWheel:
    """Return a wheel in its lowest tuned waves.

    Parameters
    ----------
    analysis : ModesAnalysis or HarmonicAnalysis
        The settings of the analysis, of which harmonic ones have further damping.
    spec : ModelSpec
        The model, with mistuning.
    places : NameTable
        Its names in the system.
    stressed : System
        The sector, with its stresses.
    count : int
        Number of waves at each nodal diameter.

    Raises
    ------
    InputError
        For matrices that are not symmetric.
    AnalysisError
        When tuned waves do not converge, or a motion grows.
    """
    sector, cyclic = places.sector, spec.cyclic
    assert sector is not None
    assert cyclic is not None
    assert cyclic.mistuning is not None

    def at(diameter: int) -> System:
        return places.at_diameter(stressed, diameter)

    how = diameters_of(spec), count, analysis.time, analysis.solver
    waves = tuned_waves(stressed, sector, at, *how)
    changes = changes_of(cyclic.mistuning, sector.count)
    added = coupling(waves, stressed, cyclic.mistuning.bodies, changes)
    viscous = waves.viscous
    if isinstance(analysis, HarmonicAnalysis):
        order = np.argsort(waves.squares, kind="stable")
        viscous = viscous.copy()
        viscous[np.ix_(order, order)] += further_damping(
            waves.squares[order], analysis.modal_damping
        )
    elif not analysis.damped:
        viscous = 0.5 * (viscous - viscous.conj().T)
    tuned = np.diag(waves.squares).astype(complex)
    return MistunedWheel(
        waves, WheelMatrices(tuned + added, viscous), WheelMatrices(tuned, viscous)
    )


def run_mistuned_modes(
    analysis: ModesAnalysis,
    spec: ModelSpec,
    places: NameTable,
    stressed: System,
    recorder: Recorder,
    phases: Phases,
) -> Figures:
    """Compute the modes of a wheel whose sectors differ, and write them.

    Parameters
    ----------
    analysis : ModesAnalysis
        The settings of the analysis.
    spec : ModelSpec
        The model, with mistuning.
    places : NameTable
        Its names in the system.
    stressed : System
        The sector, with its stresses.
    recorder : Recorder
        Receives the table.
    phases : Phases
        Measures the time of the phases.

    Returns
    -------
    dict
        The largest localization, and the mode that has it.

    Raises
    ------
    InputError
        For matrices that are not symmetric.
    AnalysisError
        When tuned waves do not converge, or a motion grows.
    """
    with phases("mistuned modes"):
        wheel = wheel_of(analysis, spec, places, stressed, analysis.count)
        found = wheel.mistuned.modes()
        energy = _energies(wheel.waves, stressed, found.vectors)
        shares = _of_diameters(wheel.waves, found.vectors)
    rows = [
        {
            "mode": number + 1,
            "frequency_Hz": float(value.imag / (2.0 * np.pi)),
            "growth_1_s": float(value.real) + 0.0,
            "nodal_diameter": int(share.argmax()),
            "share": float(share.max()),
            "localization": float(own.max() * len(own)),
            "sector": int(own.argmax()) + 1,
            "energy": own.tolist(),
        }
        for number, (value, share, own) in enumerate(
            zip(found.values.tolist(), shares, energy, strict=True)
        )
    ]
    if spec.cyclic is not None and spec.cyclic.expand:
        _write_shapes(places, wheel.waves, found, recorder)
    recorder.writer.summary({"mistuned_modes": rows})
    recorder.writer.table("mistuning", mistuned_csv(rows))
    worst = max(rows, key=lambda row: float(row["localization"]))
    return {
        "mistuned modes": len(rows),
        "largest localization": worst["localization"],
        "mode of it": worst["mode"],
    }


def _write_shapes(
    places: NameTable, waves: TunedWaves, found: WheelModes, recorder: Recorder
) -> None:
    """Write shapes on all sectors, of unit modal mass of the wheel.

    Of complex ones it is the real part, at the phase at which that is largest.
    """
    turns, sector = waves.in_sectors(), waves.sector
    shapes = np.empty((len(found.values), sector.count, *waves.shapes.shape[1:]))
    for into, vector in zip(shapes, found.vectors.T, strict=True):
        field = np.tensordot(turns * vector, waves.shapes, axes=1)
        into[:] = in_phase(field.reshape(1, -1)).reshape(field.shape).real
        into /= np.sqrt(sum(np.vdot(one, places.system.mass_times(one)) for one in into))
    d, sectors = shapes.shape[-1], range(sector.count)
    turned = [turned_by(sector.axis, number * sector.angle)[:d, :d] for number in sectors]
    drawn = {
        body.name: np.concatenate(
            [shapes[:, number][:, body.placed] @ turned[number].T for number in sectors], axis=1
        )
        for body in places.system.bodies
    }
    frequencies = found.values.imag / (2.0 * np.pi)
    recorder.modes(frequencies, np.ascontiguousarray(shapes[:, 0]), drawn=drawn)


def _energies(waves: TunedWaves, system: System, vectors: Complex) -> Floats:
    """Return the parts of the kinetic energy of modes that are in each sector, (k, N)."""
    turns = waves.in_sectors()
    heavy = np.array([
        system.mass_times(np.ascontiguousarray(shape.real))
        + 1j * system.mass_times(np.ascontiguousarray(shape.imag))
        for shape in waves.shapes
    ])  # fmt: skip
    gram = products(waves.shapes, heavy)
    found = np.empty((vectors.shape[1], waves.sector.count))
    for number, turn in enumerate(turns):
        own = turn[:, None] * vectors
        found[:, number] = np.einsum("ik,ij,jk->k", own.conj(), gram, own, optimize=True).real
    return np.asarray(found / found.sum(axis=1, keepdims=True))


def _of_diameters(waves: TunedWaves, vectors: Complex) -> Floats:
    """Return the parts of modes that are waves of n nodal diameters, forward and backward."""
    squares = np.abs(vectors) ** 2
    found = np.zeros((vectors.shape[1], waves.sector.count // 2 + 1))
    np.add.at(found.T, np.abs(waves.diameters), squares)
    return np.asarray(found / found.sum(axis=1, keepdims=True))
