# SPDX-License-Identifier: BSD-3-Clause
"""Kernels of systems: what they compute, C that compiles alone, sines side by side."""

from __future__ import annotations

import ctypes
import math
import subprocess

import mpmath
import numpy as np
import pytest
from chains import chain, example
from flexforge.codegen.emission.sines import sines_source
from flexforge.codegen.ir.interpret import interpret
from flexforge.codegen.systems.derivation import derive_system
from flexforge.codegen.systems.lower import system_kernel, system_terms
from flexforge.codegen.systems.output import generate_system


def _random(equations, seed=5):
    """Return numbers for all symbols of a system, as a dict and as arguments of a program."""
    system, rng = equations.system, np.random.default_rng(seed)
    names = (*equations.speeds, *system.inputs)
    q, z = (rng.uniform(0.2, 1.2, len(part)) for part in (system.coordinates, names))
    constants = rng.uniform(0.5, 1.5, len(system.constants))
    known = dict(zip(system.coordinates, q, strict=True)) | dict(zip(names, z, strict=True))
    known |= dict(zip(system.constants, constants, strict=True))
    return known, q, z, constants


def _run(kernel, q, z, constants):
    """Return what the program of a kernel computes, by the interpreter."""
    inputs = {}
    for array in kernel.program.arrays:
        if array.kind == "input":
            values = q if array.name == "coordinates" else np.append(z, 0.3)
            filled = np.zeros(math.prod(array.shape))
            filled[: len(values)] = values
            inputs[array.name] = filled.reshape(*array.shape, 1)
    names = [parameter.name for parameter in kernel.parameters]
    return interpret(kernel.program, inputs, dict(zip(names, constants, strict=True)))[..., 0]


@pytest.mark.parametrize("name", ["rolling_disc", "slider_crank", "spinning_top"])
def test_kernels_compute_the_equations(name):
    """M, h and the solved rates against the values of the derivation to 60 digits."""
    equations = derive_system(example(name))
    known, q, z, constants = _random(equations)
    time = next(s for s in [*equations.kinematics.rates()] if s.name == "t")
    values = equations.at(known | {time: 0.3})
    n = len(equations.speeds)
    mass = np.array([[float(values.of(equations.mass[i, j])) for j in range(n)] for i in range(n)])
    forces = np.array([float(values.of(h)) for h in equations.forces])
    found = _run(system_kernel(equations, "equations"), q, z, constants)
    assert found == pytest.approx(np.column_stack([mass, forces]), rel=1e-12, abs=1e-13)
    rates = [float(values.of(rate)) for rate in equations.rates]
    moved = _run(system_kernel(equations, "motion"), q, z, constants)[:, 0]
    expected = np.concatenate([rates, np.linalg.solve(mass, -forces)])
    assert moved == pytest.approx(expected, rel=1e-10, abs=1e-12)


def test_the_smaller_of_two_programs_is_taken():
    """Multiplied out where that is shorter, as of a disc; named quantities of long chains."""
    assert system_kernel(derive_system(example("rolling_disc")), "equations").count.operations == 28
    assert system_kernel(derive_system(example("knife_edge")), "equations").count.operations == 5
    top = system_kernel(derive_system(example("spinning_top"), "lagrange"), "motion")
    assert (
        top.count.operations
        == system_kernel(derive_system(example("spinning_top"), "kane"), "motion").count.operations
    )


def test_closure_and_points():
    """The loop of a slider-crank: its gap and derivatives; where the points are."""
    equations = derive_system(example("slider_crank"))
    crank, rod, s, a, b = 0.7, -0.3, 0.4, 0.1, 0.3
    constants = list(equations.system.constants.values())
    closure = _run(system_kernel(equations, "closure"), [crank, rod, s], [0.0, 0.0], constants)
    across = a * math.sin(crank) + b * math.sin(rod)
    along = a * math.cos(crank) + b * math.cos(rod)
    slopes = [
        [s - along, a * math.sin(crank), b * math.sin(rod), 1.0],
        [-across, -a * math.cos(crank), -b * math.cos(rod), 0.0],
    ]
    assert closure == pytest.approx(np.array(slopes), rel=1e-13)
    points = _run(system_kernel(equations, "points"), [crank, rod, s], [0.0, 0.0], constants)
    names = ["O", *equations.system.points]
    assert points[names.index("end")] == pytest.approx([along, across, 0.0], rel=1e-13)


