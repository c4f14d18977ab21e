# SPDX-License-Identifier: BSD-3-Clause
"""The exported library stepping an elastic arm of 16 modes at constant speed, and its FMU."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from support.contestant import serve


def prepare() -> tuple[dict[str, Any], dict[str, Any]]:
    """Export and compile, which is not timed; steps are."""
    from flexforge.runtime.export.solver import build_solver
    from flexforge.runtime.loading.load import model_from_dict
    from support.arm import STEPS, model
    from support.embedded import Embedded

    solver = build_solver(model_from_dict(model()), "arm")
    one = Embedded(solver)

    def job(kind: str) -> dict[str, float]:
        seconds, tip = one.steps(kind, STEPS)
        return {"seconds": seconds, "tip, m": tip}

    jobs = {name: (lambda name=name: job(name)) for name in ("library", "fmu")}
    return jobs, {"unknowns": solver.size, "steps": STEPS}


if __name__ == "__main__":
    serve(prepare)
