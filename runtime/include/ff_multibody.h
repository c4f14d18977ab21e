/* SPDX-License-Identifier: BSD-3-Clause */
/* Links whose motion is found by integration: what inertia, elasticity and loads need, link by link.

   The speeds of a link are z = (v_O, w, d'): velocity of its origin and angular velocity in its own
   components, and rates of its elastic coordinates d. With the places x_d = x + N d of its points,

       F = int rho a,   T = int rho x_d~ a,   Q = int rho N^T a + k d + damping d',
       a = v_O' + w~ v_O + (e~ + w~ w~) x_d + 2 w~ N d' + N d''      (physics.md section 12).

   Vectors of all speeds have the six of every link, link after link, and then the elastic ones. In the
   plane three of the six are zero. */
#ifndef FF_MULTIBODY_H
#define FF_MULTIBODY_H

#include "ff_dense.h"
#include "ff_energy.h"
#include "ff_force.h"
#include "ff_frame.h"
#include "ff_linkage.h"
#include "ff_pose.h"
#include "ff_time.h"

/* Speeds of a rigid link, constants of a push besides those of elastic coordinates. */
enum { FF_RIGID = 6, FF_PUSH = 6 };

/* Stiffness of a unit of what stresses a link besides its displacements: heat by the amplitude of a load, or
   the inertia forces on sections by a unit block of the spin; the other number is -1. */
typedef struct {
    int link, amplitude, unit;
    const double *values; /* (entries,) of all links */
} ff_stressing;

/* Geometric stiffness of links by their stresses, which is symmetric and linear in the elastic coordinates. */
typedef struct {
    int stressings;
    const int *first;    /* (links + 1,) first entry of every link */
    const int *entry;    /* (entries, 2) row and column in the matrix of the link, which is not above the row */
    const int *pointers; /* (entries + 1,) */
    const int *columns;  /* elastic coordinates, of all links */
    const double *values;
    const ff_stressing *stressing;
} ff_stress;

/* Bodies on links as constants; matrices of a link with n elastic coordinates. */
typedef struct {
    const ff_linkage *linkage;
    int elastic, pushes, actuators;
    int formulas, laws, controllers; /* and equations of speeds, in this order */
    int most;                        /* variables of a formula */
    const int *first;          /* (links + 1,) first elastic coordinate of every link */
    const int *squares;        /* (links + 1,) sums of n^2 */
    const double *mass;        /* (links,) */
    const double *moment;      /* (links, 3) int rho x */
    const double *second;      /* (links, 3, 3) int rho x x^T */
    const double *translation; /* (elastic, 3) int rho N */
    const double *position;    /* of every link (3, 3, n) int rho N_a x_b */
    const double *masses;      /* of every link (3, 3, n, n) int rho N_a^T N_b */
    const double *stiffness;   /* of every link (n, n), without bodies with an energy */
    const double *damping;     /* of every link (n, n) */
    const int *shape_of;       /* (2 joints + 1,) where the shapes of the markers begin */
    const double *shapes;      /* of every marker (6, n): displacement and turn */
    const int *entries;        /* (rows + 1,) where the entries of the rows of joints begin */
    const int *row_of;         /* (coordinates,) rows of joints that are coordinates */
    const int *held_of;        /* rows of joints that are equations, one each */
    const int *joint_of;       /* (rows,) joint of every row */
    const ff_joint *tangent;   /* (joints,) kernels that know how their rows change */
    const int *free_of;        /* (joints,) rows before those of free coordinates */
    const int *push_first;     /* (links + 1,) first push of every link */
    const int *push_of;        /* (pushes, 4) link, amplitude, global component and axis, or -1 */
    const int *push_at;        /* (pushes + 1,) where their elastic constants begin */
    const double *push;        /* (pushes, 6) force and moment */
    const double *push_elastic; /* of every push (4, n): force of d, moment by a unit of d */
    const int *acting_first;   /* (joints + 1,) first actuator of every joint */
    const int *actuator_of;    /* (actuators,) coordinates, joint after joint */
    const double *springs;     /* (actuators, 3) stiffness, damping, rest */
    const int *law_of;         /* (laws,) actuators */
    const ff_formula *formula; /* (formulas,) */
    int forces;                /* laws that set the numbers of some of them */
    const ff_force *force;
    int kept, events;          /* numbers that laws keep, and their events */
    int holds;                 /* speeds that laws hold now and then, the last equations of speeds */
    const int *hold_of;        /* (holds,) laws */
    const ff_stress *stress;   /* or 0 */
    int energies;              /* bodies with an energy */
    const ff_energy *energy;
} ff_multibody;

