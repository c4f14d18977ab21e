/* SPDX-License-Identifier: BSD-3-Clause */
/* The motion of a body's frame, and the resulting factors of constant matrices and loads.

   Every inertia term has a constant matrix for each unit block, and every block of a moving frame is a
   combination of a few unit blocks: 1, J and y y^T in the plane, the last for bodies of revolution about y;
   three skew and six symmetric ones in space.
   See physics.md section 2. */
#ifndef FF_FRAME_H
#define FF_FRAME_H

#include <math.h>
#include <string.h>

/* Motion of a frame at a time, in body components; R maps these to global components. */
typedef struct {
    double R[9]; /* row by row */
    double w[3]; /* angular velocity, rad/s */
    double e[3]; /* angular acceleration, rad/s^2 */
    double a[3]; /* acceleration of the origin, m/s^2 */
    double v[3]; /* its velocity, m/s, where momenta ask for it */
} ff_frame;

/* Included inertia terms, one or zero each. */
typedef struct {
    double coriolis, euler, centrifugal_stiffness, euler_load, centrifugal_load, origin_load;
} ff_include;

/* Blocks that multiply masses, row by row: for displacements, velocities and positions; and w~ w~, which
   determines the prestress. The first three become factors of the unit blocks, 3 or 9 for each. */
typedef struct {
    double stiffness[9], coriolis[9], load[9];
    double centrifugal[9];
} ff_blocks;

/* Factors of the unit blocks in a block of three rows, in the plane in its first two rows. */
static inline void ff_units(int dimension, const double *b, double *out)
{
    if (dimension == 2) {
        out[0] = b[0];
        out[1] = b[3];
        out[2] = b[4] - b[0];
        return;
    }
    out[0] = 0.5 * (b[7] - b[5]);
    out[1] = 0.5 * (b[2] - b[6]);
    out[2] = 0.5 * (b[3] - b[1]);
    out[3] = b[0];
    out[4] = 0.5 * (b[1] + b[3]);
    out[5] = 0.5 * (b[2] + b[6]);
    out[6] = b[4];
    out[7] = 0.5 * (b[5] + b[7]);
    out[8] = b[8];
}

/* Blocks of a frame with angular velocity w and acceleration e, three rows each. */
static inline void ff_turning(const double *w, const double *e, const ff_include *include,
                              ff_blocks *out)
{
    const double turn[9] = {0.0, -w[2], w[1], w[2], 0.0, -w[0], -w[1], w[0], 0.0};
    const double faster[9] = {0.0, -e[2], e[1], e[2], 0.0, -e[0], -e[1], e[0], 0.0};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            const int k = 3 * i + j;
            double c = 0.0;
            for (int l = 0; l < 3; ++l)
                c += turn[3 * i + l] * turn[3 * l + j];
            out->centrifugal[k] = c;
            out->stiffness[k] = include->euler * faster[k] + include->centrifugal_stiffness * c;
            out->coriolis[k] = 2.0 * include->coriolis * turn[k];
            out->load[k] = include->euler_load * faster[k] + include->centrifugal_load * c;
        }
}

static inline void ff_inertia(const ff_frame *frame, const ff_include *include, int dimension,
                              ff_blocks *out)
{
    ff_blocks rows;
    ff_turning(frame->w, frame->e, include, &rows);
    ff_units(dimension, rows.stiffness, out->stiffness);
    ff_units(dimension, rows.coriolis, out->coriolis);
    ff_units(dimension, rows.load, out->load);
    memcpy(out->centrifugal, rows.centrifugal, sizeof rows.centrifugal);
}

/* R of a rotation about a unit axis (Rodrigues). */
static inline void ff_about_axis(const double *axis, double angle, double *R)
{
    const double c = cos(angle), s = sin(angle);
    const double cross[9] = {0.0, -axis[2], axis[1], axis[2], 0.0, -axis[0], -axis[1], axis[0],
                             0.0};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            R[3 * i + j] = (i == j ? c : 0.0) + s * cross[3 * i + j] +
                           (1.0 - c) * axis[i] * axis[j];
}

/* R of a quaternion, scalar first, of approximately unit length. */
static inline void ff_of_quaternion(const double *q, double *R)
{
    const double s = q[0], x = q[1], y = q[2], z = q[3], f = 2.0 / (s * s + x * x + y * y + z * z);
    R[0] = 1.0 - f * (y * y + z * z);
    R[1] = f * (x * y - s * z);
    R[2] = f * (x * z + s * y);
    R[3] = f * (x * y + s * z);
    R[4] = 1.0 - f * (x * x + z * z);
    R[5] = f * (y * z - s * x);
    R[6] = f * (x * z - s * y);
    R[7] = f * (y * z + s * x);
    R[8] = 1.0 - f * (x * x + y * y);
}

#endif
