/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels of tet4, found in their table as a program finds them in a library: for one element a
   call, and for eight. */
#include "closed_forms.h"

#include "tet4_kernels.h"

#include <stdlib.h>
#include <string.h>

enum { NODES = 4, SIZE = 3 * NODES };

/* The determinant of a tetrahedron's Jacobian is six times its volume, the brick's; it is good. */
static int geometry_is_wrong(const char *name, const double *out, int lanes)
{
    const int lane = lanes - 1, point = flexforge_bad_point_double(out, 1, lanes, lane);
    if (point)
        printf("%s: point %d IS BAD\n", name, point);
    return (point != 0) + wrong(name, "determinant", fabs(out[lane] / brick() - 1.0), 1e-13);
}

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
        const int lanes = one->lanes, entries = one->rows * one->columns;
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
        double *const results = malloc((size_t)(entries * lanes) * sizeof(double));
        double *const workspace = malloc((size_t)one->workspace + 1);
        if (!packed || !results || !workspace)
            return 1;
        for (int i = 0; i < SIZE * lanes; ++i)
            packed[i] = x[i / lanes];
        ((flexforge_function_double)one->function)(packed, parameters, 0, results, workspace);
        for (int i = 0; i < entries && i < SIZE * SIZE; ++i)
            out[i] = results[(i + 1) * lanes - 1]; /* of the last lane */
        if (!strcmp(one->term, "stiffness")) {
            errors += stiffness_is_wrong(one->name, NODES, x, out, brick() / 6.0);
            found += 1;
        } else if (!strcmp(one->term, "mass")) {
            errors += mass_is_wrong(one->name, NODES, out, brick() / 6.0);
            found += 10;
        } else {
            errors += geometry_is_wrong(one->name, results, lanes);
            found += 100;
        }
        free(packed), free(results), free(workspace);
    }
    return errors > 0 || found != 122; /* two matrices in one lane and in eight, and the geometry */
}
