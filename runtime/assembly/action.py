# SPDX-License-Identifier: BSD-3-Clause
"""Matrix-free products: one sweep of a kernel over the elements."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime import _action
from flexforge.runtime.arrays import Floats
from flexforge.runtime.assembly.assemble import Scalars, kernel_parameters
from flexforge.runtime.assembly.calls import CompiledKernel
from flexforge.runtime.assembly.graph import Graph
from numpy.typing import NDArray

Index = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Action:
    """The product of an element matrix of a body with nodal vectors.

    Attributes
    ----------
    kernel : CompiledKernel
        An action: ``stiffness_action``, ``tangent_action``, ``mass_action`` or ``motion_action``.
    nodes : int
        Number of nodes.
    coordinates : ndarray, (batches, nodes, dimension, lanes)
        Positions in the order that the kernel reads, m.
    sources, targets : ndarray of int32, (batches, nodes, lanes)
        Nodes it reads from and adds to: one array if they are the same.
    batches, shares : ndarray of int64, (threads + 1,)
        Start of the batches and of the elements of every thread.
    """

    kernel: CompiledKernel
    nodes: int
    coordinates: Floats
    sources: Index
    targets: Index
    batches: NDArray[np.int64]
    shares: NDArray[np.int64]

    def __call__(self, x: Floats, values: Scalars, out: Floats | None = None) -> Floats:
        """Return the matrix times nodal vectors; bit-identical for any number of threads.

        Parameters
        ----------
        x : ndarray, (P, dimension); (2, P, dimension) for ``tangent_action``
            Nodal vectors: d; d and the vector; d, d' and d'' for ``motion_action``, (3, P, ..).
        values : mapping
            Scalar arguments of the kernel by name: material, section, motion of the frame.
        out : ndarray, (P + threads, dimension), optional
            Memory to reuse; its content is overwritten.

        Returns
        -------
        ndarray, (P, dimension)
            A part of ``out``.

        Raises
        ------
        InputError
            When a scalar argument is missing or an array has another shape.
        """
        dimension = self.coordinates.shape[2]
        vectors = self.kernel.state_vectors
        expected = (*((vectors,) if vectors > 1 else ()), self.nodes, dimension)
        if x.shape != expected:
            raise InputError(
                f"{self.kernel.name}: found nodal vectors of shape {x.shape}; expected {expected}"
            )
        room = (self.nodes + len(self.batches) - 1, dimension)
        if out is None:
            out = np.empty(room)
        elif out.shape != room:
            raise InputError(f"{self.kernel.name}: found out of shape {out.shape}; expected {room}")
        _action.apply(
            self.kernel.function,
            kernel_parameters(self.kernel, values),
            self.coordinates,
            self.sources,
            self.targets,
            self.batches,
            self.shares,
            self.kernel.workspace,
            np.ascontiguousarray(x).reshape(vectors, *expected[-2:]),
            out,
        )
        return out[: self.nodes]

    @property
    def bytes_per_element(self) -> int:
        """Memory traffic per element: its positions and the numbers of its nodes."""
        numbers = 4 if self.targets is self.sources else 8
        return self.kernel.nodes * (8 * self.kernel.dimension + numbers)


def build_action(kernel: CompiledKernel, graph: Graph, points: Floats) -> Action:
    """Prepare the data of an action.

    Parameters
    ----------
    kernel : CompiledKernel
        An action kernel.
    graph : Graph
        Elements, and the owner of each node; its number of threads is used.
    points : ndarray, (P, dimension)
        Nodal positions, m.

    Raises
    ------
    InputError
        When the kernel is not an action.
    """
    if not kernel.term.endswith("_action"):
        raise InputError(
            f"{kernel.name}: term '{kernel.term}' is not an action; expected stiffness_action, "
            "tangent_action, mass_action or motion_action"
        )
    lanes, threads = kernel.lanes, graph.threads
    counts = -(-np.diff(graph.shares) // lanes)
    batches = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    shape = (int(batches[-1]), kernel.nodes)
    coordinates = _aligned((*shape, kernel.dimension, lanes))
    sources = np.empty((*shape, lanes), dtype=np.int32)
    targets = np.empty_like(sources)
    _action.pack(
        np.ascontiguousarray(points),
        graph.cells,
        graph.owner,
        graph.elements,
        graph.shares,
        batches,
        lanes,
        coordinates,
        sources,
        targets,
        threads,
    )
    if threads == 1:  # all nodes are its own
        targets = sources
    return Action(kernel, len(points), coordinates, sources, targets, batches, graph.shares)


def _aligned(shape: tuple[int, ...]) -> Floats:
    """Return an array aligned to a cache line, so that no load of eight doubles crosses one."""
    size = int(np.prod(shape))
    raw = np.empty(size + 8)
    first = -raw.ctypes.data % 64 // 8
    return raw[first : first + size].reshape(shape)
