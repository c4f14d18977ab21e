/* SPDX-License-Identifier: BSD-3-Clause */
/* Integrals of functions of time, from knots that move with time. */
#ifndef FF_INTEGRALS_H
#define FF_INTEGRALS_H

#include "ff_time.h"

/* A time with known integrals of a function from zero: once and twice integrated. */
typedef struct {
    double time, once, twice;
} ff_knot;

/* A symmetric quadrature rule on [-1, 1]: the nodes above zero, and their weights. */
typedef struct {
    int half;
    double at[8], weight[8];
} ff_nodes;

/* Findings of an integration: largest magnitude of the function, a time at which it is not finite, or
   NAN, and whether it varies too fast for the pieces. */
typedef struct {
    double largest, undefined;
    int unresolved;
} ff_met;

/* Integrate over an interval of given length and midpoint: the integral, and the moment about its end
   divided by half the length. */
static inline void ff_rule(const ff_nodes *rule, ff_function f, const double *inputs, double middle,
                           double length, double *once, double *moment, ff_met *met)
{
    double sum = 0.0, sums = 0.0;
    for (int k = 0; k < rule->half; ++k) {
        const double apart = 0.5 * length * rule->at[k];
        const double early = ff_function_at(f, middle - apart, inputs).value;
        const double late = ff_function_at(f, middle + apart, inputs).value;
        sum += rule->weight[k] * (early + late);
        sums += rule->weight[k] * ((1.0 + rule->at[k]) * early + (1.0 - rule->at[k]) * late);
        met->largest = fmax(met->largest, fmax(fabs(early), fabs(late)));
        if (!isfinite(early) || !isfinite(late))
            met->undefined = isfinite(early) ? middle + apart : middle - apart;
    }
    *once = 0.5 * length * sum;
    *moment = 0.25 * length * length * sums;
}

/* The rules of Lobatto (8 points, including the ends) and Gauss (16 points). */
static const ff_nodes ff_coarse = {
    4,
    {0.2092992179024788687, 0.5917001814331423021, 0.8717401485096066153, 1.0},
    {0.4124587946587038816, 0.3411226924835043647, 0.2107042271435060393, 0.0357142857142857143}};
static const ff_nodes ff_fine = {
    8,
    {0.0950125098376374402, 0.2816035507792589132, 0.4580167776572273863, 0.6178762444026437484,
     0.7554044083550030339, 0.8656312023878317439, 0.9445750230732325761, 0.9894009349916499326},
    {0.1894506104550684963, 0.1826034150449235888, 0.1691565193950025382, 0.1495959888165767321,
     0.1246289712555338720, 0.0951585116824927848, 0.0622535239386478929, 0.0271524594117540949}};

/* Add the integrals over an interval to those of a knot at its beginning. */
static inline void ff_add_interval(ff_knot *knot, double end, double once, double moment)
{
    knot->twice += knot->once * (end - knot->time) + moment;
    knot->once += once;
    knot->time = end;
}

/* The interval over which a knot moves, cut into pieces: ends of the remaining ones, nearest last. */
enum { FF_DEEPEST = 60, FF_MOST_PIECES = 16000 };
typedef struct {
    double ends[FF_DEEPEST], whole, relevant, scale, allowed;
    int depth, cuts;
} ff_way;

/* A chunk is a fraction of the relevant time; far away chunks are longer, so that distant times are
   reached. */
enum { FF_CHUNKS = 64 };

static inline void ff_begin_way(ff_way *way, double from, double to, double chunk)
{
    way->ends[0] = to;
    way->whole = fabs(to - from);
    way->relevant = to > from ? FF_CHUNKS * chunk : -FF_CHUNKS * chunk;
    way->scale = 0.0;
    way->allowed = 1e-14;
    way->depth = way->cuts = 0;
}

/* The size of a function in the relevant time. A motion that starts slowly has hardly any size, and the
   round-off of its formula, at first. */
static inline double ff_magnitude_of(ff_function f, const double *inputs, double relevant)
{
    double size = 0.0;
    for (int k = 1; k <= 8; ++k) {
        const double value = fabs(ff_function_at(f, 0.125 * k * relevant, inputs).value);
        if (isfinite(value))
            size = fmax(size, value);
    }
    return size;
}

/* Whether the difference of two rules for a piece is within the tolerance, which is looser after many
   cuts: what they do not reduce is round-off. */
static inline int ff_agrees(ff_way *way, double apart, ff_function f, const double *inputs,
                            const ff_met *met)
{
    if (apart <= way->allowed * met->largest * way->whole)
        return 1;
    if (way->scale == 0.0)
        way->scale = ff_magnitude_of(f, inputs, way->relevant);
    if (way->cuts % 1000 == 999 && way->allowed < 1e-10)
        way->allowed *= 10.0;
    return apart <= way->allowed * fmax(met->largest, way->scale) * way->whole;
}

/* Move a knot by one piece of its interval, and return whether pieces remain. The piece is halved until
   both rules agree, so that kinks and jumps are enclosed, also at the ends. */
static inline int ff_move_piece(ff_way *way, ff_knot *knot, ff_function f, const double *inputs,
                                ff_met *met)
{
    for (;;) {
        const double end = way->ends[way->depth], length = end - knot->time;
        const double middle = knot->time + 0.5 * length;
        double once, moment, about, about_moment;
        ff_rule(&ff_coarse, f, inputs, middle, length, &about, &about_moment, met);
        ff_rule(&ff_fine, f, inputs, middle, length, &once, &moment, met);
        const double apart = fmax(fabs(once - about), fabs((moment - about_moment) / length));
        if (!ff_agrees(way, apart, f, inputs, met) && way->depth + 1 < FF_DEEPEST && middle != knot->time && middle != end) {
            if (way->cuts++ < FF_MOST_PIECES) {
                way->ends[++way->depth] = middle;
                continue;
            }
            met->unresolved = 1;
        }
        ff_add_interval(knot, end, once, moment);
        return --way->depth >= 0;
    }
}

/* End of the smooth piece at a time: at most one chunk, and not beyond the next kink. */
static inline double ff_next(double from, double to, double chunk, int kinks, const double *kink)
{
    const int forward = to > from;
    const double piece = fmax(chunk, fabs(from) / FF_CHUNKS);
    double next = forward ? from + piece : from - piece;
    if (forward ? next > to : next < to)
        next = to;
    for (int k = 0; k < kinks; ++k)
        if (forward ? from < kink[k] && kink[k] < next : next < kink[k] && kink[k] < from)
            next = kink[k];
    return next;
}

/* Move a knot to a time, in pieces of a chunk that end at kinks of the function. */
static inline void ff_move(ff_knot *knot, ff_function f, const double *inputs, double chunk,
                           int kinks, const double *kink, double to)
{
    while (knot->time != to) {
        const double next = ff_next(knot->time, to, chunk, kinks, kink);
        if (next == knot->time)
            break; /* a time so large that a chunk is below its rounding */
        ff_met met = {0.0, NAN, 0};
        ff_way way;
        ff_begin_way(&way, knot->time, next, chunk);
        while (ff_move_piece(&way, knot, f, inputs, &met))
            ;
    }
}

#endif
