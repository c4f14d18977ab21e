/* SPDX-License-Identifier: BSD-3-Clause */
/* Forces of a mesh, element by element, and its steps of central differences.

   Sums run over bodies, elements and nodes in their order, so that results are bit-identical. */
#ifndef FF_MESH_H
#define FF_MESH_H

#include "ff_instance.h"

/* A block of three rows from the factors of the unit blocks: the inverse of ff_units. */
static inline void ff_block_of(int dimension, const double *factors, double *out)
{
    const double *f = factors;
    const double plane[9] = {f[0], -f[1], 0.0, f[1], f[0] + f[2], 0.0, 0.0, 0.0, 0.0};
    if (dimension == 2) {
        memcpy(out, plane, sizeof plane);
        return;
    }
    const double space[9] = {f[3],        f[4] - f[2], f[5] + f[1], f[4] + f[2], f[6],
                             f[7] - f[0], f[5] - f[1], f[7] + f[0], f[8]};
    memcpy(out, space, sizeof space);
}

/* Store the effects of a body's frame and the sizes of its loads at a time. Returns FF_UNDEFINED if they
   are not finite. */
static inline int ff_mesh_frame(ff_instance *s, int number, const ff_frame *frame,
                                const ff_blocks *blocks, const double *pull)
{
    const ff_body *body = s->model->body + number;
    const int dimension = s->model->dimension;
    ff_moving *moving = s->mesh.moving + number;
    double sum = 0.0;
    ff_block_of(dimension, blocks->stiffness, moving->stiffness);
    ff_block_of(dimension, blocks->coriolis, moving->viscous);
    ff_block_of(dimension, blocks->load, moving->load);
    memcpy(moving->R, frame->R, sizeof moving->R);
    for (int i = 0; i < 3; ++i) {
        moving->viscous[4 * i] += body->alpha;
        moving->pull[i] = pull[i];
        sum += pull[i];
    }
    for (int p = 0; p < body->patterns; ++p) {
        double factor = 0.0;
        for (int k = 0; k < 9; ++k)
            factor += blocks->centrifugal[k] * body->pattern[k * body->patterns + p];
        moving->prestress[p] = factor;
        sum += factor;
    }
    for (int k = 0; k < 9; ++k)
        sum += moving->stiffness[k] + moving->viscous[k] + moving->load[k] + moving->R[k];
    for (int k = 0; k < s->model->nodal_loads; ++k)
        if (s->model->nodal_load[k].body == number)
            sum += s->amplitude[k];
    return isfinite(sum) ? FF_OK : FF_UNDEFINED;
}

/* Pack nodal vectors of a batch for a kernel; a short batch repeats its last element. */
static inline void ff_gather(const ff_cells *cells, int first, int dimension, const double *x,
                             double *restrict out)
{
    for (int l = 0; l < FF_LANES; ++l) {
        const int element = first + l < cells->elements ? first + l : cells->elements - 1;
        const int *cell = cells->cell + (size_t)element * (size_t)cells->nodes;
        for (int a = 0; a < cells->nodes; ++a) {
            const double *row = x + (size_t)cell[a] * (size_t)dimension;
            for (int i = 0; i < dimension; ++i)
                out[(a * dimension + i) * FF_LANES + l] = row[i];
        }
    }
}

/* Subtract the results of a batch from the forces, element by element. */
static inline void ff_scatter(const ff_cells *cells, int first, int dimension, const double *packed,
                              double *forces)
{
    const int count =
        cells->elements - first < FF_LANES ? cells->elements - first : FF_LANES;
    for (int l = 0; l < count; ++l) {
        const int *cell = cells->cell + (size_t)(first + l) * (size_t)cells->nodes;
        for (int a = 0; a < cells->nodes; ++a) {
            double *row = forces + (size_t)cell[a] * (size_t)dimension;
            for (int i = 0; i < dimension; ++i)
                row[i] -= packed[(a * dimension + i) * FF_LANES + l];
        }
    }
}

