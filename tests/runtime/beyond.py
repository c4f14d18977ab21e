# SPDX-License-Identifier: BSD-3-Clause
"""Motions that grow beyond all bounds on the way."""

from __future__ import annotations

import numpy as np
import pytest
from flexforge.codegen.errors import AnalysisError

#: Amplitude of a force of some newton: from 0.105 s on too large for numbers.
STRUCK = "1e307*step(t, 0.105)"


def steps_to_the_end(run, steps: int, end: float) -> None:
    """Take steps of a motion, all finite, until it is told, once and again, that it grew."""
    for _ in range(steps):
        run.advance()
        assert np.isfinite([run.displacement, run.velocity, run.acceleration]).all()
    last = run.displacement
    for _ in range(2):
        with pytest.raises(AnalysisError, match=f"grown beyond all bounds at t = {end:g} s"):
            run.advance()
        np.testing.assert_array_equal(run.displacement, last)
    assert run.time == pytest.approx(end * steps / (steps + 1))
