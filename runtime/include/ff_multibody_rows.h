/* SPDX-License-Identifier: BSD-3-Clause */
/* The equations that tie links whose motion is found: rows of joints on links that deform, and what
   multipliers and actuators do along them.

   A row of a joint has one entry per speed of its two links: six of the first, six of the second,
   elastic ones of the first, elastic ones of the second. */
#ifndef FF_MULTIBODY_ROWS_H
#define FF_MULTIBODY_ROWS_H

#include "ff_marker.h"

/* Rows of all joints at a position and velocity. */
typedef struct {
    double *value;   /* (rows,) */
    double *rate;    /* (rows,) */
    double *second;  /* (rows,) second rate without rates of speeds */
    double *entries; /* derivative by speeds */
    double *force;   /* (rows,) effort along every row: multipliers, actuators */
    double *told;    /* numbers of all formulas */
    double *kernel;  /* (rows, FF_JOINT_ROW) what the kernels of joints have found */
    ff_marker *pairs; /* (joints, 2) their markers */
} ff_joint_work;

/* Kernel of a joint on its two markers, as rows of displacements and turns of the markers. */
static inline void ff_marker_rows(const ff_multibody *m, int joint, const ff_marker *pair,
                                  double *out)
{
    double axes[24], states[2 * FF_LINK];
    memcpy(axes, m->linkage->markers + 24L * joint, sizeof axes);
    for (int side = 0; side < 2; ++side) {
        memset(axes + 12 * side, 0, 3 * sizeof(double));
        memcpy(states + FF_LINK * side, pair[side].state, FF_LINK * sizeof(double));
    }
    m->linkage->joint[joint](axes, m->linkage->radii + joint, states, out, 0);
}

/* Doubles of the markers of all joints. */
static inline size_t ff_marker_doubles(const ff_multibody *m)
{
    return 2 * (size_t)m->linkage->joints * ((sizeof(ff_marker) + sizeof(double) - 1) / sizeof(double));
}

/* Set value, rate, second rate and entries of the rows of a joint that are equations or coordinates, and what
   they come from. near: (rows,) values that angles are chosen closest to. */
static inline void ff_multibody_joint(const ff_multibody *m, int j, const double *frames,
                                      const double *d, const double *v, const double *near,
                                      ff_joint_work *work)
{
    const double whole = 6.283185307179586476925286766559;
    const ff_linkage *linkage = m->linkage;
    ff_marker *pair = work->pairs + 2 * j;
    double *out = work->kernel + (long)linkage->starts[j] * FF_JOINT_ROW;
    for (int side = 0; side < 2; ++side)
        ff_marker_set(m, j, side, frames, d, v, pair + side);
    ff_marker_rows(m, j, pair, out);
    for (int r = linkage->starts[j]; r < linkage->starts[j + 1]; ++r) {
        const double *row = out + (r - linkage->starts[j]) * FF_JOINT_ROW, *J = row + 4;
        double *entry = work->entries + m->entries[r];
        double *elastic = entry + 2 * FF_RIGID;
        double value = row[0], rate = 0.0, second = row[16];
        if (linkage->equation_of[r] < 0 && linkage->coordinate_of[r] < 0) /* as in the plane */
            continue;
        if (row[3] != 0.0) {
            const double angle = value + row[3] * atan2(row[1], row[2]);
            value = angle + whole * row[3] * rint((near[r] - angle) / (whole * row[3]));
        }
        for (int side = 0; side < 2; ++side) {
            const ff_marker *k = pair + side;
            for (int i = 0; i < FF_RIGID; ++i) {
                rate += J[FF_RIGID * side + i] * k->state[12 + i];
                second += J[FF_RIGID * side + i] * k->bias[i];
            }
            if (k->link < 0)
                memset(entry + FF_RIGID * side, 0, FF_RIGID * sizeof(double));
            else
                ff_marker_pull(k, J + FF_RIGID * side, entry + FF_RIGID * side, elastic);
            elastic += k->count;
        }
        work->value[r] = value;
        work->rate[r] = rate;
        work->second[r] = second;
    }
}

