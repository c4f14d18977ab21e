# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import importlib
import inspect
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
from flexforge.codegen.version import VERSION

ROOT = Path(__file__).resolve().parents[2]


def test_the_readme_tells_the_truth(tmp_path: Path) -> None:
    """The example of the README, 15 lines at most, runs in an empty folder and prints figures."""
    example = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.S)
    assert example is not None
    assert example[1].count("\n") <= 15
    done = subprocess.run(
        [sys.executable, "-c", example[1]], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("mass coriolis stiffness ")
    assert "'mode 3'" in done.stdout
    assert (tmp_path / "beam.results" / "report.html").is_file()
    assert (tmp_path / "hex8" / "README.md").is_file()


def test_the_version_is_one() -> None:
    """Every file that states the version states that which is installed."""
    release = runpy.run_path(str(ROOT / "packaging" / "release.py"))
    assert {release["stated"](name) for name in release["STATED"]} == {VERSION}


@pytest.mark.parametrize(
    "name",
    ["_action", "_assembly", "_blocks", "_frames", "_functions", "_integrals", "_kernels",
     "_mechanism", "_native", "_operators", "_standard"],
)  # fmt: skip
def test_stubs_describe_the_compiled_modules(name: str) -> None:
    """Every compiled function has a stub, and no stub is left of one that went."""
    module = importlib.import_module(f"flexforge.runtime.{name}")
    stub = (ROOT / "runtime" / f"{name}.pyi").read_text()
    public = {
        key
        for key, value in vars(module).items()
        if callable(value) and not key.startswith("_") and not inspect.isclass(value)
    }
    assert set(re.findall(r"^def (\w+)", stub, re.M)) == public


@pytest.mark.parametrize("folder", ["flexforge", "codegen", "runtime", "templates"])
def test_every_file_has_its_licence(folder: str) -> None:
    """Every source file begins with its SPDX line."""
    suffixes = ("py", "pyx", "pxd", "pyi", "cmake", "jinja", "h", "toml")
    files = [p for suffix in suffixes for p in (ROOT / folder).rglob(f"*.{suffix}")]
    assert files
    for path in files:
        assert "SPDX-License-Identifier: BSD-3-Clause" in path.read_text()[:120], path
