# SPDX-License-Identifier: BSD-3-Clause
"""Draw the car and its trailer every three seconds: ``python picture.py``; writes path.png."""

from __future__ import annotations

import tempfile
from pathlib import Path

import flexforge as ff
import matplotlib.pyplot as plt
import numpy as np

HERE = Path(__file__).parent
LENGTH, POLE, WHEEL, TRACK = 3.0, 5.0, 0.7, 1.6  # m


def turned(angle: float, points: list[tuple[float, float]], at: np.ndarray) -> np.ndarray:
    """Return points of a body in space, (n, 2)."""
    c, s = np.cos(angle), np.sin(angle)
    return at + np.array(points) @ np.array([[c, s], [-s, c]])


def draw(
    axes: plt.Axes, outline: list[tuple[float, float]], angle: float, at: np.ndarray, color: str
) -> None:
    """Draw a body."""
    x, y = turned(angle, [*outline, outline[0]], at).T
    axes.fill(x, y, color=color, alpha=0.25, lw=0)
    axes.plot(x, y, color=color, lw=1.0)


def wheel(axes: plt.Axes, angle: float, at: np.ndarray) -> None:
    """Draw a wheel."""
    x, y = turned(angle, [(-WHEEL / 2, 0.0), (WHEEL / 2, 0.0)], at).T
    axes.plot(x, y, color="black", lw=2.5, solid_capstyle="butt")


def main() -> None:
    """Run the model and draw it."""
    with tempfile.TemporaryDirectory() as folder:
        probes = ff.load_model(HERE / "model.toml").run(Path(folder) / "results").probes
    time = probes["x"].time
    x, y, heading, steering, hitch = (
        probes[name].values for name in ("x", "y", "heading", "steering", "hitch")
    )
    rear = np.column_stack([x, y])
    trailer = heading + hitch
    axle = rear - POLE * np.column_stack([np.cos(trailer), np.sin(trailer)])
    figure, axes = plt.subplots(figsize=(11, 3.4))
    axes.axhline(0.0, color="0.7", lw=8, zorder=0)
    axes.plot(*axle.T, color="tab:orange", lw=1.2, label="axle of the trailer")
    axes.plot(*rear.T, color="tab:blue", lw=1.2, label="rear axle of the car")
    for now in np.searchsorted(time, [0.0, 5.0, 12.0, 20.0, 30.0]):
        box = [
            (-POLE - 1.2, -1.1),
            (-POLE - 1.2, 1.1),
            (-POLE + 1.8, 1.1),
            (0.0, 0.0),
            (-POLE + 1.8, -1.1),
        ]
        draw(axes, box, trailer[now], rear[now], "tab:orange")
        body = [(-0.8, -0.8), (-0.8, 0.8), (LENGTH + 0.6, 0.8), (LENGTH + 0.6, -0.8)]
        draw(axes, body, heading[now], rear[now], "tab:blue")
        for side in (-TRACK / 2, TRACK / 2):
            wheel(axes, trailer[now], turned(trailer[now], [(-POLE, 1.2 * side)], rear[now])[0])
            wheel(axes, heading[now], turned(heading[now], [(0.0, side)], rear[now])[0])
            front = turned(heading[now], [(LENGTH, side)], rear[now])[0]
            wheel(axes, heading[now] + steering[now], front)
        axes.annotate(f"{time[now]:.0f} s", rear[now] + [0.0, 1.6], ha="center", fontsize=9)
    axes.set_aspect("equal")
    axes.set_xlabel("x, m")
    axes.set_ylabel("y, m")
    axes.legend(loc="lower right", bbox_to_anchor=(1.0, 0.12), frameon=False)
    figure.tight_layout()
    figure.savefig(HERE / "path.png", dpi=90)


if __name__ == "__main__":
    main()
