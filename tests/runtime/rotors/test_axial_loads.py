# SPDX-License-Identifier: BSD-3-Clause
"""Axial forces and torques in shafts: closed forms between hinges, and matrices by beam theory."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.statics.buckling import buckling
from flexforge.runtime.statics.stress_state import stress_at
from flexforge.runtime.system.loads import Loads
from models import build
from rotor_equations import Array, Piece, Rotor
from scipy.linalg import expm
from scipy.optimize import brentq
from shafts import (
    KAPPA,
    TWO_DISCS,
    Tables,
    apart,
    histories,
    on,
    probes,
    response,
    roots,
    run,
    tables,
    unbalance,
)

LENGTH = 1.2
EULER = LENGTH / np.pi  # 1/k of the first mode between hinges
#: Axial forces are those of the loads; in a steady state they are N with ``N (1 + N / E A) = P``.
AS_GIVEN = {"prestress": "linear"}


def bare(count: int) -> Rotor:
    """Return a shaft without discs, of equal elements."""
    return Rotor([Piece(LENGTH / count, 0.05)] * count, kappa=KAPPA)


def hinged(rotor: Rotor, axis: str = "z") -> list[Tables]:
    """Return supports that hold a shaft at its ends, and let it turn across its axis."""
    across = [c for c in "xyz" if c != axis]
    last = f"#{len(rotor.pieces)}"
    return [{"group": "#0", "components": [*across, axis, f"r{axis}"]},
            {"group": last, "components": across}]  # fmt: skip


def loaded(node: int, tension: float = 0.0, torque: float = 0.0, along: int = 2) -> list[Tables]:
    """Return an axial force and a torque at a node."""
    n = np.eye(3)[along]
    both = (("force", tension), ("moment", torque))
    return [{"kind": kind, "group": f"#{node}", "total": (size * n).tolist()}
            for kind, size in both if size]  # fmt: skip


def carrying(rotor: Rotor, tension: float, torque: float, to: int | None = None) -> Rotor:
    """Return a rotor by beam theory whose pieces from its beginning to a node carry loads."""
    pieces = [
        replace(piece, tension=tension, torque=torque) if to is None or number < to else piece
        for number, piece in enumerate(rotor.pieces)
    ]
    return replace(rotor, pieces=pieces)


def whirl(rotor: Rotor, tension: float, speed: float) -> Array:
    """Return frequencies of shapes ``sin k z``, forward ones positive, rad/s.

    ``m x'' = kGA (x'' - b') + P x''`` and ``rho I (b'' - 2 i W b') = (E I + P I / A) b'' +
    kGA (x' - b)`` of the complex x and b, ``exp(i w t)``.
    """
    piece, k = rotor.pieces[0], 1.0 / EULER
    stiff = rotor.kappa * rotor.shear * piece.area
    bending = rotor.young * piece.second + tension * piece.second / piece.area
    mass, inertia = rotor.density * piece.area, rotor.density * piece.second
    first = np.polynomial.Polynomial([(stiff + tension) * k**2, 0.0, -mass])
    second = np.polynomial.Polynomial([bending * k**2 + stiff, 2.0 * inertia * speed, -inertia])
    return np.asarray(np.sort((first * second - (stiff * k) ** 2).roots().real))


@pytest.mark.parametrize("speed", [0.0, 900.0, -900.0])
@pytest.mark.parametrize("share", [0.8, -0.5])
def test_axial_force_changes_whirl_as_in_closed_form(share: float, speed: float) -> None:
    """Forward and backward whirl of a Timoshenko shaft between hinges, under tension and thrust."""
    force = share * bare(1).young * bare(1).pieces[0].second / EULER**2
    expected = np.sort(np.abs(whirl(bare(1), force, speed)))[:2]
    errors = []
    for count in (8, 16):
        rotor = bare(count)
        loads = loaded(count, force)
        data = tables(rotor, speed, supports=hinged(rotor), loads=loads, include=AS_GIVEN)
        errors.append(np.abs(roots(data, 2).imag / expected - 1.0).max())
    assert errors[1] < 1.3e-5 and errors[0] / errors[1] > 5.0


@pytest.mark.parametrize("sense", [1.0, -1.0])
@pytest.mark.parametrize("axis", ["x", "z"])
@pytest.mark.parametrize(
    ("element", "count", "margin"), [("euler_beam", 16, 1e-4), ("timoshenko_beam", 64, 1e-3)]
)
def test_a_shaft_buckles_at_greenhills_torque(
    element: str, count: int, margin: float, axis: str, sense: float
) -> None:
    """Between two bearings ``2 pi E I / l``, whatever the shear: Greenhill, Proc. IMechE (1883)."""
    rotor = bare(count)
    torque = sense * 2.0 * np.pi * rotor.young * rotor.pieces[0].second / LENGTH
    along = "xyz".index(axis)
    values = []
    for share in (1.0 - margin, 1.0 + margin):
        data = tables(rotor, 0.0, axis=np.eye(3)[along].tolist(), supports=hinged(rotor, axis),
                      loads=loaded(count, torque=share * torque, along=along))  # fmt: skip
        values.append(roots(of(element, data), 1)[0])
    assert abs(values[0].real) < 1e-6 * abs(values[0])
    assert abs(values[1].real) > 1e6 * abs(values[1].imag)


def of(element: str, data: Tables) -> Tables:
    """Return a model whose bodies are of an element."""
    for body in data["bodies"]:
        body["element"] = element
        if element == "euler_beam":
            del body["section"]["shear_y"], body["section"]["shear_z"]
    return data


@pytest.mark.parametrize(
    ("held", "root", "bound"),
    [("hinged", (1.6, 3.1, 3.0), 1.1e-5), ("clamped", (4.0, 4.7, -1.0), 1.5e-4)],
)
def test_a_beam_at_rest_buckles_by_semitangential_torques(
    held: str, root: tuple[float, float, float], bound: float
) -> None:
    """``2 h E I / l`` with ``tan h = -h / 3`` between hinges, ``tan h = h`` between clamps."""
    low, high, factor = root
    h = brentq(lambda h: factor * np.sin(h) + h * np.cos(h), low, high)
    found = []
    for count in (8, 16):
        rotor = bare(count)
        data = tables(rotor, 0.0, loads=loaded(count, torque=1.0))
        for body in data["bodies"]:
            del body["spin"]
        data["supports"] = hinged(rotor)
        if held == "clamped":
            turns = ["x", "y", "rx", "ry"]
            data["supports"] = [{"group": "#0"}, {"group": f"#{count}", "components": turns}]
        data = of("euler_beam", data) | {"analysis": {"kind": "buckling"}}
        spec = model_from_dict(data, folder=Path())
        places = build(spec)
        stressed = stress_at(places.system, Loads(spec, places), "buckling", "auto", 0.0)
        found.append(buckling(stressed.system, 1, "auto").factors[0])
    exact = 2.0 * h * rotor.young * rotor.pieces[0].second / LENGTH
    errors = np.abs(np.array(found) / exact - 1.0)
    assert errors[1] < bound and errors[0] / errors[1] > 14.0


@pytest.mark.parametrize("speed", [0.0, 400.0, -400.0])
@pytest.mark.parametrize("torque", [3e5, -3e5])
def test_whirl_under_torque_is_that_of_matrices_by_hand(torque: float, speed: float) -> None:
    """All roots of a damped rotor with two discs, whose torque goes from a bearing to a disc.

    Zorzi, Nelson, J. Mech. Design 102 (1980), 158; bearings are unsymmetric.
    """
    law = np.array([[3e7, 5e6], [-2e6, 2e7]])
    rotor = replace(on(TWO_DISCS, law, 2e3), beta=2e-5)
    data = tables(rotor, speed, loads=loaded(4, 4e5, torque), include=AS_GIVEN)
    found = roots(data, 12)  # of torsion too
    by_hand = carrying(rotor, 4e5, torque, to=4)
    assert apart(by_hand.roots(speed)[:6], found) < 1e-11
    for other in (0.0, -torque):
        assert apart(carrying(rotor, 4e5, other, to=4).roots(speed)[:6], found) > 1e-2


def test_torque_at_a_free_end_makes_vibrations_grow() -> None:
    """The work of a torque that stays along the axis depends on the way: an end free to turn."""
    rotor = bare(4)
    torque = 1e-2 * rotor.young * rotor.pieces[0].second / LENGTH
    data = tables(rotor, 0.0, supports=[{"group": "#0"}], loads=loaded(4, torque=torque))
    found = roots(data, 2)
    m, _, k = (one[4:, 4:] for one in carrying(rotor, 0.0, torque).matrices(0.0))
    squares = np.linalg.eigvals(-np.linalg.solve(m, k))
    expected = np.sqrt(squares[np.argsort(abs(squares))[:2]])
    assert found.real.max() > 1e-4 * abs(found[0])
    assert found.real.max() == pytest.approx(abs(expected.real).max(), rel=1e-6)


def test_torque_is_in_a_campbell_diagram(tmp_path: Path) -> None:
    """Frequencies over the speed are those at single speeds, by beam theory."""
    rotor = on(TWO_DISCS, 2e7, 1e3)
    speeds = [0.0, 150.0, 300.0]
    analysis = {"kind": "modes", "speeds": speeds, "count": 10}
    data = tables(rotor, 1.0, loads=loaded(6, -2e5, 2e5), analysis=analysis, include=AS_GIVEN)
    campbell = run(data, tmp_path).campbell
    assert campbell is not None
    by_hand = carrying(rotor, -2e5, 2e5)
    for speed in speeds:
        at = campbell["speeds_rad_s"].index(speed)
        each = [mode["frequency_Hz"][at] for mode in campbell["modes"]]
        found = np.array([one for one in each if one is not None])
        expected = by_hand.roots(speed).imag[:6] / (2.0 * np.pi)
        assert apart(expected, found) < 1e-9


def test_responses_to_unbalance_know_loads_of_the_state(tmp_path: Path) -> None:
    """Amplitudes over the speed under an axial force and a torque, by beam theory."""
    rotor, tension, torque = on(TWO_DISCS, 2e7, 1e3), -2e5, 2e5
    state = [one | {"preload": True} for one in loaded(6, tension, torque)]
    analysis = {"kind": "harmonic", "speeds": [50.0, 120.0, 300.0]}
    data = tables(rotor, 1.0, loads=[*state, unbalance(2, 1e-3)], probes=probes(2),
                  analysis=analysis, include=AS_GIVEN)  # fmt: skip
    by_hand = carrying(rotor, tension, torque)
    for speed, found in zip(*response(data, tmp_path), strict=True):
        expected = by_hand.vibration(speed, speed**2 * by_hand.unbalanced(2, 1e-3))
        assert np.allclose(found, expected[by_hand.at(2)], rtol=1e-10, atol=0.0)


def test_motion_in_time_under_a_torque(tmp_path: Path) -> None:
    """A rotor that moves along y at first: ``exp(A t)`` of its velocities, by beam theory."""
    rotor, torque, speed = on(TWO_DISCS, 2e7, 1e3), 2e4, 200.0
    analysis = {"kind": "transient", "method": "gauss4", "duration": 0.04, "step": 1e-4}
    data = tables(rotor, speed, loads=loaded(6, torque=torque), probes=probes(2),
                  analysis=analysis, initial=[{"velocity": [0, 0.1, 0]}],
                  include={"prestress": "steady"})  # fmt: skip
    times, *found = histories(data, tmp_path).T
    for carried in (torque, -torque):
        m, c, k = carrying(rotor, 0.0, carried).matrices(speed)
        size = len(m)
        rates = np.eye(2 * size, k=size)
        rates[size:] = -np.linalg.solve(m, np.hstack([k, c]))
        start = np.zeros(2 * size)
        start[size + 1 :: 4] = 0.1
        errors = []
        for time in (0.01, 0.04):
            expected = (expm(rates * time) @ start)[rotor.at(2)]
            now = np.array(found)[:, np.argmin(abs(times - time))]
            errors.append(np.abs(now - expected).max() / np.abs(expected).max())
        assert max(errors) < 1e-6 if carried == torque else min(errors) > 1e-2
