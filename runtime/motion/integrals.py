# SPDX-License-Identifier: BSD-3-Clause
"""Integrals of a function of time from zero, once and twice, to about 1e-13 of its magnitude.

Time is cut into chunks that do not depend on what is asked for, so that results do not either. Each
chunk is bisected until the Gauss-Legendre rule with 16 points (exact to degree 31) and its two
halves agree, all pieces of a size at once; a kink or a jump is thereby enclosed to round-off. The
knots are kept, and one rule from the last knot to ``t`` gives the value at ``t``.
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from flexforge.codegen.errors import InputError
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Function: TypeAlias = Callable[[Floats], Floats]

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

    def once(self, t: Floats) -> Floats:
        """Return the integral at every time of an array."""
        return self._vectorised(t, 0)

    def twice(self, t: Floats) -> Floats:
        """Return the double integral at every time of an array."""
        return self._vectorised(t, 1)

    def _vectorised(self, t: Floats, part: int) -> Floats:
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
        once, twice, _ = self._rule(np.array([start]), np.array([t]))
        return (
            self._once[index] + float(once[0]),
            self._twice[index] + self._once[index] * (t - start) + float(twice[0]),
        )

    def _rule(self, start: Floats, end: Floats) -> tuple[Floats, Floats, Floats]:
        """Gauss rules for the integrals of f, those of (end - s) f(s), and the largest |f| seen."""
        length = end - start
        values = self._function(start[:, None] + length[:, None] * POINTS)
        once = length * (values @ WEIGHTS)
        twice = length * length * (values @ (WEIGHTS * (1.0 - POINTS)))
        return once, twice, np.abs(values).max(axis=1)

    def _extend(self) -> None:
        end = chunk_end(self._reached, self._span, self._breaks)
        for start, stop, once, twice in self._pieces(self._reached, end).tolist():
            self._twice.append(self._twice[-1] + self._once[-1] * (stop - start) + twice)
            self._once.append(self._once[-1] + once)
            self._knots.append(stop)
        self._reached = end

    def _pieces(self, start: float, end: float) -> Floats:
        """Return begin, end and the two integrals of every piece of a chunk, in order."""
        largest, count = 0.0, 0
        found = []
        left, right = np.array([start]), np.array([end])
        once, twice, size = self._rule(left, right)
        while len(left):
            middle = 0.5 * (left + right)
            first, second = self._rule(left, middle), self._rule(middle, right)
            largest = max(largest, *(float(one.max()) for one in (size, first[2], second[2])))
            fine_once = first[0] + second[0]
            fine_twice = first[1] + first[0] * (right - middle) + second[1]
            error = np.maximum(
                np.abs(fine_once - once), np.abs(fine_twice - twice) / (right - left)
            )
            good = error <= AGREEMENT * largest * (end - start)
            good |= ~((left < middle) & (middle < right))
            found.append(np.column_stack([left, right, fine_once, fine_twice])[good])
            count += len(found[-1])
            left, right = (
                np.column_stack(pair)[~good].ravel() for pair in ((left, middle), (middle, right))
            )
            once, twice, size = (
                np.column_stack(pair)[~good].ravel() for pair in zip(first, second, strict=True)
            )
            if count + len(left) > MOST_PIECES:
                raise InputError(
                    "found a function that varies too fast to be integrated between "
                    f"t = {start:.6g} and {end:.6g} s; expected one that {MOST_PIECES} "
                    "pieces resolve"
                )
        self.largest = max(self.largest, largest)
        pieces = np.concatenate(found)
        return np.asarray(pieces[np.argsort(pieces[:, 0])])
