# SPDX-License-Identifier: BSD-3-Clause
"""Point masses, rigid bodies, springs and bushings: against particles, closed forms and statics."""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
import pytest
import rods
from compiled import build_kernels
from flexforge.codegen.driver import compile_kernel
from flexforge.codegen.elements.catalogue import LUMPED, find
from flexforge.codegen.elements.connectors import STRAINS, stiffness_name
from flexforge.codegen.elements.terms import LOADS, MATRICES, terms_of
from flexforge.codegen.ir.interpret import interpret
from flexforge.codegen.mechanics.derivation import derive
from flexforge.codegen.mechanics.formalisms import FORMALISMS

INERTIA = (*MATRICES[1:], *LOADS)
MOTION = {name: rods.VALUES[name] for name in rods.VALUES if name[:-1] in ("w", "e", "a_O", "f")}


@cache
def _kernel(name, term):
    return compile_kernel(find(name), term, passes={})


def _run(name, term, points, values, state=None):
    """Return a term of one element by the interpreter, as a matrix or a vector."""
    kernel = _kernel(name, term)
    carried = len(find(name).carried)
    inputs = {"coordinates": np.repeat(points, carried, axis=0)[..., None]}
    if state is not None:
        inputs["state"] = np.asarray(state, float).reshape(inputs["coordinates"].shape)
    found = interpret(kernel.program, inputs, {p.name: values[p.name] for p in kernel.parameters})
    shape = (-1,) if term in LOADS else (kernel.rows, kernel.rows)
    return found.reshape(shape)


class Cloud:
    """Particles that turn rigidly about a node: the body by hand.

    Position ``X + u + p + r x p + r x (r x p) / 2``; the equation of a coordinate is
    ``sum m dx/dq . (a_O + (e~ + w~ w~) x + 2 w~ x' + x'')``, linearised at rest in the frame.
    """

    def __init__(self, size, seed=4):
        rng = np.random.default_rng(seed)
        self.size = size
        self.masses = rng.uniform(0.5, 2.0, 7)
        self.places = rng.uniform(-1, 1, (7, size)) + 0.4
        self.node = rng.uniform(-1, 1, (1, size))

    @property
    def turns(self):
        return np.eye(3) if self.size == 3 else np.array([[1.0]])

    @property
    def values(self):
        """Mass, centre and tensor about it as the kernels' arguments."""
        mass = self.masses.sum()
        centre = self.masses @ self.places / mass
        second = (self.places - centre).T * self.masses @ (self.places - centre)
        found = {"mass": mass} | {f"centre{i + 1}": c for i, c in enumerate(centre)}
        if self.size == 2:
            return MOTION | found | {"inertia_zz": np.trace(second)}
        for i, axis in enumerate("xyz"):
            found[f"inertia_{axis * 2}"] = np.trace(second) - second[i, i]
        products = {"yz": (1, 2), "xz": (0, 2), "xy": (0, 1)}
        return MOTION | found | {f"inertia_{k}": second[i] for k, i in products.items()}

    def first(self, place):
        """Return dx/dq, (size, coordinates); in the plane the last one moves nothing."""
        turned = [rods.skew(r) @ place for r in self.turns]
        filling = [np.zeros(2)] if self.size == 2 else []
        return np.column_stack([np.eye(self.size), *turned, *filling])

    def terms(self):
        size = self.size
        w, e = (rods.skew(rods.vector(n, size)) for n in "we")
        a_O, f = rods.vector("a_O", size, scalar=False), rods.vector("f", size, scalar=False)
        count = 6 if size == 3 else 4
        found = {t: np.zeros((count, count)) for t in (*MATRICES[1:], "geometric")}
        found |= {t: np.zeros(count) for t in LOADS}
        for m, p in zip(self.masses, self.places, strict=True):
            N, x = self.first(p), self.node[0] + p
            blocks = {"mass": np.eye(size), "coriolis": w, "euler": e, "centrifugal": w @ w}
            for term, block in blocks.items():
                found[term] += m * N.T @ block @ N
            loads = {"euler_load": e @ x, "centrifugal_load": w @ w @ x, "translation": a_O,
                     "body_load": f}  # fmt: skip
            for term, load in loads.items():
                found[term] += m * N.T @ load
            acceleration = a_O + (e + w @ w) @ x
            for i, j in product(range(len(self.turns)), repeat=2):
                one, two = rods.skew(self.turns[i]), rods.skew(self.turns[j])
                found["geometric"][size + i, size + j] += (
                    m * acceleration @ (one @ two + two @ one) @ p / 2
                )
        return found


def _relative(found, expected):
    return np.abs(found - expected).max() / np.abs(expected).max()


@pytest.mark.parametrize(
    "name",
    ["rigid_inertia_plane", "spring_plane",
     *(pytest.param(name, marks=pytest.mark.slow)
       for name in ("rigid_inertia", "bushing", "bushing_plane"))],
)  # fmt: skip
def test_formalisms_agree(name):
    """All formalisms give the same terms symbol by symbol."""
    first = derive(find(name)).terms
    for formalism in FORMALISMS:
        for term, found in derive(find(name), formalism=formalism).terms.items():
            assert found.density == first[term].density, (formalism, term)


