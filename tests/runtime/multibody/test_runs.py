# SPDX-License-Identifier: BSD-3-Clause
"""Runs of links whose motion is found: results, checkpoints, messages."""

from __future__ import annotations

import json

import numpy as np
import pytest
from flexforge.codegen.errors import AnalysisError, InputError
from flexforge.runtime._native import UNSETTLED
from flexforge.runtime.check import check_model
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.multibody.steps import FoundSteps
from flexforge.runtime.run import run_model
from swinging import DOWN, begin, pin, rod, transient


def pendulum(**tables):
    """Return a rod on a hinge in the plane."""
    return {
        "planar": True, "links": [rod("rod", placement={"angle": -0.5})], "loads": DOWN,
        "joints": [pin("pin", "ground", "rod", [0, 0, 0])], "analysis": transient(0.4, 40),
        "probes": [
            {"name": "angle", "joint": "pin", "quantity": "coordinate"},
            {"name": "rate", "joint": "pin", "quantity": "velocity"},
            {"name": "tip", "link": "rod", "point": [1, 0, 0], "quantity": "position",
             "component": "y"},
            {"name": "force", "joint": "pin", "quantity": "force", "component": "magnitude"},
        ],
        **tables,
    }  # fmt: skip


def test_results_are_those_of_the_motion(tmp_path):
    """Probes, links in the frames of results, and the summary."""
    outcome = run_model(model_from_dict(pendulum()), output=tmp_path)
    angle, tip = outcome.probes["angle"].values, outcome.probes["tip"].values
    assert np.allclose(tip, np.sin(angle), atol=1e-12)
    times, rate = outcome.probes["rate"].time, outcome.probes["rate"].values
    assert np.abs(np.gradient(angle, times) - rate)[1:-1].max() < 2e-3 * np.abs(rate).max()
    figures = json.loads((tmp_path / "summary.json").read_text())["figures"]
    assert figures["free motions"] == 1
    assert figures["solver"] == "native, blocks of links"
    assert figures["largest error of the energy balance"] < 1e-3
    assert figures["largest error of the momentum balance"] < 1e-3
    assert (tmp_path / "report.html").stat().st_size > 10_000


def test_run_goes_on_from_its_checkpoint_to_the_same_bits(tmp_path):
    """Also angles beyond a turn, of a wheel on a spring."""
    tables = pendulum(
        links=[{"name": "wheel", "mass": 1.0, "inertia": [0.5]}], loads=[],
        joints=[pin("pin", "ground", "wheel", [0, 0, 0], start_velocity={"angle": 24.0})],
        actuators=[{"name": "spring", "joint": "pin", "stiffness": 2.0}],
        analysis=transient(1.0, 100), output={"formats": ["csv"], "checkpoint": 1e-9},
        probes=[{"name": "angle", "joint": "pin", "quantity": "coordinate"}],
    )  # fmt: skip
    spec = model_from_dict(tables)
    run_model(spec, output=tmp_path / "whole")

    def stop(what, done, total):
        if what == "steps" and done == 60:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_model(spec, output=tmp_path / "parts", progress=stop)
    run_model(spec, output=tmp_path / "parts", resume=True)
    one, other = ((tmp_path / k / "probes.csv").read_text() for k in ("whole", "parts"))
    assert one == other
    assert float(one.split("\n")[-2].split(",")[1]) > 10.0


def test_check_tells_what_is_found(tmp_path):
    """Motions that no driver prescribes."""
    report = check_model(model_from_dict(pendulum()))
    assert (report.mobility, report.prescribed, report.is_found) == (1, 0, True)
    assert "the others are found by integration" in "\n".join(report.lines())


