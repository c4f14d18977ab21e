/* SPDX-License-Identifier: BSD-3-Clause */
/* Links of an instance whose motion is found: what is given at a time, accelerations, starts and steps. */
#ifndef FF_FOUND_H
#define FF_FOUND_H

#include "ff_instance.h"

/* Corrections of a position that is moved onto the equations at most; relative to their scales, when it
   is there. */
enum { FF_FOUND_CLOSINGS = 30, FF_FOUND_FELT = 20 };
static const double ff_found_closed = 1e-13;

/* Difference of steps, relative, that counts as none. */
static const double ff_found_same = 1e-9;

/* Part of the change of accelerations in the last step by which a step begins: not all of it goes on, as in
   vibrations. Least shift of averaged accelerations, in steps, that tells it. */
static const double ff_found_goes_on = 0.25, ff_found_shifted = 0.02;

/* Displacement by accelerations in a step over that at its beginning, above which vibrations are too fast for
   the step. */
static const double ff_found_resolved = 0.5;

/* Set the drivers at a time. */
static inline int ff_found_driven(ff_instance *s, double t)
{
    double *driven = s->found.driven;
    int finite = 1;
    for (int k = 0; k < s->model->found->links->linkage->drivers; ++k) {
        const ff_jet one = ff_coordinate_at(s->model->driver + k, ff_knots(s), ff_inputs(s), t);
        driven[3 * k] = one.value;
        driven[3 * k + 1] = one.first;
        driven[3 * k + 2] = one.second;
        finite &= isfinite(one.value) && isfinite(one.first) && isfinite(one.second);
    }
    return finite ? FF_OK : FF_UNDEFINED;
}

/* Set loads, forces of actuators, drivers and the inputs of laws at a time. */
static inline int ff_found_given(ff_instance *s, double t)
{
    const ff_model *m = s->model;
    const ff_found *f = m->found;
    ff_found_work *w = &s->found;
    int finite = 1;
    s->fresh = 0;
    for (int k = 0; k < f->amplitudes; ++k) {
        w->amplitudes[k] = ff_function_at(f->amplitude[k].value, t, ff_inputs(s)).value;
        finite &= isfinite(w->amplitudes[k]) != 0;
    }
    for (int k = 0; k < f->links->actuators; ++k) {
        w->given[k] = ff_function_at(f->given[k].value, t, ff_inputs(s)).value;
        finite &= isfinite(w->given[k]) != 0;
    }
    memcpy(w->inputs + 4 * (size_t)f->links->most, ff_inputs(s), 4 * (size_t)m->inputs * sizeof(double));
    return finite ? ff_found_driven(s, t) : FF_UNDEFINED;
}

/* The state as the end of a step of no length. */
static inline ff_found_trial ff_found_here(const ff_instance *s, double t, const double *increment)
{
    const int poses = FF_POSE * s->model->found->links->linkage->links;
    return (ff_found_trial){t, 1.0, 0.0, 0.0, s->nothing, ff_velocities(s), increment,
                            ff_places(s), ff_places(s) + poses, ff_counted(s), ff_added(s), 0};
}

/* Evaluate everything at the state with its rates; what is given there must be set. */
static inline void ff_found_at(ff_instance *s, double t)
{
    const ff_found_trial here = ff_found_here(s, t, s->nothing);
    ff_found_residual(s->model->found, &here, &s->found, ff_second(s), ff_multiplied(s));
}

/* The same for outputs, once for a state. */
static inline int ff_found_seen(ff_instance *s)
{
    const size_t bytes = ff_states(s->model) * sizeof(double);
    if (s->fresh && !memcmp(s->seen, s->state, bytes))
        return FF_OK;
    const int code = ff_found_given(s, ff_time(s));
    if (code)
        return code;
    ff_found_at(s, ff_time(s));
    memcpy(s->seen, s->state, bytes);
    s->fresh = 1;
    return FF_OK;
}

