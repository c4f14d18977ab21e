# SPDX-License-Identifier: BSD-3-Clause
"""From the model file to bodies with numbered unknowns."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.body import Body
from flexforge.runtime.field_body import FieldBody
from flexforge.runtime.graph import build_graph
from flexforge.runtime.kernels import CompiledKernel, kernels_of
from flexforge.runtime.materials import (
    constants,
    element_name,
    expansions,
    hypothesis_of,
    reduction,
)
from flexforge.runtime.mesh import Mesh, Part, check_orphans, check_part, read_mesh, structured
from flexforge.runtime.mesh.cells import CELLS
from flexforge.runtime.model import ModelSpec, build_motion
from flexforge.runtime.model.schema_body import BodySpec
from flexforge.runtime.model.schema_mesh import RODS, cell_of
from flexforge.runtime.system import System
from flexforge.runtime.threads import default_threads
from numpy.typing import NDArray

if TYPE_CHECKING:
    from flexforge.codegen.elements.field import AnyElement

Ints = NDArray[np.int64]

NODES_A_THREAD = 1000
ROD_TERMS = ("stiffness", "mass", "coriolis", "centrifugal", "euler_load", "centrifugal_load",
             "translation")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Places:
    """Where the names of a model file lie in the system.

    Attributes
    ----------
    mesh : Mesh
        The mesh, scaled.
    system : System
        The bodies.
    """

    mesh: Mesh
    system: System

    def bodies(self, name: str | None) -> list[Body]:
        """Return the body of that name, or all."""
        return [body for body in self.system.bodies if name in (None, body.name)]

    def nodes(self, group: str, body: str | None, key: str) -> list[tuple[Body, Ints]]:
        """Return the nodes of a group, in the numbering of each body that has any.

        Raises
        ------
        InputError
            If there is no such group, or no body has a node of it.
        """
        found = self.mesh.select(group)
        pairs = [(b, b.part.local(found.nodes)) for b in self.bodies(body)]
        pairs = [(b, nodes) for b, nodes in pairs if len(nodes)]
        if not pairs:
            where = f"body '{body}'" if body else "a body"
            raise InputError(
                f"{key}.group: no node of group '{group}' belongs to {where}; expected at least one"
            )
        return pairs


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
    else:
        assert spec.file is not None
        mesh = read_mesh(spec.file)
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
    check_orphans(mesh)  # after the cells: a wrong cell is why a node is left over
    # Threads cost more than they gain where a sweep over the nodes takes microseconds.
    nodes = sum(len(part.points) for part in parts)
    threads = model.analysis.threads or min(default_threads(), 1 + nodes // NODES_A_THREAD)
    dimension = _dimension(model, elements)
    numbers, size = _number(model, mesh, parts, [_carried(e) for e in elements])
    bodies = tuple(
        _body(model, *each, dimension, threads)
        for each in zip(model.bodies, elements, parts, numbers, strict=True)
    )
    everything = np.arange(size * dimension, dtype=np.int64)
    system = System(bodies, size, dimension, everything, model.include, threads)
    places = Places(mesh, system)
    system.free = _free(model, places)
    return places


def _element(spec: BodySpec, model: ModelSpec) -> AnyElement | str:
    """Return a user's declaration, or the name of a standard element (no SymPy for those)."""
    if spec.is_user_element:
        from flexforge.codegen.elements.user import load_element

        return load_element(Path(spec.element))
    if spec.element in RODS:
        from flexforge.codegen.elements.catalogue import find

        return find(spec.element)
    material = model.materials[spec.material] if spec.material is not None else None
    return element_name(spec.element, spec.hypothesis, material)


def _mesh_cell(element: AnyElement | str) -> str:
    """Return the name of the mesh's cell an element lives on."""
    if isinstance(element, str):
        return cell_of(element.split("_")[0])
    if element.name in RODS:
        return RODS[element.name]
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
    check_part(part)
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
    if len(set(found)) > 1:
        raise InputError(
            f"bodies[{found.index(2)}].element: planar in a model with spatial elements; expected "
            "elements of one dimension"
        )
    return found[0]


def _carried(element: AnyElement | str) -> int:
    """Return how many vectors a node carries: its displacement, and of beams its rotation."""
    return len(getattr(element, "carried", ("displacement",)))


