/* SPDX-License-Identifier: BSD-3-Clause */
/* Steps of links whose motion is found that adapt to a local error, and the motion between their ends.

   A step of the generalized-alpha method from a motion with speeds v ends away from it by

       e = off h^3 v'' + h^3 / 12 [v, v'] + O(h^4),    off = 1/6 - beta - (alpha_m - alpha_f) / 2,

   of which h v'' and h v' are what v' and v change by in the step. The first term is the error of Newmark's
   method (O. C. Zienkiewicz and Y. M. Xie, Earthquake Engng Struct. Dyn. 20, 1991, pp. 871-887) with the
   averaged accelerations at their times, (alpha_m - alpha_f) h late; the second is what a turning link loses
   as its step is one screw (Magnus series, S. Blanes et al., Phys. Rep. 470, 2009), see docs/physics.md,
   section 12. Steps end where functions of time are known not to be smooth, and accelerations are balanced
   again behind. */
#ifndef FF_PACE_H
#define FF_PACE_H

#include "ff_locate.h"

/* Part of the longest step that the accuracy would bear which is taken; limits of the change of a length.
   Growth that is worth a change, as the start of steps of another length costs about a step; change of a length
   that is soon too long, before a step is refused. Shortest step, of the longest. */
static const double ff_pace_safety = 0.9, ff_pace_drop = 0.2, ff_pace_rise = 2.0;
static const double ff_pace_worth = 1.3, ff_pace_ahead = 0.85, ff_pace_least = 1e-7;

/* Part of the error per cube of the length that counts still a step later: accelerations of vibrations pause. */
static const double ff_pace_lasts = 0.7;

/* Part of a time by which a step ends before a kink there, as in ff_events.h. */
static const double ff_kink_aside = 1e-12;

/* Time at which steps end before a kink. */
static inline double ff_before_kink(const ff_found *f, int number)
{
    const double begin = f->kink[2 * number];
    return begin - ff_kink_aside * fabs(begin);
}

/* Time at which the next step has to end at the latest. */
static inline double ff_kink_ahead(const ff_found *f, double now)
{
    for (int k = 0; 2 * k < f->kinks; ++k)
        if (ff_before_kink(f, k) > now)
            return ff_before_kink(f, k);
    return (double)INFINITY;
}

/* Go on behind a kink that the last step ended before, if it begins at a time at the latest: accelerations
   are those that balance the forces behind it, and the motion starts from them. */
static inline int ff_pass_kink(ff_instance *s, double until)
{
    const ff_found *f = ff_found_of(s->model);
    double behind = ff_time(s);
    for (int k = 0; 2 * k < f->kinks; ++k)
        if (ff_before_kink(f, k) <= behind && behind < f->kink[2 * k + 1] && f->kink[2 * k] <= until)
            behind = f->kink[2 * k + 1];
    if (behind == ff_time(s))
        return FF_OK;
    int code = ff_move_knots(s, behind);
    if (code)
        return code;
    s->state[FF_SINCE] = behind;
    s->state[FF_COUNT] = s->state[FF_LENGTH] = 0.0;
    return ff_restart(s);
}

/* Largest part of numbers of all speeds, of a link or an elastic coordinate: displacements of the scale, turns
   in rad. States of controllers have no scale. */
static inline double ff_found_size(const ff_found *f, const double *all)
{
    const int links = f->links->linkage->links;
    double most = 0.0;
    for (int link = 0; link < links; ++link) {
        const double *one = all + FF_RIGID * link;
        most = fmax(most, fmax(sqrt(ff_dot(3, one, one)) / f->scale, sqrt(ff_dot(3, one + 3, one + 3))));
    }
    for (int k = 0; k < f->links->elastic; ++k)
        most = fmax(most, fabs(all[FF_RIGID * links + k]) / f->scale);
    return most;
}

