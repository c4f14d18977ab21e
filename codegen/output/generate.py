# SPDX-License-Identifier: BSD-3-Clause
"""Generate: the kernels of an element as a self-contained folder for use in other programs."""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from flexforge.codegen.arguments import either, optional, path, text, texts, typed
from flexforge.codegen.arguments import element as is_element
from flexforge.codegen.driver import Kernel, compile_kernel
from flexforge.codegen.elements.catalogue import declaration
from flexforge.codegen.elements.facts import GEOMETRY
from flexforge.codegen.elements.field import AnyElement
from flexforge.codegen.elements.terms import ALL, Known, chosen_terms, known_terms, unwritten
from flexforge.codegen.errors import InputError, nearest
from flexforge.codegen.files.folder import write_folder
from flexforge.codegen.jit.build import INCLUDE
from flexforge.codegen.output.foreign.uel import uel_files, uel_known, uel_terms
from flexforge.codegen.output.foreign.ufcx import ufcx_files, ufcx_known, ufcx_terms
from flexforge.codegen.output.renamed import renamed
from flexforge.codegen.output.sources import binding, cpp_header, header, kernel_sources, readme


@typed(element=is_element, folder=path, terms=optional(either(text, texts)), formalism=text)
@renamed(force="overwrite")
def generate(
    element: AnyElement | str | Path,
    folder: str | Path,
    *,
    terms: Sequence[str] | str | None = None,
    formalism: str = "lagrange",
    lanes: Sequence[int] | None = None,
    scalar: str = "double",
    prefix: str | None = None,
    abi: str = "flexforge",
    overwrite: bool = False,
) -> list[Path]:
    """Write C, headers for C and C++, a Cython module and a README for the kernels of an element.

    Parameters
    ----------
    element : Element, str or Path
        A declaration, or the name or file of one.
    folder : str or Path
        Destination; it appears complete or not at all.
    terms : sequence of str, or "all", optional
        By default stiffness and mass, or the one of them that the element has; all terms if it has
        neither. ``all``, alone or in the sequence, means every term of :func:`terms_of`.
    formalism, scalar : str
        As in :func:`flexforge.codegen.driver.compile_kernel`.
    lanes : sequence of int, optional
        Elements per call: one kernel for each of these and each term. By default 1 and 8.
    prefix : str, optional
        Prefix of all names; by default the name of the element.
    abi : str
        Interface of the kernels: ``flexforge``, ``ufcx`` (integrals of DOLFINx) or ``uel`` (a
        user element of Abaqus). The last two have one lane.
    overwrite : bool
        Also write into a folder with other files; those of the same names are replaced.

    Returns
    -------
    list of Path
        The files.

    Raises
    ------
    InputError
        For an unknown term, formalism, type or interface, a term or type that the interface does
        not support, a prefix that is not a valid C identifier, or a folder that cannot be written
        or contains other files.

    Examples
    --------
    >>> import flexforge as ff
    >>> files = ff.generate(ff.element("tri3"), "kernels", terms=["mass"], prefix="tri")
    >>> [path.name for path in files if path.name.startswith("tri")]
    ['tri.hpp', 'tri.pyx', 'tri_kernels.c', 'tri_kernels.h', 'tri_table.c']
    """
    element = declaration(element)
    prefix = prefix or element.name
    _check_prefix(prefix)
    if abi not in INTERFACES:
        raise InputError(
            f"abi '{abi}' is unknown; expected one of {', '.join(INTERFACES)}"
            f"{nearest(abi, INTERFACES)}"
        )
    interface = INTERFACES[abi]
    if isinstance(terms, str) and terms != ALL:
        raise InputError(f"terms: found '{terms}'; expected a list of names, or '{ALL}'")
    if terms is not None and not terms:
        raise InputError(f"terms: found none; expected a list of names, or '{ALL}'")
    wanted = interface.terms(element, terms, scalar)
    if lanes is None:
        lanes = interface.lanes
    if not lanes:
        raise InputError("lanes: found none; expected some of 1, 2, 4, 8, 16")
    if interface.lanes == (1,) and set(lanes) != {1}:
        raise InputError(
            f"lanes: found {max(lanes)}; expected 1, because a call of '{abi}' computes one element"
        )
    kernels = [
        compile_kernel(
            element,
            term,
            formalism=formalism,
            scalar=scalar,
            lanes=width,
            name=f"{prefix}_{term}" + (f"_x{width}" if width > 1 else ""),
        )
        for term in wanted
        for width in (sorted(set(lanes)) if term != GEOMETRY else (1,))
    ]
    return write_folder(
        Path(folder), interface.files(element, kernels, prefix), overwrite=overwrite
    )


