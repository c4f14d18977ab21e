# SPDX-License-Identifier: BSD-3-Clause
"""``python -m flexforge.runtime.study.support FOLDER``: write support.md and support.json."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from flexforge.codegen.files.atomic import write_file
from flexforge.runtime.study.support.build import build
from flexforge.runtime.study.support.page import page_of


def main() -> None:
    """Probe everything, and write the page and its data."""
    parser = argparse.ArgumentParser(description="Write support.md and support.json.")
    parser.add_argument("folder", type=Path, help="folder of the page")
    folder: Path = parser.parse_args().folder
    data = build()
    files = {"support.json": json.dumps(data, indent=1) + "\n", "support.md": page_of(data)}
    for name, text in files.items():
        write_file(folder / name, text.encode(), overwrite=True)


if __name__ == "__main__":
    main()
