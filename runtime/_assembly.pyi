# SPDX-License-Identifier: BSD-3-Clause
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Indices = NDArray[np.int32]
Places = NDArray[np.uint16]
Starts = NDArray[np.int64]

def node_elements(cells: Indices, points: int, starts: Starts, slots: Indices) -> None: ...
def row_lengths(
    cells: Indices, starts: Starts, slots: Indices, lengths: Indices, threads: int
) -> None: ...
def fill_rows(
    cells: Indices,
    starts: Starts,
    slots: Indices,
    pointers: Indices,
    columns: Indices,
    places: Places,
    threads: int,
) -> None: ...
def expand_pattern(
    pointers: Indices,
    columns: Indices,
    size: int,
    row_starts: Indices,
    row_columns: Indices,
    threads: int,
) -> None: ...
def assemble_matrix(
    function: int,
    points: Floats,
    parameters: Floats,
    state: Floats,
    cells: Indices,
    places: Places,
    pointers: Indices,
    owner: Indices,
    elements: Indices,
    shares: Starts,
    lanes: int,
    workspace: int,
    size: int,
    csr: bool,
    data: Floats,
) -> None: ...
def assemble_vector(
    function: int,
    points: Floats,
    parameters: Floats,
    state: Floats,
    cells: Indices,
    lanes: int,
    workspace: int,
    out: Floats,
) -> None: ...
def evaluate(
    function: int,
    points: Floats,
    parameters: Floats,
    state: Floats,
    cells: Indices,
    lanes: int,
    workspace: int,
    out: Floats,
) -> None: ...
