# SPDX-License-Identifier: BSD-3-Clause
"""Draw the forces of the balls by time and by place: ``python picture.py``; writes load.png."""

from __future__ import annotations

import tempfile
from pathlib import Path

import flexforge as ff
import matplotlib.pyplot as plt
import numpy as np

HERE = Path(__file__).parent
BALLS, LOAD = 8, 1000.0


def main() -> None:
    """Run the model, and draw the forces of the outer ring on its balls."""
    with tempfile.TemporaryDirectory() as folder:
        probes = ff.load_model(HERE / "model.toml").run(Path(folder) / "results").probes
    cage = probes["turn of the cage"]
    figure = plt.figure(figsize=(11, 4.2))
    left = figure.add_subplot(1, 2, 1)
    right = figure.add_subplot(1, 2, 2, projection="polar")
    runs = cage.time > 0.05
    for k in range(BALLS):
        force = probes[f"outer {k + 1}"]
        left.plot(1e3 * force.time, force.values, lw=1.0)
        place = cage.values + 2.0 * np.pi * k / BALLS
        right.plot(place[runs], force.values[runs], ".", ms=2)
    angle = np.linspace(-np.pi / 2, np.pi / 2, 181)
    largest = 4.37 * LOAD / BALLS
    right.plot(angle - np.pi / 2, largest * np.cos(angle) ** 1.5, "k--", lw=1.0)
    right.set_title("by the place of the ball, N; Stribeck's, dashed", fontsize=10)
    left.set(xlabel="time, ms", ylabel="force on the outer ring, N")
    left.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(HERE / "load.png", dpi=110)


if __name__ == "__main__":
    main()
