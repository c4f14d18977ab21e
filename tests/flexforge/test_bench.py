# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout with one benchmark, and an installation that is none."""
    import flexforge.commands.bench as module

    installed = tmp_path / "site-packages" / "flexforge" / "commands"
    installed.mkdir(parents=True)
    monkeypatch.setattr(module, "__file__", str(installed / "bench.py"))
    root = tmp_path / "checkout"
    (root / "benchmarks").mkdir(parents=True)
    (root / "pyproject.toml").write_text('[project]\nname = "flexforge"\n')
    (root / "benchmarks" / "sums.py").write_text(
        '"""How fast sums are.\n\nMore."""\nimport sys\n'
        'open("../said", "w").write(" ".join(sys.argv[1:]))\nsys.exit(3)\n'
    )
    monkeypatch.chdir(root)
    return root


def test_bench_lists_and_runs(flexforge, checkout: Path, tmp_path: Path) -> None:
    """Benchmarks are listed by their first line, get their options, and return their code."""
    assert flexforge("bench", "--json").json == {"sums": "How fast sums are."}
    assert "How fast sums are." in flexforge("bench").out
    assert flexforge("bench", "sums", "--threads", "2").code == 3
    assert (tmp_path / "said").read_text() == "--threads 2"


def test_bench_of_nothing(flexforge, checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An unknown benchmark, or no checkout at all, is an input error."""
    said = flexforge("bench", "sum")
    assert said.code == 2
    assert "did you mean 'sums'" in said.error
    monkeypatch.chdir(checkout.parent)
    said = flexforge("bench")
    assert said.code == 2
    assert "checkout" in said.error
