# SPDX-License-Identifier: BSD-3-Clause
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""Matrix-free products: one sweep over the elements.


Positions and node numbers are stored batch by batch, so each batch reads them sequentially.
"""

from cython.parallel cimport prange
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free
from libc.string cimport memset

cdef extern from "stdlib.h" nogil:
    void *aligned_alloc(size_t alignment, size_t size) noexcept

ctypedef void (*kernel_function)(const double *, const double *, const double *, double *,
                                 double *) noexcept nogil


#: Number of batches by which memory is prefetched.
cdef enum:
    AHEAD = 2


def pack(const double[:, ::1] points, const int32_t[:, ::1] cells, const int32_t[::1] owner,
         const int32_t[::1] elements, const int64_t[::1] shares, const int64_t[::1] batches,
         int lanes, double[:, :, :, ::1] coordinates, int32_t[:, :, ::1] sources,
         int32_t[:, :, ::1] targets, int threads):
    """Prepare positions (batch, node, component, lane) and node numbers (batch, node, lane).

    ``targets`` are the nodes to which a thread adds: its row beyond the last node collects
    contributions to nodes of other threads. A short batch is filled with copies of its last element.
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
                    targets[b, a, l] = node if owner[node] == t else points_count + t
                    for i in range(dimension):
                        coordinates[b, a, i, l] = points[node, i]


