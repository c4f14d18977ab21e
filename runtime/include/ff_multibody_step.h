/* SPDX-License-Identifier: BSD-3-Clause */
/* The equations of one step of links whose motion is found, solved by Newton's method.

   The end of a step is a function of one unknown A per speed, as in newton.py:

       v' = v'_0 + a A,   v = v_0 + b A,   q = retract(q_old, d_0 + c A).

   The matrix is factored where the step begins to be solved, and again where corrections shrink too
   slowly, so that a step depends on nothing but its beginning. */
#ifndef FF_MULTIBODY_STEP_H
#define FF_MULTIBODY_STEP_H

#include "ff_multibody_tangent.h"

/* What a model adds to the equations of links: which speeds there are, which rows and turns. */
typedef struct {
    int speeds, rigid;     /* speeds of the model, those of links among them */
    int turns, equations;  /* counted turns; independent equations */
    const int *numbers;    /* (speeds,) among all speeds */
    const int *counted;    /* (turns,) actuators whose coordinate is counted */
    const int *independent; /* (equations,) among those of the linkage */
    double scale;          /* size of a large displacement, m */
    double tolerance;      /* error of A, relative to its size */
} ff_found;

/* The end of a step as a function of A, and what is given there. */
typedef struct {
    double a, b, c;
    const double *rate, *speed, *increment; /* (speeds + turns,), (speeds,) if A were zero */
    const double *poses, *d;                /* at the beginning */
    const double *stiffness, *amplitudes, *given;
    const double *driven;                   /* (drivers, 3) */
} ff_found_trial;

/* Workspace: size is speeds + turns + equations. */
typedef struct {
    ff_joint_work joints;
    double *frames, *poses, *d, *z, *rate, *near, *out, *multipliers;
    double *right, *matrix, *blocks, *watched, *tangents, *room;
    int *pivots;
    int factorizations, solves;
    double border;
} ff_found_work;

/* Largest number of corrections; correction relative to the one before that is worth new factors;
   correction that is noise, in units of the scale. */
enum { FF_FOUND_MOST = 40 };
static const double ff_found_slow = 0.25, ff_found_noise = 1e-11;

/* Pose moved by a screw in its own components. */
static inline void ff_retract(const double *from, const double *step, double *to)
{
    const double *u = step, *t = step + 3, x = t[0] * t[0] + t[1] * t[1] + t[2] * t[2];
    const double angle = sqrt(x), s = from[3], v[3] = {from[4], from[5], from[6]};
    const double first = x > 1e-4 ? (1.0 - cos(angle)) / x : 0.5 - x / 24.0 + x * x / 720.0;
    const double second =
        x > 1e-4 ? (1.0 - sin(angle) / angle) / x : 1.0 / 6.0 - x / 120.0 + x * x / 5040.0;
    double tu[3], ttu[3], move[3], vm[3], vvm[3];
    ff_cross(t, u, tu);
    ff_cross(t, tu, ttu);
    for (int i = 0; i < 3; ++i)
        move[i] = u[i] + first * tu[i] + second * ttu[i];
    ff_cross(v, move, vm);
    ff_cross(v, vm, vvm);
    for (int i = 0; i < 3; ++i)
        to[i] = from[i] + move[i] + 2.0 * (s * vm[i] + vvm[i]);
    memcpy(to + 3, from + 3, 4 * sizeof(double));
    ff_turn_quaternion(to + 3, t);
    const double size =
        sqrt(to[3] * to[3] + to[4] * to[4] + to[5] * to[5] + to[6] * to[6]);
    for (int i = 3; i < FF_POSE; ++i)
        to[i] /= size;
}

/* Derivative of the position's tangent by the increment, (6, 6): the sum of (-1)^k ad^k / (k + 1)! to
   the third power of the increment of a step. */
