/* SPDX-License-Identifier: BSD-3-Clause */
/* A model as constants, which is all that its instances share. */
#ifndef FF_MODEL_H
#define FF_MODEL_H

#include "ff_coordinate.h"
#include "ff_elements.h"
#include "ff_frame.h"
#include "ff_linkage_step.h"
#include "ff_step.h"
#include "ff_tied.h"

/* What a constant matrix is of its body. */
enum { FF_STIFFNESS, FF_DAMPING, FF_UNIT, FF_PRESTRESS, FF_SECTION, FF_HEAT };
typedef struct {
    int body, kind, index; /* index: of the unit block, the pattern, the nodal load that heats as much */
} ff_base;

/* What a constant load is: of a unit block, of a unit acceleration, or a load of the model, of
   which a turning one has its global component i along axis j of the frame. */
enum { FF_INERTIA_LOAD, FF_TRANSLATION_LOAD, FF_NODAL_LOAD };
typedef struct {
    int kind, owner, index, i, j;
} ff_vector;

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
enum {
    FF_COMPONENT,
    FF_MAGNITUDE,
    FF_VON_MISES,
    FF_PRINCIPAL,
    FF_REACTION,
    FF_JOINT_FORCE, /* that the first link of a joint does to the second */
    FF_JOINT_MOMENT,
    FF_MULTIPLIER /* of a driver or a gear */
};
typedef struct {
    int kind, index; /* index: which principal stress, from 0; which joint or constraint */
    int order;       /* 0 places, 1 velocities, 2 accelerations; of a joint the component, 3 its size */
    double viscosity; /* s, of velocities added to places */
    int places, width;
    int mean;        /* over the places, else the value of largest size; along axes of the joint */
    const double *rows; /* (places, width, n), or entries one row after the other */
    const double *loads; /* (places * width, vectors) that every load adds, or 0; of a reaction (width, vectors) */
    const double *given; /* (places * width, givens) that supports which move add, or 0 */
    const int *starts;   /* (places * width + 1,) where the entries of every row begin, or 0 */
    const int *columns;  /* of every entry */
} ff_output;

/* What one end of a joint gives to entries of a constraint: six numbers of a row of its kernel times a
   matrix. */
typedef struct {
    int row, side, count;
    const double *matrix; /* (6, count) */
    const int *entry;     /* (count,) */
} ff_share;

/* A row of a joint that is a constraint: the joint, the row among those of all, the constraint. */
typedef struct {
    int joint, row, constraint;
} ff_held;

/* What ties the bodies on the links of a mechanism; place and band of the matrices are of the speeds. */
typedef struct {
    ff_ties ties;
    ff_stiffened stiffened;
    const ff_joint *joint; /* kernels with J, J', J'' */
    int shares, held, constraints;
    const ff_share *share;
    const ff_held *hold;
    const double *kept; /* (entries,) of J, what never changes, or 0 */
} ff_ties_model;

enum { FF_ELASTIC_ROW = 40 }; /* numbers of a row of such a kernel */

typedef struct {
    ff_matrices matrices;
    ff_scheme scheme;
    ff_include include;
    int dimension;
    double step; /* s, of the model */
    int bodies, motions, vectors, mass_loads, nodal_loads, inputs, knots, outputs, givens;
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
    const ff_mesh *mesh; /* instead of matrices and loads, or 0; vectors are nodal loads then */
    const ff_ties_model *tied; /* what ties bodies of a mechanism, or 0 */
    const ff_coordinate *given; /* (givens,) displacements of supports */
    const double *given_force; /* (1 + bases, givens, n) what masses and matrices make of a unit of them */
} ff_model;

#endif
