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
import signal
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
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
#: Seconds after which either program is stopped.
PATIENCE = 300
#: Cards of a step that make CalculiX go on until nothing changes any more.
TIGHT = "*CONTROLS, PARAMETERS=FIELD\n1.e-9, 1.e-9, .01, , .02, 1.e-9, 1.e-9, 1.e-8\n"
#: Keywords and element types of decks that are not about elastic bodies.
OTHERS = re.compile(
    r"^\*\s*(HEAT\s*TRANSFER|CONTACT\s*PAIR|PLASTIC|SENSITIVITY|CFD|FLUID\s*SECTIONS?|FLUID\s*"
    r"CONSTANTS|CREEP|VISCO|(UN)?COUPLED\s*TEMPERATURE-DISPLACEMENT|ELECTROMAGNETICS|DESIGN\s*"
    r"VARIABLES|USER\s*MATERIAL|GAP\b|MODEL\s*CHANGE|CYCLIC\s*HARDENING|DEFORMATION\s*PLASTICITY|"
    r"GAP\s*CONDUCTANCE|SURFACE\s*INTERACTION|RESTART|SUBMODEL|NO\s*ANALYSIS)"
    r"|^\*\s*ELEMENT.*TYPE\s*=\s*(D\s*$|D,|F3D|GAP)",
    re.IGNORECASE | re.MULTILINE,
)
#: Elements of bodies of revolution.
REVOLVED = re.compile(r"^\*\s*ELEMENT.*TYPE\s*=\s*CAX", re.IGNORECASE | re.MULTILINE)


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
    names = arguments.decks or sorted({p.name.partition(".inp")[0] for p in folder.glob("*.inp*")})
    results = []
    for name in names:
        text = unpacked(folder / f"{name}.inp").decode(errors="replace")
        if not arguments.decks and OTHERS.search(text):
            continue
        results.append(one(name, text, folder))
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
    decks = [Path(line) for line in listed.stdout.split() if line.endswith((".inp", ".inp.gz"))]
    if not decks:
        raise SystemExit(f"{PACKAGE}: not installed; expected it, or --folder")
    return decks[0].parent


def unpacked(path: Path) -> bytes:
    """Return the content of a file, which the package may have compressed; empty without one."""
    if path.is_file():
        return path.read_bytes()
    packed = path.with_name(f"{path.name}.gz")
    return gzip.decompress(packed.read_bytes()) if packed.is_file() else b""


def one(name: str, text: str, folder: Path) -> Result:
    """Run one deck by both and compare what they print.

    Where they differ, what CalculiX is known to leave is asked for by a few more cards, of both.
    """
    result = compare(Result(name, "refused"), text, folder)
    for reason, changed in edits(name, text):
        if result.outcome != "differs":
            break
        again = compare(Result(name, "refused"), changed, folder)
        if again.outcome == "agrees":
            before = f"as it is {result.error:.1e}"
            result = replace(again, reason=f"{reason}; {before}")
    return result


