# SPDX-License-Identifier: BSD-3-Clause
"""``python -m flexforge.codegen.study.pages FOLDER``: write the pages into a folder."""

from __future__ import annotations

import sys
from pathlib import Path

from flexforge.codegen.study.pages.build import pages

if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m flexforge.codegen.study.pages FOLDER")
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        (folder / name).write_text(text, encoding="utf-8")
