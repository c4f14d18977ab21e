# SPDX-License-Identifier: BSD-3-Clause
"""Variants of the standard elements: what they have in common with their cell, and what not."""

from __future__ import annotations

import handwritten
import numpy as np
import pytest
import sympy
from compiled import kernel_of, library
from flexforge.codegen.elements.catalogue import find
from flexforge.codegen.elements.facts import FACTS, REVOLVED, named
from flexforge.codegen.elements.interpolation import REFERENCE
from flexforge.codegen.elements.library import VARIANTS, element
from flexforge.codegen.elements.terms import terms_of
from flexforge.codegen.errors import InputError
from flexforge.codegen.mechanics.derivation import derive
from flexforge.codegen.mechanics.formalisms import FORMALISMS
from flexforge.codegen.mechanics.frames import PLANAR
from flexforge.codegen.mechanics.points import point_of
from flexforge.codegen.study.written_equations import lower_equations
from specimens import (
    ALL_ELEMENTS,
    VARIANT_ELEMENTS,
    affine,
    cell_of,
    distorted,
    heavy_are_slow,
    hypothesis_of,
)

MATERIAL = {"young": 2.1, "poisson": 0.29, "density": 0.78, "thickness": 0.35}
SELECTIVE = [name for name in VARIANT_ELEMENTS if name.split("_")[0].endswith("s")]
ENHANCED = [name for name in VARIANT_ELEMENTS if VARIANT_ELEMENTS[name].modes]
REDUCED = [name for name in VARIANT_ELEMENTS if name.split("_")[0].endswith("r")]
#: Prefixes of variants whose mass has the points of the stiffness.
LIGHT = ("quad8rm", "hex20rm")
FINER = [name for name in VARIANT_ELEMENTS if name.split("_")[0].endswith("f")]


def _by_hand(name, X, rules=handwritten.quadrature):
    thickness = {"thickness": MATERIAL["thickness"]} if ALL_ELEMENTS[name].section else {}
    return handwritten.Handwritten(
        cell_of(name), hypothesis_of(name), X, 2.1, 0.29, 0.78, **thickness, rules=rules
    )


def test_the_table_of_facts_is_that_of_the_declarations():
    """Names and hypotheses of variants, vectors per node of fields, components of all."""
    assert named("plane", "solid", variant=True) == (*VARIANTS,)
    for name in VARIANTS:
        found = {hypothesis_of(full) for full in VARIANT_ELEMENTS if full.split("_")[0] == name}
        assert found == {*(FACTS[name].hypotheses or [""])} - {*REVOLVED}
    for name in named("rod", "shell"):
        declared = find(name)
        assert len(declared.carried) == FACTS[name].carried
        assert len(declared.places) == int(FACTS[name].cell[-1])


def test_hypotheses_of_variants():
    """quad4s is one of plane strain; plane stress has no change of volume that could lock."""
    assert element("quad4s").name == "quad4s_plane_strain"
    assert element("quad8r").name == "quad8r_plane_stress"
    with pytest.raises(InputError, match="'plane_stress' is unknown; expected one of plane_strain"):
        element("quad4s", "plane_stress")


@pytest.mark.parametrize(
    "name", heavy_are_slow(*(n for n in VARIANT_ELEMENTS if not n.startswith(LIGHT)))
)
def test_inertia_is_that_of_the_cell(name):
    """A variant changes the stiffness alone: mass by the full rule, to the last letter."""
    standard = cell_of(name) + ("_" + hypothesis_of(name) if hypothesis_of(name) else "")
    assert kernel_of(name, "mass").pieces == kernel_of(standard, "mass").pieces


