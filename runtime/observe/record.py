# SPDX-License-Identifier: BSD-3-Clause
"""What a run keeps of its states: frames, rows of probes, and final figures."""

from __future__ import annotations

import time as clock
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import numpy as np
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.machine.shield import shielded
from flexforge.runtime.mechanism.shapes import carried, link_shapes
from flexforge.runtime.mesh.pieces import pieces
from flexforge.runtime.model.base import printable
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.observe.described import described
from flexforge.runtime.observe.motion import Motion
from flexforge.runtime.observe.orbit_pairs import orbits_in_time
from flexforge.runtime.observe.probes import AnyProbe, strained, stress_of
from flexforge.runtime.observe.provenance import provenance
from flexforge.runtime.observe.seen import Seen
from flexforge.runtime.observe.tables import AnyTable, NodeTable
from flexforge.runtime.observe.wheel import wheel_of
from flexforge.runtime.results import BodyGeometry, BodyState, Column, ResultWriter, von_mises
from flexforge.runtime.results.checkpoint import Position
from flexforge.runtime.results.data import spatial
from flexforge.runtime.results.stacked import stacked
from flexforge.runtime.statics.prestress import has_none
from flexforge.runtime.system.body import Body
from flexforge.runtime.system.face_stresses import FACES
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.name_table import NameTable
from flexforge.runtime.system.section_forces import LARGEST
from flexforge.runtime.system.system import System

Figures = dict[str, Any]
Writer = TypeVar("Writer", bound=ResultWriter)

#: States written together: most of them, numbers of their displacements, seconds between writing.
MOST, NUMBERS, SECONDS = 1024, 2**17, 0.5
#: Beginning of the names of the momentum relative to the frames.
RELATIVE = "momentum relative to the frames"
_ROUND_OFF = 1e-14  # of a coordinate, relative to the size of the body


def open_writer(
    spec: ModelSpec,
    places: NameTable,
    probes: list[AnyProbe],
    folder: Path,
    *,
    overwrite: bool = False,
    after: Position | None = None,
    kind: type[Writer] = ResultWriter,  # type: ignore[assignment]  # mypy issue 3737
    without: Collection[str] = (),
) -> Writer:
    """Return the writer of the results of a run, or of one that goes on after a position.

    It is of the kind given, and writes the formats of the model without some.

    Raises
    ------
    InputError
        When the folder cannot be written to, or contains results that no run has listed.
    """
    system, mechanism = places.system, places.mechanism
    joints = {joint.name: joint.kind for joint in spec.joints if joint.name not in spec.seams}
    soft = [body.name for body in system.bodies if has_none(body)]
    writer = kind(
        folder,
        geometries(spec, places),
        formats=[one for one in spec.output.formats if one not in without],
        probes=[probe.column for probe in probes],
        title=spec.title or spec.name,
        settings={
            "model": printable(spec.source.name) if spec.source else spec.name,
            "elements": {body.name: body.element for body in system.bodies},
            "include": spec.include.model_dump(),
            "analysis": spec.analysis.model_dump(exclude_none=True),
            **({"joints": joints} if joints else {}),
            **({"geometric": dict.fromkeys(soft, False)} if soft else {}),
            "threads": system.threads,
        },
        provenance=provenance(spec, places.mesh, system),
        overwrite=overwrite,
        after=after,
        units=spec.unit_system,
    )
    writer.summary(described(spec, mechanism.parts if mechanism else None, places))
    writer.summary(orbits_in_time(spec, system, probes))
    return writer


def geometries(spec: ModelSpec, places: NameTable) -> list[BodyGeometry]:
    """Return the bodies as results contain them, with rigid links as lines between their joints."""
    system, mechanism = places.system, places.mechanism
    shapes = {one.name: one for one in link_shapes(mechanism.parts)} if mechanism else {}
    rigid = {link.name for link in spec.rigid_links}
    if spec.cyclic is not None and spec.cyclic.expand and places.sector is not None:
        return [wheel_of(_geometry(body, shows=False), places.sector) for body in system.bodies]
    return [
        shapes[body.name] if body.name in rigid else _geometry(body, shows=shows)
        for body, shows in zip(system.bodies, shows_stations(spec, system), strict=True)
    ]


