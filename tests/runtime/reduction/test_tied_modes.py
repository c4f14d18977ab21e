# SPDX-License-Identifier: BSD-3-Clause
"""Vibrations with joints held: beams between pins, by both ways, and what a user is told."""

from __future__ import annotations

import numpy as np
import pytest
from elastic_links import ROUND, SOFT, four_bar, slider_crank
from flexforge.runtime.constraints.build import build_ties, joints_of
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.reduction import tied_modes
from flexforge.runtime.reduction.make import make_basis
from flexforge.runtime.statics.pencil import Pencil
from flexforge.runtime.system.construct import build_mesh, build_system

RUN = {"kind": "transient", "duration": 0.1, "steps": 10}


def squares(data, count, monkeypatch=None):
    """Return squares of frequencies of a model; with a patch by Krylov's method."""
    spec = model_from_dict(data | {"analysis": RUN})
    places = build_system(spec, build_mesh(spec))
    rows = joints_of(build_ties(spec, places)).at(0.0).matrix()
    if monkeypatch:
        monkeypatch.setattr(tied_modes, "DENSE", 0)
    return tied_modes.tied_squares(*Pencil.at_rest(places.system).matrices, rows, count)[0]


def test_a_rod_between_pins(tmp_path):
    """Of a slider-crank: k^2 pi / 2 sqrt(E I / rho A) / L^2, all ends fixed by crank and guide."""
    spec = slider_crank(20.0, analysis=RUN, reduction={"modes": 3})
    made = make_basis(model_from_dict(spec), tmp_path / "shapes.h5")
    gyration = ROUND["diameter"] / 4.0
    speed = np.sqrt(SOFT["young"] / SOFT["density"])
    wanted = np.arange(1, 4) ** 2 * np.pi / 2.0 * speed * gyration / 0.3**2
    assert made.tied
    # Four cells; the third wave has three halves on them.
    np.testing.assert_allclose(made.full, wanted, rtol=2e-2)
    assert made.full[0] == pytest.approx(wanted[0], rel=1e-3)
    np.testing.assert_allclose(made.reduced, made.full, rtol=1e-2)
    assert (made.reduced >= made.full * (1.0 - 1e-9)).all()
    assert made.error < 1e-2


def test_both_ways_find_the_same(monkeypatch):
    """Dense, and by Krylov's method on the matrix with multipliers."""
    data = four_bar()
    dense = squares(data, 6)
    np.testing.assert_allclose(squares(data, 6, monkeypatch), dense, rtol=1e-8)
