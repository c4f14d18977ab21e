# SPDX-License-Identifier: BSD-3-Clause
"""Sections given at points of integration: the declaration, and beams with shapes of their own."""

from __future__ import annotations

import tomllib
from typing import Any

import numpy as np
import pytest
import sympy
from flexforge.codegen.driver import compile_kernel
from flexforge.codegen.elements.catalogue import find
from flexforge.codegen.elements.field_placed import Placed
from flexforge.codegen.elements.field_points import CellPoints
from flexforge.codegen.elements.parameters import infos_of
from flexforge.codegen.elements.user_fields import declare_field
from flexforge.codegen.errors import InputError
from flexforge.codegen.ir.interpret import interpret
from flexforge.codegen.study.verification.run import verify

CONSTANT = {
    "young": 7.0, "poisson": 0.3, "density": 2.5, "area": 0.06, "inertia_y": 2e-4,
    "inertia_z": 4.5e-4, "torsion": 5e-4, "shear_y": 0.83, "shear_z": 0.7, "offset_y": 0.02,
    "offset_z": -0.03, "orientation1": 0.3, "orientation2": -0.5, "orientation3": 0.8,
    "w1": 0.3, "w2": -0.2, "w3": 0.5, "e1": -0.1, "e2": 0.25, "e3": 0.7,
    "a_O1": 1.1, "a_O2": -2.0, "a_O3": 0.4, "f1": 0.2, "f2": -0.6, "f3": 1.5,
}  # fmt: skip
ROD = """
name = "rod"
cell = "interval"
nodes = [[-1], [1]]
components = 2
carried = ["displacement"]
axes = "line"
varying = ["area"]
degree = { stiffness = 3, mass = 3 }
field = ["u", "uy1*(1 - xi)/2 + uy2*(1 + xi)/2"]
position = ["0", "0"]
[definitions]
stretched = "integral(1/area)"
[functions]
u = "ux1 + (ux2 - ux1)*stretched/at(stretched, 1)"
[strain]
tension = "u_x"
[law]
parameters = ["young"]
[law.stress]
tension = "young*tension"
[fibres]
stiffness = [{ at = [], weight = "area" }]
mass = [{ at = [], weight = "area" }]
"""


LENGTH = sympy.Symbol("length", real=True)


def shares_of(points: CellPoints) -> Any:
    """Return the integrals of Lagrange's polynomials up to every point, (n, n)."""
    return np.array(
        [[float(points.shares_at(k)[s]) for s in points.shares] for k in points.numbers]
    )


def value(kernel: Any, points: Any, state: Any, given: dict[str, float]) -> Any:
    """Return the value of a kernel, as lowered."""
    vectors = 2 if "beam" in kernel.element else 1
    inputs = {"coordinates": np.repeat(points, vectors, axis=0)[..., None]}
    if kernel.state_vectors:
        inputs["state"] = state[..., None]
    return interpret(kernel.program, inputs, {p.name: given[p.name] for p in kernel.parameters})


@pytest.mark.parametrize("name", ["euler_beam_plane", "timoshenko_beam_plane"])
@pytest.mark.parametrize("term", ["stiffness", "mass", "coriolis", "centrifugal_load", "geometric"])
def test_a_constant_section_is_that_of_the_constant_beam(name: str, term: str) -> None:
    """Shape functions of a constant flexibility are the cubics: terms agree to round-off."""
    tapered, plain = (compile_kernel(find(n), term, passes={}) for n in (f"{name}_tapered", name))
    points = np.array([[0.2, -0.1], [1.4, 0.6]])
    state = np.random.default_rng(3).normal(size=(4, 2))
    given = CONSTANT | {f"{n}{k}": v for n, v in CONSTANT.items() for k in range(1, 6)}
    found, wanted = (value(one, points, state, given) for one in (tapered, plain))
    assert np.abs(found - wanted).max() < 1e-13 * np.abs(wanted).max()


@pytest.mark.parametrize(
    "name",
    ["euler_beam_plane_tapered",
     *(pytest.param(n, marks=pytest.mark.slow)
       for n in ("timoshenko_beam_plane_tapered", "euler_beam_tapered",
                 "timoshenko_beam_tapered"))],
)  # fmt: skip
def test_every_check_holds_of_a_section_that_varies(name: str) -> None:
    """Rigid motions point by point, mass, torques, symmetry, energies, and all formalisms."""
    found = list(verify(find(name)))
    assert len(found) == 17
    assert [one.check for one in found if not one.passed] == []


