# SPDX-License-Identifier: BSD-3-Clause
# Kernels for other extensions in Cython: `from flexforge.kernels cimport find_kernel, ...`.
#
# Compile with include_dirs=[flexforge.get_include()]. What is here becomes part of the extension;
# there is nothing to link. examples/cython_kernels is a complete package.

cdef extern from "flexforge.h" nogil:
    enum:
        FLEXFORGE_ABI
        FLEXFORGE_TEXT
    ctypedef void (*flexforge_function)() noexcept nogil
    ctypedef void (*flexforge_function_double)(
        const double *coordinates, const double *parameters, const double *state, double *out,
        double *workspace) noexcept nogil
    ctypedef void (*flexforge_function_float)(
        const float *coordinates, const float *parameters, const float *state, float *out,
        float *workspace) noexcept nogil
    ctypedef struct flexforge_kernel:
        int abi
        const char *name
        const char *element
        const char *cell
        const char *term
        const char *formalism
        const char *frame
        const char *scalar
        const char *units
        const char *symmetry
        const char *structure
        int lanes
        int nodes
        int dimension
        int rows
        int columns
        int state_vectors
        int parameter_count
        const char **parameter_names
        const char **parameter_units
        long additions
        long products
        long quotients
        long roots
        long fused
        long bytes
        long stack
        long workspace
        int level
        const char *hash
        flexforge_function function
    const char *flexforge_refusal(const flexforge_kernel *kernel, char *text) noexcept

cdef extern from "flexforge_elements.h" nogil:
    ctypedef struct flexforge_bad_elements:
        size_t count
        size_t first
        int point
        double determinant
    size_t flexforge_memory(const flexforge_kernel *kernel) noexcept
    void flexforge_elements_double(
        const flexforge_kernel *kernel, size_t count, const double *coordinates,
        const double *parameters, const double *state, double *out, void *memory) noexcept
    void flexforge_elements_float(
        const flexforge_kernel *kernel, size_t count, const float *coordinates,
        const float *parameters, const float *state, float *out, void *memory) noexcept
    flexforge_bad_elements flexforge_check_double(
        const flexforge_kernel *jacobian, size_t count, const double *coordinates,
        void *memory) noexcept
    flexforge_bad_elements flexforge_check_float(
        const flexforge_kernel *jacobian, size_t count, const float *coordinates,
        void *memory) noexcept


cdef inline const flexforge_kernel *find_kernel(element, term) except NULL:
    # The kernel of a term, of the best instructions this processor has. `element` is the name of a
    # standard element or a declaration; what is not installed is compiled and kept. An ImportError
    # says that the extension was compiled with another version of flexforge.h.
    from flexforge.runtime.assembly.kernels import kernels_of
    cdef char text[FLEXFORGE_TEXT]
    cdef size_t address = kernels_of(element, [term])[term].descriptor
    cdef const flexforge_kernel *kernel = <const flexforge_kernel *><void *>address
    if flexforge_refusal(kernel, text) != NULL:
        raise ImportError((<bytes>text).decode())
    return kernel
