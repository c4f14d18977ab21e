# SPDX-License-Identifier: BSD-3-Clause
"""Runs of several processes: results are those of one, errors are said once."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from mpi_runs import (
    EXPLICIT,
    HEAD,
    IMPLICIT,
    PROBES,
    STATIC,
    TURNING,
    compare,
    figure,
    needs_mpi,
    read,
    require_equal,
    results,
    run,
    start,
    written,
)

pytestmark = needs_mpi


def test_statics(tmp_path: Path) -> None:
    """Loads of every kind, given displacements, reactions and stresses, in a rotating frame."""
    frame = "frame = {axis = [0, 0, 1], velocity = 100.0}"
    model, folder = written(tmp_path, "hex20", STATIC, frame), tmp_path / "results5"
    code, _, err = run(5, model, "-o", str(folder))  # as a user starts it
    assert code == 0, err
    several = read(folder)
    require_equal(several, results(1, model), 1e-10)
    assert several[0]["figures"]["processes"] == 5


def test_statics_with_multigrid(tmp_path: Path) -> None:
    """Multigrid instead of factors, to the tolerance of its iterations."""
    model = written(tmp_path, "tet4", STATIC + 'solver = "amg"\n')
    compare(model, (3,), 1e-9)
    assert '"solver": "amg"' in (tmp_path / "results3/summary.json").read_text()


def test_statics_without_a_matrix(tmp_path: Path) -> None:
    """Products that sweep over the elements, with the prestress of rotation."""
    frame = "frame = {axis = [0, 0, 1], velocity = 100.0}"
    compare(written(tmp_path, "hex20", STATIC + 'solver = "matrix_free"\n', frame), (3,), 1e-9)
    assert (
        '"solver": "amg (without its matrix)"' in (tmp_path / "results3/summary.json").read_text()
    )


REVOLVED = """
[mesh.block]
cell = "quad8"
corners = [[0.05, 0], [0.4, 0], [0.4, 0.05], [0.05, 0.05]]
divisions = [12, 3]
[materials.steel]
young = 2.1e11
poisson = 0.3
density = 7850
[[bodies]]
name = "beam"
element = "quad8"
hypothesis = "axisymmetric"
material = "steel"
frame = {axis = [0, 1, 0], velocity = 500.0}
[[supports]]
group = "xmin"
components = ["y"]
[[loads]]
kind = "pressure"
group = "xmin"
value = 1e6
"""


def test_bodies_of_revolution(tmp_path: Path) -> None:
    """Steps of a disc, held along its axis, that spins and is pressed."""
    model = tmp_path / "model.toml"
    probes = PROBES[: PROBES.index('[[probes]]\nname = "tip"')]
    probes += PROBES[PROBES.index('[[probes]]\nname = "stress"') :]
    probes = probes[: probes.index('[[probes]]\nname = "support"')]
    model.write_text(f"{REVOLVED}{IMPLICIT.replace('METHOD', 'newmark')}{probes}")
    compare(model, (3,), 1e-9)


@pytest.mark.parametrize("solver", ["auto", "amg", "gamg", "matrix_free"])
def test_supports_with_axes(tmp_path: Path, solver: str) -> None:
    """Sliding along an inclined plane, on which a displacement is given, and turned about x."""
    inclined = """
