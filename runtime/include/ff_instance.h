/* SPDX-License-Identifier: BSD-3-Clause */
/* An instance of a model in one block of memory.

   No memory is allocated after its layout, and its whole state is one array of doubles. */
#ifndef FF_INSTANCE_H
#define FF_INSTANCE_H

#include "ff_model.h"

/* The state: start time of a run of equal steps, their number and length, and the length of the last
   step; added forces; positions, velocities, accelerations, and, except for a mesh, averaged accelerations;
   inputs, four numbers each; knots, three numbers each; the state of the mechanism; for tied bodies the
   positions one step before, the predicted ones, the choice of speeds, and the momenta of canonical steps; for links whose motion is found
   the multipliers, what laws of force keep and their events, the coordinates of joints that angles are chosen
   closest to, and if steps adapt how they do.
   Positions of such links are their poses, then elastic coordinates; velocities and all else are of the speeds. */
typedef struct ff_instance ff_instance;
struct ff_instance {
    const ff_model *model;
    double *state;
    double *kept;    /* (states,) the state before a step that may fail */
    double *spare;   /* (3 * knots,) knots before they move */
    double *elastic; /* (bases,) factors, then those of velocities */
    double *viscous;
    double *force;       /* (n,) */
    double *factor;      /* (vectors,) of the loads */
    double *amplitude;   /* (nodal_loads,) */
    double *shift;       /* (givens, 3) displacements of supports and two rates */
    double *driven;      /* (drivers, 3) */
    double *reached;     /* state of the mechanism at the requested time */
    double *rows;        /* (3, entries) of J, J', J'' at that time */
    double *jacobians;   /* rows of all joints at that time */
    double *multipliers; /* (m,) */
    double *momentum;    /* (bases,) factors of displacements in momenta, of canonical steps */
    double *own;         /* (n,) momenta of the motion of the frames */
    double *nothing;     /* for links whose motion is found: (speeds,) zeros, room for the start */
    double *aside;
    double *fired;       /* (events,) whether one has fired, of laws of force */
    double *struck;      /* (holds,) whether a speed that laws of force hold is struck */
    double *impact;      /* room for impacts, see ff_impact.h */
    double *seen;        /* and the state for which outputs were evaluated last, if fresh */
    int fresh;
    double *log;         /* (FF_LOGGED, 2) time and number of the last events; or 0 */
    int logged;
    int crowded;         /* events since the last step that was not almost nothing, of steps that adapt */
    int (*accepted)(ff_instance *s); /* called at the end of every step that is accepted; or 0 */
    double *works, *now; /* what it has, see ff_works.h */
    double pull;         /* 1/s, of accelerations that draw a state which is not closed onto the equations */
    ff_work work;        /* one of these four */
    ff_mesh_work mesh;
    ff_tied_work steps;
    ff_found_work found;
    ff_linkage_work links;
};

enum { FF_SINCE, FF_COUNT, FF_LENGTH, FF_PREVIOUS, FF_HEAD };

/* Of steps that adapt: the length of the next one, or 0 if none is known; error per cube of the length that the
   last ones had; numbers of those taken and refused; least and most length of those taken. */
enum { FF_PACE_NEXT, FF_PACE_ERROR, FF_PACE_TAKEN, FF_PACE_REFUSED, FF_PACE_LEAST, FF_PACE_MOST, FF_PACE };
static inline int ff_paced(const ff_model *m) { return ff_found_of(m) && ff_found_of(m)->accuracy > 0.0; }

/* Numbers of doubles of the mechanism's state and its drivers, and of doubles and ints of its
   workspace. */
static inline size_t ff_linked(const ff_model *m)
{
    return m->linkage ? ff_linkage_states(m->linkage) + 3 * (size_t)m->linkage->drivers : 0;
}
static inline size_t ff_linkage_room(const ff_model *m)
{
    return m->linkage ? ff_linkage_doubles(m->linkage) : 0;
}
static inline size_t ff_linked_ints(const ff_model *m)
{
    return m->linkage ? ff_linkage_ints(m->linkage) : 0;
}

/* Whether steps are those of Hamilton's pair. */
static inline int ff_canonical(const ff_model *m) { return m->tied && m->tied->ties.canonical; }

/* Number of doubles of tied bodies besides those of their steps. */
static inline size_t ff_tied_room(const ff_model *m)
{
    if (!m->tied)
        return 0;
    return 3 * (size_t)m->tied->ties.entries + (size_t)m->linkage->rows * FF_ELASTIC_ROW +
           (size_t)m->tied->constraints +
           (ff_canonical(m) ? (size_t)(m->matrices.bases + m->matrices.n) : 0);
}

