# SPDX-License-Identifier: BSD-3-Clause
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Scalar = TypeVar("Scalar", np.float32, np.float64)

def times(
    pointers: NDArray[np.int32],
    columns: NDArray[np.int32],
    data: NDArray[Scalar],
    x: NDArray[Scalar],
    y: NDArray[Scalar],
    threads: int,
) -> None: ...
def gather(
    values: NDArray[Scalar],
    which: NDArray[np.int32],
    free: NDArray[np.uint8],
    out: NDArray[np.float64],
    threads: int,
) -> None: ...
def pick(
    values: NDArray[np.float64],
    which: NDArray[np.int32],
    out: NDArray[Scalar],
    threads: int,
) -> None: ...
