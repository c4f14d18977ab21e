/* SPDX-License-Identifier: BSD-3-Clause */
/* Events of laws of force between links whose motion is found: numbers that laws keep change between two steps,
   speeds that they hold are struck, and the motion starts again from the forces that act then.

   A speed that comes to rest, which it nearly does by itself, gets its new value by the impulses that change the speeds
   of all links least, weighted by the masses, while joints and all that is held keep theirs. Impacts of rigid shapes
   are those of ff_impact.h. */
#ifndef FF_SWITCH_H
#define FF_SWITCH_H

#include "ff_impact.h"

/* Events one right after the other at most. Part of a force by which another share of it has to be off its limit. */
enum { FF_SWITCH_MOST = 50 };
static const double ff_switch_aside = 1e-3;

/* Whether an event of a law happens between two looks at its formula, which are when and due: it falls, below zero. */
static inline int ff_switch_falls(const ff_switches *own, const ff_force *force, int event)
{
    const double before = own->when[force->first_event + event], now = own->due[force->first_event + event];
    return now < 0.0 && now < before && (before >= 0.0 || !force->event[FF_EVENT * event + FF_CROSSES]);
}

/* Whether steps look for events. */
static inline int ff_switching(const ff_model *m)
{
    return ff_found_of(m) && ff_found_of(m)->links->events;
}

/* Start again from the state reached: accelerations are those that balance the forces. */
static inline int ff_restart(ff_instance *s)
{
    const double now = ff_time(s);
    s->state[FF_SINCE] = now;
    s->state[FF_COUNT] = s->state[FF_LENGTH] = s->state[FF_PREVIOUS] = 0.0;
    if (ff_paced(s->model))
        ff_pace(s)[FF_PACE_NEXT] = ff_pace(s)[FF_PACE_ERROR] = 0.0;
    int code = ff_evaluate(s, now);
    if (!code)
        code = ff_found_balance(s);
    memcpy(ff_averaged(s), ff_second(s), ff_speed_count(s->model) * sizeof(double));
    return code;
}

/* Set the rows of the joints that laws with events know to those of the state. */
static inline void ff_switch_rows(ff_instance *s)
{
    const ff_found *f = ff_found_of(s->model);
    const ff_multibody *m = f->links;
    const int poses = FF_POSE * m->linkage->links, rigid = FF_RIGID * m->linkage->links;
    ff_found_work *w = &s->found;
    const ff_found_trial here = ff_found_here(s, ff_time(s), s->nothing);
    int last = -1;
    s->fresh = 0;
    ff_found_speeds(f, &here, w, ff_second(s));
    ff_found_begin(f, here.near, ff_multiplied(s), f->equations, f->independent, w);
    memcpy(w->poses, here.poses, (size_t)poses * sizeof(double));
    memcpy(w->d, here.d, (size_t)m->elastic * sizeof(double));
    ff_multibody_frames(m, w->poses, w->z, w->rate, w->frames);
    for (int k = 0; k < m->forces; ++k) {
        const ff_formula *one = m->formula + m->force[k].formula[0];
        for (int i = 0; m->force[k].events && i < one->count; ++i) {
            const int row = ff_variable_row(m, one->variable[i]), joint = row < 0 ? last : m->joint_of[row];
            if (joint != last)
                ff_multibody_joint(m, joint, w->frames, w->d, w->z + rigid, w->near, &w->joints);
            last = joint;
        }
    }
}

/* Set all that the events of a law need where the rows of joints are. */
static inline void ff_switch_numbers(const ff_instance *s, const ff_force *force, double *out)
{
    const ff_multibody *m = ff_found_of(s->model)->links;
    const double *states = s->found.z + FF_RIGID * m->linkage->links + m->elastic;
    double variables[FF_FORCE_VARIABLES + 1];
    variables[0] = ff_time(s);
    ff_formula_variables(m, m->formula + force->formula[0], states, ff_multiplied(s), &s->found.joints,
                         variables + 1);
    ff_force_kernel(force, force->switches, ff_kept(s) + force->first_kept, variables, out);
}

/* Set the formulas of all events (events,) at the state. */
static inline void ff_switch_look(ff_instance *s, double *when)
{
    const ff_multibody *m = ff_found_of(s->model)->links;
    ff_switch_rows(s);
    for (int k = 0; k < m->forces; ++k) {
        double numbers[FF_FORCE_SWITCHES];
        if (!m->force[k].events)
            continue;
        ff_switch_numbers(s, m->force + k, numbers);
        memcpy(when + m->force[k].first_event, numbers, (size_t)m->force[k].events * sizeof(double));
    }
}

