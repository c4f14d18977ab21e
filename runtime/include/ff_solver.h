/* SPDX-License-Identifier: BSD-3-Clause */
/* A model as constants, and an instance of it that is stepped in time.

   An instance is one block of memory. Nothing is allocated after it is laid out, nothing is shared
   between instances but the constants, and its whole state is one array of numbers. */
#ifndef FF_SOLVER_H
#define FF_SOLVER_H

#include "ff_frame.h"
#include "ff_step.h"
#include "ff_time.h"

enum { FF_OK = 0, FF_SINGULAR = 1, FF_UNDEFINED = 2, FF_ARGUMENT = 3 };

/* What a constant matrix is of its body. */
enum { FF_STIFFNESS, FF_DAMPING, FF_UNIT, FF_PRESTRESS };
typedef struct {
    int body, kind, index;
} ff_base;

/* What a constant load is: of a unit block, of a unit acceleration, or a load of the model, of
   which a turning one has its global component i along axis j of the frame. */
enum { FF_INERTIA_LOAD, FF_TRANSLATION_LOAD, FF_NODAL_LOAD };
typedef struct {
    int kind, owner, index, i, j;
} ff_vector;

/* A prescribed coordinate: a function that is its position, velocity (1) or acceleration (2). */
typedef struct {
    ff_function function;
    int given;
    int knot; /* where its integrals are in the state, or -1 */
    double position, velocity; /* at time zero, where they are integrated for */
    double chunk;              /* s, longest piece of an integral */
    int kinks;
    const double *kink;
} ff_coordinate;

/* The motion of a frame: a turn about an axis, or three angular velocities; and of its origin.

   Where R is asked for with three angular velocities, the knots of the first one, two of them, hold
   the quaternion and the time it is of; its kinks are those of all three. */
typedef struct {
    int fixed_axis;
    double axis[3];
    ff_coordinate turn[3]; /* the angle, or three angular velocities */
    ff_coordinate origin[3];
    int origin_moves;
} ff_motion;

typedef struct {
    int motion;
    double alpha, beta; /* Rayleigh damping */
    int patterns;
    const double *pattern; /* (9, patterns) factors of the prestress in w~ w~ */
} ff_body;

typedef struct {
    int body, turning;
    ff_function amplitude;
    double acceleration[3];
} ff_mass_load;

typedef struct {
    int body, turning;
    ff_function amplitude;
} ff_nodal_load;

/* What an output makes of linear forms of the state: rows of every place. A reaction has a place for
   the masses and one for every other matrix, and a number for every load. */
enum { FF_COMPONENT, FF_MAGNITUDE, FF_VON_MISES, FF_PRINCIPAL, FF_REACTION };
typedef struct {
    int kind, index; /* index: which principal stress, from 0 */
    int order;       /* 0 places, 1 velocities, 2 accelerations */
    double viscosity; /* s, of velocities added to places */
    int places, width;
    int mean;        /* over the places; else the value of largest size */
    const double *rows; /* (places, width, n) */
    const double *loads; /* (width, vectors), of a reaction */
} ff_output;

typedef struct {
    ff_matrices matrices;
    ff_scheme scheme;
    ff_include include;
    int dimension;
    double step; /* s, of the model */
    int bodies, motions, vectors, mass_loads, nodal_loads, inputs, knots, outputs;
    const ff_body *body;
    const ff_motion *motion;
    const ff_base *base;
    const ff_vector *vector;
    const double *load; /* (vectors, n) */
    const ff_mass_load *mass_load;
    const ff_nodal_load *nodal_load;
    const double *input_start;
    const double *initial; /* (2, n) places and velocities at the start */
    const ff_output *output;
} ff_model;

/* The state: time at which steps of one length began, how many, their length; places, velocities,
   accelerations; added forces; inputs, four numbers each; knots, three numbers each. */
