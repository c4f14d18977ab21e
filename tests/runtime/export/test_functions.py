# SPDX-License-Identifier: BSD-3-Clause
"""Functions of time as printed C: the bits of the interpreter, and integrals by moving knots."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

import mpmath
import numpy as np
import pytest
from exported import STRICT, Library, compile_shared, write
from flexforge.runtime._functions import OPERATIONS, Function
from flexforge.runtime.export.library import HEADERS, library_files
from flexforge.runtime.export.solver import build_solver
from flexforge.runtime.formula.expressions import parse_expression
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.motion.profiles import (
    ExpressionProfile,
    InputProfile,
    PolynomialProfile,
    Profile,
    RampProfile,
    TableProfile,
)
from flexforge.runtime.native.inputs import Functions
from flexforge.runtime.tables.text import definition, printed
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from marks import slow

SPAN = 2.0
#: As the module is compiled that interprets them.
FLAGS = ("-std=c99", "-O3", "-ffp-contract=off", "-Wall", "-Wextra", "-Wpedantic", "-Werror")
EDGES = [0.0, -0.0, 5e-324, 1e-308, 0.5, -1.0, 1.0, 2.0, 1e154, 1e308, np.inf, -np.inf, np.nan]
EVALUATE = """
void evaluate(int k, double t, const double *inputs, double *out)
{
    const ff_jet found = ff_function_at(all[k], t, inputs);
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
    flags : sequence of str
        What the compiler is told.
    """

    def __init__(
        self, profiles: Sequence[Profile], folder: Path, flags: Sequence[str] = (*STRICT, "-O1")
    ) -> None:
        functions = Functions()
        texts = [
            definition(f"function_{k}", printed(functions.add(one)))
            for k, one in enumerate(profiles)
        ]
        names = ", ".join(f"{{function_{k}, 0}}" for k in range(len(texts)))
        table = f"static const ff_function all[] = {{{names}}};\n"
        text = folder / "all.c"
        parts = ['#include "ff_integrals.h"\n', *texts, table, EVALUATE]
        text.write_text("\n".join(parts), encoding="ascii")
        out = folder / "all.so"
        subprocess.run(["gcc", *flags, "-shared", "-fPIC", f"-I{HEADERS}", str(text),
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


def same_bits(found: np.ndarray, wanted: np.ndarray) -> bool:
    """Return whether numbers are the same, signs of zeros too; one NaN is as good as another."""
    both = np.isnan(found) & np.isnan(wanted)
    return bool(np.all(both | (found.view(np.int64) == wanted.view(np.int64))))


#: Operations of time with their constants.
NUMBERS = st.one_of(st.sampled_from(EDGES), st.floats(-4.0, 4.0), st.floats())
OF_TIME = st.one_of(
    st.just(("variable", [])),
    st.just(("variable", [])),
    st.just(("input", [])),
    NUMBERS.map(lambda x: ("number", [x])),
    st.lists(NUMBERS, min_size=1, max_size=4).map(lambda c: ("polynomial", c)),
    st.tuples(
        st.sampled_from(["ramp", "ramp_once", "ramp_twice"]),
        st.tuples(NUMBERS, NUMBERS, st.floats(-1.0, 1.0), st.floats(0.1, 2.0)).map(list),
    ),
    st.tuples(st.integers(0, 2), st.booleans(), st.lists(NUMBERS, min_size=12, max_size=12)).map(
        lambda p: (
            ("spline", "spline_once", "spline_twice")[p[0]],
            [float(p[1]), 1e-9, -0.5, 0.75, 1.5, *p[2][: 2 * (4 + p[0])]],
        )
    ),
)
Program = tuple[list[tuple[str, int, int]], list[float]]


@st.composite
def programs(draw: Callable) -> Program:
    """Return a program of up to twelve operations."""
    code, numbers, depth = [], [], 0
    for _ in range(draw(st.integers(1, 12))):
        names = [name for name, (_, count) in OPERATIONS.items() if 0 < count <= depth]
        if names and draw(st.integers(0, 2)):
            name = draw(st.sampled_from(names))
            code.append((name, 0, 0))
            depth += 1 - OPERATIONS[name][1]
        else:
            name, constants = draw(OF_TIME)
            code.append((name, len(numbers) if constants else 0, len(constants)))
            numbers += constants
            depth += 1
    code += [("subtract", 0, 0)] * (depth - 1)
    return code, numbers


def each_operation() -> list[Program]:
    """Return a program of every operation that has operands: those by chance may miss one."""
    first = [("variable", 0, 0), ("input", 0, 0), ("number", 0, 1)]
    counts = {name: count for name, (_, count) in OPERATIONS.items() if count}
    return [([*first[:count], (name, 0, 0)], [0.7]) for name, count in counts.items()]


class Told(Profile):
    """A program with one input."""

    inputs, start = ("push",), np.array([0.5, -1.5, 2.0, 0.25])


@pytest.mark.parametrize("examples", [2, slow(4)])
def test_printed_programs_have_the_bits_of_the_interpreter(examples, tmp_path_factory):
    """Programs by chance at times of all sizes: the same operations in the same order."""
    met: set[str] = set()

    @settings(
        derandomize=True,
        max_examples=examples,
        deadline=None,
        database=None,
        phases=(Phase.generate,),
    )
    @given(st.lists(programs(), min_size=60, max_size=60), st.floats(-3.0, 3.0))
    def compare(chosen: list[Program], t: float) -> None:
        found = [*chosen, *each_operation()]
        profiles = [Told(Function(code, numbers)) for code, numbers in found]
        compiled = Compiled(profiles, tmp_path_factory.mktemp("programs"), FLAGS)
        times = np.array([*EDGES, t, 0.3, 0.75, 1.25])
        for k, profile in enumerate(profiles):
            interpreted, _ = profile.function.jets(times, profile.start)
            as_c = np.array([compiled.jet(k, time, profile.start) for time in times])
            assert same_bits(as_c, interpreted), found[k]
            met.update(name for name, *_ in profile.function.code)

    compare()
    assert met == set(OPERATIONS)


TABLE_IN_C = """
#include "ff_functions.h"
#include "ff_integrals.h"
static const ff_instruction program[] = {
    {.code = FF_CODE_number, .at = 1, .count = 1},
    {.code = FF_CODE_variable},
    {.code = FF_CODE_multiply},
    {.code = FF_CODE_sin},
    {.code = FF_CODE_polynomial, .at = 0, .count = 3},
    {.code = FF_CODE_add}
};
static const double constants[] = {0.5, 3.0, -0.25};
static const ff_table table = {.length = 6, .program = program, .constants = constants};
void integrate(double to, double *out)
{
    const ff_function f = {.at = ff_interpret_at, .table = &table};
    ff_knot knot = {0.0, 0.0, 0.0};
    ff_move(&knot, f, 0, 0.1, 0, 0, to);
    out[0] = ff_function_at(f, to, 0).first, out[1] = knot.once, out[2] = knot.twice;
}
"""


def test_a_solver_may_have_tables_too(tmp_path):
    """Of sin(3 t) + 0.5 + 3 t - t^2/4 in C: slope and both integrals, by hand."""
    text, out = tmp_path / "table.c", tmp_path / "table.so"
    text.write_text(TABLE_IN_C, encoding="ascii")
    command = ["gcc", *STRICT, "-shared", "-fPIC", f"-I{HEADERS}", str(text), "-o", str(out), "-lm"]
    subprocess.run(command, check=True)
    found = (ctypes.c_double * 3)()
    ctypes.CDLL(str(out)).integrate(ctypes.c_double(2.0), found)
    once = (1 - np.cos(6)) / 3 + 0.5 * 2 + 1.5 * 4 - 8 / 12
    twice = 2 / 3 - np.sin(6) / 9 + 0.25 * 4 + 0.5 * 8 - 16 / 48
    np.testing.assert_allclose(found, [3 * np.cos(6) + 3 - 1, once, twice], rtol=1e-14)


FORMULAS = [
    "sin(2)*t + cos(0.3)**t", "t**2 + t**-1 + t**0.5 + t**3", "exp(sin(3*t)) - tanh(t)/cosh(2)",
    "min(t, 1, cos(t)) + max(0, sin(9*t))", "smooth_step(t, 0.2, sqrt(2)) + step(t, log(2))",
    "atan2(sin(t), 2 + t) + asin(0.1*t) - acos(tan(0.1))*atan(t)", "abs(sinh(t) - 1)",
]  # fmt: skip


def test_printed_profiles_have_the_bits_of_simulations(tmp_path):
    """Formulas with constants in them, which compilers evaluate too, ramps, tables, integrals."""
    profiles = [*PROFILES.values(), *(ExpressionProfile(parse_expression(one)) for one in FORMULAS)]
    integrals = [one.integrated(0.5, 1.5) for one in PROFILES.values()]
    profiles += [Profile(one) for one in integrals if one is not None]
    compiled = Compiled(profiles, tmp_path, FLAGS)
    times = np.array([*EDGES[:-3], *np.linspace(-0.9, 3.9, 501)])
    assert len(integrals) == len(PROFILES)
    for k, profile in enumerate(profiles):
        wanted, _ = profile.function.jets(times, np.zeros(0))
        assert same_bits(np.array([compiled.jet(k, t) for t in times]), wanted), k


#: Angles at which the sine is 0.2.
ASIN = (float(np.arcsin(0.2)), float(np.pi - np.arcsin(0.2)))
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


def smooth_step(t: mpmath.mpf) -> mpmath.mpf:
    """Return the quintic from 0.2 to 1.1."""
    s = min(max((t - 0.2) / (1.1 - 0.2), mpmath.mpf(0)), mpmath.mpf(1))
    return s**3 * (10 + s * (6 * s - 15))


#: Formulas that are not smooth, the same by mpmath, and the times from -0.9 to 2 of that.
KINKED = {
    "abs(sin(7*t))": (lambda t: abs(mpmath.sin(7 * t)), [k * np.pi / 7 for k in range(-2, 5)]),
    "max(0.3, cos(5*t))": (
        lambda t: max(0.3, mpmath.cos(5 * t)),
        [(sign * np.arccos(0.3) + 2 * np.pi * k) / 5 for k in (-1, 0, 1) for sign in (-1, 1)],
    ),
    "min(t, 0.6, 2 - t)": (lambda t: min(t, 0.6, 2 - t), [0.6, 1.4]),
    "step(t, 0.31)": (lambda t: mpmath.mpf(t >= 0.31), [0.31]),
    "step(sin(9*t), 0.2)": (
        lambda t: mpmath.mpf(mpmath.sin(9 * t) >= 0.2),
        [(one + 2 * np.pi * k) / 9 for k in (-1, 0, 1, 2) for one in ASIN],
    ),
    "smooth_step(t, 0.2, 1.1)": (smooth_step, [0.2, 1.1]),
    "abs(t - 0.5)*exp(-t)": (lambda t: abs(t - 0.5) * mpmath.exp(-t), [0.5]),
    "sqrt(abs(t - 1))": (lambda t: mpmath.sqrt(abs(t - 1)), [1.0]),
    "sin(40*t)*exp(-3*t)": (lambda t: mpmath.sin(40 * t) * mpmath.exp(-3 * t), []),
    "max(step(t, 0.5), t)": (lambda t: max(mpmath.mpf(t >= 0.5), t), [0.0, 0.5, 1.0]),
    "abs(t - 1e-7)": (lambda t: abs(t - 1e-7), [1e-7]),
    "0*t": (lambda t: 0 * t, []),
    "1/(1 + 100*(t - 1)**2)": (lambda t: 1 / (1 + 100 * (t - 1) ** 2), []),
}


@pytest.fixture(scope="module")
def named(tmp_path_factory) -> tuple[list[Profile], Compiled]:
    """Profiles that are no formulas, then formulas with kinks."""
    kinked = [ExpressionProfile(parse_expression(one), SPAN) for one in KINKED]
    profiles = [*PROFILES.values(), *kinked]
    return profiles, Compiled(profiles, tmp_path_factory.mktemp("named"))


@pytest.mark.parametrize("k", range(len(PROFILES)), ids=list(PROFILES))
def test_quadrature_of_what_has_an_integral_in_closed_form(named, k):
    """Once and twice, in steps of 1 ms over joints and at once: 1e-12 of the scale."""
    profiles, compiled = named
    profile = profiles[k]
    steps = np.arange(1, 2001) * 1e-3
    size = max(np.abs(profile.derivative(steps, 0)).max(), 1e-300)
    for times in (steps, np.array([2.0]), np.array([-0.9])):
        found = compiled.integral(k, profile.breaks, times)
        for order in (1, 2):
            wanted = profile.integral(times[-1:], order)
            scale = size * abs(times[-1]) ** order
            np.testing.assert_allclose(found[-1:, order - 1], wanted, rtol=0, atol=1e-12 * scale)


@pytest.mark.parametrize("text", KINKED)
def test_quadrature_over_kinks_and_jumps(named, text):
    """Once and twice, in steps of 1 ms and at once, by moving knots and kept ones: to 1e-12."""
    profiles, compiled = named
    k = len(PROFILES) + list(KINKED).index(text)
    function, kinks = KINKED[text]
    for times in (np.arange(1, 2001) * 1e-3, np.array([2.0]), np.array([-0.9])):
        to = float(times[-1])
        ends = sorted({0.0, to, *(x for x in kinks if min(0.0, to) < x < max(0.0, to))})
        ends = ends if to > 0 else ends[::-1]
        with mpmath.workdps(20):
            pieces = [list(mpmath.linspace(a, b, 5)) for a, b in pairwise(ends)]
            once = sum(mpmath.quad(function, piece) for piece in pieces)
            twice = sum(
                mpmath.quad(lambda t, to=to: (to - t) * function(t), piece) for piece in pieces
            )
        wanted = np.array([float(once), float(twice)])
        scale = np.array([abs(to), to * to])
        moved = compiled.integral(k, profiles[k].breaks, times)[-1]
        assert np.all(np.abs(moved - wanted) <= 1e-12 * scale), (moved, wanted)
        kept = profiles[k].quadrature.at(to)
        assert np.all(np.abs(kept - wanted) <= 1e-12 * scale), (kept, wanted)


def test_an_integral_to_a_time_far_away_ends(named):
    """A billion seconds: pieces grow with time."""
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
    slow({"acceleration": {"table": "short.csv"}}), {"velocity": {"table": "short.csv"}},
    slow({"acceleration": "sqrt(0.05 - t)"}), slow({"velocity": "log(0.05 - t)"}),
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
    assert one.start(0.06) == 2
    assert bytes(one.state()) == before
    assert one.time == time
    assert one.step(1e-4) == 0
    one.free()
