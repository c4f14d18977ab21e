# SPDX-License-Identifier: BSD-3-Clause
"""From the model file to bodies with numbered unknowns."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.body import Body
from flexforge.runtime.graph import build_graph
from flexforge.runtime.kernels import CompiledKernel, kernels_of
from flexforge.runtime.mesh import Mesh, Part, check_orphans, check_part, read_mesh, structured
from flexforge.runtime.mesh.cells import CELLS
from flexforge.runtime.model import ModelSpec, build_motion
from flexforge.runtime.model.schema_body import BodySpec
from flexforge.runtime.model.schema_mesh import cell_of
from flexforge.runtime.system import System
from flexforge.runtime.threads import default_threads
from numpy.typing import NDArray

if TYPE_CHECKING:
    from flexforge.codegen.elements.declaration import Element

Ints = NDArray[np.int64]

NODES_A_THREAD = 1000


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
    elements = [_element(spec) for spec in model.bodies]
    parts = [_part(mesh, spec, e) for spec, e in zip(model.bodies, elements, strict=True)]
    check_orphans(mesh)  # after the cells: a wrong cell is why a node is left over
    # Threads cost more than they gain where a sweep over the nodes takes microseconds.
    nodes = sum(len(part.points) for part in parts)
    threads = model.analysis.threads or min(default_threads(), 1 + nodes // NODES_A_THREAD)
    dimension = _dimension(model, elements)
    numbers, size = _number(model, mesh, parts)
    bodies = tuple(
        _body(model, *each, dimension, threads)
        for each in zip(model.bodies, elements, parts, numbers, strict=True)
    )
    everything = np.arange(size * dimension, dtype=np.int64)
    system = System(bodies, size, dimension, everything, model.include, threads)
    places = Places(mesh, system)
    system.free = _free(model, places)
    return places


def _element(spec: BodySpec) -> Element | str:
    """Return a user's declaration, or the name of a standard element (no SymPy for those)."""
    if spec.is_user_element:
        from flexforge.codegen.elements.user import load_element

        return load_element(Path(spec.element))
    return f"{spec.element}_{spec.hypothesis}" if spec.hypothesis else spec.element


def _mesh_cell(element: Element | str) -> str:
    """Return the name of the mesh's cell an element lives on."""
    if isinstance(element, str):
        return cell_of(element.split("_")[0])
    nodes = [tuple(float(x) for x in node) for node in element.nodes]
    for cell in CELLS.values():
        same_kind = cell.nodes == len(nodes) and cell.dim == element.dimension
        if same_kind and np.allclose(np.array(nodes), np.array(cell.reference)):
            return cell.name
    raise InputError(
        f"element '{element.name}': its nodes are those of no cell of a mesh; expected the nodes "
        f"of one of {', '.join(CELLS)} in VTK order"
    )


def _part(mesh: Mesh, spec: BodySpec, element: Element | str) -> Part:
    part = mesh.part(spec.cells, _mesh_cell(element))
    check_part(part)
    return part


def _dimension(model: ModelSpec, elements: list[Element | str]) -> int:
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


def _number(model: ModelSpec, mesh: Mesh, parts: list[Part]) -> tuple[list[Ints], int]:
    """Give the nodes of every frame their numbers; bodies in one frame share nodes."""
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
    return numbers, size


def _kernels(element: Element | str) -> dict[str, CompiledKernel]:
    if isinstance(element, str):
        return kernels_of(element, ("stiffness", "scalar_mass", "geometric", "stress"))
    from flexforge.codegen.kernel import terms_of

    optional = [term for term in ("geometric", "stress") if term in terms_of(element)]
    return kernels_of(element, ("stiffness", "scalar_mass", *optional))


def _body(
    model: ModelSpec, spec: BodySpec, element: Element | str, part: Part, nodes: Ints,
    dimension: int, threads: int,
) -> Body:  # fmt: skip
    values: dict[str, float] = dict(spec.parameters)
    alpha = beta = 0.0
    if spec.material is not None:
        material = model.materials[spec.material]
        values |= {
            "young": material.young, "poisson": material.poisson, "density": material.density,
        }  # fmt: skip
        alpha, beta = material.damping.alpha, material.damping.beta
    if spec.thickness is not None:
        values["thickness"] = spec.thickness
    return Body(
        name=spec.name,
        part=part,
        dimension=dimension,
        element=element if isinstance(element, str) else element.name,
        kernels=_kernels(element),
        values=values,
        alpha=alpha,
        beta=beta,
        motion=build_motion(spec.frame, model.span or 1.0),
        graph=build_graph(part.points, part.connectivity, threads),
        nodes=nodes,
    )


def _free(model: ModelSpec, places: Places) -> Ints:
    """Return the unknowns that no support holds."""
    system = places.system
    held = np.zeros((system.size, system.dimension), dtype=bool)
    for i, support in enumerate(model.supports):
        components = ["xyz".index(c) for c in support.components if c != "z" or held.shape[1] == 3]
        for body, nodes in places.nodes(support.group, support.body, f"supports[{i}]"):
            for component in components:
                held[body.nodes[nodes], component] = True
    if held.all():
        raise InputError("supports: every displacement is held; expected some unknowns")
    return np.flatnonzero(~held.ravel())
