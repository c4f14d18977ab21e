# SPDX-License-Identifier: BSD-3-Clause
"""The key ``units`` of a model file: the system of units of its numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, TypeAlias

from flexforge.codegen.errors import InputError
from flexforge.runtime.model.base import Text, problem
from flexforge.runtime.unit_systems import SI, SYSTEMS, UnitSystem, system_of
from pydantic import AfterValidator, ValidationInfo

UNITS_KEY = "one of " + ", ".join(f'"{name}"' for name in SYSTEMS)


def _known(name: str) -> str:
    try:
        return system_of(name).name
    except InputError as error:
        raise problem(str(error)) from None


def context(units: UnitSystem, folder: Path = Path()) -> dict[str, Any]:
    """Return what validation knows: the units of the model, and what paths are relative to."""
    return {"folder": folder, "units": units}


def context_of(data: Any, folder: Path) -> dict[str, Any]:
    """Return what validation of a whole model knows, of whose units nothing is checked yet."""
    name = data.get("units") if isinstance(data, dict) else None
    return context(SYSTEMS.get(name, SI) if isinstance(name, str) else SI, folder)


def second_of(info: ValidationInfo) -> float:
    """Return a second in the unit of time of the model that is validated."""
    units: UnitSystem = (info.context or {}).get("units", SI)
    return units.second


Units: TypeAlias = Annotated[Text, AfterValidator(_known)]
