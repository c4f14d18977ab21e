/* SPDX-License-Identifier: BSD-3-Clause */
/* What borders the matrix of a tree of links: multipliers of equations that it does not satisfy, forces that other
   joints feel, and rates of states of controllers. They are few: each costs a solution with the tree. */
#ifndef FF_TREE_BORDER_H
#define FF_TREE_BORDER_H

#include "ff_tree_matrix.h"

/* What acts along a row of a joint by a unit, subtracted from what is left of forces. */
static inline void ff_tree_column(const ff_found *f, ff_found_work *w, int row, double factor,
                                  double *left, double *wrenches)
{
    const ff_multibody *m = f->links;
    const ff_tree *tree = f->tree;
    const int joint = m->joint_of[row], hung = tree->hung_by[joint];
    const double *entry = w->joints.entries + m->entries[row], *elastic = entry + 2 * FF_RIGID;
    if (hung >= 0) {
        for (int c = tree->first[hung]; c < tree->first[hung + 1]; ++c)
            left[c] -= factor * ff_tree_along(m, tree, &w->joints, row, c);
        return;
    }
    for (int side = 0; side < 2; ++side) {
        const int link = m->linkage->ends[2 * joint + side], n = ff_elastic_of(m, link);
        double wrench[FF_SCREW];
        if (link < 0)
            continue;
        ff_screw_out(w->frames + FF_LINK * link + 3, entry + FF_RIGID * side, wrench);
        for (int i = 0; i < FF_SCREW; ++i)
            wrenches[FF_SCREW * link + i] -= factor * wrench[i];
        for (int c = 0; c < n; ++c)
            left[tree->rigid + m->first[link] + c] -= factor * elastic[c];
        elastic += n;
    }
}

/* Changes of a row of a joint and of its rate by the last solution s; of rates those of an actuator, or -1. */
typedef struct {
    double place, rate;
} ff_row_change;
static inline ff_row_change ff_tree_row(const ff_found *f, const ff_found_work *w, int row, int actuator,
                                        const double *s)
{
    const ff_multibody *m = f->links;
    const int joint = m->joint_of[row];
    const double *entry = w->joints.entries + m->entries[row], *elastic = entry + 2 * FF_RIGID;
    const double *faster = actuator < 0 ? 0
        : ff_found_watched(f, w, m->acting_first[joint]) +
              (long)(actuator - m->acting_first[joint]) * ff_speeds_at(m, joint);
    const double *factors = w->branches.factors;
    ff_row_change found = {0.0, 0.0};
    for (int side = 0; side < 2; ++side) {
        const int link = m->linkage->ends[2 * joint + side], n = ff_elastic_of(m, link);
        double place[FF_SCREW], rate[FF_SCREW];
        if (link < 0)
            continue;
        const double *t = w->branches.changes + FF_CHANGE * link, *R = w->frames + FF_LINK * link + 3;
        const double *moved = s + f->tree->rigid + m->first[link], along = ff_dot(n, elastic, moved);
        ff_screw_in(R, t, place);
        ff_screw_in(R, t + 6, rate);
        found.place += ff_dot(FF_SCREW, entry + FF_RIGID * side, place) + factors[2] * along;
        found.rate += ff_dot(FF_SCREW, entry + FF_RIGID * side, rate) + factors[1] * along;
        if (faster) {
            found.rate += ff_dot(FF_SCREW, faster, place) + factors[2] * ff_dot(n, faster + FF_RIGID, moved);
            faster += FF_RIGID + n;
        }
        elastic += n;
    }
    return found;
}

/* Change of a formula by the last solution; states apart. */
static inline double ff_tree_formula(const ff_found *f, const ff_found_work *w, const ff_formula *one,
                                     const double *s)
{
    double sum = 0.0;
    for (int i = 0; i < one->count; ++i) {
        const int row = ff_variable_row(f->links, one->variable[i]);
        if (row < 0)
            continue;
        const ff_row_change change = ff_tree_row(f, w, row, one->variable[i] / 2, s);
        sum += w->joints.told[one->at + FF_FORMULA_SLOPES + i] *
               (one->variable[i] % 2 ? change.rate : change.place);
    }
    return sum;
}

