# SPDX-License-Identifier: BSD-3-Clause
"""The documentation site: pages that the program writes are those of the program."""

from __future__ import annotations

from pathlib import Path

import pytest

sphinx = pytest.importorskip("sphinx.testing.util", reason="sphinx is not installed")

SITE = Path(__file__).parents[2] / "docs" / "site"


@pytest.mark.parametrize(
    ("extension", "directive", "expected"),
    [
        ("command_reference", "commands", "--resume"),
        ("model_reference", "model-keys", "checkpoint"),
    ],
)
def test_pages_of_the_program_are_read_by_every_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, extension: str, directive: str, expected: str
) -> None:
    """Their source does not change when the program does; other pages are read once."""
    monkeypatch.syspath_prepend(str(SITE))
    (tmp_path / "conf.py").write_text(f"extensions = [{extension!r}]")
    (tmp_path / "index.rst").write_text(f"Title\n=====\n\n.. {directive}::\n")
    (tmp_path / "other.rst").write_text(":orphan:\n\nTitle\n=====\n")
    read: list[list[str]] = []
    for _ in range(2):
        app = sphinx.SphinxTestApp("text", srcdir=tmp_path, freshenv=False)
        app.connect("env-before-read-docs", lambda _app, _env, names: read.append(sorted(names)))
        app.build()
        app.cleanup()
    assert read == [["index", "other"], ["index"]]
    assert expected in (tmp_path / "_build" / "text" / "index.txt").read_text("utf-8")
