# SPDX-License-Identifier: BSD-3-Clause
"""Laws of one's own that switch at events of their own, beside closed forms."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.run import run_model
from scipy.optimize import brentq
from touching import begin

MASS, STIFFNESS, SPEED = 2.0, 50.0, 1.5
GUIDE = {"name": "guide", "kind": "prismatic", "links": ["ground", "cart"], "axis": [1, 0, 0]}
HINGE = {"name": "hinge", "kind": "revolute", "links": ["ground", "door"]}
INERTIA = 0.7


def cart(forces, analysis, velocity=SPEED, **more):
    """Return a cart on a smooth guide."""
    link = {"name": "cart", "mass": MASS, "inertia": [0.1], "velocity": [velocity, 0.0, 0.0]}
    return {"planar": True, "joints": [GUIDE], "links": [link], "forces": forces,
            "analysis": analysis} | more  # fmt: skip


def door(forces, analysis, turning=0.0, **more):
    """Return a door on a smooth hinge."""
    link = {"name": "door", "mass": 3.0, "inertia": [INERTIA], "angular_velocity": [0, 0, turning]}
    return {"planar": True, "joints": [HINGE], "links": [link], "forces": forces,
            "analysis": analysis} | more  # fmt: skip


def own(joint, force="0", **more):
    """Return the table of a law along a joint."""
    return {"name": "own", "joint": joint, "force": [force, "0", "0"]} | more


def timed(duration, steps, **more):
    """Return a table of a transient analysis."""
    return {"kind": "transient", "duration": duration, "steps": steps, "threads": 1} | more


def course(tables):
    """Return the coordinate and its rate at every step, the events, and the motion."""
    motion = begin(tables)

    def look():
        near = np.zeros(len(motion._taking._near))
        return motion.links.model.frames(motion.point, near)[1][0, :2]

    found, events = [look()], []
    for _ in range(tables["analysis"]["steps"]):
        motion.advance()
        found.append(look())
        events += motion.events_until(motion.time)
    return np.array(found), events, motion


FUSE = own(
    "guide", "-k*whole*x", parameters={"k": STIFFNESS, "strength": 10.0}, kept={"whole": 1},
    events=[{"name": "breaks", "when": "strength - k*abs(x)*whole", "sets": {"whole": 0}}],
)  # fmt: skip


@pytest.mark.parametrize(
    "more", [{}, {"accuracy": 1e-9}, {"formalism": "kane"}, {"formalism": "hamilton"}]
)
def test_a_spring_breaks_at_its_strength_and_the_mass_flies_on(more):
    """At asin(F w/(k v))/w; its speed is v cos from then on, as exactly as the steps find it."""
    w = np.sqrt(STIFFNESS / MASS)
    breaks = np.arcsin(10.0 * w / (STIFFNESS * SPEED)) / w
    found, events, motion = course(cart([FUSE], timed(0.5, 1000, **more)))
    ((time, number),) = events
    assert (time, number) == (pytest.approx(breaks, rel=1e-6), 0)
    assert motion.kept == {"own": {"whole": 0.0}}
    later = np.linspace(0.0, 0.5, 1001) > breaks
    flight = 10.0 / STIFFNESS + SPEED * np.cos(w * breaks) * (0.5 - breaks)
    assert found[-1, 0] == pytest.approx(flight, rel=1e-6)
    assert np.ptp(found[later, 1]) < 1e-11


LATCH = own(
    "hinge", kept={"latched": 0, "torn": 0}, hold={"speed": "x_dot", "during": "latched"},
    parameters={"closed": 0.4, "strength": 6.0},
    events=[{"name": "latches", "when": "closed - x + latched + 10*torn", "sets": {"latched": 1}},
            {"name": "tears", "when": "strength - abs(held)*latched",
             "sets": {"latched": 0, "torn": 1}, "at_once": True}],
)  # fmt: skip


def test_a_latch_catches_a_door_and_tears_at_its_strength():
    """It turns freely until the latch, whose moment is that of the pull; then pull - strength."""
    turning, pull = 0.8, 2.0  # rad/s, N m/s
    motor = {"name": "motor", "joint": "hinge",
             "force": {"points": [[0.0, 0.0], [1.0, 0.0], [5.0, -4.0 * pull]]}}  # fmt: skip
    tables = door([LATCH], timed(5.0, 97), turning, actuators=[motor])
    found, events, motion = course(tables)
    assert [number for _, number in events] == [0, 1]
    np.testing.assert_allclose([time for time, _ in events], [0.5, 1.0 + 6.0 / pull], atol=1e-9)
    times = np.linspace(0.0, 5.0, 98)
    caught = (times > 0.51) & (times < 3.99)
    assert np.abs(found[caught] - [0.4, 0.0]).max() < 1e-10
    lost = motion.lost["own"]
    assert lost == pytest.approx(0.5 * INERTIA * turning**2, rel=1e-9)
    after = -(6.0 * 1.0 + 0.5 * pull) / INERTIA  # one second of a moment from 6 to 8 N m
    assert found[-1, 1] == pytest.approx(after, rel=1e-5)  # of second order in the step


def test_a_freewheel_turns_one_way_only():
    """A moment A cos(w t) - d turns it from its zeros on, till v = 0: Newton's method tells."""
    size, w, drag = 3.0, 4.0, 0.4
    law = own(
        "hinge", kept={"locked": 0},
        hold={"speed": "x_dot", "during": "locked", "pushes": True},
        events=[{"name": "locks", "when": "x_dot*(1 - locked) + locked", "sets": {"locked": 1}},
                {"name": "runs", "when": "held*locked + 1 - locked", "sets": {"locked": 0},
                 "at_once": True}],
    )  # fmt: skip
    motor = {"name": "motor", "joint": "hinge", "force": f"{size}*cos({w}*t) - {drag}"}
    steps, duration = 540, 2.7

    def gained(start, t):
        return (size * (np.sin(w * t) - np.sin(w * start)) / w - drag * (t - start)) / INERTIA

    runs = (2.0 * np.pi - np.arccos(drag / size)) / w
    stops = [
        brentq(lambda t: gained(0.0, t), 0.3, 1.0),
        brentq(lambda t: gained(runs, t), 1.6, 2.8),
    ]
    found, events, _ = course(door([law], timed(duration, steps), actuators=[motor]))
    assert [number for _, number in events] == [0, 1, 0]
    told = [time for time, _ in events]
    np.testing.assert_allclose(told, [stops[0], runs, stops[1]], atol=1e-4)
    times = np.linspace(0.0, duration, steps + 1)
    speed = np.where(times < stops[0], gained(0.0, times), np.where(
        (times > runs) & (times < stops[1]), gained(runs, times), 0.0))  # fmt: skip
    np.testing.assert_allclose(found[:, 1], speed, atol=1e-4)
    assert np.diff(found[:, 0]).min() > -1e-9


