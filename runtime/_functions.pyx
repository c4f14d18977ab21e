# SPDX-License-Identifier: BSD-3-Clause
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""Functions of time or of place as tables, evaluated by what exported solvers are printed from.

What is computed is in ``ff_time.h`` (operations), ``ff_functions.h`` (tables), ``ff_integrals.h`` and
``ff_coordinate.h``.
"""

from libc.math cimport INFINITY, NAN, isfinite, isnan

import numpy as np
from flexforge.codegen.errors import InputError

cdef extern from "ff_functions.h":
    ctypedef struct ff_jet:
        double value, first, second

    ctypedef struct ff_instruction:
        int code, at, count

    ctypedef struct ff_table:
        int length
        const ff_instruction *program
        const double *constants

    ctypedef struct ff_function:
        ff_jet (*at)(const ff_table *table, double t, const double *inputs) noexcept nogil
        const ff_table *table

    ctypedef struct ff_operation:
        const char *name
        int operands

    enum:
        FF_CODES, FF_STACK

    ff_operation ff_operation_of(int code) nogil
    ff_jet ff_interpret(const ff_table *table, const ff_jet *variables,
                        const double *inputs) noexcept nogil
    ff_jet ff_interpret_at(const ff_table *table, double t, const double *inputs) noexcept nogil

cdef extern from "ff_coordinate.h":
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

    double ff_next(double start, double to, double chunk, int kinks, const double *kink) nogil
    void ff_begin_way(ff_way *way, const ff_knot *knot, double to) noexcept nogil
    int ff_move_piece(ff_way *way, ff_knot *knot, ff_function f, const double *inputs,
                      ff_met *met) noexcept nogil
    void ff_rule(const ff_nodes *rule, ff_function f, const double *inputs, double middle,
                 double length, double *once, double *moment, ff_met *met) noexcept nogil
    void ff_add_interval(ff_knot *knot, double end, double once, double moment) noexcept nogil
    ff_jet ff_prescribed(int given, double position, double velocity, double t, ff_jet f,
                         ff_knot integrals) noexcept nogil


def _operations():
    cdef int code
    return {ff_operation_of(code).name.decode(): (code, ff_operation_of(code).operands)
            for code in range(FF_CODES)}


#: Number of every operation, and how many operands it takes.
OPERATIONS = _operations()
#: Pieces in which the time that matters is integrated.
CHUNKS = FF_CHUNKS


cdef class Function:
    """A function of variables and of inputs: a program for a stack machine, and its constants.

    Parameters
    ----------
    code : sequence of (str, int, int)
        Names of operations, each with the variable or input that it is, or where its constants
        begin, and how many these are.
    constants : sequence of float
        What the program refers to.

    Attributes
    ----------
    code : tuple
        As given.
    constants : ndarray
        As given.

    Raises
    ------
    ValueError
        If the program is none.
    """

    cdef readonly tuple code
    cdef readonly object constants
    cdef const int[:, ::1] _program
    cdef const double[::1] _numbers
    cdef ff_table table
    cdef Py_ssize_t variables, inputs  # that it needs

    def __init__(self, code, constants=()):
        self.code = tuple(map(tuple, code))
        self.constants = np.array(constants, dtype=np.float64)
        self.constants.flags.writeable = False
        depth = deepest = 0
        for name, at, count in self.code:
            depth += 1 - OPERATIONS[name][1]
            deepest = max(deepest, depth)
            if depth < 1 or at < 0 or count < 0 or count and at + count > len(self.constants):
                raise ValueError(f"found {name} {at} {count}; expected an operation that can be done")
            if name == "variable":
                self.variables = max(self.variables, at + 1)
            if name == "input":
                self.inputs = max(self.inputs, at + 1)
        if depth != 1 or deepest > FF_STACK:
            raise ValueError(
                f"found {depth} results and {deepest} operands; expected 1 and at most {FF_STACK}"
            )
        self._program = np.array(
            [(OPERATIONS[name][0], at, count) for name, at, count in self.code], dtype=np.int32
        )
        self._numbers = np.append(self.constants, 0.0)  # somewhere to point to without any
        self.table.length = len(self.code)
        self.table.program = <const ff_instruction *>&self._program[0, 0]
        self.table.constants = &self._numbers[0]

    def __reduce__(self):
        return Function, (self.code, self.constants)

    def of(self, *code):
        """Return the function that further operations make of this one."""
        return Function((*self.code, *code), self.constants)

    def of_inputs(self, numbers):
        """Return the function whose i-th input is that of the i-th number."""
        return Function(
            [(name, numbers[at] if name == "input" else at, count) for name, at, count in self.code],
            self.constants,
        )

    @property
    def address(self):
        """Addresses of what evaluates it and of its table: an ``ff_function``, while this lives."""
        return <size_t><void *>ff_interpret_at, <size_t>&self.table

    cdef int require(self, Py_ssize_t variables, Py_ssize_t inputs) except -1:
        if self.variables > variables or self.inputs > inputs // 4:
            raise ValueError(
                f"found {variables} variables and {inputs} numbers of inputs; expected "
                f"{self.variables} and {4 * self.inputs}"
            )
        return 0

    def derivative(self, t, int order, const double[::1] inputs not None):
        """Return the derivative of order 0, 1 or 2 at times, and whether all are finite."""
        self.require(1, inputs.shape[0])
        time = np.asarray(t, dtype=np.float64)
        found = np.empty(time.shape)
        cdef const double[::1] times = time.ravel()
        cdef double[::1] out = found.reshape(-1)
        cdef Py_ssize_t k
        cdef bint finite = True
        cdef const double *first = &inputs[0] if inputs.shape[0] else NULL
        cdef ff_jet f
        with nogil:
            for k in range(times.shape[0]):
                f = ff_interpret_at(&self.table, times[k], first)
                out[k] = f.value if order == 0 else f.first if order == 1 else f.second
                if not isfinite(out[k]):
                    finite = False
        return found, finite

    def jets(self, t, const double[::1] inputs not None):
        """Return value and two derivatives at times, (..., 3), and whether all are finite."""
        self.require(1, inputs.shape[0])
        time = np.asarray(t, dtype=np.float64)
        found = np.empty((*time.shape, 3))
        cdef const double[::1] times = time.ravel()
        cdef double[:, ::1] out = found.reshape(-1, 3)
        cdef Py_ssize_t k
        cdef bint finite = True
        cdef const double *first = &inputs[0] if inputs.shape[0] else NULL
        cdef ff_jet f
        with nogil:
            for k in range(times.shape[0]):
                f = ff_interpret_at(&self.table, times[k], first)
                out[k, 0], out[k, 1], out[k, 2] = f.value, f.first, f.second
                if not (isfinite(f.value) and isfinite(f.first) and isfinite(f.second)):
                    finite = False
        return found, finite

    def values(self, const double[:, ::1] variables):
        """Return the values (T,) at variables (V, T), and whether all are finite."""
        self.require(variables.shape[0], 0)
        cdef Py_ssize_t k, i, count = variables.shape[0]
        found = np.empty(variables.shape[1])
        cdef double[::1] out = found
        cdef double[:, ::1] given = np.zeros((count + 1, 3))
        cdef bint finite = True
        with nogil:
            for k in range(out.shape[0]):
                for i in range(count):
                    given[i, 0] = variables[i, k]
                out[k] = ff_interpret(&self.table, <const ff_jet *>&given[0, 0], NULL).value
                if not isfinite(out[k]):
                    finite = False
        return found, finite

    def jet(self, const double[:, ::1] variables):
        """Return the jet (3,) of the function of jets of its variables (V, 3)."""
        self.require(variables.shape[0], 0)
        cdef ff_jet f = ff_interpret(&self.table, <const ff_jet *>&variables[0, 0], NULL)
        return np.array([f.value, f.first, f.second])


cdef class Integrals:
    """Integrals of a function of time from zero, once and twice.

    Time is cut into chunks, and these into pieces, which do not depend on what is asked for. So do
    results. The knots between pieces are kept, and one rule from the last knot to ``t`` gives the
    integrals at ``t``: to about 1e-13 of the function's magnitude.

    Parameters
    ----------
    function : Function
        Of time, and of inputs.
    inputs : ndarray, (4 i,)
        These.
    chunk : float
        Longest piece, s, within the time that matters.
    breaks : sequence of float
        Times at which the function or a derivative jumps, as far as known.
    refuse : callable
        Called with a time at which the function is not finite; it raises an error.

    Attributes
    ----------
    largest : float
        Largest magnitude of the function met so far.
    """

    cdef Function function
    cdef ff_function f
    cdef const double[::1] inputs
    cdef const double[::1] breaks
    cdef int kinks
    cdef double chunk
    cdef object refuse
    cdef _Knots ahead, behind
    cdef readonly double largest

    def __init__(self, Function function, inputs, double chunk, breaks, refuse):
        function.require(1, len(inputs))
        self.function, self.chunk, self.refuse = function, chunk, refuse
        self.f.at = ff_interpret_at
        self.f.table = &function.table
        self.kinks = len(breaks)
        self.inputs, self.breaks = np.append(inputs, 0.0), np.append(breaks, 0.0)  # never empty
        self.ahead, self.behind = _Knots(), _Knots()
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
            What the function is: the velocity (1) or the acceleration (2).
        position, velocity : float
            At time zero.
        """
        time = np.asarray(t, dtype=np.float64)
        found = np.empty((*time.shape, 3))
        cdef double[:, ::1] out = found.reshape(-1, 3), knots = self._at(time.ravel())
        cdef Py_ssize_t k
        cdef bint finite = True
        cdef ff_jet f
        with nogil:
            for k in range(out.shape[0]):
                f = ff_interpret_at(&self.function.table, knots[k, 0], &self.inputs[0])
                f = ff_prescribed(given, position, velocity, knots[k, 0], f,
                                  ff_knot(knots[k, 0], knots[k, 1], knots[k, 2]))
                out[k, 0], out[k, 1], out[k, 2] = f.value, f.first, f.second
                if not (isfinite(f.value) and isfinite(f.first) and isfinite(f.second)):
                    finite = False
        return found, finite

    cdef _at(self, const double[::1] times):
        """Time and both integrals there, (T, 3)."""
        cdef double first = 0.0, last = 0.0, middle
        cdef Py_ssize_t k, low, high, center
        for k in range(times.shape[0]):
            first, last = min(first, times[k]), max(last, times[k])
        self._reach(self.ahead, last)
        self._reach(self.behind, first)
        found = np.empty((times.shape[0], 3))
        cdef double[:, ::1] out = found, ahead = self.ahead.rows, behind = self.behind.rows
        cdef const double *rows
        cdef Py_ssize_t counts[2]
        counts[0], counts[1] = self.behind.count, self.ahead.count
        cdef ff_met met = ff_met(0.0, NAN, 0)
        cdef ff_knot knot
        cdef double once, moment
        with nogil:
            for k in range(times.shape[0]):
                # The last knot on the way from zero that is not beyond the time.
                rows = &ahead[0, 0] if times[k] >= 0.0 else &behind[0, 0]
                low, high = 0, counts[times[k] >= 0.0]
                while high - low > 1:
                    center = (low + high) // 2
                    if abs(rows[3 * center]) <= abs(times[k]):
                        low = center
                    else:
                        high = center
                knot = ff_knot(rows[3 * low], rows[3 * low + 1], rows[3 * low + 2])
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
        cdef ff_knot knot = knots.last()
        cdef double start, end
        cdef Py_ssize_t count
        while abs(knot.time) < abs(t):
            start, count = knot.time, knots.count
            end = ff_next(start, INFINITY if t > 0.0 else -INFINITY, self.chunk, self.kinks,
                          &self.breaks[0])
            met = ff_met(0.0, NAN, 0)
            ff_begin_way(&way, &knot, end)
            while ff_move_piece(&way, &knot, self.f, &self.inputs[0], &met):
                knots.add(knot)
            knots.add(knot)
            if not isnan(met.undefined):
                knots.count = count  # to be refused again when it is asked for again
                self.refuse(met.undefined)
            if met.unresolved:
                knots.count = count
                raise InputError(
                    "found a function that varies too fast to be integrated between "
                    f"t = {min(start, end):.6g} and {max(start, end):.6g} s; expected one that "
                    f"{FF_MOST_PIECES} pieces resolve"
                )
            self.largest = max(self.largest, met.largest)


cdef class _Knots:
    """Rows of time and integrals, of one direction from zero."""

    cdef double[:, ::1] rows
    cdef Py_ssize_t count

    def __init__(self):
        self.rows = np.zeros((128, 3))
        self.count = 1

    cdef ff_knot last(self):
        cdef Py_ssize_t k = self.count - 1
        return ff_knot(self.rows[k, 0], self.rows[k, 1], self.rows[k, 2])

    cdef int add(self, ff_knot knot) except -1:
        cdef Py_ssize_t k = self.count
        if k == self.rows.shape[0]:
            self.rows = np.concatenate([self.rows, np.zeros((k, 3))])
        self.rows[k, 0], self.rows[k, 1], self.rows[k, 2] = knot.time, knot.once, knot.twice
        self.count += 1
        return 0


def chunk_end(double start, double chunk, const double[::1] breaks not None):
    """Return the end of the chunk of time that begins at a time from zero on.

    Parameters
    ----------
    start : float
        A former chunk's end, or 0.
    chunk : float
        Length of a chunk within the time that matters, s.
    breaks : ndarray
        Times at which chunks end.
    """
    return ff_next(start, INFINITY, chunk, len(breaks), &breaks[0] if len(breaks) else NULL)
