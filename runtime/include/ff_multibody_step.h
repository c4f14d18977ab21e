/* SPDX-License-Identifier: BSD-3-Clause */
/* The equations of one step of links whose motion is found, solved by Newton's method.

   The end of a step is a function of one unknown A per speed, as in newton.py:

       v' = v'_0 + a A,   v = v_0 + b A,   q = retract(q_old, d_0 + c A).

   The matrix has a block for the speeds of every link and one for the independent equations of every joint,
   eliminated from the ends of the chains of links inwards. It is factored where the step begins to be
   solved, and again where corrections shrink too slowly, so that a step depends on nothing but its
   beginning. */
#ifndef FF_MULTIBODY_STEP_H
#define FF_MULTIBODY_STEP_H

#include "ff_block.h"
#include "ff_multibody_tangent.h"

/* A function of time: amplitude of a load, force of an actuator. */
typedef struct {
    ff_function value;
} ff_amplitude;

/* Links whose motion is found: which speeds there are, which equations, and what is given in time. */
typedef struct {
    const ff_multibody *links;
    int speeds, rigid;          /* speeds of the model, those of links among them */
    int equations, amplitudes;  /* independent equations; loads */
    const int *numbers;         /* (speeds,) among all speeds */
    const int *place;           /* (all speeds,) in the block of its link, or -1 */
    const int *independent;     /* (equations,) among those of the linkage */
    const int *block_of_link;   /* (links,) */
    const int *block_of;        /* (equations of the linkage, 2) block and place in it; -1 if dependent */
    const int *unknown;         /* (speeds + equations,) speed, or speeds + equation, in order of elimination */
    ff_order order;
    double scale;               /* size of a large displacement, m */
    double tolerance;           /* error of A, relative to its size */
    const ff_amplitude *amplitude;
    const ff_amplitude *given;  /* (actuators,) */
    const double *near;         /* (coordinates,) of joints at the start */
} ff_found;

/* The end of a step as a function of A. */
typedef struct {
    double t, a, b, c;
    const double *rate, *speed, *increment; /* (speeds,) if A were zero */
    const double *poses, *d;                /* at the beginning */
    const double *near;                     /* (coordinates,) that angles are chosen closest to */
    const double *added;                    /* (speeds,) further forces */
} ff_found_trial;

typedef struct {
    ff_joint_work joints;
    ff_factors factors;
    double *amplitudes, *given, *driven, *inputs; /* at the end of the step; driven (drivers, 3) */
    double *frames, *poses, *d, *z, *rate, *steps, *near, *out, *multipliers, *stiffened;
    double *right, *unknown, *blocks, *watched, *tangents, *room;
    const double *stiffness; /* of all links */
    int *columns;            /* of the speeds of a block */
    int factorizations, solves, most; /* and most solves of a step */
    double border;
} ff_found_work;

/* Largest number of corrections; correction relative to the one before that is worth new factors;
   correction that is noise, in units of the scale. */
enum { FF_FOUND_MOST = 40 };
static const double ff_found_slow = 0.25, ff_found_noise = 1e-11;

