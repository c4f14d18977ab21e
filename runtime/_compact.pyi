# SPDX-License-Identifier: BSD-3-Clause
from collections.abc import Sequence

import numpy as np
from flexforge.runtime.model.schema_loads import IncludeSpec
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Numbers = NDArray[np.int32]

class Stepper:
    def __init__(
        self,
        pointers: Numbers,
        columns: Numbers,
        place: Numbers,
        band: int,
        mass: Floats,
        bases: Floats,
        skew: Numbers,
        scheme: Sequence[float],
        explicit: bool,
    ) -> None: ...
    @property
    def factorizations(self) -> int: ...
    def settle(self, elastic: Floats, viscous: Floats, force: Floats, state: Floats) -> bool: ...
    def run(
        self,
        h: float,
        elastic: Floats,
        viscous: Floats,
        force: Floats,
        state: Floats,
        out: Floats,
    ) -> tuple[int, bool]: ...

def combined(factors: Floats, constants: Floats) -> Floats: ...
def turning_blocks(w: Floats, e: Floats, terms: IncludeSpec) -> Floats: ...
def block_units(blocks: Floats, dimension: int) -> Floats: ...
