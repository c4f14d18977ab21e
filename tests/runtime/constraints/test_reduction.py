# SPDX-License-Identifier: BSD-3-Clause
"""Products with A and D, which are never formed, against the matrices themselves."""

from __future__ import annotations

import numpy as np
import pytest
from flexforge.runtime._mechanism import MOST_DENSE
from flexforge.runtime.constraints.generalized_speeds import independent, null_space
from flexforge.runtime.constraints.null_space import Reducer
from flexforge.runtime.constraints.path import Path
from flexforge.runtime.constraints.rates import Allowing, Rates
from flexforge.runtime.constraints.rows import Pattern, Rows

COORDINATES = 300


def constraints(seed):
    """Return constraints in clusters of several sizes, one of them large, that have turned."""
    rng = np.random.default_rng(7)
    order = rng.permutation(COORDINATES)
    sizes = [(2, 6), (2, 6), (3, 7), (4, MOST_DENSE + 40), (1, 5)]
    rows, columns, first, row = [], [], 0, 0
    for m, n in sizes:
        rows.append(np.repeat(row + np.arange(m), n))
        columns.append(np.tile(np.sort(order[first : first + n]), m))
        first, row = first + n, row + m
    rows, columns = np.concatenate(rows), np.concatenate(columns)
    pattern = Pattern(rows, columns, (row, COORDINATES), tuple(f"row {k}" for k in range(row)))
    data = rng.normal(size=(3, len(rows)))
    return Rows(pattern, data + 0.05 * np.random.default_rng(seed).normal(size=data.shape))


@pytest.mark.parametrize("choose", [null_space, independent])
def test_products_are_those_of_the_matrices(choose):
    """``A y``, ``A^T f`` and ``D^T f`` are those of ``[D, A] = [J; Y]^-1``, inverted as a whole."""
    start, rows = constraints(0), constraints(1)
    reducer = Reducer(start.pattern, choose)
    reducer.choose(start)
    found = reducer.at(rows, keep=True)
    j, y = rows.matrix().toarray(), found.basis.speeds.toarray()
    inverse = np.linalg.inv(np.vstack([j, y]))
    m = len(j)
    d, a = inverse[:, :m], inverse[:, m:]
    rng = np.random.default_rng(3)
    speeds, forces, q, v = (rng.normal(size=k) for k in (reducer.unknowns, *[COORDINATES] * 3))
    size = np.abs(a).max() * 10
    np.testing.assert_allclose(found.along(speeds), a @ speeds, atol=1e-12 * size)
    np.testing.assert_allclose(found.onto(forces), a.T @ forces, atol=1e-12 * size)
    np.testing.assert_allclose(found.ties(forces), d.T @ forces, atol=1e-12 * np.abs(d).max() * 10)
    np.testing.assert_allclose(found.free.toarray(), a, atol=1e-12 * size)
    left = rows.times(q, 1)
    np.testing.assert_allclose(found.carried_velocity(q), -d @ left, atol=1e-11 * np.abs(d).max())
    left = 2.0 * rows.times(v, 1) + rows.times(q, 2)
    carried = found.carried_acceleration(q, v)
    np.testing.assert_allclose(carried, -d @ left, atol=1e-11 * np.abs(d).max())


@pytest.mark.parametrize("choose", [null_space, independent])
def test_forces_of_positions_and_of_velocities_are_told_apart(choose):
    """What balances ``J^T lambda + W^T mu`` is lambda and mu, though W acts where joints do."""
    rows, rng = constraints(1), np.random.default_rng(5)
    reduction = Reducer(rows.pattern, choose).at(rows)
    columns = np.unique(rows.pattern.columns)[:9]
    w = rng.normal(size=(2, len(columns)))
    rates = Rates(("one", "other"), columns, w, np.zeros(2), np.zeros(2))
    allowed = Allowing(rates.names, choose).at(rates, reduction)
    path = Path(reduction, np.zeros(COORDINATES), np.zeros(COORDINATES), rates, allowed)
    wanted = rng.normal(size=rows.pattern.shape[0] + 2)
    pull = rows.matrix().T @ wanted[:-2] + rates.transposed(wanted[-2:], COORDINATES)
    np.testing.assert_allclose(path.forces(-pull), wanted, rtol=0.0, atol=1e-11)


@pytest.mark.parametrize("choose", [null_space, independent])
def test_all_three_levels_hold_to_round_off(choose):
    """Motion along speeds satisfies J q = 0 and its two rates, whatever the speeds."""
    rows = constraints(2)
    found = Reducer(rows.pattern, choose).at(rows)
    rng = np.random.default_rng(4)
    y, y_rate, y_second = rng.normal(size=(3, COORDINATES - rows.pattern.shape[0]))
    q = found.along(y)
    v = found.velocity(q, y_rate)
    a = found.acceleration(q, v, y_second)
    for left, size in zip(rows.residuals(q, v, a), (q, v, a), strict=True):
        assert np.abs(left).max() <= 1e-12 * np.abs(size).max()


def test_a_basis_has_no_more_entries_than_coordinates_need():
    """Of large clusters Y picks coordinates, one entry each; H has one a constraint."""
    rows = constraints(0)
    reducer = Reducer(rows.pattern, independent)
    basis = reducer.at(rows).basis
    assert basis.speeds.nnz == reducer.unknowns
    assert basis.held.nnz == rows.pattern.shape[0]
    whole = (basis.speeds @ basis.spread).toarray()
    np.testing.assert_array_equal(whole, np.eye(reducer.unknowns))
