# SPDX-License-Identifier: BSD-3-Clause
import numpy as np
from flexforge.runtime._native import Addressed
from numpy.typing import NDArray

Floats = NDArray[np.float64]

POSE: int
RIGID: int
LINK: int

def retract(poses: Floats, steps: Floats, out: Floats) -> None: ...

class Links:
    frames: Floats
    value: Floats
    rate: Floats
    second: Floats
    entries: Floats
    force: Floats
    told: Floats
    def __init__(self, table: Addressed, told: Floats) -> None: ...
    def move(self, poses: Floats, d: Floats, z: Floats, rate: Floats, near: Floats) -> None: ...
    def course(
        self,
        poses: Floats,
        d: Floats,
        z: Floats,
        rate: Floats,
        near: Floats,
        frames: Floats,
        coordinates: Floats,
    ) -> None: ...
    def forces(
        self,
        t: float,
        d: Floats,
        z: Floats,
        rate: Floats,
        amplitudes: Floats,
        multipliers: Floats,
        given: Floats,
        out: Floats,
    ) -> None: ...
    def account(
        self,
        d: Floats,
        z: Floats,
        amplitudes: Floats,
        given: Floats,
        driven: Floats,
        multipliers: Floats,
    ) -> tuple[tuple[float, float], Floats, Floats, Floats]: ...
    def reactions(self, d: Floats, z: Floats, multipliers: Floats, out: Floats) -> None: ...
    def tangents_of(
        self,
        d: Floats,
        z: Floats,
        rate: Floats,
        amplitudes: Floats,
        links: Floats,
        joints: Floats,
        rates: Floats,
    ) -> None: ...
