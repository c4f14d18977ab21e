# SPDX-License-Identifier: BSD-3-Clause
"""Shells: derived from their fields, against fields by hand and against mechanics."""

from __future__ import annotations

from functools import cache
from itertools import product, starmap

import membranes
import numpy as np
import pytest
import shells
from compiled import build_kernels
from flexforge.codegen.driver import compile_kernel
from flexforge.codegen.elements.catalogue import find
from flexforge.codegen.elements.terms import LOADS, MATRICES, SECTION
from flexforge.codegen.ir.interpret import interpret
from flexforge.codegen.mechanics.derivation import derive
from flexforge.codegen.mechanics.formalisms import FORMALISMS
from marks import slow
from specimens import heavy_are_slow

PLAIN = ("dkt3", "dkt3d", "mitc4")
LAMINATES = ("dkt3_laminate", "dkt3d_laminate", "mitc4_laminate")
#: Its declaration alone takes seconds.
QUICK = (slow("dkt3"), slow("dkt3d"), "mitc4")
POINTS = {
    "dkt3": np.array([[0.1, 0.2, -0.1], [1.1, 0.1, 0.3], [0.3, 1.2, 0.2]]),
    "mitc4": np.array([[0.1, 0.0, -0.1], [1.2, 0.1, 0.2], [1.1, 1.3, 0.1], [-0.1, 0.9, 0.2]]),
}
POINTS["dkt3d"] = POINTS["dkt3"]
FLAT = {name: points * [1, 1, 0] for name, points in POINTS.items()}
TURN = np.linalg.qr(np.random.default_rng(2).standard_normal((3, 3)))[0]


@cache
def _kernel(name, term):
    """Return a kernel as lowered: what the passes make of it is compared where it is compiled."""
    return compile_kernel(find(name), term, passes={})


def _run(name, term, points, state=None, **changed):
    """Return what a term of one element is, as a matrix or a vector, by the interpreter."""
    kernel = _kernel(name, term)
    values = (shells.laminate() if name.endswith("laminate") else shells.VALUES) | changed
    inputs = {"coordinates": np.repeat(points, 2, axis=0)[..., None]}
    if state is not None:
        inputs["state"] = state.reshape(-1, 3, 1)
    found = interpret(kernel.program, inputs, {p.name: values[p.name] for p in kernel.parameters})
    return found.ravel() if term in LOADS else found.reshape(kernel.rows, kernel.rows)


def _motion(points, move, turn):
    """Return nodal coordinates of displacements and rotations that are functions of the place."""
    return np.array([np.concatenate([move(x), turn(x)]) for x in points]).ravel()


def _rigid(points):
    """Return the rigid motions, a column each: translations, then rotations about the origin."""
    nothing = np.zeros(3)
    columns = [_motion(points, lambda x, i=i: i, lambda x: nothing) for i in np.eye(3)]
    columns += [_motion(points, lambda x, w=w: np.cross(w, x), lambda x, w=w: w) for w in np.eye(3)]
    return np.array(columns).T


def _area(points):
    """Return the area of a polygon in the plane z = 0."""
    corners = points[:, :2]
    return abs(sum(np.linalg.det(corners[[i, i - 1]]) for i in range(len(corners)))) / 2


def _relative(found, expected):
    return np.abs(found - expected).max() / np.abs(expected).max()


@pytest.mark.slow
@pytest.mark.parametrize("name", PLAIN)
def test_formalisms_agree(name):
    """Six formalisms give the same terms symbol by symbol."""
    first = derive(find(name)).terms
    for formalism in FORMALISMS:
        for term, found in derive(find(name), formalism=formalism).terms.items():
            assert found.density == first[term].density, (formalism, term)


@pytest.mark.parametrize("name", QUICK)
def test_inertia_is_that_of_the_volume(name):
    """Every inertia term of a flat cell, somehow in space, against fields by hand, integrated."""
    points = FLAT[name] @ TURN + [0.3, -0.2, 0.5]
    expected = shells.integrals(name, points)
    for term in (*MATRICES[1:], *LOADS):
        if term in expected:
            assert _relative(_run(name, term, points), expected[term]) < 1e-12, term


