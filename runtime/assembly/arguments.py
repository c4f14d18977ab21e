# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of a call of a kernel, checked."""

from __future__ import annotations

from typing import Any

import numpy as np
from flexforge.codegen.arguments import described
from flexforge.codegen.errors import InputError
from numpy.typing import ArrayLike, DTypeLike, NDArray


def real_numbers(values: ArrayLike, dtype: DTypeLike, where: str) -> NDArray[Any]:
    """Return a contiguous array of real numbers; other values are refused, not converted.

    Parameters
    ----------
    values : array_like
        Numbers; objects are accepted where each of them is one.
    dtype : dtype
        Type of the result.
    where : str
        What they are, for the message.

    Raises
    ------
    InputError
        For complex numbers, texts, and what makes no array.
    """
    try:
        given = np.asarray(values)
        if given.dtype.kind not in "cSUmM":
            return np.ascontiguousarray(given, dtype=dtype)
        found = {"c": "complex numbers"}.get(given.dtype.kind, f"an array of {given.dtype}")
    except (TypeError, ValueError) as error:
        found = f"{described(values)} ({error})"
    raise InputError(f"{where}: found {found}; expected real numbers")
