# SPDX-License-Identifier: BSD-3-Clause
"""The report: one file, complete in itself, whatever there is to report."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from flexforge.codegen.errors import AnalysisError, InputError
from flexforge.runtime.results import Column, ResultWriter
from flexforge.runtime.results.report import write_report
from samples import bar, bent

VOID = {"meta", "br", "img", "link", "hr"}


class Checker(HTMLParser):
    """Checks that tags close in order; gathers text and addresses."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text: list[str] = []
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: D102
        self.addresses += [v or "" for k, v in attrs if k in ("src", "href")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:  # noqa: D102
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:  # noqa: D102
        self.text.append(data)


def check(folder: Path) -> tuple[str, list[str]]:
    """Write the report, check that it is sound and needs nothing else; return text and images."""
    html = write_report(folder).read_text("utf-8")
    page = Checker()
    page.feed(html)
    assert not page.open and all(a.startswith("data:image/") for a in page.addresses)
    outside = re.sub(r"base64,[A-Za-z0-9+/=]+", "", html)
    assert "http" not in outside and "@import" not in outside and "url(" not in outside
    return " ".join(" ".join(page.text).split()), page.addresses


def test_full_report(tmp_path: Path) -> None:
    """Title, figures with units, pictures, a curve for each probe, settings, timings, warnings."""
    body = bar("hex8")
    probes = [Column("tip <z>", "m"), Column("speed", "m/s")]
    with ResultWriter(
        tmp_path, [body], probes=probes, title="Bar & frame", settings={"a": {"young": 2.1e11}}
    ) as writer:
        for t in np.linspace(0, 1, 11):
            writer.probe_row(t, [0.01 * np.sin(3 * t), t])
            writer.frame(t, {body.name: bent(body, t)})
        writer.summary({
            "figures": {"unknowns": 123456, "peak stress": [2.5e8, "Pa"], "converged": True},
            "timings": {"assembly": 0.25, "steps": 0.75}, "warnings": ["watch <this>"],
        })  # fmt: skip
    text, images = check(tmp_path)
    for part in (
        "Bar & frame",
        "finished",
        "123,456",
        "250 MPa",
        "a.young 2.1e+11",
        "75.0 %",
        "watch <this>",
        "tip <z> [m]",
        "largest displacement 9.",
        "24 hex8",
    ):
        assert part in text, part
    assert sum("png" in image[:20] for image in images) in (2, 4)
    assert sum("svg" in image[:20] for image in images) == 2


@pytest.mark.slow
def test_report_of_modes(tmp_path: Path) -> None:
    """Modes: a table of all frequencies and pictures of the first six."""
    body = bar("tet4")
    shapes = np.random.default_rng(1).normal(size=(8, len(body.points), 3))
    with ResultWriter(tmp_path, [body], title="modes") as writer:
        writer.modes(10.0 * np.arange(1, 9), {body.name: shapes})
    text, images = check(tmp_path)
    assert "80" in text and "502.655" in text and "Mode 6: 60 Hz" in text  # 2 pi 80 = 502.655
    assert len(images) == 6


@pytest.mark.parametrize("formats", [(), ("csv",), ("vtu",), ("hdf5",)])
def test_report_of_what_there_is(formats: tuple[str, ...], tmp_path: Path) -> None:
    """A report can be made whatever formats were chosen."""
    body = bar("quad8")
    with ResultWriter(tmp_path, [body], formats=formats, probes=[Column("n")]) as writer:
        for t in (0.0, 0.3, 0.6):
            writer.probe_row(t, [t])
            writer.frame(t, {body.name: bent(body, t)})
    _, images = check(tmp_path)
    assert bool(images) == bool(formats)


def test_report_of_a_failed_run(tmp_path: Path) -> None:
    """A run that failed is reported as such, with its reason and what it had done."""
    body = bar("hex8")
    with pytest.raises(AnalysisError), ResultWriter(tmp_path, [body]) as writer:
        writer.frame(0.0, {body.name: bent(body, 0.2)})
        raise AnalysisError("step 7: no convergence")
    text, images = check(tmp_path)
    assert "failed" in text and "step 7: no convergence" in text and images


def test_several_bodies_in_space(tmp_path: Path) -> None:
    """Several bodies are drawn together, where their frames put them."""
    a, b = bar("hex20", "one"), bar("tet10", "two")
    with ResultWriter(tmp_path, [a, b], title="pair") as writer:
        writer.frame(0.4, {"one": bent(a, 0.4), "two": bent(b, 2.0)})
    text, images = check(tmp_path)
    assert "Deformed parts" in text and len(images) == 2


def test_no_results(tmp_path: Path) -> None:
    """A folder without results is refused in one line."""
    with pytest.raises(InputError, match="has no summary.json"):
        write_report(tmp_path)
