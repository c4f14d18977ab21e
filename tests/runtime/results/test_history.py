# SPDX-License-Identifier: BSD-3-Clause
"""The history of a probe is used like an array, and keeps times and unit."""

from __future__ import annotations

import numpy as np
import pytest
from flexforge.runtime.results.history import History

TIME, VALUES = np.linspace(0.0, 1.0, 5), np.array([0.0, 2.0, -3.0, 1.0, 0.5])
TIP = History("tip", "m", TIME, VALUES)


def test_indices_and_iteration() -> None:
    """Numbers, slices, masks; negative ones count from the end."""
    assert (TIP[1], TIP[-1], len(TIP), list(TIP)) == (2.0, 0.5, 5, VALUES.tolist())
    np.testing.assert_array_equal(TIP[1:3], VALUES[1:3])
    np.testing.assert_array_equal(TIP[TIP > 0.5], [2.0, 1.0])
    with pytest.raises(IndexError):
        TIP[5]


def test_arithmetic_and_functions() -> None:
    """Results are arrays, whichever operand is the history, and two of them are added."""
    for found, wanted in (
        (2.0 * TIP, 2.0 * VALUES),
        (TIP - VALUES, 0.0 * VALUES),
        (VALUES + TIP, 2.0 * VALUES),
        (TIP / (TIP + 10.0), VALUES / (VALUES + 10.0)),
        (-(abs(TIP) ** 2), -(VALUES**2)),
        (np.hypot(TIP, TIP), np.hypot(VALUES, VALUES)),
        (np.gradient(TIP, TIP.time), np.gradient(VALUES, TIME)),
    ):
        assert type(found) is np.ndarray
        np.testing.assert_array_equal(found, wanted)
    assert (TIP.max(), TIP.min(), np.max(TIP), np.min(TIP)) == (2.0, -3.0, 2.0, -3.0)
    assert np.mean(TIP) == pytest.approx(0.1) and np.argmin(TIP) == 2
    assert np.add.reduce(TIP) == 0.5


def test_what_was_recorded_is_not_written_to() -> None:
    """Neither items nor operators in place change a history."""
    with pytest.raises(TypeError):
        TIP[0] = 1.0  # type: ignore[index]
    with pytest.raises(TypeError):
        np.multiply(VALUES, 2.0, out=TIP)  # type: ignore[call-overload]
    doubled = TIP
    with pytest.raises(TypeError):
        doubled *= 2.0
    np.testing.assert_array_equal(TIP.values, [0.0, 2.0, -3.0, 1.0, 0.5])
