# SPDX-License-Identifier: BSD-3-Clause
"""Figures of cross sections, against tables and against sums over small squares."""

from __future__ import annotations

import numpy as np
import pytest
from flexforge.runtime.model.schema_section import SectionSpec


def _values(**section):
    return SectionSpec(**section).values(0.3)


def _sums(inside, width, height):
    """Return area and moments of the points of a fine grid that lie in a section."""
    step = min(width, height) / 400
    y, z = (np.arange(-x / 2 + step / 2, x / 2, step) for x in (width, height))
    Y, Z = np.meshgrid(y, z)
    kept = inside(Y, Z)
    return [float((f * kept).sum()) * step**2 for f in (np.ones_like(Y), Z**2, Y**2)]


@pytest.mark.parametrize(
    ("section", "inside", "size"),
    [
        ({"shape": "round", "diameter": 0.2}, lambda y, z: np.hypot(y, z) < 0.1, (0.2, 0.2)),
        ({"shape": "tube", "diameter": 0.2, "wall": 0.02},
         lambda y, z: (np.hypot(y, z) < 0.1) & (np.hypot(y, z) > 0.08), (0.2, 0.2)),
        ({"shape": "rectangle", "width": 0.3, "height": 0.1}, lambda y, z: y == y, (0.3, 0.1)),
        ({"shape": "ellipse", "width": 0.3, "height": 0.1},
         lambda y, z: np.hypot(y / 0.15, z / 0.05) < 1.0, (0.3, 0.1)),
        ({"shape": "I", "width": 0.1, "height": 0.2, "flange": 0.01, "web": 0.006},
         lambda y, z: (np.abs(z) > 0.09) | (np.abs(y) < 0.003), (0.1, 0.2)),
    ],
    ids=["round", "tube", "rectangle", "ellipse", "I"],
)  # fmt: skip
def test_areas_and_moments(section, inside, size):
    """Area and second moments of the area within the error of the grid."""
    found = _values(**section)
    expected = _sums(inside, *size)
    figures = [found["area"], found["inertia_y"], found["inertia_z"]]
    np.testing.assert_allclose(figures, expected, rtol=5e-3)


def test_torsion():
    """Round: the polar moment; square: 0.1406 a^4 (Timoshenko and Goodier, section 109)."""
    assert _values(shape="round", diameter=0.2)["torsion"] == pytest.approx(np.pi * 0.1**4 / 2)
    square = _values(shape="rectangle", width=0.5, height=0.5)
    assert square["torsion"] == pytest.approx(0.1406 * 0.5**4, rel=5e-4)
    circle = _values(shape="ellipse", width=0.2, height=0.2)
    assert circle["torsion"] == pytest.approx(np.pi * 0.1**4 / 2)
    flat = _values(shape="ellipse", width=2.0, height=0.02)  # pi a b^3, as strips b^3/3 thick
    assert flat["torsion"] == pytest.approx(np.pi * 0.01**3, rel=1e-3)
    slab = _values(shape="rectangle", width=10.0, height=0.1)
    assert slab["torsion"] == pytest.approx(10 * 0.1**3 / 3, rel=1e-2)


def test_shear_factors():
    """Cowper (1966), nu = 0.3: rectangle 0.850, circle 0.886, thin tube 0.531."""
    assert _values(shape="rectangle", width=1.0, height=1.0)["shear_y"] == pytest.approx(
        0.85, abs=1e-3
    )
    assert _values(shape="round", diameter=1.0)["shear_y"] == pytest.approx(0.886, abs=1e-3)
    thin = _values(shape="tube", diameter=1.0, wall=1e-4)["shear_y"]
    assert thin == pytest.approx(2 * 1.3 / (4 + 3 * 0.3), rel=1e-3)
    circle = _values(shape="ellipse", width=1.0, height=1.0)
    assert circle["shear_y"] == circle["shear_z"] == pytest.approx(0.886, abs=1e-3)
    # Jourawski's stress 1 - eta^2 in a flat one, along it: (3 pi/8)^2 / (pi/2 5 pi/16) = 0.9.
    flat = SectionSpec(shape="ellipse", width=100.0, height=1.0).values(0.0)
    assert flat["shear_y"] == pytest.approx(0.9, rel=1e-3)


def test_given_figures_count():
    """A figure that is given replaces that of the shape; the orientation comes along."""
    found = _values(shape="round", diameter=0.2, torsion=1.0, orientation=[0, 0, 1])
    assert found["torsion"] == 1.0
    assert [found[f"orientation{i}"] for i in (1, 2, 3)] == [0, 0, 1]