/* Local error of the step from the kept state to that of an instance. */
static inline double ff_local_error(ff_instance *s, double h)
{
    const ff_found *f = ff_found_of(s->model);
    const ff_scheme *scheme = &s->model->scheme;
    ff_found_work *w = &s->found;
    const double off = 1.0 / 6.0 - scheme->beta - 0.5 * (scheme->alpha_m - scheme->alpha_f);
    const double *v = ff_velocities(s), *rate = ff_second(s);
    const double *begun = s->kept + (v - s->state), *begun_rate = s->kept + (rate - s->state);
    double *speed = w->z, *gain = w->steps, *error = w->rate; /* free between steps */
    ff_found_spread(f, begun, speed);
    ff_found_spread(f, v, gain);
    ff_found_spread(f, rate, error);
    for (int k = 0; k < f->speeds; ++k) {
        gain[f->numbers[k]] -= begun[k];
        error[f->numbers[k]] = h * h * off * (rate[k] - begun_rate[k]);
    }
    for (int link = 0; link < f->links->linkage->links; ++link) {
        const double *x = speed + FF_RIGID * link, *y = gain + FF_RIGID * link;
        double moved[3], other[3], turned[3], *one = error + FF_RIGID * link;
        ff_cross(x + 3, y, moved);
        ff_cross(y + 3, x, other);
        ff_cross(x + 3, y + 3, turned);
        for (int i = 0; i < 3; ++i) {
            one[i] += h * h / 12.0 * (moved[i] - other[i]);
            one[3 + i] += h * h / 12.0 * turned[i];
        }
    }
    return ff_found_size(f, error);
}

/* Length of a first step, of the speeds and accelerations alone: if these change as a whole in the time in which
   they move links by the scale, its local error is a part of the accuracy. */
static inline double ff_first_length(ff_instance *s)
{
    const ff_found *f = ff_found_of(s->model);
    ff_found_spread(f, ff_velocities(s), s->found.z);
    const double speed = ff_found_size(f, s->found.z);
    ff_found_spread(f, ff_second(s), s->found.z);
    const double rate = fmax(speed, sqrt(ff_found_size(f, s->found.z)));
    const double length = cbrt(f->accuracy) / rate;
    return length < f->longest ? length : f->longest;
}

/* Length for the step after one of a length with a local error, in units of the accuracy. */
static inline double ff_next_length(double h, double error)
{
    const double wanted = ff_pace_safety / cbrt(fmax(error, 1e-30));
    if (error > 1.0)
        return h * fmax(wanted, ff_pace_drop);
    if (wanted < 1.0)
        return h * ff_pace_ahead;
    return wanted < ff_pace_worth ? h : h * fmin(wanted, ff_pace_rise);
}

/* Take one step whose local error is within the accuracy of the model, up to a time at the latest, or none where
   only a kink was left before it. The length of the next one is a part of the state. On an error the state is that
   before the step, behind a kink at its beginning. */
static inline int ff_take_paced(ff_instance *s, double until)
{
    const ff_found *f = ff_found_of(s->model);
    double *pace = ff_pace(s);
    int code = ff_pass_kink(s, until + ff_kink_aside * fabs(until));
    if (!code && ff_switching(s->model))
        code = ff_switch(s);
    if (code || ff_time(s) >= until)
        return code;
    const double now = ff_time(s), stop = fmin(until, ff_kink_ahead(f, now)), left = stop - now;
    const double least = ff_pace_least * f->longest + 16.0 * DBL_EPSILON * fabs(now);
    double next = pace[FF_PACE_NEXT] > 0.0 ? pace[FF_PACE_NEXT] : ff_first_length(s), error;
    for (int refused = 0;; ++refused) {
        /* Two equal steps to the end, rather than a long and a short one. */
        const int last = next >= (1.0 - ff_found_same) * left, second = !last && 2.0 * next > left;
        double h = last ? left : second ? 0.5 * left : next;
        code = ff_take_to(s, h, last ? stop : ff_end(s, h));
        if (code && code != FF_UNSETTLED && code != FF_UNBOUNDED && code != FF_UNDEFINED)
            return code;
        error = code ? (double)INFINITY : ff_local_error(s, h) / f->accuracy;
        if (error <= 1.0) {
            code = ff_find_event(s, &h);
            if (code)
                return code;
            s->crowded = h <= least ? s->crowded + 1 : 0;
            if (s->crowded > FF_LOCATE_MOST)
                return FF_ENDLESS;
            const double cube = h * h * h, lasting = fmax(error, ff_pace_lasts * cube * pace[FF_PACE_ERROR]);
            const double wanted = refused ? h : fmin(ff_next_length(h, fmin(lasting, 1.0)), f->longest);
            pace[FF_PACE_ERROR] = lasting / cube;
            pace[FF_PACE_NEXT] = h < next ? fmax(next, wanted) : wanted;
            pace[FF_PACE_REFUSED] += refused;
            pace[FF_PACE_LEAST] = pace[FF_PACE_TAKEN] > 0.0 ? fmin(pace[FF_PACE_LEAST], h) : h;
            pace[FF_PACE_MOST] = fmax(pace[FF_PACE_MOST], h);
            pace[FF_PACE_TAKEN] += 1.0;
            return ff_accepted(s);
        }
        memcpy(s->state, s->kept, ff_states(s->model) * sizeof(double));
        next = code || !isfinite(error) ? 0.5 * h : ff_next_length(h, error);
        if (next < least)
            return code ? code : FF_UNSETTLED;
    }
}

