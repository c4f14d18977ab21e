/* SPDX-License-Identifier: BSD-3-Clause */
/* Poses of links, moved by displacements and turns in their own components. */
#ifndef FF_POSE_H
#define FF_POSE_H

#include "ff_turn.h"
#include <string.h>

/* Doubles of a pose: origin, then the unit quaternion of the attitude, scalar first. */
enum { FF_POSE = 7 };

/* Pose moved by a screw in its own components. */
static inline void ff_retract(const double *from, const double *step, double *to)
{
    const double *u = step, *t = step + 3, x = t[0] * t[0] + t[1] * t[1] + t[2] * t[2];
    const double angle = sqrt(x), s = from[3], v[3] = {from[4], from[5], from[6]};
    const double first = x > 1e-4 ? (1.0 - cos(angle)) / x : 0.5 - x / 24.0 + x * x / 720.0;
    const double second =
        x > 1e-4 ? (1.0 - sin(angle) / angle) / x : 1.0 / 6.0 - x / 120.0 + x * x / 5040.0;
    double tu[3], ttu[3], move[3], vm[3], vvm[3];
    ff_cross(t, u, tu);
    ff_cross(t, tu, ttu);
    for (int i = 0; i < 3; ++i)
        move[i] = u[i] + first * tu[i] + second * ttu[i];
    ff_cross(v, move, vm);
    ff_cross(v, vm, vvm);
    for (int i = 0; i < 3; ++i)
        to[i] = from[i] + move[i] + 2.0 * (s * vm[i] + vvm[i]);
    memcpy(to + 3, from + 3, 4 * sizeof(double));
    ff_turn_quaternion(to + 3, t);
    const double size =
        sqrt(to[3] * to[3] + to[4] * to[4] + to[5] * to[5] + to[6] * to[6]);
    for (int i = 3; i < FF_POSE; ++i)
        to[i] /= size;
}

/* Derivative of the position's tangent by the increment, (6, 6): the sum of (-1)^k ad^k / (k + 1)! to
   the third power of the increment of a step. */
static inline void ff_screw_tangent(const double *step, double *T)
{
    double ad[36] = {0.0}, power[36], next[36], factor = 1.0;
    for (int half = 0; half < 2; ++half) {
        const double *x = step + 3 * half; /* displacement, then turn */
        const double skew[9] = {0.0, -x[2], x[1], x[2], 0.0, -x[0], -x[1], x[0], 0.0};
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) {
                if (half) {
                    ad[6 * i + j] = skew[3 * i + j];
                    ad[6 * (i + 3) + j + 3] = skew[3 * i + j];
                } else
                    ad[6 * i + j + 3] = skew[3 * i + j];
            }
    }
    memset(T, 0, 36 * sizeof(double));
    memset(power, 0, sizeof power);
    for (int i = 0; i < 6; ++i)
        T[7 * i] = power[7 * i] = 1.0;
    for (int k = 1; k <= 3; ++k) {
        factor *= -1.0 / (k + 1);
        for (int i = 0; i < 6; ++i)
            for (int j = 0; j < 6; ++j) {
                next[6 * i + j] = 0.0;
                for (int l = 0; l < 6; ++l)
                    next[6 * i + j] += power[6 * i + l] * ad[6 * l + j];
            }
        memcpy(power, next, sizeof power);
        for (int i = 0; i < 36; ++i)
            T[i] += factor * power[i];
    }
}

#endif
