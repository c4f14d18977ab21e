# SPDX-License-Identifier: BSD-3-Clause
"""Draw load and shapes of the roof: ``python picture.py``; writes path.png."""

from __future__ import annotations

import tempfile
import tomllib
from pathlib import Path

import flexforge as ff
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import PolyCollection

HERE = Path(__file__).parent
SHOWN = [0.0, -0.022, -0.06, -0.095]  # how far the middle has moved, m
AROUND = [0, 4, 1, 5, 2, 6, 3, 7]  # nodes of a quad8 along its edges


def main() -> None:
    """Run the model along the path and with growing loads, and draw both."""
    model = tomllib.loads((HERE / "model.toml").read_text())
    with tempfile.TemporaryDirectory() as folder:
        arc = ff.load_model(model).run(Path(folder) / "arc")
        model["analysis"] = {"kind": "static", "load_steps": 40}
        grown = ff.load_model(model).run(Path(folder) / "grown").probes
        down, force = -1e3 * arc.probes["middle"].values, 2e-3 * arc.probes["load"].values
        figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.0), width_ratios=(1, 1.4))
        left.plot(down, force, color="tab:blue", label="arc length")
        left.plot(
            -1e3 * grown["middle"].values,
            2e-3 * grown["load"].values,
            ".",
            color="tab:orange",
            label="growing loads: a jump",
        )
        (strip,) = arc.results.bodies()
        colors = plt.get_cmap("viridis")(np.linspace(0.0, 0.85, len(SHOWN)))
        for height, color in zip(SHOWN, colors, strict=True):
            number = int(np.argmin(np.abs(arc.probes["middle"].values - height)))
            moved = arc.results.frame(number).states[strip.name].displacement
            outlines = (strip.points[:, :2] + moved)[strip.connectivity[:, AROUND]]
            for side in (-1.0, 1.0):
                cells = outlines * [side, 1e3]
                right.add_collection(PolyCollection(list(cells), color=color, lw=0.3, alpha=0.8))
            left.plot(down[number], force[number], "o", ms=9, color=color)
    left.set_xlabel("the middle goes down, mm")
    left.set_ylabel("load on the roof, kN")
    left.legend(frameon=False)
    right.set_xlabel("x, m")
    right.set_ylabel("y, mm")
    right.autoscale_view()
    figure.tight_layout()
    figure.savefig(HERE / "path.png", dpi=90)


if __name__ == "__main__":
    main()
