# SPDX-License-Identifier: BSD-3-Clause
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""Steps of small systems of tied bodies, one after the other without Python in between.

All that depends on time alone is given for a whole run of steps; see ``runtime.compact``. What is
left to a step: the combination of the constant matrices, the geometric stiffness of the state, the
matrix of the step in the speeds, which is factored as a banded one, and the new state.
"""

from cpython.pycapsule cimport PyCapsule_GetName, PyCapsule_GetPointer
from libc.stdint cimport int32_t
from libc.string cimport memset

import numpy as np
from scipy.linalg import cython_lapack

ctypedef void (*kernel_function)(const double *, const double *, const double *, double *,
                                 double *) noexcept nogil
ctypedef void (*banded_function)(int *, int *, int *, int *, double *, int *, int *, double *,
                                 int *, int *) noexcept nogil


cdef void *_pointer(name):
    """Return the address of one of SciPy's LAPACK functions."""
    capsule = cython_lapack.__pyx_capi__[name]
    return PyCapsule_GetPointer(capsule, PyCapsule_GetName(capsule))

cdef banded_function dgbsv = <banded_function>_pointer("dgbsv")


def evaluate(size_t function, const double[::1] markers, const double[::1] parameters,
             const double[:, ::1] states, double[:, ::1] out):
    """Call the kernel of a joint for states of its links at many times, a row each."""
    cdef Py_ssize_t t
    with nogil:
        for t in range(states.shape[0]):
            (<kernel_function><void *>function)(
                &markers[0], &parameters[0], &states[t, 0], &out[t, 0], NULL)


cdef class Layout:
    """Where the numbers of a small system are: its matrices and A, row by row.

    Parameters
    ----------
    pointers, columns : ndarray of int32
        Pattern of the matrices, (n + 1,) and (nnz,).
    free_pointers, free_columns : ndarray of int32
        Pattern of A, (n + 1,) and (nnz of A,); its columns are numbered for a narrow band.
    speeds : int
        Columns of A.
    band : int
        Half width of the band of the matrix of a step.
    """

    cdef readonly int unknowns, speeds, band
    cdef int32_t[::1] pointers, columns, free_pointers, free_columns

    def __init__(self, pointers, columns, free_pointers, free_columns, int speeds, int band):
        self.pointers, self.columns = pointers, columns
        self.free_pointers, self.free_columns = free_pointers, free_columns
        self.unknowns, self.speeds, self.band = len(pointers) - 1, speeds, band


cdef void _along(Layout at, const double *values, const double *y, double *out,
                 double factor) noexcept nogil:
    """Add a multiple of A y."""
    cdef Py_ssize_t i, k
    for i in range(at.unknowns):
        for k in range(at.free_pointers[i], at.free_pointers[i + 1]):
            out[i] += factor * values[k] * y[at.free_columns[k]]


cdef void _combine(const double[:, ::1] bases, const double *factors, double[::1] out,
                   ) noexcept nogil:
    """Add up multiples of matrices."""
    cdef Py_ssize_t b, k
    for b in range(bases.shape[0]):
        if factors[b] != 0.0:
            for k in range(bases.shape[1]):
                out[k] += factors[b] * bases[b, k]


