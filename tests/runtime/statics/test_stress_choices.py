# SPDX-License-Identifier: BSD-3-Clause
"""The choice of a prestress: what is refused, what the summary says, what an export has of it."""

from __future__ import annotations

import argparse
import ctypes
import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.commands.run import solve
from flexforge.model import Model
from flexforge.runtime.check import check_model
from flexforge.runtime.export.write import export
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.run import run_model
from flexforge.runtime.statics.stress_over_time import exported_stress
from flexforge.runtime.system.loads import Loads
from models import build, model
from tethered import tethered

IN_TIME = {"kind": "transient", "duration": 1.0, "steps": 100}


def in_time(prestress: str = "steady", **tables: Any):
    """Return a plane blade that turns, and moves in time."""
    body = {"frame": {"velocity": 10.0}} | tables.pop("body", {})
    include = {"prestress": prestress} | tables.pop("include", {})
    return model(
        "quad8", [2, 1], body=body, include=include,
        **({"supports": [{"group": "xmin"}], "analysis": IN_TIME} | tables),
    )  # fmt: skip


@pytest.mark.parametrize(("tables", "found"), [
    ({"body": {"frame": {"velocity": "10*t"}}},
     "the frame of body 'block', which rotates at a varying speed"),
    ({"body": {"frame": {"velocity": 10.0, "origin": {"position": ["0.1*cos(t)", 0, 0]}}}},
     "the frame of body 'block', whose origin is accelerated"),
    ({"supports": [{"group": "xmin", "displacement": {"x": "1e-6*t**2"}}]},
     "supports with time-dependent displacements"),
    ({"loads": [{"kind": "body_force", "acceleration": [1, 0, 0]},
                {"kind": "pressure", "group": "xmax", "value": "1 + t"}]},
     r"loads\[1\] on body 'block', which depends on time"),
    ({"loads": [{"kind": "gravity", "acceleration": [0, -1, 0], "amplitude": "1 + t"}],
      "body": {"frame": {}}}, r"loads\[0\] on body 'block', which depends on time"),
])  # fmt: skip
def test_a_steady_state_of_what_changes_is_refused(tables, found, tmp_path):
    """Run, check and export say the same; the stresses of the rotation alone follow the change."""
    spec = in_time(**tables)
    expected = rf'include\.prestress: found "steady" in a motion in time with {found}; expected .*'
    with pytest.raises(InputError, match=expected + 'or prestress = "rigid_load"'):
        run_model(spec, output=tmp_path / "results")
    with pytest.raises(InputError, match=expected):
        check_model(spec)
    with pytest.raises(InputError, match=f"{expected}|found a support that moves"):
        export(spec, tmp_path / "exported")
    check_model(in_time("rigid_load", **tables))


def test_a_load_that_turns_in_its_frame_may_change():
    """It is left out of the steady state, as before modes; so is an origin's acceleration."""
    check_model(
        in_time(loads=[{"kind": "gravity", "acceleration": [0, -1, 0], "amplitude": "1 + t"}])
    )


@pytest.mark.parametrize(("include", "message"), [
    ({"prestress": "stedy"}, r"include\.prestress: found 'stedy'; .*did you mean 'steady'"),
    ({"prestress": "steady", "geometric": False},
     r'include\.prestress: found "steady" with geometric = false'),
])  # fmt: skip
def test_words_that_mean_nothing_are_refused(include, message):
    """The nearest word is suggested, and a choice among nothing is none."""
    with pytest.raises(InputError, match=message):
        tethered(0.5, include=include)


def test_tied_bodies_have_no_choice():
    """They are stressed by their own state at every time."""
    spec = in_time().model_dump(exclude_unset=True, by_alias=True)
    spec["constraints"] = [{"name": "slow", "equation": "a", "coordinates": {
        "a": {"group": "xmax", "component": "x"}}}]  # fmt: skip
    with pytest.raises(InputError, match=r'include\.prestress: found "steady" with constraints'):
        model_from_dict(spec, folder=Path())


@pytest.mark.parametrize(("theory", "words"), [
    ("steady", "of the deflected state at rest in the frames"),
    ("rigid_load", "of the rotation of the undeformed bodies, by k alone"),
])  # fmt: skip
def test_the_summary_says_which(theory, words, tmp_path, capsys):
    """On the terminal, in JSON and in summary.json: prestress, and the strain behind k_geo."""
    shares = [0.0, 0.2]
    speeds = {"kind": "modes", "count": 1, "speeds": shares}
    for spec in (tethered(0.5, theory), tethered(0.5, theory, analysis=speeds)):
        solve(
            argparse.Namespace(json=False, quiet=False, log=None, overwrite=True),
            Model(spec).run,
            tmp_path,
        )
        assert f"prestress: {theory}: {words}" in capsys.readouterr().out
        solve(
            argparse.Namespace(json=True, quiet=False, log=None, overwrite=True),
            Model(spec).run,
            tmp_path,
        )
        said = json.loads(capsys.readouterr().out)["theory"]
        assert said == json.loads((tmp_path / "summary.json").read_text())["theory"]
        assert said["prestress"].startswith(f"{theory}: {words}")
        assert said["strain of k_geo"] == "tie: Green's, along the axis"


