# SPDX-License-Identifier: BSD-3-Clause
"""Motion in the null space of the constraints: ``q = A y - D c`` and its rates, never a dense A.

With the speeds ``y' = Y q'`` kept (see ``generalized_speeds``), at every time

    q = A y - D c,   q' = A y' - D (J' q + c'),   q'' = A y'' - D (2 J' q' + J'' q + c'')

which are Maggi's ``q' = A z + b`` and ``q'' = A z' + A' z + b'`` with nothing left out: all three
levels of the constraints hold to round-off, without projecting anything.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from flexforge.runtime._mechanism import GROWN
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.constraints.basis import Basis, basis_of
from flexforge.runtime.constraints.clusters import Batch, batches_of
from flexforge.runtime.constraints.generalized_speeds import (
    Speeds,
    independent,
    null_space,
    twice,
)
from flexforge.runtime.constraints.rows import Pattern, Rows
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Choice: TypeAlias = Callable[[Floats, Sequence[Sequence[str]]], Speeds]
#: Speeds of a formalism: along the null space, or rates of coordinates.
SPEEDS: dict[str, Choice] = {
    "maggi": null_space, "kane": independent, "gibbs_appell": independent, "hamilton": independent
}  # fmt: skip


@dataclass(frozen=True)
class NullSpace:
    """A and D at one time.

    Attributes
    ----------
    rows : Rows
        The constraints.
    basis : Basis
        Y and H, which are constant while the choice is kept.
    turned, dependent : list of ndarray, (k, m, m) and (k, m, r)
        U and B of the clusters of every batch.
    form : callable
        Returns A itself.
    """

    rows: Rows
    basis: Basis
    turned: list[Floats]
    dependent: list[Floats]
    form: Callable[[], csr_matrix]

    @cached_property
    def free(self) -> csr_matrix:
        """A, (n, r): for what has to know its entries. Products need not."""
        return self.form()

    def along(self, y: Floats) -> Floats:
        """Return ``A y`` (n,)."""
        basis = self.basis
        held = np.empty(self.rows.pattern.shape[0])
        for place, block in zip(basis.places, self.dependent, strict=True):
            held[place.rows] = _each(block, y[place.unknowns].reshape(block.shape[::2]))
        q: Floats = basis.spread @ y
        q[basis.tied] -= basis.across @ held
        return q

    def onto(self, forces: Floats) -> Floats:
        """Return ``A^T f`` (r,) of forces (n,)."""
        basis = self.basis
        found: Floats = basis.speeds @ forces
        held = basis.held @ forces[basis.tied]
        for place, block in zip(basis.places, self.dependent, strict=True):
            found[place.unknowns] -= _each(block.swapaxes(1, 2), held[place.rows]).ravel()
        return found

    def ties(self, forces: Floats) -> Floats:
        """Return ``D^T f`` (m,) of forces (n,): what constraints take of them."""
        found: Floats = self.basis.held @ forces[self.basis.tied]
        for place, block in zip(self.basis.places, self.turned, strict=True):
            found[place.rows] = _each(block.swapaxes(1, 2), found[place.rows])
        return found

    def position(self, y: Floats) -> Floats:
        """Return q (n,) from y (r,)."""
        given = self.rows.given
        return self.along(y) if given is None else self.along(y) + self._moved(given[0])

    def velocity(self, q: Floats, y_rate: Floats) -> Floats:
        """Return q' (n,) from coordinates and y' (r,)."""
        return self.along(y_rate) + self.given_velocity(q)

    def acceleration(self, q: Floats, v: Floats, y_second: Floats) -> Floats:
        """Return q'' (n,) from coordinates, q' and y'' (r,)."""
        return self.along(y_second) + self.given_acceleration(q, v)

    def given_velocity(self, q: Floats) -> Floats:
        """Return the part of q' (n,) that no speed gives."""
        return self._moved(self.rows.velocity_asked(q))

    def given_acceleration(self, q: Floats, v: Floats) -> Floats:
        """Return the part of q'' (n,) that no rate of a speed gives."""
        return self._moved(self.rows.acceleration_asked(q, v))

    def carried_velocity(self, q: Floats) -> Floats:
        """Return what a change of q (n,) adds to q', no speed changed, (n,)."""
        return self._moved(self.rows.times(q, 1))

    def carried_acceleration(self, q: Floats, v: Floats) -> Floats:
        """Return what changes of q and q' (n,) add to q'', no rate of a speed changed, (n,)."""
        return self._moved(2.0 * self.rows.times(v, 1) + self.rows.times(q, 2))

    def turn(self, asked: Floats) -> Floats:
        """Return ``U`` times what constraints ask for (m, k), (m, k): ``D = H^T U``."""
        found = np.empty_like(asked)
        for place, block in zip(self.basis.places, self.turned, strict=True):
            found[place.rows] = block @ asked[place.rows]
        return found

    def _moved(self, left: Floats) -> Floats:
        """Return ``-D`` times what constraints ask for (m,), (n,)."""
        asked = self.turn(left[:, None])[:, 0]
        found = np.zeros(self.rows.pattern.shape[1])
        found[self.basis.tied] = -(self.basis.across @ asked)
        return found


