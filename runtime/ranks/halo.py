# SPDX-License-Identifier: BSD-3-Clause
"""Exchange of nodal values: nodes of other ranks get the values that their owners have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from flexforge.runtime.arrays import Ints
from flexforge.runtime.ranks.mpi import MpiRanks
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
        waiting, coming = [], {}
        for rank, nodes in self.received.items():
            coming[rank] = np.empty((*nodal.shape[:-2], len(nodes), nodal.shape[-1]), nodal.dtype)
            waiting.append(self._communicator.Irecv(coming[rank], rank))
        for rank, nodes in self.sent.items():
            going = np.ascontiguousarray(nodal[..., nodes, :])
            waiting.append(self._communicator.Isend(going, rank))
        for request in waiting:
            request.Wait()
        for rank, values in coming.items():
            nodal[..., self.received[rank], :] = values
        return nodal