def test_events_at_one_time_change_each_its_own_numbers_by_the_old_ones():
    """Two events of the clock; numbers swap, count and keep what nobody sets."""
    law = own(
        "guide", "a - b", kept={"a": 1.0, "b": 3.0, "hits": 0, "still": "t + 7"},
        events=[{"name": "swaps", "when": "0.25 - t", "sets": {"a": "b", "b": "a"}},
                {"name": "counts", "when": "0.25 - t", "sets": {"hits": "hits + a + b"}},
                {"name": "moves", "when": "x", "sets": {"still": 0}}],
    )  # fmt: skip
    found, events, motion = course(cart([law], timed(0.4, 4), 5.0))
    assert [number for _, number in events] == [0, 1]
    np.testing.assert_allclose([time for time, _ in events], 0.25, atol=1e-10)
    assert motion.kept["own"] == {"a": 3.0, "b": 1.0, "hits": 4.0, "still": 7.0}
    assert found[-1, 1] == pytest.approx(5.0 + 2.0 / MASS * (0.15 - 0.25), rel=1e-9)


def test_a_gap_has_its_events_beside_those_of_the_law():
    """A cart sticks to a buffer by glue of some strength, after it has touched it."""
    law = own(
        "guide", "-k*x*(1 - step(-x)*(1 - glued))", gap="step(-x)*(1 - glued) - 0.5",
        parameters={"k": STIFFNESS, "strength": 4.0}, kept={"glued": 0},
        events=[{"name": "glues", "when": "glued - x*(1 - glued)", "sets": {"glued": 1}},
                {"name": "tears", "when": "strength + k*x", "sets": {"glued": 0}}],
    )  # fmt: skip
    tables = cart([law], timed(1.5, 3000), 1.0)
    tables["links"][0]["placement"] = {"position": [-0.1, 0.0, 0.0]}
    tables["joints"] = [GUIDE | {"at": [[0, 0, 0], [0, 0, 0]]}]
    found, events, motion = course(tables)
    w = np.sqrt(STIFFNESS / MASS)
    names = [motion.links.model.formulas.events[number][1] for _, number in events]
    assert sorted(names) == ["glues", "parts", "tears", "touches"]
    times = {name: time for name, (time, _) in zip(names, events, strict=True)}
    assert times["touches"] == pytest.approx(0.1, abs=1e-6)
    tears = 0.1 + (np.pi + np.arcsin(4.0 * w / STIFFNESS)) / w
    assert times["tears"] == pytest.approx(tears, rel=1e-5)
    assert times["parts"] == pytest.approx(times["tears"], abs=1e-9)
    assert found[-1, 1] == pytest.approx(-np.sqrt(1.0 - (4.0 * w / STIFFNESS) ** 2), rel=1e-4)