/* Give speeds that are held new values, by equation (equations,); NAN: the equation keeps its own. */
static inline int ff_switch_strike(ff_instance *s, const double *to)
{
    const ff_found *f = ff_found_of(s->model);
    const ff_multibody *m = f->links;
    const ff_switches own = ff_switches_of(s);
    ff_found_work *w = &s->found;
    double *wanted = s->aside + 2 * f->equations, *before = wanted + f->equations, *v = ff_velocities(s);
    const int code = ff_found_masses(s, ff_time(s));
    if (code)
        return code;
    memcpy(before, v, (size_t)f->speeds * sizeof(double));
    for (int k = 0; k < f->equations; ++k)
        wanted[k] = isnan(to[k]) ? ff_found_wanted(f, w, f->independent[k], 1) : to[k];
    ff_found_reach(s, wanted, v);
    ff_found_spread(f, before, w->z);
    for (int hold = 0; hold < m->holds; ++hold) {
        const int k = ff_hold_equation(f, hold);
        if (ff_equation_holds(m, own.kept, f->independent[k]))
            own.lost[m->hold_of[hold]] -= 0.5 * w->right[f->speeds + k] *
                (wanted[k] + ff_found_along(f, w, f->independent[k], w->z));
    }
    return ff_finite((size_t)f->speeds, v) ? FF_OK : FF_UNBOUNDED;
}

/* Start again with the shares of forces that hold speeds together, by the most that these may be, and set the formulas
   of all events. */
static inline int ff_switch_restart(ff_instance *s)
{
    const ff_multibody *m = ff_found_of(s->model)->links;
    const ff_switches own = ff_switches_of(s);
    const int several = ff_holding(m, own.kept) > 1;
    int code = ff_restart(s);
    for (int again = 0; !code && again <= several; ++again) {
        if (again)
            code = ff_restart(s);
        ff_switch_look(s, own.when);
        for (int k = 0; !again && k < m->forces; ++k) {
            const ff_force *force = m->force + k;
            double numbers[FF_FORCE_SWITCHES];
            if (!force->holds)
                continue;
            ff_switch_numbers(s, force, numbers);
            memcpy(own.most + force->first_hold, numbers + force->events * (force->kept + 1) + force->holds,
                   (size_t)force->holds * sizeof(double));
        }
    }
    return code;
}

/* Whether events that are due are so with other shares of the forces, too, where several hold one motion: the others
   are not to happen. */
static inline int ff_switch_shared(ff_instance *s)
{
    const ff_multibody *m = ff_found_of(s->model)->links;
    const ff_switches own = ff_switches_of(s);
    int limits = 0;
    for (int k = 0; k < m->forces; ++k)
        for (int e = 0; e < m->force[k].events; ++e)
            limits |= m->force[k].event[FF_EVENT * e + FF_AT_ONCE] && own.due[m->force[k].first_event + e] != 0.0;
    if (!limits || ff_holding(m, own.kept) < 2)
        return FF_OK;
    const int code = ff_switch_restart(s), first = ff_all_equations(m) - m->holds;
    for (int k = 0; !code && k < m->forces; ++k) {
        const ff_force *force = m->force + k;
        double most = 0.0;
        for (int hold = force->first_hold; hold < force->first_hold + force->holds; ++hold)
            most = fmax(most, fabs(ff_multiplied(s)[first + hold]));
        for (int e = 0; e < force->events; ++e)
            if (force->event[FF_EVENT * e + FF_AT_ONCE] && own.when[force->first_event + e] > ff_switch_aside * most)
                own.due[force->first_event + e] = 0.0;
    }
    return code;
}

/* Start again behind events, and let those be due that are below zero at once. */
static inline int ff_switch_on(ff_instance *s)
{
    const ff_multibody *m = ff_found_of(s->model)->links;
    const ff_switches own = ff_switches_of(s);
    const int code = ff_switch_restart(s);
    if (code)
        return code;
    for (int k = 0; k < m->forces; ++k) {
        const ff_force *force = m->force + k;
        for (int e = 0; e < force->events; ++e) {
            const int number = force->first_event + e;
            own.due[number] = force->event[FF_EVENT * e + FF_AT_ONCE] && own.when[number] < 0.0;
        }
    }
    return FF_OK;
}

/* Take over the numbers that an event changes, from those that the events of a law need; of events at one time each
   changes its own, and one that would change a number of another before it does not happen. before, kept: (kept,) */
static inline int ff_switch_keep(const ff_force *force, int event, const double *numbers, const double *before,
                                 double *kept)
{
    const double *after = numbers + force->events + force->kept * event;
    for (int k = 0; k < force->kept; ++k)
        if (after[k] != before[k] && kept[k] != before[k])
            return 0;
    for (int k = 0; k < force->kept; ++k)
        if (after[k] != before[k])
            kept[k] = after[k];
    return 1;
}

/* Let the events of a law that are due change what it keeps, the first ones first. The speeds that they strike are
   set among those of all equations, and marked (holds,). */
