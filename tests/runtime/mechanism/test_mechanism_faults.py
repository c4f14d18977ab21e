# SPDX-License-Identifier: BSD-3-Clause
"""What is wrong with a mechanism is said by name, in one line."""

from __future__ import annotations

import mechanisms
import numpy as np
import pytest
from flexforge.codegen.errors import AnalysisError, InputError
from flexforge.runtime.mechanism.motion import LinkMotion
from flexforge.runtime.motion.frame import Rotation
from flexforge.runtime.run import run_model
from mechanisms import driver, joint, link, mechanism


def changed(data, table, number, **more):
    rows = [dict(row) for row in data[table]]
    rows[number] |= more
    return data | {table: rows}


def refused(data, duration=1.0):
    with pytest.raises(InputError) as error:
        mechanism(data, duration)
    assert "\n" not in str(error.value)
    return str(error.value)


CRANK = mechanisms.slider_crank()
BAR = mechanisms.four_bar()


@pytest.mark.parametrize(
    "data, parts",
    [
        (changed(CRANK, "joints", 1, links=["crnk", "rod"]),
         ("joints[1].links[0]", "'crnk'", "did you mean 'crank'")),
        (changed(CRANK, "joints", 1, at="pin"), ("'pin'",)),
        (changed(CRANK, "joints", 0, kind="hinge"), ("joints[0].kind", "'hinge'")),
        (changed(CRANK, "joints", 0, links=["rod", "rod"]), ("twice",)),
        (changed(CRANK, "joints", 0, radius=1.0), ("joints[0].radius", "only with rolling")),
        (changed(CRANK, "joints", 0, axis=[1, 0, 0]), ("joints[0].axis", "planar model")),
        (changed(CRANK, "joints", 0, at=[0, 0, 1]), ("joints[0].at", "z component")),
        (changed(CRANK, "joints", 0, kind="planar"), ("joints[0].kind", "planar model")),
        (changed(CRANK, "joints", 0, axis=[0, 0, 0]), ("joints[0].axis", "of length 0")),
        (changed(CRANK, "joints", 0, across=[0, 0, 2]), ("joints[0].across", "along axis")),
        (changed(CRANK, "links", 0, name="ground"), ("links[0].name", "global frame")),
        (CRANK | {"links": [*CRANK["links"], link("spare")]}, ("links[3].name", "no joint")),
        (changed(CRANK, "drivers", 0, joint="bear"), ("drivers[0].joint", "'bearing'")),
        (changed(CRANK, "drivers", 0, coordinate="slide"),
         ("drivers[0].coordinate", "'slide' of joint 'bearing' (revolute)", "expected angle")),
        (changed(CRANK, "drivers", 0, value=1.0), ("velocity", "expected one")),
        (changed(CRANK, "drivers", 0, velocity="step(t, 0.5)"), ("drivers[0].velocity", "jumps")),
        (CRANK | {"drivers": [*CRANK["drivers"], driver("bearing", "other", value=1.0)]},
         ("angle of joint 'bearing'", "driver 'motor'")),
        (CRANK | {"gears": [{"name": "g", "joints": ["pin", "wrst"], "ratio": 2.0}]},
         ("gears[0].joints[1]", "'wrist'")),
        (CRANK | {"gears": [{"name": "g", "joints": ["pin", "wrist"], "ratio": 0.0}]},
         ("gears[0].ratio",)),
        (CRANK | {"bodies": []} | {"links": []}, ("mesh",)),
    ],
)  # fmt: skip
def test_tables_are_checked_by_key(data, parts):
    """A wrong key, name, kind or direction is refused with its place in the file."""
    message = refused(data)
    for part in parts:
        assert part in message, message


def test_redundant_joints_are_named():
    """A planar four-bar of hinges in space holds three motions twice: its four joints do."""
    message = refused({key: value for key, value in BAR.items() if key != "planar"})
    for name in ("'A'", "'B'", "'C'", "'D'", "2 more equations are redundant", "planar = true"):
        assert name in message, message


def test_a_spatial_mechanism_is_not_sent_into_the_plane():
    """The hint at planar models is for hinges along z, or nearly so."""
    bar = {key: value for key, value in BAR.items() if key != "planar"}
    assert "planar = true" not in refused(changed(bar, "joints", 3, axis=[1, 0, 0]))


