// SPDX-License-Identifier: BSD-3-Clause
// A class in place of `double` that counts what is done with it, and which memory is read and
// written. A file of C that follows is compiled as C++; support/counting.py writes the main program.
// Headers of the system are read before the class takes the place of `double`.
#include <assert.h>
#include <cmath>
#include <math.h>
#include <set>
#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vector>

static long additions, products, quotients, roots;

// Arguments by their first and last byte, and what a call has read and written of them. What else is
// read of the program's own data are tables; the stack has neither, for scalars are in registers.
struct Argument {
    const char *first, *last;
    std::vector<bool> read, written;
};
static std::vector<Argument> arguments;
static std::set<const void *> tables;
extern "C" const char __executable_start, _end;

static void touch(const void *place, bool write)
{
    const char *at = (const char *)place;
    for (Argument &one : arguments)
        if (at >= one.first && at < one.last) {
            const size_t entry = (at - one.first) / sizeof(double);
            // An entry that the call itself wrote before is no input.
            if (write) one.written[entry] = true;
            else if (!one.written[entry]) one.read[entry] = true;
            return;
        }
    if (!write && at >= &__executable_start && at < &_end) tables.insert(place);
}

struct Counted {
    double value;
    Counted() = default;
    constexpr Counted(double number) : value(number) {}
    Counted(const Counted &o) : value(o.value) { touch(&o, false); }
    Counted &operator=(const Counted &o)
    {
        touch(&o, false);
        touch(this, true);
        value = o.value;
        return *this;
    }
    Counted operator-() const { touch(this, false); return Counted(-value); }
    Counted operator+() const { return *this; }
    explicit operator int() const { touch(this, false); return (int)value; }
    Counted &add(double o) { touch(this, false); touch(this, true); additions++; value += o; return *this; }
    Counted &operator+=(Counted o) { return add(o.value); }
    Counted &operator-=(Counted o) { return add(-o.value); }
    Counted &operator*=(Counted o) { touch(this, false); touch(this, true); products++; value *= o.value; return *this; }
    Counted &operator/=(Counted o) { touch(this, false); touch(this, true); quotients++; value /= o.value; return *this; }
};
static inline Counted operator+(Counted a, Counted b) { additions++; return Counted(a.value + b.value); }
static inline Counted operator-(Counted a, Counted b) { additions++; return Counted(a.value - b.value); }
static inline Counted operator*(Counted a, Counted b) { products++; return Counted(a.value * b.value); }
static inline Counted operator/(Counted a, Counted b) { quotients++; return Counted(a.value / b.value); }
// A product with a written -1 is a change of sign, which does not count.
static inline Counted operator*(double a, Counted b) { products += a != -1.0; return Counted(a * b.value); }
static inline Counted operator*(Counted a, double b) { return b * a; }
static inline Counted operator+(double a, Counted b) { return Counted(a) + b; }
static inline Counted operator+(Counted a, double b) { return a + Counted(b); }
static inline Counted operator-(double a, Counted b) { return Counted(a) - b; }
static inline Counted operator-(Counted a, double b) { return a - Counted(b); }
static inline Counted operator/(double a, Counted b) { return Counted(a) / b; }
static inline Counted operator/(Counted a, double b) { return a / Counted(b); }
#define COUNTED_COMPARISON(sign) \
    static inline bool operator sign(Counted a, Counted b) { return a.value sign b.value; }
COUNTED_COMPARISON(<) COUNTED_COMPARISON(>) COUNTED_COMPARISON(<=) COUNTED_COMPARISON(>=) COUNTED_COMPARISON(==) COUNTED_COMPARISON(!=)

// Changes of sign and choices do not count; a fused product is a product and an addition.
static inline Counted fabs(Counted a) { return Counted(std::fabs(a.value)); }
static inline Counted fmin(Counted a, Counted b) { return Counted(std::fmin(a.value, b.value)); }
static inline Counted fmax(Counted a, Counted b) { return Counted(std::fmax(a.value, b.value)); }
static inline Counted fma(Counted a, Counted b, Counted c)
{
    products++, additions++;
    return Counted(std::fma(a.value, b.value, c.value));
}
#define COUNTED_FUNCTION(name) \
    static inline Counted name(Counted a) { roots++; return Counted(std::name(a.value)); }
