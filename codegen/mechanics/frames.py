# SPDX-License-Identifier: BSD-3-Clause
"""Moving frames: the symbols of their motion in local components, and their rates of change.

A frame is prescribed, its motion given; or free, its velocities v_O and w unknown like those of the
nodes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import sympy
from flexforge.codegen.errors import InputError, nearest


@dataclass(frozen=True)
class Frame:
    """A body frame with origin O, angular velocity w and angular acceleration e.

    Attributes
    ----------
    name : str
        ``planar`` (rotation about the normal), ``spatial``, or ``axial``: a meridian plane of axes
        r and z that turns about z and moves along it, with the hoop direction as third axis, along
        which a field has displacements or not; or
        ``free``, planar or spatial.
    angular_velocity, angular_acceleration : tuple of sympy.Expr
        One symbol in a planar frame, three in a spatial one; zero about axes without rotation.
    velocity, acceleration : sympy.ImmutableMatrix
        ``v_O`` and ``a_O``: velocity and acceleration of O, in local components.
    directions : sympy.ImmutableMatrix
        Directions of displacements of the element, one per column.
    places : sympy.ImmutableMatrix
        Directions of its positions, one per column: all those, or in a meridian plane r and z.
    speeds, speed_rates : tuple of sympy.Symbol
        ``(v_O, w)`` and ``(v_O', e)`` of a free frame, rates of components; a prescribed one has
        none.
    """

    name: str
    angular_velocity: tuple[sympy.Expr, ...]
    angular_acceleration: tuple[sympy.Expr, ...]
    velocity: sympy.ImmutableMatrix
    acceleration: sympy.ImmutableMatrix
    directions: sympy.ImmutableMatrix
    places: sympy.ImmutableMatrix
    speeds: tuple[sympy.Symbol, ...] = ()
    speed_rates: tuple[sympy.Symbol, ...] = ()

    @property
    def is_free(self) -> bool:
        """Whether its motion is unknown."""
        return bool(self.speeds)

    @property
    def dimension(self) -> int:
        """Dimension of the space the element moves in: 2 or 3."""
        return int(self.velocity.rows)

    @property
    def components(self) -> int:
        """Number of coordinates per node: 2 or 3."""
        return int(self.directions.cols)

    def tilde(self, vector: tuple[sympy.Expr, ...]) -> sympy.Matrix:
        """Return the skew matrix of ``vector x .``; in the plane ``vector[0] J``."""
        if self.dimension == 2:
            return sympy.Matrix([[0, -vector[0]], [vector[0], 0]])
        x, y, z = vector
        return sympy.Matrix([[0, -z, y], [z, 0, -x], [-y, x, 0]])

    def rates(self) -> dict[sympy.Symbol, sympy.Expr]:
        """Return the total time derivatives of the frame's own symbols.

        Local components also change because the frame rotates: ``v_O' = a_O - w x v_O``.
        """
        change = self.acceleration - self.tilde(self.angular_velocity) * self.velocity
        table = dict(zip(self.angular_velocity, self.angular_acceleration, strict=True))
        table |= dict(zip(self.velocity, change, strict=True))
        return {symbol: rate for symbol, rate in table.items() if isinstance(symbol, sympy.Symbol)}


def _vector(name: str, size: int) -> sympy.ImmutableMatrix:
    return sympy.ImmutableMatrix(sympy.symbols(f"{name}1:{size + 1}", real=True))


def _frame(name: str, turns: str, size: int) -> Frame:
    w, e = (sympy.symbols(f"{one}{turns}", real=True) for one in "we")
    directions = sympy.ImmutableMatrix(sympy.eye(size))
    return Frame(name, w, e, _vector("v_O", size), _vector("a_O", size), directions, directions)


PLANAR = _frame("planar", "3:4", 2)
SPATIAL = _frame("spatial", "1:4", 3)


def _along_second(name: str) -> sympy.ImmutableMatrix:
    return sympy.ImmutableMatrix([0, sympy.Symbol(f"{name}2", real=True), 0])


_MERIDIAN = sympy.ImmutableMatrix([[1, 0], [0, 1], [0, 0]])
AXIAL = Frame(
    "axial",
    tuple(_along_second("w")),
    tuple(_along_second("e")),
    _along_second("v_O"),
    _along_second("a_O"),
    _MERIDIAN,
    _MERIDIAN,
)
#: The same motion, of a field with displacements along the circles too.
_TWISTED = replace(AXIAL, directions=sympy.ImmutableMatrix(sympy.eye(3)))
FRAMES = {frame.name: frame for frame in (PLANAR, SPATIAL, AXIAL)}


def _freed(frame: Frame) -> Frame:
    """Return a frame of unknown motion: ``a_O = v_O' + w x v_O``."""
    own = _vector("v_O'", frame.dimension)
    return replace(
        frame,
        name="free",
        acceleration=sympy.ImmutableMatrix(
            own + frame.tilde(frame.angular_velocity) * frame.velocity
        ),
        speeds=(*frame.velocity, *frame.angular_velocity),
        speed_rates=(*own, *frame.angular_acceleration),
    )


#: Free frames by their dimension.
FREE = {frame.dimension: _freed(frame) for frame in (PLANAR, SPATIAL)}


def frame_for(components: int, name: str | None = None, *, revolved: bool = False) -> Frame:
    """Return the frame of an element with the given number of coordinates per node.

    Parameters
    ----------
    components : int
        Coordinates per node.
    name : str, optional
        Name given by the user; ``free`` for a frame of unknown motion.
    revolved : bool
        Whether the element is the section of a body of revolution.

    Raises
    ------
    InputError
        For an unknown name, a frame that does not have the dimension of the element, or a free one
        of a body of revolution.
    """
    natural = PLANAR if components == 2 else SPATIAL
    if revolved:
        natural = AXIAL if components == 2 else _TWISTED
    if name is None:
        return natural
    if name == "free":
        if revolved:
            raise InputError(
                "frame 'free' is not for bodies of revolution, whose field has no other motion "
                "than along their axis; expected 'axial', or a solid"
            )
        return FREE[components]
    if name not in FRAMES:
        known = (*FRAMES, "free")
        raise InputError(
            f"frame '{name}' is unknown; expected one of {', '.join(known)}{nearest(name, known)}"
        )
    if name != natural.name:
        raise InputError(
            f"frame '{name}' does not fit an element with {components} coordinates per node; "
            f"expected '{natural.name}'"
        )
    return natural
