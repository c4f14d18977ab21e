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
    def __init__(self, table: Addressed) -> None: ...
    def move(self, poses: Floats, d: Floats, z: Floats, rate: Floats, near: Floats) -> None: ...
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
    def momenta(self, d: Floats, z: Floats, out: Floats) -> None: ...
    def loads(self, d: Floats, amplitudes: Floats, out: Floats) -> None: ...
    def efforts(self, out: Floats) -> None: ...
    def reactions(self, d: Floats, z: Floats, multipliers: Floats, out: Floats) -> None: ...
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

class Steps:
    @property
    def factorizations(self) -> int: ...
    @property
    def solves(self) -> int: ...
    def __init__(
        self,
        links: Links,
        numbers: NDArray[np.int32],
        rigid: int,
        counted: NDArray[np.int32],
        independent: NDArray[np.int32],
        scale: float,
        tolerance: float,
    ) -> None: ...
    def solve(
        self,
        a: float,
        b: float,
        c: float,
        rate: Floats,
        speed: Floats,
        increment: Floats,
        poses: Floats,
        d: Floats,
        stiffness: Floats,
        amplitudes: Floats,
        given: Floats,
        driven: Floats,
        unknown: Floats,
        force: Floats,
    ) -> bool: ...
