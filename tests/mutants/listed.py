# SPDX-License-Identifier: BSD-3-Clause
"""The listed mutants: small faults in the mathematics, each of which the tests have to notice.

A mutant is an entry of a table in ``list/*.toml`` under the path of the file it changes: the lines
``before``, which occur there exactly once, become ``after``. One that no test can notice, because
the program computes the same with it, has the ``reason`` of that.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
LISTS = ("runtime", "headers", "codegen")


@dataclass(frozen=True, slots=True)
class Mutant:
    """A small change of a file of the source, by its path from the root of the repository."""

    path: str
    before: str
    after: str
    reason: str = ""

    def apply(self, text: str) -> str:
        """Return the text of the file with the change."""
        if text.count(self.before) != 1:
            raise ValueError(
                f"{self.path}: found {text.count(self.before)} times: {self.before!r}; "
                "expected it once"
            )
        return text.replace(self.before, self.after)

    def line(self, text: str) -> int:
        """Return the number of the first line that the change differs in."""
        same = 0
        for old, new in zip(self.before, self.after, strict=False):
            if old != new:
                break
            same += 1
        return text[: text.index(self.before) + same].count("\n") + 1

    def change(self) -> tuple[str, str]:
        """Return the first lines that differ, before and after."""
        old, new = self.before.split("\n"), self.after.split("\n")
        for one, other in zip(old, new, strict=False):
            if one != other:
                return one.strip(), other.strip()
        return old[-1].strip(), new[-1].strip()


def read_list(name: str) -> list[Mutant]:
    """Return the mutants of a list, in its order."""
    path = HERE / "list" / f"{name}.toml"
    tables = tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return [Mutant(path, **entry) for path, entries in tables.items() for entry in entries]


def all_mutants() -> list[Mutant]:
    """Return all listed mutants."""
    return [mutant for name in LISTS for mutant in read_list(name)]


def list_of(path: str) -> str:
    """Return the list that the mutants of a file are in."""
    return "headers" if path.endswith(".h") else path.split("/")[0]


def write_list(name: str, mutants: Iterable[Mutant]) -> None:
    """Write a list anew, file by file in alphabetical order."""
    lines = ["# SPDX-License-Identifier: BSD-3-Clause"]
    for mutant in sorted(mutants, key=lambda m: m.path):
        lines += ["", f'[["{mutant.path}"]]']
        for key in ("before", "after", "reason"):
            value = getattr(mutant, key)
            lines += [f"{key} = {json.dumps(value, ensure_ascii=False)}"] * bool(value)
    (HERE / "list").mkdir(exist_ok=True)
    (HERE / "list" / f"{name}.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")


def killer_table() -> dict[str, list[str]]:
    """Return by file or folder which tests have to notice its mutants, the quickest first."""
    return tomllib.loads((HERE / "killers.toml").read_text(encoding="utf-8"))["tests"]


def killers_of(path: str, table: dict[str, list[str]]) -> list[str]:
    """Return the tests of a file: its own, or those of the closest folder that has some."""
    for key in (path, *(f"{parent}/" for parent in Path(path).parents)):
        if key in table:
            return table[key]
    raise ValueError(f"{path}: found no tests in killers.toml")
