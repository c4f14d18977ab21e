# SPDX-License-Identifier: BSD-3-Clause
"""How-tos: all files and commands of the pages, and closed forms of what they compute."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest
from flexforge.runtime.results.read import Results
from pages import DOCS, follow, reader_path
from scipy.linalg import eigvals
from scipy.optimize import brentq

pytestmark = pytest.mark.slow


def printed(page: str, folder: Path) -> dict[str, str]:
    """Return what the commands of a how-to print; its files are in ``reader``."""
    path = reader_path(folder / "commands")
    (folder / "reader").mkdir()
    text = (DOCS / "howto" / page).read_text(encoding="utf-8")
    return follow(text, folder / "reader", path)


def test_parameters(tmp_path: Path):
    """A cantilever of constant height h has f = 0.1615 h sqrt(E / rho) / L^2; a taper more."""
    lines = printed("parameters.md", tmp_path)["python3 study.py"].splitlines()[1:]
    rows = np.array([[float(one) for one in line.split()] for line in lines])
    assert len(rows) == 4 and np.all(np.diff(rows[:, 1]) > 0)
    uniform = 1.875104**2 / (2 * math.pi) * 0.03 / math.sqrt(12) * math.sqrt(70e9 / 2700) / 0.4**2
    assert rows[0, 1] == pytest.approx(uniform, rel=0.02)  # with shear and rotary inertia


def test_results(tmp_path: Path):
    """F L^3 / (3 E I) = 0.8 mm, enlarged by vibration: by 1 / (1 - r), r = 5 / 41, or less."""
    said = printed("results.md", tmp_path)
    value, time = map(
        float, re.findall(r"largest (\S+) m at (\S+) s", said["python3 shaken.py"])[0]
    )
    assert "401 values" in said["python3 shaken.py"]
    assert 0.8e-3 < abs(value) < 0.8e-3 / (1 - 5 / 41) * 1.02
    assert 0 < time <= 0.4
    assert f"'max': {max(value, 0):.6f}"[:-2] in said["python3 dataset.py"] or value < 0
    assert "('frame_time',) m" in said["python3 dataset.py"]


def test_spectra(tmp_path: Path):
    """Wind F L^3 / (3 E I); of a parabola of third order 33/140 of the mast vibrate, 3/8 drive."""
    said = printed("spectra.md", tmp_path)["flexforge run mast.toml"]
    inertia = math.pi / 64 * (0.2**4 - 0.184**4)
    stiffness = 3 * 2.1e11 * inertia / 6**3
    top = Results(tmp_path / "reader" / "mast.results" / "wind and dead").probes["top"].values[0]
    assert top == pytest.approx(1.5 * 1500 / stiffness, rel=1e-6)
    mast = 7850 * math.pi / 4 * (0.2**2 - 0.184**2) * 6
    period = 2 * math.pi * math.sqrt((400 + 33 / 140 * mast) / stiffness)  # Rayleigh
    level = np.interp(period, [0.5, 1.0], [0.5, 0.25]) * 9.80665
    quake = Results(tmp_path / "reader" / "mast.results" / "quake")
    expected = (400 + 3 / 8 * mast) * level / stiffness
    assert quake.probes["top"].values[0] == pytest.approx(expected, rel=0.01)
    assert "case of the largest normal stress  quake and dead" in said


def test_counting(tmp_path: Path):
    """The closed form of a mass: 16 operations by pencil, 8 numbers read and 36 written."""
    (said,) = printed("counting.md", tmp_path).values()
    assert "right: differs by" in said
    (row,) = [line.split() for line in said.splitlines() if " mass " in line]
    assert row == [
        "tri3/mass",
        "mass",
        "5",
        "10",
        "1",
        "0",
        "16",
        *row[7:8],
        "64",
        "288",
        "0",
        "-",
        "-",
    ]
    assert '"all": 16' in (tmp_path / "reader" / "mine.json").read_text()


def test_loads(tmp_path: Path):
    """The road is flat after 1 s: the tip hangs by F L^3 / (3 E I), give or take the gusts."""
    printed("loads.md", tmp_path)
    tip = Results(tmp_path / "reader/axle.results").probes["tip"].values
    hanging = 20 * 0.8**3 / (3 * 2e11 * 0.01 * 0.04**3 / 12)
    assert tip[-1] == pytest.approx(-hanging, rel=0.15)
    assert max(tip) > 4e-3  # the road is 5 mm high


def test_speed(tmp_path: Path):
    """Critical speed of a shaft with a disc at its end, by Stodola's two coordinates.

    Forward whirl, displacement and tilt of the disc: stiffness of a cantilever, its mass by
    Rayleigh (33/140), gyroscopic moment of the disc. An unbalance whirls once per turn (order 0 in
    the turning frame), weight twice (order 1). With w = n W the inertia is M - G / n.
    """
    printed("speed.md", tmp_path)
    young, length, diameter, mass, polar, across = 2.1e11, 0.5, 0.03, 6.0, 0.06, 0.03
    bending = young * math.pi * diameter**4 / 64
    shaft = 7800 * math.pi * diameter**2 / 4 * length
    stiffness = bending / length**3 * np.array([[12, -6 * length], [-6 * length, 4 * length**2]])
    found = Results(tmp_path / "reader/rotor.results").summary["campbell"]["critical_speeds"]
    # Equal at rest, the two bending modes of a round shaft have their numbers by chance.
    lowest = {
        order: min(one["speed_rad_s"] for one in found if one["order"] == order) for order in (0, 1)
    }
    for order, turns in ((0, 1), (1, 2)):
        inertia = np.diag([mass + 33 / 140 * shaft, across - polar / turns])
        squares = eigvals(stiffness, inertia).real
        wanted = math.sqrt(min(squares[squares > 0])) / turns
        assert lowest[order] == pytest.approx(wanted, rel=5e-3)


def test_export(tmp_path: Path):
    """The FMU and the library are there."""
    said = printed("export.md", tmp_path)
    listed = said["ls fmu arm_c"].split()
    assert {"arm.fmu", "README.md", "CMakeLists.txt"} <= set(listed)


def test_faster(tmp_path: Path):
    """The deflections of both models agree."""
    said = printed("faster.md", tmp_path)["python3 compare.py"]
    full, reduced = map(float, re.findall(r"deflection (\S+) mm", said))
    assert full != 0.0 and reduced == pytest.approx(full, rel=1e-3)


def test_failures(tmp_path: Path):
    """The check names line, key and the nearest word."""
    said = printed("failures.md", tmp_path)["flexforge check wrong.toml"]
    assert "wrong.toml:8" in said and "'poisson'" in said


def test_systems(tmp_path: Path):
    """Formalisms agree; energy of a double pendulum from rest: no angle is ever passed at speed."""
    said = printed("systems.md", tmp_path)
    assert "agree symbol by symbol" in said["flexforge derive pendulum.toml --formalism all"]
    assert (tmp_path / "reader/kernels/example.c").is_file()
    assert "operations for the accelerations" in said["python3 use.py"]
    results = Results(tmp_path / "reader/double_pendulum.results")
    q1, q2 = (results.probes[name].values for name in ("q1", "q2"))
    height = -2 * np.cos(q1) - np.cos(q2)
    assert np.all(height <= -2 * np.cos(1.5) - np.cos(2.0) + 1e-6)


def test_energies(tmp_path: Path):
    """A block on sliding plates: stretch and pull of free sides, of the formula by hand."""
    said = printed("energies.md", tmp_path)
    assert "rubber_kernels.c" in said["ls kernels"]
    lines = re.findall(
        r"stretch (\S+): (\S+) kN after (\d) iterations, sides (\S+)", said["python3 pull.py"]
    )
    assert len(lines) == 3
    mu, lame = 0.4e6, 2e6
    for stretch, pull, iterations, sides in lines:
        along = float(stretch)

        def across(side: float, along: float = along) -> float:
            return mu * (side - 1.0 / side) + lame * math.log(along * side**2) / side

        side = brentq(across, 0.5, 1.0, xtol=1e-14)
        exact = mu * (along - 1.0 / along) + lame * math.log(along * side**2) / along
        assert float(pull) == pytest.approx(exact / 1e3, abs=6e-5)
        assert float(sides) == pytest.approx(side, abs=6e-7)
        assert int(iterations) <= 5


def test_beams(tmp_path: Path):
    """A cantilever that an end moment rolls up: its tip is that of ten chords of a circle."""
    said = printed("beams.md", tmp_path)
    assert "simo_beam2_kernels.c" in said["ls kernels"]
    lines = re.findall(r"(\S+) of a turn: the tip is at (\S+), (\S+) m", said["python3 roll.py"])
    assert len(lines) == 8
    for share, x, y in lines:
        middle = 2.0 * np.pi * float(share) * (np.arange(10) + 0.5) / 10.0
        assert float(x) == pytest.approx(np.cos(middle).mean(), abs=6e-7)
        assert float(y) == pytest.approx(np.sin(middle).mean(), abs=6e-7)
