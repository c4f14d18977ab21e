# SPDX-License-Identifier: BSD-3-Clause
"""The first result and the tutorials: all files and commands of the pages, and what they say."""

from __future__ import annotations

import importlib.util
import re
import shutil
import sys
from pathlib import Path

import pytest
from pages import DOCS, follow, reader_path


def printed(page: str, folder: Path, **programs: str) -> dict[str, str]:
    """Return what the commands of a page print; `programs` are further ones, by name."""
    path = reader_path(folder / "commands")
    for name, program in programs.items():
        (folder / "commands" / name).symlink_to(program)
    (folder / "reader").mkdir()
    return follow((DOCS / page).read_text(encoding="utf-8"), folder / "reader", path)


def modes(text: str) -> list[float]:
    """Return the frequencies of a printed table, Hz."""
    return [float(value) for value in re.findall(r"mode \d+ +([\d.]+) Hz", text)]


@pytest.mark.slow
def test_the_first_result(tmp_path: Path):
    """The figures that the page names: lag of the tip, first mode at rest and at speed."""
    said = printed("start.md", tmp_path)
    assert "the tip lags by -4.29 mm" in said["python3 beam.py"]
    command = "flexforge modes beam.toml --count 4"
    at_rest, turning = said[command], said[f"{command} --time 0.3"]
    assert modes(at_rest)[0] == pytest.approx(16.5, abs=0.05)
    assert modes(turning)[0] == pytest.approx(24.0, abs=0.05)


@pytest.mark.slow
def test_a_blade_from_gmsh(tmp_path: Path):
    """Southwell: f^2 grows with the square of the speed, or less, as the least of such lines does.

    A Rayleigh quotient is linear in the square of the speed for every shape; the mode takes the
    least of them, so twice the speed gives at most four times the growth. The page says 3.87.
    """
    if importlib.util.find_spec("gmsh") is None:
        pytest.skip("gmsh is not installed")
    said = printed("tutorials/blade.md", tmp_path)
    first = said["python3 campbell.py"].splitlines()[1]
    rest, half, full = map(float, re.findall(r"\d+\.\d+", first))
    growth = (full**2 - rest**2) / (half**2 - rest**2)
    assert growth < 4.0 and growth == pytest.approx(3.87, abs=0.02)


@pytest.mark.slow
def test_a_spatial_mechanism(tmp_path: Path):
    """Formalisms give the same force; freedoms are counted as the page says."""
    said = printed("tutorials/mechanism.md", tmp_path)
    assert "leave 1 motion, drivers prescribe 1" in said["flexforge check links.toml"]
    forces = re.findall(r"\w+ +([\d.]+) N", said["python3 formalisms.py"])
    assert len(forces) == 3
    assert [float(one) for one in forces] == pytest.approx([float(forces[0])] * 3, rel=1e-3)


@pytest.mark.slow
def test_an_own_element(tmp_path: Path):
    """Closed forms: mass, sigma L / E1, the energy of a uniform strain; scikit-fem's own matrix."""
    if importlib.util.find_spec("skfem") is None:
        pytest.skip("scikit-fem is not installed")
    cmake = shutil.which("cmake", path=str(Path(sys.executable).parent)) or shutil.which("cmake")
    if cmake is None or shutil.which("c++") is None:
        pytest.skip("no cmake or no C++ compiler")
    said = printed("tutorials/element.md", tmp_path, cmake=cmake)
    assert "23 of 23 checks hold" in said["flexforge check-element sheet.toml"]
    for command in ("python3 strip.py", "build/strip"):
        pairs = re.findall(r"([\d.e+-]+) (?:kg|m|J), expected ([\d.e+-]+)", said[command])
        assert pairs
        for found, expected in pairs:
            assert float(found) == pytest.approx(float(expected), rel=1e-6)
    assert float(re.findall(r"difference (\S+)", said["python3 with_skfem.py"])[0]) < 1e-13
    assert "1.6000 kg per element" in said["python3 from_cython.py"]


@pytest.mark.slow
def test_formalisms_are_compared(tmp_path: Path):
    """The verdict, six ledgers, and kernels that cost the same."""
    said = printed("tutorials/formalisms.md", tmp_path)
    assert "are symbolically equal" in said["flexforge derive quad4 --formalism all"]
    assert len(said["python3 ledgers.py"].splitlines()) == 7
    counts = re.findall(r"(\d+) operations", said["python3 kernels.py"])
    assert len(counts) == 2 and counts[0] == counts[1]


@pytest.mark.slow
def test_a_formalism_of_ones_own(tmp_path: Path):
    """Gauss' principle gives what Lagrange gives, of an element and of a rolling disc."""
    said = printed("tutorials/own_formalism.md", tmp_path)["python3 gauss.py"].splitlines()
    assert said[0] == "True"
    assert [line.split()[1] for line in said[1:]] == [
        "formalism", "lagrange", "gibbs_appell", "gauss",
    ]  # fmt: skip
