# SPDX-License-Identifier: BSD-3-Clause
"""From the model file to links whose motion is found: their equations, and how they begin."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy.linalg
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.constraints.actuators import Actuator, actuators_of
from flexforge.runtime.constraints.build import Ties, build_ties
from flexforge.runtime.constraints.joints import attach_joint, require_turns
from flexforge.runtime.constraints.markers import NOWHERE, Attachment
from flexforge.runtime.mechanism.build import Parts, find_coordinate
from flexforge.runtime.mechanism.diagnose import describe_motion
from flexforge.runtime.mechanism.found import FoundMechanism
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.motion.profiles import PolynomialProfile
from flexforge.runtime.multibody.elastic import (
    ElasticCoordinates,
    elastic_coordinates,
    stress_table,
)
from flexforge.runtime.multibody.energies import energies_of, require_energies
from flexforge.runtime.multibody.equilibrium import equilibrium
from flexforge.runtime.multibody.formulas import Formulas, build_formulas
from flexforge.runtime.multibody.held import refuse_held_slips
from flexforge.runtime.multibody.integrals import (
    LinkIntegrals,
    link_integrals,
    massless_motions,
    with_small_masses,
)
from flexforge.runtime.multibody.model import MultibodyModel
from flexforge.runtime.multibody.pushes import pushes_of
from flexforge.runtime.multibody.small_motions import SmallMotions
from flexforge.runtime.multibody.tables import build_multibody
from flexforge.runtime.native.forces import Forces
from flexforge.runtime.reduction.basis import Basis, kept_of, ritz_basis
from flexforge.runtime.reduction.possible import possible_loads
from flexforge.runtime.reduction.store import read_basis
from flexforge.runtime.solvers.clear_rows import clear_rows
from flexforge.runtime.system.frames import frames_over, inertia_blocks
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.mean_axes import MeanAxes, mean_axes
from flexforge.runtime.system.name_table import NameTable
from flexforge.runtime.system.system import System
from flexforge.runtime.transient.model import Point, Rows
from flexforge.runtime.transient.state import State
from numpy.typing import NDArray

#: Inertia against a motion, of the largest, below which there is none.
_MASSLESS = 1e-12
#: Singular value of rows of unit length below which one follows from others.
_DEPENDENT = 1e-9
#: Difference from given velocities, of the largest, that joints may force.
_APART = 1e-9
#: Small vibrations that are found, besides rigid motions that nothing holds.
_TOLD = 6


@dataclass(frozen=True, slots=True)
class FoundLinks:
    """Links whose motion is found.

    Attributes
    ----------
    mechanism : FoundMechanism
        Their motion, where it has been found.
    model : MultibodyModel
        Their equations.
    elastic : ElasticCoordinates
        What their elastic coordinates are.
    basis : Basis, optional
        Shapes of a reduced model.
    start : State
        Where they begin.
    vibrations : ndarray of complex
        Eigenvalues of small vibrations about a start in equilibrium, 1/s; none of another start.
    """

    mechanism: FoundMechanism
    model: MultibodyModel
    elastic: ElasticCoordinates
    basis: Basis | None
    start: State
    vibrations: NDArray[np.complex128]


def tie(
    model: ModelSpec, places: NameTable, loads: Loads, state: tuple[Floats, Floats]
) -> Ties | FoundLinks | None:
    """Return what ties the bodies of a model: constraints, or links whose motion is found.

    Parameters and errors are those of `build_links` and of `build_ties`.
    """
    if places.mechanism is not None and places.mechanism.is_found:
        return build_links(model, places, loads, state)
    return build_ties(model, places)


def build_links(
    model: ModelSpec, places: NameTable, loads: Loads, state: tuple[Floats, Floats]
) -> FoundLinks:
    """Return the links of a model whose motion is found.

    Parameters
    ----------
    model : ModelSpec
        The validated model.
    places : NameTable
        Its names in the system, with a `FoundMechanism`.
    loads : Loads
        What acts on the bodies.
    state : tuple of ndarray, (N, d)
        Displacements and velocities relative to the links at t = 0.

    Raises
    ------
    InputError
        For what such links do not have yet; for velocities that the joints do not allow; for links
        that move without inertia.
    """
    mechanism, system = places.mechanism, places.system
    assert isinstance(mechanism, FoundMechanism)
    _require_supported(model, system)
    parts = mechanism.parts
    ends = [
        attach_joint(model, places.mesh, system, mechanism, k) for k in range(len(parts.joints))
    ]
    axes = mean_axes(system, parts.links)
    basis = _basis(model, places, loads, mechanism, ends, axes.values())
    rigid = [end.of_unknowns(system.map) for pair in ends for end in pair if end.shape.size]
    elastic = elastic_coordinates(
        system, parts.links, None if basis is None else basis.shapes, axes, rigid
    )
    integrals = tuple(
        link_integrals(system, k, elastic.of_link(k)) for k in range(len(parts.links))
    )
    if model.analysis.kind == "transient":  # modes do without accelerations
        if model.analysis.accuracy is not None:
            _require_masses(parts, integrals, model.analysis.accuracy)
        step = model.analysis.step_size
        integrals = tuple(with_small_masses(one, step) for one in integrals)
    shapes = [
        (
            _shape(pair[0], system, elastic, joint.links[0]),
            _shape(pair[1], system, elastic, joint.links[1]),
        )
        for pair, joint in zip(ends, parts.joints, strict=True)
    ]
    pushes, amplitudes = pushes_of(system, loads, elastic)
    formulas = build_formulas(model, parts)
    actuators = actuators_of(model, parts)
    actuators += [one for force in formulas.forces for one in force.actuators]
    actuators += _followed(parts, formulas, {one.coordinate for one in actuators})
    actuators.sort(key=lambda one: parts.coordinates[one.coordinate].joint)
    acted = {one.coordinate for one in actuators} | {one.coordinate for one in parts.drivers}
    _require_turns(mechanism, system, ends, acted)
    require_energies(system, loads, parts, ends, acted)
    stress = stress_table(system, loads, elastic, amplitudes)
    table = build_multibody(
        mechanism.linkage, parts.joints, integrals, shapes, pushes, actuators, formulas, stress,
        energies_of(system, elastic),
    )  # fmt: skip
    equations = MultibodyModel(parts, table, amplitudes, actuators, formulas)
    given = [elastic.coordinates(system, system.map.sample(one)) for one in state]
    start, vibrations = _start(model, mechanism, equations, given)
    refuse_held_slips(equations, start)
    return FoundLinks(mechanism, equations, elastic, basis, start, vibrations)


def _require_masses(parts: Parts, integrals: Sequence[LinkIntegrals], accuracy: float) -> None:
    """Refuse elastic coordinates without mass, which steps of known lengths alone can follow."""
    for name, one in zip(parts.links, integrals, strict=True):
        if massless_motions(one).size:
            raise InputError(
                f"analysis.accuracy: found {accuracy:g} with parts of link '{name}' that have no "
                "inertia, as flat shells that turn about their normals, or beams with "
                "rotary_inertia = false about their axes; expected steps of equal length"
            )


def _basis(
    model: ModelSpec,
    places: NameTable,
    loads: Loads,
    mechanism: FoundMechanism,
    ends: Sequence[tuple[Attachment, ...]],
    axes: Iterable[MeanAxes],
) -> Basis | None:
    """Return the shapes of a reduced model: kept are the markers of joints, and groups."""
    if model.reduction is None:
        return None
    system, joints = places.system, mechanism.parts.joints
    markers = [
        (f"joint '{joint.name}'", end.of_unknowns(system.map))
        for joint, pair in zip(joints, ends, strict=True)
        for end in pair
        if len(end.columns)
    ]
    interface = kept_of(model.reduction, places, [one for one in markers if len(one[1].columns)])
    if model.reduction.basis is not None:
        return read_basis(model.reduction.basis, model.reduction, system, interface)
    frames = frames_over(system.bodies, np.zeros(1), mechanism.assembled.frames[None])
    blocks = [inertia_blocks(one, system.include, system.dimension) for one in frames]
    answered = possible_loads(system, loads, Forces(system, loads), frames, blocks)
    return ritz_basis(model.reduction, system, interface, answered, model.analysis.solver, axes)


def _followed(parts: Parts, formulas: Formulas, acted: set[int]) -> list[Actuator]:
    """Return actuators without force on coordinates of gears and formulas.

    Angles of gears are counted by them, and rates of what formulas name are differentiated.
    """
    turning = {number for gear in parts.gears for number in gear.coordinates}
    turning = {number for number in turning if parts.coordinates[number].is_angle}
    return [
        Actuator("", number, 0.0, 0.0, 0.0, PolynomialProfile([0.0]))
        for number in sorted(turning | formulas.coordinates - acted)
    ]


def _require_supported(model: ModelSpec, system: System) -> None:
    """Refuse what links whose motion is found do not have."""
    why = "in a model whose joints and drivers leave motions of links open"
    analysis = model.analysis
    if analysis.kind == "transient" and analysis.formalism == "hamilton" and model.constraints:
        raise InputError(
            "analysis.formalism: found hamilton with [[constraints]] of velocities, which have "
            "no canonical momenta; expected maggi, kane, gibbs_appell or lagrange"
        )
    include = model.include.model_dump()
    for name in include.keys() - {"geometric", "prestress"}:  # which are no inertia terms
        if not include[name]:
            raise InputError(f"include.{name}: found false {why}; expected true")
    if system.map.given is not None:
        raise InputError(f"supports.displacement: found a function {why}; expected none")
    for body in system.bodies:
        if body.motion.link is None:
            raise InputError(
                f"body '{body.name}': found a prescribed frame {why}; expected the name of a link"
            )
        if body.revolved:
            raise InputError(f"body '{body.name}': found a body of revolution {why}")


def _require_turns(
    mechanism: FoundMechanism,
    system: System,
    ends: Sequence[tuple[Attachment, ...]],
    acted: set[int],
) -> None:
    """Refuse joints that hold or drive rotations of nodes that have none, and move in the link."""
    parts, frames = mechanism.parts, mechanism.assembled.frames[None]
    named = {(one.joint, one.name) for k, one in enumerate(parts.coordinates) if k in acted}
    for k, (joint, pair) in enumerate(zip(parts.joints, ends, strict=True)):
        moving = [end if len(end.of_unknowns(system.map).columns) else NOWHERE for end in pair]
        rows = joint.jacobians(frames)[0, 0]
        free = [joint.held + i for i, name in enumerate(joint.free_rows) if (k, name) in named]
        for row in (*range(joint.held), *free):
            require_turns(parts, k, rows[row], moving, joint.name)


def _shape(end: Attachment, system: System, elastic: ElasticCoordinates, link: int) -> Floats:
    """Return displacement and turn of a marker by elastic coordinates of its link, (6, n)."""
    if link < 0 or not len(end.columns):
        return np.zeros((6, 0 if link < 0 else elastic.of_link(link).shape[1]))
    moved = system.map.sparse[end.columns] @ elastic.of_link(link)
    return np.asarray(end.matrix @ moved.toarray())


def _start(
    model: ModelSpec, mechanism: FoundMechanism, equations: MultibodyModel, given: list[Floats]
) -> tuple[State, NDArray[np.complex128]]:
    """Return the state at t = 0, and small vibrations about it where it is at rest.

    Velocities that are not given are the smallest ones.
    """
    elastic, rigid = given[0], equations.poses.dimension
    weights = scales_of(equations)
    state = equations.state(0.0, mechanism.assembled.frames, np.zeros(rigid + len(elastic)))
    q = state.q.copy()
    q[len(q) - len(elastic) :] = elastic
    state = replace(state, q=q)
    rates = np.zeros(rigid + len(elastic) + len(state.s))
    at = Point(0.0, q, state.z, state.s, state.mode, rates, np.zeros(len(equations.names)))
    _require_inertia(mechanism, equations, at, weights)
    vibrations = np.zeros(0, dtype=complex)
    if model.analysis.kind == "modes":  # which finds a position itself
        return state, vibrations
    if model.analysis.kind == "transient" and model.analysis.start == "equilibrium":
        at = equilibrium(equations, state, weights)
        state = replace(state, q=at.q, s=at.s)
        small = SmallMotions.about(equations, at, weights)
        count = _TOLD + small.still
        vibrations = small.eigenvalues(count, None, model.analysis.solver).values
    rows = equations.constraints(at)
    matrix = rows.matrix[:, : len(weights)].toarray()
    _require_independent(rows, matrix * weights)
    wanted, values, names = given_speeds(model, mechanism, equations, at)
    # Displacements keep their rates: bodies that begin to move do not begin to vibrate.
    left = np.vstack([matrix, *(one[None] for one in wanted)])
    right = np.concatenate([rows.speed, values]) - left[:, rigid:] @ given[1]
    left = left[:, :rigid] * weights[:rigid]
    clear = clear_rows(left)
    speeds = np.linalg.lstsq(left, right, rcond=1e-12)[0] if clear is None else clear.least(right)
    off = np.abs(left @ speeds - right)[len(matrix) :]
    largest = np.abs(values).max(initial=0.0)
    if off.max(initial=0.0) > _APART * largest:
        worst = int(np.argmax(off))
        raise InputError(
            f"{names[worst]}: joints, drivers and other velocities do not allow it: it "
            f"would differ by {off[worst]:.3g} of {abs(values[worst]):.3g}; expected velocities "
            "that agree"
        )
    return replace(state, z=np.concatenate([weights[:rigid] * speeds, given[1]])), vibrations


def scales_of(equations: MultibodyModel) -> Floats:
    """Return the sizes of large displacements, m, and rotations, rad, of all unknowns, (z,)."""
    links, planar, size = equations.parts.links, equations.poses.planar, equations.parts.size
    per_link = [size, size, 1.0] if planar else [size] * 3 + [1.0] * 3
    return np.array(per_link * len(links) + [size] * equations.table.elastic)


def given_speeds(
    model: ModelSpec, mechanism: FoundMechanism, equations: MultibodyModel, at: Point
) -> tuple[list[Floats], list[float], list[str]]:
    """Return rows of the speeds that the model gives at t = 0, their values and keys.

    Parameters
    ----------
    model : ModelSpec
        The validated model.
    mechanism : FoundMechanism
        Its links.
    equations : MultibodyModel
        Their equations.
    at : Point
        Where the links are.
    """
    rows: list[Floats] = []
    values: list[float] = []
    names: list[str] = []
    per_link = equations.poses.dimension // len(mechanism.parts.links)
    lengths = 2 if equations.poses.planar else 3
    unit = np.eye(len(at.z))
    frames, _ = equations.frames(at, mechanism.near)
    for k, link in enumerate(model.links):
        turn = frames[k, 1:4]
        first = k * per_link
        if link.velocity is not None:
            local = turn.T @ np.array(link.velocity)
            rows += [*unit[first : first + lengths]]
            values += local[:lengths].tolist()
            names += [f"links[{k}].velocity"] * lengths
        if link.angular_velocity is not None:
            local = turn.T @ np.array(link.angular_velocity)
            rows += [*unit[first + lengths : first + per_link]]
            values += (local[2:] if equations.poses.planar else local).tolist()
            names += [f"links[{k}].angular_velocity"] * (per_link - lengths)
    jacobian = equations.coordinate_rows(at)
    for k, joint in enumerate(model.joints):
        for name, value in joint.start_velocity.items():
            key = f"joints[{k}].start_velocity.{name}"
            number = find_coordinate(
                model.joints, mechanism.parts.coordinates, joint.name, name, key
            )
            rows.append(jacobian[number])
            values.append(value)
            names.append(key)
    return rows, values, names


def _require_independent(rows: Rows, matrix: Floats) -> None:
    """Refuse equations of speeds that follow from joints, or from each other."""
    if not rows.of_speeds.any():
        return
    sizes = np.linalg.norm(matrix, axis=1)
    scaled = matrix / np.where(sizes > 0.0, sizes, 1.0)[:, None]
    held = scaled[~rows.of_speeds]
    rank = np.linalg.matrix_rank(held, _DEPENDENT) if held.size else 0
    for number in np.flatnonzero(rows.of_speeds).tolist():
        held = np.vstack([held, scaled[number]])
        rank, before = np.linalg.matrix_rank(held, _DEPENDENT), rank
        if rank == before:
            raise InputError(
                f"{rows.names[number]}: follows from joints and other constraints at t = 0; "
                "expected equations that do not follow from others"
            )


def _require_inertia(
    mechanism: FoundMechanism, equations: MultibodyModel, at: Point, weights: Floats
) -> None:
    """Refuse motions that joints leave open and that move no mass."""
    z = equations.poses.dimension  # elastic coordinates have mass
    weights = weights[:z]
    whole = equations.linearize(at).rate[:z, :z]
    own = z // len(mechanism.parts.links)
    blocks = []
    for k in range(0, z, own):
        scales = weights[k : k + own]
        blocks.append(whole[k : k + own, k : k + own].toarray() * scales * scales[:, None])
    least = np.linalg.eigvalsh(np.array(blocks))
    if least.min() > _MASSLESS * least.max():  # whatever joints leave open
        return
    masses = whole.toarray() * weights * weights[:, None]
    matrix = equations.constraints(at).matrix[:, :z].toarray() * weights
    free = scipy.linalg.null_space(matrix, rcond=1e-10)
    if not free.shape[1]:
        return
    sizes, motions = np.linalg.eigh(free.T @ masses @ free)
    if not len(sizes) or sizes[0] > _MASSLESS * sizes[-1]:
        return
    moved = free @ motions[:, 0]
    raise InputError(
        f"links: {describe_motion(mechanism.parts, moved)} without moving any mass, and no driver "
        "determines how; expected mass and inertia of the link, or a driver"
    )
