# SPDX-License-Identifier: BSD-3-Clause
"""Frames that turn with elements: large rotations of elements whose stiffness is linear.

With the places P of the nodes of an element from their mean at rest, p when displaced, and the
rotation R that fits best,

    B = sum p P^T = R U  (polar decomposition),    d = R^T p - P,    theta = log(R^T R_node)

are displacements and rotations without the rigid motion, and ``V = 1/2 (d, theta) . k (d, theta)``
is the energy. Forces are its gradient and tangents the derivative of these, both exact: R turns by
``H a = sum P x R^T u``, ``H = tr(U) 1 - U``, as in :mod:`flexforge.runtime.system.free_body`.
Corotational elements: Nour-Omid and Rankin, CMAME 93 (1991).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.system.rotation_vectors import (
    logarithm_slopes,
    matrices,
    of_matrices,
    skews,
    turned_moment_slopes,
)


@dataclass(frozen=True)
class Corotation:
    """Elements at a state.

    Attributes
    ----------
    rest, moved : ndarray, (E, n, 3)
        Places of the nodes, m.
    turns : ndarray, (E, n, 3)
        Rotation vectors of the nodes.
    stiffness : ndarray, (E, 6 n, 6 n)
        Of displacements and rotations, node by node, in axes at rest.
    """

    rest: Floats
    moved: Floats
    turns: Floats
    stiffness: Floats

    @cached_property
    def arms(self) -> Floats:
        """P, (E, n, 3)."""
        return np.asarray(self.rest - self.rest.mean(axis=1, keepdims=True))

    @cached_property
    def _polar(self) -> tuple[Floats, Floats]:
        """R and U, (E, 3, 3)."""
        places = self.moved - self.moved.mean(axis=1, keepdims=True)
        left, sizes, right = np.linalg.svd(places.swapaxes(1, 2) @ self.arms)
        sizes[:, 2] *= np.linalg.det(left @ right)  # those of flat elements are zero
        left[:, :, 2] *= np.linalg.det(left @ right)[:, None]
        return left @ right, (right.swapaxes(1, 2) * sizes[:, None, :]) @ right

    @property
    def frames(self) -> Floats:
        """R, (E, 3, 3)."""
        return self._polar[0]

    @cached_property
    def _inverse(self) -> Floats:
        """Of H, (E, 3, 3)."""
        stretch = self._polar[1]
        traces = np.trace(stretch, axis1=1, axis2=2)
        return np.asarray(np.linalg.inv(traces[:, None, None] * np.eye(3) - stretch))

    @cached_property
    def _reach(self) -> Floats:
        """``R^T p``, (E, n, 3)."""
        places = self.moved - self.moved.mean(axis=1, keepdims=True)
        return np.asarray(places @ self.frames)

    @cached_property
    def local(self) -> Floats:
        """The displacements d and rotations theta, (E, n, 2, 3)."""
        frames = self.frames[:, None].swapaxes(2, 3)
        rotations = frames @ matrices(self.turns.reshape(-1, 3)).reshape(*self.turns.shape, 3)
        turned = of_matrices(rotations.reshape(-1, 3, 3)).reshape(self.turns.shape)
        return np.stack([self._reach - self.arms, turned], axis=2)

    @cached_property
    def _conjugate(self) -> Floats:
        """The forces of d and theta, (E, n, 2, 3)."""
        flat = self.local.reshape(len(self.rest), -1, 1)
        return np.asarray((self.stiffness @ flat).reshape(self.local.shape))

    @cached_property
    def _slopes(self) -> Floats:
        """Derivatives of theta by spins in axes at rest, (E, n, 3, 3)."""
        turns = self.local[:, :, 1]
        return logarithm_slopes(turns.reshape(-1, 3)).reshape(*turns.shape, 3)

    @cached_property
    def _moments(self) -> Floats:
        """Moments conjugate to these spins, (E, n, 3)."""
        return np.asarray(np.einsum("enij,eni->enj", self._slopes, self._conjugate[:, :, 1]))

    @cached_property
    def _lever(self) -> Floats:
        """``H^-1 tau`` of the torque tau of forces and moments, (E, 3)."""
        torque = np.cross(self._reach, self._conjugate[:, :, 0]).sum(axis=1)
        torque += self._moments.sum(axis=1)
        return np.asarray(np.einsum("eij,ej->ei", self._inverse, torque))

    @cached_property
    def _balanced(self) -> Floats:
        """Forces without a torque, in axes at rest, (E, n, 3)."""
        return np.asarray(self._conjugate[:, :, 0] - np.cross(self._lever[:, None], self.arms))

    @property
    def energies(self) -> Floats:
        """Energy of each element, (E,), J."""
        return np.asarray(0.5 * np.einsum("enki,enki->e", self.local, self._conjugate))

    @property
    def forces(self) -> Floats:
        """Forces and moments of the nodes in the frame, (E, n, 2, 3)."""
        both = np.stack([self._balanced, self._moments], axis=2)
        return np.asarray(np.einsum("eij,enkj->enki", self.frames, both))

    @property
    def tangents(self) -> Floats:
        """Derivatives of these by displacements and spins in the frame, (E, 6 n, 6 n)."""
        count, nodes, _ = self.rest.shape
        size = 6 * nodes
        moved = np.zeros((nodes, 3, size))
        spun = np.zeros((nodes, 3, size))
        for a in range(nodes):
            moved[a, range(3), range(6 * a, 6 * a + 3)] = 1.0
            spun[a, range(3), range(6 * a + 3, 6 * a + 6)] = 1.0
        arms = _skews(self.arms)
        turned = self._inverse @ np.einsum("enij,njk->eik", arms, moved)  # a
        reached = moved - moved.mean(axis=0) + _skews(self._reach) @ turned[:, None]  # d
        own = self._slopes @ (spun - turned[:, None])  # theta
        both = np.stack([reached, own], axis=2).reshape(count, size, size)
        rates = (self.stiffness @ both).reshape(count, nodes, 2, 3, size)
        vectors = self.local[:, :, 1].reshape(-1, 3), self._conjugate[:, :, 1].reshape(-1, 3)
        bent = turned_moment_slopes(*vectors).reshape(count, nodes, 3, 3)
        moments = self._slopes.swapaxes(2, 3) @ rates[:, :, 1] + bent @ own
        torque = (
            _skews(self._reach) @ rates[:, :, 0]
            - _skews(self._conjugate[:, :, 0]) @ reached
            + moments
        ).sum(axis=1)
        levers = self._inverse @ (torque - self._turned_lever(moved, turned))
        forces = rates[:, :, 0] + arms @ levers[:, None]
        forces -= _skews(self._balanced) @ turned[:, None]
        moments -= _skews(self._moments) @ turned[:, None]
        found = np.stack([forces, moments], axis=2).reshape(count, 2 * nodes, 3, size)
        found = (self.frames[:, None] @ found).reshape(count, size, 2 * nodes, 3)
        found = found @ self.frames.swapaxes(1, 2)[:, None]
        return np.asarray(found.reshape(count, size, size))

    def _turned_lever(self, moved: Floats, turned: Floats) -> Floats:
        """Return the change of H times the lever, (E, 3, 6 n)."""
        stretch, lever = self._polar[1], self._lever
        traces = np.einsum("eni,nik->ek", self.arms, moved)
        along = np.einsum("eni,ei->en", self.arms, lever)
        changed = np.einsum("en,nik->eik", along, moved)
        changed += _skews(np.einsum("eij,ej->ei", stretch, lever)) @ turned
        return np.asarray(lever[:, :, None] * traces[:, None] - changed)


def _skews(vectors: Floats) -> Floats:
    """Return ``v~`` of vectors (..., 3)."""
    return skews(vectors.reshape(-1, 3)).reshape(*vectors.shape, 3)
