# SPDX-License-Identifier: BSD-3-Clause
"""No code of the documentation goes unchecked: every block is run, loaded or at least parsed."""

from __future__ import annotations

import ast
import re
import shlex
import tomllib
from pathlib import Path

import pytest
from flexforge.cli import build_parser
from pages import DOCS, FENCE

ROOT = DOCS.parent
PAGES = sorted(
    [
        *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "benchmarks/README.md")),
        *DOCS.rglob("*.md"),
        *(ROOT / "examples").rglob("README.md"),
    ]
)
#: Pages of which every file is written and every command run.
FOLLOWED = {
    page.relative_to(DOCS).as_posix(): page
    for page in [
        DOCS / "start.md",
        DOCS / "embedding.md",
        *sorted((DOCS / "tutorials").glob("*.md")),
        *sorted((DOCS / "howto").glob("*.md")),
    ]
}
#: Blocks of C and Fortran, by page, and the tests that compile them.
COMPILED = {
    ("docs/kernels.md", "c"): "test_the_program_on_geometry_of_the_page_on_kernels_runs",
    ("docs/kernels.md", "fortran"): "test_the_fortran_program_of_the_documentation_runs",
}
COMMAND = re.compile(r"^(?:    |\$ )(flexforge .*)$", re.MULTILINE)


def named(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_block_is_checked(page: Path) -> None:
    """TOML and Python parse; programs and commands are on pages that a test follows."""
    text = page.read_text(encoding="utf-8")
    assert text.count("```") == 2 * len(FENCE.findall(text)), "a fence that is not closed"
    for kind, option, block in FENCE.findall(text):
        if kind == "toml":
            tomllib.loads(block)
        elif kind == "python":
            ast.parse(block)
        elif kind == "console" or option:
            assert page in FOLLOWED.values() or named(page) == "docs/kernels.md", block
        elif kind not in ("math", "text", "sh") and not kind.startswith("{"):
            assert (named(page), kind) in COMPILED, f"nothing checks a block of {kind}"


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_command_can_be_typed(page: Path) -> None:
    """Commands, options and their values are those of the program, wherever a page names them."""
    text = re.sub(r"\\\n *", "", page.read_text(encoding="utf-8"))  # lines that go on
    for line in COMMAND.findall(text):
        words = shlex.split(line.split(" > ")[0].split(" && ")[0], comments=True)
        if "|" not in words and not any(word in ("...", "MODEL") for word in words):
            build_parser().parse_args(words[1:])


def test_compiled_blocks_name_their_tests() -> None:
    """The tests that compile blocks of C and Fortran are there."""
    tests = "".join(
        path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py")
    )
    for name in COMPILED.values():
        assert f"def {name}(" in tests


@pytest.mark.parametrize("page", FOLLOWED.values(), ids=FOLLOWED)
def test_every_block_of_these_pages_is_run(page: Path) -> None:
    """A file is written under its name, a command is in a console: nothing else stands there."""
    for kind, option, block in FENCE.findall(page.read_text(encoding="utf-8")):
        assert option or kind == "console" or kind.startswith("{"), block
        if kind == "console":
            assert all(line.startswith("$ ") for line in block.splitlines())
