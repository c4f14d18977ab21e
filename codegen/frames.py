# SPDX-License-Identifier: BSD-3-Clause
"""Moving frames: the symbols of their motion in local components, and their rates of change."""

from __future__ import annotations

from dataclasses import dataclass

import sympy
from flexforge.codegen.errors import InputError, nearest


@dataclass(frozen=True)
class Frame:
    """A body frame with origin O, angular velocity w and angular acceleration e.

    Attributes
    ----------
    name : str
        ``planar`` (rotation about the normal) or ``spatial``.
    angular_velocity, angular_acceleration : tuple of sympy.Symbol
        One symbol in a planar frame, three in a spatial one.
    velocity, acceleration : sympy.ImmutableMatrix
        ``v_O`` and ``a_O``: velocity and acceleration of O, in local components.
    """

    name: str
    angular_velocity: tuple[sympy.Symbol, ...]
    angular_acceleration: tuple[sympy.Symbol, ...]
    velocity: sympy.ImmutableMatrix
    acceleration: sympy.ImmutableMatrix

    @property
    def dimension(self) -> int:
        """Dimension of the space: 2 or 3."""
        return int(self.velocity.rows)

    def tilde(self, vector: tuple[sympy.Symbol, ...]) -> sympy.Matrix:
        """Return the skew matrix of ``vector x .``; in the plane ``vector[0] J``."""
        if self.dimension == 2:
            return sympy.Matrix([[0, -vector[0]], [vector[0], 0]])
        x, y, z = vector
        return sympy.Matrix([[0, -z, y], [z, 0, -x], [-y, x, 0]])

    def rates(self) -> dict[sympy.Symbol, sympy.Expr]:
        """Return the total time derivatives of the frame's own symbols.

        Local components change also because the frame turns: ``v_O' = a_O - w x v_O``.
        """
        change = self.acceleration - self.tilde(self.angular_velocity) * self.velocity
        table = dict(zip(self.angular_velocity, self.angular_acceleration, strict=True))
        return table | dict(zip(self.velocity, change, strict=True))


def _vector(name: str, size: int) -> sympy.ImmutableMatrix:
    return sympy.ImmutableMatrix(sympy.symbols(f"{name}1:{size + 1}", real=True))


PLANAR = Frame(
    "planar",
    sympy.symbols("w3:4", real=True),
    sympy.symbols("e3:4", real=True),
    _vector("v_O", 2),
    _vector("a_O", 2),
)
SPATIAL = Frame(
    "spatial",
    sympy.symbols("w1:4", real=True),
    sympy.symbols("e1:4", real=True),
    _vector("v_O", 3),
    _vector("a_O", 3),
)
FRAMES = {frame.name: frame for frame in (PLANAR, SPATIAL)}


def frame_for(components: int, name: str | None = None) -> Frame:
    """Return the frame of an element with so many coordinates a node.

    Raises
    ------
    InputError
        For an unknown name, or a frame of another dimension than the element's.
    """
    natural = PLANAR if components == 2 else SPATIAL
    if name is None:
        return natural
    if name not in FRAMES:
        raise InputError(
            f"frame '{name}' is unknown; expected one of {', '.join(FRAMES)}{nearest(name, FRAMES)}"
        )
    if FRAMES[name] is not natural:
        raise InputError(
            f"frame '{name}' does not fit an element with {components} coordinates a node; "
            f"expected '{natural.name}'"
        )
    return natural