/* Compute the prestress matrices of a body, upper triangles, unless they are up to date.

   The matrices of a single pattern are computed once and scaled; for several patterns they are computed
   again when the factors change. moving.scale is their factor. */
static inline void ff_mesh_stress(ff_instance *s, int number, double *matrices)
{
    const ff_mesh *mesh = s->model->mesh;
    const ff_cells *cells = mesh->cells + number;
    ff_mesh_work *work = &s->mesh;
    ff_moving *moving = work->moving + number;
    const double *factors = moving->prestress;
    double *made = work->stressed + 7 * number;
    const int dimension = s->model->dimension, patterns = s->model->body[number].patterns;
    const int nodes = cells->nodes;
    const size_t numbers = (size_t)mesh->nodes * (size_t)dimension;
    const int room = nodes * dimension * FF_LANES;
    double any = 0.0;
    for (int p = 0; p < patterns; ++p)
        any += fabs(factors[p]);
    moving->scale = any == 0.0 ? 0.0 : patterns == 1 ? factors[0] : 1.0;
    if (any == 0.0 || (made[6] != 0.0 && (patterns == 1 || !memcmp(made, factors,
                                                                  (size_t)patterns * sizeof(double)))))
        return;
    const double *shape = mesh->stressing;
    if (patterns > 1) {
        double *sum = work->forces; /* not needed yet */
        memset(sum, 0, numbers * sizeof(double));
        for (int p = 0; p < patterns; ++p)
            for (size_t i = 0; i < numbers; ++i)
                sum[i] += factors[p] * mesh->stressing[(size_t)p * numbers + i];
        memcpy(made, factors, (size_t)patterns * sizeof(double));
        shape = sum;
    }
    double *at = work->batch, *state = at + room, *out = state + room;
    for (int first = 0; first < cells->elements; first += FF_LANES) {
        ff_gather(cells, first, dimension, mesh->point, at);
        ff_gather(cells, first, dimension, shape, state);
        cells->geometric(at, cells->geometric_parameters, state, out, work->workspace);
        for (int a = 0; a < nodes; ++a)
            for (int b = a; b < nodes; ++b, matrices += FF_LANES)
                memcpy(matrices, out + (a * nodes + b) * FF_LANES, FF_LANES * sizeof(double));
    }
    made[6] = 1.0;
}

/* Add the prestress matrices of a batch times nodal vectors. */
static inline void ff_mesh_stiffen(const double *matrices, double scale, int nodes, int dimension,
                                   const double *restrict x, double *restrict out)
{
    const int row = dimension * FF_LANES;
    for (int a = 0; a < nodes; ++a)
        for (int b = a; b < nodes; ++b, matrices += FF_LANES) {
            double factor[FF_LANES];
            for (int l = 0; l < FF_LANES; ++l)
                factor[l] = scale * matrices[l];
            for (int i = 0; i < row; i += FF_LANES)
                for (int l = 0; l < FF_LANES; ++l)
                    out[a * row + i + l] += factor[l] * x[b * row + i + l];
            if (a != b)
                for (int i = 0; i < row; i += FF_LANES)
                    for (int l = 0; l < FF_LANES; ++l)
                        out[b * row + i + l] += factor[l] * x[a * row + i + l];
        }
}

