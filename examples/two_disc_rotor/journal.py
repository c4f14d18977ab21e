# SPDX-License-Identifier: BSD-3-Clause
"""Coefficients of a short journal bearing over the speed: ``python journal.py``.

The film of a short bearing (Ocvirk; half-Sommerfeld) exerts a force on the journal that is known in
closed form. The journal rests where it balances the load; its derivatives there, taken by complex
steps, are stiffness and damping. Writes journal.csv.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.optimize import brentq

HERE = Path(__file__).parent
DIAMETER, LENGTH, CLEARANCE, VISCOSITY, LOAD = 0.1, 0.03, 1e-4, 0.1, 525.0  # m, m, m, Pa s, N


def film(place: np.ndarray, velocity: np.ndarray, speed: float) -> np.ndarray:
    """Return the force of the film, (2,), N, on a journal at a place (m) with a velocity (m/s)."""
    x, y = place / CLEARANCE
    e = np.sqrt(x * x + y * y)
    radial, around = np.array([x, y]) / e, np.array([-y, x]) / e
    closing = radial @ velocity / CLEARANCE
    turning = speed - 2.0 * (around @ velocity) / (
        CLEARANCE * e
    )  # the film turns at half the speed
    scale = VISCOSITY * DIAMETER * LENGTH**3 / (2.0 * CLEARANCE**2)
    inward = (
        turning * e * e / (1 - e * e) ** 2
        + 0.5 * np.pi * closing * (1 + 2 * e * e) / (1 - e * e) ** 2.5
    )
    onward = 0.25 * np.pi * turning * e / (1 - e * e) ** 1.5 + 2.0 * closing * e / (1 - e * e) ** 2
    return scale * (onward * around - inward * radial)


def coefficients(speed: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return where the journal rests under a load along -y, (2,), m, and its k and c, (2, 2)."""
    still = np.zeros(2)

    def force(ratio: float) -> np.ndarray:
        return film(np.array([CLEARANCE * ratio, 0.0]), still, speed)

    ratio = brentq(lambda e: np.hypot(*force(e)) - LOAD, 1e-6, 1.0 - 1e-6, xtol=1e-14)
    turn = 0.5 * np.pi - np.arctan2(*force(ratio)[::-1])  # until the force is against the load
    rest = CLEARANCE * ratio * np.array([np.cos(turn), np.sin(turn)])
    step = 1e-30
    each = [step * 1j * one for one in np.eye(2)]
    stiffness = -np.array([film(rest + one, still, speed).imag / step for one in each]).T
    damping = -np.array([film(rest + 0j, still + one, speed).imag / step for one in each]).T
    return rest, stiffness, damping


def main() -> None:
    """Write the table."""
    lines = ["speed,kxx,kxy,kyx,kyy,cxx,cxy,cyx,cyy"]
    for rpm in (100, 150, 200, 300, 400, 600, 800, 1200, 1600, 2200, 3000, 4000, 5000, 6000):
        speed = rpm * np.pi / 30
        _, stiffness, damping = coefficients(speed)
        row = [speed, *stiffness.ravel(), *damping.ravel()]
        lines.append(",".join(f"{one:.8g}" for one in row))
    (HERE / "journal.csv").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
