# SPDX-License-Identifier: BSD-3-Clause
"""The report: one file, complete in itself, whatever there is to report."""

from __future__ import annotations

import base64
import json
import os
import re
import signal
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flexforge.codegen.errors import AnalysisError, InputError
from flexforge.runtime.mesh import structured
from flexforge.runtime.results import BodyGeometry, BodyState, Column, ResultWriter
from flexforge.runtime.results.modal_tables import modes_csv, shares
from flexforge.runtime.results.model_tables import model_tables
from flexforge.runtime.results.report import write_report
from flexforge.runtime.results.rows import figure_rows, probe_heads, probe_rows, without_probes
from flexforge.runtime.results.units import CUSTOMARY
from samples import CUBE, bar, bent

VOID = {"meta", "br", "img", "link", "hr", "input"}


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


def check(folder: Path) -> tuple[str, dict[str, Any]]:
    """Write the report, check that it is sound and needs nothing else; return its text and data."""
    html = write_report(folder).read_text("utf-8")
    page = Checker()
    page.feed(html)
    assert not page.open and not page.addresses
    library = (Path(find_spec("plotly").origin).parent / "package_data/plotly.min.js").read_text()
    own = html.replace(library, "")
    assert "https:" not in own and "http:" not in own and "url(" not in own
    assert "default-src 'none'" in own  # a browser that obeys it sends nothing
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', own, re.S)
    data = json.loads(found[1]) if found else {"scene": None, "plots": [], "campbell": None}
    assert (library in html) == bool(found)
    return " ".join(" ".join(page.text).split()), data


def array(text: str, kind: str) -> np.ndarray:
    """Return numbers of the page."""
    return np.frombuffer(base64.b64decode(text), kind)


def test_full_report(tmp_path: Path) -> None:
    """Title, figures with units, the moving body, a curve for each probe, settings, warnings."""
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
    text, data = check(tmp_path)
    for part in (
        "Bar & frame",
        "finished",
        "123,456",
        "250 MPa",
        "a.young 2.1e+11",
        "75.0 %",
        "watch <this>",
        "tip <z> [mm]",
        "largest displacement in a frame 9.",
        "24 hex8",
    ):
        assert part in text, part
    assert [one["name"] for one in data["plots"]] == ["tip <z>", "speed"]
    assert data["plots"][0]["unit"] == "mm" and data["plots"][0]["time"] == "s"
    (shown,) = data["scene"]["sets"]
    assert shown["labels"] == pytest.approx(np.linspace(0, 1, 11))
    assert [one["name"] for one in shown["quantities"]] == ["displacement", "von_mises"]


def test_a_single_state_has_no_times() -> None:
    """Probes of a static analysis are names and values; nothing is first, last or at t = 0."""
    columns, rows = [Column("time", "s"), Column("tip", "m")], np.array([[0.0, -2e-3]])
    assert probe_heads(rows) == ("Probe", "Value")
    assert probe_rows(columns, rows) == [["tip [mm]", "-2"]]
    assert len(probe_heads(rows[[0, 0]])) == len(probe_rows(columns, rows[[0, 0]])[0])


def test_a_probe_has_one_unit() -> None:
    """The table and the tile of the peak have the same, whichever unit may have a prefix."""
    for unit in CUSTOMARY:
        columns, rows = [Column("time", "s"), Column("root", unit)], np.zeros((2, 2))
        rows[1, 1] = 0.0021
        ((_, amount, prefixed),) = figure_rows({"root, peak": [0.0021, unit]})
        ((title, first, *_, most, _),) = probe_rows(columns, rows)
        assert (title, first, most) == (f"root [{prefixed}]", "0", amount)
    stress = np.array([[0.0, -2.5e8], [1.0, 1e3]])
    (row,) = probe_rows([Column("time", "s"), Column("root", "Pa")], stress)
    assert row == ["root [MPa]", "-250", "0.001", "-250", "0", "0.001", "1"]


def test_of_many_probes_the_tiles_are_left_out() -> None:
    """A table has all of them, with the times of least and most; NaN is neither."""
    columns = [Column("time", "s"), *(Column(f"p{i}", "m") for i in range(9))]
    rows = np.column_stack([[0.0, 1.0, 2.0], *[[0.0, -i, np.nan] for i in range(9)]])
    assert probe_rows(columns, rows)[8] == ["p8 [m]", "0", "nan", "-8", "1", "0", "0"]
    figures = {
        "mass": 1.0,
        **{f"p{i}, {end}": 0.0 for i in range(9) for end in ("peak", "at the end")},
    }
    assert without_probes(figures, columns) == {"mass": 1.0}
    assert set(without_probes(figures, columns[:3])) >= {"mass", "p0, peak", "p1, peak"}


