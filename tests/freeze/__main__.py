# SPDX-License-Identifier: BSD-3-Clause
"""Record what users see of a checkout, and compare two recordings.

    PYTHON tests/freeze record FOLDER [--part NAME ...]
    PYTHON tests/freeze compare OLD NEW [--relative 1e-12]

``PYTHON`` is that of the checkout to be recorded; the script need not be in it. A recording asks
the public names and the command line alone, so that one script records the commit before a change
and the one after it. No figures are kept in the repository: both are recorded on one machine, with
one compiler, and are equal bit for bit, or to a share of the largest value of each array.

A recording goes on where it was stopped, unless files have changed since. What is left out of it as
being of one run or one machine is named in ``asking``.

What a recording cannot see: time and memory; files of results other than HDF5, CSV and the summary;
options that no example uses; what FMUs compute (their sources are recorded, and the libraries of
the same models are run); kernels of elements that ``compiler`` does not name; wrong models that
``surface`` does not name; and what depends on the number of threads.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from frozen.comparing import compare
from frozen.parts import PARTS
from frozen.recording import record


def main() -> int:
    """Record or compare; return 1 where recordings differ."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    recorder = commands.add_parser("record")
    recorder.add_argument("folder", type=Path)
    recorder.add_argument("--part", action="append", choices=sorted(PARTS), help="all by default")
    comparer = commands.add_parser("compare")
    comparer.add_argument("old", type=Path)
    comparer.add_argument("new", type=Path)
    comparer.add_argument("--relative", type=float, default=0.0, help="of the largest value")
    given = parser.parse_args()
    if given.command == "record":
        return record(given.folder, given.part or list(PARTS))
    without = [n for n in PARTS if not any((f / n).exists() for f in (given.old, given.new))]
    if without:
        print(f"in neither recording: {', '.join(without)}")
    return compare(given.old, given.new, given.relative)


if __name__ == "__main__":
    sys.exit(main())
