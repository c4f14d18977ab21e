# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from flexforge.codegen.elements.catalogue import find
from flexforge.codegen.output.generate import generate

EXAMPLE = Path(__file__).resolve().parents[4] / "examples" / "dolfinx" / "compare.py"
TERMS = ["stiffness", "mass", "stiffness_action"]
NAMES = ("tri3_plane_strain", "tri6_plane_strain", "quad4_plane_strain", "quad9_plane_strain",
         "tet4", "tet10", "hex8", "hex27")  # fmt: skip


def _dolfinx() -> tuple[str, tuple[int, ...]]:
    """Return a Python that has DOLFINx, and DOLFINx's version."""
    version = "import dolfinx; print(dolfinx.__version__)"
    candidates = [os.environ.get("DOLFINX_PYTHON"), "/usr/bin/python3", shutil.which("python3")]
    for python in filter(None, candidates):
        if shutil.which(python) is None:
            continue
        done = subprocess.run([python, "-c", version], capture_output=True, text=True, check=False)
        if done.returncode == 0:
            numbers = done.stdout.split()[-1].split(".")[:2]
            return python, tuple(int(re.match(r"\d*", part)[0]) for part in numbers)  # type: ignore[index]
    pytest.skip("no Python here has dolfinx (apt install python3-dolfinx, or DOLFINX_PYTHON)")


@pytest.mark.slow
def test_dolfinx_assembles_our_kernels(tmp_path: Path) -> None:
    """A real DOLFINx assembles K, M and K u of 8 elements as its own forms do, to 1e-12."""
    python, version = _dolfinx()
    if shutil.which("cc") is None:
        pytest.skip("no C compiler")
    older = ["-DUFCX_BEFORE_0_10"] if version < (0, 10) else []
    for name in NAMES:
        folder = tmp_path / name
        generate(find(name), folder, abi="ufcx", terms=TERMS)
        sources = [str(path) for path in sorted(folder.glob("*.c"))]
        subprocess.run(
            ["cc", "-std=c99", "-O2", "-shared", "-fPIC", *older, *sources, "-o",
             str(tmp_path / f"{name}.so"), "-lm"],
            check=True,
        )  # fmt: skip
    clean = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    done = subprocess.run(
        [python, str(EXAMPLE), str(tmp_path)], cwd=tmp_path, capture_output=True, text=True,
        check=False, env=clean | {"XDG_CACHE_HOME": str(tmp_path / "cache")},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr[-3000:]
    differences = re.findall(
        r"difference of the stiffness (\S+), of the mass (\S+), of the forces (\S+)", done.stdout
    )
    assert len(differences) == len(NAMES)
    assert all(float(x) < 1e-12 for three in differences for x in three)
