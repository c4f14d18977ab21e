# SPDX-License-Identifier: BSD-3-Clause
"""Scalar arguments of kernels: those of the declaration, their units, and values for examples."""

from __future__ import annotations

import keyword
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from flexforge.codegen.errors import InputError

if TYPE_CHECKING:
    from flexforge.codegen.elements.field import AnyElement

#: Units of parameters by name.
_UNITS = {
    "young": "Pa",
    "poisson": "1",
    "density": "kg/m^3",
    "thickness": "m",
    "pressure": "Pa",
    "stiffness": "N/m",
    "mass": "kg",
    "area": "m^2",
    "inertia_y": "m^4",
    "inertia_z": "m^4",
    "torsion": "m^4",
    "shear_y": "1",
    "shear_z": "1",
    "offset_y": "m",
    "offset_z": "m",
    "location": "1",
    **{f"inertia_{i}": "kg m^2" for i in ("xx", "yy", "zz", "yz", "xz", "xy")},
    "EA": "N",
    "EIy": "N m^2",
    "EIz": "N m^2",
    "GAy": "N",
    "GAz": "N",
    "GJ": "N m^2",
    "BT": "N m^2",
    "mass_centre": "m",
    **{f"gyration{axis}": "m" for axis in ("", "_y", "_z")},
}
#: Units of the components of a vector, or of the entries of a matrix, by name without index.
_INDEXED = {
    "w": "rad/s",
    "e": "rad/s^2",
    "a_O": "m/s^2",
    "f": "N/m^3",
    "expansion": "1/K",
    "H": "Pa",
    "centre": "m",
    "orientation": "1",
    "axis": "1",
}
#: Properties of a section that may be given at points of integration: ``area1``, ``area2`` ...
VARYING = ("area", "inertia_y", "inertia_z", "torsion", "shear_y", "shear_z")
#: Values for examples by name, and by units where the name is not known.
_VALUES = {
    "young": 2e11, "poisson": 0.3, "density": 7800.0, "shear_y": 0.85, "shear_z": 0.85,
    **dict.fromkeys(("inertia_yz", "inertia_xz", "inertia_xy"), 0.1),
}  # fmt: skip
_VALUES_BY_UNITS = {
    "Pa": 1e9,
    "m": 0.01,
    "m^2": 1e-4,
    "m^4": 1e-9,
    "N/m": 1e6,
    "N": 1e6,
    "N m": 1e3,
    "N m^2": 100.0,
    "1": 0.3,
    "1/K": 1.2e-5,
}
#: Where a declaration states no units: moduli, a number of Poisson.
_VALUES_BY_SYMBOL = {**dict.fromkeys("EGCDHQ", 1e9), "nu": 0.3}
#: A symbol with two indices, such as C12: off the diagonal a modulus is smaller, or no law would
#: store energy.
_INDEXES = re.compile(r"([A-Za-z]+?)_?(\d)?(\d)?")
_OFF_DIAGONAL = 0.3

#: Arguments that calls from Python refuse if they are negative; zero is no material, or no section.
NOT_NEGATIVE = frozenset({"density", "mass", "thickness", "area"})
#: Arguments that kernels have besides those of a declaration: motions, forces, expansions.
_MOTION = re.compile(r"(w|e|f|a_O|expansion)\d+|expansion|density")
#: Symbols of the equations that elements are derived from: the density, the turn of a frame, and
#: the inverse of the radius of bodies of revolution.
_DERIVED = re.compile(r"rho|R\d\d|inverse_radius")


def check_word(name: str, where: str) -> None:
    """Raise an error for a word of Python: no formula and no call from Python could contain it.

    Words of C and C++ are fine: where they would stand in generated code, an underscore is added.

    Examples
    --------
    >>> check_word("double", "law.parameters")
    """
    if keyword.iskeyword(name):
        raise InputError(
            f"{where}: found '{name}', a word of Python, which formulas cannot contain; expected "
            f"another name, such as '{name}_'"
        )


