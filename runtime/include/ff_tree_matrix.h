/* SPDX-License-Identifier: BSD-3-Clause */
/* The matrix of a step of links that hang on each other, eliminated link by link from the ends inwards.

   A change t = (place, speed, rate) of a link, 18 numbers in global axes, comes from that of its base and
   from the speeds s of its joint, t = Y t_b + Z s, and the wrench that the link needs changes by K t. With
   the screws H of the joint, H^T K (Y t_b + Z s) + r = 0 gives s, and what is left is a matrix and a wrench
   of the base: work grows with the number of links.

   Multipliers and forces of other joints border it: few, a solution each. */
#ifndef FF_TREE_MATRIX_H
#define FF_TREE_MATRIX_H

#include "ff_multibody_work.h"

/* Set a column of Z: zeta what it moves, faster and quicker what it adds to eta and eta'. */
static inline void ff_change_column(const double *carried, const double *pulled, const double *speed,
                                    const double *own, const double *zeta, const double *faster,
                                    const double *quicker, double *out)
{
    memcpy(out, zeta, FF_SCREW * sizeof(double));
    memcpy(out + 6, faster, FF_SCREW * sizeof(double));
    memcpy(out + 12, quicker, FF_SCREW * sizeof(double));
    ff_add_bracket(carried, zeta, 1.0, out + 6);
    ff_add_bracket(pulled, zeta, 1.0, out + 12);
    ff_add_bracket(speed, faster, 1.0, out + 12);
    ff_add_bracket(own, out + 6, -1.0, out + 12);
}

/* Multiply a matrix (6, 18) by what turns changes of the base into those of a link, X t_b: rates change with
   speeds by -[eta, X V_b]. */
static inline void ff_change_bracket(double *K, const double *own)
{
    for (int r = 0; r < FF_SCREW; ++r) {
        double *row = K + FF_CHANGE * r, x[3], y[3], z[3];
        ff_cross(row + 12, own + 3, x);
        ff_cross(row + 12, own, y);
        ff_cross(row + 15, own + 3, z);
        for (int i = 0; i < 3; ++i) {
            row[6 + i] -= x[i];
            row[9 + i] -= y[i] + z[i];
        }
    }
}

/* Multiply it by X, which shifts the reference point by an arm. */
static inline void ff_change_shift(double *K, const double *arm)
{
    for (int k = 0; k < FF_SCREW * FF_CHANGE; k += FF_SCREW) {
        double x[3];
        ff_cross(arm, K + k, x);
        for (int i = 0; i < 3; ++i)
            K[k + 3 + i] += x[i];
    }
}

/* Add arm x force to the torques of columns of forces and torques (6, n). */
static inline void ff_lift_rows(int n, const double *arm, double *K)
{
    double *T = K + 3L * n;
    for (int c = 0; c < n; ++c) {
        T[c] += arm[1] * K[2 * n + c] - arm[2] * K[n + c];
        T[n + c] += arm[2] * K[c] - arm[0] * K[2 * n + c];
        T[2 * n + c] += arm[0] * K[n + c] - arm[1] * K[c];
    }
}

/* Subtract ad(zeta)^T W: what a wrench changes by where its link moves in the base. */
static inline void ff_subtract_turned(const double *W, const double *zeta, double *out, int stride)
{
    double x[3], y[3], z[3];
    ff_cross(W, zeta + 3, x);
    ff_cross(W, zeta, y);
    ff_cross(W + 3, zeta + 3, z);
    for (int i = 0; i < 3; ++i) {
        out[i * stride] -= x[i];
        out[(3 + i) * stride] -= y[i] + z[i];
    }
}

/* Rotate six rows, and groups of three columns, of a matrix from components of a link to global axes. */
static inline void ff_turn_rows(const double *R, int columns, double *K)
{
    for (int half = 0; half < 2; ++half)
        for (int c = 0; c < columns; ++c) {
            double *x = K + 3L * half * columns + c;
            const double a = x[0], b = x[columns], e = x[2 * columns];
            for (int i = 0; i < 3; ++i)
                x[i * columns] = R[3 * i] * a + R[3 * i + 1] * b + R[3 * i + 2] * e;
        }
}
static inline void ff_turn_columns(const double *R, int rows, double *K)
{
    for (int k = 0; k < rows * FF_CHANGE; k += 3) {
        double x[3];
        ff_apply(R, K + k, x);
        memcpy(K + k, x, sizeof x);
    }
}

