/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrices, forces and constraints of an instance at a time. */
#ifndef FF_EVALUATE_H
#define FF_EVALUATE_H

#include "ff_found_momenta.h"
#include "ff_joints.h"
#include "ff_mesh.h"
#include "ff_motion.h"

/* Factors of the matrices of one body at an angular velocity; section: blocks whose forces within a
   section stress it. */
static inline void ff_matrix_factors(ff_instance *s, int number, const double *w,
                                     const ff_blocks *blocks, const double *section)
{
    const ff_model *m = s->model;
    const ff_body *body = m->body + number;
    for (int b = 0; b < m->matrices.bases; ++b) {
        const ff_base *base = m->base + b;
        if (base->body != number)
            continue;
        double *elastic = s->elastic + b, *viscous = s->viscous + b;
        *elastic = base->kind == FF_STIFFNESS;
        *viscous = base->kind == FF_DAMPING ? 1.0 : base->kind == FF_STIFFNESS ? body->beta : 0.0;
        if (base->kind == FF_UNIT) {
            const int k = base->index;
            const int identity = m->dimension == 2 ? k == 0 : k == 3 || k == 6 || k == 8;
            *elastic = blocks->stiffness[k];
            *viscous = blocks->coriolis[k] + (identity ? body->alpha : 0.0);
        }
        if (base->kind == FF_SECTION)
            *elastic = section[base->index];
        if (base->kind == FF_CIRCULATION)
            *elastic = w[base->index];
        if (base->kind == FF_HEAT)
            *elastic = s->amplitude[base->index];
        if (base->kind == FF_PRESTRESS)
            for (int k = 0; k < 9; ++k)
                *elastic += blocks->centrifugal[k] * body->pattern[k * body->patterns + base->index];
    }
}

/* What the motion of the frame of one body adds to the momenta: factors of displacements, and own. */
static inline void ff_momentum_factors(ff_instance *s, int number, const ff_frame *frame)
{
    const ff_model *m = s->model;
    const double *w = frame->w;
    const double turn[9] = {0.0, -w[2], w[1], w[2], 0.0, -w[0], -w[1], w[0], 0.0};
    double unit[9];
    ff_units(m->dimension, turn, unit);
    for (int b = 0; b < m->matrices.bases; ++b)
        if (m->base[b].body == number)
            s->momentum[b] =
                m->base[b].kind == FF_UNIT ? m->include.euler * unit[m->base[b].index] : 0.0;
    for (int k = 0; k < m->vectors; ++k) {
        const ff_vector *vector = m->vector + k;
        if (vector->kind == FF_NODAL_LOAD || vector->owner != number)
            continue;
        const double factor = vector->kind == FF_INERTIA_LOAD /* which is a force, against inertia */
                                  ? -m->include.euler_load * unit[vector->index]
                                  : m->include.origin_load * frame->v[vector->index];
        for (int i = 0; i < m->matrices.n; ++i)
            s->own[i] += factor * m->load[(long)k * m->matrices.n + i];
    }
}

/* Make a frame one whose angular velocity and velocity in its own axes stay: e = 0, a = w x v. */
static inline void ff_as_if_steady(ff_frame *frame)
{
    memset(frame->e, 0, sizeof frame->e);
    ff_cross(frame->w, frame->v, frame->a);
}

/* Force per mass on a body, including the acceleration of its frame. */
static inline void ff_pull(const ff_instance *s, int number, const ff_frame *frame, double t,
                           double *pull)
{
    const ff_model *m = s->model;
    for (int j = 0; j < 3; ++j)
        pull[j] = -frame->a[j] * m->include.origin_load;
    for (int k = 0; k < m->mass_loads; ++k) {
        const ff_mass_load *load = m->mass_load + k;
        if (load->body != number)
            continue;
        const double amplitude = ff_function_at(load->amplitude, t, ff_inputs(s)).value;
        for (int j = 0; j < 3; ++j) {
            double local = load->acceleration[j];
            if (load->turning) {
                local = 0.0;
                for (int i = 0; i < 3; ++i)
                    local += frame->R[3 * i + j] * load->acceleration[i];
            }
            pull[j] += amplitude * local;
        }
    }
}

