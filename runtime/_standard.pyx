# SPDX-License-Identifier: BSD-3-Clause
# cython: language_level=3
"""The standard kernels, compiled for several levels of the processor; the best that runs is used."""

cdef extern from *:
    """
    #include "flexforge.h"
    const flexforge_kernel *const *flexforge_kernels_v1(int *count);
    #ifdef FLEXFORGE_LEVELS
    const flexforge_kernel *const *flexforge_kernels_v3(int *count);
    const flexforge_kernel *const *flexforge_kernels_v4(int *count);
    static int flexforge_level(void)
    {
        __builtin_cpu_init();
        if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
            __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
            __builtin_cpu_supports("avx512cd"))
            return 4;
        if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return 3;
        return 1;
    }
    #else
    #define flexforge_kernels_v3 flexforge_kernels_v1
    #define flexforge_kernels_v4 flexforge_kernels_v1
    static int flexforge_level(void) { return 1; }
    #endif
    """
    void *flexforge_kernels_v1
    void *flexforge_kernels_v3
    void *flexforge_kernels_v4
    int flexforge_level()

LEVELS = {1: "baseline", 3: "AVX2", 4: "AVX-512"}


def level():
    """Return the highest level this processor runs: 1 baseline, 3 AVX2, 4 AVX-512."""
    return flexforge_level()


def table_address(int chosen):
    """Return the address of the table function of a level."""
    if chosen == 4:
        return <size_t>&flexforge_kernels_v4
    if chosen == 3:
        return <size_t>&flexforge_kernels_v3
    return <size_t>&flexforge_kernels_v1