typedef struct {
    const ff_model *model;
    double *state;
    double *kept;    /* (states,) the state before a step that may fail */
    double *spare;   /* (3 * knots,) knots before they move */
    double *elastic; /* (bases,) factors, then those of velocities */
    double *viscous;
    double *force;  /* (n,) */
    double *factor; /* (vectors,) of the loads */
    ff_work work;
} ff_instance;

enum { FF_SINCE, FF_COUNT, FF_LENGTH, FF_HEAD };

static inline size_t ff_states(const ff_model *m)
{
    return FF_HEAD + 4 * (size_t)m->matrices.n + 4 * (size_t)m->inputs + 3 * (size_t)m->knots;
}

/* Bytes of an instance. */
static inline size_t ff_size(const ff_model *m)
{
    const size_t n = (size_t)m->matrices.n;
    const size_t doubles = 2 * ff_states(m) + 3 * (size_t)m->knots + 2 * (size_t)m->matrices.bases + n +
                           (size_t)m->vectors + ff_work_doubles(&m->matrices);
    return sizeof(ff_instance) + doubles * sizeof(double) + n * sizeof(int);
}

static inline double ff_time(const ff_instance *s)
{
    return s->state[FF_SINCE] + s->state[FF_COUNT] * s->state[FF_LENGTH];
}

static inline double *ff_places(const ff_instance *s) { return s->state + FF_HEAD; }
static inline double *ff_velocities(const ff_instance *s)
{
    return ff_places(s) + s->model->matrices.n;
}
static inline double *ff_second(const ff_instance *s)
{
    return ff_velocities(s) + s->model->matrices.n;
}
static inline double *ff_added(const ff_instance *s)
{
    return ff_second(s) + s->model->matrices.n;
}
static inline double *ff_inputs(const ff_instance *s)
{
    return ff_added(s) + s->model->matrices.n;
}
static inline double *ff_knots(const ff_instance *s)
{
    return ff_inputs(s) + 4 * s->model->inputs;
}

/* Lay an instance out in memory, of ff_size bytes and aligned as malloc does. */
static inline ff_instance *ff_place(const ff_model *m, void *memory)
{
    ff_instance *s = memory;
    double *free = (double *)(void *)(s + 1);
    const size_t states = ff_states(m), bases = (size_t)m->matrices.bases;
    s->model = m;
    s->state = free;
    s->kept = s->state + states;
    s->spare = s->kept + states;
    s->elastic = s->spare + 3 * (size_t)m->knots;
    s->viscous = s->elastic + bases;
    s->force = s->viscous + bases;
    s->factor = s->force + m->matrices.n;
    free = s->factor + m->vectors;
    ff_work_place(&m->matrices, &s->work, free,
                  (int *)(void *)(free + ff_work_doubles(&m->matrices)));
    memset(s->state, 0, states * sizeof(double));
    return s;
}

/* Integrals of a coordinate at a time, from its knot, which stays. */
static inline ff_knot ff_integrals(const ff_instance *s, const ff_coordinate *c, double t)
{
    const double *kept = ff_knots(s) + 3 * c->knot;
    ff_knot knot = {kept[0], kept[1], kept[2]};
    ff_move(&knot, c->function, ff_inputs(s), c->chunk, c->kinks, c->kink, t);
    return knot;
}

/* Position, velocity and acceleration of a coordinate at a time. */
static inline ff_jet ff_coordinate_at(const ff_instance *s, const ff_coordinate *c, double t)
{
    const ff_jet f = c->function(t, ff_inputs(s));
    if (c->given == 0)
        return f;
    ff_knot knot = {t, 0.0, 0.0};
    if (c->knot >= 0)
        knot = ff_integrals(s, c, t);
    if (c->given == 1)
        return (ff_jet){c->position + knot.once, f.value, f.first};
    return (ff_jet){c->position + c->velocity * t + knot.twice, c->velocity + knot.once, f.value};
}

