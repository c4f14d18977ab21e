# SPDX-License-Identifier: BSD-3-Clause
"""Draw how four balls fall and part: ``python picture.py``; writes heights.png."""

from __future__ import annotations

import tempfile
from pathlib import Path

import flexforge as ff
import matplotlib.pyplot as plt

HERE = Path(__file__).parent


def main() -> None:
    """Run the model, and draw heights, and velocities around the impacts."""
    with tempfile.TemporaryDirectory() as folder:
        probes = ff.load_model(HERE / "model.toml").run(Path(folder) / "results").probes
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2))
    for k, mass in enumerate((1.0, 0.35, 0.12, 0.04), start=1):
        height, velocity = probes[f"height {k}"], probes[f"velocity {k}"]
        left.plot(height.time, height.values, lw=1.2, label=f"{mass:g} kg")
        right.step(1e3 * velocity.time, velocity.values, where="pre", lw=1.2)
    left.set(xlabel="time, s", ylabel="height of the centre, m", ylim=(0, 6))
    left.legend(frameon=False, title="ball of")
    right.set(xlabel="time, ms", ylabel="velocity upwards, m/s", xlim=(400, 415))
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(HERE / "heights.png", dpi=110)


if __name__ == "__main__":
    main()
