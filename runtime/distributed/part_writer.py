# SPDX-License-Identifier: BSD-3-Clause
"""Writers of ranks that write their parts of the results themselves (``output.by_process``)."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, nullcontext, suppress
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from flexforge.codegen.files.atomic import scratch_of
from flexforge.runtime.arrays import Floats
from flexforge.runtime.distributed.silent_writer import SilentWriter
from flexforge.runtime.ranks import Ranks
from flexforge.runtime.results import BodyState, ResultWriter
from flexforge.runtime.results.checkpoint import Position
from flexforge.runtime.results.earlier import Earlier, discarded
from flexforge.runtime.results.files import one_line, require_space
from flexforge.runtime.results.finite import require_finite
from flexforge.runtime.results.hdf5 import Hdf5Writer, fields_of
from flexforge.runtime.results.parts import (
    BodyPart,
    JoinedHdf5,
    PartSeries,
    Shapes,
    stored_name,
)
from flexforge.runtime.results.stacked import at_time
from flexforge.runtime.results.stored import part_files
from flexforge.runtime.unit_systems import UnitSystem, system_of

#: Formats whose files have parts.
OF_PARTS = frozenset({"vtu", "hdf5"})


class PartFiles:
    """The files of the parts of one rank.

    Parameters
    ----------
    ranks : Ranks
        The processes.
    folder : Path
        Folder of the results, which exists.
    parts : sequence of BodyPart
        Of this rank, by body.
    formats : sequence of str
        Formats to write.
    about : mapping or None
        Attributes of the HDF5 files, which the first rank has.
    announce : callable, optional
        Of the first rank: called with the name of every file of all ranks before it is written.
    after : Position, optional
        Where results in the folder are gone on with, by whatever processes they were written.

    Attributes
    ----------
    first : int
        Number of the HDF5 file of the first rank.
    before : list of mapping, or None
        On the first, what `shapes` returns, of a frame that is kept.
    all_parts : list of list of BodyPart, or None
        Of all ranks those that have elements, on the first.
    """

    def __init__(
        self,
        ranks: Ranks,
        folder: Path,
        parts: Sequence[BodyPart],
        formats: Sequence[str],
        about: Mapping[str, Any] | None,
        announce: Callable[[str], None] = lambda _: None,
        after: Position | None = None,
    ) -> None:
        self.ranks, self._folder = ranks, folder
        about = ranks.handed_out(None if about is None else [about] * ranks.count)
        free = None
        if ranks.is_first:
            taken = {} if after is None else part_files(folder)
            free = [1 + max(taken, default=-1)] * ranks.count
        self.first: int = ranks.handed_out(free)
        self.before: list[Shapes] | None = None
        self.all_parts = ranks.collected([one for one in parts if len(one.elements)])
        full = [one.body.name for one in parts if len(one.elements)]
        each = ranks.gathered(full)
        having = {
            one.body.name: [rank for rank, names in enumerate(each) if one.body.name in names]
            for one in parts
        }
        self._full = frozenset(full)
        self._series: PartSeries | None = None
        self._hdf5: Hdf5Writer | None = None
        bodies = [one.body for one in parts]
        if "vtu" in formats:
            origin = str(about["origin"])
            times = () if after is None else after.times.tolist()
            self._series = PartSeries(folder, bodies, ranks.number, having, announce, origin, times)
        if "hdf5" in formats:
            some = [one for one in bodies if one.name in self._full]
            path = folder / stored_name(self.first + ranks.number)
            for rank in range(ranks.count if ranks.is_first else 0):
                announce(stored_name(self.first + rank))
            self._hdf5 = Hdf5Writer(path, some, (), about, units=system_of(about["units"]))
            if after is not None:
                own = [one for one in parts if one.body.name in self._full]
                with discarded(path, self._hdf5):
                    last = Earlier(folder, after).write(self._hdf5, own)
                self.before = self.shapes(last)

    def shapes(self, states: Mapping[str, BodyState]) -> list[Shapes] | None:
        """Return of all ranks the shapes of one frame of their arrays, on the first."""
        own = {
            f"bodies/{name}/{key}": values.shape[1:]
            for name, state in states.items()
            if name in self._full
            for key, values in fields_of(state).items()
        }
        return self.ranks.collected(own)

    def frames(self, times: Floats, states: Mapping[str, BodyState]) -> None:
        """Write several frames, all ranks together; the time is first in the arrays."""
        with one_line(self._folder, "the frames before"):
            size = sum(np.asarray(one.displacement).nbytes for one in states.values())
            require_space(self._folder, 12 * size)
            if self._series is not None:
                for number, time in enumerate(times.tolist()):
                    self._series.frame(time, at_time(states, number))
            if self._hdf5 is not None:
                some = {name: one for name, one in states.items() if name in self._full}
                self._hdf5.frames(times, some)
        self.ranks.total(0.0)  # the first counts a frame once all have written it

    def modes(self, frequencies: Floats, shapes: Mapping[str, Floats]) -> list[Shapes] | None:
        """Write natural frequencies and shapes; return what `shapes` returns, of modes."""
        require_finite("modes, ", {"frequency": frequencies, **shapes})
        some = {name: np.asarray(one) for name, one in shapes.items() if name in self._full}
        with one_line(self._folder, "the results before"):
            if self._hdf5 is not None:
                self._hdf5.modes(frequencies, some)
            if self._series is not None:
                self._series.modes(len(frequencies), shapes)
        return self.ranks.collected({name: one.shape for name, one in some.items()})

    def close(self) -> None:
        """Complete the files."""
        with ExitStack() as both:
            for one in (self._series, self._hdf5):
                if one is not None:
                    both.callback(one.close)


class PartWriter(SilentWriter):
    """The writer of a rank other than the first: it writes its part of frames and modes.

    Parameters
    ----------
    folder : Path
        Folder of the results.
    files : PartFiles
        Its files.
    parts : sequence of BodyPart
        Of this rank.
    units : UnitSystem
        The units of the model.
    begun : bool
        Whether there are frames already.
    """

    def __init__(
        self,
        folder: Path,
        files: PartFiles,
        parts: Sequence[BodyPart],
        units: UnitSystem,
        *,
        begun: bool = False,
    ) -> None:
        super().__init__(folder, [one.body for one in parts], units)
        self._files, self._begun = files, begun

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Complete the files; an error that ends the run is not hidden by another."""
        with nullcontext() if kind is None else suppress(Exception):
            self.close()

    def frames(self, times: Floats, states: Mapping[str, BodyState]) -> None:
        """Write several frames of the part."""
        if not self._begun:
            self._files.shapes(states)
            self._begun = True
        self._files.frames(times, states)

    def modes(
        self,
        frequencies: Floats,
        shapes: Mapping[str, Floats],
        about: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        """Write natural frequencies and shapes of the part."""
        self._files.modes(frequencies, shapes)

    def close(self, status: str = "finished", reason: str = "") -> None:
        """Complete the files."""
        del status, reason  # which the first rank tells
        self._files.close()


class JoiningWriter(ResultWriter):
    """The writer of the first rank: its own part, and the files over those of all.

    It is made with the whole bodies, and without formats whose files have parts.
    """

    def join(
        self,
        ranks: Ranks,
        parts: Sequence[BodyPart],
        formats: Sequence[str],
        after: Position | None = None,
    ) -> None:
        """Have parts written from now on, by all ranks, which make their writers now.

        Parameters
        ----------
        ranks : Ranks
            The processes.
        parts : sequence of BodyPart
            Of this rank.
        formats : sequence of str
            Formats to write.
        after : Position, optional
            Where results in the folder are gone on with.
        """
        about = {name: self._summary[name] for name in ("title", "units", "versions", "settings")}
        told = about | {"origin": json.dumps(self._summary["provenance"])}
        announce = self._manifest.add
        self._files = PartFiles(ranks, self.folder, parts, formats, told, announce, after)
        self.bodies = tuple(one.body for one in parts)
        self._joined: JoinedHdf5 | None = None
        if "hdf5" in formats:
            assert self._files.all_parts is not None
            self._manifest.add("results.h5")
            self._joined = self._hdf5 = self._over(self._files.all_parts, about, after)

    def _over(
        self,
        parts: Sequence[Sequence[BodyPart]],
        about: Mapping[str, Any],
        after: Position | None,
    ) -> JoinedHdf5:
        """Return the writer of results.h5, with what of the results before is kept."""
        path, first = self.folder / "results.h5", self._files.first
        scratch = path if after is None else scratch_of(path)
        columns, origin = self._columns, self._origin
        found = JoinedHdf5(scratch, parts, columns, about, origin, self.units, first)
        if after is None:
            return found
        with discarded(scratch, found):
            if len(after.times) and self._files.before is not None:
                found.join(self._files.before)
            Earlier(self.folder, after).write_joined(found)
            found.move(path)
        old = {stored_name(number) for number in part_files(self.folder) if number < first}
        self._manifest.remove(old.__contains__)
        return found

    def _frames(self, times: Floats, states: Mapping[str, BodyState]) -> None:
        if not self._times:
            shapes = self._files.shapes(states)
            if self._joined is not None and shapes is not None:
                self._joined.join(shapes)
        self._files.frames(times, states)
        super()._frames(times, {})

    def modes(
        self,
        frequencies: Floats,
        shapes: Mapping[str, Floats],
        about: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        """Write natural frequencies, and shapes of the part."""
        found = self._files.modes(frequencies, shapes)
        if self._joined is not None and found is not None:
            self._joined.expect_modes(found)
        super().modes(frequencies, {}, about)

    def close(self, status: str = "finished", reason: str = "") -> None:
        """Complete every file."""
        try:
            self._files.close()
        finally:
            super().close(status, reason)
