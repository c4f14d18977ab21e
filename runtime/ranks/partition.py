# SPDX-License-Identifier: BSD-3-Clause
"""Parts of a graph of nodes, about equal and with few neighbours, by PT-Scotch."""

from __future__ import annotations

from typing import Any

import numpy as np
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime.arrays import Ints
from numpy.typing import NDArray

_COUNT = "mat_partitioning_nparts"


def parts_of(pointers: NDArray[Any], columns: NDArray[Any], count: int) -> Ints:
    """Return the number of the part of every node, (N,).

    Parameters
    ----------
    pointers, columns : ndarray of int, (N + 1,), (nnz,)
        Neighbours of every node, not including itself.
    count : int
        Number of parts.

    Raises
    ------
    AnalysisError
        When a part has no nodes.
    """
    from petsc4py import PETSc

    nodes = len(pointers) - 1
    graph = PETSc.Mat().createAIJ(
        (nodes, nodes),
        csr=(pointers.astype(np.int32), columns.astype(np.int32), np.ones(len(columns))),
        comm=PETSc.COMM_SELF,
    )
    adjacent = graph.convert("mpiadj")
    options = PETSc.Options()
    partitioning = PETSc.MatPartitioning().create(PETSc.COMM_SELF)
    found = PETSc.IS()
    try:
        options[_COUNT] = count
        partitioning.setAdjacency(adjacent)
        partitioning.setType("ptscotch")
        partitioning.setFromOptions()
        partitioning.apply(found)
        numbers: Ints = found.getIndices().astype(np.int64)
    finally:
        del options[_COUNT]
        for one in (partitioning, adjacent, found):
            one.destroy()
    if len(np.unique(numbers)) < count:
        raise AnalysisError(f"found no {count} parts of {nodes} nodes; expected fewer processes")
    return numbers
