# SPDX-License-Identifier: BSD-3-Clause
"""The element of a body: full name or declaration, cell and kernels."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.assembly.calls import CompiledKernel
from flexforge.runtime.assembly.kernels import kernels_of
from flexforge.runtime.materials.shell_sections import LAMINATE, is_shell, shell_name
from flexforge.runtime.materials.values import element_name
from flexforge.runtime.mesh.cells import CELLS
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.model.schema_body import BodySpec
from flexforge.runtime.model.schema_mesh import RODS, SHELLS, cell_of

if TYPE_CHECKING:
    from flexforge.codegen.elements.field import AnyElement

FIELD_TERMS = ("stiffness", "mass", "coriolis", "centrifugal", "euler_load", "centrifugal_load",
             "translation")  # fmt: skip


def element_of(spec: BodySpec, model: ModelSpec) -> AnyElement | str:
    """Return a user's declaration, or the name of a standard element (no SymPy for those)."""
    if spec.is_user_element:
        from flexforge.codegen.elements.declaration import Element, require_body
        from flexforge.codegen.elements.user import load_element

        element = load_element(Path(spec.element))
        if isinstance(element, Element):
            require_body(element)
        return element
    if spec.element in RODS and spec.plies is not None:
        return f"{spec.element}{LAMINATE}"
    if spec.element in SHELLS:
        return shell_name(spec, model.materials)
    material = model.materials[spec.material] if spec.material is not None else None
    return element_name(spec.element, spec.hypothesis, material)


def mesh_cell(element: AnyElement | str) -> str:
    """Return the name of the mesh's cell an element lives on."""
    if isinstance(element, str):
        plain = element.removesuffix(LAMINATE)
        return (RODS | SHELLS).get(plain) or cell_of(element.split("_")[0])
    declared = getattr(element, "places", element.nodes)  # vectors of a node share its place
    nodes = [tuple(float(x) for x in node) for node in declared]
    for cell in CELLS.values():
        same_kind = cell.nodes == len(nodes) and cell.dim == element.dimension
        if same_kind and np.allclose(np.array(nodes), np.array(cell.reference)):
            return cell.name
    raise InputError(
        f"element '{element.name}': its nodes match no mesh cell; expected the nodes "
        f"of one of {', '.join(CELLS)} in VTK order"
    )


def dimension_of(model: ModelSpec, elements: list[AnyElement | str]) -> int:
    """Return the number of coordinates a node has, the same for all bodies."""
    found = [
        (2 if spec.is_planar else 3) if isinstance(element, str) else element.components
        for spec, element in zip(model.bodies, elements, strict=True)
    ]
    if not found:  # masses and connectors alone are in space
        return 3
    if len(set(found)) > 1:
        raise InputError(
            f"bodies[{found.index(2)}].element: planar in a model with spatial elements; expected "
            "elements of one spatial dimension"
        )
    return found[0]


def vectors_carried(element: AnyElement | str) -> int:
    """Return how many vectors a node carries: its displacement, and of some its rotation."""
    if isinstance(element, str):
        return 2 if "beam" in element or is_shell(element) else 1
    return len(getattr(element, "carried", ("displacement",)))


def has_field(element: AnyElement | str) -> bool:
    """Whether an element writes out its field: bars, beams, shells, and those of users."""
    if isinstance(element, str):
        return element.removesuffix(LAMINATE) in (RODS | SHELLS)
    return hasattr(element, "carried")


def element_kernels(element: AnyElement | str) -> dict[str, CompiledKernel]:
    """Return the kernels that a body of an element needs."""
    if isinstance(element, str) and has_field(element):
        sections = ("section_geometric",) if vectors_carried(element) == 2 else ()
        return kernels_of(element, (*FIELD_TERMS, "geometric", *sections))
    if isinstance(element, str):
        return kernels_of(element, ("stiffness", "scalar_mass", "geometric", "stress"))
    from flexforge.codegen.elements.terms import terms_of

    if has_field(element):
        wanted = (*FIELD_TERMS, "geometric", "section_geometric")
        return kernels_of(element, [term for term in wanted if term in terms_of(element)])
    optional = [term for term in ("geometric", "stress") if term in terms_of(element)]
    return kernels_of(element, ("stiffness", "scalar_mass", *optional))
