# SPDX-License-Identifier: BSD-3-Clause
"""Beams, rods and shells declared in files: like those of the library, and like closed forms."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
import rods
import sympy
from flexforge.codegen.driver import compile_kernel
from flexforge.codegen.elements.catalogue import find
from flexforge.codegen.elements.field import FieldElement
from flexforge.codegen.elements.field_axes import line as line_axes
from flexforge.codegen.elements.field_scope import Scope
from flexforge.codegen.elements.interpolation import REFERENCE
from flexforge.codegen.elements.terms import further_terms_of, terms_of
from flexforge.codegen.elements.user import load_element
from flexforge.codegen.ir.interpret import interpret
from scipy.linalg import eigh

EXAMPLES = Path(__file__).parents[3] / "examples" / "elements"
VALUES = rods.VALUES | {"thickness": 0.11}
#: What is made of other parts of a declaration; further inertia terms are made as the mass is.
TERMS = ("stiffness", "mass", "geometric", "section_geometric", "centrifugal_load")


@cache
def _example(name):
    return load_element(EXAMPLES / f"{name}.toml")


_kernels: dict[tuple[str, str], object] = {}


def run(element, term, points, state=None, **changed):
    """Return what a term of one element is, a matrix or a vector, by the interpreter."""
    if (element.name, term) not in _kernels:
        _kernels[element.name, term] = compile_kernel(element, term, passes={})
    kernel = _kernels[element.name, term]
    values = VALUES | changed
    carried = len(element.carried)
    inputs = {"coordinates": np.repeat(points, carried, axis=0)[..., None]}
    if state is not None:
        inputs["state"] = state.reshape(-1, element.components, 1)
    found = interpret(kernel.program, inputs, {p.name: values[p.name] for p in kernel.parameters})
    return found.reshape(element.size, -1) if term in TERMS[:4] else found.ravel()


def written(tmp_path, text):
    """Return the element of a text."""
    path = tmp_path / "mine.toml"
    path.write_text(text)
    return load_element(path)


def changed(name, *pairs):
    """Return the text of an example in which texts are replaced."""
    text = (EXAMPLES / f"{name}.toml").read_text()
    for before, after in pairs:
        assert text.count(before) == 1, before
        text = text.replace(before, after)
    return text


def relative(found, expected):
    return np.abs(found - expected).max() / np.abs(expected).max()


def line(count, length=1.0):
    """Return the ends of equal elements along x."""
    x = np.linspace(0.0, length, count + 1)
    return [np.array([[a, 0, 0], [b, 0, 0]]) for a, b in zip(x, x[1:], strict=False)]


def assembled(element, term, cells, states=None):
    """Return the matrix of elements end to end, six coordinates a node."""
    size = 6 * (len(cells) + 1)
    total = np.zeros((size, size))
    for k, cell in enumerate(cells):
        state = None if states is None else states[6 * k : 6 * k + 12]
        total[6 * k : 6 * k + 12, 6 * k : 6 * k + 12] += run(element, term, cell, state)
    return total


@pytest.mark.parametrize(
    ("name", "standard", "places"),
    [
        ("beam", "euler_beam", 2),
        pytest.param("plate", "dkt3", 3, marks=pytest.mark.slow),
    ],
)
def test_the_example_is_the_element_of_the_library(name, standard, places):
    """Written out anew, with other functions: the same matrices and loads to 1e-12."""
    mine, theirs = _example(name), find(standard)
    assert terms_of(mine) == terms_of(theirs)
    points = np.random.default_rng(4).uniform(-1, 1, (places, 3))
    state = 0.1 * np.random.default_rng(5).standard_normal(mine.size)
    for term in TERMS:
        given = state if term == "geometric" else None
        expected = run(theirs, term, points, given)
        assert relative(run(mine, term, points, given), expected) < 1e-12, term


@pytest.mark.slow
def test_the_tied_shell_bends_as_mitc4_does():
    """On a flat cell of any shape the bending part of Dvorkin and Bathe's shell, to 1e-12."""
    mine, theirs = _example("shell"), find("mitc4")
    flat = np.array([[0, 0, 0], [1.3, 0.1, 0], [1.1, 0.9, 0], [-0.2, 1.2, 0.0]])
    turn, _ = np.linalg.qr(np.random.default_rng(6).standard_normal((3, 3)))
    turn *= np.linalg.det(turn)
    spread = np.kron(np.eye(8), turn)
    bending = [6 * node + k for node in range(4) for k in (2, 3, 4)]
    found, expected = (
        (spread.T @ run(e, "stiffness", flat @ turn.T) @ spread)[np.ix_(bending, bending)]
        for e in (mine, theirs)
    )
    assert relative(found, expected) < 1e-12