COUNTED_FUNCTION(sqrt) COUNTED_FUNCTION(cbrt) COUNTED_FUNCTION(exp) COUNTED_FUNCTION(log) COUNTED_FUNCTION(log1p) COUNTED_FUNCTION(expm1)
COUNTED_FUNCTION(sin) COUNTED_FUNCTION(cos) COUNTED_FUNCTION(tan) COUNTED_FUNCTION(asin) COUNTED_FUNCTION(acos) COUNTED_FUNCTION(atan)
COUNTED_FUNCTION(sinh) COUNTED_FUNCTION(cosh) COUNTED_FUNCTION(tanh)
static inline Counted pow(Counted a, Counted b)
{
    roots++;
    return Counted(std::pow(a.value, b.value));
}

// Elements side by side: an operation on all lanes is one operation per element. A scalar that the
// lanes share counts once too, as in the compiler's own counts.
template <int N> struct Lanes;
template <int N> struct Lane {  // one number of a vector, of which only the first counts
    double value;
    bool counts;
};
template <int N> struct Lanes {
    Counted lane[N];
    Lane<N> operator[](int i) const { return {lane[i].value, i == 0}; }
    Lanes &operator+=(const Lanes &o) { return *this = *this + o; }
    Lanes &operator-=(const Lanes &o) { return *this = *this - o; }
    Lanes &operator*=(const Lanes &o) { return *this = *this * o; }
    Lanes operator-() const
    {
        Lanes out;
        for (int i = 0; i < N; i++) out.lane[i].value = -Counted(lane[i]).value;
        return out;
    }
};
#define COUNTED_WITH(sign, family, LEFT, RIGHT, left, right)                              \
    template <int N> static inline Lanes<N> operator sign(LEFT a, RIGHT b)              \
    {                                                                                   \
        Lanes<N> out;                                                                   \
        for (int i = 0; i < N; i++) out.lane[i].value = left.value sign right.value;    \
        family++;                                                                       \
        return out;                                                                     \
    }
#define COUNTED_LANES(sign, family)                                                                              \
    COUNTED_WITH(sign, family, const Lanes<N> &, const Lanes<N> &, Counted(a.lane[i]), Counted(b.lane[i])) \
    COUNTED_WITH(sign, family, const Lanes<N> &, Counted, Counted(a.lane[i]), b)                           \
    COUNTED_WITH(sign, family, Counted, const Lanes<N> &, a, Counted(b.lane[i]))
COUNTED_LANES(+, additions) COUNTED_LANES(-, additions) COUNTED_LANES(*, products)
COUNTED_LANES(/, quotients)
// A written 0 minus a vector is a change of sign; so kernels write a vector of zeros.
template <int N> static inline Lanes<N> operator-(double a, const Lanes<N> &b)
{
    if (a != 0.0) return Counted(a) - b;
    return -b;
}
#define COUNTED_LANE(name) \
    template <int N> static inline Counted name(Lane<N> a) { roots += a.counts; return Counted(std::name(a.value)); }
COUNTED_LANE(sqrt) COUNTED_LANE(exp) COUNTED_LANE(log) COUNTED_LANE(log1p) COUNTED_LANE(expm1)

#undef COUNTED_COMPARISON
#undef COUNTED_FUNCTION
#undef COUNTED_LANE
#undef COUNTED_LANES
#undef COUNTED_WITH

#include <flexforge.h>
// Functions of vectors work on the bits of numbers: each lane is a call that counts instead.
#define FLEXFORGE_LANE_BY_LANE
#undef FLEXFORGE_VECTOR
#define FLEXFORGE_VECTOR(scalar, count) Lanes<count>
#define __STDC_NO_COMPLEX__ 1
#define double Counted
