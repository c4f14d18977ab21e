# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

from pathlib import Path

import pytest


@pytest.mark.parametrize("command", ["claims", "audit"])
def test_a_page_that_cannot_be_written_is_refused_at_once(
    flexforge, command: str, tmp_path: Path
) -> None:
    """A missing folder, or a folder in the way: one line before a minute of work, not after."""
    for path, words in (
        (tmp_path / "no" / "page.md", "the parent folder does not exist"),
        (tmp_path, "is a folder; expected a file"),
    ):
        said = flexforge(command, "--markdown", path)
        assert said.code == 2
        assert words in said.error
    assert list(tmp_path.iterdir()) == []
