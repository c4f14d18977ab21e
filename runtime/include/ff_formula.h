/* SPDX-License-Identifier: BSD-3-Clause */
/* Formulas of what moves: of coordinates of joints, their rates and states of controllers, of time and inputs.

   They are forces of actuators, rates of controllers, and equations of speeds. */
#ifndef FF_FORMULA_H
#define FF_FORMULA_H

#include "ff_time.h"
#include <string.h>

/* A formula as a function of time, whose first inputs are its variables; inputs of the model follow behind
   those of the formula with the most. A variable is 2 a, the coordinate of actuator a; 2 a + 1, its rate;
   -1 - c, the state of controller c; or, behind all controllers, the multiplier of an equation. */
typedef struct {
    ff_function value; /* none where a law of force sets the numbers */
    int count; /* of variables */
    int at;    /* where its numbers begin among those of all formulas */
    const int *variable;
} ff_formula;

/* Numbers of a formula: value, derivative by time with the variables kept, derivatives by variables. */
enum { FF_FORMULA_VALUE, FF_FORMULA_TIME, FF_FORMULA_SLOPES };

/* Set the numbers (2 + count,) of a formula from its variables (count,). Inputs: (4 most + 4 of the model,),
   of which the first are set. */
static inline void ff_formula_at(const ff_formula *one, double t, const double *variables,
                                 double *inputs, double *out)
{
    for (int k = 0; k < one->count; ++k) {
        const double still[4] = {variables[k], 0.0, 0.0, t};
        memcpy(inputs + 4 * k, still, sizeof still);
    }
    const ff_jet found = ff_function_at(one->value, t, inputs);
    out[FF_FORMULA_VALUE] = found.value;
    out[FF_FORMULA_TIME] = found.first;
    for (int k = 0; k < one->count; ++k) { /* along time and the variable together */
        inputs[4 * k + 1] = 1.0;
        out[FF_FORMULA_SLOPES + k] = ff_function_at(one->value, t, inputs).first - found.first;
        inputs[4 * k + 1] = 0.0;
    }
}

#endif
