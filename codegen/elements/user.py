# SPDX-License-Identifier: BSD-3-Clause
"""A user's own element, declared in a TOML file: data only, nothing in it is executed.

name = "oscillator"          # a C identifier
cell = "point"               # reference cell
nodes = [[]]                 # reference coordinates, numbers or fractions such as "1/2"
monomials = ["1"]            # interpolation space, as many as nodes: xi, eta, zeta; in a
                             # pyramid also ratios such as "xi*eta/(1 - zeta)"
components = 2               # coordinates a node: 2 in the plane, 3 in space
strain = "displacement"      # strain operator: small_strain, selective or displacement
law = "spring"               # isotropic, plane_stress, plane_strain, selective,
                             # selective_plane_strain or spring
density = "mass"             # name of the inertia parameter (default density)
degree = { stiffness = 0, mass = 0 }     # the quadrature is exact for these
recovery = ["1"]             # basis in which stresses are extrapolated (default constant)
section = "thickness"        # factor of the volume (default none)
"""

from __future__ import annotations

import ast
import re
import tomllib
from fractions import Fraction
from pathlib import Path
from typing import Any

import sympy
from flexforge.codegen.elements.constitutive import LAWS, Constitutive, spring
from flexforge.codegen.elements.declaration import CELL_DIMENSION, Element
from flexforge.codegen.elements.interpolation import REFERENCE
from flexforge.codegen.elements.strain import OPERATORS, STRAINS
from flexforge.codegen.errors import InputError, nearest

_REQUIRED = ("name", "cell", "nodes", "monomials", "components", "strain", "law", "degree")
_OPTIONAL = ("density", "recovery", "section", "description")
_MOST_NODES = 64


def load_element(path: Path) -> Element:
    """Read the declaration of an element.

    Parameters
    ----------
    path : Path
        A TOML file with the keys named above.

    Returns
    -------
    Element

    Raises
    ------
    InputError
        Naming the file and the key: what was found and what is expected.
    """
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: not a TOML file ({error})") from error
    try:
        return _declare(data)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def _declare(data: dict[str, Any]) -> Element:
    known = (*_REQUIRED, *_OPTIONAL)
    for key in data:
        if key not in known:
            raise InputError(f"{key}: unknown key{nearest(key, known)}")
    for key in _REQUIRED:
        if key not in data:
            raise InputError(f"{key}: missing; expected one of the required keys")
    name = _text(data, "name")
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]{0,63}", name):
        raise InputError(f"name: found '{name}'; expected a C identifier of up to 64 characters")
    components = data["components"]
    if components not in (2, 3) or isinstance(components, bool):
        raise InputError(f"components: found {components!r}; expected 2 or 3")
    cell = _choice(data, "cell", tuple(CELL_DIMENSION))
    nodes = _list(data, "nodes")
    return Element(
        name=name,
        cell=cell,
        nodes=tuple(tuple(_number(x, f"nodes[{i}]") for x in n) for i, n in enumerate(nodes)),
        monomials=_polynomials(data, "monomials", CELL_DIMENSION[cell], cell == "pyramid"),
        components=components,
        strain=_choice(data, "strain", tuple(OPERATORS)),
        constitutive=_law(data, components),
        degree=_degree(data["degree"]),
        recovery=(
            _polynomials(data, "recovery", CELL_DIMENSION[cell])
            if "recovery" in data
            else (sympy.Integer(1),)
        ),
        section=_text(data, "section") if "section" in data else None,
        density=_text(data, "density") if "density" in data else "density",
        description=_text(data, "description") if "description" in data else "a user's element",
    )


def _text(data: dict[str, Any], key: str) -> str:
    if not isinstance(data[key], str):
        raise InputError(f"{key}: found {data[key]!r}; expected a text")
    return str(data[key])


def _list(data: dict[str, Any], key: str) -> list[Any]:
    found = data[key]
    if not isinstance(found, list) or not 0 < len(found) <= _MOST_NODES:
        raise InputError(f"{key}: found {found!r}; expected a list of 1 to {_MOST_NODES} entries")
    if key == "nodes" and not all(isinstance(node, list) for node in found):
        raise InputError(f"{key}: found {found!r}; expected a list of lists of coordinates")
    return found


