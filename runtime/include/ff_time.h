/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of time with two derivatives (jets). */
#ifndef FF_TIME_H
#define FF_TIME_H

#include <math.h>

/* Value, first and second derivative. */
typedef struct {
    double value, first, second;
} ff_jet;

/* A function of time and of inputs, four numbers each: C code, or a table that `at` evaluates
   (ff_functions.h). Undefined values are not finite. */
typedef struct ff_table ff_table;
typedef struct {
    ff_jet (*at)(const ff_table *table, double t, const double *inputs);
    const ff_table *table; /* 0 for C code */
} ff_function;

static inline ff_jet ff_function_at(ff_function f, double t, const double *inputs)
{
    return f.at(f.table, t, inputs);
}

static inline ff_jet ff_number(double x) { return (ff_jet){x, 0.0, 0.0}; }
static inline ff_jet ff_variable(double t) { return (ff_jet){t, 1.0, 0.0}; }

/* An input: value, first and second derivative when it was set, and that time. */
static inline ff_jet ff_input(double t, const double *input)
{
    const double past = t - input[3], change = input[1] + 0.5 * input[2] * past;
    return (ff_jet){input[0] + change * past, input[1] + input[2] * past, input[2]};
}

/* Jet of f(x) from f, f' and f'' at x. */
static inline ff_jet ff_chain(ff_jet x, double value, double first, double second)
{
    return (ff_jet){value, first * x.first, second * x.first * x.first + first * x.second};
}

/* The derivative of a function; its second derivative is unknown. */
static inline ff_jet ff_rate(ff_jet f) { return (ff_jet){f.first, f.second, NAN}; }

static inline ff_jet ff_add(ff_jet a, ff_jet b)
{
    return (ff_jet){a.value + b.value, a.first + b.first, a.second + b.second};
}

static inline ff_jet ff_subtract(ff_jet a, ff_jet b)
{
    return (ff_jet){a.value - b.value, a.first - b.first, a.second - b.second};
}

static inline ff_jet ff_negate(ff_jet a) { return (ff_jet){-a.value, -a.first, -a.second}; }

static inline ff_jet ff_multiply(ff_jet a, ff_jet b)
{
    return (ff_jet){a.value * b.value, a.first * b.value + a.value * b.first,
                    a.second * b.value + 2.0 * a.first * b.first + a.value * b.second};
}

static inline ff_jet ff_divide(ff_jet a, ff_jet b)
{
    const double value = a.value / b.value;
    const double first = (a.first - value * b.first) / b.value;
    const double second = a.second - 2.0 * first * b.first - value * b.second;
    return (ff_jet){value, first, second / b.value};
}

/* A number hidden from the compiler: for constants, compilers evaluate functions such as the sine
   themselves, with other rounding than the library that evaluates them elsewhere. */
static inline double ff_hidden(double x)
{
    volatile double hidden = x;
    return hidden;
}

static inline ff_jet ff_exp(ff_jet x)
{
    const double f = exp(ff_hidden(x.value));
    return ff_chain(x, f, f, f);
}

static inline ff_jet ff_log(ff_jet x)
{
    return ff_chain(x, log(ff_hidden(x.value)), 1.0 / x.value, -1.0 / (x.value * x.value));
}

/* x to a power; small integer powers are exact and fast. */
static inline double ff_raised(double x, double n)
{
    return n == 0.0 ? 1.0 : n == 1.0 ? x : n == 2.0 ? x * x : n == -1.0 ? 1.0 / x
        : pow(ff_hidden(x), ff_hidden(n));
}

/* A constant exponent follows the power rule, so that negative bases are allowed; a zero coefficient takes
   precedence over a singular power. */
static inline ff_jet ff_power(ff_jet a, ff_jet b)
{
    const double n = b.value;
    if (b.first != 0.0 || b.second != 0.0) {
        ff_jet f = ff_exp(ff_multiply(b, ff_log(a)));
        f.value = ff_raised(a.value, n); /* more accurate, and also defined for a negative base */
        return f;
    }
    const double first = n == 0.0 ? 0.0 : n * ff_raised(a.value, n - 1.0);
    const double factor = n * (n - 1.0);
    const double second = factor == 0.0 ? 0.0 : factor * ff_raised(a.value, n - 2.0);
    return ff_chain(a, ff_raised(a.value, n), first, second);
}

