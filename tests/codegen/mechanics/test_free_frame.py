# SPDX-License-Identifier: BSD-3-Clause
"""Equations in a frame of unknown motion: all formalisms, physics.md section 7, and limits."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import sympy
from flexforge.cli import main
from flexforge.codegen.elements.catalogue import declaration
from flexforge.codegen.errors import InputError
from flexforge.codegen.mechanics.derivation import derive, roll
from flexforge.codegen.mechanics.formalisms import FORMALISMS
from flexforge.codegen.mechanics.frames import FREE, frame_for
from flexforge.codegen.mechanics.kinematics import DENSITY
from marks import slow
from specimens import ELEMENTS

SUBJECTS = ("tri3_plane_stress", "tet4", "bar2", "euler_beam", "timoshenko_beam_plane", "mitc4")


def _subject(name: str):
    return ELEMENTS[name] if name in ELEMENTS else declaration(name)


@cache
def _free(name: str, formalism: str = "lagrange", **options):
    subject = _subject(name)
    return derive(subject, FREE[subject.components], formalism, **options)


@pytest.mark.parametrize(
    "name", [slow(one) if one in ("mitc4", "euler_beam") else one for one in SUBJECTS]
)
@pytest.mark.parametrize("formalism", [one for one in FORMALISMS if one != "lagrange"])
def test_formalisms_agree(name: str, formalism: str) -> None:
    """Symbol by symbol, Hamilton's pair after its momenta are eliminated."""
    found, expected = _free(name, formalism), _free(name)
    assert list(found.terms) == list(expected.terms)
    for term, wanted in expected.terms.items():
        assert found.terms[term].density == wanted.density, term


@pytest.mark.parametrize("name", ["tri3_plane_stress", "tet4", "euler_beam"])
def test_blocks_of_physics(name: str) -> None:
    """M, h and the loads as section 7 has them, with cross products written out by hand."""
    equations = _free(name)
    point, size = equations.point, equations.point.frame.dimension
    w, v = sympy.Matrix(point.frame.angular_velocity), sympy.Matrix(point.frame.velocity)
    place = sympy.Matrix(sympy.symbols(f"x_d1:{size + 1}", real=True))
    c, shapes = point.dimension, sympy.Matrix(point.shape_matrix)
    first, second = shapes[:, :c], shapes[:, c:]

    def columns(shape):
        """Return L = [1, -x_d~, N] of one node."""
        if size == 2:
            turning = sympy.Matrix([-place[1], place[0]])
        else:
            turning = sympy.Matrix.hstack(*[sympy.eye(3)[:, k].cross(place) for k in range(3)])
        return sympy.Matrix.hstack(sympy.eye(size), turning, shape)

    def turned(vector):
        """Return w x vector."""
        if size == 2:
            return w[0] * sympy.Matrix([-vector[1], vector[0]])
        return w.cross(vector)

    left, right, rho = columns(first).T, columns(second), DENSITY
    force = sympy.Matrix(point.body_force)
    coriolis = [turned(second[:, k]) for k in range(c)]
    wanted = {
        "mass": rho * left * right,
        "coriolis": rho * left * sympy.Matrix.hstack(*coriolis),
        "centrifugal": rho * left * (turned(v) + turned(turned(place))),
        "body_load": left * force,
    }
    for term, density in wanted.items():
        assert _zero(equations.terms[term].density - density), term
    given = derive(_subject(name))
    for term in ("stiffness", "geometric"):
        assert equations.terms[term].density == given.terms[term].density


@pytest.mark.parametrize("name", ["tri3_plane_stress", "tet4", "euler_beam"])
@pytest.mark.parametrize("formalism", ["lagrange", "kane", "hamilton"])
def test_a_motion_that_is_given(name: str, formalism: str) -> None:
    """The rows of the nodes are then the equations in a prescribed frame: of all terms together."""
    free = _free(name, formalism)
    given = derive(_subject(name), formalism=formalism)
    point, c = free.point, free.point.dimension
    count = len(point.frame.speeds)
    x, x_d = (
        given.point.position,
        sympy.Matrix(sympy.symbols(f"x_d1:{point.frame.dimension + 1}", real=True)),
    )
    nodes = {label: _coordinates(given.point, label) for label in ("a", "b")}
    rates = sympy.Matrix([*point.frame.speed_rates])
    terms = {name: term.density for name, term in free.terms.items()}
    # A field that node b alone carries: x_d = x + N_b d_b.
    shape = sympy.Matrix(given.point.shape_matrix)[:, c:]
    d, d_1, d_2 = nodes["b"]
    left = terms["mass"][count:, :count] * rates + terms["mass"][count:, count:] * d_2
    left += 2 * terms["coriolis"][count:, :] * d_1 + terms["centrifugal"][count:, :]
    left += (terms["stiffness"] + terms["geometric"]) * d - terms["body_load"][count:, :]
    left = left.xreplace(dict(zip(x_d, x + shape * d, strict=True)))
    old = {name: term.density for name, term in given.terms.items()}
    right = old["mass"] * d_2 + 2 * old["coriolis"] * d_1 - old["body_load"]
    right += (old["stiffness"] + old["euler"] + old["centrifugal"] + old["geometric"]) * d
    right += old["euler_load"] + old["centrifugal_load"] + old["translation"]
    acceleration = dict(zip(given.point.frame.acceleration, point.frame.acceleration, strict=True))
    assert _zero(left - right.xreplace(acceleration))


