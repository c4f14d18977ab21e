/* SPDX-License-Identifier: BSD-3-Clause */
/* Outputs of an instance: linear forms of its state, and values computed from these. */
#ifndef FF_OUTPUTS_H
#define FF_OUTPUTS_H

#include "ff_advance.h"

/* Length of a vector (3,). */
static inline double ff_size_of(const double *f)
{
    return sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]);
}

/* Principal values of a symmetric tensor xx, yy, zz, xy, yz, zx, ascending: Jacobi's rotations. */
static inline void ff_principal(const double *stress, double *out)
{
    double a[3][3] = {{stress[0], stress[3], stress[5]},
                      {stress[3], stress[1], stress[4]},
                      {stress[5], stress[4], stress[2]}};
    for (int sweep = 0; sweep < 12; ++sweep)
        for (int p = 0; p < 2; ++p)
            for (int r = p + 1; r < 3; ++r) {
                if (a[p][r] == 0.0)
                    continue;
                const double theta = (a[r][r] - a[p][p]) / (2.0 * a[p][r]);
                const double t = (theta < 0.0 ? -1.0 : 1.0) / (fabs(theta) + hypot(theta, 1.0));
                const double c = 1.0 / sqrt(t * t + 1.0), sine = t * c, kept = a[p][r];
                const int o = 3 - p - r;
                const double ap = a[p][o], ar = a[r][o];
                a[p][p] -= t * kept;
                a[r][r] += t * kept;
                a[p][r] = a[r][p] = 0.0;
                a[p][o] = a[o][p] = c * ap - sine * ar;
                a[r][o] = a[o][r] = sine * ap + c * ar;
            }
    for (int i = 0; i < 3; ++i)
        out[i] = a[i][i];
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2 - i; ++j)
            if (out[j] > out[j + 1]) {
                const double kept = out[j];
                out[j] = out[j + 1];
                out[j + 1] = kept;
            }
}

/* A row of an output times numbers of the coordinates. */
static inline double ff_output_row(const ff_output *output, int n, long row, const double *x)
{
    double sum = 0.0;
    if (output->starts != 0) {
        for (int k = output->starts[row]; k < output->starts[row + 1]; ++k)
            sum += output->rows[k] * x[output->columns[k]];
        return sum;
    }
    const double *values = output->rows + row * n;
    for (int i = 0; i < n; ++i)
        sum += values[i] * x[i];
    return sum;
}

/* Elastic coordinates and their rates: all positions and speeds but those of links. */
static inline const double *ff_elastic_at(const ff_instance *s, int order)
{
    const ff_found *f = ff_found_of(s->model);
    const double *x = order == 0 ? ff_places(s) : order == 1 ? ff_velocities(s) : ff_second(s);
    if (!f)
        return x;
    return x + (order == 0 ? FF_POSE * f->links->linkage->links : f->rigid);
}

/* A component of a point of a link in space, or of its velocity or acceleration, or the length; frames are
   those of the last evaluated time. */
static inline double ff_point_at(const ff_instance *s, const ff_output *output, int place)
{
    const ff_found *f = ff_found_of(s->model);
    const double *F = (f ? s->found.frames : ff_linkage_frames(s->model->linkage, s->reached)) +
                      (long)FF_LINK * output->index;
    double x[3], v[3], a[3], turned[3], other[3] = {0.0, 0.0, 0.0}, out[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < 3; ++i) {
        const long row = 3L * place + i;
        const int moved = output->rows != 0, n = s->model->matrices.n;
        x[i] = output->points[row] + (moved ? ff_output_row(output, n, row, ff_elastic_at(s, 0)) : 0.0);
        v[i] = moved ? ff_output_row(output, n, row, ff_elastic_at(s, 1)) : 0.0;
        a[i] = moved ? ff_output_row(output, n, row, ff_elastic_at(s, 2)) : 0.0;
    }
    ff_cross(F + 15, x, turned);
    if (output->order == 2) { /* a_O + e~ x + w~ (w~ x + 2 u') + u'' */
        for (int i = 0; i < 3; ++i)
            a[i] += F[18 + i];
        ff_cross(F + 21, x, other);
        for (int i = 0; i < 3; ++i) {
            a[i] += other[i];
            turned[i] += 2.0 * v[i];
        }
        ff_cross(F + 15, turned, other);
    }
    for (int i = 0; i < 3; ++i) {
        const double local = output->order == 0   ? x[i]
                             : output->order == 1 ? F[12 + i] + turned[i] + v[i]
                                                  : a[i] + other[i];
        for (int j = 0; j < 3; ++j)
            out[j] += F[3 + 3 * j + i] * local;
    }
    for (int i = 0; i < 3 && output->order == 0; ++i)
        out[i] += F[i];
    return output->component < 3 ? out[output->component] : ff_size_of(out);
}

/* Value, rate or acceleration of a coordinate of a joint of links whose motion is found, at the last
   evaluated time. */
static inline double ff_coordinate_value(const ff_instance *s, const ff_output *output)
{
    const ff_found *f = ff_found_of(s->model);
    const ff_joint_work *joints = &s->found.joints;
    const int row = f->links->row_of[output->index];
    return output->order == 0   ? joints->value[row]
           : output->order == 1 ? joints->rate[row]
                                : joints->second[row] +
                                      ff_row_along(f->links, &s->found.joints, row, s->found.rate);
}

