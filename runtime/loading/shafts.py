# SPDX-License-Identifier: BSD-3-Clause
"""Validation of the tables of a model, whose shafts stand for bodies, masses and couplings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from flexforge.runtime.model.base import is_list, is_number, toml_type
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.model.schema_shaft import ShaftSpec
from flexforge.runtime.model.units import context_of
from flexforge.runtime.shafts.tables import tables
from pydantic import ValidationError


def validated_tables(data: Any, folder: Path) -> ModelSpec:
    """Return the model of tables, with paths relative to a folder.

    Raises
    ------
    pydantic.ValidationError
        With what is wrong in the tables.
    """
    context = context_of(data, folder)
    return ModelSpec.model_validate(with_shafts(data, context), context=context)


def with_shafts(data: Any, context: dict[str, Any]) -> Any:
    """Return the tables of a model with those that its shafts stand for, after its own.

    Parameters
    ----------
    data : dict
        What the file holds, not yet validated. What is wrong in it is left to the validation.
    context : dict
        Of the validation.
    """
    given = data.get("shafts") if toml_type(data) == "table" else None
    if not is_list(given) or not given:
        return data
    found = dict(data)
    for one in given:
        try:
            shaft = ShaftSpec.model_validate(one, context=context)
        except ValidationError:
            return data
        for key, made in tables(shaft, one["spin"], _densities(data)).items():
            own = found.get(key, [])
            if not is_list(own):
                return data
            found[key] = [*own, *made]
    return found


def _densities(data: dict[str, Any]) -> dict[str, float]:
    """Return the densities of the materials that have one."""
    materials: Any = data.get("materials")
    if toml_type(materials) != "table":
        return {}
    each = {name: one for name, one in materials.items() if toml_type(one) == "table"}
    return {
        name: float(one["density"]) for name, one in each.items() if is_number(one.get("density"))
    }