/* Set the matrix (6, 18) of a rigid link by its own forces: its equations hold in global axes too. */
static inline void ff_tree_rigid(const ff_found *f, ff_found_work *w, int link, double *K)
{
    const ff_multibody *m = f->links;
    const double *R = w->frames + FF_LINK * link + 3, *speed = w->tree.hung[link].speed;
    const double *C = m->second + 9 * link;
    double S[3], RC[9], turned[9];
    ff_apply(R, m->moment + 3 * link, S);
    for (int i = 0; i < 3; ++i)
        ff_apply_transposed(C, R + 3 * i, RC + 3 * i);
    for (int i = 0; i < 3; ++i)
        ff_apply(R, RC + 3 * i, turned + 3 * i);
    ff_frame_tangent(m->mass[link], S, turned, 0, 0, speed, speed + 3, FF_CHANGE, K + 12, K + 6);
    for (int r = 0; r < FF_RIGID; ++r)
        memset(K + FF_CHANGE * r, 0, FF_SCREW * sizeof(double));
    for (int push = m->push_first[link]; push < m->push_first[link + 1]; ++push) {
        const int *of = m->push_of + 4 * push;
        if (of[2] < 0)
            continue;
        /* Along e_a times R_ab, which changes by the turn times b x e_a with the axis b of the link. */
        const int a = of[2], next = (a + 1) % 3, last = (a + 2) % 3;
        const double *axis = R + of[3], amplitude = w->amplitudes[of[1]];
        const double by_next = amplitude * axis[3 * last], by_last = -amplitude * axis[3 * next];
        double wrench[FF_SCREW];
        ff_screw_out(R, m->push + FF_PUSH * push, wrench);
        for (int r = 0; r < FF_SCREW; ++r) {
            K[FF_CHANGE * r + 3 + next] -= by_next * wrench[r];
            K[FF_CHANGE * r + 3 + last] -= by_last * wrench[r];
        }
    }
}

/* Set the matrices of a link that deforms: (6 + n, 18) by its changes, (6 + n, n) by its elastic coordinates. */
static inline void ff_tree_elastic(const ff_found *f, const double *factors, ff_found_work *w, int link)
{
    const ff_multibody *m = f->links;
    const int n = ff_elastic_of(m, link), own = FF_RIGID + n, first = m->first[link];
    const double *R = w->frames + FF_LINK * link + 3;
    ff_tree_factors *k = &w->branches;
    double *block[3] = {w->blocks, w->blocks + own * own, w->blocks + 2 * own * own};
    double *z = w->blocks + 3 * own * own, *rate = z + own;
    double *tt = k->tt + (long)FF_BRANCH * link, *dt = k->dt + (long)FF_CHANGE * first;
    double *td = k->td + (long)FF_SCREW * first, *dd = k->dd + m->squares[link];
    for (int i = 0; i < own; ++i) {
        const int number = ff_speed_number(m, link, i);
        z[i] = w->z[number];
        rate[i] = w->rate[number];
    }
    ff_link_tangent(m, link, w->d + first, z, rate, w->stiffness + m->squares[link], block[0],
                    block[1], block[2], w->room);
    for (int push = m->push_first[link]; push < m->push_first[link + 1]; ++push)
        ff_push_tangent(m, push, w->frames, w->amplitudes, w->d + first, block[2]);
    for (int r = 0; r < own; ++r) {
        double *change = r < FF_RIGID ? tt + FF_CHANGE * r : dt + FF_CHANGE * (r - FF_RIGID);
        double *elastic = r < FF_RIGID ? td + r * n : dd + (long)(r - FF_RIGID) * n;
        for (int part = 0; part < 3; ++part)
            memcpy(change + FF_SCREW * part, block[2 - part] + r * own, FF_SCREW * sizeof(double));
        for (int c = 0; c < n; ++c) {
            const int at = r * own + FF_RIGID + c;
            elastic[c] = factors[0] * block[0][at] + factors[1] * block[1][at] + factors[2] * block[2][at];
        }
    }
    ff_turn_rows(R, FF_CHANGE, tt);
    ff_turn_columns(R, FF_SCREW, tt);
    ff_turn_rows(R, n, td);
    ff_turn_columns(R, n, dt);
}

/* Add a matrix (6, 18) of the tip that a link hangs on to those of its base, which deforms. */
static inline void ff_tree_tip(const ff_found *f, const double *factors, ff_found_work *w, int link,
                               double *K)
{
    const ff_multibody *m = f->links;
    const ff_tree *tree = f->tree;
    const int base = tree->base[link], n = ff_tip_count(tree, link);
    const ff_tip *tip = w->tree.tips + link;
    const ff_hung *h = w->tree.hung + link;
    const double *S = w->tree.shapes + FF_SCREW * (long)tree->first_tip[link];
    ff_tree_factors *k = &w->branches;
    double *tt = k->tt + (long)FF_BRANCH * base, *dt = k->dt + (long)FF_CHANGE * m->first[base];
    double *td = k->td + (long)FF_SCREW * m->first[base], *dd = k->dd + m->squares[base];
    double *moved = w->room, W[FF_SCREW] = {0.0}; /* (6, n) */
    ff_add_wrench(h->wrench, h->arm, W);
    for (int c = 0; c < n; ++c) {
        double *Z = k->tip + FF_CHANGE * (long)(tree->first_tip[link] + c);
        double shape[FF_SCREW], zeta[FF_SCREW], faster[FF_SCREW], quicker[FF_SCREW], x[3], y[3], e[3];
        for (int i = 0; i < FF_SCREW; ++i) {
            shape[i] = S[i * n + c];
            zeta[i] = factors[2] * shape[i];
            faster[i] = factors[1] * shape[i];
            quicker[i] = factors[0] * shape[i];
        }
        ff_cross(tip->own, shape + 3, x);
        ff_cross(tip->own + 3, shape, y);
        ff_cross(tip->own_rate, shape + 3, e);
        for (int i = 0; i < 3; ++i) {
            faster[i] += factors[2] * x[i];
            quicker[i] += factors[1] * (x[i] - y[i]) + factors[2] * e[i];
        }
        ff_cross(tip->own + 3, shape + 3, x);
        for (int i = 0; i < 3; ++i)
            faster[3 + i] += 0.5 * factors[2] * x[i];
        ff_change_column(tip->carried, tip->pulled, tip->speed, tip->own, zeta, faster, quicker, Z);
        for (int r = 0; r < FF_SCREW; ++r)
            moved[r * n + c] = ff_dot(FF_CHANGE, K + FF_CHANGE * r, Z);
        ff_cross(zeta + 3, W, x);
        ff_cross(zeta + 3, W + 3, y);
        for (int r = 0; r < n; ++r) {
            double sum = 0.0;
            for (int i = 0; i < FF_SCREW; ++i)
                sum += S[i * n + r] * moved[i * n + c];
            for (int i = 0; i < 3; ++i)
                sum += S[i * n + r] * x[i] + 0.5 * S[(3 + i) * n + r] * y[i];
            dd[(long)r * n + c] += sum;
        }
        ff_subtract_turned(W, zeta, moved + c, n);
    }
    ff_lift_rows(n, tip->arm, moved);
    for (int i = 0; i < FF_SCREW * n; ++i)
        td[i] += moved[i];
    ff_change_bracket(K, tip->own);
    ff_change_shift(K, tip->arm);
    for (int r = 0; r < n; ++r)
        for (int i = 0; i < FF_SCREW; ++i)
            for (int c = 0; c < FF_CHANGE; ++c)
                dt[FF_CHANGE * r + c] += S[i * n + r] * K[FF_CHANGE * i + c];
    ff_lift_rows(FF_CHANGE, tip->arm, K);
    for (int i = 0; i < FF_BRANCH; ++i)
        tt[i] += K[i];
}

