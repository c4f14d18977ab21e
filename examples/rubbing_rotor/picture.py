# SPDX-License-Identifier: BSD-3-Clause
"""Draw orbit and contact force of the rotor: ``python picture.py``; writes orbit.png."""

from __future__ import annotations

import tempfile
from pathlib import Path

import flexforge as ff
import matplotlib.pyplot as plt
import numpy as np

HERE = Path(__file__).parent
CLEARANCE = 0.4  # mm


def main() -> None:
    """Run the model, and draw how far the rotor is out, what the stator bears, and orbits."""
    with tempfile.TemporaryDirectory() as folder:
        probes = ff.load_model(HERE / "model.toml").run(Path(folder) / "results").probes
    x, y = (1e3 * probes[axis].values for axis in "xy")
    time, force = probes["x"].time, probes["force of the stator"].values
    speed = 150.0 + 200.0 * time
    figure = plt.figure(figsize=(11, 4.4))
    grid = figure.add_gridspec(2, 2, width_ratios=(1.6, 1))
    upper, lower = (figure.add_subplot(grid[k, 0]) for k in range(2))
    orbit = figure.add_subplot(grid[:, 1])
    upper.plot(speed, np.hypot(x, y), lw=0.8)
    upper.axhline(CLEARANCE, color="0.6", lw=1.0)
    upper.set(ylabel="radius of the orbit, mm", xticklabels=[])
    lower.plot(speed, force, lw=0.8)
    lower.set(xlabel="speed, rad/s", ylabel="force of the stator, N")
    circle = np.linspace(0.0, 2.0 * np.pi, 200)
    orbit.plot(CLEARANCE * np.cos(circle), CLEARANCE * np.sin(circle), "0.6", lw=1.0)
    for first, label in ((250.0, "before"), (307.0, "rubbing"), (440.0, "after")):
        turn = (speed > first) & (speed < first + 10.0)
        orbit.plot(x[turn], y[turn], lw=1.0, label=f"{label}, {first:.0f} rad/s")
    orbit.set(xlabel="centre of the rotor, mm", aspect="equal")
    orbit.legend(frameon=False, loc="center", bbox_to_anchor=(0.5, 0.24), fontsize=8)
    for axes in (upper, lower, orbit):
        axes.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(HERE / "orbit.png", dpi=110)


if __name__ == "__main__":
    main()