def test_a_rod_by_hand():
    """E A / L and G J / L; under tension N it resists sideways by N / L; twice 1/6 of its mass."""
    rod = _example("rod")
    (points,) = line(1, length=0.7)
    young, area, torsion = (VALUES[n] for n in ("young", "area", "torsion"))
    shear = young / (2 * (1 + VALUES["poisson"]))
    expected = np.zeros((12, 12))
    pair = np.array([[1.0, -1.0], [-1.0, 1.0]])
    for k, value in ((0, young * area), (3, shear * torsion)):
        expected[np.ix_((k, 6 + k), (k, 6 + k))] = value / 0.7 * pair
    assert relative(run(rod, "stiffness", points), expected) < 1e-13
    state = np.zeros(12)
    state[6] = 0.01
    force = young * area * 0.01 / 0.7
    expected = np.zeros((12, 12))
    for k in range(3):
        expected[np.ix_((k, 6 + k), (k, 6 + k))] = force / 0.7 * pair
    assert relative(run(rod, "geometric", points, state), expected) < 1e-13
    mass = run(rod, "mass", points)[np.ix_((0, 6), (0, 6))]
    whole = VALUES["density"] * area * 0.7
    assert relative(mass, whole / 6 * np.array([[2, 1], [1, 2]])) < 1e-13


def test_a_cantilever_bends_by_its_closed_form():
    """Tip load across: P L^3 / (3 E I) and P L^2 / (2 E I), exact with one element."""
    stiffness = assembled(_example("beam"), "stiffness", line(2))[6:, 6:]
    load = np.zeros(12)
    _, axes = rods.axes(line(1)[0])
    load[6:9] = 1e-3 * axes[1]
    moved = np.linalg.solve(stiffness, load)
    rigidity = VALUES["young"] * VALUES["inertia_z"]
    assert moved[6:9] @ axes[1] == pytest.approx(1e-3 / (3 * rigidity), rel=1e-10)
    assert moved[9:12] @ axes[2] == pytest.approx(1e-3 / (2 * rigidity), rel=1e-10)


SIDEWAYS = (
    ("ux_x + (ux_x**2 + uy_x**2 + uz_x**2)/2", "u_x + (v_x**2 + w_x**2)/2"),
    ("mass = 6 }", "mass = 6, geometric = 4 }"),
    (
        "[stiffening.strain]",
        'geometric = [{ at = ["0", "0"], weight = "area" }]\n\n[stiffening.strain]',
    ),
)


def test_the_force_of_the_axis_stiffens_by_the_known_matrix(tmp_path):
    """eps = u' + (v'^2 + w'^2) / 2 under N: Przemieniecki's matrix, N / (30 L) (36, 3 L, 4 L^2)."""
    beam = written(tmp_path, changed("beam", *SIDEWAYS).replace("slender_beam", "sideways"))
    (points,) = line(1, length=0.8)
    _, axes = rods.axes(points)
    state = np.zeros(12)
    state[6:9] = 0.01 * axes[0]
    force, L = VALUES["young"] * VALUES["area"] * 0.01 / 0.8, 0.8
    spread = np.kron(np.eye(4), axes)
    found = spread @ run(beam, "geometric", points, state) @ spread.T
    expected = np.zeros((12, 12))
    block = np.array([[36, 3 * L, -36, 3 * L], [3 * L, 4 * L**2, -3 * L, -(L**2)],
                      [-36, -3 * L, 36, -3 * L], [3 * L, -(L**2), -3 * L, 4 * L**2]])  # fmt: skip
    across = np.diag([1.0, -1.0, 1.0, -1.0])  # the slope of w is the turn about -y
    for rows, signs in (((1, 5, 7, 11), np.eye(4)), ((2, 4, 8, 10), across)):
        expected[np.ix_(rows, rows)] = force / (30 * L) * signs @ block @ signs
    assert relative(found, expected) < 1e-12


