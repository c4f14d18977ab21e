# SPDX-License-Identifier: BSD-3-Clause
"""Beams with an energy that move: inertia of turned sections, frames, vibrations of spun blades."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import flexforge as ff
import numpy as np
import pytest
from flexforge.runtime.system.rotation_vectors import between, composed, skews, slopes
from flexforge.runtime.system.turned_sections import (
    accelerated,
    carried_along,
    moments_of,
    resisted,
    rotated,
)
from large import run
from marks import slow
from scipy.integrate import solve_ivp
from scipy.linalg import expm
from scipy.spatial.transform import Rotation
from turned_rods import body, rod

THICK = {"shape": "rectangle", "width": 0.1, "height": 0.06}


def test_moments_are_those_of_points_that_accelerate() -> None:
    """Points of a body that turns in a turning frame; their paths are differentiated twice."""
    rng = np.random.default_rng(1)
    places, masses = rng.standard_normal((6, 3)), rng.uniform(0.5, 2.0, 6)
    turn, spin, rate, w, e = rng.standard_normal((5, 3))

    def exponential(vector: np.ndarray) -> np.ndarray:
        return np.asarray(expm(skews(vector[None])[0]))

    def moved(t: float) -> np.ndarray:
        frame = exponential(w * t + 0.5 * e * t**2)
        return np.asarray(
            places @ (frame @ exponential(spin * t + 0.5 * rate * t**2) @ exponential(turn)).T
        )

    h = 1e-3
    near, far = (moved(k * h) + moved(-k * h) for k in (1, 2))
    acceleration = (16.0 * near - far - 30.0 * moved(0.0)) / (12.0 * h**2)
    moment = masses @ np.cross(moved(0.0), acceleration)
    second = np.einsum("p,pi,pj->ij", masses, places, places)
    (frame,), (euler,) = skews(w[None]), skews(e[None])
    accelerations = accelerated(frame @ frame + euler, 2.0 * frame, spin[None], rate[None])
    (found,) = moments_of(rotated(second[None], turn[None]), accelerations)
    assert found == pytest.approx(moment, rel=1e-8)


def test_matrices_of_turned_mass_are_derivatives_of_its_moments() -> None:
    """By accelerations of turns, and by turns at rest in a frame that turns."""
    rng = np.random.default_rng(2)
    places = rng.standard_normal((4, 3))
    second, block = (places.T @ places)[None], rng.standard_normal((3, 3))
    small, none = 1e-6 * rng.standard_normal((1, 3)), np.zeros((1, 3))
    inertia = sum((r @ r) * np.eye(3) - np.outer(r, r) for r in places)
    assert resisted(second, np.eye(3))[0] == pytest.approx(inertia, rel=1e-13)
    at_rest = [moments_of(rotated(second, s * small), block[None])[0] for s in (1, -1)]
    slope = resisted(second, block) + carried_along(second, block)
    assert 0.5 * (at_rest[0] - at_rest[1]) == pytest.approx(slope[0] @ small[0], rel=1e-8)
    assert not moments_of(second, none[:, :, None] * none[:, None, :]).any()


@pytest.mark.parametrize("size", [1e-9, 1e-3, 1.0, 3.0])
def test_spins_compose_rotations(size: float) -> None:
    """As matrices do; and the slope of a spin is that of its exponential."""
    rng = np.random.default_rng(5)
    turns, spins = rng.standard_normal((2, 7, 3))
    spins *= size / np.linalg.norm(spins, axis=1, keepdims=True)
    whole = composed(turns, spins)
    product = (Rotation.from_rotvec(spins) * Rotation.from_rotvec(turns)).as_matrix()
    assert abs(Rotation.from_rotvec(whole).as_matrix() - product).max() < 1e-14
    assert between(whole, turns) == pytest.approx(spins, rel=1e-12, abs=1e-14)
    small = 1e-6 * rng.standard_normal(spins.shape)
    ends = [between(composed(np.zeros_like(spins), spins + s * small), spins) for s in (1, -1)]
    expected = np.einsum("nij,nj->ni", slopes(spins), small)
    assert 0.5 * (ends[0] - ends[1]) == pytest.approx(expected, abs=1e-14)


def spun(element: str, steps: int, frame: dict[str, Any], **support: Any) -> dict[str, Any]:
    """Return a soft beam that is clamped and turns about z by 10 t^2, with a force along z."""
    planar = element.endswith("_plane")
    tables = rod(element, 4, bodies=[body(element, THICK, frame=frame)])
    tables["materials"] = {"steel": {"young": 2e9, "poisson": 0.3, "density": 7800.0}}
    tables["supports"] = [{"group": "xmin", **support}]
    tables["analysis"] = {"kind": "transient", "duration": 0.25, "steps": steps,
                          "method": "generalized_alpha"}  # fmt: skip
    if not planar:
        lifted = {"kind": "force", "group": "xmax", "total": [0, 0, 2e3], "amplitude": "16*t**2"}
        tables["loads"] = [lifted]
    for probe in tables["probes"]:
        probe["quantity"] = "position"
    return tables


@pytest.mark.parametrize("element", [slow("simo_beam2"), slow("simo_beam3"), "simo_beam2_plane"])
def test_frames_do_not_matter(element: str, tmp_path: Path) -> None:
    """A frame that turns with the clamp, or a clamp that turns in space: errors are of steps."""
    differences = []
    for steps in (100, 200):
        ends = []
        turning = {"axis": [0, 0, 1], "acceleration": 20.0}
        for k, tables in enumerate(
            (
                spun(element, steps, turning),
                spun(element, steps, {}, displacement={"rz": "10*t**2"}),
            )
        ):
            found = run(tables, tmp_path / f"{steps}_{k}")
            assert found.figures["residual at the end"] < 1e-9
            ends.append([float(values[-1]) for values in found.probes.values()])
        differences.append(abs(np.subtract(*ends)).max())
    assert differences[0] < 2e-4
    assert differences[1] < differences[0] / 3.0


@pytest.mark.slow
@pytest.mark.parametrize("speed", [0.0, 100.0])
def test_a_spun_blade_vibrates_as_linear_beams_with_their_stress(
    speed: float, tmp_path: Path
) -> None:
    """Two theories: the tangent at the spun state, and linear beams with k_geo and k_omega.

    They differ by the strain of the spin, 2e-4 at 100 rad/s: the linear ones keep their length.
    """
    found = []
    frame = {"axis": [0.0, 0.6, 0.8], "velocity": speed}
    section = {"shape": "rectangle", "width": 0.03, "height": 0.01}
    for element, count in (("timoshenko_beam", 64), ("simo_beam3", 32)):
        tables = rod(element, count, analysis={"kind": "modes", "count": 5})
        tables["mesh"]["block"]["corners"] = [[0.2, 0, 0], [1.2, 0, 0]]
        tables["bodies"] = [body(element, section, frame=frame)]
        figures = run(tables, tmp_path / element).figures
        found.append([figures[f"mode {k + 1}"][0] for k in range(5)])
    assert found[1] == pytest.approx(found[0], rel=1e-5 if speed == 0.0 else 3e-4)


def hinged(element: str, steps: int) -> dict[str, Any]:
    """Return two stiff rods of 1 m, one hung from a pin, one from its end, let go side by side."""
    size = 2 if element.endswith("_plane") else 3
    points = np.zeros((6, size))
    points[:, 0] = [0.0, 0.5, 1.0, 1.0, 1.5, 2.0]
    cells = {"line2": [[0, 1], [1, 2], [3, 4], [4, 5]]}
    groups = {"pin": [0], "end": [2], "start": [3], "tip": [5]}
    equal = [
        {"terms": [{"group": "end", "component": one},
                   {"group": "start", "component": one, "factor": -1.0}]}
        for one in "xyz"[:size]
    ]  # fmt: skip
    tables = rod(element, 1, mesh=ff.mesh_from_arrays(points, cells, groups))
    tables["bodies"] = [body(element, THICK)]
    tables["supports"] = [{"group": "pin", "components": ["x", "y", "z"][:size]}]
    if size == 3:  # nothing holds the spins of rods about themselves but their inertia
        tables["supports"] += [
            {"group": one, "components": ["rx", "ry"]} for one in ("pin", "start")
        ]
    tables["equations"] = equal
    tables["loads"] = [{"kind": "gravity", "acceleration": [0, -9.81, 0]}]
    tables["probes"] = [
        {"name": f"{one} {axis}", "group": one, "component": axis, "quantity": "position"}
        for one in ("end", "tip")
        for axis in "xy"
    ]
    tables["analysis"] = {"kind": "transient", "duration": 0.6, "steps": steps}
    return tables


def swung(duration: float) -> np.ndarray:
    """Return where the ends of two rigid rods are, by the equations of their angles.

    Angles from x, of thick rods with the radius of gyration r: for equal masses and lengths,
    ``(1/3 + 1 + r^2) a'' + 1/2 cos(a-b) b'' + 1/2 sin(a-b) b'^2 = -3/2 g cos a`` and
    ``(1/3 + r^2) b'' + 1/2 cos(a-b) a'' - 1/2 sin(a-b) a'^2 = -1/2 g cos b``.
    """
    spread = THICK["width"] ** 2 / 12.0

    def slopes(_: float, y: np.ndarray) -> list[float]:
        a, b, va, vb = y
        mass = [[4 / 3 + spread, 0.5 * np.cos(a - b)], [0.5 * np.cos(a - b), 1 / 3 + spread]]
        right = [
            -1.5 * 9.81 * np.cos(a) - 0.5 * np.sin(a - b) * vb**2,
            -0.5 * 9.81 * np.cos(b) + 0.5 * np.sin(a - b) * va**2,
        ]
        return [va, vb, *np.linalg.solve(mass, right)]

    a, b = solve_ivp(slopes, (0.0, duration), [0.0] * 4, rtol=1e-11, atol=1e-12).y[:2, -1]
    end = np.array([np.cos(a), np.sin(a)])
    return np.concatenate([end, end + [np.cos(b), np.sin(b)]])


@pytest.mark.parametrize("element", ["simo_beam2_plane", slow("simo_beam2")])
def test_equal_displacements_are_a_joint(element: str, tmp_path: Path) -> None:
    """A double pendulum: nodes that are tied by their displacements turn by themselves."""
    errors = []
    for steps in (150, 300):
        found = run(hinged(element, steps), tmp_path / str(steps)).probes
        errors.append(abs(np.array([float(one[-1]) for one in found.values()]) - swung(0.6)).max())
    assert errors[1] < 1e-3
    assert errors[1] < errors[0] / 3.0
