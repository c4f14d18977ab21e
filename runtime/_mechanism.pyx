# SPDX-License-Identifier: BSD-3-Clause
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""Kinematic analysis of a mechanism: a whole grid of times without Python in the loop.

The algorithms are in ``ff_linkage.h`` and ``ff_linkage_step.h``, which exported solvers contain too.
"""

from libc.string cimport memcpy

import numpy as np

cdef extern from "ff_linkage_step.h":
    ctypedef void (*ff_joint)(const double *, const double *, const double *, double *,
                              double *) noexcept nogil

    ctypedef struct ff_linkage:
        int links, equations, coordinates, rows
        const double *offsets
        double tolerance

    ctypedef struct ff_linkage_work:
        double *values
        double pivot

    enum:
        FF_LINK, FF_REACHED, FF_SIGN, FF_CLOSED, FF_OPEN, FF_DEAD

    int ff_unknowns(const ff_linkage *m) nogil
    size_t ff_linkage_doubles(const ff_linkage *m) nogil
    size_t ff_linkage_ints(const ff_linkage *m) nogil
    size_t ff_linkage_states(const ff_linkage *m) nogil
    void ff_linkage_place(const ff_linkage *m, ff_linkage_work *work, double *doubles,
                          int *ints) nogil
    double *ff_linkage_frames(const ff_linkage *m, double *state) nogil
    double *ff_linkage_angles(const ff_linkage *m, double *state) nogil
    double *ff_linkage_coordinates(const ff_linkage *m, double *state) nogil
    void ff_linkage_evaluate(const ff_linkage *m, ff_linkage_work *work, const double *frames,
                             const double *angles, const double *driven, double *residual,
                             double *jacobian, double *values, double *found) nogil
    void ff_linkage_move(const ff_linkage *m, double *frames, const double *step) nogil
    int ff_linkage_step(const ff_linkage *m, ff_linkage_work *work, double *state, double t,
                        const double *driven) nogil

cdef extern from "ff_ties.h":
    const double FF_GROWN, FF_INDEPENDENT
    enum:
        FF_MOST_DENSE

    int ff_dependent(int m, int n, const double *J, double *left, double *sums,
                     int *depends) nogil

#: Growth of a column of A at which other speeds are chosen; smallest pivot of J, relative to its
#: largest, above round-off; largest number of coordinates of a cluster for an orthonormal basis of
#: its null space.
GROWN, INDEPENDENT, MOST_DENSE = FF_GROWN, FF_INDEPENDENT, FF_MOST_DENSE
#: Result of a run: all times done, no solution found, singular position.
DONE, OPEN, SINGULAR = FF_CLOSED, FF_OPEN, FF_DEAD


def evaluate(size_t function, const double[::1] markers, const double[::1] parameters,
             const double[:, ::1] states, double[:, ::1] out):
    """Call the kernel of a joint for states of its links (T, 48), one per row."""
    cdef Py_ssize_t t
    with nogil:
        for t in range(states.shape[0]):
            (<ff_joint><void *>function)(
                &markers[0], &parameters[0], &states[t, 0], &out[t, 0], NULL)


def dependent(const double[:, ::1] rows, int[::1] out):
    """Mark dependent coordinates (n,) of constraints J (m, n); return whether J has full rank.

    See :func:`flexforge.runtime.constraints.generalized_speeds.independent`.
    """
    cdef double[:, ::1] left = np.empty_like(rows)
    cdef double[::1] sums = np.empty(rows.shape[1])
    return not ff_dependent(<int>rows.shape[0], <int>rows.shape[1], &rows[0, 0], &left[0, 0],
                            &sums[0], &out[0])


cdef class Equations:
    """The equations of a mechanism, with the workspace of their solution.

    Parameters
    ----------
    linkage : InMemory
        The table of an ``ff_linkage``; the constant values of the equations and the tolerance are
        arguments of the methods.
    """

    cdef ff_linkage linkage
    cdef ff_linkage_work work
    cdef object table
    cdef double[::1] doubles
    cdef int[::1] ints

    def __init__(self, linkage):
        self.table, self.linkage = linkage, (<ff_linkage *><size_t>linkage.address)[0]
        cdef const ff_linkage *m = &self.linkage
        self.doubles = np.zeros(ff_linkage_doubles(m) + 1)
        self.ints = np.zeros(ff_linkage_ints(m) + 1, dtype=np.intc)
        ff_linkage_place(m, &self.work, &self.doubles[0], &self.ints[0])

    @property
    def links(self):
        """Number of links."""
        return self.linkage.links

    @property
    def unknowns(self):
        """Number of unknowns of all links."""
        return ff_unknowns(&self.linkage)

    @property
    def equations(self):
        """Number of equations."""
        return self.linkage.equations

    @property
    def coordinates(self):
        """Number of free coordinates of the joints."""
        return self.linkage.coordinates

    def linearize(self, const double[:, ::1] frames, const double[::1] angles,
                  const double[::1] offsets, const double[:, ::1] driven, double[::1] residual,
                  double[:, ::1] jacobian, double[::1] coordinates, double[::1] angles_found):
        """Compute residuals, Jacobian (both scaled), coordinates and angles for given frames.

        The Jacobian must be zero on entry.
        """
        cdef int c
        self.linkage.offsets = &offsets[0]
        with nogil:
            ff_linkage_evaluate(&self.linkage, &self.work, &frames[0, 0], &angles[0],
                                &driven[0, 0], &residual[0], &jacobian[0, 0], self.work.values,
                                &angles_found[0])
            for c in range(self.linkage.coordinates):
                coordinates[c] = self.work.values[3 * c]

    def move(self, double[:, ::1] frames, const double[::1] step):
        """Move links by a scaled step."""
        with nogil:
            ff_linkage_move(&self.linkage, &frames[0, 0], &step[0])

    def run(self, const double[::1] times, const double[:, :, ::1] driven, double start,
            double[:, ::1] frames, double[::1] angles, const double[::1] offsets, int sign,
            double tolerance, double[:, :, ::1] out, double[:, :, ::1] coordinates,
            double[:, ::1] angles_out):
        """Follow the mechanism through times, from its state at ``start``.

        Parameters
        ----------
        times : (T,) array
            Times, s.
        driven : (T, D, 3) array
            Value, rate and acceleration of every driver.
        start : float
            Time of the state, s.
        frames : (L, 24) array
            State of every link; set to that of the last time done. Accelerations are used to
            predict.
        angles : (R,) array
            Angle of every row of every joint; set to that of the last time done.
        offsets : (E,) array
            Constant values of the equations.
        sign : int
            Sign of the determinant that must not change; 0 takes that of the first time.
        tolerance : float
            Tolerance of the scaled residuals.
        out : (T, L, 24) array
            States.
        coordinates : (T, C, 3) array
            Value, rate and acceleration of every coordinate.
        angles_out : (T, R) array
            Angles.

        Returns
        -------
        done, status, sign : int
            Number of times done; DONE, OPEN or SINGULAR; sign of the determinant.
        pivot : float
            Ratio of the smallest to the largest pivot in the last factorization.
        """
        cdef const ff_linkage *m = &self.linkage
        cdef double[::1] memory = np.zeros(ff_linkage_states(m) + 1)
        cdef double *state = &memory[0]
        cdef Py_ssize_t t = 0, count = times.shape[0]
        cdef size_t links = FF_LINK * <size_t>m.links * sizeof(double)
        cdef size_t rows = <size_t>m.rows * sizeof(double)
        cdef size_t values = 3 * <size_t>m.coordinates * sizeof(double)
        cdef int status = FF_CLOSED
        self.linkage.offsets, self.linkage.tolerance = &offsets[0], tolerance
        state[FF_REACHED], state[FF_SIGN] = start, sign
        memcpy(ff_linkage_frames(m, state), &frames[0, 0], links)
        memcpy(ff_linkage_angles(m, state), &angles[0], rows)
        with nogil:
            while t < count:
                status = ff_linkage_step(m, &self.work, state, times[t], &driven[t, 0, 0])
                if status != FF_CLOSED:
                    break
                memcpy(&out[t, 0, 0], ff_linkage_frames(m, state), links)
                memcpy(&coordinates[t, 0, 0], ff_linkage_coordinates(m, state), values)
                memcpy(&angles_out[t, 0], ff_linkage_angles(m, state), rows)
                t += 1
            memcpy(&frames[0, 0], ff_linkage_frames(m, state), links)
            memcpy(&angles[0], ff_linkage_angles(m, state), rows)
        return t, status, <int>state[FF_SIGN], self.work.pivot
