# SPDX-License-Identifier: BSD-3-Clause
"""From the model file to bodies with numbered unknowns."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.body import Body
from flexforge.runtime.field_body import FieldBody
from flexforge.runtime.graph import Graph, build_graph
from flexforge.runtime.kernels import CompiledKernel, kernels_of
from flexforge.runtime.lumped_body import LumpedBody
from flexforge.runtime.lumps import Lump, find_lumps
from flexforge.runtime.materials import (
    constants,
    element_name,
    expansions,
    hypothesis_of,
    reduction,
)
from flexforge.runtime.mesh import Mesh, Part, check_orphans, check_part, read_mesh, structured
from flexforge.runtime.mesh.cells import CELLS
from flexforge.runtime.mesh.named import with_points
from flexforge.runtime.model import ModelSpec, build_motion
from flexforge.runtime.model.schema_body import BodySpec
from flexforge.runtime.model.schema_mesh import RODS, SHELLS, cell_of
from flexforge.runtime.numbering import Member, number_nodes
from flexforge.runtime.places import Places
from flexforge.runtime.shell_sections import is_shell, shell_name, shell_values
from flexforge.runtime.supports import free_unknowns
from flexforge.runtime.system import System
from flexforge.runtime.threads import default_threads
from numpy.typing import NDArray

if TYPE_CHECKING:
    from flexforge.codegen.elements.field import AnyElement

Ints = NDArray[np.int64]

NODES_A_THREAD = 1000
FIELD_TERMS = ("stiffness", "mass", "coriolis", "centrifugal", "euler_load", "centrifugal_load",
             "translation")  # fmt: skip
LUMPED_TERMS = {
    "point_mass": FIELD_TERMS[1:],
    "rigid_inertia": (*FIELD_TERMS[1:], "geometric"),
    "spring": ("stiffness", "geometric"),
    "bushing": ("stiffness",),
    "ground_bushing": ("stiffness",),
}


def build_mesh(model: ModelSpec) -> Mesh:
    """Read or make the mesh of a model, in metres.

    Raises
    ------
    InputError
        If it cannot be read.
    """
    spec = model.mesh
    if spec.block is not None:
        mesh = structured(spec.block.cell, spec.block.corners, spec.block.divisions)
    elif spec.file is not None:
        mesh = read_mesh(spec.file)
    else:
        mesh = Mesh(np.zeros((0, 3)), (), {}, "mesh.points", np.zeros(0, dtype=np.int64))
    if spec.points:
        mesh = with_points(mesh, spec.points)
    if spec.scale != 1.0:
        mesh = mesh.scaled(spec.scale)
    return mesh


def build_system(model: ModelSpec, mesh: Mesh) -> Places:
    """Return the bodies of a model with their unknowns numbered.

    Parameters
    ----------
    model : ModelSpec
        The validated model.
    mesh : Mesh
        Its mesh.

    Raises
    ------
    InputError
        For cells that are missing, inverted or of the wrong kind, nodes of no cell, bodies in
        different frames that share nodes, elements of different dimension, or supports that hold
        nothing.
    """
    elements = [_element(spec, model) for spec in model.bodies]
    parts = [_part(mesh, spec, e) for spec, e in zip(model.bodies, elements, strict=True)]
    dimension = _dimension(model, elements)
    members = [
        Member(f"bodies[{i}]", spec.frame, part, _carried(element))
        for i, (spec, part, element) in enumerate(zip(model.bodies, parts, elements, strict=True))
    ]
    lumps = find_lumps(model, mesh, members, dimension)
    members += [lump.member for lump in lumps]
    # After the cells: a wrong cell is why a node is left over.
    check_orphans(mesh, [member.part.nodes for member in members])
    # Threads cost more than they gain where a sweep over the nodes takes microseconds.
    nodes = sum(len(part.points) for part in parts)
    threads = model.analysis.threads or min(default_threads(), 1 + nodes // NODES_A_THREAD)
    numbers, size = number_nodes(members, mesh)
    count = len(parts)
    bodies = (
        *(
            _body(model, *each, dimension, threads)
            for each in zip(model.bodies, elements, parts, numbers[:count], strict=True)
        ),
        *(
            _lumped_body(model, lump, nodes, dimension)
            for lump, nodes in zip(lumps, numbers[count:], strict=True)
        ),
    )
    everything = np.arange(size * dimension, dtype=np.int64)
    system = System(bodies, size, dimension, everything, model.include, threads)
    places = Places(mesh, system)
    system.free = free_unknowns(model, places)
    return places


def _element(spec: BodySpec, model: ModelSpec) -> AnyElement | str:
    """Return a user's declaration, or the name of a standard element (no SymPy for those)."""
    if spec.is_user_element:
        from flexforge.codegen.elements.user import load_element

        return load_element(Path(spec.element))
    if spec.element in SHELLS:
        return shell_name(spec, model.materials)
    material = model.materials[spec.material] if spec.material is not None else None
    return element_name(spec.element, spec.hypothesis, material)


def _mesh_cell(element: AnyElement | str) -> str:
    """Return the name of the mesh's cell an element lives on."""
    if isinstance(element, str):
        return (RODS | SHELLS).get(element) or cell_of(element.split("_")[0])
    nodes = [tuple(float(x) for x in node) for node in element.nodes]
    for cell in CELLS.values():
        same_kind = cell.nodes == len(nodes) and cell.dim == element.dimension
        if same_kind and np.allclose(np.array(nodes), np.array(cell.reference)):
            return cell.name
    raise InputError(
        f"element '{element.name}': its nodes are those of no cell of a mesh; expected the nodes "
        f"of one of {', '.join(CELLS)} in VTK order"
    )


