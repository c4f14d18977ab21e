# SPDX-License-Identifier: BSD-3-Clause
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
#: Name of an operation, what it refers to, number of its constants.
Instruction = tuple[str, int, int]

OPERATIONS: dict[str, tuple[int, int]]
CHUNKS: int

class Function:
    code: tuple[Instruction, ...]
    constants: Floats
    def __init__(
        self, code: Sequence[Instruction], constants: Sequence[float] | Floats = ()
    ) -> None: ...
    def of(self, *code: Instruction) -> Function: ...
    def of_inputs(self, numbers: Sequence[int]) -> Function: ...
    @property
    def address(self) -> tuple[int, int]: ...
    def derivative(self, t: ArrayLike, order: int, inputs: Floats) -> tuple[Floats, bool]: ...
    def jets(self, t: ArrayLike, inputs: Floats) -> tuple[Floats, bool]: ...
    def values(self, variables: Floats) -> tuple[Floats, bool]: ...
    def jet(self, variables: Floats) -> Floats: ...

class Integrals:
    largest: float
    def __init__(
        self,
        function: Function,
        inputs: Floats,
        chunk: float,
        breaks: Sequence[float],
        refuse: Callable[[float], object],
    ) -> None: ...
    def at(self, t: ArrayLike) -> Floats: ...
    def prescribed(
        self, t: ArrayLike, given: int, position: float, velocity: float
    ) -> tuple[Floats, bool]: ...

def chunk_end(start: float, chunk: float, breaks: Floats) -> float: ...
