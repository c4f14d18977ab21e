# SPDX-License-Identifier: BSD-3-Clause
"""The verification manual as a page of Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any

from flexforge.runtime.study.verification.cases import Check, Study
from flexforge.templates import render


def page_of(data: Mapping[str, Any]) -> str:
    """Return the page on cases and rates.

    Parameters
    ----------
    data : mapping
        ``checks`` and ``studies`` of :func:`collect`, and ``rates``: the results of
        ``benchmarks/convergence.py``.
    """
    checks = [Check(**one) for one in data["checks"]]
    return render(
        "study/verification.md.jinja",
        cases=[
            {
                "name": name,
                "groups": [
                    {"model": model, "source": source, "rows": list(map(_row, rows))}
                    for (model, source), rows in groupby(group, lambda one: (one.model, one.source))
                ],
            }
            for name, group in groupby(checks, lambda one: one.case)
        ],
        studies=[_study(Study(**one)) for one in data["studies"]],
        rates=list(_rates(data["rates"]["elements"])),
        works=list(_works(data["rates"]["rods and shells"])),
        figures=len(checks),
        largest=f"{100 * max(one.error / one.allowed for one in checks):.0f}",
    )


def _row(one: Check) -> tuple[str, ...]:
    """Return name, reference, computed value, error and tolerance of a figure."""
    if one.expected:
        error, allowed = (f"{size / abs(one.expected):.1e}" for size in (one.error, one.allowed))
    else:
        error, allowed = (f"{size:.1e} {one.unit}".strip() for size in (one.error, one.allowed))
    unit = f" {one.unit}" if one.unit else ""
    return one.figure, f"{one.expected:.9g}{unit}", f"{one.computed:.7g}{unit}", error, allowed


def _study(one: Study) -> dict[str, Any]:
    order = "-" if one.order is None else f"{one.order:.1f}"
    rows = zip(one.meshes, (f"{value:.7g}" for value in one.computed),
               (f"{error:.1e}" for error in one.errors), strict=True)  # fmt: skip
    return {"case": one.case, "figure": one.figure, "expected": f"{one.expected:.7g}",
            "source": one.source, "rows": list(rows), "order": order}  # fmt: skip


def _rates(elements: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """Yield errors and orders of solids and plane elements beside those of theory."""
    for name, one in elements.items():
        found = one["rates"]
        theory = found["expected"]
        yield (
            name, str(found["divisions"]),
            f"{found['displacement']:.1e}", f"{found['displacement rate']:.2f}", str(theory[0]),
            f"{found['energy']:.1e}", f"{found['energy rate']:.2f}", str(theory[1]),
        )  # fmt: skip


def _works(elements: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """Yield errors and orders of the work of rods and shells beside those of theory."""
    for name, one in elements.items():
        yield name, f"{one['work']:.1e}", f"{one['work rate']:.2f}", str(one["expected"])
