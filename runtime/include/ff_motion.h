/* SPDX-License-Identifier: BSD-3-Clause */
/* The motions of frames at a time, and their integrals. */
#ifndef FF_MOTION_H
#define FF_MOTION_H

#include "ff_attitude.h"
#include "ff_mechanism.h"

/* Attitude of a frame with three angular velocities at a time, from its knots, which are not moved. */
static inline ff_attitude ff_turned(const ff_instance *s, const ff_motion *motion, double t)
{
    const ff_coordinate *c = &motion->turn[0];
    const ff_function w[3] = {c[0].function, c[1].function, c[2].function};
    ff_attitude found;
    memcpy(&found, ff_knots(s) + 3 * c->knot, sizeof found);
    ff_turn_to(&found, w, ff_inputs(s), c->chunk, c->kinks, c->kink, t);
    return found;
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
        const ff_attitude attitude = ff_turned(s, motion, t);
        ff_of_quaternion(attitude.q, frame->R);
    }
    if (motion->origin_moves)
        for (int i = 0; i < 3; ++i) {
            const ff_jet x = ff_coordinate_at(&motion->origin[i], ff_knots(s), ff_inputs(s), t);
            for (int j = 0; j < 3; ++j) {
                frame->v[j] += frame->R[3 * i + j] * x.first;
                frame->a[j] += frame->R[3 * i + j] * x.second;
            }
        }
    if (motion->beside) { /* the axis, a point of the body and of space, stays */
        double turned[3], faster[3], inward[3];
        ff_cross(frame->w, motion->arm, turned);
        ff_cross(frame->e, motion->arm, faster);
        ff_cross(frame->w, turned, inward);
        for (int j = 0; j < 3; ++j) {
            frame->v[j] -= turned[j];
            frame->a[j] -= faster[j] + inward[j];
        }
    }
}

/* Motion of the frame of a body at the time of the last ff_mechanism_at. */
static inline void ff_body_frame(const ff_instance *s, int number, double t, ff_frame *frame)
{
    const ff_body *body = s->model->body + number;
    if (body->link >= 0)
        ff_link_frame(s, body->link, frame);
    else
        ff_motion_at(s, s->model->motion + body->motion, t, frame);
}

/* Move the knots of all integrals and the mechanism to a time; none is moved if an integral is undefined
   there, or the mechanism cannot reach the time. */
static inline int ff_move_knots(ff_instance *s, double t)
{
    const ff_model *m = s->model;
    const size_t numbers = 3 * (size_t)m->knots;
    double *knots = ff_knots(s);
    memcpy(s->spare, knots, numbers * sizeof(double));
    for (int k = 0; k < m->motions; ++k) {
        const ff_motion *motion = m->motion + k;
        if (!motion->fixed_axis && motion->turn[0].knot >= 0) {
            const ff_attitude attitude = ff_turned(s, motion, t);
            memcpy(knots + 3 * motion->turn[0].knot, &attitude, sizeof attitude);
        }
        for (int i = motion->fixed_axis ? 0 : 3; i < 6; ++i) {
            const ff_coordinate *c = i < 3 ? &motion->turn[i] : &motion->origin[i - 3];
            if (i == 0 || i > 2 || !motion->fixed_axis)
                ff_move_knot(c, knots, ff_inputs(s), t);
        }
    }
    for (int k = 0; k < ff_drivers(m); ++k)
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
