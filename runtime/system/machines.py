# SPDX-License-Identifier: BSD-3-Clause
"""Machines: bodies that spin together, as fast as a torque makes them.

A body b of a machine with the angle phi turns by ``r phi``, r its ratio. Its displacements d are
along axes that stand still, so that phi is a coordinate beside them, and Lagrange's equations of
both follow from one kinetic energy (physics.md section 10)

    T = 1/2 d'.m d' + r phi' (l + a d + u').d' + 1/2 (r phi')^2 (j - d.z d)

with ``a = c - m n~`` of `StandingInertia`, z its centrifugal matrix and the stiffness by the stress
of the rotation, the load l of a unit angular acceleration, its
moment j about the axis, and unbalances u, a vector of amount times place that turns with the body.
Damping of the body acts on ``d' - r phi' n~ d``, and so on phi' as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.formula.expressions import Expression, parse_expression
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.model.schema_machine import VARIABLES, MachineSpec
from flexforge.runtime.motion.frame import FrameState
from flexforge.runtime.motion.spin import MachineSpin, Turn
from flexforge.runtime.system.bearing import BearingBody
from flexforge.runtime.system.body import Body, Combination
from flexforge.runtime.system.inertia import skew
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.system import System
from flexforge.runtime.system.unbalance import Unbalance

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

_NOTHING = np.zeros(0)
_NO_BLOCK = np.zeros((3, 3))
#: Forces of connectors on rotors that turn as a whole, relative to their stiffness; radii of gears
#: are given to as many digits.
_FREE = 1e-6


@dataclass(frozen=True, eq=False)
class Turning:
    """A body that turns with a machine.

    Attributes
    ----------
    number : int
        Number of the body in the system.
    body : Body
        The body.
    machine : int
        Number of its machine.
    ratio : float
        Its angle over that of the machine.
    """

    number: int
    body: Body
    machine: int
    ratio: float

    @cached_property
    def turn(self) -> Floats:
        """Matrix ``n~`` of its axis, (3, 3)."""
        axis = self.body.motion.rotation.axis
        assert axis is not None
        return skew(axis)

    @cached_property
    def rotated(self) -> Floats:
        """Displacements when it turns by 1 rad, (V, 3): rotations of its nodes on the axis."""
        found = np.zeros_like(self.body.points)
        turning = np.isin(self.body.nodes, self.body.rotations)
        found[turning] = [self.turn[2, 1], self.turn[0, 2], self.turn[1, 0]]
        return found

    @cached_property
    def load(self) -> Floats:
        """Inertia of a unit angular acceleration on its nodes, l, (V, 3), kg m and kg m^2."""
        motion = self.body.motion
        assert isinstance(motion, MachineSpin)
        return self.body.inertia_load(self.turn) - self.body.translation_load(
            self.turn @ motion.arm
        )

    @property
    def gyroscopic(self) -> Combination:
        """Its matrix a."""
        return Combination(0.0, self.turn, _NOTHING)

    @property
    def centre(self) -> Combination:
        """Its matrix z, with the stress of the rotation, which cancels that of what is rigid."""
        block = self.turn @ self.turn
        stress = block.ravel() @ self.body.unpatterned if len(self.body.patterns) else _NOTHING
        return Combination(0.0, block, stress)

    @property
    def damping(self) -> Combination:
        """The matrix D of its damping."""
        return Combination(self.body.beta, self.body.alpha * np.eye(3), _NOTHING, 1.0)


@dataclass(frozen=True, eq=False)
class Machine:
    """A torque, and what it turns: sums over its bodies, with their ratios r, of all nodes.

    Attributes
    ----------
    name : str
        Name in the model file.
    law : Expression
        The torque, N m, of time, angle and speed.
    angle, speed : float
        At t = 0, rad and rad/s.
    inertia : float
        Moment of inertia of bodies as they are and of what is no body, kg m^2.
    rotated, load : ndarray, (N, 3)
        Displacements when it turns by 1 rad, and the sum of ``r l``.
    gyroscopic, centre, circulation : csr_matrix, (3 N, 3 N)
        Sums of ``r a``, ``r^2 z`` and ``-r D n~``.
    slipping, damping : csr_matrix, (3 N, 3 N)
        Sums of ``r^2 n~^T D n~`` and D.
    unbalances : tuple
        Masses beside axes: node, ratio, number of the body, unbalance.
    """

    name: str
    law: Expression
    angle: float
    speed: float
    inertia: float
    rotated: Floats
    load: Floats
    gyroscopic: csr_matrix
    centre: csr_matrix
    circulation: csr_matrix
    slipping: csr_matrix
    damping: csr_matrix
    unbalances: tuple[tuple[int, float, int, Unbalance], ...]

    @classmethod
    def of(
        cls, spec: MachineSpec, turning: Sequence[Turning], system: System, loads: Loads
    ) -> Machine:
        """Return the machine of a table, with the bodies that turn with it."""
        from scipy.sparse import csr_matrix, kron

        size = 3 * system.size
        rotated, load = np.zeros((2, system.size, 3))
        sums = [csr_matrix((size, size)) for _ in range(5)]
        unbalances, inertia = [], spec.inertia
        for one in turning:
            r, nodes, body = one.ratio, one.body.nodes, one.body
            rotated[nodes] = r * one.rotated
            load[nodes] += r * one.load
            inertia += r * r * float((one.rotated * one.load).sum())
            damping = body.matrix(one.damping)
            turn = kron(np.eye(len(nodes)), one.turn).tocsr()
            parts = (
                r * body.matrix(one.gyroscopic), r * r * body.matrix(one.centre),
                -r * (damping @ turn), r * r * (turn.T @ damping @ turn), damping,
            )  # fmt: skip
            sums = [
                total + _spread(nodes, part, size) for total, part in zip(sums, parts, strict=True)
            ]
            unbalances += [
                (int(nodes[beside.node]), r, one.number, beside)
                for beside in loads.unbalances
                if beside.body == one.number
            ]
        gyroscopic, centre, circulation, slipping, damped = sums
        return cls(
            name=spec.name,
            law=parse_expression(str(spec.torque), VARIABLES),
            angle=spec.angle0,
            speed=spec.velocity0,
            inertia=inertia,
            rotated=rotated,
            load=load,
            gyroscopic=gyroscopic,
            centre=centre,
            circulation=circulation,
            slipping=slipping,
            damping=damped,
            unbalances=tuple(unbalances),
        )

    def torque(self, time: float, angle: float, speed: float) -> float:
        """Return the torque, N m."""
        return float(self.law(t=time, angle=angle, speed=speed))

    def slopes(self, time: float, angle: float, speed: float) -> tuple[float, float]:
        """Return the derivatives of the torque by angle and speed, N m and N m s."""
        at = {"t": (time, 0.0), "angle": (angle, 0.0), "speed": (speed, 0.0)}
        by_angle = self.law.along(at | {"angle": (angle, 1.0)})
        return by_angle, self.law.along(at | {"speed": (speed, 1.0)})

    def beside(self, angle: float, powers: Sequence[int]) -> tuple[list[Floats], list[Floats]]:
        """Return sums of ``r^k u`` and of ``r^k`` times the derivative of u by its angle.

        Parameters
        ----------
        angle : float
            Of the machine, rad.
        powers : sequence of int
            k.

        Returns
        -------
        tuple of list of ndarray, (N, 3)
            kg m.
        """
        found = np.zeros((2, len(powers), *self.load.shape))
        for node, ratio, _, one in self.unbalances:
            places = one.place(ratio * angle)
            for number, power in enumerate(powers):
                found[:, number, node] += ratio**power * np.array(places)
        return [*found[0]], [*found[1]]


def _spread(nodes: Ints, matrix: csr_matrix, size: int) -> csr_matrix:
    """Return a matrix of the vectors of a body for all nodes, (size, size)."""
    from scipy.sparse import csr_matrix

    entries = matrix.tocoo()
    place = (3 * nodes[:, None] + np.arange(3)).ravel()
    rows, columns = place[entries.row], place[entries.col]
    return csr_matrix((entries.data, (rows, columns)), shape=(size, size))


@dataclass(frozen=True, eq=False)
class Machines:
    """The machines of a system.

    Attributes
    ----------
    each : tuple of Machine
        Their torques.
    turning : tuple of Turning
        The bodies that turn with them.
    bearings : tuple of int
        Numbers of the bearings whose coefficients depend on a speed of theirs.
    """

    each: tuple[Machine, ...]
    turning: tuple[Turning, ...]
    bearings: tuple[int, ...]

    @classmethod
    def of(cls, model: ModelSpec, system: System, loads: Loads) -> Machines | None:
        """Return the machines of a model; None where no body turns with one.

        Raises
        ------
        InputError
            For rotors that nothing holds relative to their machine, that connectors hold in space,
            and for machines without inertia.
        """
        if not any(isinstance(body.motion, MachineSpin) for body in system.bodies):
            return None
        turning, bearings = [], []
        for number, body in enumerate(system.bodies):
            motion = body.motion
            if not isinstance(motion, MachineSpin):
                continue
            if isinstance(body, BearingBody):
                bearings += [number] if body.varies else []
                continue
            turning.append(Turning(number, body, motion.machine, motion.ratio))
        each = [
            Machine.of(spec, [one for one in turning if one.machine == k], system, loads)
            for k, spec in enumerate(model.machines)
        ]
        found = cls(tuple(each), tuple(turning), tuple(bearings))
        for number in range(len(each)):
            found._check(number, system)
        return found

    @property
    def start(self) -> Turn:
        """Their angles and speeds at t = 0."""
        angle = np.array([one.angle for one in self.each])
        speed = np.array([one.speed for one in self.each])
        return Turn(angle, speed, np.zeros(len(self.each)))

    def frames(self, system: System, time: float, turn: Turn) -> list[FrameState]:
        """Return the motion of the frame of every body at a time, s, where machines turned so."""
        return [
            body.motion.turned(turn)
            if isinstance(body.motion, MachineSpin)
            else body.motion.at(time)
            for body in system.bodies
        ]

    def _with(self, number: int) -> Sequence[Turning]:
        """Return the bodies of a machine."""
        return [one for one in self.turning if one.machine == number]

    def _check(self, number: int, system: System) -> None:
        """Refuse a machine whose angle is not one coordinate more, or has no inertia."""
        machine = self.each[number]
        name, rotated = machine.name, machine.rotated
        where = f"machine '{name}': "
        if not machine.inertia > 0.0:
            raise InputError(f"{where}found no inertia; expected inertia, or bodies that have some")
        for one in self._with(number):
            if (rotated[one.body.nodes] != one.ratio * one.rotated).any():
                raise InputError(
                    f"{where}found body '{one.body.name}' with the ratio {one.ratio:g}, and "
                    "another one at a node of it; expected one"
                )
        if rotated.any() and _is_free(rotated, system):
            raise InputError(
                f"{where}found no support that holds a rotation of its bodies about their axis; "
                "expected one where the torque acts: rotations are relative to that node"
            )
        self._check_connectors(number, where, rotated, system)

    def _check_connectors(self, which: int, where: str, rotated: Floats, system: System) -> None:
        """Refuse connectors that hold rotors in space, or shafts at another ratio than theirs."""
        own = {one.number for one in self._with(which)}
        for number, body in enumerate(system.bodies):
            if number in own or isinstance(body, BearingBody) or not rotated[body.nodes].any():
                continue
            kind = "connector" if body.is_connector else "body"
            moved = rotated[body.nodes]
            for factors in ((1.0, 0.0), (0.0, 1.0)):
                law = Combination(factors[0], _NO_BLOCK, _NOTHING, factors[1])
                force, size = np.abs(body.apply(law, moved)), np.abs(moved).max()
                stiff = np.abs(body.matrix(law)).max() if force.any() else 0.0
                if force.max(initial=0.0) > _FREE * stiff * size:
                    raise InputError(
                        f"{where}found {kind} '{body.name}', which resists its rotation; "
                        "expected none to the frame about its axis (but a torque that depends on "
                        "angle or speed), and between its bodies forces that vanish when all turn "
                        "at their ratios"
                    )


def _is_free(rotated: Floats, system: System) -> bool:
    """Whether no support holds any of given displacements of all nodes, (N, d)."""
    left = system.expand(system.map.sample(rotated)) - rotated
    return bool(np.abs(left).max() <= _FREE * np.abs(rotated).max())
