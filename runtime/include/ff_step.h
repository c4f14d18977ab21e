/* SPDX-License-Identifier: BSD-3-Clause */
/* Steps of M q'' + C(t) q' + K(t) q = f(t), where K and C are combinations of constant matrices on the pattern
   of M; see physics.md section 2. */
#ifndef FF_STEP_H
#define FF_STEP_H

#include "ff_scheme.h"
#include "ff_sparse.h"

/* The constant matrices of a system. */
typedef struct {
    int n;               /* coordinates */
    int bases;           /* matrices from which K and C are combined */
    int band;            /* half width of the band of their pattern in the order of `place` */
    const int *pointers; /* (n + 1,) first entry of every row */
    const int *columns;  /* (nnz,) */
    const int *place;    /* (n,) position of every coordinate in the band, or in the elimination order */
    const ff_fill *fill; /* pattern of sparse factors; 0 if a band is factored */
    const double *mass;  /* (nnz,) */
    const double *base;  /* (bases, nnz) */
    const int *skew;     /* (bases,) whether a matrix is skew; only for explicit steps */
} ff_matrices;

/* Workspace of steps; elastic, viscous and matrix are reused while nothing changes. */
typedef struct {
    double *factors;          /* (2 * bases + 1,) factors of the current matrices; step h */
    double *elastic;          /* (nnz,) K */
    double *viscous;          /* (nnz,) C */
    double *turning;          /* (nnz,) skew part of C, only for explicit steps */
    double *matrix;           /* factors of the matrix of a step */
    double *right;            /* (n,) */
    double *places;           /* (n,) */
    double *room;             /* (3, n) for explicit steps, and during factorizations */
    int *pivots;              /* (n,) */
    int ready;                /* whether elastic, viscous, matrix are those of the factors */
    int mass;                 /* whether matrix holds factors of the masses alone */
    long factorizations;      /* number of factorizations so far */
} ff_work;

/* Number of doubles of the factors of a matrix. */
static inline size_t ff_factor_doubles(const ff_matrices *m)
{
    return m->fill ? ff_sparse_doubles(m->fill) : (3 * (size_t)m->band + 1) * (size_t)m->n;
}

/* Total numbers of doubles and of ints of the arrays of ff_work. */
static inline size_t ff_work_doubles(const ff_matrices *m)
{
    const size_t nnz = (size_t)m->pointers[m->n], n = (size_t)m->n;
    return 2 * (size_t)m->bases + 1 + 3 * nnz + ff_factor_doubles(m) + 5 * n;
}

/* Lay out the arrays in given memory. */
static inline void ff_work_place(const ff_matrices *m, ff_work *work, double *memory, int *pivots)
{
    const size_t nnz = (size_t)m->pointers[m->n], n = (size_t)m->n;
    work->factors = memory;
    work->elastic = work->factors + 2 * m->bases + 1;
    work->viscous = work->elastic + nnz;
    work->turning = work->viscous + nnz;
    work->matrix = work->turning + nnz;
    work->right = work->matrix + ff_factor_doubles(m);
    work->places = work->right + n;
    work->room = work->places + n;
    work->pivots = pivots;
    work->ready = work->mass = 0;
    work->factorizations = 0;
}

/* Combine the constant matrices. */
static inline void ff_combine(const ff_matrices *m, const double *factors, double *restrict out)
{
    const int nnz = m->pointers[m->n];
    memset(out, 0, (size_t)nnz * sizeof(double));
    for (int b = 0; b < m->bases; ++b) {
        const double factor = factors[b];
        const double *restrict base = m->base + (long)b * nnz;
        if (factor != 0.0)
            for (int k = 0; k < nnz; ++k)
                out[k] += factor * base[k];
    }
}

/* Factor a M + b C + c K, with K and C from work. masses: whether it is M alone, which may be singular.
   Returns 0, or the error of the factorization. */
