# SPDX-License-Identifier: BSD-3-Clause
"""Results whose parts several processes write, and the files over them that join the parts.

``results.h5`` has virtual arrays over ``results.RANK.h5``: the nodes and elements of all parts, one
part after the other, nodes on the border of two parts twice. ``node`` and ``element`` are their
numbers in the body; readers give arrays in that order. For ParaView, PVTU files list the VTU files
of the parts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import quoteattr

import numpy as np
from flexforge.codegen.files.atomic import replacing
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.results.data import FREQUENCY, UNITS, BodyGeometry, BodyState, Column
from flexforge.runtime.results.hdf5 import Hdf5Writer
from flexforge.runtime.results.series import VtuSeries, name_of_list
from flexforge.runtime.results.vtu import arrays_of, write_vtu
from flexforge.runtime.unit_systems import UnitSystem

if TYPE_CHECKING:
    import h5py

Shapes = Mapping[str, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class BodyPart:
    """The part of a body that one process writes.

    Attributes
    ----------
    body : BodyGeometry
        Its cells, and the nodes that they have.
    nodes, elements : ndarray of int
        Their numbers in the body.
    """

    body: BodyGeometry
    nodes: Ints
    elements: Ints

    def of(self, state: BodyState, elements: int) -> BodyState:
        """Return what the part has of a state of a body, which has so many elements."""

        def nodal(values: Floats | None) -> Floats | None:
            return None if values is None else values[self.nodes]

        def at_elements(values: Floats) -> Floats:
            each = values.reshape(elements, -1, *values.shape[1:])[self.elements]
            return each.reshape(-1, *values.shape[1:])

        stations, others = state.at_stations, state.others
        return BodyState(
            state.displacement[self.nodes],
            nodal(state.velocity),
            nodal(state.stress),
            state.frame,
            None if stations is None else {key: at_elements(x) for key, x in stations.items()},
            None if others is None else {key: x[self.nodes] for key, x in others.items()},
        )


def stored_name(number: int) -> str:
    """Return the name of the HDF5 file of a part, by its number."""
    return f"results.{number}.h5"


class JoinedHdf5(Hdf5Writer):
    """Writes ``results.h5`` over the files of all ranks: time and probes itself, the rest virtual.

    Parameters
    ----------
    path : Path
        The file.
    parts : sequence of sequence of BodyPart
        Of all ranks, those that have nodes.
    columns, about, origin, units
        As of a `Hdf5Writer`.
    first : int
        Number of the file of the first rank; those of others follow it.
    """

    def __init__(
        self,
        path: Path,
        parts: Sequence[Sequence[BodyPart]],
        columns: Sequence[Column],
        about: Mapping[str, Any],
        origin: Callable[[], Mapping[str, Any]],
        units: UnitSystem,
        first: int = 0,
    ) -> None:
        self._first = first
        names = list(dict.fromkeys(one.body.name for rank in parts for one in rank))
        bodies = [_joined(parts, name) for name in names]
        super().__init__(path, bodies, columns, about, origin, None, units)
        self._modes: Sequence[Shapes] = ()
        for name in names:
            mine = [one for rank in parts for one in rank if one.body.name == name]
            for key in ("nodes", "elements"):
                numbers = np.concatenate([getattr(one, key) for one in mine]).astype(np.int64)
                self._file[f"bodies/{name}"].create_dataset(key.removesuffix("s"), data=numbers)

    def join(self, shapes: Sequence[Shapes]) -> None:
        """Create the virtual arrays, before the first frame.

        Parameters
        ----------
        shapes : sequence of mapping
            Of every rank the shapes of one frame of its arrays, by path.
        """
        import h5py

        for key in dict.fromkeys(name for each in shapes for name in each):
            *_, kind, name = key.split("/")
            if name == "largest_displacement":
                continue
            ranks = [rank for rank, each in enumerate(shapes) if key in each]
            if kind == "frame":  # which all ranks have alike
                ranks = ranks[:1]
            sizes = [shapes[rank][key] for rank in ranks]
            whole = sizes[0] if kind == "frame" else (sum(one[0] for one in sizes), *sizes[0][1:])
            endless = h5py.h5s.UNLIMITED
            layout = h5py.VirtualLayout((1, *whole), "f8", maxshape=(None, *whole))
            first = 0
            for rank, size in zip(ranks, sizes, strict=True):
                source = h5py.VirtualSource(
                    stored_name(self._first + rank), key, (1, *size), maxshape=(None, *size)
                )
                place = slice(None) if kind == "frame" else slice(first, first + size[0])
                layout[0:endless, place] = source[0:endless]
                first += size[0]
            array = self._file.create_virtual_dataset(key, layout)
            array.attrs["units"] = self._units.label(UNITS.get(name, ""))

    def expect_modes(self, shapes: Sequence[Shapes]) -> None:
        """Have the modes of all ranks joined when they are written.

        Parameters
        ----------
        shapes : sequence of mapping
            Of every rank the shapes (count, n, d) of its arrays, by body.
        """
        self._modes = shapes

    def modes(self, values: Floats, shapes: Mapping[str, Floats], called: str = FREQUENCY) -> None:
        """Write natural frequencies, Hz, and virtual arrays of the shapes, which are elsewhere."""
        import h5py

        super().modes(values, shapes, called)
        for name in dict.fromkeys(name for each in self._modes for name in each):
            ranks = [rank for rank, each in enumerate(self._modes) if name in each]
            sizes = [self._modes[rank][name] for rank in ranks]
            count, _, d = sizes[0]
            layout = h5py.VirtualLayout((count, sum(one[1] for one in sizes), d), "f8")
            first = 0
            for rank, size in zip(ranks, sizes, strict=True):
                own = stored_name(self._first + rank)
                source = h5py.VirtualSource(own, f"modes/{name}", size)
                layout[:, first : first + size[1]] = source
                first += size[1]
            array = self._file["modes"].create_virtual_dataset(name, layout)
            array.attrs["units"] = self._scaled


def _joined(parts: Sequence[Sequence[BodyPart]], name: str) -> BodyGeometry:
    """Return the parts of a body one after the other."""
    mine = [one.body for rank in parts for one in rank if one.body.name == name]
    firsts = np.cumsum([0, *(len(one.points) for one in mine)])
    cells = [one.connectivity + first for one, first in zip(mine, firsts, strict=False)]
    stations = [one.stations for one in mine if one.stations is not None]
    return BodyGeometry(
        name,
        mine[0].cell,
        np.concatenate([one.points for one in mine]),
        np.concatenate(cells),
        np.concatenate(stations) if stations else None,
    )


class PartSeries(VtuSeries):
    """Writes the VTU files of a part; the first process also the lists of all parts.

    Parameters
    ----------
    folder : Path
        Folder of the results.
    bodies : sequence of BodyGeometry
        The part of this rank, also of bodies that it has nothing of.
    rank : int
        Its number.
    having : mapping of str to sequence of int
        By body the ranks that have something of it.
    announce : callable
        Called by the first rank with the name of every file before it is written.
    origin : str
        Provenance of the results, written to every file.
    after : sequence of float
        Times of the frames after which it goes on, s.
    """

    def __init__(
        self,
        folder: Path,
        bodies: Sequence[BodyGeometry],
        rank: int,
        having: Mapping[str, Sequence[int]],
        announce: Callable[[str], None],
        origin: str,
        after: Sequence[float] = (),
    ) -> None:
        super().__init__(folder, bodies, announce, origin, after)
        self._rank, self._having = rank, having

    def announce_parts(self, name: str, body: str) -> list[str]:
        """Return the names of the files of all parts, announced."""
        names = [_part_name(name, rank) for rank in self._having[body]]
        for one in names:
            self._announce(one)
        return names

    def _put(
        self,
        name: str,
        body: BodyGeometry,
        mesh: tuple[Floats, str, Ints],
        fields: Mapping[str, Floats],
        time: float,
    ) -> str:
        """Write the file of this part, and on the first rank the list of the parts."""
        listed = name_of_list(name)
        if self._rank == 0:
            self._announce(listed)
            parts = self.announce_parts(name, body.name)
            write_pvtu(self._folder / listed, parts, fields)
        if self._rank in self._having[body.name]:
            path = self._folder / _part_name(name, self._rank)
            write_vtu(path, *mesh, fields, time, self._origin)
        return listed

    def _write_list(self, name: str, files: Sequence[tuple[float, str, str]]) -> None:
        if self._rank == 0:
            super()._write_list(name, files)


def _part_name(name: str, rank: int) -> str:
    return f"{name.removesuffix('.vtu')}_part{rank:04d}.vtu"


def write_pvtu(path: Path, parts: Sequence[str], fields: Mapping[str, Floats]) -> None:
    """Write the list of the files of the parts of a body.

    Parameters
    ----------
    path : Path
        The file.
    parts : sequence of str
        Their files, relative to the folder of results.
    fields : mapping of str to ndarray
        Values at the points that they have.
    """
    arrays = "".join(arrays_of(fields))
    pieces = "".join(f"<Piece Source={quoteattr(Path(part).name)}/>\n" for part in parts)
    text = (
        '<?xml version="1.0"?>\n<VTKFile type="PUnstructuredGrid" version="1.0" '
        'byte_order="LittleEndian" header_type="UInt64">\n<PUnstructuredGrid GhostLevel="0">\n'
        '<PPoints>\n<PDataArray type="Float64" Name="Points" NumberOfComponents="3"/>\n</PPoints>\n'
        f"<PPointData>\n{arrays}</PPointData>\n{pieces}</PUnstructuredGrid>\n</VTKFile>\n"
    )
    with replacing(path) as file:
        file.write(text.encode())


class MeshOrder:
    """Brings arrays of parts into the order of the nodes and elements of a body.

    Parameters
    ----------
    group : h5py.Group
        Of the body.

    Raises
    ------
    ValueError
        When numbers are not those of all nodes and elements.
    """

    def __init__(self, group: h5py.Group) -> None:
        self._nodes, self._elements = (_numbers(group[name][:]) for name in ("node", "element"))
        self.count = int(self._nodes.max(initial=-1)) + 1

    def nodes(self, values: Any) -> Any:
        """Return values of the nodes, for values (..., n, k) of those of all parts."""
        found = np.empty((*values.shape[:-2], self.count, values.shape[-1]), values.dtype)
        found[..., self._nodes, :] = values
        return found

    def elements(self, values: Any) -> Any:
        """Return values of the elements, or of equally many per element, (m, ...)."""
        each = values.reshape(len(self._elements), -1, *values.shape[1:])
        found = np.empty_like(each)
        found[self._elements] = each
        return found.reshape(values.shape)

    def cells(self, connectivity: Ints) -> Ints:
        """Return the nodes of every cell, by their numbers in the body."""
        found: Ints = self.elements(self._nodes[connectivity])
        return found


def in_mesh_order(state: BodyState, order: MeshOrder) -> BodyState:
    """Return a state of all parts of a body in the order of its nodes and elements."""
    stations = state.at_stations
    return BodyState(
        order.nodes(state.displacement),
        None if state.velocity is None else order.nodes(state.velocity),
        None if state.stress is None else order.nodes(state.stress),
        state.frame,
        None if stations is None else {key: order.elements(x) for key, x in stations.items()},
        None if state.others is None else {k: order.nodes(x) for k, x in state.others.items()},
    )


def _numbers(values: Any) -> Ints:
    """Return numbers that cover a range from 0."""
    if values.dtype.kind not in "iu" or values.ndim != 1 or not len(values):
        raise ValueError("node, element: found no whole numbers")
    known = np.unique(values)
    if known[0] != 0 or known[-1] != len(known) - 1:
        raise ValueError("node, element: found numbers with gaps")
    return np.asarray(values, dtype=np.int64)
