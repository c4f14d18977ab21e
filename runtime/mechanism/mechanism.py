# SPDX-License-Identifier: BSD-3-Clause
"""A mechanism in motion: positions, velocities and accelerations of all links at any time."""

from __future__ import annotations

import bisect
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime import _mechanism
from flexforge.runtime._native import HALVINGS
from flexforge.runtime.arrays import Floats
from flexforge.runtime.mechanism.assemble import Linear, Position, assemble, linearize
from flexforge.runtime.mechanism.build import Parts, build_parts
from flexforge.runtime.mechanism.diagnose import check_determined, locked
from flexforge.runtime.mechanism.joints import Joint
from flexforge.runtime.mechanism.open_joints import unit_hint
from flexforge.runtime.mechanism.tables import build_linkage
from flexforge.runtime.mesh import Mesh
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.motion.frame import FrameState
from flexforge.runtime.tables.memory import InMemory
from flexforge.runtime.tables.structs import Linkage

#: Steps taken at most from one time to the next.
MOST_STEPS = 2_000
#: Positions kept along the run, from which others are reached.
MOST_KNOTS = 4096
KNOTS_A_RUN = 64


@dataclass(frozen=True, slots=True)
class Trajectory:
    """A mechanism over time.

    Attributes
    ----------
    times : (T,) array
        Times, s.
    frames : (T, L, 8, 3) array
        States of the links: r_O, the rows of R, v_O, w, a_O, e.
    coordinates : (T, C, 3) array
        Value, rate and acceleration of every coordinate.
    """

    times: Floats
    frames: Floats
    coordinates: Floats


@dataclass(frozen=True, slots=True)
class Assembled:
    """A mechanism at t = 0.

    Attributes
    ----------
    frames : (L, 8, 3) array
        States of the links, as in `Trajectory`.
    angles : (R,) array
        Angles of the rows of all joints, with their turns.
    coordinates : (C, 3) array
        Value, rate and acceleration of every coordinate.
    offsets : (E,) array
        Values at which equations are kept.
    sign : int
        Of the determinant of the equations, which does not change.
    """

    frames: Floats
    angles: Floats
    coordinates: Floats
    offsets: Floats
    sign: int


@dataclass(frozen=True, slots=True)
class _Knot:
    """A state from which others are reached."""

    time: float
    frames: Floats
    angles: Floats
    coordinates: Floats


@dataclass(frozen=True, slots=True)
class _Part:
    """States that one run of native code has reached, arrays over their times."""

    times: Floats
    frames: Floats
    angles: Floats
    coordinates: Floats

    def __len__(self) -> int:
        return len(self.times)

    def knot(self, k: int) -> _Knot:
        """Return a state alone, without the memory of the others."""
        one = (of_all[k].copy() for of_all in (self.frames, self.angles, self.coordinates))
        return _Knot(float(self.times[k]), *one)