[[supports]]
group = "xmax_zmin"
components = ["z"]
axes = {x = [1, 0, 0.3], y = [0, 1, 0]}
displacement = {z = 1e-5}
"""
    text = STATIC[STATIC.index("[[loads]]") :] + f'solver = "{solver}"\n'
    compare(written(tmp_path, "hex8", inclined + text), (3,), 1e-9)


@pytest.mark.parametrize("cell", ["hex8", "tet10"])
def test_explicit_steps_are_the_same_to_the_last_bit(tmp_path: Path, cell: str) -> None:
    """Every rank adds all elements of its own nodes in the order of the whole mesh."""
    probes = PROBES[: PROBES.index('[[probes]]\nname = "support"')]  # which are sums over ranks
    analysis = EXPLICIT.replace("1e-4", "1e-5") if cell == "tet10" else EXPLICIT
    model = written(tmp_path, cell, analysis, "", probes)
    # One process takes steps of small models in C, whose sums are in another order.
    model.write_text(model.read_text().replace("[12, 3, 2]", "[24, 6, 4]"))
    compare(model, (3,), 0.0)


def test_explicit_steps_with_full_masses(tmp_path: Path) -> None:
    """Sweeps for the stiffness, and masses that all ranks solve for together."""
    analysis = EXPLICIT.replace("lumped", "consistent").replace(
        "1e-4\nsteps = 100", "5e-6\nsteps = 5"
    )
    model = written(tmp_path, "hex8", analysis)
    model.write_text(model.read_text().replace("[12, 3, 2]", "[48, 6, 5]"))
    compare(model, (2,), 1e-9)


@pytest.mark.parametrize(
    "method", ["newmark", "generalized_alpha", "midpoint", 'newmark"\nsolver = "matrix_free']
)
def test_implicit_steps(tmp_path: Path, method: str) -> None:
    """A spin-up with prestress, the beam bending as it turns; also without matrices."""
    model = written(tmp_path, "hex8", IMPLICIT.replace("METHOD", method), TURNING)
    compare(model, (3,), 1e-9)


def test_stages_of_gauss_steps(tmp_path: Path) -> None:
    """Two stages, one after the other with what is kept for one; the Jacobi integral is kept.

    Multigrid stagnates on them: MUMPS goes on, with the rows of all processes.
    """
    frame = "frame = {axis = [0, 0, 1], velocity = 300.0}"
    model = written(tmp_path, "hex8", IMPLICIT.replace("METHOD", "gauss4"), frame)
    compare(model, (3,), 1e-8)
    summary = json.loads((tmp_path / "results3/summary.json").read_text())
    assert figure(summary, "largest change of the Jacobi integral") < 1e-12
    analysis = IMPLICIT.replace("METHOD", "gauss4").replace("0.01", "0.001").replace("= 20", "= 2")
    model = written(tmp_path, "hex20", analysis + 'solver = "amg"\n', frame)
    several, one = results(2, model)[0], results(1, model)[0]
    assert "mumps instead of amg, which stagnates" in str(several["figures"]["solver"])
    name = "largest displacement at the end"
    assert figure(several, name) == pytest.approx(figure(one, name), rel=1e-8)


def test_steps_from_an_equilibrium(tmp_path: Path) -> None:
    """That of the loads, stressed by the steady deflected state: the beam stays there."""
    analysis = IMPLICIT.replace("METHOD", "newmark") + 'start = "equilibrium"\n'
    frame = "frame = {axis = [0, 0, 1], velocity = 300.0}"
    model = written(tmp_path, "hex8", '[include]\nprestress = "steady"\n' + analysis, frame)
    figures = [results(count, model)[0]["figures"] for count in (1, 3)]
    names = [name for name in figures[0] if name.endswith((", peak", ", at the end"))]
    assert len(names) > 9
    for name in names:
        (value, unit), (other, _) = (
            one[name] if isinstance(one[name], list) else (one[name], "") for one in figures
        )
        assert other == pytest.approx(value, rel=1e-8, abs=1e-14), name
    probes = np.loadtxt(tmp_path / "results3/probes.csv", delimiter=",", skiprows=1)
    probes = np.delete(probes, [0, 2], axis=1)  # the time, and the position in space
    assert (np.ptp(probes, axis=0) <= 1e-8 * np.abs(probes).max(axis=0)).all()


@pytest.mark.parametrize("solver", ["auto", "amg"])
def test_modes_under_load(tmp_path: Path, solver: str) -> None:
    """Frequencies and shapes of a beam that gravity and a force bend and pull."""
    analysis = STATIC.replace('kind = "static"', f'kind = "modes"\ncount = 4\nsolver = "{solver}"')
    output = '[output]\nformats = ["hdf5"]\n'
    model = written(tmp_path, "hex8", analysis.replace("y = 1e-5", "y = 0.0"), probes=output)
    one, arrays = results(1, model)
    several, theirs = results(2, model)
    assert one["figures"]["largest steady displacement"][0] > 1e-6
    for number in range(1, 5):
        name = f"mode {number}"
        assert figure(several, name) == pytest.approx(figure(one, name), rel=1e-9)
    for mine, other in zip(arrays["modes/beam"], theirs["modes/beam"], strict=True):
        sign = np.sign((mine * other).sum())
        assert np.allclose(sign * other, mine, rtol=0.0, atol=1e-6 * np.abs(mine).max())


@pytest.mark.parametrize("damping", ["", "damping = {alpha = 3.0, beta = 1e-5}"])
def test_campbell_diagrams(tmp_path: Path, damping: str) -> None:
    """Whirl of a square shaft, whose modes pair, stiffened by its rotation; also damped."""
    analysis = '[analysis]\nkind = "modes"\ncount = 4\nspeeds = [0.0, 150.0, 300.0]\n'
    frame = "frame = {axis = [1, 0, 0], velocity = 10.0}"
    output = '[output]\nformats = ["hdf5"]\n'
    model = written(tmp_path, "hex8", analysis, frame, output)
    text = model.read_text().replace("0.2", "0.1").replace("[12, 3, 2]", "[12, 2, 2]")
    model.write_text(text.replace("density = 7850", f"density = 7850\n{damping}"))
    one, _ = results(1, model)
    mine = one["campbell"]
    assert {"forward", "backward"} <= {way for mode in mine["modes"] for way in mode["whirl"]}
    assert mine["critical_speeds"]
    other, _ = results(3, model)
    theirs = other["campbell"]
    for key in ("speed_rad_s", "frequency_Hz", "mode", "order"):
        values = [[at[key] for at in each["critical_speeds"]] for each in (mine, theirs)]
        assert values[1] == pytest.approx(values[0], rel=1e-7), key
    for a, b in zip(mine["modes"], theirs["modes"], strict=True):
        assert b["whirl"][1:] == a["whirl"][1:]
        for key in ("signed_frequency_Hz", "damping_ratio", "waves"):
            assert b[key][1:] == pytest.approx(a[key][1:], rel=1e-7, abs=1e-7), key


def test_modes_of_a_free_body(tmp_path: Path) -> None:
    """Its six rigid motions have frequency zero, the others those of one process."""
    model = written(tmp_path, "hex8", '[analysis]\nkind = "modes"\ncount = 9\n', "", "")
    text = model.read_text()
    head, analysis = text[: text.index("[[supports]]")], text[text.index("[analysis]") :]
    model.write_text(f'{head}{analysis}[output]\nformats = ["hdf5"]\n')
    one, _ = results(1, model)
    other, _ = results(2, model)
    found = [[figure(each, f"mode {number}") for number in range(1, 10)] for each in (one, other)]
    assert found[1][:6] == [0.0] * 6
    assert found[1] == pytest.approx(found[0], rel=1e-8)


def test_another_petsc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A slepc4py that was compiled for another PETSc is one line."""
    package = tmp_path / "slepc4py"
    package.mkdir()
    (package / "__init__.py").write_text('raise ValueError("petsc4py.PETSc.Object size changed")')
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    model = written(tmp_path, "hex8", '[analysis]\nkind = "modes"\ncount = 2\n')
    code, _, err = run(2, model)
    assert code == 2
    assert "need slepc4py (petsc4py.PETSc.Object size changed); expected one installed" in err
    assert len([line for line in err.splitlines() if line.startswith("flexforge: ")]) == 1


