# SPDX-License-Identifier: BSD-3-Clause
"""Hashes that tell apart what solvers compute, and the interface that they are called by."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
from flexforge.codegen.version import VERSION
from pydantic import BaseModel

#: Version of the interface of an exported library: raised when a program has to be compiled anew.
SOLVER_ABI = 1


def fingerprint(*given: object) -> str:
    """Return a hash of what a solver is made of, as 32 hexadecimal digits.

    The version of flexforge and that of the interface count as well.

    Parameters
    ----------
    *given : object
        Texts, numbers, arrays with their shapes, tables of a model, data classes, and sequences and
        mappings of them.

    Raises
    ------
    TypeError
        For something of which it is not known what it says.
    """
    found = hashlib.sha256()
    for part in _parts((VERSION, SOLVER_ABI, *given)):
        found.update(str(len(part)).encode() + b":" + part)  # so that no two run into each other
    return found.hexdigest()[:32]


def _parts(value: object) -> Iterator[bytes]:
    """Yield what a value says, piece by piece."""
    if isinstance(value, np.ndarray):
        yield f"{value.dtype.kind} {value.shape}".encode()
        yield np.ascontiguousarray(value).tobytes()
    elif isinstance(value, str):
        yield b"text"
        yield value.encode(errors="surrogatepass")
    elif isinstance(value, np.generic):
        yield from _parts(value.item())
    elif value is None or isinstance(value, bool | int | float):
        yield repr(value).encode()
    elif isinstance(value, BaseModel):
        yield from _parts(value.model_dump())
    elif is_dataclass(value) and not isinstance(value, type):
        yield type(value).__name__.encode()
        yield from _parts({one.name: getattr(value, one.name) for one in fields(value)})
    elif isinstance(value, dict):
        yield from _parts([piece for item in value.items() for piece in item])
    elif isinstance(value, tuple | list):
        pieces: Any = value
        yield str(len(pieces)).encode()
        for piece in pieces:
            yield from _parts(piece)
    else:
        raise TypeError(
            f"found {type(value).__name__} in the data of a solver; expected plain data"
        )