/* Workspace of the steps of a model: matrices, a mesh, tied bodies, or links whose motion is found. */
static inline ff_tied ff_tied_of(const ff_model *m)
{
    return (ff_tied){&m->matrices, &m->tied->stiffened, &m->tied->ties};
}
static inline size_t ff_method_doubles(const ff_model *m)
{
    if (m->mesh)
        return ff_mesh_doubles(m->mesh, m->matrices.n, m->bodies, m->dimension);
    if (m->tied) {
        const ff_tied tied = ff_tied_of(m);
        return ff_tied_doubles(&tied);
    }
    if (ff_found_of(m))
        return ff_found_doubles(ff_found_of(m), m->inputs);
    return ff_work_doubles(&m->matrices);
}
static inline size_t ff_method_ints(const ff_model *m)
{
    if (m->tied) {
        const ff_tied tied = ff_tied_of(m);
        return ff_tied_ints(&tied);
    }
    if (ff_found_of(m))
        return ff_found_ints(ff_found_of(m));
    return m->mesh ? 0 : (size_t)m->matrices.n;
}
static inline void ff_method_place(ff_instance *s, double *doubles, int *ints)
{
    const ff_model *m = s->model;
    if (m->mesh)
        ff_mesh_place(m->mesh, m->matrices.n, m->bodies, m->dimension, &s->mesh, doubles);
    else if (m->tied) {
        const ff_tied tied = ff_tied_of(m);
        ff_tied_place(&tied, &s->steps, doubles, ints);
    } else if (ff_found_of(m))
        ff_found_place(ff_found_of(m), m->inputs, &s->found, doubles, ints);
    else
        ff_work_place(&m->matrices, &s->work, doubles, ints);
}

/* Numbers of positions and of speeds. */
static inline size_t ff_place_count(const ff_model *m)
{
    if (ff_found_of(m))
        return (size_t)(FF_POSE * ff_found_of(m)->links->linkage->links + ff_found_of(m)->links->elastic);
    return (size_t)m->matrices.n;
}
static inline size_t ff_speed_count(const ff_model *m)
{
    return (size_t)(ff_found_of(m) ? ff_found_of(m)->speeds : m->matrices.n);
}

/* Numbers of doubles of positions and their rates, and of the whole state. */
static inline size_t ff_motions(const ff_model *m)
{
    return ff_place_count(m) + (m->mesh ? 2 : 3) * ff_speed_count(m);
}
static inline size_t ff_states(const ff_model *m)
{
    const size_t n = ff_speed_count(m);
    const size_t momenta = ff_canonical(m) ? (size_t)m->tied->ties.speeds : 0;
    const size_t tied = m->tied ? 2 * n + (size_t)m->tied->ties.choices + momenta : 0;
    const ff_multibody *free = ff_found_of(m) ? ff_found_of(m)->links : 0;
    const size_t found =
        free ? (size_t)(ff_all_equations(free) + free->linkage->coordinates) + ff_law_states(free) : 0;
    const size_t pace = ff_paced(m) ? FF_PACE : 0;
    return FF_HEAD + n + ff_motions(m) + 4 * (size_t)m->inputs + 3 * (size_t)m->knots +
           ff_linked(m) + tied + found + pace;
}

/* Number of doubles for impacts: what a unit impulse along every speed that laws hold does to all speeds and to those
   that are held; of these what they are before, after and meant to be, and impulses. */
static inline size_t ff_impact_room(const ff_model *m)
{
    const size_t holds = (size_t)ff_found_of(m)->links->holds;
    return holds * (ff_speed_count(m) + holds + 4);
}

/* Number of doubles for starts and outputs of links whose motion is found. */
static inline size_t ff_found_room(const ff_model *m)
{
    if (!ff_found_of(m))
        return 0;
    const ff_multibody *links = ff_found_of(m)->links;
    const size_t equations = (size_t)ff_found_of(m)->equations, events = (size_t)links->events;
    return 4 * ff_speed_count(m) + 4 * equations + ff_impact_room(m) + (size_t)links->holds + events + ff_states(m);
}

/* Number of drivers of a mechanism, or of links whose motion is found. */
static inline int ff_drivers(const ff_model *m)
{
    const ff_linkage *linkage = ff_found_of(m) ? ff_found_of(m)->links->linkage : m->linkage;
    return linkage ? linkage->drivers : 0;
}

/* Bytes of an instance. */
static inline size_t ff_size(const ff_model *m)
{
    const size_t drivers = m->linkage ? (size_t)m->linkage->drivers : 0;
    const size_t doubles = 2 * ff_states(m) + 3 * (size_t)m->knots +
                           2 * (size_t)m->matrices.bases + (size_t)m->matrices.n + ff_found_room(m) +
                           (size_t)m->vectors + (size_t)m->nodal_loads +
                           3 * (size_t)m->givens + 3 * drivers + ff_linked(m) + ff_tied_room(m) +
                           ff_method_doubles(m) + ff_linkage_room(m);
    return sizeof(ff_instance) + doubles * sizeof(double) +
           (ff_method_ints(m) + ff_linked_ints(m)) * sizeof(int);
}

static inline double ff_time(const ff_instance *s)
{
    return s->state[FF_SINCE] + s->state[FF_COUNT] * s->state[FF_LENGTH];
}

/* A step from the kept state to that of an instance is accepted. */
static inline int ff_accepted(ff_instance *s) { return s->accepted ? s->accepted(s) : FF_OK; }

/* Events that a log has between two looks at it. */
enum { FF_LOGGED = 16384 };

