# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import json
import subprocess
import sys
from fractions import Fraction

import pytest
from flexforge.cli import build_parser
from flexforge.codegen.version import VERSION
from flexforge.commands import COMMANDS
from flexforge.console import plain


@pytest.mark.parametrize("command", [c.name for c in COMMANDS])
def test_help_has_an_example_that_parses(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Every command explains itself, and its example is a command line it understands."""
    parser = build_parser()
    with pytest.raises(SystemExit) as caught:
        parser.parse_args([command, "--help"])
    assert caught.value.code == 0
    out = capsys.readouterr().out
    example = out[out.index("example: ") + len("example: ") :].split()
    assert example[0] == "flexforge"
    assert parser.parse_args(example[1:]).command == command


def test_module_and_script_are_one() -> None:
    """``python -m flexforge`` is the command line."""
    command = [sys.executable, "-m", "flexforge", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == f"flexforge {VERSION}\n"


def test_wrong_arguments_are_one_line(flexforge) -> None:
    """Wrong input: exit code 2 and one line that says what was found and what is expected."""
    said = flexforge("derve", "tet4")
    assert said.code == 2
    assert "command 'derve' is unknown" in said.error
    assert "did you mean 'derive'" in said.error
    for arguments in ((), ("run",), ("derive", "tet4", "--format", "pdf"), ("doctor", "--color")):
        said = flexforge(*arguments)
        assert said.code == 2
        assert said.error


def test_a_defect_is_one_line_and_a_traceback_on_demand(
    flexforge, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What should never happen ends in one line and exit code 1; ``--debug`` shows where."""
    import flexforge.codegen.study.report.report as module

    def broken(*arguments: object, **options: object) -> None:
        raise ZeroDivisionError("no such thing")

    monkeypatch.setattr(module, "report", broken)
    said = flexforge("derive", "tet4")
    assert said.code == 1
    assert "defect in flexforge: ZeroDivisionError: no such thing" in said.error
    said = flexforge("derive", "tet4", "--debug")
    assert said.code == 1
    assert "Traceback" in said.err
    assert said.err.splitlines()[-1].startswith("flexforge: error: ")


def test_a_closed_pipe_is_quiet() -> None:
    """``flexforge elements --json | head -1`` prints no error when the reader goes."""
    command = f"{sys.executable} -m flexforge elements --json | head -1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=True)
    assert done.stdout == "[\n"
    assert done.stderr == ""


def test_a_message_cannot_command_the_terminal() -> None:
    """What it quotes of a file is written out where it cannot be seen, and cut if endless."""
    from flexforge.console import LONGEST_LINE, one_line

    assert one_line("a\nb\x1b[31m\x00\u202e\udcff é") == r"a | b\x1b[31m\x00\u202e\udcff é"
    cut = one_line("begin " + "x" * 10**6 + " end")
    assert cut.startswith("begin x") and cut.endswith("x end") and len(cut) <= LONGEST_LINE


def test_json_has_fractions_as_texts() -> None:
    """Exact ratios of the claims: ``flexforge claims --json`` prints them as they are written."""
    assert json.loads(json.dumps(plain({"ratio": [Fraction(48, 13), Fraction(2)]}))) == {
        "ratio": ["48/13", "2"]
    }
