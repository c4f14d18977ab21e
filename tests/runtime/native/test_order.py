# SPDX-License-Identifier: BSD-3-Clause
"""Sparse factors of small systems against those of a band."""

from __future__ import annotations

import numpy as np
import pytest
from flexforge.runtime.native import constants
from flexforge.runtime.native.order import banded, cheapest, sparse
from flexforge.runtime.native.steps import NativeSteps
from flexforge.runtime.system.initial import initial_state
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.transient.loop import march
from flexforge.runtime.transient.scheme import Scheme
from flexforge.runtime.transient.state import State
from models import SQUARE, model, stressed
from scipy.sparse import csr_matrix, diags

SPUN = {"axis": [0, 0, 1], "velocity": {"ramp": {"to": 40.0, "duration": 1.0}}}


def ended(spec, order, monkeypatch, scheme):
    """Return a state after 40 steps, factored in an order."""
    monkeypatch.setattr(constants, "cheapest", order)
    places = stressed(spec)
    made = constants.Constants(places.system, Loads(spec, places))
    start = (places.system.map.sample(one) for one in initial_state(spec, places))
    steps = NativeSteps(made, scheme, 1e-4, 40)
    *_, last = march(steps, State(0.0, *start), 1e-4, 40e-4)
    return made.order, last


def grid(divisions, **tables):
    """Return a square of quad4 whose frame turns ever faster, with a push."""
    push = {"kind": "force", "group": "xmax", "total": [0.0, 1e4, 0.0]}
    return model(
        "quad4",
        divisions,
        supports=[{"group": "xmin"}],
        body={"frame": SPUN},
        loads=[push],
        **tables,
    )


@pytest.mark.parametrize("scheme", [Scheme.generalized_alpha(0.8), Scheme(0, 0, 0, 0.5, True)])
def test_sparse_factors_step_as_a_band(scheme, monkeypatch):
    """Coriolis and Euler terms make the matrix unsymmetric, and new at every step."""
    spec = grid([9, 9])
    order, wanted = ended(spec, banded, monkeypatch, scheme)
    assert order.fill is None
    order, found = ended(spec, sparse, monkeypatch, scheme)
    assert order.fill is not None
    for field in ("q", "z", "history"):
        one, other = getattr(found, field), getattr(wanted, field)
        np.testing.assert_allclose(one, other, rtol=0.0, atol=1e-11 * np.abs(other).max())
    assert np.abs(found.q).max() > 0.0


def test_what_has_no_inertia_stays_out_of_the_start(monkeypatch):
    """A flat shell that turns about its normal: its pivot is round-off, and infinite."""
    spec = model(
        "quad4",
        [4, 4],
        corners=[[*point, 0.0] for point in SQUARE],
        body={"element": "mitc4", "thickness": 0.02},
        supports=[{"group": "xmin"}],
        loads=[{"kind": "gravity", "acceleration": [0.0, 0.0, -9.81]}],
    )
    _, wanted = ended(spec, banded, monkeypatch, Scheme.generalized_alpha(0.8))
    _, found = ended(spec, sparse, monkeypatch, Scheme.generalized_alpha(0.8))
    close = 1e-9 * np.abs(wanted.q).max()
    np.testing.assert_allclose(found.q, wanted.q, rtol=0.0, atol=close)


def test_the_order_is_the_one_with_less_work():
    """A chain is a band; a star has a wide one and no fill at all."""
    n = 60
    chain = csr_matrix(diags([1.0, 1.0, 1.0], [-1, 0, 1], shape=(n, n)))
    assert cheapest(chain).fill is None
    star = np.eye(n)
    star[0] = star[:, 0] = 1.0
    found = cheapest(csr_matrix(star))
    assert found.fill is not None
    assert len(found.fill.rows) == n - 1
    assert found.work < banded(csr_matrix(star)).work


@pytest.mark.parametrize("seed", range(4))
def test_entries_without_a_partner_have_places(seed: int) -> None:
    """Of random unsymmetric patterns: entries go where the factors' pattern says they are."""
    rng = np.random.default_rng(seed)
    n = 40
    dense = (rng.random((n, n)) < 0.06) | np.eye(n, dtype=bool)
    pattern = csr_matrix(dense.astype(float))
    order = sparse(pattern)
    fill = order.fill
    assert fill is not None
    count = len(fill.rows)
    columns = np.repeat(np.arange(n), np.diff(fill.pointers))
    rows = np.repeat(np.arange(n), np.diff(pattern.indptr))
    for row, column, at in zip(
        order.place[rows], order.place[pattern.indices], fill.entries, strict=True
    ):
        if row == column:
            assert at == row
            continue
        number = at - n - (0 if row > column else count)
        assert 0 <= number < count
        assert (fill.rows[number], columns[number]) == (max(row, column), min(row, column))
    band = banded(pattern)
    places = band.place[rows].astype(int) - band.place[pattern.indices]
    assert np.abs(places).max() <= band.band