/* Derivative of an equation times numbers of all speeds. */
static inline double ff_found_along(const ff_found *f, const ff_found_work *w, int equation,
                                    const double *x)
{
    const ff_multibody *m = f->links;
    const ff_linkage *linkage = m->linkage;
    const int held = linkage->equations - linkage->gears - linkage->drivers;
    const int gear = equation - held, driver = gear - linkage->gears;
    if (equation >= linkage->equations) {
        const ff_formula *one = ff_condition(m, equation - linkage->equations);
        double sum = 0.0;
        for (int i = 0; i < one->count; ++i)
            if (one->variable[i] >= 0 && one->variable[i] % 2)
                sum += w->joints.told[one->at + FF_FORMULA_SLOPES + i] *
                       ff_row_along(m, &w->joints, ff_variable_row(m, one->variable[i]), x);
        return sum;
    }
    if (gear < 0)
        return ff_row_along(m, &w->joints, m->held_of[equation], x);
    if (driver >= 0)
        return ff_row_along(m, &w->joints, m->row_of[linkage->driver_of[driver]], x);
    return ff_row_along(m, &w->joints, m->row_of[linkage->gear_of[2 * gear]], x) -
           linkage->ratios[gear] * ff_row_along(m, &w->joints, m->row_of[linkage->gear_of[2 * gear + 1]], x);
}

/* Rates of an equation that do not depend on rates of speeds: of its rate (order 1), or its second rate. */
static inline double ff_found_wanted(const ff_found *f, const ff_found_work *w, int equation,
                                     int order)
{
    const ff_multibody *m = f->links;
    const ff_linkage *linkage = m->linkage;
    const int held = linkage->equations - linkage->gears - linkage->drivers;
    const int gear = equation - held, driver = gear - linkage->gears;
    const double *second = w->joints.second;
    if (equation >= linkage->equations)
        return ff_condition_wanted(m, &w->joints, equation - linkage->equations, order);
    if (driver >= 0)
        return w->driven[3 * driver + order] -
               (order == 2 ? second[m->row_of[linkage->driver_of[driver]]] : 0.0);
    if (order == 1)
        return 0.0;
    if (gear < 0)
        return -second[m->held_of[equation]];
    return linkage->ratios[gear] * second[m->row_of[linkage->gear_of[2 * gear + 1]]] -
           second[m->row_of[linkage->gear_of[2 * gear]]];
}

/* Change numbers of the speeds by the least, weighted by the masses of the last factors, that lets the
   equations that hold have wanted values (equations,): masses and rows are those of the last factors. What the
   equations do for it is left in the workspace, behind the speeds. */
static inline void ff_found_reach(ff_instance *s, const double *wanted, double *x)
{
    const ff_found *f = s->model->found;
    ff_found_work *w = &s->found;
    memset(w->z, 0, (size_t)ff_all_speeds(f->links) * sizeof(double));
    for (int k = 0; k < f->speeds; ++k)
        w->z[f->numbers[k]] = x[k];
    memset(w->right, 0, (size_t)f->speeds * sizeof(double));
    for (int k = 0; k < f->equations; ++k)
        w->right[f->speeds + k] =
            ff_equation_holds(f->links, w->kept, f->independent[k])
                ? w->border * (ff_found_along(f, w, f->independent[k], w->z) - wanted[k]) : 0.0;
    ff_found_correct(f, w);
    for (int k = 0; k < f->speeds; ++k)
        x[k] += w->right[k];
}

/* Factor the masses and rows of the state. */
static inline int ff_found_masses(ff_instance *s, double t)
{
    static const double factors[3] = {1.0, 0.0, 0.0};
    ff_found_at(s, t);
    return ff_found_factor(s->model->found, factors, &s->found) ? FF_SINGULAR : FF_OK;
}

/* Set the accelerations and multipliers that balance the forces that were evaluated at the state without
   both, with the factors of its masses. Averaged accelerations are those at a start, and otherwise change as
   the accelerations do; steps of momenta have speeds in their place. */
