# SPDX-License-Identifier: BSD-3-Clause
"""Rods and shells under loads whose work is known: cantilevers, and a plate at rest on its edges.

Of a conforming element the work of a load falls short of the exact one by the square of the error
in the energy norm (Strang and Fix, An Analysis of the Finite Element Method, section 1.7), so that
it converges twice as fast: with h^2 for linear bars, h^4 for quadratic ones and for the cubics of
Euler's beam. Timoshenko's beam has one shear strain an element, and h^2 with it, of the part that
shear has, which is small in slender beams. Of plates the works of dkt3 and mitc4, which do not
conform, converge with h^2.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.statics.static import solve_static
from flexforge.runtime.system.construct import build_mesh, build_system
from flexforge.runtime.system.loads import Loads

YOUNG, POISSON, DENSITY, GRAVITY, SPEED = 2e11, 0.3, 7800.0, 9.81, 10.0
SHEAR = YOUNG / (2 * (1 + POISSON))
WIDTH, FINE, COARSE = 0.05, 8, 4
#: Lengths by heights.
SLENDER = (1e1, 1e2, 1e3, 1e4)
#: Length by height where rates are measured: that of the beam is of a stout one, which shears.
STOUT = {"timoshenko_beam": 2.0}
#: Rates of the work.
EXPECTED = {
    "bar2": 2, "bar3": 4, "euler_beam": 4, "timoshenko_beam": 2, "dkt3": 2, "mitc4": 2,
}  # fmt: skip


def _solve(body: dict[str, Any], block: dict[str, Any], **tables: Any) -> float:
    """Return the work of the loads of a model, twice the energy, J."""
    spec = model_from_dict({
        "mesh": {"block": block},
        "materials": {"steel": {"young": YOUNG, "poisson": POISSON, "density": DENSITY}},
        "bodies": [{"name": "body", "material": "steel", **body}],
        "analysis": {"kind": "static"},
        "include": {"geometric": False, "centrifugal_stiffness": False},
        **tables,
    })  # fmt: skip
    places = build_system(spec, build_mesh(spec))
    system = places.system
    for one in system.bodies:
        one.assemble()
    loads = Loads(spec, places)
    found = solve_static(system, loads, 0.0, "auto")
    return float(np.sum(loads.at(0.0, system.spins(0.0)) * found.displacement))


def _bar(name: str, divisions: int, slender: float) -> float:
    """Return the share of the work of a bar that turns: ``2/15 (rho w^2)^2 A L^5 / E``."""
    block = {"cell": f"line{name[3]}", "corners": [[0.0] * 3, [1.0, 0, 0]],
             "divisions": [divisions]}  # fmt: skip
    frame = {"velocity": SPEED, "axis": [0.0, 0.0, 1.0]}
    body = {"element": name, "section": {"area": 1e-4}, "frame": frame}
    held = [{"group": "xmin"}, {"group": "all", "components": ["y", "z"]}]
    work = _solve(body, block, supports=held)
    return work / (2 / 15 * (DENSITY * SPEED**2) ** 2 * 1e-4 / YOUNG)


def _beam(name: str, divisions: int, slender: float) -> float:
    """Return that of a cantilever under its weight: ``q^2 (L^5 / (20 E I) + L^3 / (3 kappa G A))``.

    The second part is that of Timoshenko's beam.
    """
    height, factor = 1.0 / slender, 5 / 6
    section = {"shape": "rectangle", "width": WIDTH, "height": height, "shear_z": factor}
    block = {"cell": "line2", "corners": [[0.0] * 3, [1.0, 0, 0]], "divisions": [divisions]}
    weight = [{"kind": "gravity", "acceleration": [0.0, 0.0, -GRAVITY]}]
    work = _solve({"element": name, "section": section}, block, supports=[{"group": "xmin"}],
                  loads=weight)  # fmt: skip
    area = WIDTH * height
    exact = 1 / (20 * YOUNG * area * height**2 / 12)
    if name.startswith("timoshenko"):
        exact += 1 / (3 * factor * SHEAR * area)
    return work / ((DENSITY * GRAVITY * area) ** 2 * exact)


def _plate(name: str, divisions: int, slender: float) -> float:
    """Return that of a square plate under its weight, at rest on its edges: Navier's series.

    ``q^2 (64 / pi^8 a^6 / D S_2 + 64 / pi^6 a^4 / (5/6 G t) S_1)`` with the sums of
    ``1 / (m^2 n^2 (m^2 + n^2)^p)`` over odd m, n; the second part is that of shear, in mitc4 alone.
    """
    thick = 1.0 / slender
    cell = {"dkt3": "tri3", "mitc4": "quad4"}[name]
    corners = [[0.0, 0, 0], [1.0, 0, 0], [1.0, 1.0, 0], [0, 1.0, 0]]
    block = {"cell": cell, "corners": corners, "divisions": [2 * divisions] * 2}
    along = {"xmin": "ry", "xmax": "ry", "ymin": "rx", "ymax": "rx"}
    held: list[dict[str, Any]] = [
        {"group": side, "components": ["z", "rx" if turn == "ry" else "ry"]}
        for side, turn in along.items()
    ]
    held.append({"group": "all", "components": ["x", "y"]})
    weight = [{"kind": "gravity", "acceleration": [0.0, 0.0, -GRAVITY]}]
    work = _solve({"element": name, "thickness": thick}, block, supports=held, loads=weight)
    odd = np.arange(1, 400, 2.0)
    m, n = np.meshgrid(odd, odd)
    bend, shear = (np.sum(1 / (m**2 * n**2 * (m**2 + n**2) ** p)) for p in (2, 1))
    exact = 64 / np.pi**8 * bend / (YOUNG * thick**3 / 12 / (1 - POISSON**2))
    if name == "mitc4":
        exact += 64 / np.pi**6 * shear / (5 / 6 * SHEAR * thick)
    return float(work / ((DENSITY * GRAVITY * thick) ** 2 * exact))


#: What gives the share of the exact work, by element, of divisions and length by height.
WORK: dict[str, Callable[[int, float], float]] = {
    name: partial(
        _bar if name[:3] == "bar" else _plate if name in ("dkt3", "mitc4") else _beam, name
    )
    for name in EXPECTED
}


def work_rate(name: str) -> tuple[float, float]:
    """Return the relative error of the work on the fine mesh, and its rate from the coarse one."""
    slender = STOUT.get(name, SLENDER[0])
    coarse, fine = (abs(1 - WORK[name](n, slender)) for n in (COARSE, FINE))
    return fine, float(np.log2(coarse / fine))


def share(name: str, slender: float) -> float:
    """Return the share of the exact work on the coarse mesh, for a length by height."""
    return WORK[name](COARSE, slender)
