# SPDX-License-Identifier: BSD-3-Clause
"""Runs of several processes: results are those of one, errors are said once."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from flexforge.runtime.machine.launcher import mpirun

_MISSING = [
    *(name for name in ("mpi4py", "petsc4py") if find_spec(name) is None),
    *(["mpirun"] if shutil.which("mpirun") is None else []),
]
pytestmark = pytest.mark.skipif(
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


def _start(count: int, model: Path, *options: str, **more: Any) -> subprocess.Popen[str]:
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


def _run(count: int, model: Path, *options: str) -> tuple[int, str, str]:
    process = _start(count, model, *options)
    try:
        out, err = process.communicate(timeout=120)
    finally:
        process.kill()
    return process.returncode, out, err


def _model(folder: Path, cell: str, analysis: str, frame: str = "", probes: str = PROBES) -> Path:
    path = folder / "model.toml"
    text = HEAD.replace("CELL", cell).replace("FRAME", frame)
    path.write_text(text + analysis + probes)
    return path


def _results(count: int, model: Path) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return the summary and all arrays of the results of a run."""
    folder = model.parent / f"results{count}"
    code, _, err = _run(count, model, "-o", str(folder))
    assert code == 0, err
    arrays: dict[str, np.ndarray] = {}

    def keep(name: str, item: Any) -> None:
        if isinstance(item, h5py.Dataset) and item.dtype.kind == "f":
            arrays[name] = item[...]

    with h5py.File(folder / "results.h5") as file:
        file.visititems(keep)
    return json.loads((folder / "summary.json").read_text()), arrays


def _compare(model: Path, counts: tuple[int, ...], tolerance: float) -> None:
    summary, arrays = _results(1, model)
    for count in counts:
        other, theirs = _results(count, model)
        assert set(theirs) == set(arrays)
        for name, values in arrays.items():
            scale = max(float(np.abs(values).max(initial=0.0)), 1e-300)
            assert np.abs(theirs[name] - values).max(initial=0.0) <= tolerance * scale, name
        for name in ("unknowns", "elements", "mass", "largest displacement", "largest strain"):
            if name in summary["figures"]:
                assert np.allclose(_number(other, name), _number(summary, name), rtol=1e-9), name
        assert other["figures"]["processes"] == count
        assert other["bodies"] == summary["bodies"]
        assert other["warnings"] == summary["warnings"]


def _number(summary: dict[str, Any], name: str) -> float:
    found = summary["figures"][name]
    return float(found[0] if isinstance(found, list) else found)


def test_statics(tmp_path: Path) -> None:
    """Loads of every kind, given displacements, reactions and stresses, in a rotating frame."""
    frame = "frame = {axis = [0, 0, 1], velocity = 100.0}"
    _compare(_model(tmp_path, "hex20", STATIC, frame), (5,), 1e-10)


def test_statics_with_multigrid(tmp_path: Path) -> None:
    """Multigrid instead of factors, to the tolerance of its iterations."""
    model = _model(tmp_path, "tet4", STATIC + 'solver = "amg"\n')
    _compare(model, (3,), 1e-9)
    found = (tmp_path / "results3/summary.json").read_text()
    assert "amg (below the finest level petsc, gamg)" in found


@pytest.mark.parametrize("cell", ["hex8", "tet10"])
def test_explicit_steps_are_the_same_to_the_last_bit(tmp_path: Path, cell: str) -> None:
    """Every rank adds all elements of its own nodes in the order of the whole mesh."""
    probes = PROBES[: PROBES.index('[[probes]]\nname = "support"')]  # which are sums over ranks
    analysis = EXPLICIT.replace("1e-4", "1e-5") if cell == "tet10" else EXPLICIT
    model = _model(tmp_path, cell, analysis, "", probes)
    # One process takes steps of small models in C, whose sums are in another order.
    model.write_text(model.read_text().replace("[12, 3, 2]", "[24, 6, 4]"))
    _compare(model, (3,), 0.0)


def test_explicit_steps_with_full_masses(tmp_path: Path) -> None:
    """Sweeps for the stiffness, and masses that all ranks solve for together."""
    analysis = EXPLICIT.replace("lumped", "consistent").replace(
        "1e-4\nsteps = 100", "5e-6\nsteps = 5"
    )
    model = _model(tmp_path, "hex8", analysis)
    model.write_text(model.read_text().replace("[12, 3, 2]", "[48, 6, 5]"))
    _compare(model, (2,), 1e-9)


