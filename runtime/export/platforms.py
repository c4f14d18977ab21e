# SPDX-License-Identifier: BSD-3-Clause
"""Machines that binaries are compiled for: the one at hand by its compiler, others by zig's."""

from __future__ import annotations

import platform as machine
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from flexforge.codegen.errors import FlexforgeError, InputError, nearest
from flexforge.codegen.jit.compilers import find_compiler, run_compiler

#: No flag may change a value beyond fusing a product and an addition; none names this machine.
FLAGS = ("-std=c99", "-O3", "-fPIC", "-fvisibility=hidden", "-ffp-contract=fast",
         "-fno-math-errno", "-shared", "-s")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Platform:
    """A machine.

    Attributes
    ----------
    name : str
        As on the command line.
    target : str
        What zig calls it; empty for a compiler of the machine at hand.
    fmi2, fmi3 : str
        Names of its folders in FMUs.
    ending : str
        Of its shared libraries.
    """

    name: str
    target: str
    fmi2: str
    fmi3: str
    ending: str


PLATFORMS = (
    Platform("linux-x86_64", "x86_64-linux-gnu.2.17", "linux64", "x86_64-linux", ".so"),
    Platform("linux-aarch64", "aarch64-linux-gnu.2.17", "aarch64-linux", "aarch64-linux", ".so"),
    Platform("windows-x86_64", "x86_64-windows-gnu", "win64", "x86_64-windows", ".dll"),
    Platform("macos-x86_64", "x86_64-macos", "darwin64", "x86_64-darwin", ".dylib"),
    Platform("macos-aarch64", "aarch64-macos", "aarch64-darwin", "aarch64-darwin", ".dylib"),
)


def here() -> Platform:
    """Return the machine at hand, for which its own compiler compiles.

    Raises
    ------
    InputError
        When it is none of those that are known.
    """
    system = {"Darwin": "macos"}.get(machine.system(), machine.system().lower())
    kind = {"AMD64": "x86_64", "arm64": "aarch64"}.get(machine.machine(), machine.machine())
    return replace(find_platform(f"{system}-{kind}"), target="")


def find_platform(name: str) -> Platform:
    """Return a machine by its name.

    Raises
    ------
    InputError
        For an unknown name, with the nearest known one.
    """
    names = [one.name for one in PLATFORMS]
    if name not in names:
        raise InputError(
            f"--platforms: found '{name}'; expected one of {', '.join(names)}{nearest(name, names)}"
        )
    return PLATFORMS[names.index(name)]


def compile_shared(sources: Mapping[str, str], main: str, name: str, platform: Platform) -> bytes:
    """Return the shared library of sources.

    Parameters
    ----------
    sources : mapping
        Text by file name.
    main : str
        The file that is compiled; it includes the others.
    name : str
        Of the library, without its ending: some machines want it inside.
    platform : Platform
        For which machine.

    Raises
    ------
    InputError
        When there is no compiler for it.
    FlexforgeError
        When the compiler refuses the text; its words are in the message.
    """
    with tempfile.TemporaryDirectory() as scratch:
        for path, text in sources.items():
            (Path(scratch) / path).write_text(text, encoding="utf-8")
        # Compiled where it lies, by names alone: no folder of this machine is in the result.
        out = f"{name}{platform.ending}"
        command = [*_command(platform), *FLAGS, main, "-o", out]
        command += [] if platform.ending == ".dll" else ["-lm"]
        done = run_compiler(command, Path(scratch))
        if done.returncode:
            raise FlexforgeError(f"{' '.join(command)} failed:\n{done.stderr}")
        return (Path(scratch) / out).read_bytes()


def _command(platform: Platform) -> tuple[str, ...]:
    """Return how a compiler for a machine is called."""
    if not platform.target:
        return find_compiler().command
    try:
        return (*find_compiler("zig").command, "-target", platform.target)
    except InputError:
        if platform.name == here().name:
            return find_compiler().command
        raise InputError(
            f"--platforms: found '{platform.name}', which needs the cross compiler zig; "
            "expected zig installed (pip install 'flexforge[cross]')"
        ) from None
