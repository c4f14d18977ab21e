# SPDX-License-Identifier: BSD-3-Clause
"""States of whole bodies, put together on the first rank."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.distributed.share import Fragment
from flexforge.runtime.ranks import Ranks
from flexforge.runtime.results import BodyState
from numpy.typing import NDArray

Places = tuple[Ints, Ints]


class Collector:
    """Collects the states of bodies.

    Parameters
    ----------
    fragments : sequence of Fragment
        The share of this rank.
    ranks : Ranks
        The ranks.
    """

    def __init__(self, fragments: Sequence[Fragment], ranks: Ranks) -> None:
        self._ranks = ranks
        self._own = {one.body.name: one.owned for one in fragments}
        self._counted = {one.body.name: one.counted for one in fragments}
        self._cells = {one.body.name: len(one.part.connectivity) for one in fragments}
        self._places = ranks.collected(
            {one.body.name: (one.numbers[one.owned], one.cells[one.counted]) for one in fragments}
        )

    def __call__(self, states: dict[str, BodyState]) -> dict[str, BodyState]:
        """Return the states of the whole bodies; nothing on ranks other than the first."""
        pieces = self._ranks.collected({name: self._owned(name, s) for name, s in states.items()})
        if pieces is None or self._places is None:
            return {}
        return {
            name: _whole([one[name] for one in pieces], [one[name] for one in self._places])
            for name in states
        }

    def _owned(self, name: str, state: BodyState) -> BodyState:
        """Return the state at own nodes and in own elements."""
        own, counted, cells = self._own[name], self._counted[name], self._cells[name]
        at_stations = state.at_stations
        if at_stations is not None:
            at_stations = {
                key: by_cell(value, cells)[counted] for key, value in at_stations.items()
            }
        return BodyState(
            state.displacement[own],
            None if state.velocity is None else state.velocity[own],
            None if state.stress is None else state.stress[own],
            state.frame,
            at_stations,
        )


def by_cell(values: NDArray[Any], count: int) -> NDArray[Any]:
    """Return values of equally many points per cell, (count, points, ...)."""
    return values.reshape(count, len(values) // max(count, 1), *values.shape[1:])


def _whole(pieces: Sequence[BodyState], places: Sequence[Places]) -> BodyState:
    """Return the state of a whole body."""
    nodes, cells = ([one[k] for one in places] for k in (0, 1))

    def joined(parts: Sequence[Floats | None], where: Sequence[Ints]) -> Floats | None:
        known = [one for one in parts if one is not None]
        if not known:
            return None
        count = sum(len(one) for one in where)
        first = next((one for one in known if len(one)), known[0])
        found = np.empty((count, *first.shape[1:]))
        for one, place in zip(known, where, strict=True):
            if len(one):
                found[place] = one
        return found

    stations = None
    if pieces[0].at_stations is not None:
        stations = {}
        for key in pieces[0].at_stations:
            each = joined([one.at_stations[key] for one in pieces if one.at_stations], cells)
            assert each is not None
            stations[key] = each.reshape(-1, *each.shape[2:])
    displacement = joined([one.displacement for one in pieces], nodes)
    assert displacement is not None
    return BodyState(
        displacement,
        joined([one.velocity for one in pieces], nodes),
        joined([one.stress for one in pieces], nodes),
        pieces[0].frame,
        stations,
    )
