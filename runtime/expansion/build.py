# SPDX-License-Identifier: BSD-3-Clause
"""A model and its mesh with solids in place of the shells and beams that are expanded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.expansion import relations
from flexforge.runtime.expansion.edges import FACETS, edge_facets
from flexforge.runtime.expansion.members import Members, members_of
from flexforge.runtime.expansion.plies import with_plies
from flexforge.runtime.expansion.sections import Sections, sections_of
from flexforge.runtime.expansion.solids import BELOW, SOLIDS, Solids, places_of, solids_of
from flexforge.runtime.expansion.tables import Meant, Views, attached, meant, replaced
from flexforge.runtime.mesh.cells import CELLS
from flexforge.runtime.mesh.mesh import CellBlock, Group, Mesh
from flexforge.runtime.mesh.relations import Followers, Knot, MeanTurns, Relations
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.model.schema_loads import PressureLoad
from numpy.typing import NDArray


def expanded(model: ModelSpec, mesh: Mesh) -> tuple[ModelSpec, Mesh]:
    """Return a model and its mesh with solids in place of expanded bodies.

    Parameters
    ----------
    model : ModelSpec
        The validated model.
    mesh : Mesh
        Its mesh, in metres.

    Returns
    -------
    model : ModelSpec
        The same where no body is expanded.
    mesh : Mesh
        With the points and cells of the solids; nodes of the file stay, as nodes of no cell that
        follow those of the solids.

    Raises
    ------
    InputError
        For cells that are missing or have no directions, and groups that are missing.
    """
    chosen = [i for i, body in enumerate(model.bodies) if body.expanded]
    if not chosen:
        return model, mesh
    members = [members_of(i, model.bodies[i], mesh) for i in chosen]
    sections = sections_of(members)
    solids = solids_of(members, sections, mesh.points)
    stays = np.array([not body.expanded for body in model.bodies])
    shared, told = attached(model, mesh, stays), meant(model, mesh)
    nodes = _Nodes.of(sections, solids, shared, told, mesh.points)
    made, faces, edges = _mesh(mesh, model, members, solids, nodes)
    bodies = list(model.bodies)
    for one in members:
        bodies[one.body] = bodies[one.body].as_solid(_solid_name(bodies[one.body].name))
    changed = with_plies(model.model_copy(update={"bodies": tuple(bodies)}))
    owner = np.full(len(made.points), -1)
    there = solids.number >= 0
    owner[solids.number[there]] = np.repeat(sections.node, there.sum(axis=1))
    return replaced(changed, made, Views(faces, edges, nodes.loaded, nodes.printed, owner))


def _solid_name(body: str) -> str:
    return f"{body}:expanded"


@dataclass(eq=False)
class _Nodes:
    """Nodes of no cell, and their relations to the points of the solids.

    Attributes
    ----------
    sections, solids : Sections, Solids
        Cross sections and their points.
    places : ndarray, (s, 8, 3)
        Of all sections the places of their points from their nodes, m.
    points : ndarray, (n, 3)
        The points of the mesh as it was.
    loaded, printed : ndarray of int64, (n,)
        By node of the mesh what stands for it in loads and in tables.
    further : list of ndarray
        Points of the further nodes of this kind.
    """

    sections: Sections
    solids: Solids
    places: Floats
    points: Floats
    loaded: Ints
    printed: Ints
    further: list[Floats] = field(default_factory=list)
    _found: list[Relations] = field(default_factory=list)
    _own: list[tuple[Ints, Ints, Ints, bool]] = field(default_factory=list)
    _knots: list[Knot] = field(default_factory=list)
    _turns: list[MeanTurns] = field(default_factory=list)

    @classmethod
    def of(
        cls,
        sections: Sections,
        solids: Solids,
        shared: NDArray[np.bool_],
        told: Meant,
        points: Floats,
    ) -> _Nodes:
        """Return the nodes of a model.

        Parameters
        ----------
        sections, solids : Sections, Solids
            Cross sections and their points.
        shared : ndarray of bool, (n,)
            Nodes that other bodies have as well.
        told : Meant
            What tables mean.
        points : ndarray, (n, 3)
            Points of the mesh.
        """
        same = np.arange(len(points))
        found = cls(sections, solids, places_of(sections), points, same, same.copy())
        knots = sections.at_knot
        alone = np.flatnonzero(~knots)
        on = sections.node[alone]
        for some, weights in ((shared[on], relations.OUTER), (~shared[on], relations.SIMPSON)):
            found._found.append(relations.means(on[some], sections, solids, alone[some], weights))
        turning = told.turned[on]
        turns, still = relations.rotations(
            on[turning], sections, solids, found.places, alone[turning]
        )
        found._turns.extend(turns)
        found._found.append(still)
        found._own.append((on[turning], sections.body[alone[turning]], on[turning], True))
        found._own.append((on[~turning], sections.body[alone[~turning]], on[~turning], False))
        held, component = np.nonzero(told.held[on])
        found._found.append(relations.middles(on[held], component, sections, solids, alone[held]))
        found._found.append(relations.straight_sides(sections, solids, alone[told.stiff[on]]))
        curved = sections.at_corner[alone] & ~sections.is_beam[alone] & ~shared[on]
        found._views(found.loaded, alone[curved & told.loaded[on]], relations.LOADED)
        found._views(found.printed, alone[shared[on]], relations.SIMPSON)
        for node in np.unique(sections.node[knots]).tolist():
            found._knot(node)
        return found

    @property
    def first(self) -> int:
        """Number of the next node of no cell."""
        new = sum(map(len, self.further))
        return len(self.points) + len(self.solids.points) + new

    def _views(self, view: Ints, which: Ints, weights: tuple[float, ...]) -> None:
        """Add nodes that stand for those of some sections."""
        nodes = self.sections.node[which]
        own = self.first + np.arange(len(which))
        self.further.append(self.points[nodes])
        self._found.append(relations.means(own, self.sections, self.solids, which, weights))
        self._own.append((own, self.sections.body[which], nodes, False))
        view[nodes] = own

    def _knot(self, node: int) -> None:
        """Add the equations of a knot, and the node of its expansion."""
        which = np.flatnonzero(self.sections.node == node)
        number, arms = self.solids.number[which], self.places[which]
        there = number >= 0
        strain = self.first
        body = self.sections.body[which[:1]]
        self.further.append(self.points[[node]])
        self._own.append((np.array([node]), body, np.array([node]), True))
        self._own.append((np.array([strain]), body, np.array([node]), False))
        beams = bool(self.sections.is_beam[which].any())
        knot, held = relations.knot(node, strain, number[there], arms[there], has_beams=beams)
        self._knots.append(knot)
        self._found.append(held)

    def followers(self, labels: Ints) -> Followers:
        """Return all of them, with the numbers that nodes of the mesh have in the file."""
        own, bodies, nodes = (np.concatenate([one[k] for one in self._own]) for k in range(3))
        turning = np.concatenate([np.full(len(one[0]), one[3]) for one in self._own])
        order = np.argsort(own)
        pairs = self.solids.number >= 0
        owner = np.repeat(self.printed[self.sections.node], pairs.sum(axis=1))
        return Followers(
            own[order], turning[order], bodies[order], labels[nodes[order]],
            Relations.together(self._found), owner, self.solids.number[pairs],
            tuple(self._knots), tuple(self._turns),
        )  # fmt: skip


def _mesh(
    mesh: Mesh, model: ModelSpec, members: Sequence[Members], solids: Solids, nodes: _Nodes
) -> tuple[Mesh, dict[str, str], dict[str, str]]:
    """Return the mesh with the solids, and groups of facets by groups of cells under pressure.

    The first are below the cells of shells, the second along the edges of shells.
    """
    points = np.concatenate([mesh.points, solids.points, *nodes.further])
    most = int(mesh.node_labels.max(initial=0))
    added = most + 1 + np.arange(len(points) - len(mesh.points))
    labels = np.concatenate([mesh.node_labels, added])
    blocks, groups = list(mesh.blocks), dict(mesh.groups)
    became: dict[int, Ints] = {}  # by block of cells, rows of the solids or -1
    into: dict[int, int] = {}
    below: dict[int, tuple[int, Ints]] = {}
    for one, cells, of in zip(members, solids.cells, nodes.sections.of, strict=True):
        kind = SOLIDS[one.cell]
        block, rows = _append(blocks, kind, cells, one.labels)
        number = became.setdefault(one.block, np.full(len(mesh.blocks[one.block].nodes), -1))
        number[one.rows] = rows
        into[one.block] = block
        name = _solid_name(model.bodies[one.body].name)
        groups[name] = Group(name, 3, {block: rows}, np.unique(cells))
        if not one.is_beam:
            facets = solids.number[of][:, :, BELOW]
            place, places = _append(blocks, one.cell, facets, one.labels)
            _, known = below.setdefault(one.block, (place, np.full(len(number), -1)))
            known[one.rows] = places
    for name, group in mesh.groups.items():
        cells_of = dict(group.cells)
        for block, number in became.items():
            if block not in cells_of:
                continue
            rows = cells_of[block]
            new = number[rows]
            cells_of.pop(block)
            if (left := rows[new < 0]).size:
                cells_of[block] = left
            if (new := new[new >= 0]).size:
                place = into[block]
                cells_of[place] = np.concatenate([cells_of.get(place, new[:0]), new])
        if cells_of.keys() != group.cells.keys():
            dim = max(CELLS[blocks[k].cell].dim for k in cells_of)
            groups[name] = replace(group, dim=dim, cells=cells_of)
    faces, edges = {}, {}
    for load in model.loads:
        pressed = mesh.groups.get(load.group) if isinstance(load, PressureLoad) else None
        if pressed is None:
            continue
        for block, rows in pressed.cells.items():
            if block in below and (found := below[block][1][rows]).max(initial=-1) >= 0:
                found, place = found[found >= 0], below[block][0]
                name = f"{pressed.name}:below"
                groups[name] = Group(name, 2, {place: found}, np.unique(blocks[place].nodes[found]))
                faces[pressed.name] = name
            facet = FACETS.get(mesh.blocks[block].cell)
            if facet is None:
                continue
            lines, own = mesh.blocks[block].nodes[rows], mesh.blocks[block].labels[rows]
            sides = edge_facets(lines, nodes.sections, solids, len(mesh.points), pressed.name)
            if sides is not None:
                place, found = _append(blocks, facet, sides, own)
                name = f"{pressed.name}:edges"
                groups[name] = Group(name, 2, {place: found}, np.unique(sides))
                edges[pressed.name] = name
    return (
        replace(
            mesh,
            points=points,
            node_labels=labels,
            blocks=tuple(blocks),
            groups=groups,
            followers=nodes.followers(mesh.node_labels),
        ),
        faces,
        edges,
    )


def _append(blocks: list[CellBlock], cell: str, nodes: Ints, labels: Ints) -> tuple[int, Ints]:
    """Append cells to the block of their type; return its number and their rows."""
    kinds = [block.cell for block in blocks]
    if cell not in kinds:
        blocks.append(CellBlock(cell, nodes, labels))
        return len(blocks) - 1, np.arange(len(nodes))
    place = kinds.index(cell)
    old = blocks[place]
    blocks[place] = CellBlock(
        cell, np.concatenate([old.nodes, nodes]), np.concatenate([old.labels, labels])
    )
    return place, len(old.nodes) + np.arange(len(nodes))
