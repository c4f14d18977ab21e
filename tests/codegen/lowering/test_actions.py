# SPDX-License-Identifier: BSD-3-Clause
"""Action kernels and lumped masses against matrices written by hand (sources in handwritten.py)."""

from __future__ import annotations

import handwritten
import numpy as np
import pytest
from compiled import build_kernels, kernels
from flexforge.codegen.driver import compile_kernel
from flexforge.codegen.elements.catalogue import declaration
from flexforge.codegen.elements.terms import ACTIONS
from flexforge.codegen.ir.interpret import interpret
from specimens import (
    ELEMENTS,
    REPEATED,
    cell_of,
    distorted,
    heavy_are_slow,
    hypothesis_of,
    relative,
    spring_point,
    values,
)

ALL = ("young", "poisson", "density", "thickness", "w1", "w2", "w3", "e1", "e2", "e3")
#: Printed tables of simplex rules have 15 digits; conditioning of distorted elements takes one.
TOLERANCE = 1e-12
COUNT = 3


def _matrices(name, X, p):
    """Return m, c, k and k_eps + k_omega of one element, by hand."""
    plane = {"thickness": p["thickness"]} if ELEMENTS[name].section else {}
    one = handwritten.Handwritten(
        cell_of(name), hypothesis_of(name), X, p["young"], p["poisson"], p["density"], **plane
    )
    axes = ("3",) if one.dim == 2 else ("1", "2", "3")
    w, e = (handwritten.skew(np.array([p[s + i] for i in axes]), one.dim) for s in "we")
    return (one.inertia(np.eye(one.dim)), one.inertia(w), one.stiffness(),
            one.inertia(e) + one.inertia(w @ w))  # fmt: skip


def _expected(name, X, p, state):
    """Return what every action gives for d, d', d'' (3, nodes, components, count)."""
    found = {term: [] for term in ACTIONS}
    for k in range(X.shape[-1]):
        mass, coriolis, stiffness, spin = _matrices(name, X[..., k], p)
        d, v, a = state[..., k].reshape(3, -1)
        found["stiffness_action"].append(stiffness @ d)
        found["mass_action"].append(mass @ d)
        found["motion_action"].append(mass @ a + 2 * coriolis @ v + (stiffness + spin) @ d)
    return {t: np.stack(v, axis=-1).reshape(X.shape) for t, v in found.items()}


@pytest.mark.parametrize("lanes", [1, 8])
@pytest.mark.parametrize("name", heavy_are_slow(*ELEMENTS, more=("hex8", *REPEATED)))
def test_an_action_is_the_matrix_times_the_vector(name, lanes):
    """K d, M d and m d'' + 2 c d' + (k + k_eps + k_omega) d, on random distorted elements."""
    X = distorted(ELEMENTS[name], COUNT, seed=21)
    state = np.random.default_rng(22).standard_normal((3, *X.shape))
    p = values(ALL)
    natives = build_kernels([k for k in kernels(name, lanes) if k.term in ACTIONS])
    for term, expected in _expected(name, X, p, state).items():
        kernel = natives[term]
        vector = state if term == "motion_action" else state[0]
        assert relative(kernel(X, p, vector), expected) < TOLERANCE, term


@pytest.mark.parametrize("name", heavy_are_slow(*ELEMENTS, more=("hex8", *REPEATED)))
def test_lumped_masses_are_the_scaled_diagonal(name):
    """They are positive and sum to the mass of the element (Hinton, Rock and Zienkiewicz 1976)."""
    X = distorted(ELEMENTS[name], COUNT, seed=23, amplitude=0.05)
    p = values(ALL)
    native = build_kernels([k for k in kernels(name) if k.term == "lumped_mass"])
    found = native["lumped_mass"](X, p)[:, 0]
    for k in range(COUNT):
        scalar = _matrices(name, X[..., k], p)[0][:: X.shape[1], :: X.shape[1]]
        diagonal = np.diag(scalar)
        assert (
            relative(found[:, k : k + 1], (diagonal * scalar.sum() / diagonal.sum())[:, None])
            < TOLERANCE
        )
    assert (found > 0).all()


@pytest.mark.parametrize("rows", [["ux"], ["ux_x", "ux_y"], ["uy", "uy_x"]])
def test_components_that_the_energy_leaves_out_are_not_interpolated(rows, tmp_path):
    """K d of an energy of one component: the matrix times the vector, and zero for the other.

    Operations are fewer than with both components, whose matrix is two of the first.
    """

    def declared(name, strain):
        law = [["k" if i == j else "0" for j in range(len(strain))] for i in range(len(strain))]
        text = f"""name = "{name}"\nextends = ["quad4_plane_strain"]\nstrain = {strain}
law = {{ parameters = ["k"], matrix = {law} }}\n"""
        (tmp_path / f"{name}.toml").write_text(text.replace("'", '"'))
        return declaration(tmp_path / f"{name}.toml")

    one = declared("one", rows)
    both = declared("both", [*rows, *(row[0] + "yx"[row[1] == "y"] + row[2:] for row in rows)])
    X = distorted(ELEMENTS["quad4_plane_strain"], 1, seed=24)
    d = np.random.default_rng(25).standard_normal(X.shape)
    p = {"k": 1.7, "thickness": 0.6}
    made = {t: compile_kernel(one, t) for t in ("stiffness", "stiffness_action")}
    native = build_kernels(list(made.values()))
    expected = native["stiffness"](X, p)[..., 0].reshape(8, 8) @ d[..., 0].ravel()
    found = native["stiffness_action"](X, p, d)[..., 0]
    assert relative(found.ravel(), expected) < TOLERANCE
    assert (found[:, 1 if rows[0].startswith("ux") else 0] == 0.0).all()
    operations = compile_kernel(both, "stiffness_action").count.operations
    assert made["stiffness_action"].count.operations < 0.9 * operations


def test_an_action_of_a_point():
    """A mass on a spring: k d, m d and, without rotation, m d'' + k d (no cell to integrate)."""
    point = spring_point(3)
    state = np.random.default_rng(24).standard_normal((3, 1, 3, 2))
    p = values(("stiffness", "mass", *ALL)) | dict.fromkeys(ALL[4:], 0.0)
    d, _, a = state
    expected = {
        "stiffness_action": p["stiffness"] * d,
        "mass_action": p["mass"] * d,
        "motion_action": p["mass"] * a + p["stiffness"] * d,
    }
    for term, result in expected.items():
        program = compile_kernel(point, term).program
        vector = state if term == "motion_action" else d
        assert relative(interpret(program, {"state": vector}, p), result) < TOLERANCE