def test_an_event_without_numbers_is_told_and_changes_nothing():
    """The mass passes its middle every half period, where the step ends."""
    law = own("guide", "-k*x", parameters={"k": STIFFNESS},
              events=[{"name": "passes", "when": "x"}])  # fmt: skip
    w = np.sqrt(STIFFNESS / MASS)
    _, events, _ = course(cart([law], timed(3.0, 3000)))
    np.testing.assert_allclose(
        [time for time, _ in events], np.pi / w * np.arange(1, 6, 2)[: len(events)], rtol=1e-5
    )
    assert len(events) == 2


@pytest.mark.parametrize(("rest", "share"), [({"start": "step(x + 1)", "rest": 4}, 5.0), (1, 2.0)])
def test_modes_have_the_numbers_of_rest(rest, share, tmp_path):
    """The frequency is that of a spring k (1 + stiffer)."""
    law = own("guide", "-k*x*(1 + stiffer)", parameters={"k": STIFFNESS}, kept={"stiffer": rest},
              events=[{"name": "yields", "when": "1 - x", "sets": {"stiffer": 0}}])  # fmt: skip
    tables = cart([law], {"kind": "modes", "count": 1, "start": "initial"}, 0.0)
    found = run_model(model_from_dict(tables), output=tmp_path)
    w = np.sqrt(share * STIFFNESS / MASS)
    assert found.figures["mode 1"][0] == pytest.approx(w / (2.0 * np.pi), rel=1e-12)


def test_a_run_tells_its_events_and_numbers(tmp_path):
    """The summary and events.csv have the names of the model file."""
    tables = cart([FUSE], timed(0.5, 50))
    tables["output"] = {"formats": ["csv"]}
    found = run_model(model_from_dict(tables), output=tmp_path)
    assert found.figures["force 'own': breaks"] == 1
    assert found.figures["force 'own': whole at the end"] == 0.0
    rows = list(csv.reader((tmp_path / "events.csv").read_text().splitlines()))
    assert [row[1:] for row in rows] == [["force", "event"], ["own", "breaks"]]


EVENT = FUSE["events"][0]
HOLD = {"speed": "x_dot", "during": "whole"}
WRONG = [
    ({"events": [EVENT | {"sets": {"hole": 0}}]},
     "forces[0].events[0].sets.hole: found 'hole', which is not kept; expected one of whole; did "
     "you mean 'whole'?"),
    ({"events": [EVENT | {"sets": {"k": 0}}]}, "events[0].sets.k: found 'k', which is not kept"),
    ({"events": [EVENT | {"when": "strenght - x"}]},
     "forces[0].events[0].when: found 'strenght'; expected"),
    ({"events": [EVENT | {"when": "strenght - x"}]}, "did you mean 'strength'?"),
    ({"events": [EVENT | {"sets": {"whole": "y_do"}}]}, "forces[0].events[0].sets.whole: found"),
    ({"kept": {"x_dot": 1}}, "kept"),
    ({"kept": {"whole": 1, "wx": 1}}, "kept.wx: found a number that no event sets"),
    ({"kept": {"whole": 1, "k": 1},
      "events": [EVENT, EVENT | {"name": "b", "sets": {"k": 0}}]}, "found 'k' twice among param"),
    ({"kept": {"whole": 1, "held": 1}, "hold": HOLD,
      "events": [EVENT, EVENT | {"name": "b", "sets": {"held": 0}}]}, "found 'held', which form"),
    ({"kept": {"whole": "1 +"}}, "forces[0].kept.whole: found '1 +'"),
    ({"kept": {"whole": True}}, "forces[0].kept.whole: found true; expected"),
    ({"events": [EVENT, EVENT]}, "forces[0].events[1].name: found 'breaks' twice"),
    ({"events": [EVENT | {"strikes": True}]}, "events[0].strikes: found true without hold"),
    ({"events": 3}, "forces[0].events: found 3; expected true or false"),
    ({"events": [EVENT | {"wen": "x"}]}, "forces[0].events[0].wen: unknown key; did you mean 'wh"),
    ({"events": [{"name": "b", "sets": {"whole": 0}}]}, "events[0].when: missing; expected a form"),
    ({"hold": HOLD | {"during": "hole"}}, "forces[0].hold.during: found 'hole', which is not kept"),
    ({"hold": HOLD | {"speed": "x"}}, "forces[0].hold.speed: found 'x'; expected a formula that"),
    ({"hold": HOLD | {"speed": "x_dot^2"}}, "forces[0].hold.speed: found 'x_dot**2'; expected"),
    ({"hold": HOLD | {"to": "helt"}}, "forces[0].hold.to: found 'helt'"),
    ({"hold": HOLD, "events": [EVENT | {"sets": {"whole": 1}, "strikes": False}]},
     "events[0].strikes: found false where 'whole' is set and a speed is held"),
    ({"contact": "stop", "normal": "hertz", "force": None}, "kept: found beside contact"),
    ({"friction": "dry", "force": None}, "kept: found beside friction of a joint"),
    ({"contact": "stop", "normal": "hertz", "force": None, "kept": None,
      "parameters": {"lower": 0, "upper": 1, "stiffness": 1}, "events": [{"name": "a", "when": "x"}]
      }, "events: found tables beside contact"),
    ({"kept": {"whole": 1} | {f"n{k}": 0 for k in range(40)},
      "events": [EVENT | {"sets": {"whole": 0} | {f"n{k}": 1 for k in range(40)}}]},
     "found 83 formulas of events"),
    ({"parameters": {f"p{k}": 1.0 for k in range(64)} | FUSE["parameters"]},
     "found 67 parameters and kept numbers; expected at most 64"),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "told"), WRONG)
