/* SPDX-License-Identifier: BSD-3-Clause */
/* The matrix of a step of links whose motion is found: derivatives by A, bordered by the equations.

   It has a block for the speeds of every link, one for the independent equations of every joint and one for
   the state of every controller, eliminated from the ends of the chains of links inwards. */
#ifndef FF_MULTIBODY_MATRIX_H
#define FF_MULTIBODY_MATRIX_H

#include "ff_multibody_work.h"

/* Speeds of a link as columns of a block of the tangent: their places in the matrix. Returns their number. */
static inline int ff_found_columns(const ff_found *f, ff_found_work *w, int link, int at)
{
    const int own = ff_speeds_of(f->links, link);
    for (int k = 0; k < own; ++k)
        w->columns[at + k] = f->place[ff_speed_number(f->links, link, k)];
    return own;
}

/* Add rows and columns of a block (n, n), times a factor, to those of two links in the matrix. */
static inline void ff_found_add(const ff_found *f, ff_found_work *w, const int *link, const int *first,
                                const int *count, int n, double factor, const double *block)
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
                entries[columns[c]] += factor * from[c];
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
    if (f->canonical)
        ff_momenta_tangent(m, link, w->d + first, z, w->begun.carried + FF_RIGID * link,
                           w->tangents + 36L * link, w->stiffness + m->squares[link], w->deformed + link,
                           block[0], block[1], block[2], w->room);
    else
        ff_link_tangent(m, link, w->d + first, z, rate, w->stiffness + m->squares[link],
                        w->deformed + link, block[0], block[1], block[2], w->room);
    for (int push = m->push_first[link]; push < m->push_first[link + 1]; ++push)
        ff_push_tangent(m, push, w->frames, w->amplitudes, w->d + first, block[2]);
    for (int k = 0; k < own * own; ++k)
        block[0][k] = factors[0] * block[0][k] + factors[1] * block[1][k] + factors[2] * block[2][k];
    ff_found_add(f, w, pair, at, count, own, 1.0, block[0]);
}

/* Where the derivatives by places of the rates of coordinates of actuators are. */
static inline double *ff_found_watched(const ff_found *f, const ff_found_work *w, int actuator)
{
    return w->watched + (long)actuator * ff_most_speeds(f->links);
}

/* Part of the inertia of a link below which what the efforts of a joint change by as its links move makes no
   difference to a correction: short steps do not need it. */
static const double ff_found_slight = 1e-4;

/* Whether the rate of the coordinate of an actuator matters: to its damper, or to a formula. */
static inline int ff_rate_matters(const ff_multibody *m, int actuator)
{
    if (m->springs[3 * actuator + 1] != 0.0)
        return 1;
    for (int k = 0; k < m->formulas; ++k)
        for (int i = 0; i < m->formula[k].count; ++i)
            if (m->formula[k].variable[i] % 2 == 1 &&
                ff_variable_row(m, m->formula[k].variable[i]) == m->row_of[m->actuator_of[actuator]])
                return 1;
    return 0;
}

/* Whether that is so, for a joint without springs: with lengths in units of the scale, efforts change by no more
   than by their moment. Nor may rates of its coordinates matter, which change with places as well. */
static inline int ff_found_is_slight(const ff_found *f, double by_place, const ff_found_work *w, int joint)
{
    const ff_multibody *m = f->links;
    const int *starts = m->linkage->starts + joint;
    double moment = 0.0, least = INFINITY;
    for (int a = m->acting_first[joint]; a < m->acting_first[joint + 1]; ++a)
        if (m->springs[3 * a] != 0.0 || ff_rate_matters(m, a))
            return 0;
    for (int r = starts[0]; r < starts[1]; ++r) {
        const double *J = w->joints.kernel + (long)r * FF_JOINT_ROW + 4, effort = fabs(w->joints.force[r]);
        for (int i = 0; i < 2 * FF_RIGID && effort != 0.0; ++i)
            moment += effort * fabs(J[i]) * (i % FF_RIGID < 3 ? f->scale : 1.0);
    }
    for (int side = 0; side < 2; ++side) {
        const int link = m->linkage->ends[2 * joint + side];
        if (link < 0)
            continue;
        const ff_window own = ff_block_window(&f->order, &w->factors, f->block_of_link[link],
                                              f->block_of_link[link]);
        for (int k = 0; k < FF_RIGID; ++k) {
            const int place = f->place[FF_RIGID * link + k];
            const double unit = k < 3 ? f->scale * f->scale : 1.0;
            if (place >= 0 && unit * own.at[(long)place * (own.width + 1)] < least)
                least = unit * own.at[(long)place * (own.width + 1)];
        }
    }
    return fabs(by_place) * moment <= ff_found_slight * least;
}

