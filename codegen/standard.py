# SPDX-License-Identifier: BSD-3-Clause
"""Which kernels come with an installation, and their sources for every level of a processor."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from flexforge.codegen.elements.catalogue import LUMPED, RODS
from flexforge.codegen.elements.library import FACETS, facet, standard_elements
from flexforge.codegen.kernel import Kernel, compile_kernel, terms_of
from flexforge.codegen.sources import kernel_sources

TERMS = ("stiffness", "scalar_mass", "geometric", "stress")
#: Terms of elements that write out their field, of those that each has.
FIELD_TERMS = ("stiffness", "mass", "coriolis", "centrifugal", "euler_load", "centrifugal_load",
               "translation", "geometric")  # fmt: skip
#: Elements a call by level of the processor: the doubles its vectors hold.
LANES = {1: 2, 2: 4, 3: 4, 4: 8}


@cache
def continuum_kernels() -> tuple[Kernel, ...]:
    """Return the kernels of solids, plane elements and their facets, for one element a call."""
    kernels = [compile_kernel(element, term) for element in standard_elements() for term in TERMS]
    facets = [facet(cell, components) for components, cells in FACETS.items() for cell in cells]
    return (*kernels, *(compile_kernel(element, "pressure") for element in facets))


@cache
def field_kernels() -> tuple[Kernel, ...]:
    """Return the kernels of bars, beams, masses and connectors, for one element a call."""
    elements = [declare() for declare in (*RODS.values(), *LUMPED.values())]
    return tuple(
        compile_kernel(element, term)
        for element in elements
        for term in FIELD_TERMS
        if term in terms_of(element)
    )


def standard_kernels() -> tuple[Kernel, ...]:
    """Return the kernels the runtime needs for standard models, for one element a call."""
    return (*continuum_kernels(), *field_kernels())


def standard_sources(level: int) -> dict[str, str]:
    """Return the C text of the standard kernels for a level, by file name.

    One of the files, ``levelN.c``, compiles them all, private but for their table.
    """
    lanes = LANES[level]
    kernels = [replace(k, lanes=lanes, name=f"{k.name}_x{lanes}") for k in standard_kernels()]
    sources = kernel_sources(kernels)
    ordered = sorted(sources, key=lambda name: (name == "kernel_table.c", name))
    lines = [
        "#define FLEXFORGE_PRIVATE",
        f"#define flexforge_kernels flexforge_kernels_v{level}",
        *(f'#include "{name}"' for name in ordered),
    ]
    return sources | {f"level{level}.c": "\n".join(lines) + "\n"}
