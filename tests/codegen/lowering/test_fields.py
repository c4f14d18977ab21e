# SPDX-License-Identifier: BSD-3-Clause
"""Bars and beams: derived from their fields, against matrices by hand and against mechanics."""

from __future__ import annotations

from functools import cache, partial

import numpy as np
import pytest
import rods
from compiled import build_kernels
from flexforge.codegen.driver import compile_kernel, widened
from flexforge.codegen.elements.catalogue import find
from flexforge.codegen.elements.terms import LOADS, MATRICES, SECTION
from flexforge.codegen.ir.interpret import interpret
from flexforge.codegen.mechanics.derivation import derive
from flexforge.codegen.mechanics.formalisms import FORMALISMS
from marks import slow
from scipy.linalg import eigh

BARS = ("bar2_plane", "bar3_plane", "bar2", "bar3")
#: Declared where they are needed: to write down their fields takes seconds.
BEAMS = ("euler_beam_plane", "timoshenko_beam_plane", "euler_beam", "timoshenko_beam")
SPATIAL = "timoshenko_beam"
#: What is shown of a beam in space that yields in shear is slow of one that does not.
SHEARED = [slow(name) if name == "euler_beam" else name for name in BEAMS]
PLIES = "timoshenko_beam_laminate"


@cache
def _kernel(name, term):
    """Return a kernel as lowered: what the passes make of it is compared where it is compiled."""
    return compile_kernel(find(name), term, passes={})


@cache
def _optimized(name, term):
    return compile_kernel(find(name), term)


def _points(element, seed=3):
    """Return random positions of the nodes; the middle one of a bar is off the straight line."""
    rng = np.random.default_rng(seed)
    ends = rng.uniform(-1, 1, (2, element.components))
    middle = ends.mean(axis=0) + 0.05 * rng.standard_normal(element.components)
    return np.array([*ends, middle][: len(element.places)])


def _run_all(element, term, points, state=None, **changed):
    """Return what a term of elements (places, components, count) is, by the interpreter."""
    kernel = _kernel(element.name, term)
    values = rods.VALUES | changed
    positions = np.repeat(points, len(element.carried), axis=0)
    inputs = {"coordinates": positions}
    if state is not None:
        inputs["state"] = state.reshape(positions.shape)
    found = interpret(kernel.program, inputs, {p.name: values[p.name] for p in kernel.parameters})
    shape = (kernel.rows * kernel.columns,) if term in LOADS else (kernel.rows, kernel.rows)
    return found.reshape(*shape, -1)


def _run(element, term, points, state=None, **changed):
    """Return what a term of one element is, as a matrix or a vector."""
    return _run_all(element, term, points[..., None], state, **changed)[..., 0]


def _rigid(element, points):
    """Return the rigid motions, a column each: translations, then rotations about the origin."""
    size, carried = element.components, len(element.carried)
    columns = []
    for i in range(size):
        column = np.zeros((len(points), carried, size))
        column[:, 0, i] = 1
        columns.append(column.ravel())
    for w in np.eye(3) if size == 3 else [[1.0]]:
        column = np.zeros((len(points), carried, size))
        column[:, 0] = points @ rods.skew(w).T
        if carried == 2:
            column[:, 1, : len(w)] = w
        columns.append(column.ravel())
    return np.array(columns).T


def _relative(found, expected):
    return np.abs(found - expected).max() / np.abs(expected).max()


@pytest.mark.parametrize("name", [slow("bar3_plane"), "timoshenko_beam_plane", slow(SPATIAL)])
def test_formalisms_agree(name):
    """Six formalisms, and the unrolled derivation by Kane, give the same terms symbol by symbol."""
    element = find(name)
    first = derive(element).terms
    for formalism in FORMALISMS:
        for kind, term in derive(element, formalism=formalism).terms.items():
            assert term.density == first[kind].density, (formalism, kind)


def test_unrolled_is_the_same_kernel():
    """With all coordinates written out the generic pair of vectors is found again."""
    element = find("timoshenko_beam_plane")
    for term in ("stiffness", "coriolis", "geometric"):
        once = compile_kernel(element, term, formalism="kane", unrolled=True, passes={})
        assert once.hash == _kernel(element.name, term).hash


