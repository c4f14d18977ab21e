/* SPDX-License-Identifier: BSD-3-Clause */
/* An instance: its start, one step of it, its inputs. */
#ifndef FF_SOLVER_H
#define FF_SOLVER_H

#include "ff_switch.h"
#include <float.h>

/* Set the accelerations of tied bodies; positions and velocities keep their parts along the speeds, and
   are otherwise projected onto the constraints. */
static inline int ff_settle_tied(ff_instance *s)
{
    const ff_model *m = s->model;
    const ff_tied tied = ff_tied_of(m);
    const int code = ff_tied_settle(&tied, &s->steps, s->elastic, s->viscous, s->force, s->rows,
                                    ff_choice(s), ff_places(s));
    if (code)
        return code;
    for (int i = 0; i < m->matrices.n; ++i) {
        ff_expected(s)[i] = ff_places(s)[i];
        ff_before(s)[i] = ff_places(s)[i] - m->step * ff_velocities(s)[i];
    }
    if (ff_canonical(m)) {
        const ff_pair pair = ff_pair_of(s);
        ff_canonical_momenta(&tied, &s->steps, &pair, ff_places(s), ff_velocities(s), ff_momenta(s));
    }
    return FF_OK;
}

/* Take the first part of a canonical step, with the pair at its middle. */
static inline int ff_take_middle(ff_instance *s, double h)
{
    const ff_model *m = s->model;
    const ff_tied tied = ff_tied_of(m);
    const int code = ff_evaluate_as(s, ff_time(s) + 0.5 * h, 1);
    if (code)
        return code;
    for (int b = 0; b < m->matrices.bases; ++b)
        s->viscous[b] -= s->momentum[b]; /* c d' is the rate of a part of the momenta */
    const ff_pair pair = ff_pair_of(s);
    return ff_canonical_middle(&tied, h, &pair, ff_places(s), ff_before(s), ff_choice(s), &s->steps,
                               ff_momenta(s));
}

/* Take the last part, with the pair at its end. */
static inline int ff_take_canonical(ff_instance *s)
{
    const ff_tied tied = ff_tied_of(s->model);
    const ff_pair pair = ff_pair_of(s);
    for (int i = 0; i < s->model->matrices.n; ++i) {
        const double begin = ff_places(s)[i];
        ff_expected(s)[i] = 2.0 * begin - ff_before(s)[i];
        ff_before(s)[i] = begin;
    }
    return ff_canonical_end(&tied, &pair, ff_expected(s), ff_choice(s), &s->steps, ff_momenta(s),
                            ff_places(s));
}

/* Take a step of tied bodies, with the factors, forces and rows at its end. */
static inline int ff_take_tied(ff_instance *s, double h)
{
    const ff_model *m = s->model;
    const ff_tied tied = ff_tied_of(m);
    double *q = ff_places(s), *before = ff_before(s), *expected = ff_expected(s);
    memcpy(expected, q, (size_t)m->matrices.n * sizeof(double)); /* saved while q changes */
    const int code = ff_tied_step(&tied, &m->scheme, h, s->elastic, s->viscous, s->force, s->rows,
                                  before, ff_choice(s), &s->steps, q);
    if (code)
        return code;
    for (int i = 0; i < m->matrices.n; ++i) {
        const double begin = expected[i];
        expected[i] = 2.0 * begin - before[i];
        before[i] = begin;
    }
    return FF_OK;
}

/* Convert the history of the last step to a step of another length: averaged accelerations, and for tied
   bodies the previous positions. */
static inline void ff_rescale(ff_instance *s, double h)
{
    const ff_model *m = s->model;
    const double ratio = h / s->state[FF_PREVIOUS];
    s->state[FF_PREVIOUS] = h;
    if (ratio == 1.0 || m->mesh != 0)
        return;
    for (int i = 0; i < m->matrices.n; ++i) {
        const double a = ff_second(s)[i];
        ff_averaged(s)[i] = a + ratio * (ff_averaged(s)[i] - a);
    }
    for (int i = 0; m->tied && i < m->matrices.n; ++i)
        ff_before(s)[i] = ff_places(s)[i] - ratio * (ff_places(s)[i] - ff_before(s)[i]);
}

