/* SPDX-License-Identifier: BSD-3-Clause */
/* Independent speeds of constraints J(t) q = 0: q = A y, q' = A y' + A' y, and so on.

   Constraints that share coordinates form a cluster, which is treated as dense. An orthogonal matrix
   [Y; H] is chosen for a position, and kept while it is suitable: y = Y q are the coordinates of the
   speeds, H spans the rest. With U = (J H^T)^-1 and B = U J Y^T

       A = Y^T - H^T B,   D = H^T U,   A' = -D J' A,   A'' = -D (2 J' A' + J'' A)

   since J q = 0 at all times. */
#ifndef FF_TIES_H
#define FF_TIES_H

#include "ff_band.h"
#include <string.h>

/* Growth of a column of A at which other speeds are chosen; smallest pivot of J, relative to its largest,
   above round-off; tolerance for equal squares of columns; largest number of coordinates for an
   orthonormal basis of the null space. */
#define FF_GROWN 3.0
#define FF_INDEPENDENT 1e-9
#define FF_EQUAL 1e-9
enum { FF_MOST_DENSE = 60 };
enum { FF_TIED = 0, FF_TIES_GROWN = 1, FF_TIES_DEPENDENT = 2 };

/* A cluster of connected constraints. */
typedef struct {
    int rows, columns; /* numbers m of constraints and n of coordinates */
    int first;         /* its first speed, of n - m */
    int choice;        /* start of its choice: (n, n) numbers of [Y; H], and the size of A at that time */
    const int *row;    /* (m,) */
    const int *column; /* (n,) ascending */
    const int *entry;  /* (m, n) index of the entry of J, or -1 */
} ff_cluster;

/* All constraints of a system, and the pattern of A. */
typedef struct {
    int n, speeds, entries, clusters, alone, choices;
    int independent; /* whether speeds are rates of coordinates, or along the null space */
    int multipliers; /* whether steps solve for all coordinates and multipliers: their number, or 0 */
    int canonical;   /* whether steps are those of Hamilton's pair */
    const ff_cluster *cluster;
    const int *lone;     /* (alone,) unconstrained coordinates: the first speeds */
    const int *pointers; /* (n + 1,) first entry of every row of A */
    const int *columns;  /* (nnz,) speeds; ascending in a row */
} ff_ties;

static inline int ff_ties_most(const ff_ties *t, int rows)
{
    int most = 1;
    for (int c = 0; c < t->clusters; ++c) {
        const int size = rows ? t->cluster[c].rows : t->cluster[c].columns;
        most = size > most ? size : most;
    }
    return most;
}

/* Workspace of ff_tie and ff_choose: numbers of doubles, and of ints for ff_choose. */
static inline size_t ff_ties_doubles(const ff_ties *t)
{
    const size_t m = (size_t)ff_ties_most(t, 1), n = (size_t)ff_ties_most(t, 0);
    return 5 * m * n + 2 * m * m + 3 * n * n + n;
}

static inline size_t ff_ties_ints(const ff_ties *t)
{
    return (size_t)ff_ties_most(t, 0);
}

/* The entries of J, J' or J'' in a cluster, (m, n). */
static inline void ff_cluster_entries(const ff_cluster *c, const double *data, double *restrict out)
{
    for (int k = 0; k < c->rows * c->columns; ++k)
        out[k] = c->entry[k] < 0 ? 0.0 : data[c->entry[k]];
}

/* out = factor a b for row-major matrices, (m, k) and (k, n), or for b transposed, (n, k). */
static inline void ff_product(int m, int k, int n, double factor, const double *restrict a,
                              const double *restrict b, int turned, double *restrict out)
{
    memset(out, 0, (size_t)m * (size_t)n * sizeof(double));
    for (int i = 0; i < m; ++i)
        if (turned)
            for (int j = 0; j < n; ++j)
                for (int l = 0; l < k; ++l)
                    out[(long)i * n + j] += factor * a[(long)i * k + l] * b[(long)j * k + l];
        else
            for (int l = 0; l < k; ++l) {
                const double value = factor * a[(long)i * k + l];
                if (value != 0.0)
                    for (int j = 0; j < n; ++j)
                        out[(long)i * n + j] += value * b[(long)l * n + j];
            }
}

/* Orthonormal rows [Y; H], with H spanning the rows of J (m, n), by Householder reflections of its
   transpose. turned, (n, m), and along, (m,), are workspace. Returns 0, or 1 if rows are dependent. */
