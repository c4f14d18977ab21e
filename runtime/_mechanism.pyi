# SPDX-License-Identifier: BSD-3-Clause
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]

def evaluate(
    function: int, markers: Floats, parameters: Floats, state: Floats, out: Floats
) -> None: ...

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
    def __init__(
        self,
        *,
        links: int,
        planar: bool,
        functions: Numbers,
        ends: Numbers,
        markers: Floats,
        radii: Floats,
        starts: Numbers,
        equation_of: Numbers,
        coordinate_of: Numbers,
        gears: Numbers,
        ratios: Floats,
        drivers: Numbers,
        scales: Floats,
        touched: Numbers,
        size: float,
    ) -> None: ...
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
