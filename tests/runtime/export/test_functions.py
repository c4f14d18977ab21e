# SPDX-License-Identifier: BSD-3-Clause
"""Functions of time in C against those of Python: values, derivatives, integrals, kinks."""

from __future__ import annotations

import contextlib
import ctypes
import random
import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from exported import STRICT, Library, compile_shared, write
from flexforge.codegen.errors import InputError
from flexforge.runtime.export.functions import Functions
from flexforge.runtime.export.library import HEADERS, library_files
from flexforge.runtime.export.solver import build_solver
from flexforge.runtime.formula.expressions import parse_expression
from flexforge.runtime.formula.functions import FUNCTIONS
from flexforge.runtime.formula.jets import Jet
from flexforge.runtime.formula.program import _JET_OPERATORS
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.motion.profiles import (
    ExpressionProfile,
    InputProfile,
    PolynomialProfile,
    Profile,
    RampProfile,
    TableProfile,
)

SPAN = 2.0
TIMES = [-0.7, 0.0, 0.03, 0.25, 0.5, 0.9, 1.0, 1.37, 1.999, 2.0, 3.1]
EVALUATE = """
void evaluate(int k, double t, const double *inputs, double *out)
{
    const ff_jet found = all[k](t, inputs);
    out[0] = found.value, out[1] = found.first, out[2] = found.second;
}
void integrate(int k, double chunk, int kinks, const double *kink, double to, double *knot)
{
    ff_knot moved = {knot[0], knot[1], knot[2]};
    ff_move(&moved, all[k], 0, chunk, kinks, kink, to);
    knot[0] = moved.time, knot[1] = moved.once, knot[2] = moved.twice;
}
"""


class Compiled:
    """Functions of time, compiled.

    Parameters
    ----------
    profiles : sequence of Profile
        What they are.
    folder : Path
        Where they are compiled.
    """

    def __init__(self, profiles: Sequence[Profile], folder: Path) -> None:
        functions = Functions()
        names = [functions.add(one) for one in profiles]
        table = f"static const ff_function all[] = {{{', '.join(names)}}};\n"
        text = folder / "all.c"
        parts = ['#include "ff_integrals.h"\n', *functions.texts, table, EVALUATE]
        text.write_text("\n".join(parts), encoding="ascii")
        out = folder / "all.so"
        subprocess.run(["gcc", *STRICT, "-O1", "-shared", "-fPIC", f"-I{HEADERS}", str(text),
                        "-o", str(out), "-lm"], check=True)  # fmt: skip
        self._library = ctypes.CDLL(str(out))

    def jet(self, k: int, t: float, inputs: Sequence[float] = (0.0,)) -> np.ndarray:
        """Return value, first and second derivative."""
        out = (ctypes.c_double * 3)()
        given = (ctypes.c_double * len(inputs))(*inputs)
        self._library.evaluate(k, ctypes.c_double(t), given, out)
        return np.array(out)

    def integral(self, k: int, breaks: Sequence[float], times: Sequence[float]) -> np.ndarray:
        """Return both integrals from zero at times that are gone through in order."""
        knot = (ctypes.c_double * 3)(0.0, 0.0, 0.0)
        kink = (ctypes.c_double * max(len(breaks), 1))(*breaks)
        rows = []
        for t in times:
            self._library.integrate(
                k, ctypes.c_double(SPAN / 64), len(breaks), kink, ctypes.c_double(t), knot
            )
            rows.append([knot[1], knot[2]])
        return np.array(rows)


def formula(chance: random.Random, depth: int) -> str:
    """Return a formula of any function and operator."""
    if depth == 0:
        return chance.choice(["t", "t", "t", "0.7", "2", "1.3", "pi", "e", "-0.4", "(t - 1)"])

    def part() -> str:
        return formula(chance, depth - 1)

    if chance.random() < 0.5:
        operator = chance.choice(["+", "-", "*", "/", "**"])
        if operator == "**" and chance.random() < 0.7:
            return f"({part()})**{chance.choice(['2', '3', '0.5', '1.5', '(-1)', '0', '1'])}"
        return f"({part()}) {operator} ({part()})"
    name = chance.choice(sorted(FUNCTIONS))
    one = FUNCTIONS[name]
    count = min(chance.randint(one.least, one.most), 3)
    return f"{chance.choice(['', '-'])}{name}({', '.join(part() for _ in range(count))})"