static inline int ff_null_space(int m, int n, const double *restrict J, double *restrict turned,
                                double *restrict along, double *restrict out)
{
    double smallest = INFINITY, largest = 0.0;
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < m; ++k)
            turned[i * m + k] = J[(long)k * n + i];
    for (int k = 0; k < m; ++k) {
        double square = 0.0, size;
        for (int i = k; i < n; ++i)
            square += turned[i * m + k] * turned[i * m + k];
        size = sqrt(square);
        smallest = fmin(smallest, size);
        largest = fmax(largest, size);
        const double head = turned[k * m + k] + copysign(size, turned[k * m + k]);
        along[k] = 0.0;
        if (size == 0.0 || k == n - 1)
            continue;
        turned[k * m + k] = head;
        along[k] = 2.0 / (square + head * head - (fabs(head) - size) * (fabs(head) - size));
        for (int l = k + 1; l < m; ++l) {
            double sum = 0.0;
            for (int i = k; i < n; ++i)
                sum += turned[i * m + k] * turned[i * m + l];
            for (int i = k; i < n; ++i)
                turned[i * m + l] -= along[k] * sum * turned[i * m + k];
        }
    }
    if (!(smallest >= FF_INDEPENDENT * largest) || m > n)
        return 1;
    for (int j = 0; j < n; ++j) { /* rows of the last reflection times ... times the first */
        double *row = out + (long)(j < m ? n - m + j : j - m) * n;
        for (int i = 0; i < n; ++i)
            row[i] = i == j;
        for (int k = m - 1; k >= 0; --k) {
            double sum = 0.0;
            for (int i = k; i < n; ++i)
                sum += turned[i * m + k] * row[i];
            for (int i = k; i < n; ++i)
                row[i] -= along[k] * sum * turned[i * m + k];
        }
    }
    return 0;
}

/* Choose the dependent coordinates: those of the largest columns of J (m, n), each orthogonalized against
   the chosen ones; of columns that are equal up to round-off, the first. left, (m, n), and sums, (n,), are
   workspace. Returns 0, or 1 if rows are dependent. */
static inline int ff_dependent(int m, int n, const double *restrict J, double *restrict left,
                               double *restrict sums, int *restrict depends)
{
    double first = 0.0;
    memcpy(left, J, (size_t)m * (size_t)n * sizeof(double));
    memset(depends, 0, (size_t)n * sizeof(int));
    for (int k = 0; k < m; ++k) {
        double largest = 0.0;
        int pivot = -1;
        memset(sums, 0, (size_t)n * sizeof(double));
        for (int i = 0; i < m; ++i)
            for (int j = 0; j < n; ++j)
                sums[j] += left[(long)i * n + j] * left[(long)i * n + j];
        for (int j = 0; j < n; ++j)
            if (!depends[j] && sums[j] * (1.0 - FF_EQUAL) > largest) {
                largest = sums[j];
                pivot = j;
            }
        first = k ? first : sqrt(largest);
        if (pivot < 0 || !(sqrt(largest) >= FF_INDEPENDENT * first))
            return 1;
        depends[pivot] = 1;
        memset(sums, 0, (size_t)n * sizeof(double));
        for (int i = 0; i < m; ++i)
            for (int j = 0; j < n; ++j)
                sums[j] += left[(long)i * n + pivot] * left[(long)i * n + j];
        for (int i = 0; i < m; ++i) {
            const double factor = left[(long)i * n + pivot] / largest;
            for (int j = 0; j < n; ++j)
                left[(long)i * n + j] -= factor * sums[j];
        }
    }
    return 0;
}

/* Unit rows [Y; H], with H for the dependent coordinates. */
static inline int ff_independent(int m, int n, const double *restrict J, double *restrict left,
                                 double *restrict sums, int *restrict depends, double *restrict out)
{
    if (m > n || ff_dependent(m, n, J, left, sums, depends))
        return 1;
    memset(out, 0, (size_t)n * (size_t)n * sizeof(double));
    for (int j = 0, free = 0, held = n - m; j < n; ++j)
        out[(long)(depends[j] ? held++ : free++) * n + j] = 1.0;
    return 0;
}

/* The inverse of a matrix (n, n), which is destroyed, by elimination with row exchanges. Returns 0, or 1
   if it is singular. */
