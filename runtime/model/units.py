# SPDX-License-Identifier: BSD-3-Clause
"""The key ``units`` of a model file: the system of units of its numbers."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from flexforge.codegen.errors import InputError
from flexforge.runtime.model.base import Text, problem
from flexforge.runtime.unit_systems import SYSTEMS, system_of
from pydantic import AfterValidator

UNITS_KEY = "one of " + ", ".join(f'"{name}"' for name in SYSTEMS)


def _known(name: str) -> str:
    try:
        return system_of(name).name
    except InputError as error:
        raise problem(str(error)) from None


Units: TypeAlias = Annotated[Text, AfterValidator(_known)]
