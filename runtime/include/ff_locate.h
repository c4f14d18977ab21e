/* SPDX-License-Identifier: BSD-3-Clause */
/* Steps that end at events of laws of force: the end of a step is moved back to where the first formula of an
   event falls below zero. What the event changes is changed when the next step begins. */
#ifndef FF_LOCATE_H
#define FF_LOCATE_H

#include "ff_solver.h"

/* How well events are located: part of a step, and of the change of their formulas within it. Events within one
   step at most. Part of a step, beside an event, that is too short for the equations of a step. */
static const double ff_located = 1e-10, ff_reached = 1e-10, ff_short = 1e-3;
enum { FF_LOCATE_MOST = 1000 };

/* Trials by false position, before bisections. */
enum { FF_LOCATE_FAST = 12 };

/* Events between the kept state and that reached: their number; the least formula of those that fired, which are
   set; the least that these had before, and the most that one has changed by. */
typedef struct {
    int count;
    double after, before, change;
} ff_fired;
static inline ff_fired ff_fired_at(ff_instance *s)
{
    const ff_multibody *m = ff_found_of(s->model)->links;
    const ff_switches own = ff_switches_of(s);
    ff_fired found = {0, INFINITY, INFINITY, 0.0};
    ff_switch_look(s, own.due);
    for (int k = 0; k < m->forces; ++k)
        for (int i = 0; i < m->force[k].events; ++i)
            found.count += ff_switch_falls(&own, m->force + k, i);
    for (int k = 0; found.count && k < m->forces; ++k)
        for (int i = 0; i < m->force[k].events; ++i) {
            const int e = m->force[k].first_event + i;
            s->fired[e] = ff_switch_falls(&own, m->force + k, i);
            if (s->fired[e] == 0.0)
                continue;
            found.after = fmin(found.after, own.due[e]);
            found.before = fmin(found.before, own.when[e]);
            found.change = fmax(found.change, fabs(own.due[e] - own.when[e]));
        }
    return found;
}

/* The least formula, at the state reached, of the events that fired last. */
static inline double ff_fired_before(const ff_instance *s)
{
    const ff_switches own = ff_switches_of(s);
    double least = INFINITY;
    for (int e = 0; e < ff_found_of(s->model)->links->events; ++e)
        if (s->fired[e] != 0.0)
            least = fmin(least, own.due[e]);
    return least;
}

/* Move the state to a time, which is a small part of a step ahead, along its accelerations: round-off of positions
   over such a length would be speeds, in a step. What it leaves of joints is of third order in the length. */
static inline int ff_take_short(ff_instance *s, double h, double at)
{
    const size_t speeds = ff_speed_count(s->model);
    double *v = ff_velocities(s), *moved = s->aside;
    const double *rate = ff_second(s);
    ff_keep_state(s);
    const int code = ff_move_knots(s, at);
    for (size_t k = 0; k < speeds; ++k) {
        moved[k] = h * v[k] + 0.5 * h * h * rate[k];
        v[k] += h * rate[k];
    }
    ff_found_move(s, moved);
    memcpy(ff_averaged(s), rate, speeds * sizeof(double));
    s->state[FF_PREVIOUS] = 0.0;
    ff_count_step(s, h, at);
    return ff_unless(s, code);
}

/* Take a part of a step of a length to a time, by the equations of steps where it is long enough. Those of momenta
   without joints have no positions to close, and keep momenta at any length. */
static inline int ff_take_part(ff_instance *s, double h, double own, double at)
{
    const ff_found *f = ff_found_of(s->model);
    const int any = f->canonical && f->equations == 0;
    return (h < ff_short * own && !any ? ff_take_short : ff_take_to)(s, h, at);
}

/* Take a step, or less, from the kept state again, of another length than its own. */
static inline int ff_take_again(ff_instance *s, double h, double own)
{
    memcpy(s->state, s->kept, ff_states(s->model) * sizeof(double));
    return ff_take_part(s, h, own, ff_time(s) + h);
}

/* Move the end of the last step, of a length, back to the first event within it, just behind: every trial is a
   step of its own, by false position (Illinois), and by bisections of what is left by events that jump. On an error
   the state is that before the step. */
static inline int ff_find_event(ff_instance *s, double *h)
{
    if (!ff_switching(s->model))
        return FF_OK;
    const ff_switches own = ff_switches_of(s);
    const size_t bytes = (size_t)ff_found_of(s->model)->links->events * sizeof(double);
    ff_fired fired = ff_fired_at(s);
    double low = 0.0, high = *h, at_low = fmax(fired.before, 0.0), at_high = fired.after;
    int there = 1, side = 0, code = FF_OK; /* side that the last trial replaced */
    if (!fired.count) {
        memcpy(own.when, own.due, bytes);
        memset(own.due, 0, bytes);
        return FF_OK;
    }
    const double change = fired.change, shortest = ff_located * *h;
    for (int count = 1; high - low > shortest && -fired.after > ff_reached * change; ++count) {
        double guess = (low * at_high - high * at_low) / (at_high - at_low);
        if (count > FF_LOCATE_FAST || !(guess > low && guess < high))
            guess = 0.5 * (low + high);
        code = ff_take_again(s, guess, *h);
        there = 0;
        if (code == FF_UNSETTLED) /* too short a step: the event is as well known as it can be */
            break;
        if (code)
            return code;
        const ff_fired now = ff_fired_at(s);
        there = now.count > 0;
        if (there) {
            high = guess;
            fired = now;
            at_high = now.after;
            at_low *= side > 0 ? 0.5 : 1.0;
            side = 1;
        } else {
            low = guess;
            at_low = fmax(ff_fired_before(s), 0.0);
            at_high *= side < 0 ? 0.5 : 1.0;
            side = -1;
        }
    }
    if (!there) {
        code = ff_take_again(s, high, *h);
        if (code)
            return code;
    }
    memcpy(own.due, s->fired, bytes);
    *h = high;
    return FF_OK;
}

/* Take one step to a time, which is its start plus its length up to rounding; it has several parts where there
   are events within it. On an error the state is that before the part that failed. */
static inline int ff_take_whole(ff_instance *s, double h, double at)
{
    if (!ff_switching(s->model)) {
        const int code = ff_take_to(s, h, at);
        return code ? code : ff_accepted(s);
    }
    double length = h;
    for (int count = 0; count < FF_LOCATE_MOST; ++count) {
        int code = ff_switch(s);
        if (!code)
            code = ff_take_part(s, length, h, at);
        if (!code)
            code = ff_find_event(s, &length);
        if (!code)
            code = ff_accepted(s);
        if (code)
            return code;
        length = at - ff_time(s);
        if (!(length > 0.0))
            return FF_OK;
    }
    return FF_ENDLESS;
}

#endif
