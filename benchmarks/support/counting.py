# SPDX-License-Identifier: BSD-3-Clause
"""Operations and bytes of any C kernel, counted while it runs.

The text is compiled as C++ with a class in place of ``double`` that counts what is done with it
(``counted.hpp``): loops, branches and tables are followed as they are, whoever wrote them. The
rules are those of :data:`flexforge.codegen.ir.count.RULES`: a product with a written -1 is a change
of sign, which does not count. No compiler has simplified the text: a product with a written 1
counts.
"""

from __future__ import annotations

import atexit
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from flexforge.codegen.jit.build import INCLUDE

FAMILIES = ("additions", "products", "quotients", "roots")
HEADER = Path(__file__).with_name("counted.hpp")
_COMPILER = ("g++", "-std=c++20", "-O0", "-fno-strict-aliasing", "-fpermissive", "-w")

_MAIN = r"""
#undef double
int main()
{
    struct { Counted *first; long size; } given[] = { {ARRAYS} };
    for (auto &one : given)
        arguments.push_back({(char *)one.first, (char *)(one.first + one.size),
                             std::vector<bool>(one.size), std::vector<bool>(one.size)});
    additions = products = quotients = roots = 0;
    tables.clear();
    {CALL};
    printf("%ld %ld %ld %ld %zu\n", additions, products, quotients, roots, 8 * tables.size());
    for (size_t k = 0; k < arguments.size(); k++) {
        long read = 0, written = 0;
        for (bool yes : arguments[k].read) read += 8 * yes;
        for (bool yes : arguments[k].written) written += 8 * yes;
        printf("%ld %ld", read, written);
        for (long i = 0; i < given[k].size; i++) printf(" %.17g", given[k].first[i].value);
        printf("\n");
    }
    return 0;
}
"""


@dataclass(frozen=True)
class Run:
    """What a call of a C function did.

    Attributes
    ----------
    operations : dict
        ``additions``, ``products``, ``quotients`` and ``roots``, which are all functions called.
    read, written : tuple of int
        Bytes of every argument that the call read before it wrote them, and wrote: each entry once.
    tables : int
        Bytes of the function's own static data that it read: each number once.
    arrays : tuple of ndarray
        The arguments after the call.
    """

    operations: dict[str, int]
    read: tuple[int, ...]
    written: tuple[int, ...]
    tables: int
    arrays: tuple[np.ndarray | None, ...]


def counted_run(
    source: str,
    function: str,
    arguments: Sequence[np.ndarray | None],
    include: Sequence[Path] = (),
) -> Run:
    """Call a C function once and return what it did.

    Parameters
    ----------
    source : str
        C text that defines the function.
    function : str
        Its name; it returns nothing.
    arguments : sequence of ndarray or None
        Arrays of doubles, those of results too, and None for pointers it does not use.
    include : sequence of Path
        Folders of headers that the text includes.

    Returns
    -------
    Run

    Raises
    ------
    subprocess.CalledProcessError
        If the text is not C that is C++ too, or its program crashes.
    """
    present = [k for k, values in enumerate(arguments) if values is not None]
    arrays = [f"static double argument{k}[] = {{{_numbers(arguments[k])}}};" for k in present]
    names = ["0" if values is None else f"argument{k}" for k, values in enumerate(arguments)]
    listed = ", ".join(f"{{argument{k}, {np.size(arguments[k])}}}" for k in present)
    main = _MAIN.replace("{ARRAYS}", listed).replace("{CALL}", f"{function}({', '.join(names)})")
    with tempfile.TemporaryDirectory() as folder:
        text, program = Path(folder) / "counted.cpp", Path(folder) / "counted"
        # A macro would not do: headers define and undefine one of that name.
        known = re.sub(r"\brestrict\b", "__restrict__", source)
        header = _precompiled()
        text.write_text("\n".join([f'#include "{header}"', known, *arrays, main]))
        folders = [f"-I{path}" for path in (*include, INCLUDE)]
        subprocess.run(
            [*_COMPILER, *folders, str(text), "-o", str(program)],
            check=True, capture_output=True, text=True,
        )  # fmt: skip
        done = subprocess.run([str(program)], check=True, capture_output=True, text=True)
    first, *lines = done.stdout.splitlines()
    *families, tables = map(int, first.split())
    by_argument = {k: line.split() for k, line in zip(present, lines, strict=True)}
    count = range(len(arguments))
    return Run(
        dict(zip(FAMILIES, families, strict=True)),
        tuple(int(by_argument[k][0]) if k in by_argument else 0 for k in count),
        tuple(int(by_argument[k][1]) if k in by_argument else 0 for k in count),
        tables,
        tuple(
            np.array(by_argument[k][2:], dtype=float).reshape(np.shape(arguments[k]))
            if k in by_argument
            else None
            for k in count
        ),
    )


def operations(
    source: str,
    function: str,
    arguments: Sequence[np.ndarray | None],
    include: Sequence[Path] = (),
) -> dict[str, int]:
    """Return how often a call of a C function adds, multiplies, divides and calls functions.

    Arguments, result and errors are those of :func:`counted_run`.
    """
    return counted_run(source, function, arguments, include).operations


@cache
def _precompiled() -> Path:
    """Return a copy of the header with its precompiled form beside it, which g++ takes instead."""
    folder = Path(tempfile.mkdtemp(prefix="counted-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    header = folder / HEADER.name
    header.write_text(HEADER.read_text())
    subprocess.run([*_COMPILER, f"-I{INCLUDE}", str(header)], check=True, capture_output=True)
    return header


def _numbers(values: np.ndarray | None) -> str:
    assert values is not None
    return ", ".join(repr(float(value)) for value in values.ravel())