/* Subtract the forces inside the elements of a body. */
static inline void ff_mesh_elements(ff_instance *s, int number, int dimension,
                                    const double *matrices)
{
    const ff_cells *cells = s->model->mesh->cells + number;
    const ff_mesh_work *work = &s->mesh;
    const double beta = s->model->body[number].beta;
    const double scale = cells->geometric != 0 ? work->moving[number].scale : 0.0;
    const int size = cells->nodes * dimension * FF_LANES;
    const int pairs = cells->nodes * (cells->nodes + 1) / 2;
    double *at = work->batch, *d = at + size, *v = d + size, *out = v + size;
    for (int first = 0; first < cells->elements; first += FF_LANES) {
        ff_gather(cells, first, dimension, s->model->mesh->point, at);
        ff_gather(cells, first, dimension, work->places, d);
        if (beta != 0.0) {
            ff_gather(cells, first, dimension, work->velocities, v);
            for (int k = 0; k < size; ++k)
                v[k] = d[k] + beta * v[k];
        }
        cells->stiffness(at, cells->stiffness_parameters, beta != 0.0 ? v : d, out,
                         work->workspace);
        if (scale != 0.0) {
            ff_mesh_stiffen(matrices, scale, cells->nodes, dimension, d, out);
            matrices += pairs * FF_LANES;
        }
        ff_scatter(cells, first, dimension, out, work->forces);
    }
}

/* Add the inertia forces of a body's frame, and the forces on its mass. */
static inline void ff_mesh_inertia(ff_instance *s, int number, int dimension)
{
    const ff_mesh *mesh = s->model->mesh;
    const ff_cells *cells = mesh->cells + number;
    const ff_moving *moving = s->mesh.moving + number;
    for (int k = 0; k < cells->points; ++k) {
        const size_t at = (size_t)cells->node[k] * (size_t)dimension;
        for (int i = 0; i < dimension; ++i) {
            double sum = moving->pull[i];
            for (int j = 0; j < dimension; ++j)
                sum -= moving->stiffness[3 * i + j] * s->mesh.places[at + (size_t)j] +
                       moving->viscous[3 * i + j] * s->mesh.velocities[at + (size_t)j] +
                       moving->load[3 * i + j] * mesh->point[at + (size_t)j];
            s->mesh.forces[at + (size_t)i] += cells->mass[k] * sum;
        }
    }
}

/* Add a load of the model. */
static inline void ff_mesh_load(ff_instance *s, int number, int dimension)
{
    const ff_nodal_load *load = s->model->nodal_load + number;
    const ff_forces *forces = s->model->mesh->force + number;
    const double factor = s->amplitude[number], *R = s->mesh.moving[load->body].R;
    for (int k = 0; k < forces->nodes; ++k) {
        double *row = s->mesh.forces + (size_t)forces->node[k] * (size_t)dimension;
        const double *given = forces->force + (size_t)k * (size_t)dimension;
        for (int j = 0; j < dimension; ++j) {
            double local = load->turning ? 0.0 : given[j];
            for (int i = 0; load->turning && i < dimension; ++i)
                local += given[i] * R[3 * i + j];
            row[j] += factor * local;
        }
    }
}

/* Set x to the forces on the nodes, and given forces on the coordinates unless null, divided by the masses.
   The dimension is a compile-time constant of the calls: a division by it is a multiplication. */
static inline void ff_mesh_divide(const ff_instance *s, int dimension, const double *given, double *x)
{
    const int *place = s->model->mesh->free;
    for (int i = 0; i < s->model->matrices.n; ++i) {
        const double force = s->mesh.forces[place[i]];
        x[i] = (given != 0 ? force + given[i] : force) / s->mesh.mass[place[i] / dimension];
    }
}

/* Set a, which contains the velocities of the coordinates, to the accelerations that balance the forces of
   velocities, positions and loads set by ff_evaluate. Returns FF_UNBOUNDED if one is not finite. */