def test_energy_and_frames():
    """Energies of the top by hand; its frame turns as Euler's angles say."""
    equations = derive_system(example("spinning_top"))
    turn, tilt, spin, w1, w2, w3 = 0.4, 0.6, 0.2, 1.1, -0.7, 30.0
    c = {str(s): v for s, v in equations.system.constants.items()}
    constants = list(equations.system.constants.values())
    kinetic, potential = _run(
        system_kernel(equations, "energy"), [turn, tilt, spin], [w1, w2, w3], constants
    )[:, 0]
    about_tip = c["A"] + c["m"] * c["l"] ** 2
    across = w2**2 + (w1 * math.sin(tilt)) ** 2
    own = (w3 + w1 * math.cos(tilt)) ** 2
    assert kinetic == pytest.approx((about_tip * across + c["C"] * own) / 2, rel=1e-13)
    assert potential == pytest.approx(c["m"] * c["g"] * c["l"] * math.cos(tilt), rel=1e-13)


@pytest.mark.parametrize("name", ["rolling_disc", "slider_crank"])
def test_generated_c_compiles_alone_and_its_example_moves(tmp_path, name):
    """Every warning is an error; the example's last line is the state that DOP853 finds."""
    folder = tmp_path / name
    generate_system(derive_system(example(name)), folder)
    flags = ["-std=c99", "-O2", "-Wall", "-Wextra", "-Werror", "-Wconversion", "-pedantic"]
    sources = [str(path) for path in folder.glob("*.c")]
    subprocess.run(["cc", *flags, *sources, "-lm", "-o", "example"], cwd=folder, check=True)
    lines = subprocess.run(
        ["./example"], cwd=folder, check=True, capture_output=True, text=True
    ).stdout.splitlines()
    assert lines[0].split(",")[1] == str(example(name).coordinates[0])
    assert len(lines) == example(name).course.steps + 2
    if name == "rolling_disc":
        last = [float(x) for x in lines[-1].split(",")]
        # By DOP853 with a tolerance of 1e-12: x, y at 4 s.
        assert last[1:3] == pytest.approx([0.72777189, -0.55614168], abs=2e-6)


@pytest.fixture(scope="module")
def sines(tmp_path_factory):
    """Compile the function of sines, with and without fused operations."""
    folder = tmp_path_factory.mktemp("sines")
    text = "#include <math.h>\n" + sines_source().replace("static inline", "", 1)
    (folder / "sines.c").write_text(text)
    found = []
    for flags in (["-ffp-contract=off"], ["-ffp-contract=fast", "-march=native", "-O3"]):
        library = folder / f"sines{len(found)}.so"
        subprocess.run(
            ["cc", "-std=c99", "-O2", "-fPIC", "-shared", *flags, "sines.c", "-lm", "-o", library],
            cwd=folder,
            check=True,
        )
        found.append(ctypes.CDLL(str(library)).flexforge_sines)
    return found


def test_sines_to_the_last_digit(sines):
    """Against 40 digits: less than one unit in the last place, small, large and near zeros."""
    rng = np.random.default_rng(3)
    turns = np.arange(-40, 41) * (math.pi / 2)
    angles = np.concatenate(
        [rng.uniform(-7, 7, 4000), rng.uniform(-99999, 99999, 4000), turns,
         np.nextafter(turns, 9e9), rng.uniform(-1e-8, 1e-8, 50), [0.0, -0.0, 99999.999, 1e5, 3e9]]
    )  # fmt: skip
    pointer = np.ctypeslib.ndpointer(dtype=float, flags="C")
    with mpmath.workdps(40):
        exact = [[f(mpmath.mpf(x)) for x in angles] for f in (mpmath.sin, mpmath.cos)]
    for function in sines:
        function.argtypes = [ctypes.c_int, pointer, pointer, pointer]
        found = np.empty((2, len(angles)))
        function(len(angles), angles, found[0], found[1])
        for values, wanted in zip(found, exact, strict=True):
            for value, right in zip(values, wanted, strict=True):
                unit = np.spacing(abs(float(right)))
                assert abs(mpmath.mpf(value) - right) < unit
        odd = np.array([math.inf, -math.inf, math.nan, 1.0])
        function(4, odd, found[0][:4], found[1][:4])
        assert np.isnan(found[:, :3]).all() and found[0][3] == math.sin(1.0)


def test_sines_of_a_chain_are_gathered_and_those_of_two_links_are_not():
    """Angles that need no function come first; the program computes the same."""
    long, short = (system_kernel(derive_system(chain(n)), "equations") for n in (5, 2))
    assert long.pieces.uses_sines and not short.pieces.uses_sines
    assert long.written.operations == long.count.operations
    text = "\n".join(long.pieces.statements)
    assert text.count("flexforge_sines(8,") == 1 and " sin(" not in text


def test_all_terms_of_all_formalisms_have_kernels():
    for formalism in ("hamilton", "maggi"):
        equations = derive_system(example("slider_crank"), formalism)
        for term in system_terms(equations):
            assert system_kernel(equations, term).count.operations > 0
