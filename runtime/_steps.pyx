# SPDX-License-Identifier: BSD-3-Clause
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""Steps of small systems of tied bodies, by the functions that exported solvers carry too.

All that depends on time alone is given for a whole run of steps; see ``runtime.compact``. What is
left to a step: what the joints leave free, the combination of the constant matrices, the geometric
stiffness of the state, the matrix of the step in the speeds, and the new state.
"""

from libc.string cimport memcpy

import numpy as np

ctypedef void (*kernel_function)(const double *, const double *, const double *, double *,
                                 double *) noexcept nogil

cdef extern from "ff_status.h":
    int FF_OK, FF_SINGULAR, FF_UNBOUNDED

cdef extern from "ff_tied.h":
    ctypedef struct ff_matrices:
        int n, bases, band
        const int *pointers
        const int *columns
        const int *place
        const double *mass
        const double *base

    ctypedef struct ff_scheme:
        double alpha_m, alpha_f, beta, gamma
        int explicit_steps

    ctypedef struct ff_cluster:
        int rows, columns, first, choice
        const int *row
        const int *column
        const int *entry

    ctypedef struct ff_ties:
        int n, speeds, entries, clusters, alone, choices, independent
        const ff_cluster *cluster
        const int *lone
        const int *pointers
        const int *columns

    ctypedef struct ff_stiffened:
        const int *pointers
        const int *columns
        const double *values

    ctypedef struct ff_tied:
        const ff_matrices *matrices
        const ff_stiffened *stiffened
        const ff_ties *ties

    ctypedef struct ff_tied_work:
        double *left
        double *room
        int *ints

    size_t ff_tied_doubles(const ff_tied *d) nogil
    size_t ff_tied_ints(const ff_tied *d) nogil
    void ff_tied_place(const ff_tied *d, ff_tied_work *w, double *memory, int *ints) nogil
    void ff_tied_matrices(const ff_tied *d, ff_tied_work *w, const double *elastic,
                          const double *viscous, const double *expected) nogil
    void ff_tied_left(const ff_tied *d, ff_tied_work *w, const double *force,
                      const double *state) nogil
    int ff_multipliers(const ff_ties *t, const double *choice, const double *J,
                       const double *force, double *out, double *work) nogil
    int ff_dependent(int m, int n, const double *J, double *left, double *sums,
                     int *depends) nogil
    int ff_choose(const ff_ties *t, const double *J, double *choice, double *work,
                  int *ints) nogil
    int ff_tied_settle(const ff_tied *d, ff_tied_work *w, const double *elastic,
                       const double *viscous, const double *force, const double *rows,
                       double *choice, double *state) nogil
    int ff_tied_step(const ff_tied *d, const ff_scheme *c, double h, const double *elastic,
                     const double *viscous, const double *force, const double *rows,
                     const double *before, double *choice, ff_tied_work *w, double *state) nogil


def evaluate(size_t function, const double[::1] markers, const double[::1] parameters,
             const double[:, ::1] states, double[:, ::1] out):
    """Call the kernel of a joint for states of its links at many times, a row each."""
    cdef Py_ssize_t t
    with nogil:
        for t in range(states.shape[0]):
            (<kernel_function><void *>function)(
                &markers[0], &parameters[0], &states[t, 0], &out[t, 0], NULL)


def dependent(const double[:, ::1] rows, int[::1] out):
    """Set which coordinates (n,) depend by constraints J (m, n); return whether these are independent.

    See :func:`flexforge.runtime.constraints.generalized_speeds.independent`.
    """
    cdef double[:, ::1] left = np.empty_like(rows)
    cdef double[::1] sums = np.empty(rows.shape[1])
    return not ff_dependent(<int>rows.shape[0], <int>rows.shape[1], &rows[0, 0], &left[0, 0],
                            &sums[0], &out[0])


cdef class Tied:
    """A system of tied bodies with the memory that its steps take.

    Parameters
    ----------
    pointers, columns : ndarray of int32
        Pattern of the matrices, (n + 1,) and (nnz,).
    place : ndarray of int32, (s,)
        Place of every speed in the band matrix of a step.
    band : int
        Half width of its band.
    mass : ndarray, (nnz,)
        The mass matrix.
    bases : ndarray, (b, nnz)
        The constant matrices.
    stiffened_pointers, stiffened_columns, stiffened : ndarray
        A sparse matrix (nnz, n): the geometric stiffness that displacements make.
    ties : runtime.compact.ties.Ties
        What ties the coordinates.
    scheme : sequence of float
        alpha_m, alpha_f, beta, gamma.
    """

    cdef ff_matrices matrices
    cdef ff_stiffened stiffened
    cdef ff_ties ties
    cdef ff_tied tied
    cdef ff_scheme scheme
    cdef ff_tied_work work
    cdef object kept
    cdef double[::1] choice_

    def __init__(self, const int[::1] pointers, const int[::1] columns, const int[::1] place,
                 int band, const double[::1] mass, const double[:, ::1] bases,
                 const int[::1] stiffened_pointers, const int[::1] stiffened_columns,
                 const double[::1] stiffened, ties, scheme):
        cdef const int[::1] lone = _some(ties.lone), free_pointers = ties.pointers
        cdef const int[::1] free_columns = _some(ties.columns), of_row, of_column
        cdef const int[:, ::1] of_entry
        cdef unsigned char[::1] memory
        cdef ff_cluster *cluster
        cdef Py_ssize_t k
        self.matrices.n, self.matrices.bases = len(pointers) - 1, len(bases)
        self.matrices.band = band
        self.matrices.pointers, self.matrices.place = &pointers[0], &place[0]
        self.matrices.columns, self.matrices.mass = &columns[0], &mass[0]
        self.matrices.base = &bases[0, 0]
        self.stiffened.pointers = &stiffened_pointers[0]
        if len(stiffened):
            self.stiffened.columns, self.stiffened.values = &stiffened_columns[0], &stiffened[0]
        memory = np.zeros(max(len(ties.clusters), 1) * sizeof(ff_cluster), dtype=np.uint8)
        cluster = <ff_cluster *><void *>&memory[0]
        for k, one in enumerate(ties.clusters):
            of_row, of_column, of_entry = one.rows, one.columns, one.entries
            cluster[k].rows, cluster[k].columns = len(of_row), len(of_column)
            cluster[k].first, cluster[k].choice = one.first, one.choice
            cluster[k].row, cluster[k].column = &of_row[0], &of_column[0]
            cluster[k].entry = &of_entry[0, 0]
        self.ties.n, self.ties.speeds = ties.unknowns, ties.speeds
        self.ties.entries, self.ties.clusters = ties.entries, len(ties.clusters)
        self.ties.alone, self.ties.choices = len(ties.lone), ties.choices
        self.ties.independent, self.ties.cluster = ties.independent, cluster
        self.ties.lone, self.ties.pointers = &lone[0], &free_pointers[0]
        self.ties.columns = &free_columns[0]
        (self.scheme.alpha_m, self.scheme.alpha_f, self.scheme.beta,
         self.scheme.gamma) = scheme
        self.tied.matrices, self.tied.stiffened = &self.matrices, &self.stiffened
        self.tied.ties = &self.ties
        cdef double[::1] doubles = np.zeros(ff_tied_doubles(&self.tied))
        cdef int[::1] ints = np.zeros(ff_tied_ints(&self.tied), dtype=np.int32)
        self.choice_ = np.zeros(max(ties.choices, 1))
        self.kept = (pointers, columns, place, mass, bases, stiffened_pointers, stiffened_columns,
                     stiffened, ties, lone, free_pointers, free_columns, memory, doubles, ints)
        ff_tied_place(&self.tied, &self.work, &doubles[0], &ints[0])

    @property
    def choice(self):
        """What is chosen of the speeds, as `ff_ties.h` keeps it, (choices,)."""
        return np.asarray(self.choice_)[:self.ties.choices].copy()

    @choice.setter
    def choice(self, const double[::1] values):
        self.choice_[:self.ties.choices] = values

    def choose(self, const double[::1] rows):
        """Choose speeds for entries of J; return whether constraints depend on each other."""
        return bool(ff_choose(&self.ties, &rows[0], &self.choice_[0], self.work.room,
                              self.work.ints))

    def settle(self, const double[::1] elastic, const double[::1] viscous,
               const double[::1] force, const double[:, ::1] rows, double[:, ::1] state):
        """Set accelerations that balance the forces; return whether they were found, finite or not.

        Parameters
        ----------
        elastic, viscous : ndarray, (b,)
            Factors of the constant matrices.
        force : ndarray, (n,)
            Forces.
        rows : ndarray, (3, nnz of J)
            Entries of J, J' and J''.
        state : ndarray, (4, n)
            q, q', q'' and the averaged q''.
        """
        return ff_tied_settle(&self.tied, &self.work, &elastic[0], &viscous[0], &force[0],
                              &rows[0, 0], &self.choice_[0], &state[0, 0]) != FF_SINGULAR

    def multipliers(self, const double[::1] elastic, const double[::1] viscous,
                    const double[::1] force, const double[:, ::1] rows,
                    const double[::1] expected, const double[:, ::1] state, double[::1] out):
        """Set the multipliers (m,) of a state; the bodies stiffened by that expected, (n,)."""
        with nogil:
            ff_tied_matrices(&self.tied, &self.work, &elastic[0], &viscous[0], &expected[0])
            ff_tied_left(&self.tied, &self.work, &force[0], &state[0, 0])
            ff_multipliers(&self.ties, &self.choice_[0], &rows[0, 0], self.work.left, &out[0],
                           self.work.room)

    def run(self, double h, const double[:, ::1] elastic, const double[:, ::1] viscous,
            const double[:, ::1] force, const double[:, :, ::1] rows, const double[::1] before,
            double[:, ::1] state, double[:, :, :] out, double[:, :] choices):
        """Take steps, fewer than asked for when one cannot be solved, or it is unbounded.

        Returns how many, and whether the next one would go beyond all bounds.

        Parameters
        ----------
        h : float
            Length of a step, s.
        elastic, viscous : ndarray, (T, b)
            Factors of the constant matrices at the end of each step.
        force : ndarray, (T, n)
            Forces there.
        rows : ndarray, (T, 3, nnz of J)
            Entries of J, J' and J'' there.
        before : ndarray, (n,)
            q one step before the first state.
        state : ndarray, (4, n)
            q, q', q'' and the averaged q'' before the first step; those after the last one, or
            worse, on return.
        out : ndarray, (T, 4, n)
            Those after each step, numbers of one vector side by side.
        choices : ndarray, (T, choices)
            What is chosen of the speeds then.
        """
        cdef Py_ssize_t t, i, taken = 0
        cdef int code = FF_OK
        cdef size_t bytes = sizeof(double) * <size_t>self.matrices.n
        cdef double[::1] last = np.array(before)
        cdef double[::1] now = np.array(state[0])
        with nogil:
            for t in range(force.shape[0]):
                memcpy(&now[0], &state[0, 0], bytes)
                code = ff_tied_step(&self.tied, &self.scheme, h, &elastic[t, 0], &viscous[t, 0],
                                    &force[t, 0], &rows[t, 0, 0], &last[0], &self.choice_[0],
                                    &self.work, &state[0, 0])
                if code:
                    break
                memcpy(&last[0], &now[0], bytes)
                for i in range(4):
                    memcpy(&out[t, i, 0], &state[i, 0], bytes)
                for i in range(self.ties.choices):
                    choices[t, i] = self.choice_[i]
                taken += 1
        return taken, code == FF_UNBOUNDED


def _some(values):
    """Return values, or one where there are none."""
    return values if len(values) else np.zeros(1, dtype=values.dtype)
