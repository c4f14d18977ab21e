# SPDX-License-Identifier: BSD-3-Clause
"""Draw path.png: where the hand should go and where it goes; print how far it misses."""

import sys
from pathlib import Path

import matplotlib
import numpy as np
from flexforge.runtime.results.read import Results
from make_path import TURN, WAIT, hand

matplotlib.use("Agg")
from matplotlib import pyplot as plt


def main(folder: Path) -> None:
    """Read the frames of a folder of results."""
    results = Results(folder)
    forearm = next(body for body in results.bodies() if body.name == "forearm")
    tip = int(forearm.points[:, 0].argmax())
    times, found = results.times()[::5], []
    for number in range(0, len(results.times()), 5):
        state = results.frame(number).states["forearm"]
        point = forearm.points[tip].copy()
        point[:2] += state.displacement[tip, :2]
        found.append((np.asarray(state.frame.r_O) + np.asarray(state.frame.R) @ point)[:2])
    path, wanted = np.array(found), hand(times)
    missed = 1e3 * np.linalg.norm(path - wanted, axis=1)
    turning = (times > WAIT) & (times < WAIT + TURN)
    after = times > WAIT + TURN
    print(
        f"missed by {missed[turning].max():.1f} mm at most on the way, "
        f"by {missed[after].min():.1f} to {missed[after].max():.1f} mm when it has stopped"
    )
    figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.4), layout="constrained")
    left.plot(*wanted.T, color="#c9d3de", lw=5, label="wanted")
    left.plot(*path.T, color="#1f5fa8", lw=1.2, label="hand")
    left.set(xlabel="x [m]", ylabel="y [m]", aspect="equal")
    left.legend(frameon=False, fontsize=8, loc="center")
    right.plot(times, missed, color="#1f5fa8", lw=1.2)
    right.set(xlabel="time [s]", ylabel="missed by [mm]")
    right.grid(color="#d9dee4", lw=0.6)
    figure.savefig(Path(__file__).with_name("path.png"), dpi=100, metadata={"Software": None})


if __name__ == "__main__":
    main(Path(sys.argv[1]))
