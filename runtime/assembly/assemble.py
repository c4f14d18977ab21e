# SPDX-License-Identifier: BSD-3-Clause
"""From element kernels to matrices and vectors over the nodes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime import _assembly
from flexforge.runtime.arrays import Floats
from flexforge.runtime.assembly.calls import CompiledKernel
from flexforge.runtime.assembly.graph import Graph
from numpy.typing import NDArray

#: Scalar arguments of kernels by name; of one that differs between elements, an array (E,).
Scalars: TypeAlias = Mapping[str, float | Floats]


def kernel_parameters(kernel: CompiledKernel, values: Scalars) -> Floats:
    """Return the scalar arguments of a kernel in its order, the same for all elements.

    Raises
    ------
    InputError
        When one is missing, or the kernel does not compute in double precision.
    """
    if kernel.scalar != "double":
        raise InputError(
            f"kernel '{kernel.name}': computes in {kernel.scalar}; expected double, in which "
            "matrices are assembled"
        )
    missing = [name for name in kernel.parameters if name not in values]
    if missing:
        raise InputError(
            f"element '{kernel.element}': no value for parameter '{missing[0]}' of its "
            f"{kernel.term}; expected one in 'parameters'"
        )
    return np.array([values[name] for name in kernel.parameters], dtype=np.float64)


def element_parameters(kernel: CompiledKernel, values: Scalars, elements: int) -> Floats:
    """Return the scalar arguments of a kernel, (1, n), or where some are arrays (elements, n)."""
    if all(np.ndim(values.get(name, 0.0)) == 0 for name in kernel.parameters):
        return kernel_parameters(kernel, values)[None]
    kernel_parameters(kernel, dict.fromkeys(values, 0.0))  # refuses what is missing
    each = [np.broadcast_to(values[name], elements) for name in kernel.parameters]
    return np.ascontiguousarray(np.column_stack(each), dtype=np.float64)


def some_of(values: Scalars, elements: slice | NDArray[np.integer]) -> dict[str, float | Floats]:
    """Return the scalar arguments of some elements: those of arrays have one each.

    Parameters
    ----------
    values : mapping
        Scalar arguments of all elements.
    elements : slice or ndarray of int
        Which elements.
    """
    return {
        name: one[elements] if isinstance(one, np.ndarray) and one.ndim else one
        for name, one in values.items()
    }


def assemble_matrix(
    kernel: CompiledKernel,
    graph: Graph,
    points: Floats,
    values: Scalars,
    *,
    state: Floats | None = None,
    csr: bool = False,
    out: Floats | None = None,
) -> Floats:
    """Return the values of the sum of all element matrices on the graph of the nodes.

    Parameters
    ----------
    kernel : CompiledKernel
        Term with as many columns as rows.
    graph : Graph
        The pattern; its number of threads is used. The result is bit-identical for any number.
    points : ndarray, (P, dimension)
        Nodal positions, m.
    values : mapping
        Scalar arguments by name; of one that differs between elements, an array (E,).
    state : ndarray, (P, dimension) or (vectors, P, dimension), optional
        Nodal vectors that the kernel reads: displacements, m, and temperatures of bodies that grow,
        K, in first components.
    csr : bool
        Order of the values: rows of a node one after the other, as in CSR, instead of block by
        block, as in BSR. For a scalar matrix both are the same.
    out : ndarray, (nnz * size**2,), optional
        Memory to reuse; its content is overwritten.

    Returns
    -------
    ndarray, (nnz * size**2,)
        ``size`` is the number of rows per node: 1 for scalar matrices.
    """
    size = kernel.rows // kernel.nodes
    count = graph.nnz * size * size
    out = np.empty(count) if out is None else out
    _assembly.assemble_matrix(
        *_arguments(kernel, points, values, state, len(graph.cells)),
        graph.cells,
        graph.places,
        graph.pointers,
        graph.owner,
        graph.elements,
        graph.shares,
        kernel.lanes,
        kernel.workspace,
        size,
        csr,
        out,
    )
    return out


def assemble_vector(
    kernel: CompiledKernel,
    cells: NDArray[np.integer],
    points: Floats,
    values: Scalars,
    *,
    state: Floats | None = None,
) -> Floats:
    """Return the sum of all element vectors.

    Parameters
    ----------
    kernel : CompiledKernel
        Term with one row per node, or one row per nodal coordinate and one column.
    cells : ndarray of int, (E, nodes)
        Nodes of the elements.
    points, values, state
        As in :func:`assemble_matrix`.

    Returns
    -------
    ndarray, (P, columns)
    """
    columns = kernel.rows * kernel.columns // kernel.nodes
    out = np.zeros((len(points), columns))
    _assembly.assemble_vector(
        *_arguments(kernel, points, values, state, len(cells)),
        np.ascontiguousarray(cells, dtype=np.int32),
        kernel.lanes,
        kernel.workspace,
        out,
    )
    return out


def evaluate(
    kernel: CompiledKernel,
    cells: NDArray[np.integer],
    points: Floats,
    values: Scalars,
    *,
    state: Floats | None = None,
) -> Floats:
    """Return the results of a kernel for every element.

    Parameters
    ----------
    kernel : CompiledKernel
        Any term.
    cells : ndarray of int, (E, nodes)
        Nodes of the elements.
    points, values, state
        As in :func:`assemble_matrix`.

    Returns
    -------
    ndarray, (E, rows, columns)
    """
    out = np.empty((len(cells), kernel.rows * kernel.columns))
    _assembly.evaluate(
        *_arguments(kernel, points, values, state, len(cells)),
        np.ascontiguousarray(cells, dtype=np.int32),
        kernel.lanes,
        kernel.workspace,
        out,
    )
    return out.reshape(len(cells), kernel.rows, kernel.columns)


def _arguments(
    kernel: CompiledKernel,
    points: Floats,
    values: Scalars,
    state: Floats | None,
    elements: int,
) -> tuple[int, Floats, Floats, Floats]:
    """Return the arguments of the loops, the state as they require it: (vectors, P, dimension)."""
    read = np.zeros((0, *points.shape))
    if kernel.state_vectors:
        assert state is not None
        read = np.ascontiguousarray(state.reshape(kernel.state_vectors, *points.shape))
    parameters = element_parameters(kernel, values, elements)
    return kernel.function, np.ascontiguousarray(points), parameters, read