/* Take a quaternion from t over a short time: Gauss's method of three stages, order 6. */
static inline void ff_turn_piece(const ff_instance *s, const ff_motion *motion, double *q, double t,
                                 double h)
{
    const double r = 3.8729833462074168852; /* the root of 15 */
    const double at[3] = {0.5 - r / 10.0, 0.5, 0.5 + r / 10.0};
    const double matrix[3][3] = {
        {5.0 / 36.0, 2.0 / 9.0 - r / 15.0, 5.0 / 36.0 - r / 30.0},
        {5.0 / 36.0 + r / 24.0, 2.0 / 9.0, 5.0 / 36.0 - r / 24.0},
        {5.0 / 36.0 + r / 30.0, 2.0 / 9.0 + r / 15.0, 5.0 / 36.0}};
    double w[3][3], rate[3][4] = {{0.0}};
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < 3; ++i)
            w[k][i] = motion->turn[i].function(t + at[k] * h, ff_inputs(s)).value;
    for (int sweep = 0; sweep < 12; ++sweep) /* each leaves a fortieth of the error, or less */
        for (int k = 0; k < 3; ++k) {
            double there[4];
            for (int i = 0; i < 4; ++i)
                there[i] = q[i] + h * (matrix[k][0] * rate[0][i] + matrix[k][1] * rate[1][i] +
                                       matrix[k][2] * rate[2][i]);
            ff_half_product(there, w[k], rate[k]);
        }
    for (int i = 0; i < 4; ++i)
        q[i] += h * (5.0 * rate[0][i] + 8.0 * rate[1][i] + 5.0 * rate[2][i]) / 18.0;
}

/* Quaternion of a frame at a time, from its knots, which stay. */
static inline void ff_turned(const ff_instance *s, const ff_motion *motion, double t, double *q)
{
    const ff_coordinate *c = &motion->turn[0];
    const double *kept = ff_knots(s) + 3 * c->knot;
    double begin = kept[4];
    memcpy(q, kept, 4 * sizeof(double));
    while (begin != t) {
        const double end = ff_next(begin, t, c->chunk, c->kinks, c->kink);
        if (end == begin)
            break; /* a time so large that a chunk is lost in it */
        double square = 0.0;
        for (int i = 0; i < 3; ++i) {
            const double early = motion->turn[i].function(begin, ff_inputs(s)).value;
            const double late = motion->turn[i].function(end, ff_inputs(s)).value;
            square += fmax(early * early, late * late);
        }
        /* At most a twentieth of a radian a piece; what is not finite is found out later. */
        const double wanted = ceil(20.0 * sqrt(square) * fabs(end - begin));
        const int count = wanted >= 1.0 && wanted < 1e6 ? (int)wanted : 1;
        const double h = (end - begin) / count;
        for (int k = 0; k < count; ++k)
            ff_turn_piece(s, motion, q, begin + k * h, h);
        begin = end;
    }
}

/* Motion of a frame at a time. */
static inline void ff_motion_at(const ff_instance *s, const ff_motion *motion, double t,
                                ff_frame *frame)
{
    memset(frame, 0, sizeof *frame);
    frame->R[0] = frame->R[4] = frame->R[8] = 1.0;
    if (motion->fixed_axis) {
        const ff_jet angle = ff_coordinate_at(s, &motion->turn[0], t);
        ff_about_axis(motion->axis, angle.value, frame->R);
        for (int i = 0; i < 3; ++i) {
            frame->w[i] = angle.first * motion->axis[i];
            frame->e[i] = angle.second * motion->axis[i];
        }
    } else
        for (int i = 0; i < 3; ++i) {
            const ff_jet w = motion->turn[i].function(t, ff_inputs(s));
            frame->w[i] = w.value;
            frame->e[i] = w.first;
        }
    if (!motion->fixed_axis && motion->turn[0].knot >= 0) {
        double q[4];
        ff_turned(s, motion, t, q);
        ff_of_quaternion(q, frame->R);
    }
    if (motion->origin_moves)
        for (int i = 0; i < 3; ++i) {
            const double a = ff_coordinate_at(s, &motion->origin[i], t).second;
            for (int j = 0; j < 3; ++j)
                frame->a[j] += frame->R[3 * i + j] * a;
        }
}

