# SPDX-License-Identifier: BSD-3-Clause
"""Model order reduction: ``[reduction]``."""

from __future__ import annotations

from typing import Literal

from flexforge.runtime.model.base import Count, FilePath, Flag, GroupName, Table, problem
from pydantic import Field, model_validator


class ReductionSpec(Table):
    """``[reduction]``: the displacements are combinations of a few shapes."""

    method: Literal["craig_bampton", "modal"] = Field(
        default="craig_bampton", description='"craig_bampton" or "modal"'
    )
    modes: Count = Field(description="the number of vibration modes, a whole number >= 1")
    keep: tuple[GroupName, ...] = Field(
        default=(),
        description="a list of groups of the mesh whose nodes keep their displacements",
    )
    static: Flag = Field(
        default=True,
        description="true or false: the static answers to the loads and to the motion of the "
        "frames are among the shapes",
    )
    basis: FilePath | None = Field(
        default=None,
        description="the path of a file of these shapes, relative to the model file",
    )

    @model_validator(mode="after")
    def _consistent(self) -> ReductionSpec:
        if self.method == "modal" and self.keep:
            raise problem('found with method "modal"; expected only with "craig_bampton"', "keep")
        return self
