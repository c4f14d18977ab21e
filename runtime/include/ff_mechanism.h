/* SPDX-License-Identifier: BSD-3-Clause */
/* The mechanism of an instance in time: its drivers, and the motion of its links. */
#ifndef FF_MECHANISM_H
#define FF_MECHANISM_H

#include "ff_instance.h"

/* Number of halvings of a step before the mechanism counts as locked, and most steps of one call. */
enum { FF_HALVINGS = 30, FF_MOST_STEPS = 1000000 };

/* Set the drivers of the mechanism at a time; if part is below one, set them at rest at this fraction of
   the way from the coordinates in s->reached. */
static inline int ff_mechanism_drive(ff_instance *s, double t, double part)
{
    const ff_linkage *m = s->model->linkage;
    const double *coordinates = ff_linkage_coordinates(m, s->reached);
    for (int k = 0; k < m->drivers; ++k) {
        const ff_jet wanted = ff_coordinate_at(s->model->driver + k, ff_knots(s), ff_inputs(s), t);
        const double here = coordinates[3 * m->driver_of[k]];
        double *driven = s->driven + 3 * k;
        if (!isfinite(wanted.value) || !isfinite(wanted.first) || !isfinite(wanted.second))
            return FF_UNDEFINED;
        driven[0] = part < 1.0 ? here + part * (wanted.value - here) : wanted.value;
        driven[1] = part < 1.0 ? 0.0 : wanted.first;
        driven[2] = part < 1.0 ? 0.0 : wanted.second;
    }
    return FF_OK;
}

/* Advance s->reached to a time in as many steps as needed: steps in time, or, if drivers have jumped,
   steps of the coordinates at the time reached. */
static inline int ff_mechanism_go(ff_instance *s, double t, int jumped)
{
    const ff_linkage *m = s->model->linkage;
    int halvings = 0;
    for (int count = 0; count < FF_MOST_STEPS; ++count) {
        const double part = ldexp(1.0, -halvings), now = s->reached[FF_REACHED];
        const double target = halvings ? now + part * (t - now) : t;
        const int code = ff_mechanism_drive(s, target, jumped ? part : 1.0);
        if (code)
            return code;
        const int status = ff_linkage_step(m, &s->links, s->reached, target, s->driven);
        if (status == FF_CLOSED) {
            if (halvings == 0)
                return FF_OK;
            --halvings;
            continue;
        }
        const double middle = now + 0.5 * (target - now);
        if (++halvings > FF_HALVINGS || (!jumped && (middle == now || middle == target)))
            return status == FF_DEAD ? FF_SINGULAR_POSITION : FF_LOCKED;
    }
    return FF_LOCKED;
}

/* Set s->reached to the state of the mechanism at a time, from its knot in the state, which is not moved.
   Nothing is done without a mechanism, or if it is already there with the same drivers. */
static inline int ff_mechanism_at(ff_instance *s, double t)
{
    const ff_linkage *m = s->model->linkage;
    if (!m)
        return FF_OK;
    double *driven = s->reached + ff_linkage_states(m);
    const size_t bytes = 3 * (size_t)m->drivers * sizeof(double);
    memcpy(s->reached, ff_linked_state(s), ff_linked(s->model) * sizeof(double));
    int code = ff_mechanism_drive(s, t, 1.0);
    if (code || (s->reached[FF_REACHED] == t && !memcmp(driven, s->driven, bytes)))
        return code;
    if (ff_linkage_step(m, &s->links, s->reached, t, s->driven) != FF_CLOSED) {
        code = ff_mechanism_go(s, s->reached[FF_REACHED], 1);
        if (!code)
            code = ff_mechanism_go(s, t, 0);
    }
    memcpy(driven, s->driven, bytes);
    return code;
}

/* Move the mechanism to a time; if this fails, it does not move. */
static inline int ff_mechanism_move(ff_instance *s, double t)
{
    const int code = ff_mechanism_at(s, t);
    if (!code && s->model->linkage)
        memcpy(ff_linked_state(s), s->reached, ff_linked(s->model) * sizeof(double));
    return code;
}

/* Start with the assembled mechanism at time zero. */
static inline void ff_mechanism_start(ff_instance *s)
{
    const ff_linkage *m = s->model->linkage;
    if (!m)
        return;
    double *driven = ff_linked_state(s) + ff_linkage_states(m);
    memcpy(ff_linked_state(s), s->model->assembled, ff_linkage_states(m) * sizeof(double));
    for (int k = 0; k < 3 * m->drivers; ++k)
        driven[k] = (double)NAN; /* the drivers of the assembly are unknown here */
}

/* Motion of a link at the time of the last ff_mechanism_at. */
static inline void ff_link_frame(const ff_instance *s, int link, ff_frame *frame)
{
    const double *state = ff_linkage_frames(s->model->linkage, s->reached) + link * FF_LINK;
    memcpy(frame->R, state + 3, sizeof frame->R);
    memcpy(frame->v, state + 12, sizeof frame->v);
    memcpy(frame->w, state + 15, sizeof frame->w);
    memcpy(frame->a, state + 18, sizeof frame->a);
    memcpy(frame->e, state + 21, sizeof frame->e);
}

#endif
