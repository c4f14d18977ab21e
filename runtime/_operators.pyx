# SPDX-License-Identifier: BSD-3-Clause
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""One sweep over memory for all products of a step: stiffness, mass, geometric stiffness.

    y = (ck K + M (x) B + cg G (x) I) x

with K in blocks of the dimension of space and M, G scalar, all on the graph of the nodes; or with a
separate vector for each, ``y = K u + M w + cg G g``.
"""

from cython.parallel cimport prange
from libc.math cimport fabs
from libc.stdint cimport int32_t, int64_t


cdef inline void _row(const int32_t *pointers, const int32_t *columns, const double *stiffness,
                      const double *mass, const double *geometric, double ck, double cg,
                      const double *block, const double *x, double *y, Py_ssize_t i,
                      const int d) noexcept nogil:
    """Compute the rows of one node."""
    cdef double[3] elastic
    cdef double[3] inertia
    cdef double[3] initial
    cdef int r, c
    cdef Py_ssize_t k
    cdef const double *column
    cdef const double *entry
    for r in range(d):
        elastic[r] = 0.0
        inertia[r] = 0.0
        initial[r] = 0.0
    for k in range(pointers[i], pointers[i + 1]):
        column = x + columns[k] * d
        if stiffness != NULL:
            entry = stiffness + k * d * d
            for r in range(d):
                for c in range(d):
                    elastic[r] += entry[r * d + c] * column[c]
        if mass != NULL:
            for r in range(d):
                inertia[r] += mass[k] * column[r]
        if geometric != NULL:
            for r in range(d):
                initial[r] += geometric[k] * column[r]
    for r in range(d):
        y[i * d + r] = ck * elastic[r] + cg * initial[r]
        for c in range(d):
            y[i * d + r] += block[r * d + c] * inertia[c]


def apply(const int32_t[::1] pointers, const int32_t[::1] columns, const double[::1] stiffness,
          const double[::1] mass, const double[::1] geometric, double ck,
          const double[:, ::1] block, double cg, const double[:, ::1] x, double[:, ::1] y,
          int threads):
    """Compute ``y = (ck K + M (x) B + cg G (x) I) x``; an empty array leaves its term out."""
    cdef Py_ssize_t nodes = pointers.shape[0] - 1, i
    cdef const double *k_data = &stiffness[0] if stiffness.shape[0] and ck != 0 else NULL
    cdef const double *m_data = &mass[0] if mass.shape[0] else NULL
    cdef const double *g_data = &geometric[0] if geometric.shape[0] and cg != 0 else NULL
    cdef int d = <int>x.shape[1]
    for i in prange(nodes, nogil=True, num_threads=threads, schedule="static"):
        if d == 3:
            _row(&pointers[0], &columns[0], k_data, m_data, g_data, ck, cg, &block[0, 0],
                 &x[0, 0], &y[0, 0], i, 3)
        elif d == 2:
            _row(&pointers[0], &columns[0], k_data, m_data, g_data, ck, cg, &block[0, 0],
                 &x[0, 0], &y[0, 0], i, 2)
        else:
            _row(&pointers[0], &columns[0], k_data, m_data, g_data, ck, cg, &block[0, 0],
                 &x[0, 0], &y[0, 0], i, 1)


cdef inline void _row_of_each(const int32_t *pointers, const int32_t *columns,
                              const double *stiffness, const double *mass, const double *geometric,
                              double cg, const double *u, const double *w, const double *g,
                              double *y, Py_ssize_t i, const int d) noexcept nogil:
    """Compute the rows of one node."""
    cdef double[3] total
    cdef int r, c
    cdef Py_ssize_t k, at
    cdef const double *entry
    for r in range(d):
        total[r] = 0.0
    for k in range(pointers[i], pointers[i + 1]):
        at = columns[k] * d
        entry = stiffness + k * d * d
        for r in range(d):
            for c in range(d):
                total[r] += entry[r * d + c] * u[at + c]
        for r in range(d):
            total[r] += mass[k] * w[at + r]
        if geometric != NULL:
            for r in range(d):
                total[r] += cg * geometric[k] * g[at + r]
    for r in range(d):
        y[i * d + r] = total[r]


def apply_each(const int32_t[::1] pointers, const int32_t[::1] columns,
               const double[::1] stiffness, const double[::1] mass, const double[::1] geometric,
               double cg, const double[:, ::1] u, const double[:, ::1] w, const double[:, ::1] g,
               double[:, ::1] y, int threads):
    """Compute ``y = K u + M w + cg G g``; an empty G leaves its term out."""
    cdef Py_ssize_t nodes = pointers.shape[0] - 1, i
    cdef const double *g_data = &geometric[0] if geometric.shape[0] and cg != 0 else NULL
    cdef bint solid = u.shape[1] == 3
    for i in prange(nodes, nogil=True, num_threads=threads, schedule="static"):
        if solid:
            _row_of_each(&pointers[0], &columns[0], &stiffness[0], &mass[0], g_data, cg,
                         &u[0, 0], &w[0, 0], &g[0, 0], &y[0, 0], i, 3)
        else:
            _row_of_each(&pointers[0], &columns[0], &stiffness[0], &mass[0], g_data, cg,
                         &u[0, 0], &w[0, 0], &g[0, 0], &y[0, 0], i, 2)


cdef inline double _entry(const double *stiffness, const double *mass, const double *geometric,
                          double ck, const double *block, double cg, Py_ssize_t k, int r, int c,
                          int d) noexcept nogil:
    """Return an entry of a block of ``ck K + M (x) B + cg G (x) I``; NULL leaves a term out."""
    cdef double found = 0.0
    if stiffness != NULL:
        found = ck * stiffness[(k * d + r) * d + c]
    if mass != NULL:
        found = found + block[r * d + c] * mass[k]
    if geometric != NULL and r == c:
        found = found + cg * geometric[k]
    return found


def blocks(const double[::1] stiffness, const double[::1] mass, const double[::1] geometric,
           double ck, const double[:, ::1] block, double cg, double[:, :, ::1] data, int threads):
    """Compute the blocks of ``ck K + M (x) B + cg G (x) I`` for a factorization."""
    cdef Py_ssize_t count = data.shape[0], k
    cdef int d = <int>data.shape[1], r, c
    cdef const double *k_data = &stiffness[0] if stiffness.shape[0] else NULL
    cdef const double *m_data = &mass[0] if mass.shape[0] else NULL
    cdef const double *g_data = &geometric[0] if geometric.shape[0] and cg != 0 else NULL
    for k in prange(count, nogil=True, num_threads=threads, schedule="static"):
        for r in range(d):
            for c in range(d):
                data[k, r, c] = _entry(k_data, m_data, g_data, ck, &block[0, 0], cg, k, r, c, d)


def select_counts(const int32_t[::1] pointers, const int32_t[::1] columns,
                  const int64_t[:, ::1] numbers, const unsigned char[:, ::1] keep,
                  int32_t[::1] counts, int threads):
    """Count the entries of the rows of unknowns in a matrix of blocks.

    numbers: of the unknown of every component of a node, -1 without one; keep: entries of a block
    that may differ from zero; counts: (unknowns,).
    """
    cdef Py_ssize_t nodes = pointers.shape[0] - 1, i, k
    cdef int d = <int>numbers.shape[1], r, c
    cdef int32_t count
    for i in prange(nodes, nogil=True, num_threads=threads, schedule="static"):
        for r in range(d):
            if numbers[i, r] < 0:
                continue
            count = 0
            for k in range(pointers[i], pointers[i + 1]):
                for c in range(d):
                    if keep[r, c] and numbers[columns[k], c] >= 0:
                        count = count + 1
            counts[numbers[i, r]] = count


def select(const int32_t[::1] pointers, const int32_t[::1] columns,
           const double[::1] stiffness, const double[::1] mass, const double[::1] geometric,
           double ck, const double[:, ::1] block, double cg,
           const int64_t[:, ::1] numbers, const unsigned char[:, ::1] keep,
           const int32_t[::1] rows, int32_t[::1] found, double[::1] values, int threads):
    """Set the entries of the rows of unknowns, which ``rows`` (unknowns + 1,) begins.

    Blocks are ``ck K + M (x) B + cg G (x) I``; an empty matrix leaves its term out.
    """
    cdef Py_ssize_t nodes = pointers.shape[0] - 1, i, k, at
    cdef int d = <int>numbers.shape[1], r, c
    cdef const double *k_data = &stiffness[0] if stiffness.shape[0] else NULL
    cdef const double *m_data = &mass[0] if mass.shape[0] else NULL
    cdef const double *g_data = &geometric[0] if geometric.shape[0] and cg != 0 else NULL
    for i in prange(nodes, nogil=True, num_threads=threads, schedule="static"):
        for r in range(d):
            if numbers[i, r] < 0:
                continue
            at = rows[numbers[i, r]]
            for k in range(pointers[i], pointers[i + 1]):
                for c in range(d):
                    if keep[r, c] and numbers[columns[k], c] >= 0:
                        found[at] = <int32_t>numbers[columns[k], c]
                        values[at] = _entry(k_data, m_data, g_data, ck, &block[0, 0], cg,
                                            k, r, c, d)
                        at = at + 1


ctypedef fused Scalar:
    double
    double complex


def upper_counts(const int32_t[::1] pointers, const int32_t[::1] columns, int32_t[::1] counts,
                 int threads):
    """Count the entries of the rows of an upper triangle, of which each has its diagonal one."""
    cdef Py_ssize_t rows = counts.shape[0], i, k
    for i in prange(rows, nogil=True, num_threads=threads, schedule="static"):
        k = pointers[i + 1]
        while k > pointers[i] and columns[k - 1] > i:
            k = k - 1
        counts[i] = <int32_t>(pointers[i + 1] - k + 1)


def upper(const int32_t[::1] pointers, const int32_t[::1] columns, const Scalar[::1] data,
          const int32_t[::1] begins, int32_t[::1] found, Scalar[::1] values, int threads):
    """Set the rows of an upper triangle, whose entries are sorted; ``begins`` (rows + 1,)."""
    cdef Py_ssize_t rows = begins.shape[0] - 1, i, j, k
    for i in prange(rows, nogil=True, num_threads=threads, schedule="static"):
        j = begins[i]
        k = pointers[i + 1] - (begins[i + 1] - j - 1)
        found[j] = <int32_t>i
        values[j] = 0
        if k > pointers[i] and columns[k - 1] == i:
            values[j] = data[k - 1]
        while k < pointers[i + 1]:
            j = j + 1
            found[j] = columns[k]
            values[j] = data[k]
            k = k + 1


def times(const int32_t[::1] pointers, const int32_t[::1] columns, const double[::1] data,
          const double[:, ::1] x, double[:, ::1] y, int threads):
    """Compute ``y = A x`` of a sparse matrix and some vectors.

    Each row is summed in its order by one thread, and read once for all vectors.
    """
    cdef Py_ssize_t rows = pointers.shape[0] - 1, count = x.shape[1], i, j, k
    cdef double total
    if y.shape[0] != rows or y.shape[1] != count:
        raise ValueError("found vectors of different lengths")
    if count == 1:
        for i in prange(rows, nogil=True, num_threads=threads, schedule="static"):
            total = 0.0
            for k in range(pointers[i], pointers[i + 1]):
                total = total + data[k] * x[columns[k], 0]
            y[i, 0] = total
        return
    for i in prange(rows, nogil=True, num_threads=threads, schedule="static"):
        for j in range(count):
            y[i, j] = 0.0
        for k in range(pointers[i], pointers[i + 1]):
            for j in range(count):
                y[i, j] += data[k] * x[columns[k], j]


def sizes_times(const int32_t[::1] pointers, const int32_t[::1] columns, const double[::1] data,
                const double[:, ::1] x, double[:, ::1] y, int threads):
    """Compute ``y = |A| x`` of a sparse matrix and some vectors, as `times` does without sizes."""
    cdef Py_ssize_t rows = pointers.shape[0] - 1, count = x.shape[1], i, j, k
    if y.shape[0] != rows or y.shape[1] != count:
        raise ValueError("found vectors of different lengths")
    for i in prange(rows, nogil=True, num_threads=threads, schedule="static"):
        for j in range(count):
            y[i, j] = 0.0
        for k in range(pointers[i], pointers[i + 1]):
            for j in range(count):
                y[i, j] += fabs(data[k]) * x[columns[k], j]


def combine(double f, const double[::1] x, double g, const double[::1] y, double[::1] out):
    """Compute ``out = f x + g y``."""
    cdef Py_ssize_t count = out.shape[0], i
    if x.shape[0] != count or y.shape[0] != count:
        raise ValueError("found vectors of different lengths")
    with nogil:
        for i in range(count):
            out[i] = f * x[i] + g * y[i]
