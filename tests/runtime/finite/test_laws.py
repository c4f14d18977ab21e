# SPDX-License-Identifier: BSD-3-Clause
"""Laws of bodies in models, against closed forms of uniform deformations."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from flexforge.runtime.arrays import Floats
from large import CUBE, ROLLERS, block, body, run
from scipy.integrate import quad
from scipy.optimize import brentq, root

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


@pytest.mark.slow  # kernels of principal stretches and of fibres take long to derive
@pytest.mark.parametrize(("element", "stretch"), [("hex8s", 3.0), ("hex8", 3.0), ("hex8", 0.6)])
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


#: Media of a carotid artery of a rabbit, kPa in Pa, with fibres in the plane of x and y (Holzapfel,
#: Gasser and Ogden, Journal of Elasticity 61, 2000), dispersed, and with a bulk modulus.
ARTERY = {"mu": 3e3, "k1": 2.3632e3, "k2": 0.8393, "dispersion": 0.05, "kappa": 1e6,
          "density": 1000.0, "fibre1_x": 0.875, "fibre1_y": 0.484, "fibre1_z": 0.0,
          "fibre2_x": 0.875, "fibre2_y": -0.484, "fibre2_z": 0.0}  # fmt: skip


def of_artery(stretches: Floats) -> Floats:
    """Return the nominal stresses of the law of an artery along its axes, by complex steps."""
    found = np.zeros(3)
    for k in range(3):
        x = stretches.astype(complex)
        x[k] += 1e-30j
        J = x.prod()
        bar = J ** (-2.0 / 3.0) * x**2
        a = np.array([ARTERY["fibre1_x"], ARTERY["fibre1_y"], 0.0])
        fourth, d = (bar * a**2).sum() / (a @ a), ARTERY["dispersion"]
        strain = d * (bar.sum() - 3.0) + (1.0 - 3.0 * d) * (fourth - 1.0)
        energy = ARTERY["mu"] / 2.0 * bar.sum() + ARTERY["kappa"] / 2.0 * (J - 1.0) ** 2
        if strain.real > 0.0:
            energy += ARTERY["k1"] / ARTERY["k2"] * np.exp(ARTERY["k2"] * strain**2)
        found[k] = energy.imag / 1e-30
    return found


@pytest.mark.slow
@pytest.mark.parametrize("stretch", [1.5, 0.9])
def test_an_artery_is_pulled_and_pressed(tmp_path: Path, stretch: float) -> None:
    """Two families of fibres about the axis, sides free of force, of which one is much stiffer."""
    sides = root(lambda t: of_artery(np.array([stretch, *t]))[1:], [0.8, 0.9], tol=1e-12).x
    force = of_artery(np.array([stretch, *sides]))[0]
    pressure = {"kind": "pressure", "group": "xmax", "value": -force, "follows": False}
    tables = block(CUBE, [2, 1, 1], supports=ROLLERS, loads=[pressure])
    tables["bodies"] = [body("holzapfel_gasser_ogden", **ARTERY) | {"element": "hex8s"}]
    tables["analysis"] = {"kind": "static"}
    tables["probes"] = [{"name": axis, "group": f"{axis}max", "component": axis} for axis in "xyz"]
    found = run(tables, tmp_path)
    moved = [found.probes[axis].values[-1] for axis in "xyz"]
    assert moved == pytest.approx(np.array([stretch, *sides]) - 1.0, rel=1e-6)


def test_a_tube_is_blown_up_by_its_pressure(tmp_path: Path) -> None:
    """Of fixed length, neo-Hookean and nearly incompressible: Rivlin's pressure, integrated.

    ``p = mu int (r^2 / R^2 - R^2 / r^2) dr / r`` with ``r^2 - R^2`` the same everywhere
    (Philosophical Transactions A 242, 1949). The pressure follows the surface that it acts on; the
    hoop stress inside is ``mu (r^2 / R^2 - R^2 / r^2)`` more than the radial one.
    """
    mu, grown, outer = 1e6, 1.25, 2.0
    more = grown**2 - 1.0

    def apart(r: float) -> float:
        square = r**2 - more
        return mu * (r**2 / square - square / r**2)

    pressure = quad(lambda r: apart(r) / r, grown, np.sqrt(outer**2 + more))[0]
    found = run(
        {
            "mesh": {"block": {"cell": "quad8", "corners": [[1, 0], [2, 0], [2, 0.1], [1, 0.1]],
                               "divisions": [24, 1]}},
            "bodies": [{"name": "tube", "element": "quad8", "hypothesis": "axisymmetric",
                        "energy": "neo_hookean_isochoric",
                        "parameters": {"mu": mu, "kappa": 1e4 * mu, "density": 1000.0}}],
            "supports": [{"group": f"y{end}", "components": ["y"]} for end in ("min", "max")],
            "loads": [{"kind": "pressure", "group": "xmin", "value": pressure}],
            "probes": [
                {"name": "inside", "group": "xmin", "component": "x"},
                {"name": "hoop", "group": "xmin", "quantity": "stress", "component": "zz"},
                {"name": "radial", "group": "xmin", "quantity": "stress", "component": "xx"},
            ],
            "analysis": {"kind": "static"},
            "output": {"formats": ["csv"]},
        },
        tmp_path,
    )  # fmt: skip
    assert found.probes["inside"].values[-1] == pytest.approx(grown - 1.0, rel=2e-3)
    stresses = [found.probes[name].values[-1] for name in ("hoop", "radial")]
    assert stresses[0] - stresses[1] == pytest.approx(apart(grown), rel=1e-2)
