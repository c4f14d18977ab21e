/* SPDX-License-Identifier: BSD-3-Clause */
/* Links hung on each other as a tree: their motion by independent speeds of its joints.

   A joint of the tree is a lower pair: its motions are a subgroup, exp(H q), with screws H that are
   constant in components of the link that hangs on it. With the speeds V of a link in its own
   components, their rates A, and eta = H u of the joint,

       V = X V_b + eta,   A = X A_b + H u' + [X V_b, eta],

   where X moves the speeds of the base, which is the link above or a marker on it. All of them are
   kept in global axes, where X is a shift of the reference point, and their rates are those of
   components of the link. What joints do not hold as lower pairs, multipliers hold. */
#ifndef FF_TREE_H
#define FF_TREE_H

#include "ff_multibody_rows.h"

/* Lengths of a screw or wrench, of changes of place, speed and rate together, and of a matrix of wrenches by
   changes. */
enum { FF_SCREW = 6, FF_CHANGE = 18, FF_BRANCH = FF_SCREW * FF_CHANGE };

/* The tree. Speeds are those of the joints, link after link, then rates of elastic coordinates, then of
   states of controllers. */
typedef struct {
    int speeds, rigid, closings, watched, borders;
    int multiplied;        /* whether multipliers of the joints of the tree are wanted */
    const int *order;      /* (links,) a link comes after the one that it hangs on */
    const int *base;       /* (links,) the link that each hangs on, -1 the ground */
    const int *joint;      /* (links,) by which joint; -1 a link that flies */
    const int *side;       /* (links,) its side of the joint */
    const int *first;      /* (links + 1,) first speed of every link */
    const int *first_tip;  /* (links + 1,) elastic coordinates of the base before each link */
    const double *screws;  /* (rigid, 6) in components of the link */
    const double *dual;    /* (rigid, 6) what gives speeds from a screw */
    const int *counted;    /* (rigid,) coordinates that change as a speed says, or -1 */
    const int *hung_by;    /* (joints,) link that hangs on it, or -1 */
    const int *watch;      /* (watched,) joints of which rows are needed */
    const int *is_watched; /* (joints,) */
    const int *closing;    /* (closings,) equations that multipliers hold */
    const int *bordering;  /* (borders,) actuators whose forces other joints feel */
} ff_tree;

/* A link of the tree: where it is and how it moves. */
typedef struct {
    double relative[FF_POSE]; /* pose in its base, where a step begins */
    double arm[3];            /* from the base, in global axes */
    double carried[FF_SCREW]; /* X V_b */
    double pulled[FF_SCREW];  /* X A_b */
    double own[FF_SCREW];     /* eta */
    double speed[FF_SCREW];   /* V */
    double rate[FF_SCREW];    /* A */
    double wrench[FF_SCREW];  /* of the base on the link, at its origin */
} ff_hung;

/* A marker that a link hangs on, on a base that deforms: the same, with eta' and the part of A that does not
   come from rates. */
typedef struct {
    double pose[FF_POSE], R[9], arm[3], carried[FF_SCREW], pulled[FF_SCREW];
    double own[FF_SCREW], own_rate[FF_SCREW], speed[FF_SCREW], rate[FF_SCREW], still[FF_SCREW];
} ff_tip;

typedef struct {
    ff_hung *hung;    /* (links,) */
    ff_tip *tips;     /* (links,) those of a base that deforms are used */
    double *screws;   /* (rigid, 6) in global axes */
    double *steps;    /* (speeds,) increments of the step */
    double *shapes;   /* of every tip (6, n): its screws in global axes */
    double *average;  /* (links, 6) averaged rates */
    double *motion;   /* (3, speeds) v, v' and averaged v' where a step begins */
    double *residual; /* (speeds,) */
} ff_tree_kinematics;

/* Shift the reference point of a screw by an arm: its velocity there. */
static inline void ff_shifted(const double *screw, const double *arm, double *out)
{
    const double *v = screw, *w = screw + 3;
    out[0] = v[0] + w[1] * arm[2] - w[2] * arm[1];
    out[1] = v[1] + w[2] * arm[0] - w[0] * arm[2];
    out[2] = v[2] + w[0] * arm[1] - w[1] * arm[0];
    memcpy(out + 3, w, 3 * sizeof(double));
}

