/* SPDX-License-Identifier: BSD-3-Clause */
/* LU factors of a sparse matrix with a symmetric pattern, without row exchanges.

   Order and fill are determined when the model is built; nothing is searched or allocated here. L has ones
   on its diagonal. An array of factors consists of the n pivots, the entries of L below the diagonal column
   by column, and those of U, whose rows have the pattern of the columns of L. */
#ifndef FF_SPARSE_H
#define FF_SPARSE_H

#include "ff_band.h"
#include <stddef.h>

/* The pattern of the factors, and the positions of the entries of a matrix in them. */
typedef struct {
    int n;
    const int *entries;      /* (nnz,) positions of the entries of the matrix, row by row, in the factors */
    const int *pointers;     /* (n + 1,) first entry of every column of L */
    const int *rows;         /* (entries,) ascending in a column */
    const int *row_pointers; /* (n + 1,) first entry of every row of L */
    const int *row_columns;  /* (entries,) ascending in a row */
    const int *row_entries;  /* (entries,) their positions in the columns */
} ff_fill;

/* Fraction of the largest entry of a column below which a pivot is round-off. */
#define FF_NO_PIVOT 1e-12

/* Number of doubles of the factors. */
static inline size_t ff_sparse_doubles(const ff_fill *f)
{
    return (size_t)f->n + 2 * (size_t)f->pointers[f->n];
}

/* Factor in place. room: (3, n) workspace. masses: whether a pivot at round-off level belongs to a motion
   without inertia, and becomes infinite as in ff_band_factor_masses. Returns 0, or 1 + the number of the
   column whose pivot is round-off or NaN. */
static inline int ff_sparse_factor(const ff_fill *f, double *restrict factors, double *restrict room,
                                   int masses)
{
    const int n = f->n, *restrict rows = f->rows;
    double *restrict pivots = factors;
    double *restrict lower = factors + n, *restrict upper = lower + f->pointers[n];
    double *restrict low = room, *restrict up = room + n, *restrict largest = room + 2 * (long)n;
    for (int j = 0; j < n; ++j)
        largest[j] = fabs(pivots[j]);
    for (int j = 0; j < n; ++j)
        for (int p = f->pointers[j]; p < f->pointers[j + 1]; ++p) {
            largest[j] = fmax(largest[j], fabs(lower[p]));
            largest[rows[p]] = fmax(largest[rows[p]], fabs(upper[p]));
        }
    for (int j = 0; j < n; ++j) {
        const int begin = f->pointers[j], end = f->pointers[j + 1];
        double pivot = pivots[j];
        for (int p = begin; p < end; ++p) {
            low[rows[p]] = lower[p];
            up[rows[p]] = upper[p];
        }
        for (int t = f->row_pointers[j]; t < f->row_pointers[j + 1]; ++t) {
            const int entry = f->row_entries[t], last = f->pointers[f->row_columns[t] + 1];
            const double l = lower[entry], u = upper[entry];
            pivot -= l * u;
            for (int p = entry + 1; p < last; ++p) {
                low[rows[p]] -= lower[p] * u;
                up[rows[p]] -= upper[p] * l;
            }
        }
        if (!isfinite(pivot))
            return j + 1;
        if (!(fabs(pivot) > FF_NO_PIVOT * largest[j])) {
            if (!masses)
                return j + 1;
            pivot = INFINITY;
        }
        pivots[j] = pivot;
        const double inverse = 1.0 / pivot;
        for (int p = begin; p < end; ++p) {
            lower[p] = low[rows[p]] * inverse;
            upper[p] = up[rows[p]];
        }
    }
    return 0;
}

/* Solve with these factors, in place. */
static inline void ff_sparse_solve(const ff_fill *f, const double *restrict factors, double *restrict x)
{
    const int n = f->n, *restrict rows = f->rows;
    const double *restrict lower = factors + n, *restrict upper = lower + f->pointers[n];
    for (int j = 0; j < n; ++j)
        for (int p = f->pointers[j]; p < f->pointers[j + 1]; ++p)
            x[rows[p]] -= lower[p] * x[j];
    for (int j = n - 1; j >= 0; --j) {
        double value = x[j];
        for (int p = f->pointers[j]; p < f->pointers[j + 1]; ++p)
            value -= upper[p] * x[rows[p]];
        x[j] = value / factors[j];
    }
}

#endif
