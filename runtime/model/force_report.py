# SPDX-License-Identifier: BSD-3-Clause
"""Forces between links as a checked model reports them."""

from __future__ import annotations

from collections.abc import Mapping

from flexforge.codegen.forces.contacts import parameters_of, rubbing_parameters, stop_parameters
from flexforge.runtime.model.schema_forces import ForceSpec


def force_text(spec: ForceSpec) -> str:
    """Return what a force is, between what, and its parameters with units, in words.

    Parameters
    ----------
    spec : ForceSpec
        The force in the model file.

    Examples
    --------
    >>> force_text(ForceSpec(name="rub", joint="pin", friction="coulomb",
    ...                      parameters={"friction": 0.2, "regular": 1e-4, "radius": 0.01}))
    'friction along joint pin, friction coulomb, friction 0.2, regular 0.0001 m/s, radius 0.01 m'
    """
    acts = (
        f"along joint {spec.joint}" if spec.links is None else f"between {' and '.join(spec.links)}"
    )
    what = [f"{spec.contact or ('friction' if spec.rubs else 'a law of its own')} {acts}"]
    what += [f"{key} {one}" for key in ("normal", "friction") if (one := getattr(spec, key))]
    units = _units(spec)
    values = (
        f"{name} {value:.6g} {units.get(name, '')}" for name, value in spec.parameters.items()
    )
    events = [f"events {', '.join(one.name for one in spec.own_events)}"] if spec.own_events else []
    return ", ".join((*what, *(one.rstrip() for one in values), *events))


def _units(spec: ForceSpec) -> dict[str, str]:
    """Return units of parameters by name, but of plain numbers and of laws of one's own."""
    found: Mapping[str, str] = {}
    if spec.contact is None:
        found = {} if spec.friction is None else rubbing_parameters(spec.friction)
    elif spec.normal is not None:
        found = (
            stop_parameters(spec.normal)
            if spec.contact == "stop"
            else parameters_of(spec.contact, spec.normal, spec.friction)
        )
    power = f"{spec.parameters.get('exponent', 1.0):.6g}"
    return {name: unit.replace("exponent", power) for name, unit in found.items() if unit != "1"}
