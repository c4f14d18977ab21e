# SPDX-License-Identifier: BSD-3-Clause
"""Forces of masses beside the axis of bodies that turn.

A mass m at the distance e from the axis, at the angle theta + phase, exerts ``-m e d^2/dt^2 (x cos
+ y sin)(theta + phase)``: at a constant speed w the force ``m e w^2`` that turns with the body, and
is constant in a frame that turns with it. Unlike a mass with a centre beside its node it does not
change the mass of the body.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime._functions import Function
from flexforge.runtime.arrays import Complex, Floats
from flexforge.runtime.model.schema_balance import BalanceSpec
from flexforge.runtime.model.schema_loads import UnbalanceLoad
from flexforge.runtime.motion.profiles import Profile
from flexforge.runtime.motion.rotation import across
from flexforge.runtime.motion.spin import MachineSpin
from flexforge.runtime.system.body import Body
from flexforge.runtime.system.name_table import NameTable
from flexforge.runtime.system.nodal_loads import NodalForce
from flexforge.runtime.system.unbalance_amount import standard_amount
from flexforge.runtime.unit_systems import UnitSystem


@dataclass(frozen=True, slots=True)
class Unbalance:
    """An unbalance at a node.

    Attributes
    ----------
    body : int
        Number of the body that turns.
    node : int
        Number of the node in the body.
    amount : float
        Mass times distance, kg m.
    phase : float
        Angle of the mass at angle 0 of the spin, rad.
    directions : ndarray, (2, 3)
        The directions x and y across the axis.
    key : str
        Its key in the model file.
    """

    body: int
    node: int
    amount: float
    phase: float
    directions: Floats
    key: str

    @classmethod
    def of(cls, load: UnbalanceLoad, places: NameTable, units: UnitSystem, key: str) -> Unbalance:
        """Return the unbalance of a load of the model file, which is in units.

        Raises
        ------
        InputError
            For groups that are missing or have several nodes, nodes of bodies that do not turn
            about an axis, and standards that lack a mass.
        """
        pairs = places.nodes(load.group, load.body, f"{key}.group")
        turning = ((b, n) for b, n in pairs if not b.is_connector and b.motion.rotates)
        body, nodes = next(turning, pairs[0])
        if body.motion.link is not None or not body.motion.rotates:
            raise InputError(
                f"{key}.group: found a node of body '{body.name}', which does not turn; expected "
                "one of a body with spin or a frame that turns about an axis"
            )
        if len(nodes) != 1:
            raise InputError(f"{key}.group: '{load.group}' has {len(nodes)} nodes; expected one")
        axis = body.motion.rotation.axis
        if axis is None:
            raise InputError(
                f"{key}.group: found a node of body '{body.name}', whose frame turns about no "
                "fixed axis; expected one that does"
            )
        x = np.array(load.orientation or across(tuple(axis.tolist())), dtype=float)
        x -= (x @ axis) * axis
        if np.linalg.norm(x) <= 1e-9 * np.linalg.norm(load.orientation or (1.0,)):
            raise InputError(
                f"{key}.orientation: found the direction of the axis; expected another"
            )
        x /= np.linalg.norm(x)
        number = next(n for n, one in enumerate(places.system.bodies) if one is body)
        directions = np.array([x, np.cross(axis, x)])
        amount = load.unbalance
        if isinstance(amount, BalanceSpec):
            amount = standard_amount(amount, body, places.system, units, f"{key}.unbalance")
        return cls(number, int(nodes[0]), amount, load.phase, directions, key)

    def order(self, body: Body) -> int:
        """Return the order of the force in the frame of its body: 0 if that turns, else 1."""
        return int(body.spins)

    def rotating(self, body: Body, speed: float) -> Complex:
        """Return the complex amplitude of the force at a speed, (3,), N.

        The force is the real part of this times ``exp(i order w t)``.

        Parameters
        ----------
        body : Body
            The body at that speed.
        speed : float
            Angular velocity w of the body, rad/s.
        """
        x, y = self.directions
        if not body.spins:
            force = np.cos(self.phase) * x + np.sin(self.phase) * y
            return np.asarray(self.amount * speed**2 * force, dtype=complex)
        backward = np.cross(x, y) @ body.motion.at(0.0).w < 0.0  # about the axis of the model
        around = x + 1j * y if backward else x - 1j * y
        phase = -self.phase if backward else self.phase
        return np.asarray(self.amount * speed**2 * np.exp(1j * phase) * around)

    def place(self, angle: float) -> tuple[Floats, Floats]:
        """Return amount times the place of the mass at an angle of its spin, and its derivative.

        Parameters
        ----------
        angle : float
            rad.

        Returns
        -------
        tuple of ndarray, (3,)
            kg m.
        """
        x, y = self.directions
        turned = angle + self.phase
        cosine, sine = self.amount * np.cos(turned), self.amount * np.sin(turned)
        return cosine * x + sine * y, cosine * y - sine * x

    def forces(self, body: Body, span: float) -> list[NodalForce]:
        """Return the forces along both directions as functions of time; none with a machine.

        Parameters
        ----------
        body : Body
            The body that turns.
        span : float
            Time that they cover, s.

        Raises
        ------
        InputError
            When the angle of the spin is known by quadrature alone.
        """
        motion = body.motion
        if isinstance(motion, MachineSpin):
            return []  # the angle is an unknown: steps have the force
        angle = None if motion.link is not None else motion.rotation.angle
        if angle is None or angle.motion is None:
            raise InputError(
                f"{self.key}: found body '{body.name}', whose angle is an integral of a formula; "
                "expected a spin by its angle, or by a number, ramp, polynomial or table"
            )
        turned, profile = angle.motion, angle.profile
        at, found = len(turned.constants), []
        x, y = self.directions
        last: list[tuple[tuple[str, int, int], ...]]
        if body.spins:
            moved = ("number", at, 1), ("add", 0, 0)
            twice = ("rate", 0, 0), ("rate", 0, 0)
            last = [(*moved, (one, 0, 0), *twice) for one in ("cos", "sin")]
            constants, directions = (*turned.constants, self.phase, -self.amount), (x, y)
        else:  # along the mass w^2, across it the angular acceleration, with which it lags behind
            rates = (("rate", 0, 0), *turned.code, ("rate", 0, 0), ("multiply", 0, 0))
            last = [rates, (("rate", 0, 0), ("rate", 0, 0), ("negate", 0, 0))]
            constants = (*turned.constants, self.phase, self.amount)
            cosine, sine = np.cos(self.phase), np.sin(self.phase)
            directions = cosine * x + sine * y, cosine * y - sine * x
        for direction, further in zip(directions, last, strict=True):
            program = (*turned.code, *further, ("number", at + 1, 1), ("multiply", 0, 0))
            amplitude = Profile(Function(program, constants), profile.breaks, span)
            amplitude.inputs, amplitude.start = profile.inputs, profile.start
            found.append(
                NodalForce(
                    self.body, np.array([self.node]), direction[None], False, amplitude, self.key
                )
            )
        return found
