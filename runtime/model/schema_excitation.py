# SPDX-License-Identifier: BSD-3-Clause
"""What excites vibrations of which only peaks or mean squares are known: spectra, densities."""

from __future__ import annotations

import itertools
from typing import Annotated, Literal, Self, TypeAlias

from flexforge.runtime.model.base import (
    Count,
    FilePath,
    Name,
    NonNegative,
    Number,
    Positive,
    Table,
    Vector,
    problem,
    refuse_no_direction,
    text_or,
)
from pydantic import AfterValidator, Field, Strict, Tag, model_validator

#: Standard acceleration of gravity, m/s^2 (ISO 80000-3).
GRAVITY = 9.80665
#: What the values of a spectrum are, and the factors that convert them to SI units, by unit.
SPECTRA = {
    "m/s^2": ("acceleration", 1.0),
    "g": ("acceleration", GRAVITY),
    "m/s": ("velocity", 1.0),
    "m": ("displacement", 1.0),
}
#: Factors that convert densities of accelerations to SI units, and those of factors of loads.
OF_BASES = {"(m/s^2)^2/Hz": 1.0, "g^2/Hz": GRAVITY**2}
OF_LOADS = "1/Hz"


def _rising(points: tuple[tuple[float, float], ...]) -> tuple[tuple[float, float], ...]:
    for (one, _), (following, _) in itertools.pairwise(points):
        if not following > one:
            raise problem(f"found {following:g} after {one:g}; expected increasing first numbers")
    return points


class CurveSpec(Table):
    """Values over the frequency, or over the period: points in the file, or a CSV file."""

    points: (
        Annotated[
            tuple[tuple[NonNegative, NonNegative], ...],
            Field(min_length=2, max_length=100_000),
            AfterValidator(_rising),
        ]
        | None
    ) = Field(
        default=None,
        description="a list of two or more points [x, value] with increasing x, numbers >= 0",
    )
    table: FilePath | None = Field(
        default=None, description="the path of a CSV file, relative to the model file"
    )
    column: Count | Annotated[str, Strict()] = Field(
        default=2,
        description="a column of the CSV file: its number from 1 (the first is that of frequencies "
        "or periods) or its heading",
    )
    scale: Positive = Field(default=1.0, description="a factor on the values, a number above 0")
    between: Literal["logarithms", "lines"] = Field(
        default="logarithms",
        description='"logarithms", straight lines between the logarithms of points, or "lines" '
        "between the points",
    )

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if (self.points is None) == (self.table is None):
            found = "neither points nor table" if self.points is None else "both points and table"
            raise problem(f"found {found}; expected one of them")
        if self.points is not None and "column" in self.model_fields_set:
            raise problem("found with points; expected it with table", "column")
        return self


class SpectrumCurve(CurveSpec):
    """A spectrum of oscillators of one damping ratio."""

    damping: Annotated[Number, Field(gt=0.0, lt=1.0)] | None = Field(
        default=None,
        description="the damping ratio of the oscillators, a number above 0 and below 1 (by "
        "default any)",
    )


def _directed(vector: tuple[float, float, float]) -> tuple[float, float, float]:
    refuse_no_direction(vector)
    return vector


Direction: TypeAlias = Annotated[
    Annotated[Literal["x", "y", "z"], Tag("<axis>")]
    | Annotated[Vector, AfterValidator(_directed), Tag("<vector>")],
    text_or("<axis>", "<vector>"),
]
_DIRECTION = '"x", "y", "z" or a vector [x, y, z], along which the base moves, in global axes'


class SpectrumExcitation(Table):
    """``[[analysis.excitations]]`` of a response spectrum: the base moves along a direction."""

    direction: Direction = Field(description=_DIRECTION)
    unit: Literal["m/s^2", "g", "m/s", "m"] = Field(
        description='the unit of the values, "m/s^2" or "g" of accelerations, "m/s" of velocities, '
        '"m" of displacements'
    )
    over: Literal["frequency", "period"] = Field(
        default="frequency", description='"frequency" (Hz) or "period" (s)'
    )
    curves: Annotated[tuple[SpectrumCurve, ...], Field(min_length=1, max_length=100)] = Field(
        description="a list of one or more tables with points or table, each of a damping"
    )

    @model_validator(mode="after")
    def _dampings(self) -> Self:
        ratios = [one.damping for one in self.curves]
        if len(ratios) > 1:
            for place, ratio in enumerate(ratios):
                if ratio is None:
                    text = "missing among several curves; expected the damping ratio of each"
                    raise problem(text, "curves", place, "damping")
                if place and not ratio > (ratios[place - 1] or 0.0):
                    text = f"found {ratio:g} after {ratios[place - 1]:g}; expected ascending ratios"
                    raise problem(text, "curves", place, "damping")
        return self


class RandomExcitation(Table):
    """``[[analysis.excitations]]`` of a random vibration: of the base, or of loads by its name."""

    name: Name = Field(description="a name of letters, digits, spaces and _ . + -")
    direction: Direction | None = Field(
        default=None, description=f"{_DIRECTION}; by default loads with this excitation act"
    )
    unit: Literal["(m/s^2)^2/Hz", "g^2/Hz", "1/Hz"] = Field(
        description='the unit of the density, "(m/s^2)^2/Hz" or "g^2/Hz" of a base, "1/Hz" of the '
        "factor of loads"
    )
    density: CurveSpec = Field(
        description="a table with points or table: the one-sided power spectral density over the "
        "frequency (Hz)"
    )

    @model_validator(mode="after")
    def _unit_of_its_kind(self) -> Self:
        if (self.direction is None) != (self.unit == OF_LOADS):
            of, wanted = ("loads", f'"{OF_LOADS}"') if self.direction is None else (
                "a base", " or ".join(f'"{one}"' for one in OF_BASES)
            )  # fmt: skip
            raise problem(f"found '{self.unit}' of {of}; expected {wanted}", "unit")
        return self


class CorrelationSpec(Table):
    """``[[analysis.correlations]]``: two excitations that are not independent."""

    of: tuple[Name, Name] = Field(description="the names of two excitations")
    coefficient: Annotated[Number, Field(ge=-1.0, le=1.0)] = Field(
        description="their correlation at every frequency, a number from -1 to 1: 1 in phase"
    )
