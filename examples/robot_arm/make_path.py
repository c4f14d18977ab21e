# SPDX-License-Identifier: BSD-3-Clause
"""Write angles.csv: shoulder and elbow of a rigid arm whose hand goes around a circle."""

from pathlib import Path

import numpy as np

ARM = 0.6  # both parts, m
CENTRE, RADIUS = np.array([0.65, 0.15]), 0.25
WAIT, TURN, END = 0.5, 1.5, 2.5  # s


def hand(t: np.ndarray) -> np.ndarray:
    """Return where the hand should be, (n, 2): once around, without a jerk at either end."""
    s = np.clip((t - WAIT) / TURN, 0.0, 1.0)
    turned = 2 * np.pi * s**4 * (35 - 84 * s + 70 * s**2 - 20 * s**3)
    return CENTRE + RADIUS * np.column_stack([np.cos(turned), np.sin(turned)])


def main() -> None:
    """Solve the triangle of both parts, the elbow up."""
    t = np.linspace(0.0, END, 501)
    x, y = hand(t).T
    cosine = (x**2 + y**2 - 2 * ARM**2) / (2 * ARM**2)
    elbow = -np.arccos(cosine)
    shoulder = np.arctan2(y, x) - 0.5 * elbow  # parts of one length
    rows = [f"{a:.6f},{b:.15f},{c:.15f}" for a, b, c in zip(t, shoulder, elbow, strict=True)]
    text = "\n".join(["time,shoulder,elbow", *rows])
    Path(__file__).with_name("angles.csv").write_text(text + "\n")


if __name__ == "__main__":
    main()