/* Whether other joints feel the force of an actuator: then it borders the tree. */
static inline int ff_is_bordering(const ff_tree *tree, int actuator)
{
    for (int k = 0; k < tree->borders; ++k)
        if (tree->bordering[k] == actuator)
            return 1;
    return 0;
}

/* Derivative of what acts along the rows of a joint by places of its links, (n, n) of both, at constant
   efforts; rates of coordinates by places are kept. */
static inline const double *ff_tree_joint(const ff_found *f, ff_found_work *w, int joint)
{
    const ff_multibody *m = f->links;
    const int n = ff_speeds_at(m, joint);
    ff_joint_turned(m, joint, m->tangent[joint], w->frames, w->z + FF_RIGID * m->linkage->links,
                    &w->joints, w->blocks, ff_found_watched(f, w, m->acting_first[joint]), w->room,
                    w->room + 12 * n);
    return w->blocks;
}

/* Add to the matrices of the link of a joint that closes a loop to the ground what acts along its rows as it
   moves. Of two links, forces on each change as the other moves: all of that is left to the corrections. */
static inline void ff_tree_closing(const ff_found *f, const double *factors, ff_found_work *w, int joint)
{
    const ff_multibody *m = f->links;
    const int *ends = m->linkage->ends + 2 * joint;
    const double *own = ff_tree_joint(f, w, joint);
    const int link = ends[0] < 0 ? ends[1] : ends[0], n = ff_elastic_of(m, link);
    const int all = ff_speeds_at(m, joint);
    const double *R = w->frames + FF_LINK * link + 3;
    ff_tree_factors *k = &w->branches;
    double *tt = k->tt + (long)FF_BRANCH * link, *dt = k->dt + (long)FF_CHANGE * m->first[link];
    double *td = k->td + (long)FF_SCREW * m->first[link], *dd = k->dd + m->squares[link];
    if (ends[0] >= 0 && ends[1] >= 0)
        return;
    for (int r = 0; r < FF_RIGID; r += 3)
        for (int i = 0; i < 3; ++i) {
            double row[FF_RIGID] = {0.0}, turned[FF_RIGID];
            for (int j = 0; j < 3; ++j) {
                for (int c = 0; c < FF_RIGID; ++c)
                    row[c] += R[3 * i + j] * own[(r + j) * all + c];
                for (int c = 0; c < n; ++c)
                    td[(r + i) * n + c] +=
                        factors[2] * R[3 * i + j] * own[(r + j) * all + FF_RIGID + c];
            }
            ff_screw_out(R, row, turned);
            for (int c = 0; c < FF_RIGID; ++c)
                tt[FF_CHANGE * (r + i) + c] += turned[c];
        }
    for (int r = 0; r < n; ++r) {
        const double *row = own + (long)(FF_RIGID + r) * all;
        double turned[FF_RIGID];
        ff_screw_out(R, row, turned);
        for (int c = 0; c < FF_RIGID; ++c)
            dt[FF_CHANGE * r + c] += turned[c];
        for (int c = 0; c < n; ++c)
            dd[(long)r * n + c] += factors[2] * row[FF_RIGID + c];
    }
}

/* Subtract from the matrix of the speeds of a joint (n, n) what acts along its rows. zeta: places by speeds in
   components of the link, (n, 6). */
