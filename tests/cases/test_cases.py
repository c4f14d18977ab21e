# SPDX-License-Identifier: BSD-3-Clause
"""Every case under examples/cases gives the figures beside it, and converges to them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from flexforge.runtime.assembly.kernels import level
from flexforge.runtime.loading.load import load_model_file
from flexforge.runtime.run import run_model
from flexforge.runtime.study.verification import cases
from flexforge.runtime.study.verification.cases import Study, checks_of, figures_of, study_of
from flexforge.runtime.study.verification.page import page_of

CASES = Path(__file__).parents[2] / "examples" / "cases"
DOCS = Path(__file__).parents[2] / "docs"
#: What docs/verification.md shows.
SHOWN: dict[str, Any] = json.loads((DOCS / "verification.json").read_text())


#: Cases that take longest; the others are of the same kinds.
LONG = ("k4_knife_edge", "m10_jacobi")
#: Cases with a figure that is round-off alone, and a figure of the motion that has it.
ROUND_OFF = {"m10_jacobi": "tip, at the end"}
#: Prints the figures of a model file.
FIGURES = """
import json, sys
from pathlib import Path
from flexforge.runtime.study.verification.cases import figures_of
print(json.dumps(figures_of(Path(sys.argv[1]))))
"""


def entries(kind: str) -> list[Any]:
    """Return the entries of all expected.toml files as parameters of a test."""
    found = []
    for number, (folder, entry) in enumerate(cases.entries(CASES, kind)):
        name = f"{folder.name}-{Path(entry['model']).stem}-{number}"
        marks = pytest.mark.slow if folder.name in LONG else ()
        found.append(pytest.param(folder, entry, id=name, marks=marks))
    return found


def shown(kind: str, case: str, model: str, figure: str, source: str) -> dict[str, Any]:
    """Return the figure that the page shows."""
    wanted = {"case": case, "model": model, "figure": figure, "source": source}
    (found,) = (one for one in SHOWN[kind] if wanted.items() <= one.items())
    return dict(found)


@cache
def figures(model: Path) -> dict[str, Any]:
    """Return the figures of a run; those that are round-off as the page has them.

    OpenBLAS adds in the order of its code for a processor, which is set before it is loaded.
    """
    if model.parent.name not in ROUND_OFF or level() < 3:  # 3: AVX2
        return figures_of(model)
    done = subprocess.run(
        [sys.executable, "-c", FIGURES, str(model)],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"OPENBLAS_CORETYPE": "Haswell"},  # as `make pages`
    )
    return dict(json.loads(done.stdout))


@pytest.mark.parametrize(("folder", "check"), entries("check"))
def test_figures(folder: Path, check: dict[str, Any]) -> None:
    """A case reproduces its source (closed form, benchmark or theory) within its tolerance.

    docs/verification.md shows the same figure, to a hundredth of that.
    """
    for one in checks_of(folder, check, figures(folder / check["model"])):
        assert one.error <= one.allowed, f"{one.figure}: {one.computed}, {one.source}"
        said = shown("checks", one.case, one.model, one.figure, one.source)
        assert abs(said.pop("computed") - one.computed) <= 0.01 * one.allowed, "run make pages"
        now = asdict(one)
        del now["computed"]
        assert said == now, "run make pages"


@pytest.mark.slow
@pytest.mark.parametrize(("folder", "check"), entries("check"))
def test_figures_by_multigrid(folder: Path, check: dict[str, Any]) -> None:
    """The same figures, to a hundredth of their tolerance, where a matrix is solved with.

    Where one is round-off alone, the motion that has it is the same too.
    """
    model = folder / check["model"]
    if tomllib.loads(model.read_text())["analysis"]["kind"] == "kinematics":
        pytest.skip("kinematics has no linear solver to choose")
    direct, iterated = figures_of(model), figures_of(model, "amg")
    if figure := ROUND_OFF.get(folder.name):
        assert iterated[figure][0] == pytest.approx(direct[figure][0], rel=1e-8)
    known = checks_of(folder, check, direct)
    for one, same in zip(checks_of(folder, check, iterated), known, strict=True):
        assert one.error <= one.allowed, f"{one.figure}: {one.computed}, {one.source}"
        assert abs(one.computed - same.computed) <= 0.01 * one.allowed, one.figure


@pytest.mark.parametrize(("folder", "study"), entries("convergence"))
def test_convergence(folder: Path, study: dict[str, Any]) -> None:
    """Every finer mesh of a case is closer to its source, and the page shows the same errors."""
    found = study_of(folder, study)
    errors = found.errors
    assert all(fine < coarse for coarse, fine in zip(errors, errors[1:], strict=False)), errors
    said = Study(**shown("studies", found.case, found.model, found.figure, found.source))
    assert said.meshes == list(found.meshes)
    assert said.errors == pytest.approx(errors, rel=1e-3), "run make pages"


def test_the_page_is_made_of_its_data() -> None:
    """Byte for byte, and of all cases: no figure of docs/verification.md is typed."""
    assert (DOCS / "verification.md").read_text() == page_of(SHOWN), "run make pages"
    wanted = [
        (folder.name, entry["model"], figure)
        for folder, entry in cases.entries(CASES, "check")
        for figure in entry["figures"]
    ]
    assert [(one["case"], one["model"], one["figure"]) for one in SHOWN["checks"]] == wanted
    assert len(SHOWN["studies"]) == len(list(cases.entries(CASES, "convergence")))


def test_an_order_is_that_of_the_widths() -> None:
    """Errors of 4 % and 1 % in widths of 1 and 1/2 are of order 2, in 1 and 1/4 of order 1."""
    told = ("case", "model", "figure", "source", 1.0, ("a", "b"), (1.04, 1.01))
    assert Study(*told, 2.0).order == pytest.approx(2.0)
    assert Study(*told, 4.0).order == pytest.approx(1.0)
    assert Study(*told, None).order is None


def test_every_case_is_checked() -> None:
    """No case stands without its expected figures, and no figures without a source."""
    for folder in sorted(p for p in CASES.iterdir() if p.is_dir()):
        expected = tomllib.loads((folder / "expected.toml").read_text())
        checked = {entry["model"] for entry in expected["check"]}
        models = {f.name for f in folder.glob("*.toml")} - {"expected.toml", "oscillator.toml"}
        assert checked == models
        assert all(entry["source"] for entry in expected["check"])


@pytest.mark.parametrize(
    ("folder", "check"), [one for one in entries("check") if "deck" in one.values[1]]
)
def test_decks(folder: Path, check: dict[str, Any], tmp_path: Path) -> None:
    """The same benchmark as a deck has the figures of the model file."""
    model = load_model_file(folder / check["deck"])
    found = run_model(model, output=tmp_path / "results").figures
    for name, wanted in check["figures"].items():
        assert found[f"1: {name}"][0] == pytest.approx(wanted, rel=check["relative"])
    own = figures_of(folder / check["model"])
    for name in check["figures"]:
        assert found[f"1: {name}"][0] == pytest.approx(own[name][0], rel=1e-9)
