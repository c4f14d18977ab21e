# SPDX-License-Identifier: BSD-3-Clause
"""Target platforms of binaries: this machine with its own compiler, all others with zig."""

from __future__ import annotations

import platform as machine
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from flexforge.codegen.errors import FlexforgeError, InputError, nearest
from flexforge.codegen.jit.compilers import find_compiler, run_compiler

#: No flag may change a value except by fusing a product and an addition; none names this machine.
FLAGS = ("-std=c99", "-O3", "-fPIC", "-fvisibility=hidden", "-ffp-contract=fast",
         "-fno-math-errno", "-shared", "-s")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Platform:
    """A platform.

    Attributes
    ----------
    name : str
        Name on the command line.
    target : str
        The target of zig; empty for a compiler of this machine.
    fmi2, fmi3 : str
        Names of its folders in FMUs.
    ending : str
        Suffix of its shared libraries.
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
    """Return the platform of this machine.

    Raises
    ------
    InputError
        When the platform is not supported.
    """
    system = {"Darwin": "macos"}.get(machine.system(), machine.system().lower())
    kind = {"AMD64": "x86_64", "arm64": "aarch64"}.get(machine.machine(), machine.machine())
    return replace(find_platform(f"{system}-{kind}"), target="")


def find_platform(name: str) -> Platform:
    """Return a platform by its name.

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


def compile_shared(
    sources: Mapping[str, str],
    main: str,
    name: str,
    platform: Platform,
    flags: Sequence[str] = FLAGS,
) -> bytes:
    """Return a shared library compiled from sources.

    Parameters
    ----------
    sources : mapping
        Text by file name.
    main : str
        The file that is compiled; it includes the others.
    name : str
        Name of the library, without suffix; some platforms require it inside.
    platform : Platform
        The target platform.
    flags : sequence of str
        Flags of the compiler.

    Raises
    ------
    InputError
        When there is no compiler for the platform.
    FlexforgeError
        When compilation fails; the compiler's message is included.
    """
    with tempfile.TemporaryDirectory() as scratch:
        for path, text in sources.items():
            (Path(scratch) / path).write_text(text, encoding="utf-8")
        # Compiled in place with relative names, so that the result contains no folder of this
        # machine.
        out = f"{name}{platform.ending}"
        command = [*_command(platform), *flags, main, "-o", out]
        command += [] if platform.ending == ".dll" else ["-lm"]
        done = run_compiler(command, Path(scratch))
        if done.returncode:
            raise FlexforgeError(f"{' '.join(command)} failed:\n{done.stderr}")
        return (Path(scratch) / out).read_bytes()


def _command(platform: Platform) -> tuple[str, ...]:
    """Return the command line of a compiler for a platform."""
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