def test_what_is_wrong_with_events_is_told(changes, told):
    """By its key, with what is expected."""
    law = {key: value for key, value in (FUSE | changes).items() if value is not None}
    with pytest.raises(InputError, match="forces") as caught:
        model_from_dict(cart([law], timed(1.0, 10)))
    assert told in str(caught.value)


@pytest.mark.parametrize(
    ("law", "analysis", "told"),
    [
        (FUSE | {"hold": HOLD}, timed(1.0, 10, formalism="hamilton"), "expected lagrange"),
        (FUSE | {"hold": HOLD}, timed(1.0, 10, formalism="kane"), "expected lagrange"),
        (FUSE | {"kept": {"whole": "1 - x"}}, timed(1.0, 10, start="equilibrium"),
         "kept.whole: found a formula for a number that equilibria and modes need"),
        (FUSE | {"kept": {"whole": "1 - x"}}, {"kind": "modes", "count": 1},
         "forces[0].kept.whole: found a formula for a number that equilibria and modes need"),
        (FUSE | {"hold": HOLD}, {"kind": "modes", "count": 1}, "expected transient"),
    ],
)  # fmt: skip
def test_analyses_that_do_not_know_events_refuse_them(law, analysis, told, tmp_path):
    """With the key and what is expected."""
    with pytest.raises(InputError) as caught:
        run_model(model_from_dict(cart([law], analysis)), output=tmp_path)
    assert told in str(caught.value)


@pytest.mark.parametrize("bounce", [0.0, 0.6])
def test_two_free_bodies_dock_or_bounce_off(bounce):
    """Momentum is kept; the energy lost is that of the relative speed, (1 - e^2) m u^2/2."""
    one = {"name": "one", "mass": 2.0, "inertia": [0.1] * 3, "velocity": [0.5, 0.2, 0.0]}
    other = {"name": "other", "mass": 3.0, "inertia": [0.2] * 3, "velocity": [-0.1, 0.2, 0.0],
             "placement": {"position": [0.6, 0.0, 0.0]}}  # fmt: skip
    law = {"name": "dock", "links": ["one", "other"], "kept": {"docked": 0},
           "hold": {"speed": "x_dot", "during": "docked", "to": f"-{bounce}*x_dot"},
           "events": [{"name": "meets", "when": "x - 0.3 + docked", "strikes": True,
                       "sets": {"docked": 0 if bounce else 1}}]}  # fmt: skip
    motion = begin({"links": [one, other], "forces": [law], "analysis": timed(1.0, 15)})
    start = motion.links.model.account(motion.point)
    for _ in range(15):
        motion.advance()
    end = motion.links.model.account(motion.point)
    ((time, _),) = motion.events_until(1.0)
    assert time == pytest.approx(0.3 / 0.6, abs=1e-9)
    np.testing.assert_allclose(end.momentum, start.momentum, atol=1e-12)
    lost = 0.5 * (2.0 * 3.0 / 5.0) * 0.6**2 * (1.0 - bounce**2)
    assert start.kinetic - end.kinetic == pytest.approx(lost, rel=1e-9)
    assert motion.lost["dock"] == pytest.approx(lost, rel=1e-9)
    frames = motion.links.model.frames(motion.point, np.zeros(len(motion._taking._near)))[0]
    gap = frames[1, 0, 0] - frames[0, 0, 0]
    assert gap == pytest.approx(0.3 + bounce * 0.6 * 0.5, abs=1e-9)