static inline ff_jet ff_sin(ff_jet x)
{
    const double at = ff_hidden(x.value), f = sin(at);
    return ff_chain(x, f, cos(at), -f);
}

static inline ff_jet ff_cos(ff_jet x)
{
    const double at = ff_hidden(x.value), f = cos(at);
    return ff_chain(x, f, -sin(at), -f);
}

static inline ff_jet ff_tan(ff_jet x)
{
    const double f = tan(ff_hidden(x.value));
    return ff_chain(x, f, 1.0 + f * f, 2.0 * f * (1.0 + f * f));
}

static inline ff_jet ff_asin(ff_jet x)
{
    const double rest = 1.0 - x.value * x.value;
    return ff_chain(x, asin(ff_hidden(x.value)), 1.0 / sqrt(rest), x.value / (rest * sqrt(rest)));
}

static inline ff_jet ff_acos(ff_jet x)
{
    const double rest = 1.0 - x.value * x.value;
    return ff_chain(x, acos(ff_hidden(x.value)), -1.0 / sqrt(rest), -x.value / (rest * sqrt(rest)));
}

static inline ff_jet ff_atan(ff_jet x)
{
    const double first = 1.0 / (1.0 + x.value * x.value);
    return ff_chain(x, atan(ff_hidden(x.value)), first, -2.0 * x.value * first * first);
}

static inline ff_jet ff_atan2(ff_jet y, ff_jet x)
{
    const ff_jet squared = ff_add(ff_multiply(x, x), ff_multiply(y, y));
    const double turning = x.value * y.first - y.value * x.first;
    const double change = x.value * y.second - y.value * x.second;
    const double first = turning / squared.value;
    return (ff_jet){atan2(ff_hidden(y.value), ff_hidden(x.value)), first,
                    (change - first * squared.first) / squared.value};
}

static inline ff_jet ff_sqrt(ff_jet x)
{
    const double f = sqrt(x.value);
    return ff_chain(x, f, 0.5 / f, -0.25 / (f * f * f));
}

static inline ff_jet ff_abs(ff_jet x)
{
    const double sign = x.value > 0.0 ? 1.0 : x.value < 0.0 ? -1.0 : x.value; /* of NAN, NAN */
    return ff_chain(x, fabs(x.value), sign, 0.0);
}

static inline ff_jet ff_sinh(ff_jet x)
{
    const double at = ff_hidden(x.value), f = sinh(at);
    return ff_chain(x, f, cosh(at), f);
}

static inline ff_jet ff_cosh(ff_jet x)
{
    const double at = ff_hidden(x.value), f = cosh(at);
    return ff_chain(x, f, sinh(at), f);
}

static inline ff_jet ff_tanh(ff_jet x)
{
    const double f = tanh(ff_hidden(x.value));
    return ff_chain(x, f, 1.0 - f * f, -2.0 * f * (1.0 - f * f));
}

/* NAN is the minimum and the maximum, so that it is not lost. */
static inline ff_jet ff_min(ff_jet a, ff_jet b)
{
    return a.value <= b.value || isnan(a.value) ? a : b;
}
static inline ff_jet ff_max(ff_jet a, ff_jet b)
{
    return a.value >= b.value || isnan(a.value) ? a : b;
}

static inline ff_jet ff_step_at(ff_jet t, ff_jet start)
{
    return ff_number(t.value >= start.value ? 1.0 : 0.0);
}

/* 10 s^3 - 15 s^4 + 6 s^5. */
static inline ff_jet ff_smooth_step(ff_jet t, ff_jet start, ff_jet end)
{
    ff_jet s = ff_divide(ff_subtract(t, start), ff_subtract(end, start));
    if (s.value <= 0.0 || s.value >= 1.0)
        s = ff_number(s.value >= 1.0 ? 1.0 : 0.0);
    const ff_jet cube = ff_multiply(ff_multiply(s, s), s);
    const ff_jet inner = ff_subtract(ff_multiply(ff_number(6.0), s), ff_number(15.0));
    return ff_multiply(cube, ff_add(ff_number(10.0), ff_multiply(s, inner)));
}

/* c0 + c1 t + ... */
static inline ff_jet ff_polynomial(int count, const double *c, double t)
{
    ff_jet f = ff_number(0.0);
    for (int k = count - 1; k >= 0; --k) {
        f.second = f.second * t + 2.0 * f.first;
        f.first = f.first * t + f.value;
        f.value = f.value * t + c[k];
    }
    return f;
}

