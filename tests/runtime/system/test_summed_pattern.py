# SPDX-License-Identifier: BSD-3-Clause
"""Matrices of several bodies by one pattern, beside their sum body by body."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.system import system as module
from flexforge.runtime.system.body import Combination
from models import build

#: Two beams and a mass on a spring; the last node follows the first in y.
MODEL: dict[str, Any] = {
    "mesh": {"block": {"cell": "line2", "corners": [[0, 0, 0], [1, 0.1, 0.2]], "divisions": [4]},
             "points": {"ball": [1.5, 0.3, 0.2]}},
    "materials": {"steel": {"young": 2e11, "poisson": 0.3, "density": 7800.0, "damping":
                            {"alpha": 0.1}}},
    "bodies": [{"name": "beam", "element": "euler_beam", "material": "steel",
                "section": {"shape": "round", "diameter": 0.02},
                "frame": {"axis": [0, 0, 1], "velocity": 3.0}}],
    "masses": [{"name": "ball", "group": "ball", "mass": 2.0, "inertia": [1, 1, 2],
                "frame": {"axis": [0, 0, 1], "velocity": 3.0}}],
    "connectors": [{"name": "spring", "kind": "spring", "between": ["ball", "#5"],
                    "stiffness": 1e4}],
    "supports": [{"group": "#1"}],
    "analysis": {"kind": "static"},
}  # fmt: skip
FOLLOWS = {"terms": [{"group": "#5", "component": "y"},
                     {"group": "#2", "component": "y", "factor": -2.0}]}  # fmt: skip


@pytest.mark.parametrize("equations", [[], [FOLLOWS]])
def test_one_pattern_gives_the_sum_of_all_bodies(
    equations: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stiffness, unsymmetric inertia, and bodies that are left out; at unknowns and through T."""
    found = []
    for small in (3000, 0):
        monkeypatch.setattr(module, "_SMALL", small)
        system = build(model_from_dict(MODEL | {"equations": equations}, folder=Path())).system
        assert (system._pattern is None) == (small == 0)
        turn = np.array([[0.0, -1.0, 0.3], [1.0, 2.0, 0.0], [0.0, 0.4, 1.0]])
        each = [Combination(1.5, turn, np.zeros(0)) for _ in system.bodies]
        part = [replace(one, stiffness=0.0, inertia=0.0 * turn) for one in each[:1]] + each[1:]
        moved = system.with_bodies({0: system.bodies[0]})
        found.append([system.matrix(each), system.matrix(part), moved.matrix(each)])
    for one, other in zip(*found, strict=True):
        assert one.shape == other.shape and one.nnz == other.nnz > 0
        assert abs(one - other).max() <= 1e-15 * abs(other).max()
