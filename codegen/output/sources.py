# SPDX-License-Identifier: BSD-3-Clause
"""Source files of kernels: C, header, table, Cython module and README, from the templates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from flexforge.codegen.arguments import typed
from flexforge.codegen.driver import Kernel
from flexforge.codegen.elements.declaration import Element
from flexforge.codegen.elements.field import AnyElement
from flexforge.codegen.elements.parameters import NOT_NEGATIVE
from flexforge.codegen.elements.terms import known_terms, unwritten
from flexforge.codegen.emission.lane_functions import lane_functions
from flexforge.codegen.emission.sines import sines_source
from flexforge.codegen.errors import InputError
from flexforge.codegen.output.words import RESERVED_IN_CPP, argument_name
from flexforge.codegen.version import VERSION
from flexforge.templates import render

TABLE = "flexforge_kernels"


def _kernels(value: object) -> str:
    """Rule of a list of kernels."""
    listed = isinstance(value, Sequence) and all(isinstance(one, Kernel) for one in value)
    return "" if listed else "a list of kernels, such as those of flexforge.compile"


@typed(kernels=_kernels)
def kernel_sources(kernels: Sequence[Kernel], table: str = TABLE) -> dict[str, str]:
    """Return the C files of kernels, one per element, and the table of the library.

    Parameters
    ----------
    kernels : sequence of Kernel
        Kernels with distinct names.
    table : str
        Name of the function that returns the descriptors.

    Returns
    -------
    dict
        Text by file name.

    Raises
    ------
    InputError
        If two kernels have the same name.

    Examples
    --------
    >>> import flexforge as ff
    >>> sources = ff.kernel_sources([ff.compile(ff.element("tri3"), "mass")])
    >>> sorted(sources)
    ['kernel_table.c', 'tri3_plane_stress.c']
    >>> "void tri3_plane_stress_mass(" in sources["tri3_plane_stress.c"]
    True
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
            sines=sines_source() if any(k.pieces.uses_sines for k in group) else "",
            lane_functions=_lane_functions(group),
            uses_vectors=any(k.lanes > 1 for k in group),
        )
        for element, group in by_element.items()
    }
    files["kernel_table.c"] = table_source([k.name for k in kernels], table)
    return files


def _lane_functions(kernels: Sequence[Kernel]) -> list[str]:
    """Return the functions of vectors that kernels call, by the number of lanes."""
    used: dict[int, frozenset[str]] = {}
    for kernel in kernels:
        width = kernel.layout.width
        used[width] = used.get(width, frozenset()) | kernel.pieces.lane_functions
    return [lane_functions(width, names) for width, names in sorted(used.items()) if names]


def table_source(names: Sequence[str], table: str = TABLE) -> str:
    """Return the C text of the function that returns the descriptors of kernels."""
    return render("table.c.jinja", kernels=names, table=table, version=VERSION)


def header(kernels: Sequence[Kernel], guard: str, table: str = TABLE) -> str:
    """Return the header with the prototypes of kernels."""
    checks = [k for k in kernels if k.check_name]
    return render(
        "kernels.h.jinja", kernels=kernels, checks=checks, guard=guard, table=table, version=VERSION
    )


def cpp_header(element: AnyElement, kernels: Sequence[Kernel], prefix: str) -> str:
    """Return the header for C++: a function for every kernel of one lane, arrays of fixed sizes."""
    single = [k for k in kernels if k.lanes == 1 and not k.check_name]
    argument = partial(argument_name, reserved=RESERVED_IN_CPP)
    return render(
        "kernels.hpp.jinja",
        element=element,
        kernels=single,
        prefix=prefix,
        # The prefix names a namespace unless C++ gives it another meaning.
        namespace=argument(prefix),
        guard=f"{prefix.upper()}_HPP",
        nodes=kernels[0].nodes,
        dimension=kernels[0].dimension,
        order=_order(element),
        scalar=kernels[0].scalar,
        example=next((argument(k.parameters[0].name) for k in single if k.parameters), "name"),
        argument=argument,
        check=_check(kernels),
        version=VERSION,
    )


