/* SPDX-License-Identifier: BSD-3-Clause */
/* What matrices of solid elements must be, whatever their shape: closed forms of elasticity. */
#ifndef CLOSED_FORMS_H
#define CLOSED_FORMS_H

#include <math.h>
#include <stdio.h>

enum { MOST = 8 }; /* nodes */
static const double YOUNG = 2e11, POISSON = 0.3, DENSITY = 7800.0;

/* An oblique brick's edges. The volume of a parallelepiped is their triple product. */
static const double EDGES[3][3] = {{2.0, 0.1, 0.3}, {-0.4, 1.0, 0.2}, {0.3, -0.2, 1.5}};
static const double CORNER[3] = {5.0, -3.0, 1.0};

static inline double brick(void)
{
    const double(*e)[3] = EDGES;
    return e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) -
           e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
           e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
}

/* Position of a node whose coordinates along the edges are 0 or 1. */
static inline void place(const int along[3], double *x)
{
    for (int i = 0; i < 3; ++i)
        x[i] = CORNER[i] + along[0] * EDGES[0][i] + along[1] * EDGES[1][i] +
               along[2] * EDGES[2][i];
}

/* Say what is too far away; return whether it is. Only small numbers are small: no NaN is. */
static inline int wrong(const char *name, const char *what, double error, double allowed)
{
    const int far = !(error <= allowed);
    printf("%s: %s, relative error %.1e%s\n", name, what, error, far ? " IS TOO LARGE" : "");
    return far;
}

/* Return u . A u, and the sum of |A u| where `sizes` is given. No fmax: it passes over a NaN. */
static inline double product(int size, const double *A, const double *u, double *sizes)
{
    double sum = 0.0, all = 0.0;
    for (int i = 0; i < size; ++i) {
        double row = 0.0;
        for (int j = 0; j < size; ++j)
            row += A[i * size + j] * u[j];
        all += fabs(row);
        sum += u[i] * row;
    }
    if (sizes)
        *sizes = all;
    return sum;
}

/* Displacements of the nodes by a gradient, row by row, and a translation. */
static inline void field(int nodes, const double *x, const double *gradient, const double *moved,
                         double *u)
{
    for (int a = 0; a < nodes; ++a)
        for (int i = 0; i < 3; ++i) {
            u[3 * a + i] = moved[i];
            for (int j = 0; j < 3; ++j)
                u[3 * a + i] += gradient[3 * i + j] * x[3 * a + j];
        }
}

/* The six rigid motions cost no force; a uniform strain e has the energy
   V (mu e : e + lambda/2 tr^2 e). */
static inline int stiffness_is_wrong(const char *name, int nodes, const double *x, const double *K,
                                     double volume)
{
    const int size = 3 * nodes;
    double u[3 * MOST], force, forces = 0.0, entries = 0.0;
    for (int i = 0; i < size * size; ++i)
        entries += fabs(K[i]);
    for (int k = 0; k < 6; ++k) {
        double gradient[3][3] = {{0.0}}, moved[3] = {0.0};
        if (k < 3)
            moved[k] = 1.0;
        else
            gradient[k - 3][(k - 2) % 3] = 1.0, gradient[(k - 2) % 3][k - 3] = -1.0;
        field(nodes, x, gradient[0], moved, u);
        product(size, K, u, &force);
        forces += force / entries;
    }
    int errors = wrong(name, "force of rigid motions", forces, 1e-13);

    const double gradient[3][3] = {{0.3, -0.2, 0.5}, {0.1, 0.4, 0.7}, {-0.6, 0.2, -0.1}};
    const double moved[3] = {1.0, 2.0, 3.0};
    const double mu = YOUNG / (2.0 * (1.0 + POISSON));
    const double lambda = YOUNG * POISSON / ((1.0 + POISSON) * (1.0 - 2.0 * POISSON));
    double squares = 0.0, trace = 0.0;
    for (int i = 0; i < 3; ++i) {
        trace += gradient[i][i];
        for (int j = 0; j < 3; ++j)
            squares += pow(0.5 * (gradient[i][j] + gradient[j][i]), 2.0);
    }
    const double energy = volume * (mu * squares + 0.5 * lambda * trace * trace);
    field(nodes, x, gradient[0], moved, u);
    const double found = 0.5 * product(size, K, u, 0);
    return errors + wrong(name, "energy of a uniform strain", fabs(found / energy - 1.0), 1e-12);
}

/* The mass is rho V along every axis, and none between two. */
static inline int mass_is_wrong(const char *name, int nodes, const double *M, double volume)
{
    const int size = 3 * nodes;
    double error = 0.0;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            double sum = 0.0;
            for (int a = 0; a < nodes; ++a)
                for (int b = 0; b < nodes; ++b)
                    sum += M[(3 * a + i) * size + 3 * b + j];
            error += fabs(sum / (DENSITY * volume) - (i == j));
        }
    return wrong(name, "mass", error, 1e-13);
}

#endif
