# SPDX-License-Identifier: BSD-3-Clause
"""Bodies from their tables in the model file, their cells and their numbers in the system."""

from __future__ import annotations

from typing import Any

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Ints
from flexforge.runtime.assembly.graph import Graph, build_graph
from flexforge.runtime.assembly.kernels import kernels_of
from flexforge.runtime.materials.beam_sections import beam_values
from flexforge.runtime.materials.shell_sections import shell_values
from flexforge.runtime.materials.varying_sections import varying_section
from flexforge.runtime.mechanism.motion import LinkMotion
from flexforge.runtime.mesh import Mesh, Part
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.model.schema_body import BodySpec
from flexforge.runtime.model.schema_mesh import SHELLS
from flexforge.runtime.motion.frame import FrameMotion
from flexforge.runtime.system.bearing import BearingBody
from flexforge.runtime.system.body import Body
from flexforge.runtime.system.corotated_shell import CorotatedShell
from flexforge.runtime.system.elements import FIELD_TERMS, LARGE_TERMS, CellElement
from flexforge.runtime.system.field_body import FieldBody
from flexforge.runtime.system.finite_body import FiniteBody
from flexforge.runtime.system.finite_rod import FiniteRod
from flexforge.runtime.system.lumped_body import LumpedBody
from flexforge.runtime.system.lumps import LumpedMember
from flexforge.runtime.system.nonlinear_spring import NonlinearSpring
from flexforge.runtime.system.own_values import material_values, section_values
from flexforge.runtime.system.placed_parameters import values_at_cells
from flexforge.runtime.system.train_body import TrainBody

LUMPED_TERMS = {
    "point_mass": FIELD_TERMS[1:],
    "rigid_inertia": (*FIELD_TERMS[1:], "geometric"),
    "spring": ("stiffness", "geometric"),
    "bushing": ("stiffness",),
    "ground_bushing": ("stiffness",),
}


def build_body(
    model: ModelSpec,
    mesh: Mesh,
    spec: BodySpec,
    element: CellElement,
    part: Part,
    nodes: Ints,
    motion: FrameMotion | LinkMotion,
    dimension: int,
    threads: int,
) -> Body:
    """Return a body of the model file."""
    inertia = None if element.declared is None else element.declared.density
    if spec.numbers.get(inertia or "", 0.0) < 0.0:
        raise InputError(
            f"body '{spec.name}': parameters.{inertia}: found the inertia "
            f"{spec.numbers[inertia or '']:g}; expected at least 0"
        )
    # The plies of a laminate share their damping.
    material = model.materials[spec.materials[0]] if spec.materials else None
    alpha = 0.0 if material is None else material.damping.alpha
    beta = 0.0 if material is None else material.damping.beta + material.viscosity
    values: dict[str, Any]
    values, law = material_values(spec, material, element.hypothesis, element.expansion, dimension)
    if spec.element in SHELLS:
        values = shell_values(spec, model.materials, part)
        values |= {} if spec.thickness is None else {"thickness": spec.thickness}
    elif spec.plies is not None:
        values = beam_values(spec, model.materials)
    values = {**values, **values_at_cells(spec, element, part)}
    common: dict[str, Any] = {
        "name": spec.name,
        "whole": next((name for name, own in model.pieces.items() if spec.name in own), ""),
        "part": part,
        "dimension": dimension,
        "element": element.name,
        "kernels": element.kernels(),
        "law": law,
        "declared": element.declared,
        "viscosity": material.viscosity if material is not None else 0.0,
        "alpha": alpha,
        "beta": beta,
        "motion": motion,
        "nodes": nodes,
    }
    if not element.has_field:
        if spec.section is not None and spec.hollow is None:
            raise InputError(
                f"body '{spec.name}': section: found one for element '{common['element']}', which "
                "has no cross section; expected none"
            )
        graph = build_graph(part.points, part.connectivity, threads, part.source)
        if not element.is_large:
            return Body(values=values, graph=graph, **common)
        body = FiniteBody(values=values, graph=graph, **common)
        if body.grows and material is not None and material.expansion is not None:
            values["expansion"] = material.expansion[0]
        return body
    graph = graph_of_vectors(part, element.carried, threads)
    rod = FiniteRod if element.is_large else FieldBody
    if spec.section is None:
        shell = CorotatedShell if element.corotated else rod
        return shell(values=values, graph=graph, carried=element.carried, **common)
    reach: Any = spec.section.reach
    if element.varying:
        count = element.point_count
        varying = varying_section(spec, part, mesh, float(values.get("poisson", 0.0)), count)
        values = {**values, **varying.values, **spec.numbers}
        reach = varying.reach
    else:
        values = section_values(spec, values)
    _check_orientation(spec, part, dimension)
    return rod(
        values=values,
        graph=graph,
        carried=element.carried,
        reach=reach,
        round=spec.section.diameter is not None,
        rotary_inertia=spec.rotary_inertia,
        **common,
    )


