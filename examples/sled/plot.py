# SPDX-License-Identifier: BSD-3-Clause
"""Draw path.png: where the sled goes, computed and in closed form; print how far they differ."""

import sys
from pathlib import Path

import matplotlib
import numpy as np

matplotlib.use("Agg")
from matplotlib import pyplot as plt

SLOPE, TURNING = 4.905, 1.7  # g sin 30 degrees, m/s^2; rad/s


def main(results: Path) -> None:
    """Read probes.csv of a folder of results."""
    t, x, y, reaction = np.loadtxt(results / "probes.csv", delimiter=",", skiprows=1).T
    exact_x = SLOPE * np.sin(TURNING * t) ** 2 / (2 * TURNING**2)
    exact_y = SLOPE * (TURNING * t - np.sin(2 * TURNING * t) / 2) / (2 * TURNING**2)
    force = 2 * 2.5 * SLOPE * np.sin(TURNING * t)
    print(
        f"largest error of x {np.abs(x - exact_x).max():.1e} m, of y "
        f"{np.abs(y - exact_y).max():.1e} m, of the force {np.abs(reaction - force).max():.1e} N"
    )
    figure, axes = plt.subplots(figsize=(8, 1.7), layout="constrained")
    axes.plot(exact_y, exact_x, color="#c9d3de", lw=5, label="closed form")
    axes.plot(y, x, color="#1f5fa8", lw=1.2, label="computed")
    for k in range(0, len(t), len(t) // 40):  # the runner
        heading = 0.12 * np.array([np.cos(TURNING * t[k]), np.sin(TURNING * t[k])])
        axes.plot(
            [y[k] - heading[1], y[k] + heading[1]],
            [x[k] - heading[0], x[k] + heading[0]],
            color="#222a33",
            lw=2,
        )
    axes.set(xlabel="y, across the slope [m]", ylabel="x, down [m]", aspect="equal")
    axes.set_ylim(1.05, -0.35)
    axes.legend(loc="lower right", ncols=2, fontsize=8, frameon=False, bbox_to_anchor=(1, 1.0))
    figure.savefig(Path(__file__).with_name("path.png"), dpi=100, metadata={"Software": None})


if __name__ == "__main__":
    main(Path(sys.argv[1]))
