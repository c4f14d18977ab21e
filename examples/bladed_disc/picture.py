# SPDX-License-Identifier: BSD-3-Clause
"""Draw frequencies over nodal diameters and a mode: ``python picture.py``; writes disc.png."""

from __future__ import annotations

import json
import tempfile
import tomllib
from pathlib import Path

import flexforge as ff
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import PolyCollection

HERE = Path(__file__).parent
#: Sides of a brick by its corners.
SIDES = ((0, 1, 2, 3), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7))


def main() -> None:
    """Run the model at all nodal diameters, and draw its frequencies and a mode of the disc."""
    model = tomllib.loads((HERE / "model.toml").read_text())
    model["analysis"] |= {"nodal_diameters": "all", "count": 4}
    model["output"] = {"formats": ["hdf5"]}
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 5), width_ratios=(1.1, 1))
    with tempfile.TemporaryDirectory() as folder:
        results = ff.load_model(model).run(Path(folder) / "results").results
        rows = json.loads((results.folder / "summary.json").read_text())["modes"]
        places = {"forward": (-0.12, "C0", ">"), "backward": (0.12, "C3", "<")}
        for row in rows:
            if row["part"] == "real":
                beside, color, marker = places.get(row["travels"], (0.0, "0.3", "o"))
                at = row["nodal_diameter"] + beside
                left.plot(at, row["frequency_Hz"], marker, color=color, ms=4)
        for name, (_, color, marker) in places.items():
            left.plot([], [], marker, color=color, label=f"{name} waves")
        chosen = next(
            number
            for number, row in enumerate(rows)
            if row["nodal_diameter"] == 3 and 900.0 < row["frequency_Hz"] < 930.0
        )
        frequencies, shapes = results.modes()
        most = max(np.abs(one[chosen][:, 2]).max() for one in shapes.values())
        for body in results.bodies():
            shape = shapes[body.name][chosen][:, 2] / most
            sides = np.concatenate([body.connectivity[:, side] for side in SIDES])
            sides = sides[np.argsort(body.points[sides, 2].mean(axis=1))]
            drawn = PolyCollection(body.points[sides][:, :, :2], cmap="coolwarm", lw=0.1, ec="0.4")
            drawn.set_array(shape[sides].mean(axis=1))
            drawn.set_clim(-1.0, 1.0)
            right.add_collection(drawn)
    left.set(xlabel="nodal diameters", ylabel="frequency, Hz", ylim=(0, 1800))
    left.set_xticks(range(0, 19, 3))
    left.legend(frameon=False, fontsize=8, loc="center right", bbox_to_anchor=(1.0, 0.28))
    right.set(xlim=(-0.47, 0.47), ylim=(-0.47, 0.47), aspect="equal")
    right.set_title(f"axial motion, 3 nodal diameters, {frequencies[chosen]:.1f} Hz", fontsize=10)
    right.axis("off")
    left.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(HERE / "disc.png", dpi=90)


if __name__ == "__main__":
    main()
