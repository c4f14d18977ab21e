/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that was compiled once with a flexforge.h of its time, and loads a library of kernels. */
#include "flexforge.h"
#include <dlfcn.h>
#include <stdio.h>

int main(int count, char **words)
{
    void *library = count > 1 ? dlopen(words[1], RTLD_NOW) : 0;
    flexforge_table table = 0;
    if (library)
        *(void **)&table = dlsym(library, "solid_kernels");
    if (!table)
        return 3;
    const flexforge_kernel *const *kernels = table(&count);
    const flexforge_kernel *kernel = kernels[0];
#ifdef FLEXFORGE_TEXT
    char text[FLEXFORGE_TEXT];
    if (flexforge_refusal(kernel, text)) {
        puts(text);
        return 2;
    }
#else
    /* All that version 1 offered: the two numbers. */
    if (kernel->abi != FLEXFORGE_ABI) {
        printf("%s: version %d, expected %d\n", kernel->name, kernel->abi, FLEXFORGE_ABI);
        return 2;
    }
#endif
    printf("%s %s %s %s %s %s %s %s %s %s\n", kernel->name, kernel->element, kernel->cell,
           kernel->term, kernel->formalism, kernel->frame, kernel->scalar, kernel->symmetry,
           kernel->structure, kernel->hash);
    printf("%d %d %d %d %d", kernel->lanes, kernel->nodes, kernel->dimension, kernel->rows,
           kernel->columns);
    for (int k = 0; k < kernel->parameter_count; ++k)
        printf(" %s:%s", kernel->parameter_names[k], kernel->parameter_units[k]);
#ifdef FLEXFORGE_TEXT
    const double x[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}, values[] = {12.0};
    double out[144];
    ((flexforge_function_double)kernel->function)(x, values, 0, out, 0);
    printf("\n%ld %ld %d %.15g", kernel->stack, kernel->workspace, kernel->state_vectors, out[0]);
#endif
    puts("");
    return 0;
}
