/* SPDX-License-Identifier: BSD-3-Clause */
/* Poses of links, moved by displacements and turns in their own components. */
#ifndef FF_POSE_H
#define FF_POSE_H

#include "ff_dense.h"
#include "ff_turn.h"
#include <string.h>

/* Doubles of a pose: origin, then the unit quaternion of the attitude, scalar first. */
enum { FF_POSE = 7 };

/* Pose moved by a screw in its own components. */
static inline void ff_retract(const double *from, const double *step, double *to)
{
    const double *u = step, *t = step + 3, x = t[0] * t[0] + t[1] * t[1] + t[2] * t[2];
    const double s = from[3], v[3] = {from[4], from[5], from[6]};
    const ff_half half = ff_half_turn(t);
    const double first = 2.0 * half.factor * half.factor; /* (1 - cos) / angle^2 */
    const double second =
        x > 1e-2 ? (1.0 - 2.0 * half.factor * half.cosine) / x
                 : 1.0 / 6.0 - x * (1.0 / 120.0 - x * (1.0 / 5040.0 - x * (1.0 / 362880.0)));
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
    ff_half_turn_quaternion(to + 3, t, half);
    const double inverse =
        1.0 / sqrt(to[3] * to[3] + to[4] * to[4] + to[5] * to[5] + to[6] * to[6]);
    for (int i = 3; i < FF_POSE; ++i)
        to[i] *= inverse;
}

/* Derivative of the position's tangent by the increment, (6, 6): the sum of (-1)^k ad^k / (k + 1)! to
   the third power of the increment of a step. */
static inline void ff_screw_tangent(const double *step, double *T)
{
    const double *u = step, *t = step + 3; /* displacement, turn */
    const double square = ff_dot(3, t, t), along = ff_dot(3, t, u);
    const double first = square * (1.0 / 24.0) - 0.5, second = 1.0 / 6.0, third = along * (1.0 / 12.0);
    const double W[9] = {0.0, -t[2], t[1], t[2], 0.0, -t[0], -t[1], t[0], 0.0};
    const double V[9] = {0.0, -u[2], u[1], u[2], 0.0, -u[0], -u[1], u[0], 0.0};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            const double one = i == j ? 1.0 : 0.0;
            const double turned = one + first * W[3 * i + j] + second * (t[i] * t[j] - one * square);
            T[6 * i + j] = T[6 * (i + 3) + j + 3] = turned;
            T[6 * i + j + 3] = first * V[3 * i + j] + third * W[3 * i + j] +
                               second * (u[i] * t[j] + t[i] * u[j] - 2.0 * one * along);
            T[6 * (i + 3) + j] = 0.0;
        }
}

#endif