/* Set the accelerations that balance the forces at the time reached. On an error the state is changed:
   callers must save it. */
static inline int ff_balance_forces(ff_instance *s)
{
    const int code = ff_evaluate(s, ff_time(s));
    if (code)
        return code;
    if (ff_found_of(s->model))
        return ff_found_balance(s);
    s->state[FF_PREVIOUS] = s->model->step;
    if (s->model->tied)
        return ff_settle_tied(s);
    if (s->model->mesh != 0)
        return ff_mesh_accelerations(s);
    return ff_accelerations(&s->model->matrices, &s->work, s->elastic, s->viscous, s->force,
                            ff_places(s));
}

/* Save the state, and restore it after an error. */
static inline void ff_keep_state(ff_instance *s)
{
    memcpy(s->kept, s->state, ff_states(s->model) * sizeof(double));
}
static inline int ff_unless(ff_instance *s, int code)
{
    if (code)
        memcpy(s->state, s->kept, ff_states(s->model) * sizeof(double));
    return code;
}

/* Set the accelerations that balance the forces at the time reached. On an error the state is
   unchanged. */
static inline int ff_settle(ff_instance *s)
{
    ff_keep_state(s);
    return ff_unless(s, ff_balance_forces(s));
}

/* Begin with the positions and velocities of links whose motion is found, moved onto their equations. */
static inline int ff_begin_links(ff_instance *s)
{
    int code = ff_evaluate(s, ff_time(s));
    memset(ff_kept(s), 0, ff_law_states(ff_found_of(s->model)->links) * sizeof(double));
    if (!code)
        code = ff_found_close(s);
    s->state[FF_PREVIOUS] = 0.0;
    if (ff_paced(s->model))
        ff_pace(s)[FF_PACE_NEXT] = ff_pace(s)[FF_PACE_ERROR] = 0.0;
    if (!code)
        code = ff_balance_forces(s);
    return code ? code : ff_switch_start(s);
}

/* Set positions and velocities; those of tied bodies and of links are projected onto the constraints. On
   an error the state is unchanged. */
static inline int ff_set_coordinates(ff_instance *s, const double *places, const double *velocities)
{
    const size_t n = ff_place_count(s->model), speeds = ff_speed_count(s->model);
    if (!ff_finite(n, places) || !ff_finite(speeds, velocities))
        return FF_ARGUMENT;
    ff_keep_state(s);
    memmove(ff_places(s), places, n * sizeof(double)); /* may be those of this instance */
    memmove(ff_velocities(s), velocities, speeds * sizeof(double));
    return ff_unless(s, ff_found_of(s->model) ? ff_begin_links(s) : ff_balance_forces(s));
}

/* Start at a time with positions and velocities, and the initial inputs of the model. On an
   error the state is unchanged. */
static inline int ff_begin(ff_instance *s, double t, const double *places, const double *velocities)
{
    const ff_model *m = s->model;
    if (!isfinite(t))
        return FF_ARGUMENT;
    ff_keep_state(s);
    memset(s->state, 0, ff_states(m) * sizeof(double));
    memcpy(ff_places(s), places, ff_place_count(m) * sizeof(double));
    memcpy(ff_velocities(s), velocities, ff_speed_count(m) * sizeof(double));
    if (ff_found_of(m))
        memcpy(ff_counted(s), ff_found_of(m)->near,
               (size_t)ff_found_of(m)->links->linkage->coordinates * sizeof(double));
    for (int k = 0; k < m->inputs; ++k) {
        ff_inputs(s)[4 * k] = m->input_start[k];
        ff_inputs(s)[4 * k + 3] = t;
    }
    for (int k = 0; k < m->motions; ++k)
        if (!m->motion[k].fixed_axis && m->motion[k].turn[0].knot >= 0)
            ff_knots(s)[3 * m->motion[k].turn[0].knot] = 1.0; /* no rotation at time zero */
    ff_mechanism_start(s);
    s->state[FF_SINCE] = t;
    int code = ff_move_knots(s, t);
    if (!code)
        code = ff_found_of(m) ? ff_begin_links(s) : ff_balance_forces(s);
    return ff_unless(s, code);
}

