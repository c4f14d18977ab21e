# SPDX-License-Identifier: BSD-3-Clause
"""Constraint equations of joints for the displacements of the bodies on links.

The links satisfy the joints by their own motion, so small displacements have to satisfy the
linearized joint: its Jacobian times displacement and turn of both markers is zero. What a driver
prescribes and a gear ties has no displacement of its own either. The free directions stay free.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.codegen.joints.table import JOINTS
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.constraints.actuators import Coupling, build_actuators
from flexforge.runtime.constraints.given_rows import GivenRows, along_functions
from flexforge.runtime.constraints.joint_rows import RowSet, TiedRow, rows_that_count
from flexforge.runtime.constraints.markers import Attachment, attach
from flexforge.runtime.constraints.rows import Rows
from flexforge.runtime.mechanism.build import Parts, joint_key
from flexforge.runtime.mechanism.joints import pack
from flexforge.runtime.mechanism.mechanism import Mechanism
from flexforge.runtime.mesh import Mesh
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.motion.frame import FrameState
from flexforge.runtime.system.system import System

_ZERO = 1e-12


@dataclass(frozen=True, slots=True)
class Reaction:
    """What one link does to another through a joint.

    Attributes
    ----------
    force, moment : ndarray, (3,)
        On the second link at the joint, global components, N and N m.
    axes : ndarray, (3, 3)
        Axes of the joint, a row each, global components.

    Over time all of them have the time first.
    """

    force: Floats
    moment: Floats
    axes: Floats

    def at(self, number: int) -> Reaction:
        """Return the reaction at one of several times."""
        return Reaction(self.force[number], self.moment[number], self.axes[number])


class JointConstraints:
    """The joints, gears and drivers of a mechanism as constraints of a system's unknowns.

    Parameters
    ----------
    model : ModelSpec
        The model.
    mesh : Mesh
        Where groups are.
    system : System
        The bodies, those on links with the motion of their link.
    mechanism : Mechanism
        That moves them.

    Raises
    ------
    InputError
        When a joint is at no node, or holds a turn that its nodes do not have.
    """

    def __init__(self, model: ModelSpec, mesh: Mesh, system: System, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        attached = [
            attach_joint(model, mesh, system, mechanism, k) for k in range(len(mechanism.joints))
        ]
        self._ends = [tuple(end.of_unknowns(system.map) for end in pair) for pair in attached]
        # Of every coordinate: its joint, and its row after those that are held.
        self._places = [
            (k, joint.held + i)
            for k, joint in enumerate(mechanism.joints)
            for i in range(joint.free)
        ]
        held, start = self._held_rows(), self._jacobians(self._links(0.0))
        self._check_turns(held, start)
        counting, idle = rows_that_count(held, self._ends, system.unknowns, start)
        self.held = RowSet(counting, self._ends, system.unknowns, self._rigid(self._ends))
        self.tied, self.pattern = self.held.tied, self.held.pattern
        #: Names of what supports hold as well: the forces are theirs.
        self.held_by_supports = {row.name for row in idle}
        self.given, prescribed = None, system.map.given
        if prescribed is not None:
            given = [tuple(along_functions(end, prescribed) for end in pair) for pair in attached]
            self._check_idle(idle, given, len(prescribed.functions), start)
            self.given = GivenRows(prescribed, counting, given, self._rigid(given))
        self.actuators = build_actuators(model, mechanism)
        self.acting: RowSet | None = None  # the rows that actuators act along
        self._acting_given: GivenRows | None = None
        if self.actuators is not None:
            acting = [
                TiedRow(name, ((*self._places[number], 1.0),))
                for name, number in zip(
                    self.actuators.names, self.actuators.coordinates, strict=True
                )
            ]
            self._check_turns(acting, start)
            self.acting = RowSet(acting, self._ends, system.unknowns)
            if prescribed is not None:
                self._acting_given = GivenRows(prescribed, acting, given)

    @property
    def markers(self) -> list[tuple[str, Attachment]]:
        """How the markers of all joints move with the unknowns, and what they are."""
        links = (*self.mechanism.parts.links, "ground")
        return [
            (f"joint '{joint.name}' on '{links[link]}'", end)
            for joint, pair in zip(self.mechanism.joints, self._ends, strict=True)
            for link, end in zip(joint.links, pair, strict=True)
            if len(end.columns)
        ]

    def reduced(self, basis: Floats) -> JointConstraints:
        """Return the constraints of the coordinates of shapes.

        Parameters
        ----------
        basis : ndarray, (n, r)
            Shapes that the unknowns move in; rigid connections move as such in all of them.
        """
        found = copy(self)
        found._ends = [tuple(end.on(basis) for end in pair) for pair in self._ends]
        found.held = RowSet(self.tied, found._ends, basis.shape[1])
        found.pattern = found.held.pattern
        return found

    def at(self, time: float) -> Rows:
        """Return the constraints at a time, s."""
        jacobians = self._jacobians(self._links(time))
        given = None if self.given is None else self.given.at(time, jacobians)
        return Rows(self.pattern, self.held.over(jacobians)[0], given)

    def over(self, links: Floats) -> Floats:
        """Return entries of J, J' and J'' at many times, (T, 3, nnz).

        Parameters
        ----------
        links : ndarray, (T, L, 8, 3)
            States of the links, as kernels read them.
        """
        return self.held.over(self._jacobians(links))

    def coupling(self, time: float) -> Coupling | None:
        """Return the actuator terms of the equations at a time, s, or None."""
        if self.actuators is None or self.acting is None:
            return None
        jacobians = self._jacobians(self._links(time))
        given = None if self._acting_given is None else self._acting_given.at(time, jacobians)
        rows = Rows(self.acting.pattern, self.acting.over(jacobians)[0], given)
        return self.actuators.at(time, rows)

    def reactions(self, times: Floats, multipliers: Floats) -> dict[str, Reaction]:
        """Return the action of the first link of every joint on the second, by joint name.

        Efforts of drivers and gears are not among it; they are multipliers of their own.

        Parameters
        ----------
        times : ndarray, (T,)
            Ascending times, s.
        multipliers : ndarray, (T, m)
            Of the rows.
        """
        links = self._links_over(times)
        found = {}
        for k, joint in enumerate(self.mechanism.joints):
            rows = [
                (number, row.parts[0][1])
                for number, row in enumerate(self.tied)
                if row.is_joint and row.parts[0][0] == k
            ]
            which, held = (list(one) for one in zip(*rows, strict=True)) if rows else ([], [])
            jacobians = joint.jacobians(links)[:, 0, held, 6:]
            wrench = np.einsum("tr,tri->ti", multipliers[:, which], jacobians)
            one, two = (
                links[:, link, 1:4] if link >= 0 else np.eye(3)[None] for link in joint.links
            )
            axes = joint.markers[0].axes @ np.swapaxes(one, 1, 2)
            force, moment = (
                (two @ part[..., None])[..., 0] for part in np.split(wrench, 2, axis=1)
            )
            found[joint.name] = Reaction(force, moment, np.broadcast_to(axes, (len(times), 3, 3)))
        return found

    def power(
        self, time: float, rows: Rows, q: Floats, v: Floats, multipliers: Floats
    ) -> tuple[float, float]:
        """Return the power of the joints' forces on all links together, W, and what it is made of.

        Parameters
        ----------
        time : float
            Time, s.
        rows : Rows
            The constraints.
        q, v : ndarray, (n,)
            Coordinates and velocities.
        multipliers : ndarray, (m,)
            Of the rows.

        Returns
        -------
        total : float
            The sum over both links of every joint: zero, but for round-off.
        size : float
            The sum of the magnitudes of its terms.
        """
        links = self.mechanism.at(time)
        apart = rows.times(v) + rows.velocity_asked(q)
        jacobians = self._jacobians(self._links(time))
        moving = [
            np.concatenate(
                [
                    _velocity(links[link] if link >= 0 else None, marker.point)
                    for link, marker in zip(joint.links, joint.markers, strict=True)
                ]
            )
            for joint in self.mechanism.joints
        ]
        total = size = 0.0
        for k, row in enumerate(self.tied):
            if not row.is_joint:
                continue
            joint, number, _ = row.parts[0]
            terms = multipliers[k] * jacobians[joint][0, 0, number] * moving[joint]
            total += float(terms.sum() + multipliers[k] * apart[k])
            size += float(np.abs(terms).sum())
        return total, size

    def _links(self, time: float) -> Floats:
        """Return the states of the links at a time, (1, L, 8, 3)."""
        return np.stack([pack(frame) for frame in self.mechanism.at(time)])[None]

    def _links_over(self, times: Floats) -> Floats:
        """Return the states of the links at ascending times, (T, L, 8, 3)."""
        return self.mechanism.solve(times).frames

    def _jacobians(self, links: Floats) -> list[Floats]:
        """Return J, J' and J'' of every joint at many times, (T, 3, rows, 12) each."""
        return [joint.jacobians(links) for joint in self.mechanism.joints]

    def _rigid(self, ends: Sequence[tuple[Attachment, ...]]) -> list[tuple[str, Ints, Floats]]:
        """Return the rows of rigid connections in coordinates that move the ends of joints."""
        return [
            (joint.name, end.columns, end.shape)
            for joint, pair, own in zip(self.mechanism.joints, ends, self._ends, strict=True)
            for end, free in zip(pair, own, strict=True)
            if free.shape.size
        ]

    def _check_idle(
        self,
        idle: Sequence[TiedRow],
        given: Sequence[tuple[Attachment, ...]],
        functions: int,
        start: list[Floats],
    ) -> None:
        """Refuse displacements given where a joint leaves none."""
        if open_rows := rows_that_count(idle, given, functions, start)[0]:
            raise InputError(
                f"supports.displacement: it would open '{open_rows[0].name}', whose coordinates "
                "supports hold; expected displacements that every joint allows"
            )

    def _held_rows(self) -> list[TiedRow]:
        joints, parts = self.mechanism.joints, self.mechanism.parts
        held = [
            TiedRow(joint.name, ((k, row, 1.0),), is_joint=True)
            for k, joint in enumerate(joints)
            for row in range(joint.held)
        ]
        gears = [
            TiedRow(
                gear.name,
                tuple(
                    (*self._places[c], factor)
                    for c, factor in zip(gear.coordinates, (1.0, -gear.ratio), strict=True)
                ),
            )
            for gear in parts.gears
        ]
        drivers = [
            TiedRow(one.name, ((*self._places[one.coordinate], 1.0),)) for one in parts.drivers
        ]
        return [*held, *gears, *drivers]

    def _check_turns(self, rows: Sequence[TiedRow], jacobians: list[Floats]) -> None:
        """Refuse a turn that a joint holds at a node that has none."""
        for row in rows:
            for joint, number, _ in row.parts:
                own = jacobians[joint][0, 0, number]
                require_turns(self.mechanism.parts, joint, own, self._ends[joint], row.name)


