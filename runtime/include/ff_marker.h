/* SPDX-License-Identifier: BSD-3-Clause */
/* The marker of a joint on a link that deforms: its motion, and what moves it.

   Displacement and turn of a marker are linear in the elastic coordinates, u = N d and theta = Theta d
   in components of the link; its axes are turned by the rotation exp(theta). A joint kernel sees the
   marker as a link of its own, whose origin is the marker and whose axes have the small turn. */
#ifndef FF_MARKER_H
#define FF_MARKER_H

#include "ff_multibody.h"

typedef struct {
    int link, count;      /* -1 the ground; number of elastic coordinates */
    const double *shape;  /* (6, count) */
    double place[3];      /* in components of the link */
    double turn[3];       /* theta */
    double axes[9];       /* exp(theta) */
    double spread[9];     /* L with axes' = (L theta')~ axes */
    double first, second, first_rate, second_rate; /* L = 1 + first theta~ + second theta~^2 and their
                                                      derivatives by theta^2 */
    double state[FF_LINK]; /* as of a link */
    double bias[FF_RIGID]; /* acceleration and angular acceleration without rates of speeds */
} ff_marker;

/* Axes and L of a small turn. */
static inline void ff_marker_turn(ff_marker *k)
{
    const double *t = k->turn, x = t[0] * t[0] + t[1] * t[1] + t[2] * t[2], angle = sqrt(x);
    double sine = 1.0 - x * (1.0 / 6.0 - x * (1.0 / 120.0));
    k->first = 0.5 - x * (1.0 / 24.0 - x * (1.0 / 720.0));
    k->second = 1.0 / 6.0 - x * (1.0 / 120.0 - x * (1.0 / 5040.0));
    k->first_rate = -1.0 / 24.0 + x * (1.0 / 360.0 - x * (1.0 / 13440.0));
    k->second_rate = -1.0 / 120.0 + x * (1.0 / 2520.0 - x * (1.0 / 120960.0));
    if (x > 1e-3) {
        sine = sin(angle) / angle;
        k->first = (1.0 - cos(angle)) / x;
        k->second = (1.0 - sine) / x;
        k->first_rate = (0.5 * sine - k->first) / x;
        k->second_rate = (0.5 * k->first - 1.5 * k->second) / x;
    }
    const double skew[9] = {0.0, -t[2], t[1], t[2], 0.0, -t[0], -t[1], t[0], 0.0};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            const double twice = t[i] * t[j] - (i == j ? x : 0.0), one = i == j ? 1.0 : 0.0;
            k->axes[3 * i + j] = one + sine * skew[3 * i + j] + k->first * twice;
            k->spread[3 * i + j] = one + k->first * skew[3 * i + j] + k->second * twice;
        }
}

/* Derivative of L times a vector: dL(theta; turned) x. */
static inline void ff_spread_change(const ff_marker *k, const double *turned, const double *x,
                                    double *out)
{
    const double *t = k->turn;
    const double along = 2.0 * (t[0] * turned[0] + t[1] * turned[1] + t[2] * turned[2]);
    double tx[3], ttx[3], dx[3], dtx[3], tdx[3];
    ff_cross(t, x, tx);
    ff_cross(t, tx, ttx);
    ff_cross(turned, x, dx);
    ff_cross(turned, tx, dtx);
    ff_cross(t, dx, tdx);
    for (int i = 0; i < 3; ++i)
        out[i] = along * (k->first_rate * tx[i] + k->second_rate * ttx[i]) + k->first * dx[i] +
                 k->second * (dtx[i] + tdx[i]);
}

/* The transposed derivative of L times a vector: dL(theta; turned)^T x. */
static inline void ff_spread_back(const ff_marker *k, const double *turned, const double *x, double *out)
{
    const double *t = k->turn;
    const double along = 2.0 * (t[0] * turned[0] + t[1] * turned[1] + t[2] * turned[2]);
    double xt[3], xtt[3], xd[3], xdt[3], xtd[3];
    ff_cross(x, t, xt);
    ff_cross(xt, t, xtt);
    ff_cross(x, turned, xd);
    ff_cross(xd, t, xdt);
    ff_cross(xt, turned, xtd);
    for (int i = 0; i < 3; ++i)
        out[i] = along * (k->first_rate * xt[i] + k->second_rate * xtt[i]) + k->first * xd[i] +
                 k->second * (xdt[i] + xtd[i]);
}

