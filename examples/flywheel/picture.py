# SPDX-License-Identifier: BSD-3-Clause
"""Draw how a flywheel lags behind its motor: ``python picture.py``; writes flywheel.png."""

from __future__ import annotations

import tempfile
import tomllib
from pathlib import Path

import flexforge as ff
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import PolyCollection
from scipy.integrate import solve_ivp

HERE = Path(__file__).parent


def pendulum(model: dict, times: np.ndarray) -> np.ndarray:
    """Return the turn of a rigid disc on a massless torsion spring, rad, relative to the motor."""
    steel, ramp = model["materials"]["steel"], model["bodies"][0]["frame"]["velocity"]["ramp"]
    shear = steel["young"] / (2 * (1 + steel["poisson"]))
    (_, _, (radius, low), _), (_, _, (rim, high), _) = (
        model["mesh"]["blocks"][name]["corners"] for name in ("shaft", "disc")
    )
    low = model["mesh"]["blocks"]["disc"]["corners"][0][1]
    polar, whole = np.pi / 2 * radius**4, np.pi / 2 * rim**4
    inertia = steel["density"] * (whole * (high - low) + polar * low / 3)
    stiffness = shear * polar / low
    speed, duration = float(ramp["to"].split()[0]) * 2 * np.pi / 60, ramp["duration"]

    def rates(time: float, state: np.ndarray) -> list[float]:
        s = min(time / duration, 1.0)
        driven = speed / duration * (1 - np.cos(2 * np.pi * s))
        turn, rate = state
        damped = turn + steel["damping"]["beta"] * rate
        return [rate, -driven - stiffness / inertia * damped]

    span = (0.0, times[-1])
    return solve_ivp(rates, span, [0.0, 0.0], t_eval=times, rtol=1e-8, atol=1e-12).y[0]


def main() -> None:
    """Run the model; draw the turn of its rim over time, and of its section at the largest one."""
    model = tomllib.loads((HERE / "model.toml").read_text())
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.6), width_ratios=(1.2, 1))
    with tempfile.TemporaryDirectory() as folder:
        results = ff.load_model(HERE / "model.toml").run(Path(folder) / "results").results
        history = results.probes["lag of the rim"]
        turn = -history.values / 0.2
        number = int(np.argmin(np.abs(results.times() - history.time[np.argmin(turn)])))
        (body,), frame = results.bodies(), results.frame(number)
        moved = frame.states[body.name].displacement
    left.plot(history.time, 1e3 * turn, lw=1.5, label="flywheel")
    left.plot(history.time, 1e3 * pendulum(model, history.time), "k--", lw=0.9,
              label="rigid disc on a torsion spring")  # fmt: skip
    left.set(xlabel="time, s", ylabel="turn relative to the motor, mrad")
    left.legend(frameon=False, fontsize=8)
    left.spines[["top", "right"]].set_visible(False)
    x, y = body.points[:, 0], body.points[:, 1]
    angle = np.divide(-moved[:, 2], x, out=np.full_like(x, np.nan), where=x > 0)
    cells = body.connectivity[:, [0, 4, 1, 5, 2, 6, 3, 7]]
    for side in (1, -1):  # the section, and its mirror image
        drawn = PolyCollection(
            np.stack([side * x[cells], y[cells]], axis=2), cmap="viridis_r", lw=0.2, ec="0.6"
        )
        drawn.set_array(1e3 * np.nanmean(angle[cells], axis=1))
        right.add_collection(drawn)
    figure.colorbar(drawn, ax=right, shrink=0.8, label=f"turn at {frame.time:.3g} s, mrad")
    right.set(xlim=(-0.22, 0.22), ylim=(-0.02, 0.42), aspect="equal")
    right.axis("off")
    figure.tight_layout()
    figure.savefig(HERE / "flywheel.png", dpi=90)


if __name__ == "__main__":
    main()