/* Rows of an equation that multipliers hold, and their factors. */
static inline int ff_closing_rows(const ff_found *f, int equation, int *rows, double *factors)
{
    const ff_multibody *m = f->links;
    const ff_linkage *linkage = m->linkage;
    const int held = linkage->equations - linkage->gears - linkage->drivers;
    const int gear = equation - held, driver = gear - linkage->gears;
    factors[0] = 1.0;
    if (gear < 0)
        rows[0] = m->held_of[equation];
    else if (driver >= 0)
        rows[0] = m->row_of[linkage->driver_of[driver]];
    else {
        for (int i = 0; i < 2; ++i)
            rows[i] = m->row_of[linkage->gear_of[2 * gear + i]];
        factors[1] = -linkage->ratios[gear];
        return 2;
    }
    return 1;
}

/* Value of the row of a border for the last solution: what it changes by. */
static inline double ff_tree_border(const ff_found *f, const ff_found_work *w, int border, const double *s)
{
    const ff_multibody *m = f->links;
    const ff_tree *tree = f->tree;
    const int force = border - tree->closings, state = force - tree->borders;
    double sum = 0.0;
    if (force < 0) {
        const int equation = tree->closing[border];
        int rows[2];
        double factors[2];
        if (equation >= m->linkage->equations)
            return ff_tree_formula(f, w, ff_condition(m, equation - m->linkage->equations), s);
        const int count = ff_closing_rows(f, equation, rows, factors);
        for (int i = 0; i < count; ++i)
            sum += factors[i] * ff_tree_row(f, w, rows[i], -1, s).place;
        return sum;
    }
    if (state >= 0)
        return -ff_tree_formula(f, w, m->formula + m->laws + state, s);
    const int actuator = tree->bordering[force];
    const double *spring = m->springs + 3 * actuator;
    const ff_row_change change = ff_tree_row(f, w, m->row_of[m->actuator_of[actuator]], actuator, s);
    sum = spring[0] * change.place + spring[1] * change.rate;
    for (int law = 0; law < m->laws; ++law)
        if (m->law_of[law] == actuator)
            sum -= ff_tree_formula(f, w, m->formula + law, s);
    return sum;
}

/* Number of the border of an equation that multipliers hold; -1 of any other. */
static inline int ff_closing_of(const ff_tree *tree, int equation)
{
    for (int k = 0; k < tree->closings; ++k)
        if (tree->closing[k] == equation)
            return k;
    return -1;
}

/* Add to a row of the border, times a factor, what states and multipliers change a formula by. */
static inline void ff_tree_states(const ff_found *f, const ff_found_work *w, const ff_formula *one,
                                  double factor, double *row)
{
    for (int i = 0; i < one->count; ++i) {
        const int equation = ff_variable_equation(f->links, one->variable[i]);
        const int closing = equation < 0 ? -1 : ff_closing_of(f->tree, equation);
        if (closing >= 0)
            row[closing] += factor * w->joints.told[one->at + FF_FORMULA_SLOPES + i];
        else if (equation < 0 && one->variable[i] < 0)
            row[f->tree->closings + f->tree->borders - 1 - one->variable[i]] +=
                factor * w->branches.factors[1] * w->joints.told[one->at + FF_FORMULA_SLOPES + i];
    }
}

/* Add what laws that know the multiplier of an equation act by for a unit of it. */
static inline void ff_tree_felt(const ff_found *f, ff_found_work *w, int equation, double *left,
                                double *wrenches)
{
    const ff_multibody *m = f->links;
    for (int law = 0; law < m->laws; ++law) {
        const ff_formula *one = m->formula + law;
        if (ff_is_bordering(f->tree, m->law_of[law]))
            continue; /* which ff_tree_states adds */
        for (int i = 0; i < one->count; ++i)
            if (ff_variable_equation(m, one->variable[i]) == equation)
                ff_tree_column(f, w, m->row_of[m->actuator_of[m->law_of[law]]],
                               w->joints.told[one->at + FF_FORMULA_SLOPES + i], left, wrenches);
    }
}

