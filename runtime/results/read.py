# SPDX-License-Identifier: BSD-3-Clause
"""Reading results of a finished, running or killed run."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import numpy as np
from flexforge.codegen.arguments import path as a_path
from flexforge.codegen.arguments import typed
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.motion.frame import FrameState
from flexforge.runtime.results.data import FACTOR, FREQUENCY, BodyGeometry, BodyState, Column, Frame
from flexforge.runtime.results.dataset import dataset
from flexforge.runtime.results.hdf5 import open_results
from flexforge.runtime.results.history import History
from flexforge.runtime.results.parts import MeshOrder, in_mesh_order
from flexforge.runtime.results.shapes import checked, require_finite, require_shape
from flexforge.runtime.results.stored import reading
from flexforge.runtime.results.summary import read_summary
from flexforge.runtime.results.table import read_table
from flexforge.runtime.results.vtu import read_vtu

if TYPE_CHECKING:
    from flexforge.runtime.machine.phases import Progress
    from flexforge.runtime.results.view import View
    from xarray import Dataset

#: Files that a list of frames may name: those written by a run, in the folder of results.
_OURS = r"(frames|modes)/[A-Za-z0-9_+-][A-Za-z0-9_.+-]*\.p?vtu"


class Results:
    """The results in a folder.

    Parameters
    ----------
    folder : Path or str
        Written by a `ResultWriter`.

    Attributes
    ----------
    folder : Path
        The folder of the files.
    summary : dict
        Content of ``summary.json``: status, figures, settings, timings.

    Raises
    ------
    InputError
        When the folder has no summary, or it is damaged; each method raises it for damaged files.

    Examples
    --------
    A cantilever under 100 N at its tip, of which E I = 3.33e5 N m^2; P L^3 / (3 E I) = 0.1 mm.
    The examples of the methods go on with it.

    >>> import flexforge as ff
    >>> tables = {
    ...     "mesh": {"block": {"cell": "quad8", "corners": [[0, 0], [1, 0], [1, 0.1], [0, 0.1]],
    ...                        "divisions": [8, 1]}},
    ...     "materials": {"steel": {"young": 2e11, "poisson": 0.3, "density": 7800}},
    ...     "bodies": [{"name": "beam", "element": "quad8", "material": "steel",
    ...                 "thickness": 0.02}],
    ...     "supports": [{"group": "xmin"}],
    ...     "loads": [{"kind": "force", "group": "xmax", "total": [0, -100, 0]}],
    ...     "probes": [{"name": "tip", "group": "xmax", "component": "y"}],
    ...     "analysis": {"kind": "static"}, "output": {"formats": ["hdf5", "csv"]},
    ... }
    >>> outcome = ff.load_model(tables).run("beam.results")
    >>> results = ff.Results("beam.results")
    >>> results.summary["status"]
    'finished'
    """

    @typed(folder=a_path)
    def __init__(self, folder: Path | str) -> None:
        self.folder = Path(folder)
        self._seen = False  # whether all of results.h5 has been checked
        self.summary: dict[str, Any] = read_summary(self.folder)
        self._has_hdf5 = self._hdf5.is_file()
        if self._has_hdf5:
            try:
                with self._stored():
                    pass
            except InputError:
                # A file that is or was being written is incomplete before its first frame.
                if self.summary.get("status") != "running" or self.summary.get("frames"):
                    raise
                self._has_hdf5 = False

    def __repr__(self) -> str:
        return f"results in {self.folder}, {self.summary['status']}"

    def probe_table(self) -> tuple[list[Column], Floats]:
        """Return the columns of the probes, the time first, and their rows.

        Returns
        -------
        columns : list of Column
            Names and units.
        rows : ndarray, (times, columns)
            A row per time.

        Examples
        --------
        >>> columns, rows = results.probe_table()
        >>> [(column.name, column.unit) for column in columns]
        [('time', 's'), ('tip', 'm')]
        >>> print(f"{rows[-1, 1]:.2e}")
        -9.96e-05
        """
        if (self.folder / "probes.csv").is_file():
            return read_table(self.folder / "probes.csv")
        columns, rows = [Column("time", "s")], np.empty((0, 1))
        if not self._has_hdf5:
            return columns, rows
        with self._stored() as file:
            if "probes" not in file:
                return columns, rows
            names = json.loads(file["probes"].attrs["columns"])
            columns += [Column(str(name), str(unit)) for name, unit in names]
            times = require_shape(file["probes/time"], (None,))[:]
            values = require_shape(file["probes/values"], (None, len(names)))[: len(times)]
            # A killed run may have written values without the corresponding times.
            return columns, np.column_stack([times[: len(values)], values])

    @property
    def probes(self) -> dict[str, History]:
        """All probes over time, by name.

        Raises
        ------
        InputError
            As of :meth:`probe_table`.

        Examples
        --------
        >>> tip = results.probes["tip"]
        >>> print(f"{tip.values[-1]:.2e} {tip.unit}")
        -9.96e-05 m
        """
        columns, rows = self.probe_table()
        return {
            column.name: History(column.name, column.unit, rows[:, 0], rows[:, number])
            for number, column in enumerate(columns)
            if number
        }

    @property
    def campbell(self) -> dict[str, Any] | None:
        """Modes over the speeds as in ``summary.json``; None of other analyses.

        Examples
        --------
        >>> results.campbell is None
        True
        """
        found: dict[str, Any] | None = self.summary.get("campbell")
        return found

    def bodies(self) -> list[BodyGeometry]:
        """Return the bodies; none if neither HDF5 nor VTU files were written.

        Returns
        -------
        list of BodyGeometry
            Undeformed points, m, and cells of each.

        Examples
        --------
        >>> [(body.name, body.cell, body.points.shape) for body in results.bodies()]
        [('beam', 'quad8', (43, 3))]
        """
        if self._has_hdf5:
            with self._stored() as file:
                return [_geometry(name, group) for name, group in file["bodies"].items()]
        return [self._piece(file, name)[0] for name, file in self._first_files()]

    def times(self) -> Floats:
        """Return the times of the frames.

        Returns
        -------
        ndarray, (frames,)
            Ascending, s.

        Examples
        --------
        >>> results.times()
        array([0.])
        """
        if self._has_hdf5:
            with self._stored() as file:
                return require_finite("time", require_shape(file["time"], (None,))[:])
        return np.array(sorted({time for time, _, _ in self._listed("frames.pvd")}))

    def largest_displacement(self) -> Floats:
        """Return the largest nodal displacement in each frame; empty if unknown.

        Returns
        -------
        ndarray, (frames,)
            In m.

        Examples
        --------
        >>> results.largest_displacement().round(6)
        array([0.0001])
        """
        if not self._has_hdf5:
            return np.empty(0)
        with self._stored() as file:
            count = len(file["time"])
            rows = [
                require_shape(group["largest_displacement"], (None,))[:count]
                for group in file["bodies"].values()
                if "largest_displacement" in group
            ]
            return np.max(rows, axis=0) if rows else np.empty(0)

    def frame(self, number: int) -> Frame:
        """Return one frame.

        Parameters
        ----------
        number : int
            From 0; negative numbers count from the last.

        Returns
        -------
        Frame
            Its time, s, and the state of every body: displacement, m, velocity, stress.

        Raises
        ------
        IndexError
            When there is no such frame.

        Examples
        --------
        >>> last = results.frame(-1)
        >>> last.states["beam"].displacement.shape
        (43, 2)
        """
        times = self.times()
        place = range(len(times))[number]
        states: dict[str, BodyState] = {}
        if self._has_hdf5:
            with self._stored() as file:
                for name, group in file["bodies"].items():
                    states[name] = _state(group, place)
        else:
            for time, name, path in self._listed("frames.pvd"):
                if time == times[place]:
                    states[name] = self._piece(path, name)[1]
        return Frame(float(times[place]), states)

    def modes(self) -> tuple[Floats, dict[str, Floats]]:
        """Return natural frequencies and their shapes; none for other analyses.

        Returns
        -------
        frequencies : ndarray, (count,)
            Ascending, Hz; of a buckling analysis the factors of the loads.
        shapes : dict of str to ndarray, (count, n, components)
            By body name.

        Examples
        --------
        >>> outcome = ff.load_model(tables).modes(2)
        >>> frequencies, shapes = ff.Results(outcome.folder).modes()
        >>> frequencies.round(1)
        array([ 81.8, 493.6])
        >>> shapes["beam"].shape
        (2, 43, 2)
        """
        if self._has_hdf5:
            with self._stored() as file:
                if "modes" not in file:
                    return np.empty(0), {}
                values = FACTOR if FACTOR in file["modes"] else FREQUENCY
                frequencies = require_shape(file["modes"][values], (None,))[:]
                shapes = {
                    name: _shapes(shape, file["bodies"][name], len(frequencies))
                    for name, shape in file["modes"].items()
                    if name != values
                }
                return require_finite(values, frequencies), shapes
        rows = self.summary.get("modes", [])
        found: dict[str, list[Floats]] = {}
        for _, name, path in self._listed("modes.pvd"):
            found.setdefault(name, []).append(self._piece(path, name)[1].displacement)
        with reading(self.folder / "modes.pvd"):
            stacked = {name: np.stack(one) for name, one in found.items()}
            numbers = [row.get(FACTOR, row["frequency_Hz"]) for row in rows]
            return np.array(numbers, dtype=float), stacked

    def to_xarray(self) -> Dataset:
        """Return bodies, frames, modes, probes and Campbell diagram as one dataset, with units.

        Returns
        -------
        xarray.Dataset
            ``BODY.points`` (node, axis), m; ``BODY.displacement``, ``velocity``, ``stress`` over
            (frame_time, node, axis or component); ``BODY.stations`` (station, axis), m, and what
            is recorded there, such as ``BODY.stations.stress``, or forces of sections as
            ``BODY.stations.My``; of a moving frame ``BODY.frame.origin``, ``rotation`` (body
            to global components), ``velocity``, ``angular_velocity`` and their rates
            ``acceleration`` and ``angular_acceleration`` (components of the body);
            ``BODY.shape`` (mode, node, axis) with ``frequency``; a probe by its name over
            ``time``. Of a Campbell
            diagram ``branch_frequency``, Hz, and ``branch_growth``, 1/s, over (branch, speed),
            and ``critical_speed``, rad/s, with ``critical_frequency``, ``critical_order`` and
            ``critical_branch``. All of it is read into memory.

        Raises
        ------
        ImportError
            Without xarray: ``pip install xarray``.
        InputError
            As of :meth:`frame`.

        Examples
        --------
        >>> found = results.to_xarray()                              # doctest: +SKIP
        >>> found["beam.displacement"].dims, found["tip"].units      # doctest: +SKIP
        (('frame_time', 'beam.node', 'plane_axis'), 'm')
        """
        frames = [self.frame(number) for number in range(len(self.times()))]
        return dataset(self.bodies(), frames, self.modes(), self.probes, self.campbell)

    def view(self, frames: int = 60, height: int = 600) -> View:
        """Return frames or modes in three dimensions, as the report shows them.

        Parameters
        ----------
        frames : int
            Largest number of frames, evenly spaced over those there are.
        height : int
            Height in a notebook, pixels.

        Returns
        -------
        View
            Shown by a notebook, 2 to 3 MB; ``view.save("beam.html")`` writes a page. Surfaces of
            large meshes are drawn coarser; the largest values are exact.

        Raises
        ------
        InputError
            When there is nothing to see: neither HDF5 nor VTU files were written.

        Examples
        --------
        >>> results.view()
        view of model; a notebook shows it
        """
        from flexforge.runtime.results.view import view_of

        return view_of(self, frames, height)

    def animate(
        self,
        path: Path | str | None = None,
        *,
        mode: int | None = None,
        quantity: str = "displacement",
        scale: float | None = None,
        frames: int = 60,
        seconds: float = 4.0,
        width: int = 640,
        overwrite: bool = False,
        progress: Progress | None = None,
    ) -> Path:
        """Write the motion or a mode as a GIF or MP4, with the extra ``view``.

        Parameters
        ----------
        path : Path or str, optional
            File to write, ``.gif`` or ``.mp4``; by default ``motion.gif`` in the folder.
        mode : int, optional
            Number of a natural mode, from 1; by default the motion, or the first mode if there is
            none.
        quantity : str
            Quantity shown by colours: ``displacement`` or ``von_mises``.
        scale : float, optional
            Factor of the displacements; by default one that makes them visible.
        frames : int
            Largest number of pictures.
        seconds : float
            Duration, s.
        width : int
            Width of a picture, pixels.
        overwrite : bool
            Replace also a file that flexforge did not write.
        progress : callable, optional
            Called as ``progress(what, done, total)``.

        Returns
        -------
        Path
            The file.

        Raises
        ------
        InputError
            When there is no motion or mode to show, a file of others is in the way, or PyVista is
            not installed.
        AnalysisError
            When the file cannot be written.

        Examples
        --------
        >>> ff.Results("modes.results").animate("mode2.gif", mode=2)    # doctest: +SKIP
        PosixPath('mode2.gif')
        """
        from flexforge.runtime.results.animation import write_animation

        return write_animation(
            self,
            None if path is None else Path(path),
            scale=scale,
            quantity=quantity,
            mode=mode,
            most=frames,
            seconds=seconds,
            width=width,
            overwrite=overwrite,
            progress=None if progress is None else partial(progress, "draw pictures"),
        )

    @property
    def _hdf5(self) -> Path:
        return self.folder / "results.h5"

    @contextmanager
    def _stored(self) -> Iterator[Any]:
        """Open results.h5; it is checked completely the first time."""
        with open_results(self._hdf5, seen=self._seen) as file, reading(self._hdf5):
            self._seen = True
            yield file

    def _listed(self, name: str) -> list[tuple[float, str, str]]:
        """Return time, body and file of every entry in a list of VTU files."""
        path = self.folder / name
        if not path.is_file():
            return []
        with reading(path):
            text = path.read_bytes()
            if b"<!" in text:  # no entities, whose expansion may be endless
                raise ValueError("no list of results")
            found = []
            for entry in ElementTree.fromstring(text).iter("DataSet"):
                time, body, file = (entry.attrib[key] for key in ("timestep", "name", "file"))
                if not re.fullmatch(_OURS, file):
                    raise ValueError(f"{file} does not belong to these results")
                found.append((float(require_finite("timestep", np.array(float(time)))), body, file))
            return found

    def _piece(self, file: str, name: str) -> tuple[BodyGeometry, BodyState]:
        """Return the content of a VTU file."""
        path = self.folder / file
        if path.suffix == ".pvtu":
            raise InputError(
                f"{path}: written by several processes, for ParaView; expected format hdf5 too, "
                "which is read"
            )
        with reading(path):  # even the name may be damaged
            if not path.is_file():
                raise InputError(f"{path}: is missing; expected it beside the list of frames")
        found = read_vtu(path)
        with reading(path):
            body = checked(BodyGeometry(name, found.cell, found.points, found.connectivity))
            key = "displacement" if "displacement" in found.fields else "shape"
            size = len(body.points)
            moved = require_finite(key, require_shape(found.fields[key], (size, 3)))
            stress = found.fields.get("stress")
            if stress is not None:
                require_finite("stress", require_shape(stress, (size, 6)))
            others = {
                key: values
                for key, values in found.fields.items()
                if key not in _OF_STATES
                and (key != "von_mises" or "principal1" not in found.fields)
            }
            for key, values in others.items():
                require_finite(key, require_shape(values, (size, *values.shape[1:])))
            return body, BodyState(moved, None, stress, others=others or None)

    def _first_files(self) -> list[tuple[str, str]]:
        first: dict[str, str] = {}
        for _, name, file in self._listed("frames.pvd") + self._listed("modes.pvd"):
            first.setdefault(name, file)
        return list(first.items())


#: What files hold of every state and body: all else at the nodes is among further values.
_OF_STATES = frozenset((
    "points", "connectivity", "displacement", "velocity", "stress", "principal", "frame",
    "largest_displacement", "stations", "node", "element", "principal1", "principal2",
    "principal3", "displacement_in_space", "shape", "shape_in_space",
))  # fmt: skip


def _geometry(name: str, group: Any) -> BodyGeometry:
    """Return a body from results.h5."""
    points, connectivity = group["points"][:], group["connectivity"][:]
    stations = group["stations/position"][:] if "stations" in group else None
    if "node" in group:
        order = MeshOrder(group)
        points, connectivity = order.nodes(points), order.cells(connectivity)
        stations = None if stations is None else order.elements(stations)
    if connectivity.dtype.kind not in "iu":
        raise ValueError("connectivity: found no whole numbers")
    return checked(
        BodyGeometry(
            name, str(group.attrs["cell"]), points, connectivity.astype(np.int64), stations
        )
    )


def _state(group: Any, place: int) -> BodyState:
    """Return a frame of a body from results.h5."""
    size, frame = len(group["points"]), None
    if "frame" in group:
        shapes: dict[str, tuple[int | None, ...]] = {"R": (None, 3, 3)}
        frame = FrameState(
            *(
                require_finite(k, require_shape(group["frame"][k], shapes.get(k, (None, 3)))[place])
                for k in FrameState.__slots__
            )
        )
    found = BodyState(
        require_finite("displacement", _nodal(group["displacement"], size)[place]),
        _nodal(group["velocity"], size)[place] if "velocity" in group else None,
        require_finite("stress", require_shape(group["stress"], (None, size, 6))[place])
        if "stress" in group
        else None,
        frame,
        _at_stations(group, place),
        _others(group, place, size),
    )
    return in_mesh_order(found, MeshOrder(group)) if "node" in group else found


def _shapes(array: Any, group: Any, count: int) -> Floats:
    """Return the shapes of a body."""
    found: Floats = _nodal(array, len(group["points"]), count)[:]
    return MeshOrder(group).nodes(found) if "node" in group else found


def _nodal(array: Any, size: int, count: int | None = None) -> Any:
    """Return an array of plane or spatial nodal vectors over frames, if it is one."""
    width = 2 if array.shape[-1:] == (2,) else 3
    return require_shape(array, (count, size, width))


def _others(group: Any, place: int, size: int) -> dict[str, Floats] | None:
    """Return further values at the nodes; von Mises stresses that do not follow from others."""
    found = {}
    for key, array in group.items():
        own = key in _OF_STATES or (key == "von_mises" and "principal" in group)
        if not own and array.ndim > 1:
            shape = (None, size, *array.shape[2:])
            found[key] = require_finite(key, require_shape(array, shape)[place])
    return found or None


def _at_stations(group: Any, place: int) -> dict[str, Floats] | None:
    if "stations" not in group:
        return None
    return {k: v[place] for k, v in group["stations"].items() if k != "position"}
