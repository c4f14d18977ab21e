/* SPDX-License-Identifier: BSD-3-Clause */
/* Bodies with an energy on a link: what their elements resist at any displacement from the link.

   Inertia does not know about the energy: forces and stiffness are added to those of a link, element by
   element, at displacements u = T d by the elastic coordinates d of the link. */
#ifndef FF_ENERGY_H
#define FF_ENERGY_H

#include "ff_linkage.h"

/* Kernels of an element with an energy, by their place in a table; they compute one element per call. */
enum { FF_INTERNAL_FORCES, FF_TANGENT, FF_STRAIN_ENERGY, FF_JACOBIAN };

/* The elements of one body. A point is a row of coordinates; a node of a beam has two, of its displacement and
   its rotation. */
typedef struct {
    int link, nodes, components; /* points per element, components per point */
    int elements, points;
    const int *cell;          /* (elements, nodes) numbers of points */
    const double *point;      /* (points, components) m */
    const int *pointers;      /* (points * components + 1,) entries of T, row by row */
    const int *columns;       /* elastic coordinates of the link */
    const double *values;
    const ff_joint *kernel;   /* as above, of the signature of all kernels */
    const int *parameters_of; /* where the parameters of a kernel begin */
    const double *parameters;
    int workspace;            /* doubles of the kernels */
    int determinants;         /* of an element by its last kernel, two numbers each; 0: it has none */
} ff_energy;

/* Doubles of the room for a body: displacements and forces of points, one element, workspace. */
static inline size_t ff_energy_doubles(const ff_energy *e)
{
    const size_t vector = (size_t)e->nodes * (size_t)e->components;
    const size_t told = 2 * (size_t)e->determinants, own = vector * vector > told ? vector * vector : told;
    return 2 * (size_t)e->points * (size_t)e->components + 2 * vector + own + (size_t)e->workspace;
}

/* Set the displacements of points at the beginning of the room. */
static inline void ff_energy_places(const ff_energy *e, const double *d, double *room)
{
    for (int row = 0; row < e->points * e->components; ++row) {
        room[row] = 0.0;
        for (int k = e->pointers[row]; k < e->pointers[row + 1]; ++k)
            room[row] += e->values[k] * d[e->columns[k]];
    }
}

/* Call a kernel for an element at the displacements in the room; returns its results, (vector, vector) at most. */
static inline const double *ff_energy_call(const ff_energy *e, int kernel, int element, double *room)
{
    const int c = e->components, vector = e->nodes * c, *cell = e->cell + (long)element * e->nodes;
    double *at = room + 2L * e->points * c, *state = at + vector, *out = state + vector;
    double *workspace = room + ff_energy_doubles(e) - e->workspace;
    for (int a = 0; a < e->nodes; ++a)
        for (int i = 0; i < c; ++i) {
            at[a * c + i] = e->point[cell[a] * c + i];
            state[a * c + i] = room[cell[a] * c + i];
        }
    e->kernel[kernel](at, e->parameters + e->parameters_of[kernel], state, out, workspace);
    return out;
}

/* Whether an element is inverted where the displacements in the room take it: a determinant at a point of
   quadrature, whose second number is not negative, is not positive. */
static inline int ff_inverted(const ff_energy *e, int element, double *room)
{
    const int c = e->components, vector = e->nodes * c, *cell = e->cell + (long)element * e->nodes;
    double *at = room + 2L * e->points * c, *out = at + 2L * vector;
    if (!e->determinants)
        return 0;
    for (int a = 0; a < e->nodes; ++a)
        for (int i = 0; i < c; ++i)
            at[a * c + i] = e->point[cell[a] * c + i] + room[cell[a] * c + i];
    e->kernel[FF_JACOBIAN](at, 0, 0, out, room + ff_energy_doubles(e) - e->workspace);
    for (int k = 0; k < e->determinants; ++k)
        if (out[2 * k + 1] >= 0.0 && !(out[2 * k] > 0.0))
            return 1;
    return 0;
}

/* Add what elements resist to forces of the elastic coordinates of their link; no numbers where one is inverted,
   so that a step there does not converge. */
static inline void ff_add_energy_forces(const ff_energy *e, const double *d, double *elastic, double *room)
{
    const int c = e->components, rows = e->points * c;
    double *force = room + rows;
    ff_energy_places(e, d, room);
    memset(force, 0, (size_t)rows * sizeof(double));
    for (int element = 0; element < e->elements; ++element) {
        const int *cell = e->cell + (long)element * e->nodes;
        const double size = ff_inverted(e, element, room) ? NAN : 1.0;
        const double *out = ff_energy_call(e, FF_INTERNAL_FORCES, element, room);
        for (int a = 0; a < e->nodes; ++a)
            for (int i = 0; i < c; ++i)
                force[cell[a] * c + i] += size * out[a * c + i];
    }
    for (int row = 0; row < rows; ++row)
        for (int k = e->pointers[row]; k < e->pointers[row + 1]; ++k)
            elastic[e->columns[k]] += e->values[k] * force[row];
}

/* Add the tangent T^T k T of all elements to a matrix of the elastic coordinates with rows `all` long. */
static inline void ff_add_energy_tangents(const ff_energy *e, const double *d, int all, double *matrix,
                                          double *room)
{
    const int c = e->components, vector = e->nodes * c, *from = e->pointers;
    ff_energy_places(e, d, room);
    for (int element = 0; element < e->elements; ++element) {
        const int *cell = e->cell + (long)element * e->nodes;
        const double *out = ff_energy_call(e, FF_TANGENT, element, room);
        for (int i = 0; i < vector; ++i) {
            const int row = cell[i / c] * c + i % c;
            for (int k = from[row]; k < from[row + 1]; ++k) {
                double *to = matrix + (long)e->columns[k] * all;
                for (int j = 0; j < vector; ++j) {
                    const int column = cell[j / c] * c + j % c;
                    const double one = e->values[k] * out[i * vector + j];
                    for (int l = from[column]; l < from[column + 1]; ++l)
                        to[e->columns[l]] += one * e->values[l];
                }
            }
        }
    }
}

/* Energy of all elements, J. */
static inline double ff_stored_energy(const ff_energy *e, const double *d, double *room)
{
    double sum = 0.0;
    ff_energy_places(e, d, room);
    for (int element = 0; element < e->elements; ++element)
        sum += *ff_energy_call(e, FF_STRAIN_ENERGY, element, room);
    return sum;
}

#endif