def test_two_joints_that_hold_one_rotation_are_named():
    """Two sliding guides of one link both hold its rotation."""
    data = {
        "planar": True,
        "links": [link("table")],
        "joints": [
            joint("left", "prismatic", "ground", "table", axis=[1, 0, 0]),
            joint("right", "prismatic", "ground", "table", [0, 1, 0], axis=[1, 0, 0]),
        ],
    }
    message = refused(data)
    assert "joints 'left' and 'right' both hold the " in message
    assert "of link 'table'" in message


@pytest.mark.parametrize(
    "axis, told",
    [
        ([0, 0, 1], "(19 equations for 18 coordinates, 18 independent); expected "),
        ([1, 0, 0], "(19 equations for 18 coordinates, 17 independent); expected "),
        ([[0, 0, 1], [0, 0.5, 1]], "for 18 coordinates: 2 too many; the joints close with "),
    ],
)
def test_a_hinge_in_place_of_a_ball_is_pointed_at(axis, told):
    """A crank about z, a rocker about x: with a hinge for the ball 20 equations meet 18 unknowns.

    Whether its axes close or not, the ball is told first; the bearing on the ground later where it
    would free the loop too, and the one with the driver's angle, which a ball has not, never.
    """
    data = changed(mechanisms.spatial_four_bar(), "joints", 2, kind="revolute", axis=axis)
    message = refused(data)
    first, *others = message.split(told)[1].split(", or ")
    assert first == "joint 'C' spherical instead of revolute"
    assert "joint 'A'" not in " ".join(others)
    if axis == [1, 0, 0]:
        assert others[0] == "joint 'D' spherical instead of revolute"


def test_a_missing_driver_is_told_by_what_can_move():
    """Without its motor a crank turns as it likes; a rod on two balls spins about itself."""
    message = refused(CRANK | {"drivers": []})
    assert "found 0 drivers of a mechanism with 1 free motion: link '" in message
    assert "1 more driver" in message
    data = mechanisms.spatial_four_bar()
    message = refused(changed(data, "joints", 1, kind="spherical", axis=[0, 0, 1]))
    assert "link 'coupler' can turn about [" in message
    joints = "joint 'B' universal instead of spherical, or joint 'C' universal instead of spherical"
    assert message.endswith(f"expected 1 more driver, or {joints}")


@pytest.mark.parametrize(
    "kind, axis, ends",
    [
        ("spherical", [0, 0, 1], "joint 'D' revolute instead of spherical"),  # 2 turns too many
        ("cylindrical", [1, 0, 0], "joint 'D' revolute instead of cylindrical"),  # slides
    ],
)
def test_a_bearing_that_holds_too_little_is_named_with_a_stiffer_kind(kind, axis, ends):
    """The rocker's bearing alone is wrong: as a hinge, the mechanism was determined."""
    message = refused(changed(mechanisms.spatial_four_bar(), "joints", 3, kind=kind, axis=axis))
    assert ends in message.split("more driver")[1]


def test_too_many_drivers_are_named():
    """A second driver of the same freedom has nothing left to drive."""
    data = CRANK | {"drivers": [*CRANK["drivers"], driver("guide", "push", value=0.4)]}
    message = refused(changed(data, "drivers", 1, value=0.45))
    assert "found 2 drivers of a mechanism with 1 free motion: driver 'push'" in message


def test_a_driver_at_a_dead_point_is_named():
    """At its end the slider cannot push the crank."""
    data = CRANK | {"drivers": [driver("guide", "push", value="0.45 - 0.1*t**2")]}
    message = refused(data)
    assert "driver 'push' drives what joints and other drivers determine in the initial" in message


def test_links_that_cannot_be_assembled_name_the_open_joint():
    """A coupler that is 1 m too short leaves a gap of its joints."""
    message = refused(mechanisms.four_bar((4.0, 0.5, 1.0, 1.5), value=0.5))
    assert "stays open by" in message or "off at t = 0" in message
    assert "at t = 0" in message and " m" in message


def test_what_is_open_is_a_distance_or_an_angle():
    """An axis that is inclined leaves an angle; equations are counted against coordinates."""
    bar = {key: value for key, value in BAR.items() if key != "planar"}
    message = refused(changed(bar, "joints", 3, axis=[0, 0.1, 1]))
    assert "open by an angle of" in message and "degrees)" in message
    assert "21 equations of 4 joints and 1 driver for 18 coordinates: 3 too many" in message
    assert "planar = true" in message
    message = refused(mechanisms.four_bar((4.0, 0.5, 1.0, 1.5), value=0.5))
    assert "a distance of" in message and "for 9 coordinates, not too many" in message