static inline void ff_screw_tangent(const double *step, double *T)
{
    double ad[36] = {0.0}, power[36], next[36], factor = 1.0;
    for (int half = 0; half < 2; ++half) {
        const double *x = step + 3 * half; /* displacement, then turn */
        const double skew[9] = {0.0, -x[2], x[1], x[2], 0.0, -x[0], -x[1], x[0], 0.0};
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) {
                if (half) {
                    ad[6 * i + j] = skew[3 * i + j];
                    ad[6 * (i + 3) + j + 3] = skew[3 * i + j];
                } else
                    ad[6 * i + j + 3] = skew[3 * i + j];
            }
    }
    memset(T, 0, 36 * sizeof(double));
    memset(power, 0, sizeof power);
    for (int i = 0; i < 6; ++i)
        T[7 * i] = power[7 * i] = 1.0;
    for (int k = 1; k <= 3; ++k) {
        factor *= -1.0 / (k + 1);
        for (int i = 0; i < 6; ++i)
            for (int j = 0; j < 6; ++j) {
                next[6 * i + j] = 0.0;
                for (int l = 0; l < 6; ++l)
                    next[6 * i + j] += power[6 * i + l] * ad[6 * l + j];
            }
        memcpy(power, next, sizeof power);
        for (int i = 0; i < 36; ++i)
            T[i] += factor * power[i];
    }
}

/* Add a block (n, n) by rates, speeds and places of some of all speeds to the matrix of a step. */
static inline void ff_add_block(int size, const int *place, int n, double factor,
                                const double *block, double *matrix)
{
    for (int r = 0; r < n && factor != 0.0; ++r)
        for (int c = 0; c < n; ++c)
            if (place[r] >= 0 && place[c] >= 0)
                matrix[(long)place[r] * size + place[c]] += factor * block[(long)r * n + c];
}

/* Multiply the columns of links by the tangents of their increments. */
static inline void ff_turn_columns(int n, const int *link_of, const double *tangents,
                                   double *block)
{
    for (int first = 0; first < n; ++first) {
        if (link_of[first] < 0)
            continue;
        const double *T = tangents + 36L * link_of[first];
        for (int r = 0; r < n; ++r) {
            double *row = block + (long)r * n + first, kept[FF_RIGID];
            memcpy(kept, row, sizeof kept);
            for (int c = 0; c < FF_RIGID; ++c) {
                row[c] = 0.0;
                for (int k = 0; k < FF_RIGID; ++k)
                    row[c] += kept[k] * T[6 * k + c];
            }
        }
        first += FF_RIGID - 1;
    }
}

/* Value of an equation less what it is kept at, from the rows of joints. */
static inline double ff_equation_value(const ff_multibody *m, const double *values, int equation,
                                       const double *driven)
{
    const ff_linkage *linkage = m->linkage;
    const int held = linkage->equations - linkage->gears - linkage->drivers;
    if (equation < held)
        return values[m->held_of[equation]] - linkage->offsets[equation];
    const int gear = equation - held, driver = gear - linkage->gears;
    if (driver >= 0)
        return values[m->row_of[linkage->driver_of[driver]]] - driven[3 * driver];
    return values[m->row_of[linkage->gear_of[2 * gear]]] -
           linkage->ratios[gear] * values[m->row_of[linkage->gear_of[2 * gear + 1]]] -
           linkage->offsets[equation];
}

/* Add a row of a joint, times a factor, to a vector of all speeds. */
static inline void ff_add_row(const ff_multibody *m, const double *entries, int row, double factor,
                              double *out)
{
    const ff_linkage *linkage = m->linkage;
    int joint = 0;
    while (linkage->starts[joint + 1] <= row)
        ++joint;
    const double *entry = entries + m->entries[row], *elastic = entry + 2 * FF_RIGID;
    for (int side = 0; side < 2; ++side) {
        const int link = linkage->ends[2 * joint + side], n = ff_elastic_of(m, link);
        if (link < 0)
            continue;
        for (int i = 0; i < FF_RIGID; ++i)
            out[FF_RIGID * link + i] += factor * entry[FF_RIGID * side + i];
        for (int c = 0; c < n; ++c)
            out[FF_RIGID * linkage->links + m->first[link] + c] += factor * elastic[c];
        elastic += n;
    }
}

