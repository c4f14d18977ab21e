# SPDX-License-Identifier: BSD-3-Clause
"""Integrals of a function of time from zero, once and twice, to about 1e-13 of its magnitude.

Time is cut into chunks that do not depend on what is asked for, so that results do not either. Each
chunk is bisected until the Gauss-Legendre rule with 16 points (exact to degree 31) and its two
halves agree; a kink or a jump is thereby enclosed to round-off. The knots are kept, and one rule
from the last knot to ``t`` gives the value at ``t``.
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Callable, Iterator
from typing import TypeAlias

import numpy as np
from flexforge.codegen.errors import InputError
from numpy.typing import NDArray

Function: TypeAlias = Callable[[NDArray[np.float64]], NDArray[np.float64]]

POINTS, WEIGHTS = (
    0.5 * (part + shift)
    for part, shift in zip(np.polynomial.legendre.leggauss(16), (1.0, 0.0), strict=True)
)
CHUNKS = 64  # per span
AGREEMENT = 1e-14
MOST_PIECES = 4000  # per chunk


def chunk_end(start: float, span: float, breaks: tuple[float, ...]) -> float:
    """Return the end of the chunk that begins at ``start``: equal chunks in the span, then growing.

    Parameters
    ----------
    start : float
        A former chunk's end, or 0.
    span : float
        The time that the analysis covers, s.
    breaks : tuple of float
        Times at which the function is not smooth, in order; chunks end there.

    Returns
    -------
    float
        The end of the chunk.
    """
    base = span / CHUNKS
    step = base if start < span else start / CHUNKS
    end = base * (math.floor(start / base + 1e-9) + 1.0) if start < span else start + step
    following = bisect.bisect_right(breaks, start)
    return min(end, breaks[following]) if following < len(breaks) else end


class Antiderivative:
    """Integral and double integral from zero of a scalar function of time.

    Parameters
    ----------
    function : callable
        Vectorised function of time; it raises `InputError` where it is not finite.
    span : float
        The time that matters, s: sets the length of the chunks, not a limit.
    breaks : tuple of float
        Times at which the function or a derivative jumps, as far as known.
    """

    def __init__(
        self, function: Function, span: float = 1.0, breaks: tuple[float, ...] = ()
    ) -> None:
        span = span if span > 0.0 else 1.0
        self._forward = _HalfLine(function, span, tuple(sorted(breaks)))
        self._backward = _HalfLine(
            lambda t: function(-t), span, tuple(sorted(-point for point in breaks))
        )

    def at(self, t: float) -> tuple[float, float]:
        """Return the integral and the double integral from 0 to ``t``."""
        if t >= 0.0:
            return self._forward.at(t)
        once, twice = self._backward.at(-t)
        return -once, twice

    @property
    def largest(self) -> float:
        """Largest magnitude of the function seen at times from zero on."""
        return self._forward.largest

    def once(self, t: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the integral at every time of an array."""
        return self._vectorised(t, 0)

    def twice(self, t: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the double integral at every time of an array."""
        return self._vectorised(t, 1)

    def _vectorised(self, t: NDArray[np.float64], part: int) -> NDArray[np.float64]:
        times = np.asarray(t, dtype=np.float64)
        return np.array([self.at(float(time))[part] for time in times.flat]).reshape(times.shape)


class _HalfLine:
    """The same for t >= 0: knots with the integrals there, extended as far as asked."""

    def __init__(self, function: Function, span: float, breaks: tuple[float, ...]) -> None:
        self._function = function
        self._span = span
        self._breaks = breaks
        self._knots = [0.0]
        self._once = [0.0]
        self._twice = [0.0]
        self._reached = 0.0
        self.largest = 0.0

    def at(self, t: float) -> tuple[float, float]:
        while self._reached < t:
            self._extend()
        index = bisect.bisect_right(self._knots, t) - 1
        start = self._knots[index]
        if t == start:
            return self._once[index], self._twice[index]
        once, twice, _ = self._rule(start, t)
        return (
            self._once[index] + once,
            self._twice[index] + self._once[index] * (t - start) + twice,
        )

    def _rule(self, start: float, end: float) -> tuple[float, float, float]:
        """Gauss rule for the integral of f, that of (end - s) f(s), and the largest |f| seen."""
        length = end - start
        values = self._function(start + length * POINTS)
        once = length * float(WEIGHTS @ values)
        twice = length * length * float((WEIGHTS * (1.0 - POINTS)) @ values)
        return once, twice, float(np.max(np.abs(values)))

    def _extend(self) -> None:
        end = chunk_end(self._reached, self._span, self._breaks)
        for start, stop, once, twice in self._pieces(self._reached, end):
            self._twice.append(self._twice[-1] + self._once[-1] * (stop - start) + twice)
            self._once.append(self._once[-1] + once)
            self._knots.append(stop)
        self._reached = end

    def _pieces(self, start: float, end: float) -> Iterator[tuple[float, float, float, float]]:
        chunk = end - start
        largest = 0.0
        stack = [(start, end, *self._rule(start, end))]
        count = 0
        while stack:
            left, right, once, twice, size = stack.pop()
            middle = 0.5 * (left + right)
            first, second = self._rule(left, middle), self._rule(middle, right)
            largest = max(largest, size, first[2], second[2])
            self.largest = max(self.largest, largest)
            fine_twice = first[1] + first[0] * (right - middle) + second[1]
            error = max(abs(first[0] + second[0] - once), abs(fine_twice - twice) / (right - left))
            if error <= AGREEMENT * largest * chunk or not left < middle < right:
                count += 1
                yield left, right, first[0] + second[0], fine_twice
            else:
                stack += [(middle, right, *second), (left, middle, *first)]
            if count + len(stack) > MOST_PIECES:
                raise InputError(
                    "found a function that varies too fast to be integrated between "
                    f"t = {start:.6g} and {end:.6g} s; expected one that {MOST_PIECES} "
                    "pieces resolve"
                )
