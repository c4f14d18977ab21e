/* SPDX-License-Identifier: BSD-3-Clause */
/* Rotation of a frame from the angular velocity in its own components. */
#ifndef FF_ATTITUDE_H
#define FF_ATTITUDE_H

#include "ff_frame.h"
#include "ff_integrals.h"
#include "ff_turn.h"

/* Quaternion of a frame at a time, scalar first. */
typedef struct {
    double q[4], time;
} ff_attitude;

/* Rotation vector of a frame over a short time h from t, in its components; w: three functions.

   Magnus series of order 6 with three Gauss nodes: Blanes, Casas, Oteo and Ros, Phys. Rep. 470 (2009),
   eq. 257, for Y' = A Y with Y = R^T and A = -w~. For a constant direction only the integral remains. */
static inline void ff_turn_over(const ff_function *w, const double *inputs, double t, double h,
                                double *turn, ff_met *met)
{
    const double root = 3.8729833462074168852; /* of 15 */
    double at[3][3], x1[3], x2[3], x3[3], c1[3], c2[3], left[3], right[3];
    for (int k = 0; k < 3; ++k) {
        const double time = t + (0.5 + 0.1 * (k - 1) * root) * h;
        for (int i = 0; i < 3; ++i) {
            at[k][i] = ff_function_at(w[i], time, inputs).value;
            if (!isfinite(at[k][i]))
                met->undefined = time;
        }
        met->largest = fmax(met->largest, hypot(hypot(at[k][0], at[k][1]), at[k][2]));
    }
    for (int i = 0; i < 3; ++i) {
        x1[i] = -h * at[1][i];
        x2[i] = -root / 3.0 * h * (at[2][i] - at[0][i]);
        x3[i] = -10.0 / 3.0 * h * (at[2][i] - 2.0 * at[1][i] + at[0][i]);
    }
    ff_cross(x1, x2, c1);
    for (int i = 0; i < 3; ++i)
        right[i] = 2.0 * x3[i] + c1[i];
    ff_cross(x1, right, c2);
    for (int i = 0; i < 3; ++i) {
        left[i] = -20.0 * x1[i] - x3[i] + c1[i];
        right[i] = x2[i] - c2[i] / 60.0;
    }
    ff_cross(left, right, turn);
    for (int i = 0; i < 3; ++i)
        turn[i] = -(x1[i] + x3[i] / 12.0 + turn[i] / 240.0);
}

/* Advance an attitude over a short time in two halves. */
static inline void ff_turn_twice(ff_attitude *a, const ff_function *w, const double *inputs,
                                 double to, ff_met *met)
{
    const double half = 0.5 * (to - a->time);
    double turn[3];
    ff_turn_over(w, inputs, a->time, half, turn, met);
    ff_turn_quaternion(a->q, turn);
    ff_turn_over(w, inputs, a->time + half, half, turn, met);
    ff_turn_quaternion(a->q, turn);
    a->time = to;
}

/* Advance an attitude by one piece of its interval, like ff_move_piece for a knot: a piece is at most one
   radian and is halved until it agrees with its halves. */
static inline int ff_turn_piece(ff_way *way, ff_attitude *a, const ff_function *w,
                                const double *inputs, ff_met *met)
{
    for (;;) {
        const double end = way->ends[way->depth], length = end - a->time;
        const double middle = a->time + 0.5 * length;
        ff_attitude once = *a, twice = *a;
        double turn[3], apart = 0.0;
        ff_turn_over(w, inputs, a->time, length, turn, met);
        ff_turn_quaternion(once.q, turn);
        ff_turn_twice(&twice, w, inputs, end, met);
        for (int i = 0; i < 4; ++i)
            apart = fmax(apart, fabs(once.q[i] - twice.q[i]));
        const double square = turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2];
        if ((apart > 1e-14 || square > 1.0) && way->depth + 1 < FF_DEEPEST && middle != a->time &&
            middle != end) {
            if (way->cuts++ < FF_MOST_PIECES) {
                way->ends[++way->depth] = middle;
                continue;
            }
            met->unresolved = 1;
        }
        *a = twice;
        return --way->depth >= 0;
    }
}

/* Advance an attitude to a time, in pieces of a chunk that end at kinks of the angular velocity. */
static inline void ff_turn_to(ff_attitude *a, const ff_function *w, const double *inputs,
                              double chunk, int kinks, const double *kink, double to)
{
    while (a->time != to) {
        const double next = ff_next(a->time, to, chunk, kinks, kink);
        if (next == a->time)
            break; /* a time so large that a chunk is below its rounding */
        ff_met met = {0.0, NAN, 0};
        ff_way way;
        ff_begin_way(&way, a->time, next, chunk);
        while (ff_turn_piece(&way, a, w, inputs, &met))
            ;
    }
}

#endif
