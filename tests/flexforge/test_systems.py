# SPDX-License-Identifier: BSD-3-Clause
"""Discrete systems as users meet them: commands, the Python interface, formalisms of their own."""

from __future__ import annotations

import json
from pathlib import Path

import flexforge as ff
import numpy as np
import pytest
from flexforge.cli import main
from flexforge.codegen.mechanics import formalisms
from flexforge.codegen.mechanics.formalisms import FORMALISMS
from flexforge.codegen.mechanics.formalisms.motion import SecondOrder
from flexforge.codegen.mechanics.subject import inertia_force
from PIL import Image

EXAMPLES = Path(__file__).parents[2] / "examples" / "systems"
DISC = str(EXAMPLES / "rolling_disc.toml")


def test_derive(capsys):
    """The report, as text and as data; formulas for a paper; a whole document."""
    assert main(["derive", DISC, "--formalism", "all"]) == 0
    said = capsys.readouterr().out
    assert "M[2,2] = 5*m*r**2/4" in said and "x_dot = r*roll_dot*cos(yaw)" in said
    assert said.rstrip().endswith("virtual_power agree symbol by symbol")
    assert main(["derive", DISC, "--formalism", "lagrange,kane", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["formalisms"] == ["lagrange", "kane"] and data["formalisms_equal"] is True
    assert data["kernels"]["kane"]["equations"] == 28
    assert data["ledger"]["lagrange"]["total time derivatives"]
    assert main(["derive", DISC, "--fragment"]) == 0
    fragment = capsys.readouterr().out
    assert fragment.startswith(r"\begin{aligned}") and r"\dot{x} &=" in fragment
    assert main(["derive", DISC, "--latex", "--formalism", "lagrange,gibbs_appell"]) == 0
    document = capsys.readouterr().out
    assert document.count(r"\begin{document}") == 1 and "Gibbs-Appell" in document
    for environment in ("align*", "tabular", "table"):
        begun = document.count(rf"\begin{{{environment}}}")
        assert begun == document.count(rf"\end{{{environment}}}") > 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["derive", DISC, "--frame", "free"], "--frame: is for elements"),
        (["derive", DISC, "--formalism", "kain"], "did you mean 'kane'"),
        (["generate", DISC, "-o", "out", "--lanes", "8"], "--lanes: is for elements"),
        (["generate", DISC], "-o FOLDER is missing"),
        (["generate", DISC, "-o", "out", "--terms", "mass"], "no term 'mass'"),
        (["run", DISC, "--resume"], "--resume: is for models"),
        (["check", DISC], "found a system of bodies; expected it in `flexforge derive`"),
        (["export", DISC, "--as", "fmu3"], "found a system of bodies"),
        (["check-element", DISC], "coordinates: found in a system of bodies"),
    ],
)
def test_what_systems_do_not_have(arguments, words, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 2
    assert words in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_generate_and_run(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["generate", DISC, "-o", "disc", "--terms", "motion", "--json"]) == 0
    files = json.loads(capsys.readouterr().out)["files"]
    assert set(files) == {
        "README.md", "example.c", "flexforge.h", "rolling_disc_kernels.c",
        "rolling_disc_kernels.h", "rolling_disc_table.c",
    }  # fmt: skip
    assert main(["run", DISC, "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)["figures"]
    assert figures["speeds"] == 3
    assert ff.Results("rolling_disc.results").probes["lean"].values[0] == 0.4


def test_the_python_interface(tmp_path):
    disc = ff.load_system(DISC)
    table = disc.ledgers(["lagrange", "kane"], times=True)
    assert table.heads[0] == "system" and table.heads[-1] == "seconds"
    assert [row.kernels["motion"] for row in table.rows] == [49, 49]
    assert "rolling disc" in table.to_latex() and "system & formalism" in table.to_latex()
    assert any("names" in note for note in table.notes)
    assert ff.to_latex(disc.derive()).startswith(r"\begin{aligned}")
    assert disc.compile("equations", "maggi").count.operations == 28
    with pytest.raises(ff.InputError, match="formalism"):
        disc.derive("newton_euler_")


@pytest.fixture
def own():
    """Give a name for a formalism of one's own, and forget it afterwards."""
    yield "newton_by_hand"
    formalisms._REGISTERED.pop("newton_by_hand", None)


def _newton(sign):
    def equations(subject, ledger):
        pushed = [(inertia_force(part, ledger, "m a"), part) for part in subject.parts]
        return SecondOrder(
            tuple(
                ledger.sum(
                    "equations",
                    *(ledger.dot(f, part.motions[:, k], "m a") for f, part in pushed),
                    -sign * force,
                )
                for k, force in enumerate(subject.virtual_work(ledger))
            )
        )

    return equations


def test_a_formalism_of_ones_own(own):
    """Derived, compared, counted, of elements and systems; made anew, it is the new one."""
    ff.register_formalism(own, _newton(1))
    element = ff.derive("quad4", formalism=own)
    assert element.terms == ff.derive("quad4").terms and element.formalism == own
    assert ff.ledgers("quad4", [own, "kane"]).rows[0].counts["products"] > 0
    ff.load_system(DISC).ledgers(["lagrange", own])  # compares them
    ff.register_formalism(own, _newton(-1))
    assert ff.derive("quad4", formalism=own).terms != element.terms
    with pytest.raises(ff.FlexforgeError, match="disagree"):
        ff.load_system(DISC).ledgers(["lagrange", own])


@pytest.mark.parametrize(
    ("name", "words"),
    [("kane", "formalism 'kane' exists"), ("My method", "expected lower-case letters"), (3, "3")],
)
def test_formalisms_that_are_refused(name, words):
    with pytest.raises(ff.InputError, match=words):
        ff.register_formalism(name, _newton(1))
    with pytest.raises(ff.InputError, match="cannot be called"):
        ff.register_formalism("mine", 4)
    assert set(formalisms._REGISTERED).isdisjoint({"mine", *FORMALISMS})


@pytest.mark.slow
def test_what_moves_far_stays_in_the_picture(tmp_path):
    """A ball thrown towards the viewer and across: it is seen in every picture."""
    ball = ff.load_system(
        {
            "name": "ball",
            "coordinates": ["x", "y", "z"],
            "gravity": ["0", "0", "-9.81"],
            "points": {"p": {"at": ["x", "y", "z"]}},
            "bodies": {"p": {"point": "p", "mass": 1}},
            "start": {"x_dot": 30.0, "y_dot": -50.0, "z_dot": 20.0},
            "run": {"duration": 4.0, "steps": 8},
        }
    )
    ball.run(tmp_path / "ball")
    path = str(tmp_path / "ball.gif")
    assert main(["animate", str(tmp_path / "ball"), "-o", path, "--width", "240"]) == 0
    with Image.open(path) as picture:
        for number in range(picture.n_frames):
            picture.seek(number)
            below_the_text = np.asarray(picture.convert("L"))[40:]
            assert (below_the_text < 160).sum() > 10, number
