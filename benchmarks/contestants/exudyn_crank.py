# SPDX-License-Identifier: BSD-3-Clause
"""Exudyn stepping the nearest model of the slider-crank: its rod is 20 ANCF cable elements.

The rod can deform as much as it likes, which ours cannot; crank, slider, joints, speed, step and
method (generalized-alpha) are the same.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from support.contestant import serve

ELEMENTS, STEPS = 20, 2000
STEP = 0.0418879 / STEPS
CRANK, ROD, SPEED = 0.15, 0.3, 150.0


def prepare() -> tuple[dict[str, Any], dict[str, Any]]:
    """Make the model, which is not timed; steps are."""
    import math

    import exudyn
    import exudyn.beams as beams
    import exudyn.itemInterface as item

    area = math.pi * 0.003**2
    second = math.pi * 0.003**4 / 4
    mbs = exudyn.SystemContainer().AddSystem()
    # Nothing else holds on to the system between rounds.
    prepare.kept = mbs  # type: ignore[attr-defined]
    ground = mbs.AddObject(item.ObjectGround())
    pivot = mbs.AddMarker(item.MarkerBodyPosition(bodyNumber=ground, localPosition=[0, 0, 0]))
    node = mbs.AddNode(item.NodeRigidBody2D(
        referenceCoordinates=[0.5 * CRANK, 0, 0],
        initialVelocities=[0, 0.5 * CRANK * SPEED, SPEED],
    ))  # fmt: skip
    crank = mbs.AddObject(
        item.ObjectRigidBody2D(physicsMass=0.01, physicsInertia=1e-5, nodeNumber=node)
    )
    inner, outer = (
        mbs.AddMarker(item.MarkerBodyPosition(bodyNumber=crank, localPosition=[x, 0, 0]))
        for x in (-0.5 * CRANK, 0.5 * CRANK)
    )
    mbs.AddObject(item.RevoluteJoint2D(markerNumbers=[pivot, inner]))
    still = mbs.AddMarker(item.MarkerNodeCoordinate(
        nodeNumber=mbs.AddNode(item.NodePointGround()), coordinate=0
    ))  # fmt: skip
    turn = mbs.AddMarker(item.MarkerNodeCoordinate(nodeNumber=node, coordinate=2))
    mbs.AddObject(item.CoordinateConstraint(
        markerNumbers=[still, turn], offset=SPEED, velocityLevel=True
    ))  # fmt: skip
    cable = item.Cable2D(
        physicsMassPerLength=7870.0 * area,
        physicsBendingStiffness=2e11 * second,
        physicsAxialStiffness=2e11 * area,
    )
    made = beams.GenerateStraightLineANCFCable2D(
        mbs, [CRANK, 0, 0], [CRANK + ROD, 0, 0], ELEMENTS, cable
    )
    nodes = made[0]
    for number, name in enumerate(nodes):
        # The rod moves across at the crank pin, and turns about the slider.
        mbs.SetNodeParameter(
            name, "initialVelocities", [0, CRANK * SPEED * (1 - number / ELEMENTS), 0,
                                        -CRANK * SPEED / ROD],
        )  # fmt: skip
    pin, end = (mbs.AddMarker(item.MarkerNodePosition(nodeNumber=n)) for n in (nodes[0], nodes[-1]))
    mbs.AddObject(item.RevoluteJoint2D(markerNumbers=[outer, pin]))
    point = mbs.AddNode(item.NodePoint2D(referenceCoordinates=[CRANK + ROD, 0]))
    slider = mbs.AddObject(item.MassPoint2D(mass=0.0333779, nodeNumber=point))
    place = mbs.AddMarker(item.MarkerBodyPosition(bodyNumber=slider, localPosition=[0, 0, 0]))
    mbs.AddObject(item.RevoluteJoint2D(markerNumbers=[end, place]))
    across = mbs.AddMarker(item.MarkerNodeCoordinate(nodeNumber=point, coordinate=1))
    mbs.AddObject(item.CoordinateConstraint(markerNumbers=[still, across]))
    mbs.Assemble()

    def settings(solver: Any, *, modified: bool = True) -> Any:
        found = exudyn.SimulationSettings()
        found.timeIntegration.numberOfSteps = STEPS
        found.timeIntegration.endTime = STEPS * STEP
        found.timeIntegration.generalizedAlpha.spectralRadius = 0.8
        found.timeIntegration.newton.useModifiedNewton = modified
        found.timeIntegration.newton.relativeTolerance = 1e-6
        found.timeIntegration.verboseMode = 0
        found.solution.file.write = False
        found.parallel.numberOfThreads = 1
        found.linearSolver.solverType = solver
        return found

    kinds = {
        "steps, dense": settings(exudyn.LinearSolverType.EXUdense),
        "steps, dense, full Newton": settings(exudyn.LinearSolverType.EXUdense, modified=False),
        "steps, sparse": settings(exudyn.LinearSolverType.EigenSparse),
    }

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
    facts = {"unknowns": unknowns, "steps": STEPS, "version": str(exudyn.__version__)}
    return {name: (lambda chosen=chosen: job(chosen)) for name, chosen in kinds.items()}, facts


if __name__ == "__main__":
    serve(prepare)