@pytest.mark.parametrize("name", [n if n.endswith("_plane") else slow(n) for n in BEAMS])
def test_inertia_of_beams_is_that_of_their_volume(name):
    """Every inertia term against fields by hand, integrated over the volume of the rod."""
    element = find(name)
    points = _points(element)
    expected = rods.integrals(points, shear="timoshenko" in name)
    for term in (*MATRICES[1:], *LOADS):
        assert _relative(_run(element, term, points), expected[term]) < 1e-12, term


@pytest.mark.parametrize("name", BEAMS)
def test_stiffness_of_beams(name):
    """Przemieniecki's matrices, turned into the frame; three or six motions cost no energy."""
    element = find(name)
    points = _points(element)
    found = _run(element, "stiffness", points)
    assert _relative(found, rods.stiffness(points, shear="timoshenko" in name)) < 1e-12
    assert np.abs(found @ _rigid(element, points)).max() < 1e-12 * np.abs(found).max()
    if element.components == 3:
        values = np.linalg.eigvalsh(found)
        assert (np.abs(values) < 1e-12 * values[-1]).sum() == 6


@pytest.mark.parametrize("name", BARS)
def test_bars(name):
    """A straight bar has E A / L along its axis, m / 6 (2, 1; 1, 2) in every direction; curved
    ones are free of stress in rigid motions."""
    element = find(name)
    size, nodes = element.components, len(element.places)
    points = _points(element)
    K = _run(element, "stiffness", points)
    rigid = _rigid(element, points)
    assert np.abs(K @ rigid).max() < 1e-13 * np.abs(K).max()
    assert np.abs(K).max() > 0
    if nodes == 2:
        length, E = rods.axes(points)
        block = rods.VALUES["young"] * rods.AREA / length * np.outer(E[0], E[0])
        assert _relative(K, np.block([[block, -block], [-block, block]])) < 1e-13
        mass = rods.VALUES["density"] * rods.AREA * length / 6 * np.array([[2, 1], [1, 2]])
        assert _relative(_run(element, "mass", points), np.kron(mass, np.eye(size))) < 1e-13


@pytest.mark.parametrize("size", [2, 3])
def test_a_straight_bar_of_three_nodes(size):
    """E A / (3 L) (7, 1, -8; 1, 7, -8; -8, -8, 16) along its axis; m / 30 (4, -1, 2; -1, 4, 2;
    2, 2, 16) in every direction (Zienkiewicz and Taylor vol. 1, quadratic shape functions)."""
    element = find("bar3" if size == 3 else "bar3_plane")
    ends = _points(element)[:2]
    points = np.array([*ends, ends.mean(axis=0)])
    length, E = rods.axes(ends)
    stiffness = np.array([[7, 1, -8], [1, 7, -8], [-8, -8, 16]]) / 3
    block = rods.VALUES["young"] * rods.AREA / length * np.outer(E[0], E[0])
    assert _relative(_run(element, "stiffness", points), np.kron(stiffness, block)) < 1e-13
    mass = np.array([[4, -1, 2], [-1, 4, 2], [2, 2, 16]]) / 30
    mass *= rods.VALUES["density"] * rods.AREA * length
    assert _relative(_run(element, "mass", points), np.kron(mass, np.eye(size))) < 1e-13


