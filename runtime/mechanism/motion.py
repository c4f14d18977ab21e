# SPDX-License-Identifier: BSD-3-Clause
"""The motion of a link, with the face of a frame's prescribed motion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.mechanism.mechanism import Mechanism
from flexforge.runtime.motion.frame import FrameState

#: Times at which a motion is looked at to say how it is.
SAMPLES = 17
#: Relative to the largest speed: what counts as none.
NONE = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class LinkRotation:
    """The turning of a link, with the face of a prescribed rotation."""

    motion: LinkMotion
    #: No axis is known to stay fixed.
    axis: ClassVar[None] = None

    def at(self, t: float) -> tuple[Floats, Floats, Floats]:
        """Return rotation matrix, angular velocity and angular acceleration."""
        state = self.motion.at(t)
        return state.R, state.w, state.e

    @property
    def rotates(self) -> bool:
        """Whether the link ever turns."""
        return self.motion.rotates

    @property
    def is_steady(self) -> bool:
        """Whether the angular velocity is constant."""
        return self.motion.is_steady

    @property
    def is_about_z(self) -> bool:
        """Whether it turns about its axis z only."""
        return self.motion.is_about_z

    def check(self, span: float) -> None:
        """Refuse what the mechanism cannot do between 0 and ``span`` s."""
        self.motion.check(span)


@dataclass(frozen=True, slots=True, eq=False)
class LinkMotion:
    """Motion of a frame that moves with a link of a mechanism.

    What a prescribed motion knows from its formula is found by looking at times of the run.

    Attributes
    ----------
    mechanism : Mechanism
        Whose link it is.
    link : int
        Its number.
    """

    mechanism: Mechanism
    link: int
    #: Its axes turn with the link.
    stands: ClassVar[bool] = False

    def at(self, t: float) -> FrameState:
        """Return the state of the link at a time, s.

        Raises
        ------
        AnalysisError
            When the mechanism does not get there.
        """
        return self.mechanism.link_at(self.link, t)

    def poses(self, times: Floats) -> tuple[Floats, Floats]:
        """Return origin (T, 3), m, and rotation (T, 3, 3) of the link at ascending times (T,), s.

        Raises
        ------
        AnalysisError
            As of :meth:`at`.
        """
        states = self.mechanism.solve(times).frames[:, self.link]
        return states[:, 0], states[:, 1:4]

    @property
    def rotation(self) -> LinkRotation:
        """How it turns."""
        return LinkRotation(self)

    def _samples(self) -> list[FrameState]:
        return [self.at(float(t)) for t in np.linspace(0.0, self.mechanism.span, SAMPLES)]

    def _speed(self, states: list[FrameState]) -> float:
        return max(float(np.abs(state.w).max()) for state in states)

    @property
    def rotates(self) -> bool:
        """Whether the link ever turns."""
        times = np.linspace(0.0, self.mechanism.span, SAMPLES)
        fastest = max(self._speed(self.mechanism.at(float(t))) for t in times)
        return self._speed(self._samples()) > NONE * fastest

    @property
    def is_steady(self) -> bool:
        """Whether its angular velocity is constant in its components."""
        states = self._samples()
        change = max(float(np.abs(state.w - states[0].w).max()) for state in states)
        turning = max(float(np.abs(state.e).max()) for state in states) * self.mechanism.span
        return max(change, turning) <= 1e-9 * self._speed(states)

    def keeps(self, vectors: Floats) -> bool:
        """Whether vectors fixed in space, (..., 2 or 3), are fixed in the link as well."""
        if not self.rotates or not np.any(vectors):
            return True
        found = [vectors @ state.R[: vectors.shape[-1]] for state in self._samples()]  # rows: R^T v
        size = float(np.abs(vectors).max())
        return all(float(np.abs(one - found[0]).max()) <= NONE * size for one in found)

    @property
    def glides(self) -> bool:
        """Whether its origin's velocity never changes, seen from the link."""
        states = self._samples()
        speed = max(float(np.abs(state.v_O).max()) for state in states)
        change = max(float(np.abs(state.v_O - states[0].v_O).max()) for state in states)
        pull = max(float(np.abs(state.a_O).max()) for state in states) * self.mechanism.span
        return max(change, pull) <= 1e-9 * speed

    @property
    def is_about_z(self) -> bool:
        """Whether it turns about its axis z only."""
        states = self._samples()
        across = max(float(np.abs(state.w[:2]).max()) for state in states)
        return self.mechanism.parts.planar or across <= NONE * self._speed(states)

    @property
    def is_planar(self) -> bool:
        """Whether it turns about z only and its origin keeps its z."""
        if self.mechanism.parts.planar:
            return True
        states = self._samples()
        lift = max(abs(float(state.v_O[2])) for state in states)
        return self.is_about_z and lift <= NONE * self._speed(states) * self.mechanism.parts.size

    @property
    def is_axial(self) -> bool:
        """Whether it turns about y and moves along y only: links of mechanisms are not asked to."""
        return False

    def check(self, span: float) -> None:
        """Refuse a motion that the mechanism cannot do between 0 and ``span`` s.

        Raises
        ------
        AnalysisError
            When it locks, with the time.
        """
        for t in np.linspace(0.0, span, SAMPLES):
            self.mechanism.at(float(t))
