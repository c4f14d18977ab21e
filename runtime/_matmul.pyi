# SPDX-License-Identifier: BSD-3-Clause
import numpy as np
from numpy.typing import NDArray

def multiply(
    pointers: NDArray[np.int32],
    columns: NDArray[np.int32],
    places: NDArray[np.int32],
    values: NDArray[np.float64] | None,
    next_pointers: NDArray[np.int32],
    next_columns: NDArray[np.int32],
    next_values: NDArray[np.float64],
    turned: bool,
    width: int,
    threads: int,
) -> tuple[NDArray[np.float64], NDArray[np.int32], NDArray[np.int32]]: ...
