/* SPDX-License-Identifier: BSD-3-Clause */
/* A model as constants, shared by all its instances. */
#ifndef FF_MODEL_H
#define FF_MODEL_H

#include "ff_canonical.h"
#include "ff_coordinate.h"
#include "ff_elements.h"
#include "ff_frame.h"
#include "ff_linkage_step.h"
#include "ff_multibody_step.h"
#include "ff_step.h"

/* Kind of a constant matrix of a body. */
enum { FF_STIFFNESS, FF_DAMPING, FF_UNIT, FF_PRESTRESS, FF_SECTION, FF_HEAT, FF_CIRCULATION };
typedef struct {
    int body, kind, index; /* index of the unit block, of the pattern, or of the nodal load with the same heating */
} ff_base;

/* Kind of a constant load: of a unit block, of a unit acceleration, or a load of the model; in a
   rotating load, global component i acts along axis j of the frame. */
enum { FF_INERTIA_LOAD, FF_TRANSLATION_LOAD, FF_NODAL_LOAD };
typedef struct {
    int kind, owner, index, i, j;
} ff_vector;

/* The motion of a frame: a rotation about an axis, or three angular velocities; and of its origin.

   If R is required with three angular velocities, two knots of the first one store the quaternion and
   its time; its kinks are those of all three. */
typedef struct {
    int fixed_axis;
    double axis[3];
    ff_coordinate turn[3]; /* the angle, or three angular velocities */
    ff_coordinate origin[3];
    int origin_moves;
    int beside;    /* whether the axis passes beside the origin */
    double arm[3]; /* from there to the axis and perpendicular to it, m */
} ff_motion;

/* A body moves with a motion or with a link of the mechanism; the other number is -1. */
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

/* How an output is computed from linear forms of the state: rows of every place. A reaction has a place
   for the masses and one for every other matrix, and a number for every load. */
enum {
    FF_COMPONENT,
    FF_MAGNITUDE,
    FF_VON_MISES,
    FF_PRINCIPAL,
    FF_REACTION,
    FF_JOINT_FORCE, /* of the first link of a joint on the second */
    FF_JOINT_MOMENT,
    FF_MULTIPLIER, /* of a driver or a gear */
    FF_COORDINATE, /* of a joint */
    FF_POINT,      /* of a link or of a body on it, in space */
    FF_STATE       /* of a controller */
};
typedef struct {
    int kind, index; /* index of the principal stress, from 0; of the joint, constraint, coordinate, link or speed */
    int order;       /* 0 positions, 1 velocities, 2 accelerations */
    int component;   /* of a joint's force or of a point, or 3 for the magnitude */
    double viscosity; /* s, factor of velocities added to positions */
    int places, width;
    int mean;        /* maximum over places, otherwise the value of largest magnitude; or along axes of the joint */
    const double *rows; /* (places, width, n), or entries row by row */
    const double *loads; /* (places * width, vectors) contributions of loads, or 0; for a reaction (width, vectors) */
    const double *given; /* (places * width, givens) contributions of moving supports, or 0 */
    const double *points; /* (places, 3) in components of the link, without displacements */
    const int *starts;   /* (places * width + 1,) start of the entries of every row, or 0 */
    const int *columns;  /* of every entry */
} ff_output;

/* Contribution of one end of a joint to entries of a constraint: six numbers of a kernel row times a
   matrix. */
typedef struct {
    int row, side, count;
    const double *matrix; /* (6, count) */
    const int *entry;     /* (count,) */
} ff_share;

/* A row of a joint that is a constraint: the joint, the row among all rows, the constraint. */
typedef struct {
    int joint, row, constraint;
} ff_held;

/* Constraints of bodies on links of a mechanism; place and band of the matrices refer to the speeds. */
typedef struct {
    ff_ties ties;
    ff_stiffened stiffened;
    const ff_joint *joint; /* kernels with J, J', J'' */
    int shares, held, constraints;
    const ff_share *share;
    const ff_held *hold;
    const double *kept; /* (entries,) constant part of J, or 0 */
} ff_ties_model;

enum { FF_ELASTIC_ROW = 40 }; /* length of a row of such a kernel */

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
    const double *initial; /* positions, then velocities, at the start */
    const ff_output *output;
    const ff_linkage *linkage;   /* the mechanism, or 0 */
    const ff_coordinate *driver; /* (drivers,) of it, or of the links below */
    const double *assembled;     /* its state at time zero */
    const ff_mesh *mesh; /* instead of matrices and loads, or 0; vectors then are nodal loads */
    const ff_ties_model *tied; /* constraints of bodies of a mechanism, or 0 */
    const ff_found *found; /* links whose motion is found instead of all matrices, or 0; n is then the number
                              of elastic coordinates */
    const ff_coordinate *given; /* (givens,) displacements of supports */
    const double *given_force; /* (1 + bases, givens, n) products of masses and matrices with unit displacements */
} ff_model;

/* Links whose motion is found, or 0. A source file of a model without them defines FF_NOTHING_FOUND: compilers
   then leave out all that is for such links, which is half of the machine code and of their time. */
static inline const ff_found *ff_found_of(const ff_model *m)
{
#ifdef FF_NOTHING_FOUND
    (void)m;
    return 0;
#else
    return m->found;
#endif
}

#endif
