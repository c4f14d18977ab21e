# SPDX-License-Identifier: BSD-3-Clause
"""Formulas of model files and of elements' files, and tables of time."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from random import Random

import numpy as np
from flexforge.codegen.elements.expressions import parse
from flexforge.codegen.errors import InputError
from flexforge.runtime.formula.expressions import parse_expression
from flexforge.runtime.formula.functions import CONSTANTS, FUNCTIONS
from flexforge.runtime.motion import tables
from flexforge.runtime.motion.profiles import ExpressionProfile, TableProfile

from fuzzing.mutate import mutate_text, number
from fuzzing.target import EXAMPLES, Target, require_finite

_TIMES = np.array([0.0, 1e-3, 0.5, 1.0])
_FORMULAS = (
    "2*sin(3*t)",
    "0.1*cos(4*t)**2 - t/(1 + t**2)",
    "0.5 - 0.5*tanh(8*cos(6*t))",
    "e**(-t) * pi",
    "t",
    "smooth_step(t, 0.1, 0.2) + step(t, 0.3)",
    "sqrt(1 + t) * exp(-t)",
    "min(t, 1) + max(0, t - 1)",
    "atan2(sin(t), 2 + cos(t))",
    "abs(t - 0.5)",
    "log(2 + t)",
    "-t**3 + +t",
    "1/3",
    "asin(0.5*t)",
)


def _formulas() -> list[bytes]:
    return [formula.encode() for formula in _FORMULAS]


def _formula(rng: Random, depth: int = 0) -> str:
    """Return a formula by the grammar, with what may go wrong in it."""
    kind = rng.randrange(10) if depth < 5 else 0
    if kind < 3:
        return rng.choice(("t", "t", number(rng), *CONSTANTS))
    if kind < 7:
        operator = rng.choice(("+", "-", "*", "/", "**", "^", "//", "%"))
        return f"({_formula(rng, depth + 1)} {operator} {_formula(rng, depth + 1)})"
    if kind == 7:
        return f"-{_formula(rng, depth + 1)}"
    name, count = rng.choice(list(FUNCTIONS)), rng.choice((1, 1, 2, 3))
    if rng.random() < 0.8:
        count = FUNCTIONS[name].least
    return f"{name}({', '.join(_formula(rng, depth + 1) for _ in range(count))})"


def _change(rng: Random, seeds: Sequence[bytes]) -> bytes:
    if rng.random() < 0.5:
        return _formula(rng).encode("utf-8", "replace")
    return mutate_text(rng, seeds)


def _text(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "replace")


def _read_formula(path: Path) -> None:
    formula = parse_expression(_text(path))
    require_finite("value", formula(t=_TIMES))
    for order in (1, 2):
        require_finite(f"derivative {order}", formula.derivative(_TIMES, order))


def _read_profile(path: Path) -> None:
    profile = ExpressionProfile(parse_expression(_text(path)), 1.0)
    for order in (1, 2):
        require_finite(f"integral {order}", profile.integral(_TIMES, order))


def _read_polynomial(path: Path) -> None:
    import sympy

    variables = {name: sympy.Symbol(name) for name in ("xi", "eta", "zeta")}
    text = _text(path)
    value = parse(text, variables, "shape[0]", ratios=len(text) % 2 == 0)
    sympy.expand(value)


def _polynomials() -> list[bytes]:
    found = [b"1", b"xi*eta/(1 - zeta)", b"(1 - xi**2)*(1 + eta)/4", b"-xi/2 + 3*eta**3", b"1/2"]
    for path in EXAMPLES.glob("elements/*.toml"):
        found += [text.encode() for text in re.findall(r'"([^"]*xi[^"]*)"', path.read_text())]
    return found


_TABLE = b"t, angle, torque\n0, 0, 1\n0.1, 0.2, 3\n0.2, 0.5, 1e-3\n0.5, 0.25, -7\n"


def _tables() -> list[bytes]:
    arm = (EXAMPLES / "robot_arm" / "angles.csv").read_bytes()
    return [
        _TABLE,
        b"# two columns\n0 1\n1 2\n2 4\n3 8\n",
        b"0;1\n1;-1\n",
        arm[:600],
        b"\xef\xbb\xbftime,angle\r\n0.0,1.0\r\n1e-3,1.5\r\n",
    ]


def _read_table(path: Path) -> None:
    for column in (2, "angle"):
        try:
            times, values = tables.read_table(path, column)
        except InputError:
            if column == "angle":
                raise
            continue
        profile = TableProfile(times, values, "angle", hold=True)
        at = np.linspace(times[0], times[-1], 7)
        for order in (0, 1, 2):
            require_finite(f"derivative {order}", profile.derivative(at, order))


TARGETS = (
    Target("formula", "formula.txt", _formulas, _change, _read_formula, share=4.0, count=500),
    Target("profile", "formula.txt", _formulas, _change, _read_profile, share=0.5, count=10),
    Target(
        "polynomial",
        "formula.txt",
        _polynomials,
        mutate_text,
        _read_polynomial,
        share=2.5,
        count=100,
    ),
    Target("table", "table.csv", _tables, mutate_text, _read_table, count=100),
)
