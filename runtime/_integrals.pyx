# SPDX-License-Identifier: BSD-3-Clause
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""Integrals of functions of time, and rotations from angular velocities, at any time.

The C code is in ``ff_integrals.h``, ``ff_coordinate.h`` and ``ff_attitude.h``.
"""

from libc.math cimport INFINITY, NAN, isfinite, isnan
from libc.string cimport memcpy

import numpy as np
from flexforge.codegen.errors import InputError

cdef extern from "ff_coordinate.h":
    ctypedef struct ff_jet:
        double value, first, second

    ctypedef struct ff_table:
        pass

    ctypedef struct ff_function:
        ff_jet (*at)(const ff_table *table, double t, const double *inputs) noexcept nogil
        const ff_table *table

    ctypedef struct ff_knot:
        double time, once, twice

    ctypedef struct ff_nodes:
        pass

    ctypedef struct ff_met:
        double largest, undefined
        int unresolved

    ctypedef struct ff_way:
        pass

    enum:
        FF_CHUNKS, FF_MOST_PIECES

    const ff_nodes ff_fine

    ff_jet ff_function_at(ff_function f, double t, const double *inputs) noexcept nogil
    double ff_next(double start, double to, double chunk, int kinks, const double *kink) nogil
    void ff_begin_way(ff_way *way, double start, double to, double chunk) noexcept nogil
    int ff_move_piece(ff_way *way, ff_knot *knot, ff_function f, const double *inputs,
                      ff_met *met) noexcept nogil
    void ff_rule(const ff_nodes *rule, ff_function f, const double *inputs, double middle,
                 double length, double *once, double *moment, ff_met *met) noexcept nogil
    void ff_add_interval(ff_knot *knot, double end, double once, double moment) noexcept nogil
    ff_jet ff_prescribed(int given, double position, double velocity, double t, ff_jet f,
                         ff_knot integrals) noexcept nogil

cdef extern from "ff_attitude.h":
    ctypedef struct ff_attitude:
        double q[4]
        double time

    void ff_of_quaternion(const double *q, double *R) noexcept nogil
    void ff_about_axis(const double *axis, double angle, double *R) noexcept nogil
    void ff_turn_twice(ff_attitude *a, const ff_function *w, const double *inputs, double to,
                       ff_met *met) noexcept nogil
    int ff_turn_piece(ff_way *way, ff_attitude *a, const ff_function *w, const double *inputs,
                      ff_met *met) noexcept nogil

ctypedef ff_jet (*value_function)(const ff_table *table, double t,
                                  const double *inputs) noexcept nogil

#: Number of pieces in which the relevant time is integrated.
CHUNKS = FF_CHUNKS


def about_axis(const double[::1] axis, const double[:] angles):
    """Return the rotation matrices about a unit axis for angles (T,), (T, 3, 3), rad."""
    found = np.empty((angles.shape[0], 3, 3))
    cdef double[:, :, ::1] out = found
    cdef Py_ssize_t k
    for k in range(angles.shape[0]):
        ff_about_axis(&axis[0], angles[k], &out[k, 0, 0])
    return found


cdef class Integrals:
    """Integrals of a function of time from zero, once and twice.

    Time is cut into chunks, and chunks into pieces, independently of the requested times, so that
    results do not depend on earlier requests. The knots between pieces are stored, and one rule
    from the last knot to ``t`` gives the integrals at ``t``, to about 1e-13 of the function's
    magnitude in the relevant time.

    Parameters
    ----------
    function : Function
        A function of time and of inputs.
    inputs : ndarray, (4 i,)
        Values of the inputs.
    chunk : float
        Longest piece, s, within the time of the analysis.
    breaks : sequence of float
        Times at which the function or a derivative jumps, as far as known.
    refuse : callable
        Called with a time at which the function is not finite; it raises an error.

    Attributes
    ----------
    largest : float
        Largest magnitude of the function found so far.
    """

    cdef object function
    cdef ff_function f
    cdef const double[::1] inputs
    cdef const double[::1] breaks
    cdef int kinks
    cdef double chunk
    cdef object refuse
    cdef _Knots ahead, behind
    cdef readonly double largest

    def __init__(self, function, inputs, double chunk, breaks, refuse):
        self.function, self.chunk, self.refuse = function, chunk, refuse
        self.f = _function(function, inputs)
        self.kinks = len(breaks)
        self.inputs, self.breaks = np.append(inputs, 0.0), np.append(breaks, 0.0)  # never empty
        self.ahead, self.behind = _Knots([0.0] * 3), _Knots([0.0] * 3)
        self.largest = 0.0

    def at(self, t):
        """Return both integrals from zero at times, (..., 2)."""
        time = np.asarray(t, dtype=np.float64)
        return self._at(time.ravel())[:, 1:].reshape(*time.shape, 2)

    def prescribed(self, t, int given, double position, double velocity):
        """Return position, velocity and acceleration at times, (..., 3), and whether all are finite.

        Parameters
        ----------
        t : ndarray
            Times, s.
        given : int
            Kind of the function: the velocity (1) or the acceleration (2).
        position, velocity : float
            Values at time zero.
        """
        time = np.asarray(t, dtype=np.float64)
        found = np.empty((*time.shape, 3))
        cdef double[:, ::1] out = found.reshape(-1, 3), knots = self._at(time.ravel())
        cdef Py_ssize_t k
        cdef bint finite = True
        cdef ff_jet f
        with nogil:
            for k in range(out.shape[0]):
                f = ff_function_at(self.f, knots[k, 0], &self.inputs[0])
                f = ff_prescribed(given, position, velocity, knots[k, 0], f,
                                  ff_knot(knots[k, 0], knots[k, 1], knots[k, 2]))
                out[k, 0], out[k, 1], out[k, 2] = f.value, f.first, f.second
                if not (isfinite(f.value) and isfinite(f.first) and isfinite(f.second)):
                    finite = False
        return found, finite

    cdef _at(self, const double[::1] times):
        """Times of the knots with both integrals, (T, 3)."""
        cdef double first = 0.0, last = 0.0, middle
        cdef Py_ssize_t k
        for k in range(times.shape[0]):
            first, last = min(first, times[k]), max(last, times[k])
        self._reach(self.ahead, last)
        self._reach(self.behind, first)
        found = np.empty((times.shape[0], 3))
        cdef double[:, ::1] out = found
        cdef const double *rows
        cdef ff_met met = ff_met(0.0, NAN, 0)
        cdef ff_knot knot
        cdef double once, moment
        with nogil:
            for k in range(times.shape[0]):
                rows = self.ahead.before(times[k]) if times[k] >= 0.0 else self.behind.before(times[k])
                knot = ff_knot(rows[0], rows[1], rows[2])
                if knot.time != times[k]:
                    middle = knot.time + 0.5 * (times[k] - knot.time)
                    ff_rule(&ff_fine, self.f, &self.inputs[0], middle, times[k] - knot.time, &once,
                            &moment, &met)
                    ff_add_interval(&knot, times[k], once, moment)
                out[k, 0], out[k, 1], out[k, 2] = knot.time, knot.once, knot.twice
        if not isnan(met.undefined):
            self.refuse(met.undefined)
        return found

    cdef _reach(self, _Knots knots, double t):
        """Find the knots of further chunks until they reach a time."""
        cdef ff_way way
        cdef ff_met met
        cdef const double *last = knots.last()
        cdef ff_knot knot = ff_knot(last[0], last[1], last[2])
        cdef double start, end
        cdef Py_ssize_t count
        while abs(knot.time) < abs(t):
            start, count = knot.time, knots.count
            end = ff_next(start, INFINITY if t > 0.0 else -INFINITY, self.chunk, self.kinks,
                          &self.breaks[0])
            met = ff_met(0.0, NAN, 0)
            ff_begin_way(&way, start, end, self.chunk)
            while ff_move_piece(&way, &knot, self.f, &self.inputs[0], &met):
                knots.add(&knot.time)
            knots.add(&knot.time)
            if not isnan(met.undefined):
                knots.count = count  # so that the next request is refused too
                self.refuse(met.undefined)
            if met.unresolved:
                knots.count = count
                raise InputError(
                    "found a function that varies too fast to be integrated between "
                    f"t = {min(start, end):.6g} and {max(start, end):.6g} s; expected one that "
                    f"{FF_MOST_PIECES} pieces resolve"
                )
            self.largest = max(self.largest, met.largest)


cdef class Attitudes:
    """Rotation of a frame from its angular velocity, the identity at time zero.

    Knots between pieces are stored, like those of integrals.

    Parameters
    ----------
    functions : sequence of three Function
        Angular velocity in components of the frame, of time and of inputs, rad/s.
    inputs : ndarray, (4 i,)
        Values of the inputs of all three.
    chunk : float
        Longest piece, s, within the time of the analysis.
    breaks : sequence of float
        Times at which it or a derivative jumps, as far as known.
    refuse : callable
        Called with a time at which it is not finite; it raises an error.
    """

    cdef tuple functions
    cdef ff_function w[3]
    cdef const double[::1] inputs
    cdef const double[::1] breaks
    cdef int kinks
    cdef double chunk
    cdef object refuse
    cdef _Knots ahead, behind

    def __init__(self, functions, inputs, double chunk, breaks, refuse):
        self.functions, self.chunk, self.refuse = tuple(functions), chunk, refuse
        for i, one in enumerate(self.functions):
            self.w[i] = _function(one, inputs)
        self.kinks = len(breaks)
        self.inputs, self.breaks = np.append(inputs, 0.0), np.append(breaks, 0.0)  # never empty
        start = [0.0, 1.0, 0.0, 0.0, 0.0]
        self.ahead, self.behind = _Knots(start), _Knots(start)

    def over(self, const double[::1] times):
        """Return the rotation matrices at times, from components of the frame, (T, 3, 3)."""
        found = np.empty((times.shape[0], 3, 3))
        cdef double[:, :, ::1] out = found
        cdef ff_met met = ff_met(0.0, NAN, 0)
        cdef ff_attitude attitude
        cdef _Knots knots
        cdef Py_ssize_t k
        for k in range(times.shape[0]):
            knots = self.ahead if times[k] >= 0.0 else self.behind
            self._reach(knots, times[k])
            attitude = _attitude(knots.before(times[k]))
            if attitude.time != times[k]:
                ff_turn_twice(&attitude, self.w, &self.inputs[0], times[k], &met)
            ff_of_quaternion(attitude.q, &out[k, 0, 0])
        if not isnan(met.undefined):
            self.refuse(met.undefined)
        return found

    cdef _reach(self, _Knots knots, double t):
        """Find the knots of further chunks until they reach a time."""
        cdef ff_way way
        cdef ff_met met
        cdef ff_attitude attitude = _attitude(knots.last())
        cdef double start, end
        cdef Py_ssize_t count
        while abs(attitude.time) < abs(t):
            start, count = attitude.time, knots.count
            end = ff_next(start, INFINITY if t > 0.0 else -INFINITY, self.chunk, self.kinks,
                          &self.breaks[0])
            met = ff_met(0.0, NAN, 0)
            ff_begin_way(&way, start, end, self.chunk)
            while ff_turn_piece(&way, &attitude, self.w, &self.inputs[0], &met):
                knots.turn(&attitude)
            knots.turn(&attitude)
            if not isnan(met.undefined):
                knots.count = count  # so that the next request is refused too
                self.refuse(met.undefined)
            if met.unresolved:
                knots.count = count
                raise InputError(
                    f"found an angular velocity, up to {met.largest:.3g} rad/s, that varies too "
                    "fast to be integrated, or turns too far, between "
                    f"t = {min(start, end):.6g} and {max(start, end):.6g} s; expected one that "
                    f"{FF_MOST_PIECES} pieces of at most a radian resolve"
                )


cdef ff_function _function(function, inputs):
    """Return the evaluator of a function, valid while the function lives."""
    function.require(1, len(inputs))
    cdef ff_function found
    at, table = function.address
    found.at, found.table = <value_function><size_t>at, <const ff_table *><size_t>table
    return found


cdef ff_attitude _attitude(const double *row) noexcept nogil:
    cdef ff_attitude found
    memcpy(found.q, row + 1, sizeof(found.q))
    found.time = row[0]
    return found


cdef class _Knots:
    """Rows of a time and the values there, for one direction from zero."""

    cdef double[:, ::1] rows
    cdef Py_ssize_t count

    def __init__(self, start):
        rows = np.zeros((128, len(start)))
        rows[0] = start
        self.rows, self.count = rows, 1

    cdef const double *last(self) noexcept nogil:
        return &self.rows[self.count - 1, 0]

    cdef const double *before(self, double t) noexcept nogil:
        """The last knot on the way from zero that is not beyond a time."""
        cdef Py_ssize_t low = 0, high = self.count, center
        while high - low > 1:
            center = (low + high) // 2
            if abs(self.rows[center, 0]) <= abs(t):
                low = center
            else:
                high = center
        return &self.rows[low, 0]

    cdef int add(self, const double *row) except -1:
        cdef Py_ssize_t k = self.count
        if k == self.rows.shape[0]:
            self.rows = np.concatenate([self.rows, np.zeros_like(self.rows)])
        memcpy(&self.rows[k, 0], row, self.rows.shape[1] * sizeof(double))
        self.count += 1
        return 0

    cdef int turn(self, const ff_attitude *attitude) except -1:
        """Add an attitude."""
        cdef double row[5]
        row[0] = attitude.time
        memcpy(row + 1, attitude.q, sizeof(attitude.q))
        return self.add(row)
