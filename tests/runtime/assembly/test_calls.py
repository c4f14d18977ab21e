# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import flexforge as ff
import numpy as np
import pytest
from flexforge.codegen.driver import compile_kernel
from flexforge.codegen.elements.catalogue import lawless_name, standard_name
from flexforge.codegen.elements.library import element
from flexforge.codegen.elements.user import load_element
from flexforge.codegen.errors import InputError
from flexforge.codegen.jit.build import build
from flexforge.codegen.output.derived import derived_sources
from flexforge.codegen.output.sources import kernel_sources
from flexforge.runtime.assembly.calls import CompiledKernel
from flexforge.runtime.assembly.kernels import load_library

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
STEEL = {"young": 2e11, "poisson": 0.3}


def _points(name: str, count: int) -> np.ndarray:
    reference = np.array(element(name).nodes, dtype=float)
    return reference + 0.05 * np.random.default_rng(3).standard_normal((count, *reference.shape))


def _compiled(term: str, lanes: int, scalar: str = "double") -> CompiledKernel:
    if shutil.which("cc") is None:
        pytest.skip("no C compiler")
    kernel = compile_kernel(element("tet4"), term, lanes=lanes, scalar=scalar)
    return load_library(build(kernel_sources([kernel])))[0]


@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 100])
def test_many_elements_are_each_element(count: int) -> None:
    """A standard kernel on any number of elements gives what a loop over them gives."""
    kernel = ff.kernels_of("hex8", ["stiffness"])["stiffness"]
    points = _points("hex8", count)
    together = kernel(points, **STEEL)
    assert together.shape == (count, 24, 24)
    for x, matrix in zip(points, together, strict=True):
        np.testing.assert_array_equal(kernel(x, **STEEL), matrix)
    out = np.full_like(together, np.nan)
    assert kernel(points, out=out, **STEEL) is out
    np.testing.assert_array_equal(out, together)


def test_a_state_is_read() -> None:
    """Stresses of a uniform stretch along x are (lambda + 2 mu, lambda, lambda) times it."""
    kernel = ff.kernels_of("hex8", ["stress"])["stress"]
    points = _points("hex8", 11)
    stress = kernel(points, 1e-3 * points * [1.0, 0.0, 0.0], **STEEL)
    lame = 2e11 * 0.3 / (1.3 * 0.4)
    expected = 1e-3 * np.array([lame + 2e11 / 1.3, lame, lame, 0, 0, 0])
    np.testing.assert_allclose(stress, np.broadcast_to(expected, (11, 8, 6)), atol=1e-12 * lame)


@pytest.mark.parametrize("lanes", [1, 4, 16])
def test_any_lanes_and_several_vectors(lanes: int) -> None:
    """``motion_action`` at rest is K d + M d'', whatever the number of lanes."""
    points = _points("tet4", 13)
    state = np.random.default_rng(4).standard_normal((13, 3, 4, 3))
    rest = {f"{vector}{i}": 0.0 for vector in "we" for i in (1, 2, 3)}
    found = _compiled("motion_action", lanes)(points, state, density=7.0, **STEEL, **rest)
    d, _, a = (rate.reshape(13, 12, 1) for rate in np.moveaxis(state, 1, 0))
    expected = _compiled("stiffness", 1)(points, **STEEL) @ d
    expected += _compiled("mass", 1)(points, density=7.0) @ a
    np.testing.assert_allclose(found.reshape(13, 12, 1), expected, atol=1e-13 * abs(found).max())


def test_parameters_of_any_name(tmp_path: Path) -> None:
    """A parameter called as an argument of the call, or a word of Python, has an underscore."""
    if shutil.which("cc") is None:
        pytest.skip("no C compiler")
    text = (EXAMPLES / "elements" / "membrane.toml").read_text()
    (tmp_path / "sheet.toml").write_text(text.replace("G12", "out").replace("E2", "lambda_"))
    kernel = ff.kernels_of(load_element(tmp_path / "sheet.toml"), ["stiffness"])["stiffness"]
    assert "out" in kernel.parameters
    points = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1], [0, 0]], dtype=float)
    given = {"E1": 2.0, "lambda_": 1.0, "nu12": 0.3, "thickness": 1.0}
    stiff = kernel(points, out_=0.5, **given)
    assert stiff.shape == (10, 10)
    shear = points[:, ::-1] * [1.0, 0.0]  # u = y: the energy is that of a shear strain of 1
    energy = shear.reshape(-1) @ stiff @ shear.reshape(-1) / 2
    assert energy == pytest.approx(0.5 * 0.5 * 4, rel=1e-12)  # G gamma^2 / 2 times the area


