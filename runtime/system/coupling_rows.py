# SPDX-License-Identifier: BSD-3-Clause
"""Rows of ``[[couplings]]``: nodes that move with a point, or a point that moves as their mean.

With the arms ``x_i`` of the nodes from the point, its displacement ``u`` and its small rotation
``t``, a rigid coupling has ``u_i - u - t x x_i = 0`` for every node, and rotations of nodes are
``t``. A distributing one leaves the nodes free: with the arms ``y_i`` from their centre c,

    u + t x c = mean(u_i)        sum (y_i . y_i - y_i y_i^T) t = sum y_i x u_i

so that forces at the point act on the nodes as a bolt group: without deforming the pattern. The
kind ``mean`` leaves ``t x c`` out: forces at the point, wherever it is, act on all nodes alike.
Source: Abaqus Theory Guide, "Coupling constraints"; the mean rotation is that of least squares.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.model.schema_couplings import CouplingSpec
from flexforge.runtime.system.name_table import NameTable
from flexforge.runtime.system.rows import Rows

#: Smallest moment of the pattern about an axis, relative to the largest, that holds a rotation.
_SLENDER = 1e-9


def coupling_rows(model: ModelSpec, places: NameTable, frames: Ints) -> Iterator[Rows]:
    """Yield the rows of the couplings of a model.

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
        For groups that are missing, nodes in different frames, and patterns that hold no rotation.
    """
    for index, spec in enumerate(model.couplings):
        key = f"couplings[{index}]"
        coupled = _Coupled.of(spec, places, key)
        if len(np.unique(frames[[*coupled.nodes, coupled.point]])) > 1:
            raise InputError(
                f"{key}.group: found nodes in other frames than the point; expected one frame"
            )
        if spec.kind == "rigid":
            yield from coupled.rigid(key)
        else:
            yield from coupled.distributing(key, levers=spec.kind == "distributing")


class _Coupled:
    """A point and the nodes that it is coupled with.

    Parameters
    ----------
    nodes, rotations : ndarray of int
        Vectors of the system: nodes, and rotations of those of them that have some.
    arms, turning : ndarray, (n, d) and bool
        Arms from the point, m, and which nodes have rotations.
    point, rotation : int
        Vectors of the point: its displacement and its rotation.
    """

    def __init__(
        self, nodes: Ints, rotations: Ints, arms: Floats, point: int, rotation: int
    ) -> None:
        self.nodes, self.rotations, self.arms = nodes, rotations, arms
        self.point, self.rotation, self.d = point, rotation, arms.shape[1]

    @classmethod
    def of(cls, spec: CouplingSpec, places: NameTable, key: str) -> _Coupled:
        """Return the vectors of a coupling."""
        d = places.system.dimension
        own = [
            (body, nodes)
            for body, nodes in places.nodes(spec.point, None, f"{key}.point")
            if body.turns
        ]
        body, nodes = own[0]
        point, place = int(body.nodes[nodes[0]]), body.part.points[nodes[0], :d]
        rotation = int(body.rotations[nodes[0]])
        found: dict[int, Floats] = {}
        turning: dict[int, int] = {}
        for one, some in places.nodes(spec.group, spec.body, f"{key}.group"):
            for local in some.tolist():
                vector = int(one.nodes[local])
                if vector == point:
                    continue
                found[vector] = one.part.points[local, :d] - place
                if one.turns:
                    turning[vector] = int(one.rotations[local])
        if not found:
            raise InputError(f"{key}.group: found no node but the point; expected others")
        rotations = np.array([turning[n] for n in found if n in turning], dtype=np.int64)
        vectors = np.array(list(found), dtype=np.int64)
        return cls(vectors, rotations, np.array(list(found.values())), point, rotation)

    def _turned(self, arms: Floats) -> tuple[Ints, Floats]:
        """Return places of the rotation of the point, and what it moves arms by: (n, d, m)."""
        if self.d == 2:
            across = np.stack([-arms[:, 1], arms[:, 0]], axis=1)[:, :, None]
            return np.array([self.rotation * 2]), across
        x, y, z = arms.T
        none = np.zeros_like(x)
        rows = [[none, z, -y], [-z, none, x], [y, -x, none]]  # t x arm
        return self.rotation * 3 + np.arange(3), np.moveaxis(np.array(rows), 2, 0)

    def rigid(self, key: str) -> Iterator[Rows]:
        """Yield the rows of nodes that move with the point."""
        d = self.d
        about, turned = self._turned(self.arms)
        for c in range(d):
            columns = [self.nodes * d + c, np.full(len(self.nodes), self.point * d + c)]
            columns += [np.full(len(self.nodes), one) for one in about]
            ones = np.ones(len(self.nodes))
            factors = [ones, -ones, *(-turned[:, c].T)]
            yield _rows(key, np.stack(columns, axis=1), np.stack(factors, axis=1))
        if len(self.rotations):
            for k in range(len(about)):
                pairs = np.stack(
                    [self.rotations * d + k, np.full(len(self.rotations), about[k])], axis=1
                )
                yield _rows(key, pairs, np.tile([1.0, -1.0], (len(pairs), 1)))

    def distributing(self, key: str, *, levers: bool) -> Iterator[Rows]:
        """Yield the rows of a point that moves as the mean of the nodes, turned or as it is."""
        d, count = self.d, len(self.nodes)
        centre = self.arms.mean(axis=0)
        about, offset = self._turned(centre[None])
        for c in range(d):
            columns = [self.point * d + c, *about, *(self.nodes * d + c)]
            factors = [1.0, *(levers * offset[0, c]), *np.full(count, -1.0 / count)]
            yield _rows(key, np.array([columns]), np.array([factors]))
        arms = self.arms - centre
        _, turned = self._turned(arms)
        moments = np.einsum("nci,ncj->ij", turned, turned)
        sizes = np.linalg.eigvalsh(moments)
        if not sizes[0] > _SLENDER * max(float(sizes[-1]), 1e-300):
            raise InputError(
                f"{key}.group: found nodes in a line, which hold no rotation about it; expected "
                "others beside it, or a rigid coupling"
            )
        scale = 1.0 / float(sizes[-1])
        for k in range(len(about)):
            columns = [*about, *(self.nodes[:, None] * d + np.arange(d)).ravel()]
            factors = [*moments[k], *(-turned[:, :, k].ravel())]
            yield _rows(key, np.array([columns]), scale * np.array([factors]))


def _rows(key: str, places: Ints, factors: Floats) -> Rows:
    """Return equations that add up to zero."""
    none = np.zeros(0, dtype=np.int64)
    return Rows(key, places, factors, none, np.zeros((len(places), 0)))