/* Derivative of an equation by all speeds, added. */
static inline void ff_equation_row(const ff_multibody *m, const double *entries, int equation,
                                   double *out)
{
    const ff_linkage *linkage = m->linkage;
    const int held = linkage->equations - linkage->gears - linkage->drivers;
    if (equation < held) {
        ff_add_row(m, entries, m->held_of[equation], 1.0, out);
        return;
    }
    const int gear = equation - held, driver = gear - linkage->gears;
    if (driver >= 0) {
        ff_add_row(m, entries, m->row_of[linkage->driver_of[driver]], 1.0, out);
        return;
    }
    ff_add_row(m, entries, m->row_of[linkage->gear_of[2 * gear]], 1.0, out);
    ff_add_row(m, entries, m->row_of[linkage->gear_of[2 * gear + 1]], -linkage->ratios[gear], out);
}

/* Move to a trial with A = x, and set the right-hand side of the next correction. */
static inline void ff_found_residual(const ff_multibody *m, const ff_found *f,
                                     const ff_found_trial *trial, ff_found_work *w, const double *x,
                                     const double *force)
{
    const int links = m->linkage->links, rigid = FF_RIGID * links, all = ff_all_speeds(m);
    double *steps = w->out; /* increments of all speeds, until forces take the place */
    memset(w->z, 0, (size_t)all * sizeof(double));
    memset(w->rate, 0, (size_t)all * sizeof(double));
    memset(steps, 0, (size_t)all * sizeof(double));
    for (int k = 0; k < f->speeds; ++k) {
        const int to = f->numbers[k];
        w->z[to] = trial->speed[k] + trial->b * x[k];
        w->rate[to] = trial->rate[k] + trial->a * x[k];
        steps[to] = trial->increment[k] + trial->c * x[k];
    }
    for (int link = 0; link < links; ++link) {
        ff_retract(trial->poses + FF_POSE * link, steps + FF_RIGID * link, w->poses + FF_POSE * link);
        ff_screw_tangent(steps + FF_RIGID * link, w->tangents + 36L * link);
    }
    for (int k = 0; k < m->elastic; ++k)
        w->d[k] = trial->d[k] + steps[rigid + k];
    for (int k = 0; k < f->turns; ++k)
        w->near[m->row_of[m->actuator_of[f->counted[k]]]] =
            trial->speed[f->speeds + k] + trial->b * x[f->speeds + k];
    for (int k = 0; k < m->linkage->drivers; ++k)
        w->near[m->row_of[m->linkage->driver_of[k]]] = trial->driven[3 * k];
    memset(w->multipliers, 0, (size_t)m->linkage->equations * sizeof(double));
    for (int k = 0; k < f->equations; ++k)
        w->multipliers[f->independent[k]] = force[f->independent[k]];
    ff_multibody_frames(m, w->poses, w->z, w->rate, w->frames);
    ff_multibody_joints(m, w->frames, w->d, w->z + rigid, w->near, &w->joints);
    ff_multibody_efforts(m, w->multipliers, trial->given, &w->joints);
    ff_multibody_forces(m, w->frames, w->d, w->z, w->rate, trial->stiffness, trial->amplitudes,
                        w->out, w->room);
    ff_subtract_efforts(m, &w->joints, w->out);
    for (int k = 0; k < f->speeds; ++k)
        w->right[k] = -w->out[f->numbers[k]];
    for (int k = 0; k < f->turns; ++k) {
        const int s = f->speeds + k;
        w->right[s] = w->joints.rate[m->row_of[m->actuator_of[f->counted[k]]]] -
                      (trial->rate[s] + trial->a * x[s]);
    }
}