def require_turns(
    parts: Parts, joint: int, row: Floats, ends: Sequence[Attachment], name: str
) -> None:
    """Refuse a turn that a joint holds, or that acts along it, at a node that has none.

    Parameters
    ----------
    parts : Parts
        Links and joints.
    joint : int
        Number of the joint.
    row : ndarray, (12,)
        Its row by displacement and turn of both markers.
    ends : sequence of Attachment
        Its markers.
    name : str
        What holds or acts, for the message.

    Raises
    ------
    InputError
        Naming the joint and the link.
    """
    for i, end in enumerate(ends):
        if not end.turns and np.abs(row[6 * i + 3 : 6 * i + 6]).max() > _ZERO:
            own = parts.joints[joint]
            told = (
                f"force '{name}', at[{i}]: needs the"
                if JOINTS[own.kind].of_forces
                else f"joints[{joint}].at[{i}]: '{name}' constrains a"
            )
            raise InputError(
                f"{told} rotation of link '{parts.links[own.links[i]]}', whose node there has no "
                "rotation; expected a group of nodes that are not collinear, or a node of a beam "
                "or shell"
            )


def attach_joint(
    model: ModelSpec, mesh: Mesh, system: System, mechanism: Mechanism, number: int
) -> tuple[Attachment, ...]:
    """Return how both markers of a joint move with the coordinates of all nodes.

    Parameters
    ----------
    model, mesh, system, mechanism
        As of :class:`JointConstraints`.
    number : int
        Of the joint.

    Raises
    ------
    InputError
        When the joint is at no node.
    """
    joint, spec = mechanism.joints[number], model.joints[number]
    return tuple(
        attach(
            system,
            mesh,
            link,
            place,
            marker.point,
            f"{joint_key(model, number)}.at[{i}]",
            rigid=spec.connection == "rigid",
        )
        for i, (link, place, marker) in enumerate(
            zip(joint.links, spec.at, joint.markers, strict=True)
        )
    )


def _velocity(frame: FrameState | None, point: Floats) -> Floats:
    """Return velocity of a point of a link and angular velocity, in its components, (6,)."""
    if frame is None:
        return np.zeros(6)
    return np.concatenate([frame.v_O + np.cross(frame.w, point), frame.w])
