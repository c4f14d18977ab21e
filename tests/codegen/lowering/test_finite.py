# SPDX-License-Identifier: BSD-3-Clause
"""Elements with an energy: complex steps, invariance, small strains, closed forms."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from compiled import build_kernels, quick_compiler
from energies import (
    FIBRES,
    ISOTROPIC,
    LAWS,
    OF_OWN,
    VALUES,
    checked_tangent,
    deformed,
    evaluate,
    kernel,
    of_stretches,
    shaken,
)
from flexforge.codegen.driver import compile_kernel, widened
from flexforge.codegen.elements.terms import FINITE
from flexforge.codegen.ir.expression import Graph
from flexforge.codegen.ir.interpret import interpret
from flexforge.codegen.lowering.deformed import DeformedPoint
from flexforge.codegen.lowering.finite_nodes import tangent_by_nodes
from flexforge.codegen.lowering.finite_pairs import is_of_invariants, tangent_by_moduli
from marks import slow
from scipy.spatial.transform import Rotation

#: Complex steps do not go through principal axes: test_principal has differences of many digits.
SMOOTH = [law for law in LAWS if law not in ("ogden", FIBRES)]
#: Every law in a tetrahedron, and two laws in plane strain; what else there is of laws and elements
#: is slow.
QUICK = [("tet4", law) for law in SMOOTH]
QUICK += [
    ("quad4_plane_strain", "own"),
    ("quad4s_plane_strain", "neo_hookean"),
]
BASES = ("tet4", "hex8", "quad4_plane_strain", "quad4s_plane_strain")
MORE = [(base, law) for law in SMOOTH for base in BASES if (base, law) not in QUICK]
MORE += [("hex8s", "gent"), ("hex8s", "own")]
MORE += [("tri6_plane_strain", "gent"), ("wedge6", "mooney_rivlin"), ("pyramid5", "own")]
CASES = [*QUICK, *(slow(*one) for one in MORE)]

#: Those whose passes are quick, or whose kernels are compiled by a quick test.
OPTIMIZED = [("tet4", "neo_hookean"), ("quad4_plane_strain", "own")]
FIBROUS = [("tet4", FIBRES), slow("quad4s_plane_strain", FIBRES)]
STRETCHED = [("tet4", "ogden"), slow("hex8s", "ogden"), slow("quad4s_plane_strain", "ogden")]
#: In a square: of a shape alone, with a volume of its own, and of principal stretches.
SQUARE = [law if law in ("neo_hookean", "neo_hookean_isochoric", "ogden") else slow(law)
          for law in ISOTROPIC]  # fmt: skip
#: In solids.
SOLID = [law if law == "mooney_rivlin" else slow(law) for law in ISOTROPIC]


@pytest.mark.parametrize(
    ("base", "law"), [*CASES, slow("tet4", FIBRES), slow("quad4s_plane_strain", FIBRES)]
)
def test_forces_and_tangent_are_complex_steps(base, law):
    """Forces are derivatives of the energy, the tangent of the forces; it is symmetric."""
    coordinates, state = shaken(base, law)
    checked_tangent(base, law, coordinates, state)


@pytest.mark.parametrize(("base", "law"), [*CASES, *STRETCHED, *FIBROUS])
def test_rotations_change_nothing_and_rigid_motions_take_nothing(base, law):
    """The energy is objective, forces turn; a turned element at rest has neither."""
    coordinates, state = shaken(base, law)
    size = coordinates.shape[1]
    turn = Rotation.from_rotvec([0.0, 0.0, 2.1] if size == 2 else [1.0, -0.4, 2.1]).as_matrix()
    turn = turn[:size, :size]
    moved = (coordinates + state) @ turn.T + 0.3 - coordinates
    energy, forces = (evaluate(base, law, t, coordinates, state) for t in FINITE[:2])
    assert evaluate(base, law, "strain_energy", coordinates, moved) == pytest.approx(
        energy, rel=1e-12
    )
    turned = evaluate(base, law, "internal_forces", coordinates, moved)
    assert abs(turned - forces @ turn.T).max() < 1e-12 * abs(forces).max()
    rigid = coordinates @ turn.T + 0.3 - coordinates
    assert abs(evaluate(base, law, "strain_energy", coordinates, rigid)[0]) < 1e-14 * energy[0]
    at_rest = evaluate(base, law, "internal_forces", coordinates, rigid)
    assert abs(at_rest).max() < 1e-13 * abs(forces).max()


@pytest.mark.parametrize(("base", "law"), [*CASES, *STRETCHED])
def test_small_strains_are_linear_to_the_last_digits(base, law):
    """At rest the tangent is the stiffness; forces of 1e-9 keep digits that differences lose."""
    coordinates, state = shaken(base, law, size=1e-9)
    n = state.size
    stiffness = evaluate(base, law, "stiffness", coordinates, state).reshape(n, n)
    tangent = evaluate(base, law, "tangent", coordinates, 0.0 * state).reshape(n, n)
    assert abs(tangent - stiffness).max() < 1e-13 * abs(stiffness).max()
    forces = evaluate(base, law, "internal_forces", coordinates, state).ravel()
    assert abs(forces - stiffness @ state.ravel()).max() < 2e-8 * abs(forces).max()


@pytest.mark.parametrize("law", ["mooney_rivlin", "ogden", slow("own"), slow(FIBRES)])
def test_moduli_at_points_give_the_matrix_of_moments(law):
    """The tangent of elements of many nodes, whatever the energy depends on."""
    base = "tri6_plane_strain" if law != FIBRES else "tet4"
    coordinates, state = shaken(base, law, size=0.02)
    inputs = {"coordinates": coordinates[..., None], "state": state[..., None]}
    graph, element = Graph(), deformed(base, law)
    by_moduli = tangent_by_moduli(element, DeformedPoint(element, graph), graph)
    exact = interpret(by_moduli, inputs, VALUES | OF_OWN | {"thickness": 0.7})[..., 0]
    found = evaluate(base, law, "tangent", coordinates, state)
    assert abs(found - exact).max() < 1e-13 * abs(exact).max()


def test_energies_of_invariants_alone_are_told():
    """Only their tangents are made of vectors of the nodes."""
    told = [is_of_invariants(deformed("tet4", one)) for one in ("neo_hookean", "ogden", FIBRES)]
    assert told == [True, False, False]


@pytest.mark.parametrize("law", ["mooney_rivlin", slow("own")])
@pytest.mark.parametrize(
    "base", [slow("tet10"), slow("quad9_plane_strain"), "quad8r_plane_strain", slow("hex27")]
)
def test_moments_are_sums_of_vectors_of_nodes(base, law):
    """The tangent from moments is that from vectors of nodes, pair by pair and point by point."""
    coordinates, state = shaken(base, law, size=0.02)
    inputs = {"coordinates": coordinates[..., None], "state": state[..., None]}
    by_nodes = tangent_by_nodes(deformed(base, law))
    exact = interpret(by_nodes, inputs, VALUES | OF_OWN | {"thickness": 0.7})[..., 0]
    found = evaluate(base, law, "tangent", coordinates, state)
    assert abs(found - exact).max() < 1e-13 * abs(exact).max()


@pytest.mark.parametrize(("base", "law"), [*CASES, slow("tet10", "gent"), slow("wedge15", "own")])
def test_actions_are_complex_steps_of_forces(base, law):
    """The tangent times a vector is the derivative of the forces along it: the matrix times it."""
    coordinates, state = shaken(base, law, size=0.05)
    vector = np.random.default_rng(5).standard_normal(state.shape)
    found = evaluate(base, law, "tangent_action", coordinates, np.stack([state, vector]))
    forces = evaluate(base, law, "internal_forces", coordinates, state + 1e-30j * vector)
    assert abs(found - forces.imag / 1e-30).max() < 1e-13 * abs(found).max()
    if base not in ("tet10", "wedge15"):
        tangent = evaluate(base, law, "tangent", coordinates, state)
        product = np.einsum("aibj,bj->ai", tangent, vector)
        assert abs(found - product).max() < 1e-13 * abs(found).max()


def _cube():
    return np.array([[x, y, z] for z in (0, 1) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))], float)


@pytest.mark.parametrize("law", SOLID)
@pytest.mark.parametrize(
    "stretches", [(1.8, 0.8, 0.8), (1.4, 1.4, 0.6), (0.5, 1.3, 1.1)], ids=["long", "wide", "any"]
)
def test_forces_on_a_stretched_cube_are_those_of_its_stretches(law, stretches):
    """Uniaxial and equibiaxial stretch, and three unlike ones: dW / d lambda on every face."""
    corners = _cube()
    forces = evaluate(
        "hex8", law, "internal_forces", corners, corners * (np.array(stretches) - 1.0)
    )
    for k in range(3):
        moved = np.array(stretches, dtype=complex)
        moved[k] += 1e-30j
        exact = of_stretches(law, moved).imag / 1e-30
        assert forces[corners[:, k] == 1.0, k].sum() == pytest.approx(exact, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("where", ["", "point_"])
@pytest.mark.parametrize("law", SOLID)
@pytest.mark.parametrize(
    "stretches", [(1.8, 0.8, 0.8), (1.4, 1.4, 0.6), (0.5, 1.3, 1.1)], ids=["long", "wide", "any"]
)
def test_stresses_of_a_stretched_cube(law, stretches, where):
    """Turned, by lambda_k: sigma_k = lambda_k / J dW/dlambda_k, S_k = 1/lambda_k dW/dlambda_k."""
    turn = Rotation.from_rotvec([1.0, -0.4, 2.1]).as_matrix()
    stretches = np.array(stretches)
    moved = (_cube() * stretches) @ turn.T - _cube()
    nominal = np.zeros(3)
    for k in range(3):
        x = stretches.astype(complex)
        x[k] += 1e-30j
        nominal[k] = of_stretches(law, x).imag / 1e-30
    scale = abs(nominal).max()
    undeformed = evaluate("hex8", law, f"{where}second_piola_stress", _cube(), moved)
    expected = [*(nominal / stretches), 0.0, 0.0, 0.0]
    assert abs(undeformed - expected).max() < 1e-12 * scale
    true = turn @ np.diag(nominal * stretches / stretches.prod()) @ turn.T
    found = evaluate("hex8", law, f"{where}stress", _cube(), moved)
    voigt = [true[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1))]
    assert abs(found - voigt).max() < 1e-12 * scale


@pytest.mark.parametrize("law", SQUARE)
def test_stress_of_small_strains_is_that_of_the_limit(law):
    """In the plane too, and to as many digits as displacements of 1e-9 have."""
    base = "quad4_plane_strain"
    coordinates, state = shaken(base, law, size=1e-9)
    linear = compile_kernel(replace(deformed(base, law), energy=None), "point_stress").program
    inputs = {"coordinates": coordinates[..., None], "state": state[..., None]}
    exact = interpret(linear, inputs, VALUES)[..., 0]
    for term in ("point_stress", "point_second_piola_stress"):
        found = evaluate(base, law, term, coordinates, state)
        assert abs(found[:, [0, 1, 3]] - exact).max() < 2e-8 * abs(exact).max()


@pytest.mark.parametrize("law", SQUARE)
def test_stresses_of_a_stretched_square(law):
    """In plane strain, turned, with the stress that holds it across the plane."""
    c, s = np.cos(0.7), np.sin(0.7)
    turn, stretches = np.array([[c, -s], [s, c]]), np.array([1.7, 0.8, 1.0])
    corners = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    moved = (corners * stretches[:2]) @ turn.T - corners
    nominal = np.zeros(3)
    for k in range(3):
        x = stretches.astype(complex)
        x[k] += 1e-30j
        nominal[k] = of_stretches(law, x).imag / 1e-30
    true = nominal * stretches / stretches.prod()
    plane = turn @ np.diag(true[:2]) @ turn.T
    found = evaluate("quad4_plane_strain", law, "stress", corners, moved)
    expected = [plane[0, 0], plane[1, 1], true[2], plane[0, 1]]
    assert abs(found - expected).max() < 1e-12 * abs(true).max()
    undeformed = evaluate("quad4_plane_strain", law, "second_piola_stress", corners, moved)
    expected = [*(nominal / stretches), 0.0]
    assert abs(undeformed - expected).max() < 1e-12 * abs(true).max()


def test_simple_shear_of_a_neo_hookean_cube():
    """sigma_12 = mu gamma and sigma_11 = mu gamma^2, whatever lame (no volume is gained)."""
    gamma = 0.9
    corners = _cube()
    state = np.zeros((8, 3))
    state[:, 0] = gamma * corners[:, 1]
    forces = evaluate("hex8", "neo_hookean", "internal_forces", corners, state)
    top = forces[corners[:, 1] == 1.0].sum(axis=0)  # the nominal tractions of the face y = 1
    assert top == pytest.approx([3.0 * gamma, 0.0, 0.0], abs=1e-13)
    side = forces[corners[:, 0] == 1.0].sum(axis=0)  # P = sigma F^-T
    assert side == pytest.approx([0.0, 3.0 * gamma, 0.0], abs=1e-13)
    stress = evaluate("hex8", "neo_hookean", "stress", corners, state)
    assert abs(stress - [3.0 * gamma**2, 0.0, 0.0, 0.0, 0.0, 3.0 * gamma]).max() < 1e-13


@pytest.mark.parametrize(
    ("base", "law"),
    [
        pytest.param(base, law, marks=() if (base, law) in OPTIMIZED else pytest.mark.slow)
        for base, law in (*QUICK, *MORE, ("tet4", FIBRES), ("tet4", "ogden"))
    ],
)
def test_passes_change_no_value(base, law):
    """Kernels against what they are lowered to, which all other tests of values look at."""
    coordinates, state = shaken(base, law)
    given = VALUES | OF_OWN | {"thickness": 0.7}
    for term in (*FINITE, "point_stress"):
        inputs = {"coordinates": coordinates[..., None], "state": state[..., None]}
        found = interpret(kernel(base, law, term).program, inputs, given)[..., 0]
        exact = evaluate(base, law, term, coordinates, state)
        assert abs(found - exact).max() < 1e-13 * abs(exact).max(), term


@pytest.mark.parametrize("lanes", [1, 8])
@pytest.mark.parametrize(
    ("base", "law"), [("quad4_plane_strain", "own"), slow("hex8", "mooney_rivlin")]
)
def test_compiled_kernels_are_their_programs(base, law, lanes):
    """C of one and of eight elements a call, with functions, against the interpreter."""
    chosen = [kernel(base, law, term) for term in (*FINITE, "tangent_action")]
    given = VALUES | OF_OWN | {"thickness": 0.7}
    wide = [widened(one, lanes) for one in chosen]
    pairs = [shaken(base, law, seed=seed) for seed in range(lanes)]
    coordinates, state = (np.stack(one, axis=-1) for one in zip(*pairs, strict=True))
    for term, run in build_kernels(wide, quick_compiler()).items():
        states = np.stack([state, coordinates]) if term == "tangent_action" else state
        inputs = {"coordinates": coordinates, "state": states}
        exact = interpret(kernel(base, law, term).program, inputs, given)
        found = run(coordinates, given, states)
        assert abs(found - exact).max() < 1e-13 * abs(exact).max()


@pytest.mark.parametrize(
    ("base", "law", "term", "operations"),
    [
        ("tet4", "neo_hookean", "tangent", 347),
        slow("tet10", "neo_hookean", "tangent", 6086),
        slow("hex8", "neo_hookean", "tangent", 6940),
        slow("hex8", "gent", "tangent", 8803),
        ("hex8", "mooney_rivlin", "tangent", 12381),
        slow("hex27", "neo_hookean", "tangent", 108231),
        ("tet4", "neo_hookean", "internal_forces", 269),
        slow("hex8", "neo_hookean", "internal_forces", 2530),
        slow("hex27", "neo_hookean", "internal_forces", 10899),
        ("tet4", "neo_hookean", "tangent_action", 332),
        slow("hex8", "neo_hookean", "tangent_action", 3100),
        slow("hex8", "neo_hookean", "stress", 2620),
    ],
)
def test_operations(base, law, term, operations):
    """Exact counts: an element, additions, products, quotients, roots and functions."""
    assert kernel(base, law, term).count.operations == operations
