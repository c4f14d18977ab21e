/* SPDX-License-Identifier: BSD-3-Clause */
/* Derivatives of the equations of links whose motion is found, in dense blocks: by the rates, speeds and
   places of every link, and by the speeds and places of both links of every joint.

   Places change along the speeds: displacement and turn in components of the link, then d. */
#ifndef FF_MULTIBODY_TANGENT_H
#define FF_MULTIBODY_TANGENT_H

#include "ff_multibody_rows.h"

/* Speeds of a link and of both links of a joint. */
static inline int ff_speeds_of(const ff_multibody *m, int link)
{
    return link < 0 ? 0 : FF_RIGID + ff_elastic_of(m, link);
}
static inline int ff_speeds_at(const ff_multibody *m, int joint)
{
    return ff_speeds_of(m, m->linkage->ends[2 * joint]) +
           ff_speeds_of(m, m->linkage->ends[2 * joint + 1]);
}

/* Number of a speed of a link among all. */
static inline int ff_speed_number(const ff_multibody *m, int link, int speed)
{
    return speed < FF_RIGID ? FF_RIGID * link + speed
                            : FF_RIGID * (m->linkage->links - 1) + m->first[link] + speed;
}

/* Largest number of either, and doubles of the room of derivatives. */
static inline int ff_most_speeds(const ff_multibody *m)
{
    int most = 0;
    for (int link = 0; link < m->linkage->links; ++link)
        most = ff_speeds_of(m, link) > most ? ff_speeds_of(m, link) : most;
    return 2 * most;
}
static inline size_t ff_tangent_doubles(const ff_multibody *m)
{
    const size_t n = (size_t)ff_most_speeds(m);
    return n * (n + 60) + ff_energy_room(m);
}

/* Derivatives of the force (6,) of a link by the rates and speeds of its frame, in rows that are `all` long.
   v, w: its speeds; Y: int rho x (N d')^T, gone: int rho N d', or 0 of a rigid link. */
static inline void ff_frame_tangent(double mass, const double *S, const double *C, const double *gone,
                                    const double *Y, const double *v, const double *w, int all,
                                    double *by_rate, double *by_speed)
{
    const double trace = C[0] + C[4] + C[8], vS = ff_dot(3, v, S), wS = ff_dot(3, w, S);
    double J[9], Jw[3], moved[3];
    for (int i = 0; i < 9; ++i)
        J[i] = (i % 4 ? 0.0 : trace) - C[i];
    ff_apply(J, w, Jw);
    ff_cross(w, S, moved);
    for (int i = 0; i < 3; ++i)
        moved[i] += mass * v[i];
    const double skew_S[9] = {0.0, -S[2], S[1], S[2], 0.0, -S[0], -S[1], S[0], 0.0};
    const double skew_w[9] = {0.0, -w[2], w[1], w[2], 0.0, -w[0], -w[1], w[0], 0.0};
    const double momentum[9] = {0.0, -moved[2], moved[1], moved[2], 0.0, -moved[0], -moved[1], moved[0], 0.0};
    const double turning[9] = {0.0, -Jw[2], Jw[1], Jw[2], 0.0, -Jw[0], -Jw[1], Jw[0], 0.0};
    for (int i = 0; i < 3; ++i)
        for (int c = 0; c < 3; ++c) {
            const double one = i == c ? 1.0 : 0.0;
            double *rate = by_rate + i * all + c, *speed = by_speed + i * all + c;
            double *spin_rate = rate + 3 * all, *spin = speed + 3 * all; /* of the torque */
            rate[0] = mass * one;
            rate[3] = -skew_S[3 * i + c];
            spin_rate[0] = skew_S[3 * i + c];
            spin_rate[3] = J[3 * i + c];
            /* a~ b~ = b a^T - (a b) 1 */
            speed[0] = mass * skew_w[3 * i + c];
            speed[3] = one * wS - momentum[3 * i + c] - S[i] * w[c];
            spin[0] = w[i] * S[c] - one * wS;
            spin[3] = one * vS - v[i] * S[c] - turning[3 * i + c] + skew_w[3 * i] * J[c] +
                      skew_w[3 * i + 1] * J[3 + c] + skew_w[3 * i + 2] * J[6 + c];
        }
    for (int c = 0; Y && c < 3; ++c) {
        const double e[3] = {c == 0, c == 1, c == 2};
        const double turn[9] = {0.0, -e[2], e[1], e[2], 0.0, -e[0], -e[1], e[0], 0.0};
        double Z[9] = {0.0}, T[3] = {0.0, 0.0, 0.0}, g[3];
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                for (int k = 0; k < 3; ++k)
                    Z[3 * i + j] += 2.0 * Y[3 * i + k] * turn[3 * j + k];
        ff_add_torque(Z, 1.0, T);
        ff_cross(e, gone, g);
        for (int i = 0; i < 3; ++i) {
            by_speed[i * all + 3 + c] += 2.0 * g[i];
            by_speed[(3 + i) * all + 3 + c] += T[i];
        }
    }
}

