# SPDX-License-Identifier: BSD-3-Clause
"""``flexforge check`` tells all mistakes at once, and what a sound model is: size, mass, groups."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from flexforge import load_model
from flexforge.cli import main
from flexforge.codegen.errors import InputError
from flexforge.runtime.check import inspect_model
from flexforge.runtime.machine.threads import default_threads
from flexforge.runtime.model.schema_lumped import _law
from flexforge.runtime.system.plausible import HEAVIEST, LONGEST

ROOT = Path(__file__).parents[2]
SOUND = """
[mesh]
block = { cell = "quad4", corners = [[0, 0], [2, 0], [2, 1], [0, 1]], divisions = [4, 2] }

[materials.steel]
young = 2e11
poisson = 0.3
density = 7800

[[bodies]]
name = "plate"
element = "quad4"
material = "steel"
thickness = 0.01

[[supports]]
group = "xmin"

[[probes]]
name = "tip"
group = "xmax"
component = "x"

[analysis]
kind = "static"

[output]
formats = ["csv"]
"""


def mistakes(folder: Path, *changes: tuple[str, str]) -> list[str]:
    """Return what is wrong with the sound model after changes, without the name of the file."""
    text = SOUND
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    path = folder / "model.toml"
    path.write_text(text, encoding="utf-8")
    return [one.replace(f"{path}:", "") for one in inspect_model(path)[1]]


def test_all_mistakes_are_told_at_once(tmp_path: Path) -> None:
    """A spelling, a value, a reference and two groups: five lines, in the order of the file."""
    found = mistakes(
        tmp_path,
        ("young = 2e11", "yung = 2e11\nviscosity = -1"),
        ('group = "xmin"', 'group = "xmim"\n[[supports]]\ngroup = "ymin"\nbody = "plaet"'),
        ('group = "xmax"', 'group = "xmx"'),
    )
    expected = [
        "6: materials.steel.yung: unknown key; did you mean 'young'?",
        "7: materials.steel.viscosity: found -1",
        "18: supports[0].group: mesh.block: no group named 'xmim'; did you mean 'xmin'",
        "21: supports[1].body: found the unknown body 'plaet'",
        "25: probes[0].group: mesh.block: no group named 'xmx'",
    ]
    assert [one[: len(text)] for one, text in zip(found, expected, strict=True)] == expected


def test_positions_count_what_is_left_out(tmp_path: Path) -> None:
    """A support that is wrong by itself does not change the numbers of those after it."""
    wrong = 'group = 3\n[[supports]]\ngroup = "ymin"\n[[supports]]\ngroup = "nowhere"'
    found = mistakes(tmp_path, ('group = "xmin"', wrong))
    assert [one.split(": ")[1] for one in found] == ["supports[0].group", "supports[2].group"]


def test_one_mistake_is_one_line(tmp_path: Path) -> None:
    """What only follows from a mistake is not told beside it."""
    assert len(mistakes(tmp_path, ("element =", "elemnt ="))) == 1
    assert len(mistakes(tmp_path, ('"quad4"\nmaterial', '"quad8"\nmaterial'))) == 1
    assert len(mistakes(tmp_path, ('name = "plate"', 'name = "p/late"'))) == 1
    assert mistakes(tmp_path) == []


def test_the_command_prints_each_on_a_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 2, a line on stderr for each, and a list where JSON is asked for."""
    mistakes(tmp_path, ("poisson = 0.3", "poisson = 0.6"), ('"xmax"', '"xm"'))
    assert main(["check", str(tmp_path / "model.toml"), "--json"]) == 2
    said = capsys.readouterr()
    assert said.err.count("flexforge: error: ") == said.err.count("\n") == 2
    assert len(json.loads(said.out)["errors"]) == 2


