# SPDX-License-Identifier: BSD-3-Clause
"""From results to the scene that shows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.mesh.cells import CELLS
from flexforge.runtime.results.data import BodyGeometry, Frame, spatial
from flexforge.runtime.results.scene import Mark, Piece, Scene, State, Symbol, size_of
from flexforge.runtime.results.surface import Surface, coarse, surface
from flexforge.runtime.results.tubes import radius_of, tube
from flexforge.runtime.unit_systems import DEFAULT, system_of

#: How the labels of a shape and of a frame are told, by the kind of an analysis.
_SHAPES = {"buckling": "factor #", "critical_speeds": "critical at # turns per second"}
_FRAMES = {
    "combination": "peaks # (0 added, 1 subtracted)",
    "spectrum": "combined peaks",
    "random": "root mean squares",
    "envelope": "envelope",
}


class Readable(Protocol):
    """Results as a scene reads them: :class:`flexforge.runtime.results.read.Results`."""

    folder: Path
    summary: dict[str, Any]

    def bodies(self) -> list[BodyGeometry]:
        """Return the bodies."""

    def times(self) -> Floats:
        """Return the times of the frames."""

    def frame(self, number: int) -> Frame:
        """Return a frame."""

    def modes(self) -> tuple[Floats, dict[str, Floats]]:
        """Return frequencies and shapes of the modes."""


def scene_of(results: Readable, most_frames: int = 60, most_values: int | None = None) -> Scene:
    """Return what results show.

    Parameters
    ----------
    results : Readable
        The results.
    most_frames : int
        Largest number of frames, evenly spaced over those there are.
    most_values : int, optional
        Largest number of nodal vectors of all frames and modes together: finer surfaces are made
        coarser, and the scene says so.
    """
    bodies = results.bodies()
    times = results.times() if bodies else np.empty(0)
    frequencies, shapes = results.modes() if bodies else (np.empty(0), {})
    chosen = np.unique(np.linspace(0, max(len(times) - 1, 0), most_frames).round().astype(int))
    frames = [results.frame(int(number)) for number in (chosen if len(times) else [])]
    settings = results.summary.get("settings", {})
    kind = settings.get("analysis", {}).get("kind")
    rigid = kind == "kinematics"
    elements = settings.get("elements", {})
    soft = {
        body.name: not rigid and not str(elements.get(body.name)).startswith("rigid")
        for body in bodies
    }
    in_space = len(bodies) > 1 or bool(settings.get("joints")) or kind == "motion"
    notes = []
    if len(frames) < len(times):
        notes.append(f"{len(frames)} of {len(times)} frames are shown")
    most = None
    if most_values is not None:
        most = most_values // max(1, len(frames) + len(frequencies))
    pieces, coarser = _pieces(bodies, soft, _sections(results.summary), most)
    if coarser:
        notes.append("the surface is coarser than the mesh; the largest values are exact")
    found = tuple(_state_of(bodies, one, in_space) for one in frames)
    about = found[-1] if found else None
    modes = tuple(
        _mode_of(
            bodies, {name: shape[i] for name, shape in shapes.items()}, float(frequency), about
        )
        for i, frequency in enumerate(frequencies if shapes else [])
    )
    scale = _enlargement(pieces, found) if not settings.get("joints") else 1.0
    joints = _joints(pieces, results.summary.get("joint_points", []))
    symbols = _symbols(pieces, results.summary.get("symbols", []))
    units = system_of(results.summary.get("units", DEFAULT))
    of_frames = units.with_unit("f = #", "Hz") if kind == "harmonic" else _FRAMES.get(str(kind))
    told = (
        units.with_unit("t = #", "s") if of_frames is None else of_frames,
        _SHAPES.get(str(kind), units.with_unit("#", "Hz")),
    )
    return Scene(pieces, found, modes, scale, tuple(notes), in_space, joints, symbols, told, units)


def scene_at_rest(
    bodies: Sequence[BodyGeometry],
    frame: Frame,
    summary: Mapping[str, Any],
    most_values: int | None = None,
) -> Scene:
    """Return undeformed bodies where their frames are at the beginning, in grey.

    Parameters
    ----------
    bodies : sequence of BodyGeometry
        The bodies.
    frame : Frame
        Their states; displacements are not shown.
    summary : mapping
        The model and its joints, as in ``summary.json``.
    most_values : int, optional
        As of :func:`scene_of`.
    """
    in_space = len(bodies) > 1 or bool(summary.get("joint_points"))
    grey = dict.fromkeys((body.name for body in bodies), False)
    pieces, coarser = _pieces(bodies, grey, _sections(summary), most_values)
    notes = ("the surface is coarser than the mesh",) if coarser else ()
    state = _state_of(bodies, frame, in_space)
    joints = _joints(pieces, summary.get("joint_points", []))
    symbols = _symbols(pieces, summary.get("symbols", []))
    return Scene(pieces, (state,), (), 1.0, notes, in_space, joints, symbols)


def deformation_scale(size: float, largest: float) -> float:
    """Choose the enlargement of displacements: 1, 2 or 5 times a power of ten, at least 1.

    Parameters
    ----------
    size : float
        Of the bodies, m.
    largest : float
        Displacement at true scale, m.

    Returns
    -------
    float
        1 if the deformation is visible without enlargement.
    """
    if not 0 < largest < 0.05 * size:
        return 1.0
    wanted = 0.1 * size / largest
    power = 10.0 ** np.floor(np.log10(wanted))
    return float(max(1.0, max(m for m in (1, 2, 5) if m * power <= wanted * (1 + 1e-9)) * power))


def _enlargement(pieces: Sequence[Piece], frames: Sequence[State]) -> float:
    if not pieces:
        return 1.0
    largest = [
        float(state.values(k, "displacement").max(initial=0.0))
        for state in frames
        for k in range(len(pieces))
    ]
    return deformation_scale(size_of(pieces), max(largest, default=0.0))


def _joints(pieces: Sequence[Piece], points: Sequence[Mapping[str, Any]]) -> tuple[Mark, ...]:
    """Return the joints, each at the drawn point nearest to it of one of its bodies."""
    numbers = {piece.name: k for k, piece in enumerate(pieces)}
    found = []
    for one in points:
        if one["body"] not in numbers:
            continue
        number = numbers[one["body"]]
        (row,) = _drawn(pieces[number], np.asarray([one["point"]]))
        found.append(Mark(one["name"], one["kind"], one["ground"], number, row))
    return tuple(found)


def _symbols(pieces: Sequence[Piece], symbols: Sequence[Mapping[str, Any]]) -> tuple[Symbol, ...]:
    """Return the supports and loads, each at the drawn points nearest to its nodes."""
    numbers = {piece.name: k for k, piece in enumerate(pieces)}
    found: list[Symbol] = []
    for one in symbols:
        number = numbers.get(one["body"])
        if number is None:
            continue
        points = pieces[number].points
        nodes = [node for node in one["nodes"] if node < len(points)]
        look = one["kind"], one["name"], number
        acts = tuple(one["direction"]), one["fixed"]
        drawn = np.isin(nodes, pieces[number].rows)
        rows = np.asarray(nodes)[drawn].tolist()
        if not all(drawn):
            rows += _drawn(pieces[number], points[np.asarray(nodes)[~drawn]])
        found += [Symbol(*look, row, *acts) for row in dict.fromkeys(rows)]
    return tuple(found)


def _drawn(piece: Piece, points: Floats) -> list[int]:
    """Return the rows of the drawn points of a piece that are nearest to given points."""
    from scipy.spatial import cKDTree

    rows = piece.rows
    _, nearest = cKDTree(piece.points[rows]).query(points)
    return [int(row) for row in rows[nearest]]


def _sections(summary: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the sections of rods by body, as far as a summary holds the model."""
    bodies = summary.get("model", {}).get("bodies", [])
    return {body["name"]: body["section"] for body in bodies if "section" in body}