/* Set what is left of forces by a unit of a border. */
static inline void ff_tree_unit(const ff_found *f, ff_found_work *w, int border, double *left,
                                double *wrenches)
{
    const ff_multibody *m = f->links;
    const ff_tree *tree = f->tree;
    const int force = border - tree->closings;
    memset(left, 0, (size_t)tree->speeds * sizeof(double));
    memset(wrenches, 0, FF_SCREW * (size_t)m->linkage->links * sizeof(double));
    if (force >= tree->borders)
        return;
    if (force >= 0) {
        ff_tree_column(f, w, m->row_of[m->actuator_of[tree->bordering[force]]], 1.0, left, wrenches);
        return;
    }
    const int equation = tree->closing[border];
    if (equation < m->linkage->equations) {
        int rows[2];
        double factors[2];
        const int count = ff_closing_rows(f, equation, rows, factors);
        for (int i = 0; i < count; ++i)
            ff_tree_column(f, w, rows[i], factors[i], left, wrenches);
        ff_tree_felt(f, w, equation, left, wrenches);
        return;
    }
    const ff_formula *one = ff_condition(m, equation - m->linkage->equations);
    for (int i = 0; i < one->count; ++i)
        if (one->variable[i] >= 0 && one->variable[i] % 2)
            ff_tree_column(f, w, ff_variable_row(m, one->variable[i]),
                           w->joints.told[one->at + FF_FORMULA_SLOPES + i], left, wrenches);
}

/* Set and factor the matrix where ff_tree_residual was. Returns 0, or not if it is singular. */
static inline int ff_tree_factor(const ff_found *f, const double *factors, ff_found_work *w)
{
    const ff_multibody *m = f->links;
    const ff_tree *tree = f->tree;
    const int links = m->linkage->links, borders = ff_tree_borders(f);
    ff_tree_factors *k = &w->branches;
    memcpy(k->factors, factors, sizeof k->factors);
    w->border = 0.0;
    ++w->factorizations;
    for (int link = 0; link < links; ++link)
        if (ff_elastic_of(m, link))
            ff_tree_elastic(f, factors, w, link);
        else
            ff_tree_rigid(f, w, link, k->tt + (long)FF_BRANCH * link);
    for (int number = 0; number < tree->watched; ++number)
        if (tree->hung_by[tree->watch[number]] < 0)
            ff_tree_closing(f, factors, w, tree->watch[number]);
    for (int number = links - 1; number >= 0; --number)
        if (ff_tree_eliminate(f, factors, w, tree->order[number]))
            return 1;
    if (!borders)
        return 0;
    memset(k->border, 0, (size_t)borders * (size_t)borders * sizeof(double));
    for (int border = 0; border < borders; ++border) {
        double *response = k->responses + (long)tree->speeds * border;
        ff_tree_unit(f, w, border, k->left, k->wrenches);
        ff_tree_sweep(f, w, k->left, k->wrenches, response);
        for (int row = 0; row < borders; ++row)
            k->border[(long)row * borders + border] = ff_tree_border(f, w, row, response);
    }
    for (int row = tree->closings; row < borders; ++row) {
        double *to = k->border + (long)row * borders;
        const int state = row - tree->closings - tree->borders;
        to[row] += state < 0 ? 1.0 : factors[0];
        if (state >= 0)
            ff_tree_states(f, w, m->formula + m->laws + state, -1.0, to);
        for (int law = 0; state < 0 && law < m->laws; ++law)
            if (m->law_of[law] == tree->bordering[row - tree->closings])
                ff_tree_states(f, w, m->formula + law, -1.0, to);
    }
    for (int row = 0; row < tree->closings; ++row)
        if (tree->closing[row] >= m->linkage->equations)
            ff_tree_states(f, w, ff_condition(m, tree->closing[row] - m->linkage->equations), 1.0,
                           k->border + (long)row * borders);
    return ff_dense_factor(borders, k->border, k->exchanges);
}

