# SPDX-License-Identifier: BSD-3-Clause
"""Draw whirl, stability and unbalance response of a rotor: ``python picture.py``."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import flexforge as ff
import matplotlib.pyplot as plt
import numpy as np

HERE = Path(__file__).parent
RPM = 30 / np.pi
COLOURS = {"forward": "C3", "backward": "C0", "standing": "0.5", "": "0.5"}


def main() -> None:
    """Run both steps; draw frequencies and growth over the speed, and the response to unbalance."""
    with tempfile.TemporaryDirectory() as folder:
        ff.load_model(HERE / "model.toml").run(Path(folder) / "results")
        found = json.loads((Path(folder) / "results/whirl/summary.json").read_text())["campbell"]
        response = np.genfromtxt(
            Path(folder) / "results/response/response.csv", delimiter=",", names=True
        )
    speed = RPM * np.array(found["speeds_rad_s"])
    figure, axes = plt.subplots(
        2, 2, figsize=(11, 6), sharex=True, height_ratios=(2, 1), width_ratios=(1.15, 1)
    )
    (whirl, amplitude), (growth, phase) = axes
    for mode in found["modes"]:
        frequency = np.array(mode["frequency_Hz"], dtype=float)
        colours = [COLOURS[one] for one in mode["whirl"]]
        whirl.plot(speed, frequency, "0.8", lw=0.8, zorder=0)
        whirl.scatter(speed, frequency, s=7, c=colours, lw=0)
        rate = np.array(mode["growth_1_s"], dtype=float)
        if rate.max() > 0:
            growth.plot(speed, rate, "C3")
            onset = found["instabilities"][0]["onset_rad_s"] * RPM
    whirl.plot(speed, speed / 60, "k--", lw=0.8)
    whirl.annotate("1x", (speed[-1], speed[-1] / 60), xytext=(3, -3), textcoords="offset points")
    for one in found["critical_speeds"]:
        whirl.plot(RPM * one["speed_rad_s"], one["frequency_Hz"], "ko", mfc="none", ms=7)
    whirl.set(ylabel="frequency, Hz", ylim=(0, 90))
    for name, colour in (("forward", "C3"), ("backward", "C0"), ("no whirl", "0.5")):
        whirl.plot([], [], "o", c=colour, ms=3, label=name)
    whirl.legend(frameon=False, fontsize=8, loc="upper left")
    growth.axhline(0, c="k", lw=0.8)
    growth.set(xlabel="speed, rpm", ylabel="growth, 1/s", ylim=(-2, 2.2))
    for one, place in ((amplitude, 0.93), (growth, 0.1)):
        one.axvspan(onset, speed[-1], color="C3", alpha=0.07, lw=0)
        one.text(
            onset, place, "  oil whip", transform=one.get_xaxis_transform(), fontsize=8, color="C3"
        )
    rpm = RPM * response["speed_rads"]
    for name, colour in (("y", "C2"), ("z", "C4")):
        amplitude.semilogy(
            rpm, 1e6 * response[f"left_disc_{name}_m"], colour, label=f"along {name}"
        )
        phase.plot(rpm, response[f"left_disc_{name}_phase_deg"] % 360 - 360, colour)
    amplitude.set(ylabel="left disc, 1 kg mm unbalance, um")
    amplitude.legend(frameon=False, fontsize=8, loc="lower right")
    phase.set(xlabel="speed, rpm", ylabel="phase, deg")
    for one in axes.ravel():
        one.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(HERE / "rotor.png", dpi=110)


if __name__ == "__main__":
    main()