def test_a_sound_model_is_described(tmp_path: Path) -> None:
    """2 m x 1 m x 10 mm of 7800 kg/m^3 are 156 kg; 5 x 3 nodes, 3 of them on the left."""
    mistakes(tmp_path)
    report = load_model(tmp_path / "model.toml").check()
    text = "\n".join(report.lines())
    assert "box 2 x 1 m from (0, 0) m, mass 156 kg in all" in text
    assert "all (surface, 8 cells, 15 nodes), xmin (curve, 2 cells, 3 nodes)" in text
    assert report.remarks == () and report.box == ((0.0, 0.0), (2.0, 1.0))


@pytest.mark.parametrize(
    ("scale", "said"),
    [
        ("scale = 1e3", f"long, more than {LONGEST:g} m"),
        ("scale = 300", f"mass of 1.4e+07 kg together, more than {HEAVIEST:g} kg"),
        ("scale = 1e-7", "the model is 2e-07 m long, less than 1e-06 m"),
    ],
)
def test_absurd_sizes_are_remarked(scale: str, said: str, tmp_path: Path) -> None:
    """156 kg times 300 squared are 1.4e7 kg: a run warns of it too, and goes on."""
    mistakes(tmp_path, ("\n[materials", f"{scale}\n[materials"))
    model = load_model(tmp_path / "model.toml")
    remarks = model.check().remarks
    assert any(said in one for one in remarks)
    assert "scale makes coordinates metres" in remarks[-1]
    assert model.run(output=tmp_path / "out").warnings == remarks


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("young = 2e11", "young = 2.1e5", "a modulus of 2.1e+05 Pa is less than that of rubber"),
        ("density = 7800", "density = 7.8e-9", "a density of 7.8e-09 kg/m^3 is less than foam has"),
        ("density = 7800", "density = 7.8e6", "a density of 7.8e+06 kg/m^3 is more than any solid"),
    ],
)
def test_materials_in_other_units_are_remarked(
    old: str, new: str, said: str, tmp_path: Path
) -> None:
    """Steel in N/mm^2, t/mm^3 or kg/m^3 times 1000: no solid has such a modulus or density."""
    mistakes(tmp_path, (old, new))
    model = load_model(tmp_path / "model.toml")
    assert said in model.check().remarks[-1]
    assert model.run(output=tmp_path / "out").warnings == model.check().remarks


def test_missing_supports_of_a_static_model_are_a_mistake(tmp_path: Path) -> None:
    """``check`` says what the run would: a plate held along x alone is free along y."""
    held = 'group = "xmin"\ncomponents = ["x"]'
    (found,) = mistakes(tmp_path, ('group = "xmin"', held))
    assert "body 'plate' is free to move (translation along y); expected supports" in found
    assert mistakes(tmp_path, ('group = "xmin"', held), ('"static"', '"modes"')) == []


def test_a_support_of_what_a_joint_moves_is_a_mistake(tmp_path: Path) -> None:
    """The crank pin drives this end of the rod: the support holds the same motion again."""
    text = (ROOT / "examples/slider_crank/model.toml").read_text(encoding="utf-8")
    path = tmp_path / "model.toml"
    path.write_text(f'{text}\n[[supports]]\ngroup = "rod.xmin"\nbody = "rod"\n')
    (found,) = inspect_model(path)[1]
    assert "'crank pin'" in found and "hold the same motion twice" in found


def test_a_group_that_a_joint_does_not_have_is_told_with_its_place(tmp_path: Path) -> None:
    """Groups begin with the name of the block, not with that of the body or the link."""
    file = ROOT / "examples" / "slider_crank" / "model.toml"
    wrong = file.read_text(encoding="utf-8").replace('"rod.xmin"', '"coupler.xmin"')
    path = tmp_path / "model.toml"
    path.write_text(wrong, encoding="utf-8")
    line = next(i for i, text in enumerate(wrong.splitlines(), 1) if "coupler.xmin" in text)
    said = "mesh.blocks: no group named 'coupler.xmin'; did you mean 'rod.xmin'? The prefix is the"
    (text,) = inspect_model(path)[1]
    assert text.startswith(f"{path}:{line}: joints[1].at[1]: {said} name of a block")
    with pytest.raises(InputError, match=r"^joints\[1\]\.at\[1\]: " + re.escape(said)):
        load_model(path).run(tmp_path / "r")