/* Lengths of the arrays of the workspace, in their order below. */
enum { FF_FOUND_ARRAYS = 26 };
static inline void ff_found_lengths(const ff_found *f, int inputs, size_t *length)
{
    const ff_multibody *m = f->links;
    const ff_linkage *linkage = m->linkage;
    const size_t links = (size_t)linkage->links, all = (size_t)ff_all_speeds(m);
    const size_t most = (size_t)ff_most_speeds(m), rows = (size_t)linkage->rows;
    const size_t size = (size_t)(f->speeds + f->equations), actuators = (size_t)m->actuators;
    const size_t found[FF_FOUND_ARRAYS] = {
        rows, rows, rows, (size_t)m->entries[rows], rows, 2 * actuators, ff_block_doubles(&f->order),
        (size_t)f->amplitudes, actuators, 3 * (size_t)linkage->drivers, ff_law_numbers(inputs),
        FF_LINK * links, FF_POSE * links, (size_t)m->elastic, all, all, all, rows, all,
        (size_t)linkage->equations, m->stress ? (size_t)m->squares[links] : 0, size, size,
        3 * most * most + 2 * most, actuators * most + 36 * links,
        ff_tangent_doubles(m) + 10 * (size_t)m->elastic + FF_JOINT_ROWS * 144};
    memcpy(length, found, sizeof found);
}
static inline size_t ff_found_doubles(const ff_found *f, int inputs)
{
    size_t length[FF_FOUND_ARRAYS], sum = 0;
    ff_found_lengths(f, inputs, length);
    for (int k = 0; k < FF_FOUND_ARRAYS; ++k)
        sum += length[k];
    return sum;
}
static inline size_t ff_found_ints(const ff_found *f)
{
    return (size_t)(f->speeds + f->equations + ff_most_speeds(f->links));
}