@pytest.mark.parametrize(
    "name", heavy_are_slow(*PLAIN, *LAMINATES, more=("dkt3", "dkt3d", *LAMINATES))
)
def test_rigid_motions(name):
    """Six motions, and no others, cost no energy, also of a warped cell."""
    points = POINTS[name.removesuffix("_laminate")]
    found = _run(name, "stiffness", points)
    assert np.abs(found - found.T).max() < 1e-13 * np.abs(found).max()
    assert np.abs(found @ _rigid(points)).max() < 1e-13 * np.abs(found).max()
    values = np.linalg.eigvalsh(found)
    assert (np.abs(values) < 1e-13 * values[-1]).sum() == 6
    assert values[6] > 1e-8 * values[-1]


@pytest.mark.parametrize("name", QUICK)
def test_inertia_forces_stress_the_normal(name):
    """``- rho z^2 n . B n`` on the slopes across a flat cell, B = e~ + w~ w~ (e~ makes none).

    What slopes are in it is read off the mass: with twice the thickness at half the density the
    rotary inertia alone is four times as large.
    """
    points = FLAT[name] @ TURN + [0.3, -0.2, 0.5]
    thickness, rho = shells.VALUES["thickness"], shells.VALUES["density"]
    thick = _run(name, "mass", points, thickness=2 * thickness, density=rho / 2)
    rotary = (thick - _run(name, "mass", points)) / 3
    normal = np.array([0.0, 0.0, 1.0]) @ TURN
    along = np.cross(shells.W, np.cross(shells.W, normal)) @ normal
    assert _relative(_run(name, SECTION, points), -along * rotary) < 1e-12


@pytest.mark.parametrize("name", QUICK)
def test_a_rigid_shell_turns_by_its_inertia_tensor(name):
    """Loads on rotations are J e + w x J w, and m a_O on translations."""
    points = POINTS[name]
    rigid = _rigid(points)
    J = (rigid.T @ _run(name, "mass", points) @ rigid)[3:, 3:]
    loads = sum(_run(name, term, points) for term in ("euler_load", "centrifugal_load"))
    expected = J @ shells.E + np.cross(shells.W, J @ shells.W)
    assert _relative(rigid[:, 3:].T @ loads, expected) < 1e-12
    mass = (rigid.T @ _run(name, "mass", points) @ rigid)[0, 0]
    moved = rigid[:, :3].T @ _run(name, "translation", points)
    assert _relative(moved, mass * shells.A_O) < 1e-13


@pytest.mark.parametrize("name", QUICK)
def test_uniform_motion_in_inertial_space_needs_no_force(name):
    """Check 1 of docs/physics.md, of a thin shell: its points move along straight lines.

    In the frame u'' = -(a_O + 2 w u' + (e + w w)(x + u)) for fields u, u' linear in the place.
    """
    points, rng = FLAT[name], np.random.default_rng(4)
    w, e = shells.skew(shells.W), shells.skew(shells.E)
    shift, slope = rng.standard_normal((2, 3)), rng.standard_normal((2, 3, 3))
    turning = e + w @ w
    shift2 = -(shells.A_O + 2 * w @ shift[1] + turning @ shift[0])
    slope2 = -(2 * w @ slope[1] + turning @ (np.eye(3) + slope[0]))

    def nodal(shift, slope):
        # Rotations are those of the normals: r1 = dw/dy, r2 = -dw/dx.
        turn = np.array([slope[2, 1], -slope[2, 0], 0])
        return _motion(points, lambda x: shift + slope @ x, lambda x: turn)

    thin = {"thickness": 1e-9}
    parts = [
        _run(name, "mass", points, **thin) @ nodal(shift2, slope2),
        2 * _run(name, "coriolis", points, **thin) @ nodal(shift[1], slope[1]),
        *(_run(name, t, points, **thin) @ nodal(shift[0], slope[0]) for t in MATRICES[3:]),
        *(_run(name, t, points, **thin) for t in LOADS[:3]),
    ]
    scale = max(np.abs(part).max() for part in parts)
    assert np.abs(sum(parts)).max() < 1e-12 * scale
    for part in parts:  # it can fail
        assert np.abs(sum(parts) - part).max() > 1e-4 * scale


