# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of results: choice of frame, colours and enlargement of the deformation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.mesh.cells import CELLS
from flexforge.runtime.results.data import BodyGeometry, BodyState, Frame, spatial, von_mises
from flexforge.runtime.results.picture import Shown, deformation_scale, draw
from flexforge.runtime.results.tubes import radius_of, tube

#: Quantities shown by colours, and their units.
QUANTITIES = {"displacement": ("displacement", "m"), "von_mises": ("von Mises stress", "Pa")}


def drawable(bodies: Sequence[BodyGeometry]) -> list[BodyGeometry]:
    """Return the bodies that are more than points; lines become tubes."""
    return [body for body in bodies if CELLS[body.cell].dim > 0 and np.ptp(body.points, 0).any()]


def enlargement(bodies: Sequence[BodyGeometry], frame: Frame) -> float:
    """Choose the enlargement of the deformation of a frame.

    Parameters
    ----------
    bodies : sequence of BodyGeometry
        The bodies.
    frame : Frame
        Their states.

    Returns
    -------
    float
        One for all bodies; 1 if the deformation is visible without enlargement.
    """
    moves = [spatial(frame.states[body.name].displacement) for body in bodies]
    points = np.concatenate([body.points for body in bodies])
    return deformation_scale(points, np.concatenate(moves))


def deformed(
    bodies: Sequence[BodyGeometry],
    frame: Frame,
    quantity: str = "displacement",
    scale: float | None = None,
    *,
    in_space: bool = False,
) -> tuple[bytes, str]:
    """Draw the bodies of a frame.

    Parameters
    ----------
    bodies : sequence of BodyGeometry
        A single body is drawn in its own frame, several at their positions in space.
    frame : Frame
        Their states.
    quantity : str
        Quantity shown by colours: ``displacement`` (its magnitude) or ``von_mises``.
    scale : float, optional
        Enlargement of the deformation; by default that of `enlargement`.
    in_space : bool
        Whether a single body, too, is drawn at its position in space.

    Returns
    -------
    picture : bytes
        A PNG file.
    caption : str
        Description in one line.
    """
    scale = enlargement(bodies, frame) if scale is None else scale
    shown = displaced(bodies, frame, quantity, scale, in_space=in_space or len(bodies) > 1)
    caption = f"t = {frame.time:.6g} s, {enlarged(scale)}"
    label, unit = QUANTITIES[quantity]
    picture = draw(solid(shown), label, unit, caption)
    return picture, f"{label[0].upper()}{label[1:]} at {caption}"


def displaced(
    bodies: Sequence[BodyGeometry], frame: Frame, quantity: str, scale: float, *, in_space: bool
) -> list[Shown]:
    """Return the bodies of a frame, ready for drawing.

    Parameters are those of :func:`deformed`.
    """
    moves = [spatial(frame.states[body.name].displacement) for body in bodies]
    shown = []
    for body, move in zip(bodies, moves, strict=True):
        state = frame.states[body.name]
        values = np.linalg.norm(move, axis=1)
        if quantity == "von_mises":
            values = np.zeros(len(move)) if state.stress is None else von_mises(state.stress)
        place = _placed(state, in_space)
        shown.append(
            Shown(
                body.cell,
                body.connectivity,
                place(body.points),
                place(body.points + scale * move),
                values,
            )
        )
    return shown


def placed(bodies: Sequence[BodyGeometry], frame: Frame) -> tuple[bytes, str]:
    """Draw rigid bodies at their positions in space.

    Parameters
    ----------
    bodies : sequence of BodyGeometry
        The bodies.
    frame : Frame
        Their states.

    Returns
    -------
    picture : bytes
        A PNG file.
    caption : str
        Description in one line.
    """
    shown = []
    for body in bodies:
        points = _placed(frame.states[body.name], True)(body.points)
        shown.append(Shown(body.cell, body.connectivity, points, points, np.zeros(len(points))))
    caption = f"t = {frame.time:.6g} s"
    return draw(solid(shown), "", "", caption), f"Position at {caption}"


def mode(
    bodies: Sequence[BodyGeometry], shapes: Mapping[str, Floats], number: int, frequency: float
) -> tuple[bytes, str]:
    """Draw a natural mode.

    Parameters
    ----------
    bodies : sequence of BodyGeometry
        The bodies.
    shapes : mapping of str to ndarray, (n, 2 or 3)
        The shape, with arbitrary scale, by body name.
    number : int
        Number of the mode.
    frequency : float
        Its natural frequency, Hz.

    Returns
    -------
    picture : bytes
        A PNG file; colours show the amplitude, whose maximum is one.
    caption : str
        Description in one line.
    """
    moves = [spatial(shapes[body.name]) for body in bodies]
    largest = max(float(np.linalg.norm(move, axis=1).max(initial=0.0)) for move in moves) or 1.0
    size = np.linalg.norm(np.ptp(np.concatenate([body.points for body in bodies]), axis=0))
    shown = [
        Shown(
            body.cell,
            body.connectivity,
            body.points,
            body.points + 0.1 * size * move / largest,
            np.linalg.norm(move, axis=1) / largest,
        )
        for body, move in zip(bodies, moves, strict=True)
    ]
    caption = f"Mode {number}: {frequency:.6g} Hz"
    return draw(solid(shown), "amplitude", "", caption), caption


def solid(bodies: Sequence[Shown], radius: float | None = None) -> list[Shown]:
    """Give lines a surface: tubes, or ribbons if all bodies are in the plane z = 0.

    Parameters
    ----------
    bodies : sequence of Shown
        The bodies of one picture.
    radius : float, optional
        Radius of the tubes, or half the width of the ribbons, m; by default one that suits the
        picture.
    """
    flat = not any(body.points[:, 2].any() or body.deformed[:, 2].any() for body in bodies)
    radius = radius or radius_of([body.points for body in bodies])
    return [tube(body, radius, flat=flat) if CELLS[body.cell].dim == 1 else body for body in bodies]


def _placed(state: BodyState, in_space: bool) -> Callable[[Floats], Floats]:
    frame = state.frame
    if not in_space or frame is None:
        return lambda points: points
    return lambda points: np.asarray(frame.r_O) + points @ np.asarray(frame.R).T


def enlarged(scale: float) -> str:
    """Return the enlargement of a deformation in words."""
    return "deformation at true scale" if scale == 1 else f"deformation enlarged {scale:g} times"
