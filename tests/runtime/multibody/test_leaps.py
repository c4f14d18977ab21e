# SPDX-License-Identifier: BSD-3-Clause
"""Steps of found links taken in one go: those that are taken one by one, to the last bit."""

from __future__ import annotations

import json

import numpy as np
import pytest
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime._native import UNSETTLED
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.multibody.steps import FoundSteps
from flexforge.runtime.run import run_model
from swinging import DOWN, begin, pin, rod, transient


def pair(steps=60, **keys):
    """Return two rods on hinges, the first on a spring that winds up."""
    return {
        "planar": True, "loads": DOWN,
        "links": [rod("one", placement={"angle": -0.5}),
                  rod("two", placement={"position": [np.cos(-0.5), np.sin(-0.5), 0]})],
        "joints": [pin("top", "ground", "one", [0, 0, 0], start_velocity={"angle": 30.0}),
                   pin("knee", "one", "two", [[1, 0, 0], [0, 0, 0]])],
        "actuators": [{"name": "spring", "joint": "top", "stiffness": 0.5}],
        "analysis": transient(0.24, steps, **keys),
    }  # fmt: skip


def same(one, other):
    """Whether two states are the same to the last bit."""
    pairs = ((getattr(one, k), getattr(other, k)) for k in ("q", "z", "s", "history"))
    return one.t == other.t and all(a.tobytes() == b.tobytes() for a, b in pairs)


KINDS = ({}, {"formalism": "kane"}, {"formalism": "hamilton"}, {"accuracy": 1e-5})


@pytest.mark.parametrize("keys", KINDS)
def test_leaps_are_the_same_steps(keys):
    """After the last one alone, and after each; steps one by one go on from where a leap ends."""
    single, last, each = (begin(pair(**keys)) for _ in range(3))
    assert last.leap(20) == 20
    passed = []
    assert each.leap(20, passed) == 20
    assert len(passed) == 20
    for state in passed:
        single.advance()
        assert same(state, single.state)
    assert same(last.state, single.state)
    for motion in (single, last, each):
        motion.advance()
    assert same(last.state, single.state)
    assert same(each.state, single.state)
    assert single.counts.steps == last.counts.steps == each.counts.steps


def test_a_leap_is_no_longer_than_what_is_computed_at_once(monkeypatch):
    """And the next one goes on from there."""
    monkeypatch.setattr("flexforge.runtime.multibody.steps._MOST", 7)
    motion, single, passed = begin(pair()), begin(pair()), []
    assert [motion.leap(10, passed), motion.leap(3, passed), motion.leap(1, passed)] == [7, 3, 1]
    for state in passed:
        single.advance()
        assert same(state, single.state)


@pytest.mark.parametrize("passed", [None, []])
def test_a_step_that_fails_ends_a_leap_before_it(passed, monkeypatch):
    """What led there is kept, and the next leap says why there is no further step."""
    motion, taken = begin(pair()), FoundSteps._run

    def failing(self, state, h, times, *, each=True):
        before = int(np.searchsorted(times, 0.038))
        if not before:
            return np.empty((0, 0)), 0, UNSETTLED
        return taken(self, state, h, times[:before], each=each)

    monkeypatch.setattr(FoundSteps, "_run", failing)
    assert motion.leap(20, passed) == 9
    assert motion.time == pytest.approx(0.036)
    assert passed is None or len(passed) == 9
    with pytest.raises(AnalysisError, match="do not converge"):
        motion.leap(20)
    assert motion.time == pytest.approx(0.036, abs=0.004)


@pytest.mark.parametrize("keys", [{}, {"accuracy": 1e-5}])
def test_results_do_not_depend_on_how_many_steps_are_frames(keys, tmp_path):
    """Rows of probes to the last digit, of all steps; without probes the same end."""
    tables = pair(**keys) | {
        "probes": [{"name": "angle", "joint": "top", "quantity": "coordinate"},
                   {"name": "force", "joint": "knee", "quantity": "force",
                    "component": "magnitude"}],
    }  # fmt: skip
    texts, ends = [], []
    for every, probes in ((1, True), (7, True), (1000, True), (1000, False)):
        output = {"formats": ["csv"], "every": every}
        given = tables | {"output": output} | ({} if probes else {"probes": []})
        folder = tmp_path / f"{every} {probes}"
        outcome = run_model(model_from_dict(given), output=folder)
        figures = outcome.figures
        ends.append((figures["kinetic energy"], figures["steps"], figures["momentum y"]))
        if probes:
            texts.append((folder / "probes.csv").read_text())
    assert texts[0] == texts[1] == texts[2]
    assert texts[0].count("\n") >= 61
    assert ends[0] == ends[1] == ends[2] == ends[3]


def test_frames_are_counted_where_no_format_has_them(tmp_path):
    """Rows of probes and the summary are those of a run whose frames are written."""
    tables = pair() | {
        "probes": [{"name": "angle", "joint": "top", "quantity": "coordinate"}]
    }  # fmt: skip
    found = []
    for formats in (["csv"], ["csv", "hdf5"]):
        folder = tmp_path / str(len(formats))
        output = {"formats": formats, "every": 4}
        run_model(model_from_dict(tables | {"output": output}), output=folder)
        summary = json.loads((folder / "summary.json").read_text())
        figures = {k: v for k, v in summary["figures"].items() if "time per step" not in k}
        frames = summary["frames"], summary["last_frame_time"]
        found.append((figures, frames, (folder / "probes.csv").read_text()))
    assert found[0] == found[1]
    assert found[0][1] == (16, pytest.approx(0.24))


def test_an_interrupt_within_a_leap_leaves_what_is_recorded(tmp_path, monkeypatch):
    """The run goes on from there to the same end, and counts every step once."""
    spec = model_from_dict(pair() | {"output": {"formats": ["csv"], "every": 20}})
    whole = run_model(spec, output=tmp_path / "whole").figures
    leap, calls = FoundSteps.leap, []

    def interrupted(self, *rest, **more):
        found = leap(self, *rest, **more)
        calls.append(found[-1].t)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return found

    with monkeypatch.context() as patch:
        patch.setattr(FoundSteps, "leap", interrupted)
        with pytest.raises(KeyboardInterrupt):
            run_model(spec, output=tmp_path / "parts")
    assert calls == [pytest.approx(0.08), pytest.approx(0.16)]
    parts = run_model(spec, output=tmp_path / "parts", resume=True).figures
    assert parts["steps"] == whole["steps"] == 60
    names = [name for name in whole if "energy" in name or "work" in name]
    assert len(names) > 4
    assert all(parts[name] == whole[name] for name in names)