def test_plies_couple_bend_and_twist():
    """With the figures of one material K is that of the material; plies at an angle add
    B / L (a b^T + b a^T) with bend a = r2_1 - r2_2 and twist b = r1_2 - r1_1 of the ends: the
    means of both along the beam, whatever its deflection."""
    values = rods.VALUES
    E, G = values["young"], values["young"] / (2 * (1 + values["poisson"]))
    figures = {"EA": E * rods.AREA, "GJ": G * values["torsion"], "BT": 0.0, "mass_centre": 0.0}
    figures |= {f"EI{d}": E * values[f"inertia_{d}"] for d in "yz"}
    figures |= {f"GA{d}": values[f"shear_{d}"] * G * rods.AREA for d in "yz"}
    figures |= {f"gyration_{d}": 1.0 for d in "yz"}
    plies = find(PLIES)
    points = _points(plies)
    K = _run(plies, "stiffness", points, **figures)
    assert _relative(K, _run(find(SPATIAL), "stiffness", points)) < 1e-13
    length, axes = rods.axes(points)
    bend, twist = (np.zeros((2, 2, 3)) for _ in range(2))
    bend[:, 1], twist[:, 1] = np.outer([1, -1], axes[1]), np.outer([-1, 1], axes[0])
    both = np.outer(bend.ravel(), twist.ravel())
    coupled = _run(plies, "stiffness", points, **(figures | {"BT": 0.02})) - K
    assert _relative(coupled, 0.02 / length * (both + both.T)) < 1e-12


def test_stresses_of_sections_are_in_equilibrium_with_the_ends():
    """Without load the tension, the torque and, half-way, the bending moments of a beam are those
    that its ends take: of the forces K d of random displacements."""
    element = find("euler_beam")
    points = _points(element)
    d = np.random.default_rng(8).standard_normal(12)
    kernel = _kernel(element.name, "point_stress")
    inputs = {"coordinates": np.repeat(points, 2, axis=0)[..., None]}
    inputs["state"] = d.reshape(-1, 3, 1)
    found = interpret(
        kernel.program, inputs, {p.name: rods.VALUES[p.name] for p in kernel.parameters}
    )[..., 0]
    _, axes = rods.axes(points)
    ends = (_run(element, "stiffness", points) @ d).reshape(2, 2, 3) @ axes.T
    (_, first), (force, second) = ends
    bend = (second - first) / 2
    expected = np.array([force[0], bend[2], -bend[1], second[0]])
    assert _relative(found.mean(axis=0), expected) < 1e-12


@pytest.mark.parametrize("name", [*BARS, *BEAMS])
def test_total_mass_and_symmetry(name):
    """Translations see the mass; c and k_eps are skew, the others symmetric, k_omega <= 0."""
    element = find(name)
    points = _points(element)
    terms = {term: _run(element, term, points) for term in MATRICES}
    for term, sign in (
        ("mass", 1),
        ("stiffness", 1),
        ("centrifugal", 1),
        ("coriolis", -1),
        ("euler", -1),
    ):
        assert np.abs(terms[term] - sign * terms[term].T).max() < 1e-13 * np.abs(terms[term]).max()
    assert np.linalg.eigvalsh(terms["mass"])[0] > -1e-13
    assert np.linalg.eigvalsh(terms["centrifugal"])[-1] < 1e-13
    moved = _rigid(element, points)[:, : element.components]
    total = moved.T @ terms["mass"] @ moved
    assert np.abs(total - total[0, 0] * np.eye(len(total))).max() < 1e-13 * total[0, 0]
    if len(element.places) == 2:
        length, _ = rods.axes(points)
        assert total[0, 0] == pytest.approx(rods.VALUES["density"] * rods.AREA * length, rel=1e-13)


def test_a_rigid_beam_turns_by_its_inertia_tensor():
    """Loads on rotations are J e + w x J w: rotary inertia and torsion are in every term."""
    element = find(SPATIAL)
    points = _points(element)
    rigid = _rigid(element, points)[:, 3:]
    J = rigid.T @ _run(element, "mass", points) @ rigid
    w, e = rods.vector("w", 3), rods.vector("e", 3)
    loads = sum(_run(element, term, points) for term in ("euler_load", "centrifugal_load"))
    assert _relative(rigid.T @ loads, J @ e + np.cross(w, J @ w)) < 1e-12
    # Without the section the tensor of a thin rod is left, which has no moment about its axis.
    _, E = rods.axes(points)
    assert E[0] @ J @ E[0] > 1e-3