/* Factors of the matrices of one body. */
static inline void ff_matrix_factors(ff_instance *s, int number, const ff_blocks *blocks)
{
    const ff_model *m = s->model;
    const ff_body *body = m->body + number;
    const int units = m->dimension == 2 ? 2 : 9;
    for (int b = 0; b < m->matrices.bases; ++b) {
        const ff_base *base = m->base + b;
        if (base->body != number)
            continue;
        double *elastic = s->elastic + b, *viscous = s->viscous + b;
        *elastic = base->kind == FF_STIFFNESS;
        *viscous = base->kind == FF_DAMPING ? 1.0 : base->kind == FF_STIFFNESS ? body->beta : 0.0;
        if (base->kind == FF_UNIT) {
            const int k = base->index;
            const int identity = units == 2 ? k == 0 : k == 3 || k == 6 || k == 8;
            *elastic = blocks->stiffness[k];
            *viscous = blocks->coriolis[k] + (identity ? body->alpha : 0.0);
        }
        if (base->kind == FF_PRESTRESS)
            for (int k = 0; k < 9; ++k)
                *elastic += blocks->centrifugal[k] * body->pattern[k * body->patterns + base->index];
    }
}

/* Force per mass on a body, acceleration of its frame among it. */
static inline void ff_pull(const ff_instance *s, int number, const ff_frame *frame, double t,
                           double *pull)
{
    const ff_model *m = s->model;
    for (int j = 0; j < 3; ++j)
        pull[j] = -frame->a[j] * m->include.origin_load;
    for (int k = 0; k < m->mass_loads; ++k) {
        const ff_mass_load *load = m->mass_load + k;
        if (load->body != number)
            continue;
        const double amplitude = load->amplitude(t, ff_inputs(s)).value;
        for (int j = 0; j < 3; ++j) {
            double local = load->acceleration[j];
            if (load->turning) {
                local = 0.0;
                for (int i = 0; i < 3; ++i)
                    local += frame->R[3 * i + j] * load->acceleration[i];
            }
            pull[j] += amplitude * local;
        }
    }
}

/* Set factors and force for a time. */
static inline int ff_evaluate(ff_instance *s, double t)
{
    const ff_model *m = s->model;
    const int n = m->matrices.n;
    memcpy(s->force, ff_added(s), (size_t)n * sizeof(double));
    for (int number = 0; number < m->bodies; ++number) {
        ff_frame frame;
        ff_blocks blocks;
        double pull[3];
        ff_motion_at(s, m->motion + m->body[number].motion, t, &frame);
        ff_inertia(&frame, &m->include, m->dimension, &blocks);
        ff_matrix_factors(s, number, &blocks);
        ff_pull(s, number, &frame, t, pull);
        for (int k = 0; k < m->vectors; ++k) {
            const ff_vector *vector = m->vector + k;
            const int load = vector->kind == FF_NODAL_LOAD;
            if ((load ? m->nodal_load[vector->owner].body : vector->owner) != number)
                continue;
            double factor;
            if (load) {
                factor = m->nodal_load[vector->owner].amplitude(t, ff_inputs(s)).value;
                if (m->nodal_load[vector->owner].turning)
                    factor *= frame.R[3 * vector->i + vector->j];
            } else
                factor = vector->kind == FF_INERTIA_LOAD ? blocks.load[vector->index]
                                                         : pull[vector->index];
            s->factor[k] = factor;
            for (int i = 0; i < n; ++i)
                s->force[i] += factor * m->load[(long)k * n + i];
        }
    }
    for (int b = 0; b < m->matrices.bases; ++b)
        if (!isfinite(s->elastic[b]) || !isfinite(s->viscous[b]))
            return FF_UNDEFINED;
    for (int i = 0; i < n; ++i)
        if (!isfinite(s->force[i]))
            return FF_UNDEFINED;
    return FF_OK;
}

