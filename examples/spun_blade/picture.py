# SPDX-License-Identifier: BSD-3-Clause
"""Draw the blade and its vibrations: ``python picture.py``; writes blade.png and campbell.png."""

from __future__ import annotations

import copy
import tempfile
import tomllib
from pathlib import Path
from typing import Any

import flexforge as ff
import matplotlib.pyplot as plt
import numpy as np

HERE = Path(__file__).parent
SPEEDS = [0.0, 2.0, 4.0, 8.0, 15.0, 40.0]  # rad/s, of the shapes


def at_speed(model: dict[str, Any], speed: float, element: str) -> dict[str, Any]:
    """Return the model in equilibrium at a speed, with another element."""
    found = copy.deepcopy(model)
    found["bodies"][0] |= {"element": element, "frame": {"axis": [0, 0, 1], "velocity": speed}}
    found["mesh"]["block"]["cell"] = "line3" if element.endswith("3") else "line2"
    found["analysis"] = {"kind": "static"}
    found["include"] = {} if element.endswith("3") else {"prestress": "steady"}
    found.pop("output", None)
    return found


def main() -> None:
    """Draw both pictures."""
    spun()
    vibrating()


def vibrating() -> None:
    """Draw the Campbell diagram of both theories."""
    model = tomllib.loads((HERE / "campbell.toml").read_text())
    figure, axes = plt.subplots(figsize=(6.6, 4.6))
    for element, style in (("simo_beam3", "-"), ("timoshenko_beam", ":")):
        chosen = at_speed(model, 1.0, element) | {"analysis": model["analysis"]}
        with tempfile.TemporaryDirectory() as folder:
            found = ff.load_model(chosen).run(Path(folder) / "r").campbell
        speeds = np.array(found["speeds_rad_s"]) * 30.0 / np.pi
        for number, mode in enumerate(found["modes"][: model["analysis"]["count"]]):
            axes.plot(speeds, mode["frequency_Hz"], style, color=f"C{number}")
    for order in model["analysis"]["orders"]:
        axes.plot(speeds, order * speeds / 60.0, color="0.8", linewidth=0.8, zorder=0)
    axes.plot([], [], "k-", label="large rotations")
    axes.plot([], [], "k:", label="linear beams with their stress")
    axes.set(xlabel="speed, rpm", ylabel="frequency, Hz", ylim=(0.0, 32.0), xlim=(0.0, speeds[-1]))
    axes.legend(frameon=False, loc="upper left")
    figure.tight_layout()
    figure.savefig(HERE / "campbell.png", dpi=90)


def spun() -> None:
    """Run the model, and equilibria at constant speeds by both theories, and draw them."""
    model = tomllib.loads((HERE / "model.toml").read_text())
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.4), width_ratios=(1, 1.1))
    colors = plt.get_cmap("viridis")(np.linspace(0.0, 0.9, len(SPEEDS)))
    with tempfile.TemporaryDirectory() as folder:
        for speed, color in zip(SPEEDS, colors, strict=True):
            rest = {}
            for element in ("simo_beam3", "timoshenko_beam"):
                run = ff.load_model(at_speed(model, speed, element)).run(
                    Path(folder) / f"{element}_{speed}"
                )
                (body,) = run.results.bodies()
                last = run.results.frame(-1).states[body.name].displacement
                rest[element] = (body.points + last)[np.argsort(body.points[:, 0])]
                print(f"{speed:4.0f} rad/s, {element}: tip {rest[element][-1, 2]:.4f} m")
            left.plot(*rest["simo_beam3"][:, [0, 2]].T, color=color, label=f"{speed:g} rad/s")
            left.plot(*rest["timoshenko_beam"][:, [0, 2]].T, ":", color=color)
        left.plot([], [], "k:", label="linear beams")
        probes = ff.load_model(model).run(Path(folder) / "spun").probes
        time = probes["tip lags"].time
        right.plot(time, probes["tip height"].values, label="tip, along z, m")
        right.plot(time, 10.0 * probes["tip lags"].values, label="ten times its lag, along y, m")
    left.set_xlabel("x, m")
    left.set_ylabel("z, m")
    left.legend(frameon=False, fontsize=8, loc="lower left")
    right.set_xlabel("time, s: at rest until 1 s, 40 rad/s from 4 s")
    right.legend(frameon=False)
    figure.tight_layout()
    figure.savefig(HERE / "blade.png", dpi=90)


if __name__ == "__main__":
    main()
