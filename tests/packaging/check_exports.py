# SPDX-License-Identifier: BSD-3-Clause
"""Compare what exported solvers computed with a run: ``check_exports.py RUN.csv (CSV | FMU)...``.

A CSV is compared as it is, an FMU is simulated by FMPy; neither needs flexforge.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import numpy as np

#: Of the largest value of a probe: the arithmetic is the same, but for the order of a few sums.
CLOSE = 1e-12


def table(path: Path) -> tuple[list[str], np.ndarray]:
    """Return headings without units, and rows."""
    with open(path, encoding="utf-8", newline="") as file:
        heading, *rows = csv.reader(file)
    return [one.partition(" (")[0].partition(" [")[0] for one in heading], np.array(rows, float)


def simulated(path: Path, wanted: np.ndarray, names: list[str]) -> np.ndarray:
    """Return the rows of an FMU at the times of a run."""
    from fmpy import simulate_fmu

    step = wanted[1, 0] - wanted[0, 0]
    found = simulate_fmu(
        str(path),
        fmi_type="CoSimulation",
        stop_time=wanted[-1, 0],
        output_interval=step,
        output=names,
    )
    return np.column_stack([found[name] for name in ("time", *names)])


def main(run: Path, others: list[Path]) -> int:
    """Compare; return 1 when one is too far away."""
    heading, wanted = table(run)
    size = np.abs(wanted).max(axis=0)
    assert (size > 0.0).all(), "a probe is zero all the time, which proves nothing"
    worst = 0.0
    for path in others:
        if path.suffix == ".fmu":
            found = simulated(path, wanted, heading[1:])
        else:
            names, found = table(path)
            assert names == heading, f"{path}: {names}, expected {heading}"
        assert found.shape == wanted.shape, f"{path}: {found.shape}, expected {wanted.shape}"
        error = float((np.abs(found - wanted).max(axis=0) / size).max())
        kind = path.parent.name or run.parent.stem
        count = f"{len(found)} times, {len(size) - 1} probes"
        print(f"{kind}/{path.name}: {count}, largest relative difference {error:.1e}")
        worst = max(worst, error)
    return int(not worst <= CLOSE)


if __name__ == "__main__":
    given = [Path(one) for one in sys.argv[1:]]
    sys.exit(main(given[0], given[1:]))
