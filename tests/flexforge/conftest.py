# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from flexforge.cli import main

BEAM = """
[mesh]
block = { cell = "quad8", corners = [[0, 0], [1, 0], [1, 0.1], [0, 0.1]], divisions = [8, 1] }
[materials.steel]
young = 2e11
poisson = 0.3
density = 7800
[[bodies]]
name = "beam"
element = "quad8"
material = "steel"
thickness = 0.02
[[supports]]
group = "xmin"
[[loads]]
kind = "force"
group = "xmax"
total = [0, -100, 0]
[analysis]
kind = "static"
"""


@dataclass(frozen=True)
class Said:
    """What a command said and returned."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def error(self) -> str:
        """The one line of the error."""
        assert self.out == "", self.out
        assert self.err.startswith("flexforge: error: "), self.err
        assert self.err.count("\n") == 1, self.err
        return self.err.strip()


@pytest.fixture
def flexforge(capsys: pytest.CaptureFixture[str]):
    """Run a command line in this process."""

    def run(*arguments: object) -> Said:
        capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Said(code, captured.out, captured.err)

    return run


@pytest.fixture
def beam(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of a small cantilever, in a folder that is the current one."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "beam.toml"
    path.write_text(BEAM)
    return path