static inline int ff_found_accelerate(ff_instance *s)
{
    const ff_found *f = s->model->found;
    ff_found_work *w = &s->found;
    double *rate = ff_second(s), *average = ff_averaged(s), *force = ff_multiplied(s);
    for (int k = 0; k < f->equations; ++k) {
        const int equation = f->independent[k];
        if (!ff_equation_holds(f->links, w->kept, equation)) {
            w->right[f->speeds + k] = 0.0;
            continue;
        }
        double wanted = ff_found_wanted(f, w, equation, 2);
        if (s->pull > 0.0) { /* G v' = second - 2 pull (G v - first) - pull^2 value */
            const double speed =
                ff_found_along(f, w, equation, w->z) - ff_found_wanted(f, w, equation, 1);
            const double value = ff_equation_value(f->links, w->joints.value, equation, w->driven);
            wanted -= s->pull * (2.0 * speed + s->pull * value);
        }
        w->right[f->speeds + k] = -w->border * wanted;
    }
    ff_found_correct(f, w);
    for (int k = 0; k < f->speeds; ++k) {
        rate[k] = w->right[k];
        if (!f->canonical)
            average[k] = s->state[FF_PREVIOUS] == 0.0 ? rate[k] : average[k] + rate[k];
    }
    for (int k = 0; k < f->equations; ++k)
        force[f->independent[k]] = w->right[f->speeds + k];
    return ff_finite((size_t)f->speeds, rate) ? FF_OK : FF_UNBOUNDED;
}

/* Forget accelerations and multipliers, so that forces can be evaluated without them. */
static inline void ff_found_release(ff_instance *s)
{
    const ff_found *f = s->model->found;
    double *rate = ff_second(s), *average = ff_averaged(s);
    for (int k = 0; !f->canonical && k < f->speeds; ++k)
        average[k] -= rate[k];
    memset(rate, 0, (size_t)f->speeds * sizeof(double));
    memset(ff_multiplied(s), 0, (size_t)ff_all_equations(f->links) * sizeof(double));
}

/* Whether a law knows multipliers, as friction of joints does. */
static inline int ff_found_feels(const ff_multibody *m)
{
    for (int k = 0; k < m->laws; ++k)
        for (int i = 0; i < m->formula[k].count; ++i)
            if (ff_variable_equation(m, m->formula[k].variable[i]) >= 0)
                return 1;
    return 0;
}

/* Set the accelerations and multipliers that balance the forces at the time reached. Laws that know multipliers
   are those of the last ones, again and again. */
static inline int ff_found_balance(ff_instance *s)
{
    const ff_multibody *m = s->model->found->links;
    const size_t bytes = (size_t)ff_all_equations(m) * sizeof(double);
    ff_found_work *w = &s->found;
    int code = FF_OK;
    w->held = ff_found_feels(m);
    memset(w->felt, 0, bytes);
    for (int k = 0; !code && k < (w->held ? FF_FOUND_FELT : 1); ++k) {
        ff_found_release(s);
        code = ff_found_masses(s, ff_time(s));
        if (!code)
            code = ff_found_accelerate(s);
        if (!code && w->held)
            memcpy(w->felt, ff_multiplied(s), bytes);
    }
    w->held = 0;
    return code;
}

/* Take over the coordinates of joints where they were evaluated last: the angles of the next step are
   closest to these. */
static inline void ff_found_count(ff_instance *s)
{
    const ff_multibody *m = s->model->found->links;
    for (int k = 0; k < m->linkage->coordinates; ++k)
        ff_counted(s)[k] = s->found.joints.value[m->row_of[k]];
}

/* Move the positions by increments of the speeds' coordinates. */
static inline void ff_found_move(ff_instance *s, const double *increments)
{
    const ff_found *f = s->model->found;
    const int links = f->links->linkage->links;
    double *places = ff_places(s), *steps = s->found.steps, to[FF_POSE];
    memset(steps, 0, (size_t)ff_all_speeds(f->links) * sizeof(double));
    for (int k = 0; k < f->speeds; ++k)
        steps[f->numbers[k]] = increments[k];
    for (int link = 0; link < links; ++link) {
        ff_retract(places + FF_POSE * link, steps + FF_RIGID * link, to);
        memcpy(places + FF_POSE * link, to, sizeof to);
    }
    for (int k = 0; k < f->links->elastic; ++k)
        places[FF_POSE * links + k] += steps[FF_RIGID * links + k];
}

/* Scale the quaternions of all links to unit length. */
static inline void ff_found_norm(ff_instance *s)
{
    for (int link = 0; link < s->model->found->links->linkage->links; ++link) {
        double *q = ff_places(s) + FF_POSE * link + 3;
        const double size = sqrt(ff_dot(4, q, q));
        for (int i = 0; i < 4; ++i)
            q[i] /= size;
    }
}