/* Add a wrench, applied at the end of an arm, to one at its beginning. */
static inline void ff_add_wrench(const double *wrench, const double *arm, double *out)
{
    const double *f = wrench;
    for (int i = 0; i < FF_SCREW; ++i)
        out[i] += wrench[i];
    out[3] += arm[1] * f[2] - arm[2] * f[1];
    out[4] += arm[2] * f[0] - arm[0] * f[2];
    out[5] += arm[0] * f[1] - arm[1] * f[0];
}

/* Add the bracket [V, eta] of two screws, times a factor. */
static inline void ff_add_bracket(const double *V, const double *eta, double factor, double *out)
{
    const double *v = V, *w = V + 3, *e = eta, *o = eta + 3;
    out[0] += factor * (w[1] * e[2] - w[2] * e[1] + v[1] * o[2] - v[2] * o[1]);
    out[1] += factor * (w[2] * e[0] - w[0] * e[2] + v[2] * o[0] - v[0] * o[2]);
    out[2] += factor * (w[0] * e[1] - w[1] * e[0] + v[0] * o[1] - v[1] * o[0]);
    out[3] += factor * (w[1] * o[2] - w[2] * o[1]);
    out[4] += factor * (w[2] * o[0] - w[0] * o[2]);
    out[5] += factor * (w[0] * o[1] - w[1] * o[0]);
}

/* Both halves of a screw from components of a frame to global axes, and back. */
static inline void ff_screw_out(const double *R, const double *x, double *out)
{
    ff_apply(R, x, out);
    ff_apply(R, x + 3, out + 3);
}
static inline void ff_screw_in(const double *R, const double *x, double *out)
{
    ff_apply_transposed(R, x, out);
    ff_apply_transposed(R, x + 3, out + 3);
}

/* Pose of a frame in another, from both in space and the arm between them in the axes R; and back. */
static inline void ff_pose_between(const double *from, const double *R, const double *arm,
                                   const double *to, double *out)
{
    const double *p = from + 3, *q = to + 3;
    ff_apply_transposed(R, arm, out);
    out[3] = p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3];
    out[4] = p[0] * q[1] - p[1] * q[0] - p[2] * q[3] + p[3] * q[2];
    out[5] = p[0] * q[2] + p[1] * q[3] - p[2] * q[0] - p[3] * q[1];
    out[6] = p[0] * q[3] - p[1] * q[2] + p[2] * q[1] - p[3] * q[0];
}
static inline void ff_pose_after(const double *from, const double *arm, const double *relative,
                                 double *out)
{
    const double *p = from + 3, *q = relative + 3;
    for (int i = 0; i < 3; ++i)
        out[i] = from[i] + arm[i];
    out[3] = p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3];
    out[4] = p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2];
    out[5] = p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1];
    out[6] = p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0];
}

/* Number of elastic coordinates of the base of a link. */
static inline int ff_tip_count(const ff_tree *tree, int link)
{
    return tree->first_tip[link + 1] - tree->first_tip[link];
}

/* Set the rate of a tip from those of its base: rates of speeds in global axes, and of elastic ones. */
static inline void ff_tip_rate(const ff_tip *tip, const double *shapes, int n, const double *rate,
                               const double *elastic, double *out)
{
    ff_shifted(rate, tip->arm, out);
    for (int i = 0; i < FF_SCREW; ++i)
        out[i] += tip->still[i] + ff_dot(n, shapes + i * n, elastic);
}

