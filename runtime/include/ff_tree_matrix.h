/* SPDX-License-Identifier: BSD-3-Clause */
/* The matrix of a step of links that hang on each other, eliminated link by link from the ends inwards.

   A change t = (place, speed, rate) of a link, 18 numbers in global axes, comes from that of its base and
   from the speeds s of its joint, t = Y t_b + Z s, and the wrench that the link needs changes by K t. With
   the screws H of the joint, H^T K (Y t_b + Z s) + r = 0 gives s, and what is left is a matrix and a wrench
   of the base: work grows with the number of links.

   Multipliers and forces of other joints border it: see ff_tree_border.h. */
#ifndef FF_TREE_MATRIX_H
#define FF_TREE_MATRIX_H

#include "ff_tree_tangent.h"

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
    memset(turned, 0, sizeof turned);
    for (int c = 0; c < own; ++c)
        for (int i = 0; i < own; ++i)
            for (int r = 0; r < FF_SCREW; ++r)
                turned[FF_SCREW * c + r] += U[FF_SCREW * i + r] * D[i * own + c];
    memcpy(U, turned, FF_SCREW * (size_t)own * sizeof(double));
    for (int c = 0; c < own; ++c) {
        double row[FF_CHANGE] = {0.0};
        for (int i = 0; i < FF_SCREW; ++i)
            for (int j = 0; j < FF_CHANGE; ++j)
                row[j] += H[FF_SCREW * c + i] * K[FF_CHANGE * i + j];
        memcpy(G + FF_CHANGE * c, row, sizeof row);
    }
    for (int c = 0; c < own; ++c)
        for (int r = 0; r < FF_SCREW; ++r)
            for (int j = 0; j < FF_CHANGE; ++j)
                K[FF_CHANGE * r + j] -= U[FF_SCREW * c + r] * G[FF_CHANGE * c + j];
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

#endif