/* Set the marker on a rigid link with a state: its axes are those of the link. */
static inline void ff_marker_set_rigid(const double *F, const double *point, ff_marker *k)
{
    static const double one[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    double x[3];
    memcpy(k->place, point, sizeof k->place);
    memset(k->turn, 0, sizeof k->turn);
    memcpy(k->axes, one, sizeof one);
    memcpy(k->spread, one, sizeof one);
    ff_apply(F + 3, point, k->state);
    ff_cross(F + 15, point, x);
    for (int i = 0; i < 3; ++i) {
        k->state[i] += F[i];
        k->state[12 + i] = F[12 + i] + x[i];
        k->state[15 + i] = F[15 + i];
        k->bias[3 + i] = 0.0;
    }
    memcpy(k->state + 3, F + 3, 9 * sizeof(double));
    memset(k->state + 18, 0, 6 * sizeof(double));
    ff_cross(F + 15, k->state + 12, k->bias);
}

/* Set the marker on one side of a joint; frames: of links, d and v: all elastic coordinates and
   their rates. */
static inline void ff_marker_set(const ff_multibody *m, int joint, int side, const double *frames,
                                 const double *d, const double *v, ff_marker *k)
{
    const double *point = m->linkage->markers + 24L * joint + 12 * side;
    double u[3] = {0.0}, rate[3] = {0.0}, turned[3] = {0.0}, eta[3], w[3], x[3], y[3], moved[3];
    static const double ground[FF_LINK] = {[3] = 1.0, [7] = 1.0, [11] = 1.0};
    const int link = m->linkage->ends[2 * joint + side];
    const double *F = link < 0 ? ground : frames + FF_LINK * link;
    k->link = link;
    k->count = ff_elastic_of(m, link);
    k->shape = m->shapes + m->shape_of[2 * joint + side];
    if (!k->count) {
        ff_marker_set_rigid(F, point, k);
        return;
    }
    memset(k->state, 0, sizeof k->state);
    const double *own = d + m->first[k->link], *speed = v + m->first[k->link];
    const int n = k->count;
    for (int i = 0; i < 3; ++i) {
        u[i] = ff_dot(n, k->shape + i * n, own);
        rate[i] = ff_dot(n, k->shape + i * n, speed);
        k->turn[i] = ff_dot(n, k->shape + (3 + i) * n, own);
        turned[i] = ff_dot(n, k->shape + (3 + i) * n, speed);
        k->place[i] = point[i] + u[i];
    }
    ff_marker_turn(k);
    ff_apply(k->spread, turned, eta);
    /* Position and attitude. */
    for (int i = 0; i < 3; ++i) {
        k->state[i] = F[i];
        for (int j = 0; j < 3; ++j) {
            k->state[i] += F[3 + 3 * i + j] * k->place[j];
            for (int l = 0; l < 3; ++l)
                k->state[3 + 3 * i + j] += F[3 + 3 * i + l] * k->axes[3 * l + j];
        }
    }
    /* Velocities, in axes of the marker. */
    ff_cross(F + 15, k->place, x);
    for (int i = 0; i < 3; ++i) {
        w[i] = F[15 + i] + eta[i];
        y[i] = F[12 + i] + x[i] + rate[i];
    }
    ff_apply_transposed(k->axes, y, k->state + 12);
    ff_apply_transposed(k->axes, w, k->state + 15);
    /* Accelerations but for rates of speeds: w~ (v_O + w~ p + 2 N d'), and of the turn. */
    for (int i = 0; i < 3; ++i)
        moved[i] = F[12 + i] + x[i] + 2.0 * rate[i];
    ff_cross(F + 15, moved, y);
    ff_apply_transposed(k->axes, y, k->bias);
    ff_spread_change(k, turned, turned, x);
    ff_cross(F + 15, eta, y);
    for (int i = 0; i < 3; ++i)
        x[i] += y[i];
    ff_apply_transposed(k->axes, x, k->bias + 3);
}

/* Columns of what moves the marker, displacement and turn in its axes (6, speeds of its link), in rows
   that are `all` long. */
static inline void ff_marker_columns(const ff_marker *k, int all, double *out)
{
    const int n = k->count;
    const double *A = k->axes, *p = k->place;
    const double arm[9] = {0.0, p[2], -p[1], -p[2], 0.0, p[0], p[1], -p[0], 0.0}; /* -p~ */
    for (int i = 0; i < 3; ++i) {
        double *move = out + (long)i * all, *turn = out + (long)(3 + i) * all, spread[3];
        for (int c = 0; c < 3; ++c) {
            move[c] = turn[3 + c] = A[3 * c + i];
            turn[c] = 0.0;
            move[3 + c] = A[i] * arm[c] + A[3 + i] * arm[3 + c] + A[6 + i] * arm[6 + c];
            spread[c] = A[i] * k->spread[c] + A[3 + i] * k->spread[3 + c] + A[6 + i] * k->spread[6 + c];
        }
        for (int c = 0; c < n; ++c) {
            const double *own = k->shape + c;
            move[FF_RIGID + c] = A[i] * own[0] + A[3 + i] * own[n] + A[6 + i] * own[2 * n];
            turn[FF_RIGID + c] =
                spread[0] * own[3 * n] + spread[1] * own[4 * n] + spread[2] * own[5 * n];
        }
    }
}

/* These columns times a force and moment (6,) in axes of the marker: on the link, and on its elastic
   coordinates. */
static inline void ff_marker_pull(const ff_marker *k, const double *force, double *rigid,
                                  double *elastic)
{
    const int n = k->count;
    double turned[3];
    if (!n) {
        memcpy(rigid, force, FF_RIGID * sizeof(double));
        ff_cross(k->place, force, turned);
        for (int i = 0; i < 3; ++i)
            rigid[3 + i] += turned[i];
        return;
    }
    ff_apply(k->axes, force, rigid);
    ff_apply(k->axes, force + 3, turned);
    ff_cross(k->place, rigid, rigid + 3);
    for (int i = 0; i < 3; ++i)
        rigid[3 + i] += turned[i];
    const double *L = k->spread;
    const double spread[3] = {L[0] * turned[0] + L[3] * turned[1] + L[6] * turned[2],
                              L[1] * turned[0] + L[4] * turned[1] + L[7] * turned[2],
                              L[2] * turned[0] + L[5] * turned[1] + L[8] * turned[2]};
    for (int c = 0; c < n; ++c) {
        const double *own = k->shape + c;
        elastic[c] = own[0] * rigid[0] + own[n] * rigid[1] + own[2 * n] * rigid[2] +
                     own[3 * n] * spread[0] + own[4 * n] * spread[1] + own[5 * n] * spread[2];
    }
}

#endif
