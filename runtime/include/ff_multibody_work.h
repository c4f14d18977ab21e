/* SPDX-License-Identifier: BSD-3-Clause */
/* Links whose motion is found, with the workspace of their steps, and what is left of all forces at the end
   of a step.

   The end of a step is a function of one unknown A per speed, as in newton.py:

       v' = v'_0 + a A,   v = v_0 + b A,   q = retract(q_old, d_0 + c A). */
#ifndef FF_MULTIBODY_WORK_H
#define FF_MULTIBODY_WORK_H

#include "ff_block.h"
#include "ff_momentum.h"
#include "ff_tree.h"

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
    const ff_tree *tree;        /* steps by independent speeds; or 0 */
    int canonical;              /* whether steps are of momenta, see ff_found_momenta.h */
    double accuracy;            /* local error of steps that adapt, see ff_pace.h; or 0 */
    double longest;             /* s, of these */
    int kinks;
    const double *kink;         /* (kinks,) where functions of time are not smooth: beginning and end of each,
                                   ascending */
} ff_found;

/* The unknowns of a step: speeds, those of links among them, and multipliers. */
static inline int ff_step_speeds(const ff_found *f) { return f->tree ? f->tree->speeds : f->speeds; }
static inline int ff_step_rigid(const ff_found *f) { return f->tree ? f->tree->rigid : f->rigid; }
static inline int ff_closings(const ff_found *f) { return f->tree ? f->tree->closings : f->equations; }
static inline const int *ff_closing(const ff_found *f)
{
    return f->tree ? f->tree->closing : f->independent;
}

/* What a step of momenta begins with, and its equations at its end. */
typedef struct {
    double step;
    double *momenta; /* (all speeds,) at the beginning, in components of the links there */
    double *carried; /* (links, 6) those of links carried to the middle, in components of the links there */
    double *reached; /* (all speeds,) at the middle, in components of the links there */
    double *values;  /* (rows,) of the joints at the end */
} ff_begun;

/* The end of a step as a function of A; arrays have the speeds that are unknown. */
typedef struct {
    double t, a, b, c;
    const double *rate, *speed, *increment; /* if A were zero */
    const double *poses, *d;                /* at the beginning */
    const double *near;                     /* (coordinates,) that angles are chosen closest to */
    const double *added;                    /* (speeds of the model,) further forces */
    const ff_begun *begun;                  /* of a step of momenta; or 0 */
} ff_found_trial;

/* Links of a tree, eliminated, as in ff_tree_matrix.h: matrices of every link by changes t and elastic
   coordinates d; Z, G = H^T K Y, the inverse D of H^T K Z, and U = (K Z less what turns) D, of every speed of
   a joint; the border; solutions. */
typedef struct {
    double *tt, *dt, *td, *dd, *Z, *G, *U, *D, *tip, *changes, *wrenches, *left, *found;
    double *responses, *border, *unknown;
    int *pivots, *exchanges;
    double factors[3];
} ff_tree_factors;

typedef struct {
    ff_joint_work joints;
    ff_factors factors;
    ff_tree_kinematics tree;
    ff_tree_factors branches;
    ff_begun begun;
    ff_deformed *deformed; /* (links,) */
    double *amplitudes, *given, *driven, *inputs; /* at the end of the step; driven (drivers, 3) */
    double *frames, *poses, *d, *z, *rate, *steps, *near, *out, *multipliers, *stiffened;
    double *right, *unknown, *blocks, *watched, *tangents, *room;
    double *taken;           /* (speeds + equations,) last correction of a step */
    double *felt;            /* (all equations,) multipliers that formulas know */
    int held;                /* whether these stay */
    const double *kept;      /* numbers that laws keep, in the state */
    double *begun_grips;     /* (holds,) forces that hold speeds, at the beginning of a step */
    const double *limits;    /* (holds,) the most that forces may be which hold speeds, in the state */
    const double *stiffness; /* of all links */
    int *columns;            /* of the speeds of a block */
    int factorizations, solves, most; /* and most solves of a step */
    double border;
} ff_found_work;

