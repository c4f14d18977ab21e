# SPDX-License-Identifier: BSD-3-Clause
"""The C text of elements that a solver evaluates one by one: those of bodies with an energy."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from flexforge.codegen.elements.facts import GEOMETRY
from flexforge.codegen.locations import get_include
from flexforge.codegen.output.derived import derived_for_lanes
from flexforge.runtime.export.mesh_constants import kernel_text
from flexforge.runtime.tables.layout import Kernel

if TYPE_CHECKING:
    from flexforge.codegen.elements.field import AnyElement


def element_files(kernels: Sequence[Kernel]) -> dict[str, str]:
    """Return the headers with the kernels of elements by name, and what they include.

    Parameters
    ----------
    kernels : sequence of Kernel
        All kernels of a solver, those of joints among them.
    """
    terms: dict[str, list[str]] = {}
    sources: dict[str, AnyElement | str] = {}
    for one in kernels:
        if one.element is not None:
            terms.setdefault(one.kind, []).append(one.term)
            sources[one.kind] = one.element
    if not terms:
        return {}
    files = {
        f"ff_my_{kind}.h": kernel_text(derived_for_lanes(sources[kind], tuple(found), (1,))[1])
        for kind, found in terms.items()
    }
    return files | {"flexforge.h": (Path(get_include()) / "flexforge.h").read_text("utf-8")}


def unused_checks(kernels: Sequence[Kernel]) -> list[str]:
    """Return functions of these headers that check whole meshes, which no solver calls."""
    return [
        f"{one.kind}_check_elements"
        for one in kernels
        if one.element is not None and one.term == GEOMETRY
    ]
