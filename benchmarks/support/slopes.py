# SPDX-License-Identifier: BSD-3-Clause
"""How seconds and memory grow with the size: exponents, a picture, a part of a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

#: Unknowns from which on exponents are taken.
LARGE = 90_000
#: What is drawn: a title, and the figure.
_PANELS = (("all of a static job, s", "all"), ("a step, s", "a step"), ("memory, GB", "GB"))


def exponent(sizes: Sequence[float], values: Sequence[float]) -> float | None:
    """Return the exponent p of ``value ~ size^p`` by least squares; None of a single size.

    Of large sizes, which no start of a process and no cache hides.
    """
    large = [(n, x) for n, x in zip(sizes, values, strict=True) if n >= LARGE]
    if len(large) < 2:
        return None
    return float(np.polyfit(*np.log(np.array(large)).T, 1)[0])


def curves(rows: Sequence[Mapping[str, Any]], figure: str) -> dict[str, tuple[Any, Any]]:
    """Return sizes and values of a figure by job, for the jobs that have it."""
    found: dict[str, tuple[list[float], list[float]]] = {}
    for row in rows:
        if row.get(figure) is not None:
            sizes, values = found.setdefault(row["job"], ([], []))
            sizes.append(row["unknowns"])
            values.append(row[figure])
    return found


def draw(rows: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Draw time and memory over the unknowns, both axes logarithmic.

    Parameters
    ----------
    rows : sequence of mapping
        A row per size and job, as the benchmark has them.
    path : Path
        The picture, SVG or PNG.
    """
    import matplotlib as mpl

    mpl.use("Agg")
    mpl.rcParams["svg.hashsalt"] = "flexforge"  # the same bytes for the same figures
    mpl.rcParams["svg.fonttype"] = "none"  # text, not outlines of letters
    from matplotlib import pyplot as plt

    jobs = list(dict.fromkeys(row["job"] for row in rows))
    colours = dict(zip(jobs, mpl.colormaps["tab20"].colors, strict=False))
    picture, panels = plt.subplots(1, len(_PANELS), figsize=(12, 5.4), layout="constrained")
    for axes, (title, figure) in zip(panels, _PANELS, strict=True):
        for job, (sizes, values) in curves(rows, figure).items():
            if (figure == "all") == (job.startswith(("steps", "explicit"))) and figure != "GB":
                continue
            slope = exponent(sizes, values)
            label = job if slope is None else f"{job}: n^{slope:.2f}"
            axes.loglog(sizes, values, "o-", color=colours[job], label=label, markersize=4)
        axes.set(title=title, xlabel="unknowns")
        axes.grid(visible=True, which="major", alpha=0.4)
        axes.legend(fontsize=7, loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=2)
    picture.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)
    plt.close(picture)