/* Set and factor the matrix where ff_found_residual was. Returns 0, or not if it is singular. */
static inline int ff_found_factor(const ff_multibody *m, const ff_found *f,
                                  const ff_found_trial *trial, ff_found_work *w, int *place,
                                  int *link_of)
{
    const ff_linkage *linkage = m->linkage;
    const int links = linkage->links, rigid = FF_RIGID * links, all = ff_all_speeds(m);
    const int size = f->speeds + f->turns + f->equations, most = ff_most_speeds(m);
    const double factors[3] = {trial->a, trial->b, trial->c};
    int *of = place + all, *columns = link_of; /* numbers of a block's speeds; its links */
    double *z = w->blocks + 3L * most * most, *rate = z + most;
    for (int k = 0; k < all; ++k)
        place[k] = -1;
    for (int k = 0; k < f->speeds; ++k)
        place[f->numbers[k]] = k;
    memset(w->matrix, 0, (size_t)size * (size_t)size * sizeof(double));
    memset(w->watched, 0, (size_t)m->actuators * (size_t)all * sizeof(double));
    for (int link = 0; link < links; ++link) {
        const int n = ff_elastic_of(m, link), own = FF_RIGID + n, first = m->first[link];
        double *block[3] = {w->blocks, w->blocks + own * own, w->blocks + 2 * own * own};
        for (int k = 0; k < own; ++k) {
            const int number = ff_speed_number(m, link, k);
            of[k] = place[number];
            columns[k] = k < FF_RIGID ? link : -1;
            z[k] = w->z[number];
            rate[k] = w->rate[number];
        }
        ff_link_tangent(m, link, w->d + first, z, rate, trial->stiffness + m->squares[link],
                        block[0], block[1], block[2], w->room);
        for (int push = 0; push < m->pushes; ++push)
            if (m->push_of[4 * push] == link)
                ff_push_tangent(m, push, w->frames, trial->amplitudes, w->d + first, block[2]);
        ff_turn_columns(own, columns, w->tangents, block[2]);
        for (int k = 0; k < 3; ++k)
            ff_add_block(size, of, own, factors[k], block[k], w->matrix);
    }
    for (int joint = 0; joint < linkage->joints; ++joint) {
        const int own = ff_speeds_at(m, joint);
        double *block[2] = {w->blocks, w->blocks + own * own};
        int at = 0;
        for (int side = 0; side < 2; ++side) {
            const int link = linkage->ends[2 * joint + side];
            for (int k = 0; k < ff_speeds_of(m, link); ++k, ++at) {
                of[at] = place[ff_speed_number(m, link, k)];
                columns[at] = k < FF_RIGID ? link : -1;
            }
        }
        ff_joint_tangent(m, joint, m->tangent[joint], w->frames, w->d, w->z + rigid, &w->joints,
                         block[0], block[1], w->watched, w->room);
        ff_turn_columns(own, columns, w->tangents, block[1]);
        for (int k = 0; k < 2; ++k)
            ff_add_block(size, of, own, factors[k + 1], block[k], w->matrix);
    }
    double *row = w->blocks, *turned = row + all;
    for (int k = 0; k < f->turns; ++k) { /* s' - G z */
        double *to = w->matrix + (long)(f->speeds + k) * size;
        memset(row, 0, (size_t)all * sizeof(double));
        ff_add_row(m, w->joints.entries, m->row_of[m->actuator_of[f->counted[k]]], 1.0, row);
        for (int c = 0; c < f->speeds; ++c)
            to[c] -= trial->b * row[f->numbers[c]] +
                     trial->c * w->watched[(long)f->counted[k] * all + f->numbers[c]];
        to[f->speeds + k] = trial->a;
    }
    w->border = 0.0;
    for (int k = 0; k < f->speeds + f->turns; ++k)
        w->border = fmax(w->border, fabs(w->matrix[(long)k * size + k]));
    for (int k = 0; k < f->equations; ++k) {
        const int at = f->speeds + f->turns + k;
        memset(row, 0, (size_t)all * sizeof(double));
        ff_equation_row(m, w->joints.entries, f->independent[k], row);
        memcpy(turned, row, (size_t)all * sizeof(double));
        for (int link = 0; link < links; ++link)
            for (int c = 0; c < FF_RIGID; ++c) {
                turned[FF_RIGID * link + c] = 0.0;
                for (int i = 0; i < FF_RIGID; ++i)
                    turned[FF_RIGID * link + c] +=
                        row[FF_RIGID * link + i] * w->tangents[36L * link + 6 * i + c];
            }
        for (int c = 0; c < f->speeds; ++c) {
            w->matrix[(long)c * size + at] = -w->border * row[f->numbers[c]];
            w->matrix[(long)at * size + c] = -w->border * turned[f->numbers[c]];
        }
    }
    ++w->factorizations;
    return ff_dense_factor(size, w->matrix, w->pivots);
}