static inline int ff_factor(const ff_matrices *m, ff_work *work, double a, double b, double c, int masses)
{
    const long lead = 3 * m->band + 1;
    memset(work->matrix, 0, ff_factor_doubles(m) * sizeof(double));
    for (int i = 0; i < m->n; ++i)
        for (int k = m->pointers[i]; k < m->pointers[i + 1]; ++k) {
            const int row = m->place[i], column = m->place[m->columns[k]];
            const long at = m->fill ? m->fill->entries[k] : column * lead + 2 * m->band + row - column;
            work->matrix[at] += a * m->mass[k] + b * work->viscous[k] + c * work->elastic[k];
        }
    work->factorizations += 1;
    if (m->fill)
        return ff_sparse_factor(m->fill, work->matrix, work->room, masses);
    return masses ? ff_band_factor_masses(m->n, m->band, work->matrix, work->pivots, work->room)
                  : ff_band_factor(m->n, m->band, work->matrix, work->pivots);
}

/* Solve with these factors in place, in their order. */
static inline void ff_factored_solve(const ff_matrices *m, const ff_work *work, double *restrict x)
{
    if (m->fill)
        ff_sparse_solve(m->fill, work->matrix, x);
    else
        ff_band_solve(m->n, m->band, work->matrix, work->pivots, x);
}

/* Factor the mass matrix, unless this is done. Returns 0, or 1 if it contains NaN or infinity. */
static inline int ff_factor_masses(const ff_matrices *m, ff_work *work)
{
    if (!work->mass && ff_factor(m, work, 1.0, 0.0, 0.0, 1))
        return 1;
    work->ready = work->mass = 1;
    return 0;
}

/* Set x to the solution for work->right; both may be the same array. */
static inline void ff_solve(const ff_matrices *m, ff_work *work, double *x)
{
    double *restrict sorted = work->places; /* free by then */
    for (int i = 0; i < m->n; ++i)
        sorted[m->place[i]] = work->right[i];
    ff_factored_solve(m, work, sorted);
    for (int i = 0; i < m->n; ++i)
        x[i] = sorted[m->place[i]];
}

/* Set work->right to force - K positions - C velocities - factor M a. */
static inline void ff_balance(const ff_matrices *m, ff_work *work, const double *restrict force,
                              const double *restrict places, const double *restrict velocities,
                              double factor, const double *restrict a)
{
    for (int i = 0; i < m->n; ++i) {
        double value = force[i];
        for (int k = m->pointers[i]; k < m->pointers[i + 1]; ++k) {
            const int j = m->columns[k];
            value -= work->elastic[k] * places[j] + work->viscous[k] * velocities[j] +
                     factor * m->mass[k] * a[j];
        }
        work->right[i] = value;
    }
}

/* Set K and C for the factors of a time. Returns whether they are unchanged. */
static inline int ff_set_matrices(const ff_matrices *m, ff_work *work, const double *elastic,
                                  const double *viscous, double step)
{
    const size_t size = (size_t)m->bases * sizeof(double);
    if (work->ready && work->factors[2 * m->bases] == step &&
        !memcmp(work->factors, elastic, size) && !memcmp(work->factors + m->bases, viscous, size))
        return 1;
    work->ready = 0;
    memcpy(work->factors, elastic, size);
    memcpy(work->factors + m->bases, viscous, size);
    work->factors[2 * m->bases] = step;
    ff_combine(m, elastic, work->elastic);
    ff_combine(m, viscous, work->viscous);
    return 0;
}

/* Set the accelerations and averaged accelerations of a state (4, n) that balance the forces of a time; they
   are zero for motions without inertia. Returns FF_SINGULAR if the mass matrix contains NaN or infinity,
   FF_UNBOUNDED if the accelerations are not finite. */
static inline int ff_accelerations(const ff_matrices *m, ff_work *work, const double *elastic,
                                   const double *viscous, const double *force, double *restrict state)
{
    const size_t n = (size_t)m->n;
    double *a = state + 2 * n;
    ff_set_matrices(m, work, elastic, viscous, 0.0);
    if (ff_factor_masses(m, work))
        return FF_SINGULAR;
    ff_balance(m, work, force, state, state + n, 0.0, state);
    ff_solve(m, work, a);
    memcpy(a + n, a, n * sizeof(double));
    return ff_finite(n, a) ? FF_OK : FF_UNBOUNDED;
}