def run(Layout at, const double[::1] mass, const double[:, ::1] bases,
        const double[:, ::1] elastic, const double[:, ::1] viscous, const double[:, ::1] force,
        const int32_t[::1] stiffened_pointers, const int32_t[::1] stiffened_columns,
        const double[::1] stiffened, const double[:, :, ::1] free, const double[::1] scheme,
        const double[::1] before, double[:, ::1] state, double[:, :, ::1] out):
    """Take steps.

    Parameters
    ----------
    at : Layout
        Of the system.
    mass : ndarray, (nnz,)
        The mass matrix.
    bases : ndarray, (b, nnz)
        The constant matrices.
    elastic, viscous : ndarray, (T, b)
        Factors of these in the matrices of displacements and velocities at the end of each step.
    force : ndarray, (T, n)
        Forces there.
    stiffened_pointers, stiffened_columns, stiffened : ndarray
        A sparse matrix (nnz, n): the geometric stiffness that displacements make.
    free : ndarray, (T, 3, nnz of A)
        A, A' and A'' at the end of each step: ``q = A y``, ``q' = A y' + A' y``.
    scheme : ndarray, (8,)
        Step h; weights of a unit of the averaged acceleration in accelerations, velocities and
        positions; ``(1/2 - beta) h^2``, ``(1 - gamma) h``; then alpha_m and alpha_f.
    before : ndarray, (n,)
        q one step before the first state.
    state : ndarray, (4, s)
        y, y', y'' and the averaged y'' before the first step; after the last one on return.
    out : ndarray, (T + 1, 3, n)
        q, q' and q'' before the first step, given, and after each step.

    Returns
    -------
    int
        Steps taken; fewer than asked for when the matrix of one is singular.
    """
    cdef int n = at.unknowns, s = at.speeds, band = at.band, one = 1, info = 0
    cdef int lead = 3 * band + 1
    cdef Py_ssize_t nnz = mass.shape[0], t, i, j, k, a, b, taken = 0
    cdef double h = scheme[0], by_a = scheme[1], by_v = scheme[2], by_q = scheme[3]
    cdef double alpha_m = scheme[6], alpha_f = scheme[7], m, c, e, value
    cdef double[::1] k_values = np.empty(nnz)
    cdef double[::1] c_values = np.empty(nnz)
    cdef double[::1] expected = np.empty(n)
    cdef double[:, ::1] known = np.empty((3, s))
    cdef double[:, ::1] start = np.empty((3, n))
    cdef double[::1] left = np.empty(n)
    cdef double[::1] change = np.empty(s)
    cdef double[::1] matrix = np.empty(lead * s)
    cdef double[:, ::1] entries = np.empty((3, free.shape[2]))
    cdef int32_t[::1] pivots = np.empty(s, dtype=np.int32)
    with nogil:
        for t in range(force.shape[0]):
            # The matrices at the end of the step, stiffened by the state expected there.
            for i in range(n):
                expected[i] = 2.0 * out[t, 0, i] - (out[t - 1, 0, i] if t > 0 else before[i])
            for k in range(nnz):
                value = 0.0
                for j in range(stiffened_pointers[k], stiffened_pointers[k + 1]):
                    value += stiffened[j] * expected[stiffened_columns[j]]
                k_values[k] = value
            memset(&c_values[0], 0, nnz * sizeof(double))
            _combine(bases, &elastic[t, 0], k_values)
            _combine(bases, &viscous[t, 0], c_values)
            # The state at the end if the averaged acceleration were zero.
            for a in range(s):
                known[0, a] = state[0, a] + h * state[1, a] + scheme[4] * state[3, a]
                known[1, a] = state[1, a] + scheme[5] * state[3, a]
                known[2, a] = (alpha_m * state[3, a] - alpha_f * state[2, a]) / (1.0 - alpha_f)
            _state(at, &free[t, 0, 0], &known[0, 0], &start[0, 0])
            for i in range(n):
                value = force[t, i]
                for k in range(at.pointers[i], at.pointers[i + 1]):
                    j = at.columns[k]
                    value -= (k_values[k] * start[0, j] + c_values[k] * start[1, j]
                              + mass[k] * start[2, j])
                left[i] = value
            # What a unit of the averaged acceleration adds to positions, velocities, accelerations.
            for k in range(free.shape[2]):
                entries[0, k] = by_q * free[t, 0, k]
                entries[1, k] = by_v * free[t, 0, k] + by_q * free[t, 1, k]
                entries[2, k] = (by_a * free[t, 0, k] + 2.0 * by_v * free[t, 1, k]
                                 + by_q * free[t, 2, k])
            memset(&matrix[0], 0, lead * s * sizeof(double))
            memset(&change[0], 0, s * sizeof(double))
            for i in range(n):
                for a in range(at.free_pointers[i], at.free_pointers[i + 1]):
                    change[at.free_columns[a]] += free[t, 0, a] * left[i]
                for k in range(at.pointers[i], at.pointers[i + 1]):
                    j = at.columns[k]
                    m, c, e = mass[k], c_values[k], k_values[k]
                    for b in range(at.free_pointers[j], at.free_pointers[j + 1]):
                        value = m * entries[2, b] + c * entries[1, b] + e * entries[0, b]
                        for a in range(at.free_pointers[i], at.free_pointers[i + 1]):
                            matrix[at.free_columns[b] * lead + 2 * band
                                   + at.free_columns[a] - at.free_columns[b]] += (
                                free[t, 0, a] * value)
            dgbsv(&s, &band, &band, &one, &matrix[0], &lead, <int *>&pivots[0], &change[0], &s,
                  &info)
            if info != 0:
                break
            for a in range(s):
                state[0, a] = known[0, a] + by_q * change[a]
                state[1, a] = known[1, a] + by_v * change[a]
                state[2, a] = known[2, a] + by_a * change[a]
                state[3, a] = change[a]
            _state(at, &free[t, 0, 0], &state[0, 0], &out[t + 1, 0, 0])
            taken += 1
    return taken


cdef void _state(Layout at, const double *free, const double *y, double *out) noexcept nogil:
    """Set q, q' and q'' from y, y' and y''."""
    cdef int n = at.unknowns, s = at.speeds
    cdef Py_ssize_t entries = at.free_columns.shape[0]
    memset(out, 0, 3 * n * sizeof(double))
    _along(at, free, y, out, 1.0)
    _along(at, free, y + s, out + n, 1.0)
    _along(at, free + entries, y, out + n, 1.0)
    _along(at, free, y + 2 * s, out + 2 * n, 1.0)
    _along(at, free + entries, y + s, out + 2 * n, 2.0)
    _along(at, free + 2 * entries, y, out + 2 * n, 1.0)
