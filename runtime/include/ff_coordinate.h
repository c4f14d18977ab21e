/* SPDX-License-Identifier: BSD-3-Clause */
/* Prescribed coordinates at a time, and the integrals that they are made of. */
#ifndef FF_COORDINATE_H
#define FF_COORDINATE_H

#include "ff_integrals.h"
#include "ff_instance.h"

/* Integrals of a coordinate at a time, from its knot, which stays. */
static inline ff_knot ff_integrals(const ff_instance *s, const ff_coordinate *c, double t)
{
    const double *kept = ff_knots(s) + 3 * c->knot;
    ff_knot knot = {kept[0], kept[1], kept[2]};
    ff_move(&knot, c->function, ff_inputs(s), c->chunk, c->kinks, c->kink, t);
    return knot;
}

/* Position, velocity and acceleration of a coordinate at a time. */
static inline ff_jet ff_coordinate_at(const ff_instance *s, const ff_coordinate *c, double t)
{
    const ff_jet f = c->function(t, ff_inputs(s));
    if (c->given == 0)
        return f;
    ff_knot knot = {t, 0.0, 0.0};
    if (c->knot >= 0)
        knot = ff_integrals(s, c, t);
    if (c->given == 1)
        return (ff_jet){c->position + knot.once, f.value, f.first};
    return (ff_jet){c->position + c->velocity * t + knot.twice, c->velocity + knot.once, f.value};
}

/* Move the knot of a coordinate, where it has one, to a time. */
static inline void ff_move_knot(ff_instance *s, const ff_coordinate *c, double t)
{
    if (c->knot < 0)
        return;
    const ff_knot knot = ff_integrals(s, c, t);
    double *kept = ff_knots(s) + 3 * c->knot;
    kept[0] = knot.time;
    kept[1] = knot.once;
    kept[2] = knot.twice;
}

#endif
