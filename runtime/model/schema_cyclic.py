# SPDX-License-Identifier: BSD-3-Clause
"""One sector of a wheel for all of them: ``[cyclic]``."""

from __future__ import annotations

import itertools
from typing import Annotated, Any, Literal, TypeAlias

from flexforge.runtime.model.base import (
    MOST,
    FilePath,
    Flag,
    GroupName,
    Name,
    NonNegative,
    Number,
    Table,
    Vector,
    is_list,
    problem,
    refuse_no_direction,
    text_or,
)
from pydantic import AfterValidator, Discriminator, Field, Strict, Tag, model_validator

NODAL_DIAMETERS = (
    'numbers of nodal diameters, a list of ascending whole numbers >= 0, or "all" (by default '
    "all), up to half the number of sectors"
)


def _more_and_more(diameters: tuple[int, ...]) -> tuple[int, ...]:
    for one, following in itertools.pairwise(diameters):
        if not one < following:
            raise problem(f"found {one} before {following}; expected ascending nodal diameters")
    return diameters


NodalDiameters: TypeAlias = Annotated[
    Annotated[Literal["all"], Tag("<all>")]
    | Annotated[
        tuple[Annotated[int, Strict(), Field(ge=0, le=MOST)], ...],
        Field(min_length=1),
        AfterValidator(_more_and_more),
        Tag("<list>"),
    ],
    text_or("<all>", "<list>"),
]


def _changes(of: str) -> Any:
    return Field(
        default=None,
        description=f"a list of relative changes of {of}, one number above -1 per sector, or the "
        "path of a CSV file with a row for each: its number from 1, and the change",
    )


_Changes: TypeAlias = Annotated[
    Annotated[tuple[Number, ...], Field(min_length=1), Tag("<list>")]
    | Annotated[FilePath, Tag("<path>")],
    Discriminator(lambda given: "<list>" if is_list(given) else "<path>"),
]


class MistuningSpec(Table):
    """``mistuning = {...}``: how bodies of a sector differ from sector to sector."""

    bodies: tuple[Name, ...] = Field(
        min_length=1, description="a list of names of the bodies that differ"
    )
    stiffness: _Changes | None = _changes("stiffness")
    frequency: _Changes | None = _changes("the frequency that these bodies have by themselves")

    @model_validator(mode="after")
    def _one_kind(self) -> MistuningSpec:
        if (self.stiffness is None) == (self.frequency is None):
            found = "neither" if self.stiffness is None else "both"
            raise problem(f"found {found} of stiffness and frequency; expected one of them")
        return self


class CyclicSpec(Table):
    """``[cyclic]``: the bodies are one of equal sectors around an axis."""

    sectors: Annotated[int, Strict(), Field(ge=2, le=MOST)] = Field(
        description="the number of sectors of the wheel, a whole number >= 2"
    )
    first: GroupName = Field(
        alias="from", description="the name of a group of the mesh, of one boundary of the sector"
    )
    last: GroupName = Field(
        alias="to",
        description="the name of a group of the mesh, of the boundary that the other one becomes "
        "by the turn to the next sector",
    )
    axis: Vector = Field(
        default=(0.0, 0.0, 1.0), description="the direction of the axis, a vector [x, y, z]"
    )
    point: Vector = Field(
        default=(0.0, 0.0, 0.0), description="a point of the axis, a vector [x, y, z] (m)"
    )
    within: NonNegative | None = Field(
        default=None,
        description="the distance up to which boundaries count as matching after the turn, a "
        "number >= 0 (m); by default a twentieth of a facet",
    )
    expand: Flag = Field(
        default=False, description="true or false: whether results show all sectors"
    )

    mistuning: MistuningSpec | None = Field(
        default=None,
        description="a table { bodies = [...], stiffness = [...] }: how sectors differ, in modal "
        "analyses and in harmonic ones by modes",
    )

    @model_validator(mode="after")
    def _two_boundaries(self) -> CyclicSpec:
        refuse_no_direction(self.axis, "axis")
        if self.first == self.last:
            raise problem(f"found '{self.last}', that of from; expected the other boundary", "to")
        return self