/* Set those of all joints. */
static inline void ff_multibody_joints(const ff_multibody *m, const double *frames, const double *d,
                                       const double *v, const double *near, ff_joint_work *work)
{
    for (int j = 0; j < m->linkage->joints; ++j)
        ff_multibody_joint(m, j, frames, d, v, near, work);
}

/* A row of a joint times numbers of all speeds. */
static inline double ff_row_along(const ff_multibody *m, const ff_joint_work *work, int row,
                                  const double *x)
{
    const double *entry = work->entries + m->entries[row], *elastic = entry + 2 * FF_RIGID;
    double sum = 0.0;
    for (int side = 0; side < 2; ++side) {
        const int link = m->linkage->ends[2 * m->joint_of[row] + side], n = ff_elastic_of(m, link);
        if (link < 0)
            continue;
        sum += ff_dot(FF_RIGID, entry + FF_RIGID * side, x + FF_RIGID * link) +
               ff_dot(n, elastic, x + FF_RIGID * m->linkage->links + m->first[link]);
        elastic += n;
    }
    return sum;
}

/* Set value, rate and second rate (coordinates, 3) of the coordinates of joints, whose rows are set, with rates of
   all speeds. */
static inline void ff_multibody_coordinates(const ff_multibody *m, const ff_joint_work *work, const double *rate,
                                            double *out)
{
    for (int k = 0; k < m->linkage->coordinates; ++k) {
        const int row = m->row_of[k];
        out[3 * k] = work->value[row];
        out[3 * k + 1] = work->rate[row];
        out[3 * k + 2] = work->second[row] + ff_row_along(m, work, row, rate);
    }
}

/* Numbers of all formulas, and of their inputs: variables, then those of the model. */
static inline size_t ff_told_numbers(const ff_multibody *m)
{
    const ff_formula *last = m->formula + m->formulas - 1;
    return m->formulas ? (size_t)(last->at + FF_FORMULA_SLOPES + last->count) : 0;
}
static inline size_t ff_told_inputs(const ff_multibody *m, int inputs)
{
    return 4 * (size_t)(m->most + inputs);
}

/* The row of the coordinate that a variable is or is the rate of; -1 of a state. */
static inline int ff_variable_row(const ff_multibody *m, int variable)
{
    return variable < 0 ? -1 : m->row_of[m->actuator_of[variable / 2]];
}

/* The equation whose multiplier a variable is; -1 of any other. */
static inline int ff_variable_equation(const ff_multibody *m, int variable)
{
    return variable < 0 && -1 - variable >= m->controllers ? -1 - variable - m->controllers : -1;
}

/* Set the variables (count,) of a formula. */
static inline void ff_formula_variables(const ff_multibody *m, const ff_formula *one, const double *states,
                                        const double *felt, const ff_joint_work *work, double *out)
{
    for (int i = 0; i < one->count; ++i) {
        const int variable = one->variable[i], row = ff_variable_row(m, variable);
        const int equation = ff_variable_equation(m, variable);
        if (row < 0)
            out[i] = equation < 0 ? states[-1 - variable] : felt[equation];
        else
            out[i] = (variable % 2 ? work->rate : work->value)[row];
    }
}

/* Set the numbers of all formulas, from rows of joints, states of controllers, multipliers that are felt
   (equations,), and numbers that laws keep. room: (most,) */
