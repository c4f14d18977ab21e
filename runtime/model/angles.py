# SPDX-License-Identifier: BSD-3-Clause
"""Angles, angular velocities and accelerations with a unit: ``"15 deg"``, ``"3000 rpm"``.

Numbers are in rad, rad/s and rad/s^2. A text may end with another unit, also in profiles of time:
``"50*t deg"``. Values are converted before any other check: the validated model is in SI units.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Annotated, Any, TypeAlias

from flexforge.codegen.errors import InputError, nearest
from flexforge.runtime.formula.expressions import parse_expression
from flexforge.runtime.model.base import (
    NonNegative,
    Number,
    is_list,
    is_number,
    problem,
    shown,
    three,
    toml_type,
)
from flexforge.runtime.model.schema_profile import ProfileSpec
from flexforge.runtime.model.units import second_of
from pydantic import BeforeValidator, ValidationInfo

#: Units of an angle and of its derivatives with respect to time, each in SI units.
UNITS: tuple[dict[str, float], ...] = (
    {"rad": 1.0, "deg": math.pi / 180.0, "rev": 2.0 * math.pi},
    {
        "rad/s": 1.0,
        "rpm": math.pi / 30.0,
        "deg/s": math.pi / 180.0,
        "r/min": math.pi / 30.0,
        "RPM": math.pi / 30.0,
    },
    {"rad/s^2": 1.0, "rpm/s": math.pi / 30.0, "deg/s^2": math.pi / 180.0},
)
ANGLE, VELOCITY, ACCELERATION = range(3)

#: Completes the description of a number that may have a unit.
OR_DEGREES = 'or a text such as "15 deg"'
OR_RPM = 'or a text such as "3000 rpm"'

_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_WITH_UNIT = re.compile(rf"\s*({_NUMBER})\s*([A-Za-z°%][^\s*()]*)\s*")


def number_with_unit(text: str, order: int, second: float = 1.0) -> float:
    """Return the value of a number with a unit, such as ``3000 rpm``, in the units of a model.

    Parameters
    ----------
    text : str
        The number and its unit.
    order : int
        0 for an angle, 1 for an angular velocity, 2 for an angular acceleration.
    second : float
        A second in the model's unit of time.

    Returns
    -------
    float
        The value in rad, or rad per that unit or its square.

    Raises
    ------
    InputError
        If the text is not a number with one of the units.
    """
    found = _WITH_UNIT.fullmatch(text)
    units = UNITS[order]
    if found is None or found[2] not in units:
        hint = nearest(found[2], units) if found else ""
        raise InputError(
            f"found {shown(text)}; expected a number ({next(iter(units))}), or a number with one "
            f"of the units {', '.join(units)}{hint}"
        )
    return float(found[1]) * units[found[2]] / second**order


def has_unit(value: Any, order: int) -> bool:
    """Whether a value of a model file is given in one of the units of an angle or its rates."""
    kind = toml_type(value)
    if kind == "table":
        return any(has_unit(part, order) for part in value.values()) or "unit" in value
    if kind == "list":
        return any(has_unit(part, order + k) for k, part in enumerate(value[: len(UNITS) - order]))
    return kind == "text" and _split(value, order) is not None


def _number(order: int, *keys: str | int) -> Callable[[Any, ValidationInfo], Any]:
    """Return a converter of numbers that may have a unit; ``keys`` lead to them in a table."""

    def convert(value: Any, info: ValidationInfo) -> Any:
        if toml_type(value) != "text":
            return value
        try:
            return number_with_unit(value, order, second_of(info))
        except InputError as error:
            raise problem(str(error), *keys) from None

    return convert


def _profile(order: int, *keys: str) -> Callable[[Any, ValidationInfo], Any]:
    """Return a converter of profiles of time whose numbers may have a unit."""

    def convert(value: Any, info: ValidationInfo) -> Any:
        kind = toml_type(value)
        if kind == "text":
            return _formula(value, info, order, *keys)
        return _table(value, info, order, *keys) if kind == "table" else value

    return convert


def rotations_in_rad(displacement: Any, info: ValidationInfo) -> Any:
    """Return a prescribed displacement, whose rotations may be given in units of an angle, in SI.

    Parameters
    ----------
    displacement : Any
        What a model file gives: a table of components.
    info : ValidationInfo
        With the units of the model.
    """
    if toml_type(displacement) != "table":
        return displacement
    return {
        key: _profile(ANGLE, key)(value, info) if key in ("rx", "ry", "rz") else value
        for key, value in displacement.items()
    }


def points_in_rad(points: Any, info: ValidationInfo) -> Any:
    """Return points [radius, angle, z], whose angles may be given in units of an angle, in SI.

    Parameters
    ----------
    points : Any
        What a model file gives: a list of points.
    info : ValidationInfo
        With the units of the model.
    """
    if toml_type(points) != "list":
        return points
    return [
        [
            _number(ANGLE, number, place)(value, info) if place == 1 else value
            for place, value in enumerate(point)
        ]
        if toml_type(point) == "list"
        else point
        for number, point in enumerate(points)
    ]


def _formula(text: str, info: ValidationInfo, order: int, *keys: str) -> float | str:
    """Return the SI form of a formula: a number where it is one, else the formula times a factor.

    A number followed by a name is not a valid formula, so the name was meant as a unit.
    """
    if _WITH_UNIT.fullmatch(text):
        return float(_number(order, *keys)(text, info))
    split = _split(text, order)
    if split is None:
        return text
    formula, factor = split
    try:
        parse_expression(formula)
    except InputError as error:
        raise problem(str(error), *keys) from None
    return f"({formula})*{factor / second_of(info) ** order!r}"


def _split(text: str, order: int) -> tuple[str, float] | None:
    """Return a text without its unit, and the unit in SI; None where it has none."""
    for unit, factor in UNITS[order].items():
        rest = text.rstrip().removesuffix(unit)
        if rest != text.rstrip() and rest[-1:].isspace():
            return rest.strip(), factor
    return None


def _table(
    given: Mapping[str, Any], info: ValidationInfo, order: int, *keys: str
) -> dict[str, Any]:
    """Return a profile given as a table, with its numbers in SI units."""
    table = dict(given)
    if toml_type(table.get("ramp")) == "table":
        table["ramp"] = {
            key: _number(order, *keys, "ramp", key)(value, info) if key in ("from", "to") else value
            for key, value in table["ramp"].items()
        }
    if is_list(table.get("polynomial")):
        table["polynomial"] = [
            _number(order + k, *keys, "polynomial", k)(value, info)
            if order + k < len(UNITS)
            else value
            for k, value in enumerate(table["polynomial"])
        ]
    if "input" in table and "start" in table:
        table["start"] = _number(order, *keys, "start")(table["start"], info)
    if "table" in table and "unit" in table:
        unit, units = table.pop("unit"), UNITS[order]
        if toml_type(unit) != "text" or unit not in units:
            raise problem(f"found {shown(unit)}; expected one of {', '.join(units)}", *keys, "unit")
        scale = table.get("scale", 1.0)
        factor = units[unit] / second_of(info) ** order
        table["scale"] = scale * factor if is_number(scale) else scale
    return table


Angle: TypeAlias = Annotated[Number, BeforeValidator(_number(ANGLE))]
AngularVelocity: TypeAlias = Annotated[Number, BeforeValidator(_number(VELOCITY))]
Speed: TypeAlias = Annotated[NonNegative, BeforeValidator(_number(VELOCITY))]
AngleProfile: TypeAlias = Annotated[ProfileSpec, BeforeValidator(_profile(ANGLE))]
VelocityProfile: TypeAlias = Annotated[ProfileSpec, BeforeValidator(_profile(VELOCITY))]
VelocityVector: TypeAlias = Annotated[
    tuple[VelocityProfile, VelocityProfile, VelocityProfile], BeforeValidator(three)
]
AccelerationProfile: TypeAlias = Annotated[ProfileSpec, BeforeValidator(_profile(ACCELERATION))]
