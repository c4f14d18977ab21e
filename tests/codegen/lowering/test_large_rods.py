# SPDX-License-Identifier: BSD-3-Clause
"""Rods with large rotations: complex steps, invariance, small strains, compiled kernels."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from compiled import build_kernels, quick_compiler
from flexforge.codegen.driver import compile_kernel, widened
from flexforge.codegen.elements.catalogue import LARGE, find
from flexforge.codegen.elements.hyperelastic import hyperelastic
from flexforge.codegen.elements.terms import FINITE
from flexforge.codegen.ir.interpret import interpret
from marks import slow
from scipy.spatial.transform import Rotation

VALUES = {
    "young": 7.0, "poisson": 0.3, "area": 0.06, "inertia_y": 2e-3, "inertia_z": 4.5e-3,
    "torsion": 9e-3, "inertia": 3e-3, "shear_y": 0.83, "shear_z": 0.7,
    "offset_y": 0.05, "offset_z": -0.03,
    "orientation1": 0.3, "orientation2": -0.5, "orientation3": 0.8,
    "EA": 3.0, "GA": 1.1, "EI": 0.7, "GJ": 0.4, "coupling": 0.3, "more": 0.5,
}  # fmt: skip
#: A wire whose pull twists it, with a root, an exponential and a logarithm.
WIRE = ("EA/2*tension^2 + GA/2*(shearing_y^2 + shearing_z^2) + EI/2*bending_y^2"
        " + EI*(exp(bending_z^2/2) - 1) + GJ*(sqrt(1 + twisting^2) - 1)"
        " + coupling*tension*twisting + more*log(1 + tension)^2")  # fmt: skip
CABLE = "EA/2*(stretch - 1)^2 + EI*(sqrt(1 + bending_x^2 + bending_y^2 + bending_z^2) - 1)"
ROPE = "EA/2*(stretch - 1)^2"
BEAMS = tuple(name for name in LARGE if name.startswith("simo"))
#: Of three nodes in space, and cables with slopes there: what others show as well takes long.
LONG = ("simo_beam3", "wire3", "ancf_cable", "softer")
NAMES = [
    slow(name) if name in LONG else name
    for name in (*LARGE, "wire2", "wire3", "rope2", "rope3_plane", "softer")
]
STEP = 1e-30


@cache
def rod(name):
    """Return an element of the library, or one of an own energy."""
    if name.startswith("wire"):
        own = ["EA", "GA", "EI", "GJ", "coupling", "more"]
        return hyperelastic(name.replace("wire", "simo_beam"), WIRE, own)
    if name.startswith("rope"):
        return hyperelastic(name.replace("rope", "cable"), ROPE, {"EA": "N"})
    return hyperelastic("ancf_cable", CABLE, ["EA", "EI"]) if name == "softer" else find(name)


@cache
def kernel(name, term):
    """Return a kernel, derived once a process."""
    return compile_kernel(rod(name), term)


@cache
def lowered(name, term):
    """Return that kernel as lowered; what passes make of it is compared where it is compiled."""
    return compile_kernel(rod(name), term, passes={})


def evaluate(name, term, coordinates, state):
    """Return a term of one element, by the arithmetic of its arrays."""
    return evaluate_all(name, term, coordinates, state[..., None])[..., 0]


def evaluate_all(name, term, coordinates, states):
    """Return a term of one element in several states at once, which are the last axis."""
    count = states.shape[-1]
    repeated = np.repeat(coordinates.astype(states.dtype)[..., None], count, axis=-1)
    inputs = {"coordinates": repeated, "state": states}
    return interpret(lowered(name, term).program, inputs, VALUES)


def placed(name, seed=5):
    """Return the coordinates of a straight rod somewhere in space, a row per vector."""
    rng = np.random.default_rng(seed)
    element = rod(name)
    along = rng.standard_normal(element.components)
    places = np.array([0.0, 1.3, 0.7])[: len(element.places)]
    start = rng.standard_normal(element.components)
    points = start + np.outer(places, along / np.linalg.norm(along))
    return np.repeat(points, len(element.carried), axis=0)


def shaken(name, size=0.8, seed=5):
    """Return coordinates and a random state, whose rotations have an angle of that order."""
    coordinates = placed(name, seed)
    return coordinates, size * np.random.default_rng(seed + 1).uniform(-1, 1, coordinates.shape)


def skew(v):
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def rate_of_vector(r):
    """Return the derivative of a rotation vector by a spin of the frame."""
    angle = np.linalg.norm(r)
    half, square = skew(r) / 2.0, skew(r) @ skew(r)
    if angle < 1e-3:
        return np.eye(3) - half + square / 12.0
    return np.eye(3) - half + square * (1.0 - angle / 2.0 / np.tan(angle / 2.0)) / angle**2


def spatial(name, row):
    """Whether a row of the state is a rotation vector in space."""
    element = rod(name)
    return "rotation" in element.carried and element.components == 3 and row % 2 == 1


def step(name, state, k):
    """Return a complex state, displaced or spun by a small imaginary amount."""
    row, i = divmod(k, state.shape[1])
    found = state.astype(complex)
    if spatial(name, row):
        found[row] += 1j * STEP * rate_of_vector(state[row])[:, i]
    else:
        found[row, i] += 1j * STEP
    return found


def check_steps(name, coordinates, state, rounding):
    """Compare forces and tangent with complex steps."""
    forces = evaluate(name, "internal_forces", coordinates, state).ravel()
    n = len(forces)
    tangent = evaluate(name, "tangent", coordinates, state).reshape(n, n)
    moved = np.stack([step(name, state, k) for k in range(n)], axis=-1)
    of_energy, of_forces = (
        evaluate_all(name, term, coordinates, moved).reshape(-1, n).imag / STEP
        for term in ("strain_energy", "internal_forces")
    )
    assert abs(forces - of_energy).max() <= rounding * abs(forces).max()
    assert abs(tangent - of_forces).max() <= rounding * abs(tangent).max()
    return forces, tangent


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("size", [0.8, 1e-4, 1e-7])
def test_forces_and_tangent_are_complex_steps(name, size):
    """Forces are derivatives of the energy by displacements and spins, the tangent of forces."""
    check_steps(name, *shaken(name, size), rounding=1e-13 if size == 0.8 else 1e-9)


@pytest.mark.parametrize("name", ["simo_beam2", "cable2", "wire2", "rope2"])
@pytest.mark.parametrize("angle", [1e-9, 1.0, 3.0])
def test_complex_steps_of_ends_turned_apart(name, angle):
    """From no rotation between the ends to nearly half a turn, about any axis."""
    coordinates, state = shaken(name)
    if spatial(name, 1):
        axis = np.array([0.48, -0.6, 0.64])
        first = Rotation.from_rotvec(state[1])
        state[3] = (first * Rotation.from_rotvec(angle * axis)).as_rotvec()
    check_steps(name, coordinates, state, rounding=1e-12)


def moved_rigidly(name, coordinates, state, turn):
    """Return a state that is turned and shifted as a whole; ``turn`` is a rotation vector."""
    size = coordinates.shape[1]
    whole = Rotation.from_rotvec(turn if size == 3 else [0.0, 0.0, turn[2]])
    matrix = whole.as_matrix()[:size, :size]
    found = (coordinates + state) @ matrix.T + 0.3 - coordinates
    if "slope" in rod(name).carried:
        along = (coordinates[2] - coordinates[0]) / np.linalg.norm(coordinates[2] - coordinates[0])
        found[1::2] = (along + state[1::2]) @ matrix.T - along
        found[::2] = (coordinates[::2] + state[::2]) @ matrix.T + 0.3 - coordinates[::2]
    if "rotation" in rod(name).carried:
        found[1::2] = state[1::2]
        if size == 3:
            found[1::2] = (whole * Rotation.from_rotvec(state[1::2])).as_rotvec()
        else:
            found[1::2, 0] += turn[2]
    return found, matrix


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("turn", [(1.0, -0.4, 2.1), (-2.0, 1.5, 0.7), (0.0, 0.0, 3.1)])
def test_rotations_change_nothing_and_rigid_motions_take_nothing(name, turn):
    """The energy is objective, forces and moments turn; a turned rod at rest has neither."""
    coordinates, state = shaken(name)
    moved, matrix = moved_rigidly(name, coordinates, state, turn)
    energy, forces = (evaluate(name, t, coordinates, state) for t in FINITE[:2])
    assert evaluate(name, "strain_energy", coordinates, moved) == pytest.approx(energy, rel=1e-12)
    turned = evaluate(name, "internal_forces", coordinates, moved)
    expected = forces @ matrix.T
    if "rotation" in rod(name).carried and forces.shape[1] == 2:
        expected[1::2] = forces[1::2]
    assert abs(turned - expected).max() < 1e-12 * abs(forces).max()
    rigid, _ = moved_rigidly(name, coordinates, 0.0 * state, turn)
    assert abs(evaluate(name, "strain_energy", coordinates, rigid)[0]) < 1e-24 * energy[0]
    at_rest = evaluate(name, "internal_forces", coordinates, rigid)
    assert abs(at_rest).max() < 1e-13 * abs(forces).max()


@pytest.mark.parametrize("name", NAMES)
def test_small_strains_are_linear_to_the_last_digits(name):
    """At rest the tangent is the stiffness of the linear element, derived from its own field."""
    coordinates, state = shaken(name, size=1e-9)
    n = state.size
    stiffness = evaluate(name, "stiffness", coordinates, state).reshape(n, n)
    tangent = evaluate(name, "tangent", coordinates, 0.0 * state).reshape(n, n)
    assert abs(tangent - stiffness).max() < 1e-13 * abs(stiffness).max()
    forces = evaluate(name, "internal_forces", coordinates, state).ravel()
    assert abs(forces - stiffness @ state.ravel()).max() < 2e-8 * abs(forces).max()


@pytest.mark.parametrize("name", ["simo_beam2", slow("simo_beam3"), slow("wire3")])
def test_all_vectors_of_a_rotation_are_one(name):
    """A turn more or less of a node's rotation vector changes nothing."""
    coordinates, state = shaken(name)
    other = state.copy()
    for row, more in ((1, 1.0), (3, -1.0)):
        angle = np.linalg.norm(state[row])
        other[row] *= 1.0 + more * 2.0 * np.pi / angle
    for term in FINITE:
        exact = evaluate(name, term, coordinates, state)
        found = evaluate(name, term, coordinates, other)
        assert abs(found - exact).max() < 1e-13 * abs(exact).max()