def test_links_that_lock_stop_with_the_results_before_them(tmp_path):
    """A force without bounds: the time, and what was found before it."""
    tables = pendulum(
        actuators=[{"name": "motor", "joint": "pin", "force": "1e9*exp(200*t)"}],
        output={"formats": ["csv"]},
    )
    with pytest.raises(AnalysisError, match="do not converge|expected finite|beyond all bounds"):
        run_model(model_from_dict(tables), output=tmp_path)
    summary = json.loads((tmp_path / "summary.json").read_text())
    assert summary["status"] == "failed"
    assert len((tmp_path / "probes.csv").read_text().split("\n")) > 3


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"links": [{"name": "rod"}, rod("other")], "joints": [
            pin("pin", "ground", "rod", [0, 0, 0]), pin("two", "ground", "other", [0, 0, 0]),
        ]}, "link 'rod' can turn about its axis z without moving any mass"),
        ({"links": [rod("rod", velocity=[1.0, 0, 0])]},
         r"links\[0\].velocity: joints, drivers and other velocities do not allow it"),
        ({"joints": [pin("pin", "ground", "rod", [0, 0, 0], start_velocity={"slide": 1.0})]},
         r"joints\[0\].start_velocity: found 'slide' of joint 'pin' .revolute.; expected angle"),
        ({"joints": [pin("pin", "ground", "rod", [0, 0, 0], start={"slide": 1.0})]},
         r"joints\[0\].start: found 'slide' of joint 'pin' .revolute.; expected angle"),
        ({"supports": [{"group": "rod.origin", "components": ["x"]}]},
         "supports: found one at link 'rod', which is rigid"),
        ({"include": {"coriolis": False}}, "include.coriolis: found false in a model whose"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_in_one_line(changes, message):
    """Motions without mass, velocities that joints forbid, ways that there are not yet."""
    with pytest.raises(InputError, match=message) as error:
        begin(pendulum(**changes))
    assert "\n" not in str(error.value)


def test_starts_of_known_motions_are_refused():
    """Where drivers determine everything."""
    driver = [{"name": "hand", "joint": "pin", "value": "t"}]
    moving = [rod("rod", angular_velocity=[0, 0, 1.0])]
    with pytest.raises(InputError, match=r"links\[0\].angular_velocity: found it in a mechanism"):
        check_model(model_from_dict(pendulum(drivers=driver, links=moving)))


def test_shorter_steps_in_between_do_not_shorten_a_run(tmp_path, monkeypatch):
    """Where the equations of a step do not converge, steps of half the length lead to its end."""
    refused = []
    taken = FoundSteps._taken

    def refusing(self, state, h, times):
        if h > 0.006 and 0.1 < times[0] < 0.2:
            refused.append(times[0])
            raise self._failed(UNSETTLED, times[0])
        return taken(self, state, h, times[:1])

    monkeypatch.setattr(FoundSteps, "_taken", refusing)
    found = run_model(model_from_dict(pendulum()), output=tmp_path).probes["angle"]
    assert len(refused) >= 9
    assert np.allclose(found.time, np.linspace(0.0, 0.4, 41), atol=1e-12)


def test_inputs_of_laws_have_their_initial_values(tmp_path):
    """In a run, as numbers written into the formula; wrong names are refused."""
    ends = []
    for k, brake in enumerate(
        (
            {"law": "-grip*x_dot*abs(x_dot) - pull", "inputs": {"grip": 0.3, "pull": 0.5}},
            {"law": "-0.3*x_dot*abs(x_dot) - 0.5"},
        )
    ):
        model = pendulum(actuators=[{"name": "brake", "joint": "pin"} | brake])
        found = run_model(model_from_dict(model), output=tmp_path / str(k))
        ends.append(found.probes["angle"].values)
    assert np.array_equal(*ends)
    for brake, words in (
        ({"law": "grip", "inputs": {"sin": 1.0}}, "found 'sin'; expected a name of letters"),
        ({"law": "grap", "inputs": {"grip": 1.0}}, "grap"),
        ({"damping": 1.0, "inputs": {"grip": 1.0}}, "found inputs without a law"),
    ):
        with pytest.raises(InputError, match=words):
            model_from_dict(pendulum(actuators=[{"name": "brake", "joint": "pin"} | brake]))
