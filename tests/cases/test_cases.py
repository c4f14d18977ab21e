# SPDX-License-Identifier: BSD-3-Clause
"""Every case under examples/cases gives the figures beside it, and converges to them."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.run import run_model

CASES = Path(__file__).parents[2] / "examples" / "cases"


#: Cases that take longest; the others are of the same kinds.
LONG = ("k4_knife_edge", "m10_jacobi")


def entries(kind: str) -> list[Any]:
    """Return the entries of all expected.toml files as parameters of a test."""
    found = []
    for file in sorted(CASES.glob("*/expected.toml")):
        for number, entry in enumerate(tomllib.loads(file.read_text()).get(kind, [])):
            name = f"{file.parent.name}-{Path(entry['model']).stem}-{number}"
            marks = pytest.mark.slow if file.parent.name in LONG else ()
            found.append(pytest.param(file.parent, entry, id=name, marks=marks))
    return found


def number(figure: Any) -> float:
    """Return a figure without its unit."""
    return float(figure[0] if isinstance(figure, list) else figure)


@cache
def figures(model: Path, folder: Path) -> dict[str, Any]:
    """Run a model file as it stands, but for pictures."""
    data = tomllib.loads(model.read_text())
    data["output"] = data.get("output", {}) | {"formats": ["csv"]}
    return run_model(model_from_dict(data, folder=model.parent), output=folder).figures


@pytest.mark.parametrize(("folder", "check"), entries("check"))
def test_figures(folder: Path, check: dict[str, Any], tmp_path_factory: Any) -> None:
    """A case reproduces its source (closed form, benchmark or theory) within its tolerance."""
    found = figures(folder / check["model"], tmp_path_factory.getbasetemp() / folder.name)
    for name, expected in check["figures"].items():
        error = abs(number(found[name]) - expected)
        allowed = check["absolute"] if expected == 0 else check["relative"] * abs(expected)
        assert error <= allowed, f"{name}: {found[name]}, {check['source']}: {expected}"


@pytest.mark.parametrize(("folder", "study"), entries("convergence"))
def test_convergence(folder: Path, study: dict[str, Any], tmp_path: Path) -> None:
    """Every finer mesh of a case is closer to its source."""
    errors = []
    for mesh in study.get("divisions") or study["files"]:
        data = tomllib.loads((folder / study["model"]).read_text())
        data["output"] = {"formats": ["csv"]}
        if isinstance(mesh, str):
            data["mesh"]["file"] = mesh
        else:
            data["mesh"]["block"]["divisions"] = mesh
        found = run_model(model_from_dict(data, folder=folder), output=tmp_path)
        errors.append(abs(number(found.figures[study["figure"]]) / study["value"] - 1.0))
    print(f"{folder.name}, {study['figure']}: " + ", ".join(f"{e:.2e}" for e in errors))
    assert all(fine < coarse for coarse, fine in zip(errors, errors[1:], strict=False)), errors


def test_every_case_is_checked() -> None:
    """No case stands without its expected figures, and no figures without a source."""
    for folder in sorted(p for p in CASES.iterdir() if p.is_dir()):
        expected = tomllib.loads((folder / "expected.toml").read_text())
        checked = {entry["model"] for entry in expected["check"]}
        models = {f.name for f in folder.glob("*.toml")} - {"expected.toml", "oscillator.toml"}
        assert checked == models
        assert all(entry["source"] for entry in expected["check"])
