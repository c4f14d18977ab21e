# SPDX-License-Identifier: BSD-3-Clause
"""The elastic rod of a slider-crank as Exudyn can have it: cables, or a body in a floating frame.

- ``cable``: ANCF cables, which deform as much as they like.
- ``floating``: ``ObjectFFRFreducedOrder``, small displacements on modes in a frame through both
  ends, computed by Exudyn's C++; our rod with all modes, or the lowest ones.
- ``nodal``: ``ObjectFFRF``, the same with nodes instead of modes. Its nodes have no turns: those of
  the beam follow as in statics.

The bodies in frames move in space, of which three motions are held; joints are those of a plane.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from support.beam_modes import Beam


@dataclass(frozen=True)
class Rod:
    """A rod in a system.

    Attributes
    ----------
    pin, end : int
        Markers of its ends.
    sensors : list of item
        Of the places of its first, middle and last node.
    """

    pin: int
    end: int
    sensors: list[Any]


def cable(mbs: Any, beam: Beam, start: float, speed: float) -> Rod:
    """Add ANCF cables along x, their first node moving across with a speed, the last one at rest.

    Parameters
    ----------
    mbs : MainSystem
        Where to.
    beam : Beam
        The rod.
    start : float
        Where it begins on the axis x, m.
    speed : float
        m/s.
    """
    import exudyn
    import exudyn.beams as beams
    import exudyn.itemInterface as item

    one = item.Cable2D(
        physicsMassPerLength=beam.mass,
        physicsBendingStiffness=beam.bending,
        physicsAxialStiffness=beam.stretching,
    )
    nodes = beams.GenerateStraightLineANCFCable2D(
        mbs, [start, 0, 0], [start + beam.length, 0, 0], beam.elements, one
    )[0]
    for number, name in enumerate(nodes):
        # The rod moves across at the crank pin, and turns about the slider.
        across = speed * (1 - number / beam.elements)
        mbs.SetNodeParameter(name, "initialVelocities", [0, across, 0, -speed / beam.length])
    pin, end = (mbs.AddMarker(item.MarkerNodePosition(nodeNumber=n)) for n in (nodes[0], nodes[-1]))
    place = exudyn.OutputVariableType.Position
    sensors = [
        item.SensorNode(nodeNumber=nodes[k], outputVariableType=place, storeInternal=True)
        for k in (0, beam.elements // 2, beam.elements)
    ]
    return Rod(pin, end, sensors)


class _Meshed:
    """What Exudyn asks of a mesh with modes: here the points of mass of a beam."""

    postProcessingModes: dict[str, Any] = {}

    def __init__(self, beam: Beam, count: int) -> None:
        places, masses, motion = beam.masses()
        modes = np.zeros((3 * len(places), count))
        modes.reshape(-1, 3, count)[:, :2] = motion @ beam.modes(count)
        self.modeBasis = {"matrix": modes}
        self._places, self._mass = places, np.diag(np.repeat(masses, 3))
        self._count, self._beam = count, beam

    def GetNodePositionsAsArray(self) -> Any:
        return np.stack([self._places, 0 * self._places, 0 * self._places], axis=1)

    def GetMassMatrix(self, sparse: bool) -> Any:
        return self._mass

    def GetStiffnessMatrix(self, sparse: bool) -> Any:
        return np.zeros_like(self._mass)  # set on the modes, since points bend nothing

    def GetSurfaceTriangles6(self) -> list[Any]:
        return []

    GetSurfaceTriangles = GetSurfaceTriangles6


def floating(mbs: Any, beam: Beam, start: float, speed: float, count: int) -> Rod:
    """Add a body in a floating frame with some modes; see ``cable``."""
    import exudyn.FEM as FEM

    body = FEM.ObjectFFRFreducedOrderInterface(
        _Meshed(beam, count), rigidBodyNodeType="NodeType.RotationRxyz"
    )
    modes = beam.modes(count)
    stiffness = modes.T @ beam.stiffness() @ modes
    stiffness[abs(stiffness) < 1e-12 * abs(stiffness).max()] = 0.0
    body.stiffnessMatrixReduced = stiffness
    made = body.AddObjectFFRFreducedOrder(
        mbs, positionRef=[start, 0, 0], initialVelocity=[0, speed, 0],
        initialAngularVelocity=[0, 0, -speed / beam.length],
    )  # fmt: skip
    _hold(mbs, made["nRigidBody"], (2, 3, 4))
    return _ends(mbs, beam, made["oFFRFreducedOrder"])


def nodal(mbs: Any, beam: Beam, start: float, speed: float) -> Rod:
    """Add a body in a floating frame with the displacements of its nodes; see ``cable``."""
    import exudyn
    import exudyn.itemInterface as item
    from exudyn.rigidBodyUtilities import AngularVelocity2EulerParameters_t

    count = beam.elements + 1
    places = np.zeros((count, 3))
    places[:, 0] = np.linspace(0.0, beam.length, count)
    turn = [1.0, 0.0, 0.0, 0.0]
    turning = AngularVelocity2EulerParameters_t([0, 0, -speed / beam.length], turn)
    frame = mbs.AddNode(
        item.NodeRigidBodyEP(
            referenceCoordinates=[start, 0, 0, *turn], initialVelocities=[0, speed, 0, *turning]
        )
    )
    nodes = [mbs.AddNode(item.NodePoint(referenceCoordinates=list(at))) for at in places]
    matrices = []
    planar = np.setdiff1d(np.arange(3 * count), np.arange(2, 3 * count, 3))
    upward = np.arange(2, 3 * count, 3)
    for matrix in beam.without_turns():
        whole = np.zeros((3 * count, 3 * count))
        whole[np.ix_(planar, planar)] = matrix
        whole[np.ix_(upward, upward)] = matrix[1::2, 1::2]  # bends across as it does in the plane
        whole[abs(whole) < 1e-12 * abs(whole).max()] = 0.0
        matrices.append(exudyn.MatrixContainer())
        matrices[-1].SetWithDenseMatrix(whole, useDenseMatrix=False)
    body = mbs.AddObject(
        item.ObjectFFRF(
            nodeNumbers=[frame, *nodes], stiffnessMatrixFF=matrices[0], massMatrixFF=matrices[1]
        )
    )
    _hold(mbs, frame, (2, 4, 5))
    _hold(mbs, nodes[0], (0, 1, 2))
    _hold(mbs, nodes[-1], (1, 2))
    return _ends(mbs, beam, body)


def _hold(mbs: Any, node: int, coordinates: tuple[int, ...]) -> None:
    """Hold coordinates of a node where they are."""
    import exudyn.itemInterface as item

    ground = mbs.AddNode(item.NodePointGround())
    still = mbs.AddMarker(item.MarkerNodeCoordinate(nodeNumber=ground, coordinate=0))
    for number in coordinates:
        one = mbs.AddMarker(item.MarkerNodeCoordinate(nodeNumber=node, coordinate=number))
        mbs.AddObject(item.CoordinateConstraint(markerNumbers=[still, one]))


def _ends(mbs: Any, beam: Beam, body: int) -> Rod:
    """Return the rod that a body is, whose first nodes are those of the beam."""
    import exudyn
    import exudyn.itemInterface as item

    numbers = (0, beam.elements // 2, beam.elements)
    pin, _, end = (
        mbs.AddMarker(
            item.MarkerSuperElementPosition(
                bodyNumber=body, meshNodeNumbers=[number], weightingFactors=[1.0]
            )
        )
        for number in numbers
    )
    place = exudyn.OutputVariableType.Position
    sensors = [
        item.SensorSuperElement(
            bodyNumber=body, meshNodeNumber=number, outputVariableType=place, storeInternal=True
        )
        for number in numbers
    ]
    return Rod(pin, end, sensors)