def _number(
    model: ModelSpec, mesh: Mesh, parts: list[Part], carried: list[int]
) -> tuple[list[Ints], int]:
    """Give the nodes of every frame their numbers; bodies in one frame share nodes.

    The rotations of a frame's nodes are numbered after their displacements.
    """
    frames = [spec.frame for spec in model.bodies]
    different = [frame for i, frame in enumerate(frames) if frame not in frames[:i]]
    numbers: list[Ints] = [np.zeros(0, dtype=np.int64)] * len(parts)
    taken = np.full(len(mesh.points), -1)
    size = 0
    for k, frame in enumerate(different):
        members = [i for i, one in enumerate(frames) if one == frame]
        used = np.unique(np.concatenate([parts[i].nodes for i in members]))
        shared = used[taken[used] >= 0]
        if len(shared):
            raise InputError(
                f"bodies[{members[0]}].frame: node {mesh.node_labels[shared[0]]} of {mesh.source} "
                f"(and {len(shared) - 1} more) belongs to bodies in different frames; expected "
                "bodies that share nodes to share the frame"
            )
        taken[used] = k
        for i in members:
            numbers[i] = size + np.searchsorted(used, parts[i].nodes)
        size += len(used)
        turning = [i for i in members if carried[i] > 1]
        if turning:
            turned = np.unique(np.concatenate([parts[i].nodes for i in turning]))
            for i in turning:
                rotations = size + np.searchsorted(turned, parts[i].nodes)
                numbers[i] = np.concatenate([numbers[i], rotations])
            size += len(turned)
    return numbers, size


def _kernels(element: AnyElement | str) -> dict[str, CompiledKernel]:
    if isinstance(element, str):
        prestress = () if element.endswith("axisymmetric") else ("geometric",)
        return kernels_of(element, ("stiffness", "scalar_mass", *prestress, "stress"))
    from flexforge.codegen.kernel import terms_of

    if element.name in RODS:
        return kernels_of(element, (*ROD_TERMS, "geometric"))
    optional = [term for term in ("geometric", "stress") if term in terms_of(element)]
    return kernels_of(element, ("stiffness", "scalar_mass", *optional))


def _body(
    model: ModelSpec, spec: BodySpec, element: AnyElement | str, part: Part, nodes: Ints,
    dimension: int, threads: int,
) -> Body:  # fmt: skip
    values: dict[str, float] = dict(spec.parameters)
    alpha = beta = 0.0
    material = model.materials[spec.material] if spec.material is not None else None
    law = reduction(material, values, hypothesis_of(element, dimension))
    if material is not None:
        values |= constants(material, law) | expansions(material, law, element, dimension)
        alpha, beta = material.damping.alpha, material.damping.beta + material.viscosity
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
    if spec.section is None:
        graph = build_graph(part.points, part.connectivity, threads)
        return Body(values=values, graph=graph, **common)
    values |= spec.section.values(values["poisson"])
    _check_orientation(spec, part, dimension)
    carried, count = _carried(element), len(part.points)
    vectors = np.stack([part.connectivity + k * count for k in range(carried)], axis=-1)
    graph = build_graph(
        np.tile(part.points, (carried, 1)), vectors.reshape(len(vectors), -1), threads
    )
    return FieldBody(
        values=values, graph=graph, carried=carried, reach=spec.section.reach,
        round=spec.section.diameter is not None, **common,
    )  # fmt: skip


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


def _free(model: ModelSpec, places: Places) -> Ints:
    """Return the unknowns that no support holds."""
    system = places.system
    held = np.zeros((system.size, system.dimension), dtype=bool)
    for body in system.bodies:
        if body.revolved:  # what lies on the axis stays there
            held[body.nodes[body.points[:, 0] == 0], 0] = True
    for i, support in enumerate(model.supports):
        moved = ["xyz".index(c) for c in support.components if c in "xyz"[: system.dimension]]
        about = ("rz",) if system.dimension == 2 else ("rx", "ry", "rz")
        turned = [about.index(c) for c in support.components if c in about]
        for body, nodes in places.nodes(support.group, support.body, f"supports[{i}]"):
            held[body.nodes[nodes][:, None], moved] = True
            if len(body.rotations):
                held[body.rotations[nodes][:, None], turned] = True
    if system.dimension == 2:
        for body in system.bodies:  # a rotation in the plane has one coordinate
            held[body.rotations, 1] = True
    if held.all():
        raise InputError("supports: every displacement is held; expected some unknowns")
    return np.flatnonzero(~held.ravel())