/* Start at a time with the initial state of the model. */
static inline int ff_start(ff_instance *s, double t)
{
    return ff_begin(s, t, s->model->initial, s->model->initial + ff_place_count(s->model));
}

/* Set the time without a step. */
static inline int ff_set_time(ff_instance *s, double t)
{
    if (!isfinite(t))
        return FF_ARGUMENT;
    s->state[FF_SINCE] = t;
    s->state[FF_COUNT] = s->state[FF_LENGTH] = 0.0;
    return FF_OK;
}

/* Restart at another time with the current state and inputs. On an error the state is unchanged. */
static inline int ff_shift(ff_instance *s, double t)
{
    ff_keep_state(s);
    const int code = ff_set_time(s, t);
    for (int k = 0; !code && k < s->model->inputs; ++k)
        ff_inputs(s)[4 * k + 3] = t;
    return ff_unless(s, code ? code : ff_move_knots(s, t));
}

/* Time at the end of a step: equal steps are counted, so that rounding does not accumulate. */
static inline double ff_end(const ff_instance *s, double h)
{
    return s->state[FF_LENGTH] == h ? s->state[FF_SINCE] + (s->state[FF_COUNT] + 1.0) * h
                                    : ff_time(s) + h;
}

/* Set the time at the end of a step. */
static inline void ff_count_step(ff_instance *s, double h, double at)
{
    if (ff_end(s, h) != at || s->state[FF_LENGTH] != h) {
        s->state[FF_SINCE] = ff_time(s);
        s->state[FF_COUNT] = 0.0;
        s->state[FF_LENGTH] = h;
    }
    s->state[FF_COUNT] += 1.0;
    if (ff_time(s) != at) {
        s->state[FF_SINCE] = at;
        s->state[FF_COUNT] = 0.0;
    }
}

/* Take one step to a time, which is its start plus its length up to rounding. On an error the state is
   unchanged. */
static inline int ff_take_to(ff_instance *s, double h, double at)
{
    const ff_model *m = s->model;
    if (!(h > 0.0) || !isfinite(h) || !(at > ff_time(s)))
        return FF_ARGUMENT;
    int code = FF_OK;
    ff_keep_state(s);
    if (ff_found_of(m) == 0)
        ff_rescale(s, h);
    if (ff_canonical(m))
        code = ff_take_middle(s, h);
    if (!code)
        code = ff_move_knots(s, at); /* so that links are found once */
    if (!code)
        code = ff_evaluate(s, at);
    if (!code && ff_found_of(m) != 0)
        code = ff_found_of(m)->canonical ? ff_momenta_step(s, h, at) : ff_found_step(s, h, at);
    else if (!code && m->mesh != 0)
        code = ff_mesh_step(s, h);
    else if (!code && m->tied)
        code = ff_canonical(m) ? ff_take_canonical(s) : ff_take_tied(s, h);
    else if (!code)
        code = ff_step(&m->matrices, &m->scheme, h, s->elastic, s->viscous, s->force, &s->work,
                       ff_places(s));
    ff_count_step(s, h, at);
    return ff_unless(s, code);
}

/* Set an input from the time reached on: value, first and second derivative. */
static inline int ff_set_input(ff_instance *s, int index, double value, double first, double second)
{
    if (index < 0 || index >= s->model->inputs || !isfinite(value) || !isfinite(first) ||
        !isfinite(second))
        return FF_ARGUMENT;
    double *input = ff_inputs(s) + 4 * index;
    input[0] = value;
    input[1] = first;
    input[2] = second;
    input[3] = ff_time(s);
    return FF_OK;
}

#endif