def test_a_joint_that_keeps_others_open_is_named():
    """A fifth joint that pins the slider elsewhere: without it the rest closes."""
    extra = joint("extra", "revolute", "ground", "slider", [0.4, 0, 0])
    message = refused(CRANK | {"joints": [*CRANK["joints"], extra]})
    assert "11 equations of 5 joints and 1 driver for 9 coordinates" in message
    assert "the rest closes without joint 'extra', it is superfluous" in message


@pytest.mark.parametrize(
    "drivers, expected",
    [
        ([driver("bearing", velocity=1.0), driver("guide", "push", value=0.40)],
         "the rest closes without driver 'push', it is superfluous"),
        ([driver("guide", "push", value=45.0)],
         "joints close without driver 'push': expected a value that they can reach"),
    ],
)  # fmt: skip
def test_a_driver_that_keeps_joints_open_is_named(drivers, expected):
    """A second driver contradicts the first; one alone may ask for a place out of reach."""
    assert expected in refused(CRANK | {"drivers": drivers})


def test_lengths_in_other_units_are_pointed_at():
    """A rocker whose end is given in mm among lengths in m."""
    message = refused(changed(BAR, "joints", 2, at=[[3.5, 0, 0], [2500.0, 0, 0]]))
    assert "joint 'C' on 'rocker' is 2500 m from the origin" in message
    explained, told = "is one of them in mm?", "no position near the placements"
    assert message.index(explained) < message.index(told), "the likely cause comes first"


def test_a_mechanism_that_locks_tells_when(tmp_path):
    """A crank of 2 m that the others cannot follow locks where the diagonal gets too long."""
    sides, speed = (4.0, 2.0, 2.5, 2.5), 1.0
    data = mechanisms.four_bar(sides, value=f"0.5 + {speed}*t")
    # The diagonal from crank pin to the rocker's bearing is then coupler + rocker, 5 m.
    cosine = (sides[0] ** 2 + sides[1] ** 2 - (sides[2] + sides[3]) ** 2) / (2 * 4.0 * 2.0)
    when = (np.arccos(cosine) - 0.5) / speed
    found = mechanism(data, 3.0)
    course, error = found.follow(np.linspace(0.0, 3.0, 301))
    assert isinstance(error, AnalysisError)
    assert len(course.times) == int(when / 0.01) + 1
    told = float(str(error).split("t = ")[1].split(" s")[0])
    assert told == pytest.approx(when, abs=1e-5)
    assert "link '" in str(error) and ("joint" in str(error) or "driver" in str(error))
    # The run keeps what was computed before.
    analysis = {"kind": "kinematics", "duration": 3.0, "steps": 300}
    from flexforge.runtime.loading.load import model_from_dict

    spec = model_from_dict(data | {"analysis": analysis, "output": {"formats": ["csv"]}})
    with pytest.raises(AnalysisError, match="times kept: "):
        run_model(spec, output=tmp_path)
    rows = (tmp_path / "probes.csv").read_text().splitlines()
    assert len(rows) == len(course.times) + 1


def test_too_many_turns_between_two_times_are_refused():
    """A crank that turns 60,000 times from one time to the next would take minutes to follow."""
    data = mechanisms.four_bar((4.0, 1.0, 3.5, 2.5), velocity=4e5, value0=0.5)
    course, error = mechanism(data, 2.0).follow(np.array([0.0, 1.0, 2.0]))
    assert "moves too far between t = 0 and 1 s" in str(error) and len(course.times) == 1


def test_a_parallelogram_that_goes_flat_is_singular():
    """A parallel linkage in line could go on in two ways: it stops, even between two times."""
    data = mechanisms.four_bar((4.0, 1.0, 4.0, 1.0), value="0.5 + t")
    data["links"][1]["placement"] |= {"position": [0.9, 0.5, 0], "angle": 0.0}
    data["links"][2]["placement"]["angle"] = 0.5
    course, error = mechanism(data, 4.0).follow(np.linspace(0.0, 4.0, 42))
    assert "singular position" in str(error)
    assert course.times[-1] < np.pi - 0.5 < course.times[-1] + 4.0 / 41


