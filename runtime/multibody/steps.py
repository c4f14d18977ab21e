# SPDX-License-Identifier: BSD-3-Clause
"""Steps of links whose motion is found, in C (``ff_found.h``)."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime import _native
from flexforge.runtime.arrays import Floats
from flexforge.runtime.model.schema_analysis import TransientAnalysis
from flexforge.runtime.multibody.model import MultibodyModel
from flexforge.runtime.multibody.native import Pace, found_model
from flexforge.runtime.multibody.tree import independent_speeds
from flexforge.runtime.native.inputs import Functions
from flexforge.runtime.native.instance_steps import InstanceSteps
from flexforge.runtime.tables import structs
from flexforge.runtime.tables.memory import InMemory
from flexforge.runtime.transient.adapted import Adapted
from flexforge.runtime.transient.consistent import Start, consistent
from flexforge.runtime.transient.counts import Counts
from flexforge.runtime.transient.linear.factors import grown
from flexforge.runtime.transient.linear_solver import Direct
from flexforge.runtime.transient.model import Point
from flexforge.runtime.transient.newton import Newton, NotConvergedError, no_inputs
from flexforge.runtime.transient.pace import FEWEST_STEPS
from flexforge.runtime.transient.scheme import Scheme
from flexforge.runtime.transient.state import State

#: Formalisms whose steps are of independent speeds.
BY_SPEEDS = ("maggi", "kane", "gibbs_appell")
#: Backend of the linear systems that make a start consistent.
SOLVER = "scipy"
#: Steps computed at once at most, and their work: squares of the number of unknowns.
_MOST, _WORK = 1024, 10**7


@dataclass(frozen=True, slots=True, kw_only=True)
class AdaptedLinks(Adapted):
    """How steps of links have adapted from the start on.

    Attributes
    ----------
    next, error : float
        Length of the next step, s; error of the last ones in units of the accuracy, over the cube
        of their lengths, 1/s^3.
    """

    next: float
    error: float


class FoundSteps(InstanceSteps):
    """Steps of links whose motion is found.

    The history of a state has its accelerations, and all else that C carries from step to step.

    Parameters
    ----------
    model : MultibodyModel
        The equations.
    scheme : Scheme
        Method of integration.
    step : float
        Length of a step, s.
    tolerance : float
        Error of the rates of a step, relative, block by block.
    near : ndarray, (C,)
        Coordinates of joints at the start.
    total : int
        Steps of the run.
    formalism : str, optional
        One of `BY_SPEEDS`: by independent speeds; ``hamilton``: of momenta, with multipliers; by
        default of speeds, with multipliers.
    accuracy : float, optional
        Local error that steps adapt to, relative to large displacements; times of the run are then
        those of its results.

    Attributes
    ----------
    start : Start or None
        What the last `begin` found.
    """

    def __init__(
        self,
        model: MultibodyModel,
        scheme: Scheme,
        step: float,
        tolerance: float,
        near: Floats,
        total: int,
        formalism: str | None = None,
        accuracy: float | None = None,
    ) -> None:
        super().__init__(total, total * step)
        self._pace = None if accuracy is None else Pace(accuracy, self._end / FEWEST_STEPS)
        self._by_speeds, self._canonical = formalism in BY_SPEEDS, formalism == "hamilton"
        self._tree: structs.Tree | None = None
        self._model, self._scheme, self._step = model, scheme, step
        self._tolerance, self._near = tolerance, near
        self._newton = Newton(model, Direct(SOLVER), tolerance, no_inputs)
        self._counts = Counts()
        self._places = model.poses.size + model.table.elastic
        self._states = self._places + len(model.numbers)
        self._ends = self._states + len(model.formulas.controllers)
        self._turning = [model.actuators[k].coordinate for k in model.counted]
        self.start: Start | None = None
        self._taken_before: int | None = None
        self._events = deque[tuple[float, int]]()

    @classmethod
    def of(cls, analysis: TransientAnalysis, model: MultibodyModel, near: Floats) -> FoundSteps:
        """Return the steps of an analysis."""
        step, total = analysis.step_size, analysis.number_of_steps
        scheme, tolerance = Scheme.of(analysis), analysis.tolerance
        formalism, accuracy = analysis.formalism, analysis.accuracy
        return cls(model, scheme, step, tolerance, near, total, formalism, accuracy)

    @property
    def unknowns(self) -> int:
        """Number of equations of a step that are solved together."""
        if self._tree is not None:
            return self._tree.speeds + len(self._tree.closing)
        equations = 0 if self.start is None else int(self.start.rows.sum())
        return self.speeds + equations

    @property
    def speeds(self) -> int:
        """Number of speeds and of states of controllers."""
        return self._ends - self._places

    @property
    def counts(self) -> Counts:
        """Work done."""
        counts, instance = self._counts, self._instance
        counts.steps, counts.factorizations = self._steps, instance.factorizations
        if self._last is not None and (adapted := self.adapted(self._last)) is not None:
            counts.steps = adapted.taken - (self._taken_before or 0)
        counts.solves, counts.most_solves = instance.solves
        return counts

    @property
    def solver_name(self) -> str:
        """What solves the equations of a step."""
        return "native, " + ("blocks of links" if self._tree is None else "links of a tree")

    def begin(self, state: State) -> State:
        """Return a state with a history; positions and velocities satisfy the equations.

        Raises
        ------
        InputError
            When joints contradict each other.
        AnalysisError
            When the masses are singular, or a function of time has no value.
        """
        self.start = consistent(self._newton, state, with_rates=False)
        self._instance = _native.Instance(InMemory(self.table()))
        self._second = self._instance.second - self._ends
        self._multiplied = tuple(one - self._ends for one in self._instance.multiplied)
        row = np.empty(self._instance.width)
        found = self.start.state
        places, speeds = np.append(found.q, 0.0), np.append(self._speeds(found), 0.0)
        code = self._instance.begin(found.t, places, speeds, row)
        if code == _native.SINGULAR:
            raise AnalysisError("start: the masses give no accelerations")
        if code:
            raise self._failed(code, state.t)
        return self._state(found.t, row)

    def follow(self, state: State) -> State:
        """Return a state with works and impulses from it on; all later ones have them too."""
        return self._state(state.t, self._instance.follow(self._row(state)))

    def works(self, state: State) -> Floats:
        """Return the numbers of works of a state, as ``ff_works.h`` has them."""
        return state.history[len(state.history) - self._instance.followed :]

    def table(
        self, functions: Functions | None = None, outputs: Sequence[structs.Output] = ()
    ) -> structs.Model:
        """Return the tables of the model, after `begin`.

        Parameters
        ----------
        functions : Functions, optional
            Where functions of time are collected.
        outputs : sequence of Output
            What an exported solver tells.
        """
        assert self.start is not None
        independent, begun = np.flatnonzero(self.start.rows), self.start.state
        if self._by_speeds:
            none = np.zeros(self._model.space.size)
            at = Point(begun.t, begun.q, begun.z, begun.s, begun.mode, none, self.start.force)
            self._tree, independent = independent_speeds(
                self._model, at, reactions=_reactions(outputs)
            )
        names, held = len(self._model.names), len(self._model.formulas.held)
        table = found_model(
            self._model,
            self._scheme,
            self._step,
            self._tolerance,
            np.append(independent, names + np.arange(held)),
            self._near,
            functions,
            outputs,
            self._tree,
            canonical=self._canonical,
            pace=self._pace,
        )
        return replace(table, initial=np.concatenate([begun.q, self._speeds(begun)]))

    def point(self, state: State) -> Point:
        """Return a state with its rates and multipliers."""
        first, forces, near = self._second, *self._multiplied
        rate, history = state.history[first : first + self.speeds], state.history
        if self._turning:
            turning = np.zeros(len(self._turning))
            rate = np.concatenate([rate[: len(state.z)], turning, rate[len(state.z) :]])
        return Point(state.t, state.q, state.z, state.s, state.mode, rate, history[forces:near])

    def counted(self, state: State) -> Floats:
        """Return the coordinates of joints next to which angles of a state are, (C,)."""
        first = self._multiplied[1]
        return state.history[first : first + len(self._near)]

    def adapted(self, state: State) -> AdaptedLinks | None:
        """Return how steps have adapted up to a state; None where they do not."""
        if self._instance.pace is None:
            return None
        first = self._instance.pace - self._ends
        following, error, *counts, shortest, longest = state.history[first : first + 6].tolist()
        taken, refused = map(int, counts)
        return AdaptedLinks(taken, refused, shortest, longest, next=following, error=error)

    def _run(
        self, state: State, h: float, times: Floats, *, each: bool = True
    ) -> tuple[Floats, int, int]:
        if self._taken_before is None and (adapted := self.adapted(state)) is not None:
            self._taken_before = adapted.taken
        self._instance.take_events()
        while self._events and self._events[-1][0] > state.t:  # of steps that are taken again
            self._events.pop()
        found = super()._run(state, h, times, each=each)
        events, _ = self._instance.take_events()
        self._events.extend((time, int(number)) for time, number in events.tolist())
        return found

    def events_until(self, time: float) -> list[tuple[float, int]]:
        """Return times and numbers of the events up to a time, s, that were not returned before."""
        found = []
        while self._events and self._events[0][0] <= time:
            found.append(self._events.popleft())
        return found

    def _most(self, state: State) -> int:
        del state
        return max(1, min(_MOST, _WORK // max(self.unknowns, 1) ** 2))

    def _state(self, t: float, row: Floats) -> State:
        places, states, ends = self._places, self._states, self._ends
        s = row[states:ends]
        if self._turning:
            first = self._multiplied[1] + ends
            s = np.concatenate([row[first : first + len(self._near)][self._turning], s])
        return State(t, row[:places], row[places:states], s, history=row[ends:])

    def _row(self, state: State) -> Floats:
        return np.concatenate([state.q, self._speeds(state), state.history])

    def _speeds(self, state: State) -> Floats:
        """Return speeds and states of controllers, as native code has them."""
        return np.concatenate([state.z, state.s[len(self._model.counted) :]])

    def _failed(self, code: int, t: float) -> Exception:
        if code == _native.UNBOUNDED:
            return grown(t, explicit=False)
        if code == _native.ENDLESS and self._events:
            last, number = self._events[-1]
            force, event = self._model.formulas.events[number]
            return AnalysisError(
                f"force '{force}': found events without end (the last: {event}) at t = {last:g} s; "
                "expected a law that does not switch back at once"
            )
        inverted = "elements that invert, " if self._model.table.energy else ""
        if self._pace is not None:
            t = self._instance.time
            self._model.refuse(t + 1e-6 * self._pace.longest)
            return AnalysisError(
                f"transient: no step from t = {t:g} s on is short enough for the accuracy, or for "
                f"its equations to converge: links that lock, {inverted}or forces beyond all bounds"
            )
        self._model.refuse(t)  # a function of time without a value says so itself
        return NotConvergedError(
            f"transient: the equations of the step to t = {t:g} s do not converge: links "
            f"that lock, {inverted}a step too long, or forces beyond all bounds"
        )


def _reactions(outputs: Sequence[structs.Output]) -> bool:
    """Whether multipliers are told: in a run, and where outputs of an exported solver have them."""
    told = {"FF_JOINT_FORCE", "FF_JOINT_MOMENT", "FF_MULTIPLIER"}
    return not outputs or any(one.kind in told for one in outputs)
