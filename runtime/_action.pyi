# SPDX-License-Identifier: BSD-3-Clause
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Indices = NDArray[np.int32]
Starts = NDArray[np.int64]

def pack(
    points: Floats,
    cells: Indices,
    owner: Indices,
    elements: Indices,
    shares: Starts,
    batches: Starts,
    lanes: int,
    coordinates: Floats,
    sources: Indices,
    targets: Indices,
    threads: int,
) -> None: ...
def apply(
    function: int,
    parameters: Floats,
    coordinates: Floats,
    sources: Indices,
    targets: Indices,
    batches: Starts,
    shares: Starts,
    workspace: int,
    x: Floats,
    y: Floats,
) -> None: ...
