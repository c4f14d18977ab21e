# SPDX-License-Identifier: BSD-3-Clause
"""Energy of a user's element: by name, or as a formula of invariants and parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from flexforge.codegen.elements.energy import DIRECTIONS, ENERGIES, NAMES, Energy
from flexforge.codegen.elements.parameters import check_parameter
from flexforge.codegen.elements.user_values import identifiers, text
from flexforge.codegen.errors import InputError, nearest

#: Strain operators of elements that can have an energy.
STRAINS = ("small_strain", "selective", "axisymmetric")


def read_energy(data: dict[str, Any], strain: str) -> Energy | None:
    """Return the energy of a declaration, or None where it has a linear law.

    Parameters
    ----------
    data : dict
        The declaration.
    strain : str
        Its strain operator.

    Raises
    ------
    InputError
        Naming the key, what was found and what is expected.
    """
    if "energy" not in data:
        if "parameters" in data:
            raise InputError("parameters: found them without an energy; expected them in law")
        return None
    if strain not in STRAINS:
        expected = " or ".join(f'"{one}"' for one in STRAINS)
        raise InputError(
            f"energy: found it beside strain '{strain}'; expected {expected}, which are the limit "
            "of large ones"
        )
    names = identifiers(data, "parameters") if "parameters" in data else ()
    return energy_of(text(data, "energy"), names)


def energy_of(written: str, parameters: Sequence[str] | Mapping[str, str] = ()) -> Energy:
    """Return a law by its name, or by its formula and the names of its parameters.

    Parameters
    ----------
    written : str
        A named law, or a formula.
    parameters : sequence of str or mapping, optional
        Names of the parameters of a formula, with their units where they are a mapping.

    Raises
    ------
    InputError
        Naming the key, what was found and what is expected.
    """
    if written.isidentifier() and written not in NAMES:
        if written not in ENERGIES:
            raise InputError(
                f"energy: found '{written}'; expected a formula, or one of {', '.join(ENERGIES)}"
                f"{nearest(written, ENERGIES)}"
            )
        if parameters:
            raise InputError(f"parameters: found them beside energy '{written}', which has its own")
        return ENERGIES[written]
    for name in parameters:
        check_parameter(name, "parameters")
    units = dict(parameters) if isinstance(parameters, Mapping) else {}
    found = Energy("energy", written, tuple(parameters), units)
    needed = [name for one in found.fibres for name in DIRECTIONS[one]]
    directions = {name for names in DIRECTIONS.values() for name in names}
    for name in parameters:
        if name in directions and name not in needed:
            raise InputError(
                f"energy: found the parameter '{name}', a direction of fibres which '{written}' "
                "does not have"
            )
    own = [name for name in parameters if name not in directions]
    return replace(
        found,
        parameters=(*own, *needed),
        units={
            **{name: units[name] for name in own if name in units},
            **dict.fromkeys(needed, "1"),
        },
    )
