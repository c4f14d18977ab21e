/* SPDX-License-Identifier: BSD-3-Clause */
/* Steps of tied bodies, A^T (M q'' + C(t) q' + K(t, q) q - f(t)) = 0, by the generalized-alpha method.

   Equations and constraints hold at the end of a step; the unknowns are the averaged accelerations of
   the speeds, or of all coordinates beside multipliers. */
#ifndef FF_TIED_H
#define FF_TIED_H

#include "ff_dense.h"
#include "ff_step.h"
#include "ff_ties.h"

/* The geometric stiffness due to the state, linear in it: entries of K, (nnz, n) row by row. */
typedef struct {
    const int *pointers; /* (nnz + 1,) */
    const int *columns;
    const double *values;
} ff_stiffened;

/* A system: matrices of its coordinates; place and band refer to the speeds. */
typedef struct {
    const ff_matrices *matrices;
    const ff_stiffened *stiffened;
    const ff_ties *ties;
} ff_tied;

/* Workspace of steps. */
typedef struct {
    double *elastic, *viscous; /* (nnz,) K and C */
    double *momentum;          /* (nnz,) of displacements in momenta, if steps are canonical */
    double *expected;          /* (n,) */
    double *start;             /* (3, n) */
    double *left;              /* (n,) unbalanced forces */
    double *speeds;            /* (4, s) */
    double *change;            /* (s,) */
    double *free;              /* (3, nnz of A) */
    double *gain;              /* (3, nnz of A) */
    double *matrix;            /* ((3 * band + 1) * s,) */
    double *room;              /* of ff_tie */
    double *bordered;          /* (n + m, n + m), right-hand side and state (4, n), with multipliers */
    int *pivots;               /* (s,) or (n + m,) */
    int *ints;                 /* of ff_choose */
} ff_tied_work;

/* Number of coordinates and multipliers that steps solve for; 0 where they solve for speeds. */
static inline size_t ff_tied_bordered(const ff_tied *d)
{
    const ff_ties *t = d->ties;
    return t->multipliers ? (size_t)(t->n + t->multipliers) : 0;
}

static inline size_t ff_tied_doubles(const ff_tied *d)
{
    const ff_matrices *m = d->matrices;
    const ff_ties *t = d->ties;
    const size_t nnz = (size_t)m->pointers[m->n], n = (size_t)m->n, s = (size_t)t->speeds;
    const size_t all = (size_t)t->pointers[t->n], whole = ff_tied_bordered(d);
    return 2 * nnz + 5 * n + 5 * s + 6 * all + (3 * (size_t)m->band + 1) * s + ff_ties_doubles(t) +
           (whole ? whole * (whole + 1) + 4 * n : 0) + (t->canonical ? nnz : 0);
}

static inline size_t ff_tied_ints(const ff_tied *d)
{
    const size_t whole = ff_tied_bordered(d);
    return (whole ? whole : (size_t)d->ties->speeds) + ff_ties_ints(d->ties);
}

static inline void ff_tied_place(const ff_tied *d, ff_tied_work *w, double *memory, int *ints)
{
    const ff_matrices *m = d->matrices;
    const ff_ties *t = d->ties;
    const size_t nnz = (size_t)m->pointers[m->n], n = (size_t)m->n, s = (size_t)t->speeds;
    const size_t all = (size_t)t->pointers[t->n];
    w->elastic = memory;
    w->viscous = w->elastic + nnz;
    w->expected = w->viscous + nnz;
    w->start = w->expected + n;
    w->left = w->start + 3 * n;
    w->speeds = w->left + n;
    w->change = w->speeds + 4 * s;
    w->free = w->change + s;
    w->gain = w->free + 3 * all;
    w->matrix = w->gain + 3 * all;
    w->room = w->matrix + (3 * (size_t)m->band + 1) * s;
    w->bordered = w->momentum = w->room + ff_ties_doubles(t); /* one of them */
    w->pivots = ints;
    w->ints = ints + (t->multipliers ? ff_tied_bordered(d) : s);
}

/* Set K and C for the factors of a time, including geometric stiffness of the predicted state. */
static inline void ff_tied_matrices(const ff_tied *d, ff_tied_work *w, const double *elastic,
                                    const double *viscous, const double *expected)
{
    const ff_matrices *m = d->matrices;
    const ff_stiffened *g = d->stiffened;
    ff_combine(m, elastic, w->elastic);
    ff_combine(m, viscous, w->viscous);
    for (int k = 0; k < m->pointers[m->n]; ++k)
        for (int j = g->pointers[k]; j < g->pointers[k + 1]; ++j)
            w->elastic[k] += g->values[j] * expected[g->columns[j]];
}

