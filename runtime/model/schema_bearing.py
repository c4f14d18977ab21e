# SPDX-License-Identifier: BSD-3-Clause
"""Laws of bearings: matrices across a shaft, tables over its speed, transfer functions."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

import numpy as np
from flexforge.runtime.model.base import (
    LARGEST,
    NonNegative,
    Number,
    Table,
    is_list,
    is_number,
    problem,
    toml_type,
)
from pydantic import Field, PlainValidator, model_validator

Matrix: TypeAlias = tuple[tuple[float, ...], ...]


def _across(value: Any) -> Matrix:
    """Return a number, two numbers or two rows of two as a matrix of two rows."""
    rows = value if is_list(value) else [value, value]
    diagonal = not any(map(is_list, rows))
    given = rows if diagonal else [entry for row in rows if is_list(row) for entry in row]
    if len(rows) != 2 or not all(map(is_number, given)) or (not diagonal and len(given) != 4):
        raise ValueError("no matrix of two rows")
    if not all(abs(entry) <= LARGEST for entry in given):
        raise ValueError("not finite, or too large")
    matrix = np.diag(rows).astype(float) if diagonal else np.array(value, dtype=float)
    return tuple(map(tuple, matrix.tolist()))


ACROSS = "a number, a list of 2 numbers (x, y), or 2 rows of 2"
Across: TypeAlias = Annotated[Matrix, PlainValidator(_across)]


_Places: TypeAlias = Annotated[tuple[NonNegative, ...], Field(min_length=1)]
_Column: TypeAlias = Annotated[tuple[Number, ...], Field(min_length=1)]


def _column(unit: str) -> Any:
    return Field(default=None, description=f"a list of numbers, one for every row ({unit})")


def kind_of_table(value: Any) -> str:
    """Return the tag of a table of the model, or of the path of one."""
    return "<table>" if isinstance(value, BearingTable) or toml_type(value) == "table" else "<path>"


class BearingTable(Table):
    """``table = {...}``: coefficients of a bearing over speed or frequency, or over both.

    A list of numbers each, one for every speed or frequency, or for every row of both.
    """

    speed: _Places | None = Field(
        default=None, description="a list of ascending speeds, numbers >= 0 (rad/s)"
    )
    frequency: _Places | None = Field(
        default=None, description="a list of ascending frequencies, numbers >= 0 (Hz)"
    )
    kxx: _Column | None = _column("N/m")
    kxy: _Column | None = _column("N/m")
    kyx: _Column | None = _column("N/m")
    kyy: _Column | None = _column("N/m")
    cxx: _Column | None = _column("N s/m")
    cxy: _Column | None = _column("N s/m")
    cyx: _Column | None = _column("N s/m")
    cyy: _Column | None = _column("N s/m")
    mxx: _Column | None = _column("kg")
    mxy: _Column | None = _column("kg")
    myx: _Column | None = _column("kg")
    myy: _Column | None = _column("kg")
    re_xx: _Column | None = _column("N/m")
    re_xy: _Column | None = _column("N/m")
    re_yx: _Column | None = _column("N/m")
    re_yy: _Column | None = _column("N/m")
    im_xx: _Column | None = _column("N/m")
    im_xy: _Column | None = _column("N/m")
    im_yx: _Column | None = _column("N/m")
    im_yy: _Column | None = _column("N/m")

    @model_validator(mode="after")
    def _of_one_length(self) -> BearingTable:
        axes = [key for key in AXES if getattr(self, key) is not None]
        if not axes:
            raise problem("missing; expected a list of speeds, or of frequencies", "speed")
        given = [key for key in COLUMNS if getattr(self, key) is not None]
        if not given:
            raise problem(f"found {axes[0]} alone; expected kxx and others with it")
        rows = len(getattr(self, axes[0]))
        for key in (*axes[1:], *given):
            found = len(getattr(self, key))
            if found != rows:
                raise problem(
                    f"found {found} numbers; expected {rows}, as {_SEVERAL[axes[0]]}", key
                )
        if len(axes) == 1 and (np.diff(getattr(self, axes[0])) <= 0.0).any():
            many = _SEVERAL[axes[0]]
            raise problem(f"found {many} that do not ascend; expected ascending ones", axes[0])
        return self


#: Places in a matrix across a shaft: rows are forces along x and y.
PLACES = ("xx", "xy", "yx", "yy")
#: Coefficients of a bearing in the order of a law.
COEFFICIENTS = tuple(f"{what}{place}" for what in "kcm" for place in PLACES)
#: Real and imaginary parts of a measured stiffness, in the same order.
MEASURED = tuple(
    f"{what}_{row}{column}" for what in ("re", "im") for row in "xy" for column in "xy"
)
COLUMNS = (*COEFFICIENTS, *MEASURED)
#: What coefficients may depend on.
AXES = ("speed", "frequency")
_SEVERAL = {"speed": "speeds", "frequency": "frequencies"}


_Powers: TypeAlias = Annotated[tuple[Number, ...], Field(min_length=1)]
_DESCENDING = "a list of numbers, coefficients of descending powers of s"
#: Powers of s by which numerators may exceed denominators: stiffness, damping and mass.
_BEYOND = 2


class RationalSpec(Table):
    """A function of s: a numerator over a denominator."""

    numerator: _Powers = Field(description=f"{_DESCENDING} (N/m, N s/m, ..)")
    denominator: _Powers = Field(description=f"{_DESCENDING}, the first not 0 (1, s, ..)")

    @model_validator(mode="after")
    def _is_proper(self) -> RationalSpec:
        self.require_proper()
        return self

    def require_proper(self) -> None:
        """Refuse what is not a stiffness, damping and mass beside poles."""
        if self.denominator[0] == 0.0:
            raise problem(
                "found 0 first; expected the coefficient of the highest power of s", "denominator"
            )
        found = len(np.trim_zeros(self.numerator, "f")) - len(self.denominator)
        if found > _BEYOND:
            raise problem(
                f"found one of {found} more powers of s than the denominator; expected at most "
                f"{_BEYOND} more: stiffness, damping and mass",
                "numerator",
            )


class TransferSpec(Table):
    """``transfer = {...}``: forces ``-G(s) u`` of a bearing, of both axes or two by two."""

    numerator: _Powers | None = Field(
        default=None, description=f"{_DESCENDING}, for both axes (N/m, ..)"
    )
    denominator: _Powers | None = Field(
        default=None, description=f"{_DESCENDING}, of both axes, the first not 0 (1, s, ..)"
    )
    xx: RationalSpec | None = Field(default=None, description="a table of both: along x for x")
    xy: RationalSpec | None = Field(default=None, description="a table of both: along x for y")
    yx: RationalSpec | None = Field(default=None, description="a table of both: along y for x")
    yy: RationalSpec | None = Field(
        default=None, description="a table of both: along y for y; by default as xx"
    )

    @model_validator(mode="after")
    def _one_way(self) -> TransferSpec:
        alike = self.numerator is not None or self.denominator is not None
        given = [key for key in PLACES if getattr(self, key) is not None]
        if alike and given:
            raise problem("found beside numerator and denominator; expected either", given[0])
        if alike and (self.numerator is None or self.denominator is None):
            lacking = "denominator" if self.denominator is None else "numerator"
            raise problem(f"missing; expected {_DESCENDING}", lacking)
        if not alike and not given:
            raise problem("found nothing; expected numerator and denominator, or some of xx .. yy")
        if alike:
            self.functions["xx"].require_proper()
        return self

    @property
    def functions(self) -> dict[str, RationalSpec]:
        """The functions that are not zero, by their places."""
        if self.numerator is not None and self.denominator is not None:
            both = RationalSpec.model_construct(
                numerator=self.numerator, denominator=self.denominator
            )
            return {"xx": both, "yy": both}
        found = {key: getattr(self, key) for key in PLACES}
        found["yy"] = found["yy"] or found["xx"]
        return {key: one for key, one in found.items() if one is not None}