def _each(blocks: Floats, x: Floats) -> Floats:
    """Return the product of every block (k, a, b) with a vector of its own, (k, a)."""
    found: Floats = (blocks @ x[:, :, None])[:, :, 0]
    return found


class Reducer:
    """The reduction over a run: speeds are chosen once, and again where they become bad.

    Parameters
    ----------
    pattern : Pattern
        Where J has entries.
    choose : callable
        Chooses speeds for the clusters of a batch: ``null_space``, ``independent``.

    Attributes
    ----------
    choices : int
        How often speeds were chosen.
    """

    def __init__(self, pattern: Pattern, choose: Choice) -> None:
        self.pattern, self._choose = pattern, choose
        self._batches = batches_of(pattern)
        tied = np.zeros(pattern.shape[1], dtype=bool)
        tied[pattern.columns] = True
        self._alone = np.flatnonzero(~tied)
        self._names = [[[pattern.names[r] for r in rows] for rows in b.rows] for b in self._batches]
        for batch, names in zip(self._batches, self._names, strict=True):
            if batch.rows.shape[1] > batch.columns.shape[1]:
                raise twice(names[0])
        self.choices = 0
        self._chosen: list[Speeds] = []

    @property
    def unknowns(self) -> int:
        """Coordinates that remain, r."""
        m, n = self.pattern.shape
        return n - m

    def at(self, rows: Rows, *, keep: bool = False) -> NullSpace:
        """Return the reduction for constraints, with other speeds than before if need be.

        Parameters
        ----------
        rows : Rows
            The constraints.
        keep : bool
            Whether the speeds stay those of before, as within a step.

        Raises
        ------
        InputError
            When constraints depend on each other.
        """
        if not self._chosen:
            self.choose(rows)
        parts = self._parts(rows)
        bad = (
            _size(dependent) > GROWN * then
            for (_, dependent), then in zip(parts, self._size, strict=True)
        )
        if not keep and any(bad):
            self.choose(rows)
            return self.at(rows)
        turned, dependent = [u for u, _ in parts], [b for _, b in parts]
        form = partial(self._form, rows, self._chosen)
        return NullSpace(rows, self._basis, turned, dependent, form)

    def _parts(self, rows: Rows) -> list[tuple[Floats, Floats]]:
        """Return U and B of the clusters of every batch."""
        return [
            speeds.parts(batch.dense(rows.data[0]))
            for speeds, batch in zip(self._chosen, self._batches, strict=True)
        ]

    def _form(self, rows: Rows, chosen: Sequence[Speeds]) -> csr_matrix:
        """Return A for constraints."""
        found = [
            speeds.inverse(batch.dense(rows.data[0]))[0].ravel()
            for speeds, batch in zip(chosen, self._batches, strict=True)
        ]
        return self._free.fill([np.ones(len(self._alone)), *found])

    @cached_property
    def _free(self) -> _Layout:
        """Where A has entries."""
        return _layout(self._batches, len(self._alone), self._alone, self.pattern.shape)

    def choose(self, rows: Rows) -> None:
        """Choose the speeds for a position."""
        self._chosen = [
            self._choose(batch.dense(rows.data[0]), names)
            for batch, names in zip(self._batches, self._names, strict=True)
        ]
        self._size = [_size(dependent) for _, dependent in self._parts(rows)]
        self._basis = basis_of(self._batches, self._alone, self._chosen, self.pattern.shape)
        self.choices += 1


def _size(dependent: Floats) -> float:
    """Return the norm of the largest column of A, ``Y^T - H^T B``."""
    return float(np.sqrt(1.0 + np.square(dependent).sum(axis=1).max(initial=0.0)))


@dataclass(frozen=True, slots=True)
class _Layout:
    """A sparse matrix whose entries are filled in from dense blocks, in the order of the blocks."""

    pointers: Ints
    columns: Ints
    order: Ints
    shape: tuple[int, int]
    short: tuple[NDArray[np.int32], NDArray[np.int32]]

    def fill(self, blocks: Sequence[Floats]) -> csr_matrix:
        from scipy.sparse import csr_matrix

        data = np.concatenate([*blocks, np.zeros(0)])[self.order]
        return csr_matrix((data, *self.short), shape=self.shape)

    @classmethod
    def of(cls, rows: Ints, columns: Ints, shape: tuple[int, int]) -> _Layout:
        order = np.lexsort((columns, rows))
        pointers = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=shape[0]))])
        columns = columns[order]
        # As sparse matrices keep them, made once.
        short = columns.astype(np.int32), pointers.astype(np.int32)
        return cls(pointers, columns, order, shape, short)


def _layout(batches: list[Batch], first: int, alone: Ints, shape: tuple[int, int]) -> _Layout:
    """Return the sparsity pattern of A; unconstrained coordinates are the first unknowns."""
    m, n = shape
    rows, columns = [alone], [np.arange(first)]
    for batch in batches:
        k, count = batch.columns.shape
        left = count - batch.rows.shape[1]
        unknowns = first + np.arange(k * left).reshape(k, left)
        first += k * left
        rows.append(np.repeat(batch.columns.ravel(), left))
        columns.append(np.repeat(unknowns, count, axis=0).ravel())
    return _Layout.of(np.concatenate(rows), np.concatenate(columns), (n, n - m))