/* Set out (states,) to the state between two ends of a step at a time.

   Positions are cubic in time, with the speeds at both ends, and quaternions then of unit length; speeds are so
   with the accelerations; accelerations, multipliers and coordinates of joints are linear. The errors, of h^4 and
   h^2, are of a higher order than those of the ends, or of theirs. */
static inline void ff_between(ff_instance *s, const double *begin, const double *end, double t, double *out)
{
    const ff_model *m = s->model;
    const ff_found *f = ff_found_of(m);
    const int links = f->links->linkage->links, poses = FF_POSE * links;
    const double from = begin[FF_SINCE] + begin[FF_COUNT] * begin[FF_LENGTH];
    const double h = end[FF_SINCE] + end[FF_COUNT] * end[FF_LENGTH] - from, x = h > 0.0 ? (t - from) / h : 1.0;
    memcpy(out, x > 0.0 ? end : begin, ff_states(m) * sizeof(double));
    if (x <= 0.0 || x >= 1.0)
        return;
    const double one = x * x * (3.0 - 2.0 * x), none = 1.0 - one;
    const double rise = h * x * (1.0 - x) * (1.0 - x), fall = -h * x * x * (1.0 - x);
    const ptrdiff_t places = ff_places(s) - s->state, speeds = ff_velocities(s) - s->state;
    const ptrdiff_t rates = ff_second(s) - s->state, multiplied = ff_multiplied(s) - s->state;
    const ptrdiff_t numbers = ff_pace(s) - s->state;
    for (int link = 0; link < links; ++link) {
        const ptrdiff_t at = places + FF_POSE * link;
        double first[FF_POSE], second[FF_POSE], *to = out + at;
        ff_pose_rates_of(f, begin + places, begin + speeds, link, first);
        ff_pose_rates_of(f, end + places, end + speeds, link, second);
        const double sign = ff_dot(4, begin + at + 3, end + at + 3) < 0.0 ? -1.0 : 1.0; /* of a quaternion */
        for (int i = 0; i < FF_POSE; ++i) {
            const double same = i < 3 ? 1.0 : sign;
            to[i] = none * begin[at + i] + rise * first[i] + same * (one * end[at + i] + fall * second[i]);
        }
        const double size = sqrt(ff_dot(4, to + 3, to + 3));
        for (int i = 3; i < FF_POSE; ++i)
            to[i] /= size;
    }
    for (int k = 0; k < f->links->elastic; ++k) {
        const ptrdiff_t at = places + poses + k, v = speeds + f->rigid + k;
        out[at] = none * begin[at] + one * end[at] + rise * begin[v] + fall * end[v];
    }
    for (int k = 0; k < f->speeds; ++k) {
        const ptrdiff_t v = speeds + k, a = rates + k;
        out[v] = none * begin[v] + one * end[v] + rise * begin[a] + fall * end[a];
        out[a] = (1.0 - x) * begin[a] + x * end[a];
    }
    for (ptrdiff_t k = multiplied; k < numbers; ++k)
        out[k] = (1.0 - x) * begin[k] + x * end[k];
}

#endif
