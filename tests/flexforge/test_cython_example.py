# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import flexforge as ff
import numpy as np
import pytest
from flexforge.codegen.elements.library import element

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "cython_kernels"

PROGRAM = """
import sys, numpy as np, rayleigh
points, displacements = np.load("points.npy"), np.load("displacements.npy")
steel = {"young": 2e11, "poisson": 0.3}
np.save("energies.npy", rayleigh.energies("hex8", points, displacements, **steel))
turned = points.copy()
turned[7:] = points[7:, [4, 5, 6, 7, 0, 1, 2, 3]]
for arguments, material in (
    ((points[:, :4].copy(), displacements), steel),
    ((points, displacements[:, :, :2].copy()), steel),
    ((points, displacements), {"young": 2e11}),
    ((turned, displacements), steel),
):
    try:
        rayleigh.energies("hex8", *arguments, **material)
    except (TypeError, ValueError) as error:
        print(error)
square = ((-1, -1), (1, -1), (1, 1), (-1, 1))
one = np.array([[[x, y, z] for z in (-1, 1) for x, y in square]], dtype=float)
print(rayleigh.energies("hex8", one, 1e-3 * one, **steel)[0])
"""


def _run(folder: Path, *command: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *command], cwd=folder, env=os.environ | variables, capture_output=True,
        text=True, check=False,
    )  # fmt: skip


def _build(folder: Path) -> subprocess.CompletedProcess[str]:
    pytest.importorskip("Cython")
    if shutil.which("cc") is None:
        pytest.skip("no C compiler")
    shutil.copytree(EXAMPLE, folder)
    return _run(folder, "setup.py", "-q", "build_ext", "--inplace")


@pytest.mark.slow
def test_the_example_in_cython_builds_and_runs(tmp_path: Path) -> None:
    """Another extension calls a standard kernel without the GIL: d . K d / 2 of 37 elements."""
    folder = tmp_path / "package"
    built = _build(folder)
    assert built.returncode == 0, built.stderr[-3000:]
    rng = np.random.default_rng(5)
    points = np.array(element("hex8").nodes, dtype=float) + 0.05 * rng.standard_normal((37, 8, 3))
    displacements = rng.standard_normal(points.shape)
    np.save(folder / "points.npy", points)
    np.save(folder / "displacements.npy", displacements)
    done = _run(folder, "-c", PROGRAM)
    assert done.returncode == 0, done.stderr
    shape, flat, missing, turned, energy = done.stdout.splitlines()
    assert shape == "points: found (4, 3) per element; expected (8, 3)"
    assert flat == "displacements: found shape (37, 8, 2); expected (37, 8, 3), as of points"
    assert missing.startswith("found young; hex8_stiffness")
    assert missing.endswith("expects young, poisson")
    # The README: 9/2 K e^2 V with K = E / (3 (1 - 2 nu)), e = 1e-3, V = 8 m^3.
    assert float(energy) == pytest.approx(4.5 * 2e11 / (3 * 0.4) * 1e-6 * 8, rel=1e-12)
    assert turned.startswith("points[7]: the determinant of the Jacobian is -")
    assert turned.endswith("expected a positive one (30 elements)")
    matrices = ff.kernels_of("hex8", ["stiffness"])["stiffness"](points, young=2e11, poisson=0.3)
    d = displacements.reshape(37, 24)
    expected = 0.5 * np.einsum("ei,eij,ej->e", d, matrices, d)
    np.testing.assert_allclose(np.load(folder / "energies.npy"), expected, rtol=1e-12)


@pytest.mark.slow
def test_an_extension_of_another_version_is_told(tmp_path: Path) -> None:
    """Compiled with another version of flexforge.h, it raises an ImportError with both numbers."""
    folder = tmp_path / "package"
    shutil.copytree(ff.get_include(), tmp_path / "old")
    header = tmp_path / "old" / "flexforge.h"
    text = header.read_text()
    header.write_text(text.replace("#define FLEXFORGE_ABI 2", "#define FLEXFORGE_ABI 1"))
    pytest.importorskip("Cython")
    shutil.copytree(EXAMPLE, folder)
    setup = folder / "setup.py"
    setup.write_text(setup.read_text().replace("flexforge.get_include()", '"../old"'))
    assert _run(folder, "setup.py", "-q", "build_ext", "--inplace").returncode == 0
    done = _run(
        folder,
        "-c",
        "import numpy as np, rayleigh\n"
        "x = np.zeros((1, 8, 3))\nrayleigh.energies('hex8', x, x, young=1.0, poisson=0.3)",
    )
    assert "ImportError: " in done.stderr
    assert "made for version 2 of flexforge.h, its caller for version 1" in done.stderr