/* Columns of the blocks of a link by its rates and speeds, and none by its place. b: the integrals over the
   link, if it deforms; faster: (9, n) M_ij d'. */
static inline void ff_rigid_tangent(const ff_multibody *m, int link, const double *z, const ff_deformed *b,
                                    const double *faster, double *by_rate, double *by_speed,
                                    double *by_place)
{
    const int n = ff_elastic_of(m, link), all = FF_RIGID + n;
    const double *v = z, *w = z + 3, *mu = m->translation + 3L * m->first[link];
    if (n)
        ff_frame_tangent(m->mass[link], b->S, b->C, b->gone, b->Y, v, w, all, by_rate, by_speed);
    else
        ff_frame_tangent(m->mass[link], m->moment + 3 * link, m->second + 9 * link, 0, 0, v, w, all, by_rate,
                         by_speed);
    for (int r = 0; r < all; ++r)
        memset(by_place + (long)r * all, 0, FF_RIGID * sizeof(double));
    for (int c = 0; n && c < 3; ++c) { /* elastic coordinates: e~ w~ + w~ e~ = e w^T + w e^T - 2 w e 1 */
        const int next = (c + 1) % 3, last = (c + 2) % 3;
        const double e[3] = {c == 0, c == 1, c == 2}, *X = b->position;
        double we[3], ev[3];
        ff_cross(w, e, we);
        ff_cross(e, v, ev);
        for (int k = 0; k < n; ++k) {
            double *rate = by_rate + (long)(FF_RIGID + k) * all;
            double *speed = by_speed + (long)(FF_RIGID + k) * all;
            const double *own = mu + 3 * k;
            double spinning = 2.0 * (faster[(3 * last + next) * n + k] - faster[(3 * next + last) * n + k]) -
                              2.0 * w[c] * (X[k] + X[4 * n + k] + X[8 * n + k]);
            for (int j = 0; j < 3; ++j)
                spinning += w[j] * (X[(3 * c + j) * n + k] + X[(3 * j + c) * n + k]);
            rate[c] = own[c];
            rate[3 + c] = X[(3 * last + next) * n + k] - X[(3 * next + last) * n + k];
            speed[c] = own[0] * we[0] + own[1] * we[1] + own[2] * we[2];
            speed[3 + c] = own[0] * ev[0] + own[1] * ev[1] + own[2] * ev[2] + spinning;
        }
    }
}

/* Columns of the blocks of a link by its elastic coordinates: pull, skew, E as in ff_link_forces. X: (9, n) of its
   integrals; faster, quicker: (9, n) M_ij d' and M_ij d''. */
