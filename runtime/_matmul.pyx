# SPDX-License-Identifier: BSD-3-Clause
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""Products of two sparse matrices of small dense blocks, row by row over threads.

A row of the product sums rows of the right matrix (Gustavson, *ACM Transactions on Mathematical
Software* 4, 1978). Its columns are ascending and it is summed in the order of the left matrix: the
number of threads changes no bit.
"""

from cython.parallel cimport prange
from libc.stdint cimport int32_t
from libc.stdlib cimport free, malloc

import numpy as np

cdef extern from *:
    """
    #if defined(__GNUC__)
    #define flexforge_inline static inline __attribute__((always_inline))
    #else
    #define flexforge_inline static inline
    #endif
    #if defined(__GNUC__) && defined(__x86_64__) && !defined(__clang__)
    #define flexforge_clones __attribute__((target_clones("avx512f", "avx2,fma", "default")))
    #else
    #define flexforge_clones
    #endif

    /* Two matrices: the left one in rows of blocks, whose values are at places of their own. */
    typedef struct {
        const int32_t *pointers, *columns, *places; /* of the left one; places may be NULL */
        const double *values;                       /* NULL: unit matrices */
        const int32_t *next_pointers, *next_columns; /* of the right one */
        const double *next_values;
        int rows, inner, across; /* rows x inner times inner x across */
        int turned;              /* left blocks are kept as inner x rows */
    } flexforge_factors;

    /* Mark the columns of a row, and return how many there are; `found` has room for them all, or
       is NULL. */
    static int32_t flexforge_mark(const flexforge_factors *f, Py_ssize_t row, int32_t *marks,
                                  int32_t *found)
    {
        int32_t count = 0;
        for (int32_t k = f->pointers[row]; k < f->pointers[row + 1]; k++) {
            const int32_t m = f->columns[k];
            for (int32_t q = f->next_pointers[m]; q < f->next_pointers[m + 1]; q++) {
                const int32_t column = f->next_columns[q];
                if (marks[column] != row) {
                    marks[column] = (int32_t)row;
                    if (found)
                        found[count] = column;
                    count++;
                }
            }
        }
        return count;
    }

    static int flexforge_less(const void *a, const void *b)
    {
        return *(const int32_t *)a < *(const int32_t *)b ? -1 : 1;
    }

    flexforge_inline void flexforge_add(double *restrict sum, const double *restrict left,
                                        const double *restrict right, const int rows,
                                        const int inner, const int across, const int turned)
    {
        for (int r = 0; r < rows; r++)
            for (int c = 0; c < inner; c++) {
                const double factor = left[turned ? c * rows + r : r * inner + c];
                for (int j = 0; j < across; j++)
                    sum[r * across + j] += factor * right[c * across + j];
            }
    }

    /* The values of a row whose columns are known; places[column] says where in the row one is. */
    flexforge_inline void flexforge_row(const flexforge_factors *f, Py_ssize_t row,
                                        const int32_t *places, double *sums, const int rows,
                                        const int inner, const int across, const int turned)
    {
        for (int32_t k = f->pointers[row]; k < f->pointers[row + 1]; k++) {
            const int32_t m = f->columns[k];
            const Py_ssize_t place = f->places ? f->places[k] : k;
            const double *left = f->values ? f->values + place * rows * inner : NULL;
            for (int32_t q = f->next_pointers[m]; q < f->next_pointers[m + 1]; q++) {
                double *sum = sums + (Py_ssize_t)places[f->next_columns[q]] * rows * across;
                const double *right = f->next_values + (Py_ssize_t)q * inner * across;
                if (left)
                    flexforge_add(sum, left, right, rows, inner, across, turned);
                else
                    for (int i = 0; i < rows * across; i++)
                        sum[i] += right[i];
            }
        }
    }

    /* Rows first .. last - 1 of a product whose pointers are known. */
    flexforge_clones void flexforge_fill(const flexforge_factors *f, Py_ssize_t first,
                                         Py_ssize_t last, const int32_t *pointers,
                                         int32_t *columns, double *values, int32_t *marks,
                                         Py_ssize_t count)
    {
        for (Py_ssize_t i = 0; i < count; i++)
            marks[i] = -1;
        for (Py_ssize_t row = first; row < last; row++) {
            int32_t *own = columns + pointers[row];
            double *sums = values + (Py_ssize_t)pointers[row] * f->rows * f->across;
            const int32_t length = flexforge_mark(f, row, marks, own);
            qsort(own, (size_t)length, sizeof *own, flexforge_less);
            for (int32_t i = 0; i < length; i++)
                marks[count + own[i]] = i;
            for (Py_ssize_t i = 0; i < (Py_ssize_t)length * f->rows * f->across; i++)
                sums[i] = 0.0;
    #define FLEXFORGE_SIZE(ROWS, INNER, ACROSS, TURNED)                                           \\
        if (f->rows == ROWS && f->inner == INNER && f->across == ACROSS && f->turned == TURNED)   \\
            flexforge_row(f, row, marks + count, sums, ROWS, INNER, ACROSS, TURNED);              \\
        else
            FLEXFORGE_SIZE(3, 3, 6, 0)
            FLEXFORGE_SIZE(6, 3, 6, 1)
            FLEXFORGE_SIZE(6, 6, 6, 0)
            FLEXFORGE_SIZE(6, 6, 6, 1)
            FLEXFORGE_SIZE(2, 2, 3, 0)
            FLEXFORGE_SIZE(3, 2, 3, 1)
            FLEXFORGE_SIZE(3, 3, 3, 0)
            FLEXFORGE_SIZE(3, 3, 3, 1)
                flexforge_row(f, row, marks + count, sums, f->rows, f->inner, f->across,
                              f->turned);
        }
    }

    static void flexforge_count(const flexforge_factors *f, Py_ssize_t first, Py_ssize_t last,
                                int32_t *lengths, int32_t *marks, Py_ssize_t count)
    {
        for (Py_ssize_t i = 0; i < count; i++)
            marks[i] = -1;
        for (Py_ssize_t row = first; row < last; row++)
            lengths[row] = flexforge_mark(f, row, marks, NULL);
    }
    """
    ctypedef struct flexforge_factors:
        const int32_t *pointers
        const int32_t *columns
        const int32_t *places
        const double *values
        const int32_t *next_pointers
        const int32_t *next_columns
        const double *next_values
        int rows
        int inner
        int across
        int turned
    void flexforge_fill(const flexforge_factors *, Py_ssize_t, Py_ssize_t, const int32_t *,
                        int32_t *, double *, int32_t *, Py_ssize_t) noexcept nogil
    void flexforge_count(const flexforge_factors *, Py_ssize_t, Py_ssize_t, int32_t *, int32_t *,
                         Py_ssize_t) noexcept nogil


def multiply(const int32_t[::1] pointers, const int32_t[::1] columns, const int32_t[::1] places,
             const double[:, :, ::1] values, const int32_t[::1] next_pointers,
             const int32_t[::1] next_columns, const double[:, :, ::1] next_values, bint turned,
             Py_ssize_t width, int threads):
    """Return values, columns and pointers of a product with ``width`` columns of blocks.

    Empty ``places`` are those in the order of the columns; ``values`` that are None, unit matrices.
    With ``turned``, the blocks of the left matrix are the transposed ones of ``values``.
    """
    cdef Py_ssize_t n = pointers.shape[0] - 1
    cdef bint unit = values is None
    cdef flexforge_factors f
    f.pointers, f.next_pointers = &pointers[0], &next_pointers[0]
    f.columns = &columns[0] if columns.shape[0] else NULL
    f.places = &places[0] if places.shape[0] else NULL
    f.values = &values[0, 0, 0] if not unit and values.shape[0] else NULL
    f.next_columns = &next_columns[0] if next_columns.shape[0] else NULL
    f.next_values = &next_values[0, 0, 0] if next_values.shape[0] else NULL
    f.inner, f.across, f.turned = <int>next_values.shape[1], <int>next_values.shape[2], turned
    f.rows = f.inner if unit else <int>(values.shape[2] if turned else values.shape[1])
    cdef Py_ssize_t[65] begin
    threads = shares(f.pointers, n, threads, begin)
    lengths = np.zeros(n + 1, dtype=np.int64)
    counts = np.empty(n, dtype=np.int32)
    cdef int32_t[::1] count = counts
    cdef int32_t *marks = <int32_t *>malloc(2 * threads * width * sizeof(int32_t) + 1)
    if marks == NULL:
        raise MemoryError
    cdef int t
    cdef int32_t[::1] found, row
    cdef double[:, :, ::1] sums
    try:
        if n:
            for t in prange(threads, nogil=True, num_threads=threads, schedule="static"):
                flexforge_count(&f, begin[t], begin[t + 1], &count[0], marks + 2 * t * width, width)
        np.cumsum(counts, out=lengths[1:])
        if lengths[n] > 2**31 - 1:
            raise OverflowError(f"found {lengths[n]} blocks; at most 2^31 - 1 can be counted")
        row = lengths.astype(np.int32)
        found = np.empty(lengths[n], dtype=np.int32)
        sums = np.empty((lengths[n], f.rows, f.across))
        if lengths[n]:
            for t in prange(threads, nogil=True, num_threads=threads, schedule="static"):
                flexforge_fill(&f, begin[t], begin[t + 1], &row[0], &found[0], &sums[0, 0, 0],
                               marks + 2 * t * width, width)
    finally:
        free(marks)
    return np.asarray(sums), np.asarray(found), np.asarray(row)


cdef int shares(const int32_t *pointers, Py_ssize_t n, int threads, Py_ssize_t *begin) noexcept:
    """Give every thread rows with about as many entries, and return how many threads there are."""
    cdef Py_ssize_t share, low, high, middle
    cdef int t
    threads = max(1, min(threads, 64))
    begin[0], begin[threads] = 0, n
    for t in range(1, threads):
        share = pointers[n] * <Py_ssize_t>t // threads
        low, high = begin[t - 1], n
        while low < high:
            middle = (low + high) // 2
            if pointers[middle] < share:
                low = middle + 1
            else:
                high = middle
        begin[t] = low
    return threads