@pytest.mark.parametrize(
    ("name", "state"),
    [
        *starmap(slow, product(["dkt3", "dkt3d"], ("stretched", "bent"))),  # it has no shear
        *product(["mitc4"], ("stretched", "bent", "sheared")),
    ],
)
def test_energy_of_constant_strain(name, state):
    """A flat cell of any shape stores A e^T C e t / 2, A k^T D k / 2 or A 5/6 G t g^2 / 2."""
    points, t = FLAT[name], shells.VALUES["thickness"]
    area, (a, b, c) = _area(points), (0.7, -0.4, 0.5)
    if state == "stretched":
        gradient = np.array([[a, c, 0], [0, b, 0], [0, 0, 0]])
        spin = np.array([0, 0, -c / 2])  # of the surface, so that nothing drills
        d = _motion(points, lambda x: gradient @ x, lambda x: spin)
        strain, law = np.array([a, b, c]), shells.PLANE * t
    elif state == "bent":  # w = (a x^2 + b y^2) / 2 + c x y, r1 = dw/dy, r2 = -dw/dx
        d = _motion(
            points,
            lambda x: np.array([0, 0, (a * x[0] ** 2 + b * x[1] ** 2) / 2 + c * x[0] * x[1]]),
            lambda x: np.array([b * x[1] + c * x[0], -a * x[0] - c * x[1], 0]),
        )
        strain, law = -np.array([a, b, 2 * c]), shells.PLANE * t**3 / 12
    else:
        d = _motion(points, lambda x: np.array([0, 0, a * x[0] + b * x[1]]), np.zeros_like)
        strain, law = np.array([a, b]), np.eye(2) * shells.SHEAR
    stored = d @ _run(name, "stiffness", points) @ d
    assert stored == pytest.approx(area * strain @ law @ strain, rel=1e-12)


@pytest.mark.slow
def test_bending_of_dkt3_by_hand():
    """Batoz, Bathe and Ho (1980): turns are quadratic; half-way along a side the one along it is
    minus the slope of the cubic deflection there, the one across it the mean of the corners'."""
    points, t = FLAT["dkt3"], shells.VALUES["thickness"]
    x, d = points[:, :2], np.random.default_rng(5).standard_normal((3, 6)) * [0, 0, 1, 1, 1, 0]
    corner, middle = np.stack([d[:, 4], -d[:, 3]], axis=1), []
    for i, j in ((1, 2), (2, 0), (0, 1)):
        length = np.linalg.norm(x[j] - x[i])
        along, mean = (x[j] - x[i]) / length, (corner[i] + corner[j]) / 2
        slope = 1.5 * (d[j, 2] - d[i, 2]) / length + mean @ along / 2
        middle.append(mean - (mean @ along) * along - slope * along)
    turns, rates = np.array([*corner, *middle]), np.linalg.inv(np.c_[np.ones(3), x])[1:].T
    stored = 0.0
    for opposite in range(3):  # half-way points: exact of degree two
        L = (1 - np.eye(3)[opposite]) / 2
        slopes = [(4 * L[k] - 1) * rates[k] for k in range(3)]
        slopes += [4 * (L[k - 2] * rates[k - 1] + L[k - 1] * rates[k - 2]) for k in range(3)]
        G = turns.T @ slopes
        bend = np.array([G[0, 0], G[1, 1], G[0, 1] + G[1, 0]])
        stored += _area(points) / 3 * bend @ shells.PLANE @ bend * t**3 / 12
    K = _run("dkt3", "stiffness", points)
    assert d.ravel() @ K @ d.ravel() == pytest.approx(stored, rel=1e-12)