@pytest.mark.parametrize("name", ["simo_beam2", slow("simo_beam3"), "wire2"])
def test_skew_parts_are_those_of_nodal_moments(name):
    """K - K^T is the moment of each node, crossed: nothing where moments are in balance."""
    coordinates, state = shaken(name)
    forces = evaluate(name, "internal_forces", coordinates, state)
    n = state.size
    tangent = evaluate(name, "tangent", coordinates, state).reshape(n, n)
    expected = np.zeros((n, n))
    for row in range(1, len(state), 2):
        expected[3 * row : 3 * row + 3, 3 * row : 3 * row + 3] = -skew(forces[row])
    assert abs(tangent - tangent.T - expected).max() < 1e-13 * abs(tangent).max()


@pytest.mark.parametrize(
    ("name", "lanes"),
    [
        ("simo_beam3_plane", 1),
        ("cable3", 8),
        slow("wire2", 8),
        *(slow(name, 9 - n) for name, n in (("simo_beam3_plane", 1), ("cable3", 8), ("wire2", 8))),
        slow("simo_beam2", 1),
        slow("simo_beam2", 8),
    ],
)
def test_compiled_kernels_are_their_programs(name, lanes):
    """C of one and of eight elements a call, with functions, against the interpreter."""
    pairs = [shaken(name, seed=seed) for seed in range(lanes)]
    coordinates, state = (np.stack(one, axis=-1) for one in zip(*pairs, strict=True))
    wide = [widened(kernel(name, term), lanes) for term in FINITE]
    for term, run in build_kernels(wide, quick_compiler()).items():
        inputs = {"coordinates": coordinates, "state": state}
        exact = interpret(lowered(name, term).program, inputs, VALUES)
        found = run(coordinates, VALUES, state)
        assert abs(found - exact).max() < 1e-13 * abs(exact).max()


