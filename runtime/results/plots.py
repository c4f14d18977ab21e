# SPDX-License-Identifier: BSD-3-Clause
"""Curves over time, as SVG: sharp on screen and in print."""

from __future__ import annotations

import io

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.results.units import prefix

_MOST = 1500  # points of a curve; a longer one is thinned out to its extremes
_INK, _FAINT, _LINE = "#222a33", "#d9dee4", "#1f5fa8"


def curve(time: Floats, values: Floats, name: str, unit: str) -> bytes:
    """Draw a quantity over time.

    Parameters
    ----------
    time : ndarray, (n,)
        Time, s.
    values : ndarray, (n,)
        The values, in SI units; non-finite values leave a gap.
    name, unit : str
        Its name and its unit.

    Returns
    -------
    bytes
        An SVG file, identical for identical input.
    """
    import matplotlib
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    finite = np.abs(values[np.isfinite(values)])
    factor, prefixed = prefix(float(finite.max(initial=0.0)), unit)
    seconds, second = prefix(float(np.abs(time).max(initial=0.0)), "s")
    x, y = extremes(time / seconds, values / factor)
    figure = Figure(figsize=(5.6, 2.7), facecolor="white")
    FigureCanvasSVG(figure)
    axes = figure.add_axes((0.13, 0.17, 0.84, 0.70))
    axes.plot(x, y, color=_LINE, lw=1.3, solid_joinstyle="round")
    axes.margins(x=0.0, y=0.08)
    axes.grid(color=_FAINT, lw=0.6)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color("#8a949e")
    axes.tick_params(labelsize=8, colors=_INK, color="#8a949e", length=3)
    axes.set_xlabel(f"time [{second}]", fontsize=8.5, color=_INK)
    label = f"{name} [{prefixed}]" if prefixed else name
    axes.set_title(label, fontsize=9.5, color=_INK, loc="left", pad=8)
    out = io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "flexforge", "svg.fonttype": "path"}):
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": "flexforge"})
    return out.getvalue()


def extremes(x: Floats, y: Floats, most: int = _MOST) -> tuple[Floats, Floats]:
    """Thin out a long curve to the smallest and largest value of each interval.

    Parameters
    ----------
    x, y : ndarray, (n,)
        The curve.
    most : int
        Number of points above which the curve is thinned out, to about that number.

    Returns
    -------
    x, y : ndarray
        No peak is lost.
    """
    if len(x) <= most:
        return x, y
    stretch = int(np.ceil(2 * len(x) / most))
    count = len(x) // stretch
    kept = count * stretch
    blocks = np.nan_to_num(y[:kept].reshape(count, stretch), nan=0.0)
    start = np.arange(count) * stretch
    both = np.column_stack([start + blocks.argmin(axis=1), start + blocks.argmax(axis=1)])
    places = np.unique(np.concatenate([[0], both.ravel(), np.arange(kept, len(x)), [len(x) - 1]]))
    return x[places], y[places]
