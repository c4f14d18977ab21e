# SPDX-License-Identifier: BSD-3-Clause
"""Compare the blade with what is known without it: ``python compare.py``.

The steady blade must hang on its root with the centrifugal force of its mass, stretch like a bar of
its sections, and its frequencies must rise with the speed as Southwell's formula says.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from flexforge import load_model
from make_mesh import SECTIONS, section

HERE = Path(__file__).parent
SPEED = 523.5987755982989  # rad/s, 5000 rpm
YOUNG, DENSITY = 7.1e10, 2780.0


def area(x: float) -> float:
    """Return the area of the section at x, m^2; chord and thickness by splines, as the loft."""
    from scipy.interpolate import CubicSpline

    stations, chord, thickness, _ = np.array(SECTIONS).T
    y, z = np.array(
        section(float(CubicSpline(stations, chord)(x)), float(CubicSpline(stations, thickness)(x)))
    ).T
    return abs(0.5 * float(np.sum(y * np.roll(z, -1) - z * np.roll(y, -1))))


def bar() -> tuple[float, float, float]:
    """Return mass (kg), root force (N) and stretch (m) of a bar with the blade's sections."""
    x = np.linspace(SECTIONS[0][0], SECTIONS[-1][0], 2001)
    areas = np.array([area(one) for one in x])
    load = DENSITY * areas * SPEED**2 * x
    steps = np.diff(x)
    outward = np.concatenate([[0.0], np.cumsum(0.5 * (load[1:] + load[:-1]) * steps)])
    force = outward[-1] - outward
    strain = force / (YOUNG * areas)
    stretch = float(np.sum(0.5 * (strain[1:] + strain[:-1]) * steps))
    mass = float(np.sum(0.5 * DENSITY * (areas[1:] + areas[:-1]) * steps))
    return mass, float(force[0]), stretch


def run(changes: dict[str, Any]) -> dict[str, Any]:
    """Run the steady model with some of its tables replaced; return its figures."""
    import tomllib

    data = tomllib.loads((HERE / "steady.toml").read_text()) | {"output": {"formats": ["csv"]}}
    data |= changes
    with tempfile.TemporaryDirectory() as folder:
        return load_model(data, HERE).run(output=folder).figures


def frequencies(speed: float, geometric: bool = True) -> np.ndarray:
    """Return the first three natural frequencies at a speed, Hz, without damping."""
    body = load_model(HERE / "steady.toml").spec.bodies[0].model_dump(exclude_unset=True)
    body["frame"] = {"velocity": speed}
    found = run(
        {
            "bodies": [body],
            "probes": [],
            "materials": {"aluminium": {"young": YOUNG, "poisson": 0.33, "density": DENSITY}},
            "include": {"geometric": geometric},
            "analysis": {"kind": "modes", "count": 3},
        }
    )
    return np.array([found[f"mode {i}"][0] for i in (1, 2, 3)])


def main() -> None:
    """Print the comparison."""
    report = load_model(HERE / "steady.toml").check().bodies[0]
    found = run({})
    mass, force, stretch = bar()
    pull = report.mass * report.centre[0] * SPEED**2
    lines = [
        ("mass, kg", report.mass, mass, "areas of the sections"),
        ("force at the root, N", -found["reaction x"][0], pull, "m W^2 r of the centre of mass"),
        ("force at the root, N", -found["reaction x"][0], force, "int rho A W^2 x dx"),
        (
            "stretch of the tip, mm",
            1e3 * found["tip stretch"][0],
            1e3 * stretch,
            "int N / (E A) dx",
        ),
    ]
    print(f"{'':26}{'blade':>12}{'known':>12}{'differs':>10}")
    for name, blade, known, how in lines:
        print(f"{name:26}{blade:12.5g}{known:12.5g}{blade / known - 1:10.2%}  {how}")
    speeds = SPEED * np.array([0.0, 0.25, 0.5, 0.75, 1.0])
    table = np.array([frequencies(speed) for speed in speeds])
    print("\nfrequencies, Hz, at", ", ".join(f"{s * 30 / np.pi:.0f}" for s in speeds), "rpm")
    for i, row in enumerate(table.T, start=1):
        # Southwell: f^2 = f0^2 + B (W / 2 pi)^2, B from the highest speed.
        rise = (row[-1] ** 2 - row[0] ** 2) / speeds[-1] ** 2
        line = np.sqrt(row[0] ** 2 + rise * speeds**2)
        worst = np.abs(row / line - 1).max()
        print(
            f"  mode {i}: "
            + " ".join(f"{f:9.3f}" for f in row)
            + f"   Southwell B = {rise * 4 * np.pi**2:.3f}, off by {worst:.2%} at most"
        )
    soft = frequencies(SPEED, geometric=False)
    print("  without k_geo at 5000 rpm: " + " ".join(f"{f:9.3f}" for f in soft))


if __name__ == "__main__":
    main()
