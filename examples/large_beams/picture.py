# SPDX-License-Identifier: BSD-3-Clause
"""Draw beams.png: cantilevers under a moment and under a force, by kernels of a planar beam."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import flexforge as ff
import matplotlib.pyplot as plt
import numpy as np
from numpy.typing import NDArray
from scipy.sparse.linalg import spsolve

COUNT = 20
#: A beam of length 1 and EI = 1, a million times as stiff along its axis.
SECTION = {
    "young": 1.0,
    "poisson": 0.0,
    "area": 1e6,
    "inertia_z": 1.0,
    "shear_y": 2.0,
    "offset_y": 0.0,
}
#: Dead loads P L^2/EI at the tip; its deflection and shortening (Mattiasson, International Journal
#: for Numerical Methods in Engineering 17, 1981).
PRINTED = {1.0: (0.30172, 0.05643), 5.0: (0.71379, 0.38763), 10.0: (0.81061, 0.55500)}


def shapes(loads: Sequence[tuple[float, float]]) -> list[NDArray[np.float64]]:
    """Return the places of the nodes under forces across the tip and moments, one after another."""
    points = np.zeros((COUNT + 1, 2))
    points[:, 0] = np.linspace(0.0, 1.0, COUNT + 1)
    cells = np.array([[k, k + 1] for k in range(COUNT)])
    kernels = ff.kernels_of("simo_beam2_plane", ["internal_forces", "tangent"])
    state = np.zeros((COUNT + 1, 2, 2))  # displacement, then the angle and nothing
    free = np.ones(state.shape, dtype=bool)
    free[0], free[:, 1, 1] = False, False
    moving, found = np.flatnonzero(free), []
    for force, moment in loads:
        load = np.zeros_like(state)
        load[-1, 0, 1], load[-1, 1, 0] = force, moment
        for _ in range(40):
            forces = ff.assemble(kernels["internal_forces"], points, cells, state, **SECTION)
            tangent = ff.assemble(kernels["tangent"], points, cells, state, **SECTION).tocsr()
            change = spsolve(tangent[moving][:, moving].tocsc(), (load - forces).ravel()[moving])
            state.ravel()[moving] += change
            if abs(change).max() < 1e-7:
                break
        else:
            raise RuntimeError(f"no balance under the load {force}, {moment}")
        found.append(points + state[:, 0])
    return found


def main() -> None:
    """Draw both pictures; print how far the tips are from what is known."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.0, 4.2), layout="constrained")
    turns = np.linspace(0.0, 2.0, 17)
    rolled = shapes([(0.0, 2.0 * np.pi * one) for one in turns])
    for share, places in zip(turns, rolled, strict=True):
        left.plot(*places.T, color=plt.colormaps["viridis"](share / 2.2), lw=1.6)
    gaps = [float(np.hypot(*rolled[k][-1])) for k in (8, 16)]
    print(f"one turn: the ends are {gaps[0]:.0e} apart, two turns: {gaps[1]:.0e}")
    left.set_title("an end moment, to two turns")
    forces = np.linspace(0.0, 10.0, 11)
    for force, places in zip(forces, shapes([(one, 0.0) for one in forces]), strict=True):
        known = PRINTED.get(float(force))
        right.plot(
            *places.T, color=plt.colormaps["viridis"](force / 11.0), lw=1.6 if known else 0.7
        )
        if known:
            right.plot(1.0 - known[1], known[0], "o", mfc="none", color="black")
            away = np.hypot(1.0 - known[1] - places[-1, 0], known[0] - places[-1, 1])
            print(f"P L^2/EI = {force:g}: the tip is {away:.1e} away from the printed one")
    right.set_title("a dead load; rings: elastica (1981)")
    for axes in (left, right):
        axes.set_aspect("equal")
        axes.plot([0, 0], [-0.04, 0.04], color="black", lw=4)
    figure.savefig(Path(__file__).with_name("beams.png"), dpi=90, metadata={"Software": None})


if __name__ == "__main__":
    main()