static inline void ff_tree_acting(const ff_found *f, const double *factors, ff_found_work *w, int link,
                                  const double *zeta, double *D)
{
    const ff_multibody *m = f->links;
    const ff_tree *tree = f->tree;
    const int joint = tree->joint[link], first = tree->first[link], n = tree->first[link + 1] - first;
    if (joint < 0 || !tree->is_watched[joint])
        return;
    for (int a = m->acting_first[joint]; a < m->acting_first[joint + 1]; ++a) {
        const int row = m->row_of[m->actuator_of[a]];
        if (ff_is_bordering(tree, a))
            continue;
        double slope = -factors[2] * m->springs[3 * a] - factors[1] * m->springs[3 * a + 1];
        for (int law = 0; law < m->laws; ++law)
            for (int i = 0; m->law_of[law] == a && i < m->formula[law].count; ++i) {
                const int variable = m->formula[law].variable[i];
                if (ff_variable_row(m, variable) == row)
                    slope += factors[variable % 2 ? 1 : 2] *
                             w->joints.told[m->formula[law].at + FF_FORMULA_SLOPES + i];
            }
        for (int r = 0; slope != 0.0 && r < n; ++r)
            for (int c = 0; c < n; ++c)
                D[r * n + c] -= slope * ff_tree_along(m, tree, &w->joints, row, first + r) *
                                ff_tree_along(m, tree, &w->joints, row, first + c);
    }
    const int told = tree->borders || m->controllers || ff_conditions(m); /* whether rates are */
    if (n < 2 && !told) /* rows of one motion do not change along it */
        return;
    const double *block = ff_tree_joint(f, w, joint);
    const int all = ff_speeds_at(m, joint), base = m->linkage->ends[2 * joint];
    const int at = tree->side[link] ? ff_speeds_of(m, base) : 0;
    for (int r = 0; r < n; ++r)
        for (int i = 0; i < FF_RIGID; ++i)
            for (int c = 0; c < n; ++c)
                D[r * n + c] += factors[2] * tree->screws[FF_SCREW * (first + r) + i] *
                                ff_dot(FF_RIGID, block + (long)(at + i) * all + at, zeta + FF_SCREW * c);
}

/* Invert a matrix (n, n), n at most six, in place. Returns 0, or not if it is singular. */
static inline int ff_tree_invert(int n, double *D)
{
    double factors[36];
    int pivots[FF_SCREW];
    if (n == 1) {
        D[0] = 1.0 / D[0];
        return !isfinite(D[0]);
    }
    memcpy(factors, D, (size_t)(n * n) * sizeof(double));
    if (ff_dense_factor(n, factors, pivots))
        return 1;
    for (int c = 0; c < n; ++c) {
        double x[FF_SCREW] = {0.0};
        x[c] = 1.0;
        ff_dense_solve(n, factors, pivots, x);
        for (int r = 0; r < n; ++r)
            D[r * n + c] = x[r];
    }
    return 0;
}

