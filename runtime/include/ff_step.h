/* SPDX-License-Identifier: BSD-3-Clause */
/* Steps of M q'' + C(t) q' + K(t) q = f(t) by the generalized-alpha method, balanced at their end.

   K and C are combinations of constant matrices on the pattern of M; see physics.md section 2.
   Arnold and Bruels, Multibody Syst. Dyn. 18 (2007), eqs. 4-5; coefficients of Chung and Hulbert, J. Appl.
   Mech. 60 (1993), eqs. 25-27. */
#ifndef FF_STEP_H
#define FF_STEP_H

#include "ff_sparse.h"
#include "ff_status.h"
#include <float.h>
#include <string.h>

/* The constant matrices of a system. */
typedef struct {
    int n;               /* coordinates */
    int bases;           /* matrices that K and C are combined from */
    int band;            /* half width of the band of their pattern in the order of place */
    const int *pointers; /* (n + 1,) first entry of every row */
    const int *columns;  /* (nnz,) */
    const int *place;    /* (n,) of every coordinate in the band, or in the order of fill */
    const ff_fill *fill; /* of sparse factors; 0 where a band is factored */
    const double *mass;  /* (nnz,) */
    const double *base;  /* (bases, nnz) */
    const int *skew;     /* (bases,) whether a matrix is skew; of explicit steps alone */
} ff_matrices;

/* Method of integration; explicit_steps: central differences, whatever the rest says. */
typedef struct {
    double alpha_m, alpha_f, beta, gamma;
    int explicit_steps;
} ff_scheme;

/* Where steps are computed; elastic, viscous and matrix are kept while nothing changes. */
typedef struct {
    double *factors;          /* (2 * bases + 1,) those that the matrices were made with; step h */
    double *elastic;          /* (nnz,) K */
    double *viscous;          /* (nnz,) C */
    double *turning;          /* (nnz,) its skew part, of explicit steps alone */
    double *matrix;           /* factors of the matrix of a step */
    double *right;            /* (n,), and the next ones after it: room while a matrix is factored */
    double *places;           /* (n,) */
    double *velocities;       /* (n,) */
    double *balanced;         /* (n,) */
    int *pivots;              /* (n,) */
    int ready;                /* whether elastic, viscous, matrix are those of the factors */
    int mass;                 /* whether matrix holds factors of the masses alone */
    long factorizations;      /* made so far */
} ff_work;

/* Number of doubles of the factors of a matrix. */
static inline size_t ff_factor_doubles(const ff_matrices *m)
{
    return m->fill ? ff_sparse_doubles(m->fill) : (3 * (size_t)m->band + 1) * (size_t)m->n;
}

/* Numbers of doubles that the arrays of ff_work take together, and of ints. */
static inline size_t ff_work_doubles(const ff_matrices *m)
{
    const size_t nnz = (size_t)m->pointers[m->n], n = (size_t)m->n;
    return 2 * (size_t)m->bases + 1 + 3 * nnz + ff_factor_doubles(m) + 4 * n;
}

/* Lay the arrays out in memory given. */
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
    work->velocities = work->places + n;
    work->balanced = work->velocities + n;
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

/* Factor a M + b C + c K, of K and C as they are in work. masses: whether it is M alone, which may be
   singular. Returns 0, or what else the factorization returned. */
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
        return ff_sparse_factor(m->fill, work->matrix, work->right, masses);
    return masses ? ff_band_factor_masses(m->n, m->band, work->matrix, work->pivots, work->right)
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

/* Factor the mass matrix, unless its factors are in place. Returns 0, or 1 when it contains NaN or infinity. */
static inline int ff_factor_masses(const ff_matrices *m, ff_work *work)
{
    if (!work->mass && ff_factor(m, work, 1.0, 0.0, 0.0, 1))
        return 1;
    work->ready = work->mass = 1;
    return 0;
}

/* Set x to the solution for work->right. */
static inline void ff_solve(const ff_matrices *m, ff_work *work, double *restrict x)
{
    double *restrict sorted = work->places; /* free by then */
    for (int i = 0; i < m->n; ++i)
        sorted[m->place[i]] = work->right[i];
    ff_factored_solve(m, work, sorted);
    for (int i = 0; i < m->n; ++i)
        x[i] = sorted[m->place[i]];
}

/* Set work->right to force - K places - C velocities - factor M a. */
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

/* Set K and C for the factors of a time. Returns whether they are those that were there. */
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

/* Set the accelerations, and averaged ones, that balance the forces of a time, of a state (4, n); zero of
   what has no inertia. Returns FF_SINGULAR when the mass matrix contains NaN or infinity, FF_UNBOUNDED when
   the accelerations are not finite. */
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

/* Most corrections of a step by what turns in it; each is less than the one before by the angle of the
   step, and the last does not change a number. */
enum { FF_CENTRINGS = 60 };

/* Whether a change of some numbers is round-off. */
static inline int ff_settled(double change, double largest)
{
    return change <= DBL_EPSILON * largest;
}

