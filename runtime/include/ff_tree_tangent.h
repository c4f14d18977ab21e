/* SPDX-License-Identifier: BSD-3-Clause */
/* Derivatives of the forces of links that hang on each other, by changes of places, speeds and rates together.

   All are in global axes, where moving to a base shifts the reference point: see ff_tree_matrix.h. */
#ifndef FF_TREE_TANGENT_H
#define FF_TREE_TANGENT_H

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
    ff_link_tangent(m, link, w->d + first, z, rate, w->stiffness + m->squares[link],
                    w->deformed + link, block[0], block[1], block[2], w->room);
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
    ff_joint_turned(m, joint, m->tangent[joint], w->frames, w->z + FF_RIGID * m->linkage->links,
                    &w->joints, w->blocks, ff_found_watched(f, w, m->acting_first[joint]), w->room);
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

#endif
