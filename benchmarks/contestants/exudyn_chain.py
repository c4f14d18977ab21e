# SPDX-License-Identifier: BSD-3-Clause
"""Exudyn stepping a hanging chain of as many rods as the argument says.

Rods, hinges, gravity, step and method (generalized-alpha, modified Newton, sparse factors) are
those of ``support/found_links.py``.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from support.contestant import serve

COUNT, LENGTH, STEP, STEPS = int(sys.argv[1]), 0.1, 1e-3, 500


def prepare() -> tuple[dict[str, Callable[[], Any]], dict[str, Any]]:
    """Assemble the chain."""
    import exudyn
    import numpy as np
    from exudyn.utilities import RigidBodyInertia

    mbs = exudyn.SystemContainer().AddSystem()
    before = mbs.CreateGround()
    for k in range(COUNT):
        inertia = RigidBodyInertia(mass=0.1, inertiaTensor=np.diag([1e-5, 1e-4, 1e-4]))
        place = [(k + 0.5) * LENGTH, 0.0, 0.0]
        rod = mbs.CreateRigidBody(
            inertia=inertia, referencePosition=place, gravity=[0.0, -9.81, 0.0]
        )
        mbs.CreateRevoluteJoint(
            bodyNumbers=[before, rod], position=[k * LENGTH, 0.0, 0.0], axis=[0.0, 0.0, 1.0]
        )
        before = rod
    mbs.Assemble()
    settings = exudyn.SimulationSettings()
    settings.timeIntegration.numberOfSteps = STEPS
    settings.timeIntegration.endTime = STEPS * STEP
    settings.timeIntegration.verboseMode = 0
    settings.timeIntegration.newton.useModifiedNewton = True
    settings.timeIntegration.generalizedAlpha.spectralRadius = 0.8
    settings.solution.file.write = False
    settings.linearSolver.solverType = exudyn.LinearSolverType.EigenSparse

    def steps() -> dict[str, Any]:
        begun = time.perf_counter()
        mbs.SolveDynamic(settings)
        took = time.perf_counter() - begun
        kind = exudyn.OutputVariableType.Position
        end = mbs.GetObjectOutputBody(before, kind, localPosition=[-0.5 * LENGTH, 0.0, 0.0])
        return {"seconds": took / STEPS, "end": float(end[1])}

    return {"steps": steps}, {"version": exudyn.__version__}


if __name__ == "__main__":
    serve(prepare)