/* Set the tip that a link hangs on, at the frames of its base; z, rate: of all links. */
static inline void ff_tip_set(const ff_multibody *m, const ff_tree *tree, int link,
                              const double *poses, const double *frames, const double *d,
                              const double *z, const double *rate, ff_tree_kinematics *k)
{
    const int base = tree->base[link], n = ff_tip_count(tree, link), rigid = FF_RIGID * m->linkage->links;
    const double *v = z + rigid, *elastic = rate + rigid + m->first[base];
    const ff_hung *from = k->hung + base;
    double *shapes = k->shapes + FF_SCREW * (long)tree->first_tip[link];
    ff_tip *tip = k->tips + link;
    double across[3], local[FF_SCREW];
    ff_marker mark;
    ff_marker_set(m, tree->joint[link], 1 - tree->side[link], frames, d, v, &mark);
    memcpy(tip->pose, mark.state, 3 * sizeof(double));
    memcpy(tip->pose + 3, poses + FF_POSE * base + 3, 4 * sizeof(double));
    ff_turn_quaternion(tip->pose + 3, mark.turn);
    memcpy(tip->R, mark.state + 3, sizeof tip->R);
    for (int i = 0; i < 3; ++i)
        tip->arm[i] = mark.state[i] - poses[FF_POSE * base + i];
    const double *L = mark.spread, *R = frames + FF_LINK * base + 3;
    for (int c = 0; c < n; ++c) {
        const double *own = mark.shape + c;
        const double move[3] = {own[0], own[n], own[2 * n]};
        const double turn[3] = {own[3 * n], own[4 * n], own[5 * n]};
        double spread[3], out[3];
        ff_apply(R, move, out);
        for (int i = 0; i < 3; ++i)
            shapes[i * n + c] = out[i];
        ff_apply(L, turn, spread);
        ff_apply(R, spread, out);
        for (int i = 0; i < 3; ++i)
            shapes[(3 + i) * n + c] = out[i];
    }
    ff_screw_out(mark.state + 3, mark.state + 12, tip->speed);
    /* Rates of components that do not come from those of speeds: the bias less w~ v. */
    ff_cross(mark.state + 15, mark.state + 12, across);
    memcpy(local, mark.bias, sizeof local);
    for (int i = 0; i < 3; ++i)
        local[i] -= across[i];
    ff_screw_out(mark.state + 3, local, tip->still);
    ff_tip_rate(tip, shapes, n, from->rate, elastic, tip->rate);
    ff_shifted(from->speed, tip->arm, tip->carried);
    ff_shifted(from->rate, tip->arm, tip->pulled);
    for (int i = 0; i < FF_SCREW; ++i) {
        tip->own[i] = tip->speed[i] - tip->carried[i];
        tip->own_rate[i] = tip->rate[i] - tip->pulled[i];
    }
    ff_add_bracket(tip->speed, tip->own, -1.0, tip->own_rate);
}

/* How the row of a joint of the tree changes with a speed of the joint. */
static inline double ff_tree_along(const ff_multibody *m, const ff_tree *tree, const ff_joint_work *work,
                                   int row, int speed)
{
    const int side = tree->side[tree->hung_by[m->joint_of[row]]];
    return ff_dot(FF_SCREW, work->entries + m->entries[row] + FF_RIGID * side,
                  tree->screws + FF_SCREW * speed);
}

/* What a link hangs on: pose, axes, V and A; zero of the ground. */
typedef struct {
    const double *pose, *R, *speed, *rate;
} ff_hanger;
static inline ff_hanger ff_hanger_of(const ff_tree *tree, int link, const double *poses,
                                     const double *frames, const ff_tree_kinematics *k)
{
    static const double ground[FF_POSE] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0};
    static const double axes[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    static const double still[FF_SCREW] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    const int base = tree->base[link];
    if (base < 0)
        return (ff_hanger){ground, axes, still, still};
    if (ff_tip_count(tree, link))
        return (ff_hanger){k->tips[link].pose, k->tips[link].R, k->tips[link].speed, k->tips[link].rate};
    return (ff_hanger){poses + FF_POSE * base, frames + FF_LINK * base + 3, k->hung[base].speed,
                       k->hung[base].rate};
}

/* Set V and A of a link from its speeds u in its base and their rates. R: its axes. */
static inline void ff_hung_move(const ff_tree *tree, int link, const double *R, ff_hanger base,
                                const double *u, const double *rates, ff_tree_kinematics *k)
{
    ff_hung *h = k->hung + link;
    double *screws = k->screws + FF_SCREW * (long)tree->first[link];
    double faster[FF_SCREW] = {0.0};
    memset(h->own, 0, sizeof h->own);
    ff_shifted(base.speed, h->arm, h->carried);
    ff_shifted(base.rate, h->arm, h->pulled);
    for (int c = 0; c < tree->first[link + 1] - tree->first[link]; ++c) {
        double *screw = screws + FF_SCREW * c;
        ff_screw_out(R, tree->screws + FF_SCREW * (tree->first[link] + c), screw);
        for (int i = 0; i < FF_SCREW; ++i) {
            h->own[i] += screw[i] * u[c];
            faster[i] += screw[i] * rates[c];
        }
    }
    for (int i = 0; i < FF_SCREW; ++i) {
        h->speed[i] = h->carried[i] + h->own[i];
        h->rate[i] = h->pulled[i] + faster[i];
    }
    ff_add_bracket(h->speed, h->own, 1.0, h->rate);
}

/* The speeds of a joint that give a screw in global axes. */
static inline void ff_hung_speeds(const ff_tree *tree, int link, const double *R, const double *screw,
                                  double *out)
{
    double local[FF_SCREW];
    ff_screw_in(R, screw, local);
    for (int c = tree->first[link]; c < tree->first[link + 1]; ++c)
        out[c] = ff_dot(FF_SCREW, tree->dual + FF_SCREW * c, local);
}

