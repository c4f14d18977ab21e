# SPDX-License-Identifier: BSD-3-Clause
"""What nothing holds is named: the body and its motion, by one line, with the results so far."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from flexforge.cli import main
from flexforge.codegen.errors import AnalysisError, InputError
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.run import run_model
from flexforge.runtime.statics.held import factor_held
from flexforge.runtime.statics.pencil import Pencil
from flexforge.runtime.statics.rigid import free_motions
from flexforge.runtime.statics.static import solve_static
from flexforge.runtime.statics.steady import SteadySolver
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.vibration import lanczos, quadratic, undamped
from flexforge.runtime.vibration.modes import solve_modes
from models import build, model, stressed
from scipy.sparse import identity

STEEL = {"young": 2e11, "poisson": 0.3, "density": 7800.0}
SECTION = {"shape": "rectangle", "width": 0.02, "height": 0.01}


def rods(element: str, supports: list, ends=((0.0, 0.0, 0.0), (1.0, 0.0, 0.0)), **tables):
    """Return a model of a line of rods."""
    planar = element.endswith("_plane")
    corners = [list(end[:2]) if planar else list(end) for end in ends]
    data = {
        "mesh": {"block": {"cell": "line2", "corners": corners, "divisions": [6]}},
        "materials": {"steel": STEEL},
        "bodies": [{"name": "blade", "element": element, "material": "steel", "section": SECTION}],
        "supports": supports,
        "loads": [{"kind": "force", "group": "xmax", "total": [1.0, 1.0, 0.0 if planar else 1.0]}],
        "analysis": {"kind": "static"},
        "output": {"formats": ["csv"]},
    }
    return model_from_dict(data | tables)


@pytest.mark.parametrize(
    ("element", "supports", "motions"),
    [
        ("euler_beam_plane", [], "translation along x, translation along y, rotation about z"),
        ("timoshenko_beam_plane", [{"group": "xmin", "components": ["x", "y"]}],
         "rotation about z"),
        ("euler_beam", [{"group": "xmin", "components": ["x", "y", "z", "ry", "rz"]}],
         "rotation about x"),
        ("bar2", [{"group": "xmin"}], "rotation about"),
    ],
)  # fmt: skip
def test_free_rods_are_named(element: str, supports: list, motions: str, tmp_path: Path) -> None:
    """A beam that is not held is named with its motions, as a solid is: the input is wrong."""
    with pytest.raises(InputError, match="body 'blade' is free to move") as caught:
        run_model(rods(element, supports), output=tmp_path / "out")
    assert motions in str(caught.value)
    assert json.loads((tmp_path / "out" / "summary.json").read_text())["status"] == "failed"


def test_a_mechanism_is_named_by_its_place(tmp_path: Path) -> None:
    """Bars in a line with both ends held move across it: no rigid motion, so a place is named."""
    held = [{"group": "xmin"}, {"group": "xmax"}]
    with pytest.raises(AnalysisError, match="displacement y of body 'blade' at") as caught:
        run_model(rods("bar2_plane", held), output=tmp_path / "out")
    assert "is not held" in str(caught.value)


def test_rotations_that_slide_are_named(tmp_path: Path) -> None:
    """A spring from the frame to a body holds it along one axis only; the others are named."""
    spec = rods(
        "euler_beam_plane", [],
        connectors=[{"name": "spring", "kind": "spring", "at": "xmin",
                     "stiffness": 1e3, "axis": [1.0, 0.0, 0.0]}],
    )  # fmt: skip
    with pytest.raises(InputError, match="translation along y, rotation about z"):
        run_model(spec, output=tmp_path / "out")


def test_a_free_motion_is_told_from_an_unstable_one() -> None:
    """A cube on a plane slides and turns on it; k less a multiple of 1 is indefinite: unstable."""
    system = build(model("hex8", supports=[{"group": "zmin", "components": ["z"]}])).system
    pencil = Pencil.at_rest(system)
    motions = r"\(translation along x, translation along y, rotation about z\)"
    with pytest.raises(AnalysisError, match="body 'block' is free to move " + motions):
        factor_held(pencil, "auto", "here")
    softening = -1e-2 * system.stiffness_scale * identity(system.unknowns, format="csr")
    with pytest.raises(AnalysisError, match="here: unstable, most at displacement"):
        factor_held(pencil.raised(softening), "auto", "here")


BLOCK = """
[mesh]
block = { cell = "hex8", corners = [[0, 0, 0], [1, 0, 0], [1, 0.1, 0], [0, 0.1, 0],
          [0, 0, 0.1], [1, 0, 0.1], [1, 0.1, 0.1], [0, 0.1, 0.1]], divisions = [10, 2, 2] }
