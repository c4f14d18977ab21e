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

/* Numbers that are kept beside the state of the solver. Averaged accelerations are not those that balance
   the forces, and accelerations are not to be settled anew. */
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

/* Set a state that was kept; refused where it was damaged since. */
static inline int ff_restore(ff_variables *v, const double *kept)
{
    const size_t states = ff_states(v->solver->model);
    const double next = kept[states + FF_NEXT_EVENT];
    if (!ff_finite(states + FF_BESIDE, kept))
        return FF_ARGUMENT;
    memcpy(v->solver->state, kept, states * sizeof(double));
    v->settled = kept[states + FF_SETTLED] != 0.0;
    v->events.next = next >= 0.0 && next <= v->events.count ? (int)next : 0;
    v->aside = kept[states + FF_ASIDE];
    return FF_OK;
}

/* Bytes of a state that is written: the fingerprint of its model, then what is kept. */
static inline size_t ff_written_bytes(const ff_variables *v, const char *fingerprint)
{
    return strlen(fingerprint) + ff_kept_bytes(v);
}

static inline void ff_write_bytes(const ff_variables *v, const char *fingerprint, const void *kept,
                                  void *bytes)
{
    const size_t length = strlen(fingerprint);
    memcpy(bytes, fingerprint, length);
    memcpy((char *)bytes + length, kept, ff_kept_bytes(v));
}

/* What is kept in bytes that were written; NULL where they are of another model. */
static inline const void *ff_written(const ff_variables *v, const char *fingerprint,
                                     const void *bytes, size_t size)
{
    const size_t length = strlen(fingerprint);
    if (size != ff_written_bytes(v, fingerprint) || memcmp(bytes, fingerprint, length))
        return NULL;
    return (const char *)bytes + length;
}

/* Begin anew: all events are ahead. */
static inline int ff_reset(ff_variables *v)
{
    const int code = ff_start(v->solver, 0.0);
    if (code)
        return code;
    v->settled = 1;
    v->events.next = 0;
    v->aside = 0.0;
    return FF_OK;
}

/* Where the number of a state is. */
static inline double *ff_state_at(const ff_variables *v, ff_variable_place place)
{
    return (place.kind == FF_IS_PLACE      ? ff_places
            : place.kind == FF_IS_VELOCITY ? ff_velocities
                                           : ff_second)(v->solver) +
           place.index;
}

/* The number of an input at the time reached, which it has come to since it was set, or of a state. */
static inline double ff_present(const ff_variables *v, ff_variable_place place)
{
    if (place.kind != FF_IS_INPUT)
        return *ff_state_at(v, place);
    const ff_jet now = ff_input(ff_time(v->solver), ff_inputs(v->solver) + 4 * place.index);
    return place.derivative == 0 ? now.value : place.derivative == 1 ? now.first : now.second;
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
        int balance = m->tied != 0 || place.kind == FF_IS_SECOND;
        if (place.kind == FF_IS_OUTPUT) {
            const ff_output *output = m->output + place.index;
            balance = balance || output->order == 2 || output->kind == FF_REACTION;
        }
        const int code = balance ? ff_make_settled(v) : FF_OK;
        if (code)
            return code;
    }
    if (place.kind == FF_IS_OUTPUT)
        return ff_output_value(v->solver, place.index, value);
    *value = ff_present(v, place);
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
        const ff_jet now = ff_input(ff_time(v->solver), input);
        /* What is not set goes on from where it has come to. */
        input[0] = now.value;
        input[1] = now.first;
        input[3] = ff_time(v->solver);
        input[place.derivative] = value;
    } else
        *ff_state_at(v, place) = value;
    return FF_OK;
}

/* Set the states of model exchange, places and velocities, 2 n numbers; what is not finite comes of an
   integrator that went astray. */
static inline int ff_set_states(ff_variables *v, const double *x, size_t count)
{
    if (count != 2 * (size_t)v->solver->model->matrices.n)
        return FF_ARGUMENT;
    if (!ff_finite(count, x))
        return FF_UNBOUNDED;
    memcpy(ff_places(v->solver), x, count * sizeof(double));
    v->settled = 0;
    return FF_OK;
}

/* Set a derivative of an input, whose number of variable is that of the input or of a derivative. */
static inline int ff_write_derivative(ff_variables *v, unsigned reference, int order, double value)
{
    const ff_variable_place place = ff_find(v->solver->model, reference);
    if (place.kind != FF_IS_INPUT || order < 1 || order > 2 - place.derivative)
        return FF_ARGUMENT;
    return ff_write(v, reference + (unsigned)order, value);
}

/* The whole state moved by small amounts of known variables, to differ outputs with; kept: room for it. */
static inline int ff_moved(ff_variables *v, const unsigned *known, size_t count,
                           const double *amounts, double scale, const unsigned *unknown,
                           size_t sought, double *kept, double *values)
{
    ff_instance *s = v->solver;
    const size_t bytes = ff_states(s->model) * sizeof(double);
    memcpy(kept, s->state, bytes);
    const int settled = v->settled;
    int code = FF_OK;
    for (size_t k = 0; !code && k < count; ++k) {
        /* As it is there: what was moved before is not made allowed in between. */
        const double number = ff_present(v, ff_find(s->model, known[k]));
        code = ff_write(v, known[k], number + scale * amounts[k]);
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
    if (place.kind == FF_IS_INPUT) {
        place.derivative = 0;
        return 1e-5 * fmax(fabs(ff_present(v, place)), 1.0);
    }
    const double *all =
        (place.kind == FF_IS_PLACE ? ff_places : ff_velocities)(v->solver);
    double largest = 0.0;
    for (int i = 0; i < v->solver->model->matrices.n; ++i)
        largest = fmax(largest, fabs(all[i]));
    return 1e-5 * (largest > 0.0 ? largest : 1e-3);
}

/* Numbers that ff_direction works with. */
static inline size_t ff_scratch(const ff_variables *v, size_t sought)
{
    return ff_states(v->solver->model) + sought;
}

/* Derivative of unknown variables when known ones change by amounts, for a unit of the amounts.

   Accelerations are linear in states and loads and quadratic in velocities of frames, of which
   central differences are exact but for round-off; of angles and of stresses they are good to the
   square of the change. scratch: ff_scratch numbers. */
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
    double *kept = scratch, *other = scratch + ff_states(v->solver->model);
    int code = ff_moved(v, known, count, amounts, scale, unknown, sought, kept, out);
    if (!code)
        code = ff_moved(v, known, count, amounts, -scale, unknown, sought, kept, other);
    for (size_t k = 0; !code && k < sought; ++k)
        out[k] = (out[k] - other[k]) / (2.0 * scale);
    return code;
}

#endif
