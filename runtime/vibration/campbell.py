# SPDX-License-Identifier: BSD-3-Clause
"""Modes over the speed of rotation: a Campbell diagram.

At every speed the rotating frames take this speed, the stresses are recomputed and the modes are
computed; the modes are then tracked from speed to speed. Where shapes change too much between two
speeds to be matched, or an instability begins between them, the interval is halved.
"""

from __future__ import annotations

import time as clock
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime.model.angles import UNITS, VELOCITY
from flexforge.runtime.model.ranges import range_text
from flexforge.runtime.statics.stress_state import Stresses, StressSolver, Theory
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.system import System
from flexforge.runtime.vibration import kept_sweep
from flexforge.runtime.vibration.branches import Branch, Point, distances
from flexforge.runtime.vibration.crossings import ORDERS, Seen, lines_of, refined, sought
from flexforge.runtime.vibration.engine_orders import DiameterWaves
from flexforge.runtime.vibration.kept_sweep import Mark
from flexforge.runtime.vibration.modes import Modes
from flexforge.runtime.vibration.modes_over_speed import ModesOverSpeed
from flexforge.runtime.vibration.tracking import EQUAL, Match

_RPM = UNITS[VELOCITY]["rpm"]
_HALVINGS = 3  # of an interval between two requested speeds
_DOUBTFUL = 0.5  # MAC below which tracking of a mode is in doubt
_LEAST = 0.1  # MAC below which it is a different mode
_BEYOND = 4  # additional modes, whose frequencies may fall


