/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * flexforge_elements.h: a kernel on arrays of elements, one element after the other.
 *
 * The arrays of a kernel of several lanes have the lane as last index. The functions here pack
 * elements accordingly, call the kernel, and unpack the results:
 *
 *   coordinates  [count][nodes][dimension]
 *   state        [count][state_vectors][nodes][dimension]; not read if the kernel has no state
 *   out          [count][rows][columns]
 *   memory       flexforge_memory(kernel) bytes of the caller, one per thread; any alignment
 *
 * in the kernel's scalar type, float or double. A last incomplete batch is filled with copies of its
 * last element. No memory is allocated; calls may run in any number of threads.
 *
 * Kernels do not report inverted elements. flexforge_check_double and _float check elements
 * beforehand, with the kernel of the term "jacobian" and memory for that kernel.
 */
#ifndef FLEXFORGE_ELEMENTS_H
#define FLEXFORGE_ELEMENTS_H

#include "flexforge.h"
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes rounded up to whole cache lines. */
static inline size_t flexforge_lines(size_t bytes) { return (bytes + 63) / 64 * 64; }

/* Scalars per element in coordinates, in state and in out. */
static inline size_t flexforge_coordinates(const flexforge_kernel *kernel)
{
    return (size_t)kernel->nodes * (size_t)kernel->dimension;
}

static inline size_t flexforge_state(const flexforge_kernel *kernel)
{
    return (size_t)kernel->state_vectors * flexforge_coordinates(kernel);
}

static inline size_t flexforge_entries(const flexforge_kernel *kernel)
{
    return (size_t)kernel->rows * (size_t)kernel->columns;
}

static inline size_t flexforge_memory(const flexforge_kernel *kernel)
{
    const size_t lanes = (size_t)kernel->lanes * (kernel->scalar[0] == 'f' ? 4 : 8);
    return flexforge_lines(flexforge_coordinates(kernel) * lanes) +
           flexforge_lines(flexforge_state(kernel) * lanes) +
           flexforge_lines(flexforge_entries(kernel) * lanes) + (size_t)kernel->workspace + 63;
}

/* Result of flexforge_check_double and _float. */
typedef struct flexforge_bad_elements {
    size_t count;       /* number of elements with bad geometry */
    size_t first;       /* the first of them, counted from 0 */
    int point;          /* its first bad point, counted from 1 */
    double determinant; /* of the Jacobian there */
} flexforge_bad_elements;

/* One per scalar type, since C has no templates. */
#define FLEXFORGE_DEFINE_ELEMENTS(real)                                                           \
    static inline void flexforge_pack_##real(const real *values, real *packed, size_t size,       \
                                             size_t lanes, size_t count)                          \
    {                                                                                             \
        for (size_t lane = 0; lane < lanes; ++lane) {                                             \
            const real *element = values + (lane < count ? lane : count - 1) * size;              \
            for (size_t k = 0; k < size; ++k) packed[k * lanes + lane] = element[k];              \
        }                                                                                         \
    }                                                                                             \
                                                                                                  \
    static inline void flexforge_elements_##real(                                                 \
        const flexforge_kernel *kernel, size_t count, const real *coordinates,                    \
        const real *parameters, const real *state, real *out, void *memory)                       \
    {                                                                                             \
        const flexforge_function_##real function = (flexforge_function_##real)kernel->function;   \
        const size_t lanes = (size_t)kernel->lanes, entries = flexforge_entries(kernel);          \
        const size_t size = flexforge_coordinates(kernel), given = flexforge_state(kernel);       \
        char *begin = (char *)memory + (64 - (uintptr_t)memory % 64) % 64;                        \
        real *x = (real *)begin;                                                                  \
        real *d = (real *)(begin += flexforge_lines(size * lanes * sizeof(real)));                \
        real *y = (real *)(begin += flexforge_lines(given * lanes * sizeof(real)));               \
        real *workspace = (real *)(begin + flexforge_lines(entries * lanes * sizeof(real)));      \
        if (lanes == 1) {                                                                         \
            for (size_t e = 0; e < count; ++e)                                                    \
                function(coordinates + e * size, parameters, given ? state + e * given : 0,       \
                         out + e * entries, workspace);                                           \
            return;                                                                               \
        }                                                                                         \
        for (size_t e = 0; e < count; e += lanes) {                                               \
            const size_t left = count - e < lanes ? count - e : lanes;                            \
            flexforge_pack_##real(coordinates + e * size, x, size, lanes, left);                  \
            if (given) flexforge_pack_##real(state + e * given, d, given, lanes, left);           \
            function(x, parameters, given ? d : 0, y, workspace);                                 \
            for (size_t lane = 0; lane < left; ++lane)                                            \
                for (size_t k = 0; k < entries; ++k)                                              \
                    out[(e + lane) * entries + k] = y[k * lanes + lane];                          \
        }                                                                                         \
    }                                                                                             \
                                                                                                  \
    static inline flexforge_bad_elements flexforge_check_##real(                                  \
        const flexforge_kernel *jacobian, size_t count, const real *coordinates, void *memory)    \
    {                                                                                             \
        const flexforge_function_##real function = (flexforge_function_##real)jacobian->function; \
        const size_t lanes = (size_t)jacobian->lanes, size = flexforge_coordinates(jacobian);     \
        char *begin = (char *)memory + (64 - (uintptr_t)memory % 64) % 64;                        \
        real *x = (real *)begin;                                                                  \
        real *y = (real *)(begin += flexforge_lines(size * lanes * sizeof(real)));                \
        begin += flexforge_lines(flexforge_entries(jacobian) * lanes * sizeof(real));             \
        flexforge_bad_elements found = {0, 0, 0, 0};                                              \
        for (size_t e = 0; e < count; e += lanes) {                                               \
            const size_t left = count - e < lanes ? count - e : lanes;                            \
            flexforge_pack_##real(coordinates + e * size, x, size, lanes, left);                  \
            function(x, 0, 0, y, (real *)begin);                                                  \
            for (size_t lane = 0; lane < left; ++lane) {                                          \
                const int point = flexforge_bad_point_##real(y, jacobian->rows, (int)lanes,       \
                                                             (int)lane);                          \
                if (point == 0 || found.count++) continue;                                        \
                found.first = e + lane;                                                           \
                found.point = point;                                                              \
                found.determinant = (double)y[2 * (size_t)(point - 1) * lanes + lane];            \
            }                                                                                     \
        }                                                                                         \
        return found;                                                                             \
    }

FLEXFORGE_DEFINE_ELEMENTS(double)
FLEXFORGE_DEFINE_ELEMENTS(float)

#ifdef __cplusplus
}
#endif
#endif
