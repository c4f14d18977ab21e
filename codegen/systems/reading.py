# SPDX-License-Identifier: BSD-3-Clause
"""A discrete system in TOML, or as a dict of the same keys: data only, nothing is executed.

name = "pendulum"                    # a C identifier
coordinates = ["q"]
gravity = ["0", "-g", "0"]           # m/s^2; z is up or out of the plane as you like
inputs = ["u"]                       # given from outside while it runs

[constants]                          # numbers in SI units, which kernels take as parameters
g = 9.81
m = 2.0
l = 1.0

[frames]                             # turn about axes of the frame turned so far, by angles in rad
A = { turn = [["z", "q"]] }          # in = "B" turns from B; the default is ground

[points]
C = { in = "A", at = ["0", "-l/2", "0"] }   # from = "P": seen from P; the default is O at rest

[bodies]                             # inertia about the centre of mass: 3 or 6 (xx yy zz xy yz xz)
rod = { point = "C", frame = "A", mass = "m", inertia = ["0", "0", "m*l**2/12"] }

[loads]                              # forces on coordinates, in coordinates, rates q_dot, inputs
q = "u - 0.1*q_dot"

[start]
q = 0.5

Further tables: [[forces]], [[torques]], [[springs]], [[constraints]], [speeds], potential.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import sympy
from flexforge.codegen.elements.calls import square_root
from flexforge.codegen.elements.expressions import parse
from flexforge.codegen.elements.user_files import located, read_declaration
from flexforge.codegen.elements.user_values import (
    brief,
    check_keys,
    checked_name,
    identifiers,
    text,
)
from flexforge.codegen.errors import InputError, nearest
from flexforge.codegen.systems.declaration import (
    GROUND,
    ORIGIN,
    RATE,
    TIME,
    Body,
    Constraint,
    Contact,
    Course,
    Equation,
    Force,
    Frame,
    Meeting,
    Point,
    Spring,
    System,
    Vector,
    rate_of,
    symbol,
)

_REQUIRED = ("name", "coordinates", "bodies")
_OPTIONAL = ("description", "constants", "inputs", "gravity", "frames", "points", "forces",
             "torques", "springs", "loads", "potential", "constraints", "speeds", "start",
             "run")  # fmt: skip
_AXES = ("x", "y", "z")
_RESERVED = {"t", "pi"}
#: Most names in a table; of coordinates there are at most 64, as of all lists of names.
_MOST_NAMES = 1000
#: Tolerances that an integrator in double precision can keep, and that are worth keeping.
_FINEST, _COARSEST = 1e-13, 1e-2
_CALLS: Mapping[str, Callable[..., sympy.Expr]] = {
    name: getattr(sympy, name)
    for name in ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh",
                 "exp", "log")
} | {"abs": sympy.Abs, "sqrt": square_root}  # fmt: skip


def load_system(path: Path) -> System:
    """Read the declaration of a system.

    Parameters
    ----------
    path : Path
        A TOML file with the keys named above.

    Raises
    ------
    InputError
        Naming the file and the key, what was found and what is expected.
    """
    data, sources = read_declaration(path)
    try:
        return read_system(data)
    except InputError as error:
        raise located(error, sources) from error


def read_system(data: Mapping[str, Any]) -> System:
    """Return the system of a dict with the keys of a file.

    Raises
    ------
    InputError
        Naming the key, what was found and what is expected.
    """
    return _Reader(dict(data)).system()


class _Reader:
    """Reads one declaration; what is known so far is what formulas may use."""

    def __init__(self, data: dict[str, Any]) -> None:
        check_keys(data, _REQUIRED, _OPTIONAL)
        self.data = data
        self.coordinates = self._symbols("coordinates")
        if not self.coordinates:
            raise InputError("coordinates: found []; expected at least one name")
        self.inputs = self._symbols("inputs")
        self.constants = {
            symbol(checked_name(name, f"constants.{name}")): _finite(value, f"constants.{name}")
            for name, value in table(data, "constants").items()
        }
        speeds = tuple(symbol(checked_name(s, f"speeds.{s}")) for s in table(data, "speeds"))
        self._check_names((*self.coordinates, *self.inputs, *self.constants, *speeds))
        self.rates = tuple(map(rate_of, self.coordinates))
        fixed = (*self.constants, *self.coordinates, TIME)
        self.places = {s.name: s for s in fixed} | {"pi": sympy.pi}
        self.motions = self.places | {s.name: s for s in self.rates}
        self.forced = self.motions | {s.name: s for s in self.inputs}
        self.frames: dict[str, Frame] = {}
        self.points: dict[str, Point] = {}
        self.bodies: dict[str, Body] = {}

    def system(self) -> System:
        """Return the system."""
        data = self.data
        for name, entry in _tables(data, "frames"):
            self.frames[name] = self._frame(entry, f"frames.{name}")
        for name, entry in _tables(data, "points"):
            self.points[name] = self._point(entry, f"points.{name}")
        for name, entry in _tables(data, "bodies"):
            self.bodies[name] = self._body(entry, f"bodies.{name}")
        if not self.bodies:
            raise InputError("bodies: found none; expected at least one body with mass")
        forces = [self._force(e, w, torque=False) for e, w in _list(data, "forces")]
        forces += [self._force(e, w, torque=True) for e, w in _list(data, "torques")]
        zero = ["0", "0", "0"]
        return System(
            name=checked_name(text(data, "name"), "name"),
            coordinates=self.coordinates,
            constants=self.constants,
            frames=self.frames,
            points=self.points,
            bodies=self.bodies,
            inputs=self.inputs,
            gravity=self._vector(data.get("gravity", zero), "gravity", self.places),
            forces=tuple(forces),
            springs=tuple(self._spring(e, w) for e, w in _list(data, "springs")),
            loads=self._of_coordinates("loads", self.forced),
            potential=self._formula(data.get("potential", "0"), "potential", self.places),
            constraints=tuple(self._constraint(e, w) for e, w in _list(data, "constraints")),
            speeds={
                symbol(name): self._formula(value, f"speeds.{name}", self.motions)
                for name, value in table(data, "speeds").items()
            },
            start=self._start(),
            course=self._course(),
            description=text(data, "description") if "description" in data else "",
        )

    def _symbols(self, key: str) -> tuple[sympy.Symbol, ...]:
        return tuple(map(symbol, identifiers(self.data, key))) if key in self.data else ()

    def _check_names(self, names: tuple[sympy.Symbol, ...]) -> None:
        """Check that names are distinct and not those of something else."""
        seen: set[str] = set()
        for one in names:
            if one.name in _RESERVED or one.name in _CALLS or one.name.endswith(RATE):
                raise InputError(
                    f"{one.name}: found as a name; expected one that is not a function, not "
                    f"{', '.join(sorted(_RESERVED))}, and does not end in {RATE}"
                )
            if one.name in seen:
                raise InputError(f"{one.name}: found twice as a name; expected distinct names")
            seen.add(one.name)

    def _formula(self, found: Any, where: str, variables: Mapping[str, sympy.Expr]) -> sympy.Expr:
        """Return a formula, or a number."""
        if isinstance(found, int | float) and not isinstance(found, bool):
            exact = Fraction(repr(_finite(found, where)))
            return sympy.Rational(exact.numerator, exact.denominator)
        return parse(found, variables, where, ratios=True, calls=_CALLS, kind="a formula")

    def _vector(self, found: Any, where: str, variables: Mapping[str, sympy.Expr]) -> Vector:
        if not isinstance(found, list | tuple) or len(found) != 3:
            raise InputError(f"{where}: found {brief(found)}; expected three formulas [x, y, z]")
        x, y, z = (self._formula(v, f"{where}[{k}]", variables) for k, v in enumerate(found))
        return x, y, z

    def _vectors(self, found: Any, where: str) -> tuple[Vector, ...]:
        if not isinstance(found, list | tuple) or not 0 < len(found) <= 3:
            raise InputError(f"{where}: found {brief(found)}; expected one to three directions")
        return tuple(self._vector(one, f"{where}[{k}]", self.places) for k, one in enumerate(found))

    def _frame(self, entry: dict[str, Any], where: str) -> Frame:
        check_keys(entry, ("turn",), ("in",), f"{where}.")
        turns = entry["turn"]
        if not isinstance(turns, list | tuple) or not turns:
            raise InputError(
                f"{where}.turn: found {brief(turns)}; expected a list such as [['z', 'q1']]"
            )
        read = []
        for k, turn in enumerate(turns):
            at = f"{where}.turn[{k}]"
            if not isinstance(turn, list | tuple) or len(turn) != 2 or turn[0] not in _AXES:
                raise InputError(
                    f"{at}: found {brief(turn)}; expected an axis and an angle, such as ['z', 'q1']"
                )
            read.append((_AXES.index(turn[0]), self._formula(turn[1], at, self.places)))
        return Frame(self._known(entry, "in", where, self._all_frames()), tuple(read))

    def _point(self, entry: dict[str, Any], where: str) -> Point:
        check_keys(entry, ("at",), ("from", "in"), f"{where}.")
        return Point(
            self._known(entry, "from", where, (ORIGIN, *self.points)),
            self._known(entry, "in", where, self._all_frames()),
            self._vector(entry["at"], f"{where}.at", self.places),
        )

    def _body(self, entry: dict[str, Any], where: str) -> Body:
        check_keys(entry, ("point", "mass"), ("frame", "inertia"), f"{where}.")
        constant = {s.name: s for s in self.constants} | {"pi": sympy.pi}
        mass = self._formula(entry["mass"], f"{where}.mass", constant)
        _check_sign(mass, self.constants, f"{where}.mass")
        inertia = None
        if "inertia" in entry:
            if "frame" not in entry:
                raise InputError(f"{where}.frame: missing; expected the frame of the inertia")
            inertia = self._inertia(entry["inertia"], f"{where}.inertia", constant)
        return Body(
            self._known(entry, "point", where, tuple(self.points)),
            mass,
            self._known(entry, "frame", where, self._all_frames()),
            inertia,
        )

    def _inertia(
        self, found: Any, where: str, variables: Mapping[str, sympy.Expr]
    ) -> sympy.ImmutableMatrix:
        if not isinstance(found, list | tuple) or len(found) not in (3, 6):
            raise InputError(
                f"{where}: found {brief(found)}; expected 3 moments of inertia, or 6 entries xx, "
                "yy, zz, xy, yz, xz of the matrix"
            )
        values = [self._formula(v, f"{where}[{k}]", variables) for k, v in enumerate(found)]
        for k in range(3):
            _check_sign(values[k], self.constants, f"{where}[{k}]")
        xx, yy, zz, xy, yz, xz = (*values, *[sympy.Integer(0)] * 3)[:6]
        return sympy.ImmutableMatrix([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])

    def _force(self, entry: dict[str, Any], where: str, *, torque: bool) -> Force:
        check_keys(entry, ("on", "value"), ("against", "in"), f"{where}.")
        known = self._all_frames() if torque else (ORIGIN, *self.points)
        rest = GROUND if torque else ORIGIN
        return Force(
            self._known(entry, "on", where, known),
            self._known(entry, "against", where, known) if "against" in entry else rest,
            torque,
            self._known(entry, "in", where, self._all_frames()),
            self._vector(entry["value"], f"{where}.value", self.forced),
        )

    def _spring(self, entry: dict[str, Any], where: str) -> Spring:
        check_keys(entry, ("points", "stiffness"), ("damping", "length"), f"{where}.")
        stiffness, damping, length = (
            self._formula(entry.get(key, 0), f"{where}.{key}", self.forced)
            for key in ("stiffness", "damping", "length")
        )
        return Spring(self._pair(entry, where), stiffness, damping, length)

    def _pair(self, entry: dict[str, Any], where: str) -> tuple[str, str]:
        found = entry["points"]
        if not isinstance(found, list | tuple) or len(found) != 2 or found[0] == found[1]:
            raise InputError(f"{where}.points: found {brief(found)}; expected two points")
        known = (ORIGIN, *self.points)
        first, second = (_one_of(name, f"{where}.points", known) for name in found)
        return first, second

    def _constraint(self, entry: dict[str, Any], where: str) -> Constraint:
        if "zero" in entry:
            check_keys(entry, ("zero",), (), f"{where}.")
            value = self._formula(entry["zero"], f"{where}.zero", self.motions)
            return Equation(value, bool(value.free_symbols & set(self.rates)))
        if "body" in entry:
            check_keys(entry, ("body", "point", "directions"), ("in",), f"{where}.")
            return Contact(
                self._known(entry, "body", where, tuple(self.bodies)),
                self._known(entry, "point", where, tuple(self.points)),
                self._known(entry, "in", where, self._all_frames()),
                self._vectors(entry["directions"], f"{where}.directions"),
            )
        if "points" not in entry:
            raise InputError(
                f"{where}: found {', '.join(entry) or 'nothing'}; expected zero = 'formula', or "
                "points and directions, or body, point and directions"
            )
        check_keys(entry, ("points", "directions"), ("in",), f"{where}.")
        return Meeting(
            self._pair(entry, where),
            self._known(entry, "in", where, self._all_frames()),
            self._vectors(entry["directions"], f"{where}.directions"),
        )

    def _of_coordinates(
        self, key: str, variables: Mapping[str, sympy.Expr]
    ) -> dict[sympy.Symbol, sympy.Expr]:
        known = [s.name for s in self.coordinates]
        return {
            symbol(_one_of(name, key, known)): self._formula(value, f"{key}.{name}", variables)
            for name, value in table(self.data, key).items()
        }

    def _start(self) -> dict[sympy.Symbol, float]:
        own = [symbol(name) for name in table(self.data, "speeds")] or list(self.rates)
        known = [s.name for s in (*self.coordinates, *own)]
        return {
            symbol(_one_of(name, "start", known)): _finite(value, f"start.{name}")
            for name, value in table(self.data, "start").items()
        }

    def _course(self) -> Course:
        entry = table(self.data, "run")
        check_keys(entry, (), ("duration", "steps", "tolerance", "inputs"), "run.")
        usual = Course()
        numbers = {
            key: _finite(entry.get(key, getattr(usual, key)), f"run.{key}")
            for key in ("duration", "steps", "tolerance")
        }
        for key, value in numbers.items():
            if not value > 0 or (key == "steps" and value != int(value)):
                wanted = "a whole number above zero" if key == "steps" else "more than zero"
                raise InputError(f"run.{key}: found {value:g}; expected {wanted}")
        if not _FINEST <= numbers["tolerance"] <= _COARSEST:
            raise InputError(
                f"run.tolerance: found {numbers['tolerance']:g}; expected {_FINEST:g} to "
                f"{_COARSEST:g}"
            )
        known = [s.name for s in self.inputs]
        inputs = {
            symbol(_one_of(name, "run.inputs", known)): self._formula(
                value, f"run.inputs.{name}", self.motions
            )
            for name, value in table(entry, "inputs", "run.").items()
        }
        return Course(numbers["duration"], int(numbers["steps"]), numbers["tolerance"], inputs)

    def _all_frames(self) -> tuple[str, ...]:
        return (GROUND, *self.frames)

    def _known(self, entry: dict[str, Any], key: str, where: str, known: tuple[str, ...]) -> str:
        """Return a name under a key: one of the known ones, by default the first."""
        return _one_of(entry[key], f"{where}.{key}", known) if key in entry else known[0]


def table(data: Mapping[str, Any], key: str, prefix: str = "") -> dict[str, Any]:
    """Return a table of names, empty if missing."""
    found = data.get(key, {})
    if not isinstance(found, dict) or len(found) > _MOST_NAMES:
        raise InputError(
            f"{prefix}{key}: found {brief(found)}; expected a table of at most {_MOST_NAMES} names"
        )
    return found


def _one_of(found: Any, where: str, known: Any) -> str:
    if found not in known:
        raise InputError(
            f"{where}: found {brief(found)}; expected one of {', '.join(known) or 'none declared'}"
            f"{nearest(str(found), known)}"
        )
    return str(found)


def _finite(found: Any, where: str) -> float:
    if isinstance(found, bool) or not isinstance(found, int | float) or not math.isfinite(found):
        raise InputError(f"{where}: found {brief(found)}; expected a finite number")
    return float(found)


def _check_sign(value: sympy.Expr, constants: Mapping[sympy.Symbol, float], where: str) -> None:
    """Check that a mass or a moment of inertia is not negative."""
    number = float(value.xreplace({s: sympy.Float(v) for s, v in constants.items()}))
    if not number >= 0:
        raise InputError(f"{where}: found {value} = {number:g}; expected zero or more")


def _tables(data: dict[str, Any], key: str) -> list[tuple[str, dict[str, Any]]]:
    """Return the named tables under a key."""
    found = []
    for name, entry in table(data, key).items():
        where = f"{key}.{checked_name(name, f'{key}.{name}')}"
        if name in (GROUND, ORIGIN):
            raise InputError(f"{where}: found a name that exists; expected another one")
        if not isinstance(entry, dict):
            raise InputError(f"{where}: found {brief(entry)}; expected a table")
        found.append((name, entry))
    return found


def _list(data: dict[str, Any], key: str) -> list[tuple[dict[str, Any], str]]:
    """Return the tables of a list under a key, and where they are."""
    found = data.get(key, [])
    if not isinstance(found, list | tuple) or not all(isinstance(e, dict) for e in found):
        raise InputError(f"{key}: found {brief(found)}; expected tables [[{key}]]")
    return [(entry, f"{key}[{k}]") for k, entry in enumerate(found)]