[materials.steel]
young = 2e11
poisson = 0.3
density = 7800
[[bodies]]
name = "block"
element = "hex8"
material = "steel"
[[supports]]
group = "xmin"
[analysis]
kind = "modes"
count = 20
"""


def test_a_run_that_does_not_converge_keeps_what_has(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit code 1; the summary says failed, why, and has the modes that converged, with shapes."""
    monkeypatch.chdir(tmp_path)
    Path("model.toml").write_text(BLOCK)
    monkeypatch.setattr(quadratic, "DENSE", 10)
    monkeypatch.setattr(undamped, "_RESTARTS", 1)
    monkeypatch.setattr(lanczos, "_ROOM", -1)
    assert main(["run", "model.toml", "-o", "out"]) == 1
    error = capsys.readouterr().err.strip()
    assert len(error.splitlines()) == 1
    summary = json.loads(Path("out/summary.json").read_text())
    kept = len(summary["modes"])
    assert 0 < kept < 20
    assert f"modes: {kept} of 20 eigenvalues have converged" in error
    assert summary["status"] == "failed"
    assert summary["reason"] in error
    assert summary["figures"]["mode 1"][0] == summary["modes"][0]["frequency_Hz"]
    assert len(list(Path("out").glob("**/*.vtu"))) > 0


def test_what_hangs_at_a_point_turns_about_it() -> None:
    """A line of bars with one end held is free to turn about that end, and in nothing else."""
    ends = ((1.0, 2.0, 0.0), (2.0, 3.0, 1.0))
    system = build(rods("bar2", [{"group": "xmin"}], ends)).system
    ((_, motions),) = free_motions(system)
    assert [name.split(" through ")[0] for name in motions] == [
        "rotation about x",
        "rotation about y",
        "rotation about z",
    ]
    assert motions[-1].endswith("through (1, 2, 0)")
    ((_, planar),) = free_motions(build(rods("bar2_plane", [{"group": "xmin"}])).system)
    assert planar == ["rotation about z through (0, 0)"]


def test_a_string_vibrates_by_its_tension() -> None:
    """f_n = n / 2 sqrt(T / m L) in both directions across it; at rest nothing holds it there.

    Linear elements with consistent masses have it higher by (n pi h / L)^2 / 24.
    """
    held = [{"group": "xmin"}, {"group": "xmax", "components": ["y", "z"]}]
    pull = {"kind": "force", "group": "xmax", "total": [1e3, 0.0, 0.0]}
    spec = rods("bar2", held, loads=[pull], analysis={"kind": "modes"})
    places = build(spec)
    state = SteadySolver(places.system, Loads(spec, places), "auto").find(0.0)
    found = solve_modes(state.system, 4, None, 0.0, "auto").frequencies
    mass = places.system.bodies[0].total_mass
    exact = np.array([1, 1, 2, 2]) / 2.0 * np.sqrt(1e3 / mass)
    higher = np.array([1, 1, 4, 4]) * (np.pi / 6) ** 2 / 24.0
    assert np.allclose(found / exact - 1.0, higher, rtol=0.1)


def test_a_string_that_turns_is_held_by_its_tension(tmp_path: Path) -> None:
    """Sag m g L / 8 T of a line far from the axis, which a mass at its end pulls, T = M W^2 R."""
    held = [{"group": "xmin"}, {"group": "xmax", "components": ["y", "z"]}]
    far, end, speed = ((1000.0, 0.0, 0.0), (1001.0, 0.0, 0.0)), 1e4, 0.1
    turning = {"frame": {"axis": [0, 0, 1], "velocity": speed}}
    line = {"name": "blade", "element": "bar2", "material": "steel", "section": SECTION}
    weight = {"kind": "gravity", "acceleration": [0.0, 0.0, -9.81]}
    tables = {"loads": [weight], "masses": [{"name": "end", "group": "xmax", "mass": end}]}
    spec = rods("bar2", held, far, bodies=[line | turning], **tables)
    places = stressed(spec)
    found = solve_static(places.system, Loads(spec, places), 0.0, "auto").displacement
    mass = places.system.bodies[0].total_mass
    sag = mass * 9.81 / 8.0 / (end * speed**2 * far[1][0])
    assert -found[:, 2].min() == pytest.approx(sag, rel=1e-3)
    resting = rods("bar2", held, far, bodies=[line], **tables)
    with pytest.raises(AnalysisError, match="is not held"):
        run_model(resting, output=tmp_path / "still")
