# SPDX-License-Identifier: BSD-3-Clause
"""What joints hold and leave free."""

from __future__ import annotations

import pytest
from flexforge.codegen.joints.derive import derive_joint
from flexforge.codegen.joints.kinds import KINDS
from flexforge.codegen.joints.lower import COLUMNS, TERMS, joint_kernel
from flexforge.codegen.joints.markers import PLACE
from flexforge.codegen.joints.table import JOINTS

#: Equations and free coordinates of joints between two bodies in space; a sphere's three free
#: angles and those of a point on a line are no coordinates here. Rolling keeps what a planar joint
#: keeps, the height of the disc, and the distance rolled.
FREEDOM = {
    "fixed": (6, 0), "revolute": (5, 1), "prismatic": (5, 1), "cylindrical": (4, 2),
    "universal": (4, 2), "spherical": (3, 0), "planar": (3, 3), "point_on_line": (2, 1),
    "rolling": (5, 2),
}  # fmt: skip


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


@pytest.mark.parametrize("term", TERMS)
@pytest.mark.parametrize("kind", KINDS)
def test_kernels_count_their_operations(kind, term):
    """A joint's kernel says how large its output is and what it costs."""
    kernel = joint_kernel(kind, term)
    assert (kernel.rows, kernel.columns) == (sum(FREEDOM[kind]), COLUMNS[term])
    assert kernel.state_vectors == 2 and kernel.nodes == 8
    assert kernel.written.operations >= kernel.count.operations > 100


def test_derivation_is_counted():
    """The ledger knows the differentiations: twelve columns, twice by time, for every row."""
    equations = derive_joint("revolute")
    assert equations.ledger.totals["J'"] == equations.ledger.totals["J''"] == 12 * 6
    assert equations.ledger.partials["dPhi"] > 0