/* Set left to force - K q - C v - M a for a state (3, n). */
static inline void ff_tied_left(const ff_tied *d, ff_tied_work *w, const double *restrict force,
                                const double *restrict state)
{
    const ff_matrices *m = d->matrices;
    const double *q = state, *v = q + m->n, *a = v + m->n;
    for (int i = 0; i < m->n; ++i) {
        double value = force[i];
        for (int k = m->pointers[i]; k < m->pointers[i + 1]; ++k) {
            const int j = m->columns[k];
            value -= w->elastic[k] * q[j] + w->viscous[k] * v[j] + m->mass[k] * a[j];
        }
        w->left[i] = value;
    }
}

/* Set q, q' and q'' (3, n) from y, y' and y'' (3, s), with the A of the work. */
static inline void ff_tied_state(const ff_tied *d, const ff_tied_work *w, const double *y, double *out)
{
    const ff_ties *t = d->ties;
    const int n = t->n, s = t->speeds;
    const long all = t->pointers[n];
    memset(out, 0, 3 * (size_t)n * sizeof(double));
    ff_reach(t, w->free, y, 1.0, out);
    ff_reach(t, w->free, y + s, 1.0, out + n);
    ff_reach(t, w->free + all, y, 1.0, out + n);
    ff_reach(t, w->free, y + 2 * s, 1.0, out + 2 * n);
    ff_reach(t, w->free + all, y + s, 2.0, out + 2 * n);
    ff_reach(t, w->free + 2 * all, y, 1.0, out + 2 * n);
}

/* Set A of the work for constraints (3, entries), with other speeds if necessary. */
static inline int ff_tied_follow(const ff_tied *d, ff_tied_work *w, const double *rows, double *choice)
{
    int code = ff_tie(d->ties, choice, rows, w->free, w->room);
    if (code) {
        code = ff_choose(d->ties, rows, choice, w->room, w->ints);
        if (!code)
            code = ff_tie(d->ties, choice, rows, w->free, w->room) == FF_TIES_DEPENDENT;
    }
    return code;
}

/* A matrix (nnz,) times what displacements or their rates are per unit of the unknowns, (nnz of A,). */
typedef struct {
    const double *matrix, *gain;
} ff_term;

/* Add the sum of the terms to the matrix of a step, in the directions of a matrix with the pattern of A. */
static inline void ff_tied_add(const ff_tied *d, ff_tied_work *w, const double *restrict along, int terms,
                               const ff_term *term)
{
    const ff_matrices *m = d->matrices;
    const ff_ties *t = d->ties;
    const int lead = 3 * m->band + 1;
    double *restrict matrix = w->matrix;
    for (int i = 0; i < m->n; ++i)
        for (int k = m->pointers[i]; k < m->pointers[i + 1]; ++k) {
            const int j = m->columns[k];
            for (int b = t->pointers[j]; b < t->pointers[j + 1]; ++b) {
                double value = 0.0;
                for (int l = 0; l < terms; ++l)
                    value += term[l].matrix[k] * term[l].gain[b];
                const int column = m->place[t->columns[b]];
                double *restrict at = matrix + (long)column * lead + 2 * m->band - column;
                for (int a = t->pointers[i]; a < t->pointers[i + 1]; ++a)
                    at[m->place[t->columns[a]]] += along[a] * value;
            }
        }
}

static inline void ff_tied_clear(const ff_tied *d, ff_tied_work *w)
{
    const size_t lead = 3 * (size_t)d->matrices->band + 1;
    memset(w->matrix, 0, lead * (size_t)d->ties->speeds * sizeof(double));
}

/* Factor the matrix of a step. masses: motions without inertia do not change. Returns 0, or 1 if it is
   singular. */
static inline int ff_tied_factor(const ff_tied *d, ff_tied_work *w, int masses)
{
    const int s = d->ties->speeds, band = d->matrices->band;
    return masses ? ff_band_factor_masses(s, band, w->matrix, w->pivots, w->change)
                  : ff_band_factor(s, band, w->matrix, w->pivots);
}

/* Add a multiple of generalized forces (n,) along the columns of a matrix with the pattern of A. */
static inline void ff_onto(const ff_ties *t, const double *restrict along, const double *restrict force,
                           double factor, double *restrict out)
{
    for (int i = 0; i < t->n; ++i)
        for (int k = t->pointers[i]; k < t->pointers[i + 1]; ++k)
            out[t->columns[k]] += factor * along[k] * force[i];
}