def shaken(expression, t: float, noise: np.random.Generator) -> np.ndarray:
    """Return the jet of a formula with the last digit of every operation changed at random."""

    def one(jet: Jet) -> Jet:
        parts = (jet.value, jet.first, jet.second)
        return Jet(*(np.float64(x) * (1.0 + 2e-16 * noise.uniform(-1, 1)) for x in parts))

    stack: list[Jet] = []
    with np.errstate(all="ignore"):
        for step in expression.program:
            if step.kind == "number":
                stack.append(Jet(np.float64(step.number), np.float64(0.0), np.float64(0.0)))
            elif step.kind == "variable":
                stack.append(Jet(np.float64(t), np.float64(1.0), np.float64(0.0)))
            else:
                arguments = stack[-step.arity :]
                del stack[-step.arity :]
                apply = (_JET_OPERATORS[step.name] if step.kind == "operator"
                         else FUNCTIONS[step.name].jet)  # fmt: skip
                stack.append(one(apply(*arguments)))
    found = stack[0]
    return np.array([found.value, found.first, found.second], dtype=float)


@pytest.fixture(scope="module")
def formulas() -> list[str]:
    """Formulas that parse, every function among them."""
    chance, found = random.Random(20), []
    for depth in (1, 2, 3):
        while len(found) < 150 * depth:
            text = formula(chance, depth)
            with contextlib.suppress(InputError):  # a step at a time that is not finite
                parse_expression(text)
                found.append(text)
    assert all(any(f"{name}(" in one for one in found) for name in FUNCTIONS)
    return found


def test_formulas_by_chance(formulas, tmp_path):
    """Value and two derivatives at 11 times: to 1e-13 and what last digits can make."""
    profiles = [ExpressionProfile(parse_expression(one), SPAN) for one in formulas]
    compiled, noise = Compiled(profiles, tmp_path), np.random.default_rng(1)
    compared = undefined = 0
    for k, profile in enumerate(profiles):
        for t in TIMES:
            found = compiled.jet(k, t)
            samples = np.array([shaken(profile.expression, t, noise) for _ in range(6)])
            for order in range(3):
                try:
                    wanted = float(profile.derivative(t, order))
                except InputError:
                    if np.isfinite(samples[:, order]).any():
                        continue  # on the edge of where it is defined
                    undefined += 1
                    assert not np.isfinite(found[order]), (formulas[k], t, order, found)
                    continue
                spread = np.ptp(samples[:, order])
                if not np.isfinite(spread) or spread > 1e-9 * max(abs(wanted), 1.0):
                    continue  # at a kink or a pole, or nothing but round-off
                compared += 1
                scale = max(abs(wanted), 1.0)
                error = abs(found[order] - wanted)
                assert error <= 1e-13 * scale + 10 * spread, (formulas[k], t, order, found, wanted)
    print(f"{compared} compared, {undefined} undefined in both")
    assert compared > 7000
    assert undefined > 500


TABLE = np.array([0.1, 0.4, 0.45, 0.9, 1.6]), np.array([1.0, -2.0, 0.5, 0.7, 3.0])
PROFILES = {
    "ramp": RampProfile(3.0, 0.7, -1.0, 0.4),
    "ramp at once": RampProfile(3.0, 1e-9, -1.0, 0.4),
    "ramp before zero": RampProfile(-2.0, 1.0, 5.0, -0.5),
    "constant": PolynomialProfile([2.5]),
    "polynomial": PolynomialProfile([1.0, -2.0, 0.5, 4.0, -0.3]),
    "hold": TableProfile(*TABLE, "table", hold=True),
    "two rows": TableProfile(TABLE[0][:2], TABLE[1][:2], "table", hold=True),
    "three rows": TableProfile(TABLE[0][:3], TABLE[1][:3], "table", hold=True),
    "covered": TableProfile(np.linspace(-1.0, 4.0, 30), np.sin(np.arange(30.0)), "table"),
}
KINKED = [
    "abs(sin(7*t))", "max(0.3, cos(5*t))", "min(t, 0.6, 2 - t)", "step(t, 0.31)",
    "step(sin(9*t), 0.2)", "smooth_step(t, 0.2, 1.1)", "abs(t - 0.5)*exp(-t)", "sqrt(abs(t - 1))",
    "sin(40*t)*exp(-3*t)", "max(step(t, 0.5), t)", "abs(t - 1e-7)", "0*t", "1/(1 + 100*(t - 1)**2)",
]  # fmt: skip


@pytest.fixture(scope="module")
def named(tmp_path_factory) -> tuple[list[Profile], Compiled]:
    """Profiles that are no formulas, then formulas with kinks."""
    kinked = [ExpressionProfile(parse_expression(one), SPAN) for one in KINKED]
    profiles = [*PROFILES.values(), *kinked]
    return profiles, Compiled(profiles, tmp_path_factory.mktemp("named"))


