# SPDX-License-Identifier: BSD-3-Clause
"""Exudyn stepping the slider-crank with a clearance: a sphere in a hollow sphere.

Bodies, speed, law of the contact, method and step are those of ours; the motion stays in the plane.
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from support.clearance import (
    ASIDE,
    BODIES,
    CLEARANCE,
    CRANK,
    RADIUS,
    ROD,
    SPECTRAL_RADIUS,
    SPEED,
    STEP,
    STEPS,
    STIFFNESS,
)
from support.contestant import serve


def mechanism() -> tuple[Any, int]:
    """Return the system and the slider's node."""
    import exudyn
    import exudyn.itemInterface as item

    mbs = exudyn.SystemContainer().AddSystem()
    ground = mbs.AddObject(item.ObjectGround())
    pivot = mbs.AddMarker(item.MarkerBodyRigid(bodyNumber=ground, localPosition=[0, 0, 0]))
    whirl = -SPEED * CRANK / ROD
    states = (
        ([CRANK / 2, 0, 0], [0, SPEED * CRANK / 2, SPEED]),
        ([CRANK + ROD / 2, 0, 0], [0, SPEED * CRANK / 2, whirl]),
        ([CRANK + ROD - ASIDE, 0, 0], [0, 0, 0]),
    )
    nodes, bodies = [], []
    for (mass, inertia), (place, rate) in zip(BODIES, states, strict=True):
        nodes.append(
            mbs.AddNode(item.NodeRigidBody2D(referenceCoordinates=place, initialVelocities=rate))
        )
        bodies.append(
            mbs.AddObject(item.ObjectRigidBody2D(mass=mass, inertia=inertia, nodeNumber=nodes[-1]))
        )

    def at(body: int, x: float) -> int:
        found = mbs.AddMarker(
            item.MarkerBodyRigid(bodyNumber=bodies[body], localPosition=[x, 0, 0])
        )
        return int(found)

    mbs.AddObject(item.RevoluteJoint2D(markerNumbers=[pivot, at(0, -CRANK / 2)]))
    mbs.AddObject(item.RevoluteJoint2D(markerNumbers=[at(0, CRANK / 2), at(1, -ROD / 2)]))
    still = mbs.AddMarker(
        item.MarkerNodeCoordinate(nodeNumber=mbs.AddNode(item.NodePointGround()), coordinate=0)
    )

    def hold(node: int, coordinate: int, **keys: Any) -> None:
        marker = mbs.AddMarker(
            item.MarkerNodeCoordinate(nodeNumber=nodes[node], coordinate=coordinate)
        )
        mbs.AddObject(item.CoordinateConstraint(markerNumbers=[still, marker], **keys))

    hold(0, 2, offset=SPEED, velocityLevel=True)
    hold(2, 1)
    hold(2, 2)
    data = mbs.AddNode(
        item.NodeGenericData(initialCoordinates=[0.1, 0, 0, 0], numberOfDataCoordinates=4)
    )
    mbs.AddObject(
        item.ObjectContactSphereSphere(
            markerNumbers=[at(1, ROD / 2), at(2, 0.0)],
            nodeNumber=data,
            spheresRadii=[RADIUS, RADIUS + CLEARANCE],
            isHollowSphere1=True,
            contactStiffness=STIFFNESS,
            contactDamping=0.0,
            contactStiffnessExponent=1.5,
            dynamicFriction=0.0,
        )
    )
    mbs.Assemble()
    return mbs, nodes[2]


def settings(solver: Any, *, modified: bool) -> Any:
    """Return how to step."""
    import exudyn

    found = exudyn.SimulationSettings()
    found.timeIntegration.numberOfSteps = STEPS
    found.timeIntegration.endTime = STEPS * STEP
    found.timeIntegration.generalizedAlpha.spectralRadius = SPECTRAL_RADIUS
    found.timeIntegration.newton.useModifiedNewton = modified
    found.timeIntegration.discontinuous.useRecommendedStepSize = False  # equal steps, as ours
    found.timeIntegration.verboseMode = 0
    found.solution.file.write = False
    found.parallel.numberOfThreads = 1
    found.linearSolver.solverType = solver
    return found


def prepare() -> tuple[dict[str, Any], dict[str, Any]]:
    """Make the model, which is not timed; steps are."""
    sys.exudynFast = True  # type: ignore[attr-defined]  # no checks of ranges, and AVX2
    import exudyn

    mbs, node = mechanism()
    solver = exudyn.LinearSolverType.EXUdense
    kinds = {
        "clearance, modified Newton": settings(solver, modified=True),
        "clearance, full Newton": settings(solver, modified=False),
    }

    def job(chosen: Any) -> dict[str, float]:
        if not mbs.SolveDynamic(chosen, updateInitialValues=False):
            raise RuntimeError("Exudyn did not finish")
        place = mbs.GetNodeOutput(node, exudyn.OutputVariableType.Position)
        return {"slider, m": float(place[0])}

    jobs = {name: partial(job, one) for name, one in kinds.items()}
    return jobs, {"steps": STEPS, "version": exudyn.__version__}


if __name__ == "__main__":
    serve(prepare)
