# SPDX-License-Identifier: BSD-3-Clause
"""The Intel Math Kernel Library, where it is installed: found and loaded, nothing more.

The library comes with ``pip install pypardiso`` (or ``mkl``). It is called directly because
pypardiso copies the matrix at every solve, compares it with the one factored, and keeps one
factorization at a time.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import functools
import importlib.metadata
import os
import re
from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Column: TypeAlias = NDArray[Any] | None

#: "Conditional numerical reproducibility": the same bits for any number of threads, and wherever
#: arrays lie in memory. AVX-512 with deep-learning instructions, AVX-512, AVX2, the library's
#: choice; the first that the processor has is taken. Left to itself, the library takes slower ones
#: on processors of other makers.
_BRANCHES = (14, 12, 10, 2)


@functools.cache
def load() -> ctypes.CDLL:
    """Load the library's single entry.

    Returns
    -------
    ctypes.CDLL
        The library, with ``pardiso`` in it.

    Raises
    ------
    ImportError
        If it is not found or cannot be loaded; the text says which.
    """
    failure = "libmkl_rt not found; install pypardiso or mkl"
    # Its threads would spin for 0.2 s after every call and take the cores from our own loops.
    os.environ.setdefault("KMP_BLOCKTIME", "0")
    for path in _candidates():
        try:
            library = ctypes.CDLL(path)
            library.pardiso.restype = None
            if "MKL_CBWR" not in os.environ:
                any(library.MKL_CBWR_Set(ctypes.c_int(one)) == 0 for one in _BRANCHES)
        except (OSError, AttributeError) as error:
            failure = f"{path} cannot be loaded: {error}"
        else:
            return library
    raise ImportError(failure)


def version() -> str:
    """Return the version of the library, such as "2026.2"."""
    text = ctypes.create_string_buffer(256)
    load().mkl_get_version_string(text, 256)
    found = re.search(rb"Version (\S+?)(-|\s)", text.value)
    return found[1].decode() if found else "unknown"


def set_threads(count: int) -> int:
    """Set the number of threads for the calls of this thread; 0 restores the library's choice.

    Parameters
    ----------
    count : int
        Number of threads, or what an earlier call returned.

    Returns
    -------
    int
        What was set before.
    """
    return int(load().MKL_Set_Num_Threads_Local(ctypes.c_int(count)))


def pardiso(
    handle: NDArray[np.int64],
    matrix_type: int,
    phase: int,
    size: int,
    matrix: tuple[Column, Column, Column],
    iparm: NDArray[np.int32],
    rhs: Column = None,
    solution: Column = None,
) -> int:
    """Call PARDISO, which works on the arrays in place.

    Parameters
    ----------
    handle : (64,) array
        Its internal pointers, zeros at first.
    matrix_type, phase, size : int
        As in its reference; ``size`` is the number of equations.
    matrix : tuple of arrays or None
        Values, row pointers and columns (int32).
    iparm : (64,) array
        Its settings and figures.
    rhs, solution : (n,) or (n, k) array, optional
        In column order.

    Returns
    -------
    int
        Its error code, 0 for none.
    """
    error = ctypes.c_int32(0)
    columns = 1 if rhs is None or rhs.ndim == 1 else rhs.shape[1]
    values, indptr, indices = (_address(part) for part in matrix)
    load().pardiso(
        _address(handle),
        _number(1),  # factorizations of one pattern in the handle, and which of them
        _number(1),
        _number(matrix_type),
        _number(phase),
        _number(size),
        values,
        indptr,
        indices,
        _address(None),  # no ordering of ours
        _number(columns),
        _address(iparm),
        _number(0),  # silent
        _address(rhs),
        _address(solution),
        ctypes.byref(error),
    )
    return error.value


def _number(value: int) -> object:
    return ctypes.byref(ctypes.c_int32(value))


def _address(array: Column) -> ctypes.c_void_p:
    return ctypes.c_void_p(None if array is None else array.ctypes.data)


def _candidates() -> Iterator[str]:
    named = os.environ.get("PYPARDISO_MKL_RT")
    if named:
        yield named
    try:
        files = importlib.metadata.files("mkl") or []
    except importlib.metadata.PackageNotFoundError:
        files = []
    for file in files:
        if re.search(r"(libmkl_rt\.(so|dylib)[.\d]*|mkl_rt[.\d]*\.dll)$", file.name):
            yield str(file.locate())
    for name in ("mkl_rt", "mkl_rt.2", "mkl_rt.1"):
        path = ctypes.util.find_library(name)
        if path:
            yield path
