# SPDX-License-Identifier: BSD-3-Clause
"""Speeds at which a tracked mode crosses an order line or becomes unstable, to round-off.

Between two speeds at which a mode is known, its eigenvalue is recomputed at the speeds that a root
finder requests. The function whose root is sought is smooth: signed frequencies of whirling shapes,
which are nearly linear in the speed; signed squares for standing shapes; the square of an
eigenvalue where a vibration turns into a divergence; the growth itself with damping; and, where two
frequencies meet and flutter begins, the square of the growth on one side and minus the square of
half their distance on the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

#: Orders of excitation that are looked at unless others are asked for.
ORDERS = (0, 1, 2)

_RELATIVE = 1e-9  # relative to the speed, tolerance of a root
_NOISE = 1e-8  # relative to the speed: round-off of a zero frequency, the root of its square
_MOST = 15  # eigenvalue problems per root
_STANDS = 0.5  # sense of rotation below which a shape is a standing wave
_STILL = 1e-6  # frequency relative to growth below which a mode diverges
_RIDES = 1e-3  # distance within which a mode lies on a line, as rigid drifts do, and crosses none


@dataclass(frozen=True, slots=True)
class Seen:
    """A tracked mode at one speed.

    Attributes
    ----------
    speed : float
        rad/s.
    value : complex
        Growth and signed angular frequency, 1/s.
    apart : float
        Distance of its frequency from that of the nearest other mode, rad/s.
    sense : float
        Sense of rotation of its shape, -1 to 1.
    """

    speed: float
    value: complex
    apart: float
    sense: float


@dataclass(frozen=True, slots=True)
class Crossing:
    """A root between two computed speeds.

    Attributes
    ----------
    order : int or None
        Order of the line that is crossed; None for the edge of an instability.
    low, high : float
        The speeds between which it lies, rad/s.
    speed : float
        The root, rad/s.
    """

    order: int | None
    low: float
    high: float
    speed: float


def crossings(
    one: Seen, two: Seen, at: Callable[[float], Seen | None], orders: Sequence[int] = ORDERS
) -> Iterator[Crossing]:
    """Yield the crossings of a mode with lines and the edge of instability between two speeds.

    Parameters
    ----------
    one, two : Seen
        The mode at both speeds, ascending.
    at : callable
        Returns the mode at a speed in between; None if it is not recognised.
    orders : sequence of int
        Orders of the lines.
    """
    for order, power, measure in _measures(one, two, orders):
        ends = measure(one), measure(two)
        if ends[0] * ends[1] < 0.0:
            noise = (_NOISE * two.speed) ** power
            speed = _root(one.speed, two.speed, ends, measure, noise, at)
            if speed is not None:
                yield Crossing(order, one.speed, two.speed, speed)


def _measures(
    one: Seen, two: Seen, orders: Sequence[int]
) -> Iterator[tuple[int | None, int, Callable[[Seen], float]]]:
    """Yield the functions to be zero: for every order line, and for the edge of an instability.

    The tuple also contains the power of a frequency that the function is.
    """
    grows = one.value.real > 0.0, two.value.real > 0.0
    if grows[0] != grows[1]:
        yield None, *_edge(two if grows[1] else one, one if grows[1] else two)
        return
    if grows[0]:
        return
    stands = abs(one.sense) + abs(two.sense) < 2.0 * _STANDS
    for order in orders:
        for side in (1.0, -1.0)[: 1 if order == 0 else 2]:
            measure = _line(side * order, stands)
            largest = max(abs(measure(one)), abs(measure(two)))
            power = 2 if stands else 1
            if largest > _RIDES * (order * two.speed) ** power:
                yield order, power, measure


def _line(order: float, stands: bool) -> Callable[[Seen], float]:
    """Return the distance from a line, with squares for standing shapes."""
    if stands:
        return lambda x: abs(x.value.imag) * x.value.imag - np.sign(order) * (order * x.speed) ** 2
    return lambda x: x.value.imag - order * x.speed


def _edge(inside: Seen, outside: Seen) -> tuple[int, Callable[[Seen], float]]:
    """Return the function that changes its sign where a mode starts to grow, and its power."""
    if outside.value.real < 0.0:
        return 1, lambda x: x.value.real
    if abs(inside.value.imag) <= _STILL * inside.value.real:
        return 2, lambda x: (x.value**2).real
    return 2, lambda x: x.value.real**2 if x.value.real > 0.0 else -((0.5 * x.apart) ** 2)


class _UnknownError(Exception):
    """The mode is not recognised."""


def _root(
    low: float,
    high: float,
    ends: tuple[float, float],
    measure: Callable[[Seen], float],
    noise: float,
    at: Callable[[float], Seen | None],
) -> float | None:
    """Return the root of a function between two speeds; None if the mode is lost."""
    from scipy.optimize import brentq

    def measured(speed: float) -> float:
        if speed in (low, high):
            return ends[0] if speed == low else ends[1]
        seen = at(speed)
        if seen is None:
            raise _UnknownError
        found = measure(seen)
        return 0.0 if abs(found) <= noise else found

    try:
        root, found = brentq(
            measured,
            low,
            high,
            xtol=_RELATIVE * high,
            rtol=_RELATIVE,
            maxiter=_MOST,
            full_output=True,
            disp=False,
        )
    except _UnknownError:
        return None
    return float(root) if found.converged else None
