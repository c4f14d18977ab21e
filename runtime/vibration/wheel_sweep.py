# SPDX-License-Identifier: BSD-3-Clause
"""Modes of a wheel over its speed: a sweep for each number of nodal diameters, side by side.

All take a speed before any takes the next one: the stresses there, which all share, are found once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime.model.ranges import range_text
from flexforge.runtime.statics.sector_stresses import SectorStresses
from flexforge.runtime.statics.stress_state import Stresses, Theory
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.name_table import NameTable
from flexforge.runtime.vibration.campbell import Sweep
from flexforge.runtime.vibration.engine_orders import DiameterWaves
from flexforge.runtime.vibration.kept_sweep import Mark
from flexforge.runtime.vibration.steady_speeds import turning_axes


class WheelSweep:
    """Modes of a wheel at a sequence of speeds.

    Parameters
    ----------
    places : NameTable
        The sector.
    loads : Loads
        What acts on it.
    diameters : sequence of int
        Numbers of nodal diameters.
    speeds, count, solver, time, orders, second
        As of :class:`Sweep`, at each nodal diameter.
    tell : callable
        Called with a text, the number of completed speeds and of all speeds.
    stresses : Stresses
        Finds those of the sector.

    Attributes
    ----------
    sweeps : dict of int to Sweep
        By number of nodal diameters.
    turn : int
        1 where the wheel turns about the axis of the sector, -1 where it turns against it.
    done : int
        Number of speeds that all have reached.

    Raises
    ------
    InputError
        When no frame rotates steadily, or frames rotate at different speeds.
    """

    def __init__(
        self,
        places: NameTable,
        loads: Loads,
        diameters: Sequence[int],
        speeds: Sequence[float],
        count: int,
        solver: str,
        time: float,
        orders: Sequence[int],
        second: float,
        tell: Callable[[str, int, int], None],
        stresses: Stresses,
    ) -> None:
        system, sector = places.system, places.sector
        assert sector is not None
        self.turn = sense_of(places)
        self._speeds, self._tell, self._second = list(speeds), tell, second
        self._stresses = SectorStresses(stresses, system)
        self.sweeps = {
            diameter: Sweep(
                places.at_diameter(system, diameter),
                loads,
                speeds,
                count,
                solver,
                time=time,
                orders=orders,
                second=second,
                stresses=self._stresses.at_diameter(),
                waves=DiameterWaves(diameter, sector.count, self.turn),
            )
            for diameter in diameters
        }
        self.done = 0

    def run(self) -> Iterator[int]:
        """Compute the speeds in turn; yield their number when all nodal diameters are there.

        Raises
        ------
        AnalysisError
            Naming the nodal diameter and the speed; results so far are kept.
        """
        count = len(self._speeds)
        said = f"speeds, {range_text(self._speeds, self._second)}"
        each = {diameter: sweep.run() for diameter, sweep in self.sweeps.items()}
        try:
            for number in range(self.done, count):
                self._tell(said, number, count)
                for diameter, sweep in self.sweeps.items():
                    try:
                        while sweep.done <= number:
                            next(each[diameter])
                    except AnalysisError as error:
                        raise AnalysisError(f"nodal diameter {diameter}: {error}") from error
                self.done = number + 1
                yield self.done
            self._tell(said, count, count)
        finally:
            for one in each.values():
                one.close()
            self._stresses.close()

    def marks(self) -> dict[str, Mark]:
        """Return where all nodal diameters are, at one speed, by their names."""
        return {_name(diameter): sweep.mark() for diameter, sweep in self.sweeps.items()}

    def collected(self, marks: Mapping[str, Mark]) -> dict[str, dict[str, Any]]:
        """Return all that was known at marks, to go on from there by :meth:`resume`."""
        each = ((_name(diameter), sweep) for diameter, sweep in self.sweeps.items())
        return {name: sweep.collected(marks[name]) for name, sweep in each}

    def resume(self, kept: Mapping[str, Mapping[str, Any]]) -> None:
        """Go on from what was collected.

        Raises
        ------
        KeyError
            When something is missing.
        """
        for diameter, sweep in self.sweeps.items():
            sweep.resume(kept[_name(diameter)])
        self.done = min(sweep.done for sweep in self.sweeps.values())

    @property
    def warnings(self) -> list[str]:
        """The loads left out of the stresses."""
        return next(iter(self.sweeps.values())).warnings

    @property
    def theory(self) -> Theory | None:
        """The theory of the prestress, if bodies were stressed at any speed."""
        found = [sweep.theory for sweep in self.sweeps.values()]
        return next((one for one in found if one is not None), None)


def _name(diameter: int) -> str:
    return f"nodal diameter {diameter}"


def sense_of(places: NameTable) -> int:
    """Return 1 where the frames of a sector turn about its axis, -1 where they turn against it.

    Raises
    ------
    InputError
        When no frame rotates steadily, or frames rotate at different speeds.
    """
    assert places.sector is not None
    axes = turning_axes(places.system)
    turning = next(axis for axis in axes if axis is not None)
    return int(np.sign(turning @ places.sector.axis))
