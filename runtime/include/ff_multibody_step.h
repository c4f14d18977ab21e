/* SPDX-License-Identifier: BSD-3-Clause */
/* The equations of one step of links whose motion is found, solved by Newton's method.

   The matrix is factored where the step begins to be solved, and again where corrections shrink too slowly,
   so that a step depends on nothing but its beginning. Where laws act, a correction is halved if the next one,
   with the same factors, would hardly be smaller (Deuflhard's natural monotonicity): friction saturates, shapes part.
   Without laws corrections may grow at first, as those of vibrations that are too fast for the step do. */
#ifndef FF_MULTIBODY_STEP_H
#define FF_MULTIBODY_STEP_H

#include "ff_multibody_matrix.h"
#include "ff_multibody_momenta.h"
#include "ff_tree_border.h"

/* Largest number of corrections; correction relative to the one before that is worth new factors;
   correction that is noise, in units of the scale. */
enum { FF_FOUND_MOST = 40 };
static const double ff_found_slow = 0.25, ff_found_noise = 1e-11;

/* Least share of a correction that is taken. */
static const double ff_found_least = 1.0 / 64.0;

/* Norm of a part of a vector. */
static inline double ff_norm(int first, int last, const double *x)
{
    return sqrt(ff_dot(last - first, x + first, x + first));
}

/* Take back half of what was taken of a correction of A and the multipliers; returns that share. */
static inline double ff_found_take_back(const ff_found *f, const ff_found_work *w, double share, double *x,
                                        double *force)
{
    const int moving = ff_step_speeds(f), closings = ff_closings(f), *closing = ff_closing(f);
    for (int k = 0; k < moving; ++k)
        x[k] -= 0.5 * share * w->taken[k];
    for (int k = 0; k < closings; ++k)
        force[closing[k]] -= 0.5 * share * w->taken[moving + k];
    return 0.5 * share;
}

/* Size of a part of A that is noise: of links, bodies, and controllers. */
static inline double ff_step_noise(const ff_found *f, const ff_found_trial *trial, int part, int count)
{
    return ff_found_noise * (part < 2 ? f->scale / trial->c : 1.0 / trial->b) * sqrt((double)count);
}

/* Solve the equations of a step for A (speeds,) and the multipliers (equations of the linkage,), from a
   guess. Returns 0, or not if they do not converge. */
