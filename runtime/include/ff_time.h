/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of time with two derivatives (jets). */
#ifndef FF_TIME_H
#define FF_TIME_H

#include <math.h>

/* Value, first and second derivative. */
typedef struct {
    double value, first, second;
} ff_jet;

/* A function of time and of inputs, four numbers each. What is not defined is not finite. */
typedef ff_jet (*ff_function)(double t, const double *inputs);

static inline ff_jet ff_number(double x) { return (ff_jet){x, 0.0, 0.0}; }
static inline ff_jet ff_variable(double t) { return (ff_jet){t, 1.0, 0.0}; }

/* An input: value, first and second derivative when it was set, and that time. */
static inline ff_jet ff_input(double t, const double *input)
{
    const double past = t - input[3], change = input[1] + 0.5 * input[2] * past;
    return (ff_jet){input[0] + change * past, input[1] + input[2] * past, input[2]};
}

/* f(x) from f, f' and f'' there. */
static inline ff_jet ff_chain(ff_jet x, double value, double first, double second)
{
    return (ff_jet){value, first * x.first, second * x.first * x.first + first * x.second};
}

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

static inline ff_jet ff_exp(ff_jet x)
{
    const double f = exp(x.value);
    return ff_chain(x, f, f, f);
}

static inline ff_jet ff_log(ff_jet x)
{
    return ff_chain(x, log(x.value), 1.0 / x.value, -1.0 / (x.value * x.value));
}

/* A constant exponent follows the power rule, so that negative bases stay possible; where its
   coefficient vanishes it wins over a singular power. */
static inline ff_jet ff_power(ff_jet a, ff_jet b)
{
    const double n = b.value;
    if (b.first != 0.0 || b.second != 0.0) {
        ff_jet f = ff_exp(ff_multiply(b, ff_log(a)));
        f.value = pow(a.value, n); /* more exact, and known of a negative base too */
        return f;
    }
    const double first = n == 0.0 ? 0.0 : n * pow(a.value, n - 1.0);
    const double second = n * (n - 1.0) == 0.0 ? 0.0 : n * (n - 1.0) * pow(a.value, n - 2.0);
    return ff_chain(a, pow(a.value, n), first, second);
}

static inline ff_jet ff_sin(ff_jet x)
{
    const double f = sin(x.value);
    return ff_chain(x, f, cos(x.value), -f);
}

static inline ff_jet ff_cos(ff_jet x)
{
    const double f = cos(x.value);
    return ff_chain(x, f, -sin(x.value), -f);
}

static inline ff_jet ff_tan(ff_jet x)
{
    const double f = tan(x.value);
    return ff_chain(x, f, 1.0 + f * f, 2.0 * f * (1.0 + f * f));
}

static inline ff_jet ff_asin(ff_jet x)
{
    const double rest = 1.0 - x.value * x.value;
    return ff_chain(x, asin(x.value), 1.0 / sqrt(rest), x.value / (rest * sqrt(rest)));
}

static inline ff_jet ff_acos(ff_jet x)
{
    const double rest = 1.0 - x.value * x.value;
    return ff_chain(x, acos(x.value), -1.0 / sqrt(rest), -x.value / (rest * sqrt(rest)));
}

static inline ff_jet ff_atan(ff_jet x)
{
    const double first = 1.0 / (1.0 + x.value * x.value);
    return ff_chain(x, atan(x.value), first, -2.0 * x.value * first * first);
}

static inline ff_jet ff_atan2(ff_jet y, ff_jet x)
{
    const ff_jet squared = ff_add(ff_multiply(x, x), ff_multiply(y, y));
    const double turning = x.value * y.first - y.value * x.first;
    const double change = x.value * y.second - y.value * x.second;
    const double first = turning / squared.value;
    return (ff_jet){atan2(y.value, x.value), first,
                    (change - first * squared.first) / squared.value};
}

static inline ff_jet ff_sqrt(ff_jet x)
{
    const double f = sqrt(x.value);
    return ff_chain(x, f, 0.5 / f, -0.25 / (f * f * f));
}

static inline ff_jet ff_abs(ff_jet x)
{
    const double sign = (x.value > 0.0) - (x.value < 0.0);
    return ff_chain(x, fabs(x.value), sign, 0.0);
}

static inline ff_jet ff_sinh(ff_jet x)
{
    const double f = sinh(x.value);
    return ff_chain(x, f, cosh(x.value), f);
}

static inline ff_jet ff_cosh(ff_jet x)
{
    const double f = cosh(x.value);
    return ff_chain(x, f, sinh(x.value), f);
}

static inline ff_jet ff_tanh(ff_jet x)
{
    const double f = tanh(x.value);
    return ff_chain(x, f, 1.0 - f * f, -2.0 * f * (1.0 - f * f));
}

/* What is not a number is the smallest, and the largest: it does not get lost. */
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

/* From one value to another: s - sin(2 pi s) / (2 pi) of the way. */
static inline ff_jet ff_ramp(double from, double to, double start, double duration, double t)
{
    const double turn = 6.283185307179586476925286766559, rise = to - from;
    const double s = (t - start) / duration;
    if (s <= 0.0)
        return ff_number(from);
    if (s >= 1.0)
        return ff_number(to);
    return (ff_jet){from + rise * (s - sin(turn * s) / turn),
                    rise / duration * (1.0 - cos(turn * s)),
                    turn * rise / (duration * duration) * sin(turn * s)};
}

/* A cubic spline: c[4 k] (t - t_k)^3 + ... + c[4 k + 3] after times[k]. Outside the table its ends
   hold, or nothing is known, beyond some slack. */
static inline ff_jet ff_spline(int count, const double *times, const double *c, int hold,
                               double slack, double t)
{
    const int before = t < times[0] - slack, after = t > times[count - 1] + slack;
    if ((before || after) && !hold)
        return (ff_jet){NAN, NAN, NAN};
    const double at = t < times[0] ? times[0] : t > times[count - 1] ? times[count - 1] : t;
    int low = 0, high = count - 1;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (times[middle] <= at)
            low = middle;
        else
            high = middle;
    }
    const double x = at - times[low], *p = c + 4 * low;
    const double value = ((p[0] * x + p[1]) * x + p[2]) * x + p[3];
    if (before || after)
        return ff_number(value);
    return (ff_jet){value, (3.0 * p[0] * x + 2.0 * p[1]) * x + p[2], 6.0 * p[0] * x + 2.0 * p[1]};
}

#endif
