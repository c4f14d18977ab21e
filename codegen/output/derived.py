# SPDX-License-Identifier: BSD-3-Clause
"""Cache of the C text of kernels that are derived on demand.

Deriving takes seconds; reading cached text takes milliseconds and no SymPy. The name of a cached
file is a hash of everything the text depends on: the element's declaration, the terms, the lanes,
and the compiler itself: its version, the versions of SymPy and Jinja, and the text of its modules
and templates. A modified compiler never reuses text made by another one.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, fields, is_dataclass
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flexforge.codegen.errors import InputError
from flexforge.codegen.forces.declaration import ForceLaw
from flexforge.codegen.jit.cache import find_kept, keep, locked
from flexforge.codegen.version import VERSION

if TYPE_CHECKING:
    from flexforge.codegen.elements.field import AnyElement

_LIBRARIES = ("sympy", "jinja2", "python-flint")


@dataclass(frozen=True, slots=True)
class Derived:
    """The text of kernels.

    Attributes
    ----------
    files : dict
        Text by file name, as :func:`flexforge.codegen.output.sources.kernel_sources` makes it.
    parameters : dict
        Names of the scalar arguments of every kernel, by its term.
    """

    files: dict[str, str]
    parameters: dict[str, tuple[str, ...]]


def derived_sources(element: AnyElement | str, terms: Sequence[str], lanes: int) -> Derived:
    """Return the C files of kernels, derived now or read from the cache.

    Parameters
    ----------
    element : Element, FieldElement or str
        A declaration, or the full name of an element of the library.
    terms : sequence of str
        Terms of the kernels.
    lanes : int
        Elements per call.

    Returns
    -------
    Derived

    Raises
    ------
    InputError
        For an unknown element or term, or if the cache folder cannot be written or trusted.
    """
    return derived_for_lanes(element, terms, (lanes,))[lanes]


def derived_for_lanes(
    element: AnyElement | ForceLaw | str, terms: Sequence[str], several: Sequence[int]
) -> dict[int, Derived]:
    """Return the C files of kernels for several numbers of lanes, from one derivation.

    Parameters
    ----------
    element : Element, FieldElement, ForceLaw or str
        As in :func:`derived_sources`, or a law of force, which has kernels of one lane.
    terms : sequence of str
        As there.
    several : sequence of int
        Numbers of elements per call.

    Returns
    -------
    dict
        The files by number of lanes.

    Raises
    ------
    InputError
        As in :func:`derived_sources`.
    """
    names = {n: f"sources-{_key(element, terms, n)}" for n in several}
    kept = {n: _read(name) for n, name in names.items()}
    found = {n: _derived(one) for n, one in kept.items() if one is not None}
    if len(found) == len(names):
        return found
    from flexforge.codegen.driver import compile_kernel, widened
    from flexforge.codegen.elements.catalogue import declaration
    from flexforge.codegen.forces.lower import force_kernels
    from flexforge.codegen.output.sources import kernel_sources

    if isinstance(element, ForceLaw):
        kernels = [one for one in force_kernels(element) if one.term in terms]
    else:
        declared = declaration(element)
        kernels = [compile_kernel(declared, term) for term in terms]
    parameters = {kernel.term: tuple(p.name for p in kernel.parameters) for kernel in kernels}
    for n in several:
        if n not in found:
            files = kernel_sources([widened(kernel, n) for kernel in kernels])
            found[n] = Derived(files, parameters)
            _write(names[n], asdict(found[n]))
    return found


def kept_share(number: int, levels: Sequence[int]) -> dict[int, tuple[dict[str, str], list[str]]]:
    """Return a share of the standard kernels, derived now or read from the cache.

    A build that cannot write or trust the cache folder continues without it.

    Parameters and return value are those of
    :func:`flexforge.codegen.output.standard.share_sources`.
    """
    identity = [_compiler(), "share", str(number), *map(str, levels)]
    name = f"share-{_digest(identity)}"
    with suppress(InputError):
        data = _read(name)
        if data is not None:
            return {level: (data[str(level)][0], data[str(level)][1]) for level in levels}
    from flexforge.codegen.output.standard import share_sources

    found = share_sources(number, levels)
    with suppress(InputError):
        _write(name, found)
    return found


def _key(element: AnyElement | ForceLaw | str, terms: Sequence[str], lanes: int) -> str:
    """Return the hash of everything the text depends on."""
    said = element if isinstance(element, str) else fingerprint(element)
    identity = [_compiler(), "name" if isinstance(element, str) else "declaration", said]
    identity += [str(lanes), *terms]
    return _digest(identity)


def _digest(identity: Sequence[str]) -> str:
    """Return a short hash of texts."""
    return hashlib.sha256("\0".join(identity).encode()).hexdigest()[:24]


@cache
def _compiler() -> str:
    """Return the hash of the compiler, its templates and its libraries."""
    digest = hashlib.sha256(VERSION.encode())
    for library in _LIBRARIES:
        with suppress(metadata.PackageNotFoundError):
            digest.update(f"{library} {metadata.version(library)}\0".encode())
    templates = importlib.util.find_spec("flexforge.templates")
    assert templates is not None and templates.submodule_search_locations is not None
    compiler = Path(__file__).parents[1]
    study = compiler / "study"  # study examines the compiler but does not affect it
    files = [path for path in compiler.rglob("*") if study not in path.parents]
    for folder in map(Path, templates.submodule_search_locations):
        files += folder.glob("*")  # only those of kernels; subfolders are for pages and exports
    for path in sorted(files):
        if path.suffix in (".py", ".jinja", ".h", ".toml"):
            digest.update(f"{path.name}\0".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()


def fingerprint(value: object) -> str:
    """Return a text that is equal for equal declarations.

    Parameters
    ----------
    value : object
        A declaration, or a part of one.

    Raises
    ------
    TypeError
        For a value of unknown type.
    """
    from sympy import Basic, ImmutableMatrix, srepr

    if isinstance(value, Basic | ImmutableMatrix):
        return str(srepr(value))
    if is_dataclass(value) and not isinstance(value, type):
        parts = [f"{f.name}={fingerprint(getattr(value, f.name))}" for f in fields(value)]
        return f"{type(value).__name__}({','.join(parts)})"
    if isinstance(value, Mapping):
        return f"{{{','.join(sorted(f'{k}:{fingerprint(v)}' for k, v in value.items()))}}}"
    if isinstance(value, tuple | list):
        return f"[{','.join(map(fingerprint, value))}]"
    if value is None or isinstance(value, str | int | float):
        return repr(value)
    raise TypeError(f"found {type(value).__name__} in a declaration; expected data")


def _derived(data: Mapping[str, Any]) -> Derived:
    """Return the value as JSON data."""
    return Derived(data["files"], {term: tuple(p) for term, p in data["parameters"].items()})


def _read(name: str) -> dict[str, Any] | None:
    """Return the cached value of a name, or None if it is missing or damaged."""
    path = find_kept(name, ".json")
    if path is None:
        return None
    data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return data


def _write(name: str, found: Mapping[Any, Any]) -> None:
    """Store a value under a name, completely or not at all."""
    with locked(name):
        keep(name, ".json", json.dumps(found).encode())