static inline void ff_switch_law(ff_instance *s, const ff_force *force, double *to)
{
    const ff_found *f = ff_found_of(s->model);
    const ff_switches own = ff_switches_of(s);
    double numbers[FF_FORCE_SWITCHES], before[FF_FORCE_SWITCHES], *kept = own.kept + force->first_kept;
    int due = 0, strikes = 0;
    for (int e = 0; e < force->events; ++e)
        due |= own.due[force->first_event + e] != 0.0;
    if (!due)
        return;
    ff_switch_numbers(s, force, numbers);
    memcpy(before, kept, (size_t)force->kept * sizeof(double));
    for (int e = 0; e < force->events; ++e) {
        const int number = force->first_event + e;
        if (own.due[number] == 0.0)
            continue;
        if (!ff_switch_keep(force, e, numbers, before, kept))
            continue;
        strikes |= force->event[FF_EVENT * e + FF_STRIKES];
        ff_note(s, number);
    }
    for (int k = 0; k < force->holds; ++k)
        if (strikes & 1 << k) {
            to[ff_hold_equation(f, force->first_hold + k)] = numbers[force->events * (force->kept + 1) + k];
            s->struck[force->first_hold + k] = 1.0;
        }
}

/* Strike the speeds that are marked: those of rigid shapes by an impact, others come to rest behind it, or get their new
   values at once where they are not held afterwards. */
static inline int ff_switch_struck(ff_instance *s, double *to)
{
    const ff_found *f = ff_found_of(s->model);
    const ff_multibody *m = f->links;
    double *kept = ff_kept(s);
    int impacts = 0, strikes = 0, code = FF_OK;
    for (int hold = 0; hold < m->holds; ++hold) {
        strikes |= s->struck[hold] != 0.0;
        impacts |= s->struck[hold] != 0.0 && ff_hold_of(m, hold)[FF_PUSHES];
    }
    if (impacts)
        code = ff_impact(s, s->struck, to);
    for (int hold = 0; impacts && hold < m->holds; ++hold)
        if (m->force[m->hold_of[hold]].grip >= 0 || ff_hold_of(m, hold)[FF_PUSHES])
            to[ff_hold_equation(f, hold)] = NAN;
    if (code || !strikes)
        return code;
    for (int hold = 0; hold < m->holds; ++hold) {
        double *held = kept + ff_during(m, hold);
        const int once = s->struck[hold] != 0.0 && *held == 0.0 && !isnan(to[ff_hold_equation(f, hold)]);
        s->struck[hold] = once ? -1.0 : s->struck[hold];
        *held = once ? 1.0 : *held;
    }
    code = ff_switch_strike(s, to);
    for (int hold = 0; hold < m->holds; ++hold)
        if (s->struck[hold] < 0.0)
            kept[ff_during(m, hold)] = 0.0;
    return code;
}

/* Let the events that are due happen, and those that they cause at once. */
static inline int ff_switch(ff_instance *s)
{
    const ff_found *f = ff_found_of(s->model);
    const ff_multibody *m = f->links;
    const ff_switches own = ff_switches_of(s);
    double *to = s->aside + f->equations;
    const int shared = ff_switch_shared(s);
    if (shared)
        return shared;
    for (int round = 0; round < FF_SWITCH_MOST; ++round) {
        int due = 0;
        for (int e = 0; e < m->events; ++e)
            due |= own.due[e] != 0.0;
        if (!due)
            return FF_OK;
        int code = ff_evaluate(s, ff_time(s));
        if (code)
            return code;
        ff_switch_rows(s);
        for (int k = 0; k < f->equations; ++k)
            to[k] = NAN;
        memset(s->struck, 0, (size_t)m->holds * sizeof(double));
        for (int k = 0; k < m->forces; ++k)
            ff_switch_law(s, m->force + k, to);
        code = ff_switch_struck(s, to);
        memset(own.due, 0, (size_t)m->events * sizeof(double));
        if (!code)
            code = ff_switch_on(s);
        if (code)
            return code;
    }
    return FF_ENDLESS;
}

/* Set the numbers that laws keep where a motion starts, and let the events happen that are due there. The
   accelerations balance the forces but for these laws. */
static inline int ff_switch_start(ff_instance *s)
{
    const ff_found *f = ff_found_of(s->model);
    const ff_multibody *m = f->links;
    const ff_switches own = ff_switches_of(s);
    double *to = s->aside + f->equations;
    int holds;
    if (!ff_switching(s->model))
        return FF_OK;
    ff_switch_rows(s);
    for (int k = 0; k < m->forces; ++k) {
        const ff_force *force = m->force + k;
        double numbers[FF_FORCE_SWITCHES], *kept = own.kept + force->first_kept;
        if (!force->kept)
            continue;
        ff_switch_numbers(s, force, numbers);
        memcpy(kept, numbers + force->events * (force->kept + 1) + 2 * force->holds,
               (size_t)force->kept * sizeof(double));
    }
    holds = ff_holding(m, own.kept);
    for (int k = 0; k < f->equations; ++k)
        to[k] = NAN;
    int code = holds ? ff_switch_strike(s, to) : FF_OK;
    memset(own.lost, 0, (size_t)m->forces * sizeof(double));
    if (!code)
        code = ff_switch_on(s);
    return code ? code : ff_switch(s);
}

#endif
