# SPDX-License-Identifier: BSD-3-Clause
"""Controllers that know the relative motion of a force: LuGre's friction in a contact."""

from __future__ import annotations

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.loading.load import model_from_dict
from scipy.integrate import solve_ivp
from swinging import G, frames, transient
from touching import begin, follow

MASS, STIFFNESS, BRISTLES, DAMPING, FRICTION = 2.0, 1e6, 2e3, 20.0, 0.3
PULL = 20.0  # N/s


def pulled(pull, duration, steps):
    """Return a block on a floor, which does not turn; bristles of the contact bend and slip."""
    change = f"f_x_dot - {BRISTLES / FRICTION}*abs(f_x_dot)*bristle"
    resting = -MASS * G / STIFFNESS
    law = {
        "where": {
            "push": "k*positive(-y)",
            "slip": "sqrt(x_dot^2 + 1e-20)",
            "change": f"x_dot - {BRISTLES / FRICTION}*slip*bristle",
        },
        "gap": "y",
        "force": [f"-push*({BRISTLES}*bristle + {DAMPING}*change)", "push", "0"],
        "parameters": {"k": STIFFNESS},
    }
    return {
        "planar": True,
        "links": [{"name": "block", "mass": MASS, "inertia": [0.1],
                   "placement": {"position": [0.0, resting, 0.0]}}],
        "joints": [{"name": "free", "kind": "free", "links": ["ground", "block"]}],
        "drivers": [{"name": "upright", "joint": "free", "coordinate": "angle", "value": 0}],
        "actuators": [{"name": "pull", "joint": "free", "coordinate": "slide", "force": pull}],
        "controllers": [{"name": "bristle", "rate": change,
                         "coordinates": {"f": {"force": "floor"}}}],
        "forces": [{"name": "floor", "links": ["ground", "block"], **law}],
        "loads": [{"kind": "gravity", "acceleration": [0.0, -G, 0.0]}],
        "analysis": transient(duration, steps),
    }  # fmt: skip


def state(motion):
    """Return place, speed and bending of the bristles."""
    frame = frames(motion)[0]
    return (
        frame[0, 0],
        frame[1:4, 0] @ frame[4],
        motion.over([motion.state]).controller("bristle")[0],
    )


def test_block_that_is_pulled_harder_and_harder_breaks_away_as_its_equations_say():
    """Bristles, then slip, beside another integrator; it begins at rest, as deep as it is heavy."""

    def rates(t, y):
        _, v, z = y
        change = v - BRISTLES / FRICTION * abs(v) * z
        return [v, PULL * t / MASS - G * (BRISTLES * z + DAMPING * change), change]

    times = np.linspace(0.0, 0.5, 501)
    wanted = solve_ivp(rates, [0, 0.5], np.zeros(3), "Radau", t_eval=times, rtol=1e-9, atol=1e-13).y
    found = follow(pulled(f"{PULL}*t", 0.5, 500), state).T
    assert wanted[1, -1] > 0.15  # m/s: it slips
    assert np.abs(found[2]).max() == pytest.approx(FRICTION / BRISTLES, rel=1e-3)
    for one, other in zip(found, wanted, strict=True):
        assert np.abs(one - other).max() < 1e-3 * np.abs(other).max()


def test_bristles_are_springs_before_they_slip():
    """A pull of a hundredth of the limit bends them by F/(N s0), and it stays there."""
    pull = 0.01 * FRICTION * MASS * G
    found = follow(pulled(pull, 0.2, 200), state)
    assert found[-1, 0] == pytest.approx(pull / (MASS * G * BRISTLES), rel=0.01)
    assert abs(found[-1, 1]) < 1e-8


def test_turns_and_directions_of_a_force_are_those_of_its_second_marker():
    """A link that turns about z by 2 rad/s, whose axis leans by 0.3 rad: integrals of w and n."""
    link = {"name": "top", "mass": 1.0, "inertia": [0.1, 0.1, 0.1], "angular_velocity": [0, 0, 2.0]}
    force = {"name": "touch", "links": ["ground", "top"], "force": ["0*x", "0", "0"],
             "axis": [[0, 0, 1], [np.sin(0.3), 0, np.cos(0.3)]]}  # fmt: skip
    known = {"f": {"force": "touch"}}
    rates = {"turn": "f_wz", "upright": "f_nz", "across": "f_nx"}
    tables = {"links": [link], "forces": [force], "analysis": transient(1.0, 400),
              "controllers": [{"name": name, "rate": rate, "coordinates": known}
                              for name, rate in rates.items()]}  # fmt: skip
    motion = begin(tables)
    for _ in range(400):
        motion.advance()
    found = [motion.over([motion.state]).controller(name)[0] for name in rates]
    wanted = [2.0, np.cos(0.3), np.sin(0.3) * np.sin(2.0) / 2.0]
    assert found == pytest.approx(wanted, rel=1e-4)


@pytest.mark.parametrize(
    ("coordinates", "rate", "told"),
    [
        ({"f": {"force": "flor"}}, "f_x", "coordinates.f.force: found the unknown force 'flor'"),
        ({"f": {"force": "floor", "joint": "free"}}, "f_x", "found both joint and force"),
        ({"f": {}}, "f_x", "found neither joint nor force"),
        ({"f": {"force": "floor", "coordinate": "slide"}}, "f_x", "found beside force"),
        ({"f": {"force": "floor"}}, "f_u", "found the unknown name 'f_u'"),
        ({"f": {"force": "floor"}}, "f_z", "found 'f_z', which does not move in a planar model"),
    ],
)
def test_what_is_wrong_with_the_motion_of_a_force_is_told(coordinates, rate, told):
    """By its key."""
    tables = pulled(1.0, 0.1, 10)
    tables["controllers"][0] |= {"coordinates": coordinates, "rate": rate}
    with pytest.raises(InputError, match=r"controllers\[0\]") as caught:
        model_from_dict(tables)
        begin(tables)
    assert told in str(caught.value)