@pytest.mark.parametrize("name", ["bar2", "bar3_plane", "euler_beam_plane", SPATIAL])
def test_uniform_motion_in_inertial_space_needs_no_force(name):
    """Check 1 of docs/physics.md: of thin rods, whose points all lie on their axis.

    The fields hold straight lines: d = R^T (X0 + V t - r_O) - x at the nodes, slopes along.
    """
    element = find(name)
    size, rng = element.components, np.random.default_rng(8)
    points = _points(element)
    if len(points) == 3:
        points[2] = points[:2].mean(axis=0)
    thin = {"inertia_y": 0.0, "inertia_z": 0.0}
    w, e = rods.skew(rods.vector("w", size)), rods.skew(rods.vector("e", size))
    a_O = rods.vector("a_O", size, scalar=False)
    length, E = rods.axes(points)
    # In the frame a line that moves uniformly has u'' = -(a_O + 2 w u' + (e + w w)(x + u)).
    u, u1 = rng.standard_normal((2, 2, size))
    u2 = -(a_O + 2 * u1 @ w.T + (points[:2] + u) @ (e + w @ w).T)

    def nodal(ends):
        ends = np.array(ends)
        if len(element.places) == 3:
            return np.array([*ends, ends.mean(axis=0)]).ravel()
        if len(element.carried) == 1:
            return ends.ravel()
        slope = E @ (ends[1] - ends[0]) / length
        turn = [slope[1], 0.0] if size == 2 else E.T @ [0.0, -slope[2], slope[1]]
        return np.concatenate([ends[0], turn, ends[1], turn])

    parts = [
        _run(element, "mass", points, **thin) @ nodal(u2),
        2 * _run(element, "coriolis", points, **thin) @ nodal(u1),
        *(_run(element, t, points, **thin) @ nodal(u) for t in ("euler", "centrifugal")),
        *(_run(element, t, points, **thin) for t in LOADS[:3]),
    ]
    scale = max(np.abs(part).max() for part in parts)
    assert np.abs(sum(parts)).max() < 1e-12 * scale
    for part in parts:  # it can fail
        assert np.abs(sum(parts) - part).max() > 1e-4 * scale


def test_geometric_stiffness_of_a_stretched_beam():
    """P / (30 L) (36, 3 L; 3 L, 4 L^2) of a thin beam (Przemieniecki 1968, equation 15.20)."""
    element, length, stretch = find("euler_beam_plane"), 0.8, 1e-3
    points = np.array([[0.0, 0.0], [length, 0.0]])
    state = np.zeros((2, 2, 2))
    state[1, 0, 0] = stretch
    found = _run(element, "geometric", points, state, inertia_z=0.0)
    force = rods.VALUES["young"] * rods.AREA * stretch / length
    L = length
    expected = force / (30 * L) * np.array([
        [36, 3 * L, -36, 3 * L], [3 * L, 4 * L**2, -3 * L, -(L**2)],
        [-36, -3 * L, 36, -3 * L], [3 * L, -(L**2), -3 * L, 4 * L**2],
    ])  # fmt: skip
    bent = [1, 2, 5, 6]
    assert _relative(found[np.ix_(bent, bent)], expected) < 1e-13


@pytest.mark.parametrize("name", SHEARED)
def test_inertia_forces_stress_the_section(name):
    """Against ``sigma_ij = - rho sym(x_i (B x)_j)`` integrated over the volume; offsets aside."""
    element = find(name)
    points = _points(element)
    expected = rods.section(points, shear="timoshenko" in name)
    found = _run(element, SECTION, points)
    assert _relative(found, expected) < 1e-12
    assert np.abs(found - found.T).max() < 1e-15 * np.abs(found).max()


@pytest.mark.slow
@pytest.mark.parametrize("shear", [False, True])
def test_mass_beside_the_axis_stresses_no_section(shear):
    """Of a laminate the stress is that about its centre of mass, wherever that is."""
    plain, stack = (
        find(("timoshenko" if shear else "euler") + ending)
        for ending in ("_beam", "_beam_laminate")
    )
    kernel = compile_kernel(stack, SECTION, passes={})
    points = _points(plain)
    values = rods.VALUES | {
        "gyration_y": np.sqrt(rods.INERTIA_Z / rods.AREA), "mass_centre": 0.37,
        "gyration_z": np.sqrt(rods.INERTIA_Y / rods.AREA),
    }  # fmt: skip
    if shear:  # as much softness as the plain one has
        modulus = values["young"] / (2 * (1 + values["poisson"])) * rods.AREA
        values |= {f"EI{d}": values["young"] * values[f"inertia_{d}"] for d in "yz"}
        values |= {f"GA{d}": values[f"shear_{d}"] * modulus for d in "yz"}
    inputs = {"coordinates": np.repeat(points, 2, axis=0)[..., None]}
    found = interpret(kernel.program, inputs, {p.name: values[p.name] for p in kernel.parameters})
    expected = _run(plain, SECTION, points)
    assert _relative(found.reshape(expected.shape), expected) < 1e-12


