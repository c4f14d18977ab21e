# SPDX-License-Identifier: BSD-3-Clause
"""The parts of bodies that ranks write themselves, cut out of their shares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from flexforge.runtime.arrays import Ints
from flexforge.runtime.distributed.collect import by_cell
from flexforge.runtime.distributed.share import Fragment
from flexforge.runtime.mesh.part import compact
from flexforge.runtime.results import BodyGeometry, BodyState
from flexforge.runtime.results.parts import BodyPart
from flexforge.runtime.system.system import System


class Cut:
    """Cuts the states of bodies to the parts that a rank writes.

    A part has the elements whose first nodes are those of the rank, so that every element is in one
    part, and all nodes that these elements have.

    Parameters
    ----------
    fragments : sequence of Fragment
        The share of this rank.
    bodies : sequence of BodyGeometry
        Its bodies, as results contain them.
    system : System
        Its bodies.

    Attributes
    ----------
    parts : list of BodyPart
        By body, also without elements.
    """

    def __init__(
        self, fragments: Sequence[Fragment], bodies: Sequence[BodyGeometry], system: System
    ) -> None:
        self._system = system
        self.parts: list[BodyPart] = []
        self._nodes: dict[str, Ints] = {}
        self._cells: dict[str, tuple[int, Ints]] = {}
        for one, body in zip(fragments, bodies, strict=True):
            count = len(one.part.connectivity)
            cells = one.counted
            each = by_cell(body.connectivity, count)[cells]
            nodes, connectivity = compact(each.reshape(-1, each.shape[2]), len(body.points))
            stations = body.stations
            if stations is not None:
                stations = by_cell(stations, count)[cells].reshape(-1, 3)
            geometry = replace(
                body, points=body.points[nodes], connectivity=connectivity, stations=stations
            )
            numbers = np.repeat(one.cells[cells] * each.shape[1], each.shape[1])
            numbers += np.tile(np.arange(each.shape[1]), len(cells))
            self.parts.append(BodyPart(geometry, one.numbers[nodes], numbers))
            self._nodes[body.name], self._cells[body.name] = nodes, (count, cells)

    def __call__(self, states: dict[str, BodyState]) -> dict[str, BodyState]:
        """Return the states of the parts."""
        return {
            body.name: self._cut(body.name, states[body.name], body.placed)
            for body in self._system.bodies
            if body.name in states
        }

    def _cut(self, name: str, state: BodyState, placed: Ints) -> BodyState:
        nodes, (count, cells) = self._nodes[name], self._cells[name]
        stress = state.stress
        if stress is not None:  # averages over elements, which owners have all of
            nodal = np.zeros((self._system.size, stress.shape[1]))
            nodal[placed] = stress
            stress = self._system.map.filled(nodal)[placed][nodes]
        stations = state.at_stations
        if stations is not None:
            stations = {
                key: np.concatenate(by_cell(value, count)[cells]) if len(cells) else value[:0]
                for key, value in stations.items()
            }
        velocity = None if state.velocity is None else state.velocity[nodes]
        return BodyState(state.displacement[nodes], velocity, stress, state.frame, stations)
