# SPDX-License-Identifier: BSD-3-Clause
"""Wave a flag: ``python flag.py``; writes flag.png, and results with an animation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import flexforge as ff
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import LineCollection

HERE = Path(__file__).parent
SIDES, CELLS = (1.2, 0.8), (18, 12)  # along the flag and along its pole, m
SHOWN = [0.0, 0.4, 0.8, 1.2, 1.4, 1.6]  # s


def model() -> dict[str, Any]:
    """Return a net of threads along both sides, whose first column is on a pole that swings."""
    nx, nz = CELLS
    x, z = (np.linspace(0.0, side, count + 1) for side, count in zip(SIDES, CELLS, strict=True))
    places = np.stack(np.meshgrid(x, [0.0], z, indexing="ij"), axis=-1).reshape(-1, 3)
    number = np.arange(len(places)).reshape(nx + 1, nz + 1)
    along = np.stack([number[:-1], number[1:]], axis=-1).reshape(-1, 2)
    across = np.stack([number[:, :-1], number[:, 1:]], axis=-1).reshape(-1, 2)
    threads = np.concatenate([along, across])
    pole, corner = number[0], number[-1, -1:]
    mesh = ff.mesh_from_arrays(places, {"line2": threads}, {"pole": pole, "corner": corner})
    return {
        "title": "A flag of threads",
        "mesh": mesh,
        "materials": {
            "thread": {"young": 5e7, "poisson": 0.3, "density": 1200.0, "damping": {"alpha": 0.8}}
        },
        "bodies": [
            {"name": "flag", "element": "cable2", "material": "thread", "section": {"area": 2e-6}}
        ],
        "supports": [{"group": "pole", "displacement": {"y": "0.12*(1 - cos(2*pi*t/0.5))"}}],
        "loads": [
            {"kind": "gravity", "acceleration": [0.0, 0.0, -9.81]},
            {"kind": "body_force", "acceleration": [30.0, 0.0, 0.0]},  # the wind, by mass
        ],
        "probes": [
            {"name": axis, "group": "corner", "component": axis, "quantity": "position"}
            for axis in "xyz"
        ],
        "analysis": {"kind": "transient", "duration": SHOWN[-1], "steps": 800},
        "output": {"every": 10},
    }


def main() -> None:
    """Run the model and draw the flag at six times."""
    run = ff.load_model(model()).run(HERE / "flag.results", overwrite=True)
    print(run)
    results = run.results
    (flag,) = results.bodies()
    figure = plt.figure(figsize=(11, 7))
    for k, time in enumerate(SHOWN):
        frame = results.frame(int(np.argmin(np.abs(results.times() - time))))
        places = flag.points + frame.states[flag.name].displacement
        axes = figure.add_subplot(2, 3, k + 1)
        seen = places @ np.array([[0.9, 0.1], [0.45, -0.25], [0.0, 1.0]])  # from the side and above
        order = np.argsort(-places[flag.connectivity].mean(axis=1)[:, 1])
        lines = seen[flag.connectivity[order]]
        axes.add_collection(LineCollection(list(lines), colors="tab:red", linewidths=0.8))
        axes.plot(*seen[flag.points[:, 0] == 0.0].T, color="k", lw=3)
        axes.set(xlim=(-0.1, 1.4), ylim=(-0.65, 0.98), title=f"{time:.2f} s")
        axes.set_aspect("equal")
        axes.axis("off")
    figure.tight_layout()
    figure.savefig(HERE / "flag.png", dpi=80)


if __name__ == "__main__":
    main()
