# SPDX-License-Identifier: BSD-3-Clause
"""The committed instruction counts; ``python tests/benchmarks/instructions.py`` writes them anew.

They are exact, but a matter of the compiler: the table names the one it was made with.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

from flexforge.codegen.driver import compile_kernel
from flexforge.codegen.elements.library import element
from flexforge.codegen.mechanics.formalisms import FORMALISMS
from flexforge.codegen.study.as_written import compile_equations
from support.harness import instructions

TABLE = Path(__file__).with_name("instructions.json")
ELEMENTS = ("tri3", "quad4", "tet4")
TERMS = ("stiffness", "mass", "centrifugal_load")


def compiler() -> str:
    """Return the compiler's name and version."""
    done = subprocess.run(["gcc", "--version"], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()[0]


def counted(name: str) -> dict[str, int]:
    """Return the instructions of an element's equations by every formalism, and of some terms."""
    declared = element(name)
    kernels = [compile_equations(declared, formalism) for formalism in FORMALISMS]
    kernels += [compile_kernel(declared, term) for term in TERMS]
    nodes = np.array([[float(x) for x in node] for node in declared.nodes])
    return instructions(kernels, nodes)


if __name__ == "__main__":
    table: dict[str, Any] = {"compiler": compiler()} | {n: counted(n) for n in ELEMENTS}
    TABLE.write_text(json.dumps(table, indent=1) + "\n")
