# SPDX-License-Identifier: BSD-3-Clause
"""Amounts of unbalance by standards: grades of ISO 21940-11, and the formula of API 617."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

from flexforge.runtime.model.angles import Speed
from flexforge.runtime.model.base import Number, Positive, Table, problem, toml_type
from pydantic import AfterValidator, Discriminator, Field, Tag, model_validator


def _grade(text: str) -> str:
    """Refuse what is not a grade."""
    try:
        grade = float(text.removeprefix("G"))
    except ValueError:
        grade = 0.0
    if not text.startswith("G") or not 0.0 < grade < float("inf"):
        raise problem(f'found "{text}"; expected G and a number above 0, such as "G2.5"')
    return text


def _share(share: float) -> float:
    if not 0.0 < share <= 1.0:
        raise problem(f"found {share:g}; expected a number above 0, at most 1")
    return share


class BalanceSpec(Table):
    """``unbalance = {grade = "G2.5", ...}`` or ``{api617 = 1, ...}``: an amount by a standard."""

    grade: Annotated[str, AfterValidator(_grade)] | None = Field(
        default=None, description='a balance quality grade of ISO 21940-11, such as "G2.5" (mm/s)'
    )
    api617: Positive | None = Field(
        default=None,
        description="a number above 0, how many times the unbalance 4 W/N of API 617 (ounce inches "
        "with W in pounds and N in rpm) it is",
    )
    speed: Speed = Field(
        description="the speed of the standard, at which the machine runs: a number above 0 "
        '(rad/s), or a text such as "3000 rpm"'
    )
    mass: Positive | None = Field(
        default=None,
        description="the mass of the standard (kg), of the rotor or on a journal; by default that "
        "of all that turns with the node",
    )
    share: Annotated[Number, AfterValidator(_share)] = Field(
        default=1.0, description="the share of the mass that counts, above 0 and at most 1"
    )

    @model_validator(mode="after")
    def _of_one_standard(self) -> BalanceSpec:
        if (self.grade is None) == (self.api617 is None):
            found = "neither" if self.grade is None else "grade and api617"
            raise problem(f"found {found}; expected one of grade and api617")
        if not self.speed:
            raise problem("found 0; expected a speed above 0", "speed")
        return self


def _kind(given: Any) -> str:
    return (
        "<table>" if isinstance(given, BalanceSpec) or toml_type(given) == "table" else "<number>"
    )


AmountSpec: TypeAlias = Annotated[
    Annotated[Positive, Tag("<number>")] | Annotated[BalanceSpec, Tag("<table>")],
    Discriminator(_kind),
]
