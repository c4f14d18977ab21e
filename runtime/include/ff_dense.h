/* SPDX-License-Identifier: BSD-3-Clause */
/* LU factors of a full matrix, row by row in memory, with column exchanges.

   Zero entries cost almost nothing: each joint equation involves few links. */
#ifndef FF_DENSE_H
#define FF_DENSE_H

#include <math.h>

/* Factor in place: the pivot of every row is its largest entry. Returns 0, or 1 + the number of the
   row whose pivot is zero or NaN. */
static inline int ff_dense_factor(int n, double *matrix, int *pivots)
{
    for (int j = 0; j < n; ++j) {
        double *row = matrix + (long)j * n;
        int pivot = j, last = n - 1;
        for (int k = j + 1; k < n; ++k)
            if (fabs(row[k]) > fabs(row[pivot]))
                pivot = k;
        pivots[j] = pivot;
        if (!(fabs(row[pivot]) > 0.0) || !isfinite(row[pivot]))
            return j + 1;
        if (pivot != j)
            for (int i = 0; i < n; ++i) {
                double *other = matrix + (long)i * n;
                const double kept = other[j];
                other[j] = other[pivot];
                other[pivot] = kept;
            }
        while (last > j && row[last] == 0.0)
            --last;
        const double inverse = 1.0 / row[j];
        for (int k = j + 1; k <= last; ++k)
            row[k] *= inverse;
        for (int i = j + 1; i < n; ++i) {
            double *other = matrix + (long)i * n;
            const double factor = other[j];
            if (factor != 0.0)
                for (int k = j + 1; k <= last; ++k)
                    other[k] -= factor * row[k];
        }
    }
    return 0;
}

/* Scalar product of two vectors, in four sums that processors compute in parallel. */
static inline double ff_dot(int n, const double *a, const double *b)
{
    double sum[4] = {0.0, 0.0, 0.0, 0.0};
    int k = 0;
    if (n < 4) {
        for (; k < n; ++k)
            sum[0] += a[k] * b[k];
        return sum[0];
    }
    for (; k + 4 <= n; k += 4)
        for (int i = 0; i < 4; ++i)
            sum[i] += a[k + i] * b[k + i];
    for (; k < n; ++k)
        sum[0] += a[k] * b[k];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* Solve with these factors, in place. */
static inline void ff_dense_solve(int n, const double *matrix, const int *pivots, double *x)
{
    for (int j = 0; j < n; ++j) {
        const double *row = matrix + (long)j * n;
        x[j] = (x[j] - ff_dot(j, row, x)) / row[j];
    }
    for (int j = n - 1; j >= 0; --j)
        x[j] -= ff_dot(n - 1 - j, matrix + (long)j * n + j + 1, x + j + 1);
    for (int j = n - 1; j >= 0; --j) {
        const double kept = x[j];
        x[j] = x[pivots[j]];
        x[pivots[j]] = kept;
    }
}

/* Solve with these factors for several right sides, the rows of X (n, width), in place. */
static inline void ff_dense_solve_rows(int n, const double *matrix, const int *pivots, int width,
                                       double *X)
{
    for (int j = 0; j < n; ++j) {
        const double *row = matrix + (long)j * n;
        const double inverse = 1.0 / row[j];
        double *to = X + (long)j * width;
        for (int i = 0; i < j; ++i)
            for (int c = 0; c < width; ++c)
                to[c] -= row[i] * X[(long)i * width + c];
        for (int c = 0; c < width; ++c)
            to[c] *= inverse;
    }
    for (int j = n - 1; j >= 0; --j)
        for (int i = j + 1; i < n; ++i)
            for (int c = 0; c < width; ++c)
                X[(long)j * width + c] -= matrix[(long)j * n + i] * X[(long)i * width + c];
    for (int j = n - 1; j >= 0; --j)
        for (int c = 0; pivots[j] != j && c < width; ++c) {
            const double kept = X[(long)j * width + c];
            X[(long)j * width + c] = X[(long)pivots[j] * width + c];
            X[(long)pivots[j] * width + c] = kept;
        }
}

/* Sign of the determinant, and the smallest pivot over the largest. */
static inline int ff_dense_sign(int n, const double *matrix, const int *pivots, double *ratio)
{
    double smallest = 1e300, largest = 0.0;
    int sign = 1;
    for (int j = 0; j < n; ++j) {
        const double pivot = matrix[(long)j * n + j];
        if ((pivot < 0.0) != (pivots[j] != j))
            sign = -sign;
        smallest = fmin(smallest, fabs(pivot));
        largest = fmax(largest, fabs(pivot));
    }
    *ratio = largest > 0.0 ? smallest / largest : 0.0;
    return sign;
}

#endif
