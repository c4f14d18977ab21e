# SPDX-License-Identifier: BSD-3-Clause
"""Speeds of machines over a run, for pictures over the speed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from flexforge.runtime.motion.spin import MachineSpin
from flexforge.runtime.observe.orbit_pairs import orbits_told, spinning
from flexforge.runtime.observe.probes import AnyProbe
from flexforge.runtime.transient.machine_motion import MachineMotion


class Turns:
    """The speed of the shaft that orbits are of, at recorded times.

    Parameters
    ----------
    motion : MachineMotion
        The motion.
    """

    KEPT: ClassVar[tuple[str, ...]] = ("_times", "_speeds")

    def __init__(self, motion: MachineMotion) -> None:
        self._motion = motion
        self._times: list[float] = []
        self._speeds: list[float] = []

    def follow(self) -> None:
        """Record the speed at the time reached."""
        shaft = spinning(self._motion.system)
        if not isinstance(shaft, MachineSpin):
            return
        turn = self._motion.stepper.reached(self._motion.state).turn
        self._times.append(self._motion.time)
        self._speeds.append(shaft.ratio * float(turn.speed[shaft.machine]))

    def figures(self) -> dict[str, Any]:
        """Return nothing: a motion tells its last speeds itself."""
        return {}

    def orbits(self, probes: Sequence[AnyProbe]) -> dict[str, Any]:
        """Return what a summary has of pairs of probes, as of `orbits_in_time`.

        Parameters
        ----------
        probes : sequence of Probe
            Those of the model.
        """
        shaft = spinning(self._motion.system)
        if not isinstance(shaft, MachineSpin) or shaft.rotation.axis is None or not self._times:
            return {}
        forward = 1.0 if sum(self._speeds) >= 0.0 else -1.0
        axis = forward * shaft.rotation.axis
        return orbits_told(probes, axis, self._times, [forward * one for one in self._speeds])