@pytest.mark.parametrize("k", range(len(PROFILES)), ids=list(PROFILES))
def test_ramps_polynomials_and_tables(named, k):
    """Value and two derivatives, at the joints too: 1e-13 of the largest value."""
    profiles, compiled = named
    profile = profiles[k]
    times = np.array([*TIMES, *profile.breaks, *np.linspace(-0.9, 3.9, 97)])
    found = np.array([compiled.jet(k, t) for t in times])
    for order in range(3):
        wanted = profile.derivative(times, order)
        size = max(np.abs(wanted).max(), 1e-300)
        np.testing.assert_allclose(found[:, order], wanted, rtol=0, atol=1e-13 * size)


@pytest.mark.parametrize("k", range(len(PROFILES) + len(KINKED)), ids=[*PROFILES, *KINKED])
def test_integrals(named, k):
    """Once and twice, in steps of 1 ms over kinks and jumps and at once: 1e-12 of the scale."""
    profiles, compiled = named
    profile = profiles[k]
    steps = np.arange(1, 2001) * 1e-3
    far = np.array([2.0])
    size = max(np.abs(profile.derivative(steps, 0)).max(), 1e-300)
    for times in (steps, far, np.array([-0.9])):
        found = compiled.integral(k, profile.breaks, times)
        for order in (1, 2):
            wanted = profile.integral(times[-1:], order)
            scale = size * abs(times[-1]) ** order
            np.testing.assert_allclose(found[-1:, order - 1], wanted, rtol=0, atol=1e-12 * scale)


def test_an_integral_to_a_time_far_away_ends(named):
    """A billion seconds: pieces grow with time, as those of Python do."""
    _, compiled = named
    k = list(PROFILES).index("ramp")
    found = compiled.integral(k, PROFILES["ramp"].breaks, [1e9])
    assert found[0, 0] == pytest.approx(float(PROFILES["ramp"].integral(1e9)), rel=1e-12)


def test_an_input_goes_on_as_a_parabola(tmp_path):
    """Set at 0.5 s to 2, -3 and 4: by Taylor's formula at any time."""
    compiled = Compiled([InputProfile("push", 0.0)], tmp_path)
    for t in (0.5, 0.75, 2.0, 0.0):
        past = t - 0.5
        wanted = [2 - 3 * past + 2 * past**2, -3 + 4 * past, 4]
        found = compiled.jet(0, t, (2.0, -3.0, 4.0, 0.5))
        np.testing.assert_allclose(found, wanted, rtol=1e-15, atol=1e-15)


@pytest.mark.parametrize("frame", [
    {"acceleration": {"table": "short.csv"}}, {"velocity": {"table": "short.csv"}},
    {"acceleration": "sqrt(0.05 - t)"}, {"velocity": "log(0.05 - t)"},
])  # fmt: skip
def test_beyond_what_is_known_the_state_stays(frame, tmp_path):
    """A table or a formula that ends at 50 ms: code 2 then, and no bit of the state changes."""
    rows = "".join(f"{0.005 * i},{np.sin(i)}\n" for i in range(11))
    (tmp_path / "short.csv").write_text(f"t,a\n{rows}", encoding="ascii")
    given = {
        "mesh": {"block": {"cell": "line2", "corners": [[0, 0], [1, 0]], "divisions": [1]}},
        "materials": {"steel": {"young": 2e11, "poisson": 0.3, "density": 7800}},
        "bodies": [{"name": "bar", "element": "euler_beam_plane", "material": "steel",
                    "section": {"shape": "round", "diameter": 0.02}, "frame": frame}],
        "supports": [{"group": "xmin", "components": ["x", "y", "rz"]}],
        "loads": [{"kind": "gravity", "acceleration": [0, -9.81, 0]}],
        "probes": [{"name": "v", "group": "xmax", "component": "y"}],
        "analysis": {"kind": "transient", "duration": 0.04, "step": 4e-3},
    }  # fmt: skip
    solver = build_solver(model_from_dict(given, folder=tmp_path), "bar")
    folder = write(library_files(solver), tmp_path / "c")
    one = Library(compile_shared(folder, "bar"), solver).create()
    codes = []
    for _ in range(16):
        before = bytes(one.state())
        codes.append(one.step(4e-3))
        if codes[-1]:
            assert bytes(one.state()) == before
    assert codes[:11] == [0] * 11
    assert set(codes[13:]) == {2}
    before, time = bytes(one.state()), one.time
    assert one.start(1.0) == 2
    assert bytes(one.state()) == before
    assert one.time == time
    assert one.step(1e-4) == 0
    one.free()