@pytest.mark.parametrize("damping", ["", "damping = {beta = 1e-5}"])
def test_modes_about_a_frequency_with_coriolis_forces(tmp_path: Path, damping: str) -> None:
    """Those nearest to it, of a complex problem whose parts are solved together."""
    analysis = '[analysis]\nkind = "modes"\ncount = 3\nshift = 600.0\n'
    frame = "frame = {velocity = 300.0}"
    model = written(tmp_path, "hex8", analysis, frame, '[output]\nformats = ["hdf5"]\n')
    model.write_text(model.read_text().replace("density", f"{damping}\ndensity", 1))
    one, _ = results(1, model)
    other, _ = results(2, model)
    found = [[figure(each, f"mode {number}") for number in (1, 2, 3)] for each in (one, other)]
    assert found[0][0] > 50.0
    assert found[1] == pytest.approx(found[0], rel=1e-8)


SHELL = """
[mesh.block]
cell = "quad4"
corners = [[0, 0, 0], [1, 0, 0], [1, 0.4, 0.1], [0, 0.4, 0.1]]
divisions = [12, 5]
[materials.steel]
young = 2.1e11
poisson = 0.3
density = 7850
[[bodies]]
name = "beam"
element = "mitc4"
material = "steel"
thickness = 0.01
frame = {axis = [0, 0, 1], velocity = 40.0}
[[masses]]
name = "lump"
group = "corner3"
mass = 2.0
inertia = [0.01, 0.02, 0.03]
[[connectors]]
name = "bush"
kind = "bushing"
at = "corner2"
stiffness = [2e5, 2e5, 1e6, 9e3, 9e3, 4e3]
damping = [30, 30, 30]
[[supports]]
group = "xmin"
[[loads]]
kind = "force"
group = "xmax"
total = [0, 0, -1000.0]
[[loads]]
kind = "pressure"
group = "all"
value = 1e3
"""
SECTIONS = """
[[probes]]
name = "mean"
body = "beam"
quantity = "section_force"
component = "M11"
reduce = "mean"
[[probes]]
name = "largest"
body = "beam"
quantity = "section_force"
component = "von_mises_top"
reduce = "max"
[[probes]]
name = "at"
body = "beam"
quantity = "section_force"
component = "Q1"
point = [0.5, 0.2, 0.05]
"""
_LUMPED = [
    'kind = "static"\nsolver = "amg"',
    IMPLICIT.replace("METHOD", "newmark").replace("[analysis]\n", ""),
    pytest.param('kind = "static"', marks=pytest.mark.slow),
]


