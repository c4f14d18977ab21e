# SPDX-License-Identifier: BSD-3-Clause
from collections.abc import Callable, Sequence

import numpy as np
from flexforge.runtime._functions import Function
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

CHUNKS: int

def about_axis(axis: Floats, angles: Floats) -> Floats: ...

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

class Attitudes:
    def __init__(
        self,
        functions: Sequence[Function],
        inputs: Floats,
        chunk: float,
        breaks: Sequence[float],
        refuse: Callable[[float], object],
    ) -> None: ...
    def over(self, times: Floats) -> Floats: ...
