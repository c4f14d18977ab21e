/* SPDX-License-Identifier: BSD-3-Clause */
/* What the wrappers of the FMI standard share: variables by number, derivatives in directions.

   Numbers of variables (value references): 0 is time, 1 + 3 k + j the j-th derivative of input k;
   then come the outputs, and then coordinates, velocities and accelerations. */
#ifndef FF_FMI_H
#define FF_FMI_H

#include "ff_events.h"
#include "ff_outputs.h"

typedef struct {
    ff_instance *solver;
    int settled; /* whether the accelerations are those of the state and the inputs */
    ff_events events; /* of model exchange */
    double aside;     /* s, from the time of the solver to that which was set */
} ff_variables;

enum { FF_NO_VARIABLE, FF_IS_INPUT, FF_IS_OUTPUT, FF_IS_PLACE, FF_IS_VELOCITY, FF_IS_SECOND };
typedef struct {
    int kind, index, derivative;
} ff_variable_place;

static inline ff_variable_place ff_find(const ff_model *m, unsigned reference)
{
    long k = (long)reference - 1;
    const long n = m->matrices.n;
    if (k < 0)
        return (ff_variable_place){FF_NO_VARIABLE, 0, 0};
    if (k < 3L * m->inputs)
        return (ff_variable_place){FF_IS_INPUT, (int)(k / 3), (int)(k % 3)};
    k -= 3L * m->inputs;
    if (k < m->outputs)
        return (ff_variable_place){FF_IS_OUTPUT, (int)k, 0};
    k -= m->outputs;
    if (k < 3 * n)
        return (ff_variable_place){FF_IS_PLACE + (int)(k / n), (int)(k % n), 0};
    return (ff_variable_place){FF_NO_VARIABLE, 0, 0};
}

static inline int ff_make_settled(ff_variables *v)
{
    const int code = v->settled ? FF_OK : ff_settle(v->solver);
    v->settled = code == FF_OK;
    return code;
}

/* Set the time of model exchange. */
static inline int ff_set_moment(ff_variables *v, double t)
{
    const double beside = isfinite(t) ? ff_beside(&v->events, t) : t;
    const int code = ff_set_time(v->solver, beside);
    v->settled = 0;
    if (!code)
        v->aside = t - beside;
    return code;
}

/* Handle the events of the time reached; the functions are those after it then. */
static inline int ff_handle_events(ff_variables *v)
{
    const double t = ff_time(v->solver) + v->aside;
    const int next = v->events.next;
    ff_pass(&v->events, t);
    return v->events.next != next ? ff_set_moment(v, t) : FF_OK;
}

/* Numbers that are kept beside the state of the solver. The accelerations of a scheme that weighs
   them are none that balance the forces, and are not to be settled anew. */
enum { FF_SETTLED, FF_NEXT_EVENT, FF_ASIDE, FF_BESIDE };

/* Bytes of a state that is kept. */
static inline size_t ff_kept_bytes(const ff_variables *v)
{
    return (ff_states(v->solver->model) + FF_BESIDE) * sizeof(double);
}

static inline void ff_keep(const ff_variables *v, double *kept)
{
    const size_t states = ff_states(v->solver->model);
    memcpy(kept, v->solver->state, states * sizeof(double));
    kept[states + FF_SETTLED] = v->settled;
    kept[states + FF_NEXT_EVENT] = v->events.next;
    kept[states + FF_ASIDE] = v->aside;
}

static inline void ff_restore(ff_variables *v, const double *kept)
{
    const size_t states = ff_states(v->solver->model);
    const double next = kept[states + FF_NEXT_EVENT];
    memcpy(v->solver->state, kept, states * sizeof(double));
    v->settled = kept[states + FF_SETTLED] != 0.0;
    v->events.next = next >= 0.0 && next <= v->events.count ? (int)next : 0;
    v->aside = kept[states + FF_ASIDE];
}

/* Begin anew: all events are ahead. */
static inline int ff_reset(ff_variables *v)
{
    v->settled = 1;
    v->events.next = 0;
    v->aside = 0.0;
    return ff_start(v->solver, 0.0);
}

/* Where the number of an input or a state is; NULL of other variables. */
static inline double *ff_held_at(const ff_variables *v, ff_variable_place place)
{
    switch (place.kind) {
    case FF_IS_INPUT: return ff_inputs(v->solver) + 4 * place.index + place.derivative;
    case FF_IS_PLACE: return ff_places(v->solver) + place.index;
    case FF_IS_VELOCITY: return ff_velocities(v->solver) + place.index;
    default: return NULL;
    }
}

/* Value of a variable. Places and velocities of tied bodies that joints do not allow become such as they
   allow before anything is read that depends on them. */
