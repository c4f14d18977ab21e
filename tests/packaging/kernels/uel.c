/* SPDX-License-Identifier: BSD-3-Clause */
/* The user element hex8 as Abaqus calls it: matrices, and the residual of a rigid motion. */
#include "closed_forms.h"

void uel_(double *rhs, double *amatrx, double *svars, double *energy, const int *ndofel,
          const int *nrhs, const int *nsvars, const double *props, const int *nprops,
          const double *coords, const int *mcrd, const int *nnode, const double *u,
          const double *du, const double *v, const double *a, const int *jtype, const double *time,
          const double *dtime, const int *kstep, const int *kinc, const int *jelem,
          const double *params, const int *ndload, const int *jdltyp, const double *adlmag,
          const double *predef, const int *npredf, const int *lflags, const int *mlvarx,
          const double *ddlmag, const int *mdload, double *pnewdt, const int *jprops,
          const int *njprop, const double *period);

enum { NODES = 8, SIZE = 3 * NODES };
static double x[SIZE], u[SIZE], rhs[SIZE], amatrx[SIZE * SIZE];

/* A static call; 1 asks for the matrix and the residual, 4 for the mass. */
static void element(int asked)
{
    const double props[] = {YOUNG, POISSON, DENSITY}, none[2 * SIZE] = {0.0}, dt = 1.0;
    const int size = SIZE, one = 1, zero = 0, three = 3, nodes = NODES, kept = 2 * SIZE;
    const int lflags[] = {1, 0, asked, 0, 0};
    double svars[2 * SIZE] = {0.0}, energy[8], pnewdt = 1.0;
    uel_(rhs, amatrx, svars, energy, &size, &one, &kept, props, &three, x, &three, &nodes, u, none,
         none, none, &one, none, &dt, &one, &one, &one, none, &zero, &zero, none, none, &one,
         lflags, &size, none, &zero, &pnewdt, &zero, &zero, &dt);
}

int main(void)
{
    static const int corners[NODES][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                          {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    const double turn[3][3] = {{0.0, -0.3, 0.2}, {0.3, 0.0, -0.1}, {-0.2, 0.1, 0.0}};
    const double moved[3] = {1.0, -2.0, 0.5};
    double forces = 0.0;
    int errors = 0;

    for (int a = 0; a < NODES; ++a)
        place(corners[a], x + 3 * a);
    field(NODES, x, turn[0], moved, u);
    for (int i = 0; i < SIZE; ++i)
        rhs[i] = INFINITY; /* what is not computed is seen */
    element(1);
    for (int i = 0; i < SIZE; ++i)
        forces += fabs(rhs[i]) / fabs(amatrx[i * SIZE + i]);
    errors += wrong("hex8 by UEL", "residual of a rigid motion", forces, 1e-13);
    errors += stiffness_is_wrong("hex8 by UEL", NODES, x, amatrx, brick());
    element(4);
    return errors + mass_is_wrong("hex8 by UEL", NODES, amatrx, brick()) > 0;
}
