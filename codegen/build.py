# SPDX-License-Identifier: BSD-3-Clause
"""Build: C text into a shared object, cached by everything its bytes depend on."""

from __future__ import annotations

import fcntl
import hashlib
import os
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from flexforge.codegen.compilers import COMMON, Compiler, find_compiler
from flexforge.codegen.errors import FlexforgeError, InputError

INCLUDE = Path(__file__).parent / "include"


def cache_folder() -> Path:
    """Return where built kernels are kept: FLEXFORGE_CACHE, or the user's cache folder."""
    chosen = os.environ.get("FLEXFORGE_CACHE")
    if chosen:
        return Path(chosen)
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "flexforge"


def build(sources: Mapping[str, str], compiler: Compiler | None = None) -> Path:
    """Compile sources into one shared object.

    Parameters
    ----------
    sources : mapping
        Text by file name.
    compiler : Compiler, optional
        By default the first found.

    Returns
    -------
    Path
        The shared object, in the cache. It appears there complete or not at all.

    Raises
    ------
    InputError
        When there is no compiler, or the cache folder cannot be written.
    FlexforgeError
        When the compiler refuses the text; its words are in the message.
    """
    compiler = compiler or find_compiler()
    header = (INCLUDE / "flexforge.h").read_text()
    flags = (*COMMON, *compiler.native)
    identity = [compiler.version(), compiler.resolved_target(), *flags, header]
    for name in sorted(sources):
        identity += [name, sources[name]]
    key = hashlib.sha256("\0".join(identity).encode()).hexdigest()[:24]
    folder = cache_folder()
    target = folder / f"kernels-{key}.so"
    if target.exists():
        return target
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with open(folder / f"{key}.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not target.exists():
                _compile(sources, compiler, flags, target)
        (folder / f"{key}.lock").unlink(missing_ok=True)
    except OSError as error:
        raise InputError(
            f"{folder}: cannot write the kernel cache ({error.strerror}); "
            "set FLEXFORGE_CACHE to a folder that can be written"
        ) from error
    return target


def _compile(
    sources: Mapping[str, str], compiler: Compiler, flags: tuple[str, ...], target: Path
) -> None:
    """Compile in a folder of its own and move the result into place."""
    with tempfile.TemporaryDirectory(dir=target.parent, prefix="build-") as scratch:
        paths = []
        for name in sorted(sources):
            path = Path(scratch) / name
            path.write_text(sources[name])
            paths.append(str(path))
        output = Path(scratch) / "out.so"
        command = [*compiler.command, *flags, "-shared", f"-I{INCLUDE}", *paths, "-lm"]
        done = subprocess.run(
            [*command, "-o", str(output)], capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise FlexforgeError(f"{' '.join(command)} failed:\n{done.stderr}")
        os.replace(output, target)