/* Solve with these factors in place, for the speeds. */
static inline void ff_tied_back(const ff_tied *d, ff_tied_work *w, double *restrict x)
{
    const ff_matrices *m = d->matrices;
    const int s = d->ties->speeds;
    double *restrict sorted = w->expected; /* free by then */
    for (int k = 0; k < s; ++k)
        sorted[m->place[k]] = x[k];
    ff_band_solve(s, m->band, w->matrix, w->pivots, sorted);
    for (int k = 0; k < s; ++k)
        x[k] = sorted[m->place[k]];
}

/* Solve with A^T (M gain'' + C gain' + K gain), gain (3, nnz of A) with the pattern of A: change becomes the
   solution for A^T left. masses: whether gain and gain' are zero; then motions without inertia do not change.
   Returns 0, or 1 if it is singular. */
static inline int ff_tied_solve(const ff_tied *d, ff_tied_work *w, int masses)
{
    const ff_ties *t = d->ties;
    const long all = t->pointers[t->n];
    const ff_term term[3] = {
        {d->matrices->mass, w->gain + 2 * all}, {w->viscous, w->gain + all}, {w->elastic, w->gain}};
    ff_tied_clear(d, w);
    ff_tied_add(d, w, w->free, masses ? 1 : 3, term);
    if (ff_tied_factor(d, w, masses))
        return 1;
    memset(w->change, 0, (size_t)t->speeds * sizeof(double));
    ff_onto(t, w->free, w->left, 1.0, w->change);
    ff_tied_back(d, w, w->change);
    return 0;
}

/* Set the accelerations and averaged accelerations of a state (4, n) that balance the forces of a time;
   positions and velocities become A y and A y' + A' y, as the constraints require. Returns FF_SINGULAR or
   FF_UNBOUNDED; then choice and state may have changed. */
static inline int ff_tied_settle(const ff_tied *d, ff_tied_work *w, const double *elastic,
                                 const double *viscous, const double *force, const double *rows,
                                 double *choice, double *state)
{
    const ff_ties *t = d->ties;
    const int n = t->n, s = t->speeds;
    const long all = t->pointers[n];
    if (ff_tied_follow(d, w, rows, choice))
        return FF_SINGULAR;
    ff_speeds(t, choice, state, w->speeds);
    ff_speeds(t, choice, state + n, w->speeds + s);
    memset(w->speeds + 2 * (long)s, 0, (size_t)s * sizeof(double));
    ff_tied_state(d, w, w->speeds, state);
    ff_tied_matrices(d, w, elastic, viscous, state);
    ff_tied_left(d, w, force, state);
    memcpy(w->gain + 2 * all, w->free, (size_t)all * sizeof(double));
    if (ff_tied_solve(d, w, 1))
        return FF_SINGULAR;
    memcpy(w->speeds + 2 * (long)s, w->change, (size_t)s * sizeof(double));
    ff_tied_state(d, w, w->speeds, state);
    memcpy(state + 3 * (long)n, state + 2 * (long)n, (size_t)n * sizeof(double));
    return ff_finite(4 * (size_t)n, state) ? FF_OK : FF_UNBOUNDED;
}

/* Solve for the averaged accelerations and multipliers (n + m,) that balance the forces left at predicted
   positions q, and close the constraints J q = 0: [S, -J^T; -J, 0] with S the matrix of the step, the rows of J
   as large as its entries. Returns 0, or not if it is singular. */
static inline int ff_tied_close(const ff_tied *d, const ff_gains by, const double *rows,
                                const double *q, ff_tied_work *w, double *right)
{
    const ff_matrices *m = d->matrices;
    const ff_ties *t = d->ties;
    const int n = m->n, size = n + t->multipliers;
    double *matrix = w->bordered, scale = 0.0;
    memset(matrix, 0, (size_t)size * (size_t)size * sizeof(double));
    memset(right, 0, (size_t)size * sizeof(double));
    for (int i = 0; i < n; ++i) {
        right[i] = w->left[i];
        for (int k = m->pointers[i]; k < m->pointers[i + 1]; ++k)
            matrix[(long)i * size + m->columns[k]] =
                by.a * m->mass[k] + by.v * w->viscous[k] + by.q * w->elastic[k];
        scale = fmax(scale, fabs(matrix[(long)i * (size + 1)]));
    }
    for (int c = 0; c < t->clusters; ++c) {
        const ff_cluster *one = t->cluster + c;
        for (int k = 0; k < one->rows * one->columns; ++k) {
            if (one->entry[k] < 0)
                continue;
            const int row = n + one->row[k / one->columns], column = one->column[k % one->columns];
            const double value = scale * rows[one->entry[k]];
            matrix[(long)row * size + column] = matrix[(long)column * size + row] = -value;
            right[row] += value * q[column] / by.q;
        }
    }
    if (ff_dense_factor(size, matrix, w->pivots))
        return 1;
    ff_dense_solve(size, matrix, w->pivots, right);
    return 0;
}

