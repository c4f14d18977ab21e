/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * flexforge.h: what a generated kernel is and how it is called.
 *
 * A kernel computes one term of the element equations of a moving elastic body,
 *
 *     m d'' + 2 c d' + (k + k_eps + k_omega + k_geo) d = q + q* - q_eps - q_omega - m_O a_O ,
 *
 * for `lanes` elements at once. All kernels have the same five arguments:
 *
 *   coordinates  [nodes][dimension][lanes]   undeformed nodal positions X in the body frame, m
 *   parameters   [parameter_count]           scalars shared by all lanes; names and units are in
 *                                            the descriptor, in this order
 *   state        [vectors][nodes][dimension][lanes]   nodal vectors, `state_vectors` of them: none;
 *                                            displacements d, m; d and a vector x that is
 *                                            multiplied; or d, d' and d'', m, m/s, m/s^2
 *   out          [rows][columns][lanes]      the result; overwritten, not accumulated
 *   workspace    workspace bytes             scratch memory of the caller, one per thread; its
 *                                            content before and after a call is meaningless. Kernels
 *                                            with large local arrays keep them here instead of on
 *                                            the stack; not used if the descriptor states 0 bytes
 *
 * The last index is contiguous. Row and column 3 a + i belong to component i of node a (2 a + i in
 * the plane); terms of structure "kronecker" returned as a scalar matrix have one row per node.
 * Nodes are in VTK order. Kernels do not allocate memory, have no state, and may run in any number of
 * threads. Arrays and workspace need only the alignment of their scalars; alignment to 64 bytes is
 * faster. Arguments must not overlap. Unused arguments may be NULL.
 *
 * A library requires a processor with the instructions for which it was compiled, and a caller
 * compiled with the same version of this file: flexforge_refusal() checks both before the first call.
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
#define FLEXFORGE_ABI 2

/* Most elements per call. */
#define FLEXFORGE_LANES 16

/* Instructions the compiler may use: 1 the baseline of the architecture; on x86 also 2 AVX,
   3 AVX2 and fused multiply-add, 4 AVX-512. */
#if defined(__AVX512F__)
#define FLEXFORGE_LEVEL 4
#elif defined(__AVX2__) || defined(__FMA__)
#define FLEXFORGE_LEVEL 3
#elif defined(__AVX__)
#define FLEXFORGE_LEVEL 2
#else
#define FLEXFORGE_LEVEL 1
#endif

/* Highest level that this processor and its operating system support. */
static inline int flexforge_processor_level(void)
{
#if defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__))
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512cd"))
        return 4;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return 3;
    if (__builtin_cpu_supports("avx")) return 2;
#endif
    return 1;
}

static inline const char *flexforge_level_name(int level)
{
    return level == 1 ? "baseline" : level == 2 ? "AVX" : level == 3 ? "AVX2"
         : level == 4 ? "AVX-512" : "instructions unknown here";
}

/* A file that includes several kernel files may keep everything except their table private. */
#ifdef FLEXFORGE_PRIVATE
#define FLEXFORGE_LINKAGE static
#define FLEXFORGE_DECLARE static
#else
#define FLEXFORGE_LINKAGE
#define FLEXFORGE_DECLARE extern
#endif

/* SIMD across elements: vectors of the GNU dialect, mapped by the compiler to the hardware. */
#if defined(__GNUC__)
#define FLEXFORGE_VECTOR(scalar, count) \
    scalar __attribute__((vector_size(sizeof(scalar) * (count)), aligned(sizeof(scalar)), may_alias))
#endif

/* Generic pointer to a kernel; cast it to flexforge_function_double or _float before the call. */
typedef void (*flexforge_function)(void);
typedef void (*flexforge_function_double)(const double *restrict coordinates,
                                          const double *restrict parameters,
                                          const double *restrict state, double *restrict out,
                                          double *restrict workspace);
typedef void (*flexforge_function_float)(const float *restrict coordinates,
                                         const float *restrict parameters,
                                         const float *restrict state, float *restrict out,
                                         float *restrict workspace);