def _part(mesh: Mesh, spec: BodySpec, element: AnyElement | str) -> Part:
    part = mesh.part(spec.cells, _mesh_cell(element))
    check_part(part, in_space=spec.element in SHELLS)
    if spec.is_revolved and part.points[:, 0].min() < 0:
        node = int(part.points[:, 0].argmin())
        raise InputError(
            f"{part.source}: node {part.node_labels[node]} has x = {part.points[node, 0]:g}; "
            "expected the section of a body of revolution at x >= 0, its axis at x = 0"
        )
    return part


def _dimension(model: ModelSpec, elements: list[AnyElement | str]) -> int:
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
            "elements of one dimension"
        )
    return found[0]


def _carried(element: AnyElement | str) -> int:
    """Return how many vectors a node carries: its displacement, and of some its rotation."""
    if isinstance(element, str):
        return 2 if "beam" in element or is_shell(element) else 1
    return len(getattr(element, "carried", ("displacement",)))


def _kernels(element: AnyElement | str) -> dict[str, CompiledKernel]:
    if isinstance(element, str) and (element in RODS or is_shell(element)):
        return kernels_of(element, (*FIELD_TERMS, "geometric"))
    if isinstance(element, str):
        prestress = () if element.endswith("axisymmetric") else ("geometric",)
        return kernels_of(element, ("stiffness", "scalar_mass", *prestress, "stress"))
    from flexforge.codegen.kernel import terms_of

    optional = [term for term in ("geometric", "stress") if term in terms_of(element)]
    return kernels_of(element, ("stiffness", "scalar_mass", *optional))


def _body(
    model: ModelSpec, spec: BodySpec, element: AnyElement | str, part: Part, nodes: Ints,
    dimension: int, threads: int,
) -> Body:  # fmt: skip
    values: dict[str, float] = dict(spec.parameters)
    alpha = beta = 0.0
    # The plies of a shell share their damping.
    material = model.materials[spec.materials[0]] if spec.materials else None
    law = reduction(material, values, hypothesis_of(element, dimension))
    if material is not None:
        alpha, beta = material.damping.alpha, material.damping.beta + material.viscosity
    if spec.element in SHELLS:
        values |= shell_values(spec, model.materials, part)
    elif material is not None:
        values |= constants(material, law) | expansions(material, law, element, dimension)
    if spec.thickness is not None:
        values["thickness"] = spec.thickness
    common: dict[str, Any] = {
        "name": spec.name,
        "part": part,
        "dimension": dimension,
        "element": element if isinstance(element, str) else element.name,
        "kernels": _kernels(element),
        "law": law,
        "source": element,
        "viscosity": material.viscosity if material is not None else 0.0,
        "alpha": alpha,
        "beta": beta,
        "motion": build_motion(spec.frame, model.span or 1.0),
        "nodes": nodes,
    }
    if spec.element not in RODS and spec.element not in SHELLS:
        graph = build_graph(part.points, part.connectivity, threads)
        return Body(values=values, graph=graph, **common)
    carried = _carried(element)
    graph = _graph_of_vectors(part, carried, threads)
    if spec.section is None:
        return FieldBody(values=values, graph=graph, carried=carried, **common)
    values |= spec.section.values(values["poisson"])
    _check_orientation(spec, part, dimension)
    return FieldBody(
        values=values, graph=graph, carried=carried, reach=spec.section.reach,
        round=spec.section.diameter is not None, **common,
    )  # fmt: skip


def _graph_of_vectors(part: Part, carried: int, threads: int) -> Graph:
    """Return the graph of what the nodes carry: displacements, then rotations."""
    count = len(part.points)
    vectors = np.stack([part.connectivity + k * count for k in range(carried)], axis=-1)
    points = np.tile(part.points, (carried, 1))
    return build_graph(points, vectors.reshape(len(vectors), -1), threads)


def _lumped_body(model: ModelSpec, lump: Lump, nodes: Ints, dimension: int) -> LumpedBody:
    """Return the body of a mass or a connector."""
    member = lump.member
    return LumpedBody(
        name=lump.name,
        part=member.part,
        dimension=dimension,
        element=lump.element,
        kernels=kernels_of(lump.element, LUMPED_TERMS[lump.element.removesuffix("_plane")]),
        values=lump.values,
        alpha=0.0,
        beta=0.0,
        motion=build_motion(member.frame, model.span or 1.0),
        graph=_graph_of_vectors(member.part, member.carried, 1),
        nodes=nodes,
        carried=member.carried,
        dampers=lump.dampers,
    )


def _check_orientation(spec: BodySpec, part: Part, dimension: int) -> None:
    """Refuse a beam in space whose axis y would be along its axis."""
    if dimension == 2 or spec.section is None or not spec.element.endswith("beam"):
        return
    axes = part.points[part.connectivity[:, 1]] - part.points[part.connectivity[:, 0]]
    normal = np.linalg.norm(np.cross(axes, spec.section.orientation), axis=1)
    size = np.linalg.norm(axes, axis=1) * np.linalg.norm(spec.section.orientation)
    wrong = np.flatnonzero(normal <= 1e-9 * size)
    if len(wrong):
        raise InputError(
            f"body '{spec.name}': section.orientation {list(spec.section.orientation)} is along "
            f"the axis of cell {part.labels[wrong[0]]} (and {len(wrong) - 1} more); expected a "
            "direction across it"
        )
