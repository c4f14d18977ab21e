/* SPDX-License-Identifier: BSD-3-Clause */
/* Integrals of functions of time, from knots that move along. */
#ifndef FF_INTEGRALS_H
#define FF_INTEGRALS_H

#include "ff_time.h"

/* Where the integrals of a function from zero are known: once and twice integrated. */
typedef struct {
    double time, once, twice;
} ff_knot;

/* A rule of integration on -1 to 1, symmetric: the nodes above zero, and their weights. */
typedef struct {
    int half;
    double at[8], weight[8];
} ff_nodes;

/* Integrate over an interval of some length and middle: once, and the moment about its end over
   half the length. Returns the largest size of the function that was met. */
static inline double ff_rule(const ff_nodes *rule, ff_function f, const double *inputs,
                             double middle, double length, double *once, double *moment)
{
    double largest = 0.0, sum = 0.0, sums = 0.0;
    for (int k = 0; k < rule->half; ++k) {
        const double apart = 0.5 * length * rule->at[k];
        const double early = f(middle - apart, inputs).value;
        const double late = f(middle + apart, inputs).value;
        sum += rule->weight[k] * (early + late);
        sums += rule->weight[k] * ((1.0 + rule->at[k]) * early + (1.0 - rule->at[k]) * late);
        largest = fmax(largest, fmax(fabs(early), fabs(late)));
    }
    *once = 0.5 * length * sum;
    *moment = 0.25 * length * length * sums;
    return largest;
}

/* Move a knot: intervals are halved until the rules of Lobatto (8 points, the ends among them) and
   of Gauss (16 points) agree, so that kinks and jumps are enclosed, at the ends too. */
enum { FF_DEEPEST = 60, FF_MOST_PIECES = 4000 };
static inline void ff_move_piece(ff_knot *knot, ff_function f, const double *inputs, double to)
{
    static const ff_nodes coarse = {
        4,
        {0.2092992179024788687, 0.5917001814331423021, 0.8717401485096066153, 1.0},
        {0.4124587946587038816, 0.3411226924835043647, 0.2107042271435060393,
         0.0357142857142857143}};
    static const ff_nodes fine = {
        8,
        {0.0950125098376374402, 0.2816035507792589132, 0.4580167776572273863,
         0.6178762444026437484, 0.7554044083550030339, 0.8656312023878317439,
         0.9445750230732325761, 0.9894009349916499326},
        {0.1894506104550684963, 0.1826034150449235888, 0.1691565193950025382,
         0.1495959888165767321, 0.1246289712555338720, 0.0951585116824927848,
         0.0622535239386478929, 0.0271524594117540949}};
    double ends[FF_DEEPEST] = {to}, largest = 0.0;
    const double whole = fabs(to - knot->time);
    int depth = 0, left = FF_MOST_PIECES;
    while (depth >= 0) {
        const double end = ends[depth], length = end - knot->time;
        const double middle = knot->time + 0.5 * length;
        double once, moment, about, about_moment;
        ff_rule(&coarse, f, inputs, middle, length, &about, &about_moment);
        largest = fmax(largest, ff_rule(&fine, f, inputs, middle, length, &once, &moment));
        const double apart = fmax(fabs(once - about), fabs((moment - about_moment) / length));
        if (apart > 1e-14 * largest * whole && depth + 1 < FF_DEEPEST && left > 0 &&
            middle != knot->time && middle != end) {
            ends[++depth] = middle;
            --left;
            continue;
        }
        knot->twice += knot->once * length + moment;
        knot->once += once;
        knot->time = end;
        --depth;
    }
}

/* End of the smooth piece of a way in time: no longer than a chunk, and to no kink beyond.
   Far off, chunks are longer, so that such times are reached. */
static inline double ff_next(double from, double to, double chunk, int kinks, const double *kink)
{
    const int forward = to > from;
    const double piece = fmax(chunk, fabs(from) / 64.0);
    double next = forward ? from + piece : from - piece;
    if (forward ? next > to : next < to)
        next = to;
    for (int k = 0; k < kinks; ++k)
        if (forward ? from < kink[k] && kink[k] < next : next < kink[k] && kink[k] < from)
            next = kink[k];
    return next;
}

/* Move a knot to a time: in pieces of a chunk, that end where the function has kinks. */
static inline void ff_move(ff_knot *knot, ff_function f, const double *inputs, double chunk,
                           int kinks, const double *kink, double to)
{
    while (knot->time != to) {
        const double next = ff_next(knot->time, to, chunk, kinks, kink);
        if (next == knot->time)
            break; /* a time so large that a chunk is lost in it */
        ff_move_piece(knot, f, inputs, next);
    }
}

#endif