@pytest.mark.parametrize("name", QUICK)
def test_a_laminate_of_one_ply_is_a_plate(name):
    """A, B and D of one isotropic ply, along whatever direction, give the plate's matrices."""
    points = POINTS[name]
    state = 1e-3 * np.random.default_rng(8).standard_normal(6 * len(points))
    for term, given in (("stiffness", None), ("mass", None), ("geometric", state)):
        expected = _run(name, term, points, given)
        assert _relative(_run(f"{name}_laminate", term, points, given), expected) < 1e-12, term


@pytest.mark.parametrize("name", QUICK)
def test_an_uneven_laminate_couples(name):
    """B of a laminate: bending moments k^T B e between a stretched and a bent state."""
    points = FLAT[name]
    coupling = {"B11": 0.3, "B12": 0.1, "B16": -0.05, "B22": 0.2, "B26": 0.02, "B66": 0.07}
    along = {"orientation1": 1.0, "orientation2": 0.0, "orientation3": 0.0}
    found = _run(f"{name}_laminate", "stiffness", points, **coupling, **along)
    plain = _run(f"{name}_laminate", "stiffness", points, **along)
    stretched = _motion(points, lambda x: np.array([x[0], 0, 0]), np.zeros_like)
    bent = _motion(
        points, lambda x: np.array([0, 0, x[0] ** 2 / 2]), lambda x: np.array([0, -x[0], 0])
    )
    area = _area(points)
    assert stretched @ (found - plain) @ bent == pytest.approx(-area * 0.3, rel=1e-12)


@pytest.mark.parametrize("name", QUICK)
def test_geometric_stiffness_of_a_stretched_plate(name):
    """Under a uniform tension N a deflection with slope s stores A N s^2 / 2."""
    points, strain = FLAT[name], 1e-3
    poisson = shells.VALUES["poisson"]
    gradient = np.diag([strain, -poisson * strain, 0])
    state = _motion(points, lambda x: gradient @ x, np.zeros_like)
    tilted = _motion(points, lambda x: np.array([0, 0, x[0]]), lambda x: np.array([0, -1.0, 0]))
    found = tilted @ _run(name, "geometric", points, state, thickness=1e-6) @ tilted
    area = _area(points)
    assert found == pytest.approx(area * shells.VALUES["young"] * strain * 1e-6, rel=1e-9)


UNEVEN = {"A11": 9.0, "A12": 2.0, "A16": 0.3, "A22": 4.0, "A26": -0.2, "A66": 2.5, "B11": 0.30,
          "B12": 0.1, "B16": -0.05, "B22": -0.2, "B26": 0.02, "B66": 0.07, "D11": 0.02,
          "D12": 0.004, "D16": 1e-3, "D22": 0.01, "D26": 2e-3, "D66": 0.005}  # fmt: skip


