# SPDX-License-Identifier: BSD-3-Clause
"""Declarations of systems: what is wrong is named with its key, and its line in a file."""

from __future__ import annotations

import pytest
from chains import EXAMPLES, pendulum
from flexforge.codegen.errors import InputError
from flexforge.codegen.files.system_files import is_system
from flexforge.codegen.systems.reading import load_system, read_system

WRONG = [
    ({"bodys": {}}, "bodys: unknown key; did you mean 'bodies'"),
    ({"coordinates": []}, "coordinates: found \\[\\]; expected at least one"),
    ({"coordinates": ["q", "q"]}, "q: found twice"),
    ({"coordinates": ["sin"]}, "sin: found as a name"),
    ({"coordinates": ["q_dot"]}, "q_dot: found as a name.*does not end in _dot"),
    ({"coordinates": ["q", "2x"]}, "coordinates: found .*expected a list of C identifiers"),
    ({"coordinates": [f"q{k}" for k in range(65)]}, "found 65 names; expected at most 64"),
    ({"constants": {"g": "9.81"}}, "constants.g: found '9.81'; expected a finite number"),
    ({"constants": {"g": float("nan")}}, "constants.g: found nan; expected a finite number"),
    ({"constants": {"g": True}}, "constants.g: found True"),
    ({"gravity": ["0", "-g"]}, "gravity: found .*expected three formulas"),
    ({"gravity": ["0", "-gg", "0"]}, "gravity\\[1\\]: found 'gg'.*did you mean 'g'"),
    ({"gravity": ["0", "-g", "q_dot"]}, "gravity\\[2\\]: found 'q_dot'"),
    ({"frames": {"rod": {"turn": [["w", "q"]]}}}, "frames.rod.turn\\[0\\]: found .*an axis and an"),
    ({"frames": {"rod": {}}}, "frames.rod.turn: missing"),
    ({"frames": {"rod": {"turn": [["z", "q"]], "in": "arm"}}}, "frames.rod.in: found 'arm'"),
    ({"frames": {"ground": {"turn": [["z", "q"]]}}}, "frames.ground: found a name that exists"),
    ({"points": {"end": {"in": "rood", "at": ["0", "-l", "0"]}}}, "did you mean 'rod'"),
    ({"points": {"end": {"at": "here"}}}, "points.end.at: found 'here'"),
    ({"bodies": {}}, "bodies: found none"),
    ({"bodies": {"ball": {"point": "end", "mass": "-m"}}}, "mass: found -m = -2"),
    ({"bodies": {"ball": {"point": "end", "mass": "q"}}}, "bodies.ball.mass: found 'q'"),
    ({"bodies": {"ball": {"point": "end", "mass": "m", "inertia": ["1", "1", "1"]}}},
     "bodies.ball.frame: missing"),
    ({"bodies": {"ball": {"point": "end", "mass": "m", "frame": "rod", "inertia": ["1"]}}},
     "expected 3 moments of inertia, or 6"),
    ({"bodies": {"ball": {"point": "end", "mass": "m", "frame": "rod", "inertia": [1, -1, 1]}}},
     "inertia\\[1\\]: found -1"),
    ({"loads": {"p": "1"}}, "loads: found 'p'; expected one of q"),
    ({"loads": {"q": "u"}}, "loads.q: found 'u'"),
    ({"loads": {"q": "__import__('os')"}}, "loads.q: found"),
    ({"start": {"q_dit": 1.0}}, "start: found 'q_dit'.*did you mean 'q_dot'"),
    ({"springs": [{"points": ["end"], "stiffness": 1}]}, "springs\\[0\\].points: found .*two"),
    ({"springs": {"points": ["end", "O"]}}, "springs: found .*expected tables"),
    ({"forces": [{"on": "end"}]}, "forces\\[0\\].value: missing"),
    ({"torques": [{"on": "end", "value": [0, 0, 1]}]}, "torques\\[0\\].on: found 'end'.*rod"),
    ({"constraints": [{"body": "ball"}]}, "constraints\\[0\\].point: missing"),
    ({"constraints": [{"ball": "body"}]}, "expected zero = 'formula'"),
    ({"run": {"steps": 2.5}}, "run.steps: found 2.5; expected a whole number"),
    ({"run": {"duration": 0}}, "run.duration: found 0; expected more than zero"),
    ({"run": {"tolerance": 1e-20}}, "run.tolerance: found 1e-20; expected 1e-13"),
    ({"run": {"until": 3}}, "run.until: unknown key"),
    ({"name": "two words"}, "name: found 'two words'; expected a C identifier"),
]  # fmt: skip


@pytest.mark.parametrize(("tables", "words"), WRONG, ids=[words[:28] for _, words in WRONG])
def test_what_is_wrong_is_named(tables, words):
    with pytest.raises(InputError, match=words):
        read_system(pendulum(**tables))


def test_the_line_of_a_file_is_named(tmp_path):
    text = (EXAMPLES / "double_pendulum.toml").read_text()
    path = tmp_path / "wrong.toml"
    path.write_text(text.replace('mass = "m2"', 'mass = "m3"'))
    line = next(k for k, row in enumerate(path.read_text().splitlines(), 1) if "m3" in row)
    with pytest.raises(InputError, match=rf"wrong.toml:{line}: bodies.ball2.mass: found 'm3'"):
        load_system(path)


def test_systems_are_recognized(tmp_path):
    assert is_system(EXAMPLES / "knife_edge.toml")
    other = tmp_path / "other.toml"
    other.write_text("[mesh]\n")
    assert not is_system(other) and not is_system("hex8") and not is_system(tmp_path)
    other.write_text("coordinates = [")
    assert not is_system(other)