@pytest.mark.parametrize(
    "name", heavy_are_slow(*(n for n in VARIANT_ELEMENTS if n.startswith(LIGHT)))
)
def test_reduced_inertia_has_the_points_of_the_stiffness(name):
    """Its mass has the rank of 2 points a direction; stiffness and total mass are those of r."""
    reduced = name.replace("rm", "r")
    assert kernel_of(name, "stiffness").pieces == kernel_of(reduced, "stiffness").pieces
    x = distorted(ALL_ELEMENTS[name], 1, 61, 0.0)
    masses = [
        library(one)["scalar_mass"](x, MATERIAL).reshape((x.shape[0],) * 2)
        for one in (name, reduced)
    ]
    assert np.linalg.matrix_rank(masses[0]) == 2 ** x.shape[1] < len(masses[0])
    assert np.isclose(*(m.sum() for m in masses), rtol=1e-14)


@pytest.mark.parametrize("name", heavy_are_slow(*REDUCED, more=("quad8r_plane_strain",)))
def test_reduced_integration_by_hand(name):
    """2 points a direction (Hughes, section 4.4), stiffness and stress, on a distorted element."""
    X = distorted(ALL_ELEMENTS[name], 1, seed=92)
    by_hand = _by_hand(
        name,
        X[..., 0],
        lambda cell, _: handwritten.quadrature(
            cell[:-1] + "4" if cell.startswith("quad") else "hex8", "stiffness"
        ),
    )
    expected = by_hand.stiffness()
    found = library(name)["stiffness"](X, MATERIAL).reshape(expected.shape)
    assert np.abs(found - expected).max() < 1e-13 * np.abs(expected).max()
    state = 0.1 * np.random.default_rng(2).standard_normal(X.shape)
    stresses = by_hand.nodal_stresses(state[..., 0])
    found = library(name)["stress"](X, MATERIAL, state)[..., 0]
    assert np.abs(found - stresses).max() < 1e-12 * np.abs(stresses).max()


@pytest.mark.parametrize("name", heavy_are_slow(*FINER))
def test_finer_integration_by_hand(name):
    """The stiffness by the rule of the mass (Dunavant, Walkington), on a curved element."""
    X = distorted(ALL_ELEMENTS[name], 1, seed=95)
    by_hand = _by_hand(name, X[..., 0], lambda cell, _: handwritten.quadrature(cell, "mass"))
    expected = by_hand.stiffness()
    found = library(name)["stiffness"](X, MATERIAL).reshape(expected.shape)
    assert np.abs(found - expected).max() < 1e-12 * np.abs(expected).max()
    # It can fail: the usual rule is another matrix, but for straight sides.
    usual = _by_hand(name, X[..., 0]).stiffness()
    assert np.abs(usual - expected).max() > 1e-5 * np.abs(expected).max()


@pytest.mark.parametrize("name", heavy_are_slow(*SELECTIVE, more=("hex8s",)))
def test_selective_integration_by_hand(name):
    """On parallelepipeds: shear modulus by 2 points a direction, bulk modulus by one (Hughes, 4.4).

    The volumetric law is K 1 1^T with K = E / (3 (1 - 2 nu)), the deviatoric one what is left.
    """
    X = affine(ALL_ELEMENTS[name], seed=93)
    size = X.shape[1]
    bulk = MATERIAL["young"] / (3 * (1 - 2 * MATERIAL["poisson"]))
    full, one = _by_hand(name, X), _by_hand(name, X, lambda *_: (np.zeros((1, size)), [2.0**size]))
    volumetric = np.zeros_like(full.H)
    volumetric[:size, :size] = bulk
    full.H = full.H - volumetric
    one.H = volumetric
    expected = full.stiffness() + one.stiffness()
    found = library(name)["stiffness"](X[..., None], MATERIAL).reshape(expected.shape)
    assert np.abs(found - expected).max() < 1e-13 * np.abs(expected).max()
    # It can fail: full integration is another matrix.
    full.H = full.H + volumetric
    assert np.abs(found - full.stiffness()).max() > 1e-3 * np.abs(expected).max()


