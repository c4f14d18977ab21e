# SPDX-License-Identifier: BSD-3-Clause
"""Draw critical speeds over the stiffness of bearings: ``python critical_map.py``."""

from __future__ import annotations

import tempfile
import tomllib
from pathlib import Path
from typing import Any

import flexforge as ff
import matplotlib.pyplot as plt
import numpy as np

HERE = Path(__file__).parent
RPM = 30 / np.pi
STIFFNESS = np.geomspace(1e4, 1e9, 31)  # N/m, the same along both axes, without damping
COLOURS = {"forward": "C3", "backward": "C0"}


def critical_speeds(tables: dict[str, Any], stiffness: float, folder: Path) -> dict[str, list]:
    """Return the critical speeds of bending, rpm, by whirl, on bearings of a stiffness in N/m."""
    springs = [
        {"name": one["name"], "kind": "bearing", "at": one["at"], "stiffness": stiffness}
        for one in tables["connectors"]
    ]
    whirl = {"kind": "modes", "speeds": "50:20000:80 rpm", "orders": [1], "count": 10}
    model = {key: tables[key] for key in ("materials", "shafts", "supports")}
    model |= {"connectors": springs, "analysis": whirl}
    found = ff.load_model(model).run(folder, overwrite=True).campbell
    speeds = np.array(found["speeds_rad_s"])
    speeds_of: dict[str, list] = {"forward": [], "backward": []}
    for one in found["critical_speeds"]:
        near = int(np.abs(speeds - one["speed_rad_s"]).argmin())
        whirl_there = found["modes"][one["mode"] - 1]["whirl"][near]
        if whirl_there in speeds_of:  # torsion does not whirl
            speeds_of[whirl_there].append(RPM * one["speed_rad_s"])
    return speeds_of


def main() -> None:
    """Run the rotor on bearings of many stiffnesses; draw what they and the oil film make of it."""
    tables = tomllib.loads((HERE / "model.toml").read_text())
    figure, axes = plt.subplots(figsize=(8, 5))
    with tempfile.TemporaryDirectory() as folder:
        for stiffness in STIFFNESS.tolist():
            found = critical_speeds(tables, stiffness, Path(folder) / "results")
            for name, speeds in found.items():
                axes.plot(np.full(len(speeds), stiffness), speeds, ".", c=COLOURS[name])
    film = np.genfromtxt(HERE / "journal.csv", delimiter=",", names=True)
    for name, style in (("kxx", "-"), ("kyy", "--")):
        axes.plot(film[name], RPM * film["speed"], "k", ls=style, lw=1, label=f"oil film, {name}")
    for name, colour in COLOURS.items():
        axes.plot([], [], ".", c=colour, label=f"critical, {name}")
    axes.set(xscale="log", xlabel="stiffness of each bearing, N/m")
    axes.set(yscale="log", ylabel="speed, rpm")
    axes.set_xlim(STIFFNESS[[0, -1]])
    axes.grid(alpha=0.3, which="both", lw=0.5)
    axes.legend(frameon=False, fontsize=8)
    axes.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(HERE / "critical_map.png", dpi=110)


if __name__ == "__main__":
    main()