@pytest.mark.parametrize("solver", ["matrix_free", "pardiso"])
def test_other_solvers_are_refused(tmp_path: Path, solver: str) -> None:
    """By name, and with the number of processes."""
    model = _model(tmp_path, "hex8", STATIC + f'solver = "{solver}"\n')
    said = _run(2, model, "-o", "refused")[2]
    assert f"found '{solver}' with 2 processes; expected auto or amg" in said


@pytest.mark.parametrize("method", ["newmark", "generalized_alpha"])
def test_implicit_steps(tmp_path: Path, method: str) -> None:
    """A spin-up with prestress, the beam bending as it turns."""
    model = _model(tmp_path, "hex8", IMPLICIT.replace("METHOD", method), TURNING)
    _compare(model, (3,), 1e-9)


@pytest.mark.parametrize("solver", ["auto", "amg"])
def test_modes_under_load(tmp_path: Path, solver: str) -> None:
    """Frequencies and shapes of a beam that gravity and a force bend and pull."""
    analysis = STATIC.replace('kind = "static"', f'kind = "modes"\ncount = 4\nsolver = "{solver}"')
    output = '[output]\nformats = ["hdf5"]\n'
    model = _model(tmp_path, "hex8", analysis.replace("y = 1e-5", "y = 0.0"), probes=output)
    one, arrays = _results(1, model)
    several, theirs = _results(2, model)
    assert one["figures"]["largest steady displacement"][0] > 1e-6
    for number in range(1, 5):
        name = f"mode {number}"
        assert _number(several, name) == pytest.approx(_number(one, name), rel=1e-9)
    for mine, other in zip(arrays["modes/beam"], theirs["modes/beam"], strict=True):
        sign = np.sign((mine * other).sum())
        assert np.allclose(sign * other, mine, rtol=0.0, atol=1e-6 * np.abs(mine).max())


@pytest.mark.parametrize("damping", ["", "damping = {alpha = 3.0, beta = 1e-5}"])
def test_campbell_diagrams(tmp_path: Path, damping: str) -> None:
    """Whirl of a square shaft, whose modes pair, stiffened by its rotation; also damped."""
    analysis = '[analysis]\nkind = "modes"\ncount = 4\nspeeds = [0.0, 150.0, 300.0]\n'
    frame = "frame = {axis = [1, 0, 0], velocity = 10.0}"
    output = '[output]\nformats = ["hdf5"]\n'
    model = _model(tmp_path, "hex8", analysis, frame, output)
    text = model.read_text().replace("0.2", "0.1").replace("[12, 3, 2]", "[12, 2, 2]")
    model.write_text(text.replace("density = 7850", f"density = 7850\n{damping}"))
    one, _ = _results(1, model)
    mine = one["campbell"]
    assert {"forward", "backward"} <= {way for mode in mine["modes"] for way in mode["whirl"]}
    assert mine["critical_speeds"]
    for count in (2, 3):
        other, _ = _results(count, model)
        theirs = other["campbell"]
        for key in ("speed_rad_s", "frequency_Hz", "mode", "order"):
            values = [[at[key] for at in each["critical_speeds"]] for each in (mine, theirs)]
            assert values[1] == pytest.approx(values[0], rel=1e-7), key
        for a, b in zip(mine["modes"], theirs["modes"], strict=True):
            assert b["whirl"][1:] == a["whirl"][1:]
            for key in ("signed_frequency_Hz", "damping_ratio", "waves"):
                assert b[key][1:] == pytest.approx(a[key][1:], rel=1e-7, abs=1e-7), key


def test_modes_that_ranks_do_not_compute_are_refused(tmp_path: Path) -> None:
    """A shift with Coriolis forces."""
    analysis = '[analysis]\nkind = "modes"\ncount = 2\nshift = 100.0\n'
    model = _model(tmp_path, "hex8", analysis, "frame = {velocity = 100.0}", "")
    code, _, err = _run(2, model)
    assert code == 2, err
    assert err.count("analysis.shift: found one with Coriolis forces") == 1


