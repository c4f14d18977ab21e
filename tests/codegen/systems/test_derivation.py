# SPDX-License-Identifier: BSD-3-Clause
"""Equations of discrete systems: six formalisms, SymPy's own methods, textbooks, exact counts."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sympy
from chains import NAMES, chain, example, pendulum
from flexforge.codegen.errors import FlexforgeError, InputError
from flexforge.codegen.mechanics.formalisms import FORMALISMS
from flexforge.codegen.systems.derivation import check_agreement, derive_system
from flexforge.codegen.systems.lower import system_kernel, system_terms
from flexforge.codegen.systems.reading import read_system
from sympy.physics import mechanics


@pytest.mark.parametrize("name", NAMES)
def test_formalisms_agree_symbol_by_symbol(name):
    """Free, with constraints of velocities that are not those of positions, and closed."""
    found = [derive_system(example(name), formalism) for formalism in FORMALISMS]
    assert check_agreement(found) == "symbol by symbol"
    assert len({one.expanded for one in found}) == 1


@pytest.fixture(scope="module")
def large():
    """A chain whose equations by Lagrange are too large to be multiplied out."""
    return derive_system(chain(9), "lagrange")


def test_a_wrong_formalism_is_found_out(large):
    """Symbol by symbol of small systems, at random states of large ones."""
    for right in (derive_system(chain(2)), large):
        wrong = derive_system(right.system, right.formalism)
        forces = list(wrong.forces)
        forces[1] = forces[1] + sympy.Symbol("q0", real=True) / 10**12
        wrong = replace(wrong, forces=sympy.ImmutableMatrix(forces), formalism="wrong")
        with pytest.raises(FlexforgeError, match=f"{right.formalism} and wrong of chain disagree"):
            check_agreement([right, wrong])


def test_large_systems_agree_at_random_states(large):
    found = [large, derive_system(chain(9), "kane")]
    assert found[0].expanded is None
    assert check_agreement(found) == "to 40 digits at 3 random states"


def _by_sympy(count):
    """Return M and -h of the chain by SymPy's KanesMethod, and its symbols."""
    q, u = mechanics.dynamicsymbols(f"q:{count}"), mechanics.dynamicsymbols(f"u:{count}")
    g, *rest = sympy.symbols(f"g m:{count} l:{count}")
    masses, lengths = rest[:count], rest[count:]
    ground, place = mechanics.ReferenceFrame("N"), mechanics.Point("O")
    place.set_vel(ground, 0)
    frame, bodies, loads = ground, [], []
    for k in range(count):
        turned = frame.orientnew(f"A{k}", "Axis", [q[k], ground.z])
        turned.set_ang_vel(frame, u[k] * ground.z)
        centre = place.locatenew(f"C{k}", -lengths[k] / 2 * turned.y)
        centre.v2pt_theory(place, ground, turned)
        end = place.locatenew(f"P{k}", -lengths[k] * turned.y)
        end.v2pt_theory(place, ground, turned)
        inertia = mechanics.inertia(turned, 0, 0, masses[k] * lengths[k] ** 2 / 12)
        bodies.append(mechanics.RigidBody(f"B{k}", centre, turned, masses[k], (inertia, centre)))
        loads.append((centre, -masses[k] * g * ground.y))
        frame, place = turned, end
    method = mechanics.KanesMethod(ground, q, u, [a.diff() - b for a, b in zip(q, u, strict=True)])
    method.kanes_equations(bodies, loads)
    return method, (q, u, (g, *masses, *lengths))


def test_a_chain_as_sympy_derives_it():
    """M and h against KanesMethod, an independent program, at a state of no symmetry."""
    count = 3
    method, (q, u, constants) = _by_sympy(count)
    ours = derive_system(chain(count), "lagrange")
    system = ours.system
    numbers = [sympy.Rational(2 * k + 3, k + 5) for k in range(2 * count + len(constants))]
    known = dict(zip((*system.coordinates, *ours.speeds, *system.constants), numbers, strict=True))
    values = ours.at({s: sympy.N(v, 50) for s, v in known.items()})
    theirs = dict(zip((*q, *u, *constants), numbers, strict=True))
    # One order of the constants: g, m0, m1, ..., l0, l1, ...
    assert [str(s) for s in system.constants] == [str(s) for s in constants]
    for i in range(count):
        expected = sympy.N(-method.forcing[i].subs(theirs), 40)
        assert abs(values.of(ours.forces[i]) - expected) < 1e-30
        for j in range(count):
            expected = sympy.N(method.mass_matrix[i, j].subs(theirs), 40)
            assert abs(values.of(ours.mass[i, j]) - expected) < 1e-30


