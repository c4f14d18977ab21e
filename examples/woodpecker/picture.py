# SPDX-License-Identifier: BSD-3-Clause
"""Draw how a woodpecker hops down its pole: ``python picture.py``; writes woodpecker.png."""

from __future__ import annotations

import csv
import tempfile
from pathlib import Path

import flexforge as ff
import matplotlib.pyplot as plt
import numpy as np

HERE = Path(__file__).parent
#: Colours of the events of the lower edge, and of the beak.
COLOURS = {"sticks": "tab:green", "slips": "tab:orange", "parts": "tab:gray", "impact": "tab:red"}


def main() -> None:
    """Run the model, and draw three periods: the height, and the angles with the events."""
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder) / "results"
        probes = ff.load_model(HERE / "model.toml").run(results).probes
        with (results / "events.csv").open(encoding="utf-8") as rows:
            events = [(float(time), *what) for time, *what in list(csv.reader(rows))[1:]]
    pecks = [time for time, force, event in events if (force, event) == ("beak", "impact")]
    begin, end = pecks[-4], pecks[-1]
    height, sleeve, bird = (probes[name] for name in ("height", "sleeve", "bird"))
    time = height.time - begin
    shown = (time >= -0.005) & (height.time <= end + 0.005)
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2))
    left.plot(time[shown], 1e3 * (height.values - height.values[shown][0])[shown], lw=1.4)
    left.set(xlabel="time, s", ylabel="height of the sleeve, mm")
    right.plot(time[shown], (sleeve.values + bird.values)[shown], lw=1.4, label="bird")
    right.plot(time[shown], sleeve.values[shown], lw=1.4, label="sleeve")
    right.set(xlabel="time, s", ylabel="angle, rad")
    seen = set[str]()
    for at, force, event in events:
        if begin - 0.005 <= at <= end + 0.005:
            name = f"{force} {event}"
            colour = "black" if force == "beak" else COLOURS[event]
            label = None if name in seen else name
            right.plot(at - begin, np.interp(at, height.time, sleeve.values), "o", ms=4, c=colour,
                       label=label)  # fmt: skip
            seen.add(name)
    right.legend(frameon=False, fontsize=8, ncols=3, loc="lower left", bbox_to_anchor=(0.0, 1.0))
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(HERE / "woodpecker.png", dpi=110)


if __name__ == "__main__":
    main()
