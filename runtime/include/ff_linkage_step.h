/* SPDX-License-Identifier: BSD-3-Clause */
/* One step of a mechanism in time: Newton's method closes the joints, and the factors of its
   matrix, refined, give velocities and accelerations. */
#ifndef FF_LINKAGE_STEP_H
#define FF_LINKAGE_STEP_H

#include "ff_dense.h"
#include "ff_linkage.h"

/* Result of a step: done, joints not closed, or singular position. */
enum { FF_CLOSED = 0, FF_OPEN = 1, FF_DEAD = 2 };

/* Largest numbers of corrections of a position, and of refinements of a velocity or acceleration. */
enum { FF_CORRECTIONS = 12, FF_REFINEMENTS = 8 };

/* Predict positions over a time h from velocities, accelerations and their change over the last step.
   Returns whether no link rotates too far for that. */
static inline int ff_linkage_predict(const ff_linkage *m, double *to, const double *frames,
                                     const double *before, double h, double last)
{
    const double largest = 1.0; /* rad */
    for (int link = 0; link < m->links; ++link) {
        const double *F = frames + link * FF_LINK, *B = before + link * FF_LINK;
        double *T = to + link * FF_LINK, local[3], turn[3];
        for (int k = 0; k < 3; ++k) {
            local[k] = h * F[12 + k] + 0.5 * h * h * F[18 + k];
            turn[k] = h * F[15 + k] + 0.5 * h * h * F[21 + k];
        }
        if (last != 0.0) {
            const double third = h * h * h / 6.0;
            const double across[3] = {F[16] * F[23] - F[17] * F[22], F[17] * F[21] - F[15] * F[23],
                                      F[15] * F[22] - F[16] * F[21]};
            for (int k = 0; k < 3; ++k)
                turn[k] += third * ((F[21 + k] - B[21 + k]) / last + 0.5 * across[k]);
            for (int i = 0; i < 3; ++i)
                for (int k = 0; k < 3; ++k)
                    T[i] += third / last *
                            (F[3 + 3 * i + k] * F[18 + k] - B[3 + 3 * i + k] * B[18 + k]);
        }
        if (!(turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2] <= largest * largest))
            return 0;
        for (int i = 0; i < 3; ++i)
            for (int k = 0; k < 3; ++k)
                T[i] += F[3 + 3 * i + k] * local[k];
        ff_turn(T + 3, turn);
    }
    return 1;
}

/* Largest magnitude in a vector; NaN if an entry is NaN. */
static inline double ff_largest(int n, const double *x)
{
    double size = 0.0;
    for (int k = 0; k < n; ++k) {
        if (isnan(x[k]))
            return x[k];
        size = fmax(size, fabs(x[k]));
    }
    return size;
}

/* Evaluate the equations at the position in work, with angles closest to the given ones. */
static inline void ff_linkage_here(const ff_linkage *m, ff_linkage_work *work, const double *angles,
                                   const double *driven)
{
    ff_linkage_evaluate(m, work, work->frames, angles, driven, work->residual, work->jacobian,
                        work->values, work->angles);
}

/* Factor the Jacobian of the position in work. Returns the sign of its determinant, 0 if it is
   singular. */
static inline int ff_linkage_factor(const ff_linkage *m, ff_linkage_work *work)
{
    const int n = ff_unknowns(m);
    memcpy(work->factors, work->jacobian, (size_t)n * (size_t)n * sizeof(double));
    work->pivot = 0.0;
    if (ff_dense_factor(n, work->factors, work->pivots))
        return 0;
    const int sign = ff_dense_sign(n, work->factors, work->pivots, &work->pivot);
    return work->pivot > 1e-9 ? sign : 0;
}

/* Close the joints; the factors are those of this position or a very close one. */
static inline int ff_linkage_close(const ff_linkage *m, ff_linkage_work *work, const double *angles,
                                   const double *driven, int *sign)
{
    const double trusted = 0.2; /* largest correction of a predicted position */
    const int n = ff_unknowns(m);
    double before = 1e300, moved = 0.0;
    int old = 1;
    for (int number = 0; number < FF_CORRECTIONS; ++number) {
        ff_linkage_here(m, work, angles, driven);
        const double size = ff_largest(n, work->residual);
        const int slow = size <= m->tolerance && size > 0.1 * before;
        if (!(size < 1e300))
            return FF_OPEN;
        /* At the level of round-off another correction does not help. */
        if (number > 0 && (size <= 1e-15 || slow))
            return FF_CLOSED;
        if (old || size > 0.05 * before) {
            *sign = ff_linkage_factor(m, work);
            if (!*sign)
                return FF_DEAD;
            old = 0;
        }
        before = size;
        for (int k = 0; k < n; ++k)
            work->x[k] = -work->residual[k];
        ff_dense_solve(n, work->factors, work->pivots, work->x);
        moved = fmax(moved, ff_largest(n, work->x));
        if (!(moved < trusted))
            return FF_OPEN;
        ff_linkage_move(m, work->frames, work->x);
    }
    ff_linkage_here(m, work, angles, driven);
    return ff_largest(n, work->residual) <= m->tolerance ? FF_CLOSED : FF_OPEN;
}

/* Set x to the solution of J x = right with factors of a similar matrix, refined down to round-off.
   Returns whether that was reached. */
