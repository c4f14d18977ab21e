# SPDX-License-Identifier: BSD-3-Clause
"""Exported mechanisms used badly: what is refused by a code leaves every bit of the state."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from exported_mechanisms import export
from flexforge.runtime.constraints.build import build_ties, joints_of
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.system.construct import build_mesh, build_system
from test_mechanism_fmu import LOCKED as REACH
from test_mechanism_fmu import TOLD, H

ARGUMENT, LOCKED, SINGULAR_POSITION, UNBOUNDED = 3, 5, 6, 7
WHOLE = {name: table for name, table in TOLD.items() if name != "reduction"}


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """The mechanism whose rocker is told how far to turn, with all coordinates of its nodes."""
    return export(WHOLE, tmp_path_factory.mktemp("told"))


def put(instance, places, velocities):
    """Set coordinates; return the code."""
    pointer = ctypes.POINTER(ctypes.c_double)
    given = [np.ascontiguousarray(one, dtype=float) for one in (places, velocities)]
    return instance.call("set_coordinates", *(one.ctypes.data_as(pointer) for one in given))


def untouched(instance, act):
    """Return the code of an act that must leave every bit of the state."""
    before = bytes(instance.state())
    code = act()
    assert bytes(instance.state()) == before
    return code


def rows_of_joints(data):
    """Return J of a model of the runtime at t = 0, dense."""
    spec = model_from_dict(data)
    places = build_system(spec, build_mesh(spec))
    return joints_of(build_ties(spec, places)).at(0.0).matrix().toarray()


def test_coordinates_that_joints_do_not_allow_become_allowed(library):
    """J q and its rate vanish for what is set; what is allowed stays, and can be set again."""
    instance = library.create()
    n = library.solver.size
    wild = np.random.default_rng(3).standard_normal((2, n)) * [[1e-4], [1e-2]]
    assert put(instance, *wild) == 0
    allowed = [instance.coordinates(order) for order in range(3)]
    assert np.abs(allowed[0] - wild[0]).max() > 1e-5
    held = TOLD["drivers"][0] | {"value": 2.1}
    joints = rows_of_joints(WHOLE | {"drivers": [held]})
    assert joints.shape[1] == n
    # At rest the rates of J are zero: the same holds for velocities and accelerations.
    for one in allowed:
        assert np.abs(joints @ one).max() < 1e-13 * np.abs(one).max()
    assert put(instance, *allowed[:2]) == 0
    for order, one in enumerate(allowed):
        again = instance.coordinates(order)
        np.testing.assert_allclose(again, one, rtol=0, atol=1e-11 * np.abs(one).max())
    assert instance.step(H) == 0
    for values in ((wild[0] * np.nan, wild[1]), (wild[0], wild[1] * np.inf)):
        assert untouched(instance, lambda given=values: put(instance, *given)) == ARGUMENT


def test_a_lock_on_the_way_is_told(library):
    """A turn beyond reach: steps, coordinates and settling refuse, nothing moves; then back."""
    instance = library.create()
    for i in range(20):
        assert instance.set(0, 2.1 + (REACH - 0.01 - 2.1) * i / 19) == 0
        assert instance.step(H) == 0
    n = library.solver.size
    assert instance.set(0, REACH + 1e-3) == 0
    for act in (
        lambda: instance.step(H),
        lambda: instance.advance(instance.time + H),
        lambda: instance.call("settle"),
        lambda: put(instance, np.full(n, 1e-5), np.zeros(n)),
    ):
        assert untouched(instance, act) in (LOCKED, SINGULAR_POSITION)
    assert np.isnan(instance.get()[3:]).all()  # forces at a place that cannot be reached
    assert instance.set(0, REACH - 0.02) == 0
    assert instance.step(H) == 0
    assert np.isfinite(instance.get()).all()


def test_the_way_ends_where_it_locks(library):
    """A rate that reaches its end in 5.5 steps: five are taken, the sixth is refused."""
    instance = library.create()
    assert instance.set(0, REACH - 0.05) == 0
    assert instance.call("settle") == 0
    assert instance.set(0, REACH - 0.05, 0.05 / (5.5 * H)) == 0
    assert instance.advance(20 * H) in (LOCKED, SINGULAR_POSITION)
    assert instance.time == pytest.approx(5 * H, rel=1e-12)
    assert untouched(instance, lambda: instance.step(H)) in (LOCKED, SINGULAR_POSITION)
    assert instance.step(0.1 * H) == 0


def test_a_motion_that_grows_beyond_all_bounds(library):
    """Forces too large for numbers, of bodies that joints tie; places and speeds stay as well."""
    instance, n = library.create(), library.solver.size
    added = np.ctypeslib.as_array(instance.call("forces"), (n,))
    added[:] = 1e308
    assert untouched(instance, lambda: instance.step(H)) == UNBOUNDED
    assert untouched(instance, lambda: instance.call("settle")) == UNBOUNDED
    # Places that joints do not allow are moved before forces are balanced.
    wild = np.random.default_rng(3).standard_normal((2, n)) * [[1e-4], [1e-2]]
    assert untouched(instance, lambda: put(instance, *wild)) == UNBOUNDED
    added[:] = 0.0
    assert instance.step(H) == 0


@pytest.mark.parametrize("length", [0.0, -H, np.nan, np.inf, -np.inf])
def test_a_step_of_no_length_is_refused(library, length):
    """Zero, backwards, not a number, for ever."""
    instance = library.create()
    assert instance.step(H) == 0
    assert untouched(instance, lambda: instance.step(length)) == ARGUMENT


@pytest.mark.parametrize("time", [1e6, -1e6])
def test_a_time_far_away(library, time):
    """A million seconds from zero; steps too short for a double then are refused."""
    instance = library.create()
    assert instance.start(time) == 0
    assert instance.time == time
    assert instance.step(H) == 0
    assert untouched(instance, lambda: instance.step(1e-12)) == ARGUMENT
    for wrong in (np.nan, np.inf):
        assert untouched(instance, lambda given=wrong: instance.start(given)) == ARGUMENT
        assert untouched(instance, lambda given=wrong: instance.advance(given)) == ARGUMENT


def test_an_input_far_away_or_none(library):
    """A jump by many turns that the joints do not allow; numbers that are none."""
    instance = library.create()
    for wrong in (np.nan, np.inf):
        assert untouched(instance, lambda given=wrong: instance.set(0, given)) == ARGUMENT
    assert untouched(instance, lambda: instance.set(1, 0.0)) == ARGUMENT
    assert instance.set(0, 1e3) == 0
    assert untouched(instance, lambda: instance.step(H)) in (LOCKED, SINGULAR_POSITION)
