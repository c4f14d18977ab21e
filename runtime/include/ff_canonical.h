/* SPDX-License-Identifier: BSD-3-Clause */
/* Steps of tied bodies by the implicit midpoint rule for Hamilton's pair in the coordinates of the speeds,

       A^T P = p,   P = M (A y' + A' y) + c A y + s
       p' = A^T (F - C q' - K q) + A'^T P

   where c and s are what the motion of the frames adds to the momenta. The pair needs their velocities alone;
   A and all else are taken at the middle of a step. Accelerations are found at its end, for whoever asks. */
#ifndef FF_CANONICAL_H
#define FF_CANONICAL_H

#include "ff_tied.h"

/* The pair at a time: factors of the constant matrices (bases,), forces and momenta of the frames (n,), and
   constraints J, J', J'' (3, entries). */
typedef struct {
    const double *elastic, *viscous, *momentum;
    const double *force, *own;
    const double *rows;
} ff_pair;

/* Set momenta P and forces f, (n,) each, of displacements and velocities. */
static inline void ff_canonical_forces(const ff_tied *d, const ff_tied_work *w, const ff_pair *pair,
                                       const double *restrict q, const double *restrict v,
                                       double *restrict P, double *restrict f)
{
    const ff_matrices *m = d->matrices;
    for (int i = 0; i < m->n; ++i) {
        double momentum = pair->own[i], force = pair->force[i];
        for (int k = m->pointers[i]; k < m->pointers[i + 1]; ++k) {
            const int j = m->columns[k];
            momentum += m->mass[k] * v[j] + w->momentum[k] * q[j];
            force -= w->viscous[k] * v[j] + w->elastic[k] * q[j];
        }
        P[i] = momentum;
        f[i] = force;
    }
}

/* Set the momenta (s,) of displacements and velocities, with the A of the work. */
static inline void ff_canonical_momenta(const ff_tied *d, ff_tied_work *w, const ff_pair *pair,
                                        const double *q, const double *v, double *restrict p)
{
    ff_combine(d->matrices, pair->momentum, w->momentum);
    ff_canonical_forces(d, w, pair, q, v, w->start, w->left);
    memset(p, 0, (size_t)d->ties->speeds * sizeof(double));
    ff_onto(d->ties, w->free, w->start, 1.0, p);
}

/* Advance the momenta p by a step of length h with the pair at its middle, and the positions y, which are left
   in the work. q, before (n,): at the start of the step, and one step before. Returns FF_SINGULAR. */