static inline int ff_found_solve(const ff_found *f, const ff_found_trial *trial, ff_found_work *w,
                                 double *x, double *force)
{
    const ff_multibody *m = f->links;
    const int moving = ff_step_speeds(f), closings = ff_closings(f), *closing = ff_closing(f);
    const int ends[] = {0, ff_step_rigid(f), moving - m->controllers, moving}; /* links, bodies, controllers */
    const double factors[3] = {trial->a, trial->b, trial->c};
    const int first_hold = ff_all_equations(m) - m->holds, several = ff_holding(m, w->kept) > 1;
    double before[] = {INFINITY, INFINITY, INFINITY, INFINITY};
    /* of equations: of their values at the end, and how much these change with A */
    const double *values = trial->begun ? trial->begun->values : w->joints.value;
    const double gain = (trial->begun ? 2.0 : 1.0) * trial->c;
    int fresh = 0, age = 0, factored = 0;
    double share = 1.0; /* of the last correction that was taken */
    memcpy(w->begun_grips, force + first_hold, (size_t)m->holds * sizeof(double));
    for (int number = 0; number < FF_FOUND_MOST; ++number) {
        int done = 1, slow = 0;
        double most = 0.0, sum = 0.0, changed = 0.0;
        int grown = 0, shrunk = 0, valid = 1;
        if (f->tree)
            ff_tree_residual(f, trial, w, x, force);
        else if (trial->begun)
            ff_momenta_residual(f, trial, w, x, force);
        else
            ff_found_residual(f, trial, w, x, force);
        for (int k = 0; k < moving; ++k)
            valid &= isfinite(w->right[k]) != 0;
        if (!valid) {
            if (!number || share <= ff_found_least)
                return 1;
            share = ff_found_take_back(f, w, share, x, force);
            continue;
        }
        if (!factored || age < 0) {
            if (f->tree ? ff_tree_factor(f, factors, w) : ff_found_factor(f, factors, w))
                return 1;
            factored = fresh = 1;
            age = 0;
        }
        for (int k = 0; k < closings; ++k) {
            const int condition = closing[k] - m->linkage->equations;
            w->right[moving + k] = w->border *
                (!ff_equation_holds(m, w->kept, closing[k])
                     ? -force[closing[k]] / w->border
                 : condition < 0
                     ? ff_equation_value(m, values, closing[k], w->driven) / gain
                     : w->joints.told[ff_condition(m, condition)->at] / trial->b);
        }
        for (int k = 0; several && k < closings; ++k) {
            const int hold = closing[k] - first_hold;
            if (hold >= 0 && ff_equation_holds(m, w->kept, closing[k]))
                w->right[moving + k] += ff_found_gives * ff_found_giving(m, w, hold) *
                                        (force[closing[k]] - w->begun_grips[hold]);
        }
        if (f->tree)
            ff_tree_correct(f, w);
        else
            ff_found_correct(f, w);
        for (int part = 0; part < 3; ++part) {
            const double now = ff_norm(ends[part], ends[part + 1], w->right);
            const double known = fmax(f->tolerance * ff_norm(ends[part], ends[part + 1], x),
                                      ff_step_noise(f, trial, part, ends[part + 1] - ends[part]));
            if (!isfinite(before[part]) || before[part] <= known)
                continue;
            *(now > (1.0 - 0.25 * share) * before[part] ? &grown : &shrunk) = 1;
        }
        if (m->laws && grown && !shrunk && share > ff_found_least) {
            share = ff_found_take_back(f, w, share, x, force);
            continue;
        }
        share = 1.0;
        memcpy(w->taken, w->right, (size_t)(moving + closings) * sizeof(double));
        for (int k = 0; k < moving; ++k)
            x[k] += w->right[k];
        for (int k = 0; k < closings; ++k) {
            const double change = w->right[moving + k];
            force[closing[k]] += change;
            changed += change * change;
        }
        for (int k = 0; k < closings; ++k)
            sum += force[closing[k]] * force[closing[k]];
        for (int part = 0; part < 4; ++part) {
            const int first = part < 3 ? ends[part] : 0, last = part < 3 ? ends[part + 1] : 0;
            double one, limit, noise;
            if (part < 3) {
                if (first == last)
                    continue;
                double speed = 0.0;
                for (int k = first; k < last; ++k)
                    speed += (trial->speed[k] + trial->b * x[k]) * (trial->speed[k] + trial->b * x[k]);
                one = ff_norm(first, last, w->right);
                limit = f->tolerance * ff_norm(first, last, x) +
                        4.0 * 2.220446049250313e-16 * sqrt(speed) / trial->b;
                noise = ff_step_noise(f, trial, part, last - first);
                most = fmax(most, limit);
            } else {
                if (!closings)
                    continue;
                one = sqrt(changed);
                limit = f->tolerance * sqrt(sum) + w->border * most;
                noise = ff_found_noise * w->border * f->scale * sqrt((double)closings) / trial->c;
            }
            const double ratio = isfinite(before[part]) && before[part] > 0.0 ? one / before[part] : 1.0;
            const int known = isfinite(before[part]) && before[part] > 0.0 && ratio < 0.9;
            const double left = known ? one * ratio / (1.0 - ratio) : one;
            const int lasting = isfinite(before[part]) && ratio > ff_found_slow && left > limit;
            done &= left <= limit || (lasting && fresh && one <= noise);
            slow |= lasting;
            before[part] = one;
        }
        if (done) {
            w->most = number >= w->most ? number + 1 : w->most;
            return 0;
        }
        ++age;
        if (slow && age > 1) { /* new factors where the next residual is */
            age = -1;
            for (int part = 0; part < 4; ++part)
                before[part] = INFINITY;
        }
    }
    return 1;
}

#endif
