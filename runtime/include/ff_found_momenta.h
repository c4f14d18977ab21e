/* SPDX-License-Identifier: BSD-3-Clause */
/* Steps of Hamilton's equations of links whose motion is found.

   The state between steps has the momenta P = M(q) z as speeds. In a step, with momenta carried along in
   components of fixed axes, where those of links are constant without forces,

       P_m = P_0 + h/2 (F + G^T f),    P_m = M(q_m) z_m,    P_1 = P_0 + h (F + G^T f) + G_1^T g,

   q_m and q_1 a half step and a step from q_0 along z_m, F and G at the middle: the midpoint rule. The
   multipliers f close the joints at q_1, and g make the speeds at the end obey them. Forces of joints, and
   forces inside bodies, have neither resultant nor torque, so that momentum and angular momentum are constant
   to round-off where nothing else acts. */
#ifndef FF_FOUND_MOMENTA_H
#define FF_FOUND_MOMENTA_H

#include "ff_found.h"

/* Begin a step with the momenta of the state. */
static inline void ff_momenta_begin(ff_instance *s, double h)
{
    const ff_found *f = s->model->found;
    const ff_multibody *m = f->links;
    ff_found_work *w = &s->found;
    ff_begun *begun = &w->begun;
    const int links = m->linkage->links, rigid = FF_RIGID * links, states = rigid + m->elastic;
    const double *d = ff_places(s) + FF_POSE * links;
    begun->step = h;
    ff_found_spread(f, ff_velocities(s), w->z);
    for (int link = 0; link < links; ++link) {
        const int first = m->first[link];
        ff_link_momenta(m, link, w->z + FF_RIGID * link, d + first, w->z + rigid + first,
                        begun->momenta + FF_RIGID * link, begun->momenta + rigid + first, w->deformed + link);
    }
    memcpy(begun->momenta + states, w->z + states, (size_t)m->controllers * sizeof(double));
}

/* Move the state to the end of a step whose middle has been evaluated, and set right (speeds of the model,) to
   the momenta there, in components of the links. */
static inline void ff_momenta_reach(ff_instance *s)
{
    const ff_found *f = s->model->found;
    const ff_multibody *m = f->links;
    ff_found_work *w = &s->found;
    const ff_begun *begun = &w->begun;
    const int links = m->linkage->links, rigid = FF_RIGID * links, all = ff_all_speeds(m);
    double *places = ff_places(s);
    for (int link = 0; link < links; ++link) {
        const double *F = w->frames + FF_LINK * link;
        double *pose = places + FF_POSE * link, *out = w->out + FF_RIGID * link;
        double from[FF_POSE], to[FF_POSE], begin[9], R[9], step[FF_RIGID], moved[FF_RIGID], acting[FF_RIGID];
        memcpy(from, pose, sizeof from);
        for (int i = 0; i < FF_RIGID; ++i)
            step[i] = begun->step * w->z[FF_RIGID * link + i];
        ff_retract(from, step, to);
        ff_of_quaternion(from + 3, begin);
        ff_of_quaternion(to + 3, R);
        ff_transport(from, begin, to, R, begun->momenta + FF_RIGID * link, moved);
        ff_transport(F, F + 3, to, R, out, acting);
        for (int i = 0; i < FF_RIGID; ++i)
            out[i] = moved[i] - begun->step * acting[i];
        memcpy(pose, to, sizeof to);
    }
    for (int k = rigid; k < all; ++k)
        w->out[k] = begun->momenta[k] - begun->step * w->out[k];
    for (int k = 0; k < m->elastic; ++k)
        places[FF_POSE * links + k] += begun->step * w->z[rigid + k];
    ff_found_gather(f, w->out, w->right);
}

/* Set the speeds of the state from momenta in right, as the equations allow, and its accelerations. */
static inline int ff_momenta_end(ff_instance *s, double end)
{
    const ff_found *f = s->model->found;
    ff_found_work *w = &s->found;
    double *momenta = s->aside, *v = ff_velocities(s);
    memcpy(momenta, w->right, (size_t)f->speeds * sizeof(double));
    ff_found_release(s);
    const int code = ff_found_masses(s, end);
    if (code)
        return code;
    memcpy(w->right, momenta, (size_t)f->speeds * sizeof(double));
    for (int k = 0; k < f->equations; ++k)
        w->right[f->speeds + k] = -w->border * ff_found_wanted(f, w, f->independent[k], 1);
    ff_found_correct(f, w);
    memcpy(v, w->right, (size_t)f->speeds * sizeof(double));
    ff_found_at(s, end);
    ff_found_count(s);
    return ff_found_accelerate(s);
}

/* Take a step of momenta. In the state, speeds at the middle take the place of averaged accelerations. */
static inline int ff_momenta_step(ff_instance *s, double h, double end)
{
    const ff_found *f = s->model->found;
    ff_found_work *w = &s->found;
    const int poses = FF_POSE * f->links->linkage->links;
    const int vibrates = f->links->elastic > 0 && s->state[FF_PREVIOUS] != 0.0;
    double *rate = s->aside, *half = rate + f->speeds, *middle = half + f->speeds;
    ff_momenta_begin(s, h);
    int code = ff_found_given(s, end - 0.5 * h);
    if (!code)
        code = ff_found_driven(s, end); /* equations are those at the end */
    if (code)
        return code;
    for (int k = 0; k < f->speeds; ++k) {
        /* A guess: vibrations that steps do not resolve are in accelerations, but not in speeds at middles. */
        rate[k] = vibrates ? 2.0 / h * (ff_averaged(s)[k] - ff_velocities(s)[k]) : ff_second(s)[k];
        half[k] = 0.5 * h * ff_velocities(s)[k];
    }
    const ff_found_trial trial = {end - 0.5 * h, 1.0, 0.5 * h, 0.25 * h * h, s->nothing,
                                  ff_velocities(s), half, ff_places(s), ff_places(s) + poses,
                                  ff_counted(s), ff_added(s), &w->begun};
    if (ff_found_solve(f, &trial, w, rate, ff_multiplied(s)))
        return FF_UNSETTLED;
    ff_momenta_forces(f, &trial, w, rate, ff_multiplied(s));
    ff_momenta_reach(s);
    ff_found_gather(f, w->z, middle);
    code = ff_found_given(s, end);
    if (!code)
        code = ff_momenta_end(s, end);
    if (code)
        return code;
    memcpy(ff_averaged(s), middle, (size_t)f->speeds * sizeof(double));
    s->state[FF_PREVIOUS] = h;
    return ff_finite((size_t)f->speeds, ff_velocities(s)) ? FF_OK : FF_UNBOUNDED;
}

#endif