/* Move the knots of all integrals to a time; they stay where one is not known there. */
static inline int ff_move_knots(ff_instance *s, double t)
{
    const ff_model *m = s->model;
    const size_t numbers = 3 * (size_t)m->knots;
    double *knots = ff_knots(s);
    memcpy(s->spare, knots, numbers * sizeof(double));
    for (int k = 0; k < m->motions; ++k) {
        const ff_motion *motion = m->motion + k;
        if (!motion->fixed_axis && motion->turn[0].knot >= 0) {
            double *kept = knots + 3 * motion->turn[0].knot, q[4];
            ff_turned(s, motion, t, q);
            memcpy(kept, q, sizeof q);
            kept[4] = t;
        }
        for (int i = motion->fixed_axis ? 0 : 3; i < 6; ++i) {
            const ff_coordinate *c = i < 3 ? &motion->turn[i] : &motion->origin[i - 3];
            if (c->knot < 0 || (i > 0 && i < 3 && motion->fixed_axis))
                continue;
            const ff_knot knot = ff_integrals(s, c, t);
            double *kept = knots + 3 * c->knot;
            kept[0] = knot.time;
            kept[1] = knot.once;
            kept[2] = knot.twice;
        }
    }
    for (size_t k = 0; k < numbers; ++k)
        if (!isfinite(knots[k])) {
            memcpy(knots, s->spare, numbers * sizeof(double));
            return FF_UNDEFINED;
        }
    return FF_OK;
}

/* Set the accelerations that balance the forces of the time reached. */
static inline int ff_settle(ff_instance *s)
{
    const int code = ff_evaluate(s, ff_time(s));
    if (code)
        return code;
    return ff_accelerations(&s->model->matrices, &s->work, s->elastic, s->viscous, s->force,
                            ff_places(s), ff_velocities(s), ff_second(s))
               ? FF_SINGULAR
               : FF_OK;
}

/* Begin at a time with the initial state of the model and the inputs it starts with. On an error
   the state is as before. */
