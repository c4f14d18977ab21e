/* SPDX-License-Identifier: BSD-3-Clause */
/* Steps of an instance up to a time. */
#ifndef FF_ADVANCE_H
#define FF_ADVANCE_H

#include "ff_pace.h"

/* How far from a time counts as there: for large times, rounding exceeds a small fraction of a step. */
static inline double ff_slack(double now, double until, double longest)
{
    const double rounding = 4.0 * DBL_EPSILON * fmax(fabs(until), fabs(now));
    return fmin(1e-9 * longest + rounding, 0.25 * longest);
}

/* Take the steps that the accuracy of the model asks for, up to a time. */
static inline int ff_advance_paced(ff_instance *s, double until)
{
    const double slack = ff_slack(ff_time(s), until, ff_found_of(s->model)->longest);
    if (!isfinite(until) || until - ff_time(s) < -slack)
        return FF_ARGUMENT;
    while (until - ff_time(s) > slack) {
        const int code = ff_take_paced(s, until);
        if (code)
            return code;
    }
    return ff_pass_kink(s, until + slack);
}

/* Take one step, or those of this length that the accuracy of the model asks for. On an error of one step the
   state is unchanged. */
static inline int ff_take(ff_instance *s, double h)
{
    if (!ff_paced(s->model))
        return ff_take_whole(s, h, ff_end(s, h));
    return h > 0.0 && isfinite(h) ? ff_advance_paced(s, ff_time(s) + h) : FF_ARGUMENT;
}

/* Most halvings of a step whose equations do not converge. */
enum { FF_SHORTEST = 12 };

/* Take a step to a time, or two of half its length where its equations do not converge, and so on: of what is
   left of it behind an event. */
static inline int ff_take_parts(ff_instance *s, double h, double at, int halvings)
{
    const double begin = ff_time(s);
    int code = ff_take_whole(s, h, at);
    if (code != FF_UNSETTLED || halvings == 0)
        return code;
    const double half = 0.5 * (ff_time(s) == begin ? h : at - ff_time(s));
    code = ff_take_parts(s, half, ff_time(s) + half, halvings - 1);
    return code ? code : ff_take_parts(s, half, at, halvings - 1);
}

/* Take equal steps, none longer than that of the model, up to a time; or those that its accuracy asks for. */
static inline int ff_advance(ff_instance *s, double until)
{
    const double now = ff_time(s), span = until - now, longest = s->model->step;
    if (ff_paced(s->model))
        return ff_advance_paced(s, until);
    if (!isfinite(until))
        return FF_ARGUMENT;
    const double slack = ff_slack(now, until, longest);
    if (span < -slack)
        return FF_ARGUMENT;
    if (span <= slack)
        return FF_OK;
    /* A span of whole steps, up to round-off, uses exactly the step of the model. */
    const double wanted = ceil((span - slack) / longest);
    const int whole = fabs(span - wanted * longest) <= slack;
    const double h = whole ? longest : span / wanted;
    for (double k = 0.0; k < wanted; ++k) {
        const int code = ff_take_parts(s, h, ff_end(s, h), FF_SHORTEST);
        if (code)
            return code;
    }
    return FF_OK;
}

#endif