static inline int ff_canonical_middle(const ff_tied *d, double h, const ff_pair *pair, const double *q,
                                      const double *before, const double *choice, ff_tied_work *w,
                                      double *restrict p)
{
    const ff_ties *t = d->ties;
    const int n = t->n, s = t->speeds;
    const long all = t->pointers[n];
    const double half = 0.5 * h;
    double *y = w->speeds, *rate = y + s, *state = w->start, *P = state + 2 * (long)n;
    double *by_q = w->gain, *by_v = by_q + all, *along = by_v + all;
    if (ff_tie(t, choice, pair->rows, w->free, w->room) == FF_TIES_DEPENDENT)
        return FF_SINGULAR;
    const double *A = w->free, *turned = A + all; /* A' */
    for (int i = 0; i < n; ++i)
        w->expected[i] = 1.5 * q[i] - 0.5 * before[i]; /* which stiffens the bodies there */
    ff_tied_matrices(d, w, pair->elastic, pair->viscous, w->expected);
    ff_combine(d->matrices, pair->momentum, w->momentum);
    ff_speeds(t, choice, q, y);
    memset(rate, 0, 2 * (size_t)s * sizeof(double));
    /* (A - h/2 A')^T (M (A + h/2 A') + h/2 c A) + h/2 A^T (C (A + h/2 A') + h/2 K A), for y' at the middle */
    for (long k = 0; k < all; ++k) {
        by_q[k] = half * A[k];
        by_v[k] = A[k] + half * turned[k];
        along[k] = A[k] - half * turned[k];
    }
    const ff_term momenta[2] = {{d->matrices->mass, by_v}, {w->momentum, by_q}};
    const ff_term forces[2] = {{w->viscous, by_v}, {w->elastic, by_q}};
    ff_tied_clear(d, w);
    ff_tied_add(d, w, along, 2, momenta);
    ff_tied_add(d, w, by_q, 2, forces);
    if (ff_tied_factor(d, w, 0))
        return FF_SINGULAR;
    ff_tied_state(d, w, y, state);
    ff_canonical_forces(d, w, pair, state, state + n, P, w->left);
    memcpy(w->change, p, (size_t)s * sizeof(double));
    ff_onto(t, along, P, -1.0, w->change);
    ff_onto(t, by_q, w->left, 1.0, w->change);
    ff_tied_back(d, w, w->change);
    memcpy(rate, w->change, (size_t)s * sizeof(double));
    for (int k = 0; k < s; ++k)
        y[k] += half * rate[k];
    ff_tied_state(d, w, y, state);
    ff_canonical_forces(d, w, pair, state, state + n, P, w->left);
    ff_onto(t, A, w->left, h, p);
    ff_onto(t, turned, P, h, p);
    for (int k = 0; k < s; ++k)
        y[k] += half * rate[k];
    return FF_OK;
}

/* Set the state (4, n) at the end of a step, with the pair there, where its forces are those of all
   accelerations of the frames; other speeds are chosen if necessary. Returns FF_SINGULAR or FF_UNBOUNDED. */
static inline int ff_canonical_end(const ff_tied *d, const ff_pair *pair, const double *expected,
                                   double *choice, ff_tied_work *w, double *p, double *state)
{
    const ff_ties *t = d->ties;
    const int n = t->n, s = t->speeds;
    double *y = w->speeds, *rate = y + s, *second = rate + s, *covector = w->start;
    const int grown = ff_tie(t, choice, pair->rows, w->free, w->room);
    if (grown == FF_TIES_DEPENDENT)
        return FF_SINGULAR;
    memset(rate, 0, 2 * (size_t)s * sizeof(double));
    ff_tied_state(d, w, y, state);
    ff_canonical_momenta(d, w, pair, state, state + n, rate);
    for (int k = 0; k < s; ++k)
        rate[k] = p[k] - rate[k];
    const ff_term masses = {d->matrices->mass, w->free};
    ff_tied_clear(d, w);
    ff_tied_add(d, w, w->free, 1, &masses);
    if (ff_tied_factor(d, w, 1))
        return FF_SINGULAR;
    ff_tied_back(d, w, rate);
    ff_tied_state(d, w, y, state);
    ff_tied_matrices(d, w, pair->elastic, pair->viscous, expected);
    ff_tied_left(d, w, pair->force, state);
    ff_onto(t, w->free, w->left, 1.0, second);
    ff_tied_back(d, w, second);
    ff_reach(t, w->free, second, 1.0, state + 2 * (long)n);
    memcpy(state + 3 * (long)n, state + 2 * (long)n, (size_t)n * sizeof(double));
    if (grown) { /* momenta of other coordinates: A^T Y^T p */
        memset(covector, 0, (size_t)n * sizeof(double));
        ff_from_speeds(t, choice, p, covector);
        if (ff_choose(t, pair->rows, choice, w->room, w->ints) ||
            ff_tie(t, choice, pair->rows, w->free, w->room) == FF_TIES_DEPENDENT)
            return FF_SINGULAR;
        memset(p, 0, (size_t)s * sizeof(double));
        ff_onto(t, w->free, covector, 1.0, p);
    }
    return ff_finite(4 * (size_t)n, state) && ff_finite((size_t)s, p) ? FF_OK : FF_UNBOUNDED;
}

#endif