static inline int ff_invert(int n, double *restrict matrix, double *restrict out)
{
    memset(out, 0, (size_t)n * (size_t)n * sizeof(double));
    for (int i = 0; i < n; ++i)
        out[i * n + i] = 1.0;
    for (int k = 0; k < n; ++k) {
        int pivot = k;
        for (int i = k + 1; i < n; ++i)
            if (fabs(matrix[i * n + k]) > fabs(matrix[pivot * n + k]))
                pivot = i;
        if (!(fabs(matrix[pivot * n + k]) > 0.0) || !isfinite(matrix[pivot * n + k]))
            return 1;
        for (int j = 0; j < n; ++j) {
            const double left = matrix[k * n + j], right = out[k * n + j];
            matrix[k * n + j] = matrix[pivot * n + j];
            matrix[pivot * n + j] = left;
            out[k * n + j] = out[pivot * n + j];
            out[pivot * n + j] = right;
        }
        for (int i = k + 1; i < n; ++i) {
            const double factor = matrix[i * n + k] / matrix[k * n + k];
            if (factor == 0.0)
                continue;
            for (int j = k; j < n; ++j)
                matrix[i * n + j] -= factor * matrix[k * n + j];
            for (int j = 0; j < n; ++j)
                out[i * n + j] -= factor * out[k * n + j];
        }
    }
    for (int i = n - 1; i >= 0; --i)
        for (int j = 0; j < n; ++j) {
            double value = out[i * n + j];
            for (int l = i + 1; l < n; ++l)
                value -= matrix[i * n + l] * out[l * n + j];
            out[i * n + j] = value / matrix[i * n + i];
        }
    return 0;
}

/* Results for a cluster: D (n, m); A, A' and A'' (n, n - m) each. */
typedef struct {
    double *D, *A;
} ff_tie_parts;

/* D and A of a cluster, and optionally rates of A. Returns 0, or 1 if singular. */
static inline int ff_tie_cluster(const ff_cluster *c, const double *choice, const double *const *data,
                                 int rates, double *work, ff_tie_parts *out)
{
    const int m = c->rows, n = c->columns, r = n - m;
    const size_t mn = (size_t)m * (size_t)n, nr = (size_t)n * (size_t)r;
    const double *Y = choice, *H = choice + (long)r * n;
    double *J = work, *U = J + 3 * mn, *matrix = U + (size_t)m * (size_t)m;
    double *D = matrix + (size_t)m * (size_t)m, *B = D + mn, *A = B + mn;
    for (int k = 0; k <= (rates ? 2 : 0); ++k)
        ff_cluster_entries(c, data[k], J + (size_t)k * mn);
    ff_product(m, n, m, 1.0, J, H, 1, matrix);
    if (ff_invert(m, matrix, U))
        return 1;
    /* B in the memory of A', then A = Y^T - H^T B. */
    double *first = A + nr, *second = first + nr;
    ff_product(m, n, r, 1.0, J, Y, 1, B);
    ff_product(m, m, r, 1.0, U, B, 0, first);
    for (int j = 0; j < n; ++j)
        for (int k = 0; k < r; ++k) {
            double value = Y[(long)k * n + j];
            for (int i = 0; i < m; ++i)
                value -= H[(long)i * n + j] * first[(long)i * r + k];
            A[(long)j * r + k] = value;
        }
    for (int j = 0; j < n; ++j)
        for (int k = 0; k < m; ++k) {
            double value = 0.0;
            for (int i = 0; i < m; ++i)
                value += H[(long)i * n + j] * U[i * m + k];
            D[(long)j * m + k] = value;
        }
    if (rates) {
        ff_product(m, n, r, 1.0, J + mn, A, 0, B);
        ff_product(n, m, r, -1.0, D, B, 0, first);
        ff_product(m, n, r, 2.0, J + mn, first, 0, B);
        ff_product(m, n, r, 1.0, J + 2 * mn, A, 0, second); /* uses m <= n rows of it as workspace */
        for (long k = 0; k < (long)m * r; ++k)
            B[k] += second[k];
        ff_product(n, m, r, -1.0, D, B, 0, second);
    }
    out->D = D;
    out->A = A;
    return 0;
}

/* Norm of the largest column of A, (n, r). */
static inline double ff_tie_size(int n, int r, const double *A)
{
    double largest = 1.0;
    for (int k = 0; k < r; ++k) {
        double square = 0.0;
        for (int j = 0; j < n; ++j)
            square += A[(long)j * r + k] * A[(long)j * r + k];
        largest = fmax(largest, square);
    }
    return sqrt(largest);
}

