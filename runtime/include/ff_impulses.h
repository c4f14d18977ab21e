/* SPDX-License-Identifier: BSD-3-Clause */
/* Impulses of an impact at several contacts, each with a speed along its normal and up to two across it.

   Speeds u become u' = u + W p by impulses p, with W positive semidefinite. Of a contact with a wanted speed w along its
   normal, Newton's law of restitution, and a coefficient mu of friction

       p_n >= 0,   u'_n >= w,   p_n (u'_n - w) = 0,        |p_t| <= mu p_n,
       u'_t = 0,   or   p_t = -mu p_n u'_t / |u'_t|:

   Coulomb's law of impulses and the slip behind the impact (J. J. Moreau, in Nonsmooth Mechanics and Applications,
   CISM 302, Springer 1988, pp. 1-82). With w = 0 it takes energy, as then p u' <= 0 and the gain is
   p u' - p W p / 2. With w > 0 it may not, where a slip turns round within the impact (Kane's paradox: T. R. Kane and
   D. A. Levinson, Dynamics, McGraw-Hill 1985, pp. 348-351): all w are then less by a common factor, so that energy is
   kept.

   Contacts are solved one after the other, again and again (Gauss-Seidel). */
#ifndef FF_IMPULSES_H
#define FF_IMPULSES_H

#include "ff_status.h"
#include <math.h>
#include <string.h>

/* A contact: number of its normal speed, and the first of those across it, which follow each other. */
typedef struct {
    int normal, first, across;
    double grip; /* mu */
} ff_touch;

/* Rounds at most; change of speeds, relative to the largest, that ends them, and that is enough in the last. Directions of slip that are tried, and
   halvings of the interval of one; halvings of the factor of what impacts return. */
enum { FF_IMPULSES_MOST = 20000, FF_IMPULSES_WAYS = 180, FF_IMPULSES_HALVED = 100, FF_IMPULSES_LESS = 60 };
static const double ff_impulses_done = 4e-15, ff_impulses_enough = 1e-9, ff_impulses_gain = 1e-13;

/* A contact by itself: W (3, 3) of its speeds, these without its own impulses (3,), the wanted one. */
typedef struct {
    int across;
    double grip, w, W[3][3], u[3];
} ff_alone;

/* Set impulses (3,) that slip in a direction; returns what the slip behind them has across it, and sets what it
   has along it: below zero where no impulses do. */
static inline double ff_slip_along(const ff_alone *a, const double *way, double *p, double *along)
{
    double rest = a->W[0][0], slip[2] = {0.0, 0.0};
    for (int i = 0; i < a->across; ++i)
        rest -= a->grip * a->W[0][1 + i] * way[i];
    *along = -1.0;
    if (!(rest > 0.0))
        return 0.0;
    p[0] = (a->w - a->u[0]) / rest;
    for (int i = 0; i < a->across; ++i)
        p[1 + i] = -a->grip * p[0] * way[i];
    for (int i = 0; i < a->across; ++i) {
        slip[i] = a->u[1 + i];
        for (int j = 0; j <= a->across; ++j)
            slip[i] += a->W[1 + i][j] * p[j];
    }
    *along = slip[0] * way[0] + (a->across > 1 ? slip[1] * way[1] : 0.0);
    return a->across > 1 ? way[0] * slip[1] - way[1] * slip[0] : 0.0;
}

/* Set impulses (3,) that stop all speeds at the wanted ones; returns whether there are such ones within friction. */
static inline int ff_sticks(const ff_alone *a, double *p)
{
    const int n = 1 + a->across;
    double A[3][4];
    for (int i = 0; i < n; ++i) {
        memcpy(A[i], a->W[i], sizeof a->W[i]);
        A[i][3] = (i ? 0.0 : a->w) - a->u[i];
    }
    for (int k = 0; k < n; ++k) { /* from the last to the first: a slip that joints hold has no impulse */
        const int at = n - 1 - k;
        const double pivot = A[at][at];
        const int idle = !(pivot > 1e-14 * a->W[at][at]);
        for (int i = 0; i < n; ++i) {
            const double factor = idle ? 0.0 : A[i][at] / pivot;
            for (int j = 0; i != at && j < 4; ++j)
                A[i][j] -= factor * A[at][j];
        }
        for (int j = 0; j < 4; ++j)
            A[at][j] = idle ? 0.0 : A[at][j] / pivot;
    }
    for (int i = 0; i < n; ++i)
        p[i] = A[i][3];
    return p[0] > 0.0 && hypot(p[1], n > 2 ? p[2] : 0.0) <= a->grip * p[0];
}

