/* SPDX-License-Identifier: BSD-3-Clause */
/* The equations of a mechanism of rigid links: joints, then gears, then drivers.

   The unknowns of a link are displacement and rotation in its own components: six, in the plane three
   (x, y and the rotation about z). Equations are divided by their scale, and displacements are in units
   of the size. The motion of a link is 24 numbers: r_O, the rows of R, v_O, w, a_O, e, all except the
   first two in its own components. */
#ifndef FF_LINKAGE_H
#define FF_LINKAGE_H

#include "ff_turn.h"
#include <string.h>

/* Doubles of a link, doubles of a row of a joint kernel (length, sine, cosine, factor, Jacobian,
   gamma), largest numbers of rows of a joint and of links of an equation. */
enum { FF_LINK = 24, FF_JOINT_ROW = 17, FF_JOINT_ROWS = 16, FF_TOUCHED = 4 };

/* The kernel of a joint: markers (8, 3), its parameter, motion of both links (2, 24), its rows. */
typedef void (*ff_joint)(const double *markers, const double *parameters, const double *state,
                         double *out, double *workspace);

/* A mechanism as constants. The ground is link -1. */
typedef struct {
    int links, planar, joints, gears, drivers, equations, coordinates, rows;
    const ff_joint *joint;  /* (joints,) kernels */
    const int *ends;        /* (joints, 2) links */
    const double *markers;  /* (joints, 24) */
    const double *radii;    /* (joints,) */
    const int *starts;      /* (joints + 1,) first row of every joint among all rows */
    const int *equation_of; /* (rows,) equation of every row, or -1 */
    const int *coordinate_of; /* (rows,) coordinate of every row, or -1 */
    const int *gear_of;     /* (gears, 2) coordinates a, b: a - ratio b is constant */
    const double *ratios;   /* (gears,) */
    const int *driver_of;   /* (drivers,) coordinate of every driver */
    const double *scales;   /* (equations,) */
    const int *touched;     /* (equations, 4) links of each equation, then -1 */
    const double *offsets;  /* (equations,) constant values of the equations */
    double size;            /* m */
    double tolerance;       /* of scaled residuals */
} ff_linkage;

/* Workspace of the equations; its content is not needed from one step to the next. */
typedef struct {
    double *jacobian;         /* (equations, unknowns), scaled; zero if never written */
    double *coordinate_rows;  /* (coordinates, unknowns) */
    double *gamma;            /* (equations,) second rates without the terms of link accelerations */
    double *coordinate_gamma; /* (coordinates,) */
    double *values;           /* (coordinates, 3) value, rate, acceleration */
    double *residual;         /* (equations,) */
    double *factors;          /* (unknowns, unknowns) */
    double *right, *x, *y;    /* (unknowns,) or (equations,), whichever is more */
    double *frames;           /* (links, 24) */
    double *angles;           /* (rows,) */
    int *pivots;              /* (unknowns,) */
    double pivot;             /* smallest over largest pivot of the last factors */
} ff_linkage_work;

/* Number of unknowns of a link, and of all links. */
static inline int ff_per_link(const ff_linkage *m) { return m->planar ? 3 : 6; }
static inline int ff_unknowns(const ff_linkage *m) { return m->links * ff_per_link(m); }

/* Component, out of six, of an unknown of a link, and its unit. */
static inline int ff_component(const ff_linkage *m, int k) { return m->planar && k == 2 ? 5 : k; }
static inline double ff_unit(const ff_linkage *m, int k)
{
    return k < ff_per_link(m) - (m->planar ? 1 : 3) ? m->size : 1.0;
}

/* Larger of the numbers of unknowns and equations. */
static inline size_t ff_linkage_width(const ff_linkage *m)
{
    return (size_t)(ff_unknowns(m) > m->equations ? ff_unknowns(m) : m->equations);
}

/* Total numbers of doubles and of ints of the arrays of ff_linkage_work. */
static inline size_t ff_linkage_doubles(const ff_linkage *m)
{
    const size_t n = (size_t)ff_unknowns(m), c = (size_t)m->coordinates;
    return (n + 2) * (size_t)m->equations + c * (n + 4) + n * n + 3 * ff_linkage_width(m) +
           (size_t)(FF_LINK * m->links + m->rows);
}
static inline size_t ff_linkage_ints(const ff_linkage *m) { return (size_t)ff_unknowns(m); }

/* Lay out the arrays in given memory. */
static inline void ff_linkage_place(const ff_linkage *m, ff_linkage_work *work, double *doubles,
                                    int *ints)
{
    const size_t n = (size_t)ff_unknowns(m), width = ff_linkage_width(m);
    memset(doubles, 0, ff_linkage_doubles(m) * sizeof(double));
    work->jacobian = doubles;
    work->coordinate_rows = work->jacobian + n * (size_t)m->equations;
    work->gamma = work->coordinate_rows + n * (size_t)m->coordinates;
    work->coordinate_gamma = work->gamma + m->equations;
    work->values = work->coordinate_gamma + m->coordinates;
    work->residual = work->values + 3 * m->coordinates;
    work->factors = work->residual + m->equations;
    work->right = work->factors + n * n;
    work->x = work->right + width;
    work->y = work->x + width;
    work->frames = work->y + width;
    work->angles = work->frames + FF_LINK * m->links;
    work->pivots = ints;
    work->pivot = 1.0;
}

/* The state: the time reached, the last step (0: none yet), the sign of the determinant (0: not
   known yet); frames, those one step before, angles of all rows, and coordinates. */
enum { FF_REACHED, FF_LAST, FF_SIGN, FF_LINKAGE_HEAD };

static inline size_t ff_linkage_states(const ff_linkage *m)
{
    return (size_t)(FF_LINKAGE_HEAD + 2 * FF_LINK * m->links + m->rows + 3 * m->coordinates);
}

