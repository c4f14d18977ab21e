# SPDX-License-Identifier: BSD-3-Clause
"""``python -m flexforge.runtime.study.verification``: write verification.md and its data."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from flexforge.codegen.files.atomic import write_file
from flexforge.runtime.study.verification.cases import collect
from flexforge.runtime.study.verification.page import page_of


def main() -> None:
    """Run all cases, and write the page and its data."""
    parser = argparse.ArgumentParser(description="Write verification.md and verification.json.")
    parser.add_argument("cases", type=Path, help="folder of the reference cases")
    parser.add_argument("rates", type=Path, help="results of benchmarks/convergence.py (JSON)")
    parser.add_argument("folder", type=Path, help="folder of the page")
    arguments = parser.parse_args()
    rates = json.loads(arguments.rates.read_text())
    data = collect(arguments.cases)
    data["rates"] = {key: rates[key] for key in ("elements", "rods and shells")}
    files = {
        "verification.json": json.dumps(data, indent=1) + "\n",
        "verification.md": page_of(data),
    }
    for name, text in files.items():
        write_file(arguments.folder / name, text.encode(), overwrite=True)


if __name__ == "__main__":
    main()
