# SPDX-License-Identifier: BSD-3-Clause
"""What joints hold and leave free, and what their programs compute before any compiler.

What an installation has compiled of them is compared with the same definitions in
``tests/runtime/mechanism/test_joints.py``.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from flexforge.codegen.ir.interpret import interpret
from flexforge.codegen.joints.derive import derive_joint
from flexforge.codegen.joints.kinds import KINDS
from flexforge.codegen.joints.lower import COLUMNS, TERMS, joint_kernel
from flexforge.codegen.joints.markers import PLACE
from flexforge.codegen.joints.table import JOINTS
from flexforge.runtime.mechanism.joints import VALUE, pack, row_values
from marks import slow
from moving_links import FIRST, RADIUS, SECOND, H, Moving, joint_of, turning, values_moved

#: Equations and free coordinates of joints between two bodies in space; a sphere's three free
#: angles and those of a point on a line are no coordinates here. Rolling keeps what a planar joint
#: keeps, the height of the disc, and the distance rolled.
FREEDOM = {
    "fixed": (6, 0), "revolute": (5, 1), "prismatic": (5, 1), "cylindrical": (4, 2),
    "universal": (4, 2), "spherical": (3, 0), "planar": (3, 3), "point_on_line": (2, 1),
    "free": (0, 6), "relative": (0, 9), "rolling": (5, 2),
}  # fmt: skip
#: Tangents of three kinds, of which one has free coordinates; to derive those of the others takes
#: long, and what an installation has of them is tested in any case.
TANGENTS = [
    kind if kind in ("revolute", "spherical", "point_on_line") else slow(kind) for kind in KINDS
]


def with_values(kind: str) -> np.ndarray:
    """Whether rows have a value, of which their Jacobian is the derivative: not those of turns."""
    return np.array([row.turn is None for row in (*KINDS[kind].held, *KINDS[kind].free)])


#: Where seven-point differences are taken, s and m or rad.
AROUND = np.arange(-3, 4) * H


def test_every_joint_holds_what_its_kind_must():
    """A joint's equations and coordinates are as many as its kind has in textbooks."""
    assert {k: (len(one.held), len(one.free)) for k, one in KINDS.items()} == FREEDOM


@pytest.mark.parametrize("kind", KINDS)
def test_facts_are_those_of_the_expressions(kind):
    """What the table says without algebra is what the expressions are: rows, and lengths."""
    facts, declared = JOINTS[kind], KINDS[kind]
    rows = (*declared.held, *declared.free)
    said = (*facts.held, *facts.free.values())
    assert (len(facts.held), len(facts.free)) == (len(declared.held), len(declared.free))
    assert [bool(row.length.free_symbols & set(PLACE)) for row in rows] == [
        one.is_length for one in said
    ]


@pytest.mark.parametrize("term", [term for term in TERMS if term != "tangent"])
@pytest.mark.parametrize("kind", KINDS)
def test_kernels_count_their_operations(kind, term):
    """A joint's kernel says how large its output is and what it costs."""
    check_counts(kind, term)


@pytest.mark.parametrize("kind", TANGENTS)
def test_tangents_count_their_operations(kind):
    """So does that of its efforts."""
    check_counts(kind, "tangent")


def check_counts(kind: str, term: str) -> None:
    kernel = joint_kernel(kind, term)
    rows = 12 + FREEDOM[kind][1] if term == "tangent" else sum(FREEDOM[kind])
    assert (kernel.rows, kernel.columns) == (rows, COLUMNS[term])
    assert kernel.state_vectors == 2 and kernel.nodes == 8
    assert kernel.written.operations >= kernel.count.operations > 100


def test_derivation_is_counted():
    """The ledger knows the differentiations: twelve columns, twice by time, for every row."""
    equations = derive_joint("revolute")
    assert equations.ledger.totals["J'"] == equations.ledger.totals["J''"] == 12 * 6
    assert equations.ledger.partials["dPhi"] > 0


def interpreted(kind: str, term: str, pairs: list, **efforts: float) -> np.ndarray:
    """Return the rows of a joint between two links in several states, (states, rows, columns)."""
    joint = joint_of(kind)
    states = np.stack([np.stack([pack(one), pack(two)]) for one, two in pairs], axis=-1)
    markers = np.repeat(joint.packed[..., None], len(pairs), axis=-1)
    inputs = {"coordinates": markers, "state": states}
    found = interpret(joint_kernel(kind, term).program, inputs, {"radius": RADIUS} | efforts)
    return np.moveaxis(np.asarray(found, float), -1, 0)


def along_the_motion(first: int, t: float) -> list:
    """Return the states of two links around a time."""
    links = Moving(first), Moving(first + 1)
    return [tuple(link.at(t + h) for link in links) for h in AROUND]


