# SPDX-License-Identifier: BSD-3-Clause
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

CODES: dict[str, int]
CENTRINGS: int
HALVINGS: int
NO_INERTIA: float
SINGULAR: int
UNBOUNDED: int

class Addressed(Protocol):
    address: int

class Instance:
    def __init__(self, model: Addressed) -> None: ...
    @property
    def width(self) -> int: ...
    @property
    def factorizations(self) -> int: ...
    @property
    def second(self) -> int: ...
    @property
    def expected(self) -> int: ...
    def begin(self, t: float, places: Floats, velocities: Floats, row: Floats) -> int: ...
    def set(self, row: Floats) -> None: ...
    def run(self, h: float, times: Floats, out: Floats) -> tuple[int, int]: ...
    @property
    def factors(self) -> Floats: ...
    def joint_forces(self, t: float, out: Floats) -> int: ...
