# SPDX-License-Identifier: BSD-3-Clause
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""Inertia blocks of rotating frames, by the functions of ``ff_frame.h``."""

import numpy as np

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

def combined(const double[:, ::1] factors, const double[:, ::1] constants):
    """Return sums of constants (k, n) with factors (T, k), added in order, (T, n).

    The order is that of an exported solver: a linear algebra library has a different order, and
    multiplies and adds with a single rounding, a difference that a stiff system amplifies step by
    step.
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
    """Return inertia blocks of rotating frames, (T, 4, 3, 3).

    The blocks are those of displacements, velocities and positions, and ``w~ w~``.

    Parameters
    ----------
    w, e : ndarray, (T, 3)
        Angular velocities and accelerations, rad/s and rad/s^2.
    terms : IncludeSpec
        Terms that are included.
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
    """Return the factors of the unit blocks in blocks (T, 3, 3), (T, 3) in the plane, else (T, 9)."""
    cdef Py_ssize_t t
    found = np.empty((blocks.shape[0], 3 if dimension == 2 else 9))
    cdef double[:, ::1] out = found
    with nogil:
        for t in range(blocks.shape[0]):
            ff_units(dimension, &blocks[t, 0, 0], &out[t, 0])
    return found