static inline void ff_elastic_tangent(const ff_multibody *m, int link, const double *pull,
                                      const double *skew, const double *E, const double *X,
                                      const double *faster, const double *quicker,
                                      const double *stiffness, double *by_rate, double *by_speed,
                                      double *by_place)
{
    const int n = ff_elastic_of(m, link), all = FF_RIGID + n;
    const long size = (long)n * n;
    const double *mu = m->translation + 3L * m->first[link];
    const double *M = m->masses + 9L * m->squares[link], *D = m->damping + m->squares[link];
    for (int c = 0; c < 3; ++c) { /* forces along c, and torques: entry (next, last) less (last, next) */
        const int next = (c + 1) % 3, last = (c + 2) % 3;
        double *rate = by_rate + c * all + FF_RIGID, *speed = by_speed + c * all + FF_RIGID;
        double *place = by_place + c * all + FF_RIGID;
        for (int k = 0; k < n; ++k) {
            const double *own = mu + 3 * k;
            rate[k] = own[c];
            speed[k] = place[k] = 0.0;
            for (int j = 0; j < 3; ++j) {
                speed[k] += 2.0 * skew[3 * c + j] * own[j];
                place[k] += E[3 * c + j] * own[j];
            }
        }
        rate += 3 * all, speed += 3 * all, place += 3 * all;
        for (int k = 0; k < n; ++k) {
            const double *own = mu + 3 * k;
            const int there = (3 * next + last) * n + k, back = (3 * last + next) * n + k;
            double faster_by = 0.0, moved = own[next] * pull[last] - own[last] * pull[next] +
                                            quicker[there] - quicker[back];
            for (int l = 0; l < 3; ++l) {
                const int a = (3 * next + l) * n + k, b = (3 * l + next) * n + k;
                const int g = (3 * last + l) * n + k, h = (3 * l + last) * n + k;
                faster_by += X[b] * skew[3 * last + l] - X[h] * skew[3 * next + l];
                moved += (X[a] + X[b]) * E[3 * last + l] - (X[g] + X[h]) * E[3 * next + l] +
                         2.0 * (faster[a] * skew[3 * last + l] - faster[g] * skew[3 * next + l]);
            }
            rate[k] = X[back] - X[there];
            speed[k] = 2.0 * faster_by;
            place[k] = moved;
        }
    }
    for (int r = 0; r < n; ++r) {
        double *rate = by_rate + (long)(FF_RIGID + r) * all + FF_RIGID;
        double *speed = by_speed + (long)(FF_RIGID + r) * all + FF_RIGID;
        double *place = by_place + (long)(FF_RIGID + r) * all + FF_RIGID;
        const double *row = M + (long)r * n, *damping = D + (long)r * n, *stiff = stiffness + (long)r * n;
        for (int k = 0; k < n; ++k) {
            double masses = 0.0, turned = 0.0, moved = 0.0;
            for (int i = 0; i < 9; ++i) {
                const double one = row[i * size + k];
                masses += i % 4 ? 0.0 : one;
                turned += skew[i] * one;
                moved += E[i] * one;
            }
            rate[k] = masses;
            speed[k] = 2.0 * turned + damping[k];
            place[k] = moved + stiff[k];
        }
    }
}

/* Add to the block of places what the stresses of displacements change by. */
static inline void ff_stress_tangent(const ff_multibody *m, int link, const double *d,
                                     double *by_place)
{
    const ff_stress *stress = m->stress;
    const int all = FF_RIGID + ff_elastic_of(m, link), first = m->first[link];
    for (int k = stress->first[link]; k < stress->first[link + 1]; ++k) {
        const int r = stress->entry[2 * k], c = stress->entry[2 * k + 1];
        double *row = by_place + (long)(FF_RIGID + r) * all + FF_RIGID - first;
        double *mirrored = by_place + (long)(FF_RIGID + c) * all + FF_RIGID - first;
        for (int l = stress->pointers[k]; l < stress->pointers[k + 1]; ++l) {
            row[stress->columns[l]] += stress->values[l] * d[c];
            if (r != c)
                mirrored[stress->columns[l]] += stress->values[l] * d[r];
        }
    }
}

/* Blocks (n, n) of a link by its rates, speeds and places, n = 6 + elastic ones, with the integrals that its forces
   have set. Leaves M_ij d', (9, n), in room: (ff_tangent_doubles,). */
static inline void ff_link_tangent(const ff_multibody *m, int link, const double *d, const double *z,
                                   const double *rate, const double *stiffness, const ff_deformed *b,
                                   double *by_rate, double *by_speed, double *by_place, double *room)
{
    const int n = ff_elastic_of(m, link);
    double *faster = room, *quicker = room + 9 * n, pull[3], skew[9], E[9];
    memset(room, 0, 18 * (size_t)n * sizeof(double));
    for (int k = 0; n && k < 9; ++k) {
        const double *columns = m->masses + 9L * m->squares[link] + (3 * (k % 3) + k / 3) * (long)n * n;
        ff_add_columns(n, columns, z + FF_RIGID, 1.0, faster + k * n);
        ff_add_columns(n, columns, rate + FF_RIGID, 1.0, quicker + k * n);
    }
    ff_rigid_tangent(m, link, z, b, faster, by_rate, by_speed, by_place);
    if (!n)
        return;
    ff_spin(z + 3, rate + 3, skew, E);
    ff_cross(z + 3, z, pull);
    for (int i = 0; i < 3; ++i)
        pull[i] += rate[i];
    ff_elastic_tangent(m, link, pull, skew, E, b->position, faster, quicker, stiffness, by_rate, by_speed,
                       by_place);
    if (m->stress)
        ff_stress_tangent(m, link, d, by_place);
    for (int k = 0; k < m->energies; ++k) {
        const int all = FF_RIGID + n;
        if (m->energy[k].link == link)
            ff_add_energy_tangents(m->energy + k, d, all, by_place + FF_RIGID * (all + 1),
                                   room + ff_tangent_doubles(m) - ff_energy_room(m));
    }
}

