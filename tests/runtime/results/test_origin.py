# SPDX-License-Identifier: BSD-3-Clause
"""Every file of results says where it comes from; files of the previous format are still read."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.codegen.version import VERSION
from flexforge.runtime.export.library import library_files
from flexforge.runtime.export.solver import build_solver
from flexforge.runtime.loading.identity import model_hash
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.outcome import Outcome
from flexforge.runtime.results.hdf5 import provenance_of
from flexforge.runtime.results.read import Results
from flexforge.runtime.results.vtu import read_vtu, write_vtu
from flexforge.runtime.run import run_model
from flexforge.runtime.system.construct import build_mesh

BAR: dict[str, Any] = {
    "mesh": {"block": {"cell": "quad4", "corners": [[0, 0], [2, 0], [2, 1], [0, 1]],
                       "divisions": [2, 1]}},
    "materials": {"steel": {"young": 2e11, "poisson": 0.3, "density": 7800}},
    "bodies": [{"name": "bar", "element": "quad4", "material": "steel", "thickness": 0.1,
                "frame": {"velocity": 10}}],
    "supports": [{"group": "xmin"}],
    "loads": [{"kind": "force", "group": "xmax", "total": [0, 1, 0]}],
    "output": {"formats": ["hdf5", "vtu"]},
}  # fmt: skip
STEPS = {"kind": "transient", "duration": 1e-4, "steps": 2}
#: What a version 1 of the results has not: see the history of runtime/results/hdf5.py.
NEW = ("format_version", "provenance")


def run(analysis: dict[str, Any], folder: Path, **tables: Any) -> Outcome:
    """Run an analysis of the bar."""
    return run_model(model_from_dict(BAR | {"analysis": analysis} | tables), output=folder)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Results of two steps."""
    return run(STEPS, tmp_path / "results").folder


def as_version_1(folder: Path) -> None:
    """Turn results into what version 1 wrote."""
    path = folder / "summary.json"
    summary = json.loads(path.read_text())
    path.write_text(json.dumps({k: v for k, v in summary.items() if k not in NEW}))
    with h5py.File(folder / "results.h5", "r+") as file:
        del file.attrs["provenance"]
        file.attrs["format_version"] = 1


@pytest.mark.parametrize(
    ("analysis", "method", "solvers", "check", "largest"),
    [
        ({"kind": "static"}, "static", ("pardiso", "scipy", "cholmod"), "residual", 1e-12),
        ({"kind": "modes", "count": 2}, "modes, 2 modes", ("LAPACK",),
         "largest residual of the modes", 1e-12),
        (STEPS, "transient, generalized_alpha, rho_infinity = 0.8, step = 5e-05 s",
         ("native, banded",), "residual at the end", 1e-12),
        (STEPS | {"method": "gauss4"}, "transient, gauss4, step = 5e-05 s",
         ("pardiso", "scipy"), "residual at the end", 1e-8),
        (STEPS | {"method": "central_difference", "mass": "lumped", "duration": 1e-6},
         "transient, central_difference, lumped mass, step = 5e-07 s",
         ("native, banded",), "residual at the end", 1e-12),
    ],
    ids=["static", "modes", "steps", "gauss", "explicit"],
)  # fmt: skip
def test_origin_of_every_analysis(
    tmp_path: Path, analysis: Any, method: str, solvers: tuple[str, ...], check: str, largest: float
) -> None:
    """Version, hash, method, solver, kernels, theory, and a balance that holds, in both files."""
    outcome = run(analysis, tmp_path / "results")
    found = outcome.results.summary["provenance"]
    assert found == provenance_of(outcome.folder / "results.h5")
    spec = model_from_dict(BAR | {"analysis": analysis})
    assert found["flexforge"] == VERSION
    assert found["model"] == model_hash(spec, build_mesh(spec))
    assert found["method"] == method
    assert found["solver"] in solvers
    assert found["threads"] >= 1
    assert "-O3" in found["kernels"]["installed"] and "-march=" in found["kernels"]["installed"]
    assert found["prestress"].startswith("steady" if analysis["kind"] == "modes" else "rigid_load")
    assert 0.0 <= found["balance"][check] < largest


def test_frames_for_paraview_say_it_too(folder: Path) -> None:
    """A comment before the grid, in JSON, beside which other programs read the file as before."""
    path = folder / "frames" / "bar_000001.vtu"
    found = re.search(rb"<!-- (.*) -->", path.read_bytes())
    assert found is not None
    told, summary = json.loads(found[1]), Results(folder).summary
    assert told["model"] == summary["provenance"]["model"]
    assert read_vtu(path).points.shape == (6, 3)


def test_a_comment_has_no_two_hyphens(tmp_path: Path) -> None:
    """Which would end it early: -- and -->, which JSON writes otherwise."""
    path, told = tmp_path / "a.vtu", {"method": "a --> b -- c --- d"}
    points, cells = np.eye(3), np.array([[0, 1, 2]])
    write_vtu(path, points, "tri3", cells, {"displacement": points}, 0.0, json.dumps(told))
    found = re.search(rb"<!-- (.*) -->", path.read_bytes())
    assert found is not None and b"--" not in found[1]
    assert json.loads(found[1]) == told
    np.testing.assert_array_equal(read_vtu(path).points, points)


def test_an_exported_solver_has_the_hash_of_its_model() -> None:
    """That of a run of the same model, in its header."""
    spec = model_from_dict(BAR | {"analysis": STEPS})
    files = library_files(build_solver(spec, "bar"))
    wanted = model_hash(spec, build_mesh(spec))
    assert f'#define BAR_MODEL "{wanted}"' in files["include/bar.h"]
    assert "prestress: rigid_load" in files["include/bar.h"]


def test_results_of_the_previous_format_are_read(folder: Path) -> None:
    """All numbers, and an origin of which only the version of flexforge is known."""
    before = Results(folder)
    frame, modes = before.frame(-1), before.modes()
    as_version_1(folder)
    after = Results(folder)
    told = {"flexforge": before.summary["versions"]["flexforge"], "model": "unknown"}
    assert after.summary["provenance"] == provenance_of(folder / "results.h5") == told
    np.testing.assert_array_equal(
        after.frame(-1).states["bar"].displacement, frame.states["bar"].displacement
    )
    assert len(after.modes()[0]) == len(modes[0]) == 0


@pytest.mark.parametrize("version", [0, 3, "2", None, True, [1]])
def test_other_formats_are_refused(folder: Path, version: Any) -> None:
    """Older, newer, and what is no version: one line with the versions that are read."""
    path = folder / "summary.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"format_version": version}))
    with pytest.raises(InputError, match=r"summary\.json: found version .* expected 1 or 2, which"):
        Results(folder)


def test_another_format_of_hdf5_is_refused(folder: Path) -> None:
    """results.h5 of a later version beside a summary of this one."""
    with h5py.File(folder / "results.h5", "r+") as file:
        file.attrs["format_version"] = 3
    with pytest.raises(InputError, match=r"results\.h5: found version 3 of the format of results"):
        Results(folder)