@pytest.mark.parametrize("kind", KINDS)
def test_rows_and_their_jacobian_and_its_rates(kind):
    """Rows are the definition's, J their derivative by displacements and turns, J' its rate."""
    pairs = along_the_motion(3, 0.3)
    rows = interpreted(kind, "elastic", pairs)
    frames, joint = pairs[3], joint_of(kind)
    wanted = values_moved(joint, frames, np.zeros(12))
    np.testing.assert_allclose(row_values(rows[3][:, :VALUE]), wanted, atol=1e-14)
    jacobian, first, second = np.moveaxis(rows[:, :, VALUE:].reshape(7, -1, 3, 12), 2, 0)
    told = with_values(kind)
    for column in range(12):
        moved = [values_moved(joint, frames, h * np.eye(12)[column]) for h in AROUND]
        wanted = FIRST @ moved / H
        np.testing.assert_allclose(jacobian[3][told, column], wanted[told], atol=2e-9)
    rate, rate_of_rate = (np.tensordot(one, jacobian, 1) for one in (FIRST / H, SECOND / H**2))
    np.testing.assert_allclose(first[3], rate, atol=2e-8)
    np.testing.assert_allclose(second[3], rate_of_rate, atol=2e-7)


@pytest.mark.parametrize("kind", KINDS)
def test_rows_of_rigid_links_give_velocity_and_acceleration(kind):
    """The rows' first rate is J (v_O, w), their second one J (a_O, e) + gamma."""
    pairs = along_the_motion(5, 0.2)
    rows = interpreted(kind, "rigid", pairs)
    jacobian, gamma = rows[3][:, VALUE : VALUE + 12], rows[3][:, VALUE + 12]
    velocity, acceleration = (
        np.concatenate([pack(state)[k : k + 2].ravel() for state in pairs[3]]) for k in (4, 6)
    )
    values = [row_values(parts[:, :VALUE]) for parts in rows]
    told = with_values(kind)
    np.testing.assert_allclose((jacobian @ velocity)[told], (FIRST @ values / H)[told], atol=1e-8)
    wanted = SECOND @ values / H**2
    np.testing.assert_allclose((jacobian @ acceleration + gamma)[told], wanted[told], atol=1e-7)


def test_turns_have_the_relative_angular_velocity_as_their_rate():
    """Its components along the axes of the first marker, and their rates; they have no value."""
    joint, pairs = joint_of("relative"), along_the_motion(5, 0.2)
    turns = ~with_values("relative")
    rows = interpreted("relative", "rigid", pairs)[3][turns]
    velocity, acceleration = (
        np.concatenate([pack(state)[k : k + 2].ravel() for state in pairs[3]]) for k in (4, 6)
    )
    jacobian, gamma = rows[:, VALUE : VALUE + 12], rows[:, VALUE + 12]
    turned = [turning(joint, frames) for frames in pairs]
    np.testing.assert_allclose(jacobian @ velocity, turned[3], atol=1e-14)
    np.testing.assert_allclose(jacobian @ acceleration + gamma, FIRST @ turned / H, atol=1e-8)
    assert not rows[:, :VALUE][:, [0, 1, 3]].any()


@pytest.mark.parametrize("kind", TANGENTS)
def test_tangents_are_the_rates_of_jacobians_along_every_coordinate(kind):
    """J' along a unit of every coordinate, times efforts; and the rates of free coordinates."""
    here = along_the_motion(3, 0.3)[3]
    count, (held, free) = sum(FREEDOM[kind]), FREEDOM[kind]
    efforts = np.random.default_rng(4).normal(size=count)
    still = [replace(one, v_O=np.zeros(3), w=np.zeros(3)) for one in here]
    changes = []
    for k in range(12):  # the velocity of a marker, from that of the origin of its link
        moved, side = list(still), k // 6
        unit = np.eye(3)[k % 3]
        arm = joint_of(kind).packed[4 * side]
        moving = {"w": unit, "v_O": -np.cross(unit, arm)} if k % 6 > 2 else {"v_O": unit}
        moved[side] = replace(still[side], **moving)
        changes.append(interpreted(kind, "elastic", [tuple(moved)])[0][:, 16:28])
    changed = np.stack(changes, axis=-1)  # row, entry, coordinate
    named = {f"effort{r}": float(one) for r, one in enumerate(efforts)}
    found = interpreted(kind, "tangent", [here], **named)[0]
    np.testing.assert_allclose(found[:12], np.einsum("r,rik->ik", efforts, changed), atol=1e-12)
    velocity = np.concatenate([
        part
        for one, arm in zip(here, joint_of(kind).packed[::4], strict=True)
        for part in (one.v_O + np.cross(one.w, arm), one.w)
    ])  # fmt: skip
    rates = np.einsum("k,rki->ri", velocity, changed[held:])
    np.testing.assert_allclose(found[12:], rates.reshape(free, 12), atol=1e-12)
