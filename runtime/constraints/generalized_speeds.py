# SPDX-License-Identifier: BSD-3-Clause
"""Generalized speeds: which combinations ``y = Y q`` of tied coordinates remain unknowns.

Every way through the equations of constrained motion is a choice of Y, made for one position and
kept while it serves. With ``J q = 0`` it makes ``T q = (0, y)``, ``T = [J; Y]``, and the columns of
``T^-1 = [D, A]`` are what everything needs: ``q = A y``, and ``D`` gives back what the constraints
move and the forces that they take.

Rows H beside Y, as many as constraints, make ``[Y; H]`` orthogonal. Then ``q = Y^T y + H^T h``, and
only what turns is inverted, however wide J is:

    D = H^T U,   A = Y^T - H^T B,   U = (J H^T)^-1,   B = U J Y^T
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime import _mechanism
from flexforge.runtime._mechanism import INDEPENDENT, MOST_DENSE
from flexforge.runtime.arrays import Floats, Ints


class Speeds(Protocol):
    """A choice of generalized speeds for the clusters of a batch."""

    def matrix(self) -> Floats:
        """Return Y of every cluster, (k, r, n)."""

    def across(self) -> Floats:
        """Return H of every cluster, (k, m, n)."""

    def parts(self, j: Floats) -> tuple[Floats, Floats]:
        """Return U (..., k, m, m) and B (..., k, m, r) for constraints (..., k, m, n) elsewhere."""

    def inverse(self, j: Floats) -> tuple[Floats, Floats]:
        """Return A (..., k, n, r) and D (..., k, n, m) for constraints (..., k, m, n) elsewhere."""


@dataclass(frozen=True, slots=True)
class NullSpace:
    """Speeds along an orthonormal basis of the null space of J where they are chosen (Maggi).

    Attributes
    ----------
    basis : ndarray, (k, r, n)
        Y: its rows.
    held : ndarray, (k, m, n)
        An orthonormal basis of the rows of J there.
    """

    basis: Floats
    held: Floats

    def matrix(self) -> Floats:
        """Return Y of every cluster, (k, r, n)."""
        return self.basis

    def across(self) -> Floats:
        """Return H of every cluster, (k, m, n)."""
        return self.held

    def parts(self, j: Floats) -> tuple[Floats, Floats]:
        """Return U (..., k, m, m) and B (..., k, m, r)."""
        turned = np.asarray(np.linalg.inv(j @ np.swapaxes(self.held, -1, -2)), dtype=np.float64)
        return turned, turned @ (j @ np.swapaxes(self.basis, -1, -2))

    def inverse(self, j: Floats) -> tuple[Floats, Floats]:
        """Return A (..., k, n, r) and D (..., k, n, m)."""
        turned, dependent = self.parts(j)
        across = np.swapaxes(self.held, -1, -2)
        return np.swapaxes(self.basis, -1, -2) - across @ dependent, across @ turned


@dataclass(frozen=True, slots=True)
class Independent:
    """Speeds that are rates of some of the coordinates (Kane): the others follow from them.

    Attributes
    ----------
    dependent, free : ndarray of int, (k, m) and (k, n - m)
        Which columns of every cluster follow, and which stay.
    """

    dependent: Ints
    free: Ints

    def matrix(self) -> Floats:
        """Return Y of every cluster, (k, r, n)."""
        return _units(self.free, self.free.shape[1] + self.dependent.shape[1])

    def across(self) -> Floats:
        """Return H of every cluster, (k, m, n)."""
        return _units(self.dependent, self.free.shape[1] + self.dependent.shape[1])

    def parts(self, j: Floats) -> tuple[Floats, Floats]:
        """Return U (..., k, m, m) and B (..., k, m, r)."""
        turned = np.asarray(np.linalg.inv(_picked(j, self.dependent)), dtype=np.float64)
        return turned, turned @ _picked(j, self.free)

    def inverse(self, j: Floats) -> tuple[Floats, Floats]:
        """Return A (..., k, n, r) and D (..., k, n, m)."""
        k, m, n = j.shape[-3:]
        one = np.arange(k)[:, None]
        turned, dependent = self.parts(j)
        a, d = np.zeros((*j.shape[:-2], n, n - m)), np.zeros((*j.shape[:-2], n, m))
        a[..., one, self.dependent, :] = -dependent
        a[..., one, self.free, np.arange(n - m)] = 1.0
        d[..., one, self.dependent, :] = turned
        return a, d


def _units(places: Ints, size: int) -> Floats:
    """Return a row for every place of every cluster that is one there, (k, p, size)."""
    k, count = places.shape
    found = np.zeros((k, count, size))
    found[np.arange(k)[:, None], np.arange(count), places] = 1.0
    return found


def _picked(j: Floats, columns: Ints) -> Floats:
    """Return some columns of every cluster, (..., k, m, c)."""
    wanted = np.broadcast_to(columns[:, None, :], (*j.shape[:-1], columns.shape[1]))
    return np.take_along_axis(j, wanted, axis=-1)


def null_space(j: Floats, names: Sequence[Sequence[str]]) -> NullSpace | Independent:
    """Choose speeds along the null space of J, by QR of its transpose.

    Of large clusters, as of joints on the faces of solids, the orthonormal basis would be a large
    dense block. There the null space is that of the coordinates that do not depend.

    Parameters
    ----------
    j : ndarray, (k, m, n)
        Constraints of every cluster.
    names : sequence of sequences of str
        What the rows of every cluster are, for messages.

    Raises
    ------
    InputError
        When constraints depend on each other.
    """
    m, n = j.shape[1:]
    if n > MOST_DENSE:
        return independent(j, names)
    q, triangle = np.linalg.qr(np.swapaxes(j, 1, 2), mode="complete")
    diagonal = np.abs(np.diagonal(triangle[:, :m], axis1=1, axis2=2))
    for cluster in np.flatnonzero(diagonal.min(axis=1) < INDEPENDENT * diagonal.max(axis=1)):
        _refuse(j[cluster], names[int(cluster)])
    held, left = (np.swapaxes(part, 1, 2) for part in (q[:, :, :m], q[:, :, m:]))
    return NullSpace(np.ascontiguousarray(left), np.ascontiguousarray(held))


def independent(j: Floats, names: Sequence[Sequence[str]]) -> Independent:
    """Choose speeds among the rates of the coordinates, by QR with pivoting: J's largest depend.

    Of coordinates that serve as well but for round-off the first depends.

    Parameters and errors are those of :func:`null_space`.
    """
    m, n = j.shape[1:]
    depends = np.empty((len(j), n), dtype=np.int32)
    for cluster, matrix in enumerate(j):
        if not _mechanism.dependent(np.ascontiguousarray(matrix), depends[cluster]):
            _refuse(matrix, names[cluster])
    held, free = (np.nonzero(one)[1].reshape(len(j), -1) for one in (depends, 1 - depends))
    return Independent(held, free)


def _refuse(j: Floats, names: Sequence[str]) -> None:
    """Name the constraints of which one follows from the others."""
    combination = np.linalg.svd(j.T)[2][-1]  # of rows that add up to nothing
    taking_part = [
        name
        for name, part in zip(names, combination, strict=True)
        if abs(part) > 1e-6 * np.abs(combination).max()
    ]
    raise twice(taking_part)


def twice(names: Sequence[str]) -> InputError:
    """Return the error of constraints that depend on each other, by their names."""
    who = " and ".join(f"'{name}'" for name in dict.fromkeys(names))
    return InputError(
        f"{who}: hold the same motion twice; expected constraints that do not follow from others, "
        "nor from supports"
    )