/* Lengths of the arrays of the workspace, in their order below. */
enum { FF_FOUND_ARRAYS = 36 };
static inline void ff_found_lengths(const ff_found *f, int inputs, size_t *length)
{
    const ff_multibody *m = f->links;
    const ff_linkage *linkage = m->linkage;
    const size_t links = (size_t)linkage->links, all = (size_t)ff_all_speeds(m);
    const size_t most = (size_t)ff_most_speeds(m), rows = (size_t)linkage->rows;
    const size_t begun = f->canonical ? all : 0, ended = f->canonical ? rows : 0;
    const size_t size = (size_t)(f->speeds + f->equations), actuators = (size_t)m->actuators;
    const size_t found[FF_FOUND_ARRAYS] = {
        rows, rows, rows, (size_t)m->entries[rows], rows, ff_told_numbers(m), FF_JOINT_ROW * rows,
        ff_marker_doubles(m), ff_deformed_doubles(m),
        ff_block_doubles(&f->order), (size_t)f->amplitudes, actuators, 3 * (size_t)linkage->drivers,
        ff_told_inputs(m, inputs),
        FF_LINK * links, FF_POSE * links, (size_t)m->elastic, all, all, all, rows, all,
        (size_t)ff_all_equations(m), m->stress ? (size_t)m->squares[links] : 0, size, size,
        3 * most * most + 2 * most, actuators * most + 36 * links,
        ff_tangent_doubles(m) + FF_JOINT_ROWS * 144 + (size_t)m->most,
        begun, f->canonical ? FF_RIGID * links : 0, begun, ended, size, (size_t)ff_all_equations(m),
        (size_t)m->holds};
    memcpy(length, found, sizeof found);
}

/* Numbers of the unknowns that border a tree: multipliers, forces, rates of states. */
static inline int ff_tree_borders(const ff_found *f)
{
    return f->tree->closings + f->tree->borders + f->links->controllers;
}

/* Lengths of the arrays of a tree, in their order below; none without one. */
enum { FF_TREE_ARRAYS = 24 };
static inline void ff_tree_lengths(const ff_found *f, size_t *length)
{
    memset(length, 0, FF_TREE_ARRAYS * sizeof *length);
    if (!f->tree)
        return;
    const ff_multibody *m = f->links;
    const size_t links = (size_t)m->linkage->links, elastic = (size_t)m->elastic;
    const size_t tips = (size_t)f->tree->first_tip[links], joints = (size_t)f->tree->rigid;
    const size_t speeds = (size_t)f->tree->speeds, borders = (size_t)ff_tree_borders(f);
    const size_t found[FF_TREE_ARRAYS] = {
        links * sizeof(ff_hung) / sizeof(double), tips ? links * sizeof(ff_tip) / sizeof(double) : 0,
        6 * joints, speeds, 6 * tips, 6 * links, 3 * speeds, speeds,
        FF_BRANCH * links, 18 * elastic, 6 * elastic, (size_t)m->squares[links], 18 * joints, 18 * joints,
        6 * joints, 6 * joints, 18 * tips, 18 * links, 6 * links, speeds, speeds,
        borders * speeds, borders * borders, borders};
    memcpy(length, found, sizeof found);
}

static inline size_t ff_found_doubles(const ff_found *f, int inputs)
{
    size_t length[FF_FOUND_ARRAYS], hung[FF_TREE_ARRAYS], sum = 0;
    ff_found_lengths(f, inputs, length);
    ff_tree_lengths(f, hung);
    for (int k = 0; k < FF_FOUND_ARRAYS; ++k)
        sum += length[k];
    for (int k = 0; k < FF_TREE_ARRAYS; ++k)
        sum += hung[k];
    return sum;
}
static inline size_t ff_found_ints(const ff_found *f)
{
    const int hung = f->tree ? f->links->elastic + ff_tree_borders(f) : 0;
    return (size_t)(f->speeds + f->equations + ff_most_speeds(f->links) + hung);
}

