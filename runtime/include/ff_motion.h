/* SPDX-License-Identifier: BSD-3-Clause */
/* The motions of frames at a time, and the integrals that they are made of. */
#ifndef FF_MOTION_H
#define FF_MOTION_H

#include "ff_mechanism.h"

/* Take a quaternion from t over a short time: Gauss's method of three stages, order 6. */
static inline void ff_turn_piece(const ff_instance *s, const ff_motion *motion, double *q, double t,
                                 double h)
{
    const double r = 3.8729833462074168852; /* the root of 15 */
    const double at[3] = {0.5 - r / 10.0, 0.5, 0.5 + r / 10.0};
    const double matrix[3][3] = {
        {5.0 / 36.0, 2.0 / 9.0 - r / 15.0, 5.0 / 36.0 - r / 30.0},
        {5.0 / 36.0 + r / 24.0, 2.0 / 9.0, 5.0 / 36.0 - r / 24.0},
        {5.0 / 36.0 + r / 30.0, 2.0 / 9.0 + r / 15.0, 5.0 / 36.0}};
    double w[3][3], rate[3][4] = {{0.0}};
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < 3; ++i)
            w[k][i] = ff_function_at(motion->turn[i].function, t + at[k] * h, ff_inputs(s)).value;
    for (int sweep = 0; sweep < 12; ++sweep) /* each leaves a fortieth of the error, or less */
        for (int k = 0; k < 3; ++k) {
            double there[4];
            for (int i = 0; i < 4; ++i)
                there[i] = q[i] + h * (matrix[k][0] * rate[0][i] + matrix[k][1] * rate[1][i] +
                                       matrix[k][2] * rate[2][i]);
            ff_half_product(there, w[k], rate[k]);
        }
    for (int i = 0; i < 4; ++i)
        q[i] += h * (5.0 * rate[0][i] + 8.0 * rate[1][i] + 5.0 * rate[2][i]) / 18.0;
}

/* Quaternion of a frame at a time, from its knots, which stay. */
static inline void ff_turned(const ff_instance *s, const ff_motion *motion, double t, double *q)
{
    const ff_coordinate *c = &motion->turn[0];
    const double *kept = ff_knots(s) + 3 * c->knot;
    double begin = kept[4];
    memcpy(q, kept, 4 * sizeof(double));
    while (begin != t) {
        const double end = ff_next(begin, t, c->chunk, c->kinks, c->kink);
        if (end == begin)
            break; /* a time so large that a chunk is lost in it */
        double square = 0.0;
        for (int i = 0; i < 3; ++i) {
            const ff_function f = motion->turn[i].function;
            const double early = ff_function_at(f, begin, ff_inputs(s)).value;
            const double late = ff_function_at(f, end, ff_inputs(s)).value;
            square += fmax(early * early, late * late);
        }
        /* At most a twentieth of a radian a piece; what is not finite is found out later. */
        const double wanted = ceil(20.0 * sqrt(square) * fabs(end - begin));
        const int count = wanted >= 1.0 && wanted < 1e6 ? (int)wanted : 1;
        const double h = (end - begin) / count;
        for (int k = 0; k < count; ++k)
            ff_turn_piece(s, motion, q, begin + k * h, h);
        begin = end;
    }
}

/* Motion of a frame at a time. */
static inline void ff_motion_at(const ff_instance *s, const ff_motion *motion, double t,
                                ff_frame *frame)
{
    memset(frame, 0, sizeof *frame);
    frame->R[0] = frame->R[4] = frame->R[8] = 1.0;
    if (motion->fixed_axis) {
        const ff_jet angle =
            ff_coordinate_at(&motion->turn[0], ff_knots(s), ff_inputs(s), t);
        ff_about_axis(motion->axis, angle.value, frame->R);
        for (int i = 0; i < 3; ++i) {
            frame->w[i] = angle.first * motion->axis[i];
            frame->e[i] = angle.second * motion->axis[i];
        }
    } else
        for (int i = 0; i < 3; ++i) {
            const ff_jet w = ff_function_at(motion->turn[i].function, t, ff_inputs(s));
            frame->w[i] = w.value;
            frame->e[i] = w.first;
        }
    if (!motion->fixed_axis && motion->turn[0].knot >= 0) {
        double q[4];
        ff_turned(s, motion, t, q);
        ff_of_quaternion(q, frame->R);
    }
    if (motion->origin_moves)
        for (int i = 0; i < 3; ++i) {
            const double a =
                ff_coordinate_at(&motion->origin[i], ff_knots(s), ff_inputs(s), t).second;
            for (int j = 0; j < 3; ++j)
                frame->a[j] += frame->R[3 * i + j] * a;
        }
}

/* Motion of the frame of a body at a time, which ff_mechanism_at was asked for. */
static inline void ff_body_frame(const ff_instance *s, int number, double t, ff_frame *frame)
{
    const ff_body *body = s->model->body + number;
    if (body->link >= 0)
        ff_link_frame(s, body->link, frame);
    else
        ff_motion_at(s, s->model->motion + body->motion, t, frame);
}

/* Move the knots of all integrals and the mechanism to a time; all stay where one is not known
   there, or the mechanism does not get there. */
static inline int ff_move_knots(ff_instance *s, double t)
{
    const ff_model *m = s->model;
    const size_t numbers = 3 * (size_t)m->knots;
    double *knots = ff_knots(s);
    memcpy(s->spare, knots, numbers * sizeof(double));
    for (int k = 0; k < m->motions; ++k) {
        const ff_motion *motion = m->motion + k;
        if (!motion->fixed_axis && motion->turn[0].knot >= 0) {
            double *kept = knots + 3 * motion->turn[0].knot, q[4];
            ff_turned(s, motion, t, q);
            memcpy(kept, q, sizeof q);
            kept[4] = t;
        }
        for (int i = motion->fixed_axis ? 0 : 3; i < 6; ++i) {
            const ff_coordinate *c = i < 3 ? &motion->turn[i] : &motion->origin[i - 3];
            if (i == 0 || i > 2 || !motion->fixed_axis)
                ff_move_knot(c, knots, ff_inputs(s), t);
        }
    }
    for (int k = 0; m->linkage && k < m->linkage->drivers; ++k)
        ff_move_knot(m->driver + k, knots, ff_inputs(s), t);
    int code = FF_OK;
    for (size_t k = 0; k < numbers; ++k)
        if (!isfinite(knots[k]))
            code = FF_UNDEFINED;
    if (!code)
        code = ff_mechanism_move(s, t);
    if (code)
        memcpy(knots, s->spare, numbers * sizeof(double));
    return code;
}

#endif
