# SPDX-License-Identifier: BSD-3-Clause
"""Linear equations between coordinates: ``[[equations]]``."""

from __future__ import annotations

from typing import Annotated

from flexforge.runtime.model.base import Number
from flexforge.runtime.model.schema_profile import PROFILE, ProfileSpec
from flexforge.runtime.model.schema_stepped import Stepped
from flexforge.runtime.model.schema_ties import PlaceSpec
from pydantic import Field


class TermSpec(PlaceSpec):
    """One term of an equation: a factor times a displacement or a rotation of nodes."""

    factor: Number = Field(default=1.0, description="the factor of the coordinate, a number")


class EquationSpec(Stepped):
    """``[[equations]]``: a linear equation between displacements and rotations of nodes."""

    terms: Annotated[tuple[TermSpec, ...], Field(min_length=1)] = Field(
        description="a list of tables {group, component, factor}"
    )
    value: ProfileSpec = Field(
        default=0.0, description=f"what the sum of the terms is (m or rad), {PROFILE}"
    )
