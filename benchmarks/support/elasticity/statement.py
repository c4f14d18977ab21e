# SPDX-License-Identifier: BSD-3-Clause
"""The problems as data: cells, quadrature, specimens, arguments and results.

``benchmarks/problems/problems.json`` says what each problem asks, one file per cell has its
numbers. The numbers follow from the library's declarations and from a seed; the answers are those
of :mod:`support.elasticity.oracle`, which reads nothing but these data.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from flexforge.codegen.elements.library import element
from flexforge.codegen.elements.quadrature import rule
from flexforge.codegen.errors import InputError, nearest
from flexforge.runtime.mesh.cells import CELLS as MESH_CELLS

FOLDER = Path(__file__).parents[2] / "problems"
CELLS = ("tri3", "tri6", "quad4", "quad8", "quad9", "tet4", "tet10", "pyramid5", "wedge6",
         "wedge15", "hex8", "hex20", "hex27")  # fmt: skip
#: Decimals of all numbers that are chosen, so that they are the same in every program.
DECIMALS = 3
#: Largest difference of a result from the expected one, over the largest expected number.
TOLERANCE = 1e-11

VALUES = {
    "young": 2.1, "poisson": 0.29, "density": 1.3, "lame": 1.2, "mu": 0.8, "thickness": 0.7,
    "w1": 0.4, "w2": -0.7, "w3": 0.9, "e1": 0.3, "e2": 0.2, "e3": -0.5,
}  # fmt: skip


@cache
def problems() -> dict[str, dict[str, Any]]:
    """Return what the problems ask, by name."""
    found: dict[str, dict[str, Any]] = json.loads((FOLDER / "problems.json").read_text())[
        "problems"
    ]
    return found


@cache
def cell(name: str) -> dict[str, Any]:
    """Return the numbers of a cell.

    Raises
    ------
    InputError
        For a cell that has none.
    """
    if name not in CELLS:
        raise InputError(
            f"cell '{name}' has no problems; expected one of {', '.join(CELLS)}"
            f"{nearest(name, CELLS)}"
        )
    found: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text())
    return found


def split(problem: str) -> tuple[str, str]:
    """Return cell and problem of a name such as ``hex8/stiffness``.

    Raises
    ------
    InputError
        For a name that is not of a cell and a problem.
    """
    name, _, asked = problem.partition("/")
    cell(name)
    if asked not in problems():
        raise InputError(
            f"problem '{problem}' is unknown; expected {name}/ and one of "
            f"{', '.join(problems())}{nearest(asked, problems())}"
        )
    return name, asked


def parameters(problem: str, dimension: int) -> list[str]:
    """Return the names of a problem's scalar arguments, in order."""
    found: list[str] = problems()[problem]["parameters"]["plane" if dimension == 2 else "solid"]
    return found


def extents(problem: str, nodes: int, dimension: int) -> tuple[int, ...]:
    """Return the extents of a problem's result: (matrices, n, n), or (nodes, dimension)."""
    size = nodes * dimension
    matrices = problems()[problem]["matrices"]
    return (matrices, size, size) if matrices else (nodes, dimension)


def full_name(name: str, dimension: int) -> str:
    """Return the library's name of a cell's element: plane cells are in plane strain."""
    return f"{name}_plane_strain" if dimension == 2 else name


def numbers(name: str) -> dict[str, Any]:
    """Return the numbers of a cell as they are written, without the expected results."""
    dimension = MESH_CELLS[name].dim
    declared = element(full_name(name, dimension))
    reference = np.array(MESH_CELLS[name].reference)
    rng = np.random.default_rng(CELLS.index(name))

    def chosen(size: float) -> list[list[float]]:
        values = size * rng.uniform(-1, 1, reference.shape)
        return [[float(x) for x in row] for row in np.round(values, DECIMALS)]

    specimen = np.round(reference + np.array(chosen(0.08)), DECIMALS)
    return {
        "cell": name,
        "reference": declared.cell,
        "dimension": dimension,
        "nodes": reference.tolist(),
        "monomials": [list(powers) for powers in MESH_CELLS[name].monomials],
        "quadrature": {
            part: dict(
                zip(("points", "weights"), rule(declared.cell, declared.degree[part]), strict=True)
            )
            for part in ("stiffness", "mass")
        },
        "coordinates": specimen.tolist(),
        "vectors": {
            "displacement": chosen(0.05),
            "vector": chosen(1.0),
            "velocity": chosen(1.0),
            "acceleration": chosen(1.0),
        },
        "parameters": {
            key: value
            for key, value in VALUES.items()
            if (key not in ("w1", "w2", "e1", "e2") if dimension == 2 else key != "thickness")
        },
    }


def write(answers: Any) -> None:
    """Write the files of all cells, with the answers of the oracle.

    Parameters
    ----------
    answers : callable
        Returns the expected numbers of a cell's data and the name of a problem.
    """
    for name in CELLS:
        data = json.loads(json.dumps(numbers(name)))
        data["expected"] = {
            problem: np.asarray(answers(data, problem)).ravel().tolist() for problem in problems()
        }
        lines = [f" {json.dumps(key)}: {json.dumps(value)}" for key, value in data.items()]
        (FOLDER / f"{name}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