static inline int ff_start(ff_instance *s, double t)
{
    const ff_model *m = s->model;
    const size_t bytes = ff_states(m) * sizeof(double);
    if (!isfinite(t))
        return FF_ARGUMENT;
    memcpy(s->kept, s->state, bytes);
    memset(s->state, 0, bytes);
    memcpy(ff_places(s), m->initial, 2 * (size_t)m->matrices.n * sizeof(double));
    for (int k = 0; k < m->inputs; ++k) {
        ff_inputs(s)[4 * k] = m->input_start[k];
        ff_inputs(s)[4 * k + 3] = t;
    }
    for (int k = 0; k < m->motions; ++k)
        if (!m->motion[k].fixed_axis && m->motion[k].turn[0].knot >= 0)
            ff_knots(s)[3 * m->motion[k].turn[0].knot] = 1.0; /* not turned at time zero */
    s->state[FF_SINCE] = t;
    int code = ff_move_knots(s, t);
    if (!code)
        code = ff_settle(s);
    if (code)
        memcpy(s->state, s->kept, bytes);
    return code;
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

/* Begin at another time, with the states and the values of inputs that are there. */
static inline int ff_shift(ff_instance *s, double t)
{
    const int code = ff_set_time(s, t);
    for (int k = 0; !code && k < s->model->inputs; ++k)
        ff_inputs(s)[4 * k + 3] = t;
    return code ? code : ff_move_knots(s, t);
}

/* Take one step. On an error the state is as before. */
static inline int ff_take(ff_instance *s, double h)
{
    const ff_model *m = s->model;
    if (!(h > 0.0) || !isfinite(h))
        return FF_ARGUMENT;
    const size_t bytes = ff_states(m) * sizeof(double);
    memcpy(s->kept, s->state, bytes);
    if (s->state[FF_LENGTH] != h) {
        s->state[FF_SINCE] = ff_time(s);
        s->state[FF_COUNT] = 0.0;
        s->state[FF_LENGTH] = h;
    }
    const double begin = s->state[FF_SINCE] + s->state[FF_COUNT] * h;
    const double at = s->state[FF_SINCE] +
                      (s->state[FF_COUNT] + (1.0 - m->scheme.alpha_f)) * h;
    int code = begin + h > begin ? ff_evaluate(s, at) : FF_ARGUMENT;
    if (!code && ff_step(&m->matrices, &m->scheme, h, s->elastic, s->viscous, s->force, &s->work,
                         ff_places(s), ff_velocities(s), ff_second(s)))
        code = FF_SINGULAR;
    s->state[FF_COUNT] += 1.0;
    if (!code)
        code = ff_move_knots(s, ff_time(s));
    if (code)
        memcpy(s->state, s->kept, bytes);
    return code;
}

/* Take equal steps, none longer than that of the model, up to a time. */
static inline int ff_advance(ff_instance *s, double until)
{
    const double span = until - ff_time(s), longest = s->model->step;
    if (!isfinite(until) || span < -1e-9 * longest)
        return FF_ARGUMENT;
    if (span <= 1e-9 * longest)
        return FF_OK;
    /* A span of whole steps, but for round-off, takes those of the model, bit by bit. */
    const double wanted = ceil(span / longest - 1e-9);
    const int whole = fabs(span - wanted * longest) <= 1e-9 * longest;
    const double h = whole ? longest : span / wanted;
    for (double k = 0.0; k < wanted; ++k) {
        const int code = ff_take(s, h);
        if (code)
            return code;
    }
    return FF_OK;
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

/* The value of an output at one of its places. */
static inline double ff_output_at(const ff_instance *s, const ff_output *output, int place)
{
    const int n = s->model->matrices.n;
    const double *x = output->order == 0   ? ff_places(s)
                      : output->order == 1 ? ff_velocities(s)
                                           : ff_second(s);
    double f[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    for (int k = 0; k < output->width; ++k) {
        const double *row = output->rows + ((long)place * output->width + k) * n;
        for (int i = 0; i < n; ++i)
            f[k] += row[i] * x[i];
        if (output->viscosity != 0.0)
            for (int i = 0; i < n; ++i)
                f[k] += output->viscosity * row[i] * ff_velocities(s)[i];
    }
    if (output->kind == FF_COMPONENT)
        return f[0];
    if (output->kind == FF_MAGNITUDE)
        return sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]);
    if (output->kind == FF_VON_MISES) {
        const double x1 = f[0] - f[1], x2 = f[1] - f[2], x3 = f[2] - f[0];
        return sqrt(0.5 * (x1 * x1 + x2 * x2 + x3 * x3) +
                    3.0 * (f[3] * f[3] + f[4] * f[4] + f[5] * f[5]));
    }
    double found[3];
    ff_principal(f, found);
    return found[output->index];
}

/* A component of what supports do to a body, with the factors of the time reached. */
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
    }
    for (int k = 0; k < m->vectors; ++k)
        sum -= s->factor[k] * output->loads[(long)component * m->vectors + k];
    return sum;
}

/* The value of an output at the time reached; NAN where it cannot be computed. */
static inline double ff_output_value(ff_instance *s, int index)
{
    const ff_output *output = s->model->output + index;
    if (output->kind == FF_REACTION) {
        double squares = 0.0, value = 0.0;
        if (ff_evaluate(s, ff_time(s)))
            return NAN;
        for (int k = 0; k < output->width; ++k) {
            value = ff_reaction(s, output, k);
            squares += value * value;
        }
        return output->width == 1 ? value : sqrt(squares);
    }
    double sum = 0.0, largest = 0.0;
    for (int place = 0; place < output->places; ++place) {
        const double value = ff_output_at(s, output, place);
        sum += value;
        if (place == 0 || fabs(value) > fabs(largest))
            largest = value;
    }
    return output->mean ? sum / output->places : largest;
}

#endif