/* Set places, speeds and rates of all links at the end of a step, from increments, speeds and rates of the
   independent ones (speeds,), and their frames. */
static inline void ff_tree_move(const ff_multibody *m, const ff_tree *tree, const double *u,
                                const double *rates, double *poses, const double *d, double *z,
                                double *rate, double *frames, ff_tree_kinematics *k)
{
    const int links = m->linkage->links, rigid = FF_RIGID * links;
    const int others = tree->speeds - tree->rigid;
    memcpy(z + rigid, u + tree->rigid, (size_t)others * sizeof(double));
    memcpy(rate + rigid, rates + tree->rigid, (size_t)others * sizeof(double));
    for (int number = 0; number < links; ++number) {
        const int link = tree->order[number], first = tree->first[link];
        ff_hung *h = k->hung + link;
        double step[FF_SCREW] = {0.0}, relative[FF_POSE];
        double *pose = poses + FF_POSE * link, *F = frames + FF_LINK * link;
        if (ff_tip_count(tree, link))
            ff_tip_set(m, tree, link, poses, frames, d, z, rate, k);
        const ff_hanger base = ff_hanger_of(tree, link, poses, frames, k);
        for (int c = first; c < tree->first[link + 1]; ++c)
            for (int i = 0; i < FF_SCREW; ++i)
                step[i] += tree->screws[FF_SCREW * c + i] * k->steps[c];
        ff_retract(h->relative, step, relative);
        ff_apply(base.R, relative, h->arm);
        ff_pose_after(base.pose, h->arm, relative, pose);
        memcpy(F, pose, 3 * sizeof(double));
        ff_of_quaternion(pose + 3, F + 3);
        ff_hung_move(tree, link, F + 3, base, u + first, rates + first, k);
        ff_screw_in(F + 3, h->speed, z + FF_RIGID * link);
        ff_screw_in(F + 3, h->rate, rate + FF_RIGID * link);
        ff_moving_link(z + FF_RIGID * link, rate + FF_RIGID * link, F);
    }
}

/* Set the averaged rates that a base carries over to a link, X A_b. elastic: those of all elastic coordinates. */
static inline void ff_average_carried(const ff_multibody *m, const ff_tree *tree, int link,
                                      const double *elastic, const ff_tree_kinematics *k, double *out)
{
    const int base = tree->base[link], n = ff_tip_count(tree, link);
    double at[FF_SCREW] = {0.0};
    if (base >= 0)
        memcpy(at, k->average + FF_SCREW * base, sizeof at);
    if (n)
        ff_tip_rate(k->tips + link, k->shapes + FF_SCREW * (long)tree->first_tip[link], n,
                    k->average + FF_SCREW * base, elastic + m->first[base], at);
    ff_shifted(at, k->hung[link].arm, out);
}

/* Set v, v' and averaged v' of the independent speeds (speeds, 3 arrays) from numbers of all speeds, and
   where the links are in their bases. */
static inline void ff_tree_take(const ff_multibody *m, const ff_tree *tree, const double *poses,
                                const double *d, const double *z, const double *rate,
                                const double *average, double *frames, ff_tree_kinematics *k)
{
    const int links = m->linkage->links, rigid = FF_RIGID * links, n = tree->speeds;
    const size_t others = (size_t)(n - tree->rigid) * sizeof(double);
    double *to[3] = {k->motion, k->motion + n, k->motion + 2 * n};
    const double *from[3] = {z, rate, average};
    for (int i = 0; i < 3; ++i)
        memcpy(to[i] + tree->rigid, from[i] + rigid, others);
    ff_multibody_frames(m, poses, z, rate, frames);
    for (int number = 0; number < links; ++number) {
        const int link = tree->order[number];
        const double *R = frames + FF_LINK * link + 3, *pose = poses + FF_POSE * link;
        ff_hung *h = k->hung + link;
        double off[FF_SCREW], meant[FF_SCREW], *slow = k->average + FF_SCREW * link;
        if (ff_tip_count(tree, link))
            ff_tip_set(m, tree, link, poses, frames, d, z, rate, k);
        const ff_hanger base = ff_hanger_of(tree, link, poses, frames, k);
        ff_screw_out(R, z + FF_RIGID * link, h->speed);
        ff_screw_out(R, rate + FF_RIGID * link, h->rate);
        ff_screw_out(R, average + FF_RIGID * link, slow);
        for (int i = 0; i < 3; ++i)
            h->arm[i] = pose[i] - base.pose[i];
        ff_pose_between(base.pose, base.R, h->arm, pose, h->relative);
        ff_shifted(base.speed, h->arm, h->carried);
        ff_shifted(base.rate, h->arm, h->pulled);
        ff_average_carried(m, tree, link, average + rigid, k, meant);
        for (int i = 0; i < FF_SCREW; ++i)
            h->own[i] = h->speed[i] - h->carried[i];
        ff_hung_speeds(tree, link, R, h->own, to[0]);
        for (int i = 0; i < FF_SCREW; ++i)
            off[i] = h->rate[i] - h->pulled[i];
        ff_add_bracket(h->speed, h->own, -1.0, off);
        ff_hung_speeds(tree, link, R, off, to[1]);
        for (int i = 0; i < FF_SCREW; ++i)
            off[i] = slow[i] - meant[i];
        ff_add_bracket(h->speed, h->own, -1.0, off);
        ff_hung_speeds(tree, link, R, off, to[2]);
    }
}

