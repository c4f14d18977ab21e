# SPDX-License-Identifier: BSD-3-Clause
"""SfePy assembling the elasticity of a cube: ``CELL DIVISIONS``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from support.contestant import serve

LAMBDA, MU = 0.3 / (1.3 * 0.4), 1 / 2.6


def prepare() -> tuple[dict[str, Any], dict[str, Any]]:
    """Make mesh, problem and the pattern, and fill once: what is timed is its refill, its best."""
    import numpy as np
    import sfepy
    from sfepy.base.base import output
    from sfepy.discrete import Equation, Equations, FieldVariable, Integral, Material, Problem
    from sfepy.discrete.fem import FEDomain, Field
    from sfepy.mechanics.matcoefs import stiffness_from_lame
    from sfepy.mesh.mesh_generators import gen_block_mesh
    from sfepy.terms import Term

    output.set_output(quiet=True)
    cell, n = sys.argv[1], int(sys.argv[2])
    if cell == "hex8":
        mesh = gen_block_mesh([1.0] * 3, [n + 1] * 3, [0.5] * 3, verbose=False)
    else:
        mesh = _tetrahedra(n)
    domain = FEDomain("cube", mesh)
    region = domain.create_region("all", "all")
    order = 2 if cell == "tet10" else 1
    field = Field.from_args("u", np.float64, "vector", region, approx_order=order)
    u = FieldVariable("u", "unknown", field)
    v = FieldVariable("v", "test", field, primary_var_name="u")
    material = Material("m", D=stiffness_from_lame(3, LAMBDA, MU))
    integral = Integral("i", order={"hex8": 3, "tet4": 1, "tet10": 2}[cell])
    term = Term.new("dw_lin_elastic(m.D, v, u)", integral, region, m=material, v=v, u=u)
    problem = Problem("cube", equations=Equations([Equation("elasticity", term)]))
    problem.time_update()
    problem.update_materials()
    problem.equations.init_state()
    matrix = problem.equations.create_matrix_graph(active_only=False)
    start = np.zeros(field.n_nod * 3)
    state: dict[str, Any] = {}

    def refill() -> None:
        matrix.data[:] = 0.0
        state["matrix"] = problem.equations.eval_tangent_matrices(start, matrix)

    def check() -> dict[str, float]:
        values = state["matrix"].data
        return {"frobenius": float(np.linalg.norm(values)), "nnz": int(values.size)}

    refill()
    facts = {"elements": int(mesh.n_el), "unknowns": int(matrix.shape[0])}
    return {"refill": refill, "check": check}, facts | {"version": sfepy.__version__}


def _tetrahedra(n: int) -> Any:
    """Cut every small cube into six tetrahedra around its diagonal (Kuhn)."""
    from itertools import permutations

    import numpy as np
    from sfepy.discrete.fem import Mesh

    grid = np.linspace(0.0, 1.0, n + 1)
    points = np.stack(np.meshgrid(grid, grid, grid, indexing="ij"), axis=-1).reshape(-1, 3)
    strides = np.array([(n + 1) ** 2, n + 1, 1])
    first = (np.stack(np.meshgrid(*[np.arange(n)] * 3, indexing="ij"), -1) @ strides).ravel()
    cells = []
    for order in permutations(range(3)):
        corners = np.cumsum([0, *strides[list(order)]])
        even = order in ((0, 1, 2), (1, 2, 0), (2, 0, 1))
        cells.append(first[:, None] + corners[[0, 1, 2, 3] if even else [0, 2, 1, 3]])
    connectivity = np.concatenate(cells).astype(np.int32)
    groups = np.zeros(len(connectivity), np.int32)
    return Mesh.from_data("cube", points, None, [connectivity], [groups], ["3_4"])


if __name__ == "__main__":
    serve(prepare)