def _pieces(
    bodies: Sequence[BodyGeometry],
    soft: dict[str, bool],
    sections: dict[str, dict[str, Any]],
    most: int | None,
) -> tuple[tuple[Piece, ...], bool]:
    """Return the bodies as they are drawn, and whether some are coarser than their meshes."""
    radius = radius_of([body.points for body in bodies]) if bodies else 0.0
    shapes: list[Surface | None] = []
    for body in bodies:
        dim = CELLS[body.cell].dim
        if dim == 0 or not len(body.connectivity) or not np.ptp(body.points, 0).any():
            shapes.append(None)
        elif dim == 1:
            shapes.append(tube(body.points, body.connectivity, sections.get(body.name), radius))
        else:
            shapes.append(surface(body.cell, body.connectivity, body.points))
    total = sum(len(shape.node) for shape in shapes if shape)
    coarser = most is not None and total > most
    if most is not None and coarser:
        for k, (body, shape) in enumerate(zip(bodies, shapes, strict=True)):
            if shape is None or CELLS[body.cell].dim == 1:
                continue
            thinner = surface(body.cell, body.connectivity, body.points, corners=True)
            share = max(200, most * len(shape.node) // total)
            shapes[k] = coarse(thinner, share) if len(thinner.node) > share else thinner
    pieces = tuple(
        Piece(body.name, body.points, shape, soft[body.name])
        for body, shape in zip(bodies, shapes, strict=True)
    )
    return pieces, coarser


def _state_of(bodies: Sequence[BodyGeometry], frame: Frame, in_space: bool) -> State:
    states = [frame.states[body.name] for body in bodies]
    placed = [one.frame if in_space else None for one in states]
    return State(
        frame.time,
        tuple(spatial(one.displacement) for one in states),
        tuple(one.von_mises for one in states),
        tuple(np.eye(3) if one is None else np.asarray(one.R) for one in placed),
        tuple(np.zeros(3) if one is None else np.asarray(one.r_O) for one in placed),
    )


def wave_states(results: Readable, shown: State, mode: int, angles: Floats) -> tuple[State, ...]:
    """Return the states of a wave that travels around a wheel; none for other modes.

    Parameters
    ----------
    results : Readable
        The results.
    shown : State
        The mode as it is shown alone.
    mode : int
        Its number, from 1: that of the real or the imaginary part of the wave.
    angles : ndarray, (n,)
        Phases, rad.
    """
    rows = results.summary.get("modes", [])
    row = rows[mode - 1] if mode <= len(rows) else {}
    signed, part = row.get("signed_frequency_Hz"), row.get("part")
    if row.get("travels") not in ("forward", "backward") or not isinstance(signed, float):
        return ()
    first = mode - 1 if part == "real" else mode - 2
    if [one.get("part") for one in rows[max(first, 0) : first + 2]] != ["real", "imaginary"]:
        return ()
    shapes = results.modes()[1]
    waves = [
        spatial(shapes[body.name][first]) + 1j * spatial(shapes[body.name][first + 1])
        for body in results.bodies()
    ]
    largest = max(float(np.linalg.norm(np.abs(one), axis=1).max(initial=0.0)) for one in waves)
    sense = np.sign(signed)
    begin = 0.0 if part == "real" else -0.5 * np.pi * sense  # what is seen at first
    found = []
    for angle in angles:
        turned = np.exp(1j * (sense * angle + begin)) / (largest or 1.0)
        found.append(replace(shown, moves=tuple((turned * one).real for one in waves)))
    return tuple(found)


def _mode_of(
    bodies: Sequence[BodyGeometry],
    shapes: dict[str, Floats],
    frequency: float,
    about: State | None,
) -> State:
    """Return a mode, in the frames of the state about which bodies on links vibrate, if any do."""
    moves = [spatial(shapes[body.name]) for body in bodies]
    largest = max(float(np.linalg.norm(move, axis=1).max(initial=0.0)) for move in moves) or 1.0
    return State(
        frequency,
        tuple(move / largest for move in moves),
        (None,) * len(moves),
        (np.eye(3),) * len(moves) if about is None else about.turns,
        (np.zeros(3),) * len(moves) if about is None else about.origins,
    )
