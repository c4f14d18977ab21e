/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels of tet4, found in their table as a program finds them in a library: for one element a
   call, and for eight. */
#include "closed_forms.h"

#include "tet4_kernels.h"

#include <stdlib.h>
#include <string.h>

enum { NODES = 4, SIZE = 3 * NODES };

int main(void)
{
    /* A corner of the brick: a sixth of its volume. */
    static const int corners[NODES][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static double x[SIZE], out[SIZE * SIZE];
    int count, found = 0, errors = 0;
    const flexforge_kernel *const *const kernels = tet4_kernels(&count);

    for (int a = 0; a < NODES; ++a)
        place(corners[a], x + 3 * a);
    for (int k = 0; k < count; ++k) {
        const flexforge_kernel *const one = kernels[k];
        const int lanes = one->lanes, stiff = !strcmp(one->term, "stiffness");
        char text[FLEXFORGE_TEXT];
        double parameters[2];
        if (flexforge_refusal(one, text)) {
            printf("%s\n", text);
            return 1;
        }
        for (int p = 0; p < one->parameter_count; ++p)
            parameters[p] = !strcmp(one->parameter_names[p], "young")     ? YOUNG
                            : !strcmp(one->parameter_names[p], "poisson") ? POISSON
                                                                          : DENSITY;
        double *const packed = malloc(SIZE * (size_t)lanes * sizeof(double));
        double *const results = malloc(SIZE * SIZE * (size_t)lanes * sizeof(double));
        double *const workspace = malloc((size_t)one->workspace + 1);
        if (!packed || !results || !workspace)
            return 1;
        for (int i = 0; i < SIZE * lanes; ++i)
            packed[i] = x[i / lanes];
        ((flexforge_function_double)one->function)(packed, parameters, 0, results, workspace);
        for (int i = 0; i < SIZE * SIZE; ++i)
            out[i] = results[(i + 1) * lanes - 1]; /* of the last lane */
        errors += stiff ? stiffness_is_wrong(one->name, NODES, x, out, brick() / 6.0)
                        : mass_is_wrong(one->name, NODES, out, brick() / 6.0);
        found += stiff ? 1 : 10;
        free(packed), free(results), free(workspace);
    }
    return errors > 0 || found != 22; /* both matrices, in one lane and in eight */
}