/* Set the impulses (3,) of a contact by itself. Returns 0, or not if there are none. */
static inline int ff_impulse_alone(const ff_alone *a, double *p)
{
    double along, way[2], last = 0.0, angle, step = 2.0 * 3.14159265358979323846 / FF_IMPULSES_WAYS;
    memset(p, 0, 3 * sizeof(double));
    if (a->u[0] >= a->w)
        return 0;
    if (!a->across || a->grip == 0.0) {
        p[0] = (a->w - a->u[0]) / a->W[0][0];
        return 0;
    }
    if (ff_sticks(a, p))
        return 0;
    p[1] = p[2] = 0.0;
    if (a->across == 1) {
        const double first = a->u[1] < 0.0 ? -1.0 : 1.0;
        for (int k = 0; k < 2; ++k) {
            const double sign = k ? -first : first;
            ff_slip_along(a, &sign, p, &along);
            if (along >= 0.0)
                return 0;
        }
        return 1;
    }
    angle = atan2(a->u[2], a->u[1]);
    way[0] = cos(angle);
    way[1] = sin(angle);
    last = ff_slip_along(a, way, p, &along);
    if (along >= 0.0 && fabs(last) <= 1e-15 * hypot(a->u[1], a->u[2]))
        return 0;
    for (int k = 0; k < FF_IMPULSES_WAYS; ++k) { /* intervals on either side, farther and farther */
        const int number = k % 2 ? -(k + 1) / 2 : k / 2;
        double low = angle + step * number, high = low + step, at_low, at_high;
        double ways[2][2] = {{cos(low), sin(low)}, {cos(high), sin(high)}};
        at_low = ff_slip_along(a, ways[0], p, &along);
        double both = along;
        at_high = ff_slip_along(a, ways[1], p, &along);
        if ((both < 0.0 && along < 0.0) || (at_low > 0.0) == (at_high > 0.0))
            continue;
        for (int i = 0; i < FF_IMPULSES_HALVED && low < high; ++i) {
            const double middle = 0.5 * (low + high);
            way[0] = cos(middle);
            way[1] = sin(middle);
            const double at = ff_slip_along(a, way, p, &along);
            if (middle == low || middle == high)
                break;
            *((at > 0.0) == (at_low > 0.0) ? &low : &high) = middle;
        }
        if (along >= 0.0)
            return 0;
    }
    return 1;
}

/* Set impulses p (n,) of contacts, and speeds behind them, from W (n, n) and the speeds before, with wanted speeds along
   normals that are less by a factor where they are above zero. Returns 0, or not if there are none. */
static inline int ff_impulses_of(int contacts, const ff_touch *contact, int n, const double *W, const double *u,
                                 const double *wanted, double factor, double *p, double *after)
{
    double most = 0.0;
    memset(p, 0, (size_t)n * sizeof(double));
    memcpy(after, u, (size_t)n * sizeof(double));
    for (int i = 0; i < n; ++i)
        most = fmax(most, fabs(u[i]));
    for (int round = 0; round < FF_IMPULSES_MOST; ++round) {
        double changed = 0.0;
        for (int k = 0; k < contacts; ++k) {
            const ff_touch *one = contact + k;
            const int own[3] = {one->normal, one->first, one->first + 1};
            const double w = wanted[one->normal];
            ff_alone alone = {one->across, one->grip, w > 0.0 ? factor * w : w, {{0.0}}, {0.0}};
            double found[3];
            for (int i = 0; i <= one->across; ++i) {
                alone.u[i] = after[own[i]];
                for (int j = 0; j <= one->across; ++j) {
                    alone.W[i][j] = W[(long)own[i] * n + own[j]];
                    alone.u[i] -= alone.W[i][j] * p[own[j]];
                }
            }
            if (ff_impulse_alone(&alone, found))
                return 1;
            for (int j = 0; j <= one->across; ++j) {
                const double more = found[j] - p[own[j]];
                changed = fmax(changed, fabs(more) * alone.W[j][j]);
                p[own[j]] = found[j];
                for (int i = 0; i < n; ++i)
                    after[i] += W[(long)i * n + own[j]] * more;
            }
        }
        if (contacts < 2 || changed <= ff_impulses_done * most)
            break;
        if (round + 1 == FF_IMPULSES_MOST && changed > ff_impulses_enough * most)
            return 1;
    }
    memcpy(after, u, (size_t)n * sizeof(double));
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            after[i] += W[(long)i * n + j] * p[j];
    return 0;
}

/* Energy that impulses give; size: what it consists of. */
static inline double ff_impulses_gained(int n, const double *p, const double *u, const double *after, double *size)
{
    double sum = 0.0;
    *size = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += 0.5 * p[i] * (u[i] + after[i]);
        *size += 0.5 * fabs(p[i]) * (fabs(u[i]) + fabs(after[i]));
    }
    return sum;
}

/* The same with as much of the wanted speeds as energy allows. */
static inline int ff_impulses(int contacts, const ff_touch *contact, int n, const double *W, const double *u,
                              const double *wanted, double *p, double *after)
{
    double size, low = 0.0, high = 1.0;
    int code = ff_impulses_of(contacts, contact, n, W, u, wanted, 1.0, p, after);
    if (code || ff_impulses_gained(n, p, u, after, &size) <= ff_impulses_gain * size)
        return code;
    for (int k = 0; k < FF_IMPULSES_LESS; ++k) {
        const double middle = 0.5 * (low + high);
        code = ff_impulses_of(contacts, contact, n, W, u, wanted, middle, p, after);
        if (code)
            return code;
        *(ff_impulses_gained(n, p, u, after, &size) > 0.0 ? &high : &low) = middle;
    }
    return ff_impulses_of(contacts, contact, n, W, u, wanted, low, p, after);
}

#endif
