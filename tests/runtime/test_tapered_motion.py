# SPDX-License-Identifier: BSD-3-Clause
"""Beams whose section varies, in motion: mass, frequencies, spin, tension of rotation, exports."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from flexforge.model import load_model
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.system.body import Combination
from flexforge.runtime.system.construct import build_mesh, build_system
from scipy.optimize import brentq
from scipy.special import iv, jv, kv, yv
from tapered import (
    CONE,
    LENGTH,
    NARROW,
    STEEL,
    WIDE,
    area,
    beam,
    inertia,
    integral,
    line,
    slices,
)

E, RHO = STEEL["young"], STEEL["density"]
ROUND = {"shape": "round", "diameter": CONE, "orientation": [0.0, 1.0, 0.0]}


def body_of(data: dict[str, Any]) -> Any:
    """Return the first body of a model, with its matrices."""
    spec = model_from_dict(data)
    return build_system(spec, build_mesh(spec)).system.bodies[0]


def frequencies(data: dict[str, Any], count: int = 4) -> Any:
    """Return frequencies of a model, Hz."""
    figures = (
        load_model(data | {"analysis": {"kind": "modes", "count": count}}).run(output=None).figures
    )
    return np.array([figures[f"mode {k + 1}"][0] for k in range(count)])


def pointed(power: int) -> float:
    """Return w l^2 sqrt(rho A0 / E I0) of a clamped wedge (1) or cone (2) with a sharp tip.

    Kirchhoff (Monatsberichte der Akademie Berlin 1879, 815): with z^2 = 4 w l^2 sqrt(..) the
    deflection is x^(-n/2) (a J_n + b I_n)(z sqrt(x/l)), so that J_n I_n+1 + I_n J_n+1 vanishes.
    """
    n = power
    root = brentq(lambda z: jv(n, z) * iv(n + 1, z) + iv(n, z) * jv(n + 1, z), 3.0, 7.0)
    return float(root**2 / 4)


@pytest.mark.parametrize(("power", "known"), [(1, 5.315), (2, 8.719)])
def test_a_pointed_cantilever_vibrates_as_kirchhoff_says(power: int, known: float) -> None:
    """A slender wedge and a cone, sharp at the tip, in Euler's limit: Bessel functions."""
    assert pointed(power) == pytest.approx(known, abs=1e-3)
    thin = 1e-3
    taper = f"{thin}*(1 - x/{LENGTH})"
    section: dict[str, Any] = {"shape": "round", "diameter": taper}
    gyration = thin / 4  # sqrt(I/A) at the root
    if power == 1:
        section = {"shape": "rectangle", "width": 2 * thin, "height": taper}
        gyration = thin / np.sqrt(12)
    data = beam(section, 24)
    # The rectangle bends first across its height; the width makes the other plane stiffer.
    found = 2 * np.pi * frequencies(data, 1)[0]
    scale = gyration * np.sqrt(E / RHO) / LENGTH**2
    assert found / scale == pytest.approx(pointed(power), rel=1e-5)


def test_a_truncated_cone_vibrates_as_bessel_functions_say() -> None:
    """A slender cone, clamped at its thick end: its first two frequencies in Euler's limit.

    With x from the apex the deflection is a sum of (J_2, Y_2, I_2, K_2)(2 sqrt(k x)) / x, where k^2
    = 16 w^2 rho / (E t^2), t the change of the diameter per length (Kirchhoff, as above).
    """
    thin = 1e-2
    slope = (WIDE - NARROW) / LENGTH
    places = NARROW / slope, WIDE / slope

    def determinant(k: float) -> float:
        tip, root = (2 * np.sqrt(k * x) for x in places)
        rows = [
            [jv(4, tip), yv(4, tip), iv(4, tip), kv(4, tip)],  # no moment at the tip
            [jv(3, tip), yv(3, tip), iv(3, tip), -kv(3, tip)],  # and no shear force
            [jv(2, root), yv(2, root), iv(2, root), kv(2, root)],
            [-jv(3, root), -yv(3, root), iv(3, root), -kv(3, root)],
        ]
        return float(np.linalg.det(rows))

    grid = np.linspace(0.5, 30.0, 300)
    signs = np.sign([determinant(k) for k in grid])
    changes = np.flatnonzero(signs[1:] != signs[:-1])[:2]
    wanted = [
        brentq(determinant, grid[i], grid[i + 1]) * thin * slope / 4 * np.sqrt(E / RHO)
        for i in changes
    ]
    data = beam(ROUND | {"diameter": f"{thin}*({CONE})"}, 24)
    found = 2 * np.pi * frequencies(data)[[0, 2]]  # of both planes
    np.testing.assert_allclose(found, wanted, rtol=1e-5)