/* Eliminate a link. Returns 0, or not if the matrix is singular. */
static inline int ff_tree_eliminate(const ff_found *f, const double *factors, ff_found_work *w, int link)
{
    const ff_multibody *m = f->links;
    const ff_tree *tree = f->tree;
    const int n = ff_elastic_of(m, link), first = tree->first[link], own = tree->first[link + 1] - first;
    const int base = tree->base[link];
    const ff_hung *h = w->tree.hung + link;
    ff_tree_factors *k = &w->branches;
    double *K = k->tt + (long)FF_BRANCH * link, *dt = k->dt + (long)FF_CHANGE * m->first[link];
    const double *td = k->td + (long)FF_SCREW * m->first[link], *H = w->tree.screws + FF_SCREW * (long)first;
    double *Z = k->Z + FF_CHANGE * (long)first, *G = k->G + FF_CHANGE * (long)first;
    double *U = k->U + FF_SCREW * (long)first; /* column by column */
    double *D = k->D + FF_SCREW * (long)first; /* inverted in the end */
    double T[36], turned[36], x[FF_SCREW];
    if (n) {
        double *dd = k->dd + m->squares[link];
        int *pivots = k->pivots + m->first[link];
        if (ff_dense_factor(n, dd, pivots))
            return 1;
        ff_dense_solve_rows(n, dd, pivots, FF_CHANGE, dt);
        for (int r = 0; r < FF_SCREW; ++r)
            for (int i = 0; i < n; ++i)
                for (int c = 0; c < FF_CHANGE; ++c)
                    K[FF_CHANGE * r + c] -= td[r * n + i] * dt[FF_CHANGE * i + c];
    }
    if (own > 1) {
        double step[FF_SCREW] = {0.0};
        for (int c = 0; c < own; ++c)
            for (int i = 0; i < FF_SCREW; ++i)
                step[i] += tree->screws[FF_SCREW * (first + c) + i] * w->tree.steps[first + c];
        ff_screw_tangent(step, T);
    }
    for (int c = 0; c < own; ++c) {
        double zeta[FF_SCREW], faster[FF_SCREW], quicker[FF_SCREW];
        const double *screw = H + FF_SCREW * c;
        memcpy(zeta, screw, sizeof zeta);
        memcpy(turned + FF_SCREW * c, tree->screws + FF_SCREW * (first + c), sizeof zeta);
        if (own > 1) {
            for (int i = 0; i < FF_SCREW; ++i)
                turned[FF_SCREW * c + i] =
                    ff_dot(FF_SCREW, T + FF_SCREW * i, tree->screws + FF_SCREW * (first + c));
            ff_screw_out(w->frames + FF_LINK * link + 3, turned + FF_SCREW * c, zeta);
        }
        for (int i = 0; i < FF_SCREW; ++i) {
            zeta[i] *= factors[2];
            faster[i] = factors[1] * screw[i];
            quicker[i] = factors[0] * screw[i];
        }
        ff_change_column(h->carried, h->pulled, h->speed, h->own, zeta, faster, quicker,
                         Z + FF_CHANGE * c);
        for (int r = 0; r < FF_SCREW; ++r)
            x[r] = ff_dot(FF_CHANGE, K + FF_CHANGE * r, Z + FF_CHANGE * c);
        for (int r = 0; r < own; ++r)
            D[r * own + c] = ff_dot(FF_SCREW, H + FF_SCREW * r, x);
        ff_subtract_turned(h->wrench, zeta, x, 1);
        memcpy(U + FF_SCREW * c, x, sizeof x);
    }
    ff_tree_acting(f, factors, w, link, turned, D);
    for (int r = 0; r < own; ++r)
        w->border = fmax(w->border, fabs(D[r * own + r]));
    if (ff_tree_invert(own, D))
        return 1;
    if (base < 0)
        return 0;
    ff_change_bracket(K, h->own);
    memset(G, 0, FF_CHANGE * (size_t)own * sizeof(double));
    for (int r = 0; r < own; ++r)
        for (int i = 0; i < FF_SCREW; ++i)
            for (int c = 0; c < FF_CHANGE; ++c)
                G[FF_CHANGE * r + c] += H[FF_SCREW * r + i] * K[FF_CHANGE * i + c];
    for (int r = 0; r < FF_SCREW; ++r) {
        memset(x, 0, sizeof x);
        for (int i = 0; i < own; ++i)
            for (int c = 0; c < own; ++c)
                x[c] += U[FF_SCREW * i + r] * D[i * own + c];
        for (int i = 0; i < own; ++i) {
            U[FF_SCREW * i + r] = x[i];
            for (int c = 0; c < FF_CHANGE; ++c)
                K[FF_CHANGE * r + c] -= x[i] * G[FF_CHANGE * i + c];
        }
    }
    ff_change_shift(K, h->arm);
    ff_lift_rows(FF_CHANGE, h->arm, K);
    if (ff_tip_count(tree, link))
        ff_tree_tip(f, factors, w, link, K);
    else
        for (int i = 0; i < FF_BRANCH; ++i)
            k->tt[(long)FF_BRANCH * base + i] += K[i];
    return 0;
}

/* Solve with the eliminated links: speeds from what is left of the forces along them (speeds,), which is
   lost, and of wrenches on links in global axes (links, 6), lost too. Changes of all links are kept. */
static inline void ff_tree_sweep(const ff_found *f, ff_found_work *w, double *left, double *wrenches,
                                 double *s)
{
    const ff_multibody *m = f->links;
    const ff_tree *tree = f->tree;
    const ff_tree_factors *k = &w->branches;
    const int links = m->linkage->links;
    for (int number = links - 1; number >= 0; --number) {
        const int link = tree->order[number], base = tree->base[link], n = ff_elastic_of(m, link);
        const int first = tree->first[link], own = tree->first[link + 1] - first;
        const ff_hung *h = w->tree.hung + link;
        double *wrench = wrenches + FF_SCREW * link, *elastic = left + tree->rigid + m->first[link];
        if (n) {
            ff_dense_solve(n, k->dd + m->squares[link], k->pivots + m->first[link], elastic);
            for (int r = 0; r < FF_SCREW; ++r)
                wrench[r] -= ff_dot(n, k->td + (long)FF_SCREW * m->first[link] + r * n, elastic);
        }
        for (int c = first; c < first + own; ++c)
            left[c] += ff_dot(FF_SCREW, w->tree.screws + FF_SCREW * c, wrench);
        if (base < 0)
            continue;
        for (int c = first; c < first + own; ++c)
            for (int i = 0; i < FF_SCREW; ++i)
                wrench[i] -= k->U[FF_SCREW * c + i] * left[c];
        if (!ff_tip_count(tree, link)) {
            ff_add_wrench(wrench, h->arm, wrenches + FF_SCREW * base);
            continue;
        }
        const int tips = ff_tip_count(tree, link);
        const double *S = w->tree.shapes + FF_SCREW * (long)tree->first_tip[link];
        double at[FF_SCREW] = {0.0}, *further = left + tree->rigid + m->first[base];
        ff_add_wrench(wrench, h->arm, at);
        for (int i = 0; i < FF_SCREW; ++i)
            for (int c = 0; c < tips; ++c)
                further[c] += S[i * tips + c] * at[i];
        ff_add_wrench(at, w->tree.tips[link].arm, wrenches + FF_SCREW * base);
    }
    for (int number = 0; number < links; ++number) {
        const int link = tree->order[number], base = tree->base[link], n = ff_elastic_of(m, link);
        const int first = tree->first[link], own = tree->first[link + 1] - first;
        const int tips = ff_tip_count(tree, link);
        const ff_hung *h = w->tree.hung + link;
        double change[FF_CHANGE] = {0.0}, *t = k->changes + FF_CHANGE * link;
        if (base >= 0)
            memcpy(change, k->changes + FF_CHANGE * base, sizeof change);
        if (tips) {
            const ff_tip *tip = w->tree.tips + link;
            for (int part = 0; part < FF_CHANGE; part += FF_SCREW)
                ff_shifted(change + part, tip->arm, t + part);
            ff_add_bracket(tip->own, t + 6, -1.0, t + 12);
            for (int c = 0; c < tips; ++c)
                for (int i = 0; i < FF_CHANGE; ++i)
                    t[i] += k->tip[FF_CHANGE * (tree->first_tip[link] + c) + i] *
                            s[tree->rigid + m->first[base] + c];
            memcpy(change, t, sizeof change);
        }
        if (base >= 0) {
            for (int part = 0; part < FF_CHANGE; part += FF_SCREW)
                ff_shifted(change + part, h->arm, t + part);
            for (int c = first; c < first + own; ++c)
                left[c] += ff_dot(FF_CHANGE, k->G + FF_CHANGE * c, t);
            ff_add_bracket(h->own, t + 6, -1.0, t + 12);
        } else
            memset(t, 0, sizeof change);
        for (int c = 0; c < own; ++c) {
            const double found = -ff_dot(own, k->D + FF_SCREW * (long)first + c * own, left + first);
            s[first + c] = found;
            for (int i = 0; i < FF_CHANGE; ++i)
                t[i] += k->Z[FF_CHANGE * (first + c) + i] * found;
        }
        for (int i = 0; i < n; ++i)
            s[tree->rigid + m->first[link] + i] =
                -(left[tree->rigid + m->first[link] + i] +
                  ff_dot(FF_CHANGE, k->dt + FF_CHANGE * (long)(m->first[link] + i), t));
    }
    memset(s + tree->rigid + m->elastic, 0, (size_t)m->controllers * sizeof(double));
}

