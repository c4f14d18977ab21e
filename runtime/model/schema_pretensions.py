# SPDX-License-Identifier: BSD-3-Clause
"""Sections of bolts that are tightened: ``[[pretensions]]``."""

from __future__ import annotations

from flexforge.runtime.model.base import Flag, GroupName, Name, Table, Vector, refuse_no_direction
from pydantic import Field, model_validator


class PretensionSpec(Table):
    """``[[pretensions]]``: a section whose two sides come nearer as a point says."""

    name: Name = Field(description="a name of letters, digits, spaces and _ . + -")
    facets: GroupName = Field(
        description="the name of a group of facets of cells of one side, of a flat section"
    )
    point: GroupName = Field(
        description="the name of a group of one node of no cell, or of a point of mesh.points"
    )
    direction: Vector = Field(description="three numbers, across the section: that of the tension")

    apart: Flag = Field(
        default=False,
        description="whether the displacement of the point moves the sides apart, true or false",
    )

    @model_validator(mode="after")
    def _some_direction(self) -> PretensionSpec:
        refuse_no_direction(self.direction, "direction")
        return self
