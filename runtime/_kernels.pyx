# SPDX-License-Identifier: BSD-3-Clause
# cython: language_level=3
"""Reads the table of a library of kernels: descriptors in, Python dictionaries out."""

cdef extern from "flexforge.h":
    int FLEXFORGE_ABI
    int FLEXFORGE_LANES
    ctypedef void (*flexforge_function)()
    ctypedef struct flexforge_kernel:
        int abi
        const char *name
        const char *element
        const char *cell
        const char *term
        const char *formalism
        const char *frame
        const char *scalar
        const char *units
        const char *symmetry
        const char *structure
        int lanes
        int nodes
        int dimension
        int rows
        int columns
        int state_vectors
        int parameter_count
        const char **parameter_names
        const char **parameter_units
        long additions
        long products
        long quotients
        long roots
        long fused
        long bytes
        long stack
        long workspace
        int level
        const char *hash
        flexforge_function function

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
        })
    return result