@pytest.mark.parametrize("lanes", [1, 8])
def test_float_kernels(lanes: int) -> None:
    """Kernels in single precision take and return it; the volume of the reference is 1/6."""
    mass = _compiled("mass", lanes, "float")(np.array([element("tet4").nodes] * 5), density=6.0)
    assert mass.dtype == np.float32
    np.testing.assert_allclose(mass[:, ::3, ::3].sum(axis=(1, 2)), 1.0, rtol=1e-6)


@pytest.mark.parametrize("count", [1, 7, 16, 17, 1000])
def test_any_number_of_threads_gives_the_same_bits(count: int) -> None:
    """Of a kernel of a batch, of one that reads a state, and with more threads than batches."""
    kernels = ff.kernels_of("hex8", ["stiffness", "stress"])
    points = _points("hex8", count)
    state = np.random.default_rng(7).standard_normal(points.shape)
    for term, vectors in (("stiffness", ()), ("stress", (state,))):
        alone = kernels[term](points, *vectors, threads=1, **STEEL)
        for threads in (None, 2, 3, 5, 64):
            out = np.full_like(alone, np.nan)
            kernels[term](points, *vectors, out=out, threads=threads, **STEEL)
            np.testing.assert_array_equal(out, alone)


@pytest.mark.parametrize("lanes", [1, 8])
def test_threads_of_float_kernels(lanes: int) -> None:
    """In single precision, one element a call and eight: the same bits."""
    kernel, points = _compiled("mass", lanes, "float"), _points("tet4", 100)
    alone = kernel(points, density=6.0, threads=1)
    assert alone.any()
    np.testing.assert_array_equal(kernel(points, density=6.0, threads=3), alone)


def test_python_goes_on_while_a_kernel_computes() -> None:
    """The GIL is not held: another thread of Python counts on during a call."""
    kernel, points = ff.kernels_of("hex8", ["stiffness"])["stiffness"], _points("hex8", 20_000)
    out = np.empty((len(points), 24, 24))
    begun, done, during = threading.Event(), threading.Event(), []

    def count() -> None:
        begun.set()
        while not done.is_set():
            during.append(time.perf_counter())
            time.sleep(0)

    other = threading.Thread(target=count)
    other.start()
    begun.wait()
    spans = []
    for _ in range(10):
        begin = time.perf_counter()
        kernel(points, out=out, threads=2, **STEEL)
        spans.append((begin, time.perf_counter()))
    done.set()
    other.join()
    # Within a call, not at its ends, where Python checks and reshapes arrays.
    inside = [any(a + 0.25 * (b - a) < t < b - 0.25 * (b - a) for t in during) for a, b in spans]
    assert any(inside)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_process_computes() -> None:
    """Threads do not survive a fork: the copy computes in one, instead of waiting for ever."""
    program = (
        "import os, sys, signal, numpy as np, flexforge as ff\n"
        "kernel = ff.kernels_of('tet4', ['mass'])['mass']\n"
        "points = np.random.default_rng(1).random((5000, 4, 3))\n"
        "wanted = kernel(points, density=1.0, threads=2, check=False)\n"
        "if not os.fork():\n"
        "    signal.alarm(60)\n"
        "    same = np.array_equal(kernel(points, density=1.0, threads=2, check=False), wanted)\n"
        "    os._exit(0 if same else 1)\n"
        "sys.exit(os.waitstatus_to_exitcode(os.wait()[1]))\n"
    )
    done = subprocess.run([sys.executable, "-P", "-c", program], check=False)
    assert done.returncode == 0


def test_wrong_arguments_are_refused() -> None:
    """Shapes and names are checked before any memory is touched."""
    kernels = ff.kernels_of("hex8", ["stiffness", "stress"])
    stiffness, stress = kernels["stiffness"], kernels["stress"]
    x = _points("hex8", 3)
    for call, words in (
        (lambda: stiffness(x[:, :7], **STEEL), "points of shape (3, 7, 3); expected (8, 3) or"),
        (lambda: stiffness(x, young=1.0), "no value for parameter 'poisson'"),
        (lambda: stiffness(x, yuong=1.0, poisson=0.3), "'yuong' is unknown; expected young"),
        (lambda: stiffness(x, x, **STEEL), "state; expected none for 'stiffness'"),
        (lambda: stress(x, **STEEL), "state; expected nodal vectors for 'stress'"),
        (lambda: stress(x, x[:2], **STEEL), "state of shape (2, 8, 3); expected (3, 8, 3)"),
        (lambda: stiffness(x, out=np.empty((2, 24, 24)), **STEEL), "out; expected a contiguous"),
        (
            lambda: stiffness(x, threads=0, **STEEL),
            "threads: found 0; expected a whole number >= 1",
        ),
        (lambda: stiffness(x, threads=1.5, **STEEL), "threads: found 1.5; expected a whole"),
    ):
        with pytest.raises(InputError) as caught:
            call()
        assert words in str(caught.value)


