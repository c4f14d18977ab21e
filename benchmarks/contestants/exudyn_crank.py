# SPDX-License-Identifier: BSD-3-Clause
"""Exudyn stepping the slider-crank with its elastic rod as the argument says.

``cable``, ``nodal``, or the number of modes of a body in a floating frame: see
``support/exudyn_rods.py``. Crank, slider, joints, speed, step and method (generalized-alpha) are
those of ours.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from support.beam_modes import Beam
from support.contestant import serve
from support.exudyn_rods import Rod, cable, floating, nodal
from support.paths import SAMPLES, middle

ELEMENTS, STEPS = 20, 2000
STEP = 0.0418879 / STEPS
CRANK, ROD, SPEED = 0.15, 0.3, 150.0
RADIUS, YOUNG, DENSITY = 0.003, 2e11, 7870.0
ALL = "60"  # modes: as many as the rod has coordinates in its frame
KIND = sys.argv[1] if len(sys.argv) > 1 else "cable"


def rod(mbs: Any) -> Rod:
    """Add the rod, turning about the slider."""
    area, second = math.pi * RADIUS**2, math.pi * RADIUS**4 / 4
    beam = Beam(ROD, ELEMENTS, YOUNG * area, YOUNG * second, DENSITY * area)
    across = CRANK * SPEED
    if KIND == "cable":
        return cable(mbs, beam, CRANK, across)
    if KIND == "nodal":
        return nodal(mbs, beam, CRANK, across)
    return floating(mbs, beam, CRANK, across, int(KIND))


def mechanism(*, sensors: bool) -> tuple[Any, int, list[int]]:
    """Return the system, the slider's node, and sensors along the rod if they are asked for."""
    import exudyn
    import exudyn.itemInterface as item

    mbs = exudyn.SystemContainer().AddSystem()
    ground = mbs.AddObject(item.ObjectGround())
    pivot = mbs.AddMarker(item.MarkerBodyPosition(bodyNumber=ground, localPosition=[0, 0, 0]))
    node = mbs.AddNode(
        item.NodeRigidBody2D(
            referenceCoordinates=[0.5 * CRANK, 0, 0],
            initialVelocities=[0, 0.5 * CRANK * SPEED, SPEED],
        )
    )
    crank = mbs.AddObject(
        item.ObjectRigidBody2D(physicsMass=0.01, physicsInertia=1e-5, nodeNumber=node)
    )
    inner, outer = (
        mbs.AddMarker(item.MarkerBodyPosition(bodyNumber=crank, localPosition=[x, 0, 0]))
        for x in (-0.5 * CRANK, 0.5 * CRANK)
    )
    mbs.AddObject(item.RevoluteJoint2D(markerNumbers=[pivot, inner]))
    still = mbs.AddMarker(
        item.MarkerNodeCoordinate(nodeNumber=mbs.AddNode(item.NodePointGround()), coordinate=0)
    )
    turn = mbs.AddMarker(item.MarkerNodeCoordinate(nodeNumber=node, coordinate=2))
    mbs.AddObject(
        item.CoordinateConstraint(markerNumbers=[still, turn], offset=SPEED, velocityLevel=True)
    )
    made = rod(mbs)
    mbs.AddObject(item.RevoluteJoint2D(markerNumbers=[outer, made.pin]))
    point = mbs.AddNode(item.NodePoint2D(referenceCoordinates=[CRANK + ROD, 0]))
    slider = mbs.AddObject(item.MassPoint2D(mass=0.0333779, nodeNumber=point))
    place = mbs.AddMarker(item.MarkerBodyPosition(bodyNumber=slider, localPosition=[0, 0, 0]))
    mbs.AddObject(item.RevoluteJoint2D(markerNumbers=[made.end, place]))
    across = mbs.AddMarker(item.MarkerNodeCoordinate(nodeNumber=point, coordinate=1))
    mbs.AddObject(item.CoordinateConstraint(markerNumbers=[still, across]))
    numbers = [mbs.AddSensor(one) for one in made.sensors] if sensors else []
    mbs.Assemble()
    return mbs, point, numbers


def settings(solver: Any, *, newton: str) -> Any:
    """Return how to step: with ``full`` Newton, ``modified``, or modified with an ``early`` update.

    Modified Newton takes a new Jacobian where the residual shrinks by less than a half; updated
    early, by less than a tenth, which was the fastest of what we tried.
    """
    import exudyn

    found = exudyn.SimulationSettings()
    found.timeIntegration.numberOfSteps = STEPS
    found.timeIntegration.endTime = STEPS * STEP
    found.timeIntegration.generalizedAlpha.spectralRadius = 0.8
    found.timeIntegration.newton.useModifiedNewton = newton != "full"
    if newton == "early":
        found.timeIntegration.newton.modifiedNewtonContractivity = 0.1
    found.timeIntegration.newton.relativeTolerance = 1e-6
    found.timeIntegration.verboseMode = 0
    found.solution.file.write = False
    found.parallel.numberOfThreads = 1
    found.linearSolver.solverType = solver
    return found


def path(chosen: Any) -> dict[str, list[float]]:
    """Return the first turn as the referee compares it."""
    import numpy as np

    mbs, _, numbers = mechanism(sensors=True)
    chosen.solution.sensors.writePeriod = STEPS * STEP / SAMPLES
    if not mbs.SolveDynamic(chosen, updateInitialValues=False):
        raise RuntimeError("Exudyn did not finish the first turn")
    ends = [np.array(mbs.GetSensorStoredData(number))[:, 1:3] for number in numbers]
    return {"middle, m": middle(*ends), "slider, m": [float(x) for x in ends[2][:, 0]]}


def prepare() -> tuple[dict[str, Any], dict[str, Any]]:
    """Make the model, which is not timed; steps are."""
    sys.exudynFast = True  # type: ignore[attr-defined]  # no checks of ranges, and AVX2
    import exudyn

    solvers = {
        "dense": exudyn.LinearSolverType.EXUdense,
        "sparse": exudyn.LinearSolverType.EigenSparse,
    }
    kinds = {
        f"{name}, {newton} Newton": settings(solver, newton=newton)
        for name, solver in solvers.items()
        for newton in ("early", "modified", "full")
        if newton != "full" or KIND != ALL  # which takes minutes
    }
    first = path(settings(solvers["dense"], newton="early"))
    mbs, point, _ = mechanism(sensors=False)

    def job(chosen: Any) -> dict[str, float]:
        done = mbs.SolveDynamic(chosen, updateInitialValues=False)
        tip = mbs.GetNodeOutput(point, exudyn.OutputVariableType.Position)
        counts = mbs.sys["dynamicSolver"].it
        return {
            "finished": float(bool(done)),
            "slider, m": float(tip[0]),
            "Newton iterations a step": counts.newtonStepsCount / STEPS,
            "Jacobians a step": counts.newtonJacobiCount / STEPS,
        }

    unknowns = mbs.systemData.ODE2Size() + mbs.systemData.AEsize()
    facts = {
        "unknowns": unknowns, "steps": STEPS, "version": str(exudyn.__version__), "path": first
    }  # fmt: skip
    return {name: (lambda chosen=chosen: job(chosen)) for name, chosen in kinds.items()}, facts


if __name__ == "__main__":
    serve(prepare)
