# SPDX-License-Identifier: BSD-3-Clause
"""Draw critical speeds over the stiffness of bearings: ``python critical_map.py``."""

from __future__ import annotations

import tempfile
import tomllib
from pathlib import Path

import flexforge as ff
import matplotlib.pyplot as plt
import numpy as np

HERE = Path(__file__).parent
RPM = 30 / np.pi
COLOURS = {"forward": "C3", "backward": "C0"}


def main() -> None:
    """Find the map of the rotor's critical speeds, and draw the film's own stiffness in it."""
    tables = tomllib.loads((HERE / "model.toml").read_text())
    model = {key: tables[key] for key in ("materials", "shafts", "supports", "connectors")}
    model["analysis"] = {"kind": "critical_speeds", "stiffness": "1e4:1e9:31", "count": 8}
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder) / "results"
        ff.load_model(model, folder=HERE).run(results)
        found = np.genfromtxt(
            results / "critical_map.csv", delimiter=",", names=True, dtype=None, encoding="utf-8"
        )
    figure, axes = plt.subplots(figsize=(8, 5))
    for name, colour in COLOURS.items():
        some = found[found["whirl"] == name]  # torsion does not whirl
        axes.plot(some["stiffness_Nm"], some["speed_rpm"], ".", c=colour, label=f"critical, {name}")
    film = np.genfromtxt(HERE / "journal.csv", delimiter=",", names=True)
    for name, style in (("kxx", "-"), ("kyy", "--")):
        axes.plot(film[name], RPM * film["speed"], "k", ls=style, lw=1, label=f"oil film, {name}")
    axes.set(xscale="log", xlabel="stiffness of each bearing, N/m", xlim=(1e4, 1e9))
    axes.set(yscale="log", ylabel="speed, rpm", ylim=(100, 20000))
    axes.grid(alpha=0.3, which="both", lw=0.5)
    axes.legend(frameon=False, fontsize=8)
    axes.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(HERE / "critical_map.png", dpi=110)


if __name__ == "__main__":
    main()
