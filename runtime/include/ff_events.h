/* SPDX-License-Identifier: BSD-3-Clause */
/* Time events of model exchange: kinks of functions of time, which an integrator is to stop at.

   A kink has a beginning, until which the functions are as before, and an end, from which on they are
   as after it: most often the same time, else times too close to tell apart. An integrator that comes
   to a kink finds the functions as before; once it has told that the event is handled, as after it. */
#ifndef FF_EVENTS_H
#define FF_EVENTS_H

#include <math.h>

typedef struct {
    int count;
    const double *kink; /* (count, 2) beginnings and ends, ascending */
    int next;           /* the first that has not been handled */
} ff_events;

/* How far a time may be from an event that it is meant to be. */
static inline double ff_near(double event) { return 1e-9 * fabs(event); }

/* Time of the next event, or infinity. */
static inline double ff_event(const ff_events *e)
{
    return e->next < e->count ? e->kink[2 * e->next] : (double)INFINITY;
}

/* All events up to a time are handled. */
static inline void ff_pass(ff_events *e, double t)
{
    while (e->next < e->count && ff_event(e) - ff_near(ff_event(e)) <= t)
        ++e->next;
}

/* Time at which functions are asked for at a time: on the right side of kinks that are close. */
static inline double ff_beside(const ff_events *e, double t)
{
    if (e->next > 0) {
        const double *passed = e->kink + 2 * (e->next - 1);
        if (passed[0] - ff_near(passed[0]) <= t && t < passed[1])
            return passed[1];
    }
    if (e->next < e->count) {
        const double *ahead = e->kink + 2 * e->next;
        const double before = ahead[0] - 1e-12 * fabs(ahead[0]);
        if (before < t && t <= ahead[1] + ff_near(ahead[1]))
            return before;
    }
    return t;
}

#endif