def test_a_section_turned_about_the_spin_axis_feels_nothing():
    """In the plane k_omega softens the turn by rho W^2 I; the section's own stress balances it."""
    element = find("euler_beam_plane")
    points = _points(element)
    found = _run(element, "centrifugal", points) + _run(element, SECTION, points, e3=0.0)
    thread = _run(element, "centrifugal", points, inertia_z=0.0)
    assert _relative(found, thread) < 1e-13


@pytest.mark.slow
@pytest.mark.parametrize("name", ["euler_beam_plane", "euler_beam"])
def test_sections_agree_however_derived(name):
    """Every formalism, and the unrolled derivation by Kane, give the same kernel."""
    element, first = find(name), _kernel(name, SECTION).hash
    for formalism in FORMALISMS:
        assert compile_kernel(element, SECTION, formalism=formalism, passes={}).hash == first
    once = compile_kernel(element, SECTION, formalism="kane", unrolled=True, passes={})
    assert once.hash == first


@pytest.mark.parametrize(
    ("name", "lanes"),
    [
        ("bar3", 8),
        slow("timoshenko_beam_plane", 8),
        slow("bar3", 1),
        slow("timoshenko_beam_plane", 1),
        slow("euler_beam_plane", 1),
        slow("euler_beam_plane", 8),
    ],
)
def test_compiled_as_interpreted(name, lanes):
    """The C kernels do what the interpreter does, in any number of lanes."""
    element = find(name)
    terms = ("stiffness", "coriolis", "geometric")
    kernels = [widened(_optimized(name, term), lanes) for term in terms]
    positions = np.stack(
        [np.repeat(_points(element, seed), len(element.carried), axis=0) for seed in range(9)], -1
    )
    state = np.random.default_rng(5).standard_normal(positions.shape)
    for native in build_kernels(kernels).values():
        kernel = native.kernel
        inputs = {"coordinates": positions, "state": state}
        lowered = _kernel(name, kernel.term).program
        expected = interpret(lowered, inputs, rods.VALUES)
        found = native(positions, rods.VALUES, state)
        assert np.abs(found - expected).max() < 1e-13 * np.abs(expected).max()


def _assembled(element, term, nodes, state=None, **values):
    """Return a term of a straight line of elements: a matrix or a vector of all coordinates."""
    size, count = 2 * element.components, len(nodes) - 1
    pairs = np.stack([nodes[:-1], nodes[1:]])
    given = None
    if state is not None:
        given = np.stack([state[k * size : (k + 2) * size] for k in range(count)], -1)
    found = _run_all(element, term, np.moveaxis(pairs, 1, -1), given, **values)
    total = np.zeros((len(nodes) * size,) * (found.ndim - 1))
    for k in range(count):
        here = slice(k * size, (k + 2) * size)
        total[(here,) * total.ndim] += found[..., k]
    return total


def _line(element, count):
    """Return nodes along x from 0 to 1."""
    nodes = np.zeros((count + 1, element.components))
    nodes[:, 0] = np.linspace(0.0, 1.0, count + 1)
    return nodes


def _frequencies(stiffness, mass, free):
    return np.sqrt(
        np.maximum(
            eigh(stiffness[np.ix_(free, free)], mass[np.ix_(free, free)], eigvals_only=True), 0.0
        )
    )


SLENDER = {"inertia_z": 1e-8, "area": 1.0, "young": 1e8, "density": 1.0}  # EI = 1, rho A = 1