def _symbols(text):
    return [sympy.Symbol(name, real=True) for name in text.split()]


def test_the_textbook_equations_of_a_rolling_disc():
    """M, h of a thin disc: 5/4 m r^2 about its rim, 3/2 m r^2 for rolling (Lagrange to Kane)."""
    m, r, g, lean, yaw_dot, lean_dot, roll_dot = _symbols("m r g lean yaw_dot lean_dot roll_dot")
    mass, forces, rates = derive_system(example("rolling_disc"), "maggi").expanded
    s, c = sympy.sin(lean), sympy.cos(lean)
    expected = (
        m
        * r**2
        * sympy.Matrix(
            [[(1 + 5 * s**2) / 4, 0, 3 * s / 2], [0, sympy.Rational(5, 4), 0], [3 * s / 2, 0, 1.5]]
        )
    )
    assert sympy.simplify(mass - sympy.nsimplify(expected)) == sympy.zeros(3)
    h = [
        m * r**2 * lean_dot * c * (5 * s * yaw_dot + roll_dot) / 2,
        -m * g * r * s - m * r**2 * yaw_dot * c * (5 * s * yaw_dot + 6 * roll_dot) / 4,
        5 * m * r**2 * lean_dot * yaw_dot * c / 2,
    ]
    assert sympy.simplify(forces - sympy.Matrix(h)) == sympy.zeros(3, 1)
    yaw = sympy.Symbol("yaw", real=True)
    assert rates[0] == r * roll_dot * sympy.cos(yaw)


def test_the_textbook_equations_of_a_sledge():
    """Knife edge on an incline: m v' = m g sin(slope) cos(yaw), J w' = 0; nowhere singular."""
    m, J, g, slope, yaw, v = _symbols("m J g slope yaw v")  # noqa: N806
    mass, forces, rates = derive_system(example("knife_edge"), "gibbs_appell").expanded
    assert mass == sympy.diag(m, J).as_immutable()
    assert forces[0] == -g * m * sympy.sin(slope) * sympy.cos(yaw) and forces[1] == 0
    assert (rates[0], rates[1]) == (v * sympy.cos(yaw), v * sympy.sin(yaw))


def test_forces_springs_and_potentials():
    """A bead on a line: spring, damper, force, load, potential and input, by all formalisms."""
    tables = {
        "name": "bead",
        "coordinates": ["x"],
        "inputs": ["u"],
        "constants": {"m": 2.0, "k": 3.0, "d": 0.5, "a": 1.0},
        "points": {"bead": {"at": ["x", "0", "0"]}, "hook": {"at": ["0", "a", "0"]}},
        "bodies": {"bead": {"point": "bead", "mass": "m"}},
        "springs": [
            {"points": ["hook", "bead"], "stiffness": "k", "length": "a/2", "damping": "d"}
        ],
        "forces": [{"on": "bead", "value": ["u*cos(t)", "7", "0"]}],
        "loads": {"x": "-d*x_dot**3"},
        "potential": "k*x**4/4",
    }
    found = [derive_system(read_system(tables), name) for name in FORMALISMS]
    assert check_agreement(found) == "symbol by symbol"
    x, v, u, m, k, d, a, t = _symbols("x x_dot u m k d a t")
    length = sympy.sqrt(x**2 + a**2)
    pull = k * (length - a / 2) + d * x * v / length
    expected = pull * x / length + d * v**3 + k * x**3 - u * sympy.cos(t)
    assert found[0].written_out(found[0].mass[0]) == m
    assert sympy.simplify(found[0].written_out(found[0].forces[0]) - expected) == 0


def test_a_point_that_is_moved():
    """A pendulum on a hook that shakes: t enters positions, so that b and b' are not zero."""
    tables = pendulum()
    tables["points"] = {
        "hook": {"at": ["a*sin(3*t)", "0", "0"]},
        "end": {"from": "hook", "in": "rod", "at": ["0", "-l", "0"]},
    }
    tables["constants"] = tables["constants"] | {"a": 0.1}
    found = [derive_system(read_system(tables), name) for name in FORMALISMS]
    assert check_agreement(found) == "symbol by symbol"
    q, m, length, g, a, t = _symbols("q m l g a t")
    expected = m * g * length * sympy.sin(q) - 9 * m * a * length * sympy.sin(3 * t) * sympy.cos(q)
    assert sympy.simplify(found[0].expanded[1][0] - expected) == 0