@dataclass(frozen=True, slots=True)
class TermKernels:
    """The kernels of one term: the widest computes full batches, the narrowest the remainder."""

    widest: Kernel
    narrowest: Kernel


def by_term(kernels: Sequence[Kernel]) -> list[TermKernels]:
    """Return the kernels of every term, in the order of the terms."""
    groups: dict[str, list[Kernel]] = {}
    for kernel in kernels:
        groups.setdefault(kernel.term, []).append(kernel)
    ordered = (sorted(group, key=lambda k: k.lanes) for group in groups.values())
    return [TermKernels(group[-1], group[0]) for group in ordered]


def _check(kernels: Sequence[Kernel]) -> Kernel | None:
    """Return the kernel that checks the geometry of elements, if there is one."""
    return next((k for k in kernels if k.check_name), None)


def binding(element: AnyElement, kernels: Sequence[Kernel], prefix: str) -> str:
    """Return a Cython module that calls the kernels of an element on NumPy arrays."""
    return render(
        "kernels.pyx.jinja",
        element=element,
        kernels=kernels,
        terms=by_term(kernels),
        prefix=prefix,
        scalar=kernels[0].scalar,
        argument=argument_name,
        not_negative=_not_negative(element, kernels),
        check=_check(kernels),
        dtype="float32" if kernels[0].scalar == "float" else "float64",
        version=VERSION,
    )


def _not_negative(element: AnyElement, kernels: Sequence[Kernel]) -> list[str]:
    """Return the scalar arguments that are not negative, by name or by the declaration."""
    own = {element.density, element.section}
    names = dict.fromkeys(p.name for kernel in kernels for p in kernel.parameters)
    return [name for name in names if name in NOT_NEGATIVE or name in own]


def _order(element: AnyElement) -> str:
    """Return the meaning of the first index of the arrays of a kernel."""
    if isinstance(element, Element):
        return "nodes in VTK order"
    told = f"a counts the vectors of the nodes, of each its {' and its '.join(element.carried)}"
    if len(element.carried) > 1:
        told += "; the position of a node is read from its first vector"
        if element.components == 2 and "rotation" in element.carried:
            told += "; of a rotation the first component counts, the second has no effect"
    if element.energy is not None and "rotation" in element.carried and element.components == 3:
        told += (
            "; rotations in the state are rotation vectors, of any angle; moments and the tangent "
            "belong to spins w in the frame, dR = w~ R"
        )
    if "slope" in element.carried:
        told += "; slopes are derivatives of the displacement by the length at rest"
    if element.flat:
        shape = "a straight line" if element.dimension == 1 else "a plane"
        told += f"; the nodes are expected on {shape}, which is not checked"
    return told


def _places(element: AnyElement) -> str:
    """Return the reference coordinates of the nodes of the mesh, in order; none of a point."""
    nodes = element.nodes if isinstance(element, Element) else element.places
    return ", ".join(f"({', '.join(map(str, node))})" for node in nodes) if nodes[0] else ""


def _reference(element: AnyElement) -> list[list[float]]:
    """Return the nodal positions of the reference cell in its space."""
    more = element.components - element.dimension
    return [[float(x) for x in node] + [0.0] * more for node in element.nodes]


def readme(element: AnyElement, kernels: Sequence[Kernel], prefix: str) -> str:
    """Return the README of a library of kernels, which tells how to call each."""
    return render(
        "README.md.jinja",
        element=element,
        kernels=kernels,
        terms=by_term(kernels),
        prefix=prefix,
        argument=argument_name,
        argument_cpp=partial(argument_name, reserved=RESERVED_IN_CPP),
        unstated=dict.fromkeys(p.name for k in kernels for p in k.parameters if not p.units),
        places=_places(element),
        order=_order(element),
        reference=_reference(element),
        check=_check(kernels),
        example=next((k for k in kernels if k.lanes == 1 and not k.state_vectors), None),
        example_cpp=next(
            (k for k in kernels if k.lanes == 1 and not k.state_vectors and not k.check_name), None
        ),
        namespace=argument_name(prefix, RESERVED_IN_CPP),
        further=unwritten(known_terms(element), [k.term for k in kernels]).words(),
        version=VERSION,
    )
