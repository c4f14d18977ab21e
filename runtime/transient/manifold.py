# SPDX-License-Identifier: BSD-3-Clause
"""Manifolds of positions as flat vectors: R^n, rotations, rigid motions and their products.

Increments, residuals and rows live in the tangent space, in components of the body where there is
one; nothing else than a manifold looks into q.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np
from flexforge.runtime.transient import rotation
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Values = NDArray[Any]  # real, or complex while a complex step differentiates


class Manifold(Protocol):
    """A manifold, its points and tangent vectors as flat vectors.

    Attributes
    ----------
    size, dimension : int
        Numbers of a point q and of a tangent vector.
    is_flat : bool
        Whether it is R^n, so that linear maps of its points make sense.
    """

    @property
    def is_flat(self) -> bool:
        """Whether it is R^n."""

    @property
    def size(self) -> int:
        """Numbers of a point."""

    @property
    def dimension(self) -> int:
        """Numbers of a tangent vector."""

    def origin(self) -> NDArray[np.float64]:
        """Return the point that stands for no displacement, (size,)."""

    def retract(self, q: Values, dz: Values) -> Values:
        """Return the point that an increment (dimension,) leads to, (size,)."""

    def difference(self, q1: Values, q0: Values) -> Values:
        """Return the increment that leads from q0 to q1, (dimension,)."""

    def tangent(self, dz: Values) -> Values | None:
        """Return T with ``retract(q, dz + e) = retract(retract(q, dz), T e)`` to first order.

        Returns
        -------
        ndarray or None, (dimension, dimension)
            T; None where it is one.
        """


@dataclass(frozen=True, slots=True)
class Euclidean:
    """R^n."""

    is_flat: ClassVar[bool] = True
    dimension: int

    @property
    def size(self) -> int:
        """Numbers of a point."""
        return self.dimension

    def origin(self) -> NDArray[np.float64]:
        """Return zero."""
        return np.zeros(self.dimension)

    def retract(self, q: Values, dz: Values) -> Values:
        """Return the sum."""
        return q + dz

    def difference(self, q1: Values, q0: Values) -> Values:
        """Return the difference."""
        return q1 - q0

    def tangent(self, dz: Values) -> None:
        """Return None: T is one."""


@dataclass(frozen=True, slots=True)
class SO3:
    """Rotations by a unit quaternion; increments are rotation vectors in the body's axes."""

    is_flat: ClassVar[bool] = False
    size: int = 4
    dimension: int = 3

    def origin(self) -> NDArray[np.float64]:
        """Return no rotation."""
        return np.array([1.0, 0.0, 0.0, 0.0])

    def retract(self, q: Values, dz: Values) -> Values:
        """Return ``R exp(dz)``."""
        return rotation.normalized(rotation.product(q, rotation.exponential(dz)))

    def difference(self, q1: Values, q0: Values) -> Values:
        """Return the rotation vector, of at most half a turn."""
        back = np.concatenate([q0[:1], -q0[1:]])
        return rotation.logarithm(rotation.product(back, q1))

    def tangent(self, dz: Values) -> Values:
        """Return T of SO(3)."""
        return rotation.tangent(dz)


@dataclass(frozen=True, slots=True)
class SE3:
    """Rigid motions (r, p): origin in space, unit quaternion; increments are screws of the body.

    The increment ``(u, a)`` keeps a constant velocity ``(v_O, w)`` of the body's axes for a unit of
    time: ``r + R V(a) u`` and ``R exp(a)``, so that a screw motion is exact in one step.
    """

    is_flat: ClassVar[bool] = False
    size: int = 7
    dimension: int = 6

    def origin(self) -> NDArray[np.float64]:
        """Return no motion."""
        return np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])

    def retract(self, q: Values, dz: Values) -> Values:
        """Return the motion followed by a screw."""
        move = rotation.matrix(q[3:]) @ (rotation.tangent(-dz[3:]) @ dz[:3])
        turned = rotation.product(q[3:], rotation.exponential(dz[3:]))
        return np.concatenate([q[:3] + move, rotation.normalized(turned)])

    def difference(self, q1: Values, q0: Values) -> Values:
        """Return the screw, of at most half a turn."""
        turn = SO3().difference(q1[3:], q0[3:])
        local = rotation.matrix(q0[3:]).T @ (q1[:3] - q0[:3])
        return np.concatenate([np.linalg.solve(rotation.tangent(-turn), local), turn])

    def tangent(self, dz: Values) -> Values:
        """Return T of SE(3)."""
        turn = rotation.tangent(dz[3:])
        coupling = rotation.screw_coupling(dz[:3], dz[3:])
        return np.block([[turn, coupling], [np.zeros((3, 3)), turn]])


@dataclass(frozen=True)
class Product:
    """A product of manifolds, one after the other.

    Attributes
    ----------
    parts : sequence of Manifold
        The factors.
    """

    parts: Sequence[Manifold]

    @cached_property
    def places(self) -> list[tuple[Manifold, slice, slice]]:
        """Every factor with its slices of a point and of a tangent vector."""
        found, q, z = [], 0, 0
        for part in self.parts:
            found.append((part, slice(q, q + part.size), slice(z, z + part.dimension)))
            q, z = q + part.size, z + part.dimension
        return found

    @cached_property
    def is_flat(self) -> bool:
        """Whether all of them are."""
        return all(part.is_flat for part in self.parts)

    @cached_property
    def size(self) -> int:
        """Numbers of a point."""
        return sum(part.size for part in self.parts)

    @cached_property
    def dimension(self) -> int:
        """Numbers of a tangent vector."""
        return sum(part.dimension for part in self.parts)

    def origin(self) -> NDArray[np.float64]:
        """Return the origins of all."""
        return np.concatenate([np.zeros(0), *(part.origin() for part in self.parts)])

    def retract(self, q: Values, dz: Values) -> Values:
        """Return the point that an increment leads to."""
        found = np.empty(self.size, dtype=np.result_type(q, dz))
        for part, at, along in self.places:
            found[at] = part.retract(q[at], dz[along])
        return found

    def difference(self, q1: Values, q0: Values) -> Values:
        """Return the increment from q0 to q1."""
        found = np.empty(self.dimension, dtype=np.result_type(q1, q0))
        for part, at, along in self.places:
            found[along] = part.difference(q1[at], q0[at])
        return found

    def tangent(self, dz: Values) -> csr_matrix | None:
        """Return T, sparse; None where it is one."""
        from scipy.sparse import block_diag, eye_array

        blocks = [part.tangent(dz[along]) for part, _, along in self.places]
        if all(block is None for block in blocks):
            return None
        return block_diag(
            [
                eye_array(part.dimension) if block is None else block
                for block, part in zip(blocks, self.parts, strict=True)
            ],
            format="csr",
        )
