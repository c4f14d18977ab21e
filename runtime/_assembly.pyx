# SPDX-License-Identifier: BSD-3-Clause
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""Loops over elements: sparsity pattern, matrices into CSR or BSR, vectors, nodal averages.

Every thread owns a set of nodes and adds only to their rows; elements on a border are computed by
each of its owners. Contributions are added in the order of the elements, so a result is
bit-identical for any number of threads, and no row needs a lock.
"""

from cython.parallel cimport prange
from libc.stdint cimport int32_t, int64_t, uint16_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

cdef extern from "stdlib.h" nogil:
    void *aligned_alloc(size_t alignment, size_t size) noexcept

cdef extern from "flexforge.h":
    enum: FLEXFORGE_LANES

ctypedef void (*kernel_function)(const double *, const double *, const double *, double *,
                                 double *) noexcept nogil


cdef double *_allocate(Py_ssize_t count) noexcept nogil:
    """Return an array aligned to cache lines; its size must be a multiple of a line."""
    return <double *>aligned_alloc(64, sizeof(double) * <size_t>_whole_lines(count))


cdef Py_ssize_t _whole_lines(Py_ssize_t count) noexcept nogil:
    """Return a number of scalars rounded up to whole cache lines."""
    return (count + 7) // 8 * 8


cdef void _sort(int32_t *values, Py_ssize_t count) noexcept nogil:
    """Sort a short row in place."""
    cdef Py_ssize_t i, j
    cdef int32_t value
    for i in range(1, count):
        value = values[i]
        j = i
        while j > 0 and values[j - 1] > value:
            values[j] = values[j - 1]
            j = j - 1
        values[j] = value


def node_elements(const int32_t[:, ::1] cells, Py_ssize_t points,
                  int64_t[::1] starts, int32_t[::1] slots):
    """List, for every node, the positions ``element * nodes + a`` at which it occurs, in order."""
    cdef Py_ssize_t elements = cells.shape[0], nodes = cells.shape[1], e, a
    cdef int64_t total = 0, here
    with nogil:
        for e in range(points + 1):
            starts[e] = 0
        for e in range(elements):
            for a in range(nodes):
                starts[cells[e, a]] += 1
        for e in range(points):
            here = starts[e]
            starts[e] = total
            total += here
        for e in range(elements):
            for a in range(nodes):
                here = starts[cells[e, a]]
                slots[here] = <int32_t>(e * nodes + a)
                starts[cells[e, a]] = here + 1
        for e in range(points, 0, -1):
            starts[e] = starts[e - 1]
        starts[0] = 0


cdef int _count_chunk(const int32_t[:, ::1] cells, const int64_t[::1] starts,
                      const int32_t[::1] slots, int32_t[::1] lengths,
                      Py_ssize_t first, Py_ssize_t last) noexcept nogil:
    """Count the distinct neighbours of nodes first .. last-1."""
    cdef Py_ssize_t points = lengths.shape[0], nodes = cells.shape[1], i, b
    cdef int64_t s
    cdef int32_t j, found
    cdef int32_t *seen = <int32_t *>malloc(points * sizeof(int32_t))
    if seen == NULL:
        return -1
    memset(seen, 0xff, points * sizeof(int32_t))
    for i in range(first, last):
        found = 0
        for s in range(starts[i], starts[i + 1]):
            for b in range(nodes):
                j = cells[slots[s] // nodes, b]
                if seen[j] != i:
                    seen[j] = <int32_t>i
                    found = found + 1
        lengths[i] = found
    free(seen)
    return 0


cdef int _fill_chunk(const int32_t[:, ::1] cells, const int64_t[::1] starts,
                     const int32_t[::1] slots, const int32_t[::1] pointers, int32_t[::1] columns,
                     uint16_t[:, :, ::1] places, Py_ssize_t first, Py_ssize_t last) noexcept nogil:
    """Fill and sort the rows of nodes first .. last-1, and store the position of every pair."""
    cdef Py_ssize_t points = pointers.shape[0] - 1, nodes = cells.shape[1], i, b, e, a
    cdef int64_t s
    cdef int32_t j, k
    cdef int32_t *seen = <int32_t *>malloc(2 * points * sizeof(int32_t))
    cdef int32_t *place = seen + points
    if seen == NULL:
        return -1
    memset(seen, 0xff, points * sizeof(int32_t))
    for i in range(first, last):
        k = pointers[i]
        for s in range(starts[i], starts[i + 1]):
            for b in range(nodes):
                j = cells[slots[s] // nodes, b]
                if seen[j] != i:
                    seen[j] = <int32_t>i
                    columns[k] = j
                    k = k + 1
        _sort(&columns[pointers[i]], k - pointers[i])
        for k in range(pointers[i], pointers[i + 1]):
            place[columns[k]] = k - pointers[i]
        for s in range(starts[i], starts[i + 1]):
            e = slots[s] // nodes
            a = slots[s] - e * nodes
            for b in range(nodes):
                places[e, a, b] = <uint16_t>place[cells[e, b]]
    free(seen)
    return 0


def row_lengths(const int32_t[:, ::1] cells, const int64_t[::1] starts, const int32_t[::1] slots,
                int32_t[::1] lengths, int threads):
    """Count the distinct neighbours of every node."""
    cdef Py_ssize_t points = lengths.shape[0]
    cdef int t, failed = 0
    for t in prange(threads, nogil=True, num_threads=threads, schedule="static"):
        failed += _count_chunk(cells, starts, slots, lengths,
                               points * t // threads, points * (t + 1) // threads)
    if failed:
        raise MemoryError


def fill_rows(const int32_t[:, ::1] cells, const int64_t[::1] starts, const int32_t[::1] slots,
              const int32_t[::1] pointers, int32_t[::1] columns, uint16_t[:, :, ::1] places,
              int threads):
    """Fill the sorted rows of the node graph and the positions of every element's pairs in them."""
    cdef Py_ssize_t points = pointers.shape[0] - 1
    cdef int t, failed = 0
    for t in prange(threads, nogil=True, num_threads=threads, schedule="static"):
        failed += _fill_chunk(cells, starts, slots, pointers, columns, places,
                              points * t // threads, points * (t + 1) // threads)
    if failed:
        raise MemoryError


def expand_pattern(const int32_t[::1] pointers, const int32_t[::1] columns, int size,
                   int32_t[::1] row_starts, int32_t[::1] row_columns, int threads):
    """Write the pattern of the unknowns, ``size`` per node, for the CSR layout of the values."""
    cdef Py_ssize_t nodes = pointers.shape[0] - 1, i
    cdef int r, c
    cdef int64_t start, length, k
    for i in prange(nodes, nogil=True, num_threads=threads, schedule="static"):
        length = pointers[i + 1] - pointers[i]
        for r in range(size):
            start = size * (size * <int64_t>pointers[i] + r * length)
            row_starts[i * size + r] = <int32_t>start
            for k in range(length):
                for c in range(size):
                    row_columns[start + k * size + c] = columns[pointers[i] + k] * size + c
    row_starts[nodes * size] = <int32_t>(<int64_t>pointers[nodes] * size * size)


cdef inline void _gather(const double[:, ::1] values, const int32_t[:, ::1] cells,
                         const int32_t *batch, Py_ssize_t lanes, double *packed) noexcept nogil:
    """Pack nodal vectors of a batch of elements as [nodes][dimension][lanes]."""
    cdef Py_ssize_t nodes = cells.shape[1], dimension = values.shape[1], a, i, l
    cdef int32_t node
    for a in range(nodes):
        for l in range(lanes):
            node = cells[batch[l], a]
            for i in range(dimension):
                packed[(a * dimension + i) * lanes + l] = values[node, i]


cdef inline void _gather_each(const double[:, :, ::1] vectors, const int32_t[:, ::1] cells,
                              const int32_t *batch, Py_ssize_t lanes, double *packed) noexcept nogil:
    """Pack several nodal vectors as [vectors][nodes][dimension][lanes]."""
    cdef Py_ssize_t size = cells.shape[1] * vectors.shape[2] * lanes, k
    for k in range(vectors.shape[0]):
        _gather(vectors[k], cells, batch, lanes, packed + k * size)


cdef inline void _scatter_block(double *target, Py_ssize_t stride, const double *block,
                                Py_ssize_t row_stride, Py_ssize_t lanes,
                                const int size) noexcept nogil:
    """Add a block of one lane to its position in the matrix."""
    cdef int i, j
    for i in range(size):
        for j in range(size):
            target[i * stride + j] += block[i * row_stride + j * lanes]


cdef inline void _scatter(const double *packed, const int32_t[:, ::1] cells,
                          const uint16_t[:, :, ::1] places, const int32_t[::1] pointers,
                          const int32_t[::1] owner, int thread, const int32_t *batch,
                          Py_ssize_t count, Py_ssize_t lanes, bint csr, double *data,
                          const int size) noexcept nogil:
    """Add the matrices of a batch to the rows the thread owns."""
    cdef Py_ssize_t nodes = cells.shape[1], a, b, l, e
    cdef Py_ssize_t row_stride = nodes * size * lanes, stride
    cdef int64_t start, length
    cdef int32_t node
    cdef double *row
    for l in range(count):
        e = batch[l]
        for a in range(nodes):
            node = cells[e, a]
            if owner[node] != thread:
                continue
            start = pointers[node]
            length = pointers[node + 1] - start
            row = data + start * size * size
            # A block row of CSR consists of `size` full rows; in BSR every block is contiguous.
            stride = length * size if csr else size
            for b in range(nodes):
                _scatter_block(row + places[e, a, b] * (size if csr else size * size), stride,
                               packed + (a * size * row_stride + b * size * lanes + l),
                               row_stride, lanes, size)


cdef int _assemble_thread(kernel_function kernel, const double[:, ::1] points,
                          const double[:, ::1] parameters, const double[:, :, ::1] state,
                          const int32_t[:, ::1] cells,
                          const uint16_t[:, :, ::1] places, const int32_t[::1] pointers,
                          const int32_t[::1] owner, const int32_t[::1] elements,
                          Py_ssize_t first, Py_ssize_t last, int thread, Py_ssize_t lanes,
                          long workspace, int size, bint csr, double *data) noexcept nogil:
    """Assemble the elements of one thread, batch by batch."""
    cdef Py_ssize_t nodes = cells.shape[1], dimension = points.shape[1], k, l, count
    cdef Py_ssize_t vector = _whole_lines(nodes * dimension * lanes)
    cdef Py_ssize_t vectors = _whole_lines(state.shape[0] * nodes * dimension * lanes)
    cdef Py_ssize_t matrix = _whole_lines(nodes * nodes * size * size * lanes)
    cdef double *scratch = _allocate(vector + vectors + matrix + (workspace + 7) // 8)
    cdef double *packed_state = scratch + vector
    cdef double *packed = scratch + vector + vectors
    cdef int32_t batch[FLEXFORGE_LANES]
    cdef const double *parameter = &parameters[0, 0] if parameters.shape[1] else NULL
    cdef bint alike = parameters.shape[0] == 1
    if scratch == NULL:
        return -1
    k = first
    while k < last:
        # Elements with arguments of their own are batches of one.
        count = min(lanes, last - k) if alike else 1
        if not alike and parameters.shape[1]:
            parameter = &parameters[elements[k], 0]
        for l in range(lanes):
            # A short batch repeats its last element and ignores the copies.
            batch[l] = elements[k + min(l, count - 1)]
        _gather(points, cells, batch, lanes, scratch)
        _gather_each(state, cells, batch, lanes, packed_state)
        kernel(scratch, parameter, packed_state, packed, packed + matrix)
        if size == 1:
            _scatter(packed, cells, places, pointers, owner, thread, batch, count, lanes, csr,
                     data, 1)
        elif size == 2:
            _scatter(packed, cells, places, pointers, owner, thread, batch, count, lanes, csr,
                     data, 2)
        else:
            _scatter(packed, cells, places, pointers, owner, thread, batch, count, lanes, csr,
                     data, 3)
        k = k + count
    free(scratch)
    return 0


def assemble_matrix(size_t function, const double[:, ::1] points, const double[:, ::1] parameters,
                    const double[:, :, ::1] state, const int32_t[:, ::1] cells,
                    const uint16_t[:, :, ::1] places, const int32_t[::1] pointers,
                    const int32_t[::1] owner, const int32_t[::1] elements,
                    const int64_t[::1] shares, int lanes, long workspace, int size, bint csr,
                    double[::1] data):
    """Write the sum of the matrices of all elements to ``data``.

    Parameters
    ----------
    function : int
        Address of the kernel.
    points : (P, dimension)
        Nodal positions.
    parameters : (1, n) or (E, n)
        Scalar arguments of the kernel, the same for all elements or a row for each.
    state : (vectors, P, dimension)
        Nodal vectors that the kernel reads, displacements first; none if it reads none.
    cells : (E, nodes)
        Nodes of the elements.
    places : (E, nodes, nodes)
        Position of every pair in the row of its first node.
    pointers : (P + 1,)
        Starts of the rows of the node graph.
    owner : (P,)
        Thread that owns a node.
    elements, shares : (S,), (threads + 1,)
        Elements of every thread, ascending, thread by thread.
    lanes, workspace, size : int
        Data of the kernel: elements per call, bytes of workspace, rows per node.
    csr : bool
        Rows of a node one after the other (CSR), or block by block (BSR).
    data : (nnz,)
        Values; existing ones are overwritten.
    """
    cdef int threads = <int>(shares.shape[0] - 1), t, failed = 0
    cdef int64_t total = data.shape[0]
    cdef kernel_function kernel = <kernel_function><void *>function
    # Every thread clears its part, and is therefore the first to touch fresh memory.
    for t in prange(threads, nogil=True, num_threads=threads, schedule="static"):
        memset(&data[total * t // threads], 0,
               (total * (t + 1) // threads - total * t // threads) * sizeof(double))
    for t in prange(threads, nogil=True, num_threads=threads, schedule="static"):
        failed += _assemble_thread(kernel, points, parameters, state, cells, places, pointers,
                                   owner, elements, shares[t], shares[t + 1], t, lanes,
                                   workspace, size, csr, &data[0])
    if failed:
        raise MemoryError


cdef int _each_batch(kernel_function kernel, const double[:, ::1] points,
                     const double[:, ::1] parameters, const double[:, :, ::1] state,
                     const int32_t[:, ::1] cells, Py_ssize_t lanes, long workspace,
                     Py_ssize_t entries, bint nodal, double[:, ::1] out) noexcept nogil:
    """Run a kernel on all elements; add its ``entries`` per element to the nodes, or write them."""
    cdef Py_ssize_t nodes = cells.shape[1], dimension = points.shape[1], columns = out.shape[1]
    cdef Py_ssize_t total = cells.shape[0], k = 0, l, a, i, count
    cdef Py_ssize_t vector = _whole_lines(nodes * dimension * lanes)
    cdef Py_ssize_t result = _whole_lines(entries * lanes)
    cdef Py_ssize_t vectors = _whole_lines(state.shape[0] * nodes * dimension * lanes)
    cdef const double *parameter = &parameters[0, 0] if parameters.shape[1] else NULL
    cdef bint alike = parameters.shape[0] == 1
    cdef int32_t batch[FLEXFORGE_LANES]
    cdef double *scratch = _allocate(vector + vectors + result + (workspace + 7) // 8)
    cdef double *packed = scratch + vector + vectors
    if scratch == NULL:
        return -1
    while k < total:
        count = min(lanes, total - k) if alike else 1
        if not alike and parameters.shape[1]:
            parameter = &parameters[k, 0]
        for l in range(lanes):
            batch[l] = <int32_t>(k + min(l, count - 1))
        _gather(points, cells, batch, lanes, scratch)
        _gather_each(state, cells, batch, lanes, scratch + vector)
        kernel(scratch, parameter, scratch + vector, packed, packed + result)
        for l in range(count):
            if nodal:
                for a in range(nodes):
                    for i in range(columns):
                        out[cells[k + l, a], i] += packed[(a * columns + i) * lanes + l]
            else:
                for i in range(entries):
                    out[k + l, i] = packed[i * lanes + l]
        k = k + count
    free(scratch)
    return 0


def assemble_vector(size_t function, const double[:, ::1] points, const double[:, ::1] parameters,
                    const double[:, :, ::1] state, const int32_t[:, ::1] cells, int lanes,
                    long workspace, double[:, ::1] out):
    """Add the nodal vectors of all elements to ``out`` (P, columns); returns nothing.

    Loads and stresses are assembled once per analysis, not once per step: one thread suffices.
    """
    cdef kernel_function kernel = <kernel_function><void *>function
    cdef int failed
    with nogil:
        failed = _each_batch(kernel, points, parameters, state, cells, lanes, workspace,
                             cells.shape[1] * out.shape[1], True, out)
    if failed:
        raise MemoryError


def evaluate(size_t function, const double[:, ::1] points, const double[:, ::1] parameters,
             const double[:, :, ::1] state, const int32_t[:, ::1] cells, int lanes, long workspace,
             double[:, ::1] out):
    """Write the results of a kernel for every element to ``out`` (E, entries)."""
    cdef kernel_function kernel = <kernel_function><void *>function
    cdef int failed
    with nogil:
        failed = _each_batch(kernel, points, parameters, state, cells, lanes, workspace,
                             out.shape[1], False, out)
    if failed:
        raise MemoryError
