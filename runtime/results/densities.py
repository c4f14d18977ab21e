# SPDX-License-Identifier: BSD-3-Clause
"""Power spectral densities of probes in random vibrations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.results.data import Column
from flexforge.runtime.results.plots import curves


class ResponseDensities:
    """Densities of probes and of what excites them.

    Parameters
    ----------
    columns : sequence of Column
        All probes.
    linear : sequence of int
        Numbers of those that have densities.
    frequencies : ndarray, (n,)
        Hz.
    densities : ndarray, (n, p)
        One-sided densities of these probes, squares of their units per Hz.
    excitations : sequence of tuple
        Name, unit and density (n,) of every excitation, in SI units.
    """

    def __init__(
        self,
        columns: Sequence[Column],
        linear: Sequence[int],
        frequencies: Floats,
        densities: Floats,
        excitations: Sequence[tuple[str, str, Floats]],
    ) -> None:
        self._columns = [columns[number] for number in linear]
        self._frequencies, self._densities = frequencies, densities
        self._excitations = [
            (name, unit.replace("g^2/Hz", "(m/s^2)^2/Hz"), values)
            for name, unit, values in excitations
        ]

    def csv(self) -> str:
        """Return the densities of excitations and of probes as CSV."""
        heads = ["frequency [Hz]"]
        heads += [f"excitation {name} [{unit}]" for name, unit, _ in self._excitations]
        heads += [f"{one.name} [{_density(one.unit)}]" for one in self._columns]
        given = [values for *_, values in self._excitations]
        table = np.column_stack([self._frequencies, *given, self._densities])
        lines = [",".join(map(repr, row)) for row in table.tolist()]
        return "\n".join([",".join(heads), *lines]) + "\n"

    def data(self) -> dict[str, Any]:
        """Return the densities as plain data, for the summary and the report."""
        return {
            "frequency_Hz": self._frequencies.tolist(),
            "curves": [
                {"name": f"excitation {name}", "unit": unit, "density": values.tolist()}
                for name, unit, values in self._excitations
            ]
            + [
                {"name": one.name, "unit": _density(one.unit), "density": values.tolist()}
                for one, values in zip(self._columns, self._densities.T, strict=True)
            ],
        }

    def figures(self, crossings: Floats) -> dict[str, list[object]]:
        """Return figures of every probe: crossings of zero, the largest density and its frequency.

        Parameters
        ----------
        crossings : ndarray, (p,)
            Upward crossings of zero, 1/s.
        """
        found: dict[str, list[object]] = {}
        for place, one in enumerate(self._columns):
            peak = int(self._densities[:, place].argmax())
            largest = float(self._densities[peak, place])
            found[f"{one.name}, mean frequency"] = [float(crossings[place]), "Hz"]
            found[f"{one.name}, largest density"] = [largest, _density(one.unit)]
            found[f"{one.name}, frequency of it"] = [float(self._frequencies[peak]), "Hz"]
        return found


def density_plots(summary: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the densities in a summary as curves over the frequency, a plot for each."""
    found = summary.get("densities")
    if not found:
        return []
    frequencies, plots = np.array(found["frequency_Hz"]), []
    for one in found["curves"]:
        values = np.array(one["density"])
        shown = values > 0.0  # logarithms
        if shown.sum() > 1:
            column = Column(one["name"], one["unit"])
            drawn = curves(frequencies[shown], [(column, values[shown])], over="Hz")
            plots.append(drawn | {"axis": "frequency", "log": True, "log_axis": True})
    return plots


def _density(unit: str) -> str:
    """Return the unit of the density of a quantity."""
    plain = all(mark not in unit for mark in "/ ^")
    return f"{unit}^2/Hz" if plain else f"({unit})^2/Hz"
