# SPDX-License-Identifier: BSD-3-Clause
"""Rotors in closed form: a disc on a shaft without mass, in its middle or at its end.

The shaft obeys Timoshenko's theory: under a force at its middle between two bearings a distance l
apart it yields ``l^3 / 48 EI + l / 4 kGA``.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from rotor_equations import Bearing, Disc, Piece, Rotor
from shafts import Tables, apart, histories, on, probes, response, roots, tables, unbalance

LENGTH, MASS, AMOUNT = 1.2, 20.0, 2e-3
PIECE = Piece(LENGTH / 2, 0.04)
#: Of a density that changes no digit of what is asserted.
LIGHT = Rotor([PIECE, PIECE], [Disc(1, MASS, 0.1, 0.18)], density=1e-9)
BENDING, SHEARING = LIGHT.young * PIECE.second, LIGHT.kappa * LIGHT.shear * PIECE.area
STIFFNESS = 1.0 / (LENGTH**3 / (48 * BENDING) + LENGTH / (4 * SHEARING))
NATURAL = np.sqrt(STIFFNESS / MASS)
PINNED: list[Tables] = [
    {"group": "#0", "components": ["x", "y", "z", "rz"]},
    {"group": "#2", "components": ["x", "y"]},
]
MIDDLE: Tables = {"loads": [unbalance(1, AMOUNT, "30 deg")], "probes": probes(1)}


def pinned(damping: float = 0.0, inner: float = 0.0) -> Rotor:
    """Return a disc on a shaft with a damper at the disc; ``inner`` is its own damping."""
    damper = [Bearing(1, damping=damping * np.eye(2))] if damping else []
    return replace(LIGHT, bearings=damper, beta=inner / STIFFNESS)


def test_a_critical_speed_is_passed_with_damping(tmp_path: Path) -> None:
    """``r = u W^2 exp(i phase) / (k - m W^2 + i c W)``: ahead of it the mass is outside, then in.

    Damping of the shaft does nothing, as it turns bent as it is.
    """
    drag = 2 * 0.05 * MASS * NATURAL
    speeds = (NATURAL * np.array([0.1, 0.8, 0.99, 1.0, 1.01, 1.3, 5.0])).tolist()
    analysis = {"kind": "harmonic", "speeds": speeds}
    data = tables(pinned(drag, inner=drag), 1.0, analysis=analysis, **MIDDLE)
    w, found = response(data | {"supports": PINNED}, tmp_path)
    radius = AMOUNT * w**2 / (STIFFNESS - MASS * w**2 + 1j * drag * w)
    turned = radius * np.exp(1j * np.pi / 6)
    assert np.allclose(found[:, 0], turned, rtol=5e-12, atol=0.0)
    assert np.allclose(found[:, 1], -1j * turned, rtol=5e-12, atol=0.0)
    lag = -np.degrees(np.angle(found[:, 0])) + 30.0
    assert lag[0] < 1.0 and lag[3] == pytest.approx(90.0, abs=1e-6) and lag[-1] > 178.0


@pytest.mark.parametrize("sense", [1.0, -1.0])
def test_damping_of_the_shaft_drives_whirl_above_a_threshold(sense: float) -> None:
    """``m r'' + (c_e + c_i) r' + (k - i W c_i) r = 0`` grows from ``W = w_n (1 + c_e / c_i)`` on.

    Tondl, Some Problems of Rotor Dynamics (1965); there the root is ``i w_n``.
    """
    outer, inner = 40.0, 25.0
    threshold = NATURAL * (1.0 + outer / inner)
    growths = []
    for part in (0.5, 0.999, 1.0, 1.001, 2.0):
        w = part * threshold
        found = roots(tables(pinned(outer, inner), sense * w, supports=PINNED), 2)
        both = np.roots([MASS, outer + inner, STIFFNESS - 1j * w * inner])
        assert apart(np.where(both.imag < 0.0, both.conj(), both), found) < 2e-13
        growths.append(float(found.real.max()) / NATURAL)
    assert growths[0] < growths[1] < -1e-6 and 1e-6 < growths[3] < growths[4]
    assert abs(growths[2]) < 1e-10


def test_whirl_is_backward_between_the_speeds_of_unequal_bearings(tmp_path: Path) -> None:
    """``x = u W^2 / (kx - m W^2)`` and ``y = -i u W^2 / (ky - m W^2)`` of the disc.

    Smith, Proc. Roy. Soc. A 142 (1933): the disc whirls backward where one is above its resonance.
    """
    below = np.array([3e5, 8e5])
    k = 1.0 / (1.0 / STIFFNESS + 0.5 / below)
    critical = np.sqrt(k / MASS)
    speeds = np.array([0.5 * critical[0], 0.5 * critical.sum(), 2.0 * critical[1]])
    analysis = {"kind": "harmonic", "speeds": speeds.tolist()}
    data = tables(on(LIGHT, below, nodes=(0, 2)), 1.0, analysis=analysis, **MIDDLE)
    _, found = response(data, tmp_path)
    turned = AMOUNT * speeds**2 * np.exp(1j * np.pi / 6)
    expected = [turned * factor / (one - MASS * speeds**2)
                for factor, one in zip((1.0, -1j), k, strict=True)]  # fmt: skip
    assert np.allclose(found, np.array(expected).T, rtol=3e-12, atol=0.0)
    forward = np.sign((np.conj(found[:, 0]) * found[:, 1]).imag) * -1.0
    assert forward.tolist() == [1.0, -1.0, 1.0]


@pytest.mark.parametrize("speed", [0.0, 200.0, 1500.0])
def test_whirl_of_an_overhung_disc(speed: float) -> None:
    """``(k11 - m w^2)(k22 - Id w^2 + Ip W w) = k12^2``: w > 0 forward, w < 0 backward.

    Den Hartog, Mechanical Vibrations (1956), section 6.11; stiffnesses of a cantilever that shears.
    """
    disc = Disc(1, MASS, 0.4, 0.75)
    yields = [[PIECE.length**3 / (3 * BENDING) + PIECE.length / SHEARING,
               PIECE.length**2 / (2 * BENDING)], [0.0, PIECE.length / BENDING]]  # fmt: skip
    yields[1][0] = yields[0][1]
    k = np.linalg.inv(yields)
    first = np.polynomial.Polynomial([k[0, 0], 0.0, -MASS])
    second = np.polynomial.Polynomial([k[1, 1], disc.polar * speed, -disc.diametral])
    exact = (first * second - k[0, 1] ** 2).roots()
    rotor = replace(LIGHT, pieces=[PIECE], discs=[disc])
    found = roots(tables(rotor, speed, supports=[{"group": "#0"}]), 6)
    assert apart(1j * np.abs(exact), found) < 2e-13


@pytest.mark.parametrize("speed", [0.0, 500.0])
def test_weight_bends_a_rotor_on_its_bearings(speed: float, tmp_path: Path) -> None:
    """``m g / k`` of the shaft, and half of m g on each bearing, whose springs are coupled.

    Bearings are neither rigid nor weightless supports: ``k u = f`` with an unsymmetric k. The mass
    of a bearing has no weight.
    """
    law = np.array([[3e6, 4e5], [-9e5, 2e6]])
    seal = Bearing(1, mass=5.0 * np.eye(2))
    rotor = on(LIGHT, law, 1e3, nodes=(0, 2))
    rotor = replace(rotor, bearings=[*rotor.bearings, seal])
    weight = [{"kind": "gravity", "acceleration": [0, -9.81, 0]}]
    data = tables(rotor, speed, loads=weight, probes=probes(0, 1), analysis={"kind": "static"})
    found = histories(data, tmp_path).ravel()[1:]
    force = np.array([0.0, -MASS * 9.81])
    ends = np.linalg.solve(law, force / 2)
    expected = np.concatenate([ends, ends + force / STIFFNESS])
    assert np.abs(found - expected).max() < 5e-12 * np.abs(expected).max()