/* Rates of the pose of a link: R v, and half the quaternion times the angular velocity. */
static inline void ff_pose_rates_of(const ff_found *f, const double *places, const double *v, int link,
                                    double *out)
{
    const int per_link = f->rigid / f->links->linkage->links;
    const double *q = places + FF_POSE * link + 3;
    double z[FF_RIGID] = {0.0}, R[9], turned[3];
    for (int k = per_link * link; k < per_link * (link + 1); ++k)
        z[f->numbers[k] - FF_RIGID * link] = v[k];
    ff_of_quaternion(q, R);
    ff_apply(R, z, out);
    ff_cross(q + 1, z + 3, turned);
    out[3] = -0.5 * (q[1] * z[3] + q[2] * z[4] + q[3] * z[5]);
    for (int i = 0; i < 3; ++i)
        out[4 + i] = 0.5 * (q[0] * z[3 + i] + turned[i]);
}
static inline void ff_pose_rates(const ff_instance *s, int link, double *out)
{
    ff_pose_rates_of(s->model->found, ff_places(s), ff_velocities(s), link, out);
}

/* Move positions and velocities by the least, weighted by the masses, onto the equations at the time
   reached. */
static inline int ff_found_close(ff_instance *s)
{
    const ff_found *f = s->model->found;
    const ff_linkage *linkage = f->links->linkage;
    ff_found_work *w = &s->found;
    double *wanted = s->aside;
    const double t = ff_time(s);
    ff_found_norm(s);
    for (int count = 0; f->equations && count < FF_FOUND_CLOSINGS; ++count) {
        double open = 0.0;
        int code = ff_found_masses(s, t);
        for (int k = 0; k < f->equations; ++k) {
            const int equation = f->independent[k];
            const double value = ff_equation_value(f->links, w->joints.value, equation, w->driven);
            if (equation < linkage->equations)
                open = fmax(open, fabs(value) / linkage->scales[equation]);
            w->right[f->speeds + k] = w->border * value;
        }
        if (code || !isfinite(open))
            return FF_SINGULAR;
        if (open <= ff_found_closed)
            break;
        if (count + 1 == FF_FOUND_CLOSINGS)
            return FF_ARGUMENT;
        memset(w->right, 0, (size_t)f->speeds * sizeof(double));
        ff_found_correct(f, w);
        ff_found_move(s, w->right);
    }
    for (int k = 0; k < f->equations; ++k)
        wanted[k] = ff_found_wanted(f, w, f->independent[k], 1);
    if (f->equations)
        ff_found_reach(s, wanted, ff_velocities(s));
    return FF_OK;
}

/* Whether steps have a multiplier for an independent equation: all of them without a tree. */
static inline int ff_is_closing(const ff_found *f, int number)
{
    for (int k = 0; f->tree && k < f->tree->closings; ++k)
        if (f->tree->closing[k] == f->independent[number])
            return 1;
    return !f->tree;
}

/* Begin steps of a length: speeds, rates and averaged rates are moved along the rows to what steps settle
   at, which is off by `off h^2 v''` and late by `late h` (see `settle` in transient/consistent.py). */
