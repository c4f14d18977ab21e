# SPDX-License-Identifier: BSD-3-Clause
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Indices = NDArray[np.int32]
Number = TypeVar("Number", np.float64, np.complex128)

def apply(
    pointers: Indices,
    columns: Indices,
    stiffness: Floats,
    mass: Floats,
    geometric: Floats,
    ck: float,
    block: Floats,
    cg: float,
    x: Floats,
    y: Floats,
    threads: int,
) -> None: ...
def apply_each(
    pointers: Indices,
    columns: Indices,
    stiffness: Floats,
    mass: Floats,
    geometric: Floats,
    cg: float,
    u: Floats,
    w: Floats,
    g: Floats,
    y: Floats,
    threads: int,
) -> None: ...
def blocks(
    stiffness: Floats,
    mass: Floats,
    geometric: Floats,
    ck: float,
    block: Floats,
    cg: float,
    data: Floats,
    threads: int,
) -> None: ...
def select_counts(
    pointers: Indices,
    columns: Indices,
    numbers: NDArray[np.int64],
    keep: NDArray[np.uint8],
    counts: Indices,
    threads: int,
) -> None: ...
def select(
    pointers: Indices,
    columns: Indices,
    stiffness: Floats,
    mass: Floats,
    geometric: Floats,
    ck: float,
    block: Floats,
    cg: float,
    numbers: NDArray[np.int64],
    keep: NDArray[np.uint8],
    rows: Indices,
    found: Indices,
    values: Floats,
    threads: int,
) -> None: ...
def upper_counts(pointers: Indices, columns: Indices, counts: Indices, threads: int) -> None: ...
def upper(
    pointers: Indices,
    columns: Indices,
    data: NDArray[Number],
    begins: Indices,
    found: Indices,
    values: NDArray[Number],
    threads: int,
) -> None: ...
def times(
    pointers: Indices, columns: Indices, data: Floats, x: Floats, y: Floats, threads: int
) -> None: ...
def sizes_times(
    pointers: Indices, columns: Indices, data: Floats, x: Floats, y: Floats, threads: int
) -> None: ...
def combine(f: float, x: Floats, g: float, y: Floats, out: Floats) -> None: ...
