# SPDX-License-Identifier: BSD-3-Clause
"""The interface of equations of one kind, and vectors of bodies in the plane as those in space."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.system.rotation_vectors import matrices

#: Rows, columns and values of a sparse matrix of all places ``node * d + component``.
Entries = tuple[Ints, Ints, Floats]
NONE: Entries = (np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))


class Family(Protocol):
    """Equations ``h(u) = 0`` of one kind, of nodal displacements u (N, d), in metres.

    Increments of rotations about any axis are spins in the frame, ``R <- exp(w~) R``.

    Attributes
    ----------
    key : str
        Where the model file has them, for messages.
    places : ndarray of int64, (m, c)
        Places ``node * d + component`` that occur in every equation.
    extent : float
        Size of the pattern of its nodes, m.
    points : ndarray of int64
        Vectors of the rotations in them that may be about any axis.
    """

    key: str
    places: Ints
    extent: float
    points: Ints

    def values(self, u: Floats) -> Floats:
        """Return h, (m,)."""

    def slopes(self, u: Floats) -> Floats:
        """Return the derivatives of h by the places, along increments, (m, c)."""

    def second(self, u: Floats, forces: Floats) -> Entries:
        """Return the derivative of ``slopes^T forces`` along increments, with forces (m,) held."""

    def bent(self, u: Floats, v: Floats) -> Floats:
        """Return h'' at rates v (N, d) of the places that are constant, (m,)."""


def about(d: int) -> Ints:
    """Return the axes of rotations in d dimensions."""
    return np.arange(3) if d == 3 else np.array([2])


def rotation_places(rotations: Ints, d: int) -> Ints:
    """Return the places of rotations of nodes, (n, 3) in space and (n, 1) in the plane."""
    return np.asarray(rotations[:, None] * d + np.arange(3 if d == 3 else 1))


def in_space(vectors: Floats) -> Floats:
    """Return vectors (..., d) as those in space, (..., 3)."""
    if vectors.shape[-1] == 3:
        return vectors
    return np.concatenate([vectors, np.zeros((*vectors.shape[:-1], 1))], axis=-1)


def turns_in_space(turns: Floats) -> Floats:
    """Return rotations of nodes (n, d), or their rates, as vectors in space, (n, 3)."""
    if turns.shape[1] == 3:
        return turns
    found = np.zeros((len(turns), 3))
    found[:, 2] = turns[:, 0]
    return found


def rotation_matrices(turns: Floats) -> Floats:
    """Return the matrices (n, 3, 3) of rotations of nodes (n, d)."""
    return matrices(turns_in_space(turns))


def spread(first: Ints, second: Ints, blocks: Floats) -> Entries:
    """Return the entries of blocks (n, a, b) between places (n, a) and (n, b)."""
    rows = np.broadcast_to(first[:, :, None], blocks.shape)
    columns = np.broadcast_to(second[:, None, :], blocks.shape)
    return rows.ravel(), columns.ravel(), blocks.ravel()


def joined(parts: Sequence[Entries]) -> Entries:
    """Return several entries as one."""
    rows, columns, values = zip(*(NONE, *parts), strict=True)
    return np.concatenate(rows), np.concatenate(columns), np.concatenate(values)