def test_units_of_a_motion_depend_on_what_moves() -> None:
    """A slide is driven in m/s, an angle and a frame in rad/s; a support holds all by default."""
    summary = {
        "bodies": {"b": {}},
        "model": {
            "bodies": [{"name": "b", "frame": {"velocity": 2.0, "origin": {"velocity": 3.0}}}],
            "joints": [{"name": "g", "kind": "prismatic"}, {"name": "c", "kind": "cylindrical"}],
            "drivers": [
                {"name": "d", "joint": "g", "velocity": 1.0},
                {"name": "e", "joint": "c", "coordinate": "angle", "velocity": 1.0},
            ],
            "supports": [{"group": "root"}],
        },
    }
    tables = {title: rows for title, _, rows in model_tables(summary)}
    assert tables["Bodies"][0][-1] == "frame (velocity 2 rad/s, origin (velocity 3 m/s))"
    assert [row[1].rsplit("; ", 1)[1] for row in tables["Drivers"]] == [
        "velocity 1 m/s",
        "velocity 1 rad/s",
    ]
    assert tables["Supports"] == [("root", "holds all components")]


def test_a_scene_holds_what_was_written(tmp_path: Path) -> None:
    """Displacements and stresses at the nodes drawn, to 1/32767; peaks in full, with their node."""
    body = bar("hex20")
    times = np.array([0.1, 0.3, 0.5])
    with ResultWriter(tmp_path, [body]) as writer:
        for t in times:
            writer.frame(t, {body.name: bent(body, t)})
    scene = check(tmp_path)[1]["scene"]
    (shown,) = scene["sets"]
    row = array(scene["row"], "<i4")
    moves = array(shown["moves"]["data"], "<i2").reshape(3, -1, 3) * shown["moves"]["factor"]
    stress = array(shown["von_mises"]["data"], "<i2").reshape(3, -1) * shown["von_mises"]["factor"]
    for k, t in enumerate(times):
        state = bent(body, t)
        np.testing.assert_allclose(moves[k], state.displacement[row], atol=0.01 / 32767)
        np.testing.assert_allclose(stress[k], abs(state.stress[row, 0]), atol=1e8 / 32767)
        size = np.linalg.norm(state.displacement, axis=1)
        peak = shown["quantities"][0]["peaks"][k]
        assert peak["value"] * shown["quantities"][0]["factor"] == pytest.approx(size.max())
        assert size[peak["row"]] == size.max()
    rest, column = array(scene["rest"], "<f4").reshape(-1, 3), array(scene["column"], "<i4")
    np.testing.assert_allclose(rest, body.points[row[column]], atol=1e-6)
    assert array(scene["coloured"], "<i4").max() < len(column)


def test_a_report_of_a_fine_mesh_is_at_most_10_mb(tmp_path: Path) -> None:
    """The surface is coarser then, frames are fewer, and the page says so; peaks remain."""
    part = structured("hex8", CUBE, [60, 60, 20]).part()
    body = BodyGeometry("block", part.cell, part.points, part.connectivity)
    peak = len(part.points) // 2 + 7
    with ResultWriter(tmp_path, [body], formats=["hdf5"]) as writer:
        for t in np.linspace(0, 1, 70):
            u = 1e-3 * t * part.points
            u[peak] = [0.0, 0.1 * t, 0.0]
            writer.frame(t, {"block": BodyState(u)})
    text, data = check(tmp_path)
    assert (tmp_path / "report.html").stat().st_size < 10e6
    assert "60 of 70 frames are shown" in text and "coarser than the mesh" in text
    found = data["scene"]["sets"][0]["quantities"][0]
    assert found["peaks"][-1]["row"] == peak and found["top"] * found["factor"] == 0.1


def test_report_of_modes(tmp_path: Path) -> None:
    """Modes: a table of all frequencies, and every shape."""
    body = bar("tet4")
    shapes = np.random.default_rng(1).normal(size=(8, len(body.points), 3))
    with ResultWriter(tmp_path, [body], title="modes") as writer:
        writer.modes(10.0 * np.arange(1, 9), {body.name: shapes})
    text, data = check(tmp_path)
    assert "80" in text and "502.655" in text  # 2 pi 80
    (shown,) = data["scene"]["sets"]
    assert shown["kind"] == "mode" and shown["labels"] == pytest.approx(10.0 * np.arange(1, 9))
    size = array(shown["moves"]["data"], "<i2").reshape(8, -1, 3) * shown["moves"]["factor"]
    assert (np.linalg.norm(size, axis=2).max(axis=1) <= 1.0001).all()
    assert [one["value"] for one in shown["quantities"][0]["peaks"]] == pytest.approx([1.0] * 8)


