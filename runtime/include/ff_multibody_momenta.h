/* SPDX-License-Identifier: BSD-3-Clause */
/* What is left of Hamilton's equations of links at the middle of a step, see ff_found_momenta.h. */
#ifndef FF_MULTIBODY_MOMENTA_H
#define FF_MULTIBODY_MOMENTA_H

#include "ff_multibody_work.h"

/* Move to the middle of a step of momenta with A = x, with the values of joints at its end, and set out to
   what forces there lack of the rates of momenta. */
static inline void ff_momenta_forces(const ff_found *f, const ff_found_trial *trial, ff_found_work *w,
                                     const double *x, const double *force)
{
    const ff_multibody *m = f->links;
    const ff_begun *begun = trial->begun;
    const int links = m->linkage->links, rigid = FF_RIGID * links, all = ff_all_speeds(m);
    const int states = rigid + m->elastic;
    ff_found_speeds(f, trial, w, x);
    ff_found_begin(f, trial->near, force, f->equations, f->independent, w);
    for (int k = 0; k < all; ++k)
        w->steps[k] = begun->step * w->z[k];
    ff_found_place_links(f, trial, w);
    memcpy(begun->values, w->joints.value, (size_t)m->linkage->rows * sizeof(double));
    for (int k = 0; k < all; ++k)
        w->steps[k] *= 0.5;
    ff_found_place_links(f, trial, w);
    ff_multibody_formulas(m, trial->t, w->z + states, w->felt, w->kept, w->inputs, &w->joints, w->room);
    ff_multibody_efforts(m, w->multipliers, w->given, &w->joints);
    w->stiffness = ff_stiffened_links(m, w->frames, w->d, w->amplitudes, w->stiffened);
    memset(w->out, 0, (size_t)all * sizeof(double));
    for (int link = 0; link < links; ++link) {
        const int first = m->first[link];
        const double *z = w->z + FF_RIGID * link, *v = w->z + rigid + first;
        ff_link_resistance(m, link, z, w->d + first, v, w->stiffness + m->squares[link],
                           w->out + rigid + first);
        ff_link_momenta(m, link, z, w->d + first, v, begun->reached + FF_RIGID * link,
                        begun->reached + rigid + first, w->deformed + link);
    }
    ff_add_energies(m, w->d, w->out, w->room);
    ff_subtract_pushes(m, w->frames, w->d, w->amplitudes, w->out);
    for (int k = 0; k < m->controllers; ++k) {
        begun->reached[states + k] = w->z[states + k];
        w->out[states + k] = -w->joints.told[m->formula[m->laws + k].at + FF_FORMULA_VALUE];
    }
    for (int j = 0; j < m->linkage->joints; ++j)
        ff_subtract_efforts(m, j, &w->joints, w->out);
    for (int k = 0; k < f->speeds; ++k)
        w->out[f->numbers[k]] -= trial->added[k];
}

/* Move to the middle of a step of momenta with A = x, and set what is left of the equations there,

       2/h (P(q_m, z_m) - P_0) = F(q_m, z_m) + G^T force. */
static inline void ff_momenta_residual(const ff_found *f, const ff_found_trial *trial,
                                       ff_found_work *w, const double *x, const double *force)
{
    const ff_multibody *m = f->links;
    const ff_begun *begun = trial->begun;
    const double often = 2.0 / begun->step;
    const int links = m->linkage->links, rigid = FF_RIGID * links, all = ff_all_speeds(m);
    ff_momenta_forces(f, trial, w, x, force);
    for (int link = 0; link < links; ++link) {
        const double *pose = trial->poses + FF_POSE * link, *F = w->frames + FF_LINK * link;
        double R[9], *carried = begun->carried + FF_RIGID * link;
        ff_of_quaternion(pose + 3, R);
        ff_transport(pose, R, F, F + 3, begun->momenta + FF_RIGID * link, carried);
        for (int i = 0; i < FF_RIGID; ++i)
            w->out[FF_RIGID * link + i] += often * (begun->reached[FF_RIGID * link + i] - carried[i]);
    }
    for (int k = rigid; k < all; ++k)
        w->out[k] += often * (begun->reached[k] - begun->momenta[k]);
    for (int k = 0; k < f->speeds; ++k)
        w->right[k] = -w->out[f->numbers[k]];
}

#endif
