# SPDX-License-Identifier: BSD-3-Clause
"""Shafts by their lengths and diameters: ``[[shafts]]``."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

import numpy as np
from flexforge.runtime.model.base import (
    Count,
    GroupName,
    Name,
    NonNegative,
    Positive,
    Table,
    Vector,
    is_list,
    problem,
)
from flexforge.runtime.model.schema_frame import unit
from flexforge.runtime.model.schema_spin import TurnSpec
from pydantic import AfterValidator, BeforeValidator, Field, model_validator


def _both(value: Any) -> Any:
    """Return a number twice: that at the beginning, and that at the end."""
    return value if is_list(value) else (value, value)


Ends: TypeAlias = Annotated[tuple[Positive, Positive], BeforeValidator(_both)]
Holes: TypeAlias = Annotated[tuple[NonNegative, NonNegative], BeforeValidator(_both)]


class SegmentSpec(Table):
    """A piece of a shaft of one diameter, or with one that changes linearly."""

    length: Positive = Field(description="a number above 0 (m)")
    diameter: Ends = Field(
        description="a number above 0, or two: at the beginning and at the end (m)"
    )
    hole: Holes = Field(default=(0.0, 0.0), description="the inner diameter, as diameter (m)")
    material: Name | None = Field(
        default=None, description="the name of a material; by default that of the shaft"
    )
    elements: Count | None = Field(
        default=None,
        description="least number of elements along it; by default they are not longer than thick",
    )

    @model_validator(mode="after")
    def _wall(self) -> SegmentSpec:
        if any(hole >= outer for hole, outer in zip(self.hole, self.diameter, strict=True)):
            raise problem("found a hole as wide as the shaft; expected less than diameter", "hole")
        return self


class DiscSpec(Table):
    """A disc on a shaft: by its size, or by its mass and moments of inertia."""

    at: NonNegative = Field(
        description="where its middle is: the distance from the beginning of the shaft (m)"
    )
    width: Positive | None = Field(default=None, description="a number above 0 (m)")
    diameter: Positive | None = Field(default=None, description="a number above 0 (m)")
    material: Name | None = Field(
        default=None, description="the name of a material; by default that of the shaft"
    )
    mass: Positive | None = Field(default=None, description="a number above 0 (kg)")
    inertia: tuple[Positive, Positive] | None = Field(
        default=None,
        description="moments of inertia across and about the axis, two numbers above 0 (kg m^2)",
    )

    @model_validator(mode="after")
    def _one_way(self) -> DiscSpec:
        size = [key for key in ("width", "diameter") if getattr(self, key) is not None]
        weight = [key for key in ("mass", "inertia") if getattr(self, key) is not None]
        if bool(size) == bool(weight) or len(size) == 1:
            raise problem(
                f"found {' and '.join([*size, *weight]) or 'neither'}; expected width and diameter,"
                " or mass and inertia"
            )
        if self.mass is None and self.inertia is not None:
            raise problem("missing with inertia; expected a number above 0 (kg)", "mass")
        if self.material is not None and not size:
            raise problem("found with mass; expected none", "material")
        return self


class ShaftSpec(Table):
    """``[[shafts]]``: a shaft with discs, as beams or as solids."""

    name: Name = Field(description="a name of letters, digits, spaces and _ . + -")
    material: Name = Field(description="the name of a material of this file")
    segments: tuple[SegmentSpec, ...] = Field(
        min_length=1, description="a list of tables with length and diameter, one after the other"
    )
    discs: tuple[DiscSpec, ...] = Field(default=(), description="a list of tables, one per disc")
    stations: dict[GroupName, NonNegative] = Field(
        default={},
        description="names of nodes on the axis, with their distances from the beginning (m)",
    )
    made_of: Literal["beams", "solids"] = Field(default="beams", description='"beams" or "solids"')
    start: Vector = Field(
        default=(0.0, 0.0, 0.0), description="where it begins, three numbers [x, y, z] (m)"
    )
    axis: Annotated[Vector, AfterValidator(unit)] = Field(
        default=(0.0, 0.0, 1.0), description="its direction, a unit vector [x, y, z]"
    )
    spin: TurnSpec = Field(
        description="a table with its rotation: angle, velocity, acceleration or machine"
    )
    around: Annotated[Count, Field(ge=8, multiple_of=4)] = Field(
        default=16, description="solids around the axis, a multiple of 4 from 8"
    )

    @property
    def length(self) -> float:
        """Its whole length, m."""
        return float(sum(one.length for one in self.segments))

    @model_validator(mode="after")
    def _within(self) -> ShaftSpec:
        places = {f"stations.{name}": place for name, place in self.stations.items()}
        places |= {f"discs[{i}].at": disc.at for i, disc in enumerate(self.discs)}
        for key, place in places.items():
            if place > self.length * (1.0 + 1e-12):
                raise problem(
                    f"{key}: found {place:g}; expected at most the length of the shaft, "
                    f"{self.length:g} m"
                )
        for i, disc in enumerate(self.discs):
            outer = self.outer(disc.at)
            if disc.diameter is not None and disc.diameter <= outer:
                raise problem(
                    f"discs[{i}].diameter: found {disc.diameter:g}; expected more than the "
                    f"{outer:g} m of the shaft there"
                )
        if self.made_of == "beams" and "around" in self.model_fields_set:
            raise problem('found with beams; expected made_of = "solids"', "around")
        if self.made_of == "solids":
            if self.spin.machine is not None:
                raise problem('spin.machine: found with solids; expected made_of = "beams"')
            for i, segment in enumerate(self.segments):
                if len({*segment.diameter}) > 1 or len({*segment.hole}) > 1:
                    raise problem(
                        f"segments[{i}]: found a diameter that changes; expected steps of constant "
                        "diameter for solids"
                    )
        return self

    def outer(self, place: float) -> float:
        """Return the larger of the outer diameters at a distance from its beginning, m."""
        ends = np.concatenate([[0.0], np.cumsum([one.length for one in self.segments])])
        found = [
            float(np.interp(place, [begin, end], one.diameter))
            for begin, end, one in zip(ends, ends[1:], self.segments, strict=False)
            if begin - 1e-9 * self.length <= place <= end + 1e-9 * self.length
        ]
        return max(found)