def _geometry(body: Body, *, shows: bool) -> BodyGeometry:
    """Return a body as results contain it, in cells of the library."""
    part = body.part
    cell, connectivity = pieces(part.cell, part.connectivity)
    return BodyGeometry(
        body.name,
        cell,
        part.points,
        connectivity,
        spatial(body.stations.reshape(-1, body.dimension)) if shows else None,
        "" if cell == part.cell else f"{len(part.connectivity)} {part.cell}",
        part.node_labels,
        part.labels if cell == part.cell else None,
    )


def shows_stations(spec: ModelSpec, system: System) -> list[bool]:
    """Return for every body whether the results contain values at points of its cells."""
    if not {"vtu", "hdf5"} & {*spec.output.formats}:
        return [False] * len(system.bodies)
    return [
        bool(body.generalized) or (spec.output.point_stress and "stress" in body.kernels)
        for body in system.bodies
    ]


@dataclass(frozen=True, slots=True)
class CarriedShapes:
    """How links move in modes.

    Attributes
    ----------
    about : Motion
        The state of t = 0 about which they vibrate.
    links : ndarray, (count, L, 6)
        Displacement of the origin and turn of every link, in its components.
    """

    about: Motion
    links: Floats


class Recorder:
    """Passes the states of a system to the writer, and records the probes.

    Parameters
    ----------
    writer : ResultWriter
        The writer of the results.
    system : System
        The bodies.
    loads : Loads
        Loads, including thermal loads.
    probes : list of Probe
        The probes.
    collect : callable, optional
        Returns the states of whole bodies, or nothing where another process writes them; by
        default those given.
    tables : sequence of table, optional
        Tables of values at nodes and points, of every frame.
    """

    KEPT: ClassVar[tuple[str, ...]] = (
        "_rows", "_peaks", "_peak_times", "_last", "_largest_stress", "_place", "_when", "_framed",
        "_largest_at_stations",
    )  # fmt: skip

    def __init__(
        self,
        writer: ResultWriter,
        system: System,
        loads: Loads,
        probes: list[AnyProbe],
        collect: Callable[[dict[str, BodyState]], dict[str, BodyState]] | None = None,
        tables: Sequence[AnyTable] = (),
    ) -> None:
        self.tables = tables
        self.writer, self.system, self.loads, self.probes = writer, system, loads, probes
        self._collect = collect
        self._waiting: list[Any] = []  # states whose probes are not written yet
        self._motion: Motion | None = None
        self._frames: list[tuple[float, dict[str, BodyState]]] = []
        self._rows = 0
        self._peaks, self._peak_times, self._last = (np.zeros(len(probes)) for _ in range(3))
        self._written = 0.0
        self._most = max(1, min(MOST, NUMBERS // (system.size * system.dimension)))
        if system.ranks.count > 1:
            self._most = 1  # nothing waits for ranks that may have failed
        self._largest_stress: float | None = None
        self._place = self._when = ""
        self._framed = 0
        self._keeps_end = False
        self._end = (np.zeros(0), np.zeros(0))
        self._with_stations = {
            body.name
            for body, shape in zip(system.bodies, writer.bodies, strict=True)
            if shape.stations is not None
        }
        self._largest_at_stations: dict[str, float] = {}
        # Whether states of bodies are needed, by formats or for the largest stress. Ranks evaluate
        # them together, and have no writer that knows the formats of all.
        self._evaluates = (
            system.ranks.count > 1
            or writer.has_frames
            or collect is not None
            or bool(self._with_stations)
            or any("stress" in body.kernels for body in system.bodies)
        )
        self._rigid = {
            shape.name: shape.points
            for shape, body in zip(writer.bodies, system.bodies, strict=True)
            if body.stiffens_itself and body.turns and body.motion.link is not None
        }

    @property
    def shows_states(self) -> bool:
        """Whether states of bodies are of interest, beside probes."""
        return self._evaluates

    def keep_end(self) -> None:
        """Keep the last state, for :attr:`end`."""
        self._keeps_end = True

    @property
    def end(self) -> tuple[Floats, Floats]:
        """Displacement (m) and velocity (m/s) of the last frame, (N, d) each."""
        return self._end

    def record(
        self,
        time: float,
        motion: Motion,
        *,
        frame: bool = True,
        passed: Sequence[Any] = (),
        probed: bool = True,
    ) -> None:
        """Keep a state for its row of probes and, where wanted, its frame.

        They are written together with others: when there are many, or the last were written a
        while ago; `flush` writes them at once.

        Parameters
        ----------
        time : float
            Time, s.
        motion : Motion
            State of the system.
        frame : bool
            Whether the whole state is written.
        passed : sequence of State, optional
            What probes have rows of: states of the motion since the last one, and this one; by
            default this one only.
        probed : bool
            Whether probes have rows of them.

        Raises
        ------
        AnalysisError
            When a displacement or a velocity is not finite; no frame of this time is written. As of
            `flush`.
        """
        if self.probes and probed:
            self._waiting.extend(passed or [motion.state])
            self._motion = motion
        if frame:
            self._framed += 1
            _require_finite(time, motion)
            if self._keeps_end:
                self._end = motion.displacement.copy(), motion.velocity.copy()
            states = self._states(time, motion) if self._evaluates else {}
            self._keep(time, states)
            self.writer.listings([one.listing(time, motion) for one in self.tables])
        self._flush_some()

    def _flush_some(self) -> None:
        """Write what is kept when it is much, or was kept for a while."""
        many = max(len(self._waiting), len(self._frames)) >= self._most
        if many or self._most == 1 or clock.monotonic() - self._written > SECONDS:
            self.flush()

    def _keep(self, time: float, states: dict[str, BodyState]) -> None:
        """Keep a frame, to be written together with others."""
        if states or not self._evaluates:
            self._frames.append((time, states))

    def seen(self, time: float, motion: Motion, *, bodies: bool = True) -> Seen:
        """Return what results show of a state, without writing it.

        Parameters
        ----------
        time : float
            Time, s.
        motion : Motion
            State of the system.
        bodies : bool
            Whether states of bodies are of interest, not tables and probes alone.
        """
        return Seen(
            self._shown(time, motion) if bodies and self._evaluates else {},
            tuple(one.listing(time, motion) for one in self.tables),
            np.array([float(probe.over(motion.over([motion.state]))[0]) for probe in self.probes]),
        )

    def record_seen(self, seen: Seen, time: float, *, probed: bool = True) -> None:
        """Keep what results show of something that is no state of a motion, such as combined peaks.

        It is written as :meth:`record` does, as a frame.

        Parameters
        ----------
        seen : Seen
            What results show.
        time : float
            Of the frame; of a vibration its frequency.
        probed : bool
            Whether probes have a row of it.
        """
        self._framed += 1
        self._follow_states(seen.states, time)
        self._keep(time, seen.states)
        self.writer.listings(seen.listings)
        if self.probes and probed:
            times, values = np.array([time]), seen.probes[None]
            self._follow_probes(times, values)
            self.writer.probe_rows(times, values)
        self._flush_some()

    def flush(self) -> None:
        """Write the frames and probes of the states kept, all of them before a signal ends the run.

        Raises
        ------
        AnalysisError
            When a value is not finite, or the disk is full or fails; what was before it is written.
        """
        with shielded():
            waiting, self._waiting = self._waiting, []
            frames, self._frames = self._frames, []
            if frames:
                states = [one for _, one in frames]
                over = {name: stacked([one[name] for one in states]) for name in states[0]}
                self.writer.frames(np.array([t for t, _ in frames]), over)
            if waiting and self._motion is not None:
                samples = self._motion.over(waiting)
                values = np.column_stack([probe.over(samples) for probe in self.probes])
                bad = np.flatnonzero(~np.isfinite(values).all(axis=1))
                kept = bad[0] if len(bad) else len(values)
                self._follow_probes(samples.times[:kept], values[:kept])
                self.writer.probe_rows(samples.times, values)
        self._written = clock.monotonic()

    def modes(
        self,
        frequencies: Floats,
        shapes: Floats,
        carried: CarriedShapes | None = None,
        *,
        about: Sequence[Mapping[str, Any]] = (),
        drawn: Mapping[str, Floats] | None = None,
        listed: bool = True,
    ) -> None:
        """Write natural frequencies and shapes.

        Parameters
        ----------
        frequencies : ndarray, (count,)
            Hz.
        shapes : ndarray, (count, N, d)
            Displacements relative to the frames.
        carried : CarriedShapes, optional
            How links move in the modes, and the state about which they do.
        about : sequence of mapping, optional
            What else the summary says of every mode.
        drawn : mapping of str to ndarray, (count, n, d), optional
            What results show of every body, where they show more than it: all sectors of a wheel.
        listed : bool
            Whether tables have the shapes.
        """
        if carried is None:
            each = [
                {b.name: BodyState(shape[b.placed]) for b in self.system.bodies} for shape in shapes
            ]
        else:
            left = self._states(0.0, carried.about)
            each = [
                self._carried(left, shape, moves)
                for shape, moves in zip(shapes, carried.links, strict=True)
            ]
        if self._collect is not None and drawn is None:
            each = [self._collect(one) for one in each]
        names = each[0] if each else {}
        whole = drawn or {n: np.array([one[n].displacement for one in each]) for n in names}
        self.writer.modes(frequencies, whole, about)
        for frequency, shape in zip(frequencies.tolist(), shapes if listed else (), strict=listed):
            moved = [one for one in self.tables if isinstance(one, NodeTable) and one.in_modes]
            self.writer.listings([one.of_shape(shape, frequency) for one in moved])

    def buckling(self, factors: Floats, shapes: Floats) -> None:
        """Write buckling factors (count,) and their shapes (count, N, d)."""
        whole = {b.name: shapes[:, b.placed] for b in self.system.bodies}
        self.writer.buckling(factors, whole)

    def _carried(
        self, about: Mapping[str, BodyState], shape: Floats, links: Floats
    ) -> dict[str, BodyState]:
        """Return a mode as displacements of bodies that move with links, in the links' components.

        Parameters
        ----------
        about : mapping
            The state that is left, by body.
        shape : ndarray, (N, d)
            Relative to the links.
        links : ndarray, (L, 6)
            Displacement and turn of the links.
        """
        found = {}
        for body, drawn in zip(self.system.bodies, self.writer.bodies, strict=True):
            mean = about[body.name].displacement
            relative = np.zeros_like(mean) if body.name in self._rigid else shape[body.placed]
            link = body.motion.link
            assert link is not None
            points = drawn.points + spatial(mean)
            moved = links[link, :3] + np.cross(links[link, 3:], points)
            found[body.name] = BodyState(relative + moved[:, : relative.shape[1]])
        return found

    def _follow_probes(self, times: Floats, values: Floats) -> None:
        """Record peaks and last values of rows of probes."""
        if not len(times):
            return
        peak = np.abs(values).argmax(axis=0)
        found = values[peak, np.arange(values.shape[1])]
        larger = (np.abs(found) > np.abs(self._peaks)) | (self._rows == 0)
        self._peaks = np.where(larger, found, self._peaks)
        self._peak_times = np.where(larger, times[peak], self._peak_times)
        self._last, self._rows = values[-1].copy(), self._rows + len(times)

    def _states(self, time: float, motion: Motion) -> dict[str, BodyState]:
        """Return the states of all bodies as results contain them; follow the largest values."""
        states = self._shown(time, motion)
        self._follow_states(states, time)
        return states

    def _shown(self, time: float, motion: Motion) -> dict[str, BodyState]:
        """Return the states of all bodies as results contain them."""
        states = {}
        for body in self.system.bodies:
            u, v = motion.displacement[body.nodes], motion.velocity[body.nodes]
            count = len(body.placed)
            displacement, velocity = body.relative(u)[:count], body.relative_rate(u, v)[:count]
            stress = stress_of(body, motion, self.loads, time) if "stress" in body.kernels else None
            stations = None
            if body.name in self._with_stations:
                warmth = self.loads.temperature(body.name, time)
                stations = body.at_stations(strained(body, motion), warmth)
            if body.name in self._rigid:
                points = self._rigid[body.name]
                displacement = carried(points, motion.displacement[body.nodes])
                velocity = carried(points, motion.velocity[body.nodes])
            a = motion.acceleration[body.nodes] if body.is_free else v
            states[body.name] = BodyState(
                displacement, velocity, stress, body.frame(time, u, v, a), stations
            )
        if self._collect is not None:
            states = self._collect(states)
        return states

    def _follow_states(self, states: Mapping[str, BodyState], time: float) -> None:
        """Record the largest values of states, their places and times."""
        for shape in self.writer.bodies if states else ():
            state = states[shape.name]
            sizes = state.von_mises
            if sizes is not None:
                self._follow_stress(shape.name, shape.points, sizes, time)
            if state.at_stations is not None:
                self._follow(state.at_stations)

    def _follow_stress(self, body: str, points: Floats, stress: Floats, time: float) -> None:
        """Record the largest of the nodal stresses (N,) of a body, its place and time."""
        node = int(stress.argmax()) if len(stress) else 0
        largest = float(stress[node]) if len(stress) else 0.0
        if self._largest_stress is None or largest > self._largest_stress:
            self._largest_stress = largest
            seen = np.abs(points[node]) > _ROUND_OFF * np.abs(points).max()
            place = ", ".join(f"{x:.4g}" for x in np.where(seen, points[node], 0.0))
            told = self.writer.units.with_unit
            self._place = told(f"{body} ({place})", "m")
            self._when = ", " + told(f"t = {time:.6g}", "s")

    def agree(self) -> None:
        """Tell the other ranks of the largest values found here, and learn of theirs."""
        ranks = self.system.ranks
        if ranks.count == 1:
            return
        own = (self._largest_stress, self._place, self._when, self._largest_at_stations)
        each = ranks.gathered(own)
        stressed = [one for one in each if one[0] is not None]
        if stressed:
            most = max(stressed, key=lambda one: one[0] or 0.0)
            self._largest_stress, self._place, self._when, _ = most
        for *_, others in each:
            for name, value in others.items():
                known = self._largest_at_stations.get(name, 0.0)
                self._largest_at_stations[name] = max(known, value)

    def _follow(self, stations: Mapping[str, Floats]) -> None:
        """Record the largest values at stations."""
        known = {}
        if "stress" in stations:
            sizes = stations.get("von_mises")
            known["largest von Mises stress at points"] = (
                von_mises(stations["stress"]) if sizes is None else sizes
            )
        faces = [stations[name] for face in FACES if (name := f"von_mises_{face}") in stations]
        if faces:
            known["largest von Mises stress on faces"] = np.concatenate(faces)
        if LARGEST in stations:
            known["largest normal stress"] = stations[LARGEST]
        for name, values in known.items():
            before = self._largest_at_stations.get(name, 0.0)
            self._largest_at_stations[name] = max(before, float(values.max(initial=0.0)))

    def figures(self) -> Figures:
        """Return largest stress and probes: the value of a single state, or peak and end.

        Of the states written so far.
        """
        found: Figures = {}
        if self._largest_stress is not None:
            found["largest von Mises stress"] = [self._largest_stress, "Pa"]
            when = self._when if self._framed > 1 else ""  # a single state has no time to tell
            found["place of the largest stress"] = self._place + when
        found |= {name: [value, "Pa"] for name, value in self._largest_at_stations.items()}
        if not self._rows:
            return found
        rows = zip(self._peaks, self._peak_times, self._last, strict=True)
        for probe, (peak, time, last) in zip(self.probes, rows, strict=True):
            if self._rows == 1:
                found[probe.column.name] = [float(last), probe.column.unit]
            else:
                found |= _told(probe.column, peak, time, last)
        return found


def _require_finite(time: float, motion: Motion) -> None:
    """Refuse a state that is not finite."""
    if not (np.isfinite(motion.displacement).all() and np.isfinite(motion.velocity).all()):
        raise AnalysisError(
            f"results: a displacement or a velocity is not finite at t = {time:g} s; expected "
            "finite values: check the units of stiffness, density and loads"
        )


def peak_and_end(column: Column, times: Sequence[float] | Floats, values: Floats) -> Figures:
    """Return the peak of a column of values, its time, and the final value."""
    name, unit = column.name, column.unit
    if len(values) == 1:
        return {name: [float(values[0]), unit]}
    peak = int(np.argmax(np.abs(values)))
    return _told(column, values[peak], times[peak], values[-1])


def _told(column: Column, peak: float, time: float, last: float) -> Figures:
    """Return the peak of a column, its time, and the final value."""
    name, unit = column.name, column.unit
    return {
        f"{name}, peak": [float(peak), unit],
        f"{name}, time of the peak": [float(time), "s"],
        f"{name}, at the end": [float(last), unit],
    }


def largest_displacement(system: System, displacement: Floats) -> float:
    """Return the largest nodal displacement, m, excluding rotations (rad)."""
    placed = np.concatenate([body.placed for body in system.bodies])
    sizes = np.linalg.norm(displacement[placed], axis=1)
    return system.ranks.largest(float(sizes.max(initial=0.0)))


def momentum(system: System, velocity: Floats) -> Figures:
    """Return the linear momentum relative to the frames, in their components.

    In free frames there is nothing to be relative to.
    """
    total = np.zeros(system.dimension)
    for body in system.bodies:
        total += body.momentum(velocity[body.nodes])
    total = system.ranks.total(total)
    named = "momentum" if any(body.is_free for body in system.bodies) else RELATIVE
    return {f"{named} {axis}": [float(p), "kg m/s"] for axis, p in zip("xyz", total, strict=False)}
