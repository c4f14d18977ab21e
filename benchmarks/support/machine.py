# SPDX-License-Identifier: BSD-3-Clause
"""Limits of the machine, measured with our own C: memory bandwidth and peak of fused products."""

from __future__ import annotations

import ctypes
import os
import platform
import subprocess
import tempfile
from pathlib import Path
from typing import Any

SOURCE = r"""
#include <stdlib.h>
#include <time.h>
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}
/* Best seconds of a triad a = b + s c over n doubles. */
double triad(long n, int repetitions, int threads)
{
    double *a = aligned_alloc(64, n * 8), *b = aligned_alloc(64, n * 8);
    double *c = aligned_alloc(64, n * 8);
    double best = 1e30;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (long i = 0; i < n; i++) { a[i] = 0; b[i] = 1; c[i] = 2; }
    for (int r = 0; r < repetitions; r++) {
        double start = now(), s = 3 + 1e-9 * a[r];
#pragma omp parallel for num_threads(threads) schedule(static)
        for (long i = 0; i < n; i++) a[i] = b[i] + s * c[i];
        double taken = now() - start;
        if (taken < best) best = taken;
    }
    free(a); free(b); free(c);
    return best;
}
typedef double lanes __attribute__((vector_size(8 * WIDTH)));
/* Seconds of `iterations` times 16 independent chains of fused multiply-adds on full vectors. */
double products(long iterations, double *out)
{
    lanes x[16], m, c;
    for (int l = 0; l < WIDTH; l++) {
        m[l] = 0.999999; c[l] = 1e-6;
        for (int k = 0; k < 16; k++) x[k][l] = k + l;
    }
    double start = now();
    for (long i = 0; i < iterations; i++) {
#pragma GCC unroll 16
        for (int k = 0; k < 16; k++) x[k] = x[k] * m + c;
    }
    double taken = now() - start;
    for (int k = 0; k < 16; k++) for (int l = 0; l < WIDTH; l++) out[0] += x[k][l];
    return taken;
}
"""


def limits() -> dict[str, Any]:
    """Return bandwidth (GB/s, 24 bytes an entry) by threads, and a core's FMA peak (GFLOP/s)."""
    with tempfile.TemporaryDirectory() as folder:
        source, library = Path(folder) / "limits.c", Path(folder) / "limits.so"
        source.write_text(SOURCE)
        macros = subprocess.run(
            ["gcc", "-march=native", "-dM", "-E", "-x", "c", "-"],
            input="",
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        width = 8 if "__AVX512F__" in macros else 4 if "__AVX2__" in macros else 2
        subprocess.run(
            ["gcc", "-O3", "-march=native", "-fopenmp", "-ffp-contract=fast", f"-DWIDTH={width}",
             "-mprefer-vector-width=512", "-shared", "-fPIC", str(source), "-o", str(library)],
            check=True,
        )  # fmt: skip
        code = ctypes.CDLL(str(library))
        code.triad.restype = code.products.restype = ctypes.c_double
        count, cores = 2**25, len(os.sched_getaffinity(0))
        bandwidth = {
            threads: 24.0 * count / code.triad(ctypes.c_long(count), 8, threads) / 1e9
            for threads in sorted({1, cores})
        }
        iterations, out = 10_000_000, (ctypes.c_double * 1)()
        taken = min(code.products(ctypes.c_long(iterations), out) for _ in range(5))
        peak = iterations * 16 * width * 2 / taken / 1e9
    return {
        "processor": processor(),
        "cores": cores,
        "bandwidth GB/s": bandwidth,
        "peak GFLOP/s": peak,
        "lanes": width,
        "python": platform.python_version(),
    }


def processor() -> str:
    """Return the name of the processor."""
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor()
