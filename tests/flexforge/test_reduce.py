# SPDX-License-Identifier: BSD-3-Clause
"""``flexforge reduce``, and runs and exports with its file."""

from __future__ import annotations

import pytest
from flexforge.codegen.files import manifest

REDUCED = """
[reduction]
modes = 3
basis = "shapes.h5"
[output]
formats = ["csv"]
"""


@pytest.fixture
def model(beam):
    """A cantilever in motion, of which shapes are kept in a file."""
    text = beam.read_text().replace(
        'kind = "static"', 'kind = "transient"\nduration = 0.01\nstep = 1e-3'
    )
    beam.write_text(text + REDUCED)
    return beam


def test_once_for_run_and_export(flexforge, model):
    """Coordinates, frequencies of both models and their error; then both commands read the file."""
    assert "flexforge reduce" in flexforge("run", model).error
    said = flexforge("reduce", model)
    assert said.code == 0, said.err
    assert "4 coordinates in" in said.out  # three vibrations, and the answer to the load
    assert said.out.count("Hz, reduced") == 3
    assert "largest error of these frequencies: " in said.out
    assert (model.parent / "shapes.h5").is_file()
    assert flexforge("run", model).code == 0
    assert flexforge("export", model, "-o", "c").code == 0


def test_as_json(flexforge, model):
    """The same as data; first the frequency of Euler and Bernoulli, within 3 %."""
    said = flexforge("reduce", model, "-o", "other.h5", "--json")
    assert said.json["coordinates"] == 4
    # 1.8751^2 / (2 pi) sqrt(E I / (rho A)) / L^2 of a beam 0.1 m high; stubby, so a bit softer.
    wanted = 1.8751**2 / 6.283185 * (2e11 * 0.1**2 / 12 / 7800) ** 0.5
    assert said.json["frequencies of the full model"][0] == pytest.approx(wanted, rel=0.03)
    assert said.json["largest error of these frequencies"] < 1e-9
    assert (model.parent / "other.h5").is_file()


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("modes = 3", 'modes = 3\nkeep = ["xmxa"]', "did you mean 'xmax'"),
        ("modes = 3", 'modes = 3\nkeep = ["xmin"]', "reduction.keep[0]: supports hold all of"),
        ("modes = 3", "modes = 3", "shapes.h5 is not there; expected one of this model"),
    ],
)
def test_what_is_wrong_is_told_before_a_result_is_removed(flexforge, model, old, new, said):
    """By ``check``, and by ``run``, which leaves the results of the last one as they were."""
    model.write_text(model.read_text().replace(old, new))
    kept = model.parent / "beam.results" / "summary.json"
    kept.parent.mkdir()
    kept.write_text("{}")
    (kept.parent / manifest.NAME).write_text(f"{manifest.HEAD}\nsummary.json\n")
    for command in ("check", "run"):
        assert said in flexforge(command, model).error
    assert kept.read_text() == "{}"


@pytest.mark.parametrize(
    ("place", "said"),
    [
        (".", "is a folder"),
        ("beam.toml", "not written by flexforge"),
        ("none/a.h5", "folder does not exist"),
    ],
)
def test_where_shapes_may_not_be_is_told_at_once(flexforge, model, monkeypatch, place, said):
    """Before anything is computed; and what is there stays."""
    monkeypatch.setattr("flexforge.runtime.reduction.make.build_mesh", None)
    before = model.read_text()
    assert said in flexforge("reduce", model, "-o", place).error
    assert model.read_text() == before


def test_modes_of_what_has_none(flexforge, model):
    """The tables are checked with the analysis that a command makes of them."""
    said = flexforge("modes", model, "--speeds", "0:10:2").error
    assert "analysis.speeds: found with a reduction" in said
    text = model.read_text().replace('element = "quad8"', 'element = "quad8"\nframe = "base"')
    text = text.replace(REDUCED, '\n[[links]]\nname = "base"\n[[joints]]\nname = "wall"\n')
    text += 'kind = "fixed"\nlinks = ["ground", "base"]\nat = [[0, 0.05, 0], "xmin"]\n'
    model.write_text(text)
    said = flexforge("modes", model, "--time", "1").error
    assert "analysis.time: found 1 with links" in said
