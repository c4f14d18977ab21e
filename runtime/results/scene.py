# SPDX-License-Identifier: BSD-3-Clause
"""What is shown of results in three dimensions: surfaces, and their states over time or as modes.

The page of the report, the interactive window and animations all draw this.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.results.surface import Surface
from flexforge.runtime.unit_systems import SI, UnitSystem

#: Quantities shown by colours: their names and units.
QUANTITIES = {"displacement": ("Displacement", "m"), "von_mises": ("Von Mises stress", "Pa")}
#: Colours from zero to the largest value: Mikhailov's Turbo map without its darkest ends, where
#: shading would be invisible.
COLOURS = (
    "#4454c4", "#4490fe", "#1fc8de", "#29efa2", "#7dff56",
    "#c1f334", "#f1ca3a", "#fe922a", "#ea4f0d", "#be2102",
)  # fmt: skip
_AZIMUTHS = (-60.0, -30.0, -120.0, -150.0)  # degrees
_ELEVATIONS = (22.0, 32.0)


@dataclass(frozen=True, slots=True)
class Piece:
    """A body as it is drawn.

    Parameters
    ----------
    name : str
        Its name.
    points : ndarray, (n, 3)
        All its undeformed points, in its frame, m.
    shape : Surface, optional
        Its surface; None for a point.
    coloured : bool
        Whether colours show values on it; rigid links are grey.
    """

    name: str
    points: Floats
    shape: Surface | None
    coloured: bool

    @property
    def rows(self) -> Ints:
        """Rows of the points that move something drawn, ascending."""
        return np.zeros(1, dtype=np.int64) if self.shape is None else np.unique(self.shape.node)


@dataclass(frozen=True, slots=True)
class State:
    """All pieces at one time, or in one mode.

    Parameters
    ----------
    label : float
        Time, s, or natural frequency, Hz.
    moves : tuple of ndarray, (n, 3)
        Displacement of the points of each piece; of a mode, with a largest one of 1.
    stress : tuple of ndarray or None
        Von Mises stress at the points of each piece, Pa.
    turns : tuple of ndarray, (3, 3)
        Orientation of the frame of each piece.
    origins : tuple of ndarray, (3,)
        Origin of the frame of each piece, m.
    """

    label: float
    moves: tuple[Floats, ...]
    stress: tuple[Floats | None, ...]
    turns: tuple[Floats, ...]
    origins: tuple[Floats, ...]

    def placed(self, piece: int, points: Floats, move: Floats, scale: float) -> Floats:
        """Return points of a piece in space, with enlarged displacements, (n, 3), m."""
        return np.asarray(self.origins[piece] + (points + scale * move) @ self.turns[piece].T)

    def values(self, piece: int, quantity: str) -> Floats:
        """Return a quantity at the points of a piece: (n,)."""
        if quantity == "displacement":
            return np.asarray(np.linalg.norm(self.moves[piece], axis=1))
        stress = self.stress[piece]
        return np.zeros(len(self.moves[piece])) if stress is None else stress


@dataclass(frozen=True, slots=True)
class Mark:
    """A joint: its name, its kind, whether it is on the ground, and the point that it moves with.

    The point is a row of the points of a piece, which is given by its number.
    """

    name: str
    kind: str
    ground: bool
    piece: int
    row: int


@dataclass(frozen=True, slots=True)
class Symbol:
    """A support or a load at a point that moves with a row of the points of a piece.

    Parameters
    ----------
    kind : str
        "support" or "load".
    name : str
        Shown under the cursor.
    piece, row : int
        The piece, and the row of its points.
    direction : tuple of float
        Of a force; empty for others.
    fixed : bool
        Whether the direction is global; else it turns with the frame of the body.
    """

    kind: str
    name: str
    piece: int
    row: int
    direction: tuple[float, ...]
    fixed: bool


@dataclass(frozen=True, slots=True)
class Scene:
    """What is drawn.

    Parameters
    ----------
    pieces : tuple of Piece
        The bodies.
    frames, modes : tuple of State
        Over time; natural modes.
    scale : float
        Suitable enlargement of the displacements in frames.
    notes : tuple of str
        What was left out.
    in_space : bool
        Whether bodies move in space with their frames; a single one is shown in its own.
    joints : tuple of Mark
        Its joints.
    symbols : tuple of Symbol
        Its supports and loads.
    told : tuple of str
        How the label of a frame, and that of a mode, are told, with # for its number.
    units : UnitSystem
        The units of all numbers.
    """

    pieces: tuple[Piece, ...]
    frames: tuple[State, ...]
    modes: tuple[State, ...]
    scale: float
    notes: tuple[str, ...]
    in_space: bool
    joints: tuple[Mark, ...]
    symbols: tuple[Symbol, ...] = ()
    told: tuple[str, str] = ("t = # s", "# Hz")
    units: UnitSystem = SI

    @property
    def size(self) -> float:
        """Diagonal of all undeformed bodies, m."""
        return size_of(self.pieces)

    @property
    def flat(self) -> bool:
        """Whether everything stays in the plane z = 0, up to round-off."""
        if any(piece.shape and np.ptp(piece.points[:, 2]) for piece in self.pieces):
            return False  # a solid: the positions of all its points in all frames would take long
        heights = [
            one.origins[k][2] + (piece.points + one.moves[k]) @ one.turns[k][2]
            for one in self.frames + self.modes
            for k, piece in enumerate(self.pieces)
        ]
        height = max((float(np.abs(one).max(initial=0.0)) for one in heights), default=0.0)
        return height <= 1e-6 * self.size

    @property
    def eye(self) -> Floats:
        """Direction in which the viewer is: of some customary ones, that with most area in view."""
        if self.flat:
            return np.array([0.0, 0.0, 1.0])
        areas = [np.zeros((0, 3))]
        state = (self.frames + self.modes)[-1]
        for k, piece in enumerate(self.pieces):
            if piece.shape is not None:
                corners = piece.shape.rest[piece.shape.triangles] @ state.turns[k].T
                areas.append(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]))
        area = np.concatenate(areas)
        best, most = np.zeros(3), -1.0
        for elevation in np.radians(_ELEVATIONS):
            for azimuth in np.radians(_AZIMUTHS):
                out = np.array([
                    np.cos(elevation) * np.cos(azimuth),
                    np.cos(elevation) * np.sin(azimuth),
                    np.sin(elevation),
                ])  # fmt: skip
                seen = float(np.maximum(area @ out, 0.0).sum())
                if seen > 1.02 * most:  # earlier ones are more customary
                    best, most = out, seen
        return best

    @property
    def quantities(self) -> tuple[str, ...]:
        """The quantities that colours can show."""
        if not any(piece.coloured for piece in self.pieces):
            return ()
        stressed = any(one is not None for state in self.frames for one in state.stress)
        return tuple(QUANTITIES)[: 2 if stressed else 1]


def peak_of(scene: Scene, state: State, quantity: str) -> tuple[int, int, float]:
    """Return the piece, the row of its points, and the largest value of a quantity."""
    best = (0, 0, -np.inf)
    for k, piece in enumerate(scene.pieces):
        values = state.values(k, quantity)
        if piece.coloured and len(values) and values.max() > best[2]:
            best = (k, int(values.argmax()), float(values.max()))
    return best


def size_of(pieces: Sequence[Piece]) -> float:
    """Return the diagonal of all undeformed bodies, m."""
    every = np.concatenate([piece.points for piece in pieces])
    return float(np.linalg.norm(np.ptp(every, axis=0)))
