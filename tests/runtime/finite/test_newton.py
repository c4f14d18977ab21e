# SPDX-License-Identifier: BSD-3-Clause
"""Newton's method of bodies with an energy converges quadratically: its tangents are exact."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.statics.balance import Balance
from flexforge.runtime.system.construct import build_mesh, build_system
from flexforge.runtime.system.loads import Loads
from large import BAR, block, body
from marks import slow
from scipy.sparse.linalg import spsolve
from turned_rods import rod

CLAMPED = [{"group": "xmin"}]
ISOCHORIC = {"mu": 1e6, "kappa": 5e7, "density": 1000.0}


def solid(element: str, law: str, **parameters: float) -> dict[str, Any]:
    """Return a clamped bar that a force and a pressure that follows bend."""
    loads = [{"kind": "force", "group": "xmax", "total": [0, 0, 1e3]},
             {"kind": "pressure", "group": "zmin", "value": 50.0}]  # fmt: skip
    own = body(law, **parameters) | {"element": element}
    return block(BAR, [4, 1, 1], bodies=[own], supports=CLAMPED, loads=loads,
                 analysis={"kind": "static"})  # fmt: skip


def beam() -> dict[str, Any]:
    """Return a beam in space with a force that follows its tip, and a dead one."""
    loads = [{"kind": "force", "group": "xmax", "total": [0, 0, 20], "follows": True},
             {"kind": "force", "group": "xmax", "total": [0, 15, 0]}]  # fmt: skip
    return rod("simo_beam2", 6, loads=loads)


def shell() -> dict[str, Any]:
    """Return a strip of corotational shells that a force bends."""
    corners = [[0, 0, 0], [1, 0, 0], [1, 0.2, 0], [0, 0.2, 0]]
    strip = {"name": "strip", "element": "mitc4", "material": "steel", "thickness": 0.01,
             "large_rotations": True}  # fmt: skip
    return {
        "mesh": {"block": {"cell": "quad4", "corners": corners, "divisions": [5, 1]}},
        "materials": {"steel": {"young": 2e9, "poisson": 0.3, "density": 1000.0}},
        "bodies": [strip],
        "supports": CLAMPED,
        "loads": [{"kind": "force", "group": "xmax", "total": [0, 2, 20]}],
        "analysis": {"kind": "static"},
    }


MODELS = {
    "neo-Hookean": solid("hex8", "neo_hookean", mu=1e6, lame=4e6, density=1000.0),
    "mean volume": solid("hex8s", "neo_hookean_isochoric", **ISOCHORIC),
    "beam": beam(),
    "shell": shell(),
}


@pytest.mark.parametrize(
    "model", [slow(name) if name == "mean volume" else name for name in MODELS]
)
def test_digits_double(model: str) -> None:
    """Three corrections take a residual of a hundredth or more to round-off.

    A tangent that is wrong by a hundredth leaves a hundredth of the residual, and again of that.
    """
    spec = model_from_dict(MODELS[model])
    places = build_system(spec, build_mesh(spec))
    balance = Balance(places.system, Loads(spec, places), 0.0)
    q = np.zeros(places.system.unknowns)
    for factor in (0.25, 0.5, 0.75):
        q, _ = corrected(balance, q, factor, 8)
    _, left = corrected(balance, q, 1.0, 8)
    coarse = max(k for k, one in enumerate(left) if one > 1e-2)
    assert left[coarse + 3] < 1e-9


def corrected(
    balance: Balance, q: np.ndarray, factor: float, count: int
) -> tuple[np.ndarray, list[float]]:
    """Return unknowns after whole corrections, and residuals relative to the forces."""
    found = []
    for _ in range(count):
        u = balance.displacement(q, factor)
        right, size = balance.residual(q, u, factor)
        found.append(float(np.linalg.norm(right)) / size)
        at = balance.at(u, factor)
        matrix = balance.tangent(at, q, u, factor)
        q = balance.system.moved(q, spsolve(matrix.tocsc(), right))
    return q, found
