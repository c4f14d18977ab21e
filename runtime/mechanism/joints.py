# SPDX-License-Identifier: BSD-3-Clause
"""A joint between two frames: its markers, and the equations compiled for its kind."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

import numpy as np
from flexforge.codegen.joints.table import BOTH, JOINTS
from flexforge.runtime import _mechanism
from flexforge.runtime.arrays import Floats
from flexforge.runtime.assembly.calls import CompiledKernel
from flexforge.runtime.assembly.kernels import baseline_kernels
from flexforge.runtime.motion.frame import FrameState

GROUND = -1
#: Numbers a row of a kernel begins with: length, sine, cosine, factor.
VALUE = 4
#: Columns of displacements across the plane and turns out of it: none in a planar model.
ACROSS = (2, 3, 4, 8, 9, 10)


@dataclass(frozen=True, slots=True)
class Marker:
    """A place on a link, in components of the link.

    Attributes
    ----------
    point : (3,) array
        Where it is, m.
    axes : (3, 3) array
        A row an axis: x (across), y, z (the axis of the joint).
    """

    point: Floats
    axes: Floats

    @property
    def packed(self) -> Floats:
        """The four rows of it that kernels read, (4, 3)."""
        return np.vstack([self.point, self.axes])


def marker(
    point: Sequence[float] | Floats,
    axis: Sequence[float] = (0.0, 0.0, 1.0),
    across: Sequence[float] | None = None,
    *,
    planar: bool = False,
) -> Marker:
    """Return a marker with the given axis z.

    Parameters
    ----------
    point : sequence of 3 floats
        Where it is, m.
    axis : sequence of 3 floats
        Direction of z.
    across : sequence of 3 floats, optional
        Direction of which the part across the axis is x; by default the link's x, or its y where
        the axis is closer to x than 25 degrees.
    planar : bool
        Whether the model is planar: y is the normal of the plane where the axis lies in it.
    """
    z = np.asarray(axis, dtype=float) / np.linalg.norm(axis)
    if planar and z[2] == 0.0:
        y = np.array([0.0, 0.0, 1.0])
        return Marker(np.array(point, dtype=float), np.stack([np.cross(y, z), y, z]))
    if across is None:
        across = (0.0, 1.0, 0.0) if abs(z[0]) > 0.9 else (1.0, 0.0, 0.0)
    x = np.asarray(across, dtype=float) - z * (z @ np.asarray(across, dtype=float))
    x /= np.linalg.norm(x)
    return Marker(np.array(point, dtype=float), np.stack([x, np.cross(z, x), z]))


def pack(frame: FrameState | None) -> Floats:
    """Return the eight rows of a frame's state that kernels read, (8, 3); None is the ground."""
    found = np.zeros((8, 3))
    if frame is None:
        found[1:4] = np.eye(3)
        return found
    found[0], found[1:4] = frame.r_O, frame.R
    found[4], found[5], found[6], found[7] = frame.v_O, frame.w, frame.a_O, frame.e
    return found


@cache
def joint_kernel(kind: str, term: str) -> CompiledKernel:
    """Return the kernel of a kind of joint: term ``rigid`` or ``elastic``.

    Joints are evaluated one by one, so that vectors gain nothing; stiff bodies make forces of where
    their ends are to the last digit, and these are thus those of an exported solver.
    """
    return baseline_kernels()[f"joint_{kind}", term]


