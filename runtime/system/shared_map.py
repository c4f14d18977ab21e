# SPDX-License-Identifier: BSD-3-Clause
"""The unknowns of one of several ranks: those of its own nodes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from flexforge.runtime.arrays import Floats, Ints, Number
from flexforge.runtime.ranks.halo import Halo
from flexforge.runtime.ranks.ranks import Ranks
from flexforge.runtime.system.unknown_map import UnknownMap
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False, kw_only=True)
class SharedMap(UnknownMap):
    """``d = T y + g(t)`` at the nodes that a rank's elements reach.

    Its unknowns are those of its own nodes, whose elements it has all of: rows of own nodes are
    complete, and summed in the same order whatever the number of ranks. Displacements of the other
    nodes come from their owners.

    Attributes
    ----------
    halo : Halo
        Own nodes, and the exchange of nodal values.
    unheld : ndarray of bool, (N, d)
        Where there is an unknown, of other ranks' nodes too.
    held : ndarray of bool, (N, d)
        Where supports exert forces, of other ranks' nodes too.
    around : ndarray, (N, d, d), optional
        Triads of all nodes here, where there are supports with axes.
    loose : tuple
        Free motions of the whole model, by body, as `free_motions` returns them.
    motions : int
        Number of these.
    whole : ndarray of int, (n,)
        Numbers of its unknowns among those of the whole model, as one process numbers them.
    """

    halo: Halo
    unheld: NDArray[np.bool_]
    held: NDArray[np.bool_]
    around: Floats | None = None
    loose: tuple[tuple[str, list[str]], ...]
    motions: int
    whole: Ints

    @property
    def ranks(self) -> Ranks:
        """The ranks."""
        return self.halo.ranks

    @property
    def own(self) -> NDArray[np.bool_]:
        """Which nodes are those of this rank, (N,)."""
        return self.halo.own

    @property
    def free(self) -> NDArray[np.bool_]:
        """Where there is an unknown, of any rank, (N, d)."""
        return self.unheld

    @property
    def constrained(self) -> NDArray[np.bool_]:
        """Where supports exert forces, (N, d)."""
        return self.held

    @property
    def triads(self) -> Floats | None:
        """T node by node, of other ranks' nodes too, (N, d, d)."""
        return super().triads if self.around is None else self.around

    @cached_property
    def nodes(self) -> tuple[Ints, int]:
        """Number of every node among those of all ranks, rank by rank, (N,), and their count."""
        counts = self.ranks.gathered(int(self.own.sum()))
        numbers = np.full((len(self.own), 1), -1, dtype=np.int64)
        first = sum(counts[: self.ranks.number])
        numbers[self.own, 0] = first + np.arange(counts[self.ranks.number])
        return self.halo.fill(numbers)[:, 0], sum(counts)

    def filled(self, nodal: NDArray[Number]) -> NDArray[Number]:
        """Return nodal values (N, d), with those of other ranks' nodes from their owners."""
        return self.halo.fill(nodal)

    def collected(self, values: NDArray[Number]) -> NDArray[Number] | None:
        """Return values (..., n) of the unknowns of all ranks, on the first; None on others."""
        pieces = self.ranks.collected((self.whole, values))
        if pieces is None:
            return None
        count = sum(len(numbers) for numbers, _ in pieces)
        found = np.empty((*values.shape[:-1], count), values.dtype)
        for numbers, some in pieces:
            found[..., numbers] = some
        return found

    def handed_out(self, values: NDArray[Number] | None) -> NDArray[Number]:
        """Return this rank's of the values (..., n) of all unknowns, which the first has."""
        each = self.ranks.collected(self.whole)
        items = None
        if each is not None:
            assert values is not None
            items = (values[..., numbers] for numbers in each)
        return self.ranks.handed_out(items)

    def expand(self, values: NDArray[Number]) -> NDArray[Number]:
        """Return ``T y``, (..., N, d), from the values of the unknowns of all ranks."""
        return self.halo.fill(super().expand(values))
