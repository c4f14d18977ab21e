# SPDX-License-Identifier: BSD-3-Clause
"""The kernels of FFCx as contestants.

MFEM's and libCEED's work on elements is spread over C++ classes and over operators on whole meshes;
there is no C function of one element to count. They are in ``flexforge bench ceed``.
"""

from __future__ import annotations

import json
import re
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from support.elasticity import statement
from support.elasticity.contestant import Contestant
from support.referee import PEERS

SCRIPT = Path(__file__).parents[2] / "contestants" / "ffcx_elasticity.py"
#: The faster ones of those that support/ffcx.py tries.
FLAGS = ("-O3", "-ffast-math", "-march=native")
#: What FFCx's caller computes: Lame's constants of the linear law.
DERIVED = {
    "LAMBDA": "parameters[{young}] * parameters[{poisson}]"
    " / ((1.0 + parameters[{poisson}]) * (1.0 - 2.0 * parameters[{poisson}]))",
    "SHEAR": "parameters[{young}] / (2.0 * (1.0 + parameters[{poisson}]))",
}

#: FFCx's includes and functions; structs of pointers that stand between them are of no use here.
_WANTED = re.compile(
    r"^#include [^\n]*\n|^void tabulate_tensor_\w+\(.*?(?=^ufcx_integral )",
    re.MULTILINE | re.DOTALL,
)


def ffcx_missing(cell: str) -> str:
    """Return why FFCx has no kernels of a cell; empty if it has."""
    if not PEERS.exists():
        return "FFCx is absent: make bench installs it into .venv-bench"
    return str(_made(cell).get("absent", ""))


def ffcx(problem: str) -> list[Contestant]:
    """Return FFCx's kernel of a problem, where it has one."""
    cell, asked = statement.split(problem)
    if ffcx_missing(cell):
        return []
    made, data = _made(cell), statement.cell(cell)
    found, d, nodes = made["problems"][asked], data["dimension"], len(data["nodes"])
    names = statement.parameters(asked, d)
    place = {name: k for k, name in enumerate(names)}
    calls = []
    size = int(np.prod(statement.extents(asked, nodes, d)))
    parts = zip(found["functions"], found["constants"], strict=True)
    for k, (function, constants) in enumerate(parts):
        values = ", ".join(
            DERIVED[one].format(**place) if one in DERIVED else f"parameters[{place[one]}]"
            for one in constants
        )
        offset = k * (nodes * d) ** 2
        calls += [
            f"    const double c{k}[] = {{{values}}};",
            f"    {function}(out + {offset}, state, c{k}, x, 0, 0, 0);",
        ]
    wrapper = "\n".join([
        "void contestant(const double *coordinates, const double *parameters, const double *state,",
        "                double *out, double *workspace)", "{",
        f"    double x[{3 * nodes}];", "    (void)workspace;",
        f"    for (int a = 0; a < {nodes}; a++)",
        "        for (int i = 0; i < 3; i++)",
        f"            x[3 * a + i] = i < {d} ? coordinates[{d} * a + i] : 0.0;",
        f"    for (int i = 0; i < {size}; i++) out[i] = 0.0;", *calls, "}", "",
    ])  # fmt: skip
    text = "".join(_WANTED.findall(found["source"])) + wrapper
    order, include = tuple(made["order"]), (Path(made["include"]),)
    return [
        Contestant(
            problem,
            "FFCx",
            made["version"],
            text,
            "contestant",
            FLAGS,
            order=order,
            include=include,
        )
    ]


@cache
def _made(cell: str) -> dict[str, Any]:
    """Return what FFCx makes of a cell's problems, with the order of its nodes."""
    data = (statement.FOLDER / f"{cell}.json").read_text()
    done = subprocess.run(
        [str(PEERS), str(SCRIPT)], input=data, capture_output=True, text=True, check=False
    )
    if done.returncode:
        words = done.stderr.strip().splitlines() or [f"status {done.returncode}"]
        return {"absent": f"FFCx makes nothing of {cell}: {words[-1]}"}
    made: dict[str, Any] = json.loads(done.stdout)
    if "absent" not in made:
        ours = np.array(made["ours"])
        made["order"] = [
            int(np.argmin(np.abs(ours - node).sum(axis=1))) for node in np.array(made["nodes"])
        ]
    return made
