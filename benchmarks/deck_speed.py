# SPDX-License-Identifier: BSD-3-Clause
"""Decks of 50,000 and 200,000 unknowns, from the start of the process to its results, beside ccx.

Both read the same deck, made here, in turns; frequencies and displacements are compared. Needs
Debian's package calculix-ccx.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np
from decks import AGREES
from support.machine import limits
from support.made_decks import CASES, written
from support.printed import blocks
from support.report import leave, table


@dataclass(slots=True)
class Timed:
    """A deck, and the times that it took."""

    case: str
    unknowns: int
    error: float = 0.0
    flexforge_s: list[float] = field(default_factory=list)
    ccx_s: list[float] = field(default_factory=list)

    @property
    def ratio(self) -> float:
        """How many times as long ccx takes, of the shortest times."""
        return min(self.ccx_s) / min(self.flexforge_s)


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[50_000, 200_000])
    parser.add_argument("--rounds", type=int, default=2, help="of each deck (default: 2)")
    parser.add_argument("--cases", nargs="+", choices=CASES, default=[*CASES])
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    if shutil.which("ccx") is None:
        raise SystemExit("ccx: not found; expected Debian's package calculix-ccx")
    found = []
    for size in arguments.sizes:
        for case in arguments.cases:
            found.append(timed(case, size, arguments.rounds))
            last = found[-1]
            print(f"{last.case:30s} {last.unknowns:8d} unknowns: flexforge "
                  f"{min(last.flexforge_s):7.1f} s, ccx {min(last.ccx_s):7.1f} s, "
                  f"{last.ratio:5.1f} times, difference {last.error:.1e}",
                  file=sys.stderr, flush=True)  # fmt: skip
    rows = [
        [one.case, f"{one.unknowns:,}", f"{min(one.flexforge_s):.1f}", f"{min(one.ccx_s):.1f}",
         f"{one.ratio:.1f}", f"{one.error:.1e}", "yes" if one.error <= AGREES else "NO"]
        for one in found
    ]  # fmt: skip
    heads = ("deck", "unknowns", "flexforge, s", "ccx, s", "ratio", "difference", "agrees")
    leave(
        "deck_speed",
        {"machine": limits(), "results": [asdict(one) for one in found]},
        table(heads, rows),
        arguments.json,
    )


def timed(case: str, size: int, rounds: int) -> Timed:
    """Run a deck by both, in turns, and compare what they found last."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        deck = folder / "deck.inp"
        result = Timed(case, written(case, size, deck))
        threads = {**os.environ, "OMP_NUM_THREADS": str(os.cpu_count())}
        ours = [sys.executable, "-m", "flexforge", "run", deck.name, "-o", "results"]
        for _ in range(rounds):
            shutil.rmtree(folder / "results", ignore_errors=True)
            result.flexforge_s.append(seconds(ours, folder, {**os.environ}))
            result.ccx_s.append(seconds(["ccx", "-i", deck.stem], folder, threads))
        result.error = difference(folder)
    return result


def difference(folder: Path) -> float:
    """Return how far results are apart, relative to the largest: frequencies, displacements."""
    known = blocks((folder / "deck.dat").read_text())
    apart = []
    for block in known:
        theirs = np.array(block.rows)
        if block.what == "eigenvalues":
            (file,) = folder.glob("results/*/modes.csv")
            column = theirs[:, 3]
            rows = np.genfromtxt(file, delimiter=",", skip_header=1)
            ours = rows[: len(column), 1]  # below the modes are totals
        elif block.what == "displacements":
            (file,) = folder.glob("results/*/tables/*.csv")
            rows = np.genfromtxt(file, delimiter=",", skip_header=1)
            ours, column = rows[np.argsort(rows[:, 1]), 2:], theirs[np.argsort(theirs[:, 0]), 1:]
        else:
            continue
        apart.append(float(np.abs(ours - column).max() / np.abs(column).max()))
    if not apart:
        raise SystemExit("found nothing to compare in what ccx printed")
    return max(apart)


def seconds(command: list[str], folder: Path, environment: dict[str, str]) -> float:
    """Return the time that a command takes."""
    begun = time.perf_counter()
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: {done.stdout[-500:]}{done.stderr[-500:]}")
    return time.perf_counter() - begun


if __name__ == "__main__":
    main()
