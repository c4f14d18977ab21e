# SPDX-License-Identifier: BSD-3-Clause
"""Exported solvers at late times, and with numbers too large for them."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from exported import Library, compile_shared, write
from flexforge.runtime.export.library import library_files
from flexforge.runtime.export.solver import build_solver
from flexforge.runtime.loading.load import model_from_dict
from fmus import Instance, unpacked
from test_hostile import MODEL

ARGUMENT, UNBOUNDED = 3, 7
WIRE = MODEL["bodies"][0] | {"section": {"shape": "round", "diameter": 0.002}, "frame": {}}
PROBES = [*MODEL["probes"], {"name": "n", "point": [0, 0, 0], "quantity": "section_force",
                             "component": "N"}]  # fmt: skip


@pytest.fixture(scope="module")
def library(tmp_path_factory) -> Library:
    """A wire of 25 g at rest, pulled by an input."""
    solver = build_solver(model_from_dict(MODEL | {"bodies": [WIRE], "probes": PROBES}), "bar")
    folder = write(library_files(solver), tmp_path_factory.mktemp("bar"))
    return Library(compile_shared(folder, "bar"), solver)


@pytest.mark.parametrize("start", [1e5, -1e5])
def test_late_times_are_rounded(library, start):
    """A hundred thousand seconds from zero, where times are to 1e-11 s: as many steps as told."""
    one, h = library.create(), library.solver.step
    assert h == 1e-3
    assert one.start(start) == 0
    for k in range(20):
        assert one.advance(start + (k + 1) * h) == 0
        assert one.state()[1:3] == [k + 1.0, h]
    assert one.advance(start) == ARGUMENT
    one.free()


def test_a_motion_that_grows_beyond_all_bounds(library):
    """Forces, places, velocities: code 7 with a text, and every bit as before; then it goes on."""
    one, n = library.create(), library.solver.size
    added = np.ctypeslib.as_array(one.call("forces"), (n,))
    for force in (1.7e308, 0.0):
        added[:] = force
        huge = (ctypes.c_double * n)(*([1e308] * n))
        before = bytes(one.state())
        codes = [one.call("set_coordinates", huge, huge)]
        if force:
            codes += [one.call("settle"), one.step(1e-6)]
        assert codes == [UNBOUNDED] * len(codes)
        assert bytes(one.state()) == before
    assert b"unbounded" in library.function("error_text")(UNBOUNDED)
    assert one.step(library.solver.step) == 0
    one.free()


def test_an_output_that_is_no_number(library):
    """A normal force of a displacement of 1e306 m: NAN, not infinity."""
    one = library.create()
    state = one.state()
    state[4 + library.solver.size] = 1e306
    assert one.restore(state) == 0
    found = one.get()
    assert np.isfinite(found[:2]).all()
    assert np.isnan(found[2])
    one.free()


def test_a_start_that_is_none_leaves_the_time(tmp_path):
    """A frame whose speed is known until 2 s only, started at 3 s: an error, still at zero."""
    body = WIRE | {"frame": {"velocity": "log(2 - t)"}}
    weight = {"kind": "gravity", "acceleration": [0, -9.81, 0]}
    solver = build_solver(model_from_dict(MODEL | {"bodies": [body], "loads": [weight]}), "bar")
    one = Instance(3, unpacked(solver, 3, tmp_path / "bar.fmu"))
    with pytest.raises(Exception, match=r"status 3 \(error\)"):
        one.begin(3.0)
    assert one.get("time") == [0.0]
    one.fmu.freeInstance()
