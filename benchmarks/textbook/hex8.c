/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The stiffness of the eight-node brick as one would write it by hand, and write it well: 2 x 2 x 2
 * Gauss points, gradients of the shape functions by the inverse of the Jacobian, then for every
 * pair of nodes the nine sums S_ij = sum_q w g_a,i g_b,j, and of these
 *     K_ab = lambda S + mu S^T + mu tr(S) I
 * with the constants applied once. Cf. Hughes, The Finite Element Method, ch. 3; VTK's order.
 *
 * LANES elements are computed at once, their entries next to each other, of pairs b >= a only.
 * With one lane the nodes b of a row are what a compiler can vectorize, all eight of them: that
 * was faster here than half the pairs one by one.
 */
#ifndef LANES
#define LANES 1
#endif
#if LANES > 1
#define LANEWISE _Pragma("omp simd")
#else
#define LANEWISE
#endif
#define EACH LANEWISE for (int l = 0; l < LANES; l++)

static const double corner[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                    {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};

/* Derivatives dN[q][j][a] of the shape functions at the points corner[q] / sqrt(3); call once. */
static double dN[8][3][8];
void textbook_prepare(void)
{
    const double s = 0.57735026918962576451;
    for (int q = 0; q < 8; q++)
        for (int a = 0; a < 8; a++)
            for (int j = 0; j < 3; j++) {
                const int k = (j + 1) % 3, m = (j + 2) % 3;
                dN[q][j][a] = corner[a][j] * (1 + s * corner[q][k] * corner[a][k])
                              * (1 + s * corner[q][m] * corner[a][m]) / 8;
            }
}

/* x[8][3][LANES] in m, p = {Young's modulus, Poisson's ratio}, K[24][24][LANES] in N/m. */
void textbook_hex8(const double *restrict x, const double *restrict p, double *restrict K)
{
    const double lambda = p[0] * p[1] / ((1 + p[1]) * (1 - 2 * p[1]));
    const double mu = p[0] / (2 * (1 + p[1]));
    double g[8][3][8][LANES], wg[8][3][8][LANES];
    for (int q = 0; q < 8; q++) {
        double J[3][3][LANES] = {{{0}}}, I[3][3][LANES], det[LANES];
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                for (int a = 0; a < 8; a++)
                    EACH J[i][j][l] += dN[q][j][a] * x[(3 * a + i) * LANES + l];
        EACH det[l] = J[0][0][l] * (J[1][1][l] * J[2][2][l] - J[1][2][l] * J[2][1][l])
                      - J[0][1][l] * (J[1][0][l] * J[2][2][l] - J[1][2][l] * J[2][0][l])
                      + J[0][2][l] * (J[1][0][l] * J[2][1][l] - J[1][1][l] * J[2][0][l]);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
                EACH I[i][j][l] = (J[j1][i1][l] * J[j2][i2][l] - J[j1][i2][l] * J[j2][i1][l])
                                  / det[l];
            }
        for (int i = 0; i < 3; i++)
            for (int a = 0; a < 8; a++)
                EACH {
                    g[q][i][a][l] = I[0][i][l] * dN[q][0][a] + I[1][i][l] * dN[q][1][a]
                                    + I[2][i][l] * dN[q][2][a];
                    wg[q][i][a][l] = det[l] * g[q][i][a][l];
                }
    }
#if LANES == 1
    for (int a = 0; a < 8; a++) {
        double S[3][3][8] = {{{0}}};
        for (int q = 0; q < 8; q++)
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++)
                    for (int b = 0; b < 8; b++)
                        S[i][j][b] += wg[q][i][a][0] * g[q][j][b][0];
        for (int b = 0; b < 8; b++) {
            const double trace = mu * (S[0][0][b] + S[1][1][b] + S[2][2][b]);
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++)
                    K[24 * (3 * a + i) + 3 * b + j] =
                        lambda * S[i][j][b] + mu * S[j][i][b] + (i == j) * trace;
        }
    }
#else
    for (int a = 0; a < 8; a++)
        for (int b = a; b < 8; b++) {
            LANEWISE
            for (int l = 0; l < LANES; l++) {
                double s00 = 0, s01 = 0, s02 = 0, s10 = 0, s11 = 0, s12 = 0;
                double s20 = 0, s21 = 0, s22 = 0;
                for (int q = 0; q < 8; q++) {
                    const double w0 = wg[q][0][a][l], w1 = wg[q][1][a][l], w2 = wg[q][2][a][l];
                    const double g0 = g[q][0][b][l], g1 = g[q][1][b][l], g2 = g[q][2][b][l];
                    s00 += w0 * g0, s01 += w0 * g1, s02 += w0 * g2;
                    s10 += w1 * g0, s11 += w1 * g1, s12 += w1 * g2;
                    s20 += w2 * g0, s21 += w2 * g1, s22 += w2 * g2;
                }
                const double trace = mu * (s00 + s11 + s22), both = lambda + mu;
                const double k[3][3] = {
                    {both * s00 + trace, lambda * s01 + mu * s10, lambda * s02 + mu * s20},
                    {lambda * s10 + mu * s01, both * s11 + trace, lambda * s12 + mu * s21},
                    {lambda * s20 + mu * s02, lambda * s21 + mu * s12, both * s22 + trace}};
                for (int i = 0; i < 3; i++)
                    for (int j = 0; j < 3; j++) {
                        K[(24 * (3 * a + i) + 3 * b + j) * LANES + l] = k[i][j];
                        K[(24 * (3 * b + j) + 3 * a + i) * LANES + l] = k[i][j];
                    }
            }
        }
#endif
}
