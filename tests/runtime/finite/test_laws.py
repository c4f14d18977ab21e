# SPDX-License-Identifier: BSD-3-Clause
"""Laws of bodies in models, against closed forms of uniform deformations."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from large import CUBE, ROLLERS, block, body, run
from scipy.optimize import brentq

#: Vulcanized rubber, Pa: Treloar's tension, compression and shear (Ogden, Proceedings of the Royal
#: Society A 326, 1972, who gives them in kg/cm^2), with a bulk modulus.
OGDEN = {"mu1": 0.63e6, "alpha1": 1.3, "mu2": 0.0012e6, "alpha2": 5.0, "mu3": -0.01e6,
         "alpha3": -2.0, "kappa": 40e6, "density": 1000.0}  # fmt: skip


def of_ogden(stretches: tuple[float, float, float]) -> list[float]:
    """Return the nominal stresses of Ogden's law along the axes of a stretched block."""
    x = np.array(stretches)
    J = x.prod()
    found = OGDEN["kappa"] * (J - 1.0) * J / x
    for n in (1, 2, 3):
        powers = (x * J ** (-1.0 / 3.0)) ** OGDEN[f"alpha{n}"]
        found += OGDEN[f"mu{n}"] * (powers - powers.mean()) / x
    return [float(one) for one in found]


@pytest.mark.parametrize(("element", "stretch"), [("hex8", 3.0), ("hex8s", 3.0), ("hex8", 0.6)])
def test_a_block_of_rubber_is_pulled(tmp_path: Path, element: str, stretch: float) -> None:
    """Ogden's law with sides free of force, whose stretches coincide all the way."""
    side = brentq(lambda t: of_ogden((stretch, t, t))[1], 0.3, 2.0, xtol=1e-15)
    force = of_ogden((stretch, side, side))[0]
    pressure = {"kind": "pressure", "group": "xmax", "value": -force, "follows": False}
    tables = block(CUBE, [2, 1, 1], supports=ROLLERS, loads=[pressure])
    tables["bodies"] = [body("ogden", **OGDEN) | {"element": element}]
    tables["analysis"] = {"kind": "static"}
    tables["probes"] = [
        {"name": "tip", "group": "xmax", "component": "x"},
        {"name": "side", "group": "ymax", "component": "y"},
        {"name": "stress", "group": "xmin", "quantity": "stress", "component": "xx"},
    ]
    found = run(tables, tmp_path)
    assert found.probes["tip"].values[-1] == pytest.approx(stretch - 1.0, rel=1e-7)
    assert found.probes["side"].values[-1] == pytest.approx(side - 1.0, rel=1e-7)
    assert found.probes["stress"].values[-1] == pytest.approx(force / side**2, rel=1e-7)
