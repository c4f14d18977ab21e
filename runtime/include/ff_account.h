/* SPDX-License-Identifier: BSD-3-Clause */
/* What balances in a motion of links that is found: energies and powers, momenta and forces. */
#ifndef FF_ACCOUNT_H
#define FF_ACCOUNT_H

#include "ff_momentum.h"

/* Powers of drivers, of loads with given forces and laws at joints, of dampers, and of the forces between
   links from FF_POWER_FORCES on. */
enum { FF_POWER_DRIVERS, FF_POWER_LOADS, FF_POWER_DAMPERS, FF_POWER_FORCES };

/* What is known where forces were evaluated. */
typedef struct {
    const double *frames, *d, *z, *amplitudes, *given, *driven, *multipliers;
    const ff_joint_work *joints;
    ff_deformed *deformed;
    double *room;     /* (ff_tangent_doubles,) */
    double *momenta;  /* (all speeds,) set */
    double *forces;   /* (all speeds,) set */
} ff_accounted;

/* Energies, J; momentum and angular momentum about the global origin, and the resultant of all forces on links. */
typedef struct {
    double kinetic, strain, momentum[FF_RIGID], external[FF_RIGID];
} ff_account;

static inline int ff_powers(const ff_multibody *m) { return FF_POWER_FORCES + m->forces; }

/* Force and moment (6,) about the global origin, in global components, of those on all links in theirs. */
static inline void ff_account_in_space(const ff_multibody *m, const double *frames, const double *wrenches,
                                       double *out)
{
    memset(out, 0, FF_RIGID * sizeof(double));
    for (int link = 0; link < m->linkage->links; ++link) {
        const double *F = frames + FF_LINK * link;
        double force[3], moment[3], arm[3];
        ff_apply(F + 3, wrenches + FF_RIGID * link, force);
        ff_apply(F + 3, wrenches + FF_RIGID * link + 3, moment);
        ff_cross(F, force, arm);
        for (int i = 0; i < 3; ++i) {
            out[i] += force[i];
            out[3 + i] += moment[i] + arm[i];
        }
    }
}

/* Powers of laws: those at joints are loads, those of forces between links are their own. */
static inline void ff_account_laws(const ff_multibody *m, const ff_accounted *at, double *powers)
{
    for (int k = 0; k < m->laws; ++k) {
        const int row = m->row_of[m->actuator_of[m->law_of[k]]];
        if (m->formula[k].value.at)
            powers[FF_POWER_LOADS] += at->joints->told[m->formula[k].at + FF_FORMULA_VALUE] * at->joints->rate[row];
    }
    for (int k = 0; k < m->forces; ++k)
        for (int i = 0; i < ff_force_efforts(m->force + k); ++i) {
            const int law = m->force[k].formula[i];
            if (law < m->laws) /* not the rate of a state */
                powers[FF_POWER_FORCES + k] += at->joints->told[m->formula[law].at + FF_FORMULA_VALUE] *
                                               at->joints->rate[m->row_of[m->actuator_of[m->law_of[law]]]];
        }
}

/* Energies of springs and bodies, and powers of dampers. */
static inline void ff_account_elastic(const ff_multibody *m, const ff_accounted *at, ff_account *to,
                                      double *powers)
{
    const double *v = at->z + FF_RIGID * m->linkage->links;
    to->strain = ff_stored_energies(m, at->d, at->room);
    for (int k = 0; k < m->actuators; ++k) {
        const int row = m->row_of[m->actuator_of[k]];
        const double *spring = m->springs + 3 * k, rate = at->joints->rate[row];
        const double stretched = at->joints->value[row] - spring[2];
        to->strain += 0.5 * spring[0] * stretched * stretched;
        powers[FF_POWER_DAMPERS] += spring[1] * rate * rate;
        powers[FF_POWER_LOADS] += at->given[k] * rate;
    }
    for (int link = 0; link < m->linkage->links; ++link) {
        const int n = ff_elastic_of(m, link), first = m->first[link];
        for (int r = 0; r < n; ++r) {
            const double *stiffness = m->stiffness + m->squares[link] + (long)r * n;
            const double *damping = m->damping + m->squares[link] + (long)r * n;
            to->strain += 0.5 * at->d[first + r] * ff_dot(n, stiffness, at->d + first);
            powers[FF_POWER_DAMPERS] += v[first + r] * ff_dot(n, damping, v + first);
        }
    }
}

/* Set the account and the powers (ff_powers,) where forces were evaluated. */
static inline void ff_account_at(const ff_multibody *m, const ff_accounted *at, ff_account *to, double *powers)
{
    const ff_linkage *linkage = m->linkage;
    const int all = ff_all_speeds(m), rigid = FF_RIGID * linkage->links;
    const int first = linkage->equations - linkage->drivers;
    memset(powers, 0, (size_t)ff_powers(m) * sizeof(double));
    memset(at->momenta, 0, (size_t)all * sizeof(double));
    memset(at->forces, 0, (size_t)all * sizeof(double));
    for (int link = 0; link < linkage->links; ++link) {
        const int own = m->first[link];
        ff_link_momenta(m, link, at->z + FF_RIGID * link, at->d + own, at->z + rigid + own,
                        at->momenta + FF_RIGID * link, at->momenta + rigid + own, at->deformed + link);
    }
    to->kinetic = 0.5 * ff_dot(all, at->momenta, at->z);
    ff_subtract_pushes(m, at->frames, at->d, at->amplitudes, at->forces);
    powers[FF_POWER_LOADS] = -ff_dot(all, at->forces, at->z);
    for (int joint = 0; joint < linkage->joints; ++joint)
        ff_subtract_efforts(m, joint, at->joints, at->forces);
    for (int k = 0; k < all; ++k)
        at->forces[k] = -at->forces[k];
    ff_account_in_space(m, at->frames, at->momenta, to->momentum);
    ff_account_in_space(m, at->frames, at->forces, to->external);
    ff_account_elastic(m, at, to, powers);
    ff_account_laws(m, at, powers);
    for (int k = 0; k < linkage->drivers; ++k)
        powers[FF_POWER_DRIVERS] += at->driven[3 * k + 1] * at->multipliers[first + k];
    for (int k = 0; k < ff_conditions(m); ++k)
        powers[FF_POWER_DRIVERS] += ff_condition_wanted(m, at->joints, k, 1) * at->multipliers[linkage->equations + k];
}

#endif
