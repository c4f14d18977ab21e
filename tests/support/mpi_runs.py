# SPDX-License-Identifier: BSD-3-Clause
"""Runs of a beam by several processes, and what is compared of them."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from flexforge.runtime.machine.launcher import mpirun
from mpi_servers import Servers

_MISSING = [
    *(name for name in ("mpi4py", "petsc4py") if find_spec(name) is None),
    *(["mpirun"] if shutil.which("mpirun") is None else []),
]
needs_mpi = pytest.mark.skipif(
    bool(_MISSING), reason=f"no {', '.join(_MISSING)}: `make test-mpi` installs and runs"
)

HEAD = """
[mesh.block]
cell = "CELL"
corners = [[0,0,0],[1,0,0],[1,0.2,0],[0,0.2,0],[0,0,0.1],[1,0,0.1],[1,0.2,0.1],[0,0.2,0.1]]
divisions = [12, 3, 2]
[materials.steel]
young = 2.1e11
poisson = 0.3
density = 7850
expansion = 1.2e-5
[[bodies]]
name = "beam"
element = "CELL"
material = "steel"
FRAME
[[supports]]
group = "xmin"
[[loads]]
kind = "force"
group = "xmax"
total = [0, 0, -1000.0]
"""
PROBES = """
[output]
formats = ["hdf5", "csv"]
every = 10
[[probes]]
name = "tip"
group = "xmax"
component = "z"
[[probes]]
name = "place"
group = "xmax"
quantity = "position"
component = "x"
reduce = "max"
[[probes]]
name = "stress"
group = "xmin"
quantity = "stress"
component = "von_mises"
reduce = "max"
[[probes]]
name = "support"
body = "beam"
quantity = "reaction_force"
component = "z"
[[probes]]
name = "moment"
body = "beam"
quantity = "reaction_moment"
component = "y"
"""
STATIC = """
[[supports]]
group = "xmax_zmin"
components = ["y"]
displacement = {y = 1e-5}
[[loads]]
kind = "pressure"
group = "zmax"
value = 1e5
[[loads]]
kind = "gravity"
acceleration = [0, 0, -9.81]
[[loads]]
kind = "temperature"
change = "20*x"
[analysis]
kind = "static"
"""
EXPLICIT = """
[analysis]
kind = "transient"
method = "central_difference"
mass = "lumped"
duration = 1e-4
steps = 100
"""
IMPLICIT = """
[analysis]
kind = "transient"
method = "METHOD"
duration = 0.01
steps = 20
tolerance = 1e-12
"""
TURNING = 'frame = {axis = [0, 0, 1], angle = "500*t**2"}'

#: Processes that have made runs, by their number.
_SERVERS: dict[int, Servers] = {}


@atexit.register
def _end() -> None:
    """Let all of them end."""
    for servers in _SERVERS.values():
        servers.end()


def start(count: int, model: Path, *options: str, **more: Any) -> subprocess.Popen[str]:
    """Start a run in processes of its own."""
    before = mpirun(count) if count > 1 else []
    command = [*before, sys.executable, "-m", "flexforge", "run", str(model), *options]
    return subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        cwd=model.parent,
        **more,
    )


def run(count: int, model: Path, *options: str) -> tuple[int, str, str]:
    """Return the exit code of a run, and what it has said."""
    process = start(count, model, *options)
    try:
        out, err = process.communicate(timeout=120)
    finally:
        process.kill()
    return process.returncode, out, err


def written(folder: Path, cell: str, analysis: str, frame: str = "", probes: str = PROBES) -> Path:
    """Return a model file of a beam."""
    path = folder / "model.toml"
    text = HEAD.replace("CELL", cell).replace("FRAME", frame)
    path.write_text(text + analysis + probes)
    return path


def results(count: int, model: Path, *options: str) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return what :func:`read` does of a run by processes that stay for the next one."""
    folder = model.parent / f"results{count}"
    if count not in _SERVERS:
        _SERVERS[count] = Servers(count)
    done, said = _SERVERS[count].run(model, "-o", str(folder), *options)
    if not done:
        _SERVERS.pop(count).end()
    assert done, said
    return read(folder)


def read(folder: Path) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return the summary and all arrays of results."""
    arrays: dict[str, np.ndarray] = {}

    def keep(name: str, item: Any) -> None:
        if isinstance(item, h5py.Dataset) and item.dtype.kind == "f":
            arrays[name] = item[...]

    with h5py.File(folder / "results.h5") as file:
        file.visititems(keep)
    return json.loads((folder / "summary.json").read_text()), arrays


def compare(model: Path, counts: tuple[int, ...], tolerance: float) -> None:
    """Compare all results of several processes with those of one, relative to each array."""
    one = results(1, model)
    for count in counts:
        other = results(count, model)
        require_equal(other, one, tolerance)
        assert other[0]["figures"]["processes"] == count


def require_equal(
    found: tuple[dict[str, Any], dict[str, np.ndarray]],
    wanted: tuple[dict[str, Any], dict[str, np.ndarray]],
    tolerance: float,
) -> None:
    """Compare the results of a run with those of one process."""
    other, theirs = found
    summary, arrays = wanted
    assert set(theirs) == set(arrays)
    for name, values in arrays.items():
        scale = max(float(np.abs(values).max(initial=0.0)), 1e-300)
        assert np.abs(theirs[name] - values).max(initial=0.0) <= tolerance * scale, name
    for name in ("unknowns", "elements", "mass", "largest displacement", "largest strain"):
        if name in summary["figures"]:
            assert np.allclose(figure(other, name), figure(summary, name), rtol=1e-9), name
    assert other["bodies"] == summary["bodies"]
    assert other["warnings"] == summary["warnings"]


def figure(summary: dict[str, Any], name: str) -> float:
    found = summary["figures"][name]
    return float(found[0] if isinstance(found, list) else found)