def _check_prefix(prefix: str) -> None:
    """Raise an error for a prefix that is not a valid C identifier or module name."""
    if not re.fullmatch(r"[A-Za-z]\w*", prefix, re.ASCII):
        raise InputError(
            f"name '{prefix}' is not a valid identifier; expected letters, digits and _"
        )
    if keyword.iskeyword(prefix):
        raise InputError(
            f"name '{prefix}' is a Python keyword and cannot name a module; expected another"
        )


def unwritten_terms(
    element: AnyElement | str | Path,
    terms: Sequence[str] | str | None = None,
    *,
    scalar: str = "double",
    abi: str = "flexforge",
) -> Known:
    """Return the terms that :func:`generate` with these arguments does not write."""
    element, interface = declaration(element), INTERFACES[abi]
    return unwritten(interface.known(element), interface.terms(element, terms, scalar))


def library_files(element: AnyElement, kernels: Sequence[Kernel], prefix: str) -> dict[str, str]:
    """Return the files of a library of kernels of one element.

    Parameters
    ----------
    element : Element
        The declaration.
    kernels : sequence of Kernel
        Kernels with distinct names.
    prefix : str
        Prefix of the file names.

    Returns
    -------
    dict
        Text by file name.
    """
    table = f"{prefix}_kernels"
    sources = kernel_sources(kernels, table)
    # Cython writes PREFIX.c from PREFIX.pyx, so that no other file may have this name.
    files = {
        f"{table}.c": sources[f"{element.name}.c"],
        f"{prefix}_table.c": sources["kernel_table.c"],
        f"{table}.h": header(kernels, f"{table.upper()}_H", table),
        "flexforge.h": (INCLUDE / "flexforge.h").read_text(encoding="utf-8"),
        f"{prefix}.pyx": binding(element, kernels, prefix),
        "README.md": readme(element, kernels, prefix),
    }
    if any(k.lanes == 1 and not k.check_name for k in kernels):
        files[f"{prefix}.hpp"] = cpp_header(element, kernels, prefix)
    return files


def _with_geometry(
    element: AnyElement, terms: Sequence[str] | str | None, scalar: str
) -> tuple[str, ...]:
    """Return the requested terms, followed by the term that checks the geometry."""
    chosen = chosen_terms(known_terms(element).by_all, terms)
    wanted = [term for term in chosen if term != GEOMETRY]
    return (*wanted, *((GEOMETRY,) if element.mapped else ()))


@dataclass(frozen=True, slots=True)
class Interface:
    """An interface of kernels, and the files it needs.

    Attributes
    ----------
    terms : callable
        Returns the requested terms of an element, or the default ones; raises an error for
        unsupported ones.
    known : callable
        Returns the terms that an element can have with this interface.
    files : callable
        Returns the files as text by name.
    lanes : tuple of int
        Default elements per call; only 1 if the interface supports no other number.
    """

    terms: Callable[[AnyElement, Sequence[str] | str | None, str], tuple[str, ...]]
    known: Callable[[AnyElement], Known]
    files: Callable[[AnyElement, Sequence[Kernel], str], dict[str, str]]
    lanes: tuple[int, ...]


INTERFACES: Mapping[str, Interface] = MappingProxyType(
    {
        "flexforge": Interface(_with_geometry, known_terms, library_files, (1, 8)),
        "ufcx": Interface(ufcx_terms, ufcx_known, ufcx_files, (1,)),
        "uel": Interface(uel_terms, uel_known, uel_files, (1,)),
    }
)
