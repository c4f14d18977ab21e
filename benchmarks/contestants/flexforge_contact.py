# SPDX-License-Identifier: BSD-3-Clause
"""Steps of a slider-crank with a clearance: touching, events located or not, and with a hinge."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from support.clearance import STEPS, tables
from support.contestant import serve

ROUNDS = 64  # at most


def prepare() -> tuple[dict[str, Any], dict[str, Any]]:
    """Make the motions, which is not timed; steps are."""
    from support.mechanisms import found_motion_of, leap

    kinds = ("clearance", "located", "far", "hinge")
    motions = {kind: [found_motion_of(tables(kind)) for _ in range(ROUNDS)] for kind in kinds}

    def job(kind: str) -> dict[str, float]:
        motion = motions[kind].pop()
        leap(motion, STEPS)
        return {"slider, m": float(motion.state.q[14])}

    return {kind: partial(job, kind) for kind in kinds}, {"steps": STEPS}


if __name__ == "__main__":
    serve(prepare)