static inline int ff_read(ff_variables *v, unsigned reference, double *value)
{
    const ff_model *m = v->solver->model;
    const ff_variable_place place = ff_find(m, reference);
    if (reference == 0) {
        *value = ff_time(v->solver) + v->aside;
        return FF_OK;
    }
    if (place.kind == FF_NO_VARIABLE)
        return FF_ARGUMENT;
    if (place.kind != FF_IS_INPUT) {
        const ff_output *output = m->output + place.index;
        const int balance = m->tied != 0 || place.kind == FF_IS_SECOND ||
                            (place.kind == FF_IS_OUTPUT &&
                             (output->order == 2 || output->kind == FF_REACTION));
        const int code = balance ? ff_make_settled(v) : FF_OK;
        if (code)
            return code;
    }
    *value = place.kind == FF_IS_OUTPUT   ? ff_output_value(v->solver, place.index)
             : place.kind == FF_IS_SECOND ? ff_second(v->solver)[place.index]
                                          : *ff_held_at(v, place);
    return FF_OK;
}

/* Set an input, or a state. */
static inline int ff_write(ff_variables *v, unsigned reference, double value)
{
    const ff_variable_place place = ff_find(v->solver->model, reference);
    if (!isfinite(value) || place.kind == FF_NO_VARIABLE || place.kind == FF_IS_OUTPUT ||
        place.kind == FF_IS_SECOND)
        return FF_ARGUMENT;
    v->settled = 0;
    if (place.kind == FF_IS_INPUT) {
        double *input = ff_inputs(v->solver) + 4 * place.index;
        const double past = ff_time(v->solver) - input[3];
        /* What is not set goes on from where it has come to. */
        input[0] += (input[1] + 0.5 * input[2] * past) * past;
        input[1] += input[2] * past;
        input[3] = ff_time(v->solver);
    }
    *ff_held_at(v, place) = value;
    return FF_OK;
}

/* The whole state moved by small amounts of known variables, to differ outputs with. */
static inline int ff_moved(ff_variables *v, const unsigned *known, size_t count,
                           const double *amounts, double scale, const unsigned *unknown,
                           size_t sought, double *values)
{
    ff_instance *s = v->solver;
    const size_t bytes = ff_states(s->model) * sizeof(double);
    double *kept = s->kept;
    memcpy(kept, s->state, bytes);
    const int settled = v->settled;
    int code = FF_OK;
    for (size_t k = 0; !code && k < count; ++k) {
        /* As it is there: what was moved before is not made allowed in between. */
        const double *number = ff_held_at(v, ff_find(s->model, known[k]));
        code = ff_write(v, known[k], *number + scale * amounts[k]);
    }
    for (size_t k = 0; !code && k < sought; ++k)
        code = ff_read(v, unknown[k], &values[k]);
    memcpy(s->state, kept, bytes);
    v->settled = settled;
    return code;
}

/* How far a variable may be moved to differ outputs with: a small part of its size, or of that of all
   coordinates or velocities. */
static inline double ff_small(const ff_variables *v, ff_variable_place place)
{
    if (place.kind == FF_IS_INPUT)
        return 1e-5 * fmax(fabs(ff_inputs(v->solver)[4 * place.index]), 1.0);
    const double *all =
        (place.kind == FF_IS_PLACE ? ff_places : ff_velocities)(v->solver);
    double largest = 0.0;
    for (int i = 0; i < v->solver->model->matrices.n; ++i)
        largest = fmax(largest, fabs(all[i]));
    return 1e-5 * (largest > 0.0 ? largest : 1e-3);
}

/* Derivative of unknown variables when known ones change by amounts, for a unit of the amounts.

   Accelerations are linear in states and loads and quadratic in velocities of frames, of which
   central differences are exact but for round-off; of angles and of stresses they are good to the
   square of the change. scratch: sought numbers. */
static inline int ff_direction(ff_variables *v, const unsigned *known, size_t count,
                               const double *amounts, const unsigned *unknown, size_t sought,
                               double *scratch, double *out)
{
    double scale = INFINITY;
    for (size_t k = 0; k < count; ++k) {
        const ff_variable_place place = ff_find(v->solver->model, known[k]);
        if (place.kind == FF_NO_VARIABLE || place.kind == FF_IS_OUTPUT ||
            place.kind == FF_IS_SECOND || !isfinite(amounts[k]))
            return FF_ARGUMENT;
        if (amounts[k] != 0.0)
            scale = fmin(scale, ff_small(v, place) / fabs(amounts[k]));
    }
    if (isinf(scale)) {
        for (size_t k = 0; k < sought; ++k)
            out[k] = 0.0;
        return FF_OK;
    }
    int code = ff_moved(v, known, count, amounts, scale, unknown, sought, out);
    if (!code)
        code = ff_moved(v, known, count, amounts, -scale, unknown, sought, scratch);
    for (size_t k = 0; !code && k < sought; ++k)
        out[k] = (out[k] - scratch[k]) / (2.0 * scale);
    return code;
}

#endif