def test_values_that_are_no_quantities_are_refused() -> None:
    """Complex points are not cut to their real parts, arrays not printed, masses not negative."""
    mass = ff.kernels_of("quad4_plane_stress", ["mass"])["mass"]
    x = _points("quad4", 3)[..., :2]
    given = {"density": 2.0, "thickness": 0.1}
    assert not mass(x, **given | {"density": 0}).any()
    wanted = mass(x, **given)
    np.testing.assert_array_equal(mass(x.astype(object), **given), wanted)
    for points, changed, words in (
        (x + 0j, {}, "points: found complex numbers; expected real numbers"),
        (x.astype(str), {}, "points: found an array of <U"),
        ([["a", None]] * 4, {}, "points: found a list of 4 ("),
        (x, {"density": -1.0}, "parameter 'density': found -1; expected a number of at least 0"),
        (x, {"thickness": -0.1}, "parameter 'thickness': found -0.1; expected a number of at"),
        (x, {"density": 1j}, "parameter 'density': found a complex; expected a finite number"),
        (x, {"density": np.ones(900)}, "'density': found an array of shape (900,); expected a fin"),
    ):
        with pytest.raises(InputError) as caught:
            mass(points, **given | changed)
        assert words in str(caught.value) and len(str(caught.value)) < 200


def test_the_node_that_is_not_finite_is_named() -> None:
    """The determinant of an element with a NaN says nothing about where it is."""
    mass = ff.kernels_of("hex8", ["mass"])["mass"]
    x = _points("hex8", 3)
    x[1, 5, 2] = np.inf
    with pytest.raises(
        InputError, match=r"points\[1\]\[5\]: found \[.*, inf\]; expected finite pos"
    ):
        mass(x, density=1.0)


def test_a_law_has_the_installed_mass(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is compiled for the mass of a law: it is that of the element of the library."""
    rubber = ff.hyperelastic("tet4", "neo_hookean")
    points = _points("tet4", 9)
    monkeypatch.setattr("flexforge.codegen.jit.build.build", None)
    mass = ff.kernels_of(rubber, ["scalar_mass", "jacobian"])["scalar_mass"]
    assert mass.element == rubber.name
    known = ff.kernels_of("tet4", ["scalar_mass"])["scalar_mass"]
    found = mass(points, density=3.0)
    np.testing.assert_array_equal(found, known(points, density=3.0))
    with pytest.raises(InputError, match="determinant"):
        mass(points[:, [1, 0, 2, 3]], density=3.0)


def test_what_differs_by_more_than_its_law_has_a_mass_of_its_own() -> None:
    """Another rule of quadrature than that of the library, under the name of its element."""
    plain = element("tet4")
    assert lawless_name(replace(plain, name="mine")) == "tet4"
    assert lawless_name(ff.hyperelastic("quad8_plane_strain", "neo_hookean")) is not None
    for own in (replace(plain, degree={**plain.degree, "mass": 4}), replace(plain, density="mass")):
        assert lawless_name(own) is None
        assert standard_name(own) is None
    assert standard_name(plain) == "tet4"
    assert lawless_name(ff.element("mitc4")) is None


def test_a_file_that_keeps_the_name_of_what_it_extends_has_kernels_of_its_own(
    tmp_path: Path,
) -> None:
    """Two by two points instead of the three by three of the library: not the installed kernels."""
    file = tmp_path / "fewer_points.toml"
    file.write_text('extends = ["quad8_plane_stress"]\ndegree = { stiffness = 3, mass = 5 }\n')
    values = STEEL | {"thickness": 0.1}
    points = np.array([element("quad8").nodes], dtype=float)
    points = points + 0.05 * np.random.default_rng(4).standard_normal(points.shape)
    found = ff.kernels_of(file, ["stiffness"])["stiffness"](points, **values)
    known = ff.kernels_of("quad8r_plane_stress", ["stiffness"])["stiffness"](points, **values)
    np.testing.assert_allclose(found, known, rtol=1e-12, atol=1e-12 * np.abs(known).max())
    whole = ff.kernels_of("quad8_plane_stress", ["stiffness"])["stiffness"](points, **values)
    assert np.abs(found - whole).max() > 1e-4 * np.abs(whole).max()


def test_what_is_installed_is_not_compiled_with_what_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of two terms one is installed: the other alone is derived."""
    derived = []
    sources = derived_sources

    def noted(*given: Any) -> Any:
        derived.append(given[1])
        return sources(*given)

    monkeypatch.setattr("flexforge.codegen.output.derived.derived_sources", noted)
    found = ff.kernels_of(element("tri3"), ["scalar_mass", "mass_action"])
    assert derived == [("mass_action",)]
    points = np.array([[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]])
    given = {"density": 12.0, "thickness": 1.0}
    product = found["mass_action"](points, points, **given)
    np.testing.assert_allclose(product, found["scalar_mass"](points, **given) @ points, rtol=1e-14)