/* Norm of a part of a vector. */
static inline double ff_norm(int first, int last, const double *x)
{
    return sqrt(ff_dot(last - first, x + first, x + first));
}

/* Solve the equations of a step for A (speeds + turns,) and the multipliers (equations of the
   linkage,), from a guess. Returns 0, or not if they do not converge. */
static inline int ff_found_solve(const ff_multibody *m, const ff_found *f,
                                 const ff_found_trial *trial, ff_found_work *w, double *x,
                                 double *force, int *places, int *links)
{
    const int moving = f->speeds + f->turns, size = moving + f->equations;
    const int ends[4] = {0, f->rigid, f->speeds, moving};
    double before[4] = {INFINITY, INFINITY, INFINITY, INFINITY};
    int fresh = 0, age = 0, factored = 0;
    for (int number = 0; number < FF_FOUND_MOST; ++number) {
        int done = 1, slow = 0;
        double most = 0.0, sum = 0.0, changed = 0.0;
        ff_found_residual(m, f, trial, w, x, force);
        for (int k = 0; k < moving; ++k)
            if (!isfinite(w->right[k]))
                return 1;
        if (!factored || age < 0) {
            if (ff_found_factor(m, f, trial, w, places, links))
                return 1;
            factored = fresh = 1;
            age = 0;
        }
        for (int k = 0; k < f->equations; ++k)
            w->right[moving + k] = w->border / trial->c *
                ff_equation_value(m, w->joints.value, f->independent[k], trial->driven);
        ff_dense_solve(size, w->matrix, w->pivots, w->right);
        ++w->solves;
        for (int k = 0; k < moving; ++k)
            x[k] += w->right[k];
        for (int k = 0; k < f->equations; ++k) {
            const double change = w->border * w->right[moving + k];
            force[f->independent[k]] += change;
            changed += change * change;
        }
        for (int k = 0; k < f->equations; ++k)
            sum += force[f->independent[k]] * force[f->independent[k]];
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
                noise = ff_found_noise * (part < 2 ? f->scale / trial->c : 1.0 / trial->b) *
                        sqrt((double)(last - first));
                most = fmax(most, limit);
            } else {
                if (!f->equations)
                    continue;
                one = sqrt(changed);
                limit = f->tolerance * sqrt(sum) + w->border * most;
                noise = ff_found_noise * w->border * f->scale * sqrt((double)f->equations) / trial->c;
            }
            const double share = isfinite(before[part]) && before[part] > 0.0 ? one / before[part] : 1.0;
            const int known = isfinite(before[part]) && before[part] > 0.0 && share < 0.9;
            const double left = known ? one * share / (1.0 - share) : one;
            const int lasting = isfinite(before[part]) && share > ff_found_slow && left > limit;
            done &= left <= limit || (lasting && fresh && one <= noise);
            slow |= lasting;
            before[part] = one;
        }
        if (done)
            return 0;
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