/* Set work->turning to the skew part of C. Returns whether there is any. */
static inline int ff_set_turning(const ff_matrices *m, const double *viscous, ff_work *work)
{
    const int nnz = m->pointers[m->n];
    int any = 0;
    memset(work->turning, 0, (size_t)nnz * sizeof(double));
    for (int b = 0; b < m->bases; ++b) {
        const double *restrict base = m->base + (long)b * nnz;
        if (!m->skew[b] || viscous[b] == 0.0)
            continue;
        any = 1;
        for (int k = 0; k < nnz; ++k)
            work->turning[k] += viscous[b] * base[k];
    }
    return any;
}

/* Explicit steps of these equations, with an ff_explicit_matrices as system. */
typedef struct {
    const ff_matrices *matrices;
    ff_work *work;
    const double *viscous, *force;
} ff_explicit_matrices;

static inline int ff_explicit_balance(void *system, const double *q, double *a)
{
    const ff_explicit_matrices *t = system;
    ff_balance(t->matrices, t->work, t->force, q, a, 0.0, a);
    ff_solve(t->matrices, t->work, a);
    return FF_OK;
}
static inline int ff_explicit_turns(void *system)
{
    const ff_explicit_matrices *t = system;
    return ff_set_turning(t->matrices, t->viscous, t->work);
}
static inline void ff_explicit_turn(void *system, double factor, const double *x, const double *y,
                                  double *out)
{
    const ff_explicit_matrices *t = system;
    const ff_matrices *m = t->matrices;
    for (int i = 0; i < m->n; ++i) {
        double value = 0.0;
        for (int k = m->pointers[i]; k < m->pointers[i + 1]; ++k)
            value += t->work->turning[k] * (x[m->columns[k]] - y[m->columns[k]]);
        t->work->right[i] = factor * value;
    }
    ff_solve(m, t->work, out);
}

/* Take one step of central differences, like ff_step. Only the mass matrix is factored, and only once. */
static inline int ff_explicit_step(const ff_matrices *m, double h, const double *elastic,
                                   const double *viscous, const double *force, ff_work *work,
                                   double *state)
{
    const ff_explicit of = {ff_explicit_balance, ff_explicit_turns, ff_explicit_turn};
    const size_t n = (size_t)m->n;
    ff_explicit_matrices system = {m, work, viscous, force};
    ff_set_matrices(m, work, elastic, viscous, 0.0);
    if (ff_factor_masses(m, work))
        return FF_SINGULAR;
    const int code = ff_central(&of, &system, h, m->n, state, work->room);
    memcpy(state + 3 * n, state + 2 * n, n * sizeof(double));
    return code;
}

/* Take one step: state (4, n) is q, q', q'' and the averaged q'' at its beginning, then at its end.

   elastic, viscous: (bases,) factors of the constant matrices, and force (n,), all at its end. Returns
   FF_SINGULAR if the matrix of the step is singular, with the state unchanged; FF_UNBOUNDED if the state at
   its end is not finite. */
static inline int ff_step(const ff_matrices *m, const ff_scheme *s, double h,
                          const double *elastic, const double *viscous, const double *force,
                          ff_work *work, double *restrict state)
{
    if (s->explicit_steps)
        return ff_explicit_step(m, h, elastic, viscous, force, work, state);
    const size_t n = (size_t)m->n;
    const ff_gains by = ff_gains_of(s, h);
    double *q = state, *v = q + n, *a = v + n, *averaged = a + n;
    if (!ff_set_matrices(m, work, elastic, viscous, h)) {
        work->mass = 0;
        if (ff_factor(m, work, by.a, by.v, by.q, 0))
            return FF_SINGULAR;
        work->ready = 1;
    }
    ff_predict(s, h, m->n, state);
    ff_balance(m, work, force, q, v, 1.0, a);
    ff_solve(m, work, averaged);
    ff_correct(by, m->n, averaged, state);
    return ff_finite(4 * n, state) ? FF_OK : FF_UNBOUNDED;
}

#endif