/* Numbers of elastic coordinates of a link, of all speeds, of equations of speeds, of all equations. States of
   controllers are speeds that move nothing; their numbers come last. */
static inline int ff_elastic_of(const ff_multibody *m, int link)
{
    return link < 0 ? 0 : m->first[link + 1] - m->first[link];
}
static inline int ff_all_speeds(const ff_multibody *m)
{
    return FF_RIGID * m->linkage->links + m->elastic + m->controllers;
}
static inline int ff_conditions(const ff_multibody *m)
{
    return m->formulas - m->laws - m->controllers;
}
static inline int ff_all_equations(const ff_multibody *m)
{
    return m->linkage->equations + ff_conditions(m);
}

/* Numbers of a state for the laws of force: those that laws keep; of every event its formula, and whether it
   is to happen; of every speed that laws hold the most that its force may be; of every law the energy that its
   impacts took, J. */
static inline size_t ff_law_states(const ff_multibody *m)
{
    return m->events ? (size_t)(m->kept + 2 * m->events + m->holds + m->forces) : 0;
}

/* What a speed is that a law holds now and then (FF_HELD,), and the kept number, not zero while it does. */
static inline const int *ff_hold_of(const ff_multibody *m, int hold)
{
    const ff_force *force = m->force + m->hold_of[hold];
    return force->held + FF_HELD * (hold - force->first_hold);
}
static inline int ff_during(const ff_multibody *m, int hold)
{
    return m->force[m->hold_of[hold]].first_kept + ff_hold_of(m, hold)[FF_DURING];
}

/* Whether an equation holds: that of a law does not where a number that the law keeps is zero. */
static inline int ff_equation_holds(const ff_multibody *m, const double *kept, int equation)
{
    const int hold = equation - (ff_all_equations(m) - m->holds);
    return hold < 0 || kept[ff_during(m, hold)] != 0.0;
}

/* Number of the speeds that laws hold. */
static inline int ff_holding(const ff_multibody *m, const double *kept)
{
    int count = 0;
    for (int hold = 0; hold < m->holds; ++hold)
        count += kept[ff_during(m, hold)] != 0.0;
    return count;
}

/* Velocities and accelerations of the state of a link (24,) from its six speeds and their rates. */
static inline void ff_moving_link(const double *v, const double *rate, double *F)
{
    double across[3];
    memcpy(F + 12, v, FF_RIGID * sizeof(double));
    ff_cross(v + 3, v, across);
    for (int i = 0; i < 3; ++i) {
        F[18 + i] = rate[i] + across[i];
        F[21 + i] = rate[3 + i];
    }
}

/* States of links (links, 24) from poses (links, 7), speeds and their rates. */
static inline void ff_multibody_frames(const ff_multibody *m, const double *poses, const double *z,
                                       const double *rate, double *frames)
{
    for (int link = 0; link < m->linkage->links; ++link) {
        double *F = frames + FF_LINK * link;
        memcpy(F, poses + FF_POSE * link, 3 * sizeof(double));
        ff_of_quaternion(poses + FF_POSE * link + 3, F + 3);
        ff_moving_link(z + FF_RIGID * link, rate + FF_RIGID * link, F);
    }
}

/* Add a square matrix, given by its columns one after the other, times a vector and a factor: of a symmetric
   matrix its rows as well, and of masses M_ij those of M_ji, its transpose. */
static inline void ff_add_columns(int n, const double *restrict columns, const double *restrict x,
                                  double factor, double *restrict out)
{
    for (int k = 0; k < n; ++k) {
        const double one = factor * x[k], *restrict column = columns + (long)k * n;
        for (int i = 0; i < n; ++i)
            out[i] += one * column[i];
    }
}

/* Integrals over the masses of a deformed link: first moment, int rho x_d x_d^T, and those with the rates v:
   int rho N d', int rho x_d (N d')^T. */
