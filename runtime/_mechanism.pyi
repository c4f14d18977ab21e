# SPDX-License-Identifier: BSD-3-Clause
import numpy as np
from flexforge.runtime._native import Addressed
from numpy.typing import NDArray

Floats = NDArray[np.float64]

def evaluate(
    function: int, markers: Floats, parameters: Floats, states: Floats, out: Floats
) -> None: ...
def dependent(rows: Floats, out: NDArray[np.int32]) -> bool: ...

GROWN: float
INDEPENDENT: float
MOST_DENSE: int
DONE: int
OPEN: int
SINGULAR: int

class Equations:
    @property
    def links(self) -> int: ...
    @property
    def unknowns(self) -> int: ...
    @property
    def equations(self) -> int: ...
    @property
    def coordinates(self) -> int: ...
    def __init__(self, linkage: Addressed) -> None: ...
    def linearize(
        self,
        frames: Floats,
        angles: Floats,
        offsets: Floats,
        driven: Floats,
        residual: Floats,
        jacobian: Floats,
        coordinates: Floats,
        angles_found: Floats,
    ) -> None: ...
    def move(self, frames: Floats, step: Floats) -> None: ...
    def run(
        self,
        times: Floats,
        driven: Floats,
        start: float,
        frames: Floats,
        angles: Floats,
        offsets: Floats,
        sign: int,
        tolerance: float,
        out: Floats,
        coordinates: Floats,
        angles_out: Floats,
    ) -> tuple[int, int, int, float]: ...