/* What acts along a row of a joint by a unit, subtracted from what is left of forces. */
static inline void ff_tree_column(const ff_found *f, ff_found_work *w, int row, double factor,
                                  double *left, double *wrenches)
{
    const ff_multibody *m = f->links;
    const ff_tree *tree = f->tree;
    const int joint = m->joint_of[row], hung = tree->hung_by[joint];
    const double *entry = w->joints.entries + m->entries[row], *elastic = entry + 2 * FF_RIGID;
    if (hung >= 0) {
        for (int c = tree->first[hung]; c < tree->first[hung + 1]; ++c)
            left[c] -= factor * ff_tree_along(m, tree, &w->joints, row, c);
        return;
    }
    for (int side = 0; side < 2; ++side) {
        const int link = m->linkage->ends[2 * joint + side], n = ff_elastic_of(m, link);
        double wrench[FF_SCREW];
        if (link < 0)
            continue;
        ff_screw_out(w->frames + FF_LINK * link + 3, entry + FF_RIGID * side, wrench);
        for (int i = 0; i < FF_SCREW; ++i)
            wrenches[FF_SCREW * link + i] -= factor * wrench[i];
        for (int c = 0; c < n; ++c)
            left[tree->rigid + m->first[link] + c] -= factor * elastic[c];
        elastic += n;
    }
}

/* Changes of a row of a joint and of its rate by the last solution s; of rates those of an actuator, or -1. */
typedef struct {
    double place, rate;
} ff_row_change;
static inline ff_row_change ff_tree_row(const ff_found *f, const ff_found_work *w, int row, int actuator,
                                        const double *s)
{
    const ff_multibody *m = f->links;
    const int joint = m->joint_of[row];
    const double *entry = w->joints.entries + m->entries[row], *elastic = entry + 2 * FF_RIGID;
    const double *faster = actuator < 0 ? 0
        : ff_found_watched(f, w, m->acting_first[joint]) +
              (long)(actuator - m->acting_first[joint]) * ff_speeds_at(m, joint);
    const double *factors = w->branches.factors;
    ff_row_change found = {0.0, 0.0};
    for (int side = 0; side < 2; ++side) {
        const int link = m->linkage->ends[2 * joint + side], n = ff_elastic_of(m, link);
        double place[FF_SCREW], rate[FF_SCREW];
        if (link < 0)
            continue;
        const double *t = w->branches.changes + FF_CHANGE * link, *R = w->frames + FF_LINK * link + 3;
        const double *moved = s + f->tree->rigid + m->first[link], along = ff_dot(n, elastic, moved);
        ff_screw_in(R, t, place);
        ff_screw_in(R, t + 6, rate);
        found.place += ff_dot(FF_SCREW, entry + FF_RIGID * side, place) + factors[2] * along;
        found.rate += ff_dot(FF_SCREW, entry + FF_RIGID * side, rate) + factors[1] * along;
        if (faster) {
            found.rate += ff_dot(FF_SCREW, faster, place) + factors[2] * ff_dot(n, faster + FF_RIGID, moved);
            faster += FF_RIGID + n;
        }
        elastic += n;
    }
    return found;
}

