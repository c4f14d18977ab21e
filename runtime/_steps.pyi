# SPDX-License-Identifier: BSD-3-Clause
from collections.abc import Sequence

import numpy as np
from flexforge.runtime.native.ties import Ties
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Numbers = NDArray[np.int32]

def evaluate(
    function: int, markers: Floats, parameters: Floats, states: Floats, out: Floats
) -> None: ...
def dependent(rows: Floats, out: Numbers) -> bool: ...

class Tied:
    def __init__(
        self,
        pointers: Numbers,
        columns: Numbers,
        place: Numbers,
        band: int,
        mass: Floats,
        bases: Floats,
        stiffened_pointers: Numbers,
        stiffened_columns: Numbers,
        stiffened: Floats,
        ties: Ties,
        scheme: Sequence[float],
    ) -> None: ...
    @property
    def choice(self) -> Floats: ...
    @choice.setter
    def choice(self, values: Floats) -> None: ...
    def choose(self, rows: Floats) -> bool: ...
    def settle(
        self, elastic: Floats, viscous: Floats, force: Floats, rows: Floats, state: Floats
    ) -> bool: ...
    def multipliers(
        self,
        elastic: Floats,
        viscous: Floats,
        force: Floats,
        rows: Floats,
        expected: Floats,
        state: Floats,
        out: Floats,
    ) -> None: ...
    def run(
        self,
        h: float,
        elastic: Floats,
        viscous: Floats,
        force: Floats,
        rows: Floats,
        before: Floats,
        state: Floats,
        out: Floats,
        choices: Floats,
    ) -> tuple[int, bool]: ...
