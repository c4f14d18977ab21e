# SPDX-License-Identifier: BSD-3-Clause
# cython: language_level=3
"""The standard kernels, compiled for several processor levels; the highest supported is used."""

cdef extern from *:
    """
    #include "flexforge.h"
    const flexforge_kernel *const *flexforge_kernels_v1(int *count);
    #ifdef FLEXFORGE_LEVELS
    const flexforge_kernel *const *flexforge_kernels_v3(int *count);
    const flexforge_kernel *const *flexforge_kernels_v4(int *count);
    #else
    #define flexforge_kernels_v3 flexforge_kernels_v1
    #define flexforge_kernels_v4 flexforge_kernels_v1
    #endif
    #ifdef __VERSION__
    #define FLEXFORGE_COMPILER __VERSION__
    #else
    #define FLEXFORGE_COMPILER "unknown"
    #endif
    """
    const char *FLEXFORGE_COMPILER
    const char *FLEXFORGE_FLAGS_1
    const char *FLEXFORGE_FLAGS_3
    const char *FLEXFORGE_FLAGS_4
    void *flexforge_kernels_v1
    void *flexforge_kernels_v3
    void *flexforge_kernels_v4
    int flexforge_processor_level()
    const char *flexforge_level_name(int level)

#: Names of the levels of flexforge.h; the standard kernels exist for 1, 3 and 4.
LEVELS = {number: flexforge_level_name(number).decode() for number in range(1, 5)}

#: Version of the compiler of the standard kernels, and its flags by level.
COMPILER = FLEXFORGE_COMPILER.decode()
FLAGS = {
    1: FLEXFORGE_FLAGS_1.decode(),
    3: FLEXFORGE_FLAGS_3.decode(),
    4: FLEXFORGE_FLAGS_4.decode(),
}


def level():
    """Return the highest level of this processor: 1 baseline, 2 AVX, 3 AVX2, 4 AVX-512."""
    return flexforge_processor_level()


def table_address(int chosen):
    """Return the address of the table function of a level."""
    if chosen == 4:
        return <size_t>&flexforge_kernels_v4
    if chosen == 3:
        return <size_t>&flexforge_kernels_v3
    return <size_t>&flexforge_kernels_v1