def graph_of_vectors(part: Part, carried: int, threads: int, internal: int = 0) -> Graph:
    """Return the graph of the vectors of the nodes: displacements, then rotations.

    Parameters
    ----------
    part : Part
        The elements.
    carried : int
        Vectors per node.
    threads : int
        Threads of products with matrices of this graph.
    internal : int
        Further vectors, of a single element.
    """
    count = len(part.points)
    vectors = np.stack([part.connectivity + k * count for k in range(carried)], axis=-1)
    points = np.tile(part.points, (carried, 1))
    cells = vectors.reshape(len(vectors), carried * part.connectivity.shape[1])
    if internal:
        inside = np.arange(len(points), len(points) + internal)
        cells = np.column_stack([cells, np.broadcast_to(inside, (len(cells), internal))])
        points = np.concatenate([points, part.points[:1].repeat(internal, axis=0)])
    return build_graph(points, cells, threads, part.source)


def build_lumped_body(
    lump: LumpedMember, nodes: Ints, motion: FrameMotion | LinkMotion, dimension: int
) -> LumpedBody | NonlinearSpring:
    """Return the body of a mass or a connector."""
    member = lump.member
    common: dict[str, Any] = {
        "name": lump.name,
        "part": member.part,
        "dimension": dimension,
        "element": lump.element,
        "values": lump.values,
        "alpha": 0.0,
        "beta": 0.0,
        "motion": motion,
        "graph": graph_of_vectors(member.part, member.carried, 1, member.internal),
        "nodes": nodes,
        "carried": member.carried,
    }
    if lump.bearing is not None:
        assert lump.across is not None
        return BearingBody(kernels={}, bearing=lump.bearing, across=lump.across, **common)
    if lump.train is not None:
        return TrainBody(kernels={}, train=lump.train, **common)
    if lump.declared is not None:
        kernels = kernels_of(lump.declared, ("stiffness", "mass", *LARGE_TERMS))
        return NonlinearSpring(kernels=kernels, declared=lump.declared, **common)
    kernels = kernels_of(lump.element, LUMPED_TERMS[lump.element.removesuffix("_plane")])
    return LumpedBody(kernels=kernels, dampers=lump.dampers, **common)


def _check_orientation(spec: BodySpec, part: Part, dimension: int) -> None:
    """Refuse a beam in space whose local axis y would be along its axis."""
    straight = spec.is_user_element or spec.element.endswith("beam")
    if dimension == 2 or spec.section is None or not straight:
        return
    axes = part.points[part.connectivity[:, 1]] - part.points[part.connectivity[:, 0]]
    normal = np.linalg.norm(np.cross(axes, spec.section.orientation), axis=1)
    size = np.linalg.norm(axes, axis=1) * np.linalg.norm(spec.section.orientation)
    wrong = np.flatnonzero(normal <= 1e-9 * size)
    if len(wrong):
        raise InputError(
            f"body '{spec.name}': section.orientation {list(spec.section.orientation)} is along "
            f"the axis of cell {part.labels[wrong[0]]} (and {len(wrong) - 1} more); expected a "
            "direction perpendicular to it"
        )
