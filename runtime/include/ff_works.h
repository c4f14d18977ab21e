/* SPDX-License-Identifier: BSD-3-Clause */
/* Works and impulses over the steps of links whose motion is found, and how far energy and momenta balance.

   Integrals of cubics through powers and forces at the ends of steps: the part up to the last end but one is
   settled, with a cubic through two ends on either side; the last step is integrated with the same cubic, until
   the next end is known. Where the motion starts anew, as behind a kink, so does the cubic. Numbers are
   behind the state of an instance, and none of those that steps need. */
#ifndef FF_WORKS_H
#define FF_WORKS_H

#include "ff_account.h"
#include "ff_advance.h"

/* Ends that a cubic has behind it. */
enum { FF_WORKS_BEHIND = 3 };

/* Numbers before the arrays: ends since the last start, as far as they are counted; energy and momenta (6,) at first; largest errors of the
   balances of energy, momentum and angular momentum, and largest parts of these; largest kinetic energy; energies
   reached. */
enum { FF_WORKS_ENDS, FF_WORKS_ENERGY, FF_WORKS_MOMENTUM, FF_WORKS_ERROR = FF_WORKS_MOMENTUM + FF_RIGID,
       FF_WORKS_LARGEST = FF_WORKS_ERROR + 3, FF_WORKS_FASTEST = FF_WORKS_LARGEST + 3, FF_WORKS_KINETIC,
       FF_WORKS_STRAIN, FF_WORKS_REACHED, FF_WORKS_HEAD = FF_WORKS_REACHED + FF_RIGID };

/* Powers, then the resultant of forces and moments. */
static inline int ff_works_count(const ff_multibody *m) { return ff_powers(m) + FF_RIGID; }

/* Number of doubles: works and impulses, their settled part, times of ends, powers and forces at these. */
static inline size_t ff_works_doubles(const ff_multibody *m)
{
    const size_t count = (size_t)ff_works_count(m);
    return FF_WORKS_HEAD + 2 * count + FF_WORKS_BEHIND * (count + 1);
}

/* Integral from a to b of each of the polynomials that are one at one of the times and zero at the others. */
static inline void ff_works_weights(int count, const double *times, double a, double b, double *weight)
{
    static const double apart = 0.57735026918962576451; /* 1 / sqrt(3), exact for cubics */
    const double half = 0.5 * (b - a), middle = 0.5 * (a + b);
    for (int k = 0; k < count; ++k) {
        double sum = 0.0;
        for (int side = -1; side <= 1; side += 2) {
            const double t = middle + side * apart * half;
            double one = 1.0;
            for (int i = 0; i < count; ++i)
                if (i != k)
                    one *= (t - times[i]) / (times[k] - times[i]);
            sum += one;
        }
        weight[k] = half * sum;
    }
}

/* Evaluate the forces of a state of an instance, and set its account, powers and forces. */
static inline int ff_works_evaluate(ff_instance *s, ff_account *account, double *now)
{
    const ff_multibody *m = ff_found_of(s->model)->links;
    ff_found_work *w = &s->found;
    const int code = ff_found_given(s, ff_time(s));
    if (code)
        return code;
    ff_found_at(s, ff_time(s));
    const ff_accounted at = {w->frames, w->d, w->z, w->amplitudes, w->given, w->driven, w->multipliers,
                             &w->joints, w->deformed, w->room, w->steps, w->out};
    ff_account_at(m, &at, account, now);
    memcpy(now + ff_powers(m), account->external, sizeof account->external);
    return FF_OK;
}

/* Remember how large a vector and an error in it have become. */
static inline void ff_works_most(double *error, double *largest, double one, double a, double b)
{
    *error = fmax(*error, one);
    *largest = fmax(*largest, fmax(a, b));
}

/* Compare works and impulses, and what impacts took, with what energy and momenta have gained. */
static inline void ff_works_compare(const ff_instance *s, const ff_account *account)
{
    const ff_multibody *m = ff_found_of(s->model)->links;
    const int powers = ff_powers(m);
    double *works = s->works;
    const double *done = works + FF_WORKS_HEAD;
    double *error = works + FF_WORKS_ERROR, *largest = works + FF_WORKS_LARGEST;
    double sum = -2.0 * done[FF_POWER_DAMPERS], most = fmax(fabs(account->kinetic), fabs(account->strain));
    for (int k = 0; k < powers; ++k) {
        sum += done[k];
        most = fmax(most, fabs(done[k]));
    }
    for (int k = 0; m->events && k < m->forces; ++k) {
        sum -= ff_switches_of(s).lost[k];
        most = fmax(most, ff_switches_of(s).lost[k]);
    }
    const double gained = account->kinetic + account->strain - works[FF_WORKS_ENERGY];
    ff_works_most(error, largest, fabs(sum - gained), most, most);
    for (int part = 0; part < 2; ++part)
        for (int i = 3 * part; i < 3 * part + 3; ++i) {
            const double own = account->momentum[i], given = done[powers + i];
            ff_works_most(error + 1 + part, largest + 1 + part,
                          fabs(given - (own - works[FF_WORKS_MOMENTUM + i])), fabs(own), fabs(given));
        }
    works[FF_WORKS_FASTEST] = fmax(works[FF_WORKS_FASTEST], account->kinetic);
    works[FF_WORKS_KINETIC] = account->kinetic;
    works[FF_WORKS_STRAIN] = account->strain;
    memcpy(works + FF_WORKS_REACHED, account->momentum, sizeof account->momentum);
}

