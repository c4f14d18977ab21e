# SPDX-License-Identifier: BSD-3-Clause
"""Exchange of nodal values: nodes of other ranks get the values that their owners have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from flexforge.runtime.arrays import Ints
from flexforge.runtime.ranks.mpi import MpiRanks
from flexforge.runtime.ranks.ranks import Ranks
from numpy.typing import NDArray

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm


class Halo:
    """The nodes of one rank: its own, and those of others that its elements reach.

    Parameters
    ----------
    ranks : MpiRanks
        The ranks.
    own : ndarray of bool, (N,)
        Which nodes are those of this rank.
    sent, received : mapping of int to ndarray of int
        Nodes whose values go to another rank, and come from it, by rank, in the same order there.
    """

    def __init__(
        self,
        ranks: MpiRanks,
        own: NDArray[np.bool_],
        sent: Mapping[int, Ints],
        received: Mapping[int, Ints],
    ) -> None:
        self.ranks, self.own = ranks, own
        self.sent, self.received = dict(sent), dict(received)

    @property
    def _communicator(self) -> Intracomm:
        return self.ranks.communicator

    def fill(self, nodal: NDArray[Any]) -> NDArray[Any]:
        """Set the values of other ranks' nodes to those of their owners, in place.

        Parameters
        ----------
        nodal : ndarray, (..., N, d)
            Values at the nodes.

        Returns
        -------
        ndarray
            The same array.
        """
        coming = self._exchanged(nodal, self.sent, self.received)
        for rank, values in coming.items():
            nodal[..., self.received[rank], :] = values
        return nodal

    def add(self, nodal: NDArray[Any]) -> NDArray[Any]:
        """Add the values of other ranks' nodes to those that their owners have, in place.

        Parameters
        ----------
        nodal : ndarray, (..., N, d)
            Values at the nodes.

        Returns
        -------
        ndarray
            The same array; its values at own nodes are sums, in the order of the ranks.
        """
        coming = self._exchanged(nodal, self.received, self.sent)
        for rank, values in sorted(coming.items()):
            nodal[..., self.sent[rank], :] += values
        return nodal

    def _exchanged(
        self, nodal: NDArray[Any], going: Mapping[int, Ints], awaited: Mapping[int, Ints]
    ) -> dict[int, NDArray[Any]]:
        """Send the values of nodes to other ranks, and return those that come from them."""
        waiting, coming, kept = [], {}, []
        *before, _, components = nodal.shape
        for rank, nodes in awaited.items():
            coming[rank] = np.empty((*before, len(nodes), components), nodal.dtype)
            waiting.append(self._communicator.Irecv(coming[rank], rank))
        for rank, nodes in going.items():
            kept.append(np.ascontiguousarray(nodal[..., nodes, :]))
            waiting.append(self._communicator.Isend(kept[-1], rank))
        for request in waiting:
            request.Wait()
        return coming


def halo_of(ranks: Ranks, counts: Sequence[int], used: Ints) -> tuple[Halo, Ints]:
    """Return the halo of items that are numbered over all ranks, rank by rank.

    Parameters
    ----------
    ranks : Ranks
        Several ranks.
    counts : sequence of int
        Number of items that each of them owns.
    used : ndarray of int
        Numbers of items that this rank reads; those that it owns are added.

    Returns
    -------
    halo : Halo
        Of the items here.
    numbers : ndarray of int, (N,)
        Their numbers among those of all ranks, ascending.
    """
    assert isinstance(ranks, MpiRanks)
    bounds = np.cumsum([0, *counts])
    first, last = bounds[ranks.number : ranks.number + 2]
    numbers = np.union1d(used, np.arange(first, last))
    own = (numbers >= first) & (numbers < last)
    owner = np.searchsorted(bounds, numbers, side="right") - 1
    received = {int(r): np.flatnonzero(owner == r) for r in np.unique(owner[~own])}
    wanted = ranks.gathered({r: numbers[places] for r, places in received.items()})
    sent = {
        rank: np.searchsorted(numbers, theirs[ranks.number])
        for rank, theirs in enumerate(wanted)
        if ranks.number in theirs
    }
    return Halo(ranks, own, sent, received), numbers
