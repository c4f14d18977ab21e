/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions as tables: programs for a stack machine. Exports print the same operations as C code. */
#ifndef FF_FUNCTIONS_H
#define FF_FUNCTIONS_H

#include "ff_time.h"

/* The operations, named after their functions in ff_time.h: of constants and time, and of one, two and
   three operands. */
#define FF_OF_TIME(_) \
    _(polynomial) _(ramp) _(ramp_once) _(ramp_twice) _(spline) _(spline_once) _(spline_twice)
#define FF_OF_ONE(_) \
    _(negate) _(rate) _(sin) _(cos) _(tan) _(asin) _(acos) _(atan) _(exp) _(log) _(sqrt) _(abs) \
    _(sinh) _(cosh) _(tanh)
#define FF_OF_TWO(_) \
    _(add) _(subtract) _(multiply) _(divide) _(power) _(atan2) _(min) _(max) _(step_at)
#define FF_OF_THREE(_) _(smooth_step)

#define FF_CODE(name) FF_CODE_##name,
enum {
    FF_CODE(number) FF_CODE(variable) FF_CODE(input) FF_OF_TIME(FF_CODE) FF_OF_ONE(FF_CODE)
    FF_OF_TWO(FF_CODE) FF_OF_THREE(FF_CODE) FF_CODES
};

/* Names of the operations, and numbers of operands that they take from the stack. */
typedef struct {
    const char *name;
    int operands;
} ff_operation;

static inline ff_operation ff_operation_of(int code)
{
#define FF_NONE(name) {#name, 0},
#define FF_ONE(name) {#name, 1},
#define FF_TWO(name) {#name, 2},
#define FF_THREE(name) {#name, 3},
    static const ff_operation operations[] = {
        FF_NONE(number) FF_NONE(variable) FF_NONE(input) FF_OF_TIME(FF_NONE) FF_OF_ONE(FF_ONE)
        FF_OF_TWO(FF_TWO) FF_OF_THREE(FF_THREE)
    };
    return operations[code];
}

/* An operation and its data: number of its variable or input, or start of its constants, and their
   number. */
typedef struct {
    int code, at, count;
} ff_instruction;

struct ff_table {
    int length;
    const ff_instruction *program;
    const double *constants;
};

enum { FF_STACK = 512 }; /* largest number of jets on the stack */

/* Value of a table for given jets of its variables, the first of which is time. */
static inline ff_jet ff_interpret(const ff_table *table, const ff_jet *variables,
                                  const double *inputs)
{
    ff_jet stack[FF_STACK], *top = stack; /* one past the top */
    for (int k = 0; k < table->length; ++k) {
        const ff_instruction one = table->program[k];
        switch (one.code) {
        case FF_CODE_number:
            *top++ = ff_number(table->constants[one.at]);
            break;
        case FF_CODE_variable:
            *top++ = variables[one.at];
            break;
        case FF_CODE_input:
            *top++ = ff_input(variables[0].value, inputs + 4 * one.at);
            break;
#define FF_DO_TIME(name) \
    case FF_CODE_##name: \
        *top++ = ff_##name(one.count, table->constants + one.at, variables[0].value); \
        break;
#define FF_DO_ONE(name) \
    case FF_CODE_##name: \
        top[-1] = ff_##name(top[-1]); \
        break;
#define FF_DO_TWO(name) \
    case FF_CODE_##name: \
        --top; \
        top[-1] = ff_##name(top[-1], top[0]); \
        break;
#define FF_DO_THREE(name) \
    case FF_CODE_##name: \
        top -= 2; \
        top[-1] = ff_##name(top[-1], top[0], top[1]); \
        break;
            FF_OF_TIME(FF_DO_TIME)
            FF_OF_ONE(FF_DO_ONE)
            FF_OF_TWO(FF_DO_TWO)
            FF_OF_THREE(FF_DO_THREE)
        }
    }
    return stack[0];
}

/* The same for time alone: the evaluator `at` of an ff_function with a table in memory. */
static inline ff_jet ff_interpret_at(const ff_table *table, double t, const double *inputs)
{
    const ff_jet time = ff_variable(t);
    return ff_interpret(table, &time, inputs);
}

#endif
