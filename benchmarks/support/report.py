# SPDX-License-Identifier: BSD-3-Clause
"""What a benchmark leaves: a table for people, JSON for programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "results"


def table(heads: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Return rows under their heads, the first column to the left, figures to the right."""
    cells = [list(heads), *([_text(x) for x in row] for row in rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(heads))]
    lines = []
    for row in cells:
        first, *others = (
            x.ljust(w) if i == 0 else x.rjust(w)
            for i, (x, w) in enumerate(zip(row, widths, strict=True))
        )
        lines.append("  ".join([first, *others]).rstrip())
    lines.insert(1, "  ".join("-" * w for w in widths))
    return "\n".join(lines)


def _text(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def leave(name: str, results: dict[str, Any], text: str, as_json: bool) -> None:
    """Write the results to ``results/NAME.json`` and print them."""
    results = {"benchmark": name, "at": datetime.now(UTC).isoformat(timespec="seconds"), **results}
    FOLDER.mkdir(exist_ok=True)
    path = FOLDER / f"{name}.json"
    path.write_text(json.dumps(results, indent=1))
    print(json.dumps(results, indent=1) if as_json else text)
    print(f"results in {path}", file=sys.stderr)
