# SPDX-License-Identifier: BSD-3-Clause
"""Source files of kernels: C, header and table, from the templates."""

from __future__ import annotations

from collections.abc import Sequence

from flexforge.codegen.errors import InputError
from flexforge.codegen.kernel import Kernel
from flexforge.codegen.version import VERSION
from flexforge.templates import render

TABLE = "flexforge_kernels"


def kernel_sources(kernels: Sequence[Kernel], table: str = TABLE) -> dict[str, str]:
    """Return the C files of kernels, one an element, and the table of the library.

    Parameters
    ----------
    kernels : sequence of Kernel
        With distinct names.
    table : str
        Name of the function that returns the descriptors.

    Returns
    -------
    dict
        Text by file name.

    Raises
    ------
    InputError
        When two kernels have one name.
    """
    by_element: dict[str, list[Kernel]] = {}
    names: set[str] = set()
    for kernel in kernels:
        if kernel.name in names:
            raise InputError(f"kernel name '{kernel.name}' given twice; expected distinct names")
        names.add(kernel.name)
        by_element.setdefault(kernel.element, []).append(kernel)
    files = {
        f"{element}.c": render(
            "kernel.c.jinja",
            element=element,
            kernels=group,
            version=VERSION,
            uses_roots=any(k.pieces.uses_roots for k in group),
        )
        for element, group in by_element.items()
    }
    files["kernel_table.c"] = render(
        "table.c.jinja", kernels=[k.name for k in kernels], table=table, version=VERSION
    )
    return files


def header(kernels: Sequence[Kernel], guard: str, table: str = TABLE) -> str:
    """Return the header with the prototypes of kernels."""
    return render("kernels.h.jinja", kernels=kernels, guard=guard, table=table, version=VERSION)
