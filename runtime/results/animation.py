# SPDX-License-Identifier: BSD-3-Clause
"""Results in motion: an animated GIF of the bodies where they are in space."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.results import views
from flexforge.runtime.results.files import one_line, replacing
from flexforge.runtime.results.picture import draw, view_of
from flexforge.runtime.results.read import Results
from flexforge.runtime.results.tubes import radius_of

#: Colours of a picture; more make the file larger, not clearer.
_COLOURS = 64


def write_animation(
    folder: Path,
    path: Path | None = None,
    *,
    scale: float | None = None,
    quantity: str = "displacement",
    most: int = 60,
    seconds: float = 4.0,
    width: int = 480,
    progress: Callable[[int, int], None] | None = None,
) -> Path:
    """Write an animated GIF of a folder of results.

    Parameters
    ----------
    folder : Path
        As a `ResultWriter` left it, with HDF5 or VTU files.
    path : Path, optional
        Where the animation goes, by default ``motion.gif`` in the folder.
    scale : float, optional
        By how much displacements in the frames are enlarged; the picture says it. By default so
        that the largest show.
    quantity : str
        What the colours show: ``displacement`` (its magnitude) or ``von_mises``.
    most : int
        Pictures at most, evenly spaced over the frames there are.
    seconds : float
        How long it runs, s; it begins again then.
    width : int
        Width of a picture without its colour bar, pixels.
    progress : callable, optional
        Called with the number of pictures done and their number.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    InputError
        If the folder holds no frames, or Pillow is missing.
    AnalysisError
        If the file cannot be written.
    """
    results = Results(Path(folder))
    bodies, times = views.drawable(results.bodies()), results.times()
    if not bodies or len(times) < 2:
        raise InputError(f"{folder}: has no frames to animate; expected formats hdf5 or vtu")
    try:
        from PIL import Image
    except ImportError:
        raise InputError(
            "the animation needs Pillow, which is missing: pip install pillow"
        ) from None
    chosen = np.unique(np.linspace(0, len(times) - 1, min(most, len(times))).round().astype(int))
    frames = [results.frame(int(number)) for number in chosen]
    if scale is None:
        scale = min(views.enlargement(bodies, frame) for frame in frames[1:])
    shown = [views.displaced(bodies, frame, quantity, scale, in_space=True) for frame in frames]
    radius = radius_of([body.points for one in shown for body in one])
    shown = [views.solid(one, radius) for one in shown]
    view = view_of(shown, width)
    label, unit = views.QUANTITIES[quantity]
    pictures = []
    for number, (one, frame) in enumerate(zip(shown, frames, strict=True), start=1):
        caption = f"t = {frame.time:.4f} s, {views.enlarged(scale)}"
        picture = Image.open(io.BytesIO(draw(one, label, unit, caption, view=view)))
        pictures.append(picture.convert("RGB"))
        if progress is not None:
            progress(number, len(frames))
    # One palette for all, so that nothing flickers.
    sheet = Image.new("RGB", (pictures[0].width, 4 * pictures[0].height))
    for place, number in enumerate(np.linspace(0, len(pictures) - 1, 4).round().astype(int)):
        sheet.paste(pictures[number], (0, place * pictures[0].height))
    palette = sheet.quantize(_COLOURS)
    drawn = [one.quantize(palette=palette, dither=Image.Dither.NONE) for one in pictures]
    out = io.BytesIO()
    drawn[0].save(
        out, format="GIF", save_all=True, append_images=drawn[1:], loop=0, optimize=True,
        duration=max(20, round(1000 * seconds / len(drawn))),
    )  # fmt: skip
    path = path or results.folder / "motion.gif"
    with one_line(path, "all results"), replacing(path) as file:
        file.write(out.getvalue())
    return path