/* Lay out the workspace in given memory. */
static inline void ff_found_place(const ff_found *f, int inputs, ff_found_work *w, double *doubles,
                                  int *ints)
{
    size_t length[FF_FOUND_ARRAYS];
    double *square;
    double **to[FF_FOUND_ARRAYS] = {
        &w->joints.value, &w->joints.rate, &w->joints.second, &w->joints.entries, &w->joints.force,
        &w->joints.spring, &square, &w->amplitudes, &w->given, &w->driven, &w->inputs, &w->frames,
        &w->poses, &w->d, &w->z, &w->rate, &w->steps, &w->near, &w->out, &w->multipliers,
        &w->stiffened, &w->right, &w->unknown, &w->blocks, &w->tangents, &w->room};
    ff_found_lengths(f, inputs, length);
    for (int k = 0; k < FF_FOUND_ARRAYS; ++k) {
        *to[k] = doubles;
        doubles += length[k];
    }
    w->watched = w->tangents + 36L * f->links->linkage->links;
    ff_block_place(&f->order, &w->factors, square, ints);
    w->columns = ints + f->speeds + f->equations;
    w->factorizations = w->solves = w->most = 0;
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

/* Move to the end of a step with A = x, and set out to what is left of all forces. */
static inline void ff_found_residual(const ff_found *f, const ff_found_trial *trial,
                                     ff_found_work *w, const double *x, const double *force)
{
    const ff_multibody *m = f->links;
    const int links = m->linkage->links, rigid = FF_RIGID * links, all = ff_all_speeds(m);
    memset(w->z, 0, (size_t)all * sizeof(double));
    memset(w->rate, 0, (size_t)all * sizeof(double));
    memset(w->steps, 0, (size_t)all * sizeof(double));
    for (int k = 0; k < f->speeds; ++k) {
        const int to = f->numbers[k];
        w->z[to] = trial->speed[k] + trial->b * x[k];
        w->rate[to] = trial->rate[k] + trial->a * x[k];
        w->steps[to] = trial->increment[k] + trial->c * x[k];
    }
    for (int link = 0; link < links; ++link) {
        const double *step = w->steps + FF_RIGID * link;
        ff_retract(trial->poses + FF_POSE * link, step, w->poses + FF_POSE * link);
    }
    for (int k = 0; k < m->elastic; ++k)
        w->d[k] = trial->d[k] + w->steps[rigid + k];
    for (int k = 0; k < m->linkage->coordinates; ++k)
        w->near[m->row_of[k]] = trial->near[k];
    for (int k = 0; k < m->linkage->drivers; ++k)
        w->near[m->row_of[m->linkage->driver_of[k]]] = w->driven[3 * k];
    memset(w->multipliers, 0, (size_t)m->linkage->equations * sizeof(double));
    for (int k = 0; k < f->equations; ++k)
        w->multipliers[f->independent[k]] = force[f->independent[k]];
    ff_multibody_frames(m, w->poses, w->z, w->rate, w->frames);
    ff_multibody_joints(m, w->frames, w->d, w->z + rigid, w->near, &w->joints);
    ff_multibody_efforts(m, w->multipliers, w->given, trial->t, w->inputs, &w->joints);
    w->stiffness = ff_stiffened_links(m, w->frames, w->d, w->amplitudes, w->stiffened);
    ff_multibody_forces(m, w->frames, w->d, w->z, w->rate, w->stiffness, w->amplitudes, w->out,
                        w->room);
    ff_subtract_efforts(m, &w->joints, w->out);
    for (int k = 0; k < f->speeds; ++k)
        w->right[k] = trial->added[k] - w->out[f->numbers[k]];
}

/* Speeds of a link as columns of a block of the tangent: their places in the matrix. Returns their number. */
static inline int ff_found_columns(const ff_found *f, ff_found_work *w, int link, int at)
{
    const int own = ff_speeds_of(f->links, link);
    for (int k = 0; k < own; ++k)
        w->columns[at + k] = f->place[ff_speed_number(f->links, link, k)];
    return own;
}

/* Add rows and columns of a block (n, n) to those of two links in the matrix. */
static inline void ff_found_add(const ff_found *f, ff_found_work *w, const int *link, const int *first,
                                const int *count, int n, const double *block)
{
    if (link[0] < 0 || link[1] < 0)
        return;
    const ff_window to = ff_block_window(&f->order, &w->factors, f->block_of_link[link[0]],
                                         f->block_of_link[link[1]]);
    for (int r = 0; r < count[0]; ++r) {
        const int row = w->columns[first[0] + r], *columns = w->columns + first[1];
        const double *from = block + (long)(first[0] + r) * n + first[1];
        double *entries = to.at + (long)row * to.width;
        for (int c = 0; row >= 0 && c < count[1]; ++c)
            if (columns[c] >= 0)
                entries[columns[c]] += from[c];
    }
}

/* Add the derivatives of the forces of a link. */
static inline void ff_found_link(const ff_found *f, const double *factors, ff_found_work *w, int link)
{
    const ff_multibody *m = f->links;
    const int own = ff_found_columns(f, w, link, 0), first = m->first[link];
    const int pair[2] = {link, link}, at[2] = {0, 0}, count[2] = {own, own};
    double *block[3] = {w->blocks, w->blocks + own * own, w->blocks + 2 * own * own};
    double *z = w->blocks + 3 * own * own, *rate = z + own;
    for (int k = 0; k < own; ++k) {
        const int number = ff_speed_number(m, link, k);
        z[k] = w->z[number];
        rate[k] = w->rate[number];
    }
    ff_link_tangent(m, link, w->d + first, z, rate, w->stiffness + m->squares[link], block[0],
                    block[1], block[2], w->room);
    for (int push = m->push_first[link]; push < m->push_first[link + 1]; ++push)
        ff_push_tangent(m, push, w->frames, w->amplitudes, w->d + first, block[2]);
    for (int k = 0; k < own * own; ++k)
        block[0][k] = factors[0] * block[0][k] + factors[1] * block[1][k] + factors[2] * block[2][k];
    ff_found_add(f, w, pair, at, count, own, block[0]);
}

/* Add the derivatives of the efforts of a joint. */
static inline void ff_found_joint(const ff_found *f, const double *factors, ff_found_work *w,
                                  int joint)
{
    const ff_multibody *m = f->links;
    const int *ends = m->linkage->ends + 2 * joint;
    const int n = ff_speeds_at(m, joint);
    int at[2] = {0, 0}, count[2];
    double *block[2] = {w->blocks, w->blocks + n * n};
    for (int side = 0; side < 2; ++side) {
        at[side] = side ? count[0] : 0;
        count[side] = ff_found_columns(f, w, ends[side], at[side]);
    }
    ff_joint_tangent(m, joint, m->tangent[joint], w->frames, w->d,
                     w->z + FF_RIGID * m->linkage->links, &w->joints, block[0], block[1], w->watched,
                     w->room);
    for (int k = 0; k < n * n; ++k)
        block[0][k] = factors[1] * block[0][k] + factors[2] * block[1][k];
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) {
            const int pair[2] = {ends[i], ends[j]}, first[2] = {at[i], at[j]};
            const int counts[2] = {count[i], count[j]};
            ff_found_add(f, w, pair, first, counts, n, block[0]);
        }
}

