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

Operation counts and times of the kernels. Counts are exact on every machine; times are from one
machine, and only ratios within one run are meaningful.

{BEGIN}
{END}
"""
INTRODUCTION = """## What every pass is worth

`flexforge bench ablation --markdown docs/performance.md` writes this part. Each kernel is compiled
with all passes, and again with one pass left out of the pipeline. A pass that tests whether its
change pays in the end still tests with all passes. Operations are additions, products, quotients
and roots per element; bytes are those of local arrays, inputs and output; times are those of the
kernel for {lanes} elements, with all variants of a kernel alternating in one run. The figures are
ratios, without the pass to with all passes: above 1 the pass pays. "=" means that the kernel text
is the same without the pass.

Measured on {processor} ({cores} cores, {width} doubles per vector) with {compiler}, {day};
the load average was {load:.1f} at the start. Where a variant has the operations and bytes of the
kernel with all passes, as without prune, its time shows the scatter of the measurement.
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