/* Note an event that happens now; those beyond the log are counted only. */
static inline void ff_note(ff_instance *s, int event)
{
    if (!s->log)
        return;
    if (s->logged < FF_LOGGED) {
        s->log[2 * s->logged] = ff_time(s);
        s->log[2 * s->logged + 1] = event;
    }
    ++s->logged;
}

static inline double *ff_added(const ff_instance *s) { return s->state + FF_HEAD; }
static inline double *ff_places(const ff_instance *s)
{
    return ff_added(s) + ff_speed_count(s->model);
}
static inline double *ff_velocities(const ff_instance *s)
{
    return ff_places(s) + ff_place_count(s->model);
}
static inline double *ff_second(const ff_instance *s)
{
    return ff_velocities(s) + ff_speed_count(s->model);
}
static inline double *ff_averaged(const ff_instance *s)
{
    return ff_second(s) + ff_speed_count(s->model);
}
static inline double *ff_inputs(const ff_instance *s)
{
    return ff_places(s) + ff_motions(s->model);
}
static inline double *ff_knots(const ff_instance *s)
{
    return ff_inputs(s) + 4 * s->model->inputs;
}
static inline double *ff_linked_state(const ff_instance *s)
{
    return ff_knots(s) + 3 * s->model->knots;
}

/* For tied bodies: positions one step before, predicted positions of the step, choice of speeds, momenta. */
static inline double *ff_before(const ff_instance *s)
{
    return ff_linked_state(s) + ff_linked(s->model);
}
static inline double *ff_expected(const ff_instance *s)
{
    return ff_before(s) + s->model->matrices.n;
}
static inline double *ff_choice(const ff_instance *s)
{
    return ff_expected(s) + s->model->matrices.n;
}

static inline double *ff_momenta(const ff_instance *s)
{
    return ff_choice(s) + s->model->tied->ties.choices;
}

/* For links whose motion is found: multipliers, numbers that laws keep, the coordinates of joints, how steps
   adapt. */
static inline double *ff_multiplied(const ff_instance *s)
{
    return ff_linked_state(s) + ff_linked(s->model);
}
static inline double *ff_kept(const ff_instance *s)
{
    return ff_multiplied(s) + ff_all_equations(ff_found_of(s->model)->links);
}
static inline double *ff_counted(const ff_instance *s)
{
    return ff_kept(s) + ff_law_states(ff_found_of(s->model)->links);
}

static inline double *ff_pace(const ff_instance *s)
{
    return ff_counted(s) + ff_found_of(s->model)->links->linkage->coordinates;
}

/* Lay out an instance in memory of ff_size bytes, aligned as by malloc. */
static inline ff_instance *ff_place(const ff_model *m, void *memory)
{
    ff_instance *s = memory;
    const size_t states = ff_states(m), bases = (size_t)m->matrices.bases;
    double *free, *links;
    int *ints;
    memset(s, 0, sizeof *s);
    s->model = m;
    s->state = (double *)(void *)(s + 1);
    s->kept = s->state + states;
    s->spare = s->kept + states;
    s->elastic = s->spare + 3 * (size_t)m->knots;
    s->viscous = s->elastic + bases;
    s->force = s->viscous + bases;
    s->factor = s->force + m->matrices.n;
    s->amplitude = s->factor + m->vectors;
    s->shift = s->amplitude + m->nodal_loads;
    s->driven = s->shift + 3 * m->givens;
    s->reached = s->driven + (m->linkage ? 3 * m->linkage->drivers : 0);
    s->rows = s->reached + ff_linked(m);
    s->nothing = s->rows + ff_tied_room(m);
    s->aside = s->nothing + ff_speed_count(m);
    free = s->nothing + ff_found_room(m);
    s->seen = free - states;
    s->fired = s->seen - (ff_found_of(m) ? ff_found_of(m)->links->events : 0);
    s->struck = s->fired - (ff_found_of(m) ? ff_found_of(m)->links->holds : 0);
    s->impact = s->struck - (ff_found_of(m) ? ff_impact_room(m) : 0);
    if (m->tied) {
        s->jacobians = s->rows + 3 * (size_t)m->tied->ties.entries;
        s->multipliers = s->jacobians + (size_t)m->linkage->rows * FF_ELASTIC_ROW;
        s->momentum = s->multipliers + m->tied->constraints;
        s->own = s->momentum + m->matrices.bases;
    }
    links = free + ff_method_doubles(m);
    ints = (int *)(void *)(links + ff_linkage_room(m));
    ff_method_place(s, free, ints);
    if (ff_found_of(m))
        s->found.kept = ff_kept(s);
    if (ff_found_of(m))
        s->found.limits = s->found.kept + ff_found_of(m)->links->kept + 2 * ff_found_of(m)->links->events;
    if (m->linkage)
        ff_linkage_place(m->linkage, &s->links, links, ints + ff_method_ints(m));
    memset(s->state, 0, states * sizeof(double));
    memset(s->nothing, 0, ff_found_room(m) * sizeof(double));
    return s;
}

#endif
