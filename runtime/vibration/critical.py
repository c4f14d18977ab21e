# SPDX-License-Identifier: BSD-3-Clause
"""Evaluation of a Campbell diagram: critical speeds, instabilities, fixed-frame frequencies.

Frequencies are those in the rotating frame. There a load fixed in the body, such as an unbalance,
has frequency 0: a speed is critical where a frequency passes through zero (order 0, the classical
critical speed). A load fixed in space, such as the weight of a horizontal shaft, has the frequency
W (order 1), and one of k lobes around the circumference kW (order k).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from flexforge.runtime.arrays import Complex, Floats
from flexforge.runtime.vibration.branches import Branch, Point
from flexforge.runtime.vibration.crossings import ORDERS, Crossing, lines_of
from numpy.typing import NDArray

_PURE = 0.999  # sense of rotation from which a shape is a travelling wave; an ellipse has less
_WHOLE = 0.15  # distance of its number of waves from a whole one
_RIDES = 1e-3  # distance within which a mode lies on a line, as rigid drifts do, and crosses none
_MIXED = 0.3  # sense below which a shape is a standing wave


@dataclass(frozen=True, slots=True)
class Critical:
    """A critical speed.

    Attributes
    ----------
    mode : int
        Number of the branch, from 1.
    order : int
        0 for a load fixed in the body, k for a load of k times the speed.
    speed : float
        rad/s.
    frequency : float
        In the rotating frame, Hz.
    """

    mode: int
    order: int
    speed: float
    frequency: float


@dataclass(frozen=True, slots=True)
class Instability:
    """A range of speeds in which a mode grows.

    Attributes
    ----------
    mode : int
        Number of the branch, from 1.
    kind : str
        "divergence" without vibration, or "flutter".
    end_kind : str
        The kind at the last of these speeds.
    onset : float or None
        Speed at which it begins, rad/s; None if the mode grows at the first speed.
    end : float or None
        Speed at which it ends, rad/s; None if it lasts to the last speed.
    growth : float
        Largest growth, 1/s.
    """

    mode: int
    kind: str
    end_kind: str
    onset: float | None
    end: float | None
    growth: float


@dataclass(frozen=True, slots=True)
class Diagram:
    """Branches over speeds as arrays; nan where a mode was not tracked.

    Attributes
    ----------
    speeds : ndarray, (S,)
        rad/s.
    values : ndarray, (modes, S)
        Growth and signed angular frequency, 1/s.
    waves, sense, assurance : ndarray, (modes, S)
        As in :class:`Branch`.
    crossings : list of list of Crossing
        For every mode, the refined crossings.
    lines : sequence of int
        The lines of excitation that they cross, as :func:`lines_of` has them.
    stands : bool
        Whether the axes of the shapes stand still, while bodies spin in them.
    """

    speeds: Floats
    values: Complex
    waves: Floats
    sense: Floats
    assurance: Floats
    crossings: Sequence[Sequence[Crossing]] = ()
    lines: Sequence[int] = lines_of(ORDERS)
    stands: bool = False

    def refined(self, mode: int, order: int | None, speed: float) -> float:
        """Return the refined speed of an order line or of an edge (None), else the given speed."""
        known = self.crossings[mode - 1] if self.crossings else ()
        return next(
            (one.speed for one in known if one.order == order and one.low <= speed <= one.high),
            speed,
        )

    @property
    def frequencies(self) -> Floats:
        """Hz, in the frame of the shapes."""
        return np.abs(self.values.imag) / (2.0 * np.pi)

    @property
    def inertial(self) -> Floats:
        """Hz, for an observer at rest: ``omega + n W`` of a travelling wave, nan for all others.

        Negative where the wave runs against the rotation for that observer. In axes that stand
        still the observer is in the frame of the shapes, of which standing ones have no sense.
        """
        if self.stands:
            return np.where(self.sense <= -_MIXED, -1.0, 1.0) * self.frequencies
        whole = np.round(self.waves)
        pure = (np.abs(self.sense) >= _PURE) & (np.abs(self.waves - whole) <= _WHOLE) & (whole != 0)
        seen = np.abs(self.values.imag) + whole * self.speeds
        return np.where(pure, np.sign(whole) * seen / (2.0 * np.pi), np.nan)

    def whirl(self, mode: int, place: int) -> str:
        """Return "forward", "backward" or "standing" in that frame; "" if not tracked."""
        return whirl_of(float(self.sense[mode, place]))


def whirl_of(sense: float) -> str:
    """Return how a shape of a sense from -1 to 1 travels; an empty text if that is not known."""
    if np.isnan(sense):
        return ""
    return "standing" if abs(sense) < _MIXED else "forward" if sense > 0 else "backward"


def diagram(
    points: Sequence[Point],
    branches: Sequence[Branch],
    count: int,
    lines: Sequence[int] = lines_of(ORDERS),
    *,
    stands: bool = False,
) -> Diagram:
    """Return the branches that have been among the lowest ``count``, sorted by frequency.

    Lines and ``stands`` are attributes of the diagram.
    """
    kept = [branch for branch in branches if branch.lowest < count]
    kept.sort(key=lambda branch: (branch.first, abs(branch.values[0].imag)))
    size = (len(kept), len(points))
    values = np.full(size, complex(np.nan, np.nan))
    waves, sense, assurance = (np.full(size, np.nan) for _ in range(3))
    for i, branch in enumerate(kept):
        places = slice(branch.first, branch.first + len(branch.values))
        values[i, places] = branch.values
        waves[i, places], sense[i, places] = np.array(branch.whirl).T
        assurance[i, places] = branch.assurance
    speeds = np.array([p.speed for p in points])
    refined = [branch.crossings for branch in kept]
    return Diagram(speeds, values, waves, sense, assurance, refined, lines, stands)


def critical_speeds(found: Diagram) -> list[Critical]:
    """Return the speeds where stable frequencies cross the order lines, refined where possible.

    A mode that starts or stops diverging has frequency 0 at that speed. Seen from axes at rest, a
    mode that decays faster than it turns answers to no force with a peak, and has none.
    """
    criticals = [
        Critical(one.mode, 0, speed, 0.0)
        for one in instabilities(found)
        for speed, kind in ((one.onset, one.kind), (one.end, one.end_kind))
        if speed and kind == "divergence"
    ]
    for mode, row in enumerate(found.values, start=1):
        for run in _runs(np.isfinite(row.real) & (row.real <= 0.0)):
            for line in found.lines:
                order = abs(line)
                rough = _crossings(
                    found.speeds[run], row.imag[run], line, np.abs(found.sense[mode - 1, run])
                )
                decay = -np.interp(rough, found.speeds[run], row.real[run])
                if found.stands:  # a damping ratio of 1 / sqrt(2) and more
                    rough = [one for one, d in zip(rough, decay, strict=True) if d <= order * one]
                criticals += [
                    Critical(mode, order, speed, order * speed / (2.0 * np.pi))
                    for speed in (found.refined(mode, order, one) for one in rough)
                    if not any(_same(one, mode, order, speed) for one in criticals)
                ]
    return sorted(criticals, key=lambda one: (one.order, one.speed, one.mode))


def _same(one: Critical, mode: int, order: int, speed: float) -> bool:
    return (one.mode, one.order) == (mode, order) and abs(one.speed - speed) <= 1e-9 * speed


def instabilities(found: Diagram) -> list[Instability]:
    """Return the ranges of speeds in which modes grow, and how they begin."""
    ranges = []
    for mode, row in enumerate(found.values, start=1):
        for run in _runs(np.isfinite(row.real) & (row.real > 0.0)):
            first, last = run.start, run.stop - 1
            onset, end = (
                None if edge is None else found.refined(mode, None, edge)
                for edge in (_edge(found.speeds, row, first, -1), _edge(found.speeds, row, last, 1))
            )
            still = np.abs(row.imag[run]) <= 1e-6 * row.real[run]
            begins, ends = ("divergence" if one else "flutter" for one in (still[0], still[-1]))
            growth = float(row.real[run].max())
            ranges.append(Instability(mode, begins, ends, onset, end, growth))
    return sorted(ranges, key=lambda one: (one.onset or 0.0, one.mode))


def _edge(speeds: Floats, row: Complex, inside: int, step: int) -> float | None:
    """Return the speed between an unstable point and the stable point next to it.

    Near the edge, lambda^2 is linear in the speed for divergence, growth^2 is linear for flutter
    without damping, and the growth itself is linear with damping.
    """
    outside = inside + step
    if not 0 <= outside < len(row) or np.isnan(row[outside].real):
        return None
    if row[outside] == 0.0:  # the edge is exactly there
        return float(speeds[outside])
    if row[outside].real < 0.0:
        a, b = row[outside].real, row[inside].real
    elif abs(row[inside].imag) <= 1e-6 * row[inside].real:
        a, b = (row[outside] ** 2).real, (row[inside] ** 2).real
    else:
        further = inside - step
        if 0 <= further < len(row) and row[further].real > row[inside].real:
            one, two = row[inside].real ** 2, row[further].real ** 2
            guess = speeds[inside] - one * (speeds[further] - speeds[inside]) / (two - one)
            low, high = sorted((speeds[outside], speeds[inside]))
            return float(np.clip(guess, low, high))
        a, b = -1.0, 1.0
    return float(speeds[outside] - a * (speeds[inside] - speeds[outside]) / (b - a))


def _runs(wanted: NDArray[np.bool_]) -> list[slice]:
    """Return the runs of True in a mask."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], wanted, [False]]).astype(int)))
    return [slice(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]


def _crossings(speeds: Floats, signed: Floats, line: int, sense: Floats) -> list[float]:
    """Return the speeds where a curve of signed frequencies crosses ``line`` times the speed.

    The frequency of whirling shapes is nearly linear in the speed, and for standing shapes its
    square is nearly linear in the square of the speed: these quantities are interpolated.
    """
    if len(speeds) < 2:
        return []
    from scipy.interpolate import PchipInterpolator
    from scipy.optimize import brentq

    stands = bool(np.median(sense) < 0.5)
    places = speeds**2 if stands else speeds
    values = np.abs(signed) * signed if stands else signed
    excited = (line * abs(line) if stands else line) * places
    curve, size = values - excited, _RIDES * np.abs(excited)
    smooth = PchipInterpolator(places, curve)
    at_zero = np.concatenate([[False], curve == 0.0, [False]])
    touched = at_zero[1:-1] & ~at_zero[:-2] & ~at_zero[2:]  # not the zeros of a rigid motion
    found: list[float] = places[touched & (places > 0.0)].tolist()
    found += [
        brentq(smooth, places[i], places[i + 1])
        for i in range(len(places) - 1)
        if curve[i] * curve[i + 1] < 0.0 and max(abs(curve[i : i + 2])) > size[i + 1]
    ]
    return sorted(float(np.sqrt(place) if stands else place) for place in found)