@pytest.mark.parametrize(
    ("held", "zeros", "roots"),
    [
        # Roots of cos b cosh b = -1; sin b = 0; cos b cosh b = 1 (Blevins 1979, table 8-1).
        ([0, 1, 2], 0, [1.87510407, 4.69409113, 7.85475744]),
        ([0, 1, "last"], 0, [np.pi, 2 * np.pi, 3 * np.pi]),
        ([], 3, [4.73004074, 7.85320462, 10.9956079]),
    ],
    ids=["cantilever", "pinned", "free"],
)
def test_bending_frequencies_of_slender_beams(held, zeros, roots):
    """Three lowest frequencies of 20 elements: 0.01 % (rotary inertia is 1e-8 of the rest)."""
    element = find("euler_beam_plane")
    K, M = (_assembled(element, t, _line(element, 20), **SLENDER) for t in ("stiffness", "mass"))
    held = [len(M) - 3 if h == "last" else h for h in held]
    free = [k for k in range(len(M)) if k not in held and k % 4 != 3]
    found = _frequencies(K, M, free)
    assert (found[:zeros] < 1e-6 * found[-1]).all()
    np.testing.assert_allclose(found[zeros : zeros + 3], np.square(roots), rtol=1e-4)


@pytest.mark.parametrize(
    ("gamma", "expected"),
    [(1, [3.68165, 22.18101, 61.84176]), (5, [6.44954, 25.44608, 65.20504]),
     (10, [11.20233, 33.64037, 74.64929])],
)  # fmt: skip
def test_rotating_cantilever(gamma, expected):
    """Flap frequencies of a rotating beam, prestressed by the centrifugal load: 0.01 %.

    Wright, Smith, Thresher and Wang, Journal of Applied Mechanics 49 (1982), hub ratio 0. The
    beam lies along x, turns about z and flaps along z.
    """
    element, count = find("euler_beam"), 64
    values = SLENDER | {"inertia_y": 1e-8, "torsion": 1e-8, "orientation1": 0.0,
                        "orientation2": 1.0, "orientation3": 0.0,
                        "w1": 0.0, "w2": 0.0, "w3": float(gamma)}  # fmt: skip
    nodes = _line(element, count)
    assemble = partial(_assembled, element, nodes=nodes, **values)
    K, load = assemble("stiffness"), -assemble("centrifugal_load")
    free = np.arange(6, len(load))
    state = np.zeros(len(load))
    state[free] = np.linalg.solve(K[np.ix_(free, free)], load[free])
    stiff = K + assemble("centrifugal") + assemble("geometric", state=state)
    flap = [k for k in free if k % 6 in (2, 4)]
    np.testing.assert_allclose(_frequencies(stiff, assemble("mass"), flap)[:3], expected, rtol=1e-4)


OFFSET = {"offset_y": 0.15, "offset_z": -0.23}


@pytest.mark.parametrize("name", SHEARED)
def test_an_offset_beam_hangs_on_rigid_arms(name):
    """All terms are those of a beam along its own axis, its ends moved by u + r x offset."""
    element = find(name)
    size, points = element.components, _points(element)
    _, E = rods.axes(points)
    offset = OFFSET["offset_y"] * E[1] + (OFFSET["offset_z"] * E[2] if size == 3 else 0)
    arm = np.eye(2 * size)
    turns = np.eye(3) if size == 3 else [[1.0]]
    for i, turn in enumerate(turns):
        arm[:size, size + i] = rods.skew(turn) @ offset
    T = np.kron(np.eye(2), arm)
    state = np.random.default_rng(1).standard_normal(len(T))
    for term in (*MATRICES, *LOADS, "geometric", SECTION):
        given = (state, T @ state) if term == "geometric" else (None, None)
        found = _run(element, term, points, given[0], **OFFSET)
        expected = _run(element, term, points + offset, given[1])
        expected = T.T @ expected if term in LOADS else T.T @ expected @ T
        assert _relative(found, expected) < 1e-12, term
    K = _run(element, "stiffness", points, **OFFSET)
    assert np.abs(K @ _rigid(element, points)).max() < 1e-12 * np.abs(K).max()
