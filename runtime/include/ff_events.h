/* SPDX-License-Identifier: BSD-3-Clause */
/* Time events of model exchange: kinks of functions of time, where an integrator should stop.

   A kink has a beginning, up to which the previous branch of the functions applies, and an end, from
   which the next branch applies: usually the same time, otherwise times too close to distinguish. At a
   kink an integrator gets the previous branch until it reports the event as handled. */
#ifndef FF_EVENTS_H
#define FF_EVENTS_H

#include <math.h>

typedef struct {
    int count;
    const double *kink; /* (count, 2) beginnings and ends, ascending */
    int next;           /* first event not handled yet */
} ff_events;

/* Tolerance for a time to coincide with an event. */
static inline double ff_near(double event) { return 1e-9 * fabs(event); }

/* Time of the next event, or infinity. */
static inline double ff_event(const ff_events *e)
{
    return e->next < e->count ? e->kink[2 * e->next] : (double)INFINITY;
}

/* Mark all events up to a time as handled. */
static inline void ff_pass(ff_events *e, double t)
{
    while (e->next < e->count && ff_event(e) - ff_near(ff_event(e)) <= t)
        ++e->next;
}

/* Time for the evaluation of functions, on the correct side of nearby kinks. */
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
