/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * flexforge.h: what a generated kernel is and how it is called.
 *
 * A kernel computes one term of the element equations of a moving elastic body,
 *
 *     m d'' + 2 c d' + (k + k_eps + k_omega + k_geo) d = q + q* - q_eps - q_omega - m_O a_O ,
 *
 * for `lanes` elements at once. All kernels have the same four arguments:
 *
 *   coordinates  [nodes][dimension][lanes]   undeformed nodal positions X in the body frame, m
 *   parameters   [parameter_count]           scalars shared by all lanes; names and units are in
 *                                            the descriptor, in this order
 *   state        [nodes][dimension][lanes]   nodal displacements d, m; read only if uses_state
 *   out          [rows][columns][lanes]      the result; overwritten, never added to
 *
 * The last index is contiguous. Row and column 3 a + i belong to component i of node a (2 a + i in
 * the plane); terms of structure "kronecker" delivered as a scalar matrix have one row a node.
 * Nodes are in VTK order. Kernels allocate nothing, keep nothing, and may run in any number of
 * threads. Arrays need the alignment of their scalars only; 64 bytes are faster. Arguments must
 * not overlap. An argument that is not used may be NULL.
 */
#ifndef FLEXFORGE_H
#define FLEXFORGE_H

#ifdef __cplusplus
#if defined(__GNUC__)
#define restrict __restrict__
#else
#define restrict
#endif
extern "C" {
#endif

/* Version of everything in this file; a caller compares it with flexforge_kernel.abi. */
#define FLEXFORGE_ABI 1

/* A file that includes several kernel files may keep all but their table to itself. */
#ifdef FLEXFORGE_PRIVATE
#define FLEXFORGE_LINKAGE static
#define FLEXFORGE_DECLARE static
#else
#define FLEXFORGE_LINKAGE
#define FLEXFORGE_DECLARE extern
#endif

/* SIMD across elements: vectors of the GNU dialect, lowered by the compiler to what there is. */
#if defined(__GNUC__)
#define FLEXFORGE_VECTOR(scalar, count) \
    scalar __attribute__((vector_size(sizeof(scalar) * (count)), aligned(sizeof(scalar)), may_alias))
#endif

/* Generic pointer to a kernel; cast it to flexforge_function_double or _float before the call. */
typedef void (*flexforge_function)(void);
typedef void (*flexforge_function_double)(const double *restrict coordinates,
                                          const double *restrict parameters,
                                          const double *restrict state, double *restrict out);
typedef void (*flexforge_function_float)(const float *restrict coordinates,
                                         const float *restrict parameters,
                                         const float *restrict state, float *restrict out);

/* What a kernel is: everything a caller needs to allocate, call and place the result. */
typedef struct flexforge_kernel {
    int abi;                /* FLEXFORGE_ABI of the generator */
    const char *name;       /* name of the function */
    const char *element;    /* e.g. "tet10", "quad8_plane_stress" */
    const char *cell;       /* reference cell */
    const char *term;       /* e.g. "stiffness", "scalar_mass", "pressure" */
    const char *formalism;  /* by which it was derived */
    const char *frame;      /* "planar" or "spatial" */
    const char *scalar;     /* "double" or "float" */
    const char *units;      /* units of an entry of out */
    const char *symmetry;   /* of the matrix: "symmetric", "skew", "general" */
    const char *structure;  /* "full", or "kronecker": scalar matrix times a common block */
    int lanes;              /* elements computed by one call */
    int nodes;              /* nodes of the element */
    int dimension;          /* components a node: 2 or 3 */
    int rows;               /* rows of out */
    int columns;            /* columns of out */
    int uses_state;         /* whether state is read */
    int parameter_count;    /* length of parameters */
    const char *const *parameter_names;
    const char *const *parameter_units;
    long additions;         /* operations an element, exact */
    long products;
    long quotients;
    long roots;
    long fused;             /* additions that a fused multiply-add can take over */
    long bytes;             /* read and written an element */
    long stack;             /* bytes of local arrays a lane */
    const char *hash;       /* of the generated text */
    flexforge_function function;
} flexforge_kernel;

/* Every library of kernels has this one entry: its descriptors, `count` of them. */
typedef const flexforge_kernel *const *(*flexforge_table)(int *count);

#ifdef __cplusplus
}
#endif
#endif