/* Add a row of a joint, times a factor, to an equation: to its row with the tangents of the links, and to
   its column. */
static inline void ff_found_row(const ff_found *f, ff_found_work *w, int row, double factor,
                                const int *to)
{
    const ff_multibody *m = f->links;
    const double *entry = w->joints.entries + m->entries[row], *elastic = entry + 2 * FF_RIGID;
    for (int side = 0; side < 2; ++side) {
        const int link = m->linkage->ends[2 * m->joint_of[row] + side], n = ff_elastic_of(m, link);
        if (link < 0)
            continue;
        const int *place = f->place + FF_RIGID * link;
        const int *beyond = f->place + FF_RIGID * m->linkage->links + m->first[link];
        const double *rigid = entry + FF_RIGID * side, *T = w->tangents + 36L * link;
        const int block = f->block_of_link[link];
        const ff_window across = ff_block_window(&f->order, &w->factors, to[0], block);
        const ff_window down = ff_block_window(&f->order, &w->factors, block, to[0]);
        double *right = across.at + (long)to[1] * across.width, *below = down.at + to[1];
        for (int c = 0; c < FF_RIGID; ++c) {
            double turned = 0.0;
            if (place[c] < 0)
                continue;
            for (int i = 0; i < FF_RIGID; ++i)
                turned += rigid[i] * T[6 * i + c];
            right[place[c]] -= factor * turned;
            below[(long)place[c] * down.width] -= factor * rigid[c];
        }
        for (int c = 0; c < n; ++c) {
            right[beyond[c]] -= factor * elastic[c];
            below[(long)beyond[c] * down.width] -= factor * elastic[c];
        }
        elastic += n;
    }
}

/* Add all independent equations, times the scale of their rows. */
static inline void ff_found_equations(const ff_found *f, ff_found_work *w)
{
    const ff_multibody *m = f->links;
    const ff_linkage *linkage = m->linkage;
    const int held = linkage->equations - linkage->gears - linkage->drivers;
    for (int k = 0; k < f->equations; ++k) {
        const int equation = f->independent[k], gear = equation - held, driver = gear - linkage->gears;
        const int *to = f->block_of + 2 * equation;
        if (gear < 0)
            ff_found_row(f, w, m->held_of[equation], w->border, to);
        else if (driver >= 0)
            ff_found_row(f, w, m->row_of[linkage->driver_of[driver]], w->border, to);
        else
            for (int i = 0; i < 2; ++i)
                ff_found_row(f, w, m->row_of[linkage->gear_of[2 * gear + i]],
                             w->border * (i ? -linkage->ratios[gear] : 1.0), to);
    }
}

/* Set and factor the matrix where ff_found_residual was: factors times the derivatives by rates, speeds
   and places, bordered by the equations. The tangent of an increment, which is near one, is that of the
   equations alone: places are h^2 of the forces, but all of the equations. Returns 0, or not if the matrix
   is singular. */
static inline int ff_found_factor(const ff_found *f, const double *factors, ff_found_work *w)
{
    const ff_linkage *linkage = f->links->linkage;
    ff_block_clear(&f->order, &w->factors);
    for (int link = 0; link < linkage->links; ++link) {
        ff_screw_tangent(w->steps + FF_RIGID * link, w->tangents + 36L * link);
        ff_found_link(f, factors, w, link);
    }
    for (int joint = 0; joint < linkage->joints && (factors[1] != 0.0 || factors[2] != 0.0); ++joint)
        ff_found_joint(f, factors, w, joint);
    w->border = 0.0;
    for (int link = 0; link < linkage->links; ++link) {
        const int block = f->block_of_link[link];
        const ff_window one = ff_block_window(&f->order, &w->factors, block, block);
        for (int k = 0; k < ff_block_size(&f->order, block); ++k)
            w->border = fmax(w->border, fabs(one.at[(long)k * (one.width + 1)]));
    }
    ff_found_equations(f, w);
    ++w->factorizations;
    return ff_block_factor(&f->order, &w->factors);
}

