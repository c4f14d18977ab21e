# SPDX-License-Identifier: BSD-3-Clause
"""From ``[[couplings]]`` to equations, which are linear where all bodies are."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.model.schema_couplings import CouplingSpec
from flexforge.runtime.system.curved.aligned import Plane, Straight
from flexforge.runtime.system.curved.family import Family, rotation_places
from flexforge.runtime.system.curved.follow import Follow, Turned
from flexforge.runtime.system.curved.mean_rotation import MeanRotation
from flexforge.runtime.system.curved.pattern import BestTurn, Mean
from flexforge.runtime.system.curved.rows import CurvedRows
from flexforge.runtime.system.follower_rows import knots_and_turns
from flexforge.runtime.system.name_table import NameTable
from flexforge.runtime.system.rows import Rows


def couplings(
    model: ModelSpec, places: NameTable, frames: Ints
) -> tuple[list[Rows], CurvedRows | None]:
    """Return the equations of the couplings and knots of a model: linear ones, and others.

    Those of nodes of bodies that have an energy are taken as they are; of other bodies,
    displacements are small, and equations linear in them.

    Parameters
    ----------
    model : ModelSpec
        With the couplings.
    places : NameTable
        Its names in the system.
    frames : ndarray of int64, (N,)
        Number of the frame that every node is in.

    Raises
    ------
    InputError
        For groups that are missing, nodes in different frames, and patterns that hold nothing.
    """
    linear: list[Rows] = []
    curved: list[Family] = []
    shape = places.system.map.shape
    for index, spec in enumerate(model.couplings):
        key = f"couplings[{index}]"
        coupled = _Coupled(spec, places, key)
        vectors = coupled.nodes if coupled.point is None else [*coupled.nodes, coupled.point]
        if len(np.unique(frames[vectors])) > 1:
            raise InputError(
                f"{key}.group: found nodes in other frames than the point; expected one frame"
            )
        found = list(coupled.families())
        if coupled.is_large:
            curved += found
        else:
            linear += CurvedRows(found, shape).linearized
    knots = knots_and_turns(places)
    if any(not body.is_linear for body in places.system.bodies):
        curved += knots
    else:
        linear += CurvedRows(knots, shape).linearized
    return linear, CurvedRows(curved, shape) if curved else None


class _Coupled:
    """The nodes of a coupling, and its point.

    Attributes
    ----------
    nodes : ndarray of int64, (n,)
        Vectors of the nodes, without the point.
    places : ndarray, (n, d)
        Where they are, m.
    turning, turned : ndarray of int64 and bool
        Vectors of the rotations of those of them that have some, and which these are.
    point, rotation : int or None
        Vectors of the point.
    is_large : bool
        Whether a body with an energy has one of the nodes.
    """

    def __init__(self, spec: CouplingSpec, places: NameTable, key: str) -> None:
        self.spec, self.key = spec, key
        self.d = d = places.system.dimension
        self.point, self.rotation, self._origin = None, None, np.zeros(d)
        if spec.point is not None:
            body, nodes = next(
                (body, nodes)
                for body, nodes in places.nodes(spec.point, None, f"{key}.point")
                if body.turns
            )
            self.point = int(body.nodes[nodes[0]])
            self.rotation = int(body.rotations[nodes[0]])
            self._origin = body.part.points[nodes[0], :d]
        found: dict[int, Floats] = {}
        turning: dict[int, int] = {}
        self.is_large = False
        for one, some in places.nodes(spec.group, spec.body, f"{key}.group"):
            self.is_large |= not one.is_linear
            for local in some.tolist():
                vector = int(one.nodes[local])
                if vector == self.point:
                    continue
                found[vector] = one.part.points[local, :d]
                if one.turns:
                    turning[vector] = int(one.rotations[local])
        if not found:
            raise InputError(f"{key}.group: found no node but the point; expected others")
        self.nodes = np.array(list(found), dtype=np.int64)
        self.places = np.array(list(found.values()))
        self.turning = np.array([turning[n] for n in found if n in turning], dtype=np.int64)

    def families(self) -> Iterator[Family]:
        """Yield the equations of the kind of the coupling."""
        match self.spec.kind:
            case "plane":
                self._require_space()
                yield Plane(self.key, self.nodes, self.places)
            case "line":
                if len(self.nodes) < 3:
                    raise InputError(
                        f"{self.key}.group: found {len(self.nodes)} nodes; expected three or more "
                        "on a line"
                    )
                yield Straight(self.key, self.nodes, self.places)
            case "rigid":
                yield from self._rigid()
            case "rotation":
                yield self._mean_rotation()
            case kind:
                assert self.point is not None and self.rotation is not None
                arms = self.places - self._origin
                point = self.point, self.rotation
                levers = kind == "distributing"
                yield Mean(self.key, self.nodes, arms, *point, levers=levers)
                yield BestTurn(self.key, self.nodes, arms, self.rotation)

    def _rigid(self) -> Iterator[Family]:
        assert self.point is not None and self.rotation is not None
        owners = np.zeros(len(self.nodes), dtype=np.int64)
        point, rotation = np.array([self.point]), np.array([self.rotation])
        arms = self.places - self._origin
        found = Follow(self.key, self.nodes, owners, arms, point, rotation)
        yield found
        if len(self.turning):
            points = np.full(len(self.turning), self.rotation)
            yield Turned(self.key, self.turning, points, self.d, found.extent)

    def _mean_rotation(self) -> MeanRotation:
        self._require_space()
        assert self.rotation is not None and self.spec.axis is not None
        axis = np.array(self.spec.axis) / np.linalg.norm(self.spec.axis)
        angles = rotation_places(np.array([self.rotation]), 3)
        nodes, places = self.nodes[None], self.places[None]
        return MeanRotation(self.key, nodes, places, axis[None], angles, axis[None])

    def _require_space(self) -> None:
        if self.d == 2:
            raise InputError(
                f'{self.key}.kind: found "{self.spec.kind}" in the plane; expected it in space'
            )
