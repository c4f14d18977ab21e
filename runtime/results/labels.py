# SPDX-License-Identifier: BSD-3-Clause
"""Labels in what a summary holds, in the units of the model: those of figures and of curves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flexforge.runtime.model.base import is_list, toml_type
from flexforge.runtime.results.groups import of_computation
from flexforge.runtime.unit_systems import UnitSystem

#: Ends of names of figures that are labels, as of "mode 1 at 100 rad/s".
_ENDS = (" rad/s",)
#: What of a summary has labels, under the key ``unit``.
_CURVES = ("response", "densities", "spectrum")


def figures_in(units: UnitSystem, figures: Mapping[str, Any]) -> dict[str, Any]:
    """Return figures with the labels of a system; what a computation took is in seconds.

    Parameters
    ----------
    units : UnitSystem
        The units of the model.
    figures : mapping
        Name to number, to text, or to a number with its unit.
    """
    return {
        _name(units, name): [value[0], units.label(str(value[1]))]
        if _has_unit(value) and not of_computation(name)
        else value
        for name, value in figures.items()
    }


def _has_unit(value: Any) -> bool:
    """Whether a figure is a number with its unit, and not a list of two numbers."""
    return is_list(value) and len(value) == 2 and toml_type(value[1]) == "text"


def _name(units: UnitSystem, name: str) -> str:
    end = next((end for end in _ENDS if name.endswith(end)), "")
    return units.with_unit(name.removesuffix(end), end.strip()) if end else name


def summary_in(units: UnitSystem, found: Mapping[str, Any]) -> dict[str, Any]:
    """Return a part of a summary with the labels of a system."""
    labelled = {key: _curves(units, found[key]) for key in _CURVES if key in found}
    if "figures" in found:
        labelled["figures"] = figures_in(units, found["figures"])
    if "campbell" in found:
        labelled["campbell"] = {**found["campbell"], "units": units.name}
    if "warnings" in found:
        labelled["warnings"] = [units.message(text) for text in found["warnings"]]
    return {**found, **labelled}


def _curves(units: UnitSystem, value: Any) -> Any:
    """Return plain data with the labels of its tables in a system."""
    kind = toml_type(value)
    if kind == "table":
        return {
            key: units.label(one) if key == "unit" else _curves(units, one)
            for key, one in value.items()
        }
    return [_curves(units, one) for one in value] if _has_tables(value) else value


def _has_tables(value: Any) -> bool:
    return is_list(value) and any(toml_type(one) == "table" for one in value)
