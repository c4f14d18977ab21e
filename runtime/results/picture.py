# SPDX-License-Identifier: BSD-3-Clause
"""A picture of the deformed part: coloured bands, shading, undeformed outline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.mesh.cells import CELLS
from flexforge.runtime.results.camera import Camera, look_at
from flexforge.runtime.results.raster import Canvas
from flexforge.runtime.results.sheet import banded, framed
from flexforge.runtime.results.surface import Skin, skin
from numpy.typing import NDArray

Image = NDArray[np.float32]

_WIDTH = 1180  # of the image of the part, pixels
_SAMPLES = 2  # its square is the number of samples per pixel
_AT_ONCE = 1 << 14  # pixels shaded at a time: their data stay in the cache
_INK = np.array([0.10, 0.12, 0.15])
_OUTLINE = np.array([0.30, 0.34, 0.40])


@dataclass(frozen=True, slots=True)
class Shown:
    """A body to be drawn.

    Parameters
    ----------
    cell : str
        Name of its cell type.
    connectivity : ndarray of int, (n_cells, n_nodes)
        Rows of `points`.
    points, deformed : ndarray, (n, 3)
        Without and with displacement, enlarged by the factor stated beside the picture.
    values : ndarray, (n,)
        Nodal values shown by colours.
    before : ndarray, (n_lines, 2, 3), optional
        Lines that show its undeformed position; by default its edges.
    """

    cell: str
    connectivity: Ints
    points: Floats
    deformed: Floats
    values: Floats
    before: Floats | None = None


def deformation_scale(points: Floats, displacement: Floats) -> float:
    """Choose the enlargement of displacements: 1, 2 or 5 times a power of ten, at least 1.

    Parameters
    ----------
    points, displacement : ndarray, (n, 3)
        Undeformed coordinates, and displacements at true scale.

    Returns
    -------
    float
        1 if the deformation is visible without enlargement.
    """
    size = float(np.linalg.norm(np.ptp(points, axis=0))) if len(points) else 0.0
    largest = float(np.linalg.norm(displacement, axis=1).max(initial=0.0))
    if not 0 < largest < 0.05 * size:
        return 1.0
    wanted = 0.1 * size / largest
    power = 10.0 ** np.floor(np.log10(wanted))
    return float(max(1.0, max(m for m in (1, 2, 5) if m * power <= wanted * (1 + 1e-9)) * power))


@dataclass(frozen=True, slots=True)
class View:
    """Common settings of several pictures, so that they can be compared.

    Parameters
    ----------
    camera : Camera
        The camera.
    plane : bool
        Whether all bodies are plane and seen from directly above.
    limits : tuple of float
        Values at the ends of the colours.
    """

    camera: Camera
    plane: bool
    limits: tuple[float, float]


def view_of(frames: Sequence[Sequence[Shown]], width: int = _WIDTH) -> View:
    """Return the view that fits the bodies of all frames.

    Parameters
    ----------
    frames : sequence of sequences of Shown
        The bodies of every picture; at least one body in one picture.
    width : int
        Width of the image of the part without its colour bar, pixels.
    """
    bodies = [body for frame in frames for body in frame]
    plane = all(CELLS[b.cell].dim == 2 and _stays_plane(b) for b in bodies)
    pairs = [(body, skin(body.cell, body.connectivity)) for body in bodies]
    triangles = np.concatenate([one.triangles(body.deformed) for body, one in pairs])
    fits = np.concatenate([p for body, one in pairs for p in _extent(body, one)])
    values = np.concatenate([body.values for body in bodies])
    return View(look_at(fits, triangles, plane, width), plane, _range(values))


def _stays_plane(body: Shown) -> bool:
    """Whether a body is in a plane z = const before and after, up to round-off.

    A flat shell that bends leaves this plane, and is seen from an angle.
    """
    places = np.concatenate([body.points, body.deformed])
    return bool(np.ptp(places[:, 2]) <= 1e-6 * np.ptp(places, axis=0).max())


def draw(
    bodies: Sequence[Shown],
    label: str,
    unit: str,
    caption: str = "",
    width: int = _WIDTH,
    view: View | None = None,
) -> bytes:
    """Draw bodies.

    Parameters
    ----------
    bodies : sequence of Shown
        At least one body.
    label, unit : str
        Quantity shown by colours, and its SI unit; a prefix such as m or M is added to the unit.
    caption : str
        A line above the picture, such as the time and the scale of the deformation.
    width : int
        Width of the image of the part without its colour bar, pixels.
    view : View, optional
        The common view; by default one that fills the picture.

    Returns
    -------
    bytes
        A PNG file.
    """
    view = view or view_of([bodies], width)
    pairs = [(body, skin(body.cell, body.connectivity)) for body in bodies]
    triangles = np.concatenate([one.triangles(body.deformed) for body, one in pairs])
    values = np.concatenate([one.triangles(body.values) for body, one in pairs])
    low, high = view.limits
    image = _render(pairs, triangles, (values - low) / (high - low), view.camera)
    return framed(image, view.camera, view.plane, view.limits, (label, unit), caption)


def _extent(body: Shown, one: Skin) -> tuple[Floats, Floats]:
    return body.points[one.nodes], body.deformed[one.nodes]


def _range(values: Floats) -> tuple[float, float]:
    low, high = float(values.min()), float(values.max())
    low = 0.0 if 0.0 <= low < 0.5 * high else low  # magnitudes begin at zero
    return (low, high) if high > low else (low, low + max(abs(low), 1.0) * 1e-9)


def _render(
    pairs: Sequence[tuple[Shown, Skin]],
    triangles: Floats,
    share: Floats,
    camera: Camera,
) -> Floats:
    """Return the image of the part, (height, width, 4), values 0 to 1."""
    fine = camera.resized(_SAMPLES)
    canvas = Canvas(*fine.size)
    normals = np.concatenate([one.normals(body.deformed) for body, one in pairs])
    flat = fine.project(triangles)
    sense = np.concatenate(
        [np.full(len(one.triangles(body.values)), one.closed) for body, one in pairs]
    )
    out = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    faces = np.einsum("tc,tc->t", out, fine.towards(triangles[:, 0])) > 0
    seen = np.flatnonzero(faces | ~sense)
    canvas.draw(flat[seen])
    covered = np.flatnonzero(canvas.shown())
    image = np.zeros((fine.size[0] * fine.size[1], 4), dtype=np.float32)
    everything = np.concatenate([triangles[seen], normals[seen], share[seen, :, None]], axis=2)
    for first in range(0, len(covered), _AT_ONCE):
        pixels = covered[first : first + _AT_ONCE]
        found = canvas.interpolate(pixels, everything)
        image[pixels, :3] = _lit(banded(found[:, 6]), found[:, 3:6], fine, found[:, :3])
    image[covered, 3] = 1.0
    bias = 2e-3 if np.isfinite(fine.distance) else 1.0
    for body, one in pairs:
        lines, sharp = one.lines(body.deformed)
        projected = fine.project(lines)
        length = np.median(np.linalg.norm(projected[:, 1, :2] - projected[:, 0, :2], axis=1))
        if length * one.refinement > 9 * _SAMPLES:  # a dense mesh would only darken the part
            _blend(image, canvas.stroke(projected[~sharp], 1.0, bias), _INK, 0.30)
        _blend(image, canvas.stroke(projected[sharp], 1.2 * _SAMPLES, bias), _INK, 0.85)
        before, edges = one.lines(body.points)
        before = before[edges] if body.before is None else body.before
        if np.abs(body.deformed - body.points).max() > 0:
            outline = canvas.stroke(fine.project(before), 1.1 * _SAMPLES, -bias)
            _blend(image, outline, _OUTLINE, 0.9)
    return _reduced(_with_silhouette(image, canvas), fine.size)


def _lit(colour: Floats, normal: Floats, camera: Camera, place: Floats) -> Floats:
    """Light a surface: a lamp from the upper left of the viewer, a weaker one, a highlight."""
    right, up, out = camera.axes
    lamp = out + 0.55 * up - 0.45 * right
    lamp /= np.linalg.norm(lamp)
    fill = 0.6 * out + 0.8 * right
    towards = camera.towards(place)
    normal = normal / np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-12)
    facing = np.einsum("pc,pc->p", normal, towards)
    normal = np.where(facing[:, None] < 0, -normal, normal)
    half = lamp + towards
    half /= np.linalg.norm(half, axis=1, keepdims=True)
    diffuse = 0.60 * np.maximum(normal @ lamp, 0.0) + 0.22 * np.maximum(normal @ fill, 0.0)
    gleam = np.maximum(np.einsum("pc,pc->p", normal, half), 0.0) ** 40
    return np.asarray(np.clip(colour * (0.44 + diffuse)[:, None] + 0.13 * gleam[:, None], 0, 1))


def _blend(image: Image, where: Any, colour: Floats, strength: float) -> None:
    old = image[where]
    over = strength + old[:, 3] * (1 - strength)
    mixed = colour * strength + old[:, :3] * (old[:, 3] * (1 - strength))[:, None]
    image[where] = np.column_stack([mixed / over[:, None], over])


def _with_silhouette(image: Image, canvas: Canvas) -> Image:
    """Draw a line along the border of the part, and where one portion is in front of another."""
    depth = np.where(canvas.shown(), canvas.depth, np.float32(np.inf))
    grid = depth.reshape(canvas.height, canvas.width)
    known = np.isfinite(grid)
    edge = np.zeros_like(known)
    for axis in (0, 1):
        a = (slice(None), slice(1, None)) if axis else (slice(1, None), slice(None))
        b = (slice(None), slice(None, -1)) if axis else (slice(None, -1), slice(None))
        differs = known[a] != known[b]
        edge[a] |= differs & known[a]
        edge[b] |= differs & known[b]
    _blend(image, edge.ravel(), _INK, 0.85)
    return image


def _reduced(image: Image, size: tuple[int, int]) -> Floats:
    """Average the samples of each pixel, in place."""
    width, height = size
    image[:, :3] *= image[:, 3:]
    blocks = image.reshape(height // _SAMPLES, _SAMPLES, width // _SAMPLES, _SAMPLES, 4)
    samples = [blocks[:, i, :, j] for i in range(_SAMPLES) for j in range(_SAMPLES)]
    mean = sum(samples[1:], samples[0].astype(float)) / len(samples)
    mean[..., :3] /= np.maximum(mean[..., 3:], 1e-9)
    return np.asarray(np.clip(mean, 0, 1))
