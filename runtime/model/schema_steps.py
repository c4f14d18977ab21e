# SPDX-License-Identifier: BSD-3-Clause
"""Analyses one after the other: ``[[steps]]``."""

from __future__ import annotations

from flexforge.runtime.model.base import Name, Table
from flexforge.runtime.model.schema_analysis import AnalysisSpec
from flexforge.runtime.model.schema_frame import FrameSpec
from flexforge.runtime.model.schema_loads import IncludeSpec
from pydantic import Field


class StepSpec(Table):
    """``[[steps]]``: one of several analyses of a model, with the loads that act in it."""

    name: Name = Field(description="a name of letters, digits, spaces and _ . + -")
    analysis: AnalysisSpec = Field(
        description="a table as [analysis], static, transient, modes, harmonic, spectrum, random, "
        "buckling or critical_speeds"
    )
    after: Name | None = Field(
        default=None,
        description=(
            "name of an earlier step, static or transient, whose displacements and velocities at "
            "its end begin this one, which is transient; by default steps begin by [[initial]]"
        ),
    )
    frames: dict[Name, FrameSpec] = Field(
        default={},
        description="a table of bodies, NAME = {...}: their frames in this step, as [bodies.frame]",
    )
    include: IncludeSpec | None = Field(
        default=None, description="a table as [include], in its place in this step"
    )
