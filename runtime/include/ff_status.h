/* SPDX-License-Identifier: BSD-3-Clause */
/* Return codes of functions, and tests for finite numbers. */
#ifndef FF_STATUS_H
#define FF_STATUS_H

#include <math.h>
#include <stddef.h>

enum {
    FF_OK = 0,
    FF_SINGULAR = 1,
    FF_UNDEFINED = 2,
    FF_ARGUMENT = 3,
    FF_LOCKED = 5,            /* the mechanism cannot reach the time */
    FF_SINGULAR_POSITION = 6, /* it reaches a singular position */
    FF_UNBOUNDED = 7,         /* the motion is unbounded */
    FF_UNSETTLED = 8,         /* the equations of a step do not converge */
    FF_ENDLESS = 9            /* events follow each other without end */
}; /* 4: too little memory, in functions with given memory */

/* Whether all numbers of an array are finite. */
static inline int ff_finite(size_t count, const double *x)
{
    int bad = 0;
    for (size_t i = 0; i < count; ++i)
        bad |= !isfinite(x[i]);
    return !bad;
}

#endif
