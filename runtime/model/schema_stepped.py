# SPDX-License-Identifier: BSD-3-Clause
"""What takes part in some of the ``[[steps]]`` of a model only."""

from __future__ import annotations

from typing import Annotated

from flexforge.runtime.model.base import Name, Table, problem
from pydantic import AfterValidator, Field


def _distinct(names: tuple[str, ...]) -> tuple[str, ...]:
    if len(set(names)) != len(names):
        raise problem(f"found {list(names)}; expected each step once")
    return names


class Stepped(Table):
    """A table that may take part in some steps only."""

    steps: Annotated[tuple[Name, ...], AfterValidator(_distinct)] | None = Field(
        default=None,
        description="a list of the names of the [[steps]] in which it acts (by default all)",
    )

    def acts_in(self, step: str) -> bool:
        """Whether it takes part in a step."""
        return self.steps is None or step in self.steps