@pytest.mark.slow
def test_a_body_of_any_inertia_in_any_attitude():
    """Six moments and products, three turns: Euler's equations in body components, by Kane."""
    tables = {
        "name": "rock",
        "coordinates": ["a", "b", "c"],
        "constants": dict(zip(("xx", "yy", "zz", "xy", "yz", "xz"),
                              (3.0, 4.0, 5.0, 0.3, -0.2, 0.4), strict=True)),
        "frames": {"rock": {"turn": [["z", "a"], ["y", "b"], ["x", "c"]]}},
        "points": {"centre": {"at": ["0", "0", "0"]}},
        "bodies": {"rock": {"point": "centre", "mass": "1", "frame": "rock",
                            "inertia": ["xx", "yy", "zz", "xy", "yz", "xz"]}},
        "speeds": {
            "w1": "c_dot - a_dot*sin(b)",
            "w2": "b_dot*cos(c) + a_dot*cos(b)*sin(c)",
            "w3": "-b_dot*sin(c) + a_dot*cos(b)*cos(c)",
        },
    }  # fmt: skip
    found = [derive_system(read_system(tables), name) for name in FORMALISMS]
    assert check_agreement(found)
    w = sympy.Matrix(_symbols("w1 w2 w3"))
    xx, yy, zz, xy, yz, xz = _symbols("xx yy zz xy yz xz")
    inertia = sympy.Matrix([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    kane = found[FORMALISMS.index("kane")]
    values = kane.at(
        {s: sympy.Rational(3 * k + 2, 7) for k, s in enumerate(
            (*kane.system.coordinates, *kane.speeds, *kane.system.constants))}
    )  # fmt: skip
    expected = w.cross(inertia * w)
    for i in range(3):
        assert abs(values.of(kane.forces[i]) - values.of(expected[i])) < 1e-40
        for j in range(3):
            assert abs(values.of(kane.mass[i, j]) - values.of(inertia[i, j])) < 1e-40


@pytest.mark.slow
def test_operations_of_chains():
    """Exact counts; SymPy by Lagrange writes 2,430 operations for eight links, by Kane 1,518."""
    counts = {
        n: system_kernel(derive_system(chain(n)), "equations").count.operations for n in (2, 3, 8)
    }
    assert counts == {2: 51, 3: 146, 8: 841}
    links = derive_system(chain(8), "lagrange")
    assert system_kernel(links, "equations").count.operations == 1098
    assert links.ledger.differentiations == 157 + 127


def test_the_ledger_tells_formalisms_apart():
    """Lagrange differentiates in time and back, Hamilton only back, virtual power nothing."""
    ledgers = {name: derive_system(chain(3), name).ledger for name in FORMALISMS}
    assert ledgers["hamilton"].totals.total() == 0 < ledgers["lagrange"].totals.total()
    assert ledgers["virtual_power"].partials.total() == 0
    assert ledgers["kane"].partials.total() < ledgers["lagrange"].partials.total()
    assert all(one.operations > 0 for one in ledgers.values())


def test_what_constraints_leave():
    """Speeds are independent rates by default; redundant and dependent ones are named."""
    disc = derive_system(example("rolling_disc"))
    assert [str(z) for z in disc.speeds] == ["yaw_dot", "lean_dot", "roll_dot"]
    assert [place is None for place in disc.rows.places] == [True, True]
    twice = pendulum(
        coordinates=["q", "p", "r"], constraints=[{"zero": "p - q"}, {"zero": "2*p - 2*q"}]
    )
    with pytest.raises(InputError, match=r"constraints\[1\]: is redundant"):
        derive_system(read_system(twice))
    twice = pendulum(coordinates=["q"], constraints=[{"zero": "q - sin(t)"}])
    with pytest.raises(InputError, match="1 on 1 coordinates; expected fewer, nothing moves"):
        derive_system(read_system(twice))
    squared = pendulum(speeds={"w": "q_dot**2"})
    with pytest.raises(InputError, match="not linear in the rates"):
        derive_system(read_system(squared))
    many = pendulum(speeds={"w": "q_dot", "v": "2*q_dot"})
    with pytest.raises(InputError, match="speeds: found 2; expected 1"):
        derive_system(read_system(many))


def test_terms_of_systems():
    assert system_terms(derive_system(example("slider_crank")))[2] == "closure"
    top = derive_system(example("spinning_top"))
    assert "closure" not in system_terms(top)
    with pytest.raises(InputError, match="no term 'motions'.*did you mean 'motion'"):
        system_kernel(top, "motions")
