# SPDX-License-Identifier: BSD-3-Clause
"""Pairs of probes that see one place along both directions across a shaft."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.motion.frame import FrameMotion
from flexforge.runtime.motion.spin import MachineSpin
from flexforge.runtime.observe.probes import AnyProbe, Probe
from flexforge.runtime.results.orbits import OrbitPair
from flexforge.runtime.results.vectors import common_name
from flexforge.runtime.system.system import System

_LOOKS = 401  # times at which the speed of a shaft is kept
_ALONG = 1e-9  # what of an axis may be off a global direction


def orbit_pairs(probes: Sequence[AnyProbe], axis: Floats | None) -> list[OrbitPair]:
    """Return the pairs of displacements across an axis; none where it is not along x, y or z.

    Parameters
    ----------
    probes : sequence of Probe
        The probes of a model.
    axis : ndarray, (3,), optional
        The axis, towards which the shaft turns by the rule of the right hand.
    """
    if axis is None or np.sort(np.abs(axis))[1] > _ALONG * np.abs(axis).max():
        return []
    along = int(np.abs(axis).argmax())
    pair = "xyz"[(along + 1) % 3] + "xyz"[(along + 2) % 3]
    if axis[along] < 0.0:
        pair = pair[::-1]
    known: dict[str, dict[str, int]] = {}
    for number, probe in enumerate(probes):
        spec = probe.spec
        if isinstance(probe, Probe) and spec.quantity == "displacement" and spec.reduce == "mean":
            known.setdefault(repr((spec.group, spec.point, spec.body)), {})[spec.component] = number
    found = []
    for of in known.values():
        if set(pair) <= set(of):
            first, second = of[pair[0]], of[pair[1]]
            name = common_name([probes[first].column.name, probes[second].column.name])
            found.append(OrbitPair(name, first, second, pair))
    return found


def spin_axis(system: System, times: Floats) -> Floats | None:
    """Return the axis about which the first body spins, if its axes stand still.

    It points so that the body turns about it forward, most of the time.

    Parameters
    ----------
    system : System
        The bodies.
    times : ndarray, (T,)
        Times at which the speed is looked at, s.
    """
    motion = spinning(system)
    axis = None if motion is None else motion.rotation.axis
    if motion is None or axis is None:
        return None
    speed = float((motion.rotation.over(times)[1] @ axis).sum())
    return np.asarray(-axis if speed < 0.0 else axis)


def orbits_in_time(spec: ModelSpec, system: System, probes: Sequence[AnyProbe]) -> dict[str, Any]:
    """Return what a summary has of pairs of probes of a motion in time; nothing without any.

    Parameters
    ----------
    spec : ModelSpec
        The model.
    system : System
        Its bodies.
    probes : sequence of Probe
        Its probes.

    Returns
    -------
    dict
        ``orbits``: the ``pairs`` with the names of both probes, and the speed of the shaft over
        time, rad/s.
    """
    if spec.analysis.kind != "transient" or len(probes) < 2:
        return {}
    motion = spinning(system)
    if motion is None or isinstance(motion, MachineSpin):
        return {}  # the speed of a machine is known afterwards
    if not orbit_pairs(probes, motion.rotation.axis):
        return {}  # before the speed is looked at
    times = np.linspace(0.0, spec.span, _LOOKS)
    axis = spin_axis(system, times)
    assert axis is not None
    speeds = motion.rotation.over(times)[1] @ axis
    return orbits_told(probes, axis, times.tolist(), speeds.tolist())


def orbits_told(
    probes: Sequence[AnyProbe], axis: Floats, times: Sequence[float], speeds: Sequence[float]
) -> dict[str, Any]:
    """Return what a summary has of pairs of probes, with the speed of the shaft; or nothing.

    Parameters
    ----------
    probes : sequence of Probe
        The probes of a model.
    axis : ndarray, (3,)
        The axis, as of `orbit_pairs`.
    times, speeds : sequence of float
        Times, s, and the speed then, rad/s.
    """
    told = [
        {
            "name": pair.name,
            "components": pair.components,
            "x": probes[pair.first].column.name,
            "y": probes[pair.second].column.name,
        }
        for pair in orbit_pairs(probes, axis)
    ]
    if not told:
        return {}
    return {"orbits": {"pairs": told, "times": list(times), "speeds_rad_s": list(speeds)}}


def spinning(system: System) -> FrameMotion | None:
    """Return the motion of the first body that turns, if its axes stand still."""
    motion = next((body.motion for body in system.bodies if body.motion.rotates), None)
    return motion if isinstance(motion, FrameMotion) and motion.stands else None
