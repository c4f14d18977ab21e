/* SPDX-License-Identifier: BSD-3-Clause */
/* LU factors of a band matrix with row exchanges.

   Entry (i, j) of a matrix of half width b is at matrix[j * (3 * b + 1) + 2 * b + i - j], column by
   column; the first b places of a column are reserved for fill-in by row exchanges. */
#ifndef FF_BAND_H
#define FF_BAND_H

#include <math.h>

/* Factor in place. Returns 0, or 1 + the number of the column whose pivot is zero or NaN. */
static inline int ff_band_factor(int n, int band, double *restrict matrix, int *restrict pivots)
{
    const int lead = 3 * band + 1;
    int reach = 0; /* last column with fill-in by row exchanges so far */
    for (int j = 0; j < n; ++j) {
        double *column = matrix + (long)j * lead + 2 * band; /* column[k] is entry (j + k, j) */
        const int below = n - 1 - j < band ? n - 1 - j : band;
        int pivot = 0;
        for (int k = 1; k <= below; ++k)
            if (fabs(column[k]) > fabs(column[pivot]))
                pivot = k;
        pivots[j] = j + pivot;
        if (!(fabs(column[pivot]) > 0.0) || !isfinite(column[pivot]))
            return j + 1;
        const int last = j + band + pivot < n - 1 ? j + band + pivot : n - 1;
        if (last > reach)
            reach = last;
        if (pivot)
            for (int i = j; i <= reach; ++i) {
                double *other = matrix + (long)i * lead + 2 * band + j - i;
                const double kept = other[0];
                other[0] = other[pivot];
                other[pivot] = kept;
            }
        const double inverse = 1.0 / column[0];
        for (int k = 1; k <= below; ++k)
            column[k] *= inverse;
        for (int i = j + 1; i <= reach; ++i) {
            double *restrict other = matrix + (long)i * lead + 2 * band + j - i;
            const double factor = other[0];
            if (factor != 0.0)
                for (int k = 1; k <= below; ++k)
                    other[k] -= factor * column[k];
        }
    }
    return 0;
}

/* Fraction of the largest entry of a mass column below which its pivot is round-off. */
#define FF_NO_INERTIA 1e-12

/* Factor a positive semidefinite mass matrix in place and without row exchanges. Motions without inertia,
   such as the rotation of a flat shell about its normal, get an infinite pivot: zero in every solution.
   largest: (n,) workspace. Returns 0, or 1 + the number of the column whose pivot is NaN. */
static inline int ff_band_factor_masses(int n, int band, double *restrict matrix, int *restrict pivots,
                                        double *restrict largest)
{
    const int lead = 3 * band + 1;
    for (int j = 0; j < n; ++j) {
        const double *column = matrix + (long)j * lead;
        largest[j] = 0.0;
        for (int k = band; k < lead; ++k)
            if (fabs(column[k]) > largest[j])
                largest[j] = fabs(column[k]);
    }
    for (int j = 0; j < n; ++j) {
        double *column = matrix + (long)j * lead + 2 * band; /* column[k] is entry (j + k, j) */
        const int last = j + band < n - 1 ? j + band : n - 1;
        pivots[j] = j;
        if (!isfinite(column[0]))
            return j + 1;
        if (fabs(column[0]) <= FF_NO_INERTIA * largest[j])
            column[0] = INFINITY;
        const double inverse = 1.0 / column[0];
        for (int k = 1; k <= last - j; ++k)
            column[k] *= inverse;
        for (int i = j + 1; i <= last; ++i) {
            double *restrict other = matrix + (long)i * lead + 2 * band + j - i;
            const double factor = other[0];
            if (factor != 0.0)
                for (int k = 1; k <= last - j; ++k)
                    other[k] -= factor * column[k];
        }
    }
    return 0;
}

/* Solve with these factors, in place. */
static inline void ff_band_solve(int n, int band, const double *restrict matrix,
                                 const int *restrict pivots, double *restrict x)
{
    const int lead = 3 * band + 1;
    for (int j = 0; j < n; ++j) {
        const double *column = matrix + (long)j * lead + 2 * band;
        const int below = n - 1 - j < band ? n - 1 - j : band;
        const double value = x[pivots[j]];
        x[pivots[j]] = x[j];
        x[j] = value;
        for (int k = 1; k <= below; ++k)
            x[j + k] -= value * column[k];
    }
    for (int j = n - 1; j >= 0; --j) {
        const double *column = matrix + (long)j * lead + 2 * band;
        const int above = j < 2 * band ? j : 2 * band;
        const double value = x[j] / column[0];
        x[j] = value;
        for (int k = 1; k <= above; ++k)
            x[j - k] -= value * column[-k];
    }
}

#endif