/* Component of the force or moment of a joint, or its length; multipliers are known. */
static inline double ff_joint_value(const ff_instance *s, const ff_output *output)
{
    const ff_found *f = ff_found_of(s->model);
    const int moment = output->kind == FF_JOINT_MOMENT;
    double force[3], found[15];
    if (f) {
        const double *v = s->found.z + FF_RIGID * f->links->linkage->links;
        ff_multibody_reaction(f->links, output->index, s->found.frames, s->found.d, v,
                              s->found.multipliers, s->found.joints.told, found);
        for (int i = 0; i < 3; ++i) {
            const double *axis = found + 6 + 3 * i, *vector = found + 3 * moment;
            force[i] = output->mean ? axis[0] * vector[0] + axis[1] * vector[1] + axis[2] * vector[2]
                                    : vector[i];
        }
    } else
        ff_reaction_of(s, output->index, moment, output->mean, force);
    return output->component < 3 ? force[output->component] : ff_size_of(force);
}

/* The value of an output at one of its places; contributions of loads are of the last evaluated time. */
static inline double ff_output_at(const ff_instance *s, const ff_output *output, int place)
{
    if (output->kind == FF_POINT)
        return ff_point_at(s, output, place);
    const int n = s->model->matrices.n;
    const double *x = ff_elastic_at(s, output->order);
    double f[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    for (int k = 0; k < output->width; ++k) {
        const long row = (long)place * output->width + k;
        f[k] = ff_output_row(output, n, row, x);
        if (output->viscosity != 0.0)
            f[k] += output->viscosity * ff_output_row(output, n, row, ff_elastic_at(s, 1));
        for (int v = 0; output->loads && v < s->model->vectors; ++v)
            f[k] += s->factor[v] * output->loads[row * s->model->vectors + v];
        for (int g = 0; output->given && g < s->model->givens; ++g)
            f[k] += (s->shift[3 * g + output->order] + output->viscosity * s->shift[3 * g + 1]) *
                    output->given[row * s->model->givens + g];
    }
    if (output->kind == FF_COMPONENT)
        return f[0];
    if (output->kind == FF_MAGNITUDE)
        return ff_size_of(f);
    if (output->kind == FF_VON_MISES) {
        const double x1 = f[0] - f[1], x2 = f[1] - f[2], x3 = f[2] - f[0];
        return sqrt(0.5 * (x1 * x1 + x2 * x2 + x3 * x3) +
                    3.0 * (f[3] * f[3] + f[4] * f[4] + f[5] * f[5]));
    }
    double found[3];
    ff_principal(f, found);
    return found[output->index];
}

/* A component of the reactions of supports on a body, with the factors of the time reached. */
static inline double ff_reaction(const ff_instance *s, const ff_output *output, int component)
{
    const ff_model *m = s->model;
    const int n = m->matrices.n;
    double sum = 0.0;
    for (int place = 0; place < output->places; ++place) {
        const double *row = output->rows + ((long)place * output->width + component) * n;
        const double elastic = place ? s->elastic[place - 1] : 0.0;
        const double viscous = place ? s->viscous[place - 1] : 0.0;
        for (int i = 0; i < n; ++i)
            sum += row[i] * (place ? elastic * ff_places(s)[i] + viscous * ff_velocities(s)[i]
                                   : ff_second(s)[i]);
        for (int g = 0; output->given && g < m->givens; ++g) {
            const double *shift = s->shift + 3 * g;
            sum += output->given[((long)place * output->width + component) * m->givens + g] *
                   (place ? elastic * shift[0] + viscous * shift[1] : shift[2]);
        }
    }
    for (int k = 0; k < m->vectors; ++k)
        sum -= s->factor[k] * output->loads[(long)component * m->vectors + k];
    return sum;
}

/* The value of an output of linear forms, over its places. */
static inline double ff_output_over(const ff_instance *s, const ff_output *output)
{
    double sum = 0.0, largest = 0.0;
    for (int place = 0; place < output->places; ++place) {
        const double value = ff_output_at(s, output, place);
        sum += value;
        if (place == 0 || fabs(value) > fabs(largest))
            largest = value;
    }
    return output->mean ? sum / output->places : largest;
}

/* Set value to that of an output at the time reached. Returns an error code if there is none. */
static inline int ff_output_value(ff_instance *s, int index, double *value)
{
    const ff_output *output = s->model->output + index;
    int code = FF_OK;
    const int tied = output->kind >= FF_JOINT_FORCE && output->kind <= FF_MULTIPLIER;
    if (ff_found_of(s->model)) {
        if (output->kind >= FF_REACTION)
            code = ff_found_seen(s);
    } else if (output->kind >= FF_REACTION || output->loads || output->given)
        code = ff_evaluate(s, ff_time(s));
    if (!code && tied && !ff_found_of(s->model))
        code = ff_joint_forces(s);
    if (code)
        return code;
    if (output->kind == FF_REACTION) {
        double one = 0.0, squares = 0.0;
        for (int k = 0; k < output->width; ++k) {
            one = ff_reaction(s, output, k);
            squares += one * one;
        }
        *value = output->width == 1 ? one : sqrt(squares);
    } else if (output->kind == FF_MULTIPLIER)
        *value = (ff_found_of(s->model) ? ff_multiplied(s) : s->multipliers)[output->index];
    else if (output->kind == FF_STATE)
        *value = ff_velocities(s)[output->index];
    else if (output->kind == FF_COORDINATE)
        *value = ff_coordinate_value(s, output);
    else if (tied)
        *value = ff_joint_value(s, output);
    else
        *value = ff_output_over(s, output);
    return isfinite(*value) ? FF_OK : FF_UNBOUNDED;
}

#endif
