# SPDX-License-Identifier: BSD-3-Clause
"""Cross sections of bars and beams: ``section = {shape = ..}``, or section properties.

y and z are the principal axes of the section through its centroid, which may be offset from the
line of the mesh. Dimensions and properties of a beam may vary along it: by a formula of the place,
or by groups of its cells.
"""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal, TypeAlias

from flexforge.runtime.arrays import Floats
from flexforge.runtime.model.base import (
    GroupName,
    Number,
    PlaceFormula,
    Positive,
    Table,
    Vector,
    problem,
    text_or,
    toml_type,
)
from flexforge.runtime.model.section_shapes import GIVEN, Sizes, faults, properties_of
from pydantic import Discriminator, Field, Tag, model_validator

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


#: Dimensions of shapes.
_DIMENSIONS = ("diameter", "wall", "width", "height", "flange", "web")
_PlaceSpec: TypeAlias = Annotated[
    Annotated[Positive, Tag("<number>")] | Annotated[PlaceFormula, Tag("<formula>")],
    text_or("<formula>", "<number>"),
]


def _kind(given: Any) -> str:
    kinds = {"table": "<groups>", "text": "<formula>"}
    return kinds.get(toml_type(given), "<number>")


_ABOVE = (
    "a number above 0, or of a beam a formula of x, y, z, or a table of either by groups of its "
    "cells"
)
#: A number, a formula of x, y, z, or one of both for each group of cells.
VaryingSpec: TypeAlias = Annotated[
    Annotated[Positive, Tag("<number>")]
    | Annotated[PlaceFormula, Tag("<formula>")]
    | Annotated[dict[GroupName, _PlaceSpec], Tag("<groups>")],
    Discriminator(_kind),
]


class SectionSpec(Table):
    """``section = {...}`` of a body of bars or beams."""

    shape: Literal["round", "tube", "rectangle", "ellipse", "box", "I", "plies"] | None = Field(
        default=None,
        description='"round", "tube", "rectangle", "ellipse", "box", "I" or "plies"',
    )
    diameter: VaryingSpec | None = Field(
        default=None, description=f"the outer diameter, {_ABOVE} (m)"
    )
    wall: VaryingSpec | None = Field(
        default=None, description=f"the thickness of a tube's wall, {_ABOVE} (m)"
    )
    width: VaryingSpec | None = Field(default=None, description=f"along y, {_ABOVE} (m)")
    height: VaryingSpec | None = Field(default=None, description=f"along z, {_ABOVE} (m)")
    walls: tuple[Positive, Positive, Positive, Positive] | None = Field(
        default=None,
        description="four numbers above 0, the thicknesses of a box's walls on the sides +y, +z, "
        "-y, -z (m)",
    )
    flange: VaryingSpec | None = Field(
        default=None, description=f"the thickness of the flanges of an I, {_ABOVE} (m)"
    )
    web: VaryingSpec | None = Field(
        default=None, description=f"the thickness of the web of an I, {_ABOVE} (m)"
    )
    area: VaryingSpec | None = Field(default=None, description=f"the area, {_ABOVE} (m^2)")
    inertia_y: VaryingSpec | None = Field(
        default=None, description=f"the integral of z^2 over the section, {_ABOVE} (m^4)"
    )
    inertia_z: VaryingSpec | None = Field(
        default=None, description=f"the integral of y^2 over the section, {_ABOVE} (m^4)"
    )
    torsion: VaryingSpec | None = Field(
        default=None, description=f"J of the torsional stiffness G J, {_ABOVE} (m^4)"
    )
    shear_y: VaryingSpec | None = Field(
        default=None, description=f"the shear factor along y, {_ABOVE}"
    )
    shear_z: VaryingSpec | None = Field(
        default=None, description=f"the shear factor along z, {_ABOVE}"
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
        if not self.varies and (found := faults(self.shape, self.sizes, self.walls)):
            (key, text, _), *_ = found
            raise problem(text, *([key] if key else []))
        return self

    @property
    def varying(self) -> tuple[str, ...]:
        """Keys of dimensions and properties that vary along a beam."""
        keys = (*_DIMENSIONS, *GIVEN)
        return tuple(key for key in keys if isinstance(getattr(self, key), str | dict))

    @property
    def varies(self) -> bool:
        """Whether it varies along a beam."""
        return bool(self.varying)

    @property
    def sizes(self) -> Sizes:
        """Dimensions and properties that are numbers, by name."""
        keys = (*_DIMENSIONS, *GIVEN)
        return {k: v for k in keys if isinstance(v := getattr(self, k), float | int)}

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
        found = None if self.varies else self.reach_of(self.sizes)
        return None if found is None else (float(found[0]), float(found[1]))

    def reach_of(self, sizes: Sizes) -> tuple[float | Floats, float | Floats] | None:
        """Return the same of given dimensions; arrays for arrays."""
        if self.shape in (None, "plies"):
            return None
        if "diameter" in sizes:
            return sizes["diameter"] / 2, sizes["diameter"] / 2
        return sizes["width"] / 2, sizes["height"] / 2

    @property
    def width_of_all(self) -> float | None:
        """Its largest dimension, m; of given properties the side of a square of that area.

        None where it varies.
        """
        if self.varies:
            return None
        if self.reach is not None:
            return 2.0 * max(self.reach)
        sizes = self.sizes
        return float(sizes["width"]) if "width" in sizes else math.sqrt(sizes["area"])

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
        found = {name: float(value) for name, value in self.properties(self.sizes, poisson).items()}
        return found | self.placing

    def properties(self, sizes: Sizes, poisson: float) -> dict[str, float | Floats]:
        """Return area, moments and factors of given dimensions; arrays for arrays."""
        found = properties_of(self.shape, sizes, poisson) if self.shape else {}
        return found | {key: sizes[key] for key in GIVEN if key in sizes}

    @property
    def placing(self) -> dict[str, float]:
        """Where the centroid is and how the section is turned, as kernel arguments by name."""
        found = dict(zip(("offset_y", "offset_z"), self.offset, strict=True))
        return found | {f"orientation{i + 1}": v for i, v in enumerate(self.orientation)}
