# SPDX-License-Identifier: BSD-3-Clause
"""From the model file to bodies with numbered unknowns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.machine.memory import FILLED, available_memory
from flexforge.runtime.machine.threads import default_threads
from flexforge.runtime.mechanism.found import mechanism_of, motion_of
from flexforge.runtime.mechanism.mechanism import Mechanism
from flexforge.runtime.mechanism.motion import LinkMotion
from flexforge.runtime.mesh import Mesh, Part, check_part, orphan_remarks, read_mesh, structured
from flexforge.runtime.mesh.cells import CELLS
from flexforge.runtime.mesh.flatness import check_flat
from flexforge.runtime.mesh.join import join
from flexforge.runtime.mesh.merge import check_sides, merge
from flexforge.runtime.mesh.named import with_points
from flexforge.runtime.mesh.overlaps import overlap_remarks
from flexforge.runtime.mesh.straighten import straighten
from flexforge.runtime.mesh.structured import side_centres
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.model.schema_body import BodySpec
from flexforge.runtime.model.schema_frame import FrameSpec, is_free
from flexforge.runtime.model.schema_mesh import Block, MeshSpec
from flexforge.runtime.model.schema_spin import SpinSpec
from flexforge.runtime.motion.build import build_motion, from_standstill
from flexforge.runtime.motion.frame import FrameMotion
from flexforge.runtime.motion.spin import MachineSpin, SpinMotion
from flexforge.runtime.shafts.mesh import shaft_mesh
from flexforge.runtime.solvers import amg
from flexforge.runtime.solvers.estimate import multigrid_bytes
from flexforge.runtime.system.bearing_speeds import require_tables
from flexforge.runtime.system.bodies import build_body, build_lumped_body
from flexforge.runtime.system.body import Body
from flexforge.runtime.system.elements import CellElement, dimension_of, element_of
from flexforge.runtime.system.field_body import FieldBody
from flexforge.runtime.system.free_body import FreeBody
from flexforge.runtime.system.large import require_composable, require_curves, require_supported
from flexforge.runtime.system.lumps import find_lumps
from flexforge.runtime.system.mean_axes import check_frames
from flexforge.runtime.system.name_table import NameTable
from flexforge.runtime.system.numbering import Member, number_nodes
from flexforge.runtime.system.revolution import require_symmetric
from flexforge.runtime.system.sector_pairs import find_sector
from flexforge.runtime.system.supports import Restraints
from flexforge.runtime.system.swept_body import SweptBody, sweeps_pay
from flexforge.runtime.system.system import System
from flexforge.runtime.system.unknown_map import UnknownMap

NODES_A_THREAD = 1000
_SMALL = 5000  # coordinates, of which products take microseconds either way
#: A mesh without points.
NO_MESH = Mesh(np.zeros((0, 3)), (), {}, "mesh.points", np.zeros(0, dtype=np.int64))


def build_mesh(model: ModelSpec) -> Mesh:
    """Read or generate the mesh of a model, in metres.

    Raises
    ------
    InputError
        When it cannot be read.
    """
    spec = model.mesh
    if spec.block is not None:
        mesh = _meshed(spec.block, "mesh.block")
    elif spec.blocks:
        made = {name: _meshed(block, f"mesh.blocks.{name}") for name, block in spec.blocks.items()}
        mesh = join(made, "mesh.blocks")
    elif spec.file is not None:
        mesh = read_mesh(spec.file)
    elif spec.arrays is not None:
        mesh = spec.arrays
    else:
        mesh = NO_MESH
    if spec.merge:
        mesh = merge(mesh)
        mesh = mesh.with_remarks(overlap_remarks(mesh))
        if spec.block is not None or spec.blocks:
            check_sides(mesh, _side_centres(spec))
    if spec.straighten:
        mesh = straighten(mesh)
    # What is read or made above has a unit of its own; shafts are in the unit of the model.
    if spec.scale != 1.0:
        mesh = mesh.scaled(spec.scale)
    if model.shafts:
        mesh = join({"": mesh, **{one.name: shaft_mesh(one) for one in model.shafts}}, mesh.source)
    if spec.points:
        mesh = with_points(mesh, _scaled_points(spec))
    if model.rigid_links:
        mesh = with_points(mesh, {link.origin: (0.0, 0.0, 0.0) for link in model.rigid_links})
    return mesh


def _scaled_points(spec: MeshSpec) -> dict[str, tuple[float, float, float]]:
    """Return the points of a mesh in metres."""
    x = spec.scale
    return {name: (x * at[0], x * at[1], x * at[2]) for name, at in spec.points.items()}


def _meshed(block: Block, key: str) -> Mesh:
    """Return the mesh of one block."""
    return structured(
        block.cell,
        block.corners,
        block.divisions,
        key,
        cylindrical=block.is_cylindrical,
        arcs=block.bent_edges,
    )


def _side_centres(spec: MeshSpec) -> dict[str, Floats]:
    """Return the centres of the sides of all blocks, by the names of their groups."""
    blocks = {f"{name}.": block for name, block in spec.blocks.items()}
    if spec.block is not None:
        blocks[""] = spec.block
    return {
        name: centre
        for prefix, block in blocks.items()
        for name, centre in side_centres(
            block.corners, prefix, cylindrical=block.is_cylindrical, arcs=block.bent_edges
        ).items()
    }


def build_system(model: ModelSpec, mesh: Mesh) -> NameTable:
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
        For cells that are missing, inverted or of the wrong kind, bodies in different frames that
        share nodes, elements of different dimension, or supports that hold nothing.
    """
    elements = [element_of(spec, model) for spec in model.bodies]
    parts = [_part(mesh, spec, e) for spec, e in zip(model.bodies, elements, strict=True)]
    dimension = dimension_of(elements, planar=model.is_planar)
    members = [
        Member(f"bodies[{i}]", spec.frame, part, element.carried, spec.spin)
        for i, (spec, part, element) in enumerate(zip(model.bodies, parts, elements, strict=True))
    ]
    lumps = find_lumps(model, mesh, members, dimension)
    members += [lump.member for lump in lumps]
    mesh = mesh.with_remarks(orphan_remarks(mesh, [member.part.nodes for member in members]))
    # Threads cost more than they gain where a sweep over the nodes takes microseconds.
    nodes = sum(len(part.points) for part in parts)
    threads = model.analysis.threads or min(default_threads(), 1 + nodes // NODES_A_THREAD)
    numbers, size = number_nodes(members, mesh)
    count = len(parts)
    large = any(element.is_large for element in elements)
    mechanism = mechanism_of(model, mesh, has_energy=large)
    span = model.span or 1.0
    motion = partial(_motion, mechanism=mechanism, span=span)
    frames = [member.frame for member in members]
    at_rest = 1.0 if model.is_sweep else 0.0
    moving = [m.frame if m.spin is None else model.turning(m.spin, at_rest) for m in members]
    motions = list(map(motion, from_standstill(moving, span) if model.is_sweep else moving))
    motions = [
        one if member.spin is None or one.link is not None else _spinning(model, member.spin, one)
        for one, member in zip(motions, members, strict=True)
    ]
    bodies: tuple[Body, ...] = (
        *(
            build_body(model, mesh, *each, dimension, threads)
            for each in zip(
                model.bodies, elements, parts, numbers[:count], motions[:count], strict=True
            )
        ),
        *(
            build_lumped_body(*each, dimension)
            for each in zip(lumps, numbers[count:], motions[count:], strict=True)
        ),
    )
    bodies = tuple(
        FreeBody.instead_of(body) if _floats(body, member.frame) else body
        for body, member in zip(bodies, members, strict=True)
    )
    require_supported(model, bodies)
    _require_mass(bodies[:count])
    require_symmetric(model, bodies)
    _require_spins(bodies)
    require_tables(model, bodies)
    if model.analysis.kind == "transient" and model.analysis.mass == "lumped":
        bodies = _with_lumped_masses(bodies)
    if _does_without_matrix(model, bodies):
        bodies = tuple(SweptBody.instead_of(b) for b in bodies)
        _require_sweeps(model, bodies)
    elif _is_large_and_explicit(model, size * dimension):
        bodies = tuple(SweptBody.instead_of(b) if sweeps_pay(b) else b for b in bodies)
    system = System(bodies, UnknownMap.everything(size, dimension), model.include, threads)
    places = NameTable(mesh, system, mechanism)
    shared = np.zeros(size, dtype=np.int64)
    # Coordinates in free frames are along fixed axes, like those in a frame at rest.
    fixed = [FrameSpec() if is_free(frame) else frame for frame in frames]
    for frame, own in zip(fixed, numbers, strict=True):
        shared[own] = fixed.index(frame)
    sector = find_sector(model, places, shared)
    restraints = Restraints.of(model, places, shared, sector)
    system = replace(system, map=restraints.unknowns())
    if restraints.curved is not None:
        turning = restraints.unknowns(small=False)
        curved = restraints.curved.adding(_added(turning, restraints.curved.rotations))
        system = replace(system, map=turning, curved=curved, small_map=system.map)
    require_composable(system)
    require_curves(model, replace(places, system=system))
    if mechanism is not None and mechanism.is_found:
        check_frames(system, mechanism.parts.links)
        system = replace(system, map=_with_rigid_links(bodies, system.map))
    return replace(
        places,
        system=system,
        sector=sector,
        unknowns_at=restraints.unknowns,
        equation_forces=restraints.forces,
    )


def _added(unknowns: UnknownMap, rotations: Ints) -> Ints:
    """Return which rotations are held in part, so that their components are added up."""
    if unknowns.shape[1] == 2:
        return rotations[:0]
    return np.asarray(rotations[(unknowns.numbers[rotations] < 0).any(axis=1)])


def _floats(body: Body, frame: FrameSpec | str) -> bool:
    """Whether a body has a frame that its displacements determine; an energy needs none."""
    return is_free(frame) and not body.lumped and body.is_linear


def _with_rigid_links(bodies: Sequence[Body], restrained: UnknownMap) -> UnknownMap:
    """Return the map without unknowns of rigid links, whose poses are unknowns themselves."""
    rigid = [body.nodes for body in bodies if body.stiffens_itself and body.motion.link is not None]
    node = restrained.places // restrained.shape[1]
    alone = np.concatenate([np.zeros(0, dtype=np.int64), *rigid])
    for body in bodies:
        if not body.stiffens_itself:
            alone = np.setdiff1d(alone, body.nodes)
    return restrained.part(np.flatnonzero(~np.isin(node, alone)))


def _is_large_and_explicit(model: ModelSpec, coordinates: int) -> bool:
    """Whether a transient analysis needs products of the stiffness alone, and many of them."""
    analysis = model.analysis
    return (
        analysis.kind == "transient"
        and analysis.method == "central_difference"
        and not model.links
        and model.reduction is None
        and coordinates > _SMALL
    )


def _does_without_matrix(model: ModelSpec, bodies: Sequence[Body]) -> bool:
    """Whether multigrid sweeps over the elements.

    As the model says, or where the matrix of one body would fill the memory in a static analysis.
    """
    analysis = model.analysis
    if analysis.solver == "matrix_free":
        return True
    if analysis.kind != "static" or model.links or analysis.solver != "auto" or len(bodies) != 1:
        return False
    free, (body,) = available_memory(), bodies
    needed = multigrid_bytes(body.graph.nnz, body.dimension)
    return free is not None and needed > FILLED * free and amg.probe().version is not None


def _require_sweeps(model: ModelSpec, bodies: Sequence[Body]) -> None:
    """Refuse models that have no matrix-free products, but ask for them."""
    if model.analysis.solver != "matrix_free":
        return
    tied = [name for name in ("links", "constraints", "equations") if getattr(model, name)]
    if model.reduction is not None:
        tied.append("reduction")
    if tied:
        found = f"with {tied[0]}"
    elif not any(isinstance(body, SweptBody) for body in bodies):
        kinds = ", ".join(sorted({body.element for body in bodies}))
        found = f"with bodies of {kinds}, which have no matrix-free products here"
    else:
        return
    raise InputError(
        f'analysis.solver: found "matrix_free" {found}; expected solids or plane elements (not of '
        'revolution) without links, constraints, equations and reduction, or "amg"'
    )


def _require_spins(bodies: Sequence[Body]) -> None:
    """Refuse bodies that spin in axes that stand still but are not made for it."""
    for body in bodies:
        if not body.motion.stands:
            continue
        if not isinstance(body, FieldBody) or body.dimension == 2:
            raise InputError(
                f"body '{body.name}': spin: found one with element {body.element}; expected a beam "
                "in space or a mass, or frame in place of spin"
            )
        body.require_alike()


@np.errstate(all="ignore")  # what is not finite is refused
def _require_mass(bodies: Sequence[Body]) -> None:
    """Refuse bodies of users' elements whose parameters make no mass: those are not checked."""
    for body in bodies:
        weighs = np.any(body.values.get("density", 1.0))
        if body.declared is None or not body.has_mass or not weighs:
            continue  # statics at rest need no density
        mass = body.total_mass
        if not (mass > 0.0 and np.isfinite(mass)):
            given = ", ".join(f"{name} = {value}" for name, value in body.values.items())
            raise InputError(
                f"body '{body.name}': element '{body.element}' has a mass of {mass:.6g} kg with "
                f"{given}; expected parameters that make it a positive number"
            )


def _with_lumped_masses(bodies: Sequence[Body]) -> tuple[Body, ...]:
    """Return the bodies with lumped masses; elements with rotary inertia have none."""
    for body in bodies:
        if body.has_field:
            raise InputError(
                f"analysis.mass: found lumped with body '{body.name}' of {body.element}; expected "
                "it with solids and plane elements alone"
            )
    return tuple(replace(body, lumps_mass=True) for body in bodies)


def _motion(
    frame: FrameSpec | str, mechanism: Mechanism | None, span: float
) -> FrameMotion | LinkMotion:
    """Return the motion of a frame: prescribed, or that of its link."""
    if isinstance(frame, str):
        assert mechanism is not None
        return motion_of(mechanism, frame)
    return build_motion(frame, span)


def _spinning(model: ModelSpec, spin: SpinSpec, motion: FrameMotion) -> SpinMotion:
    """Return the motion of a body that spins; machines turn by their torques in time alone."""
    if spin.machine is None or model.analysis.kind != "transient":
        return SpinMotion.of(motion)
    number = [one.name for one in model.machines].index(spin.machine)
    return MachineSpin.with_machine(motion, number, spin.ratio)


def body_part(model: ModelSpec, mesh: Mesh, spec: BodySpec) -> Part:
    """Return the cells of a body, checked.

    Raises
    ------
    InputError
        For cells that are missing, inverted or of the wrong kind.
    """
    return _part(mesh, spec, element_of(spec, model))


def _part(mesh: Mesh, spec: BodySpec, element: CellElement) -> Part:
    if element.cell not in CELLS and all(one.cell != element.cell for one in mesh.blocks):
        raise InputError(
            f"{mesh.source}: has no cells '{element.cell}', those of element '{element.name}' of "
            f"body '{spec.name}'; expected them in a mesh file or in arrays "
            "(flexforge.mesh_from_arrays, flexforge.mesh_for_element)"
        )
    part = mesh.part(spec.cells, element.cell)
    check_part(part, in_space=element.has_field and element.components == 3)
    if getattr(element.declared, "flat", False):
        check_flat(part, element.name)
    if spec.is_revolved and part.points[:, 0].min() < 0:
        node = int(part.points[:, 0].argmin())
        raise InputError(
            f"{part.source}: node {part.node_labels[node]} has x = {part.points[node, 0]:g}; "
            "expected the section of a body of revolution at x >= 0, its axis at x = 0"
        )
    return part
