# SPDX-License-Identifier: BSD-3-Clause
"""Faces of meshes that do not match: ``[[ties]]``."""

from __future__ import annotations

from flexforge.runtime.model.base import GroupName, NonNegative
from flexforge.runtime.model.schema_stepped import Stepped
from pydantic import Field


class TieSpec(Stepped):
    """``[[ties]]``: nodes that stay where they are on the facets of another part of the mesh."""

    nodes: GroupName = Field(
        description="the name of a group of the mesh, of the nodes that are tied"
    )
    facets: GroupName = Field(
        description="the name of a group of facets of the mesh, that they are tied to"
    )
    within: NonNegative | None = Field(
        default=None,
        description="the distance up to which nodes are tied, a number >= 0 (m); by default all "
        "are, and a twentieth of a facet is the most",
    )
