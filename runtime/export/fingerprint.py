# SPDX-License-Identifier: BSD-3-Clause
"""Hashes that tell apart what solvers compute, and the interface that they are called by."""

from __future__ import annotations

import hashlib
import json

import numpy as np
from flexforge.codegen.version import VERSION
from pydantic_core import to_jsonable_python

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
    plain = to_jsonable_python((VERSION, SOLVER_ABI, given), fallback=_plain)
    return hashlib.sha256(json.dumps(plain).encode()).hexdigest()[:32]


def _plain(value: object) -> object:
    """Return what an array says, or a number of NumPy."""
    array = np.asarray(value)
    if array.dtype.hasobject:
        raise TypeError(
            f"found {type(value).__name__} in the data of a solver; expected plain data"
        )
    if not array.ndim:
        return array.item()
    return [array.dtype.kind, array.shape, hashlib.sha256(array.tobytes()).hexdigest()]
