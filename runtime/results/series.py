# SPDX-License-Identifier: BSD-3-Clause
"""The frames of a run as VTU files, with up-to-date lists for ParaView.

Points in cells with stresses or section forces have separate files.
"""

from __future__ import annotations

import time as clock
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.results.data import BodyGeometry, BodyState, derived, spatial
from flexforge.runtime.results.files import file_name
from flexforge.runtime.results.vtu import VERTEX, write_pvd, write_vtu

#: The list is rewritten when this many times the seconds have passed that it took the last time,
#: and after a second at the latest: a long list is not rewritten with each frame.
_PAUSE, _SECONDS = 20.0, 1.0


class VtuSeries:
    """Writes ``frames/BODY_000000.vtu`` ... and ``frames.pvd``, and the same for modes.

    Parameters
    ----------
    folder : Path
        Folder of the results.
    bodies : sequence of BodyGeometry
        The bodies.
    announce : callable
        Called with the name of every file before it is written.
    origin : str
        Provenance of the results, written to every file.
    after : sequence of float
        Times of the frames after which it goes on, s; by default none.
    """

    def __init__(
        self,
        folder: Path,
        bodies: Sequence[BodyGeometry],
        announce: Callable[[str], None],
        origin: str = "",
        after: Sequence[float] = (),
    ) -> None:
        self._origin = origin
        self._folder, self._bodies, self._announce = folder, tuple(bodies), announce
        self._listed: list[tuple[float, str, str]] = []
        self._points: list[tuple[float, str, str]] = []
        self._count, self._next = 0, 0.0
        self._about: Mapping[str, BodyState] | None = None
        for time in after:
            for body in self._bodies:
                self._listed.append((time, body.name, self._kept(self._name(body))))
                if body.stations is not None:
                    kept = self._kept(self._name(body, "stations_"))
                    self._points.append((time, body.name, kept))
            self._count += 1

    def _name(self, body: BodyGeometry, what: str = "") -> str:
        """Return the name of the next file of a body."""
        return f"frames/{file_name(body.name)}_{what}{self._count:06d}.vtu"

    def _kept(self, name: str) -> str:
        """Return the name by which lists have a frame that is kept, maybe that of several parts."""
        whole = name_of_list(name)
        return whole if (self._folder / whole).is_file() else name

    def frame(self, time: float, states: Mapping[str, BodyState]) -> None:
        """Write one file per body, then the list."""
        (self._folder / "frames").mkdir(exist_ok=True)
        self._about = states
        for body in self._bodies:
            fields = point_fields(body, states[body.name])
            self._write(self._name(body), body, fields, time)
            if body.stations is not None:
                self._write_stations(body, body.stations, states[body.name], time)
        self._count += 1
        begun = clock.monotonic()
        if begun >= self._next:
            self._write_lists()
            ended = clock.monotonic()
            self._next = ended + min(_PAUSE * (ended - begun), _SECONDS)

    def modes(self, count: int, shapes: Mapping[str, Floats]) -> None:
        """Write one file per mode and body; in the list, the time is the number of the mode.

        After a frame, the state about which bodies on links vibrate, files have
        ``displacement_in_space``, which moves the undeformed body there, and ``shape_in_space``.
        """
        (self._folder / "modes").mkdir(exist_ok=True)
        self._listed = []
        for i in range(count):
            for body in self._bodies:
                fields = {"shape": np.asarray(shapes[body.name][i])}
                if self._about is not None:
                    fields |= _placed(body, self._about[body.name], fields["shape"])
                name = f"modes/{file_name(body.name)}_{i + 1:03d}.vtu"
                self._write(name, body, fields, float(i + 1))
        self._write_list("modes.pvd", self._listed)
        self._listed = []

    def close(self) -> None:
        """List every frame."""
        if self._listed:
            self._write_lists()

    def _write_lists(self) -> None:
        self._write_list("frames.pvd", self._listed)
        if self._points:
            self._write_list("stations.pvd", self._points)

    def _write_list(self, name: str, files: Sequence[tuple[float, str, str]]) -> None:
        self._announce(name)
        write_pvd(self._folder / name, files)

    def _write_stations(
        self, body: BodyGeometry, stations: Floats, state: BodyState, time: float
    ) -> None:
        each = np.arange(len(stations))[:, None]
        fields = _with_derived(state.at_stations or {})
        name = self._put(
            self._name(body, "stations_"), body, (stations, VERTEX, each), fields, time
        )
        self._points.append((time, body.name, name))

    def _write(
        self, name: str, body: BodyGeometry, fields: Mapping[str, Floats], time: float
    ) -> None:
        mesh = body.points, body.cell, body.connectivity
        self._listed.append((time, body.name, self._put(name, body, mesh, fields, time)))

    def _put(
        self,
        name: str,
        body: BodyGeometry,
        mesh: tuple[Floats, str, Ints],
        fields: Mapping[str, Floats],
        time: float,
    ) -> str:
        """Write the file of a body, and return the name by which lists have it."""
        del body  # which the files of parts need
        self._announce(name)
        write_vtu(self._folder / name, *mesh, fields, time, self._origin)
        return name


def name_of_list(name: str) -> str:
    """Return the name of the list of the parts of which a file is made."""
    return name.removesuffix(".vtu") + ".pvtu"


def point_fields(body: BodyGeometry, state: BodyState) -> dict[str, Floats]:
    """Return the nodal fields of a frame.

    Parameters
    ----------
    body : BodyGeometry
        The body.
    state : BodyState
        Its state.

    Returns
    -------
    dict of str to ndarray
        ``displacement``, and where available ``velocity``, ``stress``, ``von_mises``,
        ``principal1`` to ``principal3``, what else there is, and ``displacement_in_space``, which
        moves the undeformed body to its position in space.
    """
    fields = {"displacement": state.displacement}
    if state.velocity is not None:
        fields["velocity"] = state.velocity
    fields |= state.others or {}
    if state.stress is not None:
        fields |= _with_derived({**fields, "stress": state.stress})
    if state.frame is not None:
        moved = body.points + spatial(state.displacement)
        place = np.asarray(state.frame.r_O) + moved @ np.asarray(state.frame.R).T
        fields["displacement_in_space"] = place - body.points
    return fields


def _placed(body: BodyGeometry, about: BodyState, shape: Floats) -> dict[str, Floats]:
    """Return what moves a body in its mesh to its state in space, and a shape there."""
    assert about.frame is not None
    moved = point_fields(body, about)["displacement_in_space"]
    turned = spatial(shape) @ np.asarray(about.frame.R).T
    return {"displacement_in_space": moved, "shape_in_space": turned}


def _with_derived(fields: Mapping[str, Floats]) -> dict[str, Floats]:
    """Return fields together with those derived from a stress, as scalars."""
    found = dict(fields)
    for name, values in derived(fields).items():
        columns = {name: values}
        if values.ndim == 2:
            columns = {f"{name}{k + 1}": values[:, k] for k in range(values.shape[1])}
        found |= columns
    return found
