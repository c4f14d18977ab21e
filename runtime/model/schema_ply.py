# SPDX-License-Identifier: BSD-3-Clause
"""The layers of a shell: ``plies = [{material = .., thickness = .., angle = ..}, ..]``."""

from __future__ import annotations

from flexforge.runtime.model.angles import OR_DEGREES, Angle
from flexforge.runtime.model.base import Positive, Table, Text
from pydantic import Field


class PlySpec(Table):
    """``plies = [{...}, ..]`` of a body of shells or beams: one layer."""

    material: Text = Field(description="the name of a material of this file")
    thickness: Positive = Field(description="the thickness of the ply, a number above 0 (m)")
    angle: Angle = Field(
        default=0.0,
        description="from the axis 1 of the shell to that of the ply, about the normal, "
        f"a number (rad), {OR_DEGREES}",
    )
