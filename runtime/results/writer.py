# SPDX-License-Identifier: BSD-3-Clause
"""Writing the results of one run: at any moment, all data handed over so far are on disk."""

from __future__ import annotations

import json
import re
import time as clock
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
from flexforge.codegen.errors import FlexforgeError
from flexforge.codegen.files.atomic import replacing, scratch_of
from flexforge.runtime.arrays import Floats
from flexforge.runtime.results import summary as summaries
from flexforge.runtime.results.campbell import as_csv, criticals_as_csv
from flexforge.runtime.results.checkpoint import NAME as CHECKPOINT
from flexforge.runtime.results.checkpoint import Checkpoint, Position
from flexforge.runtime.results.data import FACTOR, FREQUENCY, BodyGeometry, BodyState, Column
from flexforge.runtime.results.earlier import Earlier, discarded
from flexforge.runtime.results.end_state import NAME as END
from flexforge.runtime.results.end_state import write_end
from flexforge.runtime.results.files import (
    manifest_of,
    one_line,
    prepare_folder,
    require_space,
)
from flexforge.runtime.results.finite import require_finite, require_finite_state
from flexforge.runtime.results.formats import RESULTS
from flexforge.runtime.results.frd import FrdSeries
from flexforge.runtime.results.hdf5 import Hdf5Writer
from flexforge.runtime.results.labels import summary_in
from flexforge.runtime.results.listing import Listing
from flexforge.runtime.results.series import VtuSeries
from flexforge.runtime.results.stacked import at_time, finite_times, stacked, up_to
from flexforge.runtime.results.stored import PART, part_files
from flexforge.runtime.results.table import TableWriter
from flexforge.runtime.unit_systems import SI, UnitSystem

FORMATS = ("vtu", "hdf5", "csv", "report")
_SECONDS = 1.0  # between two summaries with the progress of a run
_ROW = 1 << 12  # bytes, more than a summary and a row of probes take