/* Set averaged rates of all speeds from those of the independent ones, where ff_tree_move was. */
static inline void ff_tree_average(const ff_multibody *m, const ff_tree *tree, const double *frames,
                                   const double *average, double *out, ff_tree_kinematics *k)
{
    const int links = m->linkage->links, rigid = FF_RIGID * links;
    memcpy(out + rigid, average + tree->rigid, (size_t)(tree->speeds - tree->rigid) * sizeof(double));
    for (int number = 0; number < links; ++number) {
        const int link = tree->order[number];
        const ff_hung *h = k->hung + link;
        double *slow = k->average + FF_SCREW * link;
        ff_average_carried(m, tree, link, out + rigid, k, slow);
        for (int c = tree->first[link]; c < tree->first[link + 1]; ++c)
            for (int i = 0; i < FF_SCREW; ++i)
                slow[i] += k->screws[FF_SCREW * c + i] * average[c];
        ff_add_bracket(h->speed, h->own, 1.0, slow);
        ff_screw_in(frames + FF_LINK * link + 3, slow, out + FF_RIGID * link);
    }
}

/* Set what is left of the forces along the independent speeds, from those along all speeds (as of
   ff_multibody_forces) and the efforts along rows of joints of the tree. */
static inline void ff_tree_forces(const ff_multibody *m, const ff_tree *tree, const ff_joint_work *work,
                                  const double *frames, const double *out, ff_tree_kinematics *k)
{
    const int links = m->linkage->links, rigid = FF_RIGID * links;
    double *left = k->residual;
    memcpy(left + tree->rigid, out + rigid, (size_t)(tree->speeds - tree->rigid) * sizeof(double));
    for (int link = 0; link < links; ++link)
        ff_screw_out(frames + FF_LINK * link + 3, out + FF_RIGID * link, k->hung[link].wrench);
    for (int number = links - 1; number >= 0; --number) {
        const int link = tree->order[number], base = tree->base[link], n = ff_tip_count(tree, link);
        const ff_hung *h = k->hung + link;
        for (int c = tree->first[link]; c < tree->first[link + 1]; ++c)
            left[c] = ff_dot(FF_SCREW, k->screws + FF_SCREW * c, h->wrench);
        if (base < 0)
            continue;
        if (n) {
            const double *shapes = k->shapes + FF_SCREW * (long)tree->first_tip[link];
            double at[FF_SCREW] = {0.0}, *elastic = left + tree->rigid + m->first[base];
            ff_add_wrench(h->wrench, h->arm, at);
            for (int i = 0; i < FF_SCREW; ++i)
                for (int c = 0; c < n; ++c)
                    elastic[c] += shapes[i * n + c] * at[i];
            ff_add_wrench(at, k->tips[link].arm, k->hung[base].wrench);
        } else
            ff_add_wrench(h->wrench, h->arm, k->hung[base].wrench);
    }
    for (int w = 0; w < tree->watched; ++w) {
        const int joint = tree->watch[w], link = tree->hung_by[joint];
        for (int r = m->linkage->starts[joint]; link >= 0 && r < m->linkage->starts[joint + 1]; ++r)
            for (int c = tree->first[link]; work->force[r] != 0.0 && c < tree->first[link + 1]; ++c)
                left[c] -= work->force[r] * ff_tree_along(m, tree, work, r, c);
    }
}

#endif