def test_a_column_buckles_at_eulers_load(tmp_path):
    """Pinned ends: pi^2 E I / L^2 (Euler 1757); the error falls with the fourth power."""
    beam = written(tmp_path, changed("beam", *SIDEWAYS).replace("slender_beam", "sideways"))
    euler = np.pi**2 * VALUES["young"] * VALUES["inertia_y"]
    errors = []
    for count in (2, 4):
        cells = line(count)
        strain = euler / (VALUES["young"] * VALUES["area"])
        states = np.zeros(6 * (count + 1))
        states[::6] = -strain * np.linspace(0, 1, count + 1)
        held = {0, 1, 2, 3, 6 * count + 1, 6 * count + 2}
        free = [k for k in range(6 * (count + 1)) if k not in held]
        matrices = (
            assembled(beam, "stiffness", cells), -assembled(beam, "geometric", cells, states),
        )  # fmt: skip
        stiffness, loaded = (m[np.ix_(free, free)] for m in matrices)
        factors = eigh(loaded, stiffness, eigvals_only=True)
        errors.append(abs(1 / factors[-1] - 1))
    assert errors[1] < 1e-3
    assert errors[0] / errors[1] == pytest.approx(16, rel=0.1)


THICK = """
name = "thick3"
cell = "interval"
nodes = [[-1], [1], [0]]
components = 2
carried = ["displacement", "rotation"]
axes = "line"
across = ["y"]
parameters = ["area", "inertia_z", "shear_y"]
degree = { stiffness = 2, mass = 4 }
field = ["u - y*turn", "v"]
[definitions]
radius = "sqrt(inertia_z/area)"
[functions]
n1 = "xi*(xi - 1)/2"
n2 = "xi*(xi + 1)/2"
n3 = "1 - xi**2"
u = "n1*ux1 + n2*ux2 + n3*ux3"
v = "n1*uy1 + n2*uy2 + n3*uy3"
turn = "n1*rz1 + n2*rz2 + n3*rz3"
[strain]
tension = "u_x"
bending = "turn_x"
shearing = "v_x - turn"
[law]
parameters = ["young", "poisson"]
[law.stress]
tension = "young*tension"
bending = "young*inertia_z/area*bending"
shearing = "shear_y*young/(2*(1 + poisson))*shearing"
[fibres]
stiffness = [{ at = ["0"], weight = "area" }]
mass = [{ at = ["-radius"], weight = "area/2" }, { at = ["radius"], weight = "area/2" }]
"""


def test_a_beam_of_three_nodes_with_reduced_integration(tmp_path):
    """P L^3 / (3 E I) + P L / (kappa G A): exact, for a tip load bends it linearly."""
    beam = written(tmp_path, THICK)
    assert isinstance(beam, FieldElement)
    assert beam.flat
    points = np.array([[0.0, 0.0], [0.9, 0.0], [0.45, 0.0]])
    stiffness = run(beam, "stiffness", points)
    free = [4, 5, 6, 8, 9, 10]  # of the nodes 2 and 3: u, v and the turn
    tip = np.linalg.solve(stiffness[np.ix_(free, free)], np.eye(6)[1])[1]
    shear = VALUES["shear_y"] * VALUES["young"] / 2.6 * VALUES["area"]
    expected = 0.9**3 / (3 * VALUES["young"] * VALUES["inertia_z"]) + 0.9 / shear
    assert tip == pytest.approx(expected, rel=1e-10)


def test_an_element_without_a_strain_of_second_order_has_no_geometric_stiffness(tmp_path):
    """What it does not state is not guessed."""
    beam = written(tmp_path, THICK)
    assert beam.stiffening is None
    assert "geometric" not in terms_of(beam)


def test_the_beam_of_the_documentation_is_the_plane_beam(tmp_path):
    """The file that docs/kernels.md prints, with its cubic solved for: euler_beam_plane."""
    page = (EXAMPLES.parents[1] / "docs" / "kernels.md").read_text(encoding="utf-8")
    start = page.index('name = "strut"')
    mine, theirs = (
        written(tmp_path, page[start : page.index("```", start)]),
        find("euler_beam_plane"),
    )
    points = np.array([[0.1, -0.3], [0.8, 0.2]])
    state = 0.1 * np.random.default_rng(7).standard_normal(8)
    for term in TERMS:
        given = state if term == "geometric" else None
        expected = run(theirs, term, points, given)
        assert relative(run(mine, term, points, given), expected) < 1e-12, term


def cubic_bar(x):
    """Return int N N^T and int N' N'^T of a bar of four nodes, with Gauss points by NumPy."""
    columns = np.vander(x, 4, increasing=True).T
    powers = np.linalg.inv(columns)  # N_a = sum_k powers[a, k] s^k is 1 at node a
    k = np.arange(4)
    places, weights = np.polynomial.legendre.leggauss(5)
    span = x[1] - x[0]
    s = x[0] + span * (places + 1) / 2
    values = powers @ s ** k[:, None]
    rates = powers[:, 1:] @ (k[1:, None] * s ** k[:-1, None])
    return [(f * weights * span / 2) @ f.T for f in (values, rates)]


