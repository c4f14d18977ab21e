# SPDX-License-Identifier: BSD-3-Clause
"""Small eigenvalue problems with motions without inertia, of any stiffness."""

from __future__ import annotations

import numpy as np
import pytest
from flexforge.runtime.vibration.massless import unit_mass
from scipy.linalg import eigvals
from scipy.optimize import linear_sum_assignment


@pytest.mark.parametrize("skew", [0.0, 0.3])
def test_massless_motions_follow_the_others(skew: float) -> None:
    """The finite roots of the whole problem, and shapes that balance; also without symmetry."""
    rng = np.random.default_rng(3)
    n, moving = 9, 6
    a, b, c = (rng.standard_normal((n, n)) for _ in range(3))
    stiffness = a @ a.T + np.eye(n) + skew * (b - b.T)
    root = c[:, :moving]
    inertia = root @ root.T
    basis, motions = unit_mass(stiffness, inertia)
    assert basis.T @ inertia @ motions == pytest.approx(np.eye(moving), abs=1e-9)
    found = np.linalg.eigvals(basis.T @ stiffness @ motions)
    whole = eigvals(stiffness, inertia)
    wanted = whole[np.argsort(np.abs(whole))[:moving]]
    # In no order: the parts of a conjugate pair are told apart by round-off alone.
    apart = np.abs(found[:, None] / wanted - 1.0)
    assert apart[linear_sum_assignment(apart)].max() < 1e-7
    forces = np.linalg.svd(root.T)[2][moving:] @ stiffness @ motions
    assert np.abs(forces).max() < 1e-8 * np.abs(motions).max()
    if not skew:
        assert motions == pytest.approx(basis, abs=1e-9)
