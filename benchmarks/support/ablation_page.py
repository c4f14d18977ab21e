# SPDX-License-Identifier: BSD-3-Clause
"""The ablation as Markdown: a part of a page, between its markers."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from flexforge.codegen.errors import InputError

BEGIN, END = "<!-- ablation -->", "<!-- /ablation -->"
PAGE = f"""# Performance

What makes the kernels fast, in figures. Counts are exact and the same everywhere; times are of one
machine, and only ratios within one run say something.

{BEGIN}
{END}
"""
INTRODUCTION = """## What every pass is worth

`flexforge bench ablation --markdown docs/performance.md` writes this part. Each of the kernels is
compiled with all passes, and again with one of them left out of the pipeline. Where another pass
tries whether its change pays in the end, it still judges by all of them. Operations are additions,
products, quotients and roots an element; bytes are those of local arrays, inputs and output; the
times are those of the kernel of {lanes} elements, all variants of a kernel taking turns in one run.
A figure is the one without the pass over the one with all: above 1 the pass pays. "=" says that
the text of the kernel is the same without it.

Measured on {processor} ({cores} cores, {width} doubles a vector) with {compiler}, {day};
{load:.1f} processes wanted to run when it began. Where a variant has the operations and bytes of
the kernel with all passes, as those without prune have, its time tells how far the times scatter.
"""


def write_page(path: Path, results: dict[str, Any]) -> None:
    """Write the part into a page between its markers; make the page where there is none."""
    text = path.read_text() if path.exists() else PAGE
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        raise InputError(f"{path}: found no {BEGIN} .. {END}; expected each once")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    path.write_text(f"{before}{BEGIN}\n{_part(results)}{END}{after}")


def _part(results: dict[str, Any]) -> str:
    machine, found, passes = results["machine"], results["kernels"], results["passes"]
    pieces = [
        INTRODUCTION.format(
            lanes=results["lanes"], processor=machine["processor"], cores=machine["cores"],
            width=machine["lanes"], compiler=results["compiler"],
            load=results["load"], day=datetime.now(UTC).strftime("%B %Y"),
        ),
        f"Geometric means over {len(found)} kernels:\n",
        _table(
            ("without", "kernels changed", "operations", "bytes", "ns", "ns, worst kernel"),
            [
                [name, str(mean["kernels changed"])]
                + [f"{mean[k]:.2f}" for k in ("operations", "bytes", "ns", "worst ns")]
                for name, mean in passes.items()
            ],
        ),
    ]  # fmt: skip
    for figure, words in (("operations", "Operations"), ("bytes", "Bytes"), ("ns", "Time")):
        rows = []
        for kernel, case in found.items():
            whole = case["all passes"][figure]
            ratios = (
                f"{case[p][figure] / whole:.2f}" if case[p]["changed"] else "=" for p in passes
            )
            rows.append([kernel, f"{whole:,.1f}" if figure == "ns" else f"{whole:,}", *ratios])
        pieces += [f"{words}, with all passes and without one:\n"]
        pieces += [_table(("kernel", f"{figure}, all passes", *passes), rows)]
    return "\n".join(pieces)


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [heads, ["---", *["---:"] * (len(heads) - 1)], *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
