/* SPDX-License-Identifier: BSD-3-Clause */
/* Prescribed coordinates at a time, and their integrals. */
#ifndef FF_COORDINATE_H
#define FF_COORDINATE_H

#include "ff_integrals.h"

/* A prescribed coordinate, given by its position, velocity (1) or acceleration (2). */
typedef struct {
    ff_function function;
    int given;
    int knot; /* index of its integrals in the state, or -1 */
    double position, velocity; /* values at time zero, if they are integrated */
    double chunk;              /* s, longest piece of an integral */
    int kinks;
    const double *kink;
} ff_coordinate;

/* Position, velocity and acceleration from the given quantity at a time and its integrals. */
static inline ff_jet ff_prescribed(int given, double position, double velocity, double t, ff_jet f,
                                   ff_knot integrals)
{
    if (given == 0)
        return f;
    if (given == 1)
        return (ff_jet){position + integrals.once, f.value, f.first};
    return (ff_jet){position + velocity * t + integrals.twice, velocity + integrals.once, f.value};
}

/* Integrals of a coordinate at a time, from its knot, which is not moved. */
static inline ff_knot ff_integrals(const ff_coordinate *c, const double *knots,
                                   const double *inputs, double t)
{
    const double *kept = knots + 3 * c->knot;
    ff_knot knot = {kept[0], kept[1], kept[2]};
    ff_move(&knot, c->function, inputs, c->chunk, c->kinks, c->kink, t);
    return knot;
}

/* Position, velocity and acceleration of a coordinate at a time. */
static inline ff_jet ff_coordinate_at(const ff_coordinate *c, const double *knots,
                                      const double *inputs, double t)
{
    ff_knot knot = {t, 0.0, 0.0};
    if (c->knot >= 0)
        knot = ff_integrals(c, knots, inputs, t);
    const ff_jet f = ff_function_at(c->function, t, inputs);
    return ff_prescribed(c->given, c->position, c->velocity, t, f, knot);
}

/* Move the knot of a coordinate, if it has one, to a time. */
static inline void ff_move_knot(const ff_coordinate *c, double *knots, const double *inputs, double t)
{
    if (c->knot < 0)
        return;
    const ff_knot knot = ff_integrals(c, knots, inputs, t);
    double *kept = knots + 3 * c->knot;
    kept[0] = knot.time;
    kept[1] = knot.once;
    kept[2] = knot.twice;
}

#endif
