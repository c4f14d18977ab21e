/* SPDX-License-Identifier: BSD-3-Clause */
/* LU factors of a sparse matrix of small dense blocks, whose pattern and order of elimination are constant.

   Blocks are symmetric in pattern, not in value. Pivots are chosen within a block alone: the order must be
   one in which every block is regular when its turn comes. */
#ifndef FF_BLOCK_H
#define FF_BLOCK_H

#include "ff_dense.h"
#include <string.h>

/* Blocks in their order of elimination; pairs of an earlier and a later block share entries, fill included. */
typedef struct {
    int blocks;
    const int *start;  /* (blocks + 1,) first unknown of every block */
    const int *first;  /* (blocks + 1,) first pair of every block */
    const int *later;  /* (pairs,) the later blocks, ascending for every block */
    const int *square; /* (blocks + 1,) where the entries (n, n) of every block begin */
    const int *side;   /* (pairs + 1,) where the entries of every pair begin, above and below alike */
} ff_order;

typedef struct {
    double *square;
    double *upper; /* of every pair the rows of the earlier block, row by row */
    double *lower; /* of every pair the rows of the later block, row by row */
    int *pivots;   /* (unknowns,) */
} ff_factors;

/* The entries of one block of the matrix, row by row. */
typedef struct {
    double *at;
    int width;
} ff_window;

static inline int ff_block_size(const ff_order *o, int block)
{
    return o->start[block + 1] - o->start[block];
}

/* Number of doubles of the matrix. */
static inline size_t ff_block_doubles(const ff_order *o)
{
    return (size_t)o->square[o->blocks] + 2 * (size_t)o->side[o->first[o->blocks]];
}

/* Lay out the matrix in given memory. */
static inline void ff_block_place(const ff_order *o, ff_factors *f, double *doubles, int *ints)
{
    f->square = doubles;
    f->upper = doubles + o->square[o->blocks];
    f->lower = f->upper + o->side[o->first[o->blocks]];
    f->pivots = ints;
}

static inline void ff_block_clear(const ff_order *o, ff_factors *f)
{
    memset(f->square, 0, ff_block_doubles(o) * sizeof(double));
}

/* The rows of one block and the columns of another, which must share entries. */
static inline ff_window ff_block_window(const ff_order *o, const ff_factors *f, int row, int column)
{
    const int early = row < column ? row : column, late = row < column ? column : row;
    int pair = o->first[early];
    if (row == column)
        return (ff_window){f->square + o->square[row], ff_block_size(o, row)};
    while (o->later[pair] != late)
        ++pair;
    return (ff_window){(row == early ? f->upper : f->lower) + o->side[pair],
                       ff_block_size(o, column)};
}

/* Add a factor times a row to another. */
static inline void ff_add_row(int n, double factor, const double *restrict row, double *restrict to)
{
    for (int c = 0; c < n; ++c)
        to[c] += factor * row[c];
}

/* Solve with the factors of a full matrix for many right-hand sides, in place: x (n, many). */
static inline void ff_dense_solve_all(int n, const double *matrix, const int *pivots, int many,
                                      double *x)
{
    for (int j = 0; j < n; ++j) {
        const double *row = matrix + (long)j * n;
        double *own = x + (long)j * many;
        const double inverse = 1.0 / row[j];
        for (int k = 0; k < j; ++k)
            ff_add_row(many, -row[k], x + (long)k * many, own);
        for (int c = 0; c < many; ++c)
            own[c] *= inverse;
    }
    for (int j = n - 1; j >= 0; --j)
        for (int k = j + 1; k < n; ++k)
            ff_add_row(many, -matrix[(long)j * n + k], x + (long)k * many, x + (long)j * many);
    for (int j = n - 1; j >= 0; --j)
        for (int c = 0; pivots[j] != j && c < many; ++c) {
            const double kept = x[(long)j * many + c];
            x[(long)j * many + c] = x[(long)pivots[j] * many + c];
            x[(long)pivots[j] * many + c] = kept;
        }
}

/* Factor in place. Returns 0, or not if a pivot is zero or NaN. */
static inline int ff_block_factor(const ff_order *o, ff_factors *f)
{
    for (int p = 0; p < o->blocks; ++p) {
        const int n = ff_block_size(o, p);
        double *square = f->square + o->square[p];
        int *pivots = f->pivots + o->start[p];
        if (ff_dense_factor(n, square, pivots))
            return 1;
        for (int b = o->first[p]; b < o->first[p + 1]; ++b) {
            const int width = ff_block_size(o, o->later[b]);
            const double *X = f->upper + o->side[b];
            ff_dense_solve_all(n, square, pivots, width, f->upper + o->side[b]);
            for (int a = o->first[p]; a < o->first[p + 1]; ++a) {
                const ff_window w = ff_block_window(o, f, o->later[a], o->later[b]);
                const double *rows = f->lower + o->side[a];
                for (int r = 0; r < ff_block_size(o, o->later[a]); ++r)
                    for (int k = 0; k < n; ++k)
                        ff_add_row(width, -rows[(long)r * n + k], X + (long)k * width,
                                   w.at + (long)r * width);
            }
        }
    }
    return 0;
}

/* Solve with the factors, in place; x is in the order of elimination. */
static inline void ff_block_solve(const ff_order *o, const ff_factors *f, double *x)
{
    for (int p = 0; p < o->blocks; ++p) {
        const int n = ff_block_size(o, p);
        ff_dense_solve(n, f->square + o->square[p], f->pivots + o->start[p], x + o->start[p]);
        for (int a = o->first[p]; a < o->first[p + 1]; ++a)
            for (int r = 0; r < ff_block_size(o, o->later[a]); ++r)
                x[o->start[o->later[a]] + r] -=
                    ff_dot(n, f->lower + o->side[a] + (long)r * n, x + o->start[p]);
    }
    for (int p = o->blocks - 1; p >= 0; --p) {
        const int n = ff_block_size(o, p);
        for (int a = o->first[p]; a < o->first[p + 1]; ++a) {
            const int width = ff_block_size(o, o->later[a]);
            for (int k = 0; k < n; ++k)
                x[o->start[p] + k] -= ff_dot(width, f->upper + o->side[a] + (long)k * width,
                                             x + o->start[o->later[a]]);
        }
    }
}

#endif
