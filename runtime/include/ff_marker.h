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

/* Vector from axes of the marker to those of its link, and back. */
static inline void ff_marker_out(const double *axes, const double *x, double *out)
{
    for (int i = 0; i < 3; ++i)
        out[i] = axes[3 * i] * x[0] + axes[3 * i + 1] * x[1] + axes[3 * i + 2] * x[2];
}
static inline void ff_marker_in(const double *axes, const double *x, double *out)
{
    for (int i = 0; i < 3; ++i)
        out[i] = axes[i] * x[0] + axes[3 + i] * x[1] + axes[6 + i] * x[2];
}

/* Axes and L of a small turn. */
static inline void ff_marker_turn(ff_marker *k)
{
    const double *t = k->turn, x = t[0] * t[0] + t[1] * t[1] + t[2] * t[2], angle = sqrt(x);
    double sine = 1.0 - x / 6.0 + x * x / 120.0;
    k->first = 0.5 - x / 24.0 + x * x / 720.0;
    k->second = 1.0 / 6.0 - x / 120.0 + x * x / 5040.0;
    k->first_rate = -1.0 / 24.0 + x / 360.0 - x * x / 13440.0;
    k->second_rate = -1.0 / 120.0 + x / 2520.0 - x * x / 120960.0;
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

/* Set the marker on one side of a joint; frames: of links, d and v: all elastic coordinates and
   their rates. */
static inline void ff_marker_set(const ff_multibody *m, int joint, int side, const double *frames,
                                 const double *d, const double *v, ff_marker *k)
{
    const double *point = m->linkage->markers + 24L * joint + 12 * side;
    double u[3] = {0.0}, rate[3] = {0.0}, turned[3] = {0.0}, eta[3], w[3], x[3], y[3], moved[3];
    memset(k, 0, sizeof *k);
    k->link = m->linkage->ends[2 * joint + side];
    k->count = ff_elastic_of(m, k->link);
    k->shape = m->shapes + m->shape_of[2 * joint + side];
    if (k->link < 0) {
        memcpy(k->state, point, 3 * sizeof(double));
        memcpy(k->place, point, 3 * sizeof(double));
        ff_marker_turn(k);
        k->state[3] = k->state[7] = k->state[11] = 1.0;
        return;
    }
    const double *F = frames + FF_LINK * k->link;
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
    ff_marker_out(k->spread, turned, eta);
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
    ff_marker_in(k->axes, y, k->state + 12);
    ff_marker_in(k->axes, w, k->state + 15);
    /* Accelerations but for rates of speeds: w~ (v_O + w~ p + 2 N d'), and of the turn. */
    for (int i = 0; i < 3; ++i)
        moved[i] = F[12 + i] + x[i] + 2.0 * rate[i];
    ff_cross(F + 15, moved, y);
    ff_marker_in(k->axes, y, k->bias);
    ff_spread_change(k, turned, turned, x);
    ff_cross(F + 15, eta, y);
    for (int i = 0; i < 3; ++i)
        x[i] += y[i];
    ff_marker_in(k->axes, x, k->bias + 3);
}

/* Columns of what moves the marker: displacement and turn, in its axes, of a unit of a speed of the
   link; the first six are those of the link, the others elastic. */
static inline void ff_marker_column(const ff_marker *k, int speed, double *out)
{
    double move[3] = {0.0}, turn[3] = {0.0};
    if (speed < 3)
        move[speed] = 1.0;
    else if (speed < FF_RIGID) {
        turn[speed - 3] = 1.0;
        ff_cross(turn, k->place, move);
    } else {
        const int n = k->count, c = speed - FF_RIGID;
        const double own[3] = {k->shape[3 * n + c], k->shape[4 * n + c], k->shape[5 * n + c]};
        ff_marker_out(k->spread, own, turn);
        for (int i = 0; i < 3; ++i)
            move[i] = k->shape[i * n + c];
    }
    ff_marker_in(k->axes, move, out);
    ff_marker_in(k->axes, turn, out + 3);
}

#endif
