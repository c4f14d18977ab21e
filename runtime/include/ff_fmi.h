/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared code of the FMI wrappers: variables by number, directional derivatives.

   Numbers of variables (value references): 0 is time, 1 + 3 k + j is the j-th derivative of input k;
   outputs follow, then coordinates, velocities and accelerations; for links whose motion is found
   coordinates, speeds, the rates of both, and formulas of events of forces, which are where one falls below
   zero. */
#ifndef FF_FMI_H
#define FF_FMI_H

#include "ff_events.h"
#include "ff_outputs.h"

typedef struct {
    ff_instance *solver;
    int settled; /* whether accelerations are up to date with state and inputs */
    ff_events events; /* of model exchange */
    double aside;     /* s, from the time of the solver to the time that was set */
} ff_variables;

enum {
    FF_NO_VARIABLE,
    FF_IS_INPUT,
    FF_IS_OUTPUT,
    FF_IS_PLACE,
    FF_IS_VELOCITY,
    FF_IS_SECOND,
    FF_IS_RATE,
    FF_IS_INDICATOR
};
typedef struct {
    int kind, index, derivative;
} ff_variable_place;

static inline ff_variable_place ff_find(const ff_model *m, unsigned reference)
{
    long k = (long)reference - 1;
    const long places = (long)ff_place_count(m), speeds = (long)ff_speed_count(m);
    if (k < 0)
        return (ff_variable_place){FF_NO_VARIABLE, 0, 0};
    if (k < 3L * m->inputs)
        return (ff_variable_place){FF_IS_INPUT, (int)(k / 3), (int)(k % 3)};
    k -= 3L * m->inputs;
    if (k < m->outputs)
        return (ff_variable_place){FF_IS_OUTPUT, (int)k, 0};
    k -= m->outputs;
    if (k < places)
        return (ff_variable_place){FF_IS_PLACE, (int)k, 0};
    k -= places;
    if (k < speeds)
        return (ff_variable_place){FF_IS_VELOCITY, (int)k, 0};
    k -= speeds;
    if (ff_found_of(m) != 0 && k < places)
        return (ff_variable_place){FF_IS_RATE, (int)k, 0};
    k -= ff_found_of(m) ? places : 0;
    if (k < speeds)
        return (ff_variable_place){FF_IS_SECOND, (int)k, 0};
    k -= speeds;
    if (ff_switching(m) && k < ff_found_of(m)->links->events)
        return (ff_variable_place){FF_IS_INDICATOR, (int)k, 0};
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

/* What event indicators are above the formulas of events: an integrator that stops just before its root is then
   behind that of the formula, m or what it is of. */
static const double ff_indicated = 1e-9;

/* Number of event indicators, and their values: formulas of events of forces. */
static inline size_t ff_indicator_count(const ff_variables *v)
{
    const ff_model *m = v->solver->model;
    return ff_switching(m) ? (size_t)ff_found_of(m)->links->events : 0;
}
static inline int ff_indicators(ff_variables *v, double *out)
{
    const int code = ff_make_settled(v);
    if (code || !ff_indicator_count(v))
        return code;
    ff_switch_look(v->solver, out);
    for (size_t e = 0; e < ff_indicator_count(v); ++e)
        out[e] += ff_indicated;
    return FF_OK;
}

/* Let the events of forces happen whose formulas have fallen below zero; changed: whether there were any. */
static inline int ff_switch_fired(ff_variables *v, int *changed)
{
    ff_instance *s = v->solver;
    *changed = 0;
    if (!ff_indicator_count(v))
        return FF_OK;
    int code = ff_make_settled(v);
    if (code)
        return code;
    const ff_switches own = ff_switches_of(s);
    const size_t bytes = ff_indicator_count(v) * sizeof(double);
    if (!ff_fired_at(s).count) {
        memcpy(own.when, own.due, bytes);
        memset(own.due, 0, bytes);
        return FF_OK;
    }
    memcpy(own.due, s->fired, bytes);
    *changed = 1;
    code = ff_switch(s);
    v->settled = code == FF_OK;
    return code;
}

/* Handle the events at the time reached; afterwards the next branch of the functions applies. changed: whether
   states have jumped. */
static inline int ff_handle_events(ff_variables *v, int *changed)
{
    const double t = ff_time(v->solver) + v->aside;
    const int next = v->events.next;
    ff_pass(&v->events, t);
    const int code = v->events.next != next ? ff_set_moment(v, t) : FF_OK;
    *changed = 0;
    return code ? code : ff_switch_fired(v, changed);
}

/* Number of values saved besides the state of the solver. Averaged accelerations do not balance the
   forces, and accelerations must not be computed again. */
enum { FF_SETTLED, FF_NEXT_EVENT, FF_ASIDE, FF_BESIDE };

/* Bytes of a saved state. */
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

/* Restore a saved state; refused if it was damaged. */
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

/* Bytes of a serialized state: the fingerprint of its model, then the saved state. */
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

/* The saved state in serialized bytes; NULL if they belong to another model. */
static inline const void *ff_written(const ff_variables *v, const char *fingerprint,
                                     const void *bytes, size_t size)
{
    const size_t length = strlen(fingerprint);
    if (size != ff_written_bytes(v, fingerprint) || memcmp(bytes, fingerprint, length))
        return NULL;
    return (const char *)bytes + length;
}

/* Restart: no event is handled yet. */
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

/* Address of the value of a state. */
static inline double *ff_state_at(const ff_variables *v, ff_variable_place place)
{
    return (place.kind == FF_IS_PLACE      ? ff_places
            : place.kind == FF_IS_VELOCITY ? ff_velocities
                                           : ff_second)(v->solver) +
           place.index;
}

/* Number of states of model exchange, and their rates; accelerations must be up to date. */
static inline size_t ff_state_count(const ff_variables *v)
{
    const ff_model *m = v->solver->model;
    return ff_place_count(m) + ff_speed_count(m);
}
static inline void ff_state_rates(const ff_variables *v, double *out)
{
    const ff_instance *s = v->solver;
    const ff_model *m = s->model;
    size_t poses = 0;
    for (int link = 0; ff_found_of(m) && link < ff_found_of(m)->links->linkage->links; ++link, poses += FF_POSE)
        ff_pose_rates(s, link, out + poses);
    const size_t others = ff_place_count(m) - poses;
    memcpy(out + poses, ff_velocities(s) + (ff_found_of(m) ? ff_found_of(m)->rigid : 0), others * sizeof(double));
    memcpy(out + ff_place_count(m), ff_second(s), ff_speed_count(m) * sizeof(double));
}

/* Rate of a coordinate of links whose motion is found. */
static inline double ff_rate_of(const ff_variables *v, int index)
{
    const ff_found *f = ff_found_of(v->solver->model);
    const int poses = FF_POSE * f->links->linkage->links;
    double rates[FF_POSE];
    if (index >= poses)
        return ff_velocities(v->solver)[f->rigid + index - poses];
    ff_pose_rates(v->solver, index / FF_POSE, rates);
    return rates[index % FF_POSE];
}

/* Begin model exchange: what an integrator leaves open of joints is closed within some ten steps. */
static inline void ff_exchange(ff_variables *v) { v->solver->pull = 0.1 / v->solver->model->step; }

/* Accept the time reached by an integrator: angles are counted from there. fired: whether formulas of events have
   fallen below zero, which an integrator does not see if they were above for less than a step. */
static inline int ff_accept(ff_variables *v, int *fired)
{
    *fired = 0;
    ff_instance *s = v->solver;
    int code = ff_move_knots(s, ff_time(s));
    if (code || ff_found_of(s->model) == 0)
        return code;
    code = ff_found_seen(s);
    if (!code)
        ff_found_count(s);
    if (!code && ff_indicator_count(v)) { /* those that have not fired: others are to happen at an event */
        const ff_switches own = ff_switches_of(s);
        code = ff_make_settled(v);
        if (code)
            return code;
        const ff_multibody *m = ff_found_of(s->model)->links;
        ff_switch_look(s, own.due);
        for (int k = 0; k < m->forces; ++k)
            for (int i = 0; i < m->force[k].events; ++i) {
                const int e = m->force[k].first_event + i, falls = ff_switch_falls(&own, m->force + k, i);
                if (!falls)
                    own.when[e] = own.due[e];
                *fired |= falls;
                own.due[e] = 0.0;
            }
    }
    return code;
}

/* Value of an input, extrapolated to the time reached, or of a state. */
static inline double ff_present(const ff_variables *v, ff_variable_place place)
{
    if (place.kind != FF_IS_INPUT)
        return *ff_state_at(v, place);
    const ff_jet now = ff_input(ff_time(v->solver), ff_inputs(v->solver) + 4 * place.index);
    return place.derivative == 0 ? now.value : place.derivative == 1 ? now.first : now.second;
}

/* Value of a variable. Positions and velocities of tied bodies that violate joints are projected before
   any value that depends on them is read. */
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
        int balance = m->tied != 0 || ff_found_of(m) != 0 || place.kind == FF_IS_SECOND;
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
    if (place.kind == FF_IS_RATE) {
        *value = ff_rate_of(v, place.index);
        return FF_OK;
    }
    if (place.kind == FF_IS_INDICATOR) {
        const int code = ff_indicators(v, v->solver->fired);
        *value = v->solver->fired[place.index];
        return code;
    }
    *value = ff_present(v, place);
    return FF_OK;
}