/* Change of a formula by the last solution; states apart. */
static inline double ff_tree_formula(const ff_found *f, const ff_found_work *w, const ff_formula *one,
                                     const double *s)
{
    double sum = 0.0;
    for (int i = 0; i < one->count; ++i) {
        const int row = ff_variable_row(f->links, one->variable[i]);
        if (row < 0)
            continue;
        const ff_row_change change = ff_tree_row(f, w, row, one->variable[i] / 2, s);
        sum += w->joints.told[one->at + FF_FORMULA_SLOPES + i] *
               (one->variable[i] % 2 ? change.rate : change.place);
    }
    return sum;
}

/* Rows of an equation that multipliers hold, and their factors. */
static inline int ff_closing_rows(const ff_found *f, int equation, int *rows, double *factors)
{
    const ff_multibody *m = f->links;
    const ff_linkage *linkage = m->linkage;
    const int held = linkage->equations - linkage->gears - linkage->drivers;
    const int gear = equation - held, driver = gear - linkage->gears;
    factors[0] = 1.0;
    if (gear < 0)
        rows[0] = m->held_of[equation];
    else if (driver >= 0)
        rows[0] = m->row_of[linkage->driver_of[driver]];
    else {
        for (int i = 0; i < 2; ++i)
            rows[i] = m->row_of[linkage->gear_of[2 * gear + i]];
        factors[1] = -linkage->ratios[gear];
        return 2;
    }
    return 1;
}

/* Value of the row of a border for the last solution: what it changes by. */
static inline double ff_tree_border(const ff_found *f, const ff_found_work *w, int border, const double *s)
{
    const ff_multibody *m = f->links;
    const ff_tree *tree = f->tree;
    const int force = border - tree->closings, state = force - tree->borders;
    double sum = 0.0;
    if (force < 0) {
        const int equation = tree->closing[border];
        int rows[2];
        double factors[2];
        if (equation >= m->linkage->equations)
            return ff_tree_formula(f, w, ff_condition(m, equation - m->linkage->equations), s);
        const int count = ff_closing_rows(f, equation, rows, factors);
        for (int i = 0; i < count; ++i)
            sum += factors[i] * ff_tree_row(f, w, rows[i], -1, s).place;
        return sum;
    }
    if (state >= 0)
        return -ff_tree_formula(f, w, m->formula + m->laws + state, s);
    const int actuator = tree->bordering[force];
    const double *spring = m->springs + 3 * actuator;
    const ff_row_change change = ff_tree_row(f, w, m->row_of[m->actuator_of[actuator]], actuator, s);
    sum = spring[0] * change.place + spring[1] * change.rate;
    for (int law = 0; law < m->laws; ++law)
        if (m->law_of[law] == actuator)
            sum -= ff_tree_formula(f, w, m->formula + law, s);
    return sum;
}

/* Add to a row of the border, times a factor, what states change a formula by. */
static inline void ff_tree_states(const ff_found *f, const ff_found_work *w, const ff_formula *one,
                                  double factor, double *row)
{
    for (int i = 0; i < one->count; ++i)
        if (one->variable[i] < 0)
            row[f->tree->closings + f->tree->borders - 1 - one->variable[i]] +=
                factor * w->branches.factors[1] * w->joints.told[one->at + FF_FORMULA_SLOPES + i];
}

/* Set what is left of forces by a unit of a border. */
static inline void ff_tree_unit(const ff_found *f, ff_found_work *w, int border, double *left,
                                double *wrenches)
{
    const ff_multibody *m = f->links;
    const ff_tree *tree = f->tree;
    const int force = border - tree->closings;
    memset(left, 0, (size_t)tree->speeds * sizeof(double));
    memset(wrenches, 0, FF_SCREW * (size_t)m->linkage->links * sizeof(double));
    if (force >= tree->borders)
        return;
    if (force >= 0) {
        ff_tree_column(f, w, m->row_of[m->actuator_of[tree->bordering[force]]], 1.0, left, wrenches);
        return;
    }
    const int equation = tree->closing[border];
    if (equation < m->linkage->equations) {
        int rows[2];
        double factors[2];
        const int count = ff_closing_rows(f, equation, rows, factors);
        for (int i = 0; i < count; ++i)
            ff_tree_column(f, w, rows[i], factors[i], left, wrenches);
        return;
    }
    const ff_formula *one = ff_condition(m, equation - m->linkage->equations);
    for (int i = 0; i < one->count; ++i)
        if (one->variable[i] >= 0 && one->variable[i] % 2)
            ff_tree_column(f, w, ff_variable_row(m, one->variable[i]),
                           w->joints.told[one->at + FF_FORMULA_SLOPES + i], left, wrenches);
}

