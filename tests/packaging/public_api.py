# SPDX-License-Identifier: BSD-3-Clause
"""Print the public API: every name of the page docs/api.md with its signature and its members.

A test compares it with what was recorded by
``python tests/packaging/public_api.py > tests/packaging/public_api.txt``.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from functools import cached_property
from importlib import import_module
from pathlib import Path

import flexforge

PAGE = Path(__file__).parents[2] / "docs" / "api.md"
DIRECTIVE = re.compile(r"^\.\. auto(\w+):: (\S+)(?:\n +:members:(.*))?", re.M)


def documented() -> Iterator[tuple[str, object, list[str]]]:
    """Yield every name of the page, what it names, and the members that the page shows."""
    for _, name, members in DIRECTIVE.findall(PAGE.read_text(encoding="utf-8")):
        module, _, attribute = name.rpartition(".")
        value = getattr(import_module(module or "flexforge"), attribute)
        names = [one.strip() for one in members.split(",") if one.strip()]
        yield name, value, names or (own_members(value) if inspect.isclass(value) else [])


def own_members(value: type) -> list[str]:
    """Return the public methods and properties of a class, as Sphinx lists them."""
    return [
        name
        for name, member in vars(value).items()
        if not name.startswith("_") and (inspect.isroutine(member) or computed(member))
    ]


def computed(member: object) -> bool:
    """Return whether a member is read like an attribute."""
    return isinstance(member, (property, cached_property))


def signature(value: object) -> str:
    """Return how something is called, of an exception its bases."""
    if isinstance(value, cached_property):
        value = value.func
    elif isinstance(value, property):
        value = value.fget
    elif isinstance(value, type) and issubclass(value, Exception):
        return f"({', '.join(base.__name__ for base in value.__bases__)})"
    return str(inspect.signature(value)) if callable(value) else ""


def entries() -> Iterator[tuple[str, object]]:
    """Yield every public name, and every public member as CLASS.MEMBER."""
    for name, value, members in documented():
        yield name, value
        for member in members:
            yield f"{name}.{member}", inspect.getattr_static(value, member)


def text() -> str:
    """Return the list, sorted."""
    lines = sorted(
        f"{name}{signature(value)}{' (property)' if computed(value) else ''}"
        for name, value in entries()
    )
    return "\n".join(lines) + "\n"


def gaps() -> tuple[list[str], int]:
    """Return public names without docstring or place on the page, and the number of all."""
    found = dict(entries())
    lacking = [name for name, value in found.items() if not inspect.getdoc(value)]
    page = PAGE.read_text(encoding="utf-8")
    absent = [n for n in flexforge.__all__ if n not in found and f"`{n}`" not in page]
    return lacking + absent, len(found.keys() | set(flexforge.__all__))


if __name__ == "__main__":
    print(text(), end="")