def _with_modes(by_hand, X):
    """Return stiffness and stress matrices of an element with bubbles 1 - xi_k^2 condensed out.

    Taylor, Beresford and Wilson (1976): gradients of the modes with the Jacobian of the centre,
    scaled by det J_0 / det J.
    """
    size = X.shape[1]
    centre = X.T @ handwritten.shape_derivatives(by_hand.name, np.zeros(size))
    points, weights = handwritten.quadrature(by_hand.name, "stiffness")
    strains, total = [], 0
    for xi, weight, (_, G, dV) in zip(points, weights, by_hand.points("stiffness"), strict=True):
        det = dV / weight / by_hand.thickness
        slopes = np.diag(-2 * xi) @ np.linalg.inv(centre) * np.linalg.det(centre) / det
        nodes, by_hand.nodes = by_hand.nodes, by_hand.nodes + size
        B = by_hand.strain_matrix(np.vstack([G, slopes]))
        by_hand.nodes = nodes
        strains.append(B)
        total = total + dV * B.T @ by_hand.H @ B
    n = X.size
    amplitudes = -np.linalg.solve(total[n:, n:], total[n:, :n])
    condensed = total[:n, :n] + total[:n, n:] @ amplitudes
    whole = np.vstack([np.eye(n), amplitudes])
    return condensed, [by_hand.H @ B @ whole for B in strains]


@pytest.mark.parametrize("name", heavy_are_slow(*ENHANCED, more=("hex8i", "quad4i_plane_strain")))
def test_incompatible_modes_by_hand(name):
    """Modes condensed out of a distorted element by NumPy: the same stiffness and stresses."""
    X = distorted(ALL_ELEMENTS[name], 3, seed=94)
    state = 0.1 * np.random.default_rng(3).standard_normal(X.shape)
    for lanes in (1, 8):
        kernels = library(name, lanes)
        found = kernels["stiffness"](X, MATERIAL)
        stresses = kernels["stress"](X, MATERIAL, state)
        for e in range(3):
            by_hand = _by_hand(name, X[..., e])
            expected, laws = _with_modes(by_hand, X[..., e])
            one = found[..., e].reshape(expected.shape)
            assert np.abs(one - expected).max() < 1e-12 * np.abs(expected).max()
            at_points = np.array([law @ state[..., e].ravel() for law in laws])
            by_hand.stresses = lambda _, s=at_points: s
            nodal = by_hand.nodal_stresses(state[..., e])
            assert np.abs(stresses[..., e] - nodal).max() < 1e-12 * np.abs(nodal).max()


@pytest.mark.parametrize("name", ENHANCED)
def test_modes_do_no_work_on_a_constant_stress(name):
    """The derivatives of the modes have the mean zero over the reference cell: the patch test."""
    subject = VARIANT_ELEMENTS[name]
    points, weights = handwritten.quadrature(cell_of(name), "stiffness")
    for mode in subject.modes:
        for axis in REFERENCE[: subject.dimension]:
            slope = sympy.lambdify(REFERENCE[: subject.dimension], sympy.diff(mode, axis))
            assert abs(sum(w * slope(*p) for p, w in zip(points, weights, strict=True))) < 1e-15


def test_modes_have_no_equations_of_their_own():
    """Programs of the equations as written refuse an element with modes, and say why."""
    point = point_of(element("quad4i"), PLANAR, "1234")
    with pytest.raises(InputError, match="condensed in its kernels.*expected an element without"):
        lower_equations(element("quad4i"), point, [])


@pytest.mark.parametrize("name", SELECTIVE)
def test_formalisms_agree_on_means(name):
    """physics.md section 4, check 2: all formalisms derive the same terms, exactly."""
    first, *others = (derive(VARIANT_ELEMENTS[name], formalism=f) for f in FORMALISMS)
    for other in others:
        assert {n: t.density for n, t in other.terms.items()} == {
            n: t.density for n, t in first.terms.items()
        }
    assert "stiffness_action" not in terms_of(VARIANT_ELEMENTS[name])
    assert "mass_action" in terms_of(VARIANT_ELEMENTS[name])
