# SPDX-License-Identifier: BSD-3-Clause
"""The kernels of an installation, and their sources for every level of a processor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from flexforge.codegen.driver import Kernel, compile_kernel, widened
from flexforge.codegen.elements.catalogue import LUMPED, RODS, SHELLS, find
from flexforge.codegen.elements.facts import GEOMETRY
from flexforge.codegen.elements.field import AnyElement
from flexforge.codegen.elements.library import FACETS, facet, standard_elements
from flexforge.codegen.elements.terms import further_terms_of, terms_of
from flexforge.codegen.joints.lower import joint_kernels
from flexforge.codegen.output.lanes import LANES
from flexforge.codegen.output.sources import kernel_sources, table_source

TERMS = ("stiffness", "scalar_mass", "geometric", "stress", GEOMETRY)
#: Installed terms of elements with an explicit field, as far as an element has them.
FIELD_TERMS = ("stiffness", "mass", "coriolis", "centrifugal", "euler_load", "centrifugal_load",
               "translation", "geometric", "section_geometric", GEOMETRY)  # fmt: skip
#: Terms with the section forces of rods and shells, and their positions.
STATION_TERMS = ("points", "point_stress")


#: Suffixes of shells and rods that are compiled on first use.
_ON_DEMAND = ("laminate", "dkt3d", "euler_beam_tapered", "plane_tapered")


@dataclass(frozen=True, slots=True)
class Share:
    """An element with installed kernels.

    Attributes
    ----------
    declare : callable
        Returns its declaration.
    terms : tuple of str
        Installed terms, as far as the element has them.
    """

    declare: Callable[[], AnyElement]
    terms: tuple[str, ...]

    def kernels(self) -> tuple[Kernel, ...]:
        """Return its kernels, for one element per call."""
        element = self.declare()
        known = (*terms_of(element), *further_terms_of(element))
        return tuple(compile_kernel(element, term) for term in self.terms if term in known)


def continuum_shares() -> tuple[Share, ...]:
    """Return solids, plane elements and their facets."""
    return (
        *(Share(partial(find, element.name), TERMS) for element in standard_elements()),
        *(
            Share(partial(facet, cell, components), ("pressure", GEOMETRY))
            for components, cells in FACETS.items()
            for cell in cells
        ),
    )


def field_shares() -> tuple[Share, ...]:
    """Return shells, beams, bars, masses and connectors, slowest derivations first."""
    shells, rods = (
        [declare for name, declare in group.items() if not name.endswith(_ON_DEMAND)]
        for group in (SHELLS, RODS)
    )
    stretched = (*FIELD_TERMS, *STATION_TERMS)
    return (
        *(Share(declare, stretched) for declare in (*shells, *rods[::-1])),
        *(Share(declare, FIELD_TERMS) for declare in LUMPED.values()),
    )


@dataclass(frozen=True, slots=True)
class JointShare:
    """The joints of mechanisms."""

    @staticmethod
    def kernels() -> tuple[Kernel, ...]:
        """Return their kernels, for one joint per call."""
        return joint_kernels()


def shares() -> tuple[Share | JointShare, ...]:
    """Return all installed elements and joints."""
    return (*field_shares(), JointShare(), *continuum_shares())


def share_sources(
    number: int, levels: Sequence[int]
) -> dict[int, tuple[dict[str, str], list[str]]]:
    """Return C text by file name, and the names of the kernels, for one share and every level.

    Parameters
    ----------
    number : int
        Number of the share, out of :func:`shares`.
    levels : sequence of int
        Levels of the processor.
    """
    kernels = shares()[number].kernels()
    found = {}
    for level in levels:
        batch = [_widened(kernel, LANES[level]) for kernel in kernels]
        files = {n: text for n, text in kernel_sources(batch).items() if n != "kernel_table.c"}
        found[level] = files, [kernel.name for kernel in batch]
    return found


def _widened(kernel: Kernel, lanes: int) -> Kernel:
    """Return a kernel of several elements per call; joints stay one a call."""
    return kernel if kernel.cell == "joint" else widened(kernel, lanes)


def share_count() -> int:
    """Return the number of shares."""
    return len(shares())


def level_sources(level: int, files: dict[str, str], names: Sequence[str]) -> dict[str, str]:
    """Return all files of a level; ``levelN.c`` includes them, with only their table public."""
    lines = [
        "#define FLEXFORGE_PRIVATE",
        f"#define flexforge_kernels flexforge_kernels_v{level}",
        *(f'#include "{name}"' for name in (*sorted(files), "kernel_table.c")),
    ]
    table = {"kernel_table.c": table_source(names), f"level{level}.c": "\n".join(lines) + "\n"}
    return files | table