def _coordinates(point, label: str) -> list[sympy.Matrix]:
    """Return d, d', d'' of a node."""
    first = point.nodes.index(label) * point.dimension
    groups = (point.coordinates, point.velocities, point.accelerations)
    return [sympy.Matrix(group[first : first + point.dimension]) for group in groups]


def _zero(matrix) -> bool:
    return sympy.Matrix(matrix).applyfunc(sympy.expand).is_zero_matrix


def test_rigid_motions_have_no_kinetic_energy_of_their_own() -> None:
    """M of a deformed tet4 is singular by six: a motion of the frame that its nodes undo."""
    equations = _free("tet4", unrolled=True)
    matrix = equations.terms["mass"].density
    rng = np.random.default_rng(2)
    corners = np.array([[0, 0, 0], [1, 0.1, 0], [0.2, 1.1, 0], [0.1, 0.2, 0.9]], dtype=float)
    corners += 0.1 * rng.standard_normal((4, 3))  # displaced
    # Four points that integrate polynomials of degree two (Keast).
    a, b = 0.5854101966249685, 0.1381966011250105
    volume = np.linalg.det(corners[1:] - corners[0]) / 6.0
    total = np.zeros(matrix.shape)
    names = [sympy.Symbol(f"N_{k}", real=True) for k in range(1, 5)]
    places = sympy.symbols("x_d1:4", real=True)
    density = sympy.lambdify([*names, *places, DENSITY], matrix)
    for shapes in (np.where(np.arange(4) == k, a, b) for k in range(4)):
        total += 0.25 * volume * np.array(density(*shapes, *(shapes @ corners), 7.8))
    assert np.allclose(total, total.T)
    undone = np.zeros((18, 6))
    undone[:6] = np.eye(6)
    for k, unit in enumerate(np.eye(3)):
        undone[6:, k] = np.tile(-unit, 4)
        undone[6:, 3 + k] = -np.cross(unit, corners).ravel()
    size = np.abs(total).max()
    assert np.abs(total @ undone).max() <= 1e-14 * size
    values = np.linalg.eigvalsh(total)
    assert (np.abs(values) <= 1e-13 * size).sum() == 6
    assert values.min() >= -1e-13 * size


@pytest.mark.parametrize("name", ["tri3_plane_stress", slow("tet4")])
@pytest.mark.parametrize("formalism", FORMALISMS)
def test_all_coordinates_written_out(name: str, formalism: str) -> None:
    """Every pair of nodes has the block of the generic pair, beside the rows of the frame."""
    whole = _free(name, formalism, unrolled=True)
    block = _free(name, formalism)
    nodes, count = len(ELEMENTS[name].nodes), len(whole.point.frame.speeds)
    assert whole.terms["mass"].density.shape == (count + nodes * whole.point.dimension,) * 2
    for term, found in roll(whole).terms.items():
        assert found.density == block.terms[term].density, term


def test_costs() -> None:
    """Of a pair of nodes in space: 12 speeds, of which Lagrange differentiates all, Kane none.

    Lagrange: L by 12 speeds, the momenta by time, L by 6 coordinates. Gibbs-Appell: S by 12 rates.
    """
    ledgers = {name: _free("tet4", name).ledger for name in FORMALISMS}
    derivatives = {
        name: (one.partials.total(), one.totals.total()) for name, one in ledgers.items()
    }
    assert derivatives["lagrange"] == (12 + 6, 12)
    assert derivatives["gibbs_appell"] == (12, 0)
    assert derivatives["hamilton"] == (12 + 6, 0)
    assert derivatives["virtual_power"] == (0, 0)
    # Three momenta by q', by time; A has 3 x 12 entries.
    assert derivatives["maggi"] == (3, 3 + 36)
    # v of three components and a strain of six, and six quadratic strains, by every speed.
    assert derivatives["kane"] == (12 * (3 + 6 + 6), 6)


def test_bodies_of_revolution_are_refused() -> None:
    """Their field has no other motion than along the axis."""
    with pytest.raises(InputError, match="frame 'free' is not for bodies of revolution"):
        frame_for(2, "free", revolved=True)


def test_the_command(capsys) -> None:
    """Terms with rows of the frame; equality; a fragment in LaTeX; no document."""
    assert main(["derive", "tet4", "--frame", "free", "--formalism", "kane,hamilton"]) == 0
    text = capsys.readouterr().out
    assert "M z' + 2 C d' + h_omega + (0, 0, (k + k_geo) d) = Q + Q*,  z = (v_O, w, d')" in text
    assert "kane and hamilton are symbolically equal" in text
    assert "symmetric, full; depends on d" in text
    assert main(["derive", "tri3", "--frame", "free", "--fragment"]) == 0
    assert r"& M \dot{z} + 2 C \dot{d} + h_{\omega}" in capsys.readouterr().out
    assert main(["derive", "tri3", "--frame", "free", "--latex"]) == 2
    assert "expected --fragment with --frame free" in capsys.readouterr().err