/* Set and factor the matrix where ff_tree_residual was. Returns 0, or not if it is singular. */
static inline int ff_tree_factor(const ff_found *f, const double *factors, ff_found_work *w)
{
    const ff_multibody *m = f->links;
    const ff_tree *tree = f->tree;
    const int links = m->linkage->links, borders = ff_tree_borders(f);
    ff_tree_factors *k = &w->branches;
    memcpy(k->factors, factors, sizeof k->factors);
    w->border = 0.0;
    ++w->factorizations;
    for (int link = 0; link < links; ++link)
        if (ff_elastic_of(m, link))
            ff_tree_elastic(f, factors, w, link);
        else
            ff_tree_rigid(f, w, link, k->tt + (long)FF_BRANCH * link);
    for (int number = 0; number < tree->watched; ++number)
        if (tree->hung_by[tree->watch[number]] < 0)
            ff_tree_closing(f, factors, w, tree->watch[number]);
    for (int number = links - 1; number >= 0; --number)
        if (ff_tree_eliminate(f, factors, w, tree->order[number]))
            return 1;
    if (!borders)
        return 0;
    memset(k->border, 0, (size_t)borders * (size_t)borders * sizeof(double));
    for (int border = 0; border < borders; ++border) {
        double *response = k->responses + (long)tree->speeds * border;
        ff_tree_unit(f, w, border, k->left, k->wrenches);
        ff_tree_sweep(f, w, k->left, k->wrenches, response);
        for (int row = 0; row < borders; ++row)
            k->border[(long)row * borders + border] = ff_tree_border(f, w, row, response);
    }
    for (int row = tree->closings; row < borders; ++row) {
        double *to = k->border + (long)row * borders;
        const int state = row - tree->closings - tree->borders;
        to[row] += state < 0 ? 1.0 : factors[0];
        if (state >= 0)
            ff_tree_states(f, w, m->formula + m->laws + state, -1.0, to);
        for (int law = 0; state < 0 && law < m->laws; ++law)
            if (m->law_of[law] == tree->bordering[row - tree->closings])
                ff_tree_states(f, w, m->formula + law, -1.0, to);
    }
    for (int row = 0; row < tree->closings; ++row)
        if (tree->closing[row] >= m->linkage->equations)
            ff_tree_states(f, w, ff_condition(m, tree->closing[row] - m->linkage->equations), 1.0,
                           k->border + (long)row * borders);
    return ff_dense_factor(borders, k->border, k->exchanges);
}

/* Solve with the factors for right, as of ff_found_correct. */
static inline void ff_tree_correct(const ff_found *f, ff_found_work *w)
{
    const ff_multibody *m = f->links;
    const ff_tree *tree = f->tree;
    const int borders = ff_tree_borders(f), states = tree->speeds - m->controllers;
    ff_tree_factors *k = &w->branches;
    ++w->solves;
    for (int i = 0; i < tree->speeds; ++i)
        k->left[i] = -w->right[i];
    memset(k->wrenches, 0, FF_SCREW * (size_t)m->linkage->links * sizeof(double));
    ff_tree_sweep(f, w, k->left, k->wrenches, k->found);
    for (int row = 0; row < borders; ++row) {
        const int state = row - tree->closings - tree->borders;
        double value = ff_tree_border(f, w, row, k->found);
        if (row < tree->closings)
            value += w->right[tree->speeds + row] / w->border *
                     k->factors[tree->closing[row] < m->linkage->equations ? 2 : 1];
        else if (state >= 0)
            value -= w->right[states + state];
        k->unknown[row] = -value;
    }
    if (borders)
        ff_dense_solve(borders, k->border, k->exchanges, k->unknown);
    for (int row = 0; row < borders; ++row)
        for (int i = 0; i < tree->speeds; ++i)
            k->found[i] += k->unknown[row] * k->responses[(long)tree->speeds * row + i];
    memcpy(w->right, k->found, (size_t)tree->speeds * sizeof(double));
    memcpy(w->right + tree->speeds, k->unknown, (size_t)tree->closings * sizeof(double));
    for (int state = 0; state < m->controllers; ++state)
        w->right[states + state] = k->unknown[tree->closings + tree->borders + state];
}

/* Set the multipliers of the rows that the tree holds: those whose wrench a link needs of its base. */
static inline void ff_tree_multipliers(const ff_found *f, ff_found_work *w, double *force)
{
    const ff_multibody *m = f->links;
    const ff_linkage *linkage = m->linkage;
    const ff_tree *tree = f->tree;
    for (int link = 0; link < linkage->links; ++link) {
        const int joint = tree->joint[link], side = joint < 0 ? 0 : tree->side[link];
        double local[FF_SCREW], square[36], right[FF_SCREW];
        const double *row[FF_SCREW];
        int equation[FF_SCREW], pivots[FF_SCREW], count = 0;
        if (joint < 0)
            continue;
        ff_screw_in(w->frames + FF_LINK * link + 3, w->tree.hung[link].wrench, local);
        for (int r = linkage->starts[joint]; r < linkage->starts[joint + 1]; ++r) {
            const double *entry = w->joints.entries + m->entries[r] + FF_RIGID * side;
            const int held = linkage->equation_of[r];
            int closes = held < 0;
            for (int k = 0; k < tree->closings && !closes; ++k)
                closes = tree->closing[k] == held;
            for (int i = 0; closes && i < FF_SCREW; ++i)
                local[i] -= w->joints.force[r] * entry[i];
            if (closes || count == FF_SCREW)
                continue;
            equation[count] = held;
            row[count++] = entry;
        }
        for (int r = 0; r < count; ++r) {
            right[r] = ff_dot(FF_SCREW, row[r], local);
            for (int c = 0; c < count; ++c)
                square[r * count + c] = ff_dot(FF_SCREW, row[r], row[c]);
        }
        if (ff_dense_factor(count, square, pivots))
            continue;
        ff_dense_solve(count, square, pivots, right);
        for (int r = 0; r < count; ++r)
            force[equation[r]] = right[r];
    }
}

#endif
