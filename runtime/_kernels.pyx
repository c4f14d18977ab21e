# SPDX-License-Identifier: BSD-3-Clause
# cython: language_level=3
"""Reads the table of a library of kernels, and calls a kernel on arrays of elements."""

cimport cython
from cython.parallel cimport prange
from flexforge.kernels cimport (
    FLEXFORGE_ABI,
    flexforge_bad_elements,
    flexforge_check_double,
    flexforge_check_float,
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
    """Return the version of flexforge.h with which this runtime was compiled."""
    return FLEXFORGE_ABI


def most_lanes():
    """Return the largest number of elements per call in the loops of this runtime."""
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
        One per kernel; ``function`` is an address. A descriptor of another ABI version has only
        the fields that never change: ``abi`` and ``name``.
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


cdef void _share(const flexforge_kernel *kernel, size_t count, const real *coordinates,
                 const real *parameters, const real *state, real *out, void *memory) noexcept nogil:
    """Evaluate some consecutive elements."""
    if real is double:
        flexforge_elements_double(kernel, count, coordinates, parameters, state, out, memory)
    else:
        flexforge_elements_float(kernel, count, coordinates, parameters, state, out, memory)


@cython.boundscheck(False)
@cython.wraparound(False)
@cython.cdivision(True)
def evaluate(size_t descriptor, const real[:, ::1] coordinates, const real[::1] parameters,
             const real[:, ::1] state, real[:, ::1] out, int threads):
    """Write the results of a kernel for every element, one row each, to ``out`` (E, entries).

    A thread takes whole batches, the same as with one thread: results are bit-identical for any
    number. The caller has checked scalars and shapes: at least one element and one parameter.
    """
    cdef const flexforge_kernel *kernel = <const flexforge_kernel *><void *>descriptor
    cdef const real *given = &state[0, 0] if state.shape[1] else NULL
    cdef Py_ssize_t count = coordinates.shape[0], lanes = kernel.lanes
    cdef Py_ssize_t batches = (count + lanes - 1) // lanes, vectors = state.shape[1], begin, end
    cdef size_t room = (flexforge_memory(kernel) + 63) // 64 * 64  # so that threads share no cache line
    cdef int t
    cdef char *memory = <char *>malloc(threads * room)
    if memory == NULL:
        raise MemoryError
    for t in prange(threads, nogil=True, num_threads=threads, schedule="static"):
        begin = batches * t // threads * lanes
        end = min(batches * (t + 1) // threads * lanes, count)
        if begin < end:
            _share(kernel, end - begin, &coordinates[begin, 0], &parameters[0],
                   given + begin * vectors if given != NULL else NULL, &out[begin, 0],
                   memory + t * room)
    free(memory)


@cython.boundscheck(False)
@cython.wraparound(False)
def check(size_t descriptor, const real[:, ::1] coordinates):
    """Check the geometry of elements, one row each, with their kernel ``jacobian``.

    Returns
    -------
    count, first : int
        Number of bad elements, and the first of them, from 0.
    point : int
        Its first bad point, from 1.
    determinant : float
        Determinant of the Jacobian there.
    points : int
        Number of points at which an element is checked.
    """
    cdef const flexforge_kernel *kernel = <const flexforge_kernel *><void *>descriptor
    cdef size_t count = coordinates.shape[0]
    cdef flexforge_bad_elements found
    cdef void *memory = malloc(flexforge_memory(kernel))
    if memory == NULL:
        raise MemoryError
    with nogil:
        if real is double:
            found = flexforge_check_double(kernel, count, &coordinates[0, 0], memory)
        else:
            found = flexforge_check_float(kernel, count, &coordinates[0, 0], memory)
    free(memory)
    return found.count, found.first, found.point, found.determinant, kernel.rows
