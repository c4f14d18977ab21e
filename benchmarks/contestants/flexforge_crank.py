# SPDX-License-Identifier: BSD-3-Clause
"""Steps of a slider-crank with an elastic rod of 20 beam elements.

``linear`` as an argument leaves the geometric stiffness out, as peers do whose bodies in floating
frames are linear.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from support.contestant import serve
from support.paths import SAMPLES, middle

ELEMENTS, STEPS = 20, 2000
STEP = 0.0418879 / STEPS  # s: a turn of the crank at 150 rad/s
ROUNDS = 64  # at most, and the one whose path is compared
GEOMETRIC = "linear" not in sys.argv[1:]


def path(motion: Any) -> dict[str, list[float]]:
    """Take the first turn; return it as the referee compares it."""
    import numpy as np

    rod, *_, slider = motion.system.bodies
    places, ends = [], []
    for number in range(STEPS + 1):
        if number:
            motion.advance()
        if number % (STEPS // SAMPLES) == 0:
            bent = motion.displacement
            nodes = np.array([0, ELEMENTS // 2, ELEMENTS])
            places.append(rod.points[nodes] + bent[rod.nodes[nodes]])
            frame = motion.system.frames(motion.time)[len(motion.system.bodies) - 1]
            place = slider.points[0] + bent[slider.nodes[0]]
            ends.append(float((frame.r_O[:2] + frame.R[:2, :2] @ place)[0]))
    return {"middle, m": middle(*np.array(places).transpose(1, 0, 2)), "slider, m": ends}


def prepare() -> tuple[dict[str, Any], dict[str, Any]]:
    """Make the motions, which is not timed; steps are.

    Many steps are computed at once, so a motion that ends with its round, as every one does here,
    has taken all that it has computed.
    """
    import numpy as np
    from support.mechanisms import motion_of, slider_crank

    model = slider_crank(ELEMENTS, STEP, STEPS, geometric=GEOMETRIC)
    motions: list[Any] = [motion_of(model) for _ in range(ROUNDS)]
    facts = {"unknowns": motions[0].stepper.unknowns, "steps": STEPS, "path": path(motions.pop())}

    def steps() -> dict[str, float]:
        motion = motions.pop()
        for _ in range(STEPS):
            motion.advance()
        return {"largest displacement": float(np.abs(motion.displacement).max())}

    return {"steps": steps}, facts


if __name__ == "__main__":
    serve(prepare)
