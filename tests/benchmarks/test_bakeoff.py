# SPDX-License-Identifier: BSD-3-Clause
"""CEED's bake-off problems: our operators against matrices in closed form."""

from __future__ import annotations

import ceed
import numpy as np
import pytest
from flexforge.codegen.elements.quadrature import rule
from support.bakeoff import LENGTHS, PROBLEMS, conjugate_gradients, inside, right_side
from support.bakeoff_box import matrix
from support.bakeoff_element import CELLS, Operator, element_of

BY_NAME = {one.name: one for one in PROBLEMS}
TWO = 2


def _cases():
    for degree in CELLS:
        for problem in PROBLEMS:
            # Masses are those of BP1, and vectors those of BP4.
            shown = degree == 2 or problem.name == "BP2"
            marks = pytest.mark.slow if shown else ()
            yield pytest.param(problem, degree, marks=marks, id=f"{problem.name}-{degree}")


@pytest.mark.parametrize(("problem", "degree"), list(_cases()))
def test_our_operators_are_the_matrices_of_the_box(problem, degree):
    """Products of Kronecker of the matrices of lines of two elements, known in closed form."""
    operator = Operator(problem, degree, TWO)
    side = degree * TWO + 1
    # The place of a node of our mesh in the order of the products, z innermost.
    steps = np.rint(operator.points / np.array(LENGTHS) * (side - 1)).astype(int)
    place = (steps[:, 0] * side + steps[:, 1]) * side + steps[:, 2]
    vector = np.random.default_rng(1).standard_normal((side**3, problem.components))
    found = np.empty_like(vector)
    operator.apply(vector[place], found)
    expected = (matrix(problem.diffusion, degree, TWO) @ vector)[place]
    if problem.diffusion:
        expected[~inside(operator.points)] = 0.0
    assert found == pytest.approx(expected, abs=1e-13 * np.abs(expected).max())


@pytest.mark.parametrize("degree", CELLS)
def test_the_quadrature_is_that_of_the_problems(degree):
    """Points p + 2 along each axis, of Gauss and Legendre."""
    element = element_of(BY_NAME["BP3"], degree)
    points, _ = rule(element.cell, element.degree["stiffness"])
    along, _ = np.polynomial.legendre.leggauss(degree + 2)
    assert len(points) == (degree + 2) ** 3
    assert sorted({round(point[0], 12) for point in points}) == pytest.approx(along, abs=1e-11)


def test_masses_of_the_box():
    """Closed form: the sum of the mass is the volume; a linear field has the slopes it has."""
    volume, x = np.prod(LENGTHS), np.linspace(0.0, LENGTHS[0], 3)
    one = np.ones(27)
    assert one @ matrix(False, 1, TWO) @ one == pytest.approx(volume)
    field = np.repeat(x, 9)
    assert field @ matrix(True, 1, TWO) @ field == pytest.approx(volume)


def test_conjugate_gradients_solve():
    """As many steps as unknowns solve a system: the energy is b A^-1 b."""
    rng = np.random.default_rng(2)
    root = rng.standard_normal((6, 6))
    full, b = root @ root.T + 6 * np.eye(6), rng.standard_normal((6, 1))

    def apply(x, out):
        out[:] = full @ x

    found = conjugate_gradients(apply, b, 6)
    assert found["energy"] == pytest.approx(float((b.T @ np.linalg.solve(full, b)).item()))
    assert found["residual"] < 1e-10


def test_the_right_side_is_zero_on_the_boundary_of_diffusion_alone():
    """One corner and the centre of the box."""
    points = np.array([[0.0, 0.0, 0.0], np.array(LENGTHS) / 2])
    mass, diffusion = (right_side(points, BY_NAME[name]) for name in ("BP2", "BP4"))
    assert mass.shape == diffusion.shape == (3, 2)
    assert (mass != 0.0).all() and (diffusion[:, 0] == 0.0).all()
    assert (diffusion[:, 1] == mass[:, 1]).all()


def test_the_figures_of_the_table():
    """Rates are unknowns times steps per second; differences are from SciPy's energies."""
    job = {"median": 0.5, "figures": {"energy": 2.0, "residual": 0.1}}
    facts = {"unknowns": {"BP1": 1000}}
    off = job | {"figures": {"energy": 2.1, "residual": 0.1}}
    results = {
        "SciPy, CSR": {"facts": facts, "jobs": {"BP1": job}},
        "flexforge": {"facts": facts, "jobs": {"BP1": off}},
        "MFEM": {"absent": "no module"},
    }
    found = {one["contestant"]: one for one in ceed.figures(results, 50)}
    assert found["flexforge"]["million unknowns a second"] == pytest.approx(0.1)
    assert found["flexforge"]["difference"] == pytest.approx(0.05)
    assert found["SciPy, CSR"]["difference"] == 0.0


def test_the_command_refuses_an_unknown_problem(monkeypatch, capsys):
    """One line says what was found and what is expected."""
    monkeypatch.setattr("sys.argv", ["ceed", "--problems", "BP9"])
    with pytest.raises(SystemExit, match="2"):
        ceed.main()
    said = capsys.readouterr().err
    assert "--problems: found 'BP9'; expected some of BP1,BP2,BP3,BP4" in said
