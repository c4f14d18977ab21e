# SPDX-License-Identifier: BSD-3-Clause
"""results.h5: everything in double precision, readable at any moment during and after the run.

The file grows in HDF5's single-writer mode (SWMR), which orders its writes so that a reader, or a
process after a killed run, finds a consistent file. `time` is written last: frames that it does not
count do not exist.

Layout: ``/time``; ``/bodies/NAME/{points, connectivity, displacement, velocity, stress,
von_mises, principal, largest_displacement}``, ``/bodies/NAME/frame/{w, e, v_O, a_O, R, r_O}`` and
``/bodies/NAME/stations/{position, stress, von_mises, principal}``, of rods forces of sections;
of envelopes and combined peaks further arrays beside them;
``/probes/{time, values}``; ``/modes/frequency`` and ``/modes/NAME``. Arrays over time have the
frame first. Every array has an attribute ``units``.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.codegen.files.atomic import scratch_of
from flexforge.runtime.arrays import Floats
from flexforge.runtime.results.checkpoint import Position
from flexforge.runtime.results.data import (
    FACTOR,
    FREQUENCY,
    BodyGeometry,
    BodyState,
    Column,
    derived,
    spatial,
    unit_of,
)
from flexforge.runtime.results.files import one_line, require_space, set_aside
from flexforge.runtime.results.formats import RESULTS
from flexforge.runtime.results.stored import (
    PART,
    open_hdf5,
    open_seen,
    part_files,
    reading,
    superblock,
)
from flexforge.runtime.unit_systems import SI, UnitSystem

if TYPE_CHECKING:
    import h5py

#: Bytes of the attribute ``provenance``, JSON padded with spaces: known in full only at the end, it
#: is then replaced in place, which needs no disk space.
_ORIGIN = 4096
_SLACK = 1 << 18  # bytes for internal data of the file
_FRAME = {"w": (3,), "e": (3,), "v_O": (3,), "a_O": (3,), "R": (3, 3), "r_O": (3,)}


class Hdf5Writer:
    """Writes the file frame by frame.

    Parameters
    ----------
    path : Path
        The file; it must not exist, or be one to go on with.
    bodies : sequence of BodyGeometry
        The bodies.
    columns : sequence of Column
        The probes.
    about : mapping
        Attributes of the file: versions, title, settings; nested values as JSON.
    origin : callable, optional
        Returns the provenance, as far as it is known when it is called.
    after : Position, optional
        Where the file goes on; what was written later is removed.
    units : UnitSystem
        The units of all numbers.

    Raises
    ------
    InputError
        When a file to go on with is another one, or shorter.
    """

    def __init__(
        self,
        path: Path,
        bodies: Sequence[BodyGeometry],
        columns: Sequence[Column],
        about: Mapping[str, Any],
        origin: Callable[[], Mapping[str, Any]] = dict,
        after: Position | None = None,
        units: UnitSystem = SI,
    ) -> None:
        import h5py

        self._path, self._units, self._origin = path, units, origin
        self._space = h5py.h5s.create_simple
        #: Every array over time: the array, and the shape of one frame.
        self._arrays: dict[str, tuple[Any, tuple[int, ...]]] = {}
        self._sizes = {body.name: len(body.points) for body in bodies}
        self._frames = self._rows = 0
        self._waiting: list[tuple[Floats, Floats]] = []
        self._growing = False
        if after is not None and not len(after.times) and not after.rows:
            path.unlink(missing_ok=True)  # which nothing has been put in that is gone on with
            after = None
        if after is None:
            self._create(path, bodies, columns, about)
        else:
            self._reopen(path, after)

    def _create(
        self,
        path: Path,
        bodies: Sequence[BodyGeometry],
        columns: Sequence[Column],
        about: Mapping[str, Any],
    ) -> None:
        """Write what does not depend on time."""
        import h5py

        size = sum(body.points.nbytes + 4 * body.connectivity.size for body in bodies)
        with open(path, "xb") as empty:
            set_aside(empty.fileno(), 0, size + _SLACK)
        # The format of HDF5 1.10 is the oldest that supports the single-writer mode.
        self._file = h5py.File(path, "w", libver=("v110", "v110"))
        self._room = open(path, "r+b")  # noqa: SIM115 - open as long as the file itself
        self._reserve(size)
        self._file.attrs["format"] = "flexforge results"
        self._file.attrs["format_version"] = RESULTS.version
        self._file.attrs.create("provenance", _padded(self._origin()))
        for key, value in about.items():
            plain = isinstance(value, str | int | float)
            self._file.attrs[key] = value if plain else json.dumps(value, default=str)
        self._series("time", (), "s")
        metre = self._units.label("m")
        for body in bodies:
            group = self._file.create_group(f"bodies/{body.name}")
            group.attrs["cell"] = body.cell
            group.create_dataset("points", data=body.points).attrs["units"] = metre
            cells = np.asarray(body.connectivity, dtype=np.int32)
            group.create_dataset("connectivity", data=cells).attrs["units"] = "1"
            if body.stations is not None:
                placed = group.create_dataset("stations/position", data=body.stations)
                placed.attrs["units"] = metre
        if columns:
            self._series("probes/time", (), "s")
            self._series("probes/values", (len(columns),), "see columns")
            named = [[column.name, column.unit] for column in columns]
            self._file["probes"].attrs["columns"] = json.dumps(named)

    def _reopen(self, path: Path, after: Position) -> None:
        """Go on with a file, without what was written after a position."""
        import h5py

        repair(path)  # of a process that was killed
        self._file = h5py.File(path, "r+", libver=("v110", "v110"))
        self._room = open(path, "r+b")  # noqa: SIM115 - open as long as the file itself
        try:
            frames, known = len(after.times), self._file["time"]
            if not np.array_equal(known[:frames], after.times):
                raise InputError(
                    f"{path}: found {len(known)} frames; expected the {frames} of the checkpoint"
                )
            self._file.visititems(partial(self._cut, frames=frames, rows=after.rows))
            self._frames, self._rows = frames, after.rows
            self._file.pop("modes", None)  # written again at the end
            if frames:
                self._file.swmr_mode = self._growing = True
        except BaseException:
            self._file.close()
            self._room.close()
            raise

    def _cut(self, key: str, one: Any, *, frames: int, rows: int) -> None:
        """Shorten an array over time."""
        if getattr(one, "maxshape", None) and one.maxshape[0] is None:
            count = rows if key.startswith("probes/") else frames
            if len(one) < count:
                raise InputError(
                    f"{self._file.filename}: found {len(one)} times in {key}; expected the {count} "
                    "of the checkpoint"
                )
            one.resize(count, axis=0)
            self._arrays[key] = one.id, one.shape[1:]

    def frames(self, times: Floats, states: Mapping[str, BodyState]) -> None:
        """Append frames.

        Parameters
        ----------
        times : ndarray, (T,)
            Times, s.
        states : mapping of str to BodyState
            By body name, the time first; every frame has the same fields.
        """
        fields = {
            f"bodies/{name}/{key}": values
            for name, state in states.items()
            for key, values in fields_of(state).items()
        }
        self._reserve(sum(values.nbytes for values in fields.values()) + _SLACK * len(states))
        if not self._growing:
            self._begin(fields)
        for key, values in fields.items():
            self._put(key, self._frames, values)
        self._flush_rows()
        self._put("time", self._frames, times)
        self._frames += len(times)
        self._file.flush()

    @property
    def has_probes(self) -> bool:
        """Whether the file has rows of probes."""
        return "probes/time" in self._arrays

    def probe_rows(self, times: Floats, values: Floats) -> None:
        """Append rows of probes; they reach the disk with the next frame, or at the end."""
        self._waiting.append((times, values))

    def modes(self, values: Floats, shapes: Mapping[str, Floats], called: str = FREQUENCY) -> None:
        """Write frequencies (count,), Hz, or factors, and shapes (count, n, 2 or 3) by body."""
        self._reserve(sum(np.asarray(shape).nbytes for shape in shapes.values()))
        group = self._file.create_group("modes")
        unit = {FREQUENCY: "Hz", FACTOR: "1"}[called]
        group.create_dataset(called, data=values).attrs["units"] = self._units.label(unit)
        for name, shape in shapes.items():
            group.create_dataset(name, data=shape).attrs["units"] = self._scaled

    @property
    def _scaled(self) -> str:
        """What is said of the units of shapes."""
        metre = self._units.label("m")
        return f"{metre}, scaled at will" if metre else "scaled at will"

    def flush(self) -> None:
        """Write rows of probes that wait for a frame."""
        self._flush_rows()
        self._file.flush()

    def move(self, path: Path) -> None:
        """Give the file another name, in the place of a file that has it."""
        os.replace(self._path, path)
        self._path = path

    def close(self) -> None:
        """Write pending data and the full provenance, and close the file."""
        try:
            self._flush_rows()
            self._file.attrs.modify("provenance", _padded(self._origin()))
        finally:
            self._file.close()
            self._room.close()
            _cut_to_size(self._path)

    def _reserve(self, size: int) -> None:
        """Reserve disk space: HDF5 does not survive a full disk."""
        set_aside(self._room.fileno(), self._file.id.get_filesize(), size + _SLACK)

    def _begin(self, fields: Mapping[str, Floats]) -> None:
        """Create the arrays that the first frame needs; none can be added later."""
        for key, values in fields.items():
            name = key.rpartition("/")[2]
            self._series(key, values.shape[1:], unit_of(name))
        self._file.swmr_mode = True
        self._growing = True

    def _series(self, key: str, shape: tuple[int, ...], unit: str) -> None:
        big = int(np.prod(shape)) > 64
        array = self._file.create_dataset(
            key,
            shape=(0, *shape),
            maxshape=(None, *shape),
            dtype="f8",
            chunks=(1 if big else 256, *shape),
        )
        array.attrs["units"] = self._units.label(unit)
        self._arrays[key] = array.id, shape

    def _put(self, key: str, place: int, values: Floats) -> None:
        """Write frames by low-level HDF5 calls, which take a tenth of the time of indexing."""
        array, shape = self._arrays[key]
        count = len(values)
        array.set_extent((place + count, *shape))
        there = array.get_space()
        there.select_hyperslab((place, *(0 for _ in shape)), (count, *shape))
        array.write(self._space((count, *shape)), there, np.ascontiguousarray(values, dtype=float))

    def _flush_rows(self) -> None:
        if not self._waiting:
            return
        times, rows = (np.concatenate(each) for each in zip(*self._waiting, strict=True))
        place = self._rows
        self._reserve(2 * rows.nbytes)
        self._put("probes/values", place, rows)
        self._put("probes/time", place, times)
        self._rows, self._waiting = place + len(times), []


def open_results(path: Path, *, seen: bool = False) -> h5py.File:
    """Open a file of results for reading, also during the run and after a killed one.

    Parameters
    ----------
    path : Path
        ``results.h5``.
    seen : bool
        Whether it was opened before, and need not be checked again.

    Returns
    -------
    h5py.File

    Raises
    ------
    InputError
        When it is damaged, or not written by flexforge.
    """
    file = open_seen(path) if seen else open_hdf5(path)
    with reading(path):
        if file.attrs.get("format") != "flexforge results":
            file.close()
            raise InputError(f"{path}: not written by flexforge; expected results of a run")
        try:
            RESULTS.require_known(path, _version(file))
        except InputError:
            file.close()
            raise
    return file


def provenance_of(path: Path) -> dict[str, Any]:
    """Return the origin of a file of results: program, model, method and kernels.

    Parameters
    ----------
    path : Path
        ``results.h5``, also without the other files of its run.

    Raises
    ------
    InputError
        As of :func:`open_results`.
    """
    with open_results(path) as file, reading(path):
        told = {"versions": json.loads(file.attrs.get("versions", "{}"))}
        if "provenance" in file.attrs:
            told["provenance"] = json.loads(file.attrs["provenance"])
        return dict(RESULTS.current(path, _version(file), told)["provenance"])


def _version(file: h5py.File) -> object:
    found = file.attrs.get("format_version")
    return int(found) if isinstance(found, np.integer) else found


def _padded(origin: Mapping[str, Any]) -> np.bytes_:
    """Return a provenance as text of a fixed length; what does not fit is left out, and said."""
    text = json.dumps(dict(origin))
    if len(text) > _ORIGIN:
        text = json.dumps({"flexforge": origin["flexforge"], "model": origin["model"],
                           "more": "in summary.json"})  # fmt: skip
    return np.bytes_(text.ljust(_ORIGIN))


def repair(path: Path) -> bool:
    """Close a file that a killed run left behind.

    Such a file is intact but marked as being written, so that other programs refuse it.

    Parameters
    ----------
    path : Path
        ``results.h5``; no run may be writing to it.

    Returns
    -------
    bool
        Whether a repair was necessary.

    Raises
    ------
    InputError
        When it is damaged, or not written by flexforge; it is then left unchanged.
    AnalysisError
        When the disk is full or fails; the file is then left unchanged.
    """
    import h5py

    if not PART.fullmatch(path.name):
        for part in part_files(path.parent).values():
            repair(part)
    with one_line(path, "the file as it is"), open_results(path) as old:
        if not old.swmr_mode:
            return False
        temporary = scratch_of(path)
        try:
            require_space(path.parent, path.stat().st_size)  # HDF5 does not survive a full disk
            with h5py.File(temporary, "w", libver=("v110", "v110")) as new:
                new.attrs.update(old.attrs)
                for key in old:
                    old.copy(key, new)
            os.replace(temporary, path)
        except (KeyError, RuntimeError, ValueError) as error:
            reason = " ".join(str(error).split())
            raise InputError(f"{path}: is damaged ({reason}); it stays as it is") from None
        finally:
            temporary.unlink(missing_ok=True)
    return True


def _cut_to_size(path: Path) -> None:
    """Release reserved space."""
    end = superblock(path)[1]
    if end is not None and 48 <= end < path.stat().st_size:
        os.truncate(path, end)


def fields_of(state: BodyState) -> dict[str, Floats]:
    """Return the arrays of a state, the time first, by their path in the group of the body."""
    found = {"displacement": np.asarray(state.displacement, dtype=float)}
    if state.velocity is not None:
        found["velocity"] = np.asarray(state.velocity, dtype=float)
    found |= {key: np.asarray(values, dtype=float) for key, values in (state.others or {}).items()}
    if state.stress is not None:
        found["stress"] = np.asarray(state.stress, dtype=float)
        found |= derived(found)
    stations = dict(state.at_stations or {})
    for key, values in (stations | derived(stations)).items():
        found[f"stations/{key}"] = np.asarray(values, dtype=float)
    if state.frame is not None:
        for key, shape in _FRAME.items():
            found[f"frame/{key}"] = np.asarray(getattr(state.frame, key)).reshape(-1, *shape)
    size = np.linalg.norm(spatial(state.displacement), axis=2)
    found["largest_displacement"] = np.asarray(size.max(axis=1, initial=0.0))
    return found
