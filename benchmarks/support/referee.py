# SPDX-License-Identifier: BSD-3-Clause
"""The referee's side: starts contestants, lets them run in turns, keeps every figure."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PEERS = ROOT / ".venv-bench" / "bin" / "python"


@dataclass
class Contestant:
    """A program in a process of its own.

    Attributes
    ----------
    name : str
        What the tables call it.
    command : list of str
        How it is started.
    threads : int
        Threads it may use; 0 leaves them to it.
    """

    name: str
    command: list[str]
    threads: int = 1
    process: subprocess.Popen[str] | None = None
    facts: dict[str, Any] = field(default_factory=dict)
    jobs: list[str] = field(default_factory=list)
    absent: str = ""

    def start(self) -> bool:
        """Start it and wait until it is prepared; False, and why, if it cannot."""
        environment = dict(os.environ)
        if self.threads:
            for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
                environment[name] = str(self.threads)
        self.process = subprocess.Popen(
            self.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
            cwd=ROOT,
            stderr=subprocess.PIPE,
        )
        answer = self._answer()
        if answer is None or "absent" in answer:
            self.absent = (answer or {}).get("absent", "") or self._last_words()
            self.stop()
            return False
        self.facts, self.jobs = answer["ready"], answer["jobs"]
        return True

    def run(self, job: str) -> dict[str, Any]:
        """Let it run a job once."""
        assert self.process is not None and self.process.stdin is not None
        self.process.stdin.write(job + "\n")
        self.process.stdin.flush()
        answer = self._answer()
        if answer is None:
            raise RuntimeError(f"{self.name} failed: {self._last_words()}")
        return answer

    def stop(self) -> None:
        """End the process."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    def _answer(self) -> dict[str, Any] | None:
        assert self.process is not None and self.process.stdout is not None
        for line in self.process.stdout:
            if line.startswith("{"):
                return dict(json.loads(line))
        return None

    def _last_words(self) -> str:
        assert self.process is not None and self.process.stderr is not None
        lines = self.process.stderr.read().strip().splitlines()
        return lines[-1] if lines else "ended without a word"


def ours(name: str, script: str, *options: str, threads: int = 1) -> Contestant:
    """Return flexforge as a contestant, in this environment."""
    path = str(ROOT / "benchmarks" / "contestants" / script)
    return Contestant(name, [sys.executable, path, *options], threads)


def peer(name: str, script: str, *options: str, threads: int = 1) -> Contestant:
    """Return a peer, in the environment of the peers if there is one."""
    python = str(PEERS) if PEERS.exists() else sys.executable
    path = str(ROOT / "benchmarks" / "contestants" / script)
    return Contestant(name, [python, path, *options], threads)


def compete(contestants: list[Contestant], rounds: int, budget: float = 60.0) -> dict[str, Any]:
    """Let contestants run their jobs in turns.

    Parameters
    ----------
    contestants : list of Contestant
        All are prepared first; then each runs each of its jobs once a round.
    rounds : int
        Rounds; the first is a warm-up and not counted where there are several.
    budget : float
        Seconds a job may take in total; a slower one runs in fewer rounds.

    Returns
    -------
    dict
        By contestant: facts, and by job the median, all times, peak memory and figures.
    """
    results: dict[str, Any] = {}
    present = []
    for one in contestants:
        print(f"  preparing {one.name}", file=sys.stderr, flush=True)
        if one.start():
            present.append(one)
            results[one.name] = {"facts": one.facts, "threads": one.threads, "jobs": {}}
        else:
            print(f"  {one.name} is left out: {one.absent}", file=sys.stderr, flush=True)
            results[one.name] = {"absent": one.absent}
    try:
        for number in range(rounds):
            for one in present:
                for job in one.jobs:
                    record = results[one.name]["jobs"].setdefault(
                        job, {"seconds": [], "first": None, "peak MiB": 0.0, "figures": {}}
                    )
                    if sum(record["seconds"]) + (record["first"] or 0.0) > budget:
                        continue
                    answer = one.run(job)
                    print(
                        f"  round {number}: {one.name} {job} {answer['seconds']:.4g} s",
                        file=sys.stderr,
                        flush=True,
                    )
                    if number == 0 and rounds > 1:
                        record["first"] = answer["seconds"]
                    else:
                        record["seconds"].append(answer["seconds"])
                    record["peak MiB"] = max(record["peak MiB"], answer["peak"])
                    record["figures"] = answer["figures"]
    finally:
        for one in present:
            one.stop()
    for result in results.values():
        for record in result.get("jobs", {}).values():
            record["runs"] = len(record["seconds"])
            times = record["seconds"] or [record["first"]]
            record["median"] = statistics.median(times)
            record["least"] = min(times)
    return results