@pytest.mark.parametrize("name", QUICK)
@pytest.mark.parametrize("state", ["stretched", "bent", "both", "warm"])
def test_geometric_stiffness_of_an_uneven_laminate(name, state):
    """Membrane forces A e + B k, computed beside, and nothing else, resist a tilted deflection.

    A deflection with slopes s stores s^T N s times the area; a temperature that is held takes the
    forces A e + B k of what a kelvin makes away. A moment alone has no part in it.
    """
    points = FLAT[name]
    along = {"orientation1": 1.0, "orientation2": 0.0, "orientation3": 0.0}
    blocks = {
        letter: np.array(
            [
                [UNEVEN[f"{letter}{'126'[min(i, j)]}{'126'[max(i, j)]}"] for j in range(3)]
                for i in range(3)
            ]
        )
        for letter in "AB"
    }
    e = np.array([2e-3, -1e-3, 7e-4]) * (state != "bent")
    k = np.array([0.03, 0.05, -0.04]) * (state != "stretched")
    forces = blocks["A"] @ e + blocks["B"] @ k
    if state == "warm":
        given = {f"expansion{i + 1}": x for i, x in enumerate([*e, *k, 0.0, 0.0, 0.0])}
        nodal = np.zeros((2 * len(points), 3))
        nodal[::2, 0] = 1.0  # a kelvin at every node
        nodal, term = nodal.ravel(), "thermal_geometric"
    else:
        given, term = {}, "geometric"
        # w,xx = - k1, w,yy = - k2, 2 w,xy = - k6; r1 = w,y and r2 = - w,x
        nodal = _motion(
            points,
            lambda x: np.array(
                [
                    e[0] * x[0] + e[2] / 2 * x[1],
                    e[1] * x[1] + e[2] / 2 * x[0],
                    -(k[0] * x[0] ** 2 + k[1] * x[1] ** 2 + k[2] * x[0] * x[1]) / 2,
                ]
            ),
            lambda x: np.array([-k[1] * x[1] - k[2] / 2 * x[0], k[0] * x[0] + k[2] / 2 * x[1], 0]),
        )
    found = _run(f"{name}_laminate", term, points, nodal, **UNEVEN, **along, **given)
    for s in ([1.0, 0.0], [0.0, 1.0], [0.6, -0.9]):
        tilted = _motion(
            points,
            lambda x, s=s: np.array([0, 0, s[0] * x[0] + s[1] * x[1]]),
            lambda x, s=s: np.array([s[1], -s[0], 0]),
        )
        tension = np.array([[forces[0], forces[2]], [forces[2], forces[1]]])
        expected = _area(points) * np.array(s) @ tension @ s
        assert tilted @ found @ tilted == pytest.approx(expected, rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("lanes", [1, 8])
@pytest.mark.parametrize("name", PLAIN)
def test_compiled_as_interpreted(name, lanes):
    """The C kernels do what the interpreter does, in any number of lanes."""
    kernels = [
        compile_kernel(find(name), t, lanes=lanes) for t in ("stiffness", "coriolis", "geometric")
    ]
    rng = np.random.default_rng(3)
    shaken = POINTS[name][..., None] + 0.05 * rng.standard_normal((*POINTS[name].shape, 9))
    positions = np.repeat(shaken, 2, axis=0)
    state = rng.standard_normal(positions.shape)
    for native in build_kernels(kernels).values():
        inputs = {"coordinates": positions, "state": state}
        lowered = _kernel(name, native.kernel.term).program
        expected = interpret(lowered, inputs, shells.VALUES)
        found = native(positions, shells.VALUES, state)
        assert np.abs(found - expected).max() < 1e-12 * np.abs(expected).max()


@pytest.mark.parametrize("name", [slow("dkt3d"), "mitc4"])
def test_membrane_energy_by_hand(name):
    """dkt3d: Felippa's matrices of the optimal triangle. mitc4: Pian and Sumihara's hybrid stress.

    Of mitc4 a parallelogram, the rotations condensed: they are free to follow the surface.
    """
    values, points = shells.VALUES, FLAT[name][:, :2]
    law = membranes.plane_stress(values["young"], values["poisson"], values["thickness"])
    if name == "mitc4":
        points = points - np.outer([0, 0, 1, 0], points[0] - points[1] + points[2] - points[3])
    size = len(points)
    placed = np.column_stack([points, np.zeros(size)])
    found = _run(name, "stiffness", placed).reshape(size, 6, size, 6)
    found = found[:, [0, 1, 5]][..., [0, 1, 5]].reshape(3 * size, 3 * size)
    if name == "dkt3d":
        assert _relative(found, membranes.optimal(points, law, 0.36)) < 1e-12
        return
    moves, turns = np.arange(12) % 3 < 2, np.arange(12) % 3 == 2
    block = found[np.ix_(moves, turns)]
    found = found[np.ix_(moves, moves)]
    found = found - block @ np.linalg.solve(_drilling(points), block.T)
    assert _relative(found, membranes.hybrid(points, law)) < 1e-10


def _drilling(points):
    """Return what drilling has of a parallelogram's rotations: G t / 1000 times int h h^T."""
    values, sides = shells.VALUES, points[[1, 3]] - points[0]
    modulus = 1e-3 * values["young"] / 2 / (1 + values["poisson"]) * values["thickness"]
    line = np.array([[2, 1], [1, 2]]) / 6
    mass = np.kron(line, line)[np.ix_([0, 1, 3, 2], [0, 1, 3, 2])]
    return modulus * np.linalg.det(sides) * mass


def test_energy_of_uniform_strain_beside_any_other():
    """Uniform strains do no work with what bends a plate of any shape: the mean strain is exact.

    For any displacement the forces of the membrane, integrated, are those of the field along the
    boundary: ``A e = sum of (n u + u n) / 2`` over the sides (Green), by hand.
    """
    points, values = FLAT["mitc4"], shells.VALUES
    rng = np.random.default_rng(8)
    state = np.zeros((4, 6))
    state[:, :2] = rng.standard_normal((4, 2))
    total = np.zeros((2, 2))
    for k in range(4):
        side = points[(k + 1) % 4, :2] - points[k, :2]
        mean = (state[k, :2] + state[(k + 1) % 4, :2]) / 2
        outward = np.array([side[1], -side[0]])
        total += (np.outer(outward, mean) + np.outer(mean, outward)) / 2
    law = membranes.plane_stress(values["young"], values["poisson"], values["thickness"])
    K = _run("mitc4", "stiffness", points)
    for gradient in (np.diag([1.0, 0]), np.diag([0, 1.0]), np.array([[0, 0.5], [0.5, 0]])):
        uniform = _motion(points, lambda x, g=gradient: np.append(g @ x[:2], 0.0), np.zeros_like)
        strain = np.array([gradient[0, 0], gradient[1, 1], 2 * gradient[0, 1]])
        mean = np.array([total[0, 0], total[1, 1], 2 * total[0, 1]])
        assert uniform @ K @ state.ravel() == pytest.approx(strain @ law @ mean, rel=1e-11)


def test_a_plate_bent_in_its_plane_is_stiffened_by_that_alone():
    """N11 = - E t k y of a rectangle, and no other force, on slopes 1 + y and x: - 2 E t k I.

    The bilinear field has shears N12 = G t k x as well, which the assumed strain leaves out.
    """
    points = np.array([[-0.6, -0.4, 0], [0.6, -0.4, 0], [0.6, 0.4, 0], [-0.6, 0.4, 0]])
    bend, thin = 1e-3, 1e-6
    state = _motion(
        points,
        lambda x: np.array([-bend * x[0] * x[1], 0, 0]),
        lambda x: np.array([0, 0, bend * x[0]]),
    )
    tilted = _motion(
        points,
        lambda x: np.array([0, 0, x[0] * (1 + x[1])]),
        lambda x: np.array([x[0], -1 - x[1], 0]),
    )
    found = tilted @ _run("mitc4", "geometric", points, state, thickness=thin) @ tilted
    second = 1.2 * 0.8**3 / 12  # of the area, about the x axis
    expected = -2 * shells.VALUES["young"] * thin * bend * second
    assert found == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(("along", "stiff"), [(1.0, "11"), (0.0, "22")])
def test_a_strip_of_plies_bends_in_its_plane_as_a_beam(along, stiff):
    """u = - k x y stores k^2 I L / S11 of compliances S = 1 / A, along either axis of the plies.

    The strain across follows the law of the membrane: held, the strip were stiffer.
    """
    points = np.array([[-2.0, -0.5, 0], [2.0, -0.5, 0], [2.0, 0.5, 0], [-2.0, 0.5, 0]])
    plies = {"A11": 9.0, "A12": 2.0, "A16": 0.0, "A22": 4.0, "A26": 0.0, "A66": 2.5}
    axes = {"orientation1": along, "orientation2": 1.0 - along, "orientation3": 0.0}
    state = _motion(
        points, lambda x: np.array([-x[0] * x[1], 0, 0]), lambda x: np.array([0, 0, x[0]])
    )
    stored = state @ _run("mitc4_laminate", "stiffness", points, **plies, **axes) @ state
    other = {"11": "22", "22": "11"}[stiff]
    tension = plies[f"A{stiff}"] - plies["A12"] ** 2 / plies[f"A{other}"]
    assert stored == pytest.approx(tension * 4.0 / 12, rel=1e-12)
