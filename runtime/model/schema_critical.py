# SPDX-License-Identifier: BSD-3-Clause
"""The analysis of undamped critical speeds."""

from __future__ import annotations

import itertools
from typing import Annotated, Literal

from flexforge.runtime.model.base import Count, Name, Number, Positive, problem
from flexforge.runtime.model.ranges import OR_ORDERS, listed_stiffnesses
from flexforge.runtime.model.schema_orders import MOST_ORDER, Orders
from flexforge.runtime.model.schema_solving import Solving
from pydantic import AfterValidator, BeforeValidator, Field, model_validator


def _ascending(numbers: tuple[float, ...]) -> tuple[float, ...]:
    for one, following in itertools.pairwise(numbers):
        if not one < following:
            text = f"found {one:g} before {following:g}; expected ascending stiffnesses (N/m)"
            raise problem(text)
    return numbers


class CriticalSpeedsAnalysis(Solving):
    """``kind = "critical_speeds"``: speeds at which loads meet free motions, without damping."""

    kind: Literal["critical_speeds"] = Field(description='"critical_speeds"')
    count: Count = Field(
        default=4, description="the number of critical speeds of each order, a whole number >= 1"
    )
    orders: Orders | None = Field(
        default=None,
        description=f"orders of the loads: a list of whole numbers from 0 to {MOST_ORDER}, "
        f"{OR_ORDERS}; by default that of an unbalance: 1 of bodies that spin, 0 of frames that "
        "turn",
    )
    stiffness: (
        Annotated[
            tuple[Positive, ...],
            Field(min_length=1),
            BeforeValidator(listed_stiffnesses),
            AfterValidator(_ascending),
        ]
        | None
    ) = Field(
        default=None,
        description="of bearings, for a map of the critical speeds over it: a list of ascending "
        'numbers above 0 (N/m), or a text such as "1e6:1e9:31", 31 in geometric progression',
    )
    connectors: Annotated[tuple[Name, ...], Field(min_length=1)] | None = Field(
        default=None,
        description="with stiffness: names of the bearings that have it, by default all",
    )
    time: Number = Field(default=0.0, description="the time at which loads are taken, a number (s)")

    @model_validator(mode="after")
    def _bearings_of_maps(self) -> CriticalSpeedsAnalysis:
        if self.connectors is not None and self.stiffness is None:
            text = "found without stiffness; expected the stiffness that they have"
            raise problem(text, "connectors")
        return self
