# SPDX-License-Identifier: BSD-3-Clause
"""Vibrations and bifurcations under loads that follow bodies: their stiffness counts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from large import run
from scipy.optimize import brentq

#: A slender cantilever, and a force along it at its end that stays tangent to it.
LENGTH, YOUNG, DENSITY, WIDTH, HEIGHT = 1.0, 7e10, 2700.0, 0.004, 0.02
BENDING, LINE = YOUNG * HEIGHT * WIDTH**3 / 12.0, DENSITY * WIDTH * HEIGHT
UNIT = BENDING / LENGTH**2


def beck(force: float, element: str = "simo_beam3_plane") -> dict[str, Any]:
    """Return the modes of the cantilever under a follower force, in units of EI/L^2."""
    size = 2 if element.endswith("_plane") else 3
    corners = np.zeros((2, size))
    corners[1, 0] = LENGTH
    return {
        "mesh": {"block": {"cell": "line3", "corners": corners.tolist(), "divisions": [8]}},
        "materials": {"m": {"young": YOUNG, "poisson": 0.3, "density": DENSITY}},
        "bodies": [{"name": "column", "element": element, "material": "m",
                    "section": {"shape": "rectangle", "width": WIDTH, "height": HEIGHT},
                    "rotary_inertia": False}],
        "supports": [{"group": "xmin"}],
        "loads": [{"kind": "force", "group": "xmax", "follows": True,
                   "total": [-force * UNIT, 0, 0]}],
        "analysis": {"kind": "modes", "count": 2},
        "output": {"formats": ["csv"]},
    }  # fmt: skip


def characteristic(w: float, force: float) -> float:
    """Return what vanishes at circular frequencies w: no moment and no shear force at the end.

    ``EI y'''' + P y'' = rho A w^2 y``, of ``cosh ax - cos cx`` and ``sinh(ax)/a - sin(cx)/c``.
    """
    p = 0.5 * force
    root = np.sqrt(p * p + LINE * w * w / BENDING)
    a, c = np.sqrt(root - p), np.sqrt(root + p)
    end = a * a * np.cosh(a) + c * c * np.cos(c)
    one, other = a * np.sinh(a) + c * np.sin(c), a**3 * np.sinh(a) - c**3 * np.sin(c)
    return float(end * end - one * other)


def frequencies(force: float) -> list[float]:
    """Return the two lowest roots, Hz."""
    grid = np.sqrt(BENDING / LINE) * np.linspace(1.0, 40.0, 400)
    values = [characteristic(w, force) for w in grid]
    ends = [k for k in range(len(grid) - 1) if values[k] * values[k + 1] < 0.0][:2]
    return [brentq(characteristic, grid[k], grid[k + 1], (force,)) / (2 * np.pi) for k in ends]


@pytest.mark.parametrize("force", [5.0, 15.0])
def test_becks_column_vibrates(force: float, tmp_path: Path) -> None:
    """Beams that stretch a little, beside Bernoulli's beam; a dead force buckles it at 2.5."""
    figures = run(beck(force), tmp_path).figures
    found = [figures[f"mode {k}"][0] for k in (1, 2)]
    assert found == pytest.approx(frequencies(force), rel=1e-3)
    assert not any("growth" in name for name in figures)


def test_becks_column_flutters(tmp_path: Path) -> None:
    """At 20.05 EI/L^2 its two lowest vibrations become one, which grows (Beck 1952)."""
    for number, (force, grows) in enumerate(((19.95, False), (20.15, True))):
        figures = run(beck(force), tmp_path / str(number)).figures
        assert any("growth" in name for name in figures) == grows


def ring(pressure: float, **analysis: Any) -> dict[str, Any]:
    """Return a quarter of a ring of radius 1 m under a pressure outside, in plane strain."""
    corners = [[0.975, 0], [1.025, 0], [1.025, np.pi / 2], [0.975, np.pi / 2]]
    return {
        "mesh": {"block": {"cell": "quad8", "coordinates": "cylindrical", "corners": corners,
                           "divisions": [1, 16]}},
        "bodies": [{"name": "ring", "element": "quad8", "hypothesis": "plane_strain",
                    "thickness": 1.0, "energy": "st_venant_kirchhoff",
                    "parameters": {"mu": 4e5, "lame": 6e5, "density": 1e3}}],
        "supports": [{"group": "ymin", "components": ["y"]},
                     {"group": "ymax", "components": ["x"]}],
        "loads": [{"kind": "pressure", "group": "xmax", "value": pressure}],
        "analysis": analysis,
        "output": {"formats": ["csv"]},
    }  # fmt: skip


def test_a_ring_buckles_where_its_frequency_vanishes(tmp_path: Path) -> None:
    """At 3 EI/R^3 (Levy 1884), with the same pressure by both analyses; a dead one: 4 EI/R^3."""
    modulus = 4.0 * 4e5 * (4e5 + 6e5) / (2.0 * 4e5 + 6e5)  # of a plate
    wanted = 3.0 * modulus * 0.05**3 / 12.0
    path = run(ring(1.2 * wanted, kind="static", load_steps=12), tmp_path / "path").figures
    (factor,) = path["bifurcations at load factors"]
    assert factor * 1.2 == pytest.approx(1.0, rel=5e-3)
    near = [share * factor * 1.2 * wanted for share in (0.998, 0.999)]
    squares = [
        run(ring(one, kind="modes", count=1), tmp_path / f"{one}").figures["mode 1"][0] ** 2
        for one in near
    ]
    zero = near[1] + squares[1] * (near[1] - near[0]) / (squares[0] - squares[1])
    assert zero == pytest.approx(factor * 1.2 * wanted, rel=2e-5)  # located to 1e-5