/* Take a step with multipliers; arguments and results are those of ff_tied_step. */
static inline int ff_tied_multiplied(const ff_tied *d, const ff_scheme *c, double h,
                                     const double *elastic, const double *viscous,
                                     const double *force, const double *rows, const double *before,
                                     ff_tied_work *w, double *state)
{
    const int n = d->ties->n;
    const long whole = (long)ff_tied_bordered(d);
    const ff_gains by = ff_gains_of(c, h);
    double *right = w->bordered + whole * whole, *found = right + whole;
    for (int i = 0; i < n; ++i)
        w->expected[i] = 2.0 * state[i] - before[i];
    ff_tied_matrices(d, w, elastic, viscous, w->expected);
    memcpy(found, state, 4 * (size_t)n * sizeof(double));
    ff_predict(c, h, n, found);
    ff_tied_left(d, w, force, found);
    if (ff_tied_close(d, by, rows, found, w, right))
        return FF_SINGULAR;
    ff_correct(by, n, right, found);
    memcpy(found + 3 * (long)n, right, (size_t)n * sizeof(double));
    memcpy(state, found, 4 * (size_t)n * sizeof(double));
    return ff_finite(4 * (size_t)n, state) ? FF_OK : FF_UNBOUNDED;
}

/* Take one step: state (4, n) is q, q', q'' and the averaged q'' at its beginning, then at its end.

   elastic, viscous: (bases,) factors of the constant matrices, force (n,), and rows (3, entries) the
   constraints J, J', J'', all at its end; before (n,): q one step of equal length before its start.
   Returns FF_SINGULAR if the matrix of the step is singular or constraints are dependent, with the state
   unchanged; FF_UNBOUNDED if the state at its end is not finite. */
static inline int ff_tied_step(const ff_tied *d, const ff_scheme *c, double h, const double *elastic,
                               const double *viscous, const double *force, const double *rows,
                               const double *before, double *choice, ff_tied_work *w, double *state)
{
    const ff_ties *t = d->ties;
    const int n = t->n, s = t->speeds;
    const long all = t->pointers[n];
    const ff_gains by = ff_gains_of(c, h);
    if (ff_tied_follow(d, w, rows, choice))
        return FF_SINGULAR;
    if (t->multipliers)
        return ff_tied_multiplied(d, c, h, elastic, viscous, force, rows, before, w, state);
    double *y = w->speeds, *a = y + 2 * (long)s, *averaged = a + s;
    for (int k = 0; k < 4; ++k)
        ff_speeds(t, choice, state + (long)k * n, y + (long)k * s);
    for (int i = 0; i < n; ++i)
        w->expected[i] = 2.0 * state[i] - before[i];
    ff_tied_matrices(d, w, elastic, viscous, w->expected);
    ff_predict(c, h, s, y);
    ff_tied_state(d, w, y, w->start);
    ff_tied_left(d, w, force, w->start);
    /* Positions, velocities and accelerations per unit of it. */
    const double *free = w->free;
    for (long k = 0; k < all; ++k) {
        w->gain[k] = by.q * free[k];
        w->gain[all + k] = by.v * free[k] + by.q * free[all + k];
        w->gain[2 * all + k] = by.a * free[k] + 2.0 * by.v * free[all + k] + by.q * free[2 * all + k];
    }
    if (ff_tied_solve(d, w, 0))
        return FF_SINGULAR;
    ff_correct(by, s, w->change, y);
    for (int k = 0; k < s; ++k)
        averaged[k] = w->change[k] - a[k];
    ff_tied_state(d, w, y, state);
    /* The averaged acceleration differs from the final one by the same amount as that of the speeds. */
    double *last = state + 3 * (long)n;
    memcpy(last, state + 2 * (long)n, (size_t)n * sizeof(double));
    ff_reach(t, free, averaged, 1.0, last);
    return ff_finite(4 * (size_t)n, state) ? FF_OK : FF_UNBOUNDED;
}

#endif
