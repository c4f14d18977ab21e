# SPDX-License-Identifier: BSD-3-Clause
"""Cross sections of bars and beams: ``section = {shape = ..}``, or section properties.

y and z are the principal axes of the section through its centroid, which may be offset from the
line of the mesh.
"""

from __future__ import annotations

import math
from typing import Literal

from flexforge.runtime.model.base import Number, Positive, Table, Vector, problem
from pydantic import Field, model_validator

_NEEDED = {
    "round": ("diameter",),
    "tube": ("diameter", "wall"),
    "rectangle": ("width", "height"),
    "ellipse": ("width", "height"),
    "box": ("width", "height", "walls"),
    "I": ("width", "height", "flange", "web"),
    "plies": ("width",),
}
#: Shapes whose solids have points in their walls alone.
HOLLOW = ("tube", "box")
#: Properties that may be given instead of following from a shape.
GIVEN = ("area", "inertia_y", "inertia_z", "torsion", "shear_y", "shear_z")


class SectionSpec(Table):
    """``section = {...}`` of a body of bars or beams."""

    shape: Literal["round", "tube", "rectangle", "ellipse", "box", "I", "plies"] | None = Field(
        default=None,
        description='"round", "tube", "rectangle", "ellipse", "box", "I" or "plies"',
    )
    diameter: Positive | None = Field(
        default=None, description="the outer diameter, a number above 0 (m)"
    )
    wall: Positive | None = Field(
        default=None, description="the thickness of a tube's wall, a number above 0 (m)"
    )
    width: Positive | None = Field(default=None, description="along y, a number above 0 (m)")
    height: Positive | None = Field(default=None, description="along z, a number above 0 (m)")
    walls: tuple[Positive, Positive, Positive, Positive] | None = Field(
        default=None,
        description="four numbers above 0, the thicknesses of a box's walls on the sides +y, +z, "
        "-y, -z (m)",
    )
    flange: Positive | None = Field(
        default=None, description="the thickness of the flanges of an I, a number above 0 (m)"
    )
    web: Positive | None = Field(
        default=None, description="the thickness of the web of an I, a number above 0 (m)"
    )
    area: Positive | None = Field(default=None, description="the area, a number above 0 (m^2)")
    inertia_y: Positive | None = Field(
        default=None, description="the integral of z^2 over the section, a number above 0 (m^4)"
    )
    inertia_z: Positive | None = Field(
        default=None, description="the integral of y^2 over the section, a number above 0 (m^4)"
    )
    torsion: Positive | None = Field(
        default=None, description="J of the torsional stiffness G J, a number above 0 (m^4)"
    )
    shear_y: Positive | None = Field(
        default=None, description="the shear factor along y, a number above 0"
    )
    shear_z: Positive | None = Field(
        default=None, description="the shear factor along z, a number above 0"
    )
    orientation: Vector = Field(
        default=(0.0, 1.0, 0.0),
        description="three numbers, a direction in the plane of the axis and the local axis y",
    )

    offset: tuple[Number, Number] = Field(
        default=(0.0, 0.0),
        description="two numbers [y, z], where the centroid is from the line of the mesh (m)",
    )

    @model_validator(mode="after")
    def _complete(self) -> SectionSpec:
        wanted = _NEEDED.get(self.shape or "", ("area",))
        for key in wanted:
            if getattr(self, key) is None:
                what = f"a section of shape {self.shape}" if self.shape else "a section"
                size = "four numbers" if key == "walls" else "a number"
                raise problem(f"missing; expected {size} above 0 (m) for {what}", key)
        for keys in _NEEDED.values():
            for key in keys:
                if getattr(self, key) is not None and key not in wanted:
                    raise problem(
                        f"found one for shape {self.shape}; expected {', '.join(wanted)}", key
                    )
        if self.shape == "plies":
            for key in GIVEN:
                if getattr(self, key) is not None:
                    raise problem("found one for shape plies, which define it; expected none", key)
        if self.shape == "tube" and 2 * (self.wall or 0) >= (self.diameter or 0):
            raise problem(
                "found a wall thickness of half the diameter or more; expected less", "wall"
            )
        if self.walls is not None:
            across = self.walls[0] + self.walls[2], self.walls[1] + self.walls[3]
            if across[0] >= (self.width or 0) or across[1] >= (self.height or 0):
                raise problem("found walls that overlap; expected thinner ones", "walls")
        if self.shape == "I" and (
            2 * (self.flange or 0) >= (self.height or 0) or (self.web or 0) >= (self.width or 0)
        ):
            raise problem("found flanges or a web that overlap; expected thinner ones")
        return self

    @property
    def is_hollow(self) -> bool:
        """Whether the solid that it becomes is one in its walls alone."""
        return self.shape in HOLLOW

    @property
    def is_round(self) -> bool:
        """Whether the corners of the solid that it becomes are on its circle, or its ellipse."""
        return self.shape in ("round", "ellipse")

    @property
    def reach(self) -> tuple[float, float] | None:
        """Largest distances from the centroid along y and z, m; None without shape or for plies."""
        if self.shape in (None, "plies"):
            return None
        if self.diameter is not None:
            return self.diameter / 2, self.diameter / 2
        return (self.width or 0.0) / 2, (self.height or 0.0) / 2

    @property
    def width_of_all(self) -> float:
        """Its largest dimension, m; of given properties the side of a square of that area."""
        if self.reach is not None:
            return 2.0 * max(self.reach)
        return self.width if self.width is not None else math.sqrt(self.area or 0.0)

    def values(self, poisson: float) -> dict[str, float]:
        """Return the properties of the section as kernel arguments by name.

        Given properties take precedence, the others follow from the shape; those that follow from
        neither are left out.

        Parameters
        ----------
        poisson : float
            Poisson's ratio, on which the shear factors depend (Cowper, Journal of Applied Mechanics
            33, 1966).
        """
        shapes = {"round": _round, "tube": _tube, "rectangle": _rectangle, "ellipse": _ellipse,
                  "I": _double_tee}  # fmt: skip
        found = shapes[self.shape](self, poisson) if self.shape else {}
        found |= {key: v for key in GIVEN if (v := getattr(self, key)) is not None}
        found |= dict(zip(("offset_y", "offset_z"), self.offset, strict=True))
        return found | {f"orientation{i + 1}": v for i, v in enumerate(self.orientation)}


