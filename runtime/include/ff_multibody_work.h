/* SPDX-License-Identifier: BSD-3-Clause */
/* Links whose motion is found, with the workspace of their steps, and what is left of all forces at the end
   of a step.

   The end of a step is a function of one unknown A per speed, as in newton.py:

       v' = v'_0 + a A,   v = v_0 + b A,   q = retract(q_old, d_0 + c A). */
#ifndef FF_MULTIBODY_WORK_H
#define FF_MULTIBODY_WORK_H

#include "ff_block.h"
#include "ff_multibody_tangent.h"

/* A function of time: amplitude of a load, force of an actuator. */
typedef struct {
    ff_function value;
} ff_amplitude;

/* Links whose motion is found: which speeds there are, which equations, and what is given in time. */
typedef struct {
    const ff_multibody *links;
    int speeds, rigid;          /* speeds of the model, those of links among them */
    int equations, amplitudes;  /* independent equations; loads */
    const int *numbers;         /* (speeds,) among all speeds */
    const int *place;           /* (all speeds,) in its block, or -1 */
    const int *independent;     /* (equations,) among all */
    const int *block_of_link;   /* (links,) */
    const int *block_of_state;  /* (controllers,) */
    const int *block_of;        /* (all equations, 2) block and place in it; -1 if dependent */
    const int *unknown;         /* (speeds + equations,) speed, or speeds + equation, in order of elimination */
    ff_order order;
    double scale;               /* size of a large displacement, m */
    double tolerance;           /* error of A, relative to its size */
    const ff_amplitude *amplitude;
    const ff_amplitude *given;  /* (actuators,) */
    const double *near;         /* (coordinates,) of joints at the start */
} ff_found;

/* The end of a step as a function of A. */
typedef struct {
    double t, a, b, c;
    const double *rate, *speed, *increment; /* (speeds,) if A were zero */
    const double *poses, *d;                /* at the beginning */
    const double *near;                     /* (coordinates,) that angles are chosen closest to */
    const double *added;                    /* (speeds,) further forces */
} ff_found_trial;

typedef struct {
    ff_joint_work joints;
    ff_factors factors;
    double *amplitudes, *given, *driven, *inputs; /* at the end of the step; driven (drivers, 3) */
    double *frames, *poses, *d, *z, *rate, *steps, *near, *out, *multipliers, *stiffened;
    double *right, *unknown, *blocks, *watched, *tangents, *room;
    const double *stiffness; /* of all links */
    int *columns;            /* of the speeds of a block */
    int factorizations, solves, most; /* and most solves of a step */
    double border;
} ff_found_work;

/* Lengths of the arrays of the workspace, in their order below. */
enum { FF_FOUND_ARRAYS = 28 };
static inline void ff_found_lengths(const ff_found *f, int inputs, size_t *length)
{
    const ff_multibody *m = f->links;
    const ff_linkage *linkage = m->linkage;
    const size_t links = (size_t)linkage->links, all = (size_t)ff_all_speeds(m);
    const size_t most = (size_t)ff_most_speeds(m), rows = (size_t)linkage->rows;
    const size_t size = (size_t)(f->speeds + f->equations), actuators = (size_t)m->actuators;
    const size_t found[FF_FOUND_ARRAYS] = {
        rows, rows, rows, (size_t)m->entries[rows], rows, ff_told_numbers(m), FF_JOINT_ROW * rows,
        ff_marker_doubles(m),
        ff_block_doubles(&f->order), (size_t)f->amplitudes, actuators, 3 * (size_t)linkage->drivers,
        ff_told_inputs(m, inputs),
        FF_LINK * links, FF_POSE * links, (size_t)m->elastic, all, all, all, rows, all,
        (size_t)ff_all_equations(m), m->stress ? (size_t)m->squares[links] : 0, size, size,
        3 * most * most + 2 * most, actuators * most + 36 * links,
        ff_tangent_doubles(m) + 10 * (size_t)m->elastic + FF_JOINT_ROWS * 144 + (size_t)m->most};
    memcpy(length, found, sizeof found);
}
static inline size_t ff_found_doubles(const ff_found *f, int inputs)
{
    size_t length[FF_FOUND_ARRAYS], sum = 0;
    ff_found_lengths(f, inputs, length);
    for (int k = 0; k < FF_FOUND_ARRAYS; ++k)
        sum += length[k];
    return sum;
}
static inline size_t ff_found_ints(const ff_found *f)
{
    return (size_t)(f->speeds + f->equations + ff_most_speeds(f->links));
}

