# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from types import ModuleType

import numpy as np
import pytest
from flexforge.codegen.elements.library import element
from flexforge.codegen.output.generate import generate

DENSITY, YOUNG, POISSON = 7800.0, 2e11, 0.3


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    """The Cython module of a tet4, built as its README says."""
    pytest.importorskip("Cython")
    if shutil.which("cc") is None:
        pytest.skip("no C compiler")
    folder = tmp_path_factory.mktemp("numpy") / "tet"
    generate(element("tet4"), folder, terms=["stiffness", "mass", "geometric", "motion_action"],
             lanes=[1, 4],
             prefix="tet")  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-m", "Cython.Build.Cythonize", "-i", "tet.pyx"],
        cwd=folder, env=os.environ | {"CFLAGS": "-O0 -g0 -Wall -Wextra"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    assert "warning" not in done.stdout + done.stderr  # neither Cython's nor the compiler's
    built = next(folder.glob("tet.*.so"))
    spec = importlib.util.spec_from_file_location("tet", built)
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def _points(count: int) -> np.ndarray:
    reference = np.array(element("tet4").nodes, dtype=float)
    return reference + 0.1 * np.random.default_rng(7).standard_normal((count, 4, 3))


def test_many_elements_are_each_element(module: ModuleType) -> None:
    """A call for 11 elements, two batches and a rest, gives what 11 calls give."""
    points = _points(11)
    together = module.stiffness(points, YOUNG, POISSON)
    assert together.shape == (11, 12, 12)
    alone = np.array([module.stiffness(x, young=YOUNG, poisson=POISSON) for x in points])
    np.testing.assert_allclose(together, alone, rtol=1e-13, atol=1e-13 * abs(alone).max())
    assert alone[0].shape == (12, 12)
    # Rigid translations cost no energy.
    assert abs(together.reshape(11, 12, 4, 3).sum(axis=2)).max() < 1e-12 * abs(together).max()


def test_mass_is_the_mass(module: ModuleType) -> None:
    """The entries of one direction sum to density times volume, det / 6 of a tetrahedron."""
    points = _points(5)
    total = module.mass(points, DENSITY)[:, ::3, ::3].sum(axis=(1, 2))
    volume = np.linalg.det(points[:, 1:] - points[:, :1]) / 6
    np.testing.assert_allclose(total, DENSITY * volume, rtol=1e-13)


def test_state_and_out(module: ModuleType) -> None:
    """Nodal displacements are an argument where they are read; results go where they shall."""
    points = _points(3)
    stretch = 1e-3 * points * [1.0, 0.0, 0.0]
    out = np.empty((3, 4, 4))
    assert module.geometric(points, stretch, YOUNG, POISSON, out=out) is out
    # A uniform stress is the same with the displacement moved rigidly.
    np.testing.assert_allclose(
        module.geometric(points, stretch + 5.0, YOUNG, POISSON), out, atol=1e-6 * abs(out).max()
    )
    assert abs(out).max() > 0
    assert module.mass(points[:0], DENSITY).shape == (0, 12, 12)


def test_several_vectors(module: ModuleType) -> None:
    """``motion_action`` takes d, d' and d''; at rest it is K d + M d'' of the matrices."""
    points = _points(11)
    state = np.random.default_rng(8).standard_normal((11, 3, 4, 3))
    scalars = {"young": YOUNG, "poisson": POISSON, "density": DENSITY}
    rest = {f"{vector}{i}": 0.0 for vector in "we" for i in (1, 2, 3)}
    d, _, a = (rate.reshape(11, 12, 1) for rate in np.moveaxis(state, 1, 0))
    expected = module.stiffness(points, YOUNG, POISSON) @ d + module.mass(points, DENSITY) @ a
    found = module.motion_action(points, state, **scalars, **rest)
    np.testing.assert_allclose(found.reshape(11, 12, 1), expected, atol=1e-13 * abs(found).max())
    one = module.motion_action(points[4], state[4], **scalars, **rest)
    np.testing.assert_allclose(one, found[4], atol=1e-13 * abs(found).max())
    with pytest.raises(
        ValueError, match=r"state: found shape \(11, 4, 3\); expected \(11, 3, 4, 3"
    ):
        module.motion_action(points, points, **scalars, **rest)


def test_wrong_shapes_are_refused(module: ModuleType) -> None:
    """Shapes are checked before any memory is touched."""
    points = _points(3)
    with pytest.raises(ValueError, match=r"found shape \(3, 3, 3\); expected \(4, 3\)"):
        module.mass(points[:, :3], DENSITY)
    with pytest.raises(ValueError, match="state: found shape"):
        module.geometric(points, points[:2], YOUNG, POISSON)
    with pytest.raises(ValueError, match="density: found nan; expected a finite number"):
        module.mass(points, np.nan)
    with pytest.raises(ValueError, match="out: found .*; expected a contiguous array"):
        module.mass(points, DENSITY, out=np.empty((3, 12, 12), dtype=np.float32))


def test_values_that_are_no_quantities_are_refused(module: ModuleType) -> None:
    """Complex positions are not cut to their real parts; a mass is not negative."""
    points = _points(2)
    module.mass(points, 0)
    for call, words in (
        (lambda: module.mass(points + 0j, DENSITY), "coordinates: found complex numbers; expected"),
        (lambda: module.mass([["a", 0, 0]] * 4, DENSITY), "coordinates: found an array of <U"),
        (lambda: module.mass([[0, 0], 1], DENSITY), "coordinates: found list .*; expected real"),
        (lambda: module.mass(points, -1.0), "^density: found -1; expected a number of at least 0$"),
        (
            lambda: module.mass(points, np.full(900, 1.0)),
            r"^density: found an array of shape \(900,\); expected a finite number$",
        ),
    ):
        with pytest.raises((TypeError, ValueError), match=words):
            call()


def test_elements_that_are_turned_over_are_refused(module: ModuleType) -> None:
    """A ValueError names the element and its determinant; ``check=False`` gives -M in silence.

    With two nodes of a unit tetrahedron swapped the determinant is -1.
    """
    points = np.repeat(np.array([element("tet4").nodes], dtype=float), 5, axis=0)
    module.check_geometry(points)
    points[3:] = points[3:][:, [0, 2, 1, 3]]
    words = (
        r"^coordinates\[3\]: the determinant of the Jacobian is -1 at quadrature point 1; expected "
        r"a positive one; are its nodes in reverse order, or "
        r"interchanged\? \(2 of 5 elements; check=False"
    )
    for call in (module.check_geometry, lambda x: module.mass(x, DENSITY)):
        with pytest.raises(ValueError, match=words):
            call(points)
    turned = module.mass(points, DENSITY, check=False)
    np.testing.assert_array_equal(turned[3], -turned[0])
    np.testing.assert_array_equal(module.jacobian(points)[:, 0, 0], [1, 1, 1, -1, -1])
    points[4, 2, 1] = np.nan
    with pytest.raises(
        ValueError, match=r"coordinates\[0\]\[2\]: found \[1.0, nan, 0.0\]; expected finite pos"
    ):
        module.stiffness(points[4:], YOUNG, POISSON)


def test_arguments_without_a_value_are_named(module: ModuleType) -> None:
    """Python's own message for a missing argument does not name it."""
    points = _points(2)
    with pytest.raises(
        TypeError, match="stiffness: found no value for poisson; expected young, poisson$"
    ):
        module.stiffness(points, young=YOUNG)
    with pytest.raises(TypeError, match="geometric: found no value for state, young, poisson; "):
        module.geometric(points)
