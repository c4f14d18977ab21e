# SPDX-License-Identifier: BSD-3-Clause
"""flexforge assembling the elasticity of a cube: ``CELL DIVISIONS THREADS``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np
from support.contestant import serve

VALUES = {"young": 1.0, "poisson": 0.3, "density": 1.0}
CORNERS = [[x, y, z] for z in (0, 1) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))]


def prepare() -> tuple[dict[str, Any], dict[str, Any]]:
    """Make the mesh; the jobs assemble from nothing, or into memory that is there."""
    from flexforge.runtime.assembly.assemble import assemble_matrix
    from flexforge.runtime.assembly.graph import build_graph
    from flexforge.runtime.assembly.kernels import kernels_of
    from flexforge.runtime.mesh import structured
    from scipy.sparse import bsr_matrix, csr_matrix

    cell, divisions, threads = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    part = structured(cell, CORNERS, [divisions] * 3).part(cell=cell)
    points, cells = part.points, part.connectivity
    kernels = kernels_of(cell, ("stiffness", "scalar_mass"))
    state: dict[str, Any] = {}

    def values(term: str, **options: Any) -> Any:
        return assemble_matrix(kernels[term], state["graph"], points, VALUES, **options)

    def from_nothing() -> None:
        """Graph of the nodes, its pattern as CSR, and the values."""
        state.clear()
        graph = state["graph"] = build_graph(points, cells, threads)
        data = values("stiffness", csr=True)
        pointers, indices = graph.csr(3)
        size = 3 * graph.nodes
        state["matrix"] = csr_matrix((data, indices, pointers), shape=(size, size))

    def blocks_from_nothing() -> None:
        """Graph of the nodes, which is the pattern of the blocks, and the values (BSR)."""
        state.clear()
        graph = state["graph"] = build_graph(points, cells, threads)
        data = values("stiffness").reshape(-1, 3, 3)
        state["matrix"] = bsr_matrix((data, graph.columns, graph.pointers))

    def refill() -> None:
        values("stiffness", csr=True, out=state["matrix"].data)

    def refill_blocks() -> None:
        values("stiffness", out=state["matrix"].data.reshape(-1))

    def mass() -> None:
        state["mass"] = values("scalar_mass", out=state.get("mass"))

    def vector_mass() -> None:
        """The scalar mass in all three components, as who wants the full matrix needs it."""
        scalar = values("scalar_mass", out=state.get("mass"))
        state["mass"] = scalar
        blocks = state.setdefault("blocks", np.zeros((len(scalar), 3, 3)))
        for i in range(3):
            blocks[:, i, i] = scalar

    def check() -> dict[str, float]:
        refill()
        data = state["matrix"].data
        return {"frobenius": float(np.linalg.norm(data)), "nnz": len(data)}

    jobs = {
        "assemble BSR": blocks_from_nothing,
        "assemble": from_nothing,
        "refill": refill,
        "refill BSR": refill_blocks,
        "scalar mass": mass,
        "vector mass": vector_mass,
        "check": check,
    }
    return jobs, {"elements": len(cells), "unknowns": points.size}


if __name__ == "__main__":
    serve(prepare)
