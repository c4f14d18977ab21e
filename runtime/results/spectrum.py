# SPDX-License-Identifier: BSD-3-Clause
"""Answers of modes to response spectra: a table, and what the report draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from flexforge.runtime.arrays import Flags, Floats
from flexforge.runtime.results.data import Column
from flexforge.runtime.results.plots import curves
from flexforge.runtime.results.rows import csv_rows

_HEADS = (
    "excitation", "mode", "frequency [Hz]", "period [s]", "damping ratio",
    "participation factor [sqrt(kg)]", "effective mass [kg]", "share of the mass [%]",
    "acceleration [m/s^2]", "displacement [m]", "force on the base [N]",
    "answers",
)  # fmt: skip
_SHARE = "share of the mass [%]"
#: What the report shows of these, of modes with a part of the mass.
_SHOWN = ("excitation", "mode", "frequency [Hz]", "damping ratio", _SHARE,
          "acceleration [m/s^2]", "force on the base [N]", "answers")  # fmt: skip
_LEAST = 1e-6
_DRAWN = 200  # points of a drawn spectrum


class Drawable(Protocol):
    """A spectrum as tables read it."""

    @property
    def range(self) -> tuple[float, float]:
        """Lowest and highest frequency, Hz."""

    @property
    def ratios(self) -> tuple[float | None, ...]:
        """Damping ratios of its curves."""

    def accelerations(self, frequencies: Floats, ratios: Floats) -> Floats:
        """Return pseudo-accelerations, m/s^2."""


@dataclass(frozen=True, slots=True)
class ModalAnswer:
    """The answers of all modes to one excitation.

    Attributes
    ----------
    name : str
        Of the direction.
    frequencies, ratios : ndarray, (k,)
        Of the modes, Hz, and their damping ratios.
    factors : ndarray, (k,)
        Participation factors, sqrt(kg).
    accelerations : ndarray, (k,)
        Spectral accelerations, m/s^2.
    vibrates : ndarray of bool, (k,)
        Whether modes are combined; others answer statically.
    mass : float
        Mass that the base accelerates, kg.
    rigid : float, optional
        Acceleration of what modes leave out, m/s^2, if it is taken into account.
    base : float
        Combined force on the base along the direction, N.
    spectrum : Drawable
        The spectrum.
    """

    name: str
    frequencies: Floats
    ratios: Floats
    factors: Floats
    accelerations: Floats
    vibrates: Flags
    mass: float
    rigid: float | None
    base: float
    spectrum: Drawable

    @property
    def shares(self) -> Floats:
        """Effective masses relative to the mass, (k,)."""
        return np.asarray(self.factors**2 / (self.mass or 1.0))


def spectrum_csv(answers: Sequence[ModalAnswer]) -> str:
    """Return the answers of modes to all excitations as CSV, with what modes leave out."""
    lines = [",".join(_HEADS)]
    for one in answers:
        name = f'"{one.name}"' if "," in one.name else one.name
        masses = one.factors**2
        squares = (2.0 * np.pi * one.frequencies) ** 2
        table = np.column_stack([
            one.frequencies, 1.0 / one.frequencies, one.ratios, one.factors, masses,
            100.0 * one.shares, one.accelerations, one.accelerations / squares,
            masses * one.accelerations,
        ])  # fmt: skip
        for number, row in enumerate(table.tolist(), start=1):
            how = "combined" if one.vibrates[number - 1] else "statically"
            lines.append(",".join([name, str(number), *map(repr, row), how]))
        if one.rigid is not None:
            left = one.mass - float(masses.sum())
            row = [left, 100.0 * left / (one.mass or 1.0), one.rigid]
            cells = [*map(repr, row), "", repr(left * one.rigid), "statically"]
            lines.append(",".join([name, "missing mass", "", "", "", "", *cells]))
    return "\n".join(lines) + "\n"


def spectrum_data(answers: Sequence[ModalAnswer]) -> dict[str, Any]:
    """Return spectra and modes on them as plain data, for the summary and the report."""
    found = []
    for one in answers:
        low = min(one.spectrum.range[0], float(one.frequencies.min()))
        high = max(one.spectrum.range[1], float(one.frequencies.max()))
        if not np.isfinite(high):
            high = 3.0 * float(one.frequencies.max())
        low = max(low, 1e-3 * high)
        frequencies = np.geomspace(low, high, _DRAWN)
        drawn = one.spectrum.accelerations(frequencies, np.full(_DRAWN, one.ratios[0]))
        found.append({
            "excitation": one.name,
            "damping_ratio": float(one.ratios[0]),
            "frequency_Hz": frequencies.tolist(),
            "acceleration_m_s2": drawn.tolist(),
            "mode_frequency_Hz": one.frequencies.tolist(),
            "mode_acceleration_m_s2": one.accelerations.tolist(),
            "mode_share": one.shares.tolist(),
        })  # fmt: skip
    return {"excitations": found}


def spectrum_plots(summary: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the spectra in a summary as curves over the frequency, with modes as marks."""
    plots = []
    for one in summary.get("spectrum", {}).get("excitations", []):
        column = Column(f"acceleration along {one['excitation']}", "m/s^2")
        drawn = curves(
            np.array(one["frequency_Hz"]),
            [(Column("spectrum", "m/s^2"), np.array(one["acceleration_m_s2"]))],
            over="Hz",
        )
        scale = np.array(one["acceleration_m_s2"]).max() / max(max(drawn["lines"][0]["y"]), 1e-300)
        marks = {
            "name": "modes",
            "x": [float(f"{x:.6g}") for x in one["mode_frequency_Hz"]],
            "y": [float(f"{y / scale:.6g}") for y in one["mode_acceleration_m_s2"]],
            "marks": True,
        }
        lines = [{**drawn["lines"][0], "name": "spectrum"}, marks]
        plots.append(drawn | {"name": column.name, "lines": lines, "axis": "frequency",
                              "log": True, "log_axis": True})  # fmt: skip
    return plots


def spectrum_rows(text: str) -> tuple[list[str], list[list[str]]]:
    """Return heads and rows of ``spectrum.csv`` for the report: what matters of modes that do.

    Parameters
    ----------
    text : str
        Content of the file, as of :func:`spectrum_csv`.
    """
    heads, rows = csv_rows(text)
    shown = [heads.index(head) for head in _SHOWN]
    share = heads.index(_SHARE)
    return list(_SHOWN), [
        [row[k] for k in shown] for row in rows if float(row[share]) >= 100.0 * _LEAST
    ]
