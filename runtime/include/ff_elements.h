/* SPDX-License-Identifier: BSD-3-Clause */
/* A mesh with matrices that are never formed: elements, diagonal masses, workspace of steps. */
#ifndef FF_ELEMENTS_H
#define FF_ELEMENTS_H

#include <stddef.h>
#include <string.h>

/* Elements per kernel call: the number of doubles in a vector of the processor, in the GNU dialect;
   one with other compilers and with FF_SCALAR. The order of sums is the same. */
#if !defined(__GNUC__) || defined(FF_SCALAR)
#define FF_LANES 1
#elif defined(__AVX__)
#define FF_LANES 4
#else
#define FF_LANES 2
#endif

/* A kernel of flexforge.h. */
typedef void (*ff_kernel)(const double *coordinates, const double *parameters, const double *state,
                          double *out, double *workspace);

/* The cells of one body. */
typedef struct {
    int nodes, elements;      /* nodes per element, number of elements */
    const int *cell;          /* (elements, nodes) numbers of nodes */
    ff_kernel stiffness;      /* K d for FF_LANES elements */
    const double *stiffness_parameters;
    const long *stiffness_workspace; /* bytes */
    ff_kernel geometric;      /* scalar matrices of a prestress, or 0 */
    const double *geometric_parameters;
    const long *geometric_workspace;
    int points;               /* its nodes */
    const int *node;          /* (points,) their numbers */
    const double *mass;       /* (points,) kg */
} ff_cells;

/* A load of the model: forces at nodes, N, in components of the frame or global ones. */
typedef struct {
    int nodes;
    const int *node;     /* (nodes,) */
    const double *force; /* (nodes, dimension) */
} ff_forces;

typedef struct {
    int nodes;              /* of all bodies */
    const double *point;    /* (nodes, dimension) m */
    const int *free;        /* (n,) node * dimension + component of every coordinate */
    const ff_cells *cells;  /* one per body */
    const ff_forces *force; /* one per nodal load */
    int patterns;           /* largest number of a body */
    const double *stressing; /* (patterns, nodes, dimension) displacements due to the loads of a prestress, m */
} ff_mesh;

/* Effects of the motion of a body's frame at a time, row by row: factors of the mass for displacements,
   velocities and positions, force per mass, R, factors of the prestress and of its current matrices. */
typedef struct {
    double stiffness[9], viscous[9], load[9], pull[3], R[9], prestress[6], scale;
} ff_moving;

/* Workspace for forces. */
typedef struct {
    ff_moving *moving;   /* (bodies,) */
    double *places;      /* (nodes, dimension), zero if held; in the order of nodes */
    double *velocities;  /* (nodes, dimension) */
    double *forces;      /* (nodes, dimension) */
    double *mass;        /* (nodes,) of all bodies, kg */
    double *room;        /* (3, n) of explicit steps */
    double *stiffening;  /* prestress matrices of all bodies, element by element */
    double *stressed;    /* (bodies, 7) factors of their last computation, and whether they are valid */
    double *batch;       /* input and output of a kernel */
    double *workspace;
} ff_mesh_work;

/* Number of doubles of the prestress matrices of a body: upper triangles, lane by lane. */
static inline size_t ff_mesh_matrices(const ff_cells *cells)
{
    const size_t batches = ((size_t)cells->elements + FF_LANES - 1) / FF_LANES;
    const size_t nodes = (size_t)cells->nodes;
    return cells->geometric == 0 ? 0 : batches * (nodes * (nodes + 1) / 2) * FF_LANES;
}

/* Number of doubles for a batch of the largest element, and workspace of the kernels. */
static inline size_t ff_mesh_batch(const ff_mesh *mesh, int bodies, int dimension)
{
    size_t most = 0;
    for (int k = 0; k < bodies; ++k) {
        const size_t nodes = (size_t)mesh->cells[k].nodes, vector = nodes * (size_t)dimension;
        const size_t forces = 4 * vector, stress = 2 * vector + nodes * nodes;
        const size_t wanted = (forces > stress ? forces : stress) * FF_LANES;
        most = wanted > most ? wanted : most;
    }
    return most;
}

static inline size_t ff_mesh_workspace(const ff_mesh *mesh, int bodies)
{
    long most = 0;
    for (int k = 0; k < bodies; ++k) {
        const ff_cells *cells = mesh->cells + k;
        const long one = *cells->stiffness_workspace;
        const long other = cells->geometric != 0 ? *cells->geometric_workspace : 0;
        most = one > most ? one : most;
        most = other > most ? other : most;
    }
    return ((size_t)most + sizeof(double) - 1) / sizeof(double);
}

/* Total number of doubles of the arrays of ff_mesh_work, for n coordinates. */
static inline size_t ff_mesh_doubles(const ff_mesh *mesh, int n, int bodies, int dimension)
{
    const size_t count = (size_t)bodies, nodes = (size_t)mesh->nodes;
    size_t total = count * (sizeof(ff_moving) / sizeof(double) + 7) + 3 * (size_t)n;
    total += nodes * (3 * (size_t)dimension + 1);
    for (int k = 0; k < bodies; ++k)
        total += ff_mesh_matrices(mesh->cells + k);
    return total + ff_mesh_batch(mesh, bodies, dimension) + ff_mesh_workspace(mesh, bodies);
}

/* Lay out the arrays in given memory; sum the masses. */
static inline void ff_mesh_place(const ff_mesh *mesh, int n, int bodies, int dimension,
                                 ff_mesh_work *work, double *memory)
{
    const size_t count = (size_t)bodies, numbers = (size_t)mesh->nodes * (size_t)dimension;
    work->moving = (ff_moving *)(void *)memory;
    work->places = memory + count * (sizeof(ff_moving) / sizeof(double));
    work->velocities = work->places + numbers;
    work->forces = work->velocities + numbers;
    work->mass = work->forces + numbers;
    work->room = work->mass + mesh->nodes;
    work->stressed = work->room + 3 * (size_t)n;
    work->batch = work->stressed + 7 * count;
    work->workspace = work->batch + ff_mesh_batch(mesh, bodies, dimension);
    work->stiffening = work->workspace + ff_mesh_workspace(mesh, bodies);
    memset(work->places, 0, 2 * numbers * sizeof(double));
    memset(work->mass, 0, (size_t)mesh->nodes * sizeof(double));
    memset(work->stressed, 0, 7 * count * sizeof(double));
    for (int b = 0; b < bodies; ++b)
        for (int k = 0; k < mesh->cells[b].points; ++k)
            work->mass[mesh->cells[b].node[k]] += mesh->cells[b].mass[k];
}

#endif