/* Descriptor of a kernel: all data needed to allocate memory, call it and use the result. */
typedef struct flexforge_kernel {
    int abi;                /* FLEXFORGE_ABI of the generator */
    const char *name;       /* name of the function */
    const char *element;    /* e.g. "tet10", "quad8_plane_stress" */
    const char *cell;       /* reference cell */
    const char *term;       /* e.g. "stiffness", "scalar_mass", "pressure" */
    const char *formalism;  /* formalism of its derivation */
    const char *frame;      /* "planar" or "spatial" */
    const char *scalar;     /* "double" or "float" */
    const char *units;      /* units of an entry of out */
    const char *symmetry;   /* of the matrix: "symmetric", "skew", "general" */
    const char *structure;  /* "full", or "kronecker": scalar matrix times a common block */
    int lanes;              /* elements computed by one call */
    int nodes;              /* nodes of the element */
    int dimension;          /* components per node: 2 or 3 */
    int rows;               /* rows of out */
    int columns;            /* columns of out */
    int state_vectors;      /* nodal vectors in state: 0 to 3 */
    int parameter_count;    /* length of parameters */
    const char *const *parameter_names;
    const char *const *parameter_units;
    long additions;         /* operations per element, exact */
    long products;
    long quotients;
    long roots;
    long fused;             /* additions that can become fused multiply-adds */
    long bytes;             /* read and written per element */
    long stack;             /* bytes of local arrays on the stack per call; spills of the
                               compiler are not included */
    long workspace;         /* bytes of workspace per call; 0: none */
    int level;              /* required instructions, FLEXFORGE_LEVEL */
    const char *hash;       /* of the generated text */
    flexforge_function function;
} flexforge_kernel;

/* The single entry of every library of kernels: its `count` descriptors. */
typedef const flexforge_kernel *const *(*flexforge_table)(int *count);

/*
 * Geometry. Kernels do not check the sign of the Jacobian determinant: for an element with its nodes in
 * reverse order they return -K and -M. The kernel of the term "jacobian" writes two numbers per point,
 * out [points][2][lanes]: the determinant and the square of a bound. At a quadrature point the
 * determinant is valid if it exceeds FLEXFORGE_FLAT times the bound; at a node, marked by a negative
 * square, it is valid if it is not less than minus that limit. Values that are not finite are invalid.
 */
#define FLEXFORGE_FLAT_double 1e-12
#define FLEXFORGE_FLAT_float 1e-5

static inline int flexforge_is_good(double determinant, double square, double flat)
{
    const double least = flat * flat * square;
    if (!(determinant - determinant == 0 && square - square == 0)) return 0;
    if (square < 0) return determinant > 0 || determinant * determinant <= -least;
    return determinant > 0 && determinant * determinant > least;
}

/* Number, counted from 1, of the first bad point of an element in one lane of the output of its
   kernel "jacobian"; 0 if its geometry is good. */
#define FLEXFORGE_DEFINE_BAD_POINT(real)                                                           \
    static inline int flexforge_bad_point_##real(const real *out, int points, int lanes, int lane) \
    {                                                                                              \
        for (int k = 0; k < points; ++k)                                                           \
            if (!flexforge_is_good((double)out[2 * k * lanes + lane],                              \
                                   (double)out[(2 * k + 1) * lanes + lane],                        \
                                   FLEXFORGE_FLAT_##real))                                         \
                return k + 1;                                                                      \
        return 0;                                                                                  \
    }

FLEXFORGE_DEFINE_BAD_POINT(double)
FLEXFORGE_DEFINE_BAD_POINT(float)

/* Length of the text of flexforge_refusal. */
#define FLEXFORGE_TEXT 256

static inline char *flexforge_append(char *at, const char *end, const char *words)
{
    while (at + 1 < end && *words) *at++ = *words++;
    *at = 0;
    return at;
}

static inline char *flexforge_append_number(char *at, const char *end, int number)
{
    char digits[12], *first = digits + sizeof digits - 1;
    *first = 0;
    do *--first = (char)('0' + number % 10);
    while ((number /= 10) > 0 && first > digits);
    return flexforge_append(at, end, first);
}

/*
 * Check whether a program compiled with this header may call a kernel: returns 0 if so, otherwise the
 * reason is in `text`, which has FLEXFORGE_TEXT characters. Only the first two fields of a descriptor,
 * `abi` and `name`, are the same in every version; they are compared before others are read.
 */
static inline const char *flexforge_refusal(const flexforge_kernel *kernel, char *text)
{
    const char *end = text + FLEXFORGE_TEXT;
    char *at = flexforge_append(text, end, kernel->name);
    if (kernel->abi != FLEXFORGE_ABI) {
        at = flexforge_append(at, end, ": made for version ");
        at = flexforge_append_number(at, end, kernel->abi);
        at = flexforge_append(at, end, " of flexforge.h, its caller for version ");
        at = flexforge_append_number(at, end, FLEXFORGE_ABI);
        flexforge_append(at, end, kernel->abi < FLEXFORGE_ABI
                                      ? ": generate the kernels again"
                                      : ": compile the caller with the header of the kernels");
        return text;
    }
    if (kernel->level > flexforge_processor_level()) {
        at = flexforge_append(at, end, ": compiled for ");
        at = flexforge_append(at, end, flexforge_level_name(kernel->level));
        at = flexforge_append(at, end, "; this processor runs ");
        at = flexforge_append(at, end, flexforge_level_name(flexforge_processor_level()));
        flexforge_append(at, end, ": compile the kernels on this machine");
        return text;
    }
    return 0;
}

#ifdef __cplusplus
}
#endif
#endif
