/* SPDX-License-Identifier: BSD-3-Clause */
/* Finite rotations of quaternions and rotation matrices. */
#ifndef FF_TURN_H
#define FF_TURN_H

#include <math.h>

/* Vector product. */
static inline void ff_cross(const double *a, const double *b, double *out)
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* Product of a matrix (3, 3), or of its transpose, with a vector. */
static inline void ff_apply(const double *A, const double *x, double *out)
{
    for (int i = 0; i < 3; ++i)
        out[i] = A[3 * i] * x[0] + A[3 * i + 1] * x[1] + A[3 * i + 2] * x[2];
}
static inline void ff_apply_transposed(const double *A, const double *x, double *out)
{
    for (int i = 0; i < 3; ++i)
        out[i] = A[i] * x[0] + A[3 + i] * x[1] + A[6 + i] * x[2];
}

/* Cosine of half the angle of a rotation vector, and the sine of it over the angle. */
typedef struct {
    double cosine, factor;
} ff_half;
static inline ff_half ff_half_turn(const double *x)
{
    /* Compilers divide by constants where these are not inverted. */
    const double square = x[0] * x[0] + x[1] * x[1] + x[2] * x[2], q = 0.25 * square;
    const double cosine[5] = {q * (1.0 / 2.0), q * (1.0 / 12.0), q * (1.0 / 30.0), q * (1.0 / 56.0),
                              q * (1.0 / 90.0)};
    const double sine[4] = {q * (1.0 / 12.0), q * (1.0 / 20.0), q * (1.0 / 42.0), q * (1.0 / 72.0)};
    ff_half half;
    half.cosine =
        1.0 - cosine[0] * (1.0 - cosine[1] * (1.0 - cosine[2] * (1.0 - cosine[3] * (1.0 - cosine[4]))));
    half.factor = 0.5 - sine[0] * (1.0 - sine[1] * (1.0 - sine[2] * (1.0 - sine[3])));
    if (q > 0.01) { /* where the series is not exact to the last digit */
        const double angle = sqrt(square);
        half.cosine = cos(0.5 * angle);
        half.factor = sin(0.5 * angle) / angle;
    }
    return half;
}

/* Rotate a quaternion by a rotation vector in components of its frame, whose half is known or not. */
static inline void ff_half_turn_quaternion(double *q, const double *x, ff_half half)
{
    const double c = half.cosine, f = half.factor;
    const double s = q[0], v[3] = {q[1], q[2], q[3]};
    double cross[3];
    ff_cross(v, x, cross);
    q[0] = c * s - f * (v[0] * x[0] + v[1] * x[1] + v[2] * x[2]);
    for (int i = 0; i < 3; ++i)
        q[i + 1] = c * v[i] + f * (s * x[i] + cross[i]);
}

static inline void ff_turn_quaternion(double *q, const double *x)
{
    ff_half_turn_quaternion(q, x, ff_half_turn(x));
}

/* Rotate a matrix, row by row, by a rotation vector in its own components, and orthonormalize it. */
static inline void ff_turn(double *R, const double *x)
{
    const double angle2 = x[0] * x[0] + x[1] * x[1] + x[2] * x[2], angle = sqrt(angle2);
    double first = 1.0 - angle2 / 6.0, second = 0.5 - angle2 / 24.0;
    if (angle >= 1e-4) {
        first = sin(angle) / angle;
        second = (1.0 - cos(angle)) / angle2;
    }
    double E[9], T[9], G[9];
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j)
            E[3 * i + j] = second * x[i] * x[j];
        E[4 * i] += 1.0 - second * angle2;
    }
    E[1] -= first * x[2];
    E[2] += first * x[1];
    E[3] += first * x[2];
    E[5] -= first * x[0];
    E[6] -= first * x[1];
    E[7] += first * x[0];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            T[3 * i + j] =
                R[3 * i] * E[j] + R[3 * i + 1] * E[3 + j] + R[3 * i + 2] * E[6 + j];
    /* One step towards the orthogonal factor: T (3 I - T^T T) / 2. */
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j)
            G[3 * i + j] = -0.5 * (T[i] * T[j] + T[3 + i] * T[3 + j] + T[6 + i] * T[6 + j]);
        G[4 * i] += 1.5;
    }
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            R[3 * i + j] =
                T[3 * i] * G[j] + T[3 * i + 1] * G[3 + j] + T[3 * i + 2] * G[6 + j];
}

#endif