@pytest.mark.parametrize("size", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_a_rigid_body_is_its_particles(size):
    """Every inertia term, the stiffness of finite turns among them, of seven random particles."""
    cloud = Cloud(size)
    expected = cloud.terms()
    name = "rigid_inertia" + ("_plane" if size == 2 else "")
    for term in (*INERTIA, "geometric"):
        assert _relative(_run(name, term, cloud.node, cloud.values), expected[term]) < 1e-13, term


@pytest.mark.parametrize("size", [2, 3])
def test_a_point_mass_needs_no_force_to_move_uniformly(size):
    """Check 1 of docs/physics.md: d = R^T (X0 + V t - r_O) - x makes the inertia side vanish."""
    name = "point_mass" + ("_plane" if size == 2 else "")
    rng = np.random.default_rng(2)
    node, u, u1 = rng.standard_normal((3, 1, size))
    values = MOTION | {"mass": 1.7}
    w, e = (rods.skew(rods.vector(n, size)) for n in "we")
    a_O = rods.vector("a_O", size, scalar=False)
    u2 = -(a_O + 2 * u1 @ w.T + (node + u) @ (e + w @ w).T)
    rates = {"mass": u2, "coriolis": 2 * u1, "euler": u, "centrifugal": u}
    parts = [_run(name, term, node, values) @ d[0] for term, d in rates.items()]
    parts += [_run(name, term, node, values) for term in LOADS[:3]]
    scale = max(np.abs(part).max() for part in parts)
    assert np.abs(sum(parts)).max() < 1e-13 * scale
    for part in parts:  # it can fail
        assert np.abs(sum(parts) - part).max() > 1e-3 * scale


def test_a_spinning_body_follows_eulers_equations():
    """Small turns of a free body that spins about z: Euler's equations, linearised.

    A x'' - (A + B - C) w y' + (C - B) w^2 x = 0 and B y'' + (A + B - C) w x' + (C - A) w^2 y = 0
    (Hughes, Spacecraft Attitude Dynamics, 1986, section 4.4): unstable about the middle axis, the
    tennis-racket effect.
    """
    a, b, c, w = 2.0, 1.5, 3.0, 0.7
    values = dict.fromkeys([f"{n}{i}" for n in ("w", "e", "a_O", "centre") for i in (1, 2, 3)], 0.0)
    values |= dict.fromkeys(["inertia_yz", "inertia_xz", "inertia_xy"], 0.0)
    values |= {"mass": 5.0, "w3": w, "inertia_xx": a, "inertia_yy": b, "inertia_zz": c}
    find_term = {
        t: _run("rigid_inertia", t, np.zeros((1, 3)), values)[3:5, 3:5]
        for t in ("mass", "coriolis", "centrifugal", "geometric")
    }
    np.testing.assert_allclose(find_term["mass"], np.diag([a, b]), atol=1e-14)
    gyroscopic = (a + b - c) * w * np.array([[0, -1], [1, 0]])
    np.testing.assert_allclose(2 * find_term["coriolis"], gyroscopic, atol=1e-14)
    stiffness = w**2 * np.diag([c - b, c - a])
    found = find_term["centrifugal"] + find_term["geometric"]
    np.testing.assert_allclose(found, stiffness, atol=1e-14)


def test_rotary_inertia_needs_no_mass():
    """A tensor alone is in the rotations alone, with all six figures."""
    values = {"mass": 0.0, "centre1": 0.3, "centre2": 0.1, "centre3": -0.2, "inertia_xx": 3.0,
              "inertia_yy": 4.0, "inertia_zz": 5.0, "inertia_yz": 0.5, "inertia_xz": -0.7,
              "inertia_xy": 0.2}  # fmt: skip
    found = _run("rigid_inertia", "mass", np.zeros((1, 3)), values)
    tensor = np.array([[3.0, -0.2, 0.7], [-0.2, 4.0, -0.5], [0.7, -0.5, 5.0]])
    np.testing.assert_allclose(found[3:, 3:], tensor, atol=1e-14)
    assert np.abs(found[:3]).max() < 1e-14


def _rigid(points, size):
    """Return the rigid motions of nodes with rotations, a column each."""
    columns = []
    for i in range(size):
        column = np.zeros((len(points), 2, size))
        column[:, 0, i] = 1
        columns.append(column.ravel())
    for r in np.eye(3) if size == 3 else [[1.0]]:
        column = np.zeros((len(points), 2, size))
        column[:, 0] = points @ rods.skew(r).T
        column[:, 1, : len(r)] = r
        columns.append(column.ravel())
    return np.array(columns).T


def _law(size, seed=1):
    """Return a full positive law and its values."""
    names = STRAINS[size]
    root = np.random.default_rng(seed).standard_normal((len(names), len(names)))
    law = root @ root.T
    values = {
        stiffness_name(a, b): law[i, j] for i, a in enumerate(names) for j, b in enumerate(names)
    }
    return law, values | {"axis1": 2.0, "axis2": -1.0, "axis3": 0.5, "location": 0.3}


def _frame_axes(size):
    """Return the local axes of the values of the law, rows."""
    x = np.array([2.0, -1.0, 0.5][:size])
    x /= np.linalg.norm(x)
    if size == 2:
        return np.array([x, [-x[1], x[0]]])
    z = np.cross(x, rods.vector("orientation", 3))
    z /= np.linalg.norm(z)
    return np.array([x, np.cross(z, x), z])


@pytest.mark.parametrize("size", [2, 3])
@pytest.mark.parametrize("apart", [0.0, 1.0])
def test_bushings_resist_relative_motion_alone(size, apart):
    """Force and moment of the law at the bushing; none in rigid motions, be the nodes apart."""
    rng = np.random.default_rng(7)
    first = rng.uniform(-1, 1, size)
    points = np.array([first, first + apart * rng.uniform(0.5, 1, size)])
    law, values = _law(size)
    name = "bushing" + ("_plane" if size == 2 else "")
    K = _run(name, "stiffness", points, values | rods.VALUES | values)
    assert _relative(K, K.T) < 1e-14
    rigid = _rigid(points, size)
    assert np.abs(K @ rigid).max() < 1e-13 * np.abs(K).max()
    turns = 3 if size == 3 else 1
    assert np.linalg.matrix_rank(K, tol=1e-10 * np.abs(K).max()) == size + turns
    # The second side moves rigidly about the bushing: the energy is that of the law.
    E, at = _frame_axes(size), points[0] + 0.3 * (points[1] - points[0])
    relative = rng.standard_normal(size + turns)
    turn = relative[size:] @ E if size == 3 else relative[size:]
    moved = np.zeros((2, 2, size))
    moved[1, 0] = relative[:size] @ E + rods.skew(turn) @ (points[1] - at)
    moved[1, 1, :turns] = turn
    d = moved.ravel()
    assert d @ K @ d == pytest.approx(relative @ law @ relative, rel=1e-13)


@pytest.mark.parametrize("size", [2, 3])
def test_grounded_bushings_hold_their_node(size):
    """The law in local axes, on the displacement and rotation of the node."""
    law, values = _law(size)
    name = "ground_bushing" + ("_plane" if size == 2 else "")
    K = _run(name, "stiffness", np.ones((1, size)), rods.VALUES | values)
    E = _frame_axes(size)
    T = np.zeros((len(law), 2 * size))
    T[:size, :size] = E
    T[size:, size : size + len(law) - size] = E if size == 3 else 1.0
    assert _relative(K, T.T @ law @ T) < 1e-13


@pytest.mark.parametrize("size", [2, 3])
def test_springs_act_along_their_line(size):
    """k n n^T between the ends; a force F stiffens by F / L in all directions, turns among them."""
    points = np.random.default_rng(3).uniform(-1, 1, (2, size))
    span = points[1] - points[0]
    length = np.linalg.norm(span)
    n, k = span / length, 40.0
    name = "spring" + ("_plane" if size == 2 else "")
    ends = np.array([[1, -1], [-1, 1]])
    found = _run(name, "stiffness", points, {"stiffness": k})
    assert _relative(found, np.kron(ends, k * np.outer(n, n))) < 1e-13
    state = np.array([np.zeros(size), 0.01 * n])
    found = _run(name, "geometric", points, {"stiffness": k}, state)
    assert _relative(found, np.kron(ends, 0.01 * k / length * np.eye(size))) < 1e-13


def test_connectors_have_no_inertia_and_masses_no_stiffness():
    """Terms that are zero have no kernel."""
    assert terms_of(find("bushing")) == ("stiffness",)
    assert terms_of(find("spring")) == ("stiffness", "geometric")
    assert terms_of(find("point_mass")) == INERTIA
    assert terms_of(find("rigid_inertia")) == (*INERTIA, "geometric")
    assert set(LUMPED) >= {"point_mass", "ground_bushing_plane"}


def test_compiled_as_interpreted():
    """The C kernels do what the interpreter does."""
    cloud, (_, law) = Cloud(3), _law(3)
    values = rods.VALUES | cloud.values | law
    made = [("rigid_inertia", "coriolis"), ("rigid_inertia", "geometric"),
            ("ground_bushing", "stiffness"), ("point_mass", "centrifugal_load")]  # fmt: skip
    kernels = [compile_kernel(find(name), term) for name, term in made]
    for native in build_kernels(kernels).values():
        kernel = native.kernel
        positions = np.repeat(cloud.node, kernel.nodes, axis=0)[..., None]
        expected = interpret(_kernel(kernel.element, kernel.term).program,
                             {"coordinates": positions}, values)  # fmt: skip
        found = native(positions, values, None)
        assert _relative(found, expected) < 1e-13
