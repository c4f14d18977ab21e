# SPDX-License-Identifier: BSD-3-Clause
"""Tables of values at every node or cell of a group, as ``[[tables]]`` asks for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.model.schema_table import (
    AT_NODES,
    AT_POINTS,
    OF_CELLS,
    SECTION,
    TableSpec,
)
from flexforge.runtime.observe.cell_tables import CellTable, cell_table
from flexforge.runtime.observe.motion import AnyState, AtRest, equations_of, forces_beside
from flexforge.runtime.observe.probes import strained
from flexforge.runtime.results.data import UNITS, Column, spatial
from flexforge.runtime.results.listing import ENDS, NODES, POINTS, Listing
from flexforge.runtime.system.body import Body
from flexforge.runtime.system.equation_forces import EquationForces
from flexforge.runtime.system.finite_body import FiniteBody
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.name_table import NameTable
from flexforge.runtime.transient.equations import Equations

_UNITS = {
    "displacement": "m",
    "rotation": "rad",
    "velocity": "m/s",
    "acceleration": "m/s^2",
    "reaction_force": "N",
    "reaction_moment": "N m",
    "nodal_force": "N",
    "nodal_moment": "N m",
    "stress": "Pa",
    "strain": "",
    "energy_density": "J/m^3",
    "section_force": "",
}


@dataclass(frozen=True, slots=True)
class NodeTable:
    """A table of values at nodes.

    Attributes
    ----------
    spec : TableSpec
        What is asked for.
    where : tuple
        Bodies and their nodes; a node that bodies share is in one of them.
    loads : Loads
        What acts on the system.
    shares : tuple of ndarray of int, optional
        Pairs of nodes of the system: those that stand for others in tables, and the others, whose
        forces are theirs.
    equations : EquationForces, optional
        What separates the forces of equations from those of supports.
    """

    spec: TableSpec
    where: tuple[tuple[Body, Ints], ...]
    loads: Loads
    shares: tuple[Ints, Ints] | None = None
    equations: EquationForces | None = None

    @property
    def in_modes(self) -> bool:
        """Whether modes have it."""
        return self.spec.quantity == "displacement"

    def listing(self, time: float, state: AnyState) -> Listing:
        """Return the values at a time."""
        if self.spec.quantity in _FORCES:
            forces = _FORCES[self.spec.quantity](state, self.loads, time, self.equations)
            if self.shares is not None:
                owners, others = self.shares
                forces[owners] = 0.0
                np.add.at(forces, owners, forces[others])
            if self.spec.quantity.endswith("moment"):
                return self._of(_about(state, forces, self.where), time)
            return self._of([forces[body.nodes] for body, _ in self.where], time)
        if self.spec.quantity == "displacement":
            u = [body.relative(state.displacement[body.nodes]) for body, _ in self.where]
            return self._of(u, time)
        if self.spec.quantity == "rotation":
            return self._of(_about(state, state.displacement, self.where), time)
        rates = state.velocity if self.spec.quantity == "velocity" else state.acceleration
        return self._of([rates[body.nodes] for body, _ in self.where], time)

    def of_shape(self, shape: Floats, frequency: float) -> Listing:
        """Return the displacements of a mode (N, d), with its frequency, Hz, for the time."""
        return self._of([shape[body.nodes] for body, _ in self.where], frequency)

    def _of(self, values: Sequence[Floats], time: float) -> Listing:
        """Return nodal values of each body as a listing, in the order of the numbers of nodes."""
        pairs = list(zip(self.where, values, strict=True))
        labels = np.concatenate([body.part.node_labels[nodes] for (body, nodes), _ in pairs])
        rows = np.concatenate([spatial(found[nodes]) for (_, nodes), found in pairs])
        order = np.argsort(labels)
        return _listing(self.spec, time, labels[order, None], rows[order])


@dataclass(frozen=True, slots=True)
class PointTable:
    """A table of values at the points of cells.

    Attributes
    ----------
    spec : TableSpec
        What is asked for.
    where : tuple
        Bodies and rows of their cells.
    loads : Loads
        What acts on the system.
    compliances : dict
        Strains by stresses, both xx yy zz xy yz zx, of each body, (6, 6), 1/Pa: of angles for
        energies, of the tensor for strains.
    """

    spec: TableSpec
    where: tuple[tuple[Body, Ints], ...]
    loads: Loads
    compliances: Mapping[str, Floats]

    def listing(self, time: float, state: AnyState) -> Listing:
        """Return the values at a time."""
        found, labels = [], []
        before: dict[int, int] = {}  # points of cells that other plies of them have
        for body, rows in self.where:
            at_points = self._at_points(body, state, time)
            count, size = len(body.graph.cells), at_points.shape[1]
            places = _order(body.part.cell, len(at_points) // count)
            found.append(at_points.reshape(count, -1, size)[rows][:, places].reshape(-1, size))
            own = body.part.labels[rows].tolist()
            first = np.array([before.get(label, 0) for label in own])
            before |= {label: begin + len(places) for label, begin in zip(own, first, strict=True)}
            points = first[:, None] + np.arange(1, len(places) + 1)
            labels.append(np.stack([np.repeat(own, len(places)), points.ravel()], axis=1))
        rows, values = np.concatenate(labels), np.concatenate(found)
        order = np.argsort(rows[:, 0], kind="stable")
        return _listing(self.spec, time, rows[order], values[order], labelled=POINTS)

    def _at_points(self, body: Body, state: AnyState, time: float) -> Floats:
        """Return the values at the points of all cells of a body, (E Q, 6 or 1)."""
        wanted = self.spec.quantity
        if wanted == "stress":
            u = strained(body, state)
        else:
            u = body.relative(state.displacement[body.nodes])
        if isinstance(body, FiniteBody) and wanted != "stress":
            return body.at_points_of(wanted, u)
        stress = body.at_stations(u, self.loads.temperature(body.name, time))["stress"]
        if wanted == "stress":
            return stress
        strain = stress @ self.compliances[body.name].T
        if wanted == "strain":
            return strain
        return np.asarray(0.5 * (stress * strain).sum(axis=1, keepdims=True))


@dataclass(frozen=True, slots=True)
class SectionTable:
    """A table of the forces of sections of rods or shells.

    Attributes
    ----------
    spec : TableSpec
        What is asked for.
    where : tuple
        Bodies and rows of their cells.
    loads : Loads
        What acts on the system.
    names : tuple of str
        The forces.
    """

    spec: TableSpec
    where: tuple[tuple[Body, Ints], ...]
    loads: Loads
    names: tuple[str, ...]

    def listing(self, time: float, state: AnyState) -> Listing:
        """Return the values at a time."""
        found, labels = [], []
        for body, rows in self.where:
            warmth = self.loads.temperature(body.name, time)
            forces = body.at_stations(strained(body, state), warmth)
            count = len(body.graph.cells)
            values = np.stack([forces[name].reshape(count, -1) for name in self.names], axis=-1)
            numbers = np.tile(np.arange(1, values.shape[1] + 1), (count, 1))
            if self.spec.at == "nodes":
                values = np.einsum("enq,eqc->enc", _to_ends(body), values)
                numbers = body.part.node_labels[body.part.connectivity[:, :2]]
            cells = np.broadcast_to(body.part.labels[:, None], numbers.shape)
            labels.append(np.stack([cells, numbers], axis=-1)[rows].reshape(-1, 2))
            found.append(values[rows].reshape(-1, len(self.names)))
        rows, values = np.concatenate(labels), np.concatenate(found)
        order = np.argsort(rows[:, 0], kind="stable")
        columns = tuple(Column(name, UNITS[name]) for name in self.names)
        labelled = POINTS if self.spec.at == "points" else ENDS
        return _listing(
            self.spec, time, rows[order], values[order], labelled=labelled, columns=columns
        )


AnyTable = NodeTable | PointTable | CellTable | SectionTable


def _to_ends(body: Body) -> Floats:
    """Return the weights (E, 2, Q) of stations in values at both ends of the cells of a rod.

    Lines through values at stations, least squares where there are more than two.
    """
    ends = body.part.points[body.part.connectivity[:, :2]]
    along = ends[:, 1] - ends[:, 0]
    places = spatial(body.stations.reshape(-1, body.dimension)).reshape(len(ends), -1, 3)
    s = np.einsum("eqi,ei->eq", places - ends[:, :1], along) / np.sum(along**2, axis=1)[:, None]
    if s.shape[1] == 1:
        return np.ones((len(ends), 2, 1))
    ones = np.ones_like(s)
    lines = np.linalg.pinv(np.stack([ones, s], axis=-1))  # (E, 2, Q): value at 0, and slope
    return np.asarray(np.array([[1.0, 0.0], [1.0, 1.0]]) @ lines)


def build_tables(spec: ModelSpec, places: NameTable, loads: Loads) -> list[AnyTable]:
    """Return the tables of a model.

    Parameters
    ----------
    spec : ModelSpec
        The model.
    places : NameTable
        Its names in the system.
    loads : Loads
        What acts on the system.

    Raises
    ------
    InputError
        For groups that are missing, and bodies whose cells have no such values.
    """
    return [_table(spec, one, f"tables[{i}]", places, loads) for i, one in enumerate(spec.tables)]


def _table(
    model: ModelSpec, spec: TableSpec, key: str, places: NameTable, loads: Loads
) -> AnyTable:
    if spec.quantity in AT_NODES:
        where, seen = [], np.zeros(places.system.size, dtype=bool)
        turns = spec.quantity == "rotation" or spec.quantity.endswith("moment")
        for body, nodes in places.nodes(spec.group, None, f"{key}.group"):
            if turns and not body.turns:
                continue
            own = nodes[~seen[body.nodes[nodes]]]
            seen[body.nodes[own]] = True
            where.append((body, own))
        if not where:
            raise InputError(
                f"{key}.group: no node of group '{spec.group}' has a rotation; expected nodes of "
                "beams, shells, or points of couplings"
            )
        return NodeTable(spec, tuple(where), loads, _shares(places), places.equation_forces)
    if spec.quantity == SECTION:
        return _section_table(spec, key, places, loads)
    cells = tuple(_cells(spec, key, places, lambda body: "stress" in body.kernels))
    if not cells:
        there = " at points" if spec.quantity in AT_POINTS else ""
        raise InputError(
            f"{key}.group: no cell of group '{spec.group}' belongs to a body with "
            f"{spec.quantity}{there}; expected a group of cells of solid or plane elements"
        )
    if spec.quantity in OF_CELLS:
        return cell_table(spec, key, cells, loads)
    compliances = {}
    if spec.quantity != "stress":
        compliances = {
            body.name: _compliance(model, body, spec, key)
            for body, _ in cells
            if not isinstance(body, FiniteBody)
        }
    return PointTable(spec, cells, loads, compliances)


def _section_table(spec: TableSpec, key: str, places: NameTable, loads: Loads) -> SectionTable:
    cells = tuple(_cells(spec, key, places, lambda body: bool(body.generalized), least=1))
    if not cells:
        raise InputError(
            f"{key}.group: no cell of group '{spec.group}' belongs to a body with forces of "
            "sections; expected a group of cells of rods or shells"
        )
    each = []
    for body, _ in cells:
        known = body.at_stations(np.zeros_like(body.points))
        each.append(tuple(k for k in known if known[k].ndim == 1 and UNITS[k] != "Pa"))
        if each[-1] != each[0]:
            raise InputError(
                f"{key}.group: found bodies '{cells[0][0].name}' and '{body.name}', whose sections "
                "have different forces; expected a table for each"
            )
        if spec.at == "nodes" and not body.part.cell.startswith("line"):
            raise InputError(f"{key}.at: found nodes with shells; expected points")
    return SectionTable(spec, cells, loads, each[0])


def _shares(places: NameTable) -> tuple[Ints, Ints] | None:
    """Return nodes of no cell, and the nodes whose forces are theirs."""
    followers = places.mesh.followers
    if followers is None:
        return None
    number = np.full(len(places.mesh.points), -1)
    for body in places.system.bodies:
        number[body.part.nodes] = body.placed
    return number[followers.owner], number[followers.section]


def _compliance(model: ModelSpec, body: Body, table: TableSpec, key: str) -> Floats:
    """Return the strains by stresses of a body, both xx yy zz xy yz zx, (6, 6), 1/Pa."""
    spec = next(one for one in model.bodies if one.name == body.name)
    material = model.materials.get(spec.material or "")
    lawful = material is not None and material.has_law and not material.semidefinite
    order = [0, 1, 2, 5, 3, 4]
    if material is None or not lawful or not body.is_linear:
        raise InputError(
            f"{key}.quantity: found {table.quantity} with body '{body.name}', which has no linear "
            "law of a material, by which stresses say it; expected stress"
        )
    found = np.linalg.inv(material.stiffness())[np.ix_(order, order)]
    if table.quantity == "strain":
        found[3:] *= 0.5  # of the tensor, not of angles
    return np.asarray(found)


def _cells(
    spec: TableSpec, key: str, places: NameTable, has: Callable[[Body], bool], least: int = 2
) -> Iterator[tuple[Body, Ints]]:
    """Yield the bodies with such values that have cells of a group, with the rows of these."""
    mesh = places.mesh
    try:
        rows = mesh.rows_of(spec.group, least)
    except InputError as error:
        raise InputError(f"{key}.group: {error}") from None
    for body in places.system.bodies:
        for block, chosen in rows.items():
            if mesh.blocks[block].cell == body.part.cell and has(body):
                inside = np.isin(body.part.labels, mesh.blocks[block].labels[chosen])
                if inside.any():
                    yield body, np.flatnonzero(inside)


def _order(cell: str, points: int) -> Ints:
    """Return the points of a cell in the order of CalculiX: the first coordinate runs fastest."""
    order = np.arange(points)
    dim = {"hex": 3, "quad": 2}.get(cell.rstrip("0123456789"), 0)
    side = round(points ** (1.0 / dim)) if dim else 0
    if not dim or side**dim != points:
        return order
    return order.reshape((side,) * dim).transpose().ravel()


def _about(state: AnyState, values: Floats, where: Sequence[tuple[Body, Ints]]) -> list[Floats]:
    """Return the part of rotations of nodal values (N, d), of each body; about z in the plane."""
    found = [values[body.rotations] for body, _ in where]
    return found if state.system.dimension == 3 else [one[:, [1, 1, 0]] for one in found]


def _equations(state: AnyState, loads: Loads, time: float) -> Equations:
    """Return the equations of a state, with the part of the loads that acts on it."""
    part = 1.0
    if isinstance(state, AtRest):
        part, time = state.factor, time if state.moment is None else state.moment
    return equations_of(state, loads, time, state.displacement).in_part(part)


def _reactions(
    state: AnyState, loads: Loads, time: float, equations: EquationForces | None
) -> Floats:
    """Return the forces of supports on nodes, (N, d), N; zero without any."""
    moving = state.displacement, state.velocity, state.acceleration
    forces = -(_equations(state, loads, time).unbalanced(*moving) + forces_beside(state))
    if equations is None:
        forces[~state.system.map.constrained] = 0.0
        return forces
    forces -= equations.exerted(forces, state.displacement)
    return np.where(equations.supported.reshape(forces.shape), forces, 0.0)


def _internal(
    state: AnyState, loads: Loads, time: float, equations: EquationForces | None
) -> Floats:
    """Return the forces that strain the bodies, (N, d), N: at rest, all forces on their nodes.

    Points without elements have what they pass on by equations: the sum of loads and reactions.
    """
    u, found = state.displacement, _equations(state, loads, time)
    still = np.zeros_like(u)
    forces = found.nodal - found.unbalanced(u, still, still)
    for body in state.system.bodies:
        warmth = loads.temperature(body.name, time)
        if warmth is not None and body.is_linear:
            forces[body.placed] -= body.thermal_load(warmth)
    if equations is not None:
        left = -found.unbalanced(u, state.velocity, state.acceleration) - forces_beside(state)
        bare = np.ones(len(u), dtype=bool)
        for body in state.system.bodies:
            if not body.lumped or body.is_connector:
                bare[body.nodes] = False
        forces[bare] = -equations.exerted(left, u)[bare]
    return forces


#: What computes the forces on nodes of a table.
_FORCES = {
    "reaction_force": _reactions,
    "reaction_moment": _reactions,
    "nodal_force": _internal,
    "nodal_moment": _internal,
}


def _listing(
    spec: TableSpec,
    time: float,
    labels: Ints,
    values: Floats,
    *,
    labelled: tuple[str, ...] = NODES,
    columns: tuple[Column, ...] | None = None,
) -> Listing:
    return Listing(
        spec.title,
        spec.quantity,
        spec.group,
        _UNITS[spec.quantity],
        time,
        labels,
        values,
        spec.total,
        labelled=labelled,
        columns=columns,
    )