static inline int ff_found_settle(ff_instance *s, double h)
{
    const ff_scheme *scheme = &s->model->scheme;
    const ff_found *f = s->model->found;
    const ff_linkage *linkage = f->links->linkage;
    ff_found_work *w = &s->found;
    const double late = scheme->alpha_m - scheme->alpha_f, t = ff_time(s);
    const double off = 1.0 / 6.0 - 0.5 * late - scheme->beta;
    double *v = ff_velocities(s), *rate = ff_second(s), *average = ff_averaged(s);
    double *second = s->aside, *gained = second + f->equations, *speed = gained + f->equations;
    double *wanted = speed + f->equations, *ahead = wanted + f->equations;
    int code = ff_found_given(s, t);
    if (!code)
        code = ff_found_masses(s, t);
    if (code)
        return code;
    for (int k = 0; k < f->equations; ++k) {
        second[k] = ff_found_wanted(f, w, f->independent[k], 2);
        speed[k] = ff_found_wanted(f, w, f->independent[k], 1);
    }
    ff_found_reach(s, second, rate);
    /* Along the motion G v' = second, so that h G v'' is second - G v'_0 a step later. */
    for (int k = 0; k < f->speeds; ++k)
        ahead[k] = h * v[k] + 0.5 * h * h * rate[k];
    ff_found_trial later = ff_found_here(s, t + h, ahead);
    later.b = h;
    code = ff_found_given(s, t + h);
    if (code)
        return code;
    ff_found_residual(f, &later, w, rate, ff_multiplied(s));
    memset(w->z, 0, (size_t)ff_all_speeds(f->links) * sizeof(double));
    for (int k = 0; k < f->speeds; ++k)
        w->z[f->numbers[k]] = rate[k];
    for (int k = 0; k < f->equations; ++k)
        gained[k] = ff_found_wanted(f, w, f->independent[k], 2) -
                    ff_found_along(f, w, f->independent[k], w->z);
    code = ff_found_given(s, t);
    ff_found_at(s, t); /* the rows of the factors */
    for (int k = 0; k < f->equations; ++k)
        wanted[k] = speed[k] + (f->independent[k] < linkage->equations && ff_is_closing(f, k)
                                    ? off * h * gained[k] : 0.0);
    ff_found_reach(s, wanted, v);
    for (int k = 0; k < f->equations; ++k)
        wanted[k] = second[k] + (ff_is_closing(f, k) ? late * gained[k] : 0.0);
    ff_found_reach(s, wanted, average);
    return code;
}

/* Set numbers of all speeds from those of the model. */
static inline void ff_found_spread(const ff_found *f, const double *x, double *all)
{
    memset(all, 0, (size_t)ff_all_speeds(f->links) * sizeof(double));
    for (int k = 0; k < f->speeds; ++k)
        all[f->numbers[k]] = x[k];
}
static inline void ff_found_gather(const ff_found *f, const double *all, double *x)
{
    for (int k = 0; k < f->speeds; ++k)
        x[k] = all[f->numbers[k]];
}

/* Set v, v' and averaged v' of the independent speeds of a tree from the state. */
static inline void ff_found_take(ff_instance *s)
{
    const ff_found *f = s->model->found;
    ff_found_work *w = &s->found;
    const double *places = ff_places(s);
    ff_found_spread(f, ff_velocities(s), w->z);
    ff_found_spread(f, ff_second(s), w->rate);
    ff_found_spread(f, ff_averaged(s), w->out);
    ff_tree_take(f->links, f->tree, places, places + FF_POSE * f->links->linkage->links, w->z, w->rate,
                 w->out, w->frames, &w->tree);
}

/* Set the state from the end of a step of a tree, and averaged v' of its independent speeds. */
static inline void ff_found_give(ff_instance *s, const ff_found_trial *trial, const double *average)
{
    const ff_found *f = s->model->found;
    const ff_tree *tree = f->tree;
    ff_found_work *w = &s->found;
    const int poses = FF_POSE * f->links->linkage->links;
    if (!tree->multiplied)
        ff_tree_reach(f, trial, w, average);
    else {
        ff_tree_residual(f, trial, w, average, ff_multiplied(s));
        ff_multibody_joints(f->links, w->frames, w->d, w->z + FF_RIGID * f->links->linkage->links,
                            w->near, &w->joints);
        ff_tree_multipliers(f, w, ff_multiplied(s));
    }
    memcpy(ff_places(s), w->poses, (size_t)poses * sizeof(double));
    memcpy(ff_places(s) + poses, w->d, (size_t)f->links->elastic * sizeof(double));
    ff_found_gather(f, w->z, ff_velocities(s));
    ff_found_gather(f, w->rate, ff_second(s));
    ff_tree_average(f->links, tree, w->frames, average, w->out, &w->tree);
    ff_found_gather(f, w->out, ff_averaged(s));
    for (int k = 0; k < tree->watched; ++k) /* those before the last correction tell angles as well */
        for (int r = 0; r < f->links->linkage->coordinates; ++r)
            if (f->links->joint_of[f->links->row_of[r]] == tree->watch[k])
                ff_counted(s)[r] = w->joints.value[f->links->row_of[r]];
    for (int k = 0; k < tree->rigid; ++k)
        if (tree->counted[k] >= 0)
            ff_counted(s)[tree->counted[k]] += w->tree.steps[k];
}