@pytest.mark.parametrize(("given", "most"), [("1", 1), ("1,4", 1), ("", 0), ("0", 0), ("all", 0)])
def test_the_variable_of_openmp_limits_threads(given: str, most: int, monkeypatch) -> None:
    """Its first number, for the outer loops; what is none leaves all cores."""
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    cores = default_threads()
    monkeypatch.setenv("OMP_NUM_THREADS", given)
    assert default_threads() == (min(most, cores) or cores)


def test_a_sudden_start_is_remarked_before_the_run() -> None:
    """The crank of the example turns at 150 rad/s from the first moment on."""
    report = load_model(ROOT / "examples" / "slider_crank" / "model.toml").check()
    assert "driver 'motor' moves at 150 rad/s from t = 0 on" in report.remarks[-1]


def test_speeds_of_frames_are_shown_in_rpm(tmp_path: Path) -> None:
    """3000 rpm are 100 pi rad/s."""
    turning = 'thickness = 0.01\nframe = { axis = [0, 0, 1], velocity = "3000 rpm" }'
    mistakes(tmp_path, ("thickness = 0.01", turning))
    report = load_model(tmp_path / "model.toml").check()
    assert report.speeds["plate"][0.0] == pytest.approx(100 * np.pi)
    assert "  frame of plate: 314.159 rad/s (3000 rpm) at 0 s" in report.lines()


@pytest.mark.parametrize(
    ("speeds", "remarks"),
    [
        ('"0:9000:7rpm"', 0),
        ('["0 rpm", "1500 rpm", "3000 rpm", "4500 rpm", "6000 rpm", "7500 rpm", "9000 rpm"]', 0),
        ('[0, "1500 rpm", "3000 rpm", "4500 rpm", "6000 rpm", 785.4, "9000 rpm"]', 1),
    ],
)
def test_speeds_of_a_diagram_are_shown(speeds: str, remarks: int, tmp_path: Path) -> None:
    """Their number, range, frames and orders; a bare number other than 0 among units is odd."""
    turning = "thickness = 0.01\nframe = { axis = [0, 0, 1], velocity = 1.0 }"
    analysis = f'kind = "modes"\nspeeds = {speeds}\norders = "1:3"'
    mistakes(tmp_path, ("thickness = 0.01", turning), ('kind = "static"', analysis))
    report = load_model(tmp_path / "model.toml").check()
    line = "  speeds: 7, 0 to 9000 rpm (0 to 942.478 rad/s), of the frame of plate; orders 1, 2, 3"
    assert line in report.lines()
    odd = [one for one in report.remarks if "found 785.4 without a unit" in one]
    assert len(odd) == remarks


@pytest.mark.parametrize(
    ("key", "given", "said"),
    [
        ("speeds", '"0:9000rpm"', "found '0:9000rpm'; expected A:B:N"),
        ("orders", '"1:x"', "found '1:x'; expected A:B or A,B,C with whole numbers"),
        ("orders", '"8:1"', "found '8:1'; expected A:B or A,B,C with whole numbers"),
    ],
)
def test_texts_that_are_no_ranges_are_refused(
    key: str, given: str, said: str, tmp_path: Path
) -> None:
    """With what a range is."""
    ranges = {"speeds": "[0.0, 1.0]", "orders": "[1]"} | {key: given}
    analysis = "\n".join(f"{name} = {value}" for name, value in ranges.items())
    (text,) = mistakes(tmp_path, ('kind = "static"', f'kind = "modes"\n{analysis}'))
    assert f"analysis.{key}: {said}" in text