@pytest.mark.parametrize("plane", [False, True])
def test_a_bar_of_four_nodes(plane, tmp_path):
    """Its matrices are those of cubic functions (Zienkiewicz and Taylor vol. 1, section 4.3)."""
    if plane:
        page = (EXAMPLES.parents[1] / "docs" / "kernels.md").read_text(encoding="utf-8")
        start = page.index('extends = ["bar3_plane"]')
        bar = written(tmp_path, page[start : page.index("```", start)])
    else:
        bar = _example("bar4")
    n, s = bar.components, np.array([0.2, 1.1, 0.5, 0.8])
    along = np.array([0.6, 0.8, 0.0])[:n]
    inertia, elastic = cubic_bar(s)
    points = np.outer(s, along)
    area = VALUES["area"]
    mass = area * VALUES["density"] * np.kron(inertia, np.eye(n))
    stiffness = area * VALUES["young"] * np.kron(elastic, np.outer(along, along))
    assert relative(run(bar, "mass", points), mass) < 1e-13
    assert relative(run(bar, "stiffness", points), stiffness) < 1e-13


def test_what_is_taken_over_is_replaced_name_by_name(tmp_path):
    """A bar twice as stiff: twice the stiffness of bar2, and the rest is that of bar2."""
    (tmp_path / "stiff.toml").write_text('[law.stress]\ntension = "2*young*tension"\n')
    mine = written(tmp_path, 'extends = ["bar2", "stiff.toml"]\nname = "twice"\n')
    points = np.array([[0.1, -0.3, 0.2], [0.8, 0.2, 0.4]])
    for term, factor in (("stiffness", 2), ("mass", 1)):
        expected = factor * run(find("bar2"), term, points)
        assert relative(run(mine, term, points), expected) < 1e-14, term


def test_an_assumed_strain_is_sampled(tmp_path):
    """The strain of bar3 taken in the middle: that of its ends, stiff as E A / L (1, -1; -1, 1)."""
    text = (
        'extends = ["bar3"]\nname = "sampled"\n[functions]\nfree = "dot(tangent, slope)/length"\n'
    )
    mine = written(tmp_path, text + '[strain]\ntension = "at(free, 0)"\n')
    points = np.array([[0.0, 0, 0], [0.7, 0, 0], [0.35, 0, 0]])
    found = run(mine, "stiffness", points)[::3, ::3]
    axial = VALUES["young"] * VALUES["area"] / 0.7
    expected = axial * np.array([[1.0, -1, 0], [-1, 1, 0], [0, 0, 0]])
    assert np.abs(found - expected).max() < 1e-13 * axial


def test_heat_stresses_fibres_whose_strain_is_known(tmp_path):
    """Expansions are those of the law's strains that a fibre has on the axis, or none is said."""
    bending, tension = 'bending_y = "v_xx"\n', 'tension = "u_x"\n'
    text = changed("beam", (tension + bending, bending + tension))
    assert "thermal_geometric" in further_terms_of(_example("beam"))
    assert _example("beam").stiffening.warmed == (0, 3)
    assert written(tmp_path, text).stiffening.warmed == (1, 3)
    assert "thermal_geometric" not in further_terms_of(written(tmp_path, THICK))


def test_derivatives_follow_what_changes_along_the_cell():
    """Of a line whose third node is off its middle: s' = 1 and (s^3)'' = 6 s for the place s."""
    xi = REFERENCE[0]
    shape = (xi * (xi - 1) / 2, xi * (xi + 1) / 2, 1 - xi**2)
    scope = Scope(1, shape)
    line_axes(scope, 3, 2)
    scope.add("s", shape[1] * scope["length"] + shape[2] * scope["x3"], "s", function=True)
    scope.add("cube", scope["s"] ** 3, "cube", function=True)
    values = {scope["length"]: 2, scope["x3"]: sympy.Rational(7, 10), xi: sympy.Rational(1, 3)}
    values[scope["stretch"]] = scope.moving[scope["stretch"]].subs(values)
    at = {name: scope[name].subs(values) for name in ("s", "s_x", "cube_xx")}
    assert at["s_x"] == 1
    assert at["cube_xx"] == 6 * at["s"]
