# SPDX-License-Identifier: BSD-3-Clause
"""The share of a model that one rank has: its own nodes, and all elements that reach them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.assembly.assemble import some_of
from flexforge.runtime.assembly.kernels import Kernels
from flexforge.runtime.distributed.probes import SharedProbe
from flexforge.runtime.mesh.part import Part, compact
from flexforge.runtime.model.schema_loads import IncludeSpec
from flexforge.runtime.observe.probes import AnyProbe, Probe
from flexforge.runtime.observe.support_probe import SupportProbe
from flexforge.runtime.ranks.halo import Halo
from flexforge.runtime.ranks.mpi import MpiRanks
from flexforge.runtime.ranks.partition import parts_of
from flexforge.runtime.statics.rigid import count_of_free, free_motions
from flexforge.runtime.system.bodies import graph_of_vectors
from flexforge.runtime.system.body import Body
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.prescribed import Prescribed
from flexforge.runtime.system.shared_map import SharedMap
from flexforge.runtime.system.system import System
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

State = tuple[Floats, Floats]


@dataclass(frozen=True, slots=True)
class Fragment:
    """The share of a body.

    Attributes
    ----------
    body : Body
        The body without elements, and so without their graph, which its rank builds, and without
        kernels, which are addresses in a process.
    terms : tuple of str
        Terms of its kernels.
    part : Part
        Its elements here.
    carried : int
        Vectors per node.
    nodes : ndarray of int
        Numbers of the vectors of their nodes among those of the rank.
    own : ndarray of bool
        Which of these are those of the rank.
    numbers, cells : ndarray of int
        Numbers of its nodes and elements in the whole body.
    """

    body: Body
    terms: tuple[str, ...]
    part: Part
    carried: int
    nodes: Ints
    own: NDArray[np.bool_]
    numbers: Ints
    cells: Ints

    @property
    def owned(self) -> Ints:
        """Which of its nodes are those of the rank, without their rotations."""
        return np.flatnonzero(self.own[: len(self.numbers)])

    @property
    def counted(self) -> Ints:
        """Which of its elements are those of the rank, which owns their first nodes."""
        return np.flatnonzero(self.own[self.part.connectivity[:, 0]])

    def built(self, threads: int) -> Body:
        """Return the body of these elements."""
        part = self.part
        graph = graph_of_vectors(part, self.carried, threads)
        return replace(
            self.body,
            kernels=Kernels(self.body.source, self.terms),
            part=part,
            graph=graph,
            nodes=self.nodes,
            own=self.own,
        )


@dataclass(frozen=True, slots=True)
class Share:
    """The share of one rank, as it is sent to it; numbers of nodes are those of the rank.

    Attributes
    ----------
    fragments : tuple of Fragment
        Of the bodies.
    include : IncludeSpec
        Inertia terms that are included.
    own : ndarray of bool, (N,)
        Which nodes are those of the rank.
    free, held : ndarray of bool, (N, d)
        Where there is an unknown, and where supports exert forces.
    triads : ndarray, (N, d, d), optional
        Displacements for the unknowns of every node, where supports have axes.
    given : Prescribed or None
        Displacements of supports.
    loose : tuple
        Free motions of the whole model, by body.
    motions : int
        Number of these.
    unknowns : ndarray of int, (n,)
        Numbers of its unknowns among those of the whole model.
    sent, received : dict
        Nodes of the halo, by rank.
    loads : Loads
        What acts on its nodes, without the bodies.
    state : tuple of two ndarray, (N, d)
        Displacement and velocity at the start, m and m/s.
    probes : tuple of tuple
        Of every probe: itself, and of each of its bodies the number, its nodes (or stations) that
        are those of the rank, and their positions among all of the probe.
    """

    fragments: tuple[Fragment, ...]
    include: IncludeSpec
    own: NDArray[np.bool_]
    free: NDArray[np.bool_]
    held: NDArray[np.bool_]
    triads: Floats | None
    given: Prescribed | None
    loose: tuple[tuple[str, list[str]], ...]
    motions: int
    unknowns: Ints
    sent: dict[int, Ints]
    received: dict[int, Ints]
    loads: Loads
    state: State
    probes: tuple[tuple[AnyProbe, tuple[tuple[int, Ints, Ints], ...]], ...]

    def built(self, ranks: MpiRanks, threads: int) -> tuple[System, Loads, list[AnyProbe]]:
        """Return the bodies, loads and probes of this rank."""
        bodies = tuple(one.built(threads) for one in self.fragments)
        halo = Halo(ranks, self.own, self.sent, self.received)
        places = np.flatnonzero(self.free & self.own[:, None])
        shape = (self.free.shape[0], self.free.shape[1])
        shared = SharedMap(
            shape,
            places,
            _matrix(self.triads, self.free & self.own[:, None]),
            given=self.given,
            halo=halo,
            unheld=self.free,
            held=self.held,
            around=self.triads,
            loose=self.loose,
            motions=self.motions,
            whole=self.unknowns,
        )
        system = System(bodies, shared, self.include, threads)
        loads = self.loads.on(system)
        return system, loads, [_built(*one, bodies, loads) for one in self.probes]


def _built(
    probe: AnyProbe,
    where: tuple[tuple[int, Ints, Ints], ...],
    bodies: Sequence[Body],
    loads: Loads,
) -> AnyProbe:
    """Return a probe of the bodies of this rank."""
    if isinstance(probe, SupportProbe):
        return replace(probe, body=bodies[where[0][0]], loads=loads)
    assert isinstance(probe, Probe)
    pairs = tuple((bodies[number], nodes) for number, nodes, _ in where)
    positions = np.concatenate([one for *_, one in where])
    return SharedProbe(probe.spec, pairs, loads, positions, around=probe.around)


def shares(
    system: System, loads: Loads, state: State, probes: Sequence[AnyProbe], count: int
) -> Iterator[Share]:
    """Yield the shares of all ranks.

    Parameters
    ----------
    system : System
        All bodies, with their supports.
    loads : Loads
        What acts on them.
    state : tuple of two ndarray, (N, d)
        Displacement and velocity at the start, m and m/s.
    probes : sequence
        The probes.
    count : int
        Number of ranks.

    Raises
    ------
    AnalysisError
        When there are fewer nodes than ranks.
    """
    owner = _owners(system, count)
    triads = None if system.map.is_selection else system.map.triads
    reached = [_reached(system, owner == rank) for rank in range(count)]
    ghosts = [{r: x[owner[x] == r] for r in np.unique(owner[x])} for _, x in reached]
    loose, motions = tuple(free_motions(system)), count_of_free(system)
    for rank, (cells, nodes) in enumerate(reached):
        own = owner[nodes] == rank
        numbers = system.map.numbers[nodes[own]]
        received = {r: np.searchsorted(nodes, x) for r, x in ghosts[rank].items() if r != rank}
        sent = {
            r: np.searchsorted(nodes, theirs[rank])
            for r, theirs in enumerate(ghosts)
            if r != rank and rank in theirs
        }
        some = zip(system.bodies, cells, strict=True)
        fragments, used = zip(*(_fragment(b, c, nodes, own) for b, c in some), strict=True)
        yield Share(
            fragments,
            system.include,
            own,
            system.map.free[nodes],
            system.map.constrained[nodes],
            None if triads is None else triads[nodes],
            _given(system.map.given, nodes),
            loose,
            motions,
            numbers[numbers >= 0],
            sent,
            received,
            loads.at_nodes(used),
            (state[0][nodes], state[1][nodes]),
            tuple((_bare(one), _where(one, system, owner == rank, used, cells)) for one in probes),
        )


def _matrix(triads: Floats | None, unknown: NDArray[np.bool_]) -> csr_matrix | None:
    """Return the displacements of the nodes for the unknowns, which supports with axes need."""
    from scipy.sparse import csr_matrix

    if triads is None:
        return None
    d = unknown.shape[1]
    node, component = np.nonzero(unknown)
    entries = triads[node, :, component]
    rows = d * node[:, None] + np.arange(d)
    columns = np.broadcast_to(np.arange(len(node))[:, None], rows.shape)
    kept = entries != 0.0
    places = (rows[kept], columns[kept])
    return csr_matrix((entries[kept], places), shape=(unknown.size, len(node)))


def _owners(system: System, count: int) -> Ints:
    """Return the rank that owns each node, (N,); rotations go with the displacements."""
    from scipy.sparse import coo_matrix

    home = np.arange(system.size)
    for body in system.bodies:
        home[body.rotations] = np.tile(body.placed, len(body.rotations) // len(body.placed))
    places, number = np.unique(home, return_inverse=True)
    rows, columns = [], []
    for body in system.bodies:
        node = number[body.nodes]
        rows.append(np.repeat(node, np.diff(body.graph.pointers)))
        columns.append(node[body.graph.columns])
    row, column = np.concatenate(rows), np.concatenate(columns)
    apart = row != column
    pairs = (row[apart], column[apart])
    size = (len(places), len(places))
    graph = coo_matrix((np.ones(len(pairs[0]), dtype=np.int8), pairs), shape=size).tocsr()
    return parts_of(graph.indptr, graph.indices, count)[number]


def _reached(system: System, own: NDArray[np.bool_]) -> tuple[list[Ints], Ints]:
    """Return the elements of every body that reach a rank's own nodes, and all of their nodes."""
    cells, nodes = [], [np.flatnonzero(own)]
    for body in system.bodies:
        numbers = body.nodes[body.graph.cells]
        cells.append(np.flatnonzero(own[numbers].any(axis=1)))
        nodes.append(numbers[cells[-1]].ravel())
    return cells, np.unique(np.concatenate(nodes))