class Mechanism:
    """Links that joints and drivers move; every time is computed once.

    Parameters
    ----------
    parts : Parts
        Links, joints, gears and drivers.
    span : float
        The time the analysis covers, s.
    tolerance : float
        How far joints may stay open, relative to the size of the mechanism.

    Raises
    ------
    InputError
        When the joints cannot be closed at t = 0, or joints and drivers do not determine the
        motion, each part of it once.
    """

    #: Whether its motion is found by integration instead of being determined by drivers.
    is_found: ClassVar[bool] = False

    def __init__(self, parts: Parts, span: float = 1.0, tolerance: float = 1e-13) -> None:
        position = self._close(parts, span, tolerance)
        check_determined(parts, self._linear(position, 0.0).jacobian, position.frames)
        part, status = self._run(self._assembled, np.zeros(1))
        if not part:
            raise self._locked(self._assembled, status)
        self._last = part.knot(0)
        self._knots = [self._last]

    def _close(self, parts: Parts, span: float, tolerance: float) -> Position:
        """Close the joints at t = 0, and keep where they do."""
        self._linkage = build_linkage(parts)
        self._equations = _mechanism.Equations(InMemory(self._linkage))
        self.parts, position = assemble(parts, self._equations)
        self.span, self.tolerance = span, tolerance
        self._offsets = position.offsets
        self._assembled = _Knot(0.0, position.frames, position.angles, np.zeros((self._count, 3)))
        self._sign = 0
        self._solved: Trajectory | None = None
        return position

    @classmethod
    def from_model(cls, model: ModelSpec, mesh: Mesh) -> Mechanism:
        """Return the mechanism of a model, assembled at t = 0."""
        analysis = model.analysis
        tolerance = analysis.tolerance if analysis.kind == "kinematics" else 1e-13
        return Mechanism(build_parts(model, mesh), abs(model.span), tolerance)

    @property
    def linkage(self) -> Linkage:
        """The equations as native code reads them."""
        return replace(self._linkage, offsets=self._offsets, tolerance=self.tolerance)

    @property
    def joints(self) -> tuple[Joint, ...]:
        """The joints, with the values at which rolling ones are kept."""
        return self.parts.joints

    @cached_property
    def _count(self) -> int:
        return max(len(self.parts.coordinates), 1)

    @property
    def assembled(self) -> Assembled:
        """The state at t = 0, from which native code goes on."""
        start, used = self._assembled, len(self.parts.coordinates)
        return Assembled(
            start.frames, start.angles, start.coordinates[:used], self._offsets, self._sign
        )

    def number(self, link: str) -> int:
        """Return the number of a link."""
        return self.parts.links.index(link)

    def at(self, t: float) -> list[FrameState]:
        """Return the states of all links at a time, s.

        Raises
        ------
        AnalysisError
            When the mechanism locks on the way there or passes a singular position.
        """
        return unpack(self._reach(t).frames)

    def link_at(self, number: int, t: float) -> FrameState:
        """Return the state of one link, by its number, at a time, s.

        Raises
        ------
        AnalysisError
            As of :meth:`at`.
        """
        return as_frame(self._reach(t).frames[number])

    def coordinates_at(self, t: float) -> Floats:
        """Return value, rate and acceleration of every coordinate at a time, (C, 3)."""
        return self._reach(t).coordinates

    def solve(self, times: Floats) -> Trajectory:
        """Return the motion over ascending times, native but for what is given in Python.

        Raises
        ------
        AnalysisError
            As `at` does; see `follow` for what was computed before.
        """
        times = np.asarray(times, dtype=float)
        if self._solved is None or not np.array_equal(self._solved.times, times):
            self._solved = self._course(times)  # several probes ask for the same times
        return self._solved

    def _course(self, times: Floats) -> Trajectory:
        if len(times) == 1:  # which is known more often than not
            knot, used = self._reach(float(times[0])), len(self.parts.coordinates)
            return Trajectory(times, knot.frames[None], knot.coordinates[None, :used])
        course, error = self.follow(times)
        if error is not None:
            raise error
        return course

    def follow(self, times: Floats) -> tuple[Trajectory, AnalysisError | None]:
        """Return the motion over ascending times as far as it goes, and why no further."""
        times = np.asarray(times, dtype=float)
        frames = np.zeros((len(times), len(self.parts.links), 8, 3))
        coordinates = np.zeros((len(times), self._count, 3))
        knot = self._nearest(float(times[0])) if len(times) else self._knots[0]
        done, error = 0, None
        if len(times) and knot.time == times[0]:
            frames[0], coordinates[0] = knot.frames, knot.coordinates
            done = 1
        while done < len(times):
            part, status = self._run(knot, times[done:])
            count = len(part)
            if count:
                frames[done : done + count] = part.frames
                coordinates[done : done + count] = part.coordinates
                done, knot = done + count, part.knot(count - 1)
                for number in range(0, count, 1 + count // KNOTS_A_RUN):
                    self._keep(part.knot(number))
                self._keep(knot)
            if status == _mechanism.DONE:
                break
            try:
                knot = self._step(knot, float(times[done]))
            except AnalysisError as found:
                error = found
                break
            frames[done], coordinates[done] = knot.frames, knot.coordinates
            done += 1
        used = len(self.parts.coordinates)
        return Trajectory(times[:done], frames[:done], coordinates[:done, :used]), error

    def _reach(self, t: float) -> _Knot:
        if self._last.time != t:
            knot = self._nearest(t)
            self._last = knot if knot.time == t else self._step(knot, t)
            self._keep(self._last)
        return self._last

    def _nearest(self, t: float) -> _Knot:
        """Return the known state nearest to a time."""
        place = bisect.bisect_left(self._knots, t, key=lambda knot: knot.time)
        near = self._knots[max(place - 1, 0) : place + 1]
        return min(near, key=lambda knot: abs(knot.time - t))

    def _keep(self, knot: _Knot) -> None:
        """Remember a state, if there is none close to it."""
        place = bisect.bisect_left(self._knots, knot.time, key=lambda one: one.time)
        near = self._knots[max(place - 1, 0) : place + 1]
        apart = min(abs(one.time - knot.time) for one in near)
        if apart >= (self.span or 1.0) / MOST_KNOTS:
            self._knots.insert(place, knot)

    def _step(self, knot: _Knot, t: float) -> _Knot:
        """Return the state at a time, reached in as many steps as it takes."""
        halvings = 0
        begun, t = knot.time, float(t)
        target = t
        for _ in range(MOST_STEPS):
            part, status = self._run(knot, np.array([target], dtype=float))
            if part:
                knot = part.knot(0)
                if knot.time == t:
                    return knot
                self._keep(knot)
                halvings = max(halvings - 1, 0)
                target = t if halvings == 0 else knot.time + (t - knot.time) / 2**halvings
                continue
            halvings += 1
            middle = knot.time + (target - knot.time) / 2
            if halvings > HALVINGS or middle in (knot.time, target):
                raise self._locked(knot, status)
            target = middle
        raise AnalysisError(
            f"the mechanism moves too far between t = {begun:.6g} and {t:.6g} s: {MOST_STEPS} "
            f"steps reach only t = {knot.time:.6g} s; expected more steps, or slower drivers"
        )

    def _run(self, knot: _Knot, times: Floats) -> tuple[_Part, int]:
        """Run native code from a state through times; return what is reached and its status."""
        count, links = len(times), len(self.parts.links)
        frames, angles = knot.frames.copy(), knot.angles.copy()
        out = np.empty((count, links, 24))
        coordinates = np.zeros((count, self._count, 3))
        turns = np.empty((count, max(len(angles), 1)))
        done, status, sign, _ = self._equations.run(
            np.ascontiguousarray(times),
            self.parts.driven(times),
            knot.time,
            frames.reshape(links, 24),
            angles,
            self._offsets,
            self._sign,
            self.tolerance,
            out,
            coordinates,
            turns,
        )
        self._sign = sign
        states = out[:done].reshape(done, links, 8, 3)
        return _Part(times[:done], states, turns[:done, : len(angles)], coordinates[:done]), status

    def _linear(self, position: Position, t: float) -> Linear:
        return linearize(self._equations, position, self.parts.driven(np.array([t]))[0])

    def _locked(self, knot: _Knot, status: int) -> AnalysisError:
        position = Position(knot.frames, knot.angles, self._offsets)
        singular = status == _mechanism.SINGULAR
        jacobian = self._linear(position, knot.time).jacobian
        why = locked(self.parts, jacobian, singular=singular)
        what = "comes to a singular position" if singular else "locks"
        hint = "".join(f"; {text}" for text in unit_hint(self.parts))
        return AnalysisError(f"the mechanism {what} at t = {knot.time:.6g} s: {why}{hint}")


def unpack(frames: Floats) -> list[FrameState]:
    """Return the states of links, (L, 8, 3), as frames have them."""
    return [as_frame(one) for one in frames]


def as_frame(state: Floats) -> FrameState:
    """Return the state of a link, (..., 8, 3), as frames have it."""
    r, v, w, a, e = (state[..., k, :] for k in (0, 4, 5, 6, 7))
    return FrameState(r_O=r, R=state[..., 1:4, :], v_O=v, w=w, a_O=a, e=e)