cdef extern from *:
    """
    /* Always inlined, so that the compiler knows the sizes where it matters. */
    #if defined(__GNUC__)
    #define flexforge_inline static inline __attribute__((always_inline))
    #else
    #define flexforge_inline static inline
    #endif

    flexforge_inline void flexforge_pack(
        const double *restrict x, const int32_t *restrict sources, double *restrict packed,
        Py_ssize_t nodes, const int size, const int lanes)
    {
        for (Py_ssize_t a = 0; a < nodes; a++)
            for (int l = 0; l < lanes; l++) {
                const double *row = x + (Py_ssize_t)sources[a * lanes + l] * size;
                for (int i = 0; i < size; i++)
                    packed[(a * size + i) * lanes + l] = row[i];
            }
    }

    flexforge_inline void flexforge_add(
        const double *restrict packed, const int32_t *restrict targets, double *restrict y,
        Py_ssize_t nodes, const int size, const int lanes, const int count)
    {
        for (int l = 0; l < count; l++)
            for (Py_ssize_t a = 0; a < nodes; a++) {
                double *row = y + (Py_ssize_t)targets[a * lanes + l] * size;
                for (int i = 0; i < size; i++)
                    row[i] += packed[(a * size + i) * lanes + l];
            }
    }

    /* Prefetches memory of a later batch: a kernel computes too long for the hardware prefetcher. */
    static void flexforge_fetch(const void *begin, Py_ssize_t bytes)
    {
    #if defined(__GNUC__)
        for (Py_ssize_t k = 0; k < bytes; k += 64)
            __builtin_prefetch((const char *)begin + k);
    #endif
    }

    #if defined(__GNUC__) && defined(__has_builtin)
    #if __has_builtin(__builtin_shufflevector)
    #define FLEXFORGE_SHUFFLES
    #endif
    #endif
    #if defined(FLEXFORGE_SHUFFLES) && defined(__x86_64__) && !defined(__clang__)
    #define flexforge_clones __attribute__((target_clones("avx512f", "avx2,fma", "default")))
    #else
    #define flexforge_clones
    #endif

    #ifdef FLEXFORGE_SHUFFLES
    typedef double flexforge_two __attribute__((vector_size(16)));
    typedef double flexforge_pair __attribute__((vector_size(16), aligned(8), may_alias));
    typedef double flexforge_four __attribute__((vector_size(32)));
    typedef double flexforge_eight __attribute__((vector_size(64), may_alias));

    /* The first two components of four nodes, one node after the other. */
    flexforge_inline flexforge_eight flexforge_firsts(
        const double *a, const double *b, const double *c, const double *d)
    {
        const flexforge_two one = *(const flexforge_pair *)a, two = *(const flexforge_pair *)b;
        const flexforge_two three = *(const flexforge_pair *)c, four = *(const flexforge_pair *)d;
        const flexforge_four low = __builtin_shufflevector(one, two, 0, 1, 2, 3);
        const flexforge_four high = __builtin_shufflevector(three, four, 0, 1, 2, 3);
        return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
    }

    /* flexforge_pack of three components and eight lanes: a store of each component of a node takes
       less time than one of each number. */
    flexforge_inline void flexforge_pack_some(
        const double *restrict x, const int32_t *restrict sources, double *restrict packed,
        const Py_ssize_t nodes)
    {
        flexforge_eight *out = (flexforge_eight *)packed;
        for (Py_ssize_t a = 0; a < nodes; a++, out += 3, sources += 8) {
            const double *row[8];
            for (int l = 0; l < 8; l++)
                row[l] = x + (Py_ssize_t)sources[l] * 3;
            const flexforge_eight even = flexforge_firsts(row[0], row[2], row[4], row[6]);
            const flexforge_eight odd = flexforge_firsts(row[1], row[3], row[5], row[7]);
            out[0] = __builtin_shufflevector(even, odd, 0, 8, 2, 10, 4, 12, 6, 14);
            out[1] = __builtin_shufflevector(even, odd, 1, 9, 3, 11, 5, 13, 7, 15);
            out[2] = (flexforge_eight){row[0][2], row[1][2], row[2][2], row[3][2],
                                       row[4][2], row[5][2], row[6][2], row[7][2]};
        }
    }

    /* flexforge_add of three components and eight lanes; overwrites what is packed. */
    flexforge_inline void flexforge_add_some(
        double *restrict packed, const int32_t *restrict targets, double *restrict y,
        const Py_ssize_t nodes)
    {
        flexforge_eight *given = (flexforge_eight *)packed;
        for (Py_ssize_t a = 0; a < nodes; a++, given += 3) {
            const flexforge_eight first = given[0], second = given[1];
            given[0] = __builtin_shufflevector(first, second, 0, 8, 2, 10, 4, 12, 6, 14);
            given[1] = __builtin_shufflevector(first, second, 1, 9, 3, 11, 5, 13, 7, 15);
        }
        for (int l = 0; l < 8; l++) {
            const double *part = packed + 8 * (l % 2) + l / 2 * 2, *third = packed + 16 + l;
            for (Py_ssize_t a = 0; a < nodes; a++, part += 24, third += 24) {
                double *row = y + (Py_ssize_t)targets[a * 8 + l] * 3;
                *(flexforge_pair *)row += *(const flexforge_pair *)part;
                row[2] += *third;
            }
        }
    }

    flexforge_clones static void flexforge_pack_eight(
        const double *restrict x, const int32_t *restrict sources, double *restrict packed,
        Py_ssize_t nodes)
    {
        if (nodes == 8)
            flexforge_pack_some(x, sources, packed, 8);
        else
            flexforge_pack_some(x, sources, packed, nodes);
    }

    flexforge_clones static void flexforge_add_eight(
        double *restrict packed, const int32_t *restrict targets, double *restrict y,
        Py_ssize_t nodes)
    {
        if (nodes == 8)
            flexforge_add_some(packed, targets, y, 8);
        else
            flexforge_add_some(packed, targets, y, nodes);
    }
    #endif

    /* Packs nodal vectors of a batch as [node][component][lane]. */
    static void flexforge_read(
        const double *x, Py_ssize_t vectors, Py_ssize_t stride, const int32_t *sources,
        double *packed, Py_ssize_t nodes, int size, int lanes)
    {
        for (Py_ssize_t r = 0; r < vectors; r++, x += stride, packed += nodes * size * lanes) {
    #ifdef FLEXFORGE_SHUFFLES
            if (size == 3 && lanes == 8) {
                flexforge_pack_eight(x, sources, packed, nodes);
                continue;
            }
    #endif
            if (size == 3 && lanes == 8)
                flexforge_pack(x, sources, packed, nodes, 3, 8);
            else if (size == 3 && lanes == 4)
                flexforge_pack(x, sources, packed, nodes, 3, 4);
            else
                flexforge_pack(x, sources, packed, nodes, size, lanes);
        }
    }

    /* Adds the results of a batch to nodal vectors, element by element; may overwrite them. */
    static void flexforge_write(
        double *packed, const int32_t *targets, double *y, Py_ssize_t nodes, int size, int lanes,
        int count)
    {
    #ifdef FLEXFORGE_SHUFFLES
        if (size == 3 && lanes == 8 && count == 8) {
            flexforge_add_eight(packed, targets, y, nodes);
            return;
        }
    #endif
        if (size == 3 && lanes == 8 && count == 8)
            flexforge_add(packed, targets, y, nodes, 3, 8, 8);
        else if (size == 3 && lanes == 4 && count == 4)
            flexforge_add(packed, targets, y, nodes, 3, 4, 4);
        else
            flexforge_add(packed, targets, y, nodes, size, lanes, count);
    }
    """
    void flexforge_fetch(const void *, Py_ssize_t) noexcept nogil
    void flexforge_read(const double *, Py_ssize_t, Py_ssize_t, const int32_t *, double *,
                        Py_ssize_t, int, int) noexcept nogil
    void flexforge_write(double *, const int32_t *, double *, Py_ssize_t, int, int,
                         int) noexcept nogil