static inline void ff_multibody_formulas(const ff_multibody *m, double t, const double *states,
                                         const double *felt, const double *kept, double *inputs,
                                         const ff_joint_work *work, double *room)
{
    for (int k = 0; k < m->formulas; ++k) {
        const ff_formula *one = m->formula + k;
        if (!one->value.at)
            continue;
        ff_formula_variables(m, one, states, felt, work, room);
        ff_formula_at(one, t, room, inputs, work->told + one->at);
    }
    for (int k = 0; k < m->forces; ++k) {
        const ff_force *force = m->force + k;
        double own[FF_FORCE_ROOM];
        ff_formula_variables(m, m->formula + force->formula[0], states, felt, work, own + 1);
        ff_force_at(force, m->formula, t, kept, own, work->told);
    }
}

/* The numbers of an equation of speeds. */
static inline const ff_formula *ff_condition(const ff_multibody *m, int number)
{
    return m->formula + m->laws + m->controllers + number;
}

/* What the speeds of an equation of speeds are to give (order 1), or their rates. */
static inline double ff_condition_wanted(const ff_multibody *m, const ff_joint_work *work, int number,
                                         int order)
{
    const ff_formula *one = ff_condition(m, number);
    const double *told = work->told + one->at, *slopes = told + FF_FORMULA_SLOPES;
    double sum = told[order == 1 ? FF_FORMULA_VALUE : FF_FORMULA_TIME];
    for (int i = 0; i < one->count; ++i) {
        const int row = ff_variable_row(m, one->variable[i]), is_rate = one->variable[i] % 2;
        if (row < 0) /* of a multiplier, on which no speed depends */
            continue;
        if (order == 1)
            sum -= is_rate ? slopes[i] * work->rate[row] : 0.0;
        else
            sum += slopes[i] * (is_rate ? work->second : work->rate)[row];
    }
    return -sum;
}

/* Efforts along all rows: of multipliers (all equations,), of actuators with their given forces (actuators,),
   and of laws. */
static inline void ff_multibody_efforts(const ff_multibody *m, const double *multipliers,
                                        const double *given, const ff_joint_work *work)
{
    const ff_linkage *linkage = m->linkage;
    const int held = linkage->equations - linkage->gears - linkage->drivers;
    for (int r = 0; r < linkage->rows; ++r)
        work->force[r] = linkage->equation_of[r] < 0 ? 0.0 : multipliers[linkage->equation_of[r]];
    for (int g = 0; g < linkage->gears; ++g)
        for (int k = 0; k < 2; ++k)
            work->force[m->row_of[linkage->gear_of[2 * g + k]]] +=
                multipliers[held + g] * (k ? -linkage->ratios[g] : 1.0);
    for (int k = 0; k < linkage->drivers; ++k)
        work->force[m->row_of[linkage->driver_of[k]]] +=
            multipliers[held + linkage->gears + k];
    for (int k = 0; k < m->actuators; ++k) {
        const int r = m->row_of[m->actuator_of[k]];
        const double *spring = m->springs + 3 * k;
        work->force[r] += given[k] - spring[0] * (work->value[r] - spring[2]) -
                          spring[1] * work->rate[r];
    }
    for (int k = 0; k < m->laws; ++k)
        work->force[m->row_of[m->actuator_of[m->law_of[k]]]] +=
            work->told[m->formula[k].at + FF_FORMULA_VALUE];
    for (int k = 0; k < ff_conditions(m); ++k) {
        const ff_formula *one = ff_condition(m, k);
        for (int i = 0; i < one->count; ++i)
            if (one->variable[i] >= 0 && one->variable[i] % 2)
                work->force[ff_variable_row(m, one->variable[i])] +=
                    multipliers[linkage->equations + k] *
                    work->told[one->at + FF_FORMULA_SLOPES + i];
    }
}

