# SPDX-License-Identifier: BSD-3-Clause
"""Ranks that MPI has started."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import sqrt
from types import ModuleType
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.machine.launcher import processes_started
from flexforge.runtime.ranks.ranks import ONE, Item, Ranks, Value
from numpy.typing import NDArray

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm


class MpiRanks(Ranks):
    """The ranks of a communicator.

    Parameters
    ----------
    communicator : mpi4py.MPI.Intracomm
        Of the ranks.
    """

    def __init__(self, communicator: Intracomm) -> None:
        self.communicator = communicator
        self.number, self.count = communicator.rank, communicator.size

    def total(self, value: Value) -> Value:
        """Return the sum of a number, or of arrays of one shape, over the ranks."""
        if isinstance(value, np.ndarray):
            found = np.empty_like(value)
            self.communicator.Allreduce(np.ascontiguousarray(value), found)
            return found
        total: float = self.communicator.allreduce(value)
        return total

    def largest(self, value: float) -> float:
        """Return the largest of the numbers of all ranks; NaN where one is."""
        return float(np.max(self.communicator.allgather(value)))

    def norm(self, x: NDArray[Any]) -> float:
        """Return the Euclidean norm of a vector."""
        return sqrt(self.total(float(np.vdot(x, x).real)))

    def gathered(self, item: Item) -> list[Item]:
        """Return what all ranks hand over, to every one of them."""
        items: list[Item] = self.communicator.allgather(item)
        return items

    def collected(self, item: Item) -> list[Item] | None:
        """Return what all ranks hand over, to the first; None to the others."""
        items: list[Item] | None = self.communicator.gather(item)
        return items

    def exchanged(self, items: Sequence[Item]) -> list[Item]:
        """Hand one item to every rank, and return what they hand to this one, rank by rank."""
        found: list[Item] = self.communicator.alltoall(items)
        return found

    def handed_out(self, items: Iterable[Item] | None) -> Item:
        """Return this rank's item of those that the first rank hands out."""
        if self.is_first:
            assert items is not None
            own: list[Item] = []
            for number, item in enumerate(items):
                if number:
                    self.communicator.send(item, number)
                else:
                    own.append(item)
            return own[0]
        found: Item = self.communicator.recv(source=0)
        return found

    @property
    def on_this_machine(self) -> int:
        """Number of ranks that share the cores of this one's machine."""
        from mpi4py import MPI

        near = self.communicator.Split_type(MPI.COMM_TYPE_SHARED)
        count = int(near.size)
        near.Free()
        return count


def petsc() -> ModuleType:
    """Return PETSc, which leaves signals to us.

    Raises
    ------
    ImportError
        Without petsc4py.
    """
    import petsc4py

    petsc4py.init(["flexforge", "-no_signal_handler"])  # by all ranks at once
    from petsc4py import PETSc

    return cast(ModuleType, PETSc)


def ranks_here() -> Ranks:
    """Return the ranks of this run: those that MPI has started, or this process alone.

    Raises
    ------
    InputError
        When there are several, but not what they need to run together.
    """
    count = processes_started()
    if count == 1:
        return ONE
    try:
        from mpi4py import MPI

        petsc()
    except (ImportError, ValueError) as error:  # ValueError: compiled for another NumPy
        raise InputError(
            f"mpirun has started {count} processes, which need mpi4py and petsc4py ({error}); "
            "expected them installed: see docs/distributed.md"
        ) from None
    return MpiRanks(MPI.COMM_WORLD)
