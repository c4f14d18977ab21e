# SPDX-License-Identifier: BSD-3-Clause
"""The hash of plain data: equal data have equal hashes, on every machine."""

from __future__ import annotations

import hashlib
import json

import numpy as np
from pydantic_core import to_jsonable_python


def digest(*given: object) -> str:
    """Return a hash of data, as 32 hexadecimal digits.

    Parameters
    ----------
    *given : object
        Texts, numbers, arrays with their shapes, tables of a model, data classes, and sequences and
        mappings of them. The order of the keys of a mapping does not count.

    Raises
    ------
    TypeError
        For an object whose content is unknown.

    Examples
    --------
    >>> digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})
    True
    >>> digest(1) == digest(1.0)
    False
    """
    plain = to_jsonable_python(given, fallback=_plain)
    return hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()[:32]


def _plain(value: object) -> object:
    """Return a NumPy number as a Python one, and an array as its type, shape and hash."""
    array = np.asarray(value)
    if array.dtype.hasobject:
        raise TypeError(f"found {type(value).__name__} in the data of a hash; expected plain data")
    if not array.ndim:
        return array.item()
    return [array.dtype.kind, array.shape, hashlib.sha256(array.tobytes()).hexdigest()]
