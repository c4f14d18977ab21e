# SPDX-License-Identifier: BSD-3-Clause
"""Speeds and orders of a Campbell diagram as one text: ``"0:6000:7rpm"``, ``"1:8"``.

The same texts are values of options and of the model file.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from flexforge.codegen.errors import InputError
from flexforge.runtime.model.angles import UNITS, VELOCITY
from flexforge.runtime.model.base import MOST, problem, shown, toml_type
from flexforge.runtime.model.units import second_of
from pydantic import ValidationInfo

#: Complete the description of a list.
OR_SPEEDS = 'or a text such as "0:6000:7 rpm", 7 speeds from 0 to 6000 rpm'
OR_ORDERS = 'or a text such as "1:8", all from 1 to 8'
_NAMES = {"Hz": "frequencies", "N/m": "stiffnesses"}  # of numbers, by unit; others are speeds
_MOST_LISTED = 100_000  # more speeds or orders than any run computes


def speeds_of(text: str, second: float = 1.0) -> list[float]:
    """Return the speeds that ``A:B:N`` or ``A,B,C`` stand for; a unit may follow.

    They are in rad/s, or, as numbers without a unit are, in rad per unit of time of a model, of
    which a second has so many.

    Raises
    ------
    InputError
        If the text is neither, or speeds do not ascend.

    Examples
    --------
    >>> speeds_of("0:600:4")
    [0.0, 200.0, 400.0, 600.0]
    >>> [round(speed, 3) for speed in speeds_of("0, 3000 rpm")]
    [0.0, 314.159]
    """
    units = UNITS[VELOCITY]
    given = next((name for name in units if text.rstrip().endswith(name)), "")
    unit = given or "rad/s"
    expected = "expected A:B:N with a whole number N, or A,B,C (rad/s), and one of the units "
    expected += f"{', '.join(units)} or none"
    numbers = _numbers(text.rstrip().removesuffix(unit), unit, f"found {shown(text)}; {expected}")
    factor = units[unit] / second if given else 1.0
    return [speed * factor for speed in numbers]


def _numbers(text: str, unit: str, fault: str) -> list[float]:
    """Return the ascending numbers, in a unit, that ``A:B:N`` or ``A,B,C`` stand for."""
    try:
        if ":" not in text:
            return _ascending([float(part) for part in text.split(",")], unit)
        begin, end, count = text.split(":")
        first, last, number = float(begin), float(end), int(count)
        if not 1 <= number <= _MOST_LISTED or (number == 1 and first != last):
            raise ValueError
    except ValueError:
        raise InputError(fault) from None
    step = (last - first) / max(number - 1, 1)
    return _ascending([*(first + i * step for i in range(number - 1)), last], unit)


def range_text(speeds: Sequence[float], second: float = 1.0) -> str:
    """Return the first and the last of ascending speeds in rpm, and in their own unit.

    Examples
    --------
    >>> range_text([0.0, 314.15926535897933])
    '0 to 3000 rpm (0 to 314.159 rad/s)'
    """
    rpm = UNITS[VELOCITY]["rpm"] / second
    first, last = speeds[0], speeds[-1]
    return f"{first / rpm:.6g} to {last / rpm:.6g} rpm ({first:.6g} to {last:.6g} rad/s)"


def _ascending(numbers: list[float], unit: str) -> list[float]:
    """Return numbers that ascend, in the unit in which they are given; refuse others."""
    for one, following in itertools.pairwise(numbers):
        if not one < following:
            what = _NAMES.get(unit, "speeds")
            raise InputError(
                f"found {one:g} before {following:g}; expected ascending {what} ({unit})"
            )
    return numbers


def orders_of(text: str) -> list[int]:
    """Return the orders that ``A:B`` or ``A,B,C`` stand for.

    Raises
    ------
    InputError
        If the text is neither.

    Examples
    --------
    >>> orders_of("1:4"), orders_of("1,2,24")
    ([1, 2, 3, 4], [1, 2, 24])
    """
    try:
        if ":" not in text:
            return [int(part) for part in text.split(",")]
        first, last = map(int, text.split(":"))
        if not 0 <= last - first <= _MOST_LISTED or max(abs(first), abs(last)) > MOST:
            raise ValueError
    except ValueError:
        raise InputError(f"found {shown(text)}; expected A:B or A,B,C with whole numbers") from None
    return list(range(first, last + 1))


def listed_speeds(value: Any, info: ValidationInfo) -> Any:
    """Return the list that a text stands for, and anything else as it is."""
    return _listed(value, partial(speeds_of, second=second_of(info)))


def frequencies_of(text: str, second: float = 1.0) -> list[float]:
    """Return the frequencies that ``A:B:N`` or ``A,B,C`` stand for; Hz may follow.

    They are in cycles per unit of time, of which a second has so many.

    Raises
    ------
    InputError
        If the text is neither, or frequencies do not ascend.

    Examples
    --------
    >>> frequencies_of("0:30:4 Hz")
    [0.0, 10.0, 20.0, 30.0]
    """
    fault = f"found {shown(text)}; expected A:B:N or A,B,C (Hz)"
    bare = text.rstrip().removesuffix("Hz")
    factor = 1.0 / second if bare != text.rstrip() else 1.0
    return [frequency * factor for frequency in _numbers(bare, "Hz", fault)]


def listed_frequencies(value: Any, info: ValidationInfo) -> Any:
    """Return the list that a text stands for, and anything else as it is."""
    return _listed(value, partial(frequencies_of, second=second_of(info)))


def stiffnesses_of(text: str) -> list[float]:
    """Return the stiffnesses that ``A:B:N``, in geometric progression, or ``A,B,C`` stand for.

    Raises
    ------
    InputError
        If the text is neither, or stiffnesses are not above zero and ascending.

    Examples
    --------
    >>> stiffnesses_of("1e6:1e8:3"), stiffnesses_of("1e6, 2e6")
    ([1000000.0, 10000000.0, 100000000.0], [1000000.0, 2000000.0])
    """
    fault = f"found {shown(text)}; expected A:B:N or A,B,C above 0 (N/m)"
    numbers = _numbers(text, "N/m", fault)
    if numbers[0] <= 0.0:
        raise InputError(fault)
    if ":" not in text:
        return numbers
    ratio = numbers[-1] / numbers[0]
    last = max(len(numbers) - 1, 1)
    return [numbers[0] * ratio ** (i / last) for i in range(last)] + numbers[-1:]


def listed_stiffnesses(value: Any) -> Any:
    """Return the list that a text stands for, and anything else as it is."""
    return _listed(value, stiffnesses_of)


def listed_orders(value: Any) -> Any:
    """Return the list that a text stands for, and anything else as it is."""
    return _listed(value, orders_of)


def _listed(value: Any, of: Callable[[str], list[Any]]) -> Any:
    if toml_type(value) != "text":
        return value
    try:
        return tuple(of(value))
    except InputError as error:
        raise problem(str(error)) from None
