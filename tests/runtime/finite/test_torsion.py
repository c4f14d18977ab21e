# SPDX-License-Identifier: BSD-3-Clause
"""Torsion of a nearly incompressible cylinder of fixed length against Rivlin's solution."""

from __future__ import annotations

import flexforge as ff
import numpy as np
import pytest
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.mesh import structured
from large import CUBE
from scipy.sparse.linalg import spsolve

RADIUS, LENGTH, TWIST, STEPS = 1.0, 0.25, 0.6, 4


def cylinder(cell: str, across: int, rings: int) -> tuple[Floats, Ints]:
    """Return points and cells of a slice: a square core, and four blocks out to the circle."""
    core, ring = (structured(cell, CUBE, [n, across, 1]) for n in (across, rings))
    half, t = 0.45 * RADIUS, 2.0 * ring.points[:, 1] - 1.0
    inner = half * np.column_stack([np.ones_like(t), t])
    outer = RADIUS * np.column_stack([np.cos(np.pi / 4 * t), np.sin(np.pi / 4 * t)])
    out = ring.points[:, :1]
    side, quarter = (1.0 - out) * inner + out * outer, np.array([[0.0, 1.0], [-1.0, 0.0]])
    parts = [(half * (2.0 * core.points[:, :2] - 1.0), core)]
    parts += [(side @ np.linalg.matrix_power(quarter, k), ring) for k in range(4)]
    points = np.concatenate(
        [np.column_stack([xy, LENGTH * mesh.points[:, 2]]) for xy, mesh in parts]
    )
    starts = np.cumsum([0, *(len(xy) for xy, _ in parts)])
    cells = np.concatenate(
        [mesh.blocks[0].nodes + start for (_, mesh), start in zip(parts, starts, strict=False)]
    )
    _, first, number = np.unique(
        np.round(points, 9) + 0.0, axis=0, return_index=True, return_inverse=True
    )
    return points[first], number.ravel()[cells]


@pytest.mark.slow
@pytest.mark.parametrize(("cell", "across", "rings"), [("hex27", 2, 1), ("hex27", 3, 2)])
def test_torsion_of_a_cylinder(cell: str, across: int, rings: int) -> None:
    """Of mu, twist t per length and radius a: torque ``pi mu t a^4 / 2``, and the force that
    keeps the length, ``-pi mu t^2 a^4 / 4``: ends pull outwards less than they would alone.

    The ends turn without any displacement along a radius, as all sections do.
    """
    points, cells = cylinder(cell, across, rings)
    law = {"mu": 1.0, "kappa": 1e4}
    rubber = ff.hyperelastic(cell, "neo_hookean_isochoric")
    kernels = ff.kernels_of(rubber, ["internal_forces", "tangent"])
    top = np.isclose(points[:, 2], LENGTH)
    free = ~np.repeat(top | np.isclose(points[:, 2], 0.0), 3).reshape(-1, 3)
    chosen = np.flatnonzero(free)

    def turned(twist: float) -> Floats:
        c, s = np.cos(twist * points[:, 2]), np.sin(twist * points[:, 2])
        x, y, _ = points.T
        return np.column_stack([(c - 1.0) * x - s * y, s * x + (c - 1.0) * y, np.zeros_like(x)])

    u = np.zeros_like(points)
    for step in range(STEPS):
        u += turned(TWIST * (step + 1) / STEPS) - turned(TWIST * step / STEPS)
        for _ in range(8):
            forces = ff.assemble(kernels["internal_forces"], points, cells, u, **law)
            if np.linalg.norm(forces[free]) < 1e-9 * np.linalg.norm(forces):
                break
            tangent = ff.assemble(kernels["tangent"], points, cells, u, **law).tocsc()
            u[free] -= spsolve(tangent[chosen][:, chosen], forces[free])
        else:
            raise AssertionError("no equilibrium")
    torque = np.cross((points + u)[top], forces[top])[:, 2].sum()
    assert torque == pytest.approx(np.pi * TWIST * RADIUS**4 / 2.0, rel=2e-3)
    assert forces[top, 2].sum() == pytest.approx(-np.pi * TWIST**2 * RADIUS**4 / 4.0, rel=2e-3)
