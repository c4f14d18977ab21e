# SPDX-License-Identifier: BSD-3-Clause
"""Build: from C text to a shared object, cached by everything that determines its content."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from flexforge.codegen.arguments import mapping, typed
from flexforge.codegen.errors import FlexforgeError
from flexforge.codegen.jit.cache import find_kept, keep, locked, scratch_folder
from flexforge.codegen.jit.compilers import COMMON, Compiler, find_compiler, run_compiler

INCLUDE = Path(__file__).parents[1] / "include"


@typed(sources=mapping)
def build(sources: Mapping[str, str], compiler: Compiler | None = None) -> Path:
    """Compile sources into one shared object.

    Parameters
    ----------
    sources : mapping
        Text by file name.
    compiler : Compiler, optional
        By default the first one found.

    Returns
    -------
    Path
        The shared object in the cache, where it appears complete or not at all.

    Raises
    ------
    InputError
        If there is no compiler, or the cache folder cannot be written or trusted.
    FlexforgeError
        If the compiler rejects the text; its output is in the message.

    Examples
    --------
    The same text is compiled only once; later calls find it in the cache:

    >>> import flexforge as ff
    >>> sources = ff.kernel_sources([ff.compile(ff.element("tri3"), "mass")])
    >>> library = ff.build(sources)
    >>> library.suffix, ff.build(sources) == library
    ('.so', True)
    """
    compiler = compiler or find_compiler()
    header = (INCLUDE / "flexforge.h").read_text(encoding="utf-8")
    flags = (*COMMON, *compiler.native)
    identity = [compiler.version(), compiler.resolved_target(), *flags, header]
    for path in sorted(sources):
        identity += [path, sources[path]]
    name = f"kernels-{hashlib.sha256(chr(0).join(identity).encode()).hexdigest()[:24]}"
    kept = find_kept(name, ".so")
    if kept is not None:
        return kept
    with locked(name):
        return find_kept(name, ".so") or keep(name, ".so", _compile(sources, compiler, name))


def _compile(sources: Mapping[str, str], compiler: Compiler, name: str) -> bytes:
    """Return the shared object, compiled in a separate folder."""
    with scratch_folder(name) as scratch:
        for path, text in sources.items():
            (scratch / path).write_text(text, encoding="utf-8")
        flags = [*COMMON, *compiler.native, "-shared", f"-I{INCLUDE}"]
        command = [*compiler.command, *flags, *sorted(sources), "-lm", "-o", "out.so"]
        done = run_compiler(command, scratch)
        if done.returncode:
            raise FlexforgeError(f"{' '.join(command)} failed:\n{done.stderr}")
        return (scratch / "out.so").read_bytes()
