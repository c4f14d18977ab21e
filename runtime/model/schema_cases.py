# SPDX-License-Identifier: BSD-3-Clause
"""Combinations of load cases: ``[[combinations]]``."""

from __future__ import annotations

from typing import Annotated

from flexforge.runtime.model.base import Name, Number, Table
from pydantic import Field


class CombinationSpec(Table):
    """``[[combinations]]``: a sum of the results of steps, with factors."""

    name: Name = Field(description="a name of letters, digits, spaces and _ . + -")
    factors: Annotated[dict[Name, Number], Field(min_length=1)] = Field(
        description="a table STEP = factor of steps, static ones, response spectra or "
        "random vibrations"
    )
