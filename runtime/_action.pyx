# SPDX-License-Identifier: BSD-3-Clause
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""One sweep over the elements that applies a matrix nobody formed.

Positions and node numbers lie ready, batch by batch; what a batch reads streams from memory.
"""

from cython.parallel cimport prange
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free
from libc.string cimport memset

cdef extern from "stdlib.h" nogil:
    void *aligned_alloc(size_t alignment, size_t size) noexcept

ctypedef void (*kernel_function)(const double *, const double *, const double *, double *,
                                 double *) noexcept nogil


def pack(const double[:, ::1] points, const int32_t[:, ::1] cells, const int32_t[::1] owner,
         const int32_t[::1] elements, const int64_t[::1] shares, const int64_t[::1] batches,
         int lanes, double[:, :, :, ::1] coordinates, int32_t[:, :, ::1] sources,
         int32_t[:, :, ::1] targets, int threads):
    """Lay positions (batch, node, component, lane) and node numbers (batch, node, lane) ready.

    ``targets`` are the nodes a thread adds to: its row beyond the last node takes what belongs to
    another thread, and what the copies give that fill a short batch.
    """
    cdef Py_ssize_t nodes = cells.shape[1], dimension = points.shape[1], b, a, i, l
    cdef int64_t k, count
    cdef int32_t e, node, points_count = <int32_t>points.shape[0]
    cdef int t
    for t in prange(threads, nogil=True, num_threads=threads, schedule="static"):
        for b in range(batches[t], batches[t + 1]):
            k = shares[t] + (b - batches[t]) * lanes
            count = min(<int64_t>lanes, shares[t + 1] - k)
            for l in range(lanes):
                e = elements[k + min(<int64_t>l, count - 1)]
                for a in range(nodes):
                    node = cells[e, a]
                    sources[b, a, l] = node
                    targets[b, a, l] = node if l < count and owner[node] == t else points_count + t
                    for i in range(dimension):
                        coordinates[b, a, i, l] = points[node, i]


cdef inline void _gather(const double *x, const int32_t *sources, double *packed,
                         Py_ssize_t nodes, const int size, const int lanes) noexcept nogil:
    """Pack nodal vectors as [node][component][lane]."""
    cdef Py_ssize_t a
    cdef int l, i
    cdef const double *row
    for a in range(nodes):
        for l in range(lanes):
            row = x + <Py_ssize_t>sources[a * lanes + l] * size
            for i in range(size):
                packed[(a * size + i) * lanes + l] = row[i]


cdef inline void _scatter(const double *packed, const int32_t *targets, double *y,
                          Py_ssize_t nodes, const int size, const int lanes) noexcept nogil:
    """Add [node][component][lane] to nodal vectors, element after element."""
    cdef Py_ssize_t a
    cdef int l, i
    cdef double *row
    for l in range(lanes):
        for a in range(nodes):
            row = y + <Py_ssize_t>targets[a * lanes + l] * size
            for i in range(size):
                row[i] += packed[(a * size + i) * lanes + l]


cdef int _sweep(kernel_function kernel, const double *parameters, const double *coordinates,
                const int32_t *sources, const int32_t *targets, const double *x,
                Py_ssize_t vectors, Py_ssize_t stride, double *y, Py_ssize_t first,
                Py_ssize_t last, Py_ssize_t nodes, int size, int lanes,
                long workspace) noexcept nogil:
    """Apply the elements of batches first .. last-1."""
    cdef Py_ssize_t vector = nodes * size * lanes, b, r
    cdef Py_ssize_t room = (vectors + 1) * vector + (workspace + 7) // 8
    cdef double *scratch = <double *>aligned_alloc(64, 64 * ((room + 7) // 8))
    cdef double *result = scratch + vectors * vector
    cdef double *work = result + vector
    if scratch == NULL:
        return -1
    for b in range(first, last):
        for r in range(vectors):
            if size == 3 and lanes == 8:
                _gather(x + r * stride, sources + b * nodes * lanes, scratch + r * vector,
                        nodes, 3, 8)
            elif size == 2 and lanes == 8:
                _gather(x + r * stride, sources + b * nodes * lanes, scratch + r * vector,
                        nodes, 2, 8)
            else:
                _gather(x + r * stride, sources + b * nodes * lanes, scratch + r * vector,
                        nodes, size, lanes)
        kernel(coordinates + b * vector, parameters, scratch, result, work)
        if size == 3 and lanes == 8:
            _scatter(result, targets + b * nodes * lanes, y, nodes, 3, 8)
        elif size == 2 and lanes == 8:
            _scatter(result, targets + b * nodes * lanes, y, nodes, 2, 8)
        else:
            _scatter(result, targets + b * nodes * lanes, y, nodes, size, lanes)
    free(scratch)
    return 0


def apply(size_t function, const double[::1] parameters, const double[:, :, :, ::1] coordinates,
          const int32_t[:, :, ::1] sources, const int32_t[:, :, ::1] targets,
          const int64_t[::1] batches, long workspace, const double[:, :, ::1] x,
          double[:, ::1] y):
    """Write what the elements make of nodal vectors (vectors, nodes, size) to ``y``.

    ``y`` has a row more for every thread than there are nodes.
    """
    cdef kernel_function kernel = <kernel_function><void *>function
    cdef Py_ssize_t total = y.shape[0] * y.shape[1], stride = x.shape[1] * x.shape[2]
    cdef const double *parameter = &parameters[0] if parameters.shape[0] else NULL
    cdef const double *position = &coordinates[0, 0, 0, 0]
    cdef const int32_t *source = &sources[0, 0, 0]
    cdef const int32_t *target = &targets[0, 0, 0]
    cdef int threads = <int>batches.shape[0] - 1, t, failed = 0
    for t in prange(threads, nogil=True, num_threads=threads, schedule="static"):
        memset(&y[0, 0] + total * t // threads, 0,
               (total * (t + 1) // threads - total * t // threads) * sizeof(double))
    for t in prange(threads, nogil=True, num_threads=threads, schedule="static"):
        failed += _sweep(kernel, parameter, position, source, target, &x[0, 0, 0], x.shape[0],
                         stride, &y[0, 0], batches[t], batches[t + 1], sources.shape[1],
                         <int>x.shape[2], <int>sources.shape[2], workspace)
    if failed:
        raise MemoryError
