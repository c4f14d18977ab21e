# SPDX-License-Identifier: BSD-3-Clause
"""Systems of units that a model may be in: the names of their units, and the sizes of these in SI.

Labels are written in SI units everywhere in the program, such as ``kg m^2``, and those of the
system of a model take their place where results leave it. Numbers are never converted: equations
of mechanics hold in any system in which the unit of force accelerates that of mass by one.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from flexforge.codegen.errors import FlexforgeError, InputError, nearest

#: Exponents of length, mass and time in the SI units that labels consist of.
_DIMENSIONS = {
    "m": (1, 0, 0), "kg": (0, 1, 0), "s": (0, 0, 1), "Hz": (0, 0, -1), "N": (1, 1, -2),
    "Pa": (-1, 1, -2), "J": (2, 1, -2), "W": (2, 1, -3),
}  # fmt: skip
_WORD = re.compile(r"[A-Za-z]+")
_FACTOR = re.compile(r"(/?)\s*\(?\s*([A-Za-z]+|1)(?:\^(\d+))?\)?")
_UNIT = rf"(?:{'|'.join(sorted(_DIMENSIONS, key=len, reverse=True))}|rad)(?:\^\d+)?"
#: A label after a number, or after coordinates in parentheses, and nothing else that is a word.
_TOLD = re.compile(rf"(?<=[0-9)]) ((?:1/)?{_UNIT}(?:[ /]{_UNIT})*)(?![\w^/*'\"-])")
_HEADING = re.compile(r"( ?)\[([^\[\]]*)\]")


@dataclass(frozen=True, slots=True)
class UnitSystem:
    """A consistent system of units.

    Attributes
    ----------
    name : str
        Its name in model files.
    base : tuple of float
        Sizes of its units of length, m, mass, kg, and time, s.
    names : mapping of str to str
        The names of its units, by those of SI; empty where units are not declared.
    about : str
        What it is, in words.
    """

    name: str
    base: tuple[float, float, float]
    names: Mapping[str, str]
    about: str

    @property
    def is_si(self) -> bool:
        """Whether its units are those of SI, which take prefixes."""
        return self.name == DEFAULT

    @property
    def is_declared(self) -> bool:
        """Whether the sizes of the units are known."""
        return self.name != UNDECLARED

    @property
    def words(self) -> str:
        """The name, and the names of the units of length, mass, time, force and stress."""
        if not self.is_declared:
            return "not declared"
        return f"{self.name} ({', '.join(map(self.label, ('m', 'kg', 's', 'N', 'Pa')))})"

    @property
    def second(self) -> float:
        """A second in its units of time; 1 where they are not declared."""
        return 1.0 / self.base[2]

    def label(self, text: str) -> str:
        """Return a label in SI units with the names of the system; one that has them remains.

        Where units are not declared a label of nothing but angles and pure numbers remains, and
        any other is empty.

        Parameters
        ----------
        text : str
            Such as ``N m``, ``(m/s^2)^2/Hz`` or ``%``.

        Examples
        --------
        >>> system_of("mm-t-s").label("J/m^3"), system_of("in-lbf-s").label("kg m^2")
        ('mJ/mm^3', '(lbf s^2/in) in^2')
        """
        known = [word for word in _WORD.findall(text) if word in _DIMENSIONS]
        if not known or self.is_si:
            return text
        if not self.is_declared:
            return ""

        def named(found: re.Match[str]) -> str:
            name = self.names.get(found[0], found[0])
            inside = text[: found.start()].endswith("(") and text[found.end() :].startswith(")")
            alone = found[0] == text or inside or name.isalnum()
            return name if alone else f"({name})"

        return _WORD.sub(named, text)

    def heading(self, text: str) -> str:
        """Return a text with the labels that stand in square brackets in it in the system.

        Examples
        --------
        >>> system_of("mm-t-s").heading("force on the base [N], displacement [m]")
        'force on the base [N], displacement [mm]'
        >>> system_of("undeclared").heading("displacement [m], phase [deg]")
        'displacement, phase [deg]'
        """

        def named(found: re.Match[str]) -> str:
            label = self.label(found[2])
            return f"{found[1]}[{label}]" if label or not found[2] else ""

        return text if self.is_si else _HEADING.sub(named, text)

    def with_unit(self, amount: str, label: str) -> str:
        """Return an amount in words with its unit, given in SI, where there is one."""
        return f"{amount} {self.label(label)}".rstrip()

    def message(self, text: str) -> str:
        """Return a message with the labels that follow numbers in it in the system.

        Examples
        --------
        >>> system_of("mm-t-s").message("a mass of 2e+07 kg at (1, 2, 3) m, t = 0.1 s")
        'a mass of 2e+07 t at (1, 2, 3) mm, t = 0.1 s'
        """
        if self.is_si:
            return text
        return _TOLD.sub(lambda found: f" {self.label(found[1])}".rstrip(), text)

    def size(self, label: str) -> float:
        """Return the size of a unit of the system in SI.

        Parameters
        ----------
        label : str
            The unit in SI: a product of units and their powers, and quotients of these.

        Examples
        --------
        >>> f"{system_of('mm-t-s').size('kg/m^3'):g}"
        '1e+12'
        """
        size = 1.0
        for over, unit, power in _FACTOR.findall(label):
            exponents = _DIMENSIONS.get(unit, (0, 0, 0))
            one = math.prod(base**e for base, e in zip(self.base, exponents, strict=True))
            size *= one ** (int(power or 1) * (-1 if over else 1))
        return size

    def of_si(self, value: float, label: str) -> float:
        """Return a value of SI in the units of the system; as it is where none are declared."""
        return value / self.size(label) if self.is_declared else value


def _named(words: str) -> dict[str, str]:
    """Return the names of units in the order in which `_DIMENSIONS` has them."""
    return dict(zip(_DIMENSIONS, words.split(", "), strict=True))


_INCH, _FOOT = 0.0254, 0.3048
#: A pound of force, N: 0.45359237 kg times standard gravity (ISO 80000-3, ISO 80000-4).
_POUND = 0.45359237 * 9.80665
DEFAULT, UNDECLARED = "m-kg-s", "undeclared"
#: Names: length, mass, time, frequency, force, stress, energy, power.
SYSTEMS = {
    one.name: one
    for one in (
        UnitSystem(DEFAULT, (1.0, 1.0, 1.0), _named("m, kg, s, Hz, N, Pa, J, W"), "SI"),
        UnitSystem(
            "mm-t-s", (1e-3, 1e3, 1.0), _named("mm, t, s, Hz, N, MPa, mJ, mW"), "of most decks"
        ),
        UnitSystem(
            "mm-kg-s", (1e-3, 1.0, 1.0), _named("mm, kg, s, Hz, mN, kPa, uJ, uW"), "millimetres"
        ),
        UnitSystem(
            "mm-kg-ms", (1e-3, 1.0, 1e-3), _named("mm, kg, ms, kHz, kN, GPa, J, kW"), "of crashes"
        ),
        UnitSystem(
            "mm-g-ms", (1e-3, 1e-3, 1e-3), _named("mm, g, ms, kHz, N, MPa, mJ, W"), "of impacts"
        ),
        UnitSystem(
            "um-kg-s", (1e-6, 1.0, 1.0), _named("um, kg, s, Hz, uN, MPa, pJ, pW"), "of microsystems"
        ),
        UnitSystem("cm-g-s", (1e-2, 1e-3, 1.0), _named("cm, g, s, Hz, dyn, Ba, erg, erg/s"), "CGS"),
        UnitSystem(
            "in-lbf-s",
            (_INCH, _POUND / _INCH, 1.0),
            _named("in, lbf s^2/in, s, Hz, lbf, psi, in lbf, in lbf/s"),
            "inches and pounds of force",
        ),
        UnitSystem(
            "ft-slug-s",
            (_FOOT, _POUND / _FOOT, 1.0),
            _named("ft, slug, s, Hz, lbf, psf, ft lbf, ft lbf/s"),
            "feet and pounds of force",
        ),
        UnitSystem(UNDECLARED, (1.0, 1.0, 1.0), {}, "not known, as of a deck; seconds are assumed"),
    )
}
SI = SYSTEMS[DEFAULT]


@contextmanager
def messages_in(units: UnitSystem) -> Iterator[None]:
    """Have errors raised inside name the units of a system, as their warnings do."""
    try:
        yield
    except FlexforgeError as error:
        error.args = (units.message(str(error)), *error.args[1:])
        told = [units.message(text) for text in error.warnings]
        error.__notes__ = []
        error.with_warnings(told)
        raise


def system_of(name: Any) -> UnitSystem:
    """Return a system of units by its name.

    Raises
    ------
    InputError
        For an unknown name, with the nearest.
    """
    if not isinstance(name, str) or name not in SYSTEMS:
        hint = nearest(name, SYSTEMS) if isinstance(name, str) else ""
        raise InputError(f"found {name!r}; expected one of {', '.join(SYSTEMS)}{hint}")
    return SYSTEMS[name]
