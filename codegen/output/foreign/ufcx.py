# SPDX-License-Identifier: BSD-3-Clause
"""Kernels with the interface of FFCx's ``tabulate_tensor``, for DOLFINx."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flexforge.codegen.driver import Kernel
from flexforge.codegen.elements.declaration import Element
from flexforge.codegen.elements.facts import PER_ELEMENT
from flexforge.codegen.elements.field import AnyElement
from flexforge.codegen.elements.terms import Known, chosen_terms, terms_of, unwritten
from flexforge.codegen.errors import InputError, nearest
from flexforge.codegen.jit.build import INCLUDE
from flexforge.codegen.output.foreign.basix import CELLS, order
from flexforge.codegen.output.sources import header, kernel_sources
from flexforge.codegen.version import VERSION
from flexforge.templates import render


@dataclass(frozen=True, slots=True)
class Tabulated:
    """A kernel as an integral of a form.

    Attributes
    ----------
    kernel : Kernel
        A kernel of one lane.
    rows, columns : int
        Entries of A per node in its rows and columns: components for a vector space, 1 for a scalar
        space, 0 if A is a vector.
    repeat : int
        How often a scalar matrix is repeated on the diagonal of a block of A.
    """

    kernel: Kernel
    rows: int
    columns: int
    repeat: int

    @property
    def space(self) -> str:
        """Form and space of A, in words."""
        kind = "vector" if self.rows * self.repeat > 1 else "scalar"
        form = "bilinear" if self.columns else "linear"
        return f"{form}, {kind} space"

    @property
    def coefficient(self) -> str:
        """Content of w, in words."""
        names = self.kernel.state_names
        return ", ".join(names) + " in the vector space" if names else "not read"


def ufcx_known(element: AnyElement) -> Known:
    """Return the terms of an element that are forms."""
    return Known(tuple(term for term in terms_of(element) if term not in PER_ELEMENT))


def ufcx_terms(
    element: AnyElement, terms: Sequence[str] | str | None, scalar: str
) -> tuple[str, ...]:
    """Return the requested terms of an element, or the default ones; all of them are forms.

    Raises
    ------
    InputError
        If the element is not a solid or plane element with the nodes of basix, or a term is not a
        form.
    """
    if not isinstance(element, Element) or element.dimension != element.components:
        raise InputError(
            f"element '{element.name}': cannot be an integral over cells of DOLFINx; expected a "
            "solid or a plane element"
        )
    order(element)
    forms = ufcx_known(element).by_all
    chosen = chosen_terms(forms, terms)
    for term in chosen:
        if term in PER_ELEMENT:
            raise InputError(
                f"term '{term}': its rows are not degrees of freedom; expected one of "
                f"{', '.join(forms)}{nearest(term, forms)}"
            )
    return chosen


def tabulated(kernel: Kernel) -> Tabulated:
    """Return a kernel as an integral."""
    shape = next(a for a in kernel.program.arrays if a.kind == "output").shape
    per_node = kernel.dimension
    if len(shape) == 4:
        return Tabulated(kernel, per_node, per_node, 1)
    if shape[1] == kernel.nodes:
        # The scalar matrix is for a vector space, unless it is requested explicitly.
        return Tabulated(kernel, 1, 1, 1 if kernel.term == "scalar_mass" else per_node)
    return Tabulated(kernel, shape[1], 0, 1)


def ufcx_files(element: AnyElement, kernels: Sequence[Kernel], prefix: str) -> dict[str, str]:
    """Return the files of integrals for DOLFINx.

    Parameters
    ----------
    element : Element
        The declaration.
    kernels : sequence of Kernel
        Kernels of one lane, with distinct names.
    prefix : str
        Prefix of the file names.

    Returns
    -------
    dict
        Text by file name.
    """
    assert isinstance(element, Element)
    table = f"{prefix}_kernels"
    content = {
        "element": element,
        "integrals": [tabulated(kernel) for kernel in kernels],
        "prefix": prefix,
        "scalar": kernels[0].scalar,
        "order": order(element),
        "corner": CELLS[element.cell].corner,
        "guard": f"{prefix}_ufcx_h".upper(),
        "further": unwritten(ufcx_known(element), [kernel.term for kernel in kernels]).words(),
        "version": VERSION,
    }
    return {
        f"{table}.c": kernel_sources(kernels, table)[f"{element.name}.c"],
        f"{table}.h": header(kernels, f"{table.upper()}_H", table),
        f"{prefix}_ufcx.c": render("foreign/ufcx.c.jinja", **content),
        f"{prefix}_ufcx.h": render("foreign/ufcx.h.jinja", **content),
        "flexforge.h": (INCLUDE / "flexforge.h").read_text(encoding="utf-8"),
        "README.md": render("foreign/ufcx.md.jinja", **content),
    }