/* Set an input, or a state. */
static inline int ff_write(ff_variables *v, unsigned reference, double value)
{
    const ff_variable_place place = ff_find(v->solver->model, reference);
    if (!isfinite(value) || place.kind == FF_NO_VARIABLE || place.kind == FF_IS_OUTPUT ||
        place.kind >= FF_IS_SECOND)
        return FF_ARGUMENT;
    v->settled = 0;
    if (place.kind == FF_IS_INPUT) {
        double *input = ff_inputs(v->solver) + 4 * place.index;
        const ff_jet now = ff_input(ff_time(v->solver), input);
        /* Values that are not set continue from their current ones. */
        input[0] = now.value;
        input[1] = now.first;
        input[3] = ff_time(v->solver);
        input[place.derivative] = value;
    } else
        *ff_state_at(v, place) = value;
    return FF_OK;
}

/* Set the states of model exchange, positions and velocities; values that are not finite indicate a
   diverged integrator. Quaternions are of unit length here, whatever length the integrator's have. */
static inline int ff_set_states(ff_variables *v, const double *x, size_t count)
{
    if (count != ff_state_count(v))
        return FF_ARGUMENT;
    if (!ff_finite(count, x))
        return FF_UNBOUNDED;
    memcpy(ff_places(v->solver), x, count * sizeof(double));
    if (ff_found_of(v->solver->model))
        ff_found_norm(v->solver);
    v->settled = 0;
    return FF_OK;
}

