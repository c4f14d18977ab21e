# SPDX-License-Identifier: BSD-3-Clause
"""Couplings of the nodes of a surface with a point: ``[[couplings]]``."""

from __future__ import annotations

from typing import Literal

from flexforge.runtime.model.base import GroupName, Name
from flexforge.runtime.model.schema_stepped import Stepped
from pydantic import Field


class CouplingSpec(Stepped):
    """``[[couplings]]``: a point that carries the nodes of a group, or moves as they do."""

    name: Name = Field(description="a name of letters, digits, spaces and _ . + -")
    kind: Literal["rigid", "distributing", "mean"] = Field(
        description='"rigid" (the nodes move as a rigid body), "distributing" (the point moves '
        'with the body that they are in the mean) or "mean" (the point moves by their mean)'
    )
    group: GroupName = Field(description="the name of a group of the mesh, of the nodes")
    point: GroupName = Field(
        description="the name of a group of one node, or of a point of mesh.points"
    )
    body: Name | None = Field(default=None, description="the name of a body of this file")
