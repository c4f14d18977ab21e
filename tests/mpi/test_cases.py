# SPDX-License-Identifier: BSD-3-Clause
"""Cases of the examples in two processes: the figures of one, or refused by name."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from flexforge.runtime.machine.launcher import mpirun

CASES = Path(__file__).parents[2] / "examples" / "cases"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        find_spec("petsc4py") is None or shutil.which("mpirun") is None,
        reason="no petsc4py or mpirun: `make test-mpi` installs them",
    ),
]
MODELS = sorted(one for one in CASES.glob("*/*.toml") if "[analysis]" in one.read_text())
#: Figures of the computation, and those that are zero but for round-off.
OTHER = ("residual", "solver", "solves", "time", "factor", "memory", "processes", "steps", "place")
SMALL = 1e-9  # of the largest figure with the same unit
NO_TURN = 1e-7  # deg; a bar that is only stretched does not turn


def _cut(model: Path, folder: Path) -> Path:
    """Return a case, of one with many steps a hundredth of them."""
    text = model.read_text()
    if "steps = 100_000" not in text:
        return model
    assert "duration = 100\n" in text
    shorter = folder / model.name
    shorter.write_text(
        text.replace("duration = 100\n", "duration = 1\n").replace("100_000", "1000")
    )
    return shorter


def _figures(model: Path, folder: Path, *before: str) -> tuple[dict[str, tuple[float, str]], str]:
    command = [
        *before,
        sys.executable,
        "-m",
        "flexforge",
        "run",
        str(model),
        "-q",
        "-o",
        str(folder),
    ]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=300,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )
    if done.returncode:
        return {}, done.stderr
    found = json.loads((folder / "summary.json").read_text())["figures"]
    pairs = {
        name: tuple(value) if isinstance(value, list) else (value, "")
        for name, value in found.items()
        if not any(part in name for part in OTHER)
    }
    return {name: one for name, one in pairs.items() if isinstance(one[0], int | float)}, ""


@pytest.mark.parametrize("model", MODELS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_two_processes_give_the_figures_of_one(model: Path, tmp_path: Path) -> None:
    """To the tolerance of the solvers."""
    model = _cut(model, tmp_path)
    several, refused = _figures(model, tmp_path / "two", *mpirun(2))
    if refused:
        assert "with 2 processes" in refused or "free to move" in refused or "fewer" in refused
        return
    one, _ = _figures(model, tmp_path / "one")
    assert several.keys() == one.keys()
    for name, (value, unit) in one.items():
        size = max(abs(other) for other, its in one.values() if its == unit)
        least = NO_TURN if unit == "deg" else SMALL * size
        assert several[name][0] == pytest.approx(value, rel=1e-6, abs=least), name