typedef struct {
    double S[3], C[9], gone[3], Y[9];
    double *position; /* (3, 3, n) int rho N_a x_db */
} ff_deformed;

/* Set them. */
static inline void ff_deform(const ff_multibody *m, int link, const double *d, const double *v,
                             ff_deformed *b)
{
    const int n = ff_elastic_of(m, link), first = m->first[link];
    const double *mu = m->translation + 3L * first, *X = m->position + 9L * first;
    const double *M = m->masses + 9L * m->squares[link];
    memcpy(b->S, m->moment + 3 * link, sizeof b->S);
    memcpy(b->C, m->second + 9 * link, sizeof b->C);
    memset(b->gone, 0, sizeof b->gone);
    memset(b->Y, 0, sizeof b->Y);
    if (!n)
        return;
    memcpy(b->position, X, 9 * (size_t)n * sizeof(double));
    for (int k = 0; k < n; ++k)
        for (int i = 0; i < 3; ++i) {
            b->S[i] += mu[3 * k + i] * d[k];
            b->gone[i] += mu[3 * k + i] * v[k];
        }
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            double *own = b->position + (3 * i + j) * n;
            ff_add_columns(n, M + (3 * j + i) * (long)n * n, d, 1.0, own);
            b->C[3 * i + j] += ff_dot(n, own, d) + ff_dot(n, X + (3 * j + i) * n, d);
            b->Y[3 * j + i] = ff_dot(n, own, v);
        }
}

/* Doubles of these integrals of all links. */
static inline size_t ff_deformed_doubles(const ff_multibody *m)
{
    return (size_t)m->linkage->links * ((sizeof(ff_deformed) + sizeof(double) - 1) / sizeof(double)) +
           9 * (size_t)m->elastic;
}

/* Lay them out in given memory. */
static inline ff_deformed *ff_deformed_place(const ff_multibody *m, double *doubles)
{
    ff_deformed *deformed = (ff_deformed *)(void *)doubles;
    double *position = doubles + ff_deformed_doubles(m) - 9 * (size_t)m->elastic;
    for (int link = 0; link < m->linkage->links; ++link)
        deformed[link].position = position + 9L * m->first[link];
    return deformed;
}

/* w~, and e~ + w~ w~, of an angular velocity and acceleration. */
static inline void ff_spin(const double *w, const double *e, double *skew, double *E)
{
    const double square = w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
    const double one[9] = {0.0, -w[2], w[1], w[2], 0.0, -w[0], -w[1], w[0], 0.0};
    const double two[9] = {0.0, -e[2], e[1], e[2], 0.0, -e[0], -e[1], e[0], 0.0};
    for (int i = 0; i < 9; ++i) {
        skew[i] = one[i];
        E[i] = two[i] + w[i / 3] * w[i % 3] - (i % 4 ? 0.0 : square);
    }
}

/* Torque of int rho x_i y_j: the skew part of a matrix, added. */
static inline void ff_add_torque(const double *Z, double factor, double *out)
{
    out[0] += factor * (Z[5] - Z[7]);
    out[1] += factor * (Z[6] - Z[2]);
    out[2] += factor * (Z[1] - Z[3]);
}

/* Force (6,) that the motion of a rigid link takes: S the first moment, C int rho x x^T. */
static inline void ff_rigid_forces(double mass, const double *S, const double *C, const double *F,
                                   double *force)
{
    const double *pull = F + 18, *w = F + 15, *e = F + 21, trace = C[0] + C[4] + C[8];
    double x[3], y[3], Cw[3], Ce[3], turn[3];
    ff_apply(C, w, Cw);
    ff_apply(C, e, Ce);
    ff_cross(w, S, x);
    ff_cross(w, x, y);
    ff_cross(e, S, x);
    for (int i = 0; i < 3; ++i)
        force[i] = mass * pull[i] + x[i] + y[i];
    ff_cross(S, pull, x);
    ff_cross(w, Cw, turn); /* w~ J w = -w~ C w */
    for (int i = 0; i < 3; ++i)
        force[3 + i] = x[i] + trace * e[i] - Ce[i] - turn[i];
}

/* Force (6,) and forces of elastic coordinates (n,) that the motion of a link takes, of inertia,
   elasticity and damping. F: its state (24,); d, v, a: elastic coordinates and their rates;
   stiffness: (n, n). Sets the integrals b over the deformed link, unless it is rigid; room: (n,). */
