# SPDX-License-Identifier: BSD-3-Clause
"""Decks of calculix-ccx-test beside CalculiX: which run as they are, and which agree.

Every deck without heat, flow, contact and inelasticity is read from the installed package, run by
ccx and by flexforge, and what both print at the ends of steps is compared. Needs Debian's packages
calculix-ccx and calculix-ccx-test.
"""

from __future__ import annotations

import argparse
import gzip
import re
import shutil
import subprocess
import tempfile
import time
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path

from flexforge.codegen.errors import FlexforgeError, InputError
from flexforge.runtime.decks.translate import translate
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.run import run_model
from support.machine import limits
from support.printed import Comparison, compared
from support.report import leave, table

PACKAGE = "calculix-ccx-test"
#: Difference, relative to the largest magnitude of a block, up to which results agree.
AGREES = 1e-3
#: Seconds after which ccx is stopped.
PATIENCE = 600
#: Keywords and element types of decks that are not about elastic bodies.
OTHERS = re.compile(
    r"^\*\s*(HEAT\s*TRANSFER|CONTACT\s*PAIR|PLASTIC|SENSITIVITY|CFD|FLUID\s*SECTIONS?|FLUID\s*"
    r"CONSTANTS|CREEP|VISCO|(UN)?COUPLED\s*TEMPERATURE-DISPLACEMENT|ELECTROMAGNETICS|DESIGN\s*"
    r"VARIABLES|USER\s*MATERIAL|GAP\b|MODEL\s*CHANGE|CYCLIC\s*HARDENING|DEFORMATION\s*PLASTICITY|"
    r"GAP\s*CONDUCTANCE|SURFACE\s*INTERACTION|RESTART|SUBMODEL|NO\s*ANALYSIS)"
    r"|^\*\s*ELEMENT.*TYPE\s*=\s*(D\s*$|D,|F3D|GAP)",
    re.IGNORECASE | re.MULTILINE,
)


@dataclass(slots=True)
class Result:
    """What became of a deck."""

    deck: str
    outcome: str
    reason: str = ""
    error: float = 0.0
    blocks: int = 0
    ccx_s: float = 0.0
    flexforge_s: float = 0.0


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("decks", nargs="*", help="names of decks (default: all)")
    parser.add_argument("--folder", type=Path, help=f"where decks are (default: of {PACKAGE})")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    if shutil.which("ccx") is None:
        raise SystemExit(f"ccx: not found; expected Debian's packages calculix-ccx and {PACKAGE}")
    folder = arguments.folder or installed()
    paths = [folder / f"{name}.inp" for name in arguments.decks] or sorted(folder.glob("*.inp"))
    results = []
    for path in paths:
        if not arguments.decks and OTHERS.search(path.read_text(errors="replace")):
            continue
        results.append(one(path))
        line = results[-1]
        print(f"{line.deck:24s} {line.outcome:8s} {line.error:8.1e} {line.reason}", flush=True)
    counts = Counter(result.outcome for result in results)
    rows = [[name, count] for name, count in counts.most_common()]
    both = [r for r in results if r.outcome == "agrees"]
    times = sum(r.flexforge_s for r in both), sum(r.ccx_s for r in both)
    text = [
        f"{len(results)} decks without heat, flow, contact and inelasticity",
        table(("outcome", "decks"), rows),
        f"those that agree: {times[0]:.1f} s with flexforge, {times[1]:.1f} s with ccx",
    ]
    found = {"machine": limits(), "results": [asdict(one) for one in results]}
    leave("decks", found, "\n".join(text), arguments.json)


def installed() -> Path:
    """Return the folder in which the package of decks is installed."""
    listed = subprocess.run(["dpkg-query", "-L", PACKAGE], capture_output=True, text=True)
    decks = [Path(line) for line in listed.stdout.split() if line.endswith(".inp")]
    if not decks:
        raise SystemExit(f"{PACKAGE}: not installed; expected it, or --folder")
    return decks[0].parent


def one(path: Path) -> Result:
    """Run one deck by both and compare what they print."""
    result = Result(path.stem, "refused")
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        shutil.copy(path, scratch)
        begun = time.perf_counter()
        try:
            subprocess.run(["ccx", "-i", path.stem], cwd=scratch, capture_output=True,
                           timeout=PATIENCE, check=False)  # fmt: skip
        except subprocess.TimeoutExpired:
            result.reason = f"ccx takes more than {PATIENCE} s"
        result.ccx_s = time.perf_counter() - begun
        begun = time.perf_counter()
        try:
            translation = translate(path)
            translation.tables["output"] = {"formats": ["dat"]}
            model = model_from_dict(translation.tables, path.parent)
            result.outcome = "fails"
            run_model(model, output=scratch / "results")
        except FlexforgeError as error:
            result.reason = str(error).partition("\n")[0].removeprefix(f"{path}:")[:100]
            if isinstance(error, InputError):
                result.outcome = "refused"
            return result
        result.flexforge_s = time.perf_counter() - begun
        steps = [scratch / "results" / step / "results.dat" for step in translation.steps]
        ours = [file.read_text() if file.is_file() else "" for file in steps]
        judge(result, compared(ours, printed(path, scratch), translation.ends))
    return result


def printed(path: Path, scratch: Path) -> str:
    """Return what ccx printed here; what it printed for the package, where it fails here."""
    here = scratch / f"{path.stem}.dat"
    if here.is_file() and here.stat().st_size:
        return here.read_text()
    there = path.with_suffix(".dat.ref.gz")
    return gzip.decompress(there.read_bytes()).decode() if there.is_file() else ""


def judge(result: Result, found: Comparison) -> None:
    """Say what a comparison means."""
    result.error, result.blocks = found.error, found.blocks
    if found.missing:
        result.outcome, result.reason = "differs", f"missing: {found.missing[0]}"
    elif not found.blocks:
        result.outcome, result.reason = "runs", "ccx prints nothing to compare"
    elif found.error <= AGREES:
        result.outcome = "agrees"
    else:
        result.outcome, result.reason = "differs", found.where


if __name__ == "__main__":
    main()
