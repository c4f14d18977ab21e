# SPDX-License-Identifier: BSD-3-Clause
"""Draw the slider's acceleration and the way of the pin: ``python picture.py``; writes pin.png."""

from __future__ import annotations

import tempfile
from pathlib import Path

import flexforge as ff
import matplotlib.pyplot as plt
import numpy as np

HERE = Path(__file__).parent
SPEED, CRANK, ROD, CLEARANCE = 5000 * np.pi / 30, 0.05, 0.12, 0.5


def ideal(times: np.ndarray) -> np.ndarray:
    """Return the acceleration of the slider with a hinge, in closed form, m/s^2."""
    sine, cosine = np.sin(SPEED * times), np.cos(SPEED * times)
    root = np.sqrt(ROD**2 - (CRANK * sine) ** 2)
    along = (sine**2 - cosine**2) / root - CRANK**2 * (sine * cosine) ** 2 / root**3
    return SPEED**2 * CRANK * (-cosine + CRANK * along)


def main() -> None:
    """Run the model, and draw what the clearance makes of the motion."""
    with tempfile.TemporaryDirectory() as folder:
        probes = ff.load_model(HERE / "model.toml").run(Path(folder) / "results").probes
        figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), width_ratios=(1.7, 1))
        found = probes["acceleration of the slider"]
        left.plot(1e3 * found.time, 1e-3 * found.values, lw=0.6, label="clearance of 0.5 mm")
        left.plot(1e3 * found.time, 1e-3 * ideal(found.time), lw=2.0, label="hinge")
        left.set(xlabel="time, ms", ylabel="acceleration of the slider, km/s²", ylim=(-60, 60))
        left.legend(frameon=False)
        x, y = (1e3 * probes[f"{axis} of the pin"].values for axis in "xy")
        circle = np.linspace(0.0, 2.0 * np.pi, 200)
        right.plot(CLEARANCE * np.cos(circle), CLEARANCE * np.sin(circle), "0.6", lw=1.0)
        right.plot(x, y, lw=0.5)
        right.set(xlabel="centre of the pin in the bore, mm", aspect="equal")
        for axes in (left, right):
            axes.spines[["top", "right"]].set_visible(False)
        figure.tight_layout()
        figure.savefig(HERE / "pin.png", dpi=110)


if __name__ == "__main__":
    main()