def test_two_bodies_that_share_nodes(tmp_path: Path) -> None:
    """Hexahedra with wedges on top, in a mesh of an input deck of Abaqus."""
    _deck(tmp_path / "two.inp")
    text = HEAD[HEAD.index("[materials") :].replace("FRAME", "").replace("CELL", "hex8")
    text = text.replace('"beam"\n', '"beam"\ncells = "low"\n', 1)
    body = '[[bodies]]\nname = "top"\ncells = "high"\nelement = "wedge6"\nmaterial = "steel"\n'
    text = '[mesh]\nfile = "two.inp"\n' + text.replace("[[supports]]", body + "[[supports]]", 1)
    model = tmp_path / "model.toml"
    model.write_text(text + '[analysis]\nkind = "static"\n' + PROBES)
    _compare(model, (2,), 1e-10)


def _deck(path: Path) -> None:
    """Write a beam of hexahedra below and wedges above."""
    nx, ny = 10, 2
    points = [
        (x / nx, 0.2 * y / ny, 0.05 * z)
        for z in range(3)
        for y in range(ny + 1)
        for x in range(nx + 1)
    ]

    def node(x: int, y: int, z: int) -> int:
        return 1 + x + (nx + 1) * (y + (ny + 1) * z)

    lines = ["*NODE", *(f"{i}, {x}, {y}, {z}" for i, (x, y, z) in enumerate(points, start=1))]
    hexahedra, wedges = [], []
    for y in range(ny):
        for x in range(nx):
            low, mid, top = (
                (node(x, y, z), node(x + 1, y, z), node(x + 1, y + 1, z), node(x, y + 1, z))
                for z in range(3)
            )
            hexahedra.append((*low, *mid))
            wedges += [
                (*(mid[k] for k in three), *(top[k] for k in three))
                for three in ((0, 1, 2), (0, 2, 3))
            ]
    number = 0
    for kind, name, cells in (("C3D8", "low", hexahedra), ("C3D6", "high", wedges)):
        lines.append(f"*ELEMENT, TYPE={kind}, ELSET={name}")
        for cell in cells:
            number += 1
            lines.append(", ".join(map(str, (number, *cell))))
    for name, x in (("xmin", 0), ("xmax", nx)):
        lines.append(f"*NSET, NSET={name}")
        lines += [str(node(x, y, z)) for z in range(3) for y in range(ny + 1)]
    path.write_text("\n".join(lines) + "\n")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (('group = "xmax"\ntotal', 'group = "xmx"\ntotal'), "no group named 'xmx'"),
        (('kind = "static"', 'kind = "modes"\nspeeds = [1]'), "speeds: no body frame rotates"),
        (
            ('kind = "static"', 'kind = "static"\nsolver = "scipy"'),
            "analysis.solver: found 'scipy'",
        ),
        (('[[supports]]\ngroup = "xmin"\n', ""), "free to move"),
    ],
)
def test_errors_are_said_once(tmp_path: Path, change: tuple[str, str], message: str) -> None:
    """All processes end, with one line and the exit code of an error in the input."""
    model = _model(tmp_path, "hex8", '[analysis]\nkind = "static"\n')
    model.write_text(model.read_text().replace(*change, 1))
    code, out, err = _run(2, model)
    told = [line for line in err.splitlines() if line.startswith("flexforge:")]
    assert code == 2 and len(told) == 1 and message in told[0], err
    assert not out


def test_more_processes_than_nodes(tmp_path: Path) -> None:
    """They are refused."""
    model = _model(tmp_path, "hex8", '[analysis]\nkind = "static"\n')
    model.write_text(model.read_text().replace("[12, 3, 2]", "[1, 1, 1]"))
    code, _, err = _run(9, model)
    assert code and "expected fewer processes" in err


def test_a_killed_process_ends_all(tmp_path: Path) -> None:
    """What was written stays readable."""
    model = _model(tmp_path, "hex8", EXPLICIT.replace("1e-4\nsteps = 100", "1\nsteps = 1000000"))
    process = _start(2, model, "-o", "killed", start_new_session=True)
    probes = tmp_path / "killed" / "probes.csv"
    deadline = time.monotonic() + 60
    try:
        while not (probes.is_file() and probes.read_text().count("\n") > 20):
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.05)
        listed = subprocess.run(
            ["pgrep", "-f", f"^{sys.executable} -m flexforge run {model}"],
            capture_output=True,
            text=True,
            check=True,
        )
        os.kill(int(listed.stdout.split()[-1]), signal.SIGKILL)
        process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode
    from flexforge.runtime.results.read import Results

    found = Results(tmp_path / "killed")
    assert len(found.probes["tip"].values) > 10
