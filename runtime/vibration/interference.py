# SPDX-License-Identifier: BSD-3-Clause
"""Modes of a wheel near engine orders that excite them, at one speed: a SAFE diagram as data.

Over the nodal diameters the frequencies k W of engine orders are a zigzag between 0 and N / 2: up
from order 0 to N / 2, where they excite waves that travel backward in the wheel, down to order N
for forward ones, and so on. A mode is excited where it lies on the order of its own nodal diameter
and sense, not where a line of a Campbell diagram merely crosses it.
Source: Singh, Vargo, Schiffer and Dello, SAFE diagram, 17th Turbomachinery Symposium (1988),
93-101; Wildheim (ZZENF), J. Appl. Mech. 46 (1979), 878-882.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from flexforge.runtime.vibration.engine_orders import STANDING, excited_by
from flexforge.runtime.vibration.waves import Wave


@dataclass(frozen=True, slots=True)
class WaveAtSpeed:
    """A mode of a wheel at a speed.

    Attributes
    ----------
    nodal_diameter, mode : int
        Number of nodal diameters, and of the mode.
    travels : str
        How it travels in the wheel; a standing one is the sum of both waves.
    frequency_Hz : float
        In the frame of the wheel, Hz.
    """

    nodal_diameter: int
    mode: int
    travels: str
    frequency_Hz: float  # noqa: N815 - the names of the file


@dataclass(frozen=True, slots=True)
class Interference:
    """A mode near an engine order that excites it.

    Attributes
    ----------
    speed_rad_s : float
        rad/s.
    nodal_diameter, mode, travels, frequency_Hz
        The mode, as of :class:`WaveAtSpeed`.
    order : int
        Engine order k.
    wave : str
        The wave that it excites.
    excitation_Hz : float
        Its frequency ``k W / 2 pi``, Hz.
    margin : float
        ``f / (k W / 2 pi) - 1``: above 0 where the mode has the higher frequency.
    """

    speed_rad_s: float
    nodal_diameter: int
    mode: int
    travels: str
    frequency_Hz: float  # noqa: N815
    order: int
    wave: str
    excitation_Hz: float  # noqa: N815
    margin: float


def interferences(
    waves: Iterable[WaveAtSpeed],
    orders: Sequence[int],
    sectors: int,
    speed: float,
    margin: float,
) -> list[Interference]:
    """Return modes and engine orders that excite them, ascending in the distance between them.

    Parameters
    ----------
    waves : iterable of WaveAtSpeed
        The modes.
    orders : sequence of int
        Engine orders; 0, which does not vary in the wheel, is left out.
    sectors : int
        Number of sectors, N.
    speed : float
        W > 0, rad/s.
    margin : float
        Largest distance of the frequency of a mode from that of an order, relative to the latter.
    """
    excited = [(order, *excited_by(order, sectors)) for order in orders if order]
    return sorted(_near(waves, excited, speed, margin), key=lambda one: abs(one.margin))


def _near(
    waves: Iterable[WaveAtSpeed],
    excited: Sequence[tuple[int, int, str]],
    speed: float,
    margin: float,
) -> Iterator[Interference]:
    for wave in waves:
        for order, diameter, travels in excited:
            if diameter != wave.nodal_diameter or wave.travels not in (travels, STANDING):
                continue
            excitation = order * speed / (2.0 * np.pi)
            distance = wave.frequency_Hz / excitation - 1.0
            if abs(distance) <= margin:
                yield Interference(speed, **asdict(wave), order=order, wave=travels,
                                   excitation_Hz=excitation, margin=distance)  # fmt: skip


def numbered(waves: Iterable[Wave]) -> list[WaveAtSpeed]:
    """Return the waves of a modal analysis as modes at a speed."""
    return [WaveAtSpeed(one.diameter, one.number, one.travels, one.frequency) for one in waves]


def safe_data(
    waves: Sequence[WaveAtSpeed],
    orders: Sequence[int],
    sectors: int,
    speed: float,
    crossings: Sequence[Interference],
    margin: float,
) -> dict[str, Any]:
    """Return a SAFE diagram at a speed as plain data.

    Parameters
    ----------
    waves : sequence of WaveAtSpeed
        The modes at this speed.
    orders, sectors, speed, margin
        As of :func:`interferences`.
    crossings : sequence of Interference
        Those found at any speed.
    """
    return {
        "speed_rad_s": speed,
        "sectors": sectors,
        "orders": list(orders),
        "margin": margin,
        "modes": [asdict(one) for one in waves],
        "crossings": [asdict(one) for one in crossings],
    }


def at_speed(campbell: dict[str, Any], place: int) -> list[WaveAtSpeed]:
    """Return the modes of the Campbell diagram of a wheel at one of its speeds."""
    return [
        WaveAtSpeed(mode["nodal_diameter"], mode["mode"], mode["whirl"][place], frequency)
        for mode in campbell["modes"]
        if np.isfinite(frequency := mode["frequency_Hz"][place])
    ]
