# SPDX-License-Identifier: BSD-3-Clause
"""Steps of a slider-crank with an elastic rod of 20 beam elements."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from support.contestant import serve

ELEMENTS, STEPS = 20, 2000
STEP = 0.0418879 / STEPS  # s: a turn of the crank at 150 rad/s


def prepare() -> tuple[dict[str, Any], dict[str, Any]]:
    """Make the motion, which is not timed; steps are."""
    import numpy as np
    from flexforge.runtime.analyses.constrained import Constrained
    from support.mechanisms import motion_of, slider_crank

    # Long enough for all rounds: a motion goes on where the round before has left it.
    motion = motion_of(slider_crank(ELEMENTS, STEP, 40 * STEPS))
    assert isinstance(motion, Constrained)

    def steps() -> dict[str, float]:
        for _ in range(STEPS):
            motion.advance()
        return {"largest displacement": float(np.abs(motion.displacement).max())}

    return {"steps": steps}, {"unknowns": motion.way.unknowns, "steps": STEPS}


if __name__ == "__main__":
    serve(prepare)
