# SPDX-License-Identifier: BSD-3-Clause
"""Results of a run that is gone on with, where other processes write them from now on.

What they have of the model differs from what the processes before had, so that what is kept is
written anew, to files of other names; the old ones are intact until these are complete.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.results.checkpoint import Position
from flexforge.runtime.results.data import BodyState
from flexforge.runtime.results.hdf5 import Hdf5Writer, open_results
from flexforge.runtime.results.parts import BodyPart
from flexforge.runtime.results.read import Results
from flexforge.runtime.results.stacked import stacked

States = dict[str, BodyState]


class Earlier:
    """The frames and rows of probes in a folder that a checkpoint counts.

    Parameters
    ----------
    folder : Path
        The folder.
    after : Position
        What is kept.

    Raises
    ------
    InputError
        When the folder has other results, or fewer.
    """

    def __init__(self, folder: Path, after: Position) -> None:
        self._after, self._path = after, folder / "results.h5"
        if not len(after.times) and not after.rows:
            return
        self._results, count = Results(folder), len(after.times)
        times = self._results.times()
        if not np.array_equal(times[:count], after.times):
            raise InputError(
                f"{self._path}: found {len(times)} frames; expected the {count} of the checkpoint"
            )

    def write(self, writer: Hdf5Writer, parts: Sequence[BodyPart] | None = None) -> States:
        """Write the frames to another file, and the probes if it has some.

        Parameters
        ----------
        writer : Hdf5Writer
            The file, which is empty.
        parts : sequence of BodyPart, optional
            What the file has of the bodies; by default all of them, whole.

        Returns
        -------
        dict of str to BodyState
            The states of the last frame, with the time first; none if there is no frame.
        """
        last: States = {}
        self._write_rows(writer)
        count = len(self._after.times)
        cells = {}
        if count and parts is not None:
            cells = {body.name: len(body.connectivity) for body in self._results.bodies()}
        for number in range(count):
            states = self._results.frame(number).states
            if parts is not None:
                names = [one.body.name for one in parts]
                cut = [one.of(states[n], cells[n]) for n, one in zip(names, parts, strict=True)]
                states = dict(zip(names, cut, strict=True))
            last = {name: stacked([one]) for name, one in states.items()}
            writer.frames(self._after.times[number : number + 1], last)
        writer.flush()
        return last

    def write_joined(self, writer: Hdf5Writer) -> None:
        """Write times and probes to a file over those of parts."""
        self._write_rows(writer)
        if len(self._after.times):
            writer.frames(self._after.times, {})
        writer.flush()

    def _write_rows(self, writer: Hdf5Writer) -> None:
        count = self._after.rows
        if not count or not writer.has_probes:
            return
        with open_results(self._path) as file:
            times, values = file["probes/time"][:count], file["probes/values"][:count]
        if len(times) < count or len(values) < count:
            raise InputError(
                f"{self._path}: found {len(times)} rows of probes; expected the {count} of the "
                "checkpoint"
            )
        writer.probe_rows(times, values)


@contextmanager
def discarded(path: Path, writer: Hdf5Writer) -> Iterator[None]:
    """Close and remove a file that an error leaves incomplete."""
    try:
        yield
    except BaseException:
        writer.close()
        path.unlink(missing_ok=True)
        raise
