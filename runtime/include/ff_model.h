/* SPDX-License-Identifier: BSD-3-Clause */
/* A model as constants, and an instance of it in one block of memory.

   Nothing is allocated after an instance is laid out, nothing is shared between instances but the
   constants, and the whole state is one array of numbers. */
#ifndef FF_MODEL_H
#define FF_MODEL_H

#include "ff_elements.h"
#include "ff_frame.h"
#include "ff_step.h"
#include "ff_time.h"

enum { FF_OK = 0, FF_SINGULAR = 1, FF_UNDEFINED = 2, FF_ARGUMENT = 3, FF_UNBOUNDED = 5 };

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
    const double *rows; /* (places, width, n), or entries one row after the other */
    const double *loads; /* (width, vectors), of a reaction */
    const int *starts;   /* (places * width + 1,) where the entries of every row begin, or 0 */
    const int *columns;  /* of every entry */
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
    const ff_mesh *mesh; /* instead of matrices and loads, or 0; vectors are nodal loads then */
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
    ff_mesh_work mesh;
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
    const size_t work = m->mesh != 0 ? ff_mesh_doubles(m->mesh, m->matrices.n, m->bodies, m->dimension)
                                     : ff_work_doubles(&m->matrices);
    const size_t doubles = 2 * ff_states(m) + 3 * (size_t)m->knots + 2 * (size_t)m->matrices.bases + n +
                           (size_t)m->vectors + work;
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
    if (m->mesh != 0)
        ff_mesh_place(m->mesh, m->matrices.n, m->bodies, m->dimension, &s->mesh, free);
    else
        ff_work_place(&m->matrices, &s->work, free,
                      (int *)(void *)(free + ff_work_doubles(&m->matrices)));
    memset(s->state, 0, states * sizeof(double));
    return s;
}

#endif
