# SPDX-License-Identifier: BSD-3-Clause
"""Local axes of components: ``axes = {...}``."""

from __future__ import annotations

from typing import Literal

import numpy as np
from flexforge.runtime.model.base import Table, Vector, problem
from pydantic import Field, model_validator

_PARALLEL = 1e-6  # sine of the least angle between two axes


class AxesSpec(Table):
    """``axes = {...}``: the axes of components at nodes, in the body frame."""

    kind: Literal["cartesian", "cylindrical"] = Field(
        default="cartesian", description='"cartesian" or "cylindrical"'
    )
    x: Vector | None = Field(
        default=None, description="the first axis of cartesian ones, three numbers [x, y, z]"
    )
    y: Vector | None = Field(
        default=None, description="a vector in the plane of the first two axes, [x, y, z]"
    )
    origin: Vector = Field(
        default=(0.0, 0.0, 0.0), description="a point on the cylinder's axis, [x, y, z] (m)"
    )
    z: Vector = Field(
        default=(0.0, 0.0, 1.0), description="the cylinder's axis, three numbers [x, y, z]"
    )

    @model_validator(mode="after")
    def _are_axes(self) -> AxesSpec:
        cartesian = self.kind == "cartesian"
        for key in ("origin", "z") if cartesian else ("x", "y"):
            if key in self.model_fields_set:
                raise problem(f"found with {self.kind} axes; expected none", key)
        if cartesian and self.x is None:
            raise problem("missing; expected the first axis, three numbers [x, y, z]", "x")
        for key in ("x", "y") if cartesian else ("z",):
            vector = getattr(self, key)
            if vector is not None and not np.any(vector):
                raise problem("found a vector of length zero; expected a direction", key)
        if self.x is not None and self.y is not None:
            sine = np.linalg.norm(np.cross(self.x, self.y))
            if sine <= _PARALLEL * np.linalg.norm(self.x) * np.linalg.norm(self.y):
                raise problem(
                    "found a vector along x; expected one that is not parallel to it", "y"
                )
        return self