/* Solve with the factors for right, as of ff_found_correct. */
static inline void ff_tree_correct(const ff_found *f, ff_found_work *w)
{
    const ff_multibody *m = f->links;
    const ff_tree *tree = f->tree;
    const int borders = ff_tree_borders(f), states = tree->speeds - m->controllers;
    ff_tree_factors *k = &w->branches;
    ++w->solves;
    for (int i = 0; i < tree->speeds; ++i)
        k->left[i] = -w->right[i];
    memset(k->wrenches, 0, FF_SCREW * (size_t)m->linkage->links * sizeof(double));
    ff_tree_sweep(f, w, k->left, k->wrenches, k->found);
    for (int row = 0; row < borders; ++row) {
        const int state = row - tree->closings - tree->borders;
        double value = ff_tree_border(f, w, row, k->found);
        if (row < tree->closings)
            value += w->right[tree->speeds + row] / w->border *
                     k->factors[tree->closing[row] < m->linkage->equations ? 2 : 1];
        else if (state >= 0)
            value -= w->right[states + state];
        k->unknown[row] = -value;
    }
    if (borders)
        ff_dense_solve(borders, k->border, k->exchanges, k->unknown);
    for (int row = 0; row < borders; ++row)
        for (int i = 0; i < tree->speeds; ++i)
            k->found[i] += k->unknown[row] * k->responses[(long)tree->speeds * row + i];
    memcpy(w->right, k->found, (size_t)tree->speeds * sizeof(double));
    memcpy(w->right + tree->speeds, k->unknown, (size_t)tree->closings * sizeof(double));
    for (int state = 0; state < m->controllers; ++state)
        w->right[states + state] = k->unknown[tree->closings + tree->borders + state];
}

/* Set the multipliers of the rows that the tree holds: those whose wrench a link needs of its base. */
static inline void ff_tree_multipliers(const ff_found *f, ff_found_work *w, double *force)
{
    const ff_multibody *m = f->links;
    const ff_linkage *linkage = m->linkage;
    const ff_tree *tree = f->tree;
    for (int link = 0; link < linkage->links; ++link) {
        const int joint = tree->joint[link], side = joint < 0 ? 0 : tree->side[link];
        double local[FF_SCREW], square[36], right[FF_SCREW];
        const double *row[FF_SCREW];
        int equation[FF_SCREW], pivots[FF_SCREW], count = 0;
        if (joint < 0)
            continue;
        ff_screw_in(w->frames + FF_LINK * link + 3, w->tree.hung[link].wrench, local);
        for (int r = linkage->starts[joint]; r < linkage->starts[joint + 1]; ++r) {
            const double *entry = w->joints.entries + m->entries[r] + FF_RIGID * side;
            const int held = linkage->equation_of[r];
            int closes = held < 0;
            for (int k = 0; k < tree->closings && !closes; ++k)
                closes = tree->closing[k] == held;
            for (int i = 0; closes && i < FF_SCREW; ++i)
                local[i] -= w->joints.force[r] * entry[i];
            if (closes || count == FF_SCREW)
                continue;
            equation[count] = held;
            row[count++] = entry;
        }
        for (int r = 0; r < count; ++r) {
            right[r] = ff_dot(FF_SCREW, row[r], local);
            for (int c = 0; c < count; ++c)
                square[r * count + c] = ff_dot(FF_SCREW, row[r], row[c]);
        }
        if (ff_dense_factor(count, square, pivots))
            continue;
        ff_dense_solve(count, square, pivots, right);
        for (int r = 0; r < count; ++r)
            force[equation[r]] = right[r];
    }
}

#endif
