# SPDX-License-Identifier: BSD-3-Clause
"""States of a body at several times in one: every array has the time first."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.motion.frame import FrameState
from flexforge.runtime.results.data import BodyState


def stacked(states: Sequence[BodyState]) -> BodyState:
    """Return states of a body, which have the same arrays, as one."""
    first = states[0]
    return BodyState(
        np.array([one.displacement for one in states]),
        None if first.velocity is None else np.array([one.velocity for one in states]),
        None if first.stress is None else np.array([one.stress for one in states]),
        None
        if first.frame is None
        else FrameState(
            **{
                part.name: np.array([getattr(one.frame, part.name) for one in states])
                for part in fields(FrameState)
            }
        ),
        None
        if first.at_stations is None
        else {
            name: np.array([(one.at_stations or {})[name] for one in states])
            for name in first.at_stations
        },
        None
        if first.others is None
        else {
            name: np.array([(one.others or {})[name] for one in states]) for name in first.others
        },
    )


def at_time(states: Mapping[str, BodyState], number: int) -> dict[str, BodyState]:
    """Return the states of all bodies at one of several times."""
    return _taken(states, lambda values: values[number])


def up_to(states: Mapping[str, BodyState], count: int) -> dict[str, BodyState]:
    """Return the states of all bodies at the first of several times."""
    return _taken(states, lambda values: values[:count])


def finite_times(states: Mapping[str, BodyState]) -> int:
    """Return at how many times from the first all that counts is finite."""
    whole = [
        np.isfinite(values.reshape(len(values), -1)).all(axis=1)
        for state in states.values()
        for values in parts_of(state).values()
    ]
    bad = np.flatnonzero(~np.array(whole).all(axis=0))
    return int(bad[0]) if len(bad) else len(next(iter(states.values())).displacement)


def parts_of(state: BodyState) -> dict[str, Floats]:
    """Return the arrays of a state that have to be finite, by name."""
    frame = state.frame
    parts = {
        "displacement": state.displacement,
        "velocity": state.velocity,
        "stress": state.stress,
        **({} if frame is None else {key: getattr(frame, key) for key in ("r_O", "R", "w")}),
        **(state.at_stations or {}),
        **{f"nodal {name}": values for name, values in (state.others or {}).items()},
    }
    return {key: np.asarray(value, float) for key, value in parts.items() if value is not None}


def _taken(
    states: Mapping[str, BodyState], take: Callable[[Floats], Floats]
) -> dict[str, BodyState]:
    return {
        name: BodyState(
            take(one.displacement),
            None if one.velocity is None else take(one.velocity),
            None if one.stress is None else take(one.stress),
            None
            if one.frame is None
            else FrameState(
                **{part.name: take(getattr(one.frame, part.name)) for part in fields(FrameState)}
            ),
            None
            if one.at_stations is None
            else {key: take(values) for key, values in one.at_stations.items()},
            None
            if one.others is None
            else {key: take(values) for key, values in one.others.items()},
        )
        for name, one in states.items()
    }
