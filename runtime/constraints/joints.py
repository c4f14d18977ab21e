# SPDX-License-Identifier: BSD-3-Clause
"""What the joints of a mechanism demand of the displacements of the bodies on its links.

The links satisfy the joints by their own motion, so small displacements have to satisfy the
linearized joint: its Jacobian times displacement and turn of both markers is zero. What a driver
prescribes and a gear ties has no displacement of its own either. The free directions stay free.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.constraints.markers import Attachment, attach
from flexforge.runtime.constraints.rows import Pattern, Rows
from flexforge.runtime.mechanism.joints import pack
from flexforge.runtime.mechanism.mechanism import Mechanism
from flexforge.runtime.mesh import Mesh
from flexforge.runtime.model import FrameState, ModelSpec
from flexforge.runtime.system import System
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_ZERO = 1e-12


@dataclass(frozen=True, slots=True)
class TiedRow:
    """A combination of rows of joints that is kept: (joint, row, factor) each, and its name."""

    name: str
    parts: tuple[tuple[int, int, float], ...]
    is_joint: bool = False


@dataclass(frozen=True, slots=True)
class _Share:
    """What one end of a joint gives to the entries of a row: its side of the joint's row, turned.

    ``matrix`` takes displacement and turn of the marker from the unknowns, (6, c).
    """

    joint: int
    row: int
    side: slice
    matrix: Floats
    entries: Ints


@dataclass(frozen=True, slots=True)
class Reaction:
    """What one link does to another through a joint.

    Attributes
    ----------
    force, moment : ndarray, (3,)
        On the second link at the joint, global components, N and N m.
    axes : ndarray, (3, 3)
        Axes of the joint, a row each, global components.
    """

    force: Floats
    moment: Floats
    axes: Floats


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
        self._unknown = np.full(system.size * system.dimension, -1)
        self._unknown[system.free] = np.arange(system.unknowns)
        self._ends = [
            tuple(
                self._kept(attach(system, mesh, link, place, marker.point, f"joints[{k}].at[{i}]"))
                for i, (link, place, marker) in enumerate(
                    zip(joint.links, spec.at, joint.markers, strict=True)
                )
            )
            for k, (joint, spec) in enumerate(zip(mechanism.joints, model.joints, strict=True))
        ]
        self.tied = self._held_rows()
        self._check_turns(self._jacobians(self._links(0.0)))
        self._columns = [self._columns_of(row) for row in self.tied]
        self._lay_out()
        # Where supports hold what a joint holds nothing is left of its row.
        left = np.zeros(len(self.tied))
        np.maximum.at(left, self.pattern.rows, np.abs(self.at(0.0, ()).data).max(axis=0))
        kept = np.flatnonzero(left > _ZERO)
        #: Names of what supports hold as well: the forces are theirs.
        self.held_by_supports = {self.tied[k].name for k in np.flatnonzero(left <= _ZERO)}
        self.tied = [self.tied[k] for k in kept]
        self._columns = [self._columns[k] for k in kept]
        self._lay_out()

    def at(self, time: float, frames: Sequence[FrameState]) -> Rows:
        """Return the constraints at a time, s; the frames of bodies are those of their links."""
        del frames
        return Rows(self.pattern, self.over(self._links(time))[0])

    def over(self, links: Floats) -> Floats:
        """Return entries of J, J' and J'' at many times, (T, 3, nnz).

        Parameters
        ----------
        links : ndarray, (T, L, 8, 3)
            States of the links, as kernels read them.
        """
        jacobians = self._jacobians(links)
        data = np.zeros((len(links), 3, len(self.pattern.rows)))
        for one in self._shares:
            turned = jacobians[one.joint][:, :, one.row, one.side] @ one.matrix
            data[:, :, one.entries] += turned
        return data

    def reactions(self, time: float, multipliers: Floats) -> dict[str, Reaction]:
        """Return what the first link of every joint does to the second, by the joint's name.

        Efforts of drivers and gears are not among it; they are multipliers of their own.

        Parameters
        ----------
        time : float
            Time, s.
        multipliers : ndarray, (m,)
            Of the rows.
        """
        links = self.mechanism.at(time)
        wrench = {k: np.zeros(6) for k in range(len(self.mechanism.joints))}
        jacobians = self._jacobians(self._links(time))
        for row, force in zip(self.tied, multipliers, strict=False):
            if row.is_joint:
                of_joint, number, _ = row.parts[0]
                wrench[of_joint] += force * jacobians[of_joint][0, 0, number, 6:]
        found = {}
        for k, joint in enumerate(self.mechanism.joints):
            one, two = joint.links
            turn = links[two].R if two >= 0 else np.eye(3)
            axes = joint.markers[0].axes @ (links[one].R.T if one >= 0 else np.eye(3))
            force, moment = turn @ wrench[k][:3], turn @ wrench[k][3:]
            found[joint.name] = Reaction(force, moment, axes)
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
        apart = rows.times(v) + rows.times(q, 1)
        jacobians = self._jacobians(self._links(time))
        total = size = 0.0
        for k, row in enumerate(self.tied):
            if not row.is_joint:
                continue
            joint, number, _ = row.parts[0]
            moving = np.concatenate([
                _velocity(links[link] if link >= 0 else None, marker.point)
                for link, marker in zip(
                    self.mechanism.joints[joint].links, self.mechanism.joints[joint].markers,
                    strict=True,
                )
            ])  # fmt: skip
            terms = multipliers[k] * jacobians[joint][0, 0, number] * moving
            total += float(terms.sum() + multipliers[k] * apart[k])
            size += float(np.abs(terms).sum())
        return total, size

    def _links(self, time: float) -> Floats:
        """Return the states of the links at a time, (1, L, 8, 3)."""
        return np.stack([pack(frame) for frame in self.mechanism.at(time)])[None]

    def _jacobians(self, links: Floats) -> list[Floats]:
        """Return J, J' and J'' of every joint at many times, (T, 3, rows, 12) each."""
        return [joint.jacobians(links) for joint in self.mechanism.joints]

    def _kept(self, attachment: Attachment) -> Attachment:
        """Leave out what supports hold, and number the rest among the unknowns."""
        numbers = self._unknown[attachment.columns]
        free = numbers >= 0
        return Attachment(numbers[free], attachment.matrix[:, free], attachment.turns)

    def _held_rows(self) -> list[TiedRow]:
        joints, parts = self.mechanism.joints, self.mechanism.parts
        held = [
            TiedRow(joint.name, ((k, row, 1.0),), is_joint=True)
            for k, joint in enumerate(joints)
            for row in range(joint.held)
        ]
        # Of every coordinate: its joint, and its row after those that are held.
        places = [(k, joint.held + i) for k, joint in enumerate(joints) for i in range(joint.free)]
        gears = [
            TiedRow(
                gear.name,
                tuple(
                    (*places[c], factor)
                    for c, factor in zip(gear.coordinates, (1.0, -gear.ratio), strict=True)
                ),
            )
            for gear in parts.gears
        ]
        drivers = [TiedRow(one.name, ((*places[one.coordinate], 1.0),)) for one in parts.drivers]
        return [*held, *gears, *drivers]

    def _lay_out(self) -> None:
        """Say where J has entries, and what the ends of joints give to them."""
        rows = np.repeat(np.arange(len(self.tied)), [len(one) for one in self._columns])
        columns = np.concatenate([*self._columns, np.zeros(0, dtype=np.int64)])
        names = tuple(row.name for row in self.tied)
        shape = len(self.tied), int(self._unknown.max(initial=-1)) + 1
        self.pattern = Pattern(rows, columns, shape, names)
        self._shares = self._shares_of()

    def _columns_of(self, row: TiedRow) -> Ints:
        ends = [end.columns for joint, _, _ in row.parts for end in self._ends[joint]]
        return np.unique(np.concatenate(ends))

    def _shares_of(self) -> list[_Share]:
        """Return what every end of every joint gives to the rows."""
        found, place = [], 0
        for row, columns in zip(self.tied, self._columns, strict=True):
            for joint, number, factor in row.parts:
                for i, end in enumerate(self._ends[joint]):
                    entries = place + np.searchsorted(columns, end.columns)
                    side = slice(6 * i, 6 * i + 6)
                    found.append(_Share(joint, number, side, factor * end.matrix, entries))
            place += len(columns)
        return [one for one in found if len(one.entries)]

    def _check_turns(self, jacobians: list[Floats]) -> None:
        """Refuse a turn that a joint holds at a node that has none."""
        for row in self.tied:
            for joint, number, _ in row.parts:
                for i, end in enumerate(self._ends[joint]):
                    turn = jacobians[joint][0, 0, number, 6 * i + 3 : 6 * i + 6]
                    if not end.turns and np.abs(turn).max() > _ZERO:
                        link = self.mechanism.parts.links[self.mechanism.joints[joint].links[i]]
                        raise InputError(
                            f"joints[{joint}].at[{i}]: '{row.name}' holds a turn of link '{link}', "
                            "whose node there has no rotation; expected a group of nodes that are "
                            "not on one line, or a node of a beam or shell"
                        )


def _velocity(frame: FrameState | None, point: Floats) -> Floats:
    """Return velocity of a point of a link and angular velocity, in its components, (6,)."""
    if frame is None:
        return np.zeros(6)
    return np.concatenate([frame.v_O + np.cross(frame.w, point), frame.w])
