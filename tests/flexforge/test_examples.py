# SPDX-License-Identifier: BSD-3-Clause
"""Every public docstring has an example, and the examples print what they say."""

from __future__ import annotations

import doctest
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import flexforge as ff
import pytest

PUBLIC = [name for name in ff.__all__ if not name.startswith("_")]


def docstrings(name: str) -> Iterator[tuple[str, str]]:
    """Yield name and docstring of what is public, and then of its public methods."""
    found = getattr(ff, name)
    yield name, inspect.getdoc(found) or ""
    if inspect.isclass(found) and not issubclass(found, Exception):
        for key, value in vars(found).items():
            told: Any = value.fget if isinstance(value, property) else value
            if not key.startswith("_") and inspect.isfunction(told):
                yield f"{name}.{key}", inspect.getdoc(told) or ""


@pytest.mark.parametrize("name", PUBLIC)
def test_examples_print_what_they_say(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Run in an empty folder; those of methods go on with the names of their class."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for label, text in docstrings(name):
        test = doctest.DocTestParser().get_doctest(text, names, f"flexforge.{label}", None, 0)
        assert test.examples, f"flexforge.{label}: no example (>>>) in its docstring"
        said: list[str] = []
        failed = doctest.DocTestRunner().run(test, out=said.append, clear_globs=False).failed
        names = test.globs
        assert not failed, "".join(said)


def test_an_example_that_is_wrong_is_noticed() -> None:
    """The comparison can fail."""
    test = doctest.DocTestParser().get_doctest(">>> 1 + 1\n3\n", {}, "wrong", "wrong", 0)
    said: list[str] = []
    assert doctest.DocTestRunner().run(test, out=said.append).failed == 1
    assert "Expected:\n    3\nGot:\n    2\n" in "".join(said)
