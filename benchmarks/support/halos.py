# SPDX-License-Identifier: BSD-3-Clause
"""What the parts of a mesh exchange, counted, and what that predicts for many processes."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log, log2
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

#: Of one iteration of conjugate gradients with a V-cycle, on every level: products with the matrix,
#: each after an exchange of halos, and steps between levels; sums over all processes, of one number
#: each (solvers/conjugate.py, vcycle.py). All but one product are in single precision.
PRODUCTS, TRANSFERS, SUMS = 5, 2, 7
#: A level has this fraction of the nodes of the one above, six unknowns each.
COARSER = 1.0 / 25.0
INSIDE = 64  # parts, of which some have no side on the surface of the mesh


@dataclass(frozen=True, slots=True)
class Network:
    """Assumptions about a machine.

    Attributes
    ----------
    latency : float
        Of a message between two processes, s.
    bandwidth : float
        Of a process, bytes/s: its share of its machine's link.
    """

    latency: float = 2e-6
    bandwidth: float = 0.4e9


def cells_of(size: int) -> Ints:
    """Return the nodes of the hex8 of a cube, (size^3, 8)."""
    along = np.arange(size)
    x, y, z = np.meshgrid(along, along, along, indexing="ij")
    first = ((x * (size + 1) + y) * (size + 1) + z).reshape(-1, 1)
    steps = [(i * (size + 1) + j) * (size + 1) + k for i in (0, 1) for j in (0, 1) for k in (0, 1)]
    return np.asarray(first + np.array(steps))


def graph_of(cells: Ints, nodes: int) -> tuple[Ints, Ints]:
    """Return pointers and columns of the neighbours of every node, not including itself."""
    from scipy.sparse import csr_matrix

    ones = np.ones(cells.size, dtype=np.int32)
    rows = np.repeat(np.arange(len(cells)), cells.shape[1])
    incidence = csr_matrix((ones, (rows, cells.ravel())), shape=(len(cells), nodes))
    graph = (incidence.T @ incidence).tocsr()
    graph.setdiag(0)
    graph.eliminate_zeros()
    return graph.indptr.astype(np.int64), graph.indices.astype(np.int64)


def counted(cells: Ints, owner: Ints, parts: int) -> dict[str, Any]:
    """Return what the parts of a mesh have and exchange, exactly.

    Parameters
    ----------
    cells : ndarray of int, (E, 8)
        Nodes of the elements.
    owner : ndarray of int, (N,)
        The part of every node.
    parts : int
        Their number.

    Returns
    -------
    dict
        Own nodes, elements that reach them, nodes of others that these reach (a halo), parts that
        own these: mean and largest of each. Bytes are those of displacements in double precision
        that a part receives for one product.
    """
    reach = np.unique(
        (owner[cells] * len(cells) + np.arange(len(cells))[:, None]).ravel()
    )  # every element once for every part that it reaches
    part, cell = np.divmod(reach, len(cells))
    nodes = cells[cell]
    pairs = np.unique((part[:, None] * len(owner) + nodes).ravel())
    who, node = np.divmod(pairs, len(owner))
    others = owner[node] != who
    halo = np.bincount(who[others], minlength=parts)
    neighbours = np.unique(who[others] * parts + owner[node[others]])
    each = {
        "own nodes": np.bincount(owner, minlength=parts),
        "elements": np.bincount(part, minlength=parts),
        "halo nodes": halo,
        "messages": np.bincount(neighbours // parts, minlength=parts),
        "bytes": 24 * halo,
    }
    return {
        "parts": parts,
        **{name: {"mean": float(x.mean()), "largest": int(x.max())} for name, x in each.items()},
    }


def shell(own: float, layers: int) -> float:
    """Return the nodes in layers around a cube of so many nodes."""
    return float((own ** (1 / 3) + layers) ** 3 - own)


def surface(found: list[dict[str, Any]]) -> tuple[float, float]:
    """Return how much larger halos, and elements beyond own nodes, are than those of cubes.

    The largest ones, of partitions that have parts inside of the mesh.
    """
    inside = [one for one in found if one["parts"] >= INSIDE] or found
    halo, more = [], []
    for one in inside:
        own = one["own nodes"]["mean"]
        halo.append(one["halo nodes"]["largest"] / shell(own, 2))
        more.append((one["elements"]["largest"] - own) / shell(own, 1))
    return max(halo), max(more)


def predicted(
    unknowns: float,
    processes: int,
    *,
    shape: tuple[float, float],
    messages: float,
    rate: float,
    setup: float,
    iterations: int,
    network: Network,
) -> dict[str, float]:
    """Return the seconds of a static solution by many processes, on paper.

    Parameters
    ----------
    unknowns, processes : float, int
        Of the whole model.
    shape : tuple of float
        Of :func:`surface`.
    messages : float
        Neighbours of a part.
    rate, setup : float
        Seconds per unknown of an iteration and of the set-up, of one process.
    iterations : int
        Number of iterations.
    network : Network
        Latency and bandwidth.
    """
    own, halos, latencies = unknowns / 3 / processes, 0.0, 0.0
    several = processes > 1
    imbalance = 1.0 + several * shape[1] * shell(own, 1) / own
    nodes, size = own, 3
    for _ in range(max(1, ceil(log(max(unknowns / 3, 2.0) / 300) / log(1 / COARSER)))):
        halo = shape[0] * shell(max(nodes, 1.0), 2)
        halos += halo * size * (8 + 4 * (PRODUCTS - 1 + TRANSFERS))
        latencies += (PRODUCTS + TRANSFERS) * messages
        nodes, size = nodes * COARSER, 6
    sums = SUMS * 2 * ceil(log2(processes))
    work = rate * imbalance * unknowns / processes
    waits = network.latency * (latencies * several + sums)
    sent = halos / network.bandwidth * several
    each = work + waits + sent
    begin = setup * imbalance * unknowns / processes
    return {
        "unknowns": unknowns, "processes": processes, "set up": begin,
        "work of an iteration": work, "latency": waits, "halos": sent,
        "all": begin + iterations * each, "working": work / each,
    }  # fmt: skip