def edits(name: str, text: str) -> Iterator[tuple[str, str]]:
    """Yield changes of a deck that take out what its results by CalculiX are not exact in."""
    direct = re.sub(r"(?i),\s*SOLVER\s*=\s*ITERATIVE[ A-Z]*", "", text)
    if direct != text:
        yield "with a direct solver in CalculiX", direct
    if re.search(r"(?im)^\*\s*STEP.*NLGEOM", text):
        yield (
            "with tolerances of 1e-9 in CalculiX",
            re.sub(
                r"(?im)^(\*\s*STEP.*\n)",
                rf"\1{TIGHT}",
                re.sub(r"(?im)^\*\s*CONTROLS.*\n.*\n", "", text),
            ),
        )
    strained = re.compile(r"(?im)^(\*\s*STEP)(?!.*(NLGEOM|PERTURBATION))(?=.*\n\*\s*STATIC)")
    if re.search(r"(?im)^\*\s*STEP.*PERTURBATION", text) and strained.search(text):
        yield (
            "with NLGEOM in the static step, whose displacements CalculiX adds to the stiffness",
            strained.sub(r"\1, NLGEOM", text),
        )
    steps = re.compile(r"(?im)^\*\s*DYNAMIC(?=\s*$|\s*,)(?!.*(DIRECT|EXPLICIT))")
    if steps.search(text):
        yield "with equal steps in CalculiX", steps.sub("*DYNAMIC, DIRECT", text)
    weighed = re.compile(r"(?im)^(\*\s*DYNAMIC\s*,\s*DIRECT\s*)$")
    if weighed.search(text):
        yield "with ALPHA=0: CalculiX weighs damping otherwise", weighed.sub(r"\1, ALPHA=0.", text)
    if re.search(r"(?im)^\*\s*PRE-TENSION\s*SECTION.*SURFACE", text):
        asked = re.sub(r"(?im)^\*\s*NODE\s*PRINT.*\nRF.*\n", "", text)
        yield (
            "of stresses, as CalculiX prints the tension of one pair of nodes only",
            re.sub(r"(?im)^\*\s*END\s*STEP", "*EL PRINT,ELSET=Eall\nS\n*END STEP", asked),
        )
    terms = re.compile(r"(?im)^(\*\s*STEADY\s*STATE.*HARMONIC=NO.*\n(?:[^,]*,){4})[^,]*")
    if terms.search(text):
        yield (
            "with 400 instants, where CalculiX takes sums for integrals",
            terms.sub(r"\g<1>400", text),
        )
    if name in ("segdyn", "segststate"):  # of two almost equal modes of 6 CalculiX takes one
        yield "of modes of up to 5 nodal diameters", text.replace("NMAX=6", "NMAX=5")


def compare(result: Result, text: str, folder: Path) -> Result:
    """Run one deck by both and say what a comparison means."""
    with tempfile.TemporaryDirectory() as made:
        scratch = Path(made)
        path = scratch / f"{result.deck}.inp"
        path.write_text(text)
        begun = time.perf_counter()
        try:
            subprocess.run(["ccx", "-i", path.stem], cwd=scratch, capture_output=True,
                           timeout=PATIENCE, check=False)  # fmt: skip
        except subprocess.TimeoutExpired:
            result.reason = f"ccx takes more than {PATIENCE} s"
        result.ccx_s = time.perf_counter() - begun
        begun = time.perf_counter()
        try:
            translation = translate(path, ["CONTROLS"] if TIGHT in text else [], expanded=True)
            translation.tables["output"] = {"formats": ["dat"]}
            model = model_from_dict(translation.tables, path.parent)
            result.outcome = "fails"
            with at_most(PATIENCE):
                run_model(model, output=scratch / "results")
        except TimeoutError:
            result.reason = f"takes more than {PATIENCE} s"
            return result
        except FlexforgeError as error:
            result.reason = str(error).partition("\n")[0].removeprefix(f"{path}:")[:100]
            if isinstance(error, InputError):
                result.outcome = "refused"
            return result
        result.flexforge_s = time.perf_counter() - begun
        steps = [scratch / "results" / step / "results.dat" for step in translation.steps]
        ours = [file.read_text() if file.is_file() else "" for file in steps]
        turns = {
            node: (
                int(point.lstrip("#")),
                tuple(None if k is None else i + k - 3 for i, k in enumerate(further)),
            )
            for node, (point, further) in translation.turns.items()
        }
        found = compared(
            ours,
            printed(path, folder),
            translation.ends,
            turns,
            revolved=REVOLVED.search(text) is not None,
            stiffness=stiffest(text),
        )
        judge(result, found)
    return result


@contextmanager
def at_most(seconds: int) -> Iterator[None]:
    """Raise TimeoutError in what takes longer."""

    def stop(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def stiffest(text: str) -> float:
    """Return the largest number of the elastic constants of a deck."""
    found = [0.0]
    for lines in re.findall(r"^\*\s*ELASTIC.*\n((?:[^*].*\n)+)", text, re.I | re.M):
        for field in re.split(r"[,\s]+", lines):
            with suppress(ValueError):
                found.append(float(field))
    return max(found)


def printed(path: Path, folder: Path) -> str:
    """Return what ccx printed here; what it printed for the package, where it fails here."""
    here = path.with_suffix(".dat")
    if here.is_file() and here.stat().st_size:
        return here.read_text()
    return unpacked(folder / f"{path.stem}.dat.ref").decode()


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