def check_parameter(name: str, where: str) -> None:
    """Raise an error for a parameter whose name is a word, or has a meaning in every kernel."""
    check_word(name, where)
    if _MOTION.fullmatch(name):
        raise InputError(
            f"{where}: '{name}' is the name of a motion, a force or the density of every "
            "element; expected another"
        )
    if _DERIVED.fullmatch(name):
        raise InputError(
            f"{where}: '{name}' is a symbol of the equations that elements are derived from; "
            f"expected another name, such as '{name}_'"
        )


def check_distinct(law: Sequence[str], section: str | None, density: str | None) -> None:
    """Raise an error for one name for several parameters: kernels would take one value for all.

    Parameters
    ----------
    law : sequence of str
        Parameters of the law.
    section, density : str or None
        Factor of the volume, and inertia parameter.

    Raises
    ------
    InputError
        Naming the key.

    Examples
    --------
    >>> check_distinct(("C11", "C44"), "h", "density")
    """
    for i, name in enumerate(law):
        if name in law[:i]:
            raise InputError(f"law.parameters[{i}]: found '{name}' again; expected every name once")
    taken: dict[str | None, str] = dict.fromkeys(law, "a parameter of the law")
    for key, given in (("section", section), ("density", density)):
        if given is not None and given in taken:
            raise InputError(f"{key}: '{given}' is already {taken[given]}; expected another name")
        taken[given] = f"the {key}"


@dataclass(frozen=True, slots=True)
class ParameterInfo:
    """A scalar argument: its name and its units, empty where a user's declaration states none."""

    name: str
    units: str

    @property
    def text(self) -> str:
        """Name, and units in brackets."""
        return f"{self.name} [{self.units}]" if self.units else self.name

    @property
    def example(self) -> float:
        """A value for examples, plausible for the name or the units.

        Examples
        --------
        >>> ParameterInfo("young", "Pa").example
        200000000000.0
        >>> ParameterInfo("C11", "Pa").example, ParameterInfo("C12", "Pa").example
        (1000000000.0, 300000000.0)
        """
        if self.name in _VALUES:
            return _VALUES[self.name]
        found = _INDEXES.fullmatch(self.name)
        symbol, row, column = found.groups() if found else ("", None, None)
        value = _VALUES_BY_UNITS.get(self.units, 1.0)
        if not self.units:
            value = _VALUES_BY_SYMBOL.get(symbol, value)
        smaller = symbol in _VALUES_BY_SYMBOL and symbol != "nu" and row and column
        return value * _OFF_DIAGONAL if smaller and row != column else value

    @property
    def literal(self) -> str:
        """The value for examples as a number of Python and C.

        Examples
        --------
        >>> ParameterInfo("young", "Pa").literal, ParameterInfo("density", "kg/m^3").literal
        ('2e11', '7800.0')
        """
        digits, _, power = f"{self.example:g}".partition("e")
        if power:
            return f"{digits}e{int(power)}"
        return digits if "." in digits else f"{digits}.0"


def parameters_of(element: AnyElement) -> tuple[str, ...]:
    """Return the parameters of a declaration: of its law, its section and its inertia.

    Examples
    --------
    >>> from flexforge.codegen.elements.library import element
    >>> parameters_of(element("quad4"))
    ('young', 'poisson', 'thickness', 'density')
    """
    names = [*element.constitutive.parameters, *getattr(element, "parameters", ())]
    names += [element.section, element.density]
    return tuple(dict.fromkeys(name for name in names if name))


def infos_of(element: AnyElement) -> tuple[ParameterInfo, ...]:
    """Return the parameters of a declaration with their units."""
    return tuple(
        ParameterInfo(name, element.units.get(name, units_of(name)))
        for name in parameters_of(element)
    )


def units_of(name: str) -> str:
    """Return the units of a parameter that has the same meaning in every element, else nothing."""
    stem = name.rstrip("0123456789")
    return (
        _UNITS.get(name) or _INDEXED.get(stem) or (_UNITS.get(stem, "") if stem in VARYING else "")
    )