/* Lay out the workspace of a tree. */
static inline void ff_tree_place(const ff_found *f, ff_found_work *w, double *doubles, int *ints)
{
    size_t length[FF_TREE_ARRAYS];
    double *hung, *tips;
    ff_tree_kinematics *t = &w->tree;
    ff_tree_factors *k = &w->branches;
    double **to[FF_TREE_ARRAYS] = {
        &hung, &tips, &t->screws, &t->steps, &t->shapes, &t->average, &t->motion, &t->residual, &k->tt,
        &k->dt, &k->td, &k->dd, &k->Z, &k->G, &k->U, &k->D, &k->tip, &k->changes, &k->wrenches,
        &k->left, &k->found, &k->responses, &k->border, &k->unknown};
    ff_tree_lengths(f, length);
    for (int i = 0; i < FF_TREE_ARRAYS; ++i) {
        *to[i] = doubles;
        doubles += length[i];
    }
    t->hung = (ff_hung *)(void *)hung;
    t->tips = (ff_tip *)(void *)tips;
    k->pivots = ints;
    k->exchanges = k->pivots + f->links->elastic;
}

/* Lay out the workspace in given memory. */
static inline void ff_found_place(const ff_found *f, int inputs, ff_found_work *w, double *doubles,
                                  int *ints)
{
    size_t length[FF_FOUND_ARRAYS];
    double *square, *pairs, *deformed;
    double **to[FF_FOUND_ARRAYS] = {
        &w->joints.value, &w->joints.rate, &w->joints.second, &w->joints.entries, &w->joints.force,
        &w->joints.told, &w->joints.kernel, &pairs, &deformed, &square, &w->amplitudes, &w->given, &w->driven,
        &w->inputs, &w->frames, &w->poses, &w->d, &w->z, &w->rate, &w->steps, &w->near, &w->out,
        &w->multipliers, &w->stiffened, &w->right, &w->unknown, &w->blocks, &w->tangents, &w->room,
        &w->begun.momenta, &w->begun.carried, &w->begun.reached, &w->begun.values, &w->taken, &w->felt,
        &w->begun_grips};
    ff_found_lengths(f, inputs, length);
    for (int k = 0; k < FF_FOUND_ARRAYS; ++k) {
        *to[k] = doubles;
        doubles += length[k];
    }
    w->joints.pairs = (ff_marker *)(void *)pairs;
    w->deformed = ff_deformed_place(f->links, deformed);
    w->watched = w->tangents + 36L * f->links->linkage->links;
    ff_block_place(&f->order, &w->factors, square, ints);
    w->columns = ints + f->speeds + f->equations;
    ff_tree_place(f, w, doubles, w->columns + ff_most_speeds(f->links));
    w->factorizations = w->solves = w->most = w->held = 0;
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

/* Set the values next to which angles are, and the multipliers of some equations. */
static inline void ff_found_begin(const ff_found *f, const double *near, const double *force,
                                  int count, const int *held, ff_found_work *w)
{
    const ff_multibody *m = f->links;
    for (int k = 0; k < m->linkage->coordinates; ++k)
        w->near[m->row_of[k]] = near[k];
    for (int k = 0; k < m->linkage->drivers; ++k)
        w->near[m->row_of[m->linkage->driver_of[k]]] = w->driven[3 * k];
    memset(w->multipliers, 0, (size_t)ff_all_equations(m) * sizeof(double));
    for (int k = 0; k < count; ++k)
        w->multipliers[held[k]] = force[held[k]];
    if (!w->held)
        memcpy(w->felt, w->multipliers, (size_t)ff_all_equations(m) * sizeof(double));
}

/* Set out to what is left of the forces on all links but for efforts along rows, where frames are. */
static inline void ff_found_forces(const ff_found *f, double t, ff_found_work *w)
{
    const ff_multibody *m = f->links;
    const int rigid = FF_RIGID * m->linkage->links;
    ff_multibody_formulas(m, t, w->z + rigid + m->elastic, w->felt, w->kept, w->inputs, &w->joints, w->room);
    ff_multibody_efforts(m, w->multipliers, w->given, &w->joints);
    w->stiffness = ff_stiffened_links(m, w->frames, w->d, w->amplitudes, w->stiffened);
    ff_multibody_forces(m, w->frames, w->d, w->z, w->rate, w->stiffness, w->amplitudes, w->out,
                        w->deformed, w->room);
    ff_multibody_controllers(m, w->rate, &w->joints, w->out);
}

/* Set speeds and rates with A = x, and the increments of the end of a step. */
static inline void ff_found_speeds(const ff_found *f, const ff_found_trial *trial, ff_found_work *w,
                                   const double *x)
{
    const size_t all = (size_t)ff_all_speeds(f->links);
    memset(w->z, 0, all * sizeof(double));
    memset(w->rate, 0, all * sizeof(double));
    memset(w->steps, 0, all * sizeof(double));
    for (int k = 0; k < f->speeds; ++k) {
        const int to = f->numbers[k];
        w->z[to] = trial->speed[k] + trial->b * x[k];
        w->rate[to] = trial->rate[k] + trial->a * x[k];
        w->steps[to] = trial->increment[k] + trial->c * x[k];
    }
}

/* Move links by the increments of the work, and set the rows of all joints there. */
static inline void ff_found_place_links(const ff_found *f, const ff_found_trial *trial, ff_found_work *w)
{
    const ff_multibody *m = f->links;
    const int links = m->linkage->links, rigid = FF_RIGID * links;
    for (int link = 0; link < links; ++link) {
        const double *step = w->steps + FF_RIGID * link;
        ff_retract(trial->poses + FF_POSE * link, step, w->poses + FF_POSE * link);
    }
    for (int k = 0; k < m->elastic; ++k)
        w->d[k] = trial->d[k] + w->steps[rigid + k];
    ff_multibody_frames(m, w->poses, w->z, w->rate, w->frames);
    ff_multibody_joints(m, w->frames, w->d, w->z + rigid, w->near, &w->joints);
}

/* Move to the end of a step with A = x, and set out to what is left of all forces. */
static inline void ff_found_residual(const ff_found *f, const ff_found_trial *trial,
                                     ff_found_work *w, const double *x, const double *force)
{
    const ff_multibody *m = f->links;
    ff_found_speeds(f, trial, w, x);
    ff_found_begin(f, trial->near, force, f->equations, f->independent, w);
    ff_found_place_links(f, trial, w);
    ff_found_forces(f, trial->t, w);
    for (int j = 0; j < m->linkage->joints; ++j)
        ff_subtract_efforts(m, j, &w->joints, w->out);
    for (int k = 0; k < f->speeds; ++k)
        w->right[k] = trial->added[k] - w->out[f->numbers[k]];
}

/* Move links of a tree to the end of a step with A = x. */
static inline void ff_tree_reach(const ff_found *f, const ff_found_trial *trial, ff_found_work *w,
                                 const double *x)
{
    const ff_multibody *m = f->links;
    const ff_tree *tree = f->tree;
    const int n = tree->speeds;
    double *u = w->right, *rate = w->branches.found;
    for (int k = 0; k < n; ++k) {
        u[k] = trial->speed[k] + trial->b * x[k];
        rate[k] = trial->rate[k] + trial->a * x[k];
        w->tree.steps[k] = trial->increment[k] + trial->c * x[k];
    }
    for (int k = 0; k < m->elastic; ++k)
        w->d[k] = trial->d[k] + w->tree.steps[tree->rigid + k];
    ff_tree_move(m, tree, u, rate, w->poses, w->d, w->z, w->rate, w->frames, &w->tree);
}

/* The same, and set what is left of the forces along the independent speeds; rows of joints are set where they
   are needed. */
static inline void ff_tree_residual(const ff_found *f, const ff_found_trial *trial, ff_found_work *w,
                                    const double *x, const double *force)
{
    const ff_multibody *m = f->links;
    const ff_tree *tree = f->tree;
    ff_tree_reach(f, trial, w, x);
    ff_found_begin(f, trial->near, force, tree->closings, tree->closing, w);
    for (int k = 0; k < tree->watched; ++k)
        ff_multibody_joint(m, tree->watch[k], w->frames, w->d, w->z + FF_RIGID * m->linkage->links, w->near,
                           &w->joints);
    ff_found_forces(f, trial->t, w);
    for (int k = 0; k < tree->watched; ++k)
        if (tree->hung_by[tree->watch[k]] < 0)
            ff_subtract_efforts(m, tree->watch[k], &w->joints, w->out);
    for (int k = 0; k < f->speeds; ++k)
        w->out[f->numbers[k]] -= trial->added[k];
    ff_tree_forces(m, tree, &w->joints, w->frames, w->out, &w->tree);
    for (int k = 0; k < tree->speeds; ++k)
        w->right[k] = -w->tree.residual[k];
}

#endif
