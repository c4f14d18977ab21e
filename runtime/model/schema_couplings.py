# SPDX-License-Identifier: BSD-3-Clause
"""Couplings of the nodes of a surface with a point: ``[[couplings]]``."""

from __future__ import annotations

from typing import Literal

from flexforge.runtime.model.base import GroupName, Name, Vector, problem, refuse_no_direction
from flexforge.runtime.model.schema_stepped import Stepped
from pydantic import Field, model_validator

#: Kinds of couplings without a point.
_WITHOUT_POINT = ("plane", "line")


class CouplingSpec(Stepped):
    """``[[couplings]]``: a point that carries the nodes of a group, or moves as they do."""

    name: Name = Field(description="a name of letters, digits, spaces and _ . + -")
    kind: Literal["rigid", "distributing", "mean", "rotation", "plane", "line"] = Field(
        description='"rigid" (the nodes move as a rigid body), "distributing" (the point moves '
        'with the body that they are in the mean), "mean" (the point moves by their mean), '
        '"rotation" (the point turns about an axis by the mean of their angles), "plane" or "line" '
        "(the nodes stay in a plane, or on a line, that moves with them)"
    )
    group: GroupName = Field(description="the name of a group of the mesh, of the nodes")
    point: GroupName | None = Field(
        default=None, description="the name of a group of one node, or of a point of mesh.points"
    )
    axis: Vector | None = Field(
        default=None, description='three numbers, a direction, of kind "rotation"'
    )
    body: Name | None = Field(default=None, description="the name of a body of this file")

    @model_validator(mode="after")
    def _keys_of_kind(self) -> CouplingSpec:
        if (self.kind in _WITHOUT_POINT) != (self.point is None):
            expected = "a point" if self.point is None else "none"
            found = "missing" if self.point is None else f"found '{self.point}'"
            raise problem(f'{found} with kind "{self.kind}"; expected {expected}', "point")
        if (self.kind == "rotation") != (self.axis is not None):
            expected = "a direction" if self.axis is None else "none"
            found = "missing" if self.axis is None else f"found {list(self.axis)}"
            raise problem(f'{found} with kind "{self.kind}"; expected {expected}', "axis")
        if self.axis is not None:
            refuse_no_direction(self.axis, "axis")
        return self
