/* SPDX-License-Identifier: BSD-3-Clause */
/* What functions return, and whether numbers are finite. */
#ifndef FF_STATUS_H
#define FF_STATUS_H

#include <math.h>
#include <stddef.h>

enum {
    FF_OK = 0,
    FF_SINGULAR = 1,
    FF_UNDEFINED = 2,
    FF_ARGUMENT = 3,
    FF_LOCKED = 5,            /* the mechanism does not get to that time */
    FF_SINGULAR_POSITION = 6, /* it comes to a singular position on the way */
    FF_UNBOUNDED = 7          /* the motion has grown beyond all bounds */
}; /* 4: too little memory, of those who ask for it */

/* Whether all of some numbers are finite. */
static inline int ff_finite(size_t count, const double *x)
{
    int bad = 0;
    for (size_t i = 0; i < count; ++i)
        bad |= !isfinite(x[i]);
    return !bad;
}

#endif
