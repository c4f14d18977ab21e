# SPDX-License-Identifier: BSD-3-Clause
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""Products of matrices of small dense blocks with a vector, row by row over threads; nodal values
moved from rows to columns and back."""

from cython.parallel cimport prange
from libc.stdint cimport int32_t, uint8_t

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

    /* A row of blocks times x. Each entry of a block has a sum of its own: one for each row would
       wait for the multiplication before. */
    #define FLEXFORGE_ROW(NAME, SCALAR)                                                           \\
        flexforge_inline void NAME(                                                               \\
            const int32_t *restrict columns, const SCALAR *restrict data, Py_ssize_t count,       \\
            const SCALAR *restrict x, SCALAR *restrict y, const int rows, const int across)       \\
        {                                                                                         \\
            SCALAR sums[36];                                                                      \\
            for (int i = 0; i < rows * across; i++)                                               \\
                sums[i] = 0;                                                                      \\
            for (Py_ssize_t k = 0; k < count; k++) {                                              \\
                const SCALAR *restrict column = x + (Py_ssize_t)columns[k] * across;              \\
                const SCALAR *restrict entry = data + k * rows * across;                          \\
                for (int c = 0; c < across; c++)                                                  \\
                    for (int r = 0; r < rows; r++)                                                \\
                        sums[r * across + c] += entry[r * across + c] * column[c];                \\
            }                                                                                     \\
            for (int r = 0; r < rows; r++) {                                                      \\
                SCALAR sum = 0;                                                                   \\
                for (int c = 0; c < across; c++)                                                  \\
                    sum += sums[r * across + c];                                                  \\
                y[r] = sum;                                                                       \\
            }                                                                                     \\
        }
    FLEXFORGE_ROW(flexforge_row_f, float)
    FLEXFORGE_ROW(flexforge_row_d, double)

    /* Rows first .. last - 1; the compiler knows the sizes of common blocks. */
    #define FLEXFORGE_SIZE(ROW, ROWS, ACROSS)                                                     \\
        if (rows == ROWS && across == ACROSS)                                                     \\
            ROW(own, entries, count, x, result, ROWS, ACROSS);                                    \\
        else
    #define FLEXFORGE_ROWS(NAME, ROW, SCALAR)                                                     \\
        flexforge_clones void NAME(                                                               \\
            const int32_t *pointers, const int32_t *columns, const SCALAR *data, int rows,        \\
            int across, const SCALAR *x, SCALAR *y, Py_ssize_t first, Py_ssize_t last)            \\
        {                                                                                         \\
            for (Py_ssize_t i = first; i < last; i++) {                                           \\
                const int32_t k = pointers[i];                                                    \\
                const int32_t *own = columns + k;                                                 \\
                const SCALAR *entries = data + (Py_ssize_t)k * rows * across;                     \\
                const Py_ssize_t count = pointers[i + 1] - k;                                     \\
                SCALAR *result = y + i * rows;                                                    \\
                FLEXFORGE_SIZE(ROW, 3, 3)                                                         \\
                FLEXFORGE_SIZE(ROW, 6, 6)                                                         \\
                FLEXFORGE_SIZE(ROW, 3, 6)                                                         \\
                FLEXFORGE_SIZE(ROW, 6, 3)                                                         \\
                FLEXFORGE_SIZE(ROW, 2, 2)                                                         \\
                FLEXFORGE_SIZE(ROW, 2, 3)                                                         \\
                FLEXFORGE_SIZE(ROW, 3, 2)                                                         \\
                    ROW(own, entries, count, x, result, rows, across);                            \\
            }                                                                                     \\
        }
    FLEXFORGE_ROWS(flexforge_rows_f, flexforge_row_f, float)
    FLEXFORGE_ROWS(flexforge_rows_d, flexforge_row_d, double)
    """
    void flexforge_rows_f(const int32_t *, const int32_t *, const float *, int, int,
                          const float *, float *, Py_ssize_t, Py_ssize_t) noexcept nogil
    void flexforge_rows_d(const int32_t *, const int32_t *, const double *, int, int,
                          const double *, double *, Py_ssize_t, Py_ssize_t) noexcept nogil

ctypedef fused scalar:
    float
    double


def times(const int32_t[::1] pointers, const int32_t[::1] columns, const scalar[:, :, ::1] data,
          const scalar[::1] x, scalar[::1] y, int threads):
    """Compute ``y = A x`` of a matrix in block compressed rows; blocks have at most 6 x 6 entries.

    Every thread takes rows with the same number of blocks.
    """
    cdef Py_ssize_t n = pointers.shape[0] - 1
    cdef int rows = <int>data.shape[1], across = <int>data.shape[2], t
    cdef Py_ssize_t share, low, high, middle
    if n == 0 or columns.shape[0] == 0:
        y[:] = 0
        return
    cdef Py_ssize_t[65] begin
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
    for t in prange(threads, nogil=True, num_threads=threads, schedule="static"):
        if scalar is float:
            flexforge_rows_f(&pointers[0], &columns[0], &data[0, 0, 0], rows, across, &x[0], &y[0],
                             begin[t], begin[t + 1])
        else:
            flexforge_rows_d(&pointers[0], &columns[0], &data[0, 0, 0], rows, across, &x[0], &y[0],
                             begin[t], begin[t + 1])


def gather(const scalar[:, ::1] values, const int32_t[::1] which, const uint8_t[:, ::1] free,
           double[:, ::1] out, int threads):
    """Write ``values[which]`` to ``out``, zeros where they are not free."""
    cdef Py_ssize_t i, c, d = values.shape[1], count = which.shape[0]
    for i in prange(count, nogil=True, num_threads=threads, schedule="static"):
        for c in range(d):
            out[i, c] = values[which[i], c] if free[which[i], c] else 0.0


def pick(const double[:, ::1] values, const int32_t[::1] which, scalar[:, ::1] out, int threads):
    """Write ``values[which]`` to ``out``."""
    cdef Py_ssize_t i, c, d = values.shape[1], count = which.shape[0]
    for i in prange(count, nogil=True, num_threads=threads, schedule="static"):
        for c in range(d):
            out[i, c] = <scalar>values[which[i], c]
