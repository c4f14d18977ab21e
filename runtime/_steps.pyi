# SPDX-License-Identifier: BSD-3-Clause
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Numbers = NDArray[np.int32]

def evaluate(
    function: int, markers: Floats, parameters: Floats, states: Floats, out: Floats
) -> None: ...

class Layout:
    unknowns: int
    speeds: int
    band: int

    def __init__(
        self,
        pointers: Numbers,
        columns: Numbers,
        free_pointers: Numbers,
        free_columns: Numbers,
        speeds: int,
        band: int,
    ) -> None: ...

def run(
    at: Layout,
    mass: Floats,
    bases: Floats,
    elastic: Floats,
    viscous: Floats,
    force: Floats,
    stiffened_pointers: Numbers,
    stiffened_columns: Numbers,
    stiffened: Floats,
    free: Floats,
    scheme: Floats,
    before: Floats,
    state: Floats,
    out: Floats,
) -> int: ...