def _fragment(
    body: Body, cells: Ints, nodes: Ints, own: NDArray[np.bool_]
) -> tuple[Fragment, Ints]:
    """Return a body's share, and the numbers of its vectors in the whole body."""
    part = body.part
    used, connectivity = compact(part.connectivity[cells], len(part.points))
    carried = len(body.nodes) // len(part.points)
    vectors = np.concatenate([k * len(part.points) + used for k in range(carried)])
    numbers = np.searchsorted(nodes, body.nodes[vectors])
    some = replace(
        part,
        points=part.points[used],
        connectivity=connectivity,
        nodes=part.nodes[used],
        labels=part.labels[cells],
        node_labels=part.node_labels[used],
    )
    nothing = np.zeros(0, dtype=np.int64)
    empty = replace(
        part,
        points=part.points[:0],
        connectivity=part.connectivity[:0],
        nodes=nothing,
        labels=nothing,
        node_labels=nothing,
    )
    graph = graph_of_vectors(empty, carried, 1)
    values = some_of(body.values, cells)
    reach: Any = body.reach
    if reach is not None and np.ndim(reach[0]):  # of a section that varies, by element
        reach = tuple(one[cells] for one in reach)
    bare = replace(
        body, part=empty, nodes=nothing, graph=graph, kernels={}, values=values, reach=reach
    )
    kernels = tuple(body.kernels)
    return Fragment(bare, kernels, some, carried, numbers, own[numbers], used, cells), vectors


