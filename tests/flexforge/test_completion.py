# SPDX-License-Identifier: BSD-3-Clause
"""Completion scripts, asked as the shell would ask them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from flexforge.cli import main
from flexforge.commands import COMMANDS


def completed(script: str, folder: Path, *words: str) -> list[str]:
    """Return what bash offers for the last word."""
    line = " ".join(f"'{word}'" for word in words)
    asked = f"""
        {script}
        COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; COMPREPLY=()
        _shtab_flexforge; printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    done = subprocess.run(
        ["bash", "-c", asked], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout.split()


def test_bash_completes_commands_options_elements_and_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    """Commands, options of one, element names, model files of the folder."""
    assert main(["completion", "bash"]) == 0
    script = capsys.readouterr().out
    (tmp_path / "blade.toml").touch()
    commands = completed(script, tmp_path, "flexforge", "")
    assert {command.name for command in COMMANDS} <= set(commands)
    assert completed(script, tmp_path, "flexforge", "mo") == ["modes"]
    assert completed(script, tmp_path, "flexforge", "modes", "--sp") == ["--speeds"]
    assert set(completed(script, tmp_path, "flexforge", "derive", "hex8")) == {
        "hex8", "hex8i", "hex8s",
    }  # fmt: skip
    assert completed(script, tmp_path, "flexforge", "run", "bl") == ["blade.toml"]


def test_zsh_takes_the_script(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """The script names every command, and zsh parses it where there is one."""
    assert main(["completion", "zsh"]) == 0
    script = capsys.readouterr().out
    assert script.startswith("#compdef flexforge")
    assert all(f"{command.name}:'" in script for command in COMMANDS)
    if shutil.which("zsh") is not None:
        (tmp_path / "_flexforge").write_text(script, encoding="utf-8")
        subprocess.run(["zsh", "-n", str(tmp_path / "_flexforge")], check=True)


def test_another_shell_is_refused(capsys: pytest.CaptureFixture[str]):
    """In one line that names the shells."""
    assert main(["completion", "tcsh"]) == 2
    assert "'bash', 'zsh'" in capsys.readouterr().err