def test_kernels_of_single_precision():
    """Nothing in them is too small for single precision, at rest neither."""
    single = [replace(kernel("simo_beam2", term), scalar="float") for term in FINITE]
    for term, run in build_kernels(single, quick_compiler()).items():
        for size in (0.8, 0.0):
            coordinates, state = shaken("simo_beam2", size)
            exact = evaluate("simo_beam2", term, coordinates, state)
            found = run(coordinates[..., None], VALUES, state[..., None])[..., 0]
            assert abs(found - exact).max() <= 2e-5 * abs(exact).max()


@pytest.mark.parametrize(
    ("name", "operations"),
    [
        ("simo_beam2", (364, 856, 3046)),
        ("simo_beam2_plane", (65, 110, 292)),
        slow("simo_beam3", (699, 1656, 8749)),
        ("simo_beam3_plane", (139, 243, 737)),
        ("cable2", (41, 52, 76)),
        ("cable2_plane", (30, 37, 50)),
        ("cable3", (164, 220, 367)),
        ("cable3_plane", (117, 154, 230)),
        slow("ancf_cable", (457, 1232, 5681)),
        ("ancf_cable_plane", (305, 603, 2164)),
    ],
)
def test_operations(name, operations):
    """Exact counts: an element, additions, products, quotients, roots and functions."""
    assert tuple(kernel(name, term).count.operations for term in FINITE) == operations