static inline double *ff_linkage_frames(const ff_linkage *m, double *state)
{
    (void)m;
    return state + FF_LINKAGE_HEAD;
}
static inline double *ff_linkage_before(const ff_linkage *m, double *state)
{
    return ff_linkage_frames(m, state) + FF_LINK * m->links;
}
static inline double *ff_linkage_angles(const ff_linkage *m, double *state)
{
    return ff_linkage_before(m, state) + FF_LINK * m->links;
}
/* (coordinates, 3): value, rate and acceleration of each. */
static inline double *ff_linkage_coordinates(const ff_linkage *m, double *state)
{
    return ff_linkage_angles(m, state) + m->rows;
}

/* Call the kernel of a joint. */
static inline void ff_joint_rows(const ff_linkage *m, int joint, const double *frames, double *out)
{
    double state[2 * FF_LINK] = {0.0};
    for (int side = 0; side < 2; ++side) {
        const int link = m->ends[2 * joint + side];
        double *one = state + side * FF_LINK;
        if (link >= 0)
            memcpy(one, frames + link * FF_LINK, FF_LINK * sizeof(double));
        else
            one[3] = one[7] = one[11] = 1.0;
    }
    m->joint[joint](m->markers + 24 * joint, m->radii + joint, state, out, 0);
}

/* Store the Jacobian of a kernel row in the columns of its unknowns. */
static inline void ff_joint_columns(const ff_linkage *m, int joint, const double *row, double scale,
                                    double *out)
{
    const int count = ff_per_link(m);
    for (int side = 0; side < 2; ++side) {
        const int link = m->ends[2 * joint + side];
        if (link >= 0)
            for (int k = 0; k < count; ++k)
                out[link * count + k] =
                    row[4 + 6 * side + ff_component(m, k)] * (ff_unit(m, k) * scale);
    }
}

/* Set residuals, Jacobian and gamma of gears and drivers from those of coordinates. */
static inline void ff_linkage_tied(const ff_linkage *m, ff_linkage_work *work, const double *driven,
                                   double *residual, double *jacobian, const double *values)
{
    const int n = ff_unknowns(m), held = m->equations - m->gears - m->drivers;
    for (int equation = held; equation < m->equations; ++equation) {
        const double scale = 1.0 / m->scales[equation];
        const int gear = equation - held, driver = gear - m->gears;
        const int a = driver < 0 ? m->gear_of[2 * gear] : m->driver_of[driver];
        const int b = driver < 0 ? m->gear_of[2 * gear + 1] : a;
        const double ratio = driver < 0 ? m->ratios[gear] : 0.0;
        const double kept = driver < 0 ? m->offsets[equation] : driven[3 * driver];
        const double *one = work->coordinate_rows + (long)a * n;
        const double *two = work->coordinate_rows + (long)b * n;
        double *row = jacobian + (long)equation * n;
        residual[equation] = (values[3 * a] - kept - ratio * values[3 * b]) * scale;
        work->gamma[equation] =
            (work->coordinate_gamma[a] - ratio * work->coordinate_gamma[b]) * scale;
        for (int c = 0; c < n; ++c)
            row[c] = (one[c] - ratio * two[c]) * scale;
    }
}

/* Compute scaled residuals and Jacobian, values of coordinates (three numbers each, of which the
   first is set), angles and gammas.

   The Jacobian must be zero before the first call; every call overwrites its nonzero entries. Angles
   are chosen closest to the given ones. */
static inline void ff_linkage_evaluate(const ff_linkage *m, ff_linkage_work *work,
                                       const double *frames, const double *angles,
                                       const double *driven, double *residual, double *jacobian,
                                       double *values, double *found)
{
    const double whole = 6.283185307179586476925286766559;
    const int n = ff_unknowns(m);
    double out[FF_JOINT_ROWS * FF_JOINT_ROW];
    for (int j = 0; j < m->joints; ++j) {
        ff_joint_rows(m, j, frames, out);
        for (int r = m->starts[j]; r < m->starts[j + 1]; ++r) {
            const double *row = out + (r - m->starts[j]) * FF_JOINT_ROW;
            const int equation = m->equation_of[r], coordinate = m->coordinate_of[r];
            double value = row[0];
            if (equation < 0 && coordinate < 0)
                continue;
            if (row[3] != 0.0) {
                const double angle = atan2(row[1], row[2]);
                found[r] = angle + whole * rint((angles[r] - angle) / whole);
                value += row[3] * found[r];
            }
            if (equation >= 0) {
                const double scale = 1.0 / m->scales[equation];
                residual[equation] = (value - m->offsets[equation]) * scale;
                work->gamma[equation] = row[16] * scale;
                ff_joint_columns(m, j, row, scale, jacobian + (long)equation * n);
            } else {
                values[3 * coordinate] = value;
                work->coordinate_gamma[coordinate] = row[16];
                ff_joint_columns(m, j, row, 1.0, work->coordinate_rows + (long)coordinate * n);
            }
        }
    }
    ff_linkage_tied(m, work, driven, residual, jacobian, values);
}

/* Move the links by displacements, in units of the size, and rotations. */
static inline void ff_linkage_move(const ff_linkage *m, double *frames, const double *step)
{
    const int count = ff_per_link(m);
    for (int link = 0; link < m->links; ++link) {
        double *frame = frames + link * FF_LINK, x[6] = {0.0};
        for (int k = 0; k < count; ++k)
            x[ff_component(m, k)] = step[link * count + k];
        for (int i = 0; i < 3; ++i)
            for (int k = 0; k < 3; ++k)
                frame[i] += frame[3 + 3 * i + k] * x[k] * m->size;
        ff_turn(frame + 3, x + 3);
    }
}

#endif
