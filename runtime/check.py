# SPDX-License-Identifier: BSD-3-Clause
"""Size and contents of a model, reported before it is run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.constraints.build import joints_of
from flexforge.runtime.constraints.generalized_speeds import null_space
from flexforge.runtime.constraints.null_space import Reducer
from flexforge.runtime.expansion.members import members_of
from flexforge.runtime.loading.checks_steps import in_file
from flexforge.runtime.loading.load import inspect_model_file, load_model_file, model_of
from flexforge.runtime.mechanism.found import FoundMechanism
from flexforge.runtime.mechanism.mechanism import Mechanism
from flexforge.runtime.mechanism.probes import motion_probe
from flexforge.runtime.mechanism.starts import far_placements, left_out, start_remarks
from flexforge.runtime.mesh.cells import KINDS
from flexforge.runtime.model.angles import UNITS, VELOCITY
from flexforge.runtime.model.force_report import force_text
from flexforge.runtime.model.messages import Problem
from flexforge.runtime.model.ranges import range_text
from flexforge.runtime.model.schema import DECK, ModelSpec
from flexforge.runtime.model.schema_body import BodySpec
from flexforge.runtime.multibody.build import tie
from flexforge.runtime.observe.probes import build_probes
from flexforge.runtime.reduction.reduce import known_basis
from flexforge.runtime.solvers import ITERATED
from flexforge.runtime.statics.iterated import cost_of, takes_multigrid
from flexforge.runtime.statics.rigid import free_motions, may_hold_itself, require_held
from flexforge.runtime.statics.stress_over_time import require_constant
from flexforge.runtime.substructures.build import in_pieces
from flexforge.runtime.system.body import Body
from flexforge.runtime.system.construct import body_part, build_mesh, build_system
from flexforge.runtime.system.initial import initial_state
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.name_table import NameTable
from flexforge.runtime.system.plausible import (
    bounding_box,
    odd_inertias,
    odd_sections,
    odd_units,
    remarks,
)
from flexforge.runtime.system.section_report import section_text
from flexforge.runtime.system.swept_body import SweptBody
from flexforge.runtime.system.system import System
from flexforge.runtime.unit_systems import DEFAULT, messages_in, system_of
from flexforge.runtime.vibration.steady_speeds import turning_axes

_SHOWN = 12  # groups or forces listed before it says "and n more"
_RPM = UNITS[VELOCITY]["rpm"]
_ROUND_OFF = 1e-14  # of a coordinate, relative to the size of the model


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" + "s" * (number != 1)


@dataclass(frozen=True, slots=True)
class BodyReport:
    """Properties of a body: SI units, memory in bytes; the section of bars and beams in words."""

    name: str
    element: str
    elements: int
    nodes: int
    mass: float
    centre: tuple[float, ...]
    matrices: int
    section: str = ""


@dataclass(frozen=True, slots=True)
class SweepReport:
    """The speeds of a Campbell diagram.

    Attributes
    ----------
    speeds : tuple of float
        Ascending, rad/s.
    orders : tuple of int
        Orders whose crossings are looked for.
    frames : tuple of str
        The bodies whose frames take these speeds.
    second : float
        A second in the unit of time of the model.
    """

    speeds: tuple[float, ...]
    orders: tuple[int, ...]
    frames: tuple[str, ...]
    second: float = 1.0

    def line(self) -> str:
        """Return the report as a line of text."""
        told = range_text(self.speeds, self.second)
        return (
            f"  speeds: {len(self.speeds)}, {told}, of the frame of "
            f"{', '.join(self.frames)}; orders {', '.join(map(str, self.orders))}"
        )


@dataclass(frozen=True, slots=True)
class ModelReport:
    """A checked model.

    Attributes
    ----------
    title, analysis : str
        Title of the model, and its analysis, or those of its steps.
    dimension, unknowns, held : int
        Coordinates per node, unknowns, and displacements held by supports.
    bodies : tuple of BodyReport
        Its bodies.
    free : tuple of str
        Rigid motions that nothing holds.
    loads, probes : int
        Their numbers.
    links : tuple of str
        The links of a mechanism; its equations of joints, gears and drivers count as held.
    mobility : int
        Number of motions that joints and gears leave free.
    prescribed : int
        Number of these motions that drivers prescribe.
    box : tuple of two tuples
        Lowest and highest coordinates of the bodies in their frames, m.
    mass : float
        Mass of all bodies, kg.
    groups : dict
        Kind, cells and nodes of every group of the mesh, by name.
    speeds : dict
        Angular velocity of the prescribed frame of every body that turns, rad/s, by time, s.
    sweep : SweepReport, optional
        The speeds of a Campbell diagram.
    taken : tuple of str
        Where probes of section forces take their values.
    remarks : tuple of str
        Warnings, and parts that were left out.
    solver : str
        Estimated time and memory of solving the equations of one large body.
    is_found : bool
        Whether motions that no driver prescribes are found by integration, or vibrate.
    forces : dict of str to str
        What forces between links are, by their names.
    sector : str
        Of which wheel the bodies are a sector, and how its boundaries match.
    units : str
        Name of the system of units of all numbers.
    """

    title: str
    analysis: str
    dimension: int
    unknowns: int
    held: int
    bodies: tuple[BodyReport, ...]
    free: tuple[str, ...]
    loads: int
    probes: int
    links: tuple[str, ...] = ()
    mobility: int = 0
    prescribed: int = 0
    box: tuple[tuple[float, ...], tuple[float, ...]] = ((), ())
    mass: float = 0.0
    groups: dict[str, tuple[str, int, int]] = field(default_factory=dict)
    speeds: dict[str, dict[float, float]] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()
    solver: str = ""
    sweep: SweepReport | None = None
    taken: tuple[str, ...] = ()
    is_found: bool = False
    forces: dict[str, str] = field(default_factory=dict)
    sector: str = ""
    units: str = DEFAULT

    def __repr__(self) -> str:
        return "\n".join(self.lines())

    def as_dict(self) -> dict[str, Any]:
        """Return the report as plain data."""
        return asdict(self)

    def lines(self) -> list[str]:
        """Return the report as lines of text."""
        told = system_of(self.units).message
        clock = [f"  {self.solver}"] if self.solver else []
        return [*map(told, self._described()), *clock, *map(told, self._remarked())]

    def _described(self) -> list[str]:
        """Return the lines on the model, with labels in SI."""
        lines = [
            f"{self.title}: {self.analysis}, {self.dimension}-D, {self.unknowns} unknowns, "
            f"{self.held} held"
        ]
        for body in self.bodies:
            centre = self._place(body.centre)
            lines.append(
                f"  {body.name}: {body.elements} {body.element}, "
                f"{_counted(body.nodes, 'node')}, mass "
                f"{body.mass:.6g} kg, centre {centre} m, matrices {body.matrices / 1e6:.1f} MB"
            )
            lines += [f"    section: {body.section}"] * bool(body.section)
        if self.bodies:
            lower, upper = self.box
            sides = [b - a for a, b in zip(lower, upper, strict=True)]
            size = " x ".join(f"{side:.6g}" for side in sides)
            box = f"box {size} m from {self._place(lower)} m, " * any(sides)  # links have no size
            lines.append(f"  {box}mass {self.mass:.6g} kg in all")
        lines += [f"  {self.sector}"] * bool(self.sector)
        if self.links:
            lines.append(f"  links: {', '.join(self.links)}")
            lines.append(
                f"  mobility: joints and gears leave {_counted(self.mobility, 'motion')}, drivers "
                f"prescribe {self.prescribed}" + (", " + self._others if self.is_found else "")
            )
        lines += [f"  force {name}: {text}" for name, text in [*self.forces.items()][:_SHOWN]]
        more = len(self.forces) - _SHOWN
        lines += [f"  and {more} more forces"] * (more > 0)
        rpm = _RPM / system_of(self.units).second
        lines += [
            f"  frame of {name}: "
            + ", ".join(
                f"{speed:.6g} rad/s ({speed / rpm:.6g} rpm) at {time:.6g} s"
                for time, speed in at.items()
            )
            for name, at in self.speeds.items()
        ]
        lines += [self.sweep.line()] if self.sweep else []
        lines += self._group_lines()
        lines += [f"  free: {motion}" for motion in self.free]
        lines.append(f"  {self.loads} loads, {self.probes} probes")
        return [*lines, *(f"  {text}" for text in self.taken)]

    def _remarked(self) -> list[str]:
        return [f"  remark: {text}" for text in self.remarks]

    @property
    def _others(self) -> str:
        """Return what becomes of motions that no driver prescribes."""
        if self.analysis == "modes":
            return "the others vibrate"
        return "the others are found by integration"

    def _place(self, point: tuple[float, ...]) -> str:
        """Return the coordinates of a point; round-off of the model size is shown as 0."""
        size = max(abs(x) for corner in self.box for x in corner)
        return f"({', '.join(f'{x if abs(x) > _ROUND_OFF * size else 0.0:.6g}' for x in point)})"

    def _group_lines(self) -> list[str]:
        """Return the groups of the mesh, or the first of many."""
        texts = []
        for name, (kind, cells, nodes) in list(self.groups.items())[:_SHOWN]:
            inside = f"{_counted(cells, 'cell')}, " if cells else ""
            texts.append(f"{name} ({kind}, {inside}{_counted(nodes, 'node')})")
        more = len(self.groups) - _SHOWN
        return [f"  groups: {', '.join(texts)}" + f" and {more} more" * (more > 0)] * bool(texts)


@np.errstate(over="ignore", invalid="ignore", divide="ignore")  # non-finite results are checked
def check_model(model: ModelSpec | Path | str) -> ModelReport:
    """Check everything about a model that can be checked without solving it.

    Parameters
    ----------
    model : ModelSpec, Path or str
        A model, or its file.

    Returns
    -------
    ModelReport

    Raises
    ------
    InputError
        Naming the file and the key, or the group, cell or node at fault.
    """
    spec = model_of(model)
    with messages_in(spec.unit_system):
        return _over_steps(spec) if spec.steps else _checked(spec)


def _checked(spec: ModelSpec) -> ModelReport:
    """Return the report on a model of one analysis."""
    whole, links = build_mesh(spec), tuple(link.name for link in spec.links)
    spec, mesh = in_pieces(spec, whole)
    if spec.analysis.kind == "kinematics":
        return _mechanism_report(spec, Mechanism.from_model(spec, mesh))
    places = build_system(spec, mesh)
    system = places.system
    loads = Loads(spec, places)
    probes = build_probes(spec, places, loads)
    state = initial_state(spec, places)
    if spec.analysis.kind in ("static", "buckling"):
        require_held(system, f"in a {spec.analysis.kind} analysis")
    if spec.analysis.kind == "transient":
        require_constant(system, loads)
        if spec.analysis.start == "equilibrium" and not spec.links and not spec.constraints:
            require_held(system, "to start in equilibrium")
    joints = joints_of(tie(spec, places, loads, state))
    if joints is not None and spec.analysis.kind == "transient":
        rows = joints.at(0.0)
        Reducer(rows.pattern, null_space).choose(rows)  # refuses those that depend on others
    known_basis(spec, places, joints)
    sweep = None
    if spec.analysis.kind == "modes" and spec.analysis.speeds:
        turns = zip(system.bodies, turning_axes(system), strict=True)
        frames = tuple(body.name for body, axis in turns if axis is not None)
        sweep = SweepReport(spec.analysis.speeds, spec.orders, frames, spec.unit_system.second)
    bodies = []
    for name in dict.fromkeys(body.in_file for body in system.bodies):
        number = next(k for k, body in enumerate(system.bodies) if body.in_file == name)
        table = spec.bodies[number] if number < len(spec.bodies) else None
        bodies.append(_body_report(name, places.bodies(name), table))
    free = [] if may_hold_itself(system) else free_motions(system)
    # Joints hold bodies on links; the mobility describes the motion of the links.
    linked = {body.name for body in system.bodies if body.motion.link is not None}
    lower, upper = bounding_box(places)
    return ModelReport(
        spec.title or spec.name,
        spec.analysis.kind,
        system.dimension,
        system.unknowns,
        system.size * system.dimension - system.unknowns,
        tuple(bodies),
        tuple(f"{name}: {', '.join(motions)}" for name, motions in free if name not in linked),
        len(spec.loads),
        len(spec.probes),
        **(_mobility(places.mechanism) | ({"links": links} if links else {})),
        box=(tuple(lower[: system.dimension].tolist()), tuple(upper[: system.dimension].tolist())),
        mass=float(sum(body.total_mass for body in system.bodies)),
        groups={
            name: (KINDS[group.dim], sum(map(len, group.cells.values())), len(group.nodes))
            for name, group in whole.groups.items()
        },
        speeds=_speeds(spec, system),
        solver=_solver(spec, system),
        sweep=sweep,
        sector="" if places.sector is None else str(places.sector),
        forces={one.name: force_text(one) for one in spec.forces},
        taken=tuple(text for probe in probes if probe.of == "bodies" and (text := probe.remark)),
        remarks=(
            *spec.remarks,
            *(spec.analysis.remarks if spec.analysis.kind == "modes" else ()),
            *remarks(places),
            *odd_units(spec, places),
            *odd_sections(spec.bodies, places, spec.unit_system),
            *odd_inertias(spec, places),
            *_starts(spec, places),
        ),
        units=spec.units,
    )


def _over_steps(spec: ModelSpec) -> ModelReport:
    """Return the report of the first step, with the analyses and the remarks of all."""
    reports = []
    for number, step in enumerate(spec.steps):
        try:
            reports.append(check_model(spec.single(number)))
        except InputError as error:
            raise InputError(f"step '{step.name}': {in_file(str(error), spec, number)}") from None
    return replace(
        reports[0],
        analysis=", ".join(one.analysis for one in reports),
        loads=len(spec.loads),
        remarks=tuple(dict.fromkeys(text for one in reports for text in one.remarks)),
    )


def _body_report(name: str, pieces: Sequence[Body], table: BodySpec | None) -> BodyReport:
    """Return the report of a body of the model file, which may be cut into pieces."""
    size = 0
    for body in pieces:
        stiffness = 0 if isinstance(body, SweptBody) else body.dimension**2  # swept over
        size += 8 * body.graph.nnz * (1 + stiffness) + body.graph.bytes
    nodes = len(pieces[0].part.points)
    if len(pieces) > 1:  # copies of nodes have the same numbers
        nodes = len(np.unique(np.concatenate([body.part.node_labels for body in pieces])))
    mass = sum(body.total_mass for body in pieces)
    moment = sum((body.first_moment for body in pieces[1:]), start=pieces[0].first_moment)
    return BodyReport(
        name,
        pieces[0].element,
        sum(len(body.graph.cells) for body in pieces),
        nodes,
        mass,
        tuple(float(m) / (mass or 1.0) for m in moment),
        size,
        "" if table is None else section_text(table, pieces[0]),
    )


def _solver(spec: ModelSpec, system: System) -> str:
    """Return what solving the equations of one large body is estimated to take."""
    analysis = spec.analysis
    explicit = analysis.kind == "transient" and analysis.method == "central_difference"
    cost = None if explicit else cost_of(system)
    if cost is None:
        return ""
    swept = isinstance(system.bodies[0], SweptBody)
    iterated = "multigrid without its matrix" if swept else "multigrid"
    takes = iterated if analysis.solver in ITERATED else "factors"
    if analysis.solver == "auto" and takes_multigrid(cost):
        takes = iterated
    return (
        f"{cost}, {iterated} {cost.multigrid:.0f} s and {cost.multigrid_bytes / 1e9:.1f} GB; "
        f'"{analysis.solver}" takes {takes}'
    )


def _starts(spec: ModelSpec, places: NameTable) -> list[str]:
    if spec.analysis.kind != "transient" or places.mechanism is None:
        return []
    return start_remarks(spec, places.mechanism)


def _speeds(spec: ModelSpec, system: System) -> dict[str, dict[float, float]]:
    """Return the angular velocity of turning frames, at the times where the analysis is looked at.

    Modes over the speed have their own speeds.
    """
    analysis = spec.analysis
    if analysis.kind == "kinematics" or (analysis.kind == "modes" and analysis.speeds):
        return {}
    times = (0.0, analysis.duration) if analysis.kind == "transient" else (analysis.time,)
    found: dict[str, dict[float, float]] = {}
    for body in system.bodies:
        if body.motion.link is None:
            at = {time: float(np.linalg.norm(body.motion.at(time).w)) for time in times}
            if any(at.values()):
                found[body.name] = at
    return found


def _mobility(mechanism: Mechanism | None) -> dict[str, Any]:
    """Return the links and their mobility; dependent joints and gears have been refused."""
    if mechanism is None:
        return {}
    parts = mechanism.parts
    unknowns = len(parts.links) * (3 if parts.planar else 6)
    if isinstance(mechanism, FoundMechanism):
        mobility = mechanism.freedom + len(parts.drivers)
        found = {"links": parts.links, "mobility": mobility, "prescribed": len(parts.drivers)}
        return found | {"is_found": True}
    return {
        "links": parts.links,
        "mobility": unknowns - parts.held,
        "prescribed": len(parts.drivers),
    }


def inspect_model(path: Path | str) -> tuple[ModelReport | None, list[str]]:
    """Check a model file and return all its faults, not only the first.

    Parameters
    ----------
    path : Path or str
        The file.

    Returns
    -------
    report : ModelReport or None
        None if anything is wrong.
    mistakes : list of str
        One line each: about tables, conditions across tables, groups and cells of the mesh.

    Raises
    ------
    InputError
        If the file cannot be read, or is not TOML.
    """
    try:
        if Path(path).suffix.lower() == DECK:
            return check_model(load_model_file(path)), []
    except InputError as error:
        return None, str(error).split("\n")
    spec, mistakes = inspect_model_file(path, _mesh_problems)
    if mistakes or spec is None:
        return None, mistakes
    try:
        return check_model(spec), []
    except InputError as error:
        return None, [str(error)]


def _mesh_problems(spec: ModelSpec) -> list[Problem]:
    """Return the faults of the mesh, of the named groups, and of the cells of bodies."""
    try:
        mesh = build_mesh(spec)
    except InputError as error:
        return [Problem(("mesh",), str(error))]
    jobs: list[tuple[tuple[str | int, ...], Callable[[], object]]] = []
    for index, body in enumerate(spec.bodies):
        if body.cells is not None:
            jobs.append((("bodies", index, "cells"), partial(mesh.select, body.cells, mesh.dim)))
            if not any(body.cells in (name, name.split(":")[0]) for name in mesh.groups):
                continue
        if body.expanded:
            jobs.append((("bodies", index), partial(members_of, index, body, mesh)))
        elif set(body.materials) <= set(spec.materials):  # its element depends on them
            jobs.append((("bodies", index), partial(body_part, spec, mesh, body)))
    for table in (
        "masses", "supports", "couplings", "loads", "initial", "probes", "tables"
    ):  # fmt: skip
        for index, item in enumerate(getattr(spec, table)):
            if getattr(item, "group", None) is not None:
                jobs.append(((table, index, "group"), partial(mesh.select, item.group)))
    for index, joint in enumerate(spec.joints):
        for i, place in enumerate(joint.at):
            if isinstance(place, str):
                jobs.append((("joints", index, "at", i), partial(mesh.select, place)))
    for index, bolt in enumerate(spec.pretensions):
        jobs += [
            (("pretensions", index, key), partial(mesh.select, getattr(bolt, key)))
            for key in ("facets", "point")
        ]
    for index, equation in enumerate(spec.equations):
        for i, term in enumerate(equation.terms):
            key = ("equations", index, "terms", i, "group")
            jobs.append((key, partial(mesh.select, term.group)))
    found = []
    for path, job in jobs:
        try:
            job()
        except InputError as error:
            found.append(Problem(path, str(error)))
    return found


def _mechanism_report(spec: ModelSpec, mechanism: Mechanism) -> ModelReport:
    """Return the report on links moved by joints and drivers."""
    parts = mechanism.parts
    for k, probe in enumerate(spec.probes):
        motion_probe(f"probes[{k}]", probe, spec, parts)
    unknowns = len(parts.links) * (3 if parts.planar else 6)
    return ModelReport(
        spec.title or spec.name,
        spec.analysis.kind,
        2 if parts.planar else 3,
        unknowns,
        len(parts.names),
        (),
        (),
        len(spec.loads),
        len(spec.probes),
        **_mobility(mechanism),
        remarks=(*far_placements(mechanism), *left_out(spec)),
        units=spec.units,
    )