@pytest.mark.parametrize(("example", "motions"), [("slider_crank", 1), ("robot_arm", 2)])
def test_mechanisms_have_a_mobility(example: str, motions: int) -> None:
    """A slider-crank has one motion, an arm of two links two; drivers prescribe all of them."""
    report = load_model(ROOT / "examples" / example / "model.toml").check()
    assert (report.mobility, report.prescribed, report.free) == (motions, motions, ())
    assert f"joints and gears leave {motions} motion" in "\n".join(report.lines())


def test_construction_points_are_left_out(tmp_path: Path) -> None:
    """The centre of an arc has no cell: it is told, takes no unknowns, and is in nobody's way."""
    nodes = "".join(f"{i} {x} {y} 0\n" for i, x, y in ((1, 0, 0), (2, 1, 0), (3, 0, 1), (9, 5, 5)))
    (tmp_path / "arc.msh").write_text(
        '$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n1 1 "left"\n$EndPhysicalNames\n'
        f"$Nodes\n4\n{nodes}$EndNodes\n$Elements\n2\n1 1 2 1 1 3 1\n2 2 2 7 1 1 2 3\n$EndElements\n"
    )
    block = SOUND[SOUND.index("block =") : SOUND.index("\n\n[materials")]
    found = mistakes(
        tmp_path,
        (block, 'file = "arc.msh"'),
        ('"quad4"\n', '"tri3"\n'),
        ('"xmin"', '"left"'),
        ('group = "xmax"', "point = [1, 0, 0]"),
    )
    assert found == []
    model = load_model(tmp_path / "model.toml")
    outcome = model.run(output=tmp_path / "out")
    assert outcome.warnings == (
        f"{tmp_path / 'arc.msh'}: node 9 belongs to no cell of a body; it is left out",
    )
    assert outcome.figures["unknowns"] == 2


def test_names_of_files_may_be_any_bytes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A name in Latin 1 is shown escaped, on the terminal and in the results."""
    mistakes(tmp_path)
    odd = tmp_path / "caf\udce9.toml"
    (tmp_path / "model.toml").rename(odd)
    assert main(["run", str(odd), "-o", str(tmp_path / "out")]) == 0
    summary = json.loads((tmp_path / "out" / "summary.json").read_text(encoding="utf-8"))
    assert "caf\\xe9" in json.dumps(summary).replace("\\\\", "\\")


@pytest.mark.parametrize("text", ["a\\u0000b", "a\\u001bb"])
def test_control_characters_are_refused(text: str, tmp_path: Path) -> None:
    """HDF5 holds no NUL, and a terminal obeys an escape."""
    (one,) = mistakes(tmp_path, ("\n[mesh]", f'title = "{text}"\n[mesh]'))
    assert "title: found the character U+00" in one and "expected plain text" in one


@pytest.mark.parametrize("size", [10**20, 10**25, 10**31, 10**400])
def test_whole_numbers_of_any_length_are_numbers(size: int) -> None:
    """A joint at 10^20 m, written without a point, is far away; beyond 10^30 it is refused."""
    tables = {
        "planar": True,
        "links": [{"name": "a"}],
        "joints": [
            {"name": "j", "kind": "revolute", "links": ["ground", "a"], "at": [[size, 0, 0]] * 2}
        ],
        "drivers": [{"name": "d", "joint": "j", "value": "t"}],
        "analysis": {"kind": "kinematics", "duration": 1, "steps": 4},
    }
    if size < 10**30:
        assert load_model(tables).spec.joints[0].name == "j"
        return
    with pytest.raises(InputError, match="joints.0..at.* beyond 1e"):
        load_model(tables)


@pytest.mark.parametrize("size", [10**20, 10**31, 10**400])
def test_stiffnesses_of_any_length_are_numbers(size: int) -> None:
    """A matrix of whole numbers too long for a double is refused, not converted."""
    if size < 10**30:
        assert _law([size] * 3)[0][0] == size
        return
    with pytest.raises(ValueError, match="too large"):
        _law([size] * 3)