/* Subtract from the block of places of a link what loads change by. */
static inline void ff_push_tangent(const ff_multibody *m, int push, const double *frames,
                                   const double *amplitudes, const double *d, double *by_place)
{
    const int *of = m->push_of + 4 * push;
    const int n = ff_elastic_of(m, of[0]), all = FF_RIGID + n;
    const double *own = m->push_elastic + m->push_at[push], *constant = m->push + FF_PUSH * push;
    const double factor = ff_push_factor(m, push, frames, amplitudes);
    for (int i = 0; i < 3; ++i)
        for (int c = 0; c < n; ++c)
            by_place[(3 + i) * all + FF_RIGID + c] -= factor * own[(i + 1) * n + c];
    if (of[2] < 0)
        return;
    /* The rotation by a turn about k changes by R e_k~: by those about the two other axes. */
    const double *R = frames + FF_LINK * of[0] + 3 + 3 * of[2];
    const int next = (of[3] + 1) % 3, last = (of[3] + 2) % 3;
    const double by_next = -amplitudes[of[1]] * R[last], by_last = amplitudes[of[1]] * R[next];
    for (int r = 0; r < all; ++r) {
        double force = r < FF_RIGID ? constant[r] : own[r - FF_RIGID];
        if (n && r >= 3 && r < FF_RIGID)
            force += ff_dot(n, own + (r - 2) * n, d);
        by_place[r * all + 3 + next] -= by_next * force;
        by_place[r * all + 3 + last] -= by_last * force;
    }
}

/* What a change of the marker's own place and turn adds: derivative of `columns^T force` by elastic
   coordinates, on rows of the link. force: (6,) in axes of the marker. block: (all, all), from the row
   and column `at` of this link. */
static inline void ff_marker_turned(const ff_marker *k, const double *force, int all, int at,
                                    double factor, double *block)
{
    const int n = k->count;
    double push[3], twist[3];
    ff_apply(k->axes, force, push);
    ff_apply(k->axes, force + 3, twist);
    for (int c = 0; c < n; ++c) {
        double move[3], own[3], eta[3], fp[3], ft[3], x[3], y[3];
        for (int i = 0; i < 3; ++i) {
            move[i] = k->shape[i * n + c];
            own[i] = k->shape[(3 + i) * n + c];
        }
        ff_apply(k->spread, own, eta);
        ff_cross(eta, push, fp);
        ff_cross(eta, twist, ft);
        ff_cross(move, push, x);
        ff_cross(k->place, fp, y);
        double *column = block + (long)at * all + at + FF_RIGID + c;
        for (int i = 0; i < 3; ++i) {
            column[i * all] += factor * fp[i];
            column[(3 + i) * all] += factor * (x[i] + y[i] + ft[i]);
        }
        /* By a unit of displacement, and of turn: L^T (eta x twist), and dL(theta; own)^T twist. */
        double turning[3], other[3];
        ff_apply_transposed(k->spread, ft, turning);
        ff_spread_back(k, own, twist, other);
        for (int i = 0; i < 3; ++i)
            turning[i] += other[i];
        for (int r = 0; r < n; ++r) {
            double sum = 0.0;
            for (int i = 0; i < 3; ++i)
                sum += k->shape[i * n + r] * fp[i] + k->shape[(3 + i) * n + r] * turning[i];
            column[(FF_RIGID + r) * all] += factor * sum;
        }
    }
}

/* Change of a marker's velocity (6,) at constant speeds by an elastic coordinate. */
static inline void ff_marker_speed_change(const ff_marker *k, int coordinate, const double *w,
                                          const double *rates, double *out)
{
    const int n = k->count;
    double move[3], own[3], eta[3], turned[3], x[3], y[3], v[3], spin[3];
    for (int i = 0; i < 3; ++i) {
        move[i] = k->shape[i * n + coordinate];
        own[i] = k->shape[(3 + i) * n + coordinate];
        turned[i] = ff_dot(n, k->shape + (3 + i) * n, rates);
    }
    ff_apply(k->spread, own, eta);
    ff_apply(k->axes, k->state + 12, v);
    ff_apply(k->axes, k->state + 15, spin);
    ff_cross(w, move, x);
    ff_cross(v, eta, y);
    for (int i = 0; i < 3; ++i)
        x[i] += y[i];
    ff_apply_transposed(k->axes, x, out);
    ff_spread_change(k, own, turned, x);
    ff_cross(spin, eta, y);
    for (int i = 0; i < 3; ++i)
        x[i] += y[i];
    ff_apply_transposed(k->axes, x, out + 3);
}