/* Remainder of Taylor's polynomials of sine and cosine, x^k / k! - x^(k + 2) / (k + 2)! + ..., for |x| <= 1:
   1 - cos x for k = 2, x - sin x for k = 3, and so on, to the last digit. */
static inline double ff_remainder(int k, double x)
{
    double sum = 1.0, first = 1.0;
    for (int j = k + 17; j > k; j -= 2)
        sum = 1.0 - x * x / (j * (j + 1.0)) * sum;
    for (int j = 1; j <= k; ++j)
        first *= x / j;
    return first * sum;
}

/* From c[0] to c[1], beginning at c[2] and lasting c[3], by the fraction s - sin(2 pi s) / (2 pi). Its
   integrals vanish before it begins; those of a constant vanish at time zero. */
static inline ff_jet ff_ramp_integral(int level, const double *c, double t)
{
    const double turn = 6.283185307179586476925286766559, from = c[0], rise = c[1] - from;
    const double duration = c[3], way = (t - c[2]) / duration;
    const double s = way < 0.0 ? 0.0 : way > 1.0 ? 1.0 : way;
    const double angle = ff_hidden(turn * s), sine = sin(angle), cosine = cos(angle);
    const int inside = s > 0.0 && s < 1.0, early = angle < 1.0;
    const double fraction = early ? ff_remainder(3, angle) / turn : s - sine / turn;
    ff_jet f = ff_number(s >= 1.0 ? c[1] : from + rise * fraction);
    f.first = inside ? rise / duration * (early ? ff_remainder(2, angle) : 1.0 - cosine) : 0.0;
    f.second = inside ? turn * rise / (duration * duration) * sine : 0.0;
    if (level == 0)
        return f;
    const double after = way > 1.0 ? t - c[2] - duration : 0.0, square = turn * turn;
    const double once = duration * (early ? ff_remainder(4, angle) / square
                                          : 0.5 * s * s + (cosine - 1.0) / square);
    const double twice = duration * duration *
                         (early ? ff_remainder(5, angle) / (turn * square)
                                : s * s * s / 6.0 + (sine / turn - s) / square);
    const ff_jet g = {from * t + rise * (once + after), f.value, f.first};
    if (level == 1)
        return g;
    return (ff_jet){0.5 * from * t * t + rise * (twice + after * once + 0.5 * after * after),
                    g.value, f.value};
}

/* A cubic spline or its integral from its first time: the numbers c are whether it is constant outside,
   the tolerance at its ends, the times, and 4 + level coefficients of every piece, constant first, in
   powers of the time since its beginning. */
static inline ff_jet ff_spline_integral(int level, int numbers, const double *c, double t)
{
    const int count = (numbers + 2 + level) / (5 + level); /* number of times */
    const double slack = c[1], *times = c + 2, first = times[0], last = times[count - 1];
    const int beyond = t < first - slack || t > last + slack;
    if (beyond && c[0] == 0.0)
        return (ff_jet){NAN, NAN, NAN};
    const double at = t < first ? first : t > last ? last : t, outside = t - at;
    int low = 0, high = count - 1;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (times[middle] <= at)
            low = middle;
        else
            high = middle;
    }
    ff_jet f = ff_polynomial(4 + level, times + count + (4 + level) * low, at - times[low]);
    if (beyond && level == 0)
        f.first = 0.0;
    if (beyond && level < 2)
        f.second = 0.0;
    if (level == 1)
        f.value += outside * f.first;
    if (level == 2) {
        f.value += outside * (f.first + 0.5 * outside * f.second);
        f.first += outside * f.second;
    }
    return f;
}

/* The same with the arguments of instructions. */
static inline ff_jet ff_ramp(int count, const double *c, double t)
{
    return (void)count, ff_ramp_integral(0, c, t);
}
static inline ff_jet ff_ramp_once(int count, const double *c, double t)
{
    return (void)count, ff_ramp_integral(1, c, t);
}
static inline ff_jet ff_ramp_twice(int count, const double *c, double t)
{
    return (void)count, ff_ramp_integral(2, c, t);
}
static inline ff_jet ff_spline(int count, const double *c, double t)
{
    return ff_spline_integral(0, count, c, t);
}
static inline ff_jet ff_spline_once(int count, const double *c, double t)
{
    return ff_spline_integral(1, count, c, t);
}
static inline ff_jet ff_spline_twice(int count, const double *c, double t)
{
    return ff_spline_integral(2, count, c, t);
}

#endif
