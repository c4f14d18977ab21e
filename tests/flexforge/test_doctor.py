# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy
import pytest
from flexforge.codegen.version import VERSION


def test_doctor_tells_what_there_is(flexforge) -> None:
    """Versions, level of the processor, solvers, compilers and cache, as text and as JSON."""
    said = flexforge("doctor", "--json")
    assert said.code == 0
    data = said.json
    assert data["flexforge"] == VERSION
    assert {row["name"]: row["version"] for row in data["libraries"]}["numpy"] == numpy.__version__
    assert data["processor"]["level"] in (1, 3, 4)
    assert data["processor"]["standard_kernels"] > 40
    solvers = {row["name"] for row in data["solvers"]}
    assert solvers == {"pardiso", "cholmod", "scipy", "amg", "gamg"}
    assert data["cache"]["writable"] is True
    assert data["ready"] is True
    assert all(row["error"] is None for row in data["modules"])
    assert "imageio-ffmpeg" in {row["name"] for row in data["optional"]}
    assert "ready" in flexforge("doctor").out


def test_what_is_missing_is_said_with_its_cost(flexforge, monkeypatch: pytest.MonkeyPatch) -> None:
    """A missing library costs something, and the doctor says what; a required one is fatal."""
    import flexforge.commands.doctor as module

    true_version = module._version
    monkeypatch.setattr(module, "_version", lambda n: None if n == "netCDF4" else true_version(n))
    said = flexforge("doctor")
    assert said.code == 0
    assert "Exodus meshes cannot be read" in said.out
    monkeypatch.setattr(module, "_version", lambda n: None if n == "numpy" else true_version(n))
    said = flexforge("doctor")
    assert said.code == 1
    assert "not ready" in said.out


def test_a_module_of_ours_that_cannot_be_imported(
    flexforge, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A damaged installation is not ready, whatever the libraries are."""
    monkeypatch.setitem(sys.modules, "flexforge.runtime.solvers", None)
    said = flexforge("doctor")
    assert said.code == 1
    assert "flexforge.runtime.solvers  MISSING" in said.out
    assert "cannot be imported" in said.out and "not ready" in said.out


def test_a_cache_that_cannot_be_written(
    flexforge, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The doctor notices a cache folder that cannot be made, and names the variable that helps."""
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("FLEXFORGE_CACHE", str(tmp_path / "file" / "cache"))
    said = flexforge("doctor")
    assert said.code == 0
    assert "NOT usable" in said.out
    assert "FLEXFORGE_CACHE" in said.out


@pytest.mark.usefixtures("no_compiler")
def test_no_compiler_where_one_is_needed() -> None:
    """Standard kernels are there without a compiler; any other says in one line what is missing."""
    code = (
        "import flexforge as ff\n"
        "print(len(ff.kernels_of('tet4', ['stiffness'])))\n"
        "try: ff.kernels_of('tet4', ['coriolis'])\n"
        "except ff.InputError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    count, message = done.stdout.splitlines()
    assert count == "1"
    assert message.startswith("no C compiler")
    doctor = [sys.executable, "-m", "flexforge", "doctor"]
    done = subprocess.run(doctor, capture_output=True, text=True, check=True)
    assert "other kernels cannot be compiled" in done.stdout