/* Subtract columns^T H columns from a block (n, n); columns (12, n) of a side are zero in the other's rows. */
static inline void ff_subtract_congruent(int n, const int *at, const int *count, const double *columns,
                                         const double *H, double *moved, double *block)
{
    memset(moved, 0, 12 * (size_t)n * sizeof(double));
    for (int side = 0; side < 2; ++side)
        for (int i = count[0] ? 0 : FF_RIGID; i < (count[1] ? 12 : FF_RIGID); ++i)
            for (int k = FF_RIGID * side; k < FF_RIGID * (side + 1); ++k) {
                const double factor = H[12 * i + k]; /* most are zero, for any joint */
                for (int c = at[side]; factor != 0.0 && c < at[side] + count[side]; ++c)
                    moved[i * n + c] += factor * columns[k * n + c];
            }
    for (int side = 0; side < 2; ++side)
        for (int i = FF_RIGID * side; i < FF_RIGID * (side + 1); ++i)
            for (int r = at[side]; r < at[side] + count[side]; ++r) {
                const double factor = columns[i * n + r];
                for (int c = 0; c < n && factor != 0.0; ++c)
                    block[(long)r * n + c] -= factor * moved[i * n + c];
            }
}

/* The same for markers on rigid links: what moves them are their displacements, (1, -p~), and turns. */
static inline void ff_subtract_congruent_rigid(int n, const int *at, const ff_marker *pair, const double *H,
                                               double *block)
{
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) {
            const double *p = pair[i].place, *q = pair[j].place;
            double moved[FF_RIGID * FF_RIGID];
            if (pair[i].link < 0 || pair[j].link < 0)
                continue;
            for (int r = 0; r < FF_RIGID; ++r) {
                const double *from = H + 12 * (FF_RIGID * i + r) + FF_RIGID * j;
                const double x = from[0], y = from[1], z = from[2];
                double *row = moved + FF_RIGID * r;
                row[0] = x;
                row[1] = y;
                row[2] = z;
                row[3] = from[3] + q[1] * z - q[2] * y;
                row[4] = from[4] + q[2] * x - q[0] * z;
                row[5] = from[5] + q[0] * y - q[1] * x;
            }
            double *to = block + (long)at[i] * n + at[j];
            for (int c = 0; c < FF_RIGID; ++c) {
                const double x = moved[c], y = moved[FF_RIGID + c], z = moved[2 * FF_RIGID + c];
                to[c] -= x;
                to[n + c] -= y;
                to[2 * n + c] -= z;
                to[3 * n + c] -= moved[3 * FF_RIGID + c] + p[1] * z - p[2] * y;
                to[4 * n + c] -= moved[4 * FF_RIGID + c] + p[2] * x - p[0] * z;
                to[5 * n + c] -= moved[5 * FF_RIGID + c] + p[0] * y - p[1] * x;
            }
        }
}

/* What a force along displacements and turns of both markers (12,) does along the speeds of their links. */
static inline void ff_pair_pull(const ff_marker *pair, const int *at, const double *force, double *out)
{
    for (int side = 0; side < 2; ++side)
        if (pair[side].link >= 0)
            ff_marker_pull(pair + side, force + FF_RIGID * side, out + at[side], out + at[side] + FF_RIGID);
}

/* Block (n, n) of a joint by places of its links, n of both, at constant efforts, and the derivative of the
   rates of its actuators' coordinates by these places, (actuators of the joint, n). Efforts, markers and
   rows are those in work. room: (24 n,) */
