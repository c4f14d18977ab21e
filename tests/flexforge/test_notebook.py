# SPDX-License-Identifier: BSD-3-Clause
"""What a session of IPython shows of objects, and the progress of a run in a notebook."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import flexforge as ff
import pytest
from flexforge.notebook import SHOWN, register
from flexforge.progress import in_notebook, shown

IPython = pytest.importorskip("IPython", reason="IPython is not installed")

TABLES = {
    "title": "A ball <b>",
    "mesh": {"points": {"tip": [0, 0, 0]}},
    "masses": [{"name": "ball", "group": "tip", "mass": 2.0}],
    "loads": [{"kind": "force", "group": "tip", "total": [4.0, 0, 0]}],
    "probes": [{"name": "way", "group": "tip", "component": "x"}],
    "analysis": {"kind": "transient", "duration": 1.0, "steps": 10},
    "output": {"formats": ["hdf5", "csv"]},
}


@pytest.fixture(scope="module")
def session() -> Any:
    """Return a formatter of IPython that knows the objects of flexforge."""
    from IPython.core.formatters import DisplayFormatter

    shell = SimpleNamespace(display_formatter=DisplayFormatter())
    register(shell)
    return shell.display_formatter


def test_every_type_that_is_shown_exists_under_its_name() -> None:
    """They are registered by name, which a renamed class would escape unnoticed."""
    for (module, name), (_, place, function) in SHOWN.items():
        assert getattr(import_module(f"flexforge.{module}"), name).__module__.endswith(module)
        assert callable(getattr(import_module(f"flexforge.notebook.{place}"), function))


def test_formulas_and_tables_of_the_compiler(session: Any) -> None:
    """LaTeX, Markdown or HTML beside the plain text, which stays a line."""
    equations, kernel = ff.derive("tri3"), ff.compile("tri3", "mass")
    found = {
        "text/latex": (equations, equations.terms["mass"]),
        "text/markdown": (ff.element("tri3"), ff.element("spring")),
        "text/html": (equations.ledger, kernel, ff.kernels_of("tri3", ["mass"])["mass"]),
    }
    for mime, values in found.items():
        for value in values:
            data, _ = session.format(value)
            assert set(data) == {mime, "text/plain"}
            assert data["text/plain"] == repr(value)
    text = session.format(kernel)[0]["text/html"]
    assert f">{kernel.count.operations}</td>" in text and "fused multiply-adds" in text
    assert session.format(equations)[0]["text/latex"].startswith("$$\n\\begin{aligned}")


def test_models_outcomes_and_results(session: Any, tmp_path: Path) -> None:
    """Figures first, then probes: x = F t^2 / (2 m) = 1 m; names of users are escaped."""
    model = ff.load_model(TABLES)
    outcome = model.run(tmp_path / "out")
    for value in (outcome, outcome.results):
        text = session.format(value)[0]["text/html"]
        first, probes = text.index(">unknowns<"), text.index(">way [m]<")
        assert first < probes and ">1</td>" in text[probes:]
    text = session.format(model)[0]["text/html"]
    assert "A ball &lt;b&gt;" in text and "mass 2 kg" in text and ">transient<" in text
    assert len(text) < 5000


def test_an_outcome_without_its_folder_keeps_its_figures(session: Any, tmp_path: Path) -> None:
    """The numbers are in memory, the probes were in the folder."""
    outcome = ff.load_model(TABLES).run(tmp_path / "out")
    (tmp_path / "out" / "summary.json").unlink()
    text = session.format(outcome)[0]["text/html"]
    assert ">unknowns<" in text and "way [m]" not in text and "summary.json" in text


def test_a_model_of_many_parts_is_cut(session: Any) -> None:
    """A table ends after twenty rows and says how many are left."""
    names = [f"m{k}" for k in range(50)]
    points = {name: [float(k), 0, 0] for k, name in enumerate(names)}
    masses = [{"name": name, "group": name, "mass": 1.0} for name in names]
    model = ff.load_model(TABLES | {"mesh": {"points": {"tip": [0, 1, 0]} | points}, "masses": [
        *TABLES["masses"], *masses]})  # fmt: skip
    text = session.format(model)[0]["text/html"]
    assert "… and 31 more" in text and len(text) < 10_000


def test_import_in_a_session_registers_and_imports_nothing_heavy() -> None:
    """As a notebook does it; SymPy waits for the first derivation."""
    code = (
        "from IPython.core.interactiveshell import InteractiveShell as S; s = S.instance();"
        "import sys, flexforge; f = s.display_formatter.formatters['text/html'];"
        "print(('flexforge.driver', 'x') in f.deferred_printers,"
        " ('flexforge.codegen.driver', 'Kernel') in f.deferred_printers, 'sympy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True", "False"]


class Display:
    """What a notebook would show, in the order in which it does."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.lines: list[str] = []
        shell = SimpleNamespace(kernel=object())
        monkeypatch.setattr(IPython, "get_ipython", lambda: shell)
        monkeypatch.setattr("IPython.display.display", self.display)

    def display(self, value: Any, display_id: bool) -> Display:
        assert display_id
        return self.update(value)

    def update(self, value: Any) -> Display:
        self.lines.append(value.data)
        return self


def test_a_run_in_a_notebook_shows_one_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By default and with True; the line is gone in the end, also after an error."""
    notebook = Display(monkeypatch)
    assert in_notebook()
    ff.load_model(TABLES).run(tmp_path / "out")
    assert "read the model" in notebook.lines[0] and notebook.lines[-1] == ""
    notebook.lines.clear()
    with pytest.raises(ZeroDivisionError), shown(True) as told:
        assert told is not None
        told("steps <1>", 1, 2)
        raise ZeroDivisionError
    assert "steps &lt;1&gt; [############............] 1/2" in notebook.lines[0]
    assert notebook.lines[-1] == "" and capsys.readouterr().err == ""


def test_progress_that_is_off_or_the_callers_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """False shows nothing; a function gets every report instead of the notebook."""
    notebook, told = Display(monkeypatch), list[str]()
    ff.load_model(TABLES).run(tmp_path / "out", progress=False)
    ff.load_model(TABLES).run(
        tmp_path / "own", progress=lambda text, done, total: told.append(text)
    )
    assert notebook.lines == [] and "read the model" in told


def test_outside_of_a_notebook_nothing_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """A script, and a shell of IPython in a terminal, which has no kernel."""
    with shown(None) as told:
        assert told is None
    monkeypatch.setattr(IPython, "get_ipython", lambda: SimpleNamespace())
    with shown(None) as told:
        assert told is None
    with shown(True) as told:
        assert callable(told)
