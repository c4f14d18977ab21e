# SPDX-License-Identifier: BSD-3-Clause
"""Linear combinations of load cases: sums of what results show of them, with factors.

Values that are linear in displacements add up; von Mises stresses and the largest normal stresses
of rods follow from the sums. Peaks of either sign, of response spectra, are added and subtracted;
of a von Mises stress those of the sum and of the peaks together are an upper bound.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.envelopes.shown import Shown, Table
from flexforge.runtime.model.schema_section import SectionSpec
from flexforge.runtime.results.data import BodyState, von_mises
from flexforge.runtime.system.face_stresses import FACES
from flexforge.runtime.system.section_forces import LARGEST, largest_normal_stress

_STRESSES = {"stress": "von_mises", **{f"stress_{face}": f"von_mises_{face}" for face in FACES}}
_SECOND = {"von_mises", LARGEST, *(f"von_mises_{face}" for face in FACES)}


def combined(
    name: str,
    cases: Sequence[tuple[float, Shown]],
    sections: Mapping[str, SectionSpec],
    linear_probes: Sequence[str],
) -> list[Shown]:
    """Return a combination of cases: one, or with peaks of either sign the sum and the difference.

    Parameters
    ----------
    name : str
        Of the combination.
    cases : sequence of tuple
        Factors and cases, with the same bodies, tables and probes.
    sections : mapping
        Sections of rods by body, of which largest normal stresses follow.
    linear_probes : sequence of str
        Titles of the probes that add up.
    """
    fixed = [(factor, one) for factor, one in cases if not one.both]
    peaks = [(abs(factor), one) for factor, one in cases if one.both]
    if not peaks:
        return [_sum(name, 0.0, fixed, sections, linear_probes)]
    found = []
    for number, sign in enumerate((1.0, -1.0)):
        signed = [*fixed, *((sign * factor, one) for factor, one in peaks)]
        whole = _sum(name, float(number), signed, sections, linear_probes)
        found.append(_bounded(whole, fixed, peaks, sections))
    return found


def _sum(
    name: str,
    time: float,
    cases: Sequence[tuple[float, Shown]],
    sections: Mapping[str, SectionSpec],
    linear_probes: Sequence[str],
) -> Shown:
    first = cases[0][1]
    states = {
        body: _state([(factor, one.states[body]) for factor, one in cases], sections.get(body))
        for body in first.states
    }
    tables = {
        key: replace(
            table, values=_added([(factor, one.tables[key].values) for factor, one in cases])
        )
        for key, table in first.tables.items()
        if all(_alike(table, one.tables.get(key)) for _, one in cases)
    }
    probes = {
        title: sum(factor * one.probes[title] for factor, one in cases)
        for title in linear_probes
        if all(title in one.probes for _, one in cases)
    }
    return Shown(name, time, states, tables, probes)


def _alike(one: Table, other: Table | None) -> bool:
    return other is not None and one.heads == other.heads and one.labels == other.labels


def _state(cases: Sequence[tuple[float, BodyState]], section: SectionSpec | None) -> BodyState:
    first = cases[0][1]
    stress = None
    if all(one.stress is not None for _, one in cases):
        stress = _added([(factor, one.stress) for factor, one in cases])
    stations: dict[str, Floats] | None = None
    known = [one.at_stations or {} for _, one in cases]
    names = [key for key in known[0] if all(key in one for one in known) and key not in _SECOND]
    if names:
        factors = [factor for factor, _ in cases]
        stations = {
            key: _added([(f, one[key]) for f, one in zip(factors, known, strict=True)])
            for key in names
            if key != "principal"
        }
        for face in FACES:
            if f"stress_{face}" in stations:
                stations[f"von_mises_{face}"] = von_mises(stations[f"stress_{face}"])
        if section is not None and not section.varies and "N" in stations:
            largest = largest_normal_stress(
                stations, section.values(0.0), section.reach, round=section.diameter is not None
            )
            stations |= {} if largest is None else {LARGEST: largest}
    moved = _added([(factor, one.displacement) for factor, one in cases])
    return BodyState(moved, None, stress, first.frame, stations)


def _added(parts: Sequence[tuple[float, Any]]) -> Floats:
    return np.asarray(sum(factor * np.asarray(values) for factor, values in parts))


def _bounded(
    whole: Shown,
    fixed: Sequence[tuple[float, Shown]],
    peaks: Sequence[tuple[float, Shown]],
    sections: Mapping[str, SectionSpec],
) -> Shown:
    """Return a sum with bounds of its sizes: those of what is fixed and of peaks together."""
    states = {}
    for body, state in whole.states.items():
        section = sections.get(body)
        each = [_state([(f, one.states[body]) for f, one in part], section)
                for part in (fixed, peaks) if part]  # fmt: skip
        others = None
        if state.stress is not None:
            sizes = [(f, one.states[body].von_mises) for f, one in peaks]
            still = each[0].von_mises if fixed else None
            others = {"von_mises": _added(sizes) + (0.0 if still is None else still)}
        stations = dict(state.at_stations or {})
        for key, of in _STRESSES.items():
            if key in stations:
                sizes = [(f, (one.states[body].at_stations or {})[of]) for f, one in peaks]
                still = von_mises((each[0].at_stations or {})[key]) if fixed else None
                stations[of] = _added(sizes) + (0.0 if still is None else still)
        if LARGEST in stations:
            stations[LARGEST] = _added([(1.0, (one.at_stations or {})[LARGEST]) for one in each])
        states[body] = replace(state, others=others, at_stations=stations or None)
    return replace(whole, states=states)