/* Centre the skew part of C in an explicit step: next, which has it with the velocities v + h a, becomes
   the solution x of x = next - h/2 M^-1 G (x - a). Returns FF_UNBOUNDED where the frame turns by too
   much in a step for that. */
static inline int ff_centre(const ff_matrices *m, double h, ff_work *work, const double *restrict a,
                            double *restrict next)
{
    double *restrict balanced = work->balanced;
    double *restrict sorted = work->places; /* free by then */
    memcpy(balanced, next, (size_t)m->n * sizeof(double));
    for (int count = 0; count < FF_CENTRINGS; ++count) {
        double change = 0.0, largest = 0.0;
        for (int i = 0; i < m->n; ++i) {
            double value = 0.0;
            for (int k = m->pointers[i]; k < m->pointers[i + 1]; ++k)
                value += work->turning[k] * (next[m->columns[k]] - a[m->columns[k]]);
            sorted[m->place[i]] = 0.5 * h * value;
        }
        ff_factored_solve(m, work, sorted);
        for (int i = 0; i < m->n; ++i) {
            const double value = balanced[i] - sorted[m->place[i]];
            change = fmax(change, fabs(value - next[i]));
            largest = fmax(largest, fabs(value));
            next[i] = value;
        }
        if (ff_settled(change, largest))
            return FF_OK;
    }
    return FF_UNBOUNDED;
}

/* Take one step of central differences: as ff_step.

   Newmark's method with beta = 0, gamma = 1/2. Velocities in the forces are those expected at the end,
   v + h a, but for the skew part of C, which is taken with those at the end: otherwise a frame that turns
   would feed every motion with energy (physics.md section 10). Of the matrices the masses alone are
   factored, once. */
static inline int ff_explicit(const ff_matrices *m, double h, const double *elastic,
                              const double *viscous, const double *force, ff_work *work,
                              double *restrict state)
{
    const size_t n = (size_t)m->n;
    double *q = state, *v = q + n, *a = v + n, *averaged = a + n;
    ff_set_matrices(m, work, elastic, viscous, 0.0);
    if (ff_factor_masses(m, work))
        return FF_SINGULAR;
    for (int i = 0; i < m->n; ++i) {
        q[i] += h * v[i] + 0.5 * h * h * a[i];
        work->velocities[i] = v[i] + h * a[i];
    }
    ff_balance(m, work, force, q, work->velocities, 0.0, a);
    double *restrict next = work->velocities; /* free by then */
    ff_solve(m, work, next);
    if (ff_set_turning(m, viscous, work) && ff_centre(m, h, work, a, next))
        return FF_UNBOUNDED;
    for (int i = 0; i < m->n; ++i) {
        v[i] += 0.5 * h * (a[i] + next[i]);
        averaged[i] = a[i] = next[i];
    }
    return ff_finite(3 * n, state) ? FF_OK : FF_UNBOUNDED;
}

/* Take one step: state (4, n) is q, q', q'' and the averaged q'' at its beginning, then at its end.

   elastic, viscous: (bases,) factors of the constant matrices, and force (n,), all of its end. Returns
   FF_SINGULAR when the matrix of the step is, and the state is as before then; FF_UNBOUNDED when the state at
   its end is not finite. */
static inline int ff_step(const ff_matrices *m, const ff_scheme *s, double h,
                          const double *elastic, const double *viscous, const double *force,
                          ff_work *work, double *restrict state)
{
    if (s->explicit_steps)
        return ff_explicit(m, h, elastic, viscous, force, work, state);
    const size_t n = (size_t)m->n;
    const double fresh = 1.0 - s->alpha_f;
    /* What a unit of the new averaged acceleration adds to accelerations, velocities, places. */
    const double by_a = (1.0 - s->alpha_m) / fresh, by_v = s->gamma * h, by_q = s->beta * h * h;
    double *q = state, *v = q + n, *a = v + n, *averaged = a + n;
    if (!ff_set_matrices(m, work, elastic, viscous, h)) {
        work->mass = 0;
        if (ff_factor(m, work, by_a, by_v, by_q, 0))
            return FF_SINGULAR;
        work->ready = 1;
    }
    /* The state at the end if it were zero. */
    for (int i = 0; i < m->n; ++i) {
        q[i] += h * v[i] + (0.5 - s->beta) * h * h * averaged[i];
        v[i] += (1.0 - s->gamma) * h * averaged[i];
        a[i] = (s->alpha_m * averaged[i] - s->alpha_f * a[i]) / fresh;
    }
    ff_balance(m, work, force, q, v, 1.0, a);
    ff_solve(m, work, averaged);
    for (int i = 0; i < m->n; ++i) {
        q[i] += by_q * averaged[i];
        v[i] += by_v * averaged[i];
        a[i] += by_a * averaged[i];
    }
    return ff_finite(4 * n, state) ? FF_OK : FF_UNBOUNDED;
}

#endif