/* Subtract the forces of moving supports, using the factors of the matrices at a time. */
static inline void ff_given_forces(ff_instance *s, double t)
{
    const ff_model *m = s->model;
    const int n = m->matrices.n;
    for (int g = 0; g < m->givens; ++g) {
        const ff_jet moved = ff_coordinate_at(m->given + g, ff_knots(s), ff_inputs(s), t);
        double *shift = s->shift + 3 * g;
        shift[0] = moved.value;
        shift[1] = moved.first;
        shift[2] = moved.second;
        for (int b = -1; b < m->matrices.bases; ++b) { /* -1: the masses */
            const double factor =
                b < 0 ? shift[2] : s->elastic[b] * shift[0] + s->viscous[b] * shift[1];
            const double *force = m->given_force + ((long)(b + 1) * m->givens + g) * n;
            for (int i = 0; i < n; ++i)
                s->force[i] -= factor * force[i];
        }
    }
}

/* Set factors and forces for a time; steady: those of Hamilton's pair, where the rates of the frames'
   velocities belong to the momenta. */
static inline int ff_evaluate_as(ff_instance *s, double t, int steady)
{
    const ff_model *m = s->model;
    const int n = m->matrices.n;
    if (ff_found_of(m))
        return ff_found_given(s, t);
    const int reached = ff_mechanism_at(s, t);
    if (reached)
        return reached;
    memcpy(s->force, ff_added(s), (size_t)n * sizeof(double));
    if (ff_canonical(m))
        memset(s->own, 0, (size_t)n * sizeof(double));
    for (int k = 0; k < m->nodal_loads; ++k)
        s->amplitude[k] = ff_function_at(m->nodal_load[k].amplitude, t, ff_inputs(s)).value;
    for (int number = 0; number < m->bodies; ++number) {
        ff_frame frame;
        ff_blocks blocks;
        double pull[3], section[9];
        ff_body_frame(s, number, t, &frame);
        ff_inertia(&frame, &m->include, m->dimension, &blocks);
        memcpy(section, blocks.load, sizeof section);
        if (steady) {
            ff_as_if_steady(&frame);
            ff_inertia(&frame, &m->include, m->dimension, &blocks);
        }
        if (ff_canonical(m))
            ff_momentum_factors(s, number, &frame);
        ff_matrix_factors(s, number, frame.w, &blocks, section);
        ff_pull(s, number, &frame, t, pull);
        if (m->mesh != 0) {
            if (ff_mesh_frame(s, number, &frame, &blocks, pull))
                return FF_UNDEFINED;
            continue;
        }
        for (int k = 0; k < m->vectors; ++k) {
            const ff_vector *vector = m->vector + k;
            const int load = vector->kind == FF_NODAL_LOAD;
            if ((load ? m->nodal_load[vector->owner].body : vector->owner) != number)
                continue;
            double factor;
            if (load) {
                factor = s->amplitude[vector->owner];
                if (m->nodal_load[vector->owner].turning)
                    factor *= frame.R[3 * vector->i + vector->j];
            } else
                factor = vector->kind == FF_INERTIA_LOAD ? blocks.load[vector->index]
                                                         : pull[vector->index];
            s->factor[k] = factor;
            if (factor == 0.0)
                continue;
            for (int i = 0; i < n; ++i)
                s->force[i] += factor * m->load[(long)k * n + i];
        }
    }
    ff_given_forces(s, t);
    for (int b = 0; b < m->matrices.bases; ++b)
        if (!isfinite(s->elastic[b]) || !isfinite(s->viscous[b]))
            return FF_UNDEFINED;
    for (int i = 0; i < n; ++i)
        if (!isfinite(s->force[i]))
            return FF_UNDEFINED;
    if (m->tied)
        ff_tie_rows(s);
    return FF_OK;
}

static inline int ff_evaluate(ff_instance *s, double t) { return ff_evaluate_as(s, t, 0); }

/* The pair that was evaluated last. */
static inline ff_pair ff_pair_of(const ff_instance *s)
{
    return (ff_pair){s->elastic, s->viscous, s->momentum, s->force, s->own, s->rows};
}

#endif
