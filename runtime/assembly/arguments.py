# SPDX-License-Identifier: BSD-3-Clause
"""Arrays and scalar arguments of a call of a kernel, checked."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np
from flexforge.codegen.arguments import described
from flexforge.codegen.elements.parameters import NOT_NEGATIVE
from flexforge.codegen.errors import InputError, nearest
from numpy.typing import ArrayLike, DTypeLike, NDArray

if TYPE_CHECKING:
    from flexforge.runtime.assembly.calls import CompiledKernel

Array = NDArray[np.floating[Any]]


def real_numbers(values: ArrayLike, dtype: DTypeLike, where: str) -> Array:
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


def parameters_of(
    kernel: CompiledKernel, values: Mapping[str, float], dtype: DTypeLike = np.float64
) -> Array:
    """Return the scalar arguments in kernel order; `class_` and `out_` mean class and out."""
    values = {
        name[:-1] if name.endswith("_") and name[:-1] in kernel.parameters else name: value
        for name, value in values.items()
    }
    for name in values:
        if name not in kernel.parameters:
            raise InputError(
                f"{kernel.name}: parameter '{name}' is unknown; expected "
                f"{', '.join(kernel.parameters) or 'none'}{nearest(name, kernel.parameters)}"
            )
    for name in kernel.parameters:
        if name not in values:
            raise InputError(f"{kernel.name}: no value for parameter '{name}'")
    numbers = [_finite(kernel, name, values[name]) for name in kernel.parameters]
    with np.errstate(over="ignore"):
        found = np.array([*numbers, 0.0], dtype=dtype)
    if not np.isfinite(found).all():
        name = kernel.parameters[int(np.argmin(np.isfinite(found)))]
        raise InputError(
            f"{kernel.name}: parameter '{name}': found {values[name]}; expected a number of "
            f"{kernel.scalar} precision"
        )
    return found


def _finite(kernel: CompiledKernel, name: str, value: Any) -> float:
    """Return the value of a parameter, or refuse it by its name."""
    found, expected = described(value), "a finite number"
    with suppress(TypeError, ValueError):
        number = float(value)
        if np.isfinite(number) and (number >= 0.0 or name not in NOT_NEGATIVE):
            return number
        found = f"{number:g}"
        expected = "a number of at least 0" if np.isfinite(number) else expected
    raise InputError(f"{kernel.name}: parameter '{name}': found {found}; expected {expected}")