@pytest.mark.parametrize("analysis", _LUMPED, ids=["amg", "steps", "factors"])
def test_shells_masses_and_connectors(tmp_path: Path, analysis: str) -> None:
    """A flat shell, whose nodes have no inertia about its normal, with forces of its sections."""
    model = tmp_path / "model.toml"
    probes = PROBES[: PROBES.index('[[probes]]\nname = "stress"')]
    probes += PROBES[PROBES.index('[[probes]]\nname = "support"') :] + SECTIONS
    model.write_text(f"{SHELL}[analysis]\n{analysis}\n{probes}")
    compare(model, (3,), 1e-9)


def test_a_spring_at_a_solid(tmp_path: Path) -> None:
    """Its rotations, which nothing has, leave no stiffness at their places."""
    spring = """
[[connectors]]
name = "spring"
kind = "spring"
at = "corner2"
stiffness = 1e6
axis = [0, 1, 1]
"""
    analysis = '[analysis]\nkind = "static"\n'
    compare(written(tmp_path, "hex8", spring + analysis), (2,), 1e-9)


@pytest.mark.parametrize(("speed", "damping"), [(40.0, True), (0.0, False)])
def test_modes_of_shells(tmp_path: Path, speed: float, damping: bool) -> None:
    """With Coriolis forces and a damper, by our own space; without, by SLEPc."""
    text = SHELL.replace("velocity = 40.0", f"velocity = {speed}")
    if not damping:
        text = text.replace("damping = [30, 30, 30]\n", "")
    model = tmp_path / "model.toml"
    output = '[output]\nformats = ["hdf5"]\n'
    model.write_text(f'{text}[analysis]\nkind = "modes"\ncount = 4\n{output}')
    one, _ = results(1, model)
    other, _ = results(2, model)
    wanted = [name for name in one["figures"] if " of mode " in name or name.startswith("mode ")]
    assert len(wanted) == (8 if damping else 4)
    for name in wanted:
        assert figure(other, name) == pytest.approx(figure(one, name), rel=1e-7), name
    assert ("slepc" in other["figures"]["solver"]) == (not damping)


def test_two_bodies_that_share_nodes(tmp_path: Path) -> None:
    """Hexahedra with wedges on top, in a mesh of an input deck of Abaqus."""
    _deck(tmp_path / "two.inp")
    text = HEAD[HEAD.index("[materials") :].replace("FRAME", "").replace("CELL", "hex8")
    text = text.replace('"beam"\n', '"beam"\ncells = "low"\n', 1)
    body = '[[bodies]]\nname = "top"\ncells = "high"\nelement = "wedge6"\nmaterial = "steel"\n'
    text = '[mesh]\nfile = "two.inp"\n' + text.replace("[[supports]]", body + "[[supports]]", 1)
    model = tmp_path / "model.toml"
    model.write_text(text + '[analysis]\nkind = "static"\n' + PROBES)
    compare(model, (2,), 1e-10)


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
            ("[[supports]]\n", "thicknes = 0.1\n[[supports]]\n"),
            "bodies[0].thicknes: unknown key",
        ),
        (('[[supports]]\ngroup = "xmin"\n', ""), "free to move"),
    ],
)
def test_errors_are_said_once(tmp_path: Path, change: tuple[str, str], message: str) -> None:
    """All processes end, with one line and the exit code of an error in the input."""
    model = written(tmp_path, "hex8", '[analysis]\nkind = "static"\n')
    model.write_text(model.read_text().replace(*change, 1))
    code, out, err = run(2, model)
    told = [line for line in err.splitlines() if line.startswith("flexforge:")]
    assert code == 2 and len(told) == 1 and message in told[0], err
    assert not out


def test_more_processes_than_nodes(tmp_path: Path) -> None:
    """They are refused."""
    model = tmp_path / "model.toml"
    text = REVOLVED.replace("quad8", "quad4").replace("[12, 3]", "[1, 1]")
    model.write_text(f'{text}[analysis]\nkind = "static"\n')
    code, _, err = run(5, model)
    assert code and "expected fewer processes" in err


def test_a_killed_process_ends_all(tmp_path: Path) -> None:
    """What was written stays readable."""
    model = written(tmp_path, "hex8", EXPLICIT.replace("1e-4\nsteps = 100", "1\nsteps = 1000000"))
    process = start(2, model, "-o", "killed", start_new_session=True)
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