static inline void ff_joint_turned(const ff_multibody *m, int joint, ff_joint tangent,
                                   const double *frames, const double *v, const ff_joint_work *work,
                                   double *by_place, double *rates, double *room)
{
    const ff_linkage *linkage = m->linkage;
    const int start = linkage->starts[joint], rows = linkage->starts[joint + 1] - start;
    const int all = ff_speeds_at(m, joint);
    const double *out = work->kernel + (long)start * FF_JOINT_ROW;
    const ff_marker *pair = work->pairs + 2 * joint;
    double found[(12 + FF_JOINT_ROWS) * 12], force[12] = {0.0};
    double axes[24], states[2 * FF_LINK], efforts[FF_JOINT_ROWS + 1], *columns = room;
    const int deforms = pair[0].count || pair[1].count;
    int at[2] = {0, 0}, count[2], acted = 0;
    memset(by_place, 0, (size_t)all * (size_t)all * sizeof(double));
    for (int r = 0; r < rows; ++r)
        acted |= work->force[start + r] != 0.0;
    if (!acted && m->acting_first[joint] == m->acting_first[joint + 1])
        return;
    memcpy(axes, linkage->markers + 24L * joint, sizeof axes);
    for (int side = 0; side < 2; ++side) {
        memset(axes + 12 * side, 0, 3 * sizeof(double));
        memcpy(states + FF_LINK * side, pair[side].state, sizeof pair[side].state);
        at[side] = side ? count[0] : 0;
        count[side] = ff_speeds_of(m, pair[side].link);
    }
    memcpy(efforts, work->force + start, (size_t)rows * sizeof(double));
    efforts[rows] = linkage->radii[joint];
    tangent(axes, efforts, states, found, 0);
    for (int r = 0; r < rows; ++r)
        for (int i = 0; i < 12; ++i)
            force[i] += efforts[r] * out[r * FF_JOINT_ROW + 4 + i];
    if (deforms) {
        memset(columns, 0, 12 * (size_t)all * sizeof(double));
        for (int side = 0; side < 2; ++side)
            if (count[side])
                ff_marker_columns(pair + side, all, columns + (long)FF_RIGID * side * all + at[side]);
        ff_subtract_congruent(all, at, count, columns, found, room + 12 * all, by_place);
        for (int side = 0; side < 2; ++side)
            ff_marker_turned(pair + side, force + FF_RIGID * side, all, at[side], -1.0, by_place);
    } else
        ff_subtract_congruent_rigid(all, at, pair, found, by_place);
    for (int a = m->acting_first[joint]; a < m->acting_first[joint + 1]; ++a) {
        const int r = m->row_of[m->actuator_of[a]] - start;
        const double *J = out + r * FF_JOINT_ROW + 4;
        const double *along = found + 12 * (12 + r - m->free_of[joint]);
        double *faster = rates + (long)(a - m->acting_first[joint]) * all;
        ff_pair_pull(pair, at, along, faster);
        for (int side = 0; side < 2; ++side)
            for (int c = 0; c < pair[side].count; ++c) {
                double one[FF_RIGID];
                const int link = pair[side].link;
                ff_marker_speed_change(pair + side, c, frames + FF_LINK * link + 15,
                                       v + m->first[link], one);
                for (int i = 0; i < FF_RIGID; ++i)
                    faster[at[side] + FF_RIGID + c] += J[FF_RIGID * side + i] * one[i];
            }
    }
}

/* The same with springs and dampers: blocks by speeds and places. room: (24 n,). Returns whether there are any;
   without them nothing depends on speeds, and that block is not set. */
static inline int ff_joint_tangent(const ff_multibody *m, int joint, ff_joint tangent,
                                    const double *frames, const double *v,
                                    const ff_joint_work *work, double *by_speed, double *by_place,
                                    double *rates, double *room)
{
    const ff_marker *pair = work->pairs + 2 * joint;
    const int all = ff_speeds_at(m, joint), at[] = {0, ff_speeds_of(m, pair->link)};
    double *row = room;
    int sprung = 0;
    ff_joint_turned(m, joint, tangent, frames, v, work, by_place, rates, room);
    for (int a = m->acting_first[joint]; a < m->acting_first[joint + 1]; ++a) {
        const double *spring = m->springs + 3 * a;
        const double *J = work->kernel + (long)m->row_of[m->actuator_of[a]] * FF_JOINT_ROW + 4;
        const double *faster = rates + (long)(a - m->acting_first[joint]) * all;
        if (spring[0] == 0.0 && spring[1] == 0.0)
            continue;
        if (!sprung)
            memset(by_speed, 0, (size_t)all * (size_t)all * sizeof(double));
        sprung = 1;
        ff_pair_pull(pair, at, J, row);
        for (int i = 0; i < all; ++i)
            for (int c = 0; c < all; ++c) {
                by_place[(long)i * all + c] += row[i] * (spring[0] * row[c] + spring[1] * faster[c]);
                by_speed[(long)i * all + c] += row[i] * spring[1] * row[c];
            }
    }
    return sprung;
}

#endif
