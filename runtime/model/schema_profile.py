# SPDX-License-Identifier: BSD-3-Clause
"""Profiles of time as a model file writes them: number, formula, ramp, points, table..."""

from __future__ import annotations

import itertools
from typing import Annotated, Any, Literal, TypeAlias

from flexforge.codegen.errors import nearest
from flexforge.runtime.model.base import (
    Count,
    FilePath,
    Name,
    Number,
    Positive,
    Table,
    TimeFormula,
    problem,
    shown,
    three,
    toml_type,
)
from pydantic import AfterValidator, BeforeValidator, Discriminator, Field, Strict, Tag

PROFILE = (
    'a profile of time: a number, a formula of t such as "2*sin(3*t)", or one of the tables '
    '{ramp = {...}}, {polynomial = [...]}, {points = [[t, value], ...]}, {table = "file.csv"}, '
    '{input = "NAME"}'
)


class Ramp(Table):
    """``ramp = {...}``: ``from + (to - from) (s - sin(2 pi s) / (2 pi))``, ``s`` from 0 to 1."""

    to: Number = Field(description="the value after the ramp, a number")
    begin: Number = Field(
        default=0.0, alias="from", description="the value before the ramp, a number"
    )
    duration: Positive = Field(description="the length of the ramp, a number above 0 (s)")
    start: Number = Field(default=0.0, description="when the ramp begins, a number (s)")


class RampProfileSpec(Table):
    """``{ramp = {...}}``."""

    ramp: Ramp = Field(description="a table {to, from, duration, start}")


class PolynomialProfileSpec(Table):
    """``{polynomial = [c0, c1, ...]}``."""

    polynomial: tuple[Number, ...] = Field(
        min_length=1,
        max_length=64,
        description="a list of numbers [c0, c1, ...] for c0 + c1 t + c2 t^2 + ...",
    )


def _rising(points: tuple[tuple[float, float], ...]) -> tuple[tuple[float, float], ...]:
    for (one, _), (following, _) in itertools.pairwise(points):
        if not following > one:
            raise problem(f"found t = {following:g} after t = {one:g}; expected increasing times")
    return points


class PointsProfileSpec(Table):
    """``{points = [[t, value], ...]}``: straight lines between points, constant outside."""

    points: Annotated[
        tuple[tuple[Number, Number], ...],
        Field(min_length=2, max_length=100_000),
        AfterValidator(_rising),
    ] = Field(description="a list of two or more points [t, value] with increasing times")
    scale: Number = Field(default=1.0, description="a factor on the values, a number")


class TableProfileSpec(Table):
    """``{table = "file.csv", ...}``."""

    table: FilePath = Field(description="the path of a CSV file, relative to the model file")
    column: Count | Annotated[str, Strict()] = Field(
        default=2,
        description="a column of the CSV file: its number from 1 (time is column 1) or its heading",
    )
    scale: Number = Field(default=1.0, description="a factor on the values, a number")
    outside: Literal["error", "hold"] = Field(
        default="error", description='"error" or "hold" (the end values hold outside the table)'
    )
    between: Literal["spline", "lines"] = Field(
        default="spline", description='"spline", which is smooth, or "lines" between the rows'
    )


class InputProfileSpec(Table):
    """``{input = "NAME", start = 0.0}``."""

    input: Name = Field(description="a name of letters, digits, spaces and _ . + -")
    start: Number = Field(
        default=0.0, description="the value at the start, and in runs of flexforge, a number"
    )


def _known_profile(value: Any) -> Any:
    if kind_of_profile(value) is None:
        hint = ""
        if toml_type(value) == "table" and len(value) == 1:
            hint = nearest(str(next(iter(value))), PROFILE_TABLES)
        raise problem(f"found {shown(value)}; expected {PROFILE}{hint}")
    return value


def kind_of_profile(value: Any) -> str | None:
    """Return the tag of the kind of profile that a value resembles, or None."""
    found = toml_type(value)
    if found == "text":
        return "<formula>"
    if found == "number":
        return "<number>"
    keys = value if found == "table" else ()
    for kind, table in PROFILE_TABLES.items():
        if kind in keys or isinstance(value, table):
            return f"<{kind}>"
    return None


PROFILE_TABLES: dict[str, type[Table]] = {
    "ramp": RampProfileSpec,
    "polynomial": PolynomialProfileSpec,
    "points": PointsProfileSpec,
    "table": TableProfileSpec,
    "input": InputProfileSpec,
}

ProfileSpec: TypeAlias = Annotated[
    Annotated[Number, Tag("<number>")]
    | Annotated[TimeFormula, Tag("<formula>")]
    | Annotated[RampProfileSpec, Tag("<ramp>")]
    | Annotated[PolynomialProfileSpec, Tag("<polynomial>")]
    | Annotated[PointsProfileSpec, Tag("<points>")]
    | Annotated[TableProfileSpec, Tag("<table>")]
    | Annotated[InputProfileSpec, Tag("<input>")],
    Discriminator(kind_of_profile),
    BeforeValidator(_known_profile),
]
ProfileVector: TypeAlias = Annotated[
    tuple[ProfileSpec, ProfileSpec, ProfileSpec], BeforeValidator(three)
]
