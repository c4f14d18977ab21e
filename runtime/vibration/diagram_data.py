# SPDX-License-Identifier: BSD-3-Clause
"""Campbell diagrams as plain data, for the summary, JSON and pictures.

That of a wheel has the modes of all nodal diameters, one after the other, at the speeds that were
asked for; speeds in between, at which only some were computed to follow them, are left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from flexforge.runtime.vibration.campbell import Sweep
from flexforge.runtime.vibration.critical import (
    Diagram,
    critical_speeds,
    diagram,
    instabilities,
)
from flexforge.runtime.vibration.engine_orders import excited_by

#: Of a mode, those with an entry per speed.
_OVER_SPEEDS = ("frequency_Hz", "signed_frequency_Hz", "growth_1_s", "damping_ratio", "whirl",
                "waves", "inertial_frequency_Hz", "assurance")  # fmt: skip


def campbell_data(sweep: Sweep, count: int) -> dict[str, Any]:
    """Return the current results of a sweep.

    Parameters
    ----------
    sweep : Sweep
        The modes so far.
    count : int
        Number of modes.
    """
    found = diagram(sweep.points, sweep.branches, count, sweep.lines, stands=sweep.stands)
    return {
        "speeds_rad_s": found.speeds.tolist(),
        "seconds": [round(point.seconds, 3) for point in sweep.points],
        "modes": [_mode(found, i) for i in range(len(found.values))],
        "orders": list(sweep.orders),
        "stands": sweep.stands,
        "critical_speeds": [
            {
                "mode": one.mode,
                "order": one.order,
                "speed_rad_s": one.speed,
                "frequency_Hz": one.frequency,
            }
            for one in critical_speeds(found)
        ],
        "instabilities": [
            {
                "mode": one["mode"],
                "kind": one["kind"],
                "onset_rad_s": one["onset"],
                "end_rad_s": one["end"],
                "growth_1_s": one["growth"],
            }
            for one in map(asdict, instabilities(found))
        ],
    }


def _mode(found: Diagram, i: int) -> dict[str, Any]:
    values = found.values[i]
    with np.errstate(invalid="ignore"):
        ratio = -values.real / np.maximum(np.abs(values), np.finfo(float).tiny) + 0.0
    return {
        "mode": i + 1,
        "frequency_Hz": found.frequencies[i].tolist(),
        "signed_frequency_Hz": (values.imag / (2.0 * np.pi)).tolist(),
        "growth_1_s": values.real.tolist(),
        "damping_ratio": ratio.tolist(),
        "whirl": [found.whirl(i, place) for place in range(len(values))],
        "waves": found.waves[i].tolist(),
        "inertial_frequency_Hz": found.inertial[i].tolist(),
        "assurance": found.assurance[i].tolist(),
    }


def wheel_data(
    sweeps: Mapping[int, Sweep], speeds: Sequence[float], orders: Sequence[int], sectors: int
) -> dict[str, Any]:
    """Return the current results of the sweeps of a wheel.

    Parameters
    ----------
    sweeps : mapping of int to Sweep
        By number of nodal diameters.
    speeds : sequence of float
        The speeds that were asked for, rad/s.
    orders : sequence of int
        Engine orders.
    sectors : int
        Number of sectors, N.
    """
    done = max((sweep.done for sweep in sweeps.values()), default=0)
    wanted, seconds = list(speeds[:done]), np.zeros(done)
    modes: list[dict[str, Any]] = []
    criticals: list[dict[str, Any]] = []
    unstable: list[dict[str, Any]] = []
    for diameter, sweep in sweeps.items():
        if not sweep.points:
            continue
        own = campbell_data(sweep, sweep.count)
        place = {speed: number for number, speed in enumerate(own["speeds_rad_s"])}
        places = [place.get(speed) for speed in wanted]
        seconds += [0.0 if one is None else own["seconds"][one] for one in places]
        last = len(modes)
        for mode in own["modes"]:
            if diameter == 0:  # which looks the same from everywhere
                mode["inertial_frequency_Hz"] = mode["frequency_Hz"]
            over = {key: _at(mode[key], places, key) for key in _OVER_SPEEDS}
            number = last + mode["mode"]
            modes.append(mode | over | {"mode": number, "nodal_diameter": diameter})
        for one in own["critical_speeds"]:
            travels = excited_by(one["order"], sectors)[1]
            more = {"nodal_diameter": diameter, "travels": travels}
            criticals.append(one | {"mode": last + one["mode"]} | more)
        unstable += [
            one | {"mode": last + one["mode"], "nodal_diameter": diameter}
            for one in own["instabilities"]
        ]
    return {
        "speeds_rad_s": wanted,
        "seconds": seconds.round(3).tolist(),
        "modes": modes,
        "orders": list(orders),
        "stands": False,
        "sectors": sectors,
        "critical_speeds": sorted(criticals, key=lambda one: (one["order"], one["speed_rad_s"])),
        "instabilities": unstable,
    }


def _at(values: Sequence[Any], places: Sequence[int | None], key: str) -> list[Any]:
    """Return the entries at some places; nothing where a speed has not been reached."""
    nothing: Any = "" if key == "whirl" else np.nan
    return [nothing if one is None else values[one] for one in places]