static inline void ff_link_forces(const ff_multibody *m, int link, const double *F, const double *d,
                                  const double *v, const double *a, const double *stiffness,
                                  double *force, double *elastic, ff_deformed *b, double *room)
{
    const int n = ff_elastic_of(m, link), first = m->first[link];
    const double *pull = F + 18;
    double skew[9], E[9], Z[9], gains[3] = {0.0};
    if (!n) {
        ff_rigid_forces(m->mass[link], m->moment + 3 * link, m->second + 9 * link, F, force);
        return;
    }
    ff_deform(m, link, d, v, b);
    ff_spin(F + 15, F + 21, skew, E);
    const double *mu = m->translation + 3L * first, *M = m->masses + 9L * m->squares[link];
    const long size = (long)n * n;
    memset(elastic, 0, (size_t)n * sizeof(double));
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            const double *own = b->position + (3 * i + j) * n, of = E[3 * i + j];
            /* M_ij acts on (E_ij d + 2 w~_ij d' + d'' where i = j). */
            for (int k = 0; k < n; ++k) {
                room[k] = 2.0 * skew[3 * i + j] * v[k] + (i == j ? a[k] : 0.0);
                elastic[k] += of * own[k];
            }
            ff_add_columns(n, M + (3 * j + i) * size, room, 1.0, elastic);
            Z[3 * j + i] = ff_dot(n, own, a); /* int rho x_dj (N d'')_i */
        }
    for (int k = 0; k < n; ++k)
        for (int i = 0; i < 3; ++i) {
            gains[i] += mu[3 * k + i] * a[k];
            elastic[k] += mu[3 * k + i] * pull[i];
        }
    ff_add_columns(n, stiffness, d, 1.0, elastic);
    ff_add_columns(n, m->damping + m->squares[link], v, 1.0, elastic);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            for (int k = 0; k < 3; ++k)
                Z[3 * i + j] += b->C[3 * i + k] * E[3 * j + k] + 2.0 * b->Y[3 * i + k] * skew[3 * j + k];
    ff_cross(b->S, pull, force + 3);
    ff_add_torque(Z, 1.0, force + 3);
    for (int i = 0; i < 3; ++i) {
        force[i] = m->mass[link] * pull[i] + gains[i];
        for (int k = 0; k < 3; ++k)
            force[i] += E[3 * i + k] * b->S[k] + 2.0 * skew[3 * i + k] * b->gone[k];
    }
}

/* Add to an entry (row, column) of a symmetric matrix. */
static inline void ff_add_stress(const int *entry, int n, double value, double *matrix)
{
    matrix[(long)entry[0] * n + entry[1]] += value;
    if (entry[0] != entry[1])
        matrix[(long)entry[1] * n + entry[0]] += value;
}

/* Number of the coordinates of an entry if they follow each other, as those of reduced bodies do, or 0. */
static inline int ff_stress_run(const ff_stress *stress, int entry)
{
    const int begin = stress->pointers[entry], count = stress->pointers[entry + 1] - begin;
    return count && stress->columns[begin + count - 1] - stress->columns[begin] == count - 1 ? count : 0;
}

/* Stiffness matrices of all links: those without stresses, or set in room with those of a state. */
static inline const double *ff_stiffened_links(const ff_multibody *m, const double *frames,
                                               const double *d, const double *amplitudes,
                                               double *room)
{
    const ff_stress *stress = m->stress;
    const int links = m->linkage->links;
    if (!stress)
        return m->stiffness;
    memcpy(room, m->stiffness, (size_t)m->squares[links] * sizeof(double));
    for (int link = 0; link < links; ++link) {
        const int n = ff_elastic_of(m, link);
        double *own = room + m->squares[link];
        for (int k = stress->first[link]; k < stress->first[link + 1]; ++k) {
            double sum = 0.0;
            const int begin = stress->pointers[k], count = ff_stress_run(stress, k);
            if (count)
                sum = ff_dot(count, stress->values + begin, d + stress->columns[begin]);
            for (int l = begin + count; l < stress->pointers[k + 1]; ++l)
                sum += stress->values[l] * d[stress->columns[l]];
            ff_add_stress(stress->entry + 2 * k, n, sum, own);
        }
    }
    for (int g = 0; g < stress->stressings; ++g) {
        const ff_stressing *one = stress->stressing + g;
        const int n = ff_elastic_of(m, one->link);
        double factor = one->amplitude < 0 ? 0.0 : amplitudes[one->amplitude];
        double *own = room + m->squares[one->link];
        if (one->unit >= 0) {
            static const double still[3] = {0.0, 0.0, 0.0};
            double skew[9], E[9], units[9];
            ff_spin(frames + FF_LINK * one->link + 15, still, skew, E);
            ff_units(m->linkage->planar ? 2 : 3, E, units);
            factor = units[one->unit];
        }
        for (int k = stress->first[one->link]; factor != 0.0 && k < stress->first[one->link + 1]; ++k)
            ff_add_stress(stress->entry + 2 * k, n, factor * one->values[k], own);
    }
    return room;
}