@pytest.mark.parametrize("name", ["timoshenko_beam_plane_tapered", "timoshenko_beam_tapered"])
def test_the_shear_is_the_slope_less_the_turn(name: str) -> None:
    """The strain that is written without a difference, at every point, of a section that varies."""
    element = find(name)
    placed = Placed.of(element)
    rng = np.random.default_rng(5)
    used = {s for _, v in placed.definitions for s in v.free_symbols} | element.strain.free_symbols
    used -= {s for s, _ in placed.definitions} | placed.at[0].keys()
    given: dict[sympy.Symbol, Any] = {
        s: sympy.Float(float(rng.uniform(0.5, 1.5))) for s in sorted(used, key=str)
    }
    for symbol, formula in placed.definitions:
        given[symbol] = formula.xreplace(given).evalf()
    at = [{k: e.xreplace(given) for k, e in known.items()} for known in placed.at]

    def numbers(formula: sympy.MatrixBase) -> Any:
        """Return the values of a row at all points, (5, columns)."""
        rows = [formula.xreplace(known).xreplace(given) for known in at]
        return np.array(rows, dtype=float).reshape(len(at), -1)

    deflection = numbers(element.displacement[1, :].xreplace(dict.fromkeys(element.across, 0)))
    turn = numbers(-element.displacement[0, :].diff(element.across[0]))
    slope = (numbers(element.strain[2, :]) + turn) * float(given[LENGTH]) / 2
    # The deflection is the integral of the polynomial through its slopes.
    points = CellPoints.of(9)
    moved = shares_of(points) @ slope
    np.testing.assert_allclose(deflection - deflection[0], moved - moved[0], atol=1e-12)


def test_a_rod_of_two_points_by_hand() -> None:
    """Stiffness E/(w1/A1 + w2/A2) 2/l, which is that of two springs in series, and its force."""
    kernel = compile_kernel(declare_field(tomllib.loads(ROD)), "stiffness", passes={})
    given = {"young": 3.0, "area1": 0.5, "area2": 2.0}
    points = np.array([[0.0, 0.0], [4.0, 0.0]])
    found = value(kernel, points, None, given)[:, 0, :, 0, 0]
    stiffness = 3.0 / (2.0 * (1 / 0.5 + 1 / 2.0))  # 2 m of each
    np.testing.assert_allclose(found, stiffness * np.array([[1, -1], [-1, 1]]), rtol=1e-14)
    units = {one.name: one.units for one in infos_of(declare_field(tomllib.loads(ROD)))}
    assert units["area2"] == "m^2"


def test_integrals_are_those_of_polynomials() -> None:
    """Up to a point, of all powers that the polynomial through the points can be."""
    points = CellPoints.of(9)
    places = np.array(points.places)
    shares = shares_of(points)
    for power in range(5):
        exact = (places ** (power + 1) - (-1.0) ** (power + 1)) / (power + 1)
        np.testing.assert_allclose(shares @ places**power, exact, atol=1e-15)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            '"interval"\nnodes = [[-1], [1]]',
            '"triangle"\nnodes = [[0, 0], [1, 0], [0, 1]]',
            "varying: found with the cell triangle",
        ),
        ("stiffness = 3, mass = 3", "stiffness = 3, mass = 5", "one degree for all"),
        ('"u_x"', '"u_x + area_x*ux1"', "found 'area_x'"),
        ('"integral(1/area)"', '"at(area, 1)"', "found 'area' at 1, which is given at points"),
        ("at(stretched, 1)", "at(stretched, 0)", "found an integral at 0; expected one at -1 or 1"),
        ('varying = ["area"]', 'varying = ["area", "torsion"]', "'torsion', which the declaration"),
        ('varying = ["area"]', 'parameters = ["area1"]\nvarying = ["area"]', "'area1' is already"),
        ('varying = ["area"]', 'parameters = ["area"]', "integral"),
    ],
)
def test_refused(old: str, new: str, said: str) -> None:
    """What no quantity at points is, in one line with its key."""
    assert old in ROD
    with pytest.raises(InputError, match=said):
        declare_field(tomllib.loads(ROD.replace(old, new)))
