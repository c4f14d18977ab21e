# SPDX-License-Identifier: BSD-3-Clause
"""Amounts of unbalance by standards, in any units.

A balance quality grade G is a speed (ISO 21940-11): the permissible ``e w`` of the centre of mass
at the angular speed w, so that ``U = G m / w``. API 617 has ``U = 4 W/N`` ounce inches for W pounds
at N revolutions per minute: 6350 W/N g mm for W kilograms.
"""

from __future__ import annotations

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.model.schema_balance import BalanceSpec
from flexforge.runtime.system.body import Body
from flexforge.runtime.system.system import System
from flexforge.runtime.unit_systems import UnitSystem

#: 4 ounces, of 1/16 pound, times an inch, per pound; m rpm.
_API_617 = 4.0 / 16.0 * 0.0254
_SAME = 1e-12  # relative difference of two speeds that are one


def standard_amount(
    spec: BalanceSpec, body: Body, system: System, units: UnitSystem, key: str
) -> float:
    """Return mass times distance by a standard, kg m.

    Parameters
    ----------
    spec : BalanceSpec
        What the model file gives.
    body : Body
        The body that turns.
    system : System
        Those among which all that turns with it is sought.
    units : UnitSystem
        The units of the model.
    key : str
        Key of the amount in the model file.

    Raises
    ------
    InputError
        In units that are not declared, and of several processes without a mass.
    """
    if not units.is_declared:
        raise InputError(
            f"{key}: found a standard in a model without units; expected units, or a number"
        )
    mass = turning_mass(body, system, key) if spec.mass is None else spec.mass
    if spec.api617 is not None:
        rpm = 30.0 / np.pi * units.second * spec.speed
        return float(units.of_si(spec.api617 * _API_617, "m") * spec.share * mass / rpm)
    assert spec.grade is not None
    grade = units.of_si(1e-3 * float(spec.grade.removeprefix("G")), "m/s")
    return float(grade * spec.share * mass / spec.speed)


def turning_mass(body: Body, system: System, key: str) -> float:
    """Return the mass of all bodies that turn as a body does, about its axis at its speed, kg.

    Raises
    ------
    InputError
        Of several processes, of which each knows its own part.
    """
    if system.ranks.count > 1:
        raise InputError(f"{key}.mass: missing in a run of several processes; expected the mass")
    w = body.motion.at(0.0).w
    axis = body.motion.rotation.axis
    found = 0.0
    for one in system.bodies:
        if one.motion.link is not None or not one.motion.rotates or not one.has_mass:
            continue
        alike = np.abs(one.motion.at(0.0).w - w).max() <= _SAME * np.abs(w).max()
        other = one.motion.rotation.axis
        if alike and axis is not None and other is not None and np.array_equal(axis, other):
            found += one.total_mass
    return found
