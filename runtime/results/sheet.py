# SPDX-License-Identifier: BSD-3-Clause
"""The surroundings of the image of a part: colours, colour bar, axes, a line of text."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.results.camera import Camera
from flexforge.runtime.results.units import prefix

_COLOURS = "turbo"
_BANDS = 12


def banded(share: Floats) -> Floats:
    """Return the colour of each value, in bands that can be read off the colour bar.

    Parameters
    ----------
    share : ndarray, (n,)
        0 at the lower end of the colours, 1 at the upper.

    Returns
    -------
    ndarray, (n, 3)
        Red, green, blue from 0 to 1.
    """
    from matplotlib import colormaps

    band = (np.floor(np.clip(share, 0, 1 - 1e-9) * _BANDS) + 0.5) / _BANDS
    return np.asarray(colormaps[_COLOURS](_softened(band)))[:, :3]


def _softened(share: Floats) -> Floats:
    """Return the colour map without its darkest ends, where shading would be invisible."""
    return np.asarray(0.06 + 0.88 * share)


def framed(
    image: Floats,
    camera: Camera,
    plane: bool,
    limits: tuple[float, float],
    quantity: tuple[str, str],
    caption: str,
) -> bytes:
    """Put the image of a part beside its colour bar and axes.

    Parameters
    ----------
    image : ndarray, (height, width, 4)
        Red, green, blue, opacity from 0 to 1.
    camera : Camera
        The camera of the image.
    plane : bool
        Whether it shows a plane part from directly above.
    limits : tuple of float
        Values at the ends of the colours.
    quantity : tuple of str
        Quantity shown by colours, and its SI unit; None for no bar.
    caption : str
        A line above the picture.

    Returns
    -------
    bytes
        A PNG file.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    (low, high), (label, unit) = limits, quantity
    factor, prefixed = prefix(max(abs(low), abs(high)), unit)
    height, width = image.shape[:2]
    bar, head, foot = 190, 46, 78 if plane else 24
    total = (width + bar + 24, height + head + foot)
    figure = Figure(figsize=(total[0] / 100, total[1] / 100), dpi=100, facecolor="white")
    axes = figure.add_axes((12 / total[0], foot / total[1], width / total[0], height / total[1]))
    axes.imshow(image, interpolation="nearest", aspect="auto")
    axes.axis("off")
    if caption:
        figure.text(16 / total[0], 1 - 28 / total[1], caption, fontsize=12, color="#222a33")
    _triad(axes, camera, plane, height + (foot if plane else 0))
    if label:
        tall = min(0.72, 420 / total[1])
        bottom = 0.5 * (1 - tall) - 8 / total[1]
        tall = min(tall, 1 - 54 / total[1] - bottom)  # its title needs space above it
        place = (width + 36) / total[0], bottom, 22 / total[0], tall
        title = f"{label}\n[{prefixed}]" if prefixed else label
        _bar(figure, place, (low / factor, high / factor), title)
    FigureCanvasAgg(figure)
    out = io.BytesIO()
    figure.savefig(out, format="png", metadata={"Software": "flexforge"})
    return out.getvalue()


def _bar(
    figure: Any, place: tuple[float, float, float, float], limits: tuple[float, float], title: str
) -> None:
    """Draw the colour bar, with its limits in the unit of its title."""
    from matplotlib import colormaps
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import BoundaryNorm, ListedColormap

    levels = np.linspace(*limits, _BANDS + 1)
    names = colormaps[_COLOURS](_softened((np.arange(_BANDS) + 0.5) / _BANDS))
    scale = ScalarMappable(BoundaryNorm(levels, _BANDS), ListedColormap(names))
    beside = figure.colorbar(
        scale, cax=figure.add_axes(place), ticks=levels, spacing="proportional"
    )
    beside.ax.set_yticklabels([f"{level:.4g}" for level in levels], fontsize=9, color="#222a33")
    beside.outline.set_edgecolor("#55606c")
    beside.ax.tick_params(length=3, color="#55606c")
    beside.ax.set_title(title, fontsize=10, loc="left", color="#222a33", pad=8)


def _triad(axes: Any, camera: Camera, plane: bool, bottom: int) -> None:
    """Draw the directions of x, y and z in the lower left corner."""
    origin = np.array([30.0, bottom - 14.0]) if plane else np.array([52.0, bottom - 44.0])
    directions = camera.axes[:2].T * [1.0, -1.0]  # rows: x, y, z in the picture
    depth = camera.axes[2]
    for i in np.argsort(depth)[: 2 if plane else 3] if not plane else (0, 1):
        tip = origin + 36 * directions[i]
        colour = ("#c0392b", "#2e8b57", "#2c5fb3")[i]
        axes.annotate(
            "",
            tip,
            origin,
            annotation_clip=False,
            arrowprops={
                "arrowstyle": "-|>",
                "color": colour,
                "lw": 1.6,
                "shrinkA": 0,
                "shrinkB": 0,
            },
        )
        end = origin + 47 * directions[i]
        axes.text(*end, "xyz"[i], color=colour, fontsize=11, ha="center", va="center")
