# SPDX-License-Identifier: BSD-3-Clause
"""The data sheet of a rotor: what its steps have found, as machines are ordered and accepted.

Critical speeds, peaks of responses with amplification factors and separation margins, the smallest
logarithmic decrement, and the largest forces of bearings and amplitudes; over all speeds that were
computed, and in the range in which the machine runs, where a response has one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.results.campbell import name_of
from flexforge.runtime.results.rows import engineering
from flexforge.runtime.unit_systems import UnitSystem

_RPM = 30.0 / np.pi  # of 1 rad/s
_FIRST = 4  # critical speeds that are told

Summary = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class SheetRow:
    """A row of the data sheet.

    Attributes
    ----------
    name, value, remark : str
        What it is, its value with the unit, and where it is found.
    failed : bool
        Whether it is not what is required.
    """

    name: str
    value: str
    remark: str
    failed: bool = False


def data_sheet(summaries: Sequence[tuple[str, Summary]], units: UnitSystem) -> list[SheetRow]:
    """Return the data sheet of a rotor; nothing of models that are none.

    Parameters
    ----------
    summaries : sequence of tuple of str and mapping
        Names of the steps, empty of a single one, and their summaries.
    units : UnitSystem
        The units of the model.
    """
    if not any(_is_of_rotor(summary) for _, summary in summaries):
        return []
    given = (one.get("response", {}).get("operating_rad_s") for _, one in summaries)
    operating = next((one for one in given if one), None)
    told = _Teller(units, operating)
    rows = [*told.range()]
    for step, summary in summaries:
        rows += [
            SheetRow(row.name, row.value, ", ".join(filter(None, (row.remark, step))), row.failed)
            for row in told.of(summary)
        ]
    return rows


def _is_of_rotor(summary: Summary) -> bool:
    """Whether a step is about a rotor: it spins, or has forces of bearings or speeds to keep."""
    response = summary.get("response", {})
    spins = summary.get("campbell", {}).get("stands", False)
    return bool(spins or "undamped" in summary or {"bearings", "operating_rad_s"} & set(response))


@dataclass(frozen=True, slots=True)
class _Teller:
    """Makes rows of summaries, in units and with the range in which the machine runs, rad/s."""

    units: UnitSystem
    operating: Sequence[float] | None

    def of(self, summary: Summary) -> Iterator[SheetRow]:
        """Yield the rows of a step."""
        yield from self._undamped(summary.get("undamped", {}))
        diagram = summary.get("campbell", {})
        if diagram and "sectors" not in diagram:
            yield from self._diagram(diagram)
        response = summary.get("response", {})
        if response.get("speed_rad_s"):
            yield from self._peaks(response)
            yield from self._largest(response)

    def range(self) -> Iterator[SheetRow]:
        """Yield the range in which the machine runs."""
        if self.operating:
            low, high = (f"{self._rpm(one):.5g}" for one in self.operating)
            yield SheetRow("Operating range", f"{low} to {high} rpm", "")

    def _rpm(self, speed: float) -> float:
        return _RPM * self.units.second * speed

    def _at(self, speed: float) -> str:
        return f"{self._rpm(speed):.5g} rpm"

    def _speeds(self, speeds: Iterable[float]) -> str:
        first = list(speeds)[:_FIRST]
        return ", ".join(f"{self._rpm(one):.5g}" for one in first) + " rpm"

    def _undamped(self, found: Summary) -> Iterator[SheetRow]:
        criticals = found.get("critical_speeds", ())
        for order in sorted({one["order"] for one in criticals}):
            speeds = sorted(one["speed_rad_s"] for one in criticals if one["order"] == order)
            yield SheetRow(f"Undamped critical speeds, {order}x", self._speeds(speeds), "")

    def _diagram(self, diagram: Summary) -> Iterator[SheetRow]:
        criticals = diagram["critical_speeds"]
        for order in sorted({one["order"] for one in criticals}):
            own = sorted(
                (one["speed_rad_s"], one["mode"]) for one in criticals if one["order"] == order
            )
            modes = ", ".join(str(mode) for _, mode in own[:_FIRST])
            speeds = self._speeds(speed for speed, _ in own)
            yield SheetRow(f"Critical speeds, {order}x", speeds, f"modes {modes}")
        found = smallest_decrement(diagram, self.operating)
        if found is not None:
            where = "in the operating range" if self.operating else "over all speeds"
            value, name, speed = found
            remark = f"{name} at {self._at(speed)}"
            yield SheetRow(
                f"Smallest logarithmic decrement {where}", f"{value:.4g}", remark, value <= 0.0
            )
        for one in diagram["instabilities"]:
            onset = one["onset_rad_s"]
            begins = "the first speed" if onset is None else self._at(onset)
            ends = "" if one["end_rad_s"] is None else f" to {self._at(one['end_rad_s'])}"
            remark = f"{name_of(one)}, {one['kind']}"
            yield SheetRow("Vibrations grow from", begins + ends, remark, self._reaches(one))

    def _reaches(self, instability: Summary) -> bool:
        """Whether vibrations grow at a speed at which the machine runs, or at any without range."""
        low, high = self.operating or (0.0, np.inf)
        onset, end = instability["onset_rad_s"], instability["end_rad_s"]
        return (onset is None or onset <= high) and (end is None or end >= low)

    def _peaks(self, response: Summary) -> Iterator[SheetRow]:
        peaks = response.get("peaks", ())
        for peak in peaks:
            value = [self._at(peak["speed_rad_s"])]
            if peak["factor"] is not None:
                value.append(f"AF {peak['factor']:.3g}")
            if "margin" in peak:
                value.append(f"margin {100 * peak['margin']:.3g} %")
                value.append(f"required {100 * peak['required']:.3g} %")
                value.append("kept" if peak["kept"] else "not kept")
            failed = not peak.get("kept", True)
            yield SheetRow(f"Peak of {peak['probe']}", "; ".join(value), "", failed)
        if not peaks:
            first, last = (self._at(response["speed_rad_s"][place]) for place in (0, -1))
            yield SheetRow("Peaks of responses", "none", f"from {first} to {last}")
        if self.operating and peaks:
            lost = sum(not peak.get("kept", True) for peak in peaks)
            told = f"{lost} of {len(peaks)} not kept" if lost else "all kept"
            yield SheetRow("Separation margins", told, "API 617", bool(lost))

    def _largest(self, response: Summary) -> Iterator[SheetRow]:
        speeds = np.array(response["speed_rad_s"])
        forces = {one["name"]: np.array(one["largest"]) for one in response.get("bearings", ())}
        yield from self._largest_of("bearing force", "N", speeds, forces)
        sizes: dict[str, dict[str, Floats]] = {}
        for one in response["probes"]:
            sizes.setdefault(one["unit"], {})[one["name"]] = np.array(one["amplitude"])
        for unit, each in sizes.items():
            what = self.units.heading(f"amplitude [{unit}]") if len(sizes) > 1 else "amplitude"
            yield from self._largest_of(what, unit, speeds, each)

    def _largest_of(
        self, what: str, unit: str, speeds: Floats, each: Mapping[str, Floats]
    ) -> Iterator[SheetRow]:
        """Yield the largest of some curves over the speed, and that in the operating range."""
        ranges = [("", np.ones(len(speeds), dtype=bool))]
        if self.operating:
            low, high = self.operating
            ranges.append((" in the operating range", (speeds >= low) & (speeds <= high)))
        for where, inside in ranges:
            if not each or not inside.any():
                continue
            tops = {name: float(sizes[inside].max()) for name, sizes in each.items()}
            name = max(tops, key=tops.__getitem__)
            speed = float(speeds[inside][each[name][inside].argmax()])
            value = " ".join(engineering(tops[name], unit, self.units)).strip()
            yield SheetRow(f"Largest {what}{where}", value, f"{name} at {self._at(speed)}")


def smallest_decrement(
    diagram: Summary, operating: Sequence[float] | None
) -> tuple[float, str, float] | None:
    """Return the smallest logarithmic decrement, the name of its mode, and its speed, rad/s.

    At the speeds of the diagram within the operating range and at both ends of that, between
    speeds by straight lines; modes that nothing damps are left out. None where there is no other.

    Parameters
    ----------
    diagram : mapping
        A Campbell diagram.
    operating : sequence of float, optional
        The range, rad/s; by default all speeds.
    """
    speeds = np.array(diagram["speeds_rad_s"])
    low, high = operating or (speeds[0], speeds[-1])
    inside = speeds[(speeds >= low) & (speeds <= high)]
    ends = [one for one in (low, high) if speeds[0] <= one <= speeds[-1]]
    places = np.unique([*inside, *ends])
    found: list[tuple[float, str, float]] = []
    for mode in diagram["modes"]:
        growth, hertz = (np.array(mode[k], dtype=float) for k in ("growth_1_s", "frequency_Hz"))
        if not np.nan_to_num(growth).any() or not len(places):
            continue
        rates, vibrates = np.interp(places, speeds, growth), np.interp(places, speeds, hertz)
        known = np.flatnonzero(vibrates > 0.0)
        if len(known):
            decrements = -rates[known] / vibrates[known]
            place = int(decrements.argmin())
            found.append((float(decrements[place]), name_of(mode), float(places[known[place]])))
    return min(found, default=None)
