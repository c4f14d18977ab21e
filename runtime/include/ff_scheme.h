/* SPDX-License-Identifier: BSD-3-Clause */
/* Time integration methods, independent of the equations solved in their steps.

   Generalized-alpha, balanced at the end of a step: Arnold and Bruels, Multibody Syst. Dyn. 18 (2007), eqs.
   4-5; coefficients of Chung and Hulbert, J. Appl. Mech. 60 (1993), eqs. 25-27. Central differences: Newmark's
   method with beta = 0, gamma = 1/2, and forces of the predicted state at the end. */
#ifndef FF_SCHEME_H
#define FF_SCHEME_H

#include "ff_status.h"
#include <float.h>
#include <math.h>
#include <string.h>

/* Integration method; explicit_steps: central differences, regardless of the other fields. */
typedef struct {
    double alpha_m, alpha_f, beta, gamma;
    int explicit_steps;
} ff_scheme;

/* Accelerations, velocities and positions per unit of the new averaged acceleration. */
typedef struct {
    double a, v, q;
} ff_gains;

static inline ff_gains ff_gains_of(const ff_scheme *s, double h)
{
    return (ff_gains){(1.0 - s->alpha_m) / (1.0 - s->alpha_f), s->gamma * h, s->beta * h * h};
}

/* Set q, q' and q'' of a state (4, n), whose last part is the averaged q'', to those at the end of a step
   with zero averaged acceleration there. */
static inline void ff_predict(const ff_scheme *s, double h, int n, double *restrict state)
{
    const double fresh = 1.0 - s->alpha_f;
    double *q = state, *v = q + n, *a = v + n, *averaged = a + n;
    for (int i = 0; i < n; ++i) {
        q[i] += h * v[i] + (0.5 - s->beta) * h * h * averaged[i];
        v[i] += (1.0 - s->gamma) * h * averaged[i];
        a[i] = (s->alpha_m * averaged[i] - s->alpha_f * a[i]) / fresh;
    }
}

/* Add the contribution of the averaged q'' at the end, x, to q, q' and q'' of a state. */
static inline void ff_correct(ff_gains by, int n, const double *x, double *state)
{
    double *q = state, *v = q + n, *a = v + n;
    for (int i = 0; i < n; ++i) {
        q[i] += by.q * x[i];
        v[i] += by.v * x[i];
        a[i] += by.a * x[i];
    }
}

/* Most corrections of a step by gyroscopic forces; each is smaller than the one before by the rotation
   angle of the step, and the last one changes no number. */
enum { FF_CENTRINGS = 60 };

/* Functions of a system with masses M that explicit steps need. */
typedef struct {
    /* Set a (n,), which contains velocities, to the accelerations that balance the forces of q and velocities. */
    int (*balance)(void *system, const double *q, double *a);
    /* Whether there are Coriolis forces, from the skew part G of the velocity matrix. */
    int (*turns)(void *system);
    /* Set out to factor M^-1 G (x - y). */
    void (*turn)(void *system, double factor, const double *x, const double *y, double *out);
} ff_explicit;

/* Centre the Coriolis forces of a step: next, which includes those of the velocities v + h a, becomes the
   solution x of x = next - h/2 M^-1 G (x - a). room: (2, n) workspace. Returns FF_UNBOUNDED if the frame
   rotates too far in a step. */
static inline int ff_centre(const ff_explicit *e, void *system, double h, int n, const double *a,
                            double *next, double *room)
{
    double *balanced = room, *turned = room + n;
    memcpy(balanced, next, (size_t)n * sizeof(double));
    for (int count = 0; count < FF_CENTRINGS; ++count) {
        double change = 0.0, largest = 0.0;
        e->turn(system, 0.5 * h, next, a, turned);
        for (int i = 0; i < n; ++i) {
            const double value = balanced[i] - turned[i];
            change = fmax(change, fabs(value - next[i]));
            largest = fmax(largest, fabs(value));
            next[i] = value;
        }
        if (change <= DBL_EPSILON * largest)
            return FF_OK;
    }
    return FF_UNBOUNDED;
}

/* Take one step of central differences of a state (3, n): q, q', q'' at its beginning, then at its end.

   Forces use the predicted velocities at the end, v + h a, except Coriolis forces, which use the actual
   ones: otherwise a rotating frame would add energy to every motion (physics.md section 10).
   room: (3, n) workspace. */
static inline int ff_central(const ff_explicit *e, void *system, double h, int n, double *state,
                             double *room)
{
    double *q = state, *v = q + n, *a = v + n, *next = room;
    for (int i = 0; i < n; ++i) {
        q[i] += h * v[i] + 0.5 * h * h * a[i];
        next[i] = v[i] + h * a[i];
    }
    int code = e->balance(system, q, next);
    if (!code && e->turns(system))
        code = ff_centre(e, system, h, n, a, next, room + n);
    if (code)
        return code;
    for (int i = 0; i < n; ++i) {
        v[i] += 0.5 * h * (a[i] + next[i]);
        a[i] = next[i];
    }
    return ff_finite(3 * (size_t)n, state) ? FF_OK : FF_UNBOUNDED;
}

#endif
