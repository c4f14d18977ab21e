# SPDX-License-Identifier: BSD-3-Clause
"""Many inputs: which target is next, counts that add up over runs, findings that are kept once."""

from __future__ import annotations

import hashlib
import json
import re
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fuzzing.target import Target
from fuzzing.verdict import Finding
from fuzzing.worker import Tried, try_inputs

REGRESSIONS = Path(__file__).parents[1] / "regressions"
_EXAMPLES = 3  # inputs kept for each finding
_BATCH = 2000  # inputs of a worker at most: what leaks goes with it
_TURN = 20.0  # seconds of a target's turn


@dataclass
class Count:
    """What a target has seen; ``next`` is the number of its next input."""

    next: int = 0
    inputs: int = 0
    accepted: int = 0
    seconds: float = 0.0
    slowest: tuple[float, int] = (0.0, 0)
    findings: Counter[str] = field(default_factory=Counter)

    def add(self, tried: Tried, seconds: float) -> None:
        """Add what came of a run of inputs."""
        self.inputs += tried.inputs
        self.accepted += tried.accepted
        self.seconds += seconds
        self.slowest = max(self.slowest, tried.slowest)
        self.findings.update(f"{one.kind} {one.key}" for _, one in tried.findings)

    def line(self, name: str) -> str:
        """Return the counts in a line."""
        each = self.inputs / self.seconds if self.seconds else 0.0
        return (
            f"{name:18} {self.inputs:9,} inputs, {self.accepted:8,} accepted, {each:6.0f} per s, "
            f"{self.slowest[0]:4.1f} s at most (input {self.slowest[1]}), "
            f"{sum(self.findings.values()):6,} findings of {len(self.findings)} kinds"
        )


class Campaign:
    """Targets tried in turns.

    Parameters
    ----------
    targets : sequence of Target
        What is tried.
    seed : int
        Of all inputs.
    folder : Path, optional
        Where findings and counts are kept; counts that are there are gone on with.
    """

    def __init__(self, targets: Sequence[Target], seed: int, folder: Path | None) -> None:
        self.targets, self.seed, self.folder = targets, seed, folder
        self.counts = {target.name: Count() for target in targets}
        self.new: list[str] = []
        self._scratch = tempfile.TemporaryDirectory(prefix="fuzz-", dir=_fast())
        self._seeds: dict[str, Sequence[bytes]] = {}
        if folder is not None and self._state.is_file():
            kept = json.loads(self._state.read_text())
            for name, count in kept.items():
                self.counts[name] = Count(
                    **count
                    | {"findings": Counter(count["findings"]), "slowest": tuple(count["slowest"])}
                )

    @property
    def _state(self) -> Path:
        assert self.folder is not None
        return self.folder / f"seed-{self.seed}.json"

    def by_count(self, count: int) -> None:
        """Try so many inputs of every target."""
        for target in self.targets:
            begin = self.counts[target.name].next
            self._turn(target, range(begin, begin + count), float("inf"))

    def briefly(self) -> None:
        """Try as many inputs of every target as it wants in a short run, none of them a seed."""
        for target in self.targets:
            begin = len(self.seeds(target))
            self._turn(target, range(begin, begin + target.count), float("inf"))

    def by_time(self, seconds: float, tell: Callable[[str], None]) -> None:
        """Try inputs for a time, the target next that is most behind its share."""
        began, spent = time.monotonic(), Counter[str]()
        while (left := began + seconds - time.monotonic()) > 0:
            target = min(self.targets, key=lambda one: spent[one.name] / one.share)
            turn = min(
                _TURN, left, max(1.0, seconds * target.share / sum(t.share for t in self.targets))
            )
            start = time.monotonic()
            until = start + turn
            while time.monotonic() < until:
                begin = self.counts[target.name].next
                self._turn(target, range(begin, begin + _BATCH), until)
            spent[target.name] += time.monotonic() - start
            tell(f"{time.monotonic() - began:6.0f} s  {self.counts[target.name].line(target.name)}")

    def replay(self, target: Target, paths: Sequence[Path]) -> list[tuple[Path, Finding]]:
        """Try the inputs in files; return the findings."""
        folder = self._prepared(target)
        tried = try_inputs(
            target, lambda i: paths[i].read_bytes(), range(len(paths)), folder, float("inf")
        )
        self.counts[target.name].add(tried, 0.0)
        return [(paths[number], finding) for number, finding in tried.findings]

    def seeds(self, target: Target) -> Sequence[bytes]:
        """Return the seeds of a target, made once."""
        if target.name not in self._seeds:
            self._seeds[target.name] = target.seeds()
        return self._seeds[target.name]

    def _prepared(self, target: Target) -> Path:
        folder = Path(self._scratch.name) / target.name
        if not folder.is_dir():
            folder.mkdir()
            if target.prepare is not None:
                target.prepare(folder)
        return folder

    def _turn(self, target: Target, numbers: Sequence[int], until: float) -> None:
        seeds, count = self.seeds(target), self.counts[target.name]
        folder, start = self._prepared(target), time.monotonic()
        tried = try_inputs(
            target, lambda n: target.input(seeds, self.seed, n), numbers, folder, until
        )
        count.add(tried, time.monotonic() - start)
        count.next += tried.inputs
        for number, finding in tried.findings:
            self._keep(target, number, finding)
        if self.folder is not None:
            self.folder.mkdir(parents=True, exist_ok=True)
            text = json.dumps({name: vars(one) for name, one in self.counts.items()}, indent=1)
            self._state.write_text(text)

    def _keep(self, target: Target, number: int, finding: Finding) -> None:
        """Write an input with the reason beside it, the first few of each finding."""
        key = f"{target.name}: {finding.kind} {finding.key}"
        if (
            key not in self.new
            and self.counts[target.name].findings[f"{finding.kind} {finding.key}"]
        ):
            self.new.append(key)
        if self.folder is None:
            return
        words = re.sub(r"[^A-Za-z0-9_.]+", "-", f"{finding.kind}-{finding.key}")[:100].strip("-")
        mark = hashlib.sha256(key.encode()).hexdigest()[:8]
        place = self.folder / "findings" / target.name / f"{words}-{mark}"
        place.mkdir(parents=True, exist_ok=True)
        if len(list(place.glob("*.txt"))) < _EXAMPLES:
            data = target.input(self.seeds(target), self.seed, number)
            (place / f"{self.seed}-{number}.{Path(target.file).name}").write_bytes(data)
            (place / f"{self.seed}-{number}.txt").write_text(
                f"{finding.kind}: {finding.key}\n\n{finding.text}\n", errors="replace"
            )

    def close(self) -> None:
        """Remove the folders of the workers."""
        self._scratch.cleanup()


def _fast() -> str | None:
    """Return a folder in memory, where there is one."""
    return "/dev/shm" if Path("/dev/shm").is_dir() else None
