/* SPDX-License-Identifier: BSD-3-Clause */
/* Impacts of laws of force: speeds of all links jump by impulses of the rigid shapes that touch, those that rest on
   each other too, while joints and what sticks in them keep theirs. Impulses are found in the space of the speeds that
   laws hold, see ff_impulses.h. */
#ifndef FF_IMPACT_H
#define FF_IMPACT_H

#include "ff_evaluate.h"
#include "ff_impulses.h"

/* Most rigid shapes that touch at a time. Speeds behind an impact, relative to the largest, that are none; slips that
   are, m/s, as of laws: those of round-off. */
enum { FF_IMPACT_MOST = 256 };
static const double ff_impact_none = 1e-12, ff_impact_still = 1e-9;

/* Parts of the numbers of laws in the state: see ff_law_states. */
typedef struct {
    double *kept, *when, *due, *most, *lost;
} ff_switches;
static inline ff_switches ff_switches_of(const ff_instance *s)
{
    const ff_multibody *m = ff_found_of(s->model)->links;
    double *kept = ff_kept(s), *when = kept + m->kept, *due = when + m->events;
    return (ff_switches){kept, when, due, due + m->events, due + m->events + m->holds};
}

/* Number, among the independent equations, of a speed that a law holds. */
static inline int ff_hold_equation(const ff_found *f, int hold) { return f->equations - f->links->holds + hold; }

/* Whether a speed takes part in an impact of which some are struck (holds,): whether its law has rigid shapes that
   touch. */
static inline int ff_touches(const ff_multibody *m, const double *kept, const double *struck, int hold)
{
    const ff_force *force = m->force + m->hold_of[hold];
    for (int k = 0; k < force->holds; ++k)
        if (force->held[FF_HELD * k + FF_PUSHES] &&
            (struck[force->first_hold + k] != 0.0 || kept[ff_during(m, force->first_hold + k)] != 0.0))
            return 1;
    return 0;
}

/* Set what a unit impulse along a speed that a law holds changes the speeds of the model by (speeds,), with the last
   factors. */
static inline void ff_impact_response(ff_instance *s, int hold, double *out)
{
    const ff_found *f = ff_found_of(s->model);
    const ff_multibody *m = f->links;
    ff_found_work *w = &s->found;
    const ff_formula *one = ff_condition(m, ff_conditions(m) - m->holds + hold);
    memset(w->out, 0, (size_t)ff_all_speeds(m) * sizeof(double));
    memset(w->joints.force, 0, (size_t)m->linkage->rows * sizeof(double));
    int joint = -1;
    for (int i = 0; i < one->count; ++i) {
        if (one->variable[i] < 0 || one->variable[i] % 2 == 0)
            continue;
        const int row = ff_variable_row(m, one->variable[i]);
        w->joints.force[row] += w->joints.told[one->at + FF_FORMULA_SLOPES + i];
        joint = m->joint_of[row];
    }
    if (joint >= 0) /* of which all its variables are */
        ff_subtract_efforts(m, joint, &w->joints, w->out);
    memset(w->right, 0, (size_t)(f->speeds + f->equations) * sizeof(double));
    for (int k = 0; k < f->speeds; ++k)
        w->right[k] = -w->out[f->numbers[k]];
    ff_found_correct(f, w);
    memcpy(out, w->right, (size_t)f->speeds * sizeof(double));
}

/* Rates of a speed that a law holds, by speeds of the model (speeds,). */
static inline double ff_impact_speed(ff_instance *s, int hold, const double *speeds)
{
    const ff_found *f = ff_found_of(s->model);
    ff_found_spread(f, speeds, s->found.z);
    return ff_found_along(f, &s->found, f->independent[ff_hold_equation(f, hold)], s->found.z);
}

/* Let what an impact ends go: shapes that are not pressed on each other, slips that impulses do not stop, and what
   sticks by forces that take time and slips behind. n, which, p, after, wanted: of those that take part. */
