# SPDX-License-Identifier: BSD-3-Clause
"""Linear buckling against closed forms: Euler's columns, a plate, and what does not buckle."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flexforge.codegen.errors import AnalysisError, FlexforgeError, InputError
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.outcome import Outcome
from flexforge.runtime.run import run_model

E, SIDE, LENGTH = 2e11, 0.02, 1.0


def column(**changes: Any) -> dict[str, Any]:
    """Return a clamped column of square section along x, pressed by 1 N at its free end."""
    return {
        "mesh": {"block": {"cell": "line2", "corners": [[0, 0, 0], [LENGTH, 0, 0]],
                           "divisions": [16]}},
        "materials": {"steel": {"young": E, "poisson": 0.3}},
        "bodies": [{"name": "column", "element": "euler_beam", "material": "steel",
                    "section": {"shape": "rectangle", "width": SIDE, "height": SIDE,
                                "orientation": [0, 1, 0]}}],
        "supports": [{"group": "xmin"}],
        "loads": [{"kind": "force", "group": "xmax", "total": [-1, 0, 0]}],
        "analysis": {"kind": "buckling", "count": 4},
        "output": {"formats": ["csv", "hdf5"]},
    } | changes  # fmt: skip


def run(tables: dict[str, Any], folder: Path) -> Outcome:
    """Run a model."""
    return run_model(model_from_dict(tables), output=folder)


def factors(outcome: Outcome) -> list[float]:
    """Return the buckling factors."""
    return [value for name, value in outcome.figures.items() if name.startswith("buckling")]


def stressed(euler: np.ndarray) -> np.ndarray:
    """Return Euler's loads with the stress in every fibre: E I - P I / A bends instead of E I."""
    return np.asarray(euler / (1.0 + euler / (E * SIDE**2)))


def test_a_clamped_column_buckles_as_euler_says(tmp_path: Path) -> None:
    """P = (2n - 1)^2 pi^2 E I / (4 L^2), twice each: about both axes of the square."""
    outcome = run(column(), tmp_path)
    exact = stressed(np.pi**2 * E * SIDE**4 / 12 / (4 * LENGTH**2) * np.array([1, 1, 9, 9]))
    found = np.array(factors(outcome))
    assert np.allclose(found[:2], exact[:2], rtol=5e-7)  # (pi / 32)^4 / 720 is 1.3e-7
    assert np.allclose(found[2:], exact[2:], rtol=2e-5)
    assert (found >= exact * (1 - 1e-9)).all()
    values, shapes = outcome.results.modes()
    assert np.allclose(values, found)
    assert np.abs(shapes["column"]).max() == pytest.approx(1.0)


def test_an_iterated_column_has_the_same_factors(tmp_path: Path) -> None:
    """Solid elements, more than LAPACK takes: Euler's factor with the shear of a column."""
    corners = [[0, 0, 0], [1, 0, 0], [1, 0.05, 0], [0, 0.05, 0],
               [0, 0, 0.05], [1, 0, 0.05], [1, 0.05, 0.05], [0, 0.05, 0.05]]  # fmt: skip
    block = {"cell": "hex20", "corners": corners, "divisions": [16, 1, 1]}
    body = {"name": "column", "element": "hex20", "material": "steel"}
    steel = {"steel": {"young": E, "poisson": 0.0}}
    found = factors(run(column(mesh={"block": block}, bodies=[body], materials=steel), tmp_path))
    euler = np.pi**2 * E * 0.05**4 / 12 / 4
    # Engesser: 1/P = 1/P_euler + 1/(k G A) with k = 5/6 and G = E/2.
    engesser = 1.0 / (1.0 / euler + 1.0 / (5 / 6 * E / 2 * 0.05**2))
    assert found[0] == pytest.approx(engesser, rel=1e-3)
    assert found[1] == pytest.approx(found[0], rel=1e-7)


def test_prescribed_shortening_buckles_a_column(tmp_path: Path) -> None:
    """Clamped at both ends, 4 pi^2 E I / L^2 after a shortening of P L / (E A)."""
    supports = [{"group": "xmin"}, {"group": "xmax", "displacement": {"x": -1e-6}}]
    line = {"cell": "line2", "corners": [[0, 0, 0], [LENGTH, 0, 0]], "divisions": [24]}
    found = factors(run(column(mesh={"block": line}, supports=supports, loads=[]), tmp_path))
    euler = 4 * np.pi**2 * E * SIDE**4 / 12 / LENGTH**2
    expected = stressed(np.array([euler]))[0] * LENGTH / (E * SIDE**2) / 1e-6
    assert found[0] == pytest.approx(expected, rel=2e-5)


def test_tension_does_not_buckle(tmp_path: Path) -> None:
    pull = [{"kind": "force", "group": "xmax", "total": [1, 0, 0]}]
    with pytest.raises(AnalysisError, match="no motion buckles under these loads"):
        run(column(loads=pull), tmp_path)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"loads": []}, "no load stresses the bodies"),
        ({"supports": [{"group": "xmin", "components": ["x"]}]}, "is free to move"),
        ({"analysis": {"kind": "buckling", "count": 0}}, "analysis.count"),
    ],
)
def test_what_cannot_buckle_is_refused(tmp_path: Path, changes: dict[str, Any], said: str) -> None:
    with pytest.raises(FlexforgeError, match=said):
        run(column(**changes), tmp_path)


def test_bodies_with_an_energy_have_paths_instead(tmp_path: Path) -> None:
    block = {"cell": "quad4", "corners": [[0, 0], [1, 0], [1, 0.1], [0, 0.1]], "divisions": [4, 1]}
    body = {"name": "strip", "element": "quad4", "energy": "st_venant_kirchhoff",
            "parameters": {"lame": 1.0, "mu": 1.0, "density": 1.0}, "thickness": 1.0}  # fmt: skip
    with pytest.raises(InputError, match="expected a static analysis"):
        run(column(mesh={"block": block}, bodies=[body], materials={}), tmp_path)