@dataclass(frozen=True, slots=True)
class Joint:
    """A joint between two links.

    Attributes
    ----------
    name, kind : str
        As in the model file.
    links : tuple of int
        Numbers of the links, -1 the ground.
    markers : tuple of Marker
        One a link.
    planar : bool
        Whether only the equations in the plane count.
    radius : float
        Of the disc that rolls, m.
    offsets : (held,) array
        Values at which the held rows are kept; zero but for what a start has set.
    """

    name: str
    kind: str
    links: tuple[int, int]
    markers: tuple[Marker, Marker]
    planar: bool = False
    radius: float = 0.0
    offsets: Floats = field(default_factory=lambda: np.zeros(0))

    def __post_init__(self) -> None:
        """Give every held row its offset."""
        if not len(self.offsets):
            object.__setattr__(self, "offsets", np.zeros(self.held))

    @property
    def _side(self) -> str:
        """How the axis is to the plane of a planar model."""
        return "normal" if self.markers[0].axes[2, 2] else "along"

    def _counts(self, number: int) -> bool:
        kind = JOINTS[self.kind]
        row = (*kind.held, *kind.free.values())[number]
        return not self.planar or row.in_plane in (BOTH, self._side)

    @property
    def held_rows(self) -> tuple[int, ...]:
        """Rows of the kernel that are kept."""
        return tuple(r for r in range(len(JOINTS[self.kind].held)) if self._counts(r))

    @property
    def free_rows(self) -> dict[str, int]:
        """Rows of the kernel that are coordinates, by name."""
        kind = JOINTS[self.kind]
        numbered = enumerate(kind.free, start=len(kind.held))
        return {name: r for r, name in numbered if self._counts(r)}

    @property
    def held(self) -> int:
        """How many equations it has."""
        return len(self.held_rows)

    @property
    def free(self) -> int:
        """How many coordinates it leaves free."""
        return len(self.free_rows)

    @property
    def packed(self) -> Floats:
        """The markers as kernels read them, (8, 3)."""
        return np.vstack([self.markers[0].packed, self.markers[1].packed])

    def rows(
        self, frame_1: FrameState | None, frame_2: FrameState | None, near: Floats | None = None
    ) -> tuple[Floats, Floats, Floats, Floats, Floats]:
        """Return the equations for links with small elastic displacements.

        The columns are the displacement of the marker's point and the turn of the marker, of the
        first link and then of the second, each in components of its link. Displacements d of
        bodies that move with the links obey ``J d = 0``, ``J d' + J' d = 0`` and ``J d'' + 2 J' d'
        + J'' d = 0`` with the held rows; the free rows times d are changes of the coordinates.

        Parameters
        ----------
        frame_1, frame_2 : FrameState or None
            Motion of the links; None is the ground.
        near : (held + free,) array, optional
            Values next to which angles are given, which else are between -pi and pi.

        Returns
        -------
        phi : (held,) array
            What is left of the equations, m or rad.
        q : (free,) array
            Coordinates, m or rad.
        J, J1, J2 : (held + free, 12) array
            Jacobian and its first and second time derivatives, the held rows first.
        """
        chosen = [*self.held_rows, *self.free_rows.values()]
        found = self.evaluate("elastic", frame_1, frame_2)[chosen]
        values = row_values(found[:, :VALUE], near)
        jacobians = found[:, VALUE:].reshape(-1, 3, 12)
        if self.planar:
            jacobians[:, :, ACROSS] = 0.0
        J, J1, J2 = (np.ascontiguousarray(jacobians[:, k]) for k in range(3))  # noqa: N806 - the equations'
        return values[: self.held] - self.offsets, values[self.held :], J, J1, J2

    def jacobians(self, links: Floats) -> Floats:
        """Return the Jacobians of :meth:`rows` at many times.

        Parameters
        ----------
        links : (T, L, 8, 3) array
            States of all links.

        Returns
        -------
        (T, 3, held + free, 12) array
            J, J' and J''.
        """
        kernel = joint_kernel(self.kind, "elastic")
        ground = np.broadcast_to(pack(None), (len(links), 8, 3))
        states = np.stack([links[:, k] if k >= 0 else ground for k in self.links], axis=1)
        found = np.empty((len(links), kernel.rows * kernel.columns))
        _mechanism.evaluate(
            kernel.function,
            self.packed.ravel(),
            np.array([self.radius]),
            np.ascontiguousarray(states).reshape(len(links), 48),
            found,
        )
        chosen = [*self.held_rows, *self.free_rows.values()]
        rows = found.reshape(len(links), kernel.rows, kernel.columns)[:, chosen, VALUE:]
        jacobians = rows.reshape(len(links), len(chosen), 3, 12)
        if self.planar:
            jacobians[..., ACROSS] = 0.0
        return np.moveaxis(jacobians, 2, 1)

    def evaluate(self, term: str, frame_1: FrameState | None, frame_2: FrameState | None) -> Floats:
        """Return what a kernel of the joint computes, all rows of it."""
        kernel = joint_kernel(self.kind, term)
        found = np.empty((1, kernel.rows * kernel.columns))
        states = np.stack([pack(frame_1), pack(frame_2)]).reshape(1, -1)
        radius = np.array([self.radius])
        _mechanism.evaluate(kernel.function, self.packed.ravel(), radius, states, found)
        return found.reshape(kernel.rows, kernel.columns)


def row_values(parts: Floats, near: Floats | None = None) -> Floats:
    """Return the values of rows, (n,), from length, sine, cosine and factor, (n, 4).

    Parameters
    ----------
    parts : (n, 4) array
        As kernels give them.
    near : (n,) array, optional
        Values next to which they are to be.
    """
    length, sine, cosine, factor = parts.T
    values = length + factor * np.arctan2(sine, cosine)
    if near is None:
        return np.asarray(values)
    turn = 2 * math.pi * factor
    return np.asarray(
        values + turn * np.round((near - values) / np.where(turn, turn, 1.0)) * (turn != 0)
    )