@pytest.mark.parametrize(("analysis", "theory"), [
    ({"kind": "modes", "count": 1}, "steady"),
    ({"kind": "harmonic", "frequencies": [1.0]}, "steady"),
    ({"kind": "harmonic", "frequencies": [1.0], "modes": 2}, "steady"),
    ({"kind": "periodic", "period": [0, 1], "modes": 2, "frequencies": [1.0]},
     "steady"),
    ({"kind": "buckling", "count": 1}, "linear"),
    ({"kind": "static"}, "rigid_load"),
    (IN_TIME | {"steps": 2}, "rigid_load"),
])  # fmt: skip
def test_what_is_chosen_without_a_choice(analysis, theory, tmp_path):
    """By the analysis: the summary says which stresses it used, of a plane blade that turns."""
    force = {"kind": "force", "group": "xmax", "total": [-1, 0, 0]}
    include = {"coriolis": "modes" not in analysis}  # which couples modes
    spec = in_time("auto", analysis=analysis, loads=[force], include=include)
    said = run_model(spec, output=tmp_path).theory
    assert said["prestress"].startswith(f"{theory}: ")


def test_nothing_is_said_where_nothing_is_stressed(tmp_path):
    """At rest and unloaded, and where stresses are left out."""
    assert run_model(tethered(0.0), output=tmp_path / "a").theory == {}
    left_out = tethered(0.5, include={"geometric": False})
    assert run_model(left_out, output=tmp_path / "b").theory == {}


def test_an_exported_solver_has_the_stress_of_a_run(tmp_path):
    """Compiled and stepped: the struck mass rises as in the run, under both theories apart."""
    ends = {}
    for theory in ("steady", "rigid_load"):
        spec = tethered(
            0.95, theory, analysis=IN_TIME | {"method": "newmark"},
            initial=[{"velocity": [0, 0, 1.0], "group": "tie.xmax"}],
            probes=[{"name": "rise", "group": "tie.xmax", "quantity": "displacement",
                     "component": "z"}],
        )  # fmt: skip
        ran = run_model(spec, output=tmp_path / f"{theory}.results").figures["rise, at the end"][0]
        folder = tmp_path / theory
        export(spec, folder, name="tie")
        shared = folder / "libtie.so"
        subprocess.run(["gcc", "-std=c99", "-O0", "-shared", "-fPIC", f"-I{folder / 'include'}",
                        str(folder / "src" / "tie.c"), "-o", str(shared), "-lm"],
                       check=True)  # fmt: skip
        library = ctypes.CDLL(str(shared))
        library.tie_create.restype = ctypes.c_void_p
        library.tie_get.restype = ctypes.c_double
        one = ctypes.c_void_p(library.tie_create())
        for _ in range(100):
            assert library.tie_step(one, ctypes.c_double(0.01)) == 0
        ends[theory] = library.tie_get(one, 0)
        library.tie_free(one)
        assert ends[theory] == pytest.approx(ran, rel=1e-9)
    assert abs(ends["steady"] - ends["rigid_load"]) > 0.1 * abs(ends["steady"])


def test_a_temperature_is_not_exported_with_a_steady_state():
    """Solvers without matrices make stresses of displacements alone."""
    heat = [{"kind": "temperature", "change": 10.0}]
    steel = {"steel": {"young": 2e11, "poisson": 0.3, "density": 7800.0, "expansion": 1e-5}}
    spec = in_time(loads=heat, materials=steel)
    places = build(spec)
    with pytest.raises(InputError, match=r"include\.prestress: .*temperature of body \'block\'"):
        exported_stress(places.system, Loads(spec, places), "auto")
    check_model(spec)


@pytest.mark.parametrize(("cell", "frame"), [
    ("quad8", {"velocity": -10.0}), ("hex8", {"axis": [0.6, 0, 0.8], "velocity": 7.0}),
    ("hex8", {"velocity": [1.0, -20.0, 3.0]}),
])  # fmt: skip
def test_stresses_of_a_motion_are_those_of_one_load_of_its_rotation(cell, frame):
    """``w~ w~`` at the speed, so that its factor is one and what follows the speed follows it."""
    spec = model(cell, body={"frame": frame}, analysis=IN_TIME, supports=[{"group": "xmin"}],
                 include={"prestress": "steady"})  # fmt: skip
    places = build(spec)
    found = exported_stress(places.system, Loads(spec, places), "auto")
    (body,), (spin,) = found.system.bodies, found.system.spins(0.7)
    assert len(body.geometric) == len(body.patterns) == len(body.stressing) == 1
    np.testing.assert_allclose(spin.prestress, [1.0], rtol=1e-15)
    np.testing.assert_array_equal(body.stressing[0], found.displacement[body.nodes])
