# SPDX-License-Identifier: BSD-3-Clause
"""Equations of links whose motion is found, as a `Model` of steppers.

The state has the pose of every link and the elastic coordinates of the bodies on it; rows are the
equations of joints, gears and drivers. Forces and rows are evaluated in C (``ff_multibody.h``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime import _multibody
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.constraints.actuators import Actuator
from flexforge.runtime.mechanism.build import Parts
from flexforge.runtime.motion.profiles import Profile
from flexforge.runtime.multibody.formulas import Formulas
from flexforge.runtime.multibody.patterns import Patterns
from flexforge.runtime.multibody.rigid_motions import RigidMotions
from flexforge.runtime.multibody.slopes import Slopes, slopes_of
from flexforge.runtime.multibody.tables import NONE
from flexforge.runtime.tables.memory import InMemory
from flexforge.runtime.tables.structs import Multibody
from flexforge.runtime.transient import rotation
from flexforge.runtime.transient.manifold import Euclidean
from flexforge.runtime.transient.model import Linearization, Model, Point, Rows, Values
from flexforge.runtime.transient.operator import Matrix
from flexforge.runtime.transient.space import SerialSpace
from flexforge.runtime.transient.state import Block, State

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

#: Displacements, m, and turns, rad, of differences of factors of formulas.
_DIFFERENCE = 1e-5


@dataclass(frozen=True, slots=True)
class Account:
    """What balances in a motion: energies, J; powers, W; momentum and angular momentum, in space.

    Attributes
    ----------
    kinetic, strain : float
        Energies; springs at joints count as strain.
    driving, loads, damping : float
        Powers of drivers, of loads, given forces and laws at joints, and of dampers.
    forces : tuple of float
        Powers of forces between links, as the model file has them.
    momentum, external : ndarray, (6,)
        Momentum and angular momentum about the global origin; resultant of all forces on links.
    """

    kinetic: float
    strain: float
    driving: float
    loads: float
    damping: float
    forces: tuple[float, ...]
    momentum: Floats
    external: Floats


class MultibodyModel(Model):
    """Links whose motion is found.

    Parameters
    ----------
    parts : Parts
        Links, joints, gears and drivers.
    table : Multibody
        The equations.
    amplitudes : sequence of Profile
        Of the loads.
    actuators : sequence of Actuator
        What acts along coordinates of joints, joint after joint.
    formulas : Formulas, optional
        Laws of the actuators, controllers, and equations of speeds.

    Attributes
    ----------
    links : Links
        The equations in C; its frames and rows are those of the last point.
    names : tuple of str
        Of all equations.
    """

    linear = None

    def __init__(
        self,
        parts: Parts,
        table: Multibody,
        amplitudes: Sequence[Profile],
        actuators: Sequence[Actuator],
        formulas: Formulas = NONE,
    ) -> None:
        assert table.linkage is not None
        self.parts, self.table, self._linkage = parts, table, table.linkage
        self.amplitudes, self.actuators = tuple(amplitudes), tuple(actuators)
        self.formulas = formulas
        conditions = (f"constraint '{name}'" for name in formulas.conditions)
        self.names = (*parts.names, *conditions)
        self._in_memory = InMemory(table)
        told = np.array([start for _, start in formulas.inputs])
        self.links = _multibody.Links(self._in_memory, told)
        self.poses = RigidMotions(len(parts.links), parts.planar)
        self._rigid, self._elastic = 6 * len(parts.links), table.elastic
        coordinates = parts.coordinates
        #: Actuators whose coordinate is an angle, which is counted beyond one turn.
        self.counted = np.array(
            [k for k, a in enumerate(actuators) if coordinates[a.coordinate].is_angle],
            dtype=int,
        )
        size = parts.size
        blocks = [Block("motion", ", ".join(parts.links), self.poses, size)]
        if self._elastic:
            blocks.append(Block("displacement", "bodies", Euclidean(self._elastic), size))
        if len(self.counted):
            turns = Euclidean(len(self.counted))
            blocks.append(Block("turns", "actuators", turns, 1.0, first_order=True))
        self._controllers = len(formulas.controllers)
        if self._controllers:
            states = Euclidean(self._controllers)
            blocks.append(Block("states", "controllers", states, 1.0, first_order=True))
        self.blocks = tuple(blocks)
        self.numbers = np.concatenate([self.poses.numbers, self._rigid + np.arange(self._elastic)])
        self._rates = len(self.numbers) + len(self.counted) + self._controllers
        self.space = SerialSpace(self._rates)
        self.identity = sha256(f"multibody {parts.links} {self._rates}".encode()).digest()
        self._patterns = Patterns(parts, table, self.numbers, self._rates)
        self._row_of = self._patterns.row_of
        self._last: tuple[float, Floats, Floats, Floats] | None = None

    def residual(self, at: Point, out: Values) -> None:
        """Set what inertia and elasticity need beyond all forces."""
        self._evaluate(at)
        z, states = len(self.numbers), self.first_state
        out[:z] = self._out[self.numbers]
        out[z:states] = at.rate[z:states] - self.links.rate[self._counted_rows]
        out[states:] = self._out[self._rigid + self._elastic : -1]

    def begin_step(self, state: State) -> None:
        """Accept: nothing is held during a step."""

    def linearize(self, at: Point) -> Linearization:
        """Return the derivatives of the residual."""
        from scipy.sparse import csr_matrix

        d, z, rate = self._evaluate(at)
        _, amplitudes, _, _ = self._given(at.t)
        links, joints = self._patterns.link_places, self._patterns.joint_places
        by_link = np.zeros((3, len(links[0]) + 1))
        by_joint = np.zeros((2, len(joints[0]) + 1))
        rates = np.zeros((len(self.actuators) + 1, self._rigid + self._elastic))
        self.links.tangents_of(d, z, rate, amplitudes, by_link, by_joint, rates)
        n, moving = self._rates, len(self.numbers)
        counted = csr_matrix((n, n))
        if n > moving:
            counted = _corner(n, moving, np.eye(n - moving))
        found = [self._patterns.scattered(by_link[0, :-1], links, n) + counted]
        for k in (0, 1):
            from_links = self._patterns.scattered(by_link[k + 1, :-1], links, n)
            found.append(from_links + self._patterns.scattered(by_joint[k, :-1], joints, n))
        speed, place = found[1:]
        if len(self.counted):
            speed = speed - self._coordinate_rows
            turned = rates[self.counted][:, self.numbers]
            place = place - _below(n, moving, turned)
        force = -self._equations().T.tocsr()
        if self.table.formula:
            of_speed, of_place, of_force = self._told_by(rates)
            speed, place = speed - csr_matrix(of_speed), place - csr_matrix(of_place)
            force = force - csr_matrix(of_force)
        return Linearization(
            found[0],
            speed,
            place[:, :moving],
            force,
        )

    def _told_by(self, rates: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the derivatives of what laws and controllers do.

        By speeds and places, (n, n), and by multipliers, (n, m).

        Parameters
        ----------
        rates : ndarray, (actuators + 1, all speeds)
            Derivatives of the rates of the actuators' coordinates by places.
        """
        n, moving, first = self._rates, len(self.numbers), self.first_state
        laws, last = len(self.formulas.laws), len(self.formulas.laws) + self._controllers
        slopes, rows = self._slopes.take(slice(0, last)), self._acted_rows()
        of_speed, of_place = np.zeros((2, last, n))
        of_speed[:, :moving] = slopes.by_rate @ rows
        of_speed[:, first:] = slopes.by_state
        of_place[:, :moving] = slopes.by_place @ rows + slopes.by_rate @ rates[:-1][:, self.numbers]
        to = np.zeros((n, last))
        to[:moving, :laws] = rows[np.asarray(self.table.law_of, dtype=int)].T
        to[first:, laws:] = np.eye(self._controllers)
        of_force = np.zeros((last, len(self.names)))
        of_force[:] = slopes.by_force[:, : len(self.names)]
        return to @ of_speed, to @ of_place, to @ of_force

    @property
    def _slopes(self) -> Slopes:
        """Derivatives of all formulas where they were evaluated last."""
        return slopes_of(self.table, self.links.told, len(self.actuators))

    @property
    def _condition_slopes(self) -> Slopes:
        """Those of equations of speeds, without speeds that forces hold now and then."""
        first = len(self.formulas.laws) + self._controllers
        return self._slopes.take(slice(first, first + len(self.formulas.conditions)))

    def conditions_by_place(self, at: Point, motions: Floats) -> Floats:
        """Return what forces of equations of speeds change by as their factors do, (z, f).

        Parameters
        ----------
        at : Point
            With the multipliers.
        motions : ndarray, (z, f)
            Increments of the positions, in columns.
        """
        z, force = len(at.z), at.force[len(self.parts.names) : len(self.names)]
        found = np.zeros((z, motions.shape[1]))
        if not force.any():
            return found
        self._evaluate(at)
        rows = self._acted_rows()[:, :z]
        for k, motion in enumerate(motions.T):
            step = _DIFFERENCE * motion / np.abs(motion).max()
            factors = []
            for q in (self.moved(at.q, step), self.moved(at.q, -step)):
                self._evaluate(replace(at, q=q))
                factors.append(force @ self._condition_slopes.by_rate)
            slope = (factors[0] - factors[1]) * np.abs(motion).max() / (2.0 * _DIFFERENCE)
            found[:, k] = -(slope @ rows)
        return found

    def _acted_rows(self) -> Floats:
        """Return the derivatives of the actuators' coordinates by the speeds, (A, n)."""
        rows = self._patterns.coordinate_matrix(self.links.entries[:-1])
        return np.asarray(rows[[one.coordinate for one in self.actuators]].toarray())

    def _equations(self) -> csr_matrix:
        """Return G of all equations where formulas were evaluated last, (E, n)."""
        from scipy.sparse import csr_matrix, vstack

        held = self._patterns.matrix(self.links.entries[:-1])
        if not self.formulas.conditions:
            return held
        rows = csr_matrix(self._condition_slopes.by_rate @ self._acted_rows())
        rows.resize((rows.shape[0], self._rates))
        return vstack([held, rows], format="csr")

    def held_rows(self, at: Point) -> dict[str, Floats]:
        """Return rows of the speeds that forces hold now and then, (n,), at a point, by name."""
        self._evaluate(at)
        slopes = self._slopes.by_rate
        first = len(slopes) - len(self.formulas.held)
        rows = slopes[first:] @ self._acted_rows()
        return dict(zip(self.formulas.held, rows, strict=True))

    def constraints(self, at: Point) -> Rows:
        """Return the equations of joints, gears and drivers."""
        self._evaluate(at)
        _, _, _, driven = self._given(at.t)
        count = len(self.parts.names)
        value, second = (
            self._patterns.ties @ self.links.value[:-1],
            -(self._patterns.ties @ self.links.second[:-1]),
        )
        place, speed = value - np.asarray(self._linkage.offsets), np.zeros(count)
        first = count - len(self.parts.drivers)
        for k in range(len(self.parts.drivers)):
            place[first + k] = value[first + k] - driven[k, 0]
            speed[first + k] = driven[k, 1]
            second[first + k] += driven[k, 2]
        speeds, seconds = self._conditions()
        return Rows(
            self.names,
            np.concatenate([place, np.zeros(len(speeds))]),
            self._equations(),
            np.concatenate([speed, speeds]),
            np.concatenate([second, seconds]),
            np.concatenate([self._linkage.scales, np.ones(len(speeds))]),
            np.arange(len(self.names)) >= count,
        )

    def _conditions(self) -> tuple[Floats, Floats]:
        """Return what equations of speeds give of speeds and of their rates, (k,) each."""
        of = self._condition_slopes
        rows = self._row_of[[one.coordinate for one in self.actuators]].astype(int)
        rate, second = self.links.rate[rows], self.links.second[rows]
        speed = of.by_rate @ rate - of.value
        return speed, -(of.by_time + of.by_place @ rate + of.by_rate @ second)

    def switch(self, at: Point, which: Sequence[int]) -> State:
        """Raise: such a model has no events."""
        raise ValueError(f"found events {list(which)} at t = {at.t:g} s; expected none")

    def state(self, t: float, frames: Floats, z: Floats) -> State:
        """Return a state of poses (L, 8, 3) without displacements, with speeds (n,)."""
        poses = np.concatenate([np.append(one[0], rotation.of_matrix(one[1:4])) for one in frames])
        q = np.concatenate([poses, np.zeros(self._elastic)])
        states = np.array(self.formulas.starts)
        s = np.concatenate([np.zeros(len(self.counted)), states])
        point = Point(t, q, z, s, np.zeros(0, dtype=np.int64), np.zeros(self._rates))
        self._move(point, np.zeros(len(self.links.value)))
        return State(t, q, z, np.concatenate([self.links.value[self._counted_rows], states]))

    def frames(self, at: Point, near: Floats) -> tuple[Floats, Floats]:
        """Return states of the links, (L, 8, 3), and of the coordinates, (C, 3): of `course`."""
        frames, coordinates = self.course([at], near[None])
        return frames[0], coordinates[0]

    def course(self, points: Sequence[Point], near: Floats) -> tuple[Floats, Floats]:
        """Return states of the links, (T, L, 8, 3), and of the coordinates, (T, C, 3).

        Parameters
        ----------
        points : sequence of Point
            With the rates of the speeds.
        near : ndarray, (T, C)
            Values of coordinates next to which angles are.
        """
        count, moving, first = len(points), len(self.numbers), len(self.counted)
        poses, places = 7 * len(self.parts.links), np.array([one.q for one in points])
        z, rate = np.zeros((2, count, len(self._out)))
        rates = np.array([one.rate for one in points])
        z[:, self.numbers] = [one.z for one in points]
        rate[:, self.numbers] = rates[:, :moving]
        if self._controllers:
            z[:, self._rigid + self._elastic : -1] = [one.s[first:] for one in points]
            rate[:, self._rigid + self._elastic : -1] = rates[:, self.first_state :]
        frames = np.empty((count, len(self.parts.links), 24))
        coordinates, d = np.empty((count, len(self._row_of) + 1, 3)), _widened(places[:, poses:])
        self.links.course(
            np.ascontiguousarray(places[:, :poses]), d, z, rate, _widened(near), frames, coordinates
        )
        return frames.reshape(count, -1, 8, 3), coordinates[:, :-1]

    def multiplier(self, name: str) -> int:
        """Return the number of the equation of a driver, gear or constraint; joints come first."""
        names = [one.split("'")[1] for one in self.names]
        return len(names) - 1 - names[::-1].index(name)

    def controller(self, name: str) -> int:
        """Return the number of the state of a controller, from the end of s: it is negative."""
        return [one.name for one in self.formulas.controllers].index(name) - self._controllers

    def moved(self, q: Floats, step: Floats) -> Floats:
        """Return positions after increments, (z,), in components of the links."""
        poses, rigid = self.poses.size, self.poses.dimension
        elastic = q[poses:] + step[rigid:]
        return np.concatenate([self.poses.retract(q[:poses], step[:rigid]), elastic])

    def states(self, at: Point) -> Floats:
        """Return the states of a point with counted angles as the links were moved last."""
        turns = self.links.value[self._counted_rows]
        return np.concatenate([turns, at.s[len(self.counted) :]])

    @property
    def turn_rates(self) -> Floats:
        """Rates of the counted angles where the links were moved last, (k,), rad/s."""
        return self.links.rate[self._counted_rows].copy()

    def coordinate_rows(self, at: Point) -> Floats:
        """Return the derivatives of all coordinates of joints by the speeds, (C, n), at a point."""
        self._move(at)
        return np.asarray(self._patterns.coordinate_matrix(self.links.entries[:-1]).toarray())

    def account(self, at: Point) -> Account:
        """Return energies, powers, momenta and external forces at a point."""
        d, z, _ = self._evaluate(at)
        _, amplitudes, given, driven = self._given(at.t)
        driven = np.concatenate([driven.reshape(-1, 3), np.zeros((1, 3))])
        energies, powers, momentum, external = self.links.account(
            d, z, amplitudes, given, driven, self._multipliers(at)
        )
        driving, loads, damping, *forces = powers.tolist()
        return Account(*energies, driving, loads, damping, tuple(forces), momentum, external)

    def lost(self, at: Point) -> dict[str, float]:
        """Return the energy that impacts took up to a point of a motion, by force, J."""
        forces = self.formulas.forces
        numbers = at.force[len(at.force) - len(forces) :]
        pairs = zip(forces, numbers.tolist(), strict=True) if self.formulas.events else ()
        return {one.name: lost for one, lost in pairs if any(hold.jumps for hold in one.law.holds)}

    def kept(self, at: Point) -> dict[str, dict[str, float]]:
        """Return what forces keep at a point of a motion, by the name of the force."""
        numbers = iter(at.force[len(self.names) + len(self.formulas.held) :].tolist())
        return {
            force.name: {one.name: next(numbers) for one in force.law.kept}
            for force in self.formulas.forces
        }

    def reactions(self, at: Point) -> Floats:
        """Return force and moment of every joint on its second link, and its axes, (J, 15)."""
        d, z, _ = self._evaluate(at) if self.formulas.forces else self._move(at)
        found = np.zeros((len(self.parts.joints) + 1, 15))
        self.links.reactions(d, z, self._multipliers(at), found)
        return found[:-1]

    def _evaluate(self, at: Point) -> tuple[Floats, Floats, Floats]:
        """Evaluate forces; return d, speeds and rates as native code has them."""
        d, z, rate = self._move(at)
        _, amplitudes, given, _ = self._given(at.t)
        self.links.forces(at.t, d, z, rate, amplitudes, self._multipliers(at), given, self._out)
        if self.table.formula and not np.isfinite(self.links.told).all():
            raise self._undefined(at.t)
        return d, z, rate

    def _multipliers(self, at: Point) -> Floats:
        """Return the multipliers of all equations, what forces keep, and one number more."""
        every = len(self.names) + len(self.formulas.held)
        found = np.concatenate([np.zeros(every), self.formulas.rest, [0.0]])
        count = min(len(at.force), len(found))  # of states of a motion there are more
        found[:count] = at.force[:count]
        return found

    def _undefined(self, t: float) -> AnalysisError:
        """Return the error of a formula that has no value, or no derivative, at a time, s."""
        names = self.formulas.names
        ends = [one.at for one in self.table.formula[1:]] + [len(self.links.told)]
        parts = (
            self.links.told[one.at : end] for one, end in zip(self.table.formula, ends, strict=True)
        )
        name = next(
            name for name, one in zip(names, parts, strict=True) if not np.isfinite(one).all()
        )
        return AnalysisError(
            f"{name}: the formula has no finite value and derivatives at t = {t:g} s; expected "
            "one that has"
        )

    def _move(self, at: Point, near: Floats | None = None) -> tuple[Floats, Floats, Floats]:
        """Set frames and rows of a point; return d, speeds and rates as native code has them."""
        poses = 7 * len(self.parts.links)
        z, rate = np.zeros_like(self._out), np.zeros_like(self._out)
        z[self.numbers] = at.z
        rate[self.numbers] = at.rate[: len(self.numbers)]
        states = slice(self._rigid + self._elastic, -1)
        z[states] = at.s[len(self.counted) :]
        rate[states] = at.rate[self.first_state :]
        d = _padded(at.q[poses:])
        if near is None:
            near = np.zeros(len(self.links.value))
            near[self._counted_rows] = at.s[: len(self.counted)]
            for driver, (value, _, _) in zip(
                self.parts.drivers, self._given(at.t)[3], strict=False
            ):
                near[self._row_of[driver.coordinate]] = value
        self.links.move(np.ascontiguousarray(at.q[:poses]), d, z, rate, near)
        return d, z, rate

    def refuse(self, t: float) -> None:
        """Raise the error of a function that has no value at a time, s."""
        self._last = None
        self._given(t)

    def _given(self, t: float) -> tuple[float, Floats, Floats, Floats]:
        """Return the time, amplitudes of loads, forces of actuators, and drivers (D, 3)."""
        if self._last is None or self._last[0] != t:
            amplitudes = [float(one.derivative(t, 0)) for one in self.amplitudes]
            given = [float(one.force.derivative(t, 0)) for one in self.actuators]
            driven = self.parts.driven(np.array([t]))[0]
            self._last = (t, _padded(amplitudes), _padded(given), driven)
        return self._last

    @cached_property
    def _out(self) -> Floats:
        return np.zeros(self._rigid + self._elastic + self._controllers + 1)

    @property
    def first_state(self) -> int:
        """Number of the first state of a controller among speeds and states."""
        return self._rates - self._controllers

    @cached_property
    def _counted_rows(self) -> Ints:
        return self._row_of[[self.actuators[k].coordinate for k in self.counted]]

    @property
    def _coordinate_rows(self) -> csr_matrix:
        """Rows of counted coordinates at their places among the equations, (n, n)."""
        rows = self._patterns.coordinate_matrix(self.links.entries[:-1])
        chosen = [self.actuators[k].coordinate for k in self.counted]
        return _below(self._rates, len(self.numbers), rows[chosen].toarray())


def _padded(values: Sequence[float] | Floats) -> Floats:
    """Return numbers with one more behind them, for arrays in C to be never empty."""
    return np.append(np.asarray(values, dtype=float), 0.0)


def _widened(values: Floats) -> Floats:
    """Return rows with one more number behind each."""
    return np.concatenate([values, np.zeros((len(values), 1))], axis=1)


def _corner(size: int, at: int, block: Floats) -> Matrix:
    """Return a block at the end of the diagonal of a matrix."""
    return _below(size, at, np.hstack([np.zeros((len(block), at)), block]))


def _below(size: int, at: int, rows: Floats) -> Matrix:
    """Return rows (k, m) below zeros, (size, size)."""
    from scipy.sparse import csr_matrix

    found = np.zeros((size, size))
    found[at : at + len(rows), : rows.shape[1]] = rows
    return csr_matrix(found)
