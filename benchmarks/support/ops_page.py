# SPDX-License-Identifier: BSD-3-Clause
"""A page of bar charts that shows in a minute how the formalisms compare."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2

REFERENCE = "lagrange"
Row = Mapping[str, Any]


@dataclass(frozen=True)
class Bar:
    """One bar: its label, its figure as text, and its length in percent of the longest."""

    label: str
    text: str
    length: float
    tone: str


@dataclass(frozen=True)
class Chart:
    """Bars under a title, with a sentence that says what they mean."""

    title: str
    sentence: str
    bars: tuple[Bar, ...]


def _sum(*kinds: str, only: Callable[[str], bool] = lambda _: True) -> Callable[[Row], float]:
    return lambda row: sum(n for kind in kinds for k, n in row[kind].items() if only(k))


def _kernel(stage: str, what: str) -> Callable[[Row], float | None]:
    return lambda row: row["kernels"][stage].get(what)


#: Title, sentence, and what is read from the counts of a formalism.
FIGURES: tuple[tuple[str, str, Callable[[Row], float | None]], ...] = (
    ("Differentiations", "Scalar partial and total derivatives the method performs.",
     _sum("partial_derivatives", "total_derivatives")),
    ("Algebra of the derivation",
     "Products and sums to build velocities, energies, forces, and to multiply the result out.",
     _sum("products", "sums")),
    ("Equations as written", "Operations of the equations of motion as the method leaves them.",
     _kernel("as_written", "operations")),
    ("Equations after sympy.cse", "The same after SymPy's search for common subexpressions.",
     _kernel("sympy_cse", "operations")),
    ("Equations after our passes", "The same after the passes of flexforge.",
     _kernel("passes", "operations")),
    ("Executed instructions", "Of that kernel, counted by callgrind, one element, AVX2.",
     _kernel("passes", "instructions")),
    ("Nanoseconds", "Of that kernel on this machine, one element, one thread, in turns.",
     _kernel("passes", "ns")),
)  # fmt: skip


def write_page(path: Path, results: Mapping[str, Any]) -> None:
    """Write the page.

    Parameters
    ----------
    path : Path
        Where; folders are made.
    results : mapping
        What ``bench ops`` found.
    """
    template = Path(__file__).with_name("ops.html.jinja").read_text(encoding="utf-8")
    page = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    ).from_string(template)
    elements = results["elements"]
    html = page.render(
        overview=_overview(elements),
        elements=[
            {
                "name": name,
                "coordinates": found["coordinates"],
                "frame": found["frame"],
                "charts": _charts(found["formalisms"]),
                "canonical": {t: c["operations"] for t, c in found["canonical"].items()},
            }
            for name, found in elements.items()
        ],
        compiler=results["compiler"],
        missing=results["instructions_missing"],
        reference=REFERENCE,
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(html, encoding="utf-8")


def _charts(formalisms: Mapping[str, Row]) -> list[Chart]:
    """Return the charts of one element."""
    charts = []
    for title, sentence, read in FIGURES:
        values = {name: read(row) for name, row in formalisms.items()}
        if all(v is not None for v in values.values()):
            charts.append(Chart(title, sentence, _bars(values, "{:,.0f}")))
    return charts


def _overview(elements: Mapping[str, Any]) -> list[Chart]:
    """Return the same figures relative to Lagrange, geometric means over the elements."""
    charts = []
    for title, sentence, read in FIGURES:
        ratios: dict[str, list[float]] = {}
        for found in elements.values():
            base = read(found["formalisms"][REFERENCE])
            for name, row in found["formalisms"].items():
                value = read(row)
                if base and value is not None:
                    ratios.setdefault(name, []).append(value / base)
        if ratios:
            means = {name: 100 * _mean(found) for name, found in ratios.items()}
            charts.append(Chart(title, sentence, _bars(means, "{:.0f} %")))
    return charts


def _mean(ratios: list[float]) -> float:
    if min(ratios) == 0:
        return 0.0
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def _bars(values: Mapping[str, Any], form: str) -> tuple[Bar, ...]:
    longest, least = max(values.values()), min(values.values())
    return tuple(
        Bar(
            name.replace("_", " "),
            form.format(value),
            100 * value / longest if longest else 0.0,
            "least" if value == least else "other",
        )
        for name, value in values.items()
    )
