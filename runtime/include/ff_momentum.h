/* SPDX-License-Identifier: BSD-3-Clause */
/* Momenta of links whose motion is found, and what changes them besides forces.

   The momenta of the speeds z = (v_O, w, d') of a link are derivatives of its kinetic energy,

       p = int rho u,   l = int rho x_d~ u,   P = int rho N^T u,   u = v_O + w~ x_d + N d'.

   In components of fixed axes, with l about a fixed point, p and l change by forces and torques alone;
   P' = int rho N^T w~^T u + forces. */
#ifndef FF_MOMENTUM_H
#define FF_MOMENTUM_H

#include "ff_multibody_tangent.h"

/* Set the momenta (6,) and those of elastic coordinates (n,) of a link. z: six speeds; d, v: elastic
   coordinates and their rates. Sets the integrals b over the deformed link. */
static inline void ff_link_momenta(const ff_multibody *m, int link, const double *z, const double *d,
                                   const double *v, double *p, double *P, ff_deformed *b)
{
    const int n = ff_elastic_of(m, link), first = m->first[link];
    const double *mu = m->translation + 3L * first;
    const double *M = m->masses + 9L * m->squares[link], *w = z + 3;
    const double skew[9] = {0.0, -w[2], w[1], w[2], 0.0, -w[0], -w[1], w[0], 0.0};
    double x[3], Cw[3];
    ff_deform(m, link, d, v, b);
    const double trace = b->C[0] + b->C[4] + b->C[8];
    ff_cross(w, b->S, x);
    ff_apply(b->C, w, Cw);
    ff_cross(b->S, z, p + 3);
    for (int i = 0; i < 3; ++i) {
        p[i] = m->mass[link] * z[i] + x[i] + b->gone[i];
        p[3 + i] += trace * w[i] - Cw[i];
    }
    ff_add_torque(b->Y, 1.0, p + 3);
    for (int k = 0; k < n; ++k) {
        P[k] = ff_dot(3, mu + 3 * k, z);
        for (int i = 0; i < 9; ++i)
            P[k] += skew[i] * b->position[i * n + k];
    }
    for (int i = 0; i < 3; ++i)
        ff_add_columns(n, M + 4L * i * n * n, v, 1.0, P);
}

/* Set forces (n,) that elasticity and damping take, less the derivative of the kinetic energy by the elastic
   coordinates. stiffness: (n, n). */
static inline void ff_link_resistance(const ff_multibody *m, int link, const double *z, const double *d,
                                      const double *v, const double *stiffness, double *out)
{
    static const double still[3] = {0.0, 0.0, 0.0};
    const int n = ff_elastic_of(m, link), first = m->first[link];
    const double *mu = m->translation + 3L * first, *X = m->position + 9L * first;
    const double *M = m->masses + 9L * m->squares[link];
    double skew[9], square[9], across[3];
    ff_spin(z + 3, still, skew, square);
    ff_cross(z + 3, z, across);
    for (int k = 0; k < n; ++k)
        out[k] = ff_dot(3, mu + 3 * k, across);
    for (int i = 0; i < 9; ++i) {
        const double *columns = M + (3L * (i % 3) + i / 3) * n * n;
        for (int k = 0; k < n; ++k)
            out[k] += square[i] * X[i * n + k];
        ff_add_columns(n, columns, d, square[i], out);
        ff_add_columns(n, columns, v, skew[i], out);
    }
    ff_add_columns(n, stiffness, d, 1.0, out);
    ff_add_columns(n, m->damping + m->squares[link], v, 1.0, out);
}

/* Momenta or forces (6,) about the origin of one frame in its components, about that of another frame in
   components of that one. x, R: origins (3,), and rotations (9,) row by row. */