static inline int ff_mesh_balance(void *instance, const double *places, double *a)
{
    ff_instance *s = instance;
    const ff_model *m = s->model;
    const ff_mesh *mesh = m->mesh;
    ff_mesh_work *work = &s->mesh;
    const size_t numbers = (size_t)mesh->nodes * (size_t)m->dimension;
    double *matrices = work->stiffening;
    for (int i = 0; i < m->matrices.n; ++i) {
        work->places[mesh->free[i]] = places[i];
        work->velocities[mesh->free[i]] = a[i];
    }
    for (int number = 0; number < m->bodies; ++number) {
        if (mesh->cells[number].geometric != 0)
            ff_mesh_stress(s, number, matrices);
        matrices += ff_mesh_matrices(mesh->cells + number);
    }
    memset(work->forces, 0, numbers * sizeof(double));
    matrices = work->stiffening;
    for (int number = 0; number < m->bodies; ++number) {
        if (m->dimension == 2) {
            ff_mesh_elements(s, number, 2, matrices);
            ff_mesh_inertia(s, number, 2);
        } else {
            ff_mesh_elements(s, number, 3, matrices);
            ff_mesh_inertia(s, number, 3);
        }
        matrices += ff_mesh_matrices(mesh->cells + number);
    }
    for (int number = 0; number < m->nodal_loads; ++number)
        ff_mesh_load(s, number, m->dimension);
    if (m->dimension == 2)
        ff_mesh_divide(s, 2, s->force, a);
    else
        ff_mesh_divide(s, 3, s->force, a);
    return ff_finite((size_t)m->matrices.n, a) ? FF_OK : FF_UNBOUNDED;
}

/* Set the accelerations that balance the forces of the time of ff_evaluate. */
static inline int ff_mesh_accelerations(ff_instance *s)
{
    memcpy(ff_second(s), ff_velocities(s), (size_t)s->model->matrices.n * sizeof(double));
    return ff_mesh_balance(s, ff_places(s), ff_second(s));
}

/* Subtract the gyroscopic forces: Coriolis forces of velocities at the nodes. The blocks of velocities
   are alpha 1 + 2 w~, whose skew part consists of all off-diagonal entries. */
static inline void ff_mesh_turn(ff_instance *s, int number, int dimension)
{
    const ff_cells *cells = s->model->mesh->cells + number;
    const double *block = s->mesh.moving[number].viscous;
    for (int k = 0; k < cells->points; ++k) {
        const size_t at = (size_t)cells->node[k] * (size_t)dimension;
        for (int i = 0; i < dimension; ++i) {
            double sum = 0.0;
            for (int j = 0; j < dimension; ++j)
                sum += i != j ? block[3 * i + j] * s->mesh.velocities[at + (size_t)j] : 0.0;
            s->mesh.forces[at + (size_t)i] -= cells->mass[k] * sum;
        }
    }
}

static inline int ff_mesh_turns(void *instance)
{
    const ff_instance *s = instance;
    for (int number = 0; number < s->model->bodies; ++number)
        for (int k = 0; k < 9; ++k)
            if (k % 4 != 0 && s->mesh.moving[number].viscous[k] != 0.0)
                return 1;
    return 0;
}

static inline void ff_mesh_turn_in(ff_instance *s, int dimension, double factor, const double *x,
                                   const double *y, double *out)
{
    const ff_model *m = s->model;
    const int *place = m->mesh->free;
    for (int i = 0; i < m->matrices.n; ++i)
        s->mesh.velocities[place[i]] = factor * (y[i] - x[i]);
    memset(s->mesh.forces, 0, (size_t)m->mesh->nodes * (size_t)dimension * sizeof(double));
    for (int number = 0; number < m->bodies; ++number)
        ff_mesh_turn(s, number, dimension);
    ff_mesh_divide(s, dimension, 0, out);
}

static inline void ff_mesh_turn_all(void *instance, double factor, const double *x, const double *y,
                                    double *out)
{
    ff_instance *s = instance;
    if (s->model->dimension == 2)
        ff_mesh_turn_in(s, 2, factor, x, y, out);
    else
        ff_mesh_turn_in(s, 3, factor, x, y, out);
}

/* Take one step of central differences. */
static inline int ff_mesh_step(ff_instance *s, double h)
{
    const ff_explicit of = {ff_mesh_balance, ff_mesh_turns, ff_mesh_turn_all};
    return ff_central(&of, s, h, s->model->matrices.n, ff_places(s), s->mesh.room);
}

#endif
