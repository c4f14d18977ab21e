/* SPDX-License-Identifier: BSD-3-Clause */
/* Times functions in turns: nanoseconds of an evaluation, the median of rounds, one line each. */
#define _POSIX_C_SOURCE 199309L
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef void (*evaluation)(const double *, const double *, const double *, double *);
extern const evaluation functions[];
extern const int count;

enum { ROUNDS = 15, MOST = 16, SIZE = 4096 };

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9*(double)now.tv_nsec;
}

int main(int argc, char **argv)
{
    static double q[SIZE], u[SIZE], p[SIZE], out[SIZE], taken[MOST][ROUNDS];
    const long repeats = argc > 1 ? atol(argv[1]) : 100000;
    double sum = 0;
    for (int i = 0; i < SIZE; ++i) {
        q[i] = 0.2 + 0.1*(i % 13);
        u[i] = 0.3 + 0.1*(i % 7);
        p[i] = 1.0 + 0.01*i;
    }
    for (int round = 0; round < ROUNDS; ++round)
        for (int f = 0; f < count; ++f) {
            const double begun = seconds();
            for (long k = 0; k < repeats; ++k) {
                q[0] += 1e-9;
                functions[f](q, u, p, out);
                sum += out[1];
            }
            taken[f][round] = (seconds() - begun)/(double)repeats*1e9;
        }
    for (int f = 0; f < count; ++f) {
        qsort(taken[f], ROUNDS, sizeof(double), ascending);
        printf("%.2f\n", taken[f][ROUNDS/2]);
    }
    return sum == 1.0;
}