def _given(given: Prescribed | None, nodes: Ints) -> Prescribed | None:
    """Return the prescribed displacements of some nodes."""
    if given is None:
        return None
    d = given.shape[1]
    rows = given.matrix[(nodes[:, None] * d + np.arange(d)).ravel()]
    return Prescribed((len(nodes), d), rows, given.functions)


def _bare(probe: AnyProbe) -> AnyProbe:
    """Return a probe without its bodies."""
    if isinstance(probe, SupportProbe):
        return replace(probe, body=None, loads=None)  # type: ignore[arg-type]  # filled in there
    assert isinstance(probe, Probe)
    return replace(probe, where=(), loads=None)  # type: ignore[arg-type]  # filled in there


def _where(
    probe: AnyProbe,
    system: System,
    own: NDArray[np.bool_],
    used: Sequence[Ints],
    cells: Sequence[Ints],
) -> tuple[tuple[int, Ints, Ints], ...]:
    """Return where a probe reads on a rank: bodies, its nodes there, and their positions.

    Probes of section forces read at stations, which belong to the rank of the first node of their
    element.
    """
    if isinstance(probe, SupportProbe):
        none = np.zeros(0, dtype=np.int64)
        return ((system.bodies.index(probe.body), none, none),)
    assert isinstance(probe, Probe)
    found, first = [], 0
    for body, numbers in probe.where:
        index = system.bodies.index(body)
        if probe.at_stations:
            cell, station = np.divmod(numbers, body.stations.shape[1])
            ours = own[body.nodes[body.part.connectivity[cell, 0]]]
            place = np.searchsorted(cells[index], cell[ours])
            here = place * body.stations.shape[1] + station[ours]
        else:
            ours = own[body.nodes[numbers]]
            here = np.searchsorted(used[index], numbers[ours])
        found.append((index, here, first + np.flatnonzero(ours)))
        first += len(numbers)
    return tuple(found)
