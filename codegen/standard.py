# SPDX-License-Identifier: BSD-3-Clause
"""Which kernels come with an installation, and their sources for every level of a processor."""

from __future__ import annotations

from collections.abc import Sequence

from flexforge.codegen.elements.library import FACETS, facet, standard_elements
from flexforge.codegen.kernel import Kernel, compile_kernel
from flexforge.codegen.sources import kernel_sources

TERMS = ("stiffness", "scalar_mass", "geometric", "stress")
LANES = 8


def standard_kernels() -> list[Kernel]:
    """Return the kernels the runtime needs for standard models."""
    kernels = [
        compile_kernel(element, term, lanes=LANES)
        for element in standard_elements()
        for term in TERMS
    ]
    facets = [facet(cell, components) for components, cells in FACETS.items() for cell in cells]
    return kernels + [compile_kernel(element, "pressure", lanes=LANES) for element in facets]


def standard_sources() -> dict[str, str]:
    """Return the C text of the standard kernels by file name."""
    return kernel_sources(standard_kernels())


def level_source(names: Sequence[str], level: int) -> str:
    """Return a C file that compiles all kernels for one level, private but for their table."""
    ordered = sorted(names, key=lambda name: (name == "kernel_table.c", name))
    lines = [
        "#define FLEXFORGE_PRIVATE",
        f"#define flexforge_kernels flexforge_kernels_v{level}",
        *(f'#include "{name}"' for name in ordered),
    ]
    return "\n".join(lines) + "\n"
