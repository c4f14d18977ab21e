# SPDX-License-Identifier: BSD-3-Clause
"""Press a rubber bushing aside, at rest and while it turns: ``python bushing.py``; bushing.png."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import flexforge as ff
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import PolyCollection

HERE = Path(__file__).parent
INNER, OUTER, LENGTH = 0.015, 0.025, 0.03  # m
DIVISIONS = (4, 32, 3)  # along the radius, around, along the axis
LOAD = 6e3  # N
RUBBER = {"mu": 0.8e6, "kappa": 200e6, "density": 1100.0}


def mesh() -> Any:
    """Return the ring, bonded to a sleeve outside and a tube inside."""
    radial, around, along = DIVISIONS
    radii = np.linspace(INNER, OUTER, radial + 1)
    angles = 2.0 * np.pi * np.arange(around) / around
    r, a, z = np.meshgrid(radii, angles, np.linspace(0.0, LENGTH, along + 1), indexing="ij")
    points = np.stack([r * np.cos(a), r * np.sin(a), z], axis=-1).reshape(-1, 3)
    number = np.arange(len(points)).reshape(r.shape)
    i, j, k = np.meshgrid(np.arange(radial), np.arange(around), np.arange(along), indexing="ij")
    n = (j + 1) % around
    front = [number[i, j, k], number[i + 1, j, k], number[i + 1, n, k], number[i, n, k]]
    back = [number[i, j, k + 1], number[i + 1, j, k + 1], number[i + 1, n, k + 1],
            number[i, n, k + 1]]  # fmt: skip
    cells = np.stack([*front, *back], axis=-1)
    tube = number[0].ravel()
    groups = {"tube": tube, "one": tube[:1], "rest": tube[1:], "sleeve": number[-1].ravel()}
    return ff.mesh_from_arrays(points, {"hex8": cells.reshape(-1, 8)}, groups)


def model(element: str, speed: float) -> dict[str, Any]:
    """Return the bushing in a sleeve that turns, with a tube that is pushed along x."""
    body = {
        "name": "rubber",
        "element": element,
        "energy": "neo_hookean_isochoric",
        "parameters": RUBBER,
        "frame": {"axis": [0, 0, 1], "velocity": speed},
    }
    return {
        "title": "A rubber bushing",
        "mesh": mesh(),
        "bodies": [body],
        "supports": [{"group": "sleeve"}, {"group": "tube", "components": ["y", "z"]}],
        # The tube is rigid: all of its nodes go along x with one of them.
        "equations": [
            {"terms": [{"group": "rest", "component": "x"},
                       {"group": "one", "component": "x", "factor": -1.0}]},
        ],
        "loads": [{"kind": "force", "group": "tube", "total": [LOAD, 0, 0]}],
        "probes": [{"name": "way", "group": "one", "component": "x"}],
        "analysis": {"kind": "static", "load_steps": 12},
    }  # fmt: skip


def main() -> None:
    """Push the tube with both elements and at both speeds, and draw way and shapes."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.6), width_ratios=(1.15, 1))
    with tempfile.TemporaryDirectory() as folder:
        for element, speed, style in (
            ("hex8s", 0.0, "-"), ("hex8s", 1000.0, "--"), ("hex8", 0.0, ":"),
        ):  # fmt: skip
            run = ff.load_model(model(element, speed)).run(Path(folder) / f"{element}_{speed}")
            way = run.probes["way"]
            print(f"{element}, {speed:g} rad/s: {1e3 * float(way[-1]):.3f} mm")
            name = f"{element}, {'at rest' if not speed else f'{speed:g} rad/s'}"
            left.plot(1e3 * way.values, 1e-3 * LOAD * way.time, style, color="k", label=name)
            if element == "hex8" or speed:
                continue
            (body,) = run.results.bodies()
            state = run.results.frame(-1).states[body.name]
            moved = 1e3 * (body.points + state.displacement)
            front = body.connectivity[:, :4]
            shown = np.isclose(body.points[front][:, :, 2], 0.0).all(axis=1)
            colors = 1e-6 * state.stress[front[shown]].mean(axis=1)[:, 0]
            cells = PolyCollection(moved[front[shown]][:, :, :2], array=colors, cmap="coolwarm")
            cells.set_edgecolor("k")
            cells.set_linewidth(0.4)
            cells.set_clim(-abs(colors).max(), abs(colors).max())
            right.add_collection(cells)
            figure.colorbar(cells, ax=right, label="stress along x, MPa")
    left.set_xlabel("the tube moves, mm")
    left.set_ylabel("force, kN")
    left.legend(frameon=False)
    right.autoscale_view()
    right.set_aspect("equal")
    right.set_xlabel("x, mm")
    right.set_ylabel("y, mm")
    figure.tight_layout()
    figure.savefig(HERE / "bushing.png", dpi=90)


if __name__ == "__main__":
    main()