/* Add the derivatives of the efforts of a joint. */
static inline void ff_found_joint(const ff_found *f, const double *factors, ff_found_work *w,
                                  int joint)
{
    const ff_multibody *m = f->links;
    const int *ends = m->linkage->ends + 2 * joint;
    const int n = ff_speeds_at(m, joint);
    int at[2] = {0, 0}, count[2];
    if (ff_found_is_slight(f, factors[2], w, joint))
        return;
    double *block[2] = {w->blocks, w->blocks + n * n};
    for (int side = 0; side < 2; ++side) {
        at[side] = side ? count[0] : 0;
        count[side] = ff_found_columns(f, w, ends[side], at[side]);
    }
    const int sprung = ff_joint_tangent(m, joint, m->tangent[joint], w->frames,
                                        w->z + FF_RIGID * m->linkage->links, &w->joints, block[0], block[1],
                                        ff_found_watched(f, w, m->acting_first[joint]), w->room);
    for (int k = 0; sprung && k < n * n; ++k)
        block[1][k] = factors[1] * block[0][k] + factors[2] * block[1][k];
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) {
            const int pair[2] = {ends[i], ends[j]}, first[2] = {at[i], at[j]};
            const int counts[2] = {count[i], count[j]};
            ff_found_add(f, w, pair, first, counts, n, sprung ? 1.0 : factors[2], block[1]);
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

/* Set the entries of a row of a joint by the speeds of one of its links, in their order. */
static inline void ff_row_of_side(const ff_multibody *m, const ff_joint_work *work, int row, int side,
                                  double *out)
{
    const int *ends = m->linkage->ends + 2 * m->joint_of[row];
    const double *entry = work->entries + m->entries[row];
    const int before = side ? ff_elastic_of(m, ends[0]) : 0, n = ff_elastic_of(m, ends[side]);
    memcpy(out, entry + FF_RIGID * side, FF_RIGID * sizeof(double));
    memcpy(out + FF_RIGID, entry + 2 * FF_RIGID + before, (size_t)n * sizeof(double));
}

/* Rows of a block of the matrix (count,), places in it and what a unit of a formula adds to each. */
typedef struct {
    int block, count;
    const int *place;
    const double *factor;
} ff_receiver;

/* Add the derivatives of a formula, times those of a receiver, to the matrix. factors: of rates, speeds and
   places; room: (2 most speeds,). */
static inline void ff_found_formula(const ff_found *f, const double *factors, ff_found_work *w,
                                    const ff_formula *one, ff_receiver to, double *room)
{
    const ff_multibody *m = f->links;
    const double *slopes = w->joints.told + one->at + FF_FORMULA_SLOPES;
    for (int i = 0; i < one->count; ++i) {
        const int variable = one->variable[i], row = ff_variable_row(m, variable);
        if (ff_variable_equation(m, variable) >= 0)
            continue; /* which ff_found_felt adds */
        if (row < 0) {
            const ff_window window =
                ff_block_window(&f->order, &w->factors, to.block, f->block_of_state[-1 - variable]);
            for (int r = 0; r < to.count; ++r)
                if (to.place[r] >= 0)
                    window.at[(long)to.place[r] * window.width] += factors[1] * to.factor[r] * slopes[i];
            continue;
        }
        double by_place = 0.0, by_rate = 0.0; /* of the coordinate and its rate, together */
        int before = 0;
        for (int k = 0; k < one->count; ++k)
            if (ff_variable_row(m, one->variable[k]) == row) {
                before |= k < i;
                *(one->variable[k] % 2 ? &by_rate : &by_place) += slopes[k];
            }
        if (before || (by_place == 0.0 && by_rate == 0.0)) /* as where shapes do not touch */
            continue;
        const int *ends = m->linkage->ends + 2 * m->joint_of[row];
        const double *faster = ff_found_watched(f, w, m->acting_first[m->joint_of[row]]) +
            (long)(variable / 2 - m->acting_first[m->joint_of[row]]) * ff_speeds_at(m, m->joint_of[row]);
        for (int side = 0; side < 2; ++side) {
            if (ends[side] < 0)
                continue;
            const int own = ff_found_columns(f, w, ends[side], to.count);
            ff_row_of_side(m, &w->joints, row, side, room);
            for (int c = 0; c < own; ++c)
                room[c] *= by_place * factors[2] + by_rate * factors[1];
            for (int c = 0; by_rate != 0.0 && factors[2] != 0.0 && c < own; ++c)
                room[c] += by_rate * factors[2] * faster[c];
            faster += own;
            const ff_window window =
                ff_block_window(&f->order, &w->factors, to.block, f->block_of_link[ends[side]]);
            for (int r = 0; r < to.count; ++r) {
                double *entries = window.at + (long)to.place[r] * window.width;
                for (int c = 0; to.place[r] >= 0 && c < own; ++c)
                    if (w->columns[to.count + c] >= 0)
                        entries[w->columns[to.count + c]] += to.factor[r] * room[c];
            }
        }
    }
}

/* Add the derivatives of what laws and controllers do. */
static inline void ff_found_formulas(const ff_found *f, const double *factors, ff_found_work *w)
{
    const ff_multibody *m = f->links;
    double *row = w->blocks, *room = row + ff_most_speeds(m);
    for (int k = 0; k < m->laws; ++k) {
        const int acting = m->row_of[m->actuator_of[m->law_of[k]]];
        const int *ends = m->linkage->ends + 2 * m->joint_of[acting];
        for (int side = 0; side < 2; ++side) {
            if (ends[side] < 0)
                continue;
            const int own = ff_found_columns(f, w, ends[side], 0);
            ff_row_of_side(m, &w->joints, acting, side, row);
            for (int c = 0; c < own; ++c)
                row[c] = -row[c];
            ff_found_formula(f, factors, w, m->formula + k,
                             (ff_receiver){f->block_of_link[ends[side]], own, w->columns, row}, room);
        }
    }
    for (int k = 0; k < m->controllers; ++k) {
        static const double less = -1.0;
        const int first = ff_all_speeds(m) - m->controllers, block = f->block_of_state[k];
        const ff_window own = ff_block_window(&f->order, &w->factors, block, block);
        const int place = f->place[first + k];
        own.at[(long)place * (own.width + 1)] += factors[0];
        w->columns[0] = place;
        ff_found_formula(f, factors, w, m->formula + m->laws + k,
                         (ff_receiver){block, 1, w->columns, &less}, room);
    }
}

/* Add an equation of speeds, times the scale of its row; factors: as of the matrix. What a multiplier does
   changes with places, but h^2 of forces. */
static inline void ff_found_condition(const ff_found *f, const double *factors, ff_found_work *w,
                                      int number, const int *to)
{
    const ff_multibody *m = f->links;
    const ff_formula *one = ff_condition(m, number);
    const double *slopes = w->joints.told + one->at + FF_FORMULA_SLOPES;
    const double relative[3] = {0.0, 1.0, factors[1] != 0.0 ? factors[2] / factors[1] : 0.0};
    const double less = -w->border;
    double *room = w->blocks, *row = room + ff_most_speeds(m);
    w->columns[0] = to[1];
    ff_found_formula(f, relative, w, one, (ff_receiver){to[0], 1, w->columns, &less}, room);
    for (int i = 0; i < one->count; ++i) {
        if (one->variable[i] < 0 || one->variable[i] % 2 == 0)
            continue;
        const int acting = ff_variable_row(m, one->variable[i]);
        const int *ends = m->linkage->ends + 2 * m->joint_of[acting];
        for (int side = 0; side < 2; ++side) {
            if (ends[side] < 0)
                continue;
            const int own = ff_found_columns(f, w, ends[side], 0), block = f->block_of_link[ends[side]];
            const ff_window down = ff_block_window(&f->order, &w->factors, block, to[0]);
            ff_row_of_side(m, &w->joints, acting, side, row);
            for (int c = 0; c < own; ++c)
                if (w->columns[c] >= 0)
                    down.at[(long)w->columns[c] * down.width + to[1]] -= w->border * slopes[i] * row[c];
        }
    }
}

/* Where laws hold several speeds these may depend on each other, as of a block that sticks on four feet: they give
   way by this part of what their forces change by in a step, more where these may be less. Forces that stay leave no
   creep, and their shares behind events are near the proportion of the most that they may be. */
static const double ff_found_gives = 1e-9, ff_found_evens = 1e3;

/* How a speed that a law holds gives way, over the mean of all that have a largest force. */
static inline double ff_found_giving(const ff_multibody *m, const ff_found_work *w, int hold)
{
    double sum = 0.0;
    int count = 0;
    for (int k = 0; k < m->holds; ++k) {
        const int counts = w->limits[k] > 0.0 && w->kept[ff_during(m, k)] != 0.0;
        sum += counts ? w->limits[k] : 0.0;
        count += counts;
    }
    if (!(w->limits[hold] > 0.0) || !(sum > 0.0))
        return 1.0;
    return fmin(fmax(sum / (count * w->limits[hold]), 1.0 / ff_found_evens), ff_found_evens);
}

/* Add all independent equations, times the scale of their rows. */
static inline void ff_found_equations(const ff_found *f, const double *factors, ff_found_work *w)
{
    const ff_multibody *m = f->links;
    const ff_linkage *linkage = m->linkage;
    const int held = linkage->equations - linkage->gears - linkage->drivers;
    const int first_hold = ff_all_equations(m) - m->holds, several = ff_holding(m, w->kept) > 1;
    for (int k = 0; k < f->equations; ++k) {
        const int equation = f->independent[k], gear = equation - held, driver = gear - linkage->gears;
        const int *to = f->block_of + 2 * equation;
        if (several && equation >= first_hold && ff_equation_holds(m, w->kept, equation)) {
            const ff_window own = ff_block_window(&f->order, &w->factors, to[0], to[0]);
            own.at[(long)to[1] * (own.width + 1)] -=
                ff_found_gives * ff_found_giving(m, w, equation - first_hold) * w->border;
        }
        if (!ff_equation_holds(m, w->kept, equation)) { /* its multiplier is zero */
            const ff_window own = ff_block_window(&f->order, &w->factors, to[0], to[0]);
            own.at[(long)to[1] * (own.width + 1)] += w->border;
        } else if (equation >= linkage->equations)
            ff_found_condition(f, factors, w, equation - linkage->equations, to);
        else if (gear < 0)
            ff_found_row(f, w, m->held_of[equation], w->border, to);
        else if (driver >= 0)
            ff_found_row(f, w, m->row_of[linkage->driver_of[driver]], w->border, to);
        else
            for (int i = 0; i < 2; ++i)
                ff_found_row(f, w, m->row_of[linkage->gear_of[2 * gear + i]],
                             w->border * (i ? -linkage->ratios[gear] : 1.0), to);
    }
}

/* Add what forces of laws change by with the multipliers that they know. */
static inline void ff_found_felt(const ff_found *f, ff_found_work *w)
{
    const ff_multibody *m = f->links;
    double *row = w->blocks;
    for (int k = 0; k < m->laws; ++k) {
        const ff_formula *one = m->formula + k;
        const int acting = m->row_of[m->actuator_of[m->law_of[k]]];
        for (int i = 0; i < one->count; ++i) {
            const int equation = ff_variable_equation(m, one->variable[i]);
            const double factor = w->border * w->joints.told[one->at + FF_FORMULA_SLOPES + i];
            if (equation < 0 || f->block_of[2 * equation] < 0)
                continue;
            for (int side = 0; side < 2; ++side) {
                const int link = m->linkage->ends[2 * m->joint_of[acting] + side];
                if (link < 0)
                    continue;
                const int own = ff_found_columns(f, w, link, 0);
                const ff_window to = ff_block_window(&f->order, &w->factors, f->block_of_link[link],
                                                     f->block_of[2 * equation]);
                ff_row_of_side(m, &w->joints, acting, side, row);
                for (int c = 0; c < own; ++c)
                    if (w->columns[c] >= 0)
                        to.at[(long)w->columns[c] * to.width + f->block_of[2 * equation + 1]] -= factor * row[c];
            }
        }
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
    for (int link = 0; f->canonical && link < linkage->links; ++link) { /* equations are those of its end */
        double whole[FF_RIGID];
        for (int i = 0; i < FF_RIGID; ++i)
            whole[i] = 2.0 * w->steps[FF_RIGID * link + i];
        ff_screw_tangent(whole, w->tangents + 36L * link);
    }
    for (int joint = 0; joint < linkage->joints && (factors[1] != 0.0 || factors[2] != 0.0); ++joint)
        ff_found_joint(f, factors, w, joint);
    ff_found_formulas(f, factors, w);
    w->border = 0.0;
    for (int link = 0; link < linkage->links; ++link) {
        const int block = f->block_of_link[link];
        const ff_window one = ff_block_window(&f->order, &w->factors, block, block);
        for (int k = 0; k < ff_block_size(&f->order, block); ++k) {
            const double size = fabs(one.at[(long)k * (one.width + 1)]);
            w->border = size > w->border ? size : w->border;
        }
    }
    ff_found_equations(f, factors, w);
    if (factors[1] != 0.0) /* of a step, not of a start */
        ff_found_felt(f, w);
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

#endif
