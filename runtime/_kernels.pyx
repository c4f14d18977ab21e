# SPDX-License-Identifier: BSD-3-Clause
# cython: language_level=3
"""Reads the table of a library of kernels, and calls a kernel on arrays of elements."""

from flexforge.kernels cimport (
    FLEXFORGE_ABI,
    flexforge_elements_double,
    flexforge_elements_float,
    flexforge_kernel,
    flexforge_memory,
)
from libc.stdlib cimport free, malloc

cdef extern from "flexforge.h":
    int FLEXFORGE_LANES

ctypedef fused real:
    double
    float

ctypedef const flexforge_kernel *const *(*table_function)(int *count) noexcept


def abi_version():
    """Return the version of flexforge.h this runtime was compiled with."""
    return FLEXFORGE_ABI


def most_lanes():
    """Return how many elements a call the loops of this runtime hold."""
    return FLEXFORGE_LANES


def read_table(size_t address):
    """Return the descriptors of a library.

    Parameters
    ----------
    address : int
        Address of the library's table function.

    Returns
    -------
    list of dict
        One a kernel; ``function`` is an address. A descriptor of another ABI version has only the
        fields that never change: ``abi`` and ``name``.
    """
    cdef int count = 0
    cdef int k
    cdef table_function table = <table_function><void *>address
    cdef const flexforge_kernel *const *entries = table(&count)
    cdef const flexforge_kernel *kernel
    result = []
    for k in range(count):
        kernel = entries[k]
        if kernel.abi != FLEXFORGE_ABI:
            result.append({"abi": kernel.abi, "name": kernel.name.decode()})
            continue
        result.append({
            "abi": kernel.abi,
            "name": kernel.name.decode(),
            "element": kernel.element.decode(),
            "cell": kernel.cell.decode(),
            "term": kernel.term.decode(),
            "formalism": kernel.formalism.decode(),
            "frame": kernel.frame.decode(),
            "scalar": kernel.scalar.decode(),
            "units": kernel.units.decode(),
            "symmetry": kernel.symmetry.decode(),
            "structure": kernel.structure.decode(),
            "lanes": kernel.lanes,
            "nodes": kernel.nodes,
            "dimension": kernel.dimension,
            "rows": kernel.rows,
            "columns": kernel.columns,
            "state_vectors": kernel.state_vectors,
            "parameters": tuple(
                kernel.parameter_names[j].decode() for j in range(kernel.parameter_count)
            ),
            "operations": kernel.additions + kernel.products + kernel.quotients + kernel.roots,
            "bytes": kernel.bytes,
            "stack": kernel.stack,
            "workspace": kernel.workspace,
            "level": kernel.level,
            "hash": kernel.hash.decode(),
            "function": <size_t><void *>kernel.function,
            "descriptor": <size_t><void *>kernel,
        })
    return result


def evaluate(size_t descriptor, const real[:, ::1] coordinates, const real[::1] parameters,
             const real[:, ::1] state, real[:, ::1] out):
    """Write what a kernel delivers of every element, a row each, into ``out`` (E, entries).

    The caller has checked scalars and shapes: one element at least, one parameter at least.
    """
    cdef const flexforge_kernel *kernel = <const flexforge_kernel *><void *>descriptor
    cdef const real *given = &state[0, 0] if state.shape[1] else NULL
    cdef size_t count = coordinates.shape[0]
    cdef void *memory = malloc(flexforge_memory(kernel))
    if memory == NULL:
        raise MemoryError
    with nogil:
        if real is double:
            flexforge_elements_double(kernel, count, &coordinates[0, 0], &parameters[0], given,
                                      &out[0, 0], memory)
        else:
            flexforge_elements_float(kernel, count, &coordinates[0, 0], &parameters[0], given,
                                     &out[0, 0], memory)
        free(memory)