static inline int ff_linkage_refine(const ff_linkage *m, ff_linkage_work *work)
{
    const int n = ff_unknowns(m), count = ff_per_link(m);
    double *x = work->x, *y = work->y, before = 1e300;
    memset(x, 0, (size_t)n * sizeof(double));
    memcpy(y, work->right, (size_t)n * sizeof(double));
    for (int number = 0; number < FF_REFINEMENTS; ++number) {
        ff_dense_solve(n, work->factors, work->pivots, y);
        for (int k = 0; k < n; ++k)
            x[k] += y[k];
        const double size = ff_largest(n, x), change = ff_largest(n, y);
        if (!(size < 1e300))
            return 0;
        if (change <= 4e-16 * size || (number > 1 && change > 0.5 * before))
            return change <= 1e-9 * size;
        before = change;
        for (int r = 0; r < n; ++r) {
            const double *row = work->jacobian + (long)r * n;
            y[r] = work->right[r];
            for (int slot = 0; slot < FF_TOUCHED && m->touched[FF_TOUCHED * r + slot] >= 0; ++slot) {
                const int first = m->touched[FF_TOUCHED * r + slot] * count;
                for (int c = first; c < first + count; ++c)
                    y[r] -= row[c] * x[c];
            }
        }
    }
    return 0;
}

/* Set x to the solution of J x = right, for a determinant of given sign; after a long step the matrix
   of the factors may differ too much, and J is factored instead. Returns whether x is accurate to
   round-off. */
static inline int ff_linkage_solve(const ff_linkage *m, ff_linkage_work *work, int sign)
{
    return ff_linkage_refine(m, work) ||
           (ff_linkage_factor(m, work) == sign && ff_linkage_refine(m, work));
}

/* Store velocities (order 1) or accelerations (2) of unknowns in the frames, and those of
   coordinates. */
static inline void ff_linkage_spread(const ff_linkage *m, ff_linkage_work *work, int order)
{
    const int n = ff_unknowns(m), count = ff_per_link(m);
    for (int link = 0; link < m->links; ++link) {
        double *out = work->frames + link * FF_LINK + 6 + 6 * order;
        memset(out, 0, 6 * sizeof(double));
        for (int k = 0; k < count; ++k)
            out[ff_component(m, k)] = work->x[link * count + k] * ff_unit(m, k);
    }
    for (int c = 0; c < m->coordinates; ++c)
        work->values[3 * c + order] = ff_dot(n, work->coordinate_rows + (long)c * n, work->x) +
                                      (order == 2 ? work->coordinate_gamma[c] : 0.0);
}

/* Whether a solution is round-off over almost nothing, as where a step meets a singular position by
   chance: far larger than its right-hand side, with a pivot that almost vanishes. */
static inline int ff_linkage_is_dead(const ff_linkage *m, ff_linkage_work *work, int sign)
{
    const double far = 1e4, least = 1e-6; /* of the largest pivot */
    const int n = ff_unknowns(m);
    if (ff_largest(n, work->x) <= far * ff_largest(n, work->right))
        return 0;
    return ff_linkage_factor(m, work) != sign || work->pivot <= least;
}

/* Set velocities (order 1) or accelerations (2) in a closed position, with the sign of its
   determinant. Returns whether this succeeded. */
static inline int ff_linkage_rate(const ff_linkage *m, ff_linkage_work *work, const double *driven,
                                  int order, int sign)
{
    const int n = ff_unknowns(m);
    for (int k = 0; k < n; ++k)
        work->right[k] = order == 2 ? -work->gamma[k] : 0.0;
    for (int d = 0; d < m->drivers; ++d) {
        const int k = m->equations - m->drivers + d;
        work->right[k] += driven[3 * d + order] / m->scales[k];
    }
    if (!ff_linkage_solve(m, work, sign) || ff_linkage_is_dead(m, work, sign))
        return 0;
    ff_linkage_spread(m, work, order);
    return 1;
}

/* Advance the state to a time in one step, with value, rate and acceleration of every driver there,
   (drivers, 3). There are as many equations as unknowns. If the joints cannot be closed, the state is
   unchanged. */
static inline int ff_linkage_step(const ff_linkage *m, ff_linkage_work *work, double *state,
                                  double t, const double *driven)
{
    const double h = t - state[FF_REACHED];
    double *frames = ff_linkage_frames(m, state), *before = ff_linkage_before(m, state);
    double *angles = ff_linkage_angles(m, state);
    const size_t links = (size_t)(FF_LINK * m->links) * sizeof(double);
    const size_t rows = (size_t)m->rows * sizeof(double);
    const int known = (state[FF_SIGN] > 0.0) - (state[FF_SIGN] < 0.0); /* even if it is NaN */
    int sign = known;
    memcpy(work->frames, frames, links);
    memcpy(work->angles, angles, rows);
    if (!ff_linkage_predict(m, work->frames, frames, before, h, state[FF_LAST]))
        return FF_OPEN;
    const int status = ff_linkage_close(m, work, angles, driven, &sign);
    if (status != FF_CLOSED)
        return status;
    if (known && sign != known)
        return FF_DEAD;
    if (!ff_linkage_rate(m, work, driven, 1, sign))
        return FF_DEAD;
    ff_linkage_here(m, work, work->angles, driven); /* gammas depend on the velocities */
    if (!ff_linkage_rate(m, work, driven, 2, sign))
        return FF_DEAD;
    memcpy(before, frames, links);
    memcpy(frames, work->frames, links);
    memcpy(angles, work->angles, rows);
    memcpy(ff_linkage_coordinates(m, state), work->values,
           3 * (size_t)m->coordinates * sizeof(double));
    state[FF_REACHED] = t;
    state[FF_LAST] = h;
    state[FF_SIGN] = sign;
    return FF_CLOSED;
}

#endif