/* Whether a link vibrates too fast for a step that would end with `moved + gain average`, of which `by_speed v`
   is by the speeds at its beginning. */
static inline int ff_found_is_fast(const ff_multibody *m, int rigid, const double *d, const double *v,
                                   double by_speed, const double *moved, double gain, const double *average)
{
    for (int link = 0; link < m->linkage->links; ++link) {
        double size = 0.0, rise = 0.0;
        for (int k = m->first[link]; k < m->first[link + 1]; ++k) {
            const int at = rigid + k;
            const double one = moved[at] - by_speed * v[at] + gain * average[at];
            rise += one * one;
            size += d[k] * d[k];
        }
        if (rise > ff_found_resolved * ff_found_resolved * size)
            return 1;
    }
    return 0;
}

/* Take a step of the generalized-alpha method. */
static inline int ff_found_step(ff_instance *s, double h, double end)
{
    const ff_scheme *scheme = &s->model->scheme;
    const ff_gains gains = ff_gains_of(scheme, h);
    const ff_found *f = s->model->found;
    ff_found_work *w = &s->found;
    const int n = ff_step_speeds(f), poses = FF_POSE * f->links->linkage->links;
    double *places = ff_places(s), *v = ff_velocities(s), *rate = ff_second(s);
    double *average = ff_averaged(s), *speed = s->aside, *begun = speed + n, *moved = begun + n;
    const double last = s->state[FF_PREVIOUS];
    const int same = fabs(h - last) <= ff_found_same * h; /* but for rounding */
    int code = FF_OK;
    if (last != 0.0 && !same)
        for (int k = 0; k < f->speeds; ++k)
            average[k] = rate[k] + h / last * (average[k] - rate[k]);
    if (!same && ff_closings(f))
        code = ff_found_settle(s, h);
    s->state[FF_PREVIOUS] = h;
    if (!code)
        code = ff_found_given(s, end);
    if (code)
        return code;
    if (f->tree) {
        ff_found_take(s);
        v = w->tree.motion;
        rate = v + n;
        average = rate + n;
    }
    const double shift = scheme->alpha_f - scheme->alpha_m; /* averaged accelerations are ahead by it */
    const double trend = shift > ff_found_shifted ? ff_found_goes_on / shift : 0.0;
    for (int k = 0; k < n; ++k) {
        const double guess = rate[k] - trend * (average[k] - rate[k]);
        moved[k] = h * v[k] + (0.5 - scheme->beta) * h * h * average[k];
        speed[k] = v[k] + (1.0 - scheme->gamma) * h * average[k];
        begun[k] = (scheme->alpha_m * average[k] - scheme->alpha_f * rate[k]) / (1.0 - scheme->alpha_f);
        average[k] = (guess - begun[k]) / gains.a;
    }
    /* Accelerations of fast vibrations lead far away, where elastic links whose stiffness depends on their stress
       have other, meaningless equilibria: such steps begin with the displacements that they find. */
    const int rigid = ff_step_rigid(f);
    if (ff_found_is_fast(f->links, rigid, places + poses, v, h, moved, gains.q, average))
        for (int k = 0; k < rigid + f->links->elastic; ++k)
            average[k] = ((k < rigid ? h * v[k] : 0.0) - moved[k]) / gains.q;
    const ff_found_trial trial = {end, gains.a, gains.v, gains.q, begun, speed, moved, places,
                                  places + poses, ff_counted(s), ff_added(s), 0};
    if (ff_found_solve(f, &trial, w, average, ff_multiplied(s)))
        return FF_UNSETTLED;
    if (f->tree) {
        ff_found_give(s, &trial, average);
        return ff_finite((size_t)f->speeds, ff_velocities(s)) ? FF_OK : FF_UNBOUNDED;
    }
    for (int k = 0; k < n; ++k) {
        v[k] = speed[k] + gains.v * average[k];
        rate[k] = begun[k] + gains.a * average[k];
        moved[k] += gains.q * average[k];
    }
    ff_found_move(s, moved);
    ff_found_count(s);
    return ff_finite((size_t)n, v) ? FF_OK : FF_UNBOUNDED;
}

#endif