class Sweep:
    """Modes at a sequence of speeds.

    Parameters
    ----------
    system : System
        The bodies.
    loads : Loads
        What acts on them.
    speeds : sequence of float
        Ascending, rad/s.
    count : int
        Number of modes.
    solver : str
        Linear solver.
    shift : float, optional
        Frequency near which modes are computed, Hz.
    time : float
        Time at which loads are evaluated, s.
    orders : sequence of int
        Orders of excitation whose crossings are looked for.
    tell : callable, optional
        Called with a text, the number of completed speeds and of all speeds.
    second : float
        A second in the unit of time of the model, for what is told.
    stresses : Stresses, optional
        Finds the stresses; by default those of the loads.
    waves : DiameterWaves, optional
        What is known of the waves of a system at a number of nodal diameters, of which there are
        ``count`` of each sense.

    Attributes
    ----------
    points : list of Point
        The computed points, ascending in speed, with shapes only at the last.
    branches : list of Branch
        The tracked modes.
    orders : tuple of int
        The orders.
    lines : tuple of int
        Lines of excitation of these orders.
    count : int
        Number of modes that are tracked; of waves that travel, of both senses together.
    done : int
        Number of requested speeds reached.
    stands : bool
        Whether bodies spin in axes that stand still.

    Raises
    ------
    InputError
        When no frame rotates steadily, or frames rotate at different speeds.
    """

    def __init__(
        self,
        system: System,
        loads: Loads,
        speeds: Sequence[float],
        count: int,
        solver: str,
        shift: float | None = None,
        time: float = 0.0,
        tell: Callable[[str, int, int], None] | None = None,
        orders: Sequence[int] = ORDERS,
        second: float = 1.0,
        stresses: Stresses | None = None,
        waves: DiameterWaves | None = None,
    ) -> None:
        self._second = second
        self._system, self._speeds = system, list(speeds)
        self._tell, self.orders = tell, tuple(orders)
        self.lines = lines_of(orders) if waves is None else waves.lines(orders)
        self.count = 2 * count if waves is not None and waves.travels else count
        if stresses is None:
            stresses = StressSolver(system, loads, "modes", solver)
        more = count + _BEYOND, solver, shift, time, tell, waves
        self._modes = ModesOverSpeed(system, stresses, self._speeds, *more)
        self.stands = any(body.motion.stands for body in system.bodies)
        self._extra = len(self._speeds)
        self.points: list[Point] = []
        self.branches: list[Branch] = []
        self.done = 0

    @property
    def last(self) -> Modes:
        """The modes at the last speed, with their shapes."""
        return self._modes.full(self.points[-1].modes, self.points[-1].speed)

    def mark(self) -> Mark:
        """Return where the sweep is, at a requested speed, for :meth:`collected`."""
        others = {
            "done": self.done,
            "extra": self._extra,
            "acted": bool(self._modes.stresses.acted),
        }
        return Mark.of(self.points, self.branches, others)

    def collected(self, mark: Mark) -> dict[str, Any]:
        """Return all that was known at a mark, to go on from there by :meth:`resume`."""
        points, branches = mark.before(self.points)
        last = points[-1]
        points[-1] = replace(last, modes=self._modes.full(last.modes, last.speed))
        shapes = self._modes.expanded(self._modes.alike([one.shape for one in branches]))
        found = kept_sweep.collected(points, branches, shapes, self._system.map)
        return found | mark.others

    def resume(self, kept: Mapping[str, Any] | None) -> None:
        """Go on from what was collected at a requested speed, which the first rank has.

        Raises
        ------
        KeyError
            When something is missing.
        """
        kept = kept_sweep.handed_out(kept, self._system.map)
        self.points, self.branches = kept_sweep.restored(kept, self._system.map)
        self.done, self._extra = kept["done"], kept["extra"]
        self._modes.stresses.acted = kept["acted"]

    @property
    def warnings(self) -> list[str]:
        """The loads left out of the stresses."""
        return self._modes.stresses.warnings

    @property
    def theory(self) -> Theory | None:
        """The theory of the prestress, if bodies were stressed at any speed."""
        stresses = self._modes.stresses
        return stresses.theory if stresses.acted else None

    def run(self) -> Generator[Point, None, None]:
        """Compute the speeds in turn; yield each when its modes have been tracked.

        Raises
        ------
        AnalysisError
            Naming the speed; results at earlier speeds are kept.
        """
        said = f"speeds, {range_text(self._speeds, self._second)}"
        try:
            self._begin()
            for number in range(self.done, len(self._speeds)):
                if self._tell is not None:
                    self._tell(said, number, len(self._speeds))
                wanted = self._solve(self._speeds[number])
                for point in self._reach(wanted, _HALVINGS):
                    if point is wanted:
                        self.done = number + 1
                    yield point
            if self._tell is not None:
                self._tell(said, len(self._speeds), len(self._speeds))
        finally:
            self._modes.close()

    def _begin(self) -> None:
        """Take shapes of an earlier process as those that follow them."""
        self._modes.begin()
        if self.points:
            for branch in self.branches:
                branch.shape = self._modes.reduced(branch.shape[None])[0]
            last = self.points[-1]
            vectors = self._modes.reduced(last.modes.vectors)
            self.points[-1] = replace(last, modes=replace(last.modes, vectors=vectors))

    def _reach(self, point: Point, halvings: int) -> Iterator[Point]:
        """Track the modes up to a speed, with speeds in between where tracking is in doubt."""
        matches = self._match(point) if self.points else []
        if self.points and halvings and self._extra and self._in_doubt(point, matches):
            self._extra -= 1
            middle = 0.5 * (self.points[-1].speed + point.speed)
            yield from self._reach(self._solve(middle), halvings - 1)
            yield from self._reach(point, halvings - 1)
            return
        if self.points:
            self._refine(point, matches)
        self._follow(point, matches)
        yield point

    def _solve(self, speed: float) -> Point:
        began = clock.perf_counter()
        try:
            found = self._modes.at(speed)
        except AnalysisError as error:
            raise AnalysisError(f"at {speed:g} rad/s: {error}") from error
        whirl = self._modes.whirl(found)
        seconds = clock.perf_counter() - began
        return Point(speed, found, whirl, distances(found.values), seconds)

    def _alive(self) -> list[Branch]:
        """Return the branches that reach the last speed."""
        last = len(self.points)
        return [b for b in self.branches if b.first + len(b.values) == last]

    def _match(self, point: Point) -> list[Match]:
        alive = self._alive()
        values = np.array([branch.values[-1] for branch in alive])
        shapes = [branch.shape for branch in alive]
        expected = np.array([self._expected(branch, point.speed) for branch in alive])
        after = (point.modes.values, point.modes.vectors)
        return self._modes.match((values, shapes), after, expected)

    def _match_back(self, middle: Point, point: Point, matches: list[Match]) -> list[Match]:
        """Assign modes between two speeds to those of the upper one."""
        alive, columns = self._alive(), [m.column for m in matches]
        mirrored = np.array([m.conjugate for m in matches])
        values, shapes = point.modes.values[columns], point.modes.vectors[columns]
        values = np.where(mirrored, values.conj(), values)
        shapes = np.where(mirrored[:, None], shapes.conj(), shapes)
        before = np.array([alive[m.row].values[-1].imag for m in matches])
        last = self.points[-1].speed
        part = (middle.speed - last) / (point.speed - last)
        expected = before + part * (values.imag - before)
        after = (middle.modes.values, middle.modes.vectors)
        found = self._modes.match((values, shapes), after, expected)
        return [replace(one, row=matches[one.row].row) for one in found]

    def _expected(self, branch: Branch, speed: float) -> float:
        """Return the signed frequency extrapolated linearly from the last two speeds."""
        if len(branch.values) < 2:
            return branch.values[-1].imag
        one, two = branch.values[-2].imag, branch.values[-1].imag
        before, last = self.points[-2].speed, self.points[-1].speed
        return two + (two - one) * (speed - last) / (last - before)

    def _in_doubt(self, point: Point, matches: list[Match]) -> bool:
        """Whether a requested mode was not tracked reliably, or starts or stops growing."""
        alive = self._alive()
        watched = [m for m in matches if alive[m.row].lowest < self.count]
        return any(
            one.assurance < _DOUBTFUL
            or (alive[one.row].values[-1].real > 0.0) != (point.modes.growth[one.column] > 0.0)
            for one in watched
        )

    def _refine(self, point: Point, matches: list[Match]) -> None:
        """Find crossings of modes with lines and edges since the last speed, by further solves.

        Speeds in between are matched to the last speed; modes that are equal there, whose shapes
        are arbitrary, to the new one.
        """
        alive, between = self._alive(), {}

        def seen(row: int, at: Point, found: list[Match]) -> Seen | None:
            one = next((m for m in found if m.row == row and m.assurance >= _LEAST), None)
            return None if one is None else _seen(at, one.column, one.conjugate)

        def solved(row: int, speed: float) -> Seen | None:
            if speed not in between:
                middle = self._solve(speed)
                back = self._match_back(middle, point, matches)
                between[speed] = middle, (self._match(middle), back)
            middle, (forth, back) = between[speed]
            return seen(row, middle, back if equal(alive[row]) else forth)

        def equal(branch: Branch) -> bool:
            return branch.apart <= EQUAL * abs(branch.values[-1])

        def known(row: int) -> list[Seen]:
            branch = alive[row]
            before = zip(self.points[branch.first :], branch.values, branch.whirl, strict=True)
            earlier = [Seen(at.speed, value, np.inf, way[1]) for at, value, way in before]
            return earlier[-3:-1] + [one for at in between if (one := solved(row, at)) is not None]

        wanted = []
        for row, branch in enumerate(alive):
            end = seen(row, point, matches)
            if end is not None and branch.lowest < self.count:
                start = Seen(
                    self.points[-1].speed, branch.values[-1], branch.apart, branch.whirl[-1][1]
                )
                wanted += [(row, one) for one in sought(start, end, self.lines)]
        low, high = (self._second * speed / _RPM for speed in (self.points[-1].speed, point.speed))
        text = f"crossings between {low:.6g} and {high:.6g} rpm"
        for number, (row, one) in enumerate(wanted):
            if self._tell is not None:
                self._tell(text, number, len(wanted))
            found = refined(one, partial(solved, row), known(row))
            if found is not None:
                alive[row].crossings.append(found)

    def _follow(self, point: Point, matches: list[Match]) -> None:
        alive, modes = self._alive(), point.modes
        followed = {m.column: m for m in matches if m.assurance >= _LEAST}
        for column, value in enumerate(modes.values):
            one = followed.get(column)
            vector = modes.vectors[column]
            if one is None:
                branch = Branch(len(self.points), vector)
                self.branches.append(branch)
            else:
                branch = alive[one.row]
            mirrored = one is not None and one.conjugate
            branch.shape = vector.conj() if mirrored else vector
            branch.apart = float(point.apart[column])
            branch.values.append(complex(np.conj(value)) if mirrored else complex(value))
            branch.whirl.append((float(point.whirl[column, 0]), float(point.whirl[column, 1])))
            branch.assurance.append(1.0 if one is None else one.assurance)
            branch.lowest = min(branch.lowest, column)
        self.points.append(point)
        if len(self.points) > 1:  # shapes are large; those of the branches suffice
            slim = replace(
                self.points[-2].modes,
                shapes=np.zeros((0, 0, 0)),
                vectors=np.zeros((0, 0), dtype=np.complex128),
            )
            self.points[-2] = replace(self.points[-2], modes=slim)


def _seen(point: Point, column: int, conjugate: bool) -> Seen:
    """Return a mode at a speed in the form in which it is tracked, possibly as its conjugate."""
    modes = point.modes
    w = 2.0 * np.pi * float(modes.frequencies[column])
    value = complex(modes.growth[column], -w if conjugate else w)
    return Seen(point.speed, value, float(point.apart[column]), float(point.whirl[column, 1]))
