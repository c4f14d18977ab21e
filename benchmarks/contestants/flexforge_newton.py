# SPDX-License-Identifier: BSD-3-Clause
"""flexforge in a step of Newton's method of a neo-Hookean cube: ``DIVISIONS THREADS``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np
from support.bent import LAME, MU, bent
from support.contestant import serve

CORNERS = [[x, y, z] for z in (0, 1) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))]


def prepare() -> tuple[dict[str, Any], dict[str, Any]]:
    """Make the model; the jobs are the parts of a step, and the whole of it."""
    from flexforge.runtime.loading.load import model_from_dict
    from flexforge.runtime.solvers import factorize
    from flexforge.runtime.statics.balance import Balance
    from flexforge.runtime.system.construct import build_mesh, build_system
    from flexforge.runtime.system.loads import Loads

    divisions, threads = int(sys.argv[1]), int(sys.argv[2])
    values = {"mu": MU, "lame": LAME, "density": 1.0}
    model = model_from_dict(
        {
            "mesh": {"block": {"cell": "hex8", "corners": CORNERS, "divisions": [divisions] * 3}},
            "bodies": [{"name": "cube", "element": "hex8", "energy": "neo_hookean",
                        "parameters": values}],
            "supports": [{"group": "zmin"}],
            "analysis": {"kind": "static", "threads": threads},
        }
    )  # fmt: skip
    places = build_system(model, build_mesh(model))
    system, balance = places.system, Balance(places.system, Loads(model, places), 0.0)
    (body,) = system.bodies
    u = np.zeros((system.size, 3))
    u[body.nodes] = bent(body.points)
    state: dict[str, Any] = {}

    def forces() -> None:
        state["residual"] = balance.residual(u, 1.0)[0]

    def tangent() -> None:
        state["matrix"] = balance.tangent(balance.at(u), u, 1.0)

    def solve() -> None:
        factors = factorize(state["matrix"], "auto", threads, symmetric=True)
        state["correction"], state["solver"] = factors.solve(state["residual"]), factors.name
        factors.close()

    def step() -> None:
        forces()
        tangent()
        solve()

    def check() -> dict[str, float]:
        step()
        return {
            "norm of the forces": float(np.linalg.norm(state["residual"])),
            "trace of the tangent": float(state["matrix"].diagonal().sum()),
            "norm of the correction": float(np.linalg.norm(state["correction"])),
        }

    step()
    jobs = {"forces": forces, "tangent": tangent, "solve": solve, "step": step, "check": check}
    facts = {"elements": body.elements, "unknowns": system.unknowns, "solver": state["solver"]}
    return jobs, facts


if __name__ == "__main__":
    serve(prepare)