/* Lay out the workspace in given memory. */
static inline void ff_found_place(const ff_found *f, int inputs, ff_found_work *w, double *doubles,
                                  int *ints)
{
    size_t length[FF_FOUND_ARRAYS];
    double *square, *pairs;
    double **to[FF_FOUND_ARRAYS] = {
        &w->joints.value, &w->joints.rate, &w->joints.second, &w->joints.entries, &w->joints.force,
        &w->joints.told, &w->joints.kernel, &pairs, &square, &w->amplitudes, &w->given, &w->driven,
        &w->inputs, &w->frames, &w->poses, &w->d, &w->z, &w->rate, &w->steps, &w->near, &w->out,
        &w->multipliers, &w->stiffened, &w->right, &w->unknown, &w->blocks, &w->tangents, &w->room};
    ff_found_lengths(f, inputs, length);
    for (int k = 0; k < FF_FOUND_ARRAYS; ++k) {
        *to[k] = doubles;
        doubles += length[k];
    }
    w->joints.pairs = (ff_marker *)(void *)pairs;
    w->watched = w->tangents + 36L * f->links->linkage->links;
    ff_block_place(&f->order, &w->factors, square, ints);
    w->columns = ints + f->speeds + f->equations;
    w->factorizations = w->solves = w->most = 0;
}

/* Value of an equation less what it is kept at, from the rows of joints; zero of an equation of speeds. */
static inline double ff_equation_value(const ff_multibody *m, const double *values, int equation,
                                       const double *driven)
{
    const ff_linkage *linkage = m->linkage;
    const int held = linkage->equations - linkage->gears - linkage->drivers;
    if (equation < held)
        return values[m->held_of[equation]] - linkage->offsets[equation];
    const int gear = equation - held, driver = gear - linkage->gears;
    if (equation >= linkage->equations)
        return 0.0;
    if (driver >= 0)
        return values[m->row_of[linkage->driver_of[driver]]] - driven[3 * driver];
    return values[m->row_of[linkage->gear_of[2 * gear]]] -
           linkage->ratios[gear] * values[m->row_of[linkage->gear_of[2 * gear + 1]]] -
           linkage->offsets[equation];
}

/* Move to the end of a step with A = x, and set out to what is left of all forces. */
static inline void ff_found_residual(const ff_found *f, const ff_found_trial *trial,
                                     ff_found_work *w, const double *x, const double *force)
{
    const ff_multibody *m = f->links;
    const int links = m->linkage->links, rigid = FF_RIGID * links, all = ff_all_speeds(m);
    memset(w->z, 0, (size_t)all * sizeof(double));
    memset(w->rate, 0, (size_t)all * sizeof(double));
    memset(w->steps, 0, (size_t)all * sizeof(double));
    for (int k = 0; k < f->speeds; ++k) {
        const int to = f->numbers[k];
        w->z[to] = trial->speed[k] + trial->b * x[k];
        w->rate[to] = trial->rate[k] + trial->a * x[k];
        w->steps[to] = trial->increment[k] + trial->c * x[k];
    }
    for (int link = 0; link < links; ++link) {
        const double *step = w->steps + FF_RIGID * link;
        ff_retract(trial->poses + FF_POSE * link, step, w->poses + FF_POSE * link);
    }
    for (int k = 0; k < m->elastic; ++k)
        w->d[k] = trial->d[k] + w->steps[rigid + k];
    for (int k = 0; k < m->linkage->coordinates; ++k)
        w->near[m->row_of[k]] = trial->near[k];
    for (int k = 0; k < m->linkage->drivers; ++k)
        w->near[m->row_of[m->linkage->driver_of[k]]] = w->driven[3 * k];
    memset(w->multipliers, 0, (size_t)ff_all_equations(m) * sizeof(double));
    for (int k = 0; k < f->equations; ++k)
        w->multipliers[f->independent[k]] = force[f->independent[k]];
    ff_multibody_frames(m, w->poses, w->z, w->rate, w->frames);
    ff_multibody_joints(m, w->frames, w->d, w->z + rigid, w->near, &w->joints);
    ff_multibody_formulas(m, trial->t, w->z + rigid + m->elastic, w->inputs, &w->joints, w->room);
    ff_multibody_efforts(m, w->multipliers, w->given, &w->joints);
    w->stiffness = ff_stiffened_links(m, w->frames, w->d, w->amplitudes, w->stiffened);
    ff_multibody_forces(m, w->frames, w->d, w->z, w->rate, w->stiffness, w->amplitudes, w->out,
                        w->room);
    ff_subtract_efforts(m, &w->joints, w->out);
    ff_multibody_controllers(m, w->rate, &w->joints, w->out);
    for (int k = 0; k < f->speeds; ++k)
        w->right[k] = trial->added[k] - w->out[f->numbers[k]];
}

#endif
