# SPDX-License-Identifier: BSD-3-Clause
"""C compilers, described by data."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from flexforge.codegen.errors import InputError

#: No flag may change the value of a kernel beyond fusing a product and an addition.
COMMON = ("-std=c99", "-O3", "-fPIC", "-ffp-contract=fast", "-fno-math-errno", "-fno-trapping-math")


@dataclass(frozen=True, slots=True)
class Compiler:
    """A C compiler.

    Attributes
    ----------
    name : str
        Name of the compiler in flexforge.
    command : tuple of str
        Command that starts it.
    native : tuple of str
        Flags for the current processor.
    """

    name: str
    command: tuple[str, ...]
    native: tuple[str, ...] = ("-march=native",)

    def version(self) -> str:
        """Return the first line of its version text."""
        try:
            out, err = _answer((*self.command, "--version"), _program(self.command[0]))
        except OSError as error:
            raise InputError(
                f"compiler '{self.name}': {self.command[0]} cannot be started ({error.strerror})"
            ) from error
        return ((out or err).strip() or self.name).splitlines()[0]

    def resolved_target(self) -> str:
        """Return the meaning of ``native`` on this machine; caches of other CPUs are not used."""
        asked = (*self.command, *self.native, "-dM", "-E", "-x", "c", "-")
        out, _ = _answer(asked, _program(self.command[0]))
        return "\n".join(sorted(out.splitlines()))


def _program(command: str) -> tuple[str, int, int] | None:
    """Return the file that a command starts, with its time and size: whether it is still the same.

    None if there is none.
    """
    path = shutil.which(command)
    if path is None:
        return None
    found = os.stat(path)
    return path, found.st_mtime_ns, found.st_size


@cache
def _answer(command: tuple[str, ...], program: tuple[str, int, int] | None) -> tuple[str, str]:
    """Return what a compiler writes to stdout and stderr: it is asked once by a process.

    Every kernel that is looked for in the cache needs it, and starting a compiler takes longer than
    looking. A compiler that was replaced is another ``program``.
    """
    done = run_compiler(command)
    return done.stdout, done.stderr


KNOWN = (
    Compiler("gcc", ("gcc",)),
    Compiler("clang", ("clang",)),
    Compiler("cc", ("cc",)),
    Compiler("zig", (sys.executable, "-m", "ziglang", "cc"), ("-mcpu=native",)),
)


def _present(compiler: Compiler) -> bool:
    if compiler.name == "zig":
        import importlib.util

        return importlib.util.find_spec("ziglang") is not None
    return shutil.which(compiler.command[0]) is not None


@cache
def find_compiler(name: str | None = None) -> Compiler:
    """Return an installed compiler.

    Parameters
    ----------
    name : str, optional
        ``gcc``, ``clang``, ``cc`` or ``zig``; by default the first of these that is found.

    Raises
    ------
    InputError
        If there is none.
    """
    for compiler in KNOWN:
        if name in (None, compiler.name) and _present(compiler):
            return compiler
    wanted = f"'{name}'" if name else "gcc, clang, cc or zig"
    raise InputError(
        f"no C compiler: {wanted} not found on PATH; one is needed to compile a kernel that is "
        "not among the standard ones"
    )


def run_compiler(
    command: Sequence[str], folder: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a compiler to its end; an interrupt ends it and all processes it has started.

    Compilers use the language and encoding of the user: output that is not UTF-8 is escaped.

    Parameters
    ----------
    command : sequence of str
        Its command line.
    folder : Path, optional
        Folder where it runs and keeps its temporary files.

    Returns
    -------
    CompletedProcess
        With its output.

    Raises
    ------
    OSError
        If it cannot be started.
    """
    with _Group(
        command,
        cwd=folder,
        env=None if folder is None else {**os.environ, "TMPDIR": str(folder.absolute())},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="backslashreplace",
    ) as process:
        try:
            out, err = process.communicate()
        except BaseException:
            process.end()
            raise
    return subprocess.CompletedProcess(command, process.returncode, out, err)


class _Group(subprocess.Popen[str]):
    """A process in its own group: a driver such as gcc starts the actual compiler."""

    pid = 0

    def __init__(self, command: Sequence[str], **options: Any) -> None:
        try:
            super().__init__(command, process_group=0, **options)
        except BaseException:
            # A signal may arrive after the start and before the caller has the object.
            if self.pid:
                self.end()
            raise

    def end(self) -> None:
        """End the whole group: by SIGTERM, so that it removes its files, then by SIGKILL."""
        with suppress(ProcessLookupError, subprocess.TimeoutExpired):
            os.killpg(self.pid, signal.SIGTERM)
            self.wait(timeout=2.0)
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
