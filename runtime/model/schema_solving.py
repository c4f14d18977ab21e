# SPDX-License-Identifier: BSD-3-Clause
"""What several analyses share: linear solver and threads, the damping of modes."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from flexforge.runtime.machine.threads import MOST_THREADS
from flexforge.runtime.model.base import (
    Count,
    NonNegative,
    Table,
    is_list,
    problem,
    toml_type,
)
from pydantic import Discriminator, Field, Tag, model_validator


class Solving(Table):
    """Linear solver and threads."""

    solver: Literal["auto", "scipy", "pardiso", "cholmod", "amg", "gamg"] = Field(
        default="auto", description='"auto", "scipy", "pardiso", "cholmod", "amg" or "gamg"'
    )
    threads: Annotated[Count, Field(le=MOST_THREADS)] | None = Field(
        default=None,
        description=f"a number of threads, a whole number from 1 to {MOST_THREADS} (by default "
        "every core)",
    )

    @model_validator(mode="before")
    @classmethod
    def _one_machine(cls, data: Any) -> Any:
        if toml_type(data) == "table" and "distributed" in data:
            raise problem(
                "found one; expected several processes to be started by MPI: mpirun -n N flexforge "
                "run MODEL (docs/distributed.md)",
                "distributed",
            )
        return data


class Rayleigh(Table):
    """``modal_damping = {...}``: damping ``alpha + beta omega^2`` of modes."""

    alpha: NonNegative = Field(default=0.0, description="a number >= 0 (1/s)")
    beta: NonNegative = Field(default=0.0, description="a number >= 0 (s)")


ModalDamping: TypeAlias = Annotated[
    Annotated[NonNegative, Tag("<ratio>")]
    | Annotated[tuple[NonNegative, ...], Tag("<ratios>")]
    | Annotated[Rayleigh, Tag("<table>")],
    Discriminator(lambda given: _kind_of_damping(given)),
]
MODAL_DAMPING = (
    "a damping ratio of all modes, a list of ratios for the first modes, or a table {alpha, beta}"
)


def _kind_of_damping(given: Any) -> str:
    if isinstance(given, Rayleigh) or toml_type(given) == "table":
        return "<table>"
    return "<ratios>" if is_list(given) else "<ratio>"
