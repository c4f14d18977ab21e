# SPDX-License-Identifier: BSD-3-Clause
"""Steps of a model: each is the model with what acts in it, and faults are told where they are."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flexforge import Model, load_model
from flexforge.codegen.errors import InputError
from flexforge.runtime.check import check_model, inspect_model
from flexforge.runtime.loading.load import load_model_file, model_from_dict
from flexforge.runtime.mesh import structured
from flexforge.runtime.reduction.make import make_basis
from flexforge.runtime.results.summary import read_summary
from flexforge.runtime.run import run_model

CORNERS = [[0, 0], [1, 0], [1, 0.1], [0, 0.1]]
COMMON: dict[str, Any] = {
    "mesh": {"block": {"cell": "quad8", "corners": CORNERS, "divisions": [8, 1]}},
    "materials": {"steel": {"young": 2e11, "poisson": 0.3, "density": 7800.0}},
    "bodies": [{"name": "beam", "element": "quad8", "material": "steel", "thickness": 0.02}],
    "supports": [{"group": "xmin"}],
    "output": {"formats": ["csv"]},
}
FORCE = {"kind": "force", "group": "xmax", "total": [0, -100, 0]}
PULL = {"kind": "force", "group": "xmax", "total": [1e5, 0, 0]}
STATIC, MODES = {"kind": "static"}, {"kind": "modes", "count": 3}


def steps(**analyses: Any) -> list[dict[str, Any]]:
    """Return steps by name."""
    return [{"name": name, "analysis": one} for name, one in analyses.items()]


def test_each_step_is_the_model_with_what_acts_in_it(tmp_path: Path) -> None:
    turning = {"frames": {"beam": {"velocity": 50.0}}, "include": {"coriolis": False}}
    several = COMMON | {
        "loads": [FORCE | {"steps": ["bend"]}, PULL | {"steps": ["pull", "modes"]}],
        "steps": [*steps(bend=STATIC, pull=STATIC), *steps(modes=MODES, spin=MODES)],
    }
    several["steps"][3] |= turning
    outcome = run_model(model_from_dict(several), output=tmp_path / "all")
    alone: dict[str, dict[str, Any]] = {
        "bend": {"loads": [FORCE], "analysis": STATIC},
        "pull": {"loads": [PULL], "analysis": STATIC},
        "modes": {"loads": [PULL], "analysis": MODES},
        "spin": {"analysis": MODES, "include": turning["include"],
                 "bodies": [COMMON["bodies"][0] | {"frame": {"velocity": 50.0}}]},
    }  # fmt: skip
    for name, tables in alone.items():
        single = run_model(model_from_dict(COMMON | tables), output=tmp_path / name)
        assert outcome.steps[name].figures == single.figures
        assert (tmp_path / "all" / name / "summary.json").is_file()
        for figure, value in single.figures.items():
            assert outcome.figures[f"{name}: {figure}"] == value


def test_one_page_is_of_all_steps(tmp_path: Path) -> None:
    """Figures side by side, links to the reports of steps, and nothing that a title could end."""
    tables = COMMON | {
        "title": "<b>beam</b>",
        "loads": [FORCE],
        "steps": steps(bend=STATIC, **{"free end": MODES}),
        "output": {"formats": ["csv", "report"]},
    }
    outcome = run_model(model_from_dict(tables), output=tmp_path / "out")
    page = (tmp_path / "out" / "report.html").read_text()
    for link in ("bend/report.html", "free%20end/report.html"):
        assert f'href="{link}"' in page
    assert (tmp_path / "out" / "free end" / "report.html").is_file()
    first = f"{outcome.steps['free end'].figures['mode 1'][0]:.6g} Hz"
    row = next(line for line in page.split("<tr>") if "<td>mode 1</td>" in line)
    assert re.findall(r'class="number">([^<]*)</td>', row) == ["", first]
    assert "<b>beam</b>" not in page


FILE = """\
[mesh.block]
cell = "quad8"
corners = [[0, 0], [1, 0], [1, 0.1], [0, 0.1]]
divisions = [8, 1]
[materials.steel]
young = 2e11
poisson = 0.3
[[bodies]]
name = "beam"
element = "quad8"
material = "steel"
thickness = 0.02
[[supports]]
group = "xmin"
[[loads]]
kind = "force"
group = "xmax"
total = [0, -100, 0]
steps = ["one"]
[[loads]]
kind = "force"
group = "xmax"
total = [0, -200, 0]
steps = ["two"]
[[steps]]
name = "one"
analysis = { kind = "static" }
[[steps]]
name = "two"
analysis = { kind = "static" }
"""


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('steps = ["two"]', 'steps = ["tow"]', r"24: loads\[1\].steps\[0\]: found the"),
        ('name = "two"', 'name = "one"', r"29: steps\[1\].name: found 'one', the name of another"),
        ('kind = "static" }\n', 'kind = "modes" }\n', r":5: materials.steel.density: missing"),
        ('"static" }\n[[', '"static", shift = 1.0 }\n[[', r"27: steps\[0\].analysis.shift"),
        ("[[supports]]", '[analysis]\nkind = "static"\n[[supports]]', "found both analysis and st"),
        ("total = [0, -200, 0]", 'total = [0, -200, 0]\nphase = 1.0', r"loads\[1\].phase: found"),
    ],
)  # fmt: skip
def test_faults_are_told_where_they_are(tmp_path: Path, old: str, new: str, said: str) -> None:
    path = tmp_path / "model.toml"
    path.write_text(FILE.replace(old, new))
    with pytest.raises(InputError, match=said):
        load_model_file(path)


def test_a_fault_of_the_second_step_names_its_entry_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "model.toml"
    path.write_text(
        FILE.replace('group = "xmax"\ntotal = [0, -200', 'group = "xmin1"\ntotal = [0, -200')
    )
    with pytest.raises(InputError, match=r"step 'two': loads\[1\].group: .* did you mean 'xmin'"):
        run_model(path, output=tmp_path / "out")
    assert (tmp_path / "out" / "one" / "summary.json").is_file()  # what was found is kept
    with pytest.raises(InputError, match="expected a folder of results of a step, such as .*one"):
        read_summary(tmp_path / "out")


def test_a_check_is_of_all_steps(tmp_path: Path) -> None:
    path = tmp_path / "model.toml"
    path.write_text(FILE)
    report = check_model(path)
    assert (report.analysis, report.loads, report.unknowns) == ("static, static", 2, 80)
    path.write_text(FILE.replace('"xmax"\ntotal = [0, -200', '"Tip"\ntotal = [0, -200'))
    none, (said,) = inspect_model(path)
    assert none is None
    assert re.search(r":22: loads\[1\].group: .*Tip", said), said


@pytest.mark.parametrize(
    ("purpose", "use"),
    [
        ("export it", lambda model, folder: model.export(folder)),
        ("compute its modes", lambda model, _: model.as_modes(3, None)),
        ("reduce it", lambda model, _: make_basis(model.spec)),
    ],
)
def test_what_is_of_one_analysis_is_refused(
    tmp_path: Path, purpose: str, use: Callable[[Model, Path], object]
) -> None:
    (tmp_path / "model.toml").write_text(FILE)
    model = load_model(tmp_path / "model.toml")
    with pytest.raises(InputError, match=rf"steps: found 2; expected .* to {purpose}"):
        use(model, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_steps_without_steps_are_told() -> None:
    with pytest.raises(InputError, match=r"loads\[0\].steps\[0\]: found in a model without"):
        model_from_dict(COMMON | {"loads": [FORCE | {"steps": ["a"]}], "analysis": STATIC})


def test_nodes_by_number_are_groups() -> None:
    mesh = structured("quad4", CORNERS, [2, 1])
    assert mesh.select("#1, 3-5").nodes.tolist() == [0, 2, 3, 4]
    assert mesh.numbered(np.array([0, 2, 3, 4])) == "#1, 3-5"
    for wrong, said in (("#0", "no node 0"), ("#5-3", "found '5-3'"), ("#", "found ''"),
                        ("#x", "found 'x'"), ("#99", "no node 99")):  # fmt: skip
        with pytest.raises(InputError, match=said):
            mesh.select(wrong)
    np.testing.assert_array_equal(mesh.part("#2").nodes, np.unique(mesh.blocks[0].nodes[1]))
    assert mesh.numbered_cells(mesh.part("#1-2").labels) == "#1-2"
    with pytest.raises(InputError, match="no cell 3, of '#3'"):
        mesh.part("#3")


def test_a_step_goes_on_from_the_end_of_another(tmp_path: Path) -> None:
    """Released from its static shape, and stopped on the way: the motion is that of one step."""
    motion = {"kind": "transient", "step": 2e-5, "method": "hht", "alpha": 0.0}
    half, whole = motion | {"duration": 4e-3}, motion | {"duration": 8e-3}
    probe = {"name": "tip", "group": "xmax", "quantity": "displacement", "component": "y"}
    tables = COMMON | {"probes": [probe], "loads": [FORCE | {"steps": ["bend"]}]}
    tables["steps"] = steps(bend=STATIC, all=whole, first=half, second=half)
    for number, before in ((1, "bend"), (2, "bend"), (3, "first")):
        tables["steps"][number]["after"] = before
    found = run_model(model_from_dict(tables), output=tmp_path / "out").steps
    tips = {name: np.asarray(one.probes["tip"]) for name, one in found.items() if name != "bend"}
    bent = found["bend"].probes["tip"][-1]
    assert tips["all"][0] == pytest.approx(bent, rel=1e-12)
    assert np.ptp(tips["all"]) > 1.5 * abs(bent)
    # The second one balances its accelerations anew, which the first has by its own steps.
    pieces = np.concatenate([tips["first"], tips["second"][1:]])
    np.testing.assert_allclose(pieces, tips["all"], rtol=0, atol=1e-9 * np.ptp(tips["all"]))
    (tmp_path / "out" / "second" / "summary.json").unlink()
    again = run_model(model_from_dict(tables), output=tmp_path / "out", resume=True).steps
    np.testing.assert_array_equal(again["second"].probes["tip"], tips["second"])


@pytest.mark.parametrize(
    ("number", "change", "said"),
    [
        (1, {"after": "tow"}, r"steps\[1\].after: found the unknown earlier step 'tow'"),
        (0, {"after": "two"}, r"steps\[0\].after: .*earlier step"),
        (1, {"after": "one"}, r"steps\[1\].after: found with a static analysis; expected a tran"),
    ],
)
def test_steps_that_cannot_go_on_are_told(number: int, change: dict[str, str], said: str) -> None:
    tables = COMMON | {"loads": [FORCE], "steps": steps(one=STATIC, two=STATIC)}
    tables["steps"][number] |= change
    with pytest.raises(InputError, match=said):
        model_from_dict(tables)


def test_a_beam_stays_where_a_step_has_left_it(tmp_path: Path) -> None:
    """The tip is held in place and angle without its force: the beam keeps its whole shape."""
    corners = [[0, 0, 0], [1, 0, 0]]
    tables = COMMON | {
        "mesh": {"block": {"cell": "line2", "corners": corners, "divisions": [4]}},
        "bodies": [{"name": "beam", "element": "euler_beam", "material": "steel",
                    "section": {"shape": "round", "diameter": 0.02}}],
        "supports": [{"group": "xmin"}, {"group": "xmax", "after": "bend", "steps": ["hold"]}],
        "loads": [{"kind": "force", "group": "xmax", "total": [0, 5.0, 3.0], "steps": ["bend"]}],
        "probes": [{"name": one, "point": [0.5, 0, 0], "component": one} for one in "yz"],
        "steps": steps(bend=STATIC, hold=STATIC),
    }  # fmt: skip
    found = run_model(model_from_dict(tables), output=tmp_path / "out").steps
    for one in "yz":
        bent, held = (found[name].probes[one][-1] for name in ("bend", "hold"))
        assert held == pytest.approx(bent, rel=1e-9)
        assert bent != 0.0


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"after": "on"}, r"supports\[0\].after: found the unknown step 'on'"),
        ({"after": "one"}, "found 'one', which is not before all steps in which it acts"),
        ({"after": "one", "displacement": {"x": 1.0}}, "after: found beside displacement; expect"),
        ({"after": "one", "axes": {"x": [1, 1, 0], "y": [0, 1, 0]}}, "after: found beside axes"),
    ],
)
def test_supports_that_cannot_stay_are_told(change: dict[str, Any], said: str) -> None:
    tables = COMMON | {"loads": [FORCE], "steps": steps(one=STATIC, two=STATIC)}
    tables["supports"] = [{"group": "xmin"} | change]
    with pytest.raises(InputError, match=said):
        model_from_dict(tables)
    single = {key: value for key, value in tables.items() if key != "steps"}
    with pytest.raises(InputError, match="found in a model without|found beside"):
        model_from_dict(single | {"analysis": STATIC})
