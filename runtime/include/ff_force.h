/* SPDX-License-Identifier: BSD-3-Clause */
/* Laws of force between two links: compiled kernels that set the numbers of several formulas at once. */
#ifndef FF_FORCE_H
#define FF_FORCE_H

#include "ff_formula.h"
#include "ff_linkage.h"

/* Kernels of a law, by their place in a table; the gap is the last one, if there is any. */
enum { FF_EFFORTS, FF_GAP };

/* Most variables and efforts of a law, and doubles of its variables with the time and of its efforts with
   their derivatives. */
enum { FF_FORCE_VARIABLES = 32, FF_FORCE_EFFORTS = 6,
       FF_FORCE_ROOM = (FF_FORCE_EFFORTS + 1) * (FF_FORCE_VARIABLES + 2) };

/* A law of force; its formulas all have its variables, in the same order. */
typedef struct {
    int kernels;            /* one, or two with a gap */
    const ff_joint *kernel; /* of the signature of all kernels */
    const double *parameters;
    int efforts;
    const int *formula;     /* (efforts,) whose numbers it sets */
} ff_force;

/* Set the numbers of its formulas where its variables are; room: (FF_FORCE_ROOM,), of which the variables are
   set, behind one number for the time. Without contact they are zero. */
static inline void ff_force_at(const ff_force *force, const ff_formula *formula, double t, double *room,
                               double *told)
{
    const int count = formula[force->formula[0]].count;
    const size_t numbers = (size_t)(FF_FORMULA_SLOPES + count);
    double *out = room + FF_FORCE_VARIABLES + 1, gap = -1.0;
    room[0] = t;
    if (force->kernels > FF_GAP)
        force->kernel[FF_GAP](0, force->parameters, room, &gap, 0);
    if (!(gap >= 0.0))
        force->kernel[FF_EFFORTS](0, force->parameters, room, out, 0);
    for (int k = 0; k < force->efforts; ++k) {
        double *to = told + formula[force->formula[k]].at;
        if (gap >= 0.0)
            memset(to, 0, numbers * sizeof(double));
        else
            memcpy(to, out + numbers * (size_t)k, numbers * sizeof(double));
    }
}

#endif
