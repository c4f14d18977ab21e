/* SPDX-License-Identifier: BSD-3-Clause */
/* Integrals of hex8 as DOLFINx calls them: through the type of FFCx's ufcx.h, in basix's order. */
#include "closed_forms.h"

#include "hex8_ufcx.h"

/* The type as ufcx.h of FFCx 0.10 declares it: the generated functions must be of it. */
typedef void tabulate_tensor_float64(double *restrict A, const double *restrict w,
                                     const double *restrict c,
                                     const double *restrict coordinate_dofs,
                                     const int *restrict entity_local_index,
                                     const uint8_t *restrict quadrature_permutation,
                                     void *custom_data);

int main(void)
{
    tabulate_tensor_float64 *const stiffness = tabulate_tensor_hex8_stiffness;
    tabulate_tensor_float64 *const mass = tabulate_tensor_hex8_mass;
    const double elastic[] = {YOUNG, POISSON};
    static double x[24], A[576];
    int errors = 0;

    for (int a = 0; a < 8; ++a) {
        const int along[] = {a & 1, a >> 1 & 1, a >> 2 & 1};
        place(along, x + 3 * a);
    }
    stiffness(A, 0, elastic, x, 0, 0, 0);
    errors += stiffness_is_wrong("hex8 by ufcx", 8, x, A, brick());
    for (int i = 0; i < 576; ++i)
        A[i] = 0.0;
    mass(A, 0, &DENSITY, x, 0, 0, 0);
    errors += mass_is_wrong("hex8 by ufcx", 8, A, brick());
    return errors > 0;
}
