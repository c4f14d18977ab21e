# SPDX-License-Identifier: BSD-3-Clause
"""Tabulate: a sum over points of nothing but tables is a table."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from flexforge.codegen.ir.program import Accumulate, For, walk
from flexforge.codegen.kernel import compile_kernel
from flexforge.codegen.passes import PIPELINE, tabulate
from flexforge.codegen.passes.tabulate import tabulate_sums
from programs import exact, nest
from specimens import ELEMENTS


def _gram(g):
    return g.mul(g.load("table", "q", "a"), g.load("table", "q", "b"))


@pytest.mark.parametrize("first", [0, "a"])
def test_a_sum_of_tables_becomes_a_table(first):
    """sum_q t[q,a] t[q,b] is t^T t, formed exactly."""
    program = nest(_gram, first=first)
    after = tabulate_sums(program)
    assert exact(after) == exact(program)
    assert not any(isinstance(s, Accumulate) for s in walk(after.body))
    table = np.array([[0.5, 0.25], [-1.0, 0.75], [2.0, -0.5]])
    (made,) = (a for a in after.arrays if a.name == "tabulated0")
    assert made.values == tuple(Fraction(v) for v in (table.T @ table).ravel())


def test_sums_of_anything_else_stay():
    """A parameter, an input or a stored value in the sum, and it is none of tables."""
    for build in (
        lambda g: g.mul(_gram(g), g.parameter("p")),
        lambda g: g.mul(_gram(g), g.load("coordinates", "a", 0)),
        lambda g: g.mul(_gram(g), g.load("value", "q")),
    ):
        program = nest(build)
        assert tabulate_sums(program) == program


def test_large_tables_are_not_made(monkeypatch):
    """Above a size the sum is kept."""
    monkeypatch.setattr(tabulate, "LARGEST", 3)
    program = nest(_gram)
    assert tabulate_sums(program) == program


def test_mass_of_a_linear_simplex_is_a_closed_form():
    """tet4: rho V / 20 (1 + delta_ab); det J = 6 V, so the table is that of 1 + delta_ab.

    The integral of N_a N_b over a tetrahedron is V / 20 (1 + delta_ab) (Zienkiewicz and Taylor,
    vol. 1, volume coordinates).
    """
    looped = {k: run for k, run in PIPELINE.items() if k != "unroll"}
    kernel = compile_kernel(ELEMENTS["tet4"], "scalar_mass", passes=looped)
    body = list(walk(kernel.program.body))
    assert not any(isinstance(s, For) and s.index == "q" for s in body)
    (table,) = (a for a in kernel.program.arrays if a.name.startswith("tabulated"))
    found = np.array([float(v) for v in table.values]).reshape(4, 4)
    # the rule's four weights are 1/24 each: sum_q N_a N_b = 24 / 6 / 20 (1 + delta_ab)
    assert np.abs(found - 0.2 * (1 + np.eye(4))).max() < 1e-15
    without = {k: run for k, run in looped.items() if k != "tabulate"}
    before = compile_kernel(ELEMENTS["tet4"], "scalar_mass", passes=without)
    assert kernel.count.operations < before.count.operations
