# SPDX-License-Identifier: BSD-3-Clause
"""Normals of an expanded shell: ``normals = [{group = .., cell = .., direction = [..]}, ..]``."""

from __future__ import annotations

from flexforge.runtime.model.base import Count, GroupName, Table, Vector, problem
from pydantic import Field, model_validator


class NormalSpec(Table):
    """``normals = [{...}, ..]`` of a body: the direction along which nodes are expanded."""

    group: GroupName = Field(description="the name of a group of nodes of the mesh")
    cell: Count | None = Field(
        default=None,
        description="the number of a cell in the file, for which alone it counts (by default all)",
    )
    direction: Vector = Field(description="three numbers, the normal")

    @model_validator(mode="after")
    def _has_length(self) -> NormalSpec:
        if not any(self.direction):
            raise problem("found a vector of length 0; expected a direction", "direction")
        return self
