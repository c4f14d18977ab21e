# SPDX-License-Identifier: BSD-3-Clause
"""Tables of values at every node or cell of a group, as ``[[tables]]`` asks for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.model.schema_table import AT_NODES, AT_POINTS, OF_CELLS, TableSpec
from flexforge.runtime.observe.cell_tables import CellTable, cell_table
from flexforge.runtime.observe.motion import AnyState
from flexforge.runtime.observe.probes import strained
from flexforge.runtime.results.data import spatial
from flexforge.runtime.results.listing import Listing
from flexforge.runtime.system.body import Body
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.name_table import NameTable
from flexforge.runtime.transient.equations import equations_at

#: The energy whose second Piola-Kirchhoff stress is linear in Green's strain.
KIRCHHOFF = "st_venant_kirchhoff"
_UNITS = {
    "displacement": "m",
    "velocity": "m/s",
    "acceleration": "m/s^2",
    "reaction_force": "N",
    "nodal_force": "N",
    "stress": "Pa",
    "strain": "",
    "energy_density": "J/m^3",
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
    """

    spec: TableSpec
    where: tuple[tuple[Body, Ints], ...]
    loads: Loads
    shares: tuple[Ints, Ints] | None = None

    @property
    def in_modes(self) -> bool:
        """Whether modes have it."""
        return self.spec.quantity == "displacement"

    def listing(self, time: float, state: AnyState) -> Listing:
        """Return the values at a time."""
        if self.spec.quantity in ("reaction_force", "nodal_force"):
            made = _reactions if self.spec.quantity == "reaction_force" else _internal
            forces = made(state, self.loads, time)
            if self.shares is not None:
                owners, others = self.shares
                forces[owners] = 0.0
                np.add.at(forces, owners, forces[others])
            return self._of([forces[body.nodes] for body, _ in self.where], time)
        if self.spec.quantity == "displacement":
            u = [body.relative(state.displacement[body.nodes]) for body, _ in self.where]
            return self._of(u, time)
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
            warmth = self.loads.temperature(body.name, time)
            if self.spec.quantity == "energy_density":
                given = body.material_stresses(
                    body.relative(state.displacement[body.nodes]), warmth
                )
                strains = given @ self.compliances[body.name]
                at_points = 0.5 * (given * strains).sum(axis=1, keepdims=True)
            else:
                at_points = body.at_stations(strained(body, state), warmth)["stress"]
            if self.spec.quantity == "strain":
                at_points = at_points @ self.compliances[body.name].T
            count = len(body.graph.cells)
            places = _order(body.part.cell, len(at_points) // count)
            width = at_points.shape[1]
            found.append(at_points.reshape(count, -1, width)[rows][:, places].reshape(-1, width))
            own = body.part.labels[rows].tolist()
            first = np.array([before.get(label, 0) for label in own])
            before |= {label: begin + len(places) for label, begin in zip(own, first, strict=True)}
            points = first[:, None] + np.arange(1, len(places) + 1)
            labels.append(np.stack([np.repeat(own, len(places)), points.ravel()], axis=1))
        rows, values = np.concatenate(labels), np.concatenate(found)
        order = np.argsort(rows[:, 0], kind="stable")
        return _listing(self.spec, time, rows[order], values[order])


AnyTable = NodeTable | PointTable | CellTable


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
        for body, nodes in places.nodes(spec.group, None, f"{key}.group"):
            own = nodes[~seen[body.nodes[nodes]]]
            seen[body.nodes[own]] = True
            where.append((body, own))
        return NodeTable(spec, tuple(where), loads, _shares(places))
    cells = tuple(_cells(spec, key, places))
    if not cells:
        there = " at points" if spec.quantity in AT_POINTS else ""
        raise InputError(
            f"{key}.group: no cell of group '{spec.group}' belongs to a body with "
            f"{spec.quantity}{there}; expected a group of cells of solid or plane elements"
        )
    if spec.quantity in OF_CELLS:
        return cell_table(spec, key, cells, loads)
    compliances = {}
    if spec.quantity in ("strain", "energy_density"):
        compliances = {body.name: _compliance(model, body, spec, key) for body, _ in cells}
    return PointTable(spec, cells, loads, compliances)


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
    if spec.energy == KIRCHHOFF and table.quantity == "energy_density":
        lame, mu = spec.parameters["lame"], spec.parameters["mu"]
        stiffness = mu * np.diag([2.0, 2.0, 2.0, 1.0, 1.0, 1.0])
        stiffness[:3, :3] += lame
        return np.asarray(np.linalg.inv(stiffness))
    if material is None or not lawful or not body.is_linear:
        raise InputError(
            f"{key}.quantity: found {table.quantity} with body '{body.name}', which has no linear "
            "law of a material, by which stresses say it; expected stress"
        )
    found = np.linalg.inv(material.stiffness())[np.ix_(order, order)]
    if table.quantity == "strain":
        found[3:] *= 0.5  # of the tensor, not of angles
    return np.asarray(found)


def _cells(spec: TableSpec, key: str, places: NameTable) -> Iterator[tuple[Body, Ints]]:
    """Yield the bodies that have cells of a group, with the rows of these."""
    mesh = places.mesh
    try:
        rows = mesh.rows_of(spec.group)
    except InputError as error:
        raise InputError(f"{key}.group: {error}") from None
    for body in places.system.bodies:
        for block, chosen in rows.items():
            if mesh.blocks[block].cell == body.part.cell and "stress" in body.kernels:
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


def _reactions(state: AnyState, loads: Loads, time: float) -> Floats:
    """Return the forces of supports and equations on nodes, (N, d), N; zero without any."""
    system = state.system
    frames = system.frames(time)
    equations = equations_at(system, loads, time, frames, displacement=state.displacement)
    forces = -equations.unbalanced(state.displacement, state.velocity, state.acceleration)
    forces[~system.map.constrained] = 0.0
    return forces


def _internal(state: AnyState, loads: Loads, time: float) -> Floats:
    """Return the forces that strain the bodies, (N, d), N: at rest, all forces on their nodes."""
    system = state.system
    still, frames = np.zeros_like(state.displacement), system.frames(time)
    equations = equations_at(system, loads, time, frames, displacement=state.displacement)
    forces = equations.nodal - equations.unbalanced(state.displacement, still, still)
    for body in system.bodies:
        warmth = loads.temperature(body.name, time)
        if warmth is not None:
            forces[body.placed] -= body.thermal_load(warmth)
    return forces


def _listing(spec: TableSpec, time: float, labels: Ints, values: Floats) -> Listing:
    unit = _UNITS[spec.quantity]
    named = ("node",) if labels.shape[1] == 1 else ("element", "point")
    return Listing(
        spec.title, spec.quantity, spec.group, unit, time, labels, values, spec.total, named
    )