/* Factor of a push: its amplitude, for global components times an entry of the rotation. */
static inline double ff_push_factor(const ff_multibody *m, int push, const double *frames,
                                    const double *amplitudes)
{
    const int *of = m->push_of + 4 * push;
    const double *R = frames + FF_LINK * of[0] + 3;
    return amplitudes[of[1]] * (of[2] < 0 ? 1.0 : R[3 * of[2] + of[3]]);
}

/* Subtract the loads from forces on all speeds; d: all elastic coordinates. */
static inline void ff_subtract_pushes(const ff_multibody *m, const double *frames, const double *d,
                                      const double *amplitudes, double *out)
{
    for (int push = 0; push < m->pushes; ++push) {
        const int link = m->push_of[4 * push], n = ff_elastic_of(m, link);
        const double factor = ff_push_factor(m, push, frames, amplitudes);
        const double *constant = m->push + FF_PUSH * push;
        const double *own = m->push_elastic + m->push_at[push], *moved = d + m->first[link];
        double *force = out + FF_RIGID * link;
        double *elastic = out + FF_RIGID * m->linkage->links + m->first[link];
        for (int i = 0; i < FF_RIGID; ++i)
            force[i] -= factor * constant[i];
        for (int k = 0; k < n; ++k)
            elastic[k] -= factor * own[k];
        for (int i = 0; n && i < 3; ++i)
            force[3 + i] -= factor * ff_dot(n, own + (i + 1) * n, moved);
    }
}

/* Doubles of the room for a body with an energy. */
static inline size_t ff_energy_room(const ff_multibody *m)
{
    size_t most = 0;
    for (int k = 0; k < m->energies; ++k) {
        const size_t own = ff_energy_doubles(m->energy + k);
        most = own > most ? own : most;
    }
    return most;
}

/* Add what bodies with an energy resist to forces on all speeds; room: (ff_energy_room,). */
static inline void ff_add_energies(const ff_multibody *m, const double *d, double *out, double *room)
{
    for (int k = 0; k < m->energies; ++k) {
        const int first = m->first[m->energy[k].link];
        ff_add_energy_forces(m->energy + k, d + first, out + FF_RIGID * m->linkage->links + first, room);
    }
}

/* Energy of all bodies that have one, J. */
static inline double ff_stored_energies(const ff_multibody *m, const double *d, double *room)
{
    double sum = 0.0;
    for (int k = 0; k < m->energies; ++k)
        sum += ff_stored_energy(m->energy + k, d + m->first[m->energy[k].link], room);
    return sum;
}

/* Set out (speeds) to what inertia, elasticity and damping need less the loads, and the integrals over links
   that deform. */
static inline void ff_multibody_forces(const ff_multibody *m, const double *frames, const double *d,
                                       const double *z, const double *rate, const double *stiffness,
                                       const double *amplitudes, double *out, ff_deformed *deformed,
                                       double *room)
{
    const int rigid = FF_RIGID * m->linkage->links;
    for (int link = 0; link < m->linkage->links; ++link) {
        const int first = m->first[link];
        ff_link_forces(m, link, frames + FF_LINK * link, d + first, z + rigid + first,
                       rate + rigid + first, stiffness + m->squares[link], out + FF_RIGID * link,
                       out + rigid + first, deformed + link, room);
    }
    ff_add_energies(m, d, out, room);
    ff_subtract_pushes(m, frames, d, amplitudes, out);
}

#endif