/* Solve with the factors for right, (speeds + equations,), in place; the multipliers are those of rows
   without their scale. */
static inline void ff_found_correct(const ff_found *f, ff_found_work *w)
{
    const int size = f->speeds + f->equations;
    for (int k = 0; k < size; ++k)
        w->unknown[k] = w->right[f->unknown[k]];
    ff_block_solve(&f->order, &w->factors, w->unknown);
    for (int k = 0; k < size; ++k)
        w->right[f->unknown[k]] = w->unknown[k];
    for (int k = f->speeds; k < size; ++k)
        w->right[k] *= w->border;
    ++w->solves;
}

/* Norm of a part of a vector. */
static inline double ff_norm(int first, int last, const double *x)
{
    return sqrt(ff_dot(last - first, x + first, x + first));
}

/* Solve the equations of a step for A (speeds,) and the multipliers (equations of the linkage,), from a
   guess. Returns 0, or not if they do not converge. */
static inline int ff_found_solve(const ff_found *f, const ff_found_trial *trial, ff_found_work *w,
                                 double *x, double *force)
{
    const ff_multibody *m = f->links;
    const int moving = f->speeds;
    const int ends[3] = {0, f->rigid, f->speeds};
    const double factors[3] = {trial->a, trial->b, trial->c};
    double before[3] = {INFINITY, INFINITY, INFINITY};
    int fresh = 0, age = 0, factored = 0;
    for (int number = 0; number < FF_FOUND_MOST; ++number) {
        int done = 1, slow = 0;
        double most = 0.0, sum = 0.0, changed = 0.0;
        ff_found_residual(f, trial, w, x, force);
        for (int k = 0; k < moving; ++k)
            if (!isfinite(w->right[k]))
                return 1;
        if (!factored || age < 0) {
            if (ff_found_factor(f, factors, w))
                return 1;
            factored = fresh = 1;
            age = 0;
        }
        for (int k = 0; k < f->equations; ++k)
            w->right[moving + k] = w->border / trial->c *
                ff_equation_value(m, w->joints.value, f->independent[k], w->driven);
        ff_found_correct(f, w);
        for (int k = 0; k < moving; ++k)
            x[k] += w->right[k];
        for (int k = 0; k < f->equations; ++k) {
            const double change = w->right[moving + k];
            force[f->independent[k]] += change;
            changed += change * change;
        }
        for (int k = 0; k < f->equations; ++k)
            sum += force[f->independent[k]] * force[f->independent[k]];
        for (int part = 0; part < 3; ++part) {
            const int first = part < 2 ? ends[part] : 0, last = part < 2 ? ends[part + 1] : 0;
            double one, limit, noise;
            if (part < 2) {
                if (first == last)
                    continue;
                double speed = 0.0;
                for (int k = first; k < last; ++k)
                    speed += (trial->speed[k] + trial->b * x[k]) * (trial->speed[k] + trial->b * x[k]);
                one = ff_norm(first, last, w->right);
                limit = f->tolerance * ff_norm(first, last, x) +
                        4.0 * 2.220446049250313e-16 * sqrt(speed) / trial->b;
                noise = ff_found_noise * f->scale / trial->c * sqrt((double)(last - first));
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
        if (done) {
            w->most = number >= w->most ? number + 1 : w->most;
            return 0;
        }
        ++age;
        if (slow && age > 1) { /* new factors where the next residual is */
            age = -1;
            for (int part = 0; part < 3; ++part)
                before[part] = INFINITY;
        }
    }
    return 1;
}

#endif
