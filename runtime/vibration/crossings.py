# SPDX-License-Identifier: BSD-3-Clause
"""Speeds at which a tracked mode crosses an order line or becomes unstable.

Between two speeds at which a mode is known, its eigenvalue is recomputed at further speeds. The
function whose root is sought is smooth: signed frequencies of whirling shapes, which are nearly
linear in the speed; signed squares for standing shapes; the square of an eigenvalue where a
vibration turns into a divergence; the growth itself with damping; and, where two frequencies meet
and flutter begins, the square of the growth on one side and minus the square of half their distance
on the other.

The crossing with a line is a root of the curve through all speeds at which the mode is known, and
each further solve is at that root. It is accepted after at least one such solve, when the curve
through one point fewer has the same root to 1e-8 of the speed: five digits are printed, and meshes
give three. Edges of instability, where the function has a kink, are found by Brent's method.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.vibration.tracking import EQUAL

#: Orders of excitation that are looked at unless others are asked for.
ORDERS = (0, 1, 2)


def lines_of(orders: Sequence[int]) -> tuple[int, ...]:
    """Return the lines ``s = line W`` of signed frequencies that orders of excitation are.

    Modes of either sense of rotation answer to an excitation: its line is there with both signs.
    """
    return tuple(line for order in orders for line in ((order, -order) if order else (0,)))


_OF_LINE = 1e-8  # relative to the speed, tolerance of a crossing with a line
_OF_EDGE = 1e-9  # relative to the speed, tolerance of an edge
_CURVE = 5  # points of a curve at most
_CLOSE = 1e-3  # part of an interval within which two speeds are one for a curve
_BY_CURVE = 5  # eigenvalue problems after which the curve is given up for Brent's method
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


@dataclass(frozen=True, slots=True)
class Sought:
    """A function of a tracked mode that changes its sign between two speeds.

    Attributes
    ----------
    order : int or None
        Order of the line that is crossed; None for the edge of an instability.
    one, two : Seen
        The mode at both speeds, ascending.
    power : int
        Power of a frequency that the function is.
    measure : callable
        Returns the function.
    """

    order: int | None
    one: Seen
    two: Seen
    power: int
    measure: Callable[[Seen], float]


def sought(one: Seen, two: Seen, lines: Sequence[int]) -> list[Sought]:
    """Return the lines that a mode crosses between two speeds, and the edge of instability.

    Parameters
    ----------
    one, two : Seen
        The mode at both speeds, ascending.
    lines : sequence of int
        The lines, as :func:`lines_of` has them.
    """
    return [
        Sought(order, one, two, power, measure)
        for order, power, measure in _measures(one, two, lines)
        if measure(one) * measure(two) < 0.0
    ]


def refined(
    what: Sought, at: Callable[[float], Seen | None], known: Iterable[Seen] = ()
) -> Crossing | None:
    """Return a crossing to the tolerance; None if the mode is lost.

    Parameters
    ----------
    what : Sought
        What is sought.
    at : callable
        Returns the mode at a speed in between; None if it is not recognised.
    known : iterable of Seen
        The mode at other speeds, which need not lie in between.
    """
    low, high, noise = what.one.speed, what.two.speed, (_NOISE * what.two.speed) ** what.power
    values = {one.speed: what.measure(one) for one in (*known, what.one, what.two)}

    def measured(speed: float) -> float:
        if speed not in values:
            seen = at(speed)
            if seen is None:
                raise _UnknownError
            value = what.measure(seen)
            values[speed] = 0.0 if abs(value) <= noise else value
        return values[speed]

    try:
        if what.order is None:
            root = _by_brent(measured, low, high, _OF_EDGE)
        else:
            root = _by_curve(measured, low, high, values, what.power)
    except _UnknownError:
        return None
    return None if root is None else Crossing(what.order, low, high, root)


def _measures(
    one: Seen, two: Seen, lines: Sequence[int]
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
    # Shapes of equal frequencies are arbitrary within their space.
    single = [x for x in (one, two) if x.apart > EQUAL * abs(x.value)] or [one, two]
    stands = sum(abs(x.sense) for x in single) < _STANDS * len(single)
    for line in lines:
        measure = _line(float(line), stands)
        largest = max(abs(measure(one)), abs(measure(two)))
        power = 2 if stands else 1
        if largest > _RIDES * (abs(line) * two.speed) ** power:
            yield abs(line), power, measure


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


def _by_curve(
    measured: Callable[[float], float],
    low: float,
    high: float,
    values: dict[float, float],
    power: int,
) -> float | None:
    """Return the root of a smooth function by curves through its values; None if it has none."""
    tolerance, solved = _OF_LINE * high, len(values)
    while len(values) - solved < _BY_CURVE:
        inside = [speed for speed in sorted(values) if low <= speed <= high]
        signs = [np.sign(values[speed]) for speed in inside]
        place = next(i for i, sign in enumerate(signs) if sign != signs[0])
        if signs[place] == 0.0:
            return inside[place]
        low, high = inside[place - 1], inside[place]
        near = _nearest(values, low, high)[: _CURVE - 2]
        root = _root_of_curve(low, high, near, values, power)
        rough = _root_of_curve(low, high, near[:-1], values, power)
        if root in values or len(values) > solved and abs(root - rough) <= tolerance:
            return root  # of a speed at which the mode is known: there is nothing to solve
        measured(root)
    return _by_brent(measured, low, high, _OF_LINE)


def _nearest(speeds: Iterable[float], low: float, high: float) -> list[float]:
    """Return speeds ascending in distance from the middle of two, but for those near others.

    Values at speeds that lie close together differ by round-off: no curve follows them.
    """
    found: list[float] = []
    for one in sorted(speeds, key=lambda speed: abs(speed - 0.5 * (low + high))):
        if min(abs(one - other) for other in (low, high, *found)) > _CLOSE * (high - low):
            found.append(one)
    return found


def _root_of_curve(
    low: float, high: float, further: Sequence[float], values: dict[float, float], power: int
) -> float:
    """Return the root between two speeds of the polynomial through these and further ones.

    It is one in the square of the speed for squares of frequencies.
    """
    from scipy.interpolate import BarycentricInterpolator
    from scipy.optimize import brentq

    speeds = np.array([low, high, *further])
    places: Floats = (speeds / high) ** power
    curve = BarycentricInterpolator(places, [values[one] for one in speeds.tolist()])
    root = float(brentq(curve, places[0], places[1], xtol=1e-15, rtol=1e-14))
    return float(high * root ** (1.0 / power))


def _by_brent(
    measured: Callable[[float], float], low: float, high: float, tolerance: float
) -> float | None:
    """Return the root of a function by Brent's method; None if it does not converge."""
    from scipy.optimize import brentq

    root, found = brentq(
        measured,
        low,
        high,
        xtol=tolerance * high,
        rtol=tolerance,
        maxiter=_MOST,
        full_output=True,
        disp=False,
    )
    return float(root) if found.converged else None