def test_effective_masses_are_shares_of_their_sums(tmp_path: Path) -> None:
    """The first two modes of a cantilever have 61.3 and 18.8 % of its mass; no mass has no share.

    Source: Blevins, Formulas for Natural Frequency and Mode Shape, of a uniform beam.
    """
    factors = np.sqrt([[0.0, 61.3, 0.0, 3.0], [0.0, 18.8, 0.0, 1.0]])
    total = np.array([100.0, 100.0, 1e-15, 4.0])
    text = modes_csv(np.array([10.0, 62.7]), ("x", "y", "rx", "rz"), factors, total)
    heads, rows = shares(text)
    assert heads == ["Mode", "Frequency [Hz]", "x [%]", "y [%]", "rz [%]"]
    assert rows == [["1", "10", "0.0", "61.3", "75.0"], ["2", "62.7", "0.0", "18.8", "25.0"],
                    ["Together", "", "0.0", "80.1", "100.0"]]  # fmt: skip
    body = bar("tet4")
    shapes = np.random.default_rng(1).normal(size=(2, len(body.points), 3))
    with ResultWriter(tmp_path, [body], title="modes", formats=("csv",)) as writer:
        writer.modes(np.array([10.0, 62.7]), {body.name: shapes})
        writer.table("modes", text)
    page, _ = check(tmp_path)
    assert "Effective masses" in page and "61.3" in page


@pytest.mark.parametrize("formats", [(), ("csv",), ("vtu",), ("hdf5",)])
def test_report_of_what_there_is(formats: tuple[str, ...], tmp_path: Path) -> None:
    """A report can be made whatever formats were chosen."""
    body = bar("quad8")
    with ResultWriter(tmp_path, [body], formats=formats, probes=[Column("n")]) as writer:
        for t in (0.0, 0.3, 0.6):
            writer.probe_row(t, [t])
            writer.frame(t, {body.name: bent(body, t)})
    _, data = check(tmp_path)
    assert bool(data["plots"]) == bool({"csv", "hdf5"} & {*formats})
    assert bool(data["scene"]) == bool({"vtu", "hdf5"} & {*formats})


def test_report_of_a_failed_run(tmp_path: Path) -> None:
    """A run that failed is reported as such, with its reason and what it had done."""
    body = bar("hex8")
    with pytest.raises(AnalysisError), ResultWriter(tmp_path, [body]) as writer:
        writer.frame(0.0, {body.name: bent(body, 0.2)})
        raise AnalysisError("step 7: no convergence")
    text, data = check(tmp_path)
    assert "failed" in text and "step 7: no convergence" in text and data["scene"]


def test_several_bodies_in_space(tmp_path: Path) -> None:
    """Several bodies are drawn together, where their frames put them."""
    a, b = bar("hex20", "one"), bar("tet10", "two")
    with ResultWriter(tmp_path, [a, b], title="pair") as writer:
        writer.frame(0.4, {"one": bent(a, 0.4), "two": bent(b, 2.0)})
    scene = check(tmp_path)[1]["scene"]
    assert scene["names"] == ["one", "two"]
    turns = array(scene["sets"][0]["turns"], "<f4").reshape(2, 3, 3)
    assert turns[0, 1, 0] == pytest.approx(np.sin(0.4)) and turns[1, 1, 0] == pytest.approx(
        np.sin(2.0)
    )
    np.testing.assert_allclose(array(scene["sets"][0]["origins"], "<f4")[:3], [0.1, 0.2, 0.3])


def test_no_results(tmp_path: Path) -> None:
    """A folder without results is refused in one line."""
    with pytest.raises(InputError, match="has no summary.json"):
        write_report(tmp_path)


def test_names_cannot_end_their_place(tmp_path: Path) -> None:
    """Titles and names with marks of HTML are text, in the page and in the data of the figures."""
    body = bar("hex8", 'blade <script> "1" & <2>')
    title = '</title><script>alert("1")</script> & <b>'
    with ResultWriter(tmp_path, [body], formats=("hdf5",), title=title) as writer:
        writer.frame(0.0, {body.name: bent(body, 0.5)})
    text, data = check(tmp_path)
    assert title in text and data["scene"]["names"] == [body.name]
    html = (tmp_path / "report.html").read_text("utf-8")
    assert title not in html and body.name not in html and "<script>alert" not in html


def test_nothing_moves(tmp_path: Path) -> None:
    """One frame without any displacement: true scale, the largest value is zero, no division."""
    body = bar("hex8")
    still = BodyState(np.zeros((len(body.points), 3)), None, None, None)
    with ResultWriter(tmp_path, [body], formats=("hdf5",)) as writer:
        writer.frame(0.0, {body.name: still})
    _, data = check(tmp_path)
    (shown,) = data["scene"]["sets"]
    assert data["scene"]["scale"] == 1 and shown["labels"] == [0.0]
    assert [one["value"] for one in shown["quantities"][0]["peaks"]] == [0.0]
    assert not array(shown["moves"]["data"], "<i2").any()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_report_of_a_killed_run(tmp_path: Path) -> None:
    """The frames that were written are shown, and the page says that the run did not finish."""
    body = bar("hex8")
    child = os.fork()
    if not child:
        writer = ResultWriter(tmp_path, [body], formats=("hdf5",)).__enter__()
        for t in np.linspace(0, 1, 5):
            writer.frame(t, {body.name: bent(body, t)})
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    text, data = check(tmp_path)
    assert "not finished: still running, or stopped from outside" in text
    assert data["scene"]["sets"][0]["labels"] == pytest.approx([0, 0.25, 0.5, 0.75, 1])