/* Take over powers and forces (count,) at a time, the end of a step. */
static inline void ff_works_add(const ff_multibody *m, double t, const double *now, double *works)
{
    const int count = ff_works_count(m), ends = (int)works[FF_WORKS_ENDS];
    const int full = ends >= FF_WORKS_BEHIND, behind = full ? FF_WORKS_BEHIND : ends;
    double *done = works + FF_WORKS_HEAD, *settled = done + count, *times = settled + count;
    double *before = times + FF_WORKS_BEHIND, all[FF_WORKS_BEHIND + 1];
    double last[FF_WORKS_BEHIND + 1], more[FF_WORKS_BEHIND + 1] = {0.0};
    memcpy(all, times, sizeof(double) * (size_t)behind);
    all[behind] = t;
    if (behind)
        ff_works_weights(behind + 1, all, all[behind - 1], t, last);
    if (behind > 1) /* before the last step: all of it where nothing is settled */
        ff_works_weights(behind + 1, all, ends > FF_WORKS_BEHIND ? all[1] : all[0], all[behind - 1], more);
    for (int k = 0; behind && k < count; ++k) {
        double known = more[behind] * now[k], tail = last[behind] * now[k];
        for (int i = 0; i < behind; ++i) {
            known += more[i] * before[i * count + k];
            tail += last[i] * before[i * count + k];
        }
        done[k] = settled[k] + known + tail;
        settled[k] += full ? known : 0.0;
    }
    if (full) {
        memmove(times, times + 1, (FF_WORKS_BEHIND - 1) * sizeof(double));
        memmove(before, before + count, (FF_WORKS_BEHIND - 1) * (size_t)count * sizeof(double));
    }
    const int at = full ? behind - 1 : behind;
    works[FF_WORKS_ENDS] = ends > FF_WORKS_BEHIND ? ends : ends + 1;
    times[at] = t;
    memcpy(before + (long)at * count, now, (size_t)count * sizeof(double));
}

/* Start at the state of an instance; a jump of momenta since the last end is the impulse of impacts. */
static inline int ff_works_start(ff_instance *s, int jumps)
{
    double *now = s->now, *works = s->works;
    const ff_multibody *m = ff_found_of(s->model)->links;
    const int count = ff_works_count(m);
    ff_account account;
    const int code = ff_works_evaluate(s, &account, now);
    if (code)
        return code;
    for (int i = 0; jumps && i < FF_RIGID; ++i)
        works[FF_WORKS_HEAD + ff_powers(m) + i] += account.momentum[i] - works[FF_WORKS_REACHED + i];
    memcpy(works + FF_WORKS_HEAD + count, works + FF_WORKS_HEAD, (size_t)count * sizeof(double));
    works[FF_WORKS_ENDS] = 0.0;
    ff_works_add(m, ff_time(s), now, works);
    ff_works_compare(s, &account);
    return FF_OK;
}

/* Begin to follow an instance, from its state on. */
static inline int ff_works_begin(ff_instance *s)
{
    double *now = s->now, *works = s->works;
    ff_account account;
    const int code = ff_works_evaluate(s, &account, now);
    if (code)
        return code;
    memset(works, 0, ff_works_doubles(ff_found_of(s->model)->links) * sizeof(double));
    works[FF_WORKS_ENERGY] = account.kinetic + account.strain;
    memcpy(works + FF_WORKS_MOMENTUM, account.momentum, sizeof account.momentum);
    return ff_works_start(s, 0);
}

/* Follow a step that was accepted, from the kept state to that of the instance. */
static inline int ff_works_follow(ff_instance *s)
{
    double *now = s->now, *works = s->works;
    ff_account account;
    int code = FF_OK;
    if (s->kept[FF_PREVIOUS] == 0.0) { /* the motion started there, maybe with other forces than before */
        double *reached = s->state;
        s->state = s->kept;
        code = ff_works_start(s, ff_found_of(s->model)->links->holds > 0);
        s->state = reached;
    }
    if (!code)
        code = ff_works_evaluate(s, &account, now);
    if (code)
        return code;
    ff_works_add(ff_found_of(s->model)->links, ff_time(s), now, works);
    ff_works_compare(s, &account);
    return FF_OK;
}

#endif
