# SPDX-License-Identifier: BSD-3-Clause
"""A forked process that tries inputs one after another, watched from outside.

A fork costs milliseconds where a new process imports for seconds. Whatever an input does to the
process, the parent sees how far it came from memory that both share, and goes on after it.
"""

from __future__ import annotations

import faulthandler
import json
import mmap
import os
import re
import resource
import signal
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from fuzzing.target import Target
from fuzzing.verdict import ACCEPTED, Finding, attempt, noise, place_of

MEMORY = 3 << 30  # bytes of addresses a worker may have
_SINCE, _DONE, _ACCEPTED, _LONGEST, _SLOWEST = range(5)  # what is shared


@dataclass
class Tried:
    """What came of a run of inputs.

    Attributes
    ----------
    inputs, accepted : int
        How many were tried, how many of them accepted; the others were refused, or are findings.
    findings : list of (int, Finding)
        With the numbers of their inputs.
    slowest : (float, int)
        Seconds that the slowest of the others took, and its number.
    """

    inputs: int = 0
    accepted: int = 0
    findings: list[tuple[int, Finding]] = field(default_factory=list)
    slowest: tuple[float, int] = (0.0, 0)


Feed = Callable[[int], bytes]


def try_inputs(
    target: Target,
    feed: Feed,
    numbers: Sequence[int],
    folder: Path,
    until: float,
) -> Tried:
    """Try inputs in a fork, until all are done or the time has come.

    Parameters
    ----------
    target : Target
        What reads them.
    feed : callable
        Returns the input of a number.
    numbers : sequence of int
        The inputs, in order.
    folder : Path
        For its files; prepared for the target.
    until : float
        By `time.monotonic`.
    """
    tried = Tried()
    while numbers and time.monotonic() < until:
        done, culprit = _fork(target, feed, numbers, folder, until, tried)
        if culprit is None:
            break
        # What ends a worker after its last input is a late consequence of one of them.
        tried.inputs += done < len(numbers)
        tried.findings.append((numbers[min(done, len(numbers) - 1)], culprit))
        numbers = numbers[done + 1 :]
    return tried


def _fork(
    target: Target,
    feed: Feed,
    numbers: Sequence[int],
    folder: Path,
    until: float,
    tried: Tried,
) -> tuple[int, Finding | None]:
    """Run one worker; return how many inputs it has finished, and what ended it."""
    memory = mmap.mmap(-1, 64)
    shared = memoryview(memory).cast("q")
    shared[_SINCE] = time.monotonic_ns()
    found, trace = folder.with_suffix(".findings"), folder.with_suffix(".trace")
    found.write_bytes(b"")
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        code = 70
        try:
            _work(target, feed, numbers, folder, until, shared, found, trace)
            code = 0
        except BaseException as error:  # a fault of the net itself, not of what it tests
            found.write_text(json.dumps({"fault": f"{type(error).__name__}: {error}"}))
        finally:
            os._exit(code)
    hung = False
    while True:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            break
        if (time.monotonic_ns() - shared[_SINCE]) / 1e9 > target.limit:
            hung = True
            os.kill(child, signal.SIGUSR1)  # it writes where it is
            time.sleep(0.3)
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            break
        time.sleep(0.005)
    done = shared[_DONE]
    tried.inputs += done
    tried.accepted += shared[_ACCEPTED]
    tried.slowest = max(tried.slowest, (shared[_LONGEST] / 1e9, shared[_SLOWEST]))
    for line in found.read_text().splitlines():
        told = json.loads(line)
        if "fault" in told:
            raise RuntimeError(
                f"the net itself failed on {target.name}, input "
                f"{numbers[done] if done < len(numbers) else '-'}: {told['fault']}"
            )
        tried.findings.append((told.pop("number"), Finding(**told)))
    if hung:
        place, text = _trace(trace)
        return done, Finding("hang", place, f"more than {target.limit:g} s\n{text}")
    if status:
        place, text = _trace(trace)
        name = signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else "exit"
        return done, Finding("crash", f"{name} {place}", f"{name}, status {status}\n{text}")
    return done, None


def _work(
    target: Target,
    feed: Feed,
    numbers: Sequence[int],
    folder: Path,
    until: float,
    shared: memoryview,
    found: Path,
    trace: Path,
) -> None:
    os.chdir(folder)
    path = Path(target.file)
    with open(trace, "w") as traced, open(found, "w") as told, open(folder / ".said", "w+") as said:
        faulthandler.enable(traced)
        faulthandler.register(signal.SIGUSR1, traced, all_threads=False)
        os.dup2(said.fileno(), 1)
        os.dup2(said.fileno(), 2)
        warnings.simplefilter("always")
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        for number in numbers:
            if time.monotonic() > until:
                break
            data = feed(number)
            path.write_bytes(data)
            shared[_SINCE] = begun = time.monotonic_ns()
            came = attempt(target, path)
            shared[_SINCE] = ended = time.monotonic_ns()
            if ended - begun > shared[_LONGEST]:
                shared[_LONGEST], shared[_SLOWEST] = ended - begun, number
            for finding in _seen(came, said.fileno()):
                told.write(json.dumps({"number": number, **asdict(finding)}) + "\n")
                told.flush()
            shared[_ACCEPTED] += came == ACCEPTED
            shared[_DONE] += 1


def _seen(came: str | Finding, said: int) -> Iterator[Finding]:
    """Return the findings of one input; what it printed is one."""
    if isinstance(came, Finding):
        yield came
    sys.stdout.flush()
    sys.stderr.flush()
    if size := os.fstat(said).st_size:
        text = os.pread(said, min(size, 4000), 0).decode("utf-8", "replace")
        os.ftruncate(said, 0)
        os.lseek(said, 0, os.SEEK_SET)
        if text.strip("\0\n "):
            yield noise(text.strip("\0"))


def _trace(path: Path) -> tuple[str, str]:
    """Return where a worker was, by what its handler of faults has written."""
    text = path.read_text(errors="replace") if path.is_file() else ""
    frames = re.findall(r'File "([^"]*)", line \d+ in (\S+)', text)
    frames = [(file, name) for file, name in frames if "/fuzzing/" not in file]
    return place_of(frames[::-1]), text[-4000:]
