/* SPDX-License-Identifier: BSD-3-Clause */
/* Laws of force between two links: compiled kernels that set the numbers of several formulas at once.

   A law may keep numbers that only its events change: whether shapes touch, which way friction slips. */
#ifndef FF_FORCE_H
#define FF_FORCE_H

#include "ff_formula.h"
#include "ff_linkage.h"

/* Most variables, efforts and constants of a law; doubles of its variables with the time and of its efforts with
   their derivatives; most numbers that its events need. */
enum { FF_FORCE_VARIABLES = 32, FF_FORCE_EFFORTS = 6, FF_FORCE_CONSTANTS = 64, FF_FORCE_SWITCHES = 64,
       FF_FORCE_ROOM = (FF_FORCE_EFFORTS + 1) * (FF_FORCE_VARIABLES + 2) };

/* What an event does besides: which of the speeds that are held jump, a bit each; whether it is also where its
   formula is below zero right after another event; and whether its formula is not below zero before. */
enum { FF_STRIKES, FF_AT_ONCE, FF_CROSSES, FF_EVENT };

/* A speed that is held: the kept number that is not zero while it is; whether the force that holds it is never
   negative; whether impacts of others let it go. */
enum { FF_DURING, FF_PUSHES, FF_YIELDS, FF_HELD };

/* A law of force; its formulas all have its variables, in the same order. Kernels, numbers that it keeps: their
   places among its own, or -1. */
typedef struct {
    int kernels;
    const ff_joint *kernel;   /* of the signature of all kernels */
    int parameters;
    const double *parameter;
    int formulas;
    const int *formula;       /* whose numbers it sets: of its efforts, then of the speeds that it holds */
    int efforts, gap, switches, hold; /* kernels */
    int kept, first_kept;     /* numbers that it keeps, and the first of them among all */
    int events, first_event;  /* the same of its events */
    const int *event;         /* (events, FF_EVENT) */
    int gate;                 /* kept: zero where nothing acts */
    int holds, first_hold;    /* speeds that it holds now and then, and the first of them among all */
    const int *held;          /* (holds, FF_HELD) */
    int grip;                 /* parameter: impulses across the hold that pushes over its own, at most; or -1 */
} ff_force;

/* Number of its efforts. */
static inline int ff_force_efforts(const ff_force *force) { return force->formulas - force->holds; }

/* Evaluate a kernel of a law where its variables are: (FF_FORCE_VARIABLES + 1,), the time first. kept: (kept,) */
static inline void ff_force_kernel(const ff_force *force, int number, const double *kept,
                                   const double *variables, double *out)
{
    double constants[FF_FORCE_CONSTANTS];
    const double *all = force->parameter;
    if (force->kept) {
        memcpy(constants, force->parameter, (size_t)force->parameters * sizeof(double));
        memcpy(constants + force->parameters, kept, (size_t)force->kept * sizeof(double));
        all = constants;
    }
    force->kernel[number](0, all, variables, out, 0);
}

/* Set the numbers of its formulas where its variables are; room: (FF_FORCE_ROOM,), of which the variables are
   set, behind one number for the time. Without contact efforts are zero; those of a law without a gate that holds
   speeds are, by their own formulas, where it does not. kept: of all laws. */
static inline void ff_force_at(const ff_force *force, const ff_formula *formula, double t, const double *kept,
                               double *room, double *told)
{
    const int count = formula[force->formula[0]].count;
    const size_t numbers = (size_t)(FF_FORMULA_SLOPES + count);
    const double *own = kept + force->first_kept;
    const int efforts = ff_force_efforts(force);
    double *out = room + FF_FORCE_VARIABLES + 1, gap = -1.0;
    room[0] = t;
    if (force->gate >= 0 && own[force->gate] == 0.0)
        gap = 0.0;
    else if (force->gap >= 0 && efforts && (force->gate >= 0 || !force->holds)) /* gaps of rest are round-off */
        ff_force_kernel(force, force->gap, own, room, &gap);
    const int acts = !(gap >= 0.0);
    if (acts && efforts)
        ff_force_kernel(force, force->efforts, own, room, out);
    for (int k = 0; k < efforts; ++k) {
        double *to = told + formula[force->formula[k]].at;
        if (acts)
            memcpy(to, out + numbers * (size_t)k, numbers * sizeof(double));
        else
            memset(to, 0, numbers * sizeof(double));
    }
    if (force->holds) /* whose numbers are one after the other */
        ff_force_kernel(force, force->hold, own, room, told + formula[force->formula[efforts]].at);
}

#endif
