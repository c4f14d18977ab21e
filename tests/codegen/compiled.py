# SPDX-License-Identifier: BSD-3-Clause
"""Kernels compiled and called through ctypes, with nothing of the runtime in between."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from flexforge.codegen.driver import Kernel, compile_kernel
from flexforge.codegen.elements.declaration import Element
from flexforge.codegen.elements.terms import terms_of
from flexforge.codegen.jit.build import build
from flexforge.codegen.jit.compilers import Compiler, find_compiler
from flexforge.codegen.output.sources import kernel_sources
from specimens import ALL_ELEMENTS, FACET_ELEMENTS, SMALL, VARIANT_ELEMENTS, VARIANT_TERMS


@dataclass(frozen=True)
class Native:
    """A kernel in memory."""

    kernel: Kernel
    function: object

    def __call__(self, coordinates, parameters, state=None):
        """Run on elements (nodes, components, count); return the output, its shape + (count,).

        The last group is filled up with copies of the last element.
        """
        k, lanes = self.kernel, self.kernel.lanes
        dtype = np.float32 if k.scalar == "float" else np.float64
        scalars = np.array([parameters[p.name] for p in k.parameters], dtype)
        count = coordinates.shape[-1]
        shape = next(a for a in k.program.arrays if a.kind == "output").shape
        out = np.empty((*shape, count), dtype)
        for first in range(0, count, lanes):
            chosen = np.minimum(np.arange(first, first + lanes), count - 1)
            group = [
                None if a is None else np.ascontiguousarray(a[..., chosen], dtype)
                for a in (coordinates, state)
            ]
            result = np.full((*shape, lanes), np.nan, dtype)
            self.call(group[0], scalars, group[1], result)
            kept = min(lanes, count - first)
            out[..., first : first + kept] = result[..., :kept]
        return out

    def call(self, coordinates, parameters, state, out):
        """Call the kernel once on arrays as they are; it gets a workspace if it wants one."""
        size = self.kernel.layout.workspace
        workspace = np.full(size, 0xFF, np.uint8) if size else None
        self.function(*map(_address, (coordinates, parameters, state, out, workspace)))


def _address(array):
    return None if array is None else array.ctypes.data_as(ctypes.c_void_p)


def quick_compiler() -> Compiler:
    """Return the compiler at hand at a low level of optimization, where only the text matters."""
    found = find_compiler()
    return replace(found, native=(*found.native, "-O1"))


def build_kernels(kernels: list[Kernel], compiler: Compiler | None = None) -> dict[str, Native]:
    """Compile kernels into one library; return them by term."""
    library = ctypes.CDLL(str(build(kernel_sources(kernels), compiler)))
    result = {}
    for kernel in kernels:
        function = getattr(library, kernel.name)
        function.restype = None
        function.argtypes = [ctypes.c_void_p] * 5
        result[kernel.term] = Native(kernel, function)
    return result


def native(subject: Element, terms=None, **options) -> dict[str, Native]:
    """Return the kernels of an element, by term."""
    wanted = terms_of(subject) if terms is None else terms
    return build_kernels([compile_kernel(subject, term, **options) for term in wanted])


def terms(name: str) -> tuple[str, ...]:
    """Return the terms that the tests look at of a standard element or facet."""
    return VARIANT_TERMS if name in VARIANT_ELEMENTS else terms_of(_subject(name))


def _subject(name: str) -> Element:
    return ALL_ELEMENTS[name] if name in ALL_ELEMENTS else FACET_ELEMENTS[name]


@cache
def _kernel(name: str, term: str, lanes: int, scalar: str, formalism: str) -> Kernel:
    """Return a kernel; all lanes and scalar types are printed from one program, as promised."""
    if lanes == 1 and scalar == "double":
        return compile_kernel(_subject(name), term, formalism=formalism)
    single = _kernel(name, term, 1, "double", formalism)
    return replace(single, lanes=lanes, scalar=scalar, name=f"{single.name}_{scalar}_x{lanes}")


def kernel_of(
    name: str, term: str, lanes: int = 1, scalar: str = "double", formalism: str = "lagrange"
) -> Kernel:
    """Return a kernel of a standard element or facet, generated once a process."""
    return _kernel(name, term, lanes, scalar, formalism)


def kernels(
    name: str, lanes: int = 1, scalar: str = "double", formalism: str = "lagrange"
) -> list[Kernel]:
    """Return the kernels of all terms of a standard element or facet."""
    return [_kernel(name, term, lanes, scalar, formalism) for term in terms(name)]


class Library(Mapping):
    """Compiled kernels of a standard element or facet by term, each built when asked for.

    The kernels that installations use, of eight lanes, and the scalar ones are compiled with the
    usual flags.
    """

    def __init__(self, name: str, lanes: int, scalar: str, formalism: str):
        self._kind = (lanes, scalar, formalism)
        self._name = name
        usual = scalar == "double" and lanes in (1, 8) and formalism == "lagrange"
        self._compiler = None if usual else quick_compiler()
        self._built: dict[str, Native] = {}

    def __iter__(self):
        return iter(terms(self._name))

    def __len__(self):
        return len(terms(self._name))

    def __getitem__(self, term):
        if term not in self._built:
            # Of small elements tests want every term: a compiler takes as long to start as for one.
            wanted = terms(self._name) if self._name in SMALL else (term,)
            kernels = [_kernel(self._name, one, *self._kind) for one in wanted]
            self._built |= build_kernels(kernels, self._compiler)
        return self._built[term]


def library(
    name: str, lanes: int = 1, scalar: str = "double", formalism: str = "lagrange"
) -> Library:
    """Return the kernels of a standard element or facet, compiled, by term."""
    return _library(name, lanes, scalar, formalism)


_library = cache(Library)


def write_files(folder, sources: dict[str, str]) -> list[str]:
    """Write texts into a folder; return their paths."""
    for name, text in sources.items():
        (folder / name).write_text(text)
    return [str(folder / name) for name in sources]


def run_command(command, **options):
    """Run a program and return what it printed."""
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)