class ResultWriter:
    """Writes the results of one run; to be used in a ``with`` statement.

    Leaving the block, normally, by an error or by Ctrl-C, completes every file with the data handed
    over before; a killed process loses only the last moment. The summary shows the progress of the
    run at any moment, to about a second.

    Parameters
    ----------
    folder : Path
        Created if missing. Results of an earlier run in it that the folder's manifest lists are
        removed; other files remain.
    bodies : sequence of BodyGeometry
        The bodies.
    formats : sequence of str
        Any of ``vtu``, ``hdf5``, ``csv``, ``frd``, ``dat``, ``report`` (the last is for
        `write_report`).
    probes : sequence of Column
        Columns of `probe_row`.
    title : str
        Name of the model.
    settings : mapping, optional
        Written to the summary under ``settings``.
    provenance : mapping, optional
        Program, model, method and kernels, written to every file but tables of numbers.
    overwrite : bool
        Remove also files with names of results that no manifest lists.
    after : Position, optional
        Where results in the folder are gone on with; those written later are removed. By default
        they begin anew.
    units : UnitSystem
        The units of all numbers; labels in SI are written with their names.

    Raises
    ------
    InputError
        If the folder cannot be written to, or contains files with names of results that no manifest
        lists; nothing has then been removed or computed.
    AnalysisError
        If the disk is full or fails; no files of the new run are then left.
    """

    def __init__(
        self,
        folder: Path,
        bodies: Sequence[BodyGeometry],
        *,
        formats: Sequence[str] = FORMATS,
        probes: Sequence[Column] = (),
        title: str = "",
        settings: Mapping[str, Any] | None = None,
        provenance: Mapping[str, Any] | None = None,
        overwrite: bool = False,
        after: Position | None = None,
        units: UnitSystem = SI,
    ) -> None:
        self.folder = Path(folder)
        self.units = units
        self.bodies = tuple(bodies)
        self._formats = frozenset(formats)
        self._columns = tuple(replace(one, unit=units.label(one.unit)) for one in probes)
        self._times: list[float] = [] if after is None else after.times.tolist()
        self._rows = 0 if after is None else after.rows
        self._closed = False
        self._told = clock.monotonic()
        self._series: VtuSeries | None = None
        self._frd: FrdSeries | None = None
        self._hdf5: Hdf5Writer | None = None
        self._table: TableWriter | None = None
        self._appended: set[str] = set()
        self._manifest = manifest_of(self.folder, overwrite=overwrite)
        self._manifest.require_ours()
        prepare_folder(self.folder)
        versions = summaries.versions()
        self._summary: dict[str, Any] = {
            "format_version": RESULTS.version,
            "title": title,
            "units": units.name,
            "status": "running",
            "begun": datetime.now(UTC).isoformat(timespec="seconds"),
            "frames": 0,
            "settings": dict(settings or {}),
            "versions": versions,
            "provenance": dict(provenance or {}),
            "bodies": {
                body.name: {
                    "cell": body.cell,
                    "nodes": len(body.points),
                    "cells": len(body.connectivity),
                    **({"pieces_of": body.pieces_of} if body.pieces_of else {}),
                }
                for body in bodies
            },
        }
        about: dict[str, Any] = {"title": title, "units": units.name, "versions": versions}
        about |= {"settings": dict(settings or {})}
        if after is not None:
            before = summaries.read_summary(self.folder)
            self._summary |= {"begun": before["begun"], "frames": len(self._times)}
            with self._writing(self.folder):
                self._manifest.remove(self._is_later)
                self._open(about, after)
            return
        with self._writing(self.folder):
            self._manifest.clear()
            try:
                self._open(about, None)
            except BaseException:
                self._manifest.discard()
                raise

    @property
    def model(self) -> str:
        """Hash of the model."""
        return str(self._summary["provenance"]["model"])

    @property
    def position(self) -> Position:
        """How far frames and rows of probes are handed over."""
        return Position(np.array(self._times), self._rows)

    def _is_later(self, name: str) -> bool:
        """Whether a file is that of a frame which is to be written anew."""
        number = re.fullmatch(r"frames/.*_(\d{6,})(_part\d+)?\.p?vtu", name)
        return number is not None and int(number[1]) >= len(self._times)

    def _open(self, about: Mapping[str, Any], after: Position | None) -> None:
        """Create the files, or open those to go on with; each is listed before."""
        if "vtu" in self._formats:
            origin = json.dumps(self._summary["provenance"])
            self._series = VtuSeries(
                self.folder, self.bodies, self._manifest.add, origin, self._times
            )
        if "frd" in self._formats:
            self._manifest.add("results.frd")
            title, kept = str(self._summary["title"]), len(self._times)
            self._frd = FrdSeries(self.folder / "results.frd", self.bodies, title, kept)
        if "hdf5" in self._formats:
            self._manifest.add("results.h5")
            self._hdf5 = self._stored(about, after)
        if "csv" in self._formats and self._columns:
            self._manifest.add("probes.csv")
            lines = None if after is None else after.rows
            path = self.folder / "probes.csv"
            self._table = TableWriter(path, self._columns, lines, self.units.label("s"))
        self._manifest.add(summaries.NAME)
        self._write_summary()

    def _stored(self, about: Mapping[str, Any], after: Position | None) -> Hdf5Writer:
        """Return the writer of results.h5."""
        path = self.folder / "results.h5"
        columns, origin, units = self._columns, self._origin, self.units
        if after is None or not part_files(self.folder):
            return Hdf5Writer(path, self.bodies, columns, about, origin, after, units)
        scratch = scratch_of(path)
        found = Hdf5Writer(scratch, self.bodies, columns, about, origin, None, units)
        with discarded(scratch, found):
            Earlier(self.folder, after).write(found)
            found.move(path)
        self._manifest.remove(lambda name: PART.fullmatch(name) is not None)
        return found

    def __enter__(self) -> Self:
        """Return the writer itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Complete every file; the summary states how the run ended."""
        if kind is None:
            self.close()
            return
        status = "interrupted" if issubclass(kind, KeyboardInterrupt) else "failed"
        known = isinstance(error, FlexforgeError | KeyboardInterrupt)
        # The user must see the original error, not a later one during cleanup.
        with suppress(Exception):
            self.close(status, str(error) if known else kind.__name__)

    def frame(self, time: float, states: Mapping[str, BodyState]) -> None:
        """Write one frame: :meth:`frames` of a single time.

        Parameters
        ----------
        time : float
            Time, s.
        states : mapping of str to BodyState
            By body name. Every frame has the same fields.

        Raises
        ------
        AnalysisError
            As of :meth:`frames`.
        """
        self.frames(np.array([time]), {name: stacked([one]) for name, one in states.items()})

    @property
    def has_frames(self) -> bool:
        """Whether a format contains frames; otherwise they are counted only."""
        return any(one is not None for one in (self._series, self._frd, self._hdf5))

    def frames(self, times: Floats, states: Mapping[str, BodyState]) -> None:
        """Write several frames.

        Parameters
        ----------
        times : ndarray, (T,)
            Times, s.
        states : mapping of str to BodyState
            By body name, with arrays that have the time first. Every frame has the same fields;
            none are needed where no format contains them.

        Raises
        ------
        AnalysisError
            If one is not finite, or the disk is full or fails; the frames before it are kept.
        """
        finite = finite_times(states) if states else len(times)
        if finite:
            self._frames(times[:finite], states if finite == len(times) else up_to(states, finite))
        if finite < len(times):
            for name, state in at_time(states, finite).items():
                require_finite_state(float(times[finite]), name, state)

    def _frames(self, times: Floats, states: Mapping[str, BodyState]) -> None:
        first = not self._times
        with self._writing(self.folder):
            require_space(self.folder, len(times) * self._size(states))
            if self._series is not None:
                for number, time in enumerate(times.tolist()):
                    self._series.frame(time, at_time(states, number))
            if self._frd is not None:
                for number, time in enumerate(times.tolist()):
                    self._frd.frame(time, at_time(states, number))
            if self._hdf5 is not None:
                self._hdf5.frames(times, states)
        self._times += times.tolist()
        self._summary["frames"] = len(self._times)
        self._summary["last_frame_time"] = float(times[-1])
        self._tell(at_once=first)  # with the first frame there are results to read

    def progress(self, what: str, done: int, total: int, time: float | None = None) -> None:
        """Record the progress of the run; the summary on disk is updated once per second.

        Parameters
        ----------
        what : str
            The unit of counting, such as ``steps``.
        done, total : int
            Number completed, and total number.
        time : float, optional
            Simulated time reached, s.

        Raises
        ------
        AnalysisError
            If the disk is full or fails; the previous summary is kept.
        """
        self._summary["progress"] = {"what": what, "done": done, "total": total, "time": time}
        self._tell()

    def probe_row(self, time: float, values: Sequence[float] | Floats) -> None:
        """Write one row of probes: :meth:`probe_rows` of a single time.

        Parameters
        ----------
        time : float
            Time, s.
        values : sequence of float
            One per probe.

        Raises
        ------
        AnalysisError
            As of :meth:`probe_rows`.
        """
        self.probe_rows(np.array([time]), np.array([values], dtype=float))

    def probe_rows(self, times: Floats, values: Floats) -> None:
        """Write several rows of probes.

        Parameters
        ----------
        times : ndarray, (T,)
            Times, s.
        values : ndarray, (T, P)
            A column per probe.

        Raises
        ------
        AnalysisError
            If one is not finite, or the disk is full or fails; the rows before it are kept.
        """
        bad = np.flatnonzero(~np.isfinite(values).all(axis=1))
        finite = int(bad[0]) if len(bad) else len(times)
        if finite:
            with self._writing(self.folder / "probes.csv"):
                require_space(self.folder, _ROW + 40 * values[:finite].size)
                if self._table is not None:
                    self._table.rows(times[:finite], values[:finite])
                if self._hdf5 is not None and self._columns:
                    self._hdf5.probe_rows(times[:finite], values[:finite])
            self._rows += finite
        if finite < len(times):
            named = dict(zip((one.name for one in self._columns), values[finite], strict=True))
            require_finite(f"t = {float(times[finite]):.6g} s, probe ", named)

    def modes(
        self,
        frequencies: Floats,
        shapes: Mapping[str, Floats],
        about: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        """Write natural frequencies and shapes, all at once.

        Parameters
        ----------
        frequencies : ndarray, (count,)
            Natural frequencies, Hz.
        shapes : mapping of str to ndarray, (count, n, 2 or 3)
            By body name.
        about : sequence of mapping, optional
            What else the summary says of each.

        Raises
        ------
        AnalysisError
            If something is not finite, or the disk is full or fails.
        """
        self._modes(FREQUENCY, frequencies, shapes, about)

    def buckling(self, factors: Floats, shapes: Mapping[str, Floats]) -> None:
        """Write buckling factors (count,) and shapes, as :meth:`modes` does."""
        self._modes(FACTOR, factors, shapes)

    def _modes(
        self,
        name: str,
        values: Floats,
        shapes: Mapping[str, Floats],
        about: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        """Write the values of modes, of a name, and their shapes."""
        require_finite("modes, ", {name: values, **shapes})
        rows: list[dict[str, Any]] = [
            {"mode": i, "frequency_Hz": value}
            if name == FREQUENCY
            else {"mode": i, "frequency_Hz": None, name: value}
            for i, value in enumerate(np.asarray(values, dtype=float).tolist(), start=1)
        ]
        more = about or [{}] * len(rows)
        self._summary["modes"] = [{**row, **one} for row, one in zip(rows, more, strict=True)]
        with self._writing(self.folder):
            require_space(self.folder, sum(2 * np.asarray(s).nbytes for s in shapes.values()))
            if self._hdf5 is not None:
                self._hdf5.modes(np.asarray(values, dtype=float), shapes, name)
            if self._series is not None:
                self._series.modes(len(rows), shapes)
            if self._frd is not None:
                self._frd.modes(np.asarray(values, dtype=float), shapes)
            self._write_summary()

    def campbell(self, data: Mapping[str, Any]) -> None:
        """Write a Campbell diagram and its critical speeds as CSV, and in the summary.

        Parameters
        ----------
        data : mapping
            As described in `flexforge.runtime.results.campbell`.

        Raises
        ------
        AnalysisError
            If the disk is full or fails.
        """
        self.summary({"campbell": data})
        whole = {**data, "units": self.units.name}
        tables = {"campbell.csv": as_csv(whole), "critical_speeds.csv": criticals_as_csv(whole)}
        for name, text in tables.items():
            self._whole(name, self._headed(text))

    def listings(self, listings: Sequence[Listing]) -> None:
        """Append tables of values at nodes or points to their files.

        Parameters
        ----------
        listings : sequence of Listing
            In the order in which they are printed.

        Raises
        ------
        AnalysisError
            If something is not finite, or the disk is full or fails.
        """
        for one in listings:
            require_finite(f"t = {one.time:.6g} s, table ", {one.title: one.values})
            if "csv" in self._formats:
                heads = self.units.heading(",".join(one.heads))
                self._append(f"tables/{one.title}.csv", one.csv(), heads + "\n")
            if "dat" in self._formats:
                self._append("results.dat", one.printed())

    def printed(self, text: str) -> None:
        """Append a text to what CalculiX would print, if that is asked for."""
        if "dat" in self._formats:
            self._append("results.dat", text)

    def table(self, name: str, text: str) -> None:
        """Write a table of numbers as CSV, if such files are asked for."""
        if "csv" in self._formats:
            self._whole(f"{name}.csv", self._headed(text.encode()))

    def _append(self, name: str, text: str, head: str = "") -> None:
        """Append a text to a file, which begins with a head."""
        path = self.folder / name
        with self._writing(path):
            require_space(self.folder, len(text))
            if name not in self._appended:
                self._appended.add(name)
                self._manifest.add(name)
                path.parent.mkdir(exist_ok=True)
                path.write_text(head, encoding="utf-8")
            with path.open("a", encoding="utf-8") as file:
                file.write(text)

    def events(self, text: bytes) -> None:
        """Write the events of a run as CSV, which has a row for each.

        Parameters
        ----------
        text : bytes
            Time, what has the event, and its name.

        Raises
        ------
        AnalysisError
            If the disk is full or fails.
        """
        self._whole("events.csv", self._headed(text))

    def end(self, displacement: Floats, velocity: Floats) -> None:
        """Write the state at the end, from which another step goes on.

        Parameters
        ----------
        displacement, velocity : ndarray, (N, d) each
            Relative to the frames, m and m/s.

        Raises
        ------
        AnalysisError
            If the disk is full or fails.
        """
        path = self.folder / END
        with self._writing(path):
            self._manifest.add(path.name)
            write_end(path, displacement, velocity)

    def _headed(self, table: bytes) -> bytes:
        """Return a table as CSV with the units of the model in its heads."""
        heads, end, rows = table.partition(b"\n")
        return self.units.heading(heads.decode()).encode() + end + rows

    def _whole(self, name: str, text: bytes) -> None:
        """Write a file at once."""
        path = self.folder / name
        with self._writing(path):
            self._manifest.add(name)
            path.parent.mkdir(exist_ok=True)
            with replacing(path) as file:
                file.write(text)

    def checkpoint(self, moment: Checkpoint) -> None:
        """Write a checkpoint, once all that it counts is on disk.

        Parameters
        ----------
        moment : Checkpoint
            At the position of this writer.

        Raises
        ------
        AnalysisError
            If the disk is full or fails; an earlier checkpoint is kept.
        """
        path = self.folder / CHECKPOINT
        with self._writing(path):
            if self._hdf5 is not None:
                self._hdf5.flush()
            self._manifest.add(path.name)
            moment.write(path)

    @property
    def campbell_data(self) -> dict[str, Any] | None:
        """The Campbell diagram that was written, if any."""
        found: dict[str, Any] | None = self._summary.get("campbell")
        return found

    def summary(self, figures: Mapping[str, Any]) -> None:
        """Add to the summary and write it.

        Parameters
        ----------
        figures : mapping
            The report makes tables of ``figures`` (name to number, text, or [number, unit]),
            ``settings``, ``timings`` (phase to seconds), ``warnings`` (list of text).

        Raises
        ------
        AnalysisError
            If the disk is full or fails; the previous summary is kept.
        """
        self._summary = summaries.merge(self._summary, summary_in(self.units, figures))
        with self._writing(self.folder / summaries.NAME):
            self._write_summary()

    def close(self, status: str = "finished", reason: str = "") -> None:
        """Complete every file.

        Parameters
        ----------
        status : str
            ``finished``, ``interrupted`` or ``failed``.
        reason : str
            Reason of a failure, one line.

        Raises
        ------
        AnalysisError
            If the disk is full or fails.
        """
        if self._closed:
            return
        self._closed = True
        if status == "finished" and CHECKPOINT in self._manifest.listed:
            (self.folder / CHECKPOINT).unlink(missing_ok=True)
        self._summary |= {
            "status": status,
            "ended": datetime.now(UTC).isoformat(timespec="seconds"),
        }
        if reason:
            self._summary["reason"] = self.units.message(reason)
        with self._writing(self.folder):
            try:
                with ExitStack() as all_files:  # each of them, even if others fail
                    for one in (
                        self._manifest, self._series, self._frd, self._hdf5, self._table,
                    ):  # fmt: skip
                        if one is not None:
                            all_files.callback(one.close)
            except OSError as error:
                if status == "finished":
                    self._summary |= {"status": "failed", "reason": str(error)}
                raise
            finally:
                self._write_summary()

    def _origin(self) -> Mapping[str, Any]:
        """Return the provenance as far as it is known now."""
        found: Mapping[str, Any] = self._summary["provenance"]
        return found

    def _tell(self, *, at_once: bool = False) -> None:
        """Write the summary, if the last one is a second old."""
        if clock.monotonic() - self._told < _SECONDS and not at_once:
            return
        with self._writing(self.folder / summaries.NAME):
            self._write_summary()

    def _write_summary(self) -> None:
        summaries.write_summary(self.folder, self._summary)
        self._told = clock.monotonic()

    @contextmanager
    def _writing(self, path: Path) -> Iterator[None]:
        count = len(self._times)
        kept = f"{count} frame{'' if count == 1 else 's'} in {self.folder}"
        with one_line(path, kept):
            yield

    def _size(self, states: Mapping[str, BodyState]) -> int:
        """Return an upper estimate of the bytes of one of several frames in all formats."""
        nodes = sum(state.displacement.shape[1] for state in states.values())
        cells = sum(body.connectivity.size for body in self.bodies)
        stations = sum(len(b.stations) for b in self.bodies if b.stations is not None)
        vtu = nodes * (24 + 5 * 16) + 9 * cells if "vtu" in self._formats else 0
        vtu += stations * 100 if "vtu" in self._formats else 0
        frd = (nodes * (49 + 85) if "frd" in self._formats else 0) + 1024
        hdf5 = (nodes * 16 + stations * 10) * 8 if "hdf5" in self._formats else 0
        return vtu + frd + hdf5 + 200 * len(self._times) * len(self.bodies)
