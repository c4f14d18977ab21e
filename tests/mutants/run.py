# SPDX-License-Identifier: BSD-3-Clause
"""Test the tests: apply every listed mutant to a copy of the tree, and see whether they notice.

``make mutants`` runs all; ``run.py --files 'codegen/*' --minutes 8`` some. What was found goes into
``build/mutants/report.json`` after every mutant, and what is known of the same text and the same
tests is not run again.
"""

from __future__ import annotations

import argparse
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
_FAILED = re.compile(r"^(?:FAILED|ERROR) (.+?::.+?)(?: - |$)", re.MULTILINE)


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

    def key(self, mutant: Mutant) -> str:
        """Return a hash of the mutant, the source around it, and the tests."""
        tests = killers_of(mutant.path, self.killers)
        return _digest(
            [mutant.path, mutant.before, mutant.after, *tests], [mutant.path, *_files(tests)]
        )

    def pass_without(self, several: Iterable[list[str]]) -> None:
        """See whether tests that fail with mutants pass without: what else would that prove.

        Parameters
        ----------
        several : iterable of list of str
            Arguments of pytest, each of which counts by itself.
        """
        keys = {_digest(one, [*self.overlay.source, *_files(one)]): one for one in several}
        new = {key: one for key, one in keys.items() if key not in self.passed}
        arguments = [argument for one in new.values() for argument in one]
        if not new:
            return
        start = time.monotonic()
        code, said = self.overlay.pytest(arguments, 600.0, own_cache=False)
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
        failed = _FAILED.search(said)
        return {
            "key": self.key(mutant),
            "tests": tests,
            "file": f"{mutant.path}:{mutant.line(text)}",
            "before": before,
            "after": after,
            "caught": code != 0,
            "by": failed[1] if failed and code else by,
            "seconds": round(time.monotonic() - start, 1),
            "reason": mutant.reason,
        }

    def keep(self, entry: dict[str, Any]) -> None:
        """Write the report with one more entry."""
        self.known[entry["key"]] = entry
        text = json.dumps(list(self.known.values()), indent=1, ensure_ascii=False)
        REPORT.with_suffix(".new").write_text(text + "\n", encoding="utf-8")
        REPORT.with_suffix(".new").replace(REPORT)


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


def main() -> int:
    """Run what is asked for, print what is found, and return whether nothing survived."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--files", default="*", help="pattern of paths of mutated files")
    parser.add_argument("--minutes", type=float, default=1e9, help="stop after that many")
    given = parser.parse_args()
    end = time.monotonic() + 60.0 * given.minutes
    runner = Runner()
    chosen = [mutant for mutant in all_mutants() if fnmatch(mutant.path, given.files)]
    found: list[dict[str, Any]] = []
    for mutant in chosen:
        entry = runner.known.get(runner.key(mutant))
        if entry is None and time.monotonic() < end:
            entry = runner.test(mutant)
            print(
                f"{entry['seconds']:6.1f} s  {entry['file']}: {entry['by'] or 'survived'}",
                flush=True,
            )
        if entry is not None:
            entry["reason"] = mutant.reason
            runner.keep(entry)
            found.append(entry)
    by = {entry["by"] for entry in found if entry["caught"]}
    runner.pass_without([test] for test in sorted(by) if "::" in test)
    for entry in found:
        if entry["by"] == "no end":
            runner.pass_without([entry["tests"]])
    _prune(runner, chosen, given.files)
    for entry in found:
        if verdict(entry) not in ("caught", "explained"):
            print(f"{verdict(entry)}: {entry['file']}\n  - {entry['before']}\n  + {entry['after']}")
    counts = Counter(verdict(entry) for entry in found)
    words = ("caught", "explained", "explained, yet caught", "survived")
    print(
        ", ".join(f"{counts[word]} {word}" for word in words if counts[word] or word != words[2])
        + f", {len(found)} run of {len(chosen)} in all"
    )
    return int(counts["survived"] + counts["explained, yet caught"] > 0)


def _prune(runner: Runner, chosen: list[Mutant], pattern: str) -> None:
    """Forget entries of mutants that are no longer listed."""
    if pattern == "*":
        current = {runner.key(mutant) for mutant in chosen}
        runner.known = {key: entry for key, entry in runner.known.items() if key in current}
        for entry in list(runner.known.values())[:1]:
            runner.keep(entry)


if __name__ == "__main__":
    sys.exit(main())
