# SPDX-License-Identifier: BSD-3-Clause
"""The benchmark of mechanisms measures a mechanism that stays closed."""

from __future__ import annotations

import constraints


def test_the_loop_of_the_benchmark_is_closed():
    """Six equations a body; both ends of every joint are in one place to rounding."""
    found = constraints.measure(steps=20, repeats=1)
    assert found["equations"] == 6 * constraints.BODIES
    assert found["largest gap, m"] < 1e-14
    assert all(value > 0 for value in found["microseconds"].values())
