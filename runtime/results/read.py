# SPDX-License-Identifier: BSD-3-Clause
"""Reading results back, of a run that is over, still lasts, or was killed."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.mesh.cells import FROM_MESHIO
from flexforge.runtime.results.data import BodyGeometry, BodyState, Column, Floats
from flexforge.runtime.results.hdf5 import open_results
from flexforge.runtime.results.summary import NAME, read_summary
from flexforge.runtime.results.table import read_table


@dataclass(frozen=True, slots=True)
class Frame:
    """All bodies at one time.

    Parameters
    ----------
    time : float
        Time, s.
    states : dict of str to BodyState
        By name of the body.
    """

    time: float
    states: dict[str, BodyState]


@dataclass(frozen=True, slots=True)
class FrameArrays:
    """Motion of a frame at one time, as it was written."""

    w: Floats
    e: Floats
    v_O: Floats  # noqa: N815 - the names of the mechanics
    a_O: Floats  # noqa: N815
    R: Floats
    r_O: Floats  # noqa: N815


class Results:
    """The results in a folder.

    Parameters
    ----------
    folder : Path
        As a `ResultWriter` left it.

    Raises
    ------
    InputError
        If there is no summary in it, or what is there cannot be read.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = Path(folder)
        if not (self.folder / NAME).is_file():
            raise InputError(f"{folder}: has no {NAME}; expected a folder of results")
        try:
            self.summary: dict[str, Any] = read_summary(self.folder)
        except ValueError as error:
            raise InputError(f"{self.folder / NAME}: is damaged ({error})") from None
        self._has_hdf5 = self._hdf5.is_file()
        if self._has_hdf5:
            try:
                open_results(self._hdf5).close()
            except InputError:
                # Before its first frame a file that is being written, or was, is not whole.
                if self.summary.get("status") != "running" or self.summary.get("frames"):
                    raise
                self._has_hdf5 = False

    def probes(self) -> tuple[list[Column], Floats]:
        """Return the columns of the probes, the time first, and their rows."""
        if (self.folder / "probes.csv").is_file():
            return read_table(self.folder / "probes.csv")
        columns, rows = [Column("time", "s")], np.empty((0, 1))
        if self._has_hdf5:
            with open_results(self._hdf5) as file:
                if "probes" not in file:
                    return columns, rows
                names = json.loads(file["probes"].attrs["columns"])
                columns += [Column(name, unit) for name, unit in names]
                times = file["probes/time"][:]
                values = file["probes/values"][: len(times)]
                rows = np.column_stack([times, values[: len(times), : len(names)]])
        return columns, rows

    def bodies(self) -> list[BodyGeometry]:
        """Return the bodies; none if neither HDF5 nor VTU files were written."""
        if self._has_hdf5:
            with open_results(self._hdf5) as file:
                return [
                    BodyGeometry(
                        name, str(group.attrs["cell"]), group["points"][:],
                        group["connectivity"][:].astype(np.int64),
                        group["stations/position"][:] if "stations" in group else None,
                    )
                    for name, group in file["bodies"].items()
                ]  # fmt: skip
        return [_vtu(self.folder / file, name)[0] for name, file in self._first_files()]

    def times(self) -> Floats:
        """Return the times of the frames, s."""
        if self._has_hdf5:
            with open_results(self._hdf5) as file:
                return np.asarray(file["time"][:])
        return np.array(sorted({time for time, _, _ in self._listed("frames.pvd")}))

    def largest_displacement(self) -> Floats:
        """Return the largest displacement of any node in each frame, m; empty if not known."""
        if not self._has_hdf5:
            return np.empty(0)
        with open_results(self._hdf5) as file:
            count = len(file["time"])
            rows = [group["largest_displacement"][:count] for group in file["bodies"].values()
                    if "largest_displacement" in group]  # fmt: skip
            return np.max(rows, axis=0) if rows else np.empty(0)

    def frame(self, number: int) -> Frame:
        """Return one frame; a negative number counts from the last."""
        times = self.times()
        place = range(len(times))[number]
        states: dict[str, BodyState] = {}
        if self._has_hdf5:
            with open_results(self._hdf5) as file:
                for name, group in file["bodies"].items():
                    states[name] = _state(group, place)
        else:
            for time, name, path in self._listed("frames.pvd"):
                if time == times[place]:
                    states[name] = _vtu(self.folder / path, name)[1]
        return Frame(float(times[place]), states)

    def modes(self) -> tuple[Floats, dict[str, Floats]]:
        """Return natural frequencies, Hz, and shapes (count, n, components) by body."""
        if self._has_hdf5:
            with open_results(self._hdf5) as file:
                if "modes" not in file:
                    return np.empty(0), {}
                shapes = {k: v[:] for k, v in file["modes"].items() if k != "frequency"}
                return np.asarray(file["modes/frequency"][:]), shapes
        rows = self.summary.get("modes", [])
        shapes = {}
        for _, name, path in self._listed("modes.pvd"):
            shapes.setdefault(name, []).append(_vtu(self.folder / path, name)[1].displacement)
        stacked = {name: np.stack(one) for name, one in shapes.items()}
        return np.array([row["frequency_Hz"] for row in rows], dtype=float), stacked

    @property
    def _hdf5(self) -> Path:
        return self.folder / "results.h5"

    def _listed(self, name: str) -> list[tuple[float, str, str]]:
        path = self.folder / name
        if not path.is_file():
            return []
        try:
            entries = ElementTree.parse(path).getroot().iter("DataSet")
            found = [(e.attrib["timestep"], e.attrib["name"], e.attrib["file"]) for e in entries]
            return [(float(time), body, file) for time, body, file in found]
        except (ElementTree.ParseError, KeyError, ValueError) as error:
            raise InputError(
                f"{path}: cannot be read ({error}); expected a list of files"
            ) from None

    def _first_files(self) -> list[tuple[str, str]]:
        first: dict[str, str] = {}
        for _, name, file in self._listed("frames.pvd") + self._listed("modes.pvd"):
            first.setdefault(name, file)
        return list(first.items())


def _state(group: Any, place: int) -> BodyState:
    frame = None
    if "frame" in group:
        frame = FrameArrays(*(group["frame"][k][place] for k in FrameArrays.__slots__))
    return BodyState(
        group["displacement"][place],
        group["velocity"][place] if "velocity" in group else None,
        group["stress"][place] if "stress" in group else None,
        frame,
        _at_stations(group, place),
    )


def _at_stations(group: Any, place: int) -> dict[str, Floats] | None:
    if "stations" not in group:
        return None
    return {k: v[place] for k, v in group["stations"].items() if k != "position"}


def _vtu(path: Path, name: str) -> tuple[BodyGeometry, BodyState]:
    import meshio.vtu

    found = meshio.vtu.read(str(path))
    block, data = found.cells[0], found.point_data
    moved = data["displacement"] if "displacement" in data else data["shape"]
    body = BodyGeometry(
        name, FROM_MESHIO[block.type], np.asarray(found.points, dtype=float),
        np.asarray(block.data, dtype=np.int64),
    )  # fmt: skip
    return body, BodyState(np.asarray(moved, dtype=float), None, data.get("stress"))
