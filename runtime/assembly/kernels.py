# SPDX-License-Identifier: BSD-3-Clause
"""Kernels in the runtime: a descriptor and an address, standard or built on demand."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from flexforge.codegen.arguments import element as is_element
from flexforge.codegen.arguments import texts, typed
from flexforge.codegen.elements.facts import FACTS, GEOMETRY, TAPERED
from flexforge.codegen.errors import InputError
from flexforge.codegen.forces.declaration import ForceLaw
from flexforge.codegen.forces.terms import terms_of
from flexforge.runtime import _kernels, _standard
from flexforge.runtime.assembly.calls import CompiledKernel
from flexforge.runtime.machine.phases import phase

if TYPE_CHECKING:
    from flexforge.codegen.elements.field import AnyElement

#: Installed terms in which the law of a material has no part.
LAWLESS = ("scalar_mass", GEOMETRY)


def read_kernels(address: int, source: str) -> tuple[CompiledKernel, ...]:
    """Return the kernels of a table.

    Parameters
    ----------
    address : int
        Address of the table function.
    source : str
        Name of the library for error messages.

    Raises
    ------
    InputError
        When a kernel was generated for another version of the ABI, compiled for instructions that
        this processor does not have, or is of an unknown kind.
    """
    kernels = []
    for entry in _kernels.read_table(address):
        where = f"{source}: kernel '{entry['name']}'"
        if entry["abi"] != _kernels.abi_version():
            raise InputError(
                f"{where} has ABI version {entry['abi']}; this runtime "
                f"expects {_kernels.abi_version()}: generate the kernels again"
            )
        kernel = CompiledKernel(**entry)
        _check(kernel, where)
        kernels.append(kernel)
    judges = {(k.element, k.scalar): k.descriptor for k in kernels if k.term == GEOMETRY}
    return tuple(replace(k, geometry=judges.get((k.element, k.scalar), 0)) for k in kernels)


def _check(kernel: CompiledKernel, where: str) -> None:
    """Refuse a kernel that this processor or this runtime cannot run."""
    best, most = _standard.level(), _kernels.most_lanes()
    if kernel.level > best:
        raise InputError(
            f"{where} was compiled for {_instructions(kernel.level)}; this processor runs "
            f"{_instructions(best)}: build the library again on this machine, or remove it "
            "from the cache"
        )
    if not 1 <= kernel.lanes <= most:
        raise InputError(
            f"{where} computes {kernel.lanes} elements per call; this runtime expects 1 to {most}"
        )
    if kernel.scalar not in ("double", "float"):
        raise InputError(
            f"{where} computes in '{kernel.scalar}'; this runtime expects double or float"
        )


def _instructions(level: int) -> str:
    """Return an instruction level in words."""
    return f"{_standard.LEVELS.get(level, 'instructions unknown here')} (level {level})"


def level() -> int:
    """Return the level of the standard kernels in use: 1 baseline, 3 AVX2, 4 AVX-512.

    The environment variable FLEXFORGE_LEVEL selects a lower level than the processor has.
    """
    best = max(found for found in (1, 3, 4) if found <= _standard.level())
    wanted = os.environ.get("FLEXFORGE_LEVEL")
    if wanted is None:
        return best
    if wanted not in ("1", "3", "4"):
        raise InputError(f"FLEXFORGE_LEVEL: found '{wanted}'; expected 1, 3 or 4")
    if int(wanted) > best:
        raise InputError(
            f"FLEXFORGE_LEVEL: level {wanted} ({_standard.LEVELS[int(wanted)]}) is not supported "
            f"by this processor; expected at most {best}"
        )
    return int(wanted)


def standard_flags() -> str:
    """Return the instructions of the standard kernels in use, their compiler and its flags."""
    number = level()
    return f"{_standard.LEVELS[number]}, compiler {_standard.COMPILER}: {_standard.FLAGS[number]}"


def standard_kernels() -> dict[tuple[str, str], CompiledKernel]:
    """Return the kernels of the installation, by element and term."""
    return _installed(level())


def baseline_kernels() -> dict[tuple[str, str], CompiledKernel]:
    """Return the kernels of the installation for every processor of this architecture.

    They round like a program that is not compiled for a specific processor.
    """
    return _installed(1)


@cache
def _installed(number: int) -> dict[tuple[str, str], CompiledKernel]:
    kernels = read_kernels(_standard.table_address(number), "standard kernels")
    return {(k.element, k.term): k for k in kernels}


@cache
def load_library(path: Path) -> tuple[CompiledKernel, ...]:
    """Return the kernels of a shared object built by ``flexforge.codegen.jit.build``."""
    import ctypes

    try:
        library = ctypes.CDLL(str(path))
        table = ctypes.cast(library.flexforge_kernels, ctypes.c_void_p).value
    except (OSError, AttributeError) as error:
        raise InputError(f"{path}: is not a kernel library ({error})") from error
    assert table is not None
    return read_kernels(table, str(path))


@typed(element=is_element, terms=texts)
def kernels_of(element: AnyElement | str | Path, terms: Sequence[str]) -> dict[str, CompiledKernel]:
    """Return the kernels of an element, compiled now if they are not standard kernels.

    Text and object code are cached, so that a second process derives and compiles nothing.

    Parameters
    ----------
    element : Element, str or Path
        A declaration, or the full name of a standard element, or the file of an own one.
    terms : sequence of str
        Terms that the caller needs.

    Returns
    -------
    dict of str to CompiledKernel
        By term: call each with positions (elements, nodes, dimension), m, and with the arguments in
        its ``parameters``.

    Raises
    ------
    InputError
        When a kernel has to be compiled and there is no compiler.

    Examples
    --------
    A triangle of 6 kg has 1 kg on the diagonal of its mass matrix and half of it off the diagonal:

    >>> import flexforge as ff
    >>> mass = ff.kernels_of("tri3_plane_stress", ["mass"])["mass"]
    >>> found = mass([[0, 0], [1, 0], [0, 1]], density=12.0, thickness=1.0)
    >>> found[::2, ::2].round(12)
    array([[1. , 0.5, 0.5],
           [0.5, 1. , 0.5],
           [0.5, 0.5, 1. ]])
    """
    return _kernels_of(element, terms)


class Kernels(Mapping[str, CompiledKernel]):
    """The kernels of an element by term, each compiled when it is first asked for.

    What an analysis does not need is neither derived nor compiled: the terms of a frame that turns
    take most of the time of a beam at rest.

    Parameters
    ----------
    element : Element, str or Path
        As of :func:`kernels_of`.
    terms : sequence of str
        Terms that may be asked for.

    Raises
    ------
    InputError
        When a kernel would have to be compiled and there is no compiler.
    """

    def __init__(self, element: AnyElement | str | Path, terms: Sequence[str]) -> None:
        self._element, self._terms = element, tuple(terms)
        self._found: dict[str, CompiledKernel] = {}
        if self.are_installed:
            self._found = _kernels_of(element, self._terms)
        else:
            from flexforge.codegen.jit.compilers import find_compiler

            find_compiler()

    @property
    def are_installed(self) -> bool:
        """Whether all of them come with the installation."""
        name, known = self._element, standard_kernels()
        return isinstance(name, str) and all((name, term) in known for term in self._terms)

    def __getitem__(self, term: str) -> CompiledKernel:
        if term not in self._terms:
            raise KeyError(term)
        if term not in self._found:
            self._found |= _kernels_of(self._element, (term,))
        return self._found[term]

    def __contains__(self, term: object) -> bool:
        return term in self._terms

    def __iter__(self) -> Iterator[str]:
        return iter(self._terms)

    def __len__(self) -> int:
        return len(self._terms)


def single_kernels(element: AnyElement | str, terms: Sequence[str]) -> dict[str, CompiledKernel]:
    """Return kernels of an element that compute one element per call; as `kernels_of` otherwise."""
    return _kernels_of(element, terms, lanes=1)


def law_kernels(law: ForceLaw) -> dict[str, CompiledKernel]:
    """Return the kernels of a law of force by term, compiled now if the cache has none."""
    from flexforge.codegen.jit.build import build
    from flexforge.codegen.jit.compilers import find_compiler
    from flexforge.codegen.output.derived import derived_for_lanes

    compiler = find_compiler()
    terms = terms_of(law)
    with phase(f"compile {law.name}"):
        sources = derived_for_lanes(law, terms, (1,))[1].files
        return {one.term: one for one in load_library(build(sources, compiler))}


def _kernels_of(
    element: AnyElement | str | Path, terms: Sequence[str], lanes: int | None = None
) -> dict[str, CompiledKernel]:
    """Return kernels that compute elements one by one, or as many as the processor does."""
    standard = standard_kernels() if lanes is None else {}
    element = str(element) if isinstance(element, Path) else element
    if isinstance(element, str) and element.endswith(".toml"):
        from flexforge.codegen.elements.catalogue import find

        element = find(element)
    if isinstance(element, str):  # no declaration: that would import SymPy
        name, known = element, standard_kernels()
        mapped = (name, GEOMETRY) in known or all(one != name for one, _ in known)
    else:
        name, mapped = element.name, element.mapped
    carried = _carried(element)
    installed = _installed_for(element, standard)
    found = {term: installed[term] for term in terms if term in installed}
    missing = [term for term in dict.fromkeys(terms) if term not in found]
    if missing:
        from flexforge.codegen.jit.build import build
        from flexforge.codegen.jit.compilers import find_compiler
        from flexforge.codegen.output.derived import derived_sources
        from flexforge.codegen.output.lanes import LANES

        compiler = find_compiler()  # before a derivation that would be in vain

        def compiled(*wanted: str) -> dict[str, CompiledKernel]:
            sources = derived_sources(element, wanted, lanes or LANES[_standard.level()]).files
            return {k.term: k for k in load_library(build(sources, compiler))}

        with phase(f"compile {name}"):
            own = compiled(*missing)
            # The judge of geometry is a library of its own, which terms asked for later share.
            judge = installed.get(GEOMETRY) if mapped else None
            if mapped and judge is None:
                judge = compiled(GEOMETRY)[GEOMETRY]
        geometry = 0 if judge is None else judge.descriptor
        found |= {term: replace(own[term], geometry=geometry) for term in missing}
    return {term: replace(found[term], carried=carried) for term in terms}


def _installed_for(
    element: AnyElement | str, standard: Mapping[tuple[str, str], CompiledKernel]
) -> dict[str, CompiledKernel]:
    """Return the installed kernels of an element, by term.

    A declaration has those of an element of the library if it is equal to it, whatever its name is,
    and those without a law if it differs from it by its law alone.
    """
    if not standard:
        return {}
    if isinstance(element, str):
        return {term: kernel for (name, term), kernel in standard.items() if name == element}
    from flexforge.codegen.elements.catalogue import lawless_name, standard_name

    if same := standard_name(element):
        return _installed_for(same, standard)
    lawless = _installed_for(lawless_name(element) or "", standard)
    return {t: replace(lawless[t], element=element.name) for t in LAWLESS if t in lawless}


def _carried(element: AnyElement | str) -> int:
    """Return the vectors per node of an element; 0 for a name that is not in the library."""
    if not isinstance(element, str):
        return len(getattr(element, "carried", ("displacement",)))
    plain = element.removesuffix("_laminate").removesuffix(TAPERED).removesuffix("_plane")
    known = FACTS.get(plain)
    return 0 if known is None else known.carried