cdef int _sweep(kernel_function kernel, const double *parameters, const double *coordinates,
                const int32_t *sources, const int32_t *targets, const double *x,
                Py_ssize_t vectors, Py_ssize_t stride, double *y, Py_ssize_t first,
                Py_ssize_t last, Py_ssize_t elements, Py_ssize_t nodes, int size, int lanes,
                long workspace) noexcept nogil:
    """Apply the elements of batches first .. last-1."""
    cdef Py_ssize_t vector = nodes * size * lanes, numbers = nodes * lanes, b
    cdef Py_ssize_t packed = vectors * vector
    cdef Py_ssize_t room = 2 * packed + vector + (workspace + 7) // 8
    cdef double *scratch = <double *>aligned_alloc(64, 64 * ((room + 7) // 8))
    cdef double *result = scratch + 2 * packed
    cdef double *work = result + vector
    if scratch == NULL:
        return -1
    # A batch is packed before the one ahead of it is computed: a vector load right after the
    # stores of its scalars would wait for them.
    if first < last:
        flexforge_read(x, vectors, stride, sources + first * numbers, scratch, nodes, size, lanes)
    for b in range(first, last):
        if b + AHEAD < last:
            flexforge_fetch(coordinates + (b + AHEAD) * vector, vector * sizeof(double))
            flexforge_fetch(sources + (b + AHEAD) * numbers, numbers * sizeof(int32_t))
            if targets != sources:
                flexforge_fetch(targets + (b + AHEAD) * numbers, numbers * sizeof(int32_t))
        if b + 1 < last:
            flexforge_read(x, vectors, stride, sources + (b + 1) * numbers,
                  scratch + ((b + 1 - first) & 1) * packed, nodes, size, lanes)
        kernel(coordinates + b * vector, parameters, scratch + ((b - first) & 1) * packed,
               result, work)
        flexforge_write(result, targets + b * numbers, y, nodes, size, lanes,
               <int>min(<Py_ssize_t>lanes, elements - (b - first) * lanes))
    free(scratch)
    return 0


def apply(size_t function, const double[::1] parameters, const double[:, :, :, ::1] coordinates,
          const int32_t[:, :, ::1] sources, const int32_t[:, :, ::1] targets,
          const int64_t[::1] batches, const int64_t[::1] shares, long workspace, const double[:, :, ::1] x,
          double[:, ::1] y):
    """Write the products of the elements with nodal vectors (vectors, nodes, size) to ``y``.

    ``y`` has one row per node and one more per thread.
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
                         stride, &y[0, 0], batches[t], batches[t + 1],
                         shares[t + 1] - shares[t], sources.shape[1], <int>x.shape[2], <int>sources.shape[2], workspace)
    if failed:
        raise MemoryError
