# SPDX-License-Identifier: BSD-3-Clause
"""Exudyn stepping an elastic arm of 16 modes that turns at constant speed and hangs in gravity.

``prescribed``: all motions of the floating frame are held or driven, as those of ours are;
``free``: the frame turns freely about the same axis from the same speed, an unknown more.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from support.arm import (
    BENDING,
    DENSITY,
    ELEMENTS,
    GRAVITY,
    LENGTH,
    MODES,
    SPEED,
    STEP,
    STEPS,
    STRETCHING,
)
from support.beam_modes import Beam, Floats
from support.contestant import serve

KIND = sys.argv[1] if len(sys.argv) > 1 else "prescribed"


@dataclass(frozen=True)
class Clamped(Beam):
    """A beam whose first node stays where its frame is."""

    def modes(self, count: int) -> Floats:
        """Return the lowest modes, in columns of coordinates, (n, count)."""
        import numpy as np

        _, masses, motion = self.masses()
        stiffness = self.stiffness()[3:, 3:]
        mass = np.einsum("p,pdi,pdj->ij", masses, motion, motion)[3:, 3:]
        root = np.linalg.cholesky(mass)
        half = np.linalg.solve(root, stiffness)
        _, vectors = np.linalg.eigh(np.linalg.solve(root, half.T))
        found = np.zeros((self.size, count))
        found[3:] = np.linalg.solve(root.T, vectors[:, :count])
        return found


def arm() -> tuple[Any, int]:
    """Return the system, and the marker of the tip."""
    import exudyn
    import exudyn.FEM as FEM
    import exudyn.itemInterface as item
    from support.exudyn_rods import _hold, _Meshed

    mbs = exudyn.SystemContainer().AddSystem()
    beam = Clamped(LENGTH, ELEMENTS, STRETCHING, BENDING, DENSITY)
    body = FEM.ObjectFFRFreducedOrderInterface(
        _Meshed(beam, MODES), rigidBodyNodeType="NodeType.RotationRxyz"
    )
    modes = beam.modes(MODES)
    stiffness = modes.T @ beam.stiffness() @ modes
    stiffness[abs(stiffness) < 1e-12 * abs(stiffness).max()] = 0.0
    body.stiffnessMatrixReduced = stiffness
    made = body.AddObjectFFRFreducedOrder(
        mbs, positionRef=[0, 0, 0], initialVelocity=[0, 0, 0],
        initialAngularVelocity=[0, 0, SPEED], gravity=[0, -GRAVITY, 0],
    )  # fmt: skip
    _hold(mbs, made["nRigidBody"], (0, 1, 2, 3, 4))
    if KIND == "prescribed":
        ground = mbs.AddNode(item.NodePointGround())
        still = mbs.AddMarker(item.MarkerNodeCoordinate(nodeNumber=ground, coordinate=0))
        turn = mbs.AddMarker(item.MarkerNodeCoordinate(nodeNumber=made["nRigidBody"], coordinate=5))
        mbs.AddObject(
            item.CoordinateConstraint(markerNumbers=[still, turn], offset=SPEED, velocityLevel=True)
        )
    sensor = mbs.AddSensor(
        item.SensorSuperElement(
            bodyNumber=made["oFFRFreducedOrder"],
            meshNodeNumber=ELEMENTS,
            storeInternal=True,
            outputVariableType=exudyn.OutputVariableType.DisplacementLocal,
        )
    )
    mbs.Assemble()
    return mbs, sensor


def prepare() -> tuple[dict[str, Any], dict[str, Any]]:
    """Make the model, which is not timed; steps are."""
    sys.exudynFast = True  # type: ignore[attr-defined]  # no checks of ranges, and AVX2
    import exudyn

    mbs, sensor = arm()

    def job(solver: Any, modified: bool) -> dict[str, float]:
        chosen = exudyn.SimulationSettings()
        chosen.timeIntegration.numberOfSteps = STEPS
        chosen.timeIntegration.endTime = STEPS * STEP
        chosen.timeIntegration.generalizedAlpha.spectralRadius = 0.8
        chosen.timeIntegration.newton.useModifiedNewton = modified
        chosen.timeIntegration.newton.relativeTolerance = 1e-6
        chosen.timeIntegration.verboseMode = 0
        chosen.solution.file.write = False
        chosen.solution.sensors.writePeriod = STEPS * STEP
        chosen.parallel.numberOfThreads = 1
        chosen.linearSolver.solverType = solver
        done = mbs.SolveDynamic(chosen, updateInitialValues=False)
        counts = mbs.sys["dynamicSolver"].it
        return {
            "finished": float(bool(done)),
            "tip, m": float(mbs.GetSensorStoredData(sensor)[-1, 2]),
            "Newton iterations a step": counts.newtonStepsCount / STEPS,
        }

    solvers = {
        "dense": exudyn.LinearSolverType.EXUdense,
        "sparse": exudyn.LinearSolverType.EigenSparse,
    }
    jobs = {
        f"{name}, {kind} Newton": (
            lambda solver=solver, modified=kind == "modified": job(solver, modified)
        )
        for name, solver in solvers.items()
        for kind in ("modified", "full")
    }
    unknowns = mbs.systemData.ODE2Size() + mbs.systemData.AEsize()
    return jobs, {"unknowns": unknowns, "steps": STEPS, "version": str(exudyn.__version__)}


if __name__ == "__main__":
    serve(prepare)