/* Set a derivative of an input, given the number of the input or of one of its derivatives. */
static inline int ff_write_derivative(ff_variables *v, unsigned reference, int order, double value)
{
    const ff_variable_place place = ff_find(v->solver->model, reference);
    if (place.kind != FF_IS_INPUT || order < 1 || order > 2 - place.derivative)
        return FF_ARGUMENT;
    return ff_write(v, reference + (unsigned)order, value);
}

/* Perturb the state by small changes of known variables, to difference outputs; kept: saves the state. */
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
        /* Read the raw value: no projection between perturbations. */
        const double number = ff_present(v, ff_find(s->model, known[k]));
        code = ff_write(v, known[k], number + scale * amounts[k]);
    }
    for (size_t k = 0; !code && k < sought; ++k)
        code = ff_read(v, unknown[k], &values[k]);
    memcpy(s->state, kept, bytes);
    v->settled = settled;
    return code;
}

/* Perturbation of a variable for differences: a small fraction of its size, or of that of all
   coordinates or velocities. */
static inline double ff_small(const ff_variables *v, ff_variable_place place)
{
    if (place.kind == FF_IS_INPUT) {
        place.derivative = 0;
        return 2e-4 * fmax(fabs(ff_present(v, place)), 1.0);
    }
    const double *all =
        (place.kind == FF_IS_PLACE ? ff_places : ff_velocities)(v->solver);
    const size_t count = place.kind == FF_IS_PLACE ? ff_place_count(v->solver->model)
                                                   : ff_speed_count(v->solver->model);
    double largest = 0.0;
    for (size_t i = 0; i < count; ++i)
        largest = fmax(largest, fabs(all[i]));
    return 2e-4 * (largest > 0.0 ? largest : 1e-3);
}

/* Number of doubles of workspace of ff_direction. */
static inline size_t ff_scratch(const ff_variables *v, size_t sought)
{
    return ff_states(v->solver->model) + sought;
}

/* Directional derivative of unknown variables along changes of known variables.

   Central differences of sixth order: exact up to round-off, some 1e-12, but where a function changes within
   some 1e-3 of the size of its variable. scratch: ff_scratch numbers. */
static inline int ff_direction(ff_variables *v, const unsigned *known, size_t count,
                               const double *amounts, const unsigned *unknown, size_t sought,
                               double *scratch, double *out)
{
    double scale = INFINITY;
    for (size_t k = 0; k < count; ++k) {
        const ff_variable_place place = ff_find(v->solver->model, known[k]);
        if (place.kind == FF_NO_VARIABLE || place.kind == FF_IS_OUTPUT ||
            place.kind >= FF_IS_SECOND || !isfinite(amounts[k]))
            return FF_ARGUMENT;
        if (amounts[k] != 0.0)
            scale = fmin(scale, ff_small(v, place) / fabs(amounts[k]));
    }
    if (isinf(scale)) {
        for (size_t k = 0; k < sought; ++k)
            out[k] = 0.0;
        return FF_OK;
    }
    static const double weight[] = {45.0 / 60.0, -9.0 / 60.0, 1.0 / 60.0};
    double *kept = scratch, *values = scratch + ff_states(v->solver->model);
    int code = FF_OK;
    memset(out, 0, sought * sizeof(double));
    for (int side = 0; !code && side < 6; ++side) {
        const int far = side / 2, sign = side % 2 ? -1 : 1;
        code = ff_moved(v, known, count, amounts, sign * (far + 1) * scale, unknown, sought, kept, values);
        for (size_t k = 0; !code && k < sought; ++k)
            out[k] += sign * weight[far] / scale * values[k];
    }
    return code;
}

#endif
