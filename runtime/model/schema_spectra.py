# SPDX-License-Identifier: BSD-3-Clause
"""Analyses of vibrations of which peaks or mean squares are found: spectrum and random."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from flexforge.runtime.model.base import Count, Flag, Number, Positive, problem
from flexforge.runtime.model.schema_excitation import (
    CorrelationSpec,
    RandomExcitation,
    SpectrumExcitation,
)
from flexforge.runtime.model.schema_solving import MODAL_DAMPING, ModalDamping, Solving
from pydantic import Field, model_validator


class SpectrumAnalysis(Solving):
    """``kind = "spectrum"``: peaks of the answer to a base whose response spectrum is known."""

    kind: Literal["spectrum"] = Field(description='"spectrum"')
    modes: Count = Field(
        description="the number of modes whose peaks are combined, a whole number >= 1"
    )
    modal_damping: ModalDamping | None = Field(default=None, description=MODAL_DAMPING)
    excitations: Annotated[tuple[SpectrumExcitation, ...], Field(min_length=1, max_length=100)] = (
        Field(description="a table [[analysis.excitations]] for each direction of the base")
    )
    combination: Literal["cqc", "srss", "absolute", "ten_percent"] = Field(
        default="cqc",
        description='how peaks of modes are combined: "cqc", "srss", "absolute" or "ten_percent"',
    )
    directions: Literal["srss", "100-40-40", "absolute"] = Field(
        default="srss",
        description='how directions are combined: "srss", "100-40-40" or "absolute"',
    )
    missing_mass: Flag = Field(
        default=True,
        description="true or false: the static answer of what modes leave out to the acceleration "
        "at the highest frequency",
    )
    time: Number = Field(
        default=0.0, description="the time at which loads and frames are taken, a number (s)"
    )


class RandomAnalysis(Solving):
    """``kind = "random"``: mean squares of the answer to excitations of known density."""

    kind: Literal["random"] = Field(description='"random"')
    excitations: Annotated[tuple[RandomExcitation, ...], Field(min_length=1, max_length=100)] = (
        Field(description="a table [[analysis.excitations]] for each")
    )
    correlations: tuple[CorrelationSpec, ...] = Field(
        default=(),
        description="a table [[analysis.correlations]] for each pair that is not independent",
    )
    between: tuple[Positive, Positive] | None = Field(
        default=None,
        description="two frequencies [from, to] (Hz) over which is integrated (by default those of "
        "all densities)",
    )
    modes: Count | None = Field(
        default=None,
        description="the number of modes whose motions add up, a whole number >= 1; by default "
        "the equations are solved at every frequency",
    )
    modal_damping: ModalDamping | None = Field(default=None, description=MODAL_DAMPING)
    missing_mass: Flag = Field(
        default=True,
        description="true or false: of modes, the static answer of what they leave out",
    )
    tolerance: Annotated[Number, Field(ge=1e-10, le=0.1)] | None = Field(
        default=None,
        description="the error of mean squares up to which frequencies are refined, relative, a "
        "number from 1e-10 to 0.1 (by default 1e-6 with modes, 1e-3 without)",
    )
    time: Number = Field(
        default=0.0, description="the time at which loads and frames are taken, a number (s)"
    )

    @model_validator(mode="after")
    def _sound(self) -> Self:
        if self.between is not None and not self.between[0] < self.between[1]:
            raise problem("found no range; expected [from, to] with to above from", "between")
        for key in ("modal_damping", "missing_mass"):
            if key in self.model_fields_set and self.modes is None:
                raise problem("found without modes; expected the number of modes", key)
        names = [one.name for one in self.excitations]
        for place, name in enumerate(names):
            if name in names[:place]:
                text = f"found '{name}', the name of another excitation too; expected others"
                raise problem(text, "excitations", place, "name")
        seen: set[frozenset[str]] = set()
        for place, one in enumerate(self.correlations):
            for name in one.of:
                if name not in names:
                    text = f"found '{name}'; expected one of {', '.join(names)}"
                    raise problem(text, "correlations", place, "of")
            pair = frozenset(one.of)
            if len(pair) < 2 or pair in seen:
                text = f"found {list(one.of)}; expected two excitations, each pair once"
                raise problem(text, "correlations", place, "of")
            seen.add(pair)
        return self