/* Subtract what the efforts along the rows of a joint do from forces on all speeds. */
static inline void ff_subtract_efforts(const ff_multibody *m, int j, const ff_joint_work *work,
                                       double *out)
{
    const ff_linkage *linkage = m->linkage;
    const int rigid = FF_RIGID * linkage->links;
    for (int r = linkage->starts[j]; r < linkage->starts[j + 1]; ++r) {
        const double effort = work->force[r], *entry = work->entries + m->entries[r];
        if (effort == 0.0)
            continue;
        const double *elastic = entry + 2 * FF_RIGID;
        for (int side = 0; side < 2; ++side) {
            const int link = linkage->ends[2 * j + side], n = ff_elastic_of(m, link);
            if (link < 0)
                continue;
            for (int i = 0; i < FF_RIGID; ++i)
                out[FF_RIGID * link + i] -= effort * entry[FF_RIGID * side + i];
            for (int c = 0; c < n; ++c)
                out[rigid + m->first[link] + c] -= effort * elastic[c];
            elastic += n;
        }
    }
}

/* Set what is left of the equations of controllers: rates of their states less what these are to be. */
static inline void ff_multibody_controllers(const ff_multibody *m, const double *rate,
                                            const ff_joint_work *work, double *out)
{
    const int first = FF_RIGID * m->linkage->links + m->elastic;
    for (int k = 0; k < m->controllers; ++k)
        out[first + k] = rate[first + k] - work->told[m->formula[m->laws + k].at + FF_FORMULA_VALUE];
}

/* Force and moment (3,) each of the first link of a joint, or of a force between links, on the second at its
   marker, in global components, and the axes of the joint (3, 3), a row each. told: numbers of formulas. */
static inline void ff_multibody_reaction(const ff_multibody *m, int joint, const double *frames,
                                         const double *d, const double *v, const double *multipliers,
                                         const double *told, double *out)
{
    const ff_linkage *linkage = m->linkage;
    double rows[FF_JOINT_ROWS * FF_JOINT_ROW], wrench[FF_RIGID] = {0.0};
    ff_marker pair[2];
    for (int side = 0; side < 2; ++side)
        ff_marker_set(m, joint, side, frames, d, v, pair + side);
    ff_marker_rows(m, joint, pair, rows);
    for (int r = linkage->starts[joint]; r < linkage->starts[joint + 1]; ++r) {
        const double *row = rows + (r - linkage->starts[joint]) * FF_JOINT_ROW + 4 + FF_RIGID;
        for (int i = 0; i < FF_RIGID && linkage->equation_of[r] >= 0; ++i)
            wrench[i] += multipliers[linkage->equation_of[r]] * row[i];
    }
    for (int k = 0; k < m->laws; ++k) {
        const int r = m->row_of[m->actuator_of[m->law_of[k]]];
        const double *row = rows + (r - linkage->starts[joint]) * FF_JOINT_ROW + 4 + FF_RIGID;
        if (m->joint_of[r] == joint && !m->formula[k].value.at) /* of a force */
            for (int i = 0; i < FF_RIGID; ++i)
                wrench[i] += told[m->formula[k].at + FF_FORMULA_VALUE] * row[i];
    }
    for (int k = ff_conditions(m) - m->holds; k < ff_conditions(m); ++k) { /* of a force that holds a speed */
        const ff_formula *one = ff_condition(m, k);
        for (int i = 0; i < one->count; ++i) {
            const int r = ff_variable_row(m, one->variable[i]);
            if (r < 0 || one->variable[i] % 2 == 0 || m->joint_of[r] != joint)
                continue;
            const double *row = rows + (r - linkage->starts[joint]) * FF_JOINT_ROW + 4 + FF_RIGID;
            const double effort = multipliers[linkage->equations + k] * told[one->at + FF_FORMULA_SLOPES + i];
            for (int c = 0; c < FF_RIGID; ++c)
                wrench[c] += effort * row[c];
        }
    }
    if (linkage->planar)
        wrench[2] = wrench[3] = wrench[4] = 0.0;
    ff_apply(pair[1].state + 3, wrench, out);
    ff_apply(pair[1].state + 3, wrench + 3, out + 3);
    for (int i = 0; i < 3; ++i)
        ff_apply(pair[0].state + 3, linkage->markers + 24L * joint + 3 + 3 * i, out + 6 + 3 * i);
}

#endif