def _round(section: SectionSpec, poisson: float) -> dict[str, float]:
    radius = (section.diameter or 0.0) / 2
    moment = math.pi * radius**4 / 4
    factor = 6 * (1 + poisson) / (7 + 6 * poisson)
    return _figures(math.pi * radius**2, moment, moment, 2 * moment, factor, factor)


def _tube(section: SectionSpec, poisson: float) -> dict[str, float]:
    outer = (section.diameter or 0.0) / 2
    inner = outer - (section.wall or 0.0)
    moment = math.pi * (outer**4 - inner**4) / 4
    m = (inner / outer) ** 2
    whole = (1 + m) ** 2
    factor = 6 * (1 + poisson) * whole / ((7 + 6 * poisson) * whole + (20 + 12 * poisson) * m)
    area = math.pi * (outer**2 - inner**2)
    return _figures(area, moment, moment, 2 * moment, factor, factor)


def _rectangle(section: SectionSpec, poisson: float) -> dict[str, float]:
    b, h = section.width or 0.0, section.height or 0.0
    factor = 10 * (1 + poisson) / (12 + 11 * poisson)
    torsion = _torsion_of_rectangle(max(b, h), min(b, h))
    return _figures(b * h, b * h**3 / 12, h * b**3 / 12, torsion, factor, factor)


def _ellipse(section: SectionSpec, poisson: float) -> dict[str, float]:
    a, b = (section.width or 0.0) / 2, (section.height or 0.0) / 2
    area = math.pi * a * b
    torsion = math.pi * a**3 * b**3 / (a**2 + b**2)
    factors = [_shear_of_ellipse((one / other) ** 2, poisson) for one, other in ((a, b), (b, a))]
    return _figures(area, area * b**2 / 4, area * a**2 / 4, torsion, *factors)


def _shear_of_ellipse(square: float, poisson: float) -> float:
    """Return the factor along an axis, by the square of its ratio to the other axis."""
    above = 12 * (1 + poisson) * square * (3 * square + 1)
    below = (40 + 37 * poisson) * square**2 + (16 + 10 * poisson) * square + poisson
    return above / below


def _torsion_of_rectangle(long: float, short: float) -> float:
    """Return J by Saint-Venant's series (Timoshenko and Goodier, Theory of Elasticity, 109)."""
    series = sum(math.tanh(n * math.pi * long / (2 * short)) / n**5 for n in range(1, 40, 2))
    return long * short**3 * (1 - 192 / math.pi**5 * short / long * series) / 3


def _double_tee(section: SectionSpec, poisson: float) -> dict[str, float]:
    """Return the properties of an I: web along z, flanges along y; thin walls in shear, torsion."""
    b, h = section.width or 0.0, section.height or 0.0
    f, w = section.flange or 0.0, section.web or 0.0
    inner = h - 2 * f
    area = 2 * b * f + inner * w
    torsion = (2 * b * f**3 + (h - f) * w**3) / 3
    inertia_y = (b * h**3 - (b - w) * inner**3) / 12
    inertia_z = (2 * f * b**3 + inner * w**3) / 12
    # The web carries the shear along z, five sixths of the flanges that along y.
    return _figures(area, inertia_y, inertia_z, torsion, 5 / 6 * 2 * b * f / area, inner * w / area)


def _figures(
    area: Number,
    inertia_y: Number,
    inertia_z: Number,
    torsion: Number,
    shear_y: Number,
    shear_z: Number,
) -> dict[str, float]:
    values = (area, inertia_y, inertia_z, torsion, shear_y, shear_z)
    return dict(zip(GIVEN, map(float, values), strict=True))