static inline void ff_transport(const double *x, const double *R, const double *to, const double *turned,
                                const double *from, double *out)
{
    double p[3], l[3], arm[3], across[3];
    ff_apply(R, from, p);
    ff_apply(R, from + 3, l);
    for (int i = 0; i < 3; ++i)
        arm[i] = x[i] - to[i];
    ff_cross(arm, p, across);
    for (int i = 0; i < 3; ++i)
        l[i] += across[i];
    ff_apply_transposed(turned, p, out);
    ff_apply_transposed(turned, l, out + 3);
}

/* Blocks (n, n) of a link by its rates, and by its speeds and places, of what a step of length h leaves of

       2/h (P(d, z) - carried) = forces,

   n = 6 + elastic ones, for factors 1, h/2 and h^2/4. carried: momenta (6,) of the beginning of the step; T: tangent
   (6, 6) of the increment to its middle. */
static inline void ff_momenta_tangent(const ff_multibody *m, int link, const double *d, const double *z,
                                      const double *carried, const double *T, const double *stiffness,
                                      const ff_deformed *b, double *by_rate, double *by_speed, double *by_place, double *room)
{
    const int n = ff_elastic_of(m, link), all = FF_RIGID + n, first = m->first[link];
    const double *mu = m->translation + 3L * first, *X = b->position, *w = z + 3;
    const double *M = m->masses + 9L * m->squares[link], *D = m->damping + m->squares[link];
    const double skew[9] = {0.0, -w[2], w[1], w[2], 0.0, -w[0], -w[1], w[0], 0.0};
    const double *p = carried, *l = carried + 3;
    const double *faster = room; /* (9, n) M_ij d' */
    double turned[36] = {0.0}, *still = room + 18 * n;
    memset(still, 0, (size_t)all * sizeof(double));
    ff_link_tangent(m, link, d, z, still, stiffness, b, by_rate, by_speed, by_place, room);
    memset(by_speed, 0, (size_t)all * (size_t)all * sizeof(double));
    for (int i = 0; i < FF_RIGID; ++i)
        memset(by_place + (long)i * all, 0, (size_t)all * sizeof(double));
    /* A turn and a move of the link change what it carries by p x turn, and l x turn + p x move. */
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        turned[6 * i + 3 + j] = turned[6 * (3 + i) + j] = -p[k];
        turned[6 * i + 3 + k] = turned[6 * (3 + i) + k] = p[j];
        turned[6 * (3 + i) + 3 + j] = -l[k];
        turned[6 * (3 + i) + 3 + k] = l[j];
    }
    for (int i = 0; i < FF_RIGID; ++i)
        for (int c = 0; c < FF_RIGID; ++c)
            for (int k = 0; k < FF_RIGID; ++k)
                by_speed[i * all + c] -= turned[6 * i + k] * T[6 * k + c];
    for (int k = 0; k < n; ++k) { /* momenta of constant speeds change with d by G: G and -G^T */
        double C[9], Y[9], Cw[3], G[FF_RIGID];
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) {
                C[3 * i + j] = X[(3 * i + j) * n + k] + X[(3 * j + i) * n + k];
                Y[3 * i + j] = faster[(3 * i + j) * n + k];
            }
        ff_cross(w, mu + 3 * k, G);
        ff_cross(mu + 3 * k, z, G + 3);
        ff_apply(C, w, Cw);
        for (int i = 0; i < 3; ++i)
            G[3 + i] += (C[0] + C[4] + C[8]) * w[i] - Cw[i];
        ff_add_torque(Y, 1.0, G + 3);
        for (int i = 0; i < FF_RIGID; ++i) {
            by_speed[i * all + FF_RIGID + k] += G[i];
            by_speed[(long)(FF_RIGID + k) * all + i] -= G[i];
        }
        for (int r = 0; r < n; ++r) {
            double one = 0.0, other = 0.0;
            for (int i = 0; i < 9; ++i) {
                one += skew[i] * M[(long)i * n * n + (long)r * n + k];
                other += skew[i] * M[(long)i * n * n + (long)k * n + r];
            }
            by_speed[(long)(FF_RIGID + r) * all + FF_RIGID + k] += one - other + D[(long)r * n + k];
        }
    }
}

#endif