def test_mass_centre_and_inertia_of_a_frustum() -> None:
    """The mass matrix of a cone for rigid motions: those of the volume, to round-off."""
    body = body_of(beam(ROUND, 3))
    mass = integral(lambda x: RHO * area(x))
    centre = integral(lambda x: RHO * area(x) * x)
    about = integral(lambda x: 2 * RHO * inertia(x))
    across = integral(lambda x: RHO * (area(x) * x**2 + inertia(x)))
    assert body.total_mass == pytest.approx(mass, rel=1e-13)
    np.testing.assert_allclose(body.first_moment, [centre, 0, 0], rtol=1e-13, atol=1e-12)
    matrix = body.blocks(Combination(0.0, np.eye(3), np.zeros(0))).toarray()
    points = len(body.part.points)
    found = []
    for w in np.eye(3):
        turn = np.concatenate([np.cross(w, body.part.points), np.tile(w, (points, 1))]).ravel()
        found.append(turn @ matrix @ turn)
    np.testing.assert_allclose(found, [about, across, across], rtol=1e-12)


@pytest.mark.filterwarnings("ignore:.*m wide or thick")
def test_a_spinning_cone_whirls_as_many_slices() -> None:
    """Forward and backward whirl of a cone in axes at rest, beside slices; both are extrapolated.

    Errors of thick beams are of the second order: (4 f(2 n) - f(n)) / 3 has those of the fourth.
    """
    spin = {"axis": [1.0, 0.0, 0.0], "velocity": 2500.0}
    found, wanted = (
        (4 * frequencies(of(24)) - frequencies(of(12))) / 3
        for of in (lambda n: beam(ROUND, n, spin=spin), lambda n: slices(n, spin=spin))
    )
    assert found[1] / found[0] > 1.01  # the spin splits the pair
    np.testing.assert_allclose(found, wanted, rtol=2e-5)


def test_tension_of_a_blade_that_turns() -> None:
    """A tapered blade on a hub: its tip moves by the integral of the tension over EA, N by hand.

    N = int_x^l rho A W^2 (r + x'), and the softening of what moves outward is less than W^2/w^2 of
    it, w the lowest frequency along the blade; the linear theory without it is taken.
    """
    hub, speed = 0.3, 50.0
    places = np.linspace(0.0, LENGTH, 5).tolist()
    data = beam(ROUND, 4, frame={"point": [-hub, 0.0, 0.0], "axis": [0.0, 0.0, 1.0],
                                 "velocity": speed}) | {"mesh": line(places)}  # fmt: skip
    data["probes"] = [{"name": "x", "group": "tip", "component": "x"}]
    data["output"] = {"formats": ["csv"]}

    def tension(x: float) -> float:
        return integral(lambda s: RHO * area(s) * speed**2 * (hub + s), x, LENGTH)

    wanted = integral(lambda x: tension(x) / (E * area(x)))
    found = load_model(data).run(output=None).probes["x"].values[-1]
    softer = (speed * LENGTH) ** 2 / (E / RHO)  # of the order of this, relative
    assert found == pytest.approx(wanted, rel=2 * softer)


@pytest.mark.filterwarnings("ignore:.*m wide or thick")
def test_a_turning_blade_stiffens_as_many_slices() -> None:
    """Lag and flap of a tapered blade under the tension of its rotation; slices beside."""
    frame = {"point": [-0.3, 0.0, 0.0], "axis": [0.0, 0.0, 1.0], "velocity": 300.0}
    still = frequencies(beam(ROUND, 24), 2)
    found, wanted = (
        (4 * frequencies(of(24)) - frequencies(of(12))) / 3
        for of in (lambda n: beam(ROUND, n, frame=frame), lambda n: slices(n, frame=frame))
    )
    assert found[1] / still[0] > 1.2  # flap, by the tension; lag loses the speed's square
    np.testing.assert_allclose(found, wanted, rtol=2e-5)


@pytest.mark.slow
@pytest.mark.parametrize("element", ["euler_beam", "euler_beam_plane", "timoshenko_beam_plane"])
def test_the_other_beams_of_a_cone(element: str) -> None:
    """In the plane, and after Euler: Kirchhoff's pointed cone, with and without rotary inertia.

    A thin cone has so little of it that both agree with the limit.
    """
    plane = element.endswith("plane")
    section = {"shape": "round", "diameter": f"1e-3*(1 - x/{LENGTH})"}
    for rotary in (True, False) if element.startswith("euler") else (True,):
        data = beam(section, 24, element=element, rotary_inertia=rotary)
        data["mesh"] = line(np.linspace(0.0, LENGTH, 25).tolist(), [1.0, 0.0, 0.0][: 3 - plane])
        found = 2 * np.pi * frequencies(data, 1)[0]
        scale = 1e-3 / 4 * np.sqrt(E / RHO) / LENGTH**2
        assert found / scale == pytest.approx(pointed(2), rel=1e-5)
