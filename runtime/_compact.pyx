# SPDX-License-Identifier: BSD-3-Clause
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""Steps of a small system of constant matrices, by the functions that exported solvers carry too.

All that depends on time alone is given for a whole run of steps; see ``runtime.compact``.
"""

import numpy as np
from libc.string cimport memcpy

cdef extern from "ff_status.h":
    int FF_OK, FF_SINGULAR, FF_UNBOUNDED

cdef extern from "ff_frame.h":
    ctypedef struct ff_include:
        double coriolis, euler, centrifugal_stiffness, euler_load, centrifugal_load

    ctypedef struct ff_blocks:
        double stiffness[9]
        double coriolis[9]
        double load[9]
        double centrifugal[9]

    void ff_turning(const double *w, const double *e, const ff_include *counted,
                    ff_blocks *out) nogil
    void ff_units(int dimension, const double *b, double *out) nogil

cdef extern from "ff_step.h":
    ctypedef struct ff_matrices:
        int n, bases, band
        const int *pointers
        const int *columns
        const int *place
        const double *mass
        const double *base
        const int *skew

    ctypedef struct ff_scheme:
        double alpha_m, alpha_f, beta, gamma
        int explicit_steps

    ctypedef struct ff_work:
        long factorizations

    size_t ff_work_doubles(const ff_matrices *m) nogil
    void ff_work_place(const ff_matrices *m, ff_work *work, double *memory, int *pivots) nogil
    int ff_accelerations(const ff_matrices *m, ff_work *work, const double *elastic,
                         const double *viscous, const double *force, double *state) nogil
    int ff_step(const ff_matrices *m, const ff_scheme *s, double h, const double *elastic,
                const double *viscous, const double *force, ff_work *work, double *state) nogil


cdef class Stepper:
    """A system of constant matrices with the memory that its steps take.

    Parameters
    ----------
    pointers, columns : ndarray of int32
        Pattern of the matrices, (n + 1,) and (nnz,).
    place : ndarray of int32, (n,)
        Place of every coordinate in the band matrix.
    band : int
        Half width of its band.
    mass : ndarray, (nnz,)
        The mass matrix.
    bases : ndarray, (b, nnz)
        The matrices that stiffness and damping are combined from.
    skew : ndarray of int32, (b,)
        Which of them are skew.
    scheme : sequence of float
        alpha_m, alpha_f, beta, gamma.
    explicit : bool
        Whether steps are those of central differences.
    """

    cdef ff_matrices matrices
    cdef ff_scheme scheme
    cdef ff_work work
    cdef object kept

    def __init__(self, const int[::1] pointers, const int[::1] columns, const int[::1] place,
                 int band, const double[::1] mass, const double[:, ::1] bases,
                 const int[::1] skew, scheme, bint explicit):
        self.matrices.n, self.matrices.bases, self.matrices.band = len(place), len(bases), band
        self.matrices.pointers, self.matrices.place = &pointers[0], &place[0]
        self.matrices.columns, self.matrices.mass = &columns[0], &mass[0]
        self.matrices.base, self.matrices.skew = &bases[0, 0], &skew[0]
        (self.scheme.alpha_m, self.scheme.alpha_f, self.scheme.beta,
         self.scheme.gamma) = scheme
        self.scheme.explicit_steps = explicit
        cdef double[::1] memory = np.zeros(ff_work_doubles(&self.matrices))
        cdef int[::1] pivots = np.zeros(self.matrices.n, dtype=np.int32)
        self.kept = (pointers, columns, place, mass, bases, skew, memory, pivots)
        ff_work_place(&self.matrices, &self.work, &memory[0], &pivots[0])

    @property
    def factorizations(self):
        """Matrices factored so far."""
        return self.work.factorizations

    def settle(self, const double[::1] elastic, const double[::1] viscous, const double[::1] force,
               double[:, ::1] state):
        """Set the accelerations that balance the forces; return whether there is inertia to do so.

        Parameters
        ----------
        elastic, viscous : ndarray, (b,)
            Factors of the constant matrices.
        force : ndarray, (n,)
            Forces.
        state : ndarray, (4, n)
            Places and velocities, of which accelerations and averaged ones are made.
        """
        return ff_accelerations(&self.matrices, &self.work, &elastic[0], &viscous[0], &force[0],
                                &state[0, 0]) != FF_SINGULAR

    def run(self, double h, const double[:, ::1] elastic, const double[:, ::1] viscous,
            const double[:, ::1] force, double[:, ::1] state, double[:, :, :] out):
        """Take steps, fewer than asked for when the matrix of one is singular, or it is unbounded.

        Returns how many, and whether the next one would go beyond all bounds.

        Parameters
        ----------
        h : float
            Length of a step, s.
        elastic, viscous : ndarray, (T, b)
            Factors of the constant matrices at the end of each step.
        force : ndarray, (T, n)
            Forces then.
        state : ndarray, (4, n)
            q, q', q'' and averaged q'' before the first step; those after the last one, or worse,
            on return.
        out : ndarray, (T, 4, n)
            Those after each step, numbers of one vector side by side.
        """
        cdef Py_ssize_t t, i, taken = 0
        cdef int code = FF_OK
        cdef size_t bytes = sizeof(double) * <size_t>self.matrices.n
        if not state.shape[0] == out.shape[1] == 4 or not state.shape[1] == out.shape[2] == self.matrices.n:
            raise ValueError(f"expected states (4, {self.matrices.n})")
        with nogil:
            for t in range(force.shape[0]):
                code = ff_step(&self.matrices, &self.scheme, h, &elastic[t, 0], &viscous[t, 0],
                               &force[t, 0], &self.work, &state[0, 0])
                if code:
                    break
                for i in range(4):
                    memcpy(&out[t, i, 0], &state[i, 0], bytes)
                taken += 1
        return taken, code == FF_UNBOUNDED


def combined(const double[:, ::1] factors, const double[:, ::1] constants):
    """Return sums of constants (k, n) with factors (T, k), added in their order, (T, n).

    As an exported solver adds them: a library of linear algebra has an order of its own, and
    multiplies and adds in one rounding, which a stiff system makes more of step by step.
    """
    cdef Py_ssize_t t, k, i
    cdef double factor
    found = np.zeros((factors.shape[0], constants.shape[1]))
    cdef double[:, ::1] total = found
    with nogil:
        for t in range(factors.shape[0]):
            for k in range(factors.shape[1]):
                factor = factors[t, k]
                if factor != 0.0:
                    for i in range(constants.shape[1]):
                        total[t, i] += factor * constants[k, i]
    return found


def turning_blocks(const double[:, :] w, const double[:, :] e, terms):
    """Return blocks of the inertia of turning frames, (T, 4, 3, 3).

    Those of displacements, velocities and positions, which the terms that count make, and ``w~ w~``.

    Parameters
    ----------
    w, e : ndarray, (T, 3)
        Angular velocities and accelerations, rad/s and rad/s^2.
    terms : IncludeSpec
        Terms that count.
    """
    cdef Py_ssize_t t, k
    cdef double turn[3]
    cdef double faster[3]
    cdef ff_include counted
    counted.coriolis, counted.euler = terms.coriolis, terms.euler
    counted.centrifugal_stiffness = terms.centrifugal_stiffness
    counted.euler_load, counted.centrifugal_load = terms.euler_load, terms.centrifugal_load
    found = np.empty((w.shape[0], 4, 3, 3))
    cdef double[:, :, :, ::1] out = found
    with nogil:
        for t in range(w.shape[0]):
            for k in range(3):
                turn[k], faster[k] = w[t, k], e[t, k]
            ff_turning(turn, faster, &counted, <ff_blocks *>&out[t, 0, 0, 0])
    return found


def block_units(const double[:, :, ::1] blocks, int dimension):
    """Return the factors of the unit blocks in blocks (T, 3, 3), (T, 2) in the plane, else (T, 9)."""
    cdef Py_ssize_t t
    found = np.empty((blocks.shape[0], 2 if dimension == 2 else 9))
    cdef double[:, ::1] out = found
    with nogil:
        for t in range(blocks.shape[0]):
            ff_units(dimension, &blocks[t, 0, 0], &out[t, 0])
    return found
