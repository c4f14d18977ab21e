# SPDX-License-Identifier: BSD-3-Clause
"""`flexforge view` where there is no display, no PyVista or no browser."""

from __future__ import annotations

import json
import sys
import webbrowser
from pathlib import Path

import pytest
from flexforge.runtime.results import viewer


@pytest.fixture
def results(flexforge, beam: Path) -> Path:
    """Run a beam and return the folder of its results."""
    folder = beam.parent / "out"
    assert flexforge("run", beam, "--output", folder).code == 0
    return folder


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the addresses that the browser is asked to open."""
    found: list[str] = []
    monkeypatch.setattr(webbrowser, "open", lambda address: found.append(address) or True)
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there is always a display")
def test_without_a_display_the_report_is_opened(
    flexforge, results: Path, opened: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page is the report in the folder of results: no other file is left anywhere."""
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    (results / "report.html").unlink()
    before = {path.name for path in results.iterdir()}
    said = flexforge("view", results)
    page = results / "report.html"
    assert said.code == 0 and opened == [page.as_uri()]
    assert said.out.splitlines() == [
        "no window: there is no display", f"opened in the browser: {page}"
    ]  # fmt: skip
    assert {path.name for path in results.iterdir()} == {*before, "report.html"}


def test_without_pyvista_the_report_is_opened(
    flexforge, results: Path, opened: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line names the extra that would give a window."""
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr(viewer, "find_spec", lambda name: None)
    said = flexforge("view", results)
    assert said.code == 0 and len(opened) == 1
    assert 'pip install "flexforge[view]"' in said.out.splitlines()[0]


def test_without_a_browser_the_page_is_named(
    flexforge, results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page is written, and the user can open it."""
    monkeypatch.setattr(webbrowser, "open", lambda address: False)
    said = flexforge("view", results, "--browser", "--json")
    assert json.loads(said.out) == {"page": str(results / "report.html"), "opened": False}


def test_a_report_of_others_is_kept(flexforge, results: Path, opened: list[str]) -> None:
    """A report.html that flexforge did not write is not replaced."""
    (results / ".flexforge-files").unlink()
    (results / "report.html").write_text("mine")
    said = flexforge("view", results, "--browser")
    assert said.code == 2 and "report.html" in said.err and not opened
    assert (results / "report.html").read_text() == "mine"


def test_one_frame_is_not_animated(flexforge, results: Path) -> None:
    """A static run has one frame, which the report shows; it is no motion."""
    assert "has one frame; an animation needs two" in flexforge("animate", results).error
    assert not (results / "motion.gif").exists()
