# SPDX-License-Identifier: BSD-3-Clause
import numpy as np
from flexforge.runtime._native import Addressed
from numpy.typing import NDArray

Floats = NDArray[np.float64]

POSE: int
RIGID: int
LINK: int

class Links:
    frames: Floats
    value: Floats
    rate: Floats
    second: Floats
    entries: Floats
    force: Floats
    def __init__(self, table: Addressed, tangents: NDArray[np.uintp]) -> None: ...
    def move(
        self, poses: Floats, d: Floats, z: Floats, rate: Floats, near: Floats
    ) -> None: ...
    def forces(
        self,
        d: Floats,
        z: Floats,
        rate: Floats,
        stiffness: Floats,
        amplitudes: Floats,
        multipliers: Floats,
        given: Floats,
        out: Floats,
    ) -> None: ...
    def tangents_of(
        self,
        d: Floats,
        z: Floats,
        rate: Floats,
        stiffness: Floats,
        amplitudes: Floats,
        pushes: NDArray[np.int32],
        links: Floats,
        joints: Floats,
        rates: Floats,
    ) -> None: ...
