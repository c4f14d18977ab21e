/* SPDX-License-Identifier: BSD-3-Clause */
/* Constraints of joints on the coordinates of the bodies on links of a mechanism: J, J' and J'' at a
   time, and forces of joints on links. */
#ifndef FF_JOINTS_H
#define FF_JOINTS_H

#include "ff_motion.h"

/* State of a link as read by joints; -1 is the ground. */
static inline void ff_link_state(const ff_instance *s, int link, double *out)
{
    memset(out, 0, FF_LINK * sizeof(double));
    if (link < 0)
        out[3] = out[7] = out[11] = 1.0;
    else
        memcpy(out, ff_linkage_frames(s->model->linkage, s->reached) + (long)link * FF_LINK,
               FF_LINK * sizeof(double));
}

/* Set the rows of all joints, and from them the entries of J, J' and J'' (3, entries), for the time of
   the last ff_mechanism_at. */
static inline void ff_tie_rows(ff_instance *s)
{
    const ff_linkage *m = s->model->linkage;
    const ff_ties_model *tied = s->model->tied;
    const size_t entries = (size_t)tied->ties.entries;
    for (int j = 0; j < m->joints; ++j) {
        double state[2 * FF_LINK];
        ff_link_state(s, m->ends[2 * j], state);
        ff_link_state(s, m->ends[2 * j + 1], state + FF_LINK);
        tied->joint[j](m->markers + 24L * j, m->radii + j, state,
                       s->jacobians + (long)m->starts[j] * FF_ELASTIC_ROW, 0);
    }
    memset(s->rows, 0, 3 * entries * sizeof(double));
    if (tied->kept)
        memcpy(s->rows, tied->kept, entries * sizeof(double));
    for (int k = 0; k < tied->shares; ++k) {
        const ff_share *share = tied->share + k;
        const double *row = s->jacobians + (long)share->row * FF_ELASTIC_ROW + 4 + 6 * share->side;
        for (int order = 0; order < 3; ++order)
            for (int c = 0; c < share->count; ++c) {
                double value = 0.0;
                for (int i = 0; i < 6; ++i)
                    value += row[12 * order + i] * share->matrix[i * share->count + c];
                s->rows[(size_t)order * entries + (size_t)share->entry[c]] += value;
            }
    }
}

/* Set the multipliers (m,) of the state reached; factors, forces and rows must be those of its time. */
static inline int ff_joint_forces(ff_instance *s)
{
    const ff_tied all = ff_tied_of(s->model);
    ff_tied_matrices(&all, &s->steps, s->elastic, s->viscous, ff_expected(s));
    ff_tied_left(&all, &s->steps, s->force, ff_places(s));
    return ff_multipliers(all.ties, ff_choice(s), s->rows, s->steps.left, s->multipliers, s->steps.room)
               ? FF_SINGULAR
               : FF_OK;
}

/* Force or moment (3,) of the first link of a joint on the second, in global components or along the
   axes of the joint. */
static inline void ff_reaction_of(const ff_instance *s, int joint, int moment, int along, double *out)
{
    const ff_linkage *m = s->model->linkage;
    const ff_ties_model *tied = s->model->tied;
    double local[3] = {0.0, 0.0, 0.0}, one[FF_LINK], two[FF_LINK], global[3];
    for (int k = 0; k < tied->held; ++k) {
        const ff_held *held = tied->hold + k;
        if (held->joint != joint)
            continue;
        const double *row = s->jacobians + (long)held->row * FF_ELASTIC_ROW + 4 + 6 + 3 * moment;
        for (int i = 0; i < 3; ++i)
            if (!m->planar || (moment ? i == 2 : i < 2))
                local[i] += s->multipliers[held->constraint] * row[i];
    }
    ff_link_state(s, m->ends[2 * joint], one);
    ff_link_state(s, m->ends[2 * joint + 1], two);
    for (int i = 0; i < 3; ++i)
        global[i] = two[3 + 3 * i] * local[0] + two[4 + 3 * i] * local[1] + two[5 + 3 * i] * local[2];
    for (int i = 0; i < 3; ++i) {
        const double *axis = m->markers + 24L * joint + 3 + 3 * i; /* of the first link */
        double value = 0.0;
        for (int j = 0; along && j < 3; ++j)
            value += (one[3 + 3 * j] * axis[0] + one[4 + 3 * j] * axis[1] + one[5 + 3 * j] * axis[2]) *
                     global[j];
        out[i] = along ? value : global[i];
    }
}

#endif