def test_motion_of_a_link_looks_like_a_prescribed_one():
    """The crank is steady about z, the rod turns unsteadily, the slider does not turn."""
    found = mechanism(CRANK, 0.04)
    crank, rod, slider = (LinkMotion(found, k) for k in range(3))
    assert (crank.rotates, crank.is_steady, crank.is_planar, crank.glides) == (True,) * 4
    assert (rod.rotates, rod.is_steady, rod.is_planar, rod.glides) == (True, False, True, False)
    assert (slider.rotates, slider.is_steady, slider.glides) == (False, True, False)
    gravity = np.array([0.0, -9.81, 0.0])
    assert slider.keeps(gravity) and not rod.keeps(gravity)
    assert rod.keeps(np.array([0.0, 0.0, 2.0]))
    crank.check(0.04)
    rotation: Rotation = rod.rotation
    assert (rotation.rotates, rotation.is_steady, rotation.is_about_z) == (True, False, True)
    np.testing.assert_array_equal(rotation.at(0.02)[1], rod.at(0.02).w)
    state = crank.at(0.01)
    np.testing.assert_allclose(state.w, [0, 0, 150.0], rtol=1e-12)


def test_a_joint_that_holds_too_much_is_named_before_the_driver():
    """A slider-crank with a fixed wrist cannot move: leaving out its driver would not help."""
    message = refused(changed(CRANK, "joints", 2, kind="fixed"))
    assert "with 0 free motions" in message
    assert "expected joint 'wrist' revolute instead of fixed" in message
    assert message.index("'wrist'") < message.index("or 0 drivers")
    assert "spherical" not in message, "the model is planar"
    second = driver("guide", "second", coordinate="slide", value=0.45)
    assert "expected 1 driver" in refused(CRANK | {"drivers": [*CRANK["drivers"], second]})


def test_two_pins_at_one_point_are_named():
    """A rod whose joints are both at its end turns about them, whatever the crank does."""
    both = changed(CRANK, "joints", 2, at=[[0, 0, 0], [0, 0, 0]])
    message = refused(changed(both, "links", 2, placement={"position": [0.15, 0, 0]}))
    assert "joints 'pin' and 'wrist' are at the same point of link 'rod'" in message


def test_a_second_bearing_on_the_same_axis_is_to_be_left_out():
    """Two hinges on one axis hold the same: the one that no driver drives holds nothing more."""
    data = {
        "links": [link("crank")],
        "joints": [
            joint("bearing", "revolute", "ground", "crank"),
            joint("extra", "revolute", "ground", "crank", [0, 0, 0.3]),
        ],
        "drivers": [driver("bearing", velocity=1.0)],
    }
    message = refused(data)
    assert "and 4 more equations are redundant" in message
    assert "expected no joint 'extra', which holds nothing that the others do not hold" in message


def test_links_in_line_close_across_their_line():
    """A rod along x, its slider to be on the line y: no first step of Newton's method helps."""
    a, rod = 0.05, 0.2
    data = changed(mechanisms.slider_crank(a, rod), "joints", 3, axis=[0, 1, 0])
    closed = mechanism(data)
    place = closed.assembled.frames[2][0]
    np.testing.assert_allclose(np.abs(place), [0.0, np.sqrt(rod**2 - a**2), 0.0], atol=1e-12)


@pytest.mark.parametrize("steps", [24, 25, 100, 401, 2000])
def test_a_position_that_two_motions_share_is_singular_whatever_the_steps(steps):
    """Crank and rod stretch to 0.35 m at t = 0.05 s, where the rocker, upright, may go either way.

    Steps that met it exactly went on with accelerations of 1e10 rad/s^2 and more, and turned back.
    """
    one, two = [0.05, 0, 0], np.array([0.3, 0.2, 0.0])
    data = {
        "links": [link("crank"), link("rod", one), link("rocker", two)],
        "joints": [
            joint("A", "revolute", "ground", "crank"),
            joint("B", "universal", "crank", "rod", [one, [0, 0, 0]], axis=[[0, 0, 1], [0, 1, 0]]),
            joint("C", "spherical", "rod", "rocker", [[0.35, 0, 0], [0, 0, 0.2]]),
            joint("D", "revolute", "ground", "rocker", [two, [0, 0, 0]], axis=[1, 0, 0]),
        ],
        "drivers": [driver("A", velocity="600 rpm")],
    }
    course, error = mechanism(data, 0.1).follow(np.linspace(0.0, 0.1, steps + 1))
    assert "comes to a singular position at t = 0.05 s: joints" in str(error)
    assert "leave link 'rocker' free to turn about its axis x there" in str(error)
    assert len(course.times) == -(-steps // 2), "all times before it"
