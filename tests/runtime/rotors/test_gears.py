# SPDX-License-Identifier: BSD-3-Clause
"""Gears in mesh on parallel shafts, against closed forms and matrices by hand.

The matrices of the pair are those of two rotors by beam theory, with displacements z and turns c
along and about the axis of every node, and of a spring between the pitch points: with the arm p
from a centre the displacement of a point there along e is ``e . u + (p x e) . r``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.model import load_model
from rotor_equations import Array, Bearing, Disc, Piece, Rotor
from shafts import apart, histories, response, roots

YOUNG, NU, DENSITY = 2.1e11, 0.3, 7850.0
SHEAR = YOUNG / (2 * (1 + NU))
FIRST, SECOND = 0.05, 0.08  # pitch radii, m
MESH, DAMPING = 2e8, 3e3
SUPPORT, DRAG = 6e7, 4e3  # of bearings
SPEED = 300.0
NORMAL = np.radians(20.0)
#: Both shafts: a gear at the middle node of three, another disc at the end.
ROTORS = [
    Rotor(
        [Piece(0.2, diameter)] * 2,
        [Disc(1, mass, 0.01 * mass, 0.015 * mass), Disc(2, 9.0, 0.04, 0.07)],
        [Bearing(node, SUPPORT * np.eye(2), DRAG * np.eye(2)) for node in (0, 2)],
        young=YOUNG, shear=SHEAR, density=DENSITY, kappa=6 * (1 + NU) / (7 + 6 * NU),
    )
    for diameter, mass in ((0.04, 4.0), (0.05, 7.0))
]  # fmt: skip
HELD = 1e9, 3e7  # springs along and about the axis at the first node of each, N/m and N m


def model(speed: float = SPEED, direction: float = 0.0, **mesh: Any) -> dict[str, Any]:
    """Return a model of the pair; the second shaft lies in a direction from the first, rad."""
    distance = FIRST + SECOND
    starts = [[0.0, 0.0, 0.0], [distance * np.cos(direction), distance * np.sin(direction), 0.0]]
    shafts, connectors = [], []
    for number, (rotor, start) in enumerate(zip(ROTORS, starts, strict=True)):
        name, piece = f"s{number}", rotor.pieces[0]
        spin = speed if number == 0 else -speed * FIRST / SECOND
        shafts.append({
            "name": name, "material": "steel", "start": start, "spin": {"velocity": spin},
            "segments": [{"length": 0.4, "diameter": piece.outer, "elements": 2}],
            "discs": [{"at": 0.2 * disc.node, "mass": disc.mass,
                       "inertia": [disc.diametral, disc.polar]} for disc in rotor.discs],
            "stations": {"left": 0.0, "gear": 0.2, "right": 0.4},
        })  # fmt: skip
        connectors += [
            {"name": f"b{number}{end}", "kind": "bearing", "at": f"{name}.{end}",
             "stiffness": SUPPORT, "damping": DRAG} for end in ("left", "right")
        ]  # fmt: skip
        along, about = HELD if number else (HELD[0], 0.0)
        connectors.append({"name": f"t{number}", "kind": "bushing", "at": f"{name}.left",
                           "stiffness": [0, 0, along, 0, 0, about]})  # fmt: skip
    teeth = {"name": "mesh", "kind": "gear_mesh", "between": ["s0.gear", "s1.gear"],
             "radii": [FIRST, SECOND], "stiffness": MESH, "damping": DAMPING}  # fmt: skip
    return {
        "materials": {"steel": {"young": YOUNG, "poisson": NU, "density": DENSITY}},
        "shafts": shafts,
        "connectors": [*connectors, teeth | mesh],
        "output": {"formats": ["csv"]},
    }  # fmt: skip


def line(direction: float, sense: float, pressure: float, helix: float) -> tuple[Array, Array]:
    """Return the push on the second gear, and the direction of its centre from the first."""
    s = np.array([np.cos(direction), np.sin(direction), 0.0])
    n = np.array([0.0, 0.0, 1.0])
    tangent = np.cos(helix) * np.cross(n, s) - np.sin(helix) * n
    return np.cos(pressure) * sense * tangent + np.sin(pressure) * s, s


def matrices(
    speed: float, direction: float = 0.0, pressure: float = NORMAL, helix: float = 0.0
) -> tuple[Array, Array, Array]:
    """Return M, C and K of the pair for x, y, a, b, z, c of six nodes."""
    m, c, k = np.zeros((3, 36, 36))
    for number, rotor in enumerate(ROTORS):
        turning = speed if number == 0 else -speed * FIRST / SECOND
        nodes = 18 * number + 6 * np.arange(3)
        across = (nodes[:, None] + np.arange(4)).ravel()
        for total, part in zip((m, c, k), rotor.matrices(turning), strict=True):
            total[np.ix_(across, across)] += part
        piece = rotor.pieces[0]
        for low, high in zip(nodes[:-1], nodes[1:], strict=True):
            for shift, stiff, inert in (
                (4, YOUNG * piece.area, DENSITY * piece.area),
                (5, SHEAR * 2 * piece.second, DENSITY * 2 * piece.second),
            ):
                ends = np.ix_([low + shift, high + shift], [low + shift, high + shift])
                k[ends] += stiff / piece.length * np.array([[1, -1], [-1, 1]])
                m[ends] += inert * piece.length / 6 * np.array([[2, 1], [1, 2]])
        for disc in rotor.discs:
            m[nodes[disc.node] + 4, nodes[disc.node] + 4] += disc.mass
            m[nodes[disc.node] + 5, nodes[disc.node] + 5] += disc.polar
        k[nodes[0] + 4, nodes[0] + 4] += HELD[0]
        k[nodes[0] + 5, nodes[0] + 5] += HELD[1] if number else 0.0
    row = teeth(*line(direction, np.sign(speed), pressure, helix))
    return m, c + DAMPING * np.outer(row, row), k + MESH * np.outer(row, row)


def teeth(push: Array, s: Array) -> Array:
    """Return the row of the approach of both pitch points along the line of action."""
    row = np.zeros(36)
    for gear, sign, arm in ((6, 1.0, FIRST * s), (24, -1.0, -SECOND * s)):
        turned = np.cross(arm, push)
        row[gear : gear + 6] = sign * np.array([*push[:2], *turned[:2], push[2], turned[2]])
    return row


def hand_roots(m: Array, c: Array, k: Array) -> Array:
    """Return the roots with positive imaginary parts, 1/s, by these."""
    rates = np.eye(72, k=36)
    rates[36:] = -np.linalg.solve(m, np.hstack([k, c]))
    found = np.linalg.eigvals(rates)
    found = found[found.imag > 1e-3 * abs(found)]
    return np.asarray(found[np.argsort(found.imag)])


@pytest.mark.parametrize(
    ("speed", "direction", "pressure", "helix"),
    [(SPEED, 0.0, NORMAL, 0.0), (-SPEED, 0.7, 0.4, 0.0), (SPEED, 2.5, 0.3, 0.35),
     (-SPEED, -1.2, 0.3, -0.5)],
)  # fmt: skip
def test_teeth_couple_torsion_with_bending(
    speed: float, direction: float, pressure: float, helix: float
) -> None:
    """Roots of spur and helical gears on flexible shafts, in both senses of rotation."""
    data = model(speed, direction, pressure_angle=pressure, helix_angle=helix)
    found = roots(data, 16)
    expected = hand_roots(*matrices(speed, direction, pressure, helix))
    assert apart(found, expected) < 1e-9
    loose = hand_roots(*matrices(speed, direction, pressure, -helix or 0.1))
    assert apart(found, loose) > 1e-6


def test_torsional_frequency_of_geared_shafts() -> None:
    """``w^2 = K (1/I1 + 1/(g^2 I2))`` with ``1/K = 1/k1 + 1/(g^2 k2) + 1/(k r1^2 cos^2 a)``.

    Discs at the ends of shafts of next to no mass, g = r1 / r2; bending is held.
    """
    data = model()
    data["materials"]["steel"]["density"] = 1.0
    held = ["x", "y", "z", "rx", "ry"]
    data["supports"] = [{"group": f"s{i}.{end}", "components": held}
                        for i in (0, 1) for end in ("left", "gear", "right")]  # fmt: skip
    data["connectors"] = data["connectors"][-1:]
    for shaft in data["shafts"]:
        shaft["discs"] = shaft["discs"][1:]
    ratio, inertia = FIRST / SECOND, ROTORS[0].discs[1].polar
    twist = [SHEAR * 2 * rotor.pieces[0].second / 0.2 for rotor in ROTORS]
    yields = 1 / twist[0] + 1 / (ratio**2 * twist[1]) + 1 / (MESH * (FIRST * np.cos(NORMAL)) ** 2)
    exact = np.sqrt((1 / inertia + 1 / (ratio**2 * inertia)) / yields)
    data["connectors"][0].pop("damping")
    found = roots(data, 2).imag
    assert found[0] < 1e-3 * exact  # both turn, in the ratio
    assert found[1] == pytest.approx(exact, rel=1e-6)


@pytest.mark.parametrize("speed", [SPEED, -SPEED])
def test_a_torque_presses_the_teeth_together(speed: float, tmp_path: Path) -> None:
    """``F = T / (r1 cos a cos b)`` pushes the second gear away and in its sense; bearings hold it.

    The torque on the second shaft is ``T r2 / r1``, against its spring.
    """
    helix, torque = 0.2, 50.0 * np.sign(speed)
    data = model(speed, 0.0, helix_angle=helix)
    data["loads"] = [{"kind": "moment", "group": "s0.right", "total": [0, 0, torque]}]
    data["probes"] = [
        {"name": f"{i}{end}{c}", "group": f"s{i}.{end}", "component": c}
        for i in (0, 1)
        for end in ("left", "right")
        for c in "xyz"
    ]
    data["analysis"] = {"kind": "static"}
    found = histories(data, tmp_path).ravel()[1:]
    shift = found[:12].reshape(2, 2, 3)
    force = abs(torque) / (FIRST * np.cos(NORMAL) * np.cos(helix))
    push, _ = line(0.0, np.sign(speed), NORMAL, helix)
    for gear, sign in ((0, -1.0), (1, 1.0)):
        held = SUPPORT * shift[gear, :, :2].sum(axis=0)
        assert np.allclose(held, sign * force * push[:2], rtol=1e-9, atol=1e-9 * force)
        assert HELD[0] * shift[gear, 0, 2] == pytest.approx(sign * force * push[2], rel=1e-9)
    assert push[0] > 0.0 and np.sign(push[1]) == np.sign(speed)
    # Both gears turn against the spin of the other: the support holds the second with it.
    forces = np.zeros(36)
    forces[17] = torque
    by_hand = np.linalg.solve(matrices(speed, helix=helix)[2], forces).reshape(2, 3, 6)
    assert np.allclose(shift, by_hand[:, ::2, [0, 1, 4]], rtol=1e-9, atol=1e-9 * abs(shift).max())
    assert HELD[1] * by_hand[1, 0, 5] == pytest.approx(-torque * SECOND / FIRST, rel=1e-9)


def test_unbalance_shakes_both_shafts(tmp_path: Path) -> None:
    """Amplitudes and phases over the speed are those of matrices by hand at each speed."""
    data = model(1.0)
    data["loads"] = [{"kind": "unbalance", "group": "s0.right", "unbalance": 1e-4,
                      "orientation": [1, 0, 0]}]  # fmt: skip
    data["probes"] = [{"name": f"{i}{c}", "group": f"s{i}.gear", "component": c}
                      for i in (0, 1) for c in "xy"]  # fmt: skip
    data["analysis"] = {"kind": "harmonic", "speeds": [100.0, 400.0, 900.0]}
    speeds, found = response(data, tmp_path)
    for speed, some in zip(speeds, found, strict=True):
        m, c, k = matrices(speed)
        force = np.zeros(36, dtype=complex)
        force[12:14] = 1e-4 * speed**2 * np.array([1.0, -1.0j])
        q = np.linalg.solve(k + 1j * speed * c - speed**2 * m, force)
        assert np.allclose(some, q[[6, 7, 24, 25]], rtol=1e-8, atol=1e-10 * abs(q).max())
        assert abs(q[24]) > 1e-3 * abs(q[6])


def test_a_campbell_diagram_keeps_the_ratio(tmp_path: Path) -> None:
    """Frequencies over the speed are those by hand, with both shafts at their speeds."""
    data = model(1.0) | {"analysis": {"kind": "modes", "speeds": [100.0, 600.0], "count": 12}}
    campbell = load_model(data).run(output=tmp_path).campbell
    assert campbell is not None
    for speed in (100.0, 600.0):
        at = campbell["speeds_rad_s"].index(speed)
        each = [mode["frequency_Hz"][at] for mode in campbell["modes"]]
        found = 2.0 * np.pi * np.array([one for one in each if one is not None])
        assert len(found) >= 12
        assert apart(found, hand_roots(*matrices(speed)).imag) < 1e-8


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"radii": [FIRST, FIRST]}, r"radii: found 0\.05 and 0\.05, together 0\.1 m, with"),
        ({"radii": [SECOND, FIRST]}, r"radii: found 300 and -187\.5 rad/s .* and -480 rad/s"),
        ({"between": ["s0.gear", "s1.right"]}, r"between: found nodes 0\.2 m apart along the axis"),
        ({"axis": [0, 1, 0]}, r"axis: found the axes .* parallel axes"),
        ({"between": None, "at": "s0.gear"}, r"at: found a node and the frame"),
        ({"pressure_angle": "90 deg"}, r"pressure_angle: found 1\.5708 rad"),
        ({"helix_angle": "-95 deg"}, r"helix_angle: found -1\.65806 rad"),
    ],
)  # fmt: skip
def test_what_does_not_mesh_is_refused(change: dict[str, Any], told: str, tmp_path: Path) -> None:
    """Radii, speeds, places and axes that do not fit are named."""
    data = model(SPEED, **change)
    teeth = data["connectors"][-1]
    data["connectors"][-1] = {key: one for key, one in teeth.items() if one is not None}
    with pytest.raises(InputError, match=rf"connectors\[6\]\.{told}"):
        load_model(data | {"analysis": {"kind": "modes"}}).run(output=tmp_path)


def test_shafts_across_each_other_and_shafts_at_rest_are_refused(tmp_path: Path) -> None:
    """Axes that are not parallel, and a spin beside a shaft without one."""
    data = model() | {"analysis": {"kind": "modes"}}
    data["shafts"][1] |= {"axis": [0, 1, 0], "start": [FIRST + SECOND, -0.2, 0.2]}
    with pytest.raises(InputError, match=r"\.between: found the axes .* parallel axes"):
        load_model(data).run(output=tmp_path)
    data = model() | {"analysis": {"kind": "modes"}, "mesh": {"points": {"wheel": [0.13, 0, 0.2]}}}
    data["shafts"], data["connectors"] = data["shafts"][:1], data["connectors"][-1:]
    data["connectors"][0]["between"] = ["s0.gear", "wheel"]
    data["masses"] = [{"name": "wheel", "group": "wheel", "mass": 2.0, "inertia": [0.1, 0.1, 0.2]}]
    with pytest.raises(InputError, match="found no spin at the second node"):
        load_model(data).run(output=tmp_path)
    del data["masses"][0]["inertia"]
    with pytest.raises(InputError, match="'wheel' has no rotations"):
        load_model(data).run(output=tmp_path)