static inline void ff_impact_release(ff_instance *s, int n, const int *which, const double *p, const double *after,
                                     const double *wanted)
{
    const ff_multibody *m = ff_found_of(s->model)->links;
    double *kept = ff_switches_of(s).kept, most = 0.0;
    for (int i = 0; i < n; ++i)
        most = fmax(most, fabs(after[i]));
    for (int i = 0; i < n; ++i) {
        const ff_force *force = m->force + m->hold_of[which[i]];
        int ends = ff_hold_of(m, which[i])[FF_PUSHES] && p[i] == 0.0 && after[i] - wanted[i] > ff_impact_none * most;
        for (int k = 0; k < n && !ff_hold_of(m, which[i])[FF_PUSHES]; ++k)
            if (m->force + m->hold_of[which[k]] == force) /* its normal speed, and all across it */
                ends |= ff_hold_of(m, which[k])[FF_PUSHES] ? kept[ff_during(m, which[k])] == 0.0
                                                         : fabs(after[k]) > ff_impact_none * most;
        if (ends)
            kept[ff_during(m, which[i])] = 0.0;
    }
}

/* Let an impact happen. struck (holds,): speeds that are struck; to (equations,): their new values along normals. Kept
   numbers are those behind it, but for what impulses show to end. */
static inline int ff_impact(ff_instance *s, const double *struck, const double *to)
{
    const ff_found *f = ff_found_of(s->model);
    const ff_multibody *m = f->links;
    const int all = m->holds;
    const ff_switches own = ff_switches_of(s);
    double *response = s->impact, *W = response + (size_t)all * ff_speed_count(s->model);
    double *u = W + (size_t)all * (size_t)all, *after = u + all, *wanted = after + all, *p = wanted + all;
    double *v = ff_velocities(s), before[3 * FF_IMPACT_MOST];
    int which[3 * FF_IMPACT_MOST], place[3 * FF_IMPACT_MOST], n = 0, contacts = 0;
    ff_touch contact[FF_IMPACT_MOST];
    if (all > 3 * FF_IMPACT_MOST)
        return FF_UNSETTLED;
    for (int hold = 0; hold < all; ++hold) {
        double *during = own.kept + ff_during(m, hold);
        before[hold] = *during;
        place[hold] = -1;
        if (ff_touches(m, own.kept, struck, hold)) {
            place[hold] = n;
            which[n++] = hold;
        }
    }
    for (int hold = 0; hold < all; ++hold) /* which impulses act in place of */
        if (place[hold] >= 0 || ff_hold_of(m, hold)[FF_YIELDS])
            own.kept[ff_during(m, hold)] = 0.0;
    for (int i = 0; i < n; ++i) {
        const ff_force *force = m->force + m->hold_of[which[i]];
        if (!ff_hold_of(m, which[i])[FF_PUSHES])
            continue;
        const int others = force->grip < 0 ? 0 : force->holds - 1; /* behind it */
        contact[contacts++] = (ff_touch){i, i + 1, others, others ? force->parameter[force->grip] : 0.0};
    }
    int code = ff_found_masses(s, ff_time(s));
    if (code)
        return code;
    for (int i = 0; i < n; ++i) {
        const int equation = ff_hold_equation(f, which[i]);
        ff_impact_response(s, which[i], response + (long)i * f->speeds);
        u[i] = ff_impact_speed(s, which[i], v) - ff_found_wanted(f, &s->found, f->independent[equation], 1);
        wanted[i] = struck[which[i]] != 0.0 && !isnan(to[equation]) ? to[equation] : 0.0;
    }
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            W[(long)i * n + j] = ff_impact_speed(s, which[i], response + (long)j * f->speeds);
    if (ff_impulses(contacts, contact, n, W, u, wanted, p, after))
        return FF_UNSETTLED;
    for (int i = 0; i < n; ++i) {
        own.lost[m->hold_of[which[i]]] -= 0.5 * p[i] * (u[i] + after[i]);
        for (int k = 0; k < f->speeds; ++k)
            v[k] += p[i] * response[(long)i * f->speeds + k];
    }
    for (int hold = 0; hold < all; ++hold) {
        double *during = own.kept + ff_during(m, hold);
        if (place[hold] >= 0)
            *during = before[hold];
        else if (ff_hold_of(m, hold)[FF_YIELDS] && before[hold] != 0.0) {
            const int equation = ff_hold_equation(f, hold);
            const double slip = ff_impact_speed(s, hold, v) - ff_found_wanted(f, &s->found, f->independent[equation], 1);
            *during = fabs(slip) > ff_impact_still ? 0.0 : before[hold];
        }
    }
    ff_impact_release(s, n, which, p, after, wanted);
    return ff_finite((size_t)f->speeds, v) ? FF_OK : FF_UNBOUNDED;
}

#endif