/* Choose the speeds for entries of J. */
static inline int ff_choose(const ff_ties *t, const double *J, double *restrict choice, double *work,
                            int *ints)
{
    for (int k = 0; k < t->clusters; ++k) {
        const ff_cluster *c = t->cluster + k;
        const int m = c->rows, n = c->columns;
        double *dense = work, *room = work + (long)m * n, *along = room + (long)m * n;
        double *own = choice + c->choice;
        const double *data[1] = {J};
        ff_tie_parts parts;
        ff_cluster_entries(c, J, dense);
        if (t->independent || n > FF_MOST_DENSE ? ff_independent(m, n, dense, room, along, ints, own)
                                                : ff_null_space(m, n, dense, room, along, own))
            return FF_TIES_DEPENDENT;
        if (ff_tie_cluster(c, own, data, 0, work, &parts))
            return FF_TIES_DEPENDENT;
        own[(long)n * n] = ff_tie_size(n, n - m, parts.A);
    }
    return FF_TIED;
}

/* Set the entries of A, A' and A'' (3, nnz) from those of J, J' and J'' (3, entries). */
static inline int ff_tie(const ff_ties *t, const double *choice, const double *data,
                         double *restrict free, double *work)
{
    const long all = t->pointers[t->n];
    const double *levels[3] = {data, data + t->entries, data + 2L * t->entries};
    int found = FF_TIED;
    for (int k = 0; k < t->alone; ++k) {
        const long at = t->pointers[t->lone[k]];
        free[at] = 1.0;
        free[all + at] = free[2 * all + at] = 0.0;
    }
    for (int k = 0; k < t->clusters; ++k) {
        const ff_cluster *c = t->cluster + k;
        const int n = c->columns, r = n - c->rows;
        const double *own = choice + c->choice;
        ff_tie_parts parts;
        if (ff_tie_cluster(c, own, levels, 1, work, &parts))
            return FF_TIES_DEPENDENT;
        if (!(ff_tie_size(n, r, parts.A) <= FF_GROWN * own[(long)n * n]))
            found = FF_TIES_GROWN;
        for (int order = 0; order < 3; ++order)
            for (int j = 0; j < n; ++j)
                memcpy(free + order * all + t->pointers[c->column[j]],
                       parts.A + ((long)order * n + j) * r, (size_t)r * sizeof(double));
    }
    return found;
}

/* Set y = Y q for coordinates or one of their rates. */
static inline void ff_speeds(const ff_ties *t, const double *choice, const double *restrict q,
                             double *restrict y)
{
    for (int k = 0; k < t->alone; ++k)
        y[k] = q[t->lone[k]];
    for (int k = 0; k < t->clusters; ++k) {
        const ff_cluster *c = t->cluster + k;
        const int n = c->columns;
        for (int i = 0; i < n - c->rows; ++i) {
            const double *row = choice + c->choice + (long)i * n;
            double value = 0.0;
            for (int j = 0; j < n; ++j)
                value += row[j] * q[c->column[j]];
            y[c->first + i] = value;
        }
    }
}

/* Add Y^T y: coordinates, or their momenta, whose part along the speeds is y. */
static inline void ff_from_speeds(const ff_ties *t, const double *choice, const double *restrict y,
                                  double *restrict q)
{
    for (int k = 0; k < t->alone; ++k)
        q[t->lone[k]] += y[k];
    for (int k = 0; k < t->clusters; ++k) {
        const ff_cluster *c = t->cluster + k;
        for (int i = 0; i < c->columns - c->rows; ++i)
            for (int j = 0; j < c->columns; ++j)
                q[c->column[j]] += choice[c->choice + (long)i * c->columns + j] * y[c->first + i];
    }
}

/* Add a multiple of A y, or of a rate of A times y. */
static inline void ff_reach(const ff_ties *t, const double *restrict free, const double *restrict y,
                            double factor, double *restrict out)
{
    for (int i = 0; i < t->n; ++i)
        for (int k = t->pointers[i]; k < t->pointers[i + 1]; ++k)
            out[i] += factor * free[k] * y[t->columns[k]];
}

/* Multipliers (m,) of the constraints, whose forces J^T times multipliers balance given forces (n,). */
static inline int ff_multipliers(const ff_ties *t, const double *choice, const double *J,
                                 const double *force, double *restrict out, double *work)
{
    const double *data[1] = {J};
    for (int k = 0; k < t->clusters; ++k) {
        const ff_cluster *c = t->cluster + k;
        ff_tie_parts parts;
        if (ff_tie_cluster(c, choice + c->choice, data, 0, work, &parts))
            return FF_TIES_DEPENDENT;
        for (int i = 0; i < c->rows; ++i) {
            double value = 0.0;
            for (int j = 0; j < c->columns; ++j)
                value -= parts.D[(long)j * c->rows + i] * force[c->column[j]];
            out[c->row[i]] = value;
        }
    }
    return FF_TIED;
}

#endif
