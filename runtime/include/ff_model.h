/* SPDX-License-Identifier: BSD-3-Clause */
/* A model as constants, and an instance of it in one block of memory.

   Nothing is allocated after an instance is laid out, nothing is shared between instances but the
   constants, and the whole state is one array of numbers. */
#ifndef FF_MODEL_H
#define FF_MODEL_H

#include "ff_frame.h"
#include "ff_linkage_step.h"
#include "ff_step.h"
#include "ff_time.h"

enum {
    FF_OK = 0,
    FF_SINGULAR = 1,
    FF_UNDEFINED = 2,
    FF_ARGUMENT = 3,
    FF_LOCKED = 5,           /* the mechanism does not get to that time */
    FF_SINGULAR_POSITION = 6 /* it comes to a singular position on the way */
}; /* 4: too little memory, of those who ask for it */

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

/* A body moves by a motion, or with a link of the mechanism; the other number is -1. */
typedef struct {
    int motion;
    double alpha, beta; /* Rayleigh damping */
    int patterns;
    const double *pattern; /* (9, patterns) factors of the prestress in w~ w~ */
    int link;
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
    const ff_linkage *linkage;   /* the mechanism, or 0 */
    const ff_coordinate *driver; /* (drivers,) of it */
    const double *assembled;     /* its state at time zero */
} ff_model;

/* The state: time at which steps of one length began, how many, their length; places, velocities,
   accelerations; added forces; inputs, four numbers each; knots, three numbers each; the state of the
   mechanism. */
typedef struct {
    const ff_model *model;
    double *state;
    double *kept;    /* (states,) the state before a step that may fail */
    double *spare;   /* (3 * knots,) knots before they move */
    double *elastic; /* (bases,) factors, then those of velocities */
    double *viscous;
    double *force;  /* (n,) */
    double *factor; /* (vectors,) of the loads */
    double *driven; /* (drivers, 3) */
    double *reached; /* state of the mechanism at a time asked for */
    ff_work work;
    ff_linkage_work links;
} ff_instance;

enum { FF_SINCE, FF_COUNT, FF_LENGTH, FF_HEAD };

/* Numbers of the state of the mechanism, and of the doubles and ints to work on it with. */
static inline size_t ff_linked(const ff_model *m)
{
    return m->linkage ? ff_linkage_states(m->linkage) : 0;
}
static inline size_t ff_linked_doubles(const ff_model *m)
{
    if (!m->linkage)
        return 0;
    return ff_linked(m) + 3 * (size_t)m->linkage->drivers + ff_linkage_doubles(m->linkage);
}
static inline size_t ff_linked_ints(const ff_model *m)
{
    return m->linkage ? ff_linkage_ints(m->linkage) : 0;
}

static inline size_t ff_states(const ff_model *m)
{
    return FF_HEAD + 4 * (size_t)m->matrices.n + 4 * (size_t)m->inputs + 3 * (size_t)m->knots +
           ff_linked(m);
}

/* Bytes of an instance. */
static inline size_t ff_size(const ff_model *m)
{
    const size_t n = (size_t)m->matrices.n;
    const size_t doubles = 2 * ff_states(m) + 3 * (size_t)m->knots +
                           2 * (size_t)m->matrices.bases + n + (size_t)m->vectors +
                           ff_work_doubles(&m->matrices) + ff_linked_doubles(m);
    return sizeof(ff_instance) + doubles * sizeof(double) + (n + ff_linked_ints(m)) * sizeof(int);
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
static inline double *ff_linked_state(const ff_instance *s)
{
    return ff_knots(s) + 3 * s->model->knots;
}

/* Lay an instance out in memory, of ff_size bytes and aligned as malloc does. */
static inline ff_instance *ff_place(const ff_model *m, void *memory)
{
    ff_instance *s = memory;
    double *free = (double *)(void *)(s + 1);
    int *ints;
    const size_t states = ff_states(m), bases = (size_t)m->matrices.bases;
    s->model = m;
    s->state = free;
    s->kept = s->state + states;
    s->spare = s->kept + states;
    s->elastic = s->spare + 3 * (size_t)m->knots;
    s->viscous = s->elastic + bases;
    s->force = s->viscous + bases;
    s->factor = s->force + m->matrices.n;
    s->driven = s->factor + m->vectors;
    s->reached = s->driven + (m->linkage ? 3 * m->linkage->drivers : 0);
    free = s->reached + ff_linked(m);
    ints = (int *)(void *)(free + ff_work_doubles(&m->matrices) +
                           (m->linkage ? ff_linkage_doubles(m->linkage) : 0));
    ff_work_place(&m->matrices, &s->work, free, ints);
    if (m->linkage)
        ff_linkage_place(m->linkage, &s->links, free + ff_work_doubles(&m->matrices),
                         ints + m->matrices.n);
    memset(s->state, 0, states * sizeof(double));
    return s;
}

#endif
