# SPDX-License-Identifier: BSD-3-Clause
"""Draw what the building feels of the earthquake: ``python picture.py``; writes isolated.png."""

from __future__ import annotations

import tempfile
from pathlib import Path

import flexforge as ff
import matplotlib.pyplot as plt

HERE = Path(__file__).parent
G = 9.81


def main() -> None:
    """Run the model, and draw accelerations, slip, and the force against the slip."""
    with tempfile.TemporaryDirectory() as folder:
        probes = ff.load_model(HERE / "model.toml").run(Path(folder) / "results").probes
    figure = plt.figure(figsize=(11, 4.4))
    grid = figure.add_gridspec(2, 2, width_ratios=(1.6, 1))
    upper, lower = (figure.add_subplot(grid[k, 0]) for k in range(2))
    loop = figure.add_subplot(grid[:, 1])
    for name in ("ground", "building"):
        found = probes[f"acceleration of the {name}"]
        upper.plot(found.time, found.values / G, lw=1.0, label=name)
    upper.set(ylabel="acceleration, g", xticklabels=[])
    upper.legend(frameon=False)
    slip = probes["slip"]
    lower.plot(slip.time, 1e3 * slip.values, lw=1.0)
    lower.set(xlabel="time, s", ylabel="slip, mm")
    loop.plot(1e3 * slip.values, 1e-3 * probes["force of the dish"].values, lw=0.8)
    loop.set(xlabel="slip, mm", ylabel="force of the dish on the building, kN")
    for axes in (upper, lower, loop):
        axes.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(HERE / "isolated.png", dpi=110)


if __name__ == "__main__":
    main()
