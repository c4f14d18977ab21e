# SPDX-License-Identifier: BSD-3-Clause
"""The forces on a small system over time: constant vectors with factors that depend on time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from flexforge.runtime._compact import combined
from flexforge.runtime.motion.frame import FrameTrajectory
from flexforge.runtime.motion.profiles import Profile
from flexforge.runtime.system.frames import Blocks, block_factors, unit_blocks
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.system import System
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Vector:
    """What a constant load is.

    Attributes
    ----------
    kind : str
        ``inertia`` of a unit block, ``translation`` by a unit acceleration, or ``load``.
    owner : int
        Number of the body, or of the nodal load.
    index : int
        Which unit block, or along which axis.
    i, j : int
        Global component of a turning load, and the axis of the frame that it is along.
    """

    kind: str
    owner: int
    index: int = 0
    i: int = 0
    j: int = 0


class Forces:
    """Loads and inertia of the frames, which ``Loads.at`` gives one time after the other.

    Parameters
    ----------
    system : System
        The bodies.
    loads : Loads
        What acts on them.
    basis : ndarray, (n, r), optional
        Shapes that the unknowns move in; r coordinates take their place then.

    Attributes
    ----------
    vectors : ndarray, (f, n) or (f, r)
        The constant vectors.
    meaning : tuple of Vector, (f,)
        What they are.
    """

    def __init__(self, system: System, loads: Loads, basis: Floats | None = None) -> None:
        self._system, self._loads = system, loads
        d = system.dimension
        vectors, meaning = [], []
        for number, body in enumerate(system.bodies):
            everywhere = np.arange(len(body.nodes))
            for k, unit in enumerate(unit_blocks(d)):
                vectors.append(self._spread(number, everywhere, -body.inertia_load(unit)))
                meaning.append(Vector("inertia", number, k))
            for k, unit in enumerate(np.eye(d)):
                vectors.append(self._spread(number, everywhere, body.translation_load(unit)))
                meaning.append(Vector("translation", number, k))
        for number, load in enumerate(loads.nodal):
            if not load.turning:
                vectors.append(self._spread(load.body, load.nodes, load.force))
                meaning.append(Vector("load", number))
                continue
            for i, j in np.ndindex(d, d):  # its global components i along axes j of the frame
                part = np.outer(load.force[:, i], np.eye(d)[j])
                vectors.append(self._spread(load.body, load.nodes, part))
                meaning.append(Vector("load", number, i=i, j=j))
        found: Floats = np.array(vectors)
        self.vectors = found if basis is None else found @ basis
        self.meaning = tuple(meaning)

    def owner(self, body: int, amplitude: Profile) -> int:
        """Return the number of the nodal load of a body that has an amplitude of its own."""
        return next(
            k
            for k, load in enumerate(self._loads.nodal)
            if load.body == body and load.amplitude is amplitude
        )

    def over(
        self, times: Floats, frames: Sequence[FrameTrajectory], blocks: Sequence[Blocks]
    ) -> Floats:
        """Return the forces on the coordinates at many times, (T, n), N."""
        d = self._system.dimension
        factors = []
        for number, (frame, block) in enumerate(zip(frames, blocks, strict=True)):
            factors.append(block_factors(block.load))
            pull = -frame.a_O * self._loads.include.origin_load
            for load in self._loads.mass:
                if load.body == number:
                    acceleration = np.zeros(3)
                    acceleration[: len(load.acceleration)] = load.acceleration
                    turned = (
                        np.einsum("tij,i->tj", frame.R, acceleration)
                        if load.turning
                        else acceleration
                    )
                    amplitude = load.amplitude.derivative(times, 0)
                    pull = pull + amplitude[:, None] * turned
            factors.append(pull[:, :d])
        for one in self._loads.nodal:
            amplitude = one.amplitude.derivative(times, 0)[:, None]
            if one.turning:
                amplitude = amplitude * frames[one.body].R[:, :d, :d].reshape(-1, d * d)
            factors.append(amplitude)
        return combined(np.hstack(factors), self.vectors)

    def _spread(self, number: int, nodes: NDArray[np.int64], values: Floats) -> Floats:
        """Return nodal vectors of a body on the unknowns."""
        body = self._system.bodies[number]
        full = np.zeros((self._system.size, self._system.dimension))
        np.add.at(full, body.nodes[nodes], values)
        return self._system.restrict(full)
