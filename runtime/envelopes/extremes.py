# SPDX-License-Identifier: BSD-3-Clause
"""The largest and least values over cases and times, and in which of them they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.envelopes.shown import Shown
from flexforge.runtime.results.data import BodyState, derived

#: Where a value is shown (nodes, stations, table, probe), of what, and which.
Key = tuple[str, str, str]
#: Values that are not below zero: peaks of either sign have one sign of them.
_SIZES = ("von_mises", "von_mises_top", "von_mises_bottom", "largest_normal_stress", "position")


@dataclass(frozen=True, slots=True)
class Extremes:
    """Extremes of an array of values.

    Attributes
    ----------
    most, least : ndarray
        Largest and least values.
    of_most, of_least : ndarray of int
        Numbers, from zero, of what has them, the first of equal ones.
    """

    most: Floats
    least: Floats
    of_most: Floats
    of_least: Floats

    @property
    def signed(self) -> Floats:
        """The value of the largest magnitude."""
        return np.where(np.abs(self.most) >= np.abs(self.least), self.most, self.least)


def values_of(shown: Shown) -> Iterator[tuple[Key, Floats, bool]]:
    """Yield every array of values by its key, and whether it is a size, which has no sign.

    Parameters
    ----------
    shown : Shown
        What results show.
    """
    for name, state in shown.states.items():
        nodal = _nodal(state)
        stations = dict(state.at_stations or {})
        stations |= {k: v for k, v in derived(stations).items() if k == "von_mises"}
        for where, fields in (("nodes", nodal), ("stations", stations)):
            for key, values in fields.items():
                yield (where, name, key), values, key in _SIZES
    for name, table in shown.tables.items():
        yield ("table", name, ""), table.values, False
    for name, value in shown.probes.items():
        yield ("probe", name, ""), np.array([value]), False


def _nodal(state: BodyState) -> dict[str, Floats]:
    found = {"displacement": state.displacement, **(state.others or {})}
    if state.stress is not None:
        found["stress"] = state.stress
    if state.von_mises is not None:
        found["von_mises"] = state.von_mises
    return found


def extremes(shown: Iterable[Shown]) -> dict[Key, Extremes]:
    """Return the extremes of all values over what results show, one after the other.

    Parameters
    ----------
    shown : iterable of Shown
        In the order of their numbers. What some lack, such as velocities, is left out.
    """
    found: dict[Key, Extremes] = {}
    for number, one in enumerate(shown):
        here = set()
        for key, values, is_size in values_of(one):
            here.add(key)
            low = -values if one.both and not is_size else values
            if number == 0:
                zero = np.zeros(np.shape(values))
                found[key] = Extremes(np.maximum(values, low), np.minimum(values, low), zero, zero)
            elif key in found:
                found[key] = _with(found[key], number, np.maximum(values, low),
                                   np.minimum(values, low))  # fmt: skip
        found = {key: value for key, value in found.items() if key in here}
    return found


def _with(before: Extremes, number: int, most: Floats, least: Floats) -> Extremes:
    more, less = most > before.most, least < before.least
    return Extremes(
        np.where(more, most, before.most),
        np.where(less, least, before.least),
        np.where(more, float(number), before.of_most),
        np.where(less, float(number), before.of_least),
    )
