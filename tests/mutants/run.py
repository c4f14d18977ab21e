# SPDX-License-Identifier: BSD-3-Clause
"""Test the tests: apply every listed mutant to a copy of the tree, and see whether they notice.

``make mutants`` runs all; ``run.py --files 'codegen/*' --minutes 8`` some. What was found goes into
``build/mutants/report.json`` after every mutant, and what is known of the same text and the same
tests is not run again.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import re
import sys
import time
from collections import Counter
from collections.abc import Iterable
from fnmatch import fnmatch
from typing import Any

from listed import ROOT, Mutant, all_mutants, killer_table, killers_of
from overlay import Overlay

FOLDER = ROOT / "build" / "mutants"
REPORT = FOLDER / "report.json"
PASSED = FOLDER / "passed.json"
#: Tests that take longer than that, s, are stuck.
_LIMIT = 180.0
_FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+?::\w+(?:\[.*?\](?= - |$))?)", re.MULTILINE)


class Runner:
    """Runs mutants one after the other and keeps what is found."""

    def __init__(self) -> None:
        FOLDER.mkdir(parents=True, exist_ok=True)
        self.overlay = Overlay(ROOT, FOLDER)
        self.killers = killer_table()
        self.known: dict[str, dict[str, Any]] = {}
        self.passed: list[str] = json.loads(PASSED.read_text()) if PASSED.exists() else []
        if REPORT.exists():
            self.known = {entry["key"]: entry for entry in json.loads(REPORT.read_text())}

    def find(self, mutant: Mutant) -> dict[str, Any] | None:
        """Return what is known of a mutant, if source and tests are as they were."""
        entry = self.known.get(self.key(mutant))
        return entry if entry and entry["tests"] == self.tests_key(mutant, entry["by"]) else None

    def key(self, mutant: Mutant) -> str:
        """Return a hash of the mutant and the source around it."""
        return _digest([mutant.path, mutant.before, mutant.after], [mutant.path])

    def tests_key(self, mutant: Mutant, by: str) -> str:
        """Return a hash of the test that has caught a mutant, or of all that might have."""
        if "::" in by:
            path, name = by.split("[")[0].split("::", maxsplit=1)
            return _digest([by, _function(path, name)], [])
        tests = killers_of(mutant.path, self.killers)
        return _digest(tests, _files(tests))

    def pass_without(self, several: Iterable[list[str]], limit: float = 600.0) -> None:
        """See whether tests that fail with mutants pass without: what else would that prove.

        Parameters
        ----------
        several : iterable of list of str
            Arguments of pytest, each of which counts by itself.
        limit : float
            Time that they may take together, s.
        """
        keys = {_digest(one, [*self.overlay.source, *_files(one)]): one for one in several}
        new = {key: one for key, one in keys.items() if key not in self.passed}
        arguments = [argument for one in new.values() for argument in one]
        if not new:
            return
        start = time.monotonic()
        code, said = self.overlay.pytest(arguments, limit, own_cache=False)
        if code:
            raise SystemExit(f"without a mutant pytest ends with {code}:\n{said}")
        print(
            f"{time.monotonic() - start:6.1f} s  {len(new)} of these tests without a mutant: pass"
        )
        self.passed += new
        PASSED.write_text(json.dumps(self.passed, indent=1) + "\n", encoding="utf-8")

    def test(self, mutant: Mutant) -> dict[str, Any]:
        """Return what becomes of a mutant."""
        text = (ROOT / mutant.path).read_text(encoding="utf-8")
        tests = killers_of(mutant.path, self.killers)
        self.overlay.write(mutant.path, mutant.apply(text))
        start = time.monotonic()
        try:
            # Derived kernels are kept under a hash of the compiler's text: what others than it
            # derive is the same for all mutants of the runtime, and nothing for those of it.
            own = mutant.path.startswith("codegen/")
            code, said = self.overlay.pytest(tests, _LIMIT, own_cache=own)
        finally:
            self.overlay.write(mutant.path, text)
        if code in (4, 5):
            raise SystemExit(f"{mutant.path}: pytest could not run {' '.join(tests)}:\n{said}")
        before, after = mutant.change()
        by = {0: "", -1: "no end", 2: "does not import"}.get(code, f"ends with {code}")
        if code and (failed := _FAILED.search(said)):
            by = failed[1]
        return {
            "key": self.key(mutant),
            "tests": self.tests_key(mutant, by),
            "file": f"{mutant.path}:{mutant.line(text)}",
            "before": before,
            "after": after,
            "caught": code != 0,
            "by": by,
            "seconds": round(time.monotonic() - start, 1),
            "reason": mutant.reason,
        }

    def run(self, chosen: list[Mutant], end: float) -> list[tuple[Mutant, dict[str, Any]]]:
        """Return what becomes of mutants, but for those that are not begun before an end.

        Where all have been run, the tests that have caught them are seen to pass without them.
        """
        found = []
        for mutant in chosen:
            entry = self.find(mutant)
            if entry is None and time.monotonic() < end:
                entry = self.test(mutant)
                self.keep(entry)
                by = entry["by"] or "survived"
                print(f"{entry['seconds']:6.1f} s  {entry['file']}: {by}", flush=True)
            if entry is not None:
                entry["reason"] = mutant.reason
                found.append((mutant, entry))
        if len(found) < len(chosen):
            return found
        by = {entry["by"] for _, entry in found}
        self.pass_without([test] for test in sorted(by) if "::" in test)
        for mutant, entry in found:
            if entry["by"] == "no end":
                self.pass_without([killers_of(mutant.path, self.killers)], _LIMIT / 2.0)
        return found

    def keep(self, entry: dict[str, Any] | None = None) -> None:
        """Write the report, with one more entry, of the mutants that are listed."""
        if entry is not None:
            self.known[entry["key"]] = entry
        listed = [self.key(mutant) for mutant in all_mutants()]
        text = [self.known[key] for key in listed if key in self.known]
        new = REPORT.with_suffix(".new")
        new.write_text(json.dumps(text, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        new.replace(REPORT)


def _function(path: str, name: str) -> str:
    """Return the text of a test."""
    text = (ROOT / path).read_text(encoding="utf-8") if (ROOT / path).is_file() else ""
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return ast.unparse(node)
    return ""


def _files(tests: list[str]) -> list[str]:
    """Return the files of tests that are named to pytest."""
    return [name for test in tests if (ROOT / (name := test.split("::")[0])).is_file()]


def _digest(texts: list[str], files: list[str]) -> str:
    """Return a short hash of texts and of files."""
    digest = hashlib.sha256("\0".join(texts).encode())
    for path in sorted(set(files)):
        digest.update(b"\0" + (ROOT / path).read_bytes())
    return digest.hexdigest()[:24]


def verdict(entry: dict[str, Any]) -> str:
    """Return what an entry of the report means."""
    if entry["caught"]:
        return "explained, yet caught" if entry["reason"] else "caught"
    return "explained" if entry["reason"] else "survived"


def tell(found: list[tuple[Mutant, dict[str, Any]]], listed: int) -> int:
    """Print what was not caught and how many were; return how many should have been otherwise."""
    counts = Counter(verdict(entry) for _, entry in found)
    for _, entry in found:
        if verdict(entry) not in ("caught", "explained"):
            print(f"{verdict(entry)}: {entry['file']}\n  - {entry['before']}\n  + {entry['after']}")
    words = ("caught", "explained", "survived", "explained, yet caught")
    told = [f"{counts[word]} {word}" for word in words if counts[word] or word != words[3]]
    print(f"{', '.join(told)}, {len(found)} run of {listed} in all")
    return counts["survived"] + counts["explained, yet caught"]


def main() -> int:
    """Run what is asked for, print what is found, and return whether a mutant survived."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--files", nargs="+", default=["*"], help="patterns of mutated files")
    parser.add_argument("--minutes", type=float, default=1e9, help="stop after that many")
    given = parser.parse_args()
    end = time.monotonic() + 60.0 * given.minutes
    runner = Runner()
    chosen = [m for m in all_mutants() if any(fnmatch(m.path, one) for one in given.files)]
    found = runner.run(chosen, end)
    runner.keep()
    return int(tell(found, len(chosen)) > 0)


if __name__ == "__main__":
    sys.exit(main())