def _choice(data: dict[str, Any], key: str, options: tuple[str, ...]) -> str:
    value = _text(data, key)
    if value not in options:
        raise InputError(
            f"{key}: found '{value}'; expected one of {', '.join(options)}{nearest(value, options)}"
        )
    return value


def _law(data: dict[str, Any], components: int) -> Constitutive:
    law = _choice(data, "law", (*LAWS, "spring"))
    if law == "spring":
        if data["strain"] != "displacement":
            raise InputError("strain: a spring's is the displacement; expected 'displacement'")
        return spring(components)
    found = LAWS[law]
    size = {2: 3, 3: 6}[components] + (data["strain"] == "selective")
    if found.matrix.rows != size or data["strain"] not in STRAINS:
        raise InputError(
            f"law: '{law}' does not fit strain '{data['strain']}' with {components} components"
        )
    return found


def _degree(found: Any) -> dict[str, int]:
    if not isinstance(found, dict) or set(found) != {"stiffness", "mass"}:
        raise InputError(f"degree: found {found!r}; expected {{ stiffness = .., mass = .. }}")
    for key, value in found.items():
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= 12:
            raise InputError(f"degree.{key}: found {value!r}; expected a whole number from 0 to 12")
    return dict(found)


def _number(found: Any, key: str) -> sympy.Rational:
    if isinstance(found, (int, float, str)) and not isinstance(found, bool):
        try:
            exact = Fraction(found)
        except (ValueError, ZeroDivisionError, OverflowError):
            pass
        else:
            return sympy.Rational(exact.numerator, exact.denominator)
    raise InputError(f"{key}: found {found!r}; expected a number, or a fraction such as '1/2'")


def _polynomials(
    data: dict[str, Any], key: str, dimension: int, ratios: bool = False
) -> tuple[sympy.Expr, ...]:
    """Return the polynomials of a list; ``ratios``: also over ``1 - zeta``, as pyramids need."""
    variables = {str(symbol): symbol for symbol in REFERENCE[:dimension]}
    found = []
    for i, text in enumerate(_list(data, key)):
        where = f"{key}[{i}]"
        if not isinstance(text, str) or len(text) > 200:
            raise InputError(f"{where}: found {text!r}; expected a text such as 'xi*eta'")
        try:
            tree = ast.parse(text, mode="eval")
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise InputError(f"{where}: found '{text}'; expected a polynomial") from None
        body, below = tree.body, sympy.Integer(1)
        if ratios and isinstance(body, ast.BinOp) and isinstance(body.op, ast.Div):
            bottom = _polynomial(body.right, variables, where)
            if sympy.expand(bottom - (1 - REFERENCE[2])) == 0:
                body, below = body.left, bottom
        found.append(sympy.expand(_polynomial(body, variables, where)) / below)
    return tuple(found)


def _polynomial(node: ast.expr, variables: dict[str, sympy.Symbol], where: str) -> sympy.Expr:
    """Return the polynomial of a syntax tree; anything that is none is refused."""
    match node:
        case ast.Constant(value=int() as value) if not isinstance(value, bool):
            return sympy.Integer(value)
        case ast.Name(id=name) if name in variables:
            return variables[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_polynomial(operand, variables, where)
        case ast.BinOp(left=left, op=ast.Pow(), right=ast.Constant(value=int() as power)) if (
            0 <= power <= 8
        ):
            return _polynomial(left, variables, where) ** power
        case ast.BinOp(left=left, op=ast.Div(), right=ast.Constant(value=int() as divisor)) if (
            divisor
        ):
            return _polynomial(left, variables, where) / divisor
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() as operation, right=right):
            a = _polynomial(left, variables, where)
            b = _polynomial(right, variables, where)
            if isinstance(operation, ast.Mult):
                return a * b
            return a + b if isinstance(operation, ast.Add) else a - b
    raise InputError(
        f"{where}: found '{ast.unparse(node)}'; expected a polynomial in "
        f"{', '.join(variables) or 'nothing (a point has no coordinates)'} with whole powers to 8"
    )
