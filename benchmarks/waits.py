# SPDX-License-Identifier: BSD-3-Clause
"""What a user waits for: start of the program, a first result, a report, a picture of a mode.

Every command is a new process, as a user's is; commands take turns, and kernels are compiled in a
first round, which does not count. The blade of the examples is run once (a minute), its report and
the animation of its second mode are written again in every round. The documentation is counted too:
its pages, blocks of code and notebooks.
"""

from __future__ import annotations

import argparse
import importlib.util
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from support.machine import limits
from support.report import leave, table

ROOT = Path(__file__).parents[1]
BLADE = ROOT / "examples" / "blade"
_FENCE = re.compile(r"^```(\S+)(?: \S+)?\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_FLEXFORGE = (sys.executable, "-P", "-m", "flexforge")


def commands(folder: Path) -> dict[str, list[str]]:
    """Return the commands by what a user waits for; `folder` holds results of the blade."""
    found = {
        "python": [sys.executable, "-c", "pass"],
        "import flexforge": [sys.executable, "-P", "-c", "import flexforge"],
        "flexforge --help": [*_FLEXFORGE, "--help"],
        "flexforge elements": [*_FLEXFORGE, "elements"],
        "flexforge check, first page": [*_FLEXFORGE, "check", "beam.toml"],
        "flexforge run, first page": [*_FLEXFORGE, "run", "beam.toml"],
        "flexforge modes, first page": [*_FLEXFORGE, "modes", "beam.toml", "--count", "4"],
        "report of the blade": [*_FLEXFORGE, "report", str(folder / "blade")],
    }
    if importlib.util.find_spec("pyvista") is not None:
        found["animation of a mode of the blade"] = [
            *_FLEXFORGE, "animate", str(folder / "modes"), "--mode", "2", "-o", "mode.gif",
            "--overwrite",
        ]  # fmt: skip
    return found


def first_page() -> str:
    """Return the model file of the first page of the documentation."""
    page = (ROOT / "docs" / "start.md").read_text(encoding="utf-8")
    return page.split("```toml file=beam.toml\n")[1].split("```")[0]


def measure(rounds: int, folder: Path) -> dict[str, list[float]]:
    """Return the seconds of every command, in rounds; the first is left out."""
    (folder / "beam.toml").write_text(first_page(), encoding="utf-8")
    for task, out in (("blade.toml", "blade"), ("steady.toml", "modes")):
        call = "run" if out == "blade" else "modes"
        _call([*_FLEXFORGE, call, str(BLADE / task), "-o", str(folder / out)], folder)
    seconds: dict[str, list[float]] = {}
    for number in range(rounds + 1):
        for name, command in commands(folder).items():
            clock = time.perf_counter()
            _call(command, folder)
            if number:
                seconds.setdefault(name, []).append(time.perf_counter() - clock)
    return seconds


def _call(command: list[str], folder: Path) -> None:
    subprocess.run(command, cwd=folder, check=True, capture_output=True)


def documentation() -> dict[str, int]:
    """Return how much documentation there is."""
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *ROOT.glob("examples/*/README.md")]
    blocks = [
        kind
        for page in pages
        for kind, _ in _FENCE.findall(page.read_text(encoding="utf-8"))
        if not kind.startswith("{") and kind != "math"
    ]
    return {
        "pages": len(pages),
        "blocks of code": len(blocks),
        "notebooks": len([*ROOT.glob("examples/notebooks/*.ipynb")]),
    }


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        seconds = measure(arguments.rounds, Path(scratch))
        size = (Path(scratch) / "blade" / "report.html").stat().st_size
    rows = [[name, statistics.median(all_), min(all_)] for name, all_ in seconds.items()]
    found: dict[str, Any] = {
        "machine": limits(),
        "seconds": {name: {"median": median, "least": least} for name, median, least in rows},
        "report of the blade, MB": size / 1e6,
        "documentation": documentation(),
    }
    text = table(("seconds", "median", "least"), rows)
    text += f"\n\nreport of the blade: {size / 1e6:.1f} MB\n"
    text += ", ".join(f"{count} {what}" for what, count in found["documentation"].items())
    leave("waits", found, text, arguments.json)


if __name__ == "__main__":
    main()
