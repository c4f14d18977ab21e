# SPDX-License-Identifier: BSD-3-Clause
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""Functions of time or of position as tables, evaluated by the same C code as exported solvers.

The C code is in ``ff_time.h`` (operations) and ``ff_functions.h`` (tables).
"""

from libc.math cimport isfinite

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

    ctypedef struct ff_operation:
        const char *name
        int operands

    enum:
        FF_CODES, FF_STACK

    ff_operation ff_operation_of(int code) nogil
    ff_jet ff_interpret(const ff_table *table, const ff_jet *variables,
                        const double *inputs) noexcept nogil
    ff_jet ff_interpret_at(const ff_table *table, double t, const double *inputs) noexcept nogil

def _operations():
    cdef int code
    return {ff_operation_of(code).name.decode(): (code, ff_operation_of(code).operands)
            for code in range(FF_CODES)}


#: Number of every operation, and its number of operands.
OPERATIONS = _operations()


cdef class Function:
    """A function of variables and of inputs: a program for a stack machine, and its constants.

    Parameters
    ----------
    code : sequence of (str, int, int)
        Names of operations, each with the number of its variable or input, or the start of its
        constants, and their number.
    constants : sequence of float
        Constants of the program.

    Attributes
    ----------
    code : tuple
        As given.
    constants : ndarray
        As given.

    Raises
    ------
    ValueError
        If the program is invalid.
    """

    cdef readonly tuple code
    cdef readonly object constants
    cdef const int[:, ::1] _program
    cdef const double[::1] _numbers
    cdef ff_table table
    cdef Py_ssize_t variables, inputs  # required data

    def __init__(self, code, constants=()):
        self.code = tuple(map(tuple, code))
        self.constants = np.array(constants, dtype=np.float64)
        self.constants.flags.writeable = False
        depth = deepest = 0
        for name, at, count in self.code:
            depth += 1 - OPERATIONS[name][1]
            deepest = max(deepest, depth)
            if depth < 1 or at < 0 or count < 0 or count and at + count > len(self.constants):
                raise ValueError(f"found {name} {at} {count}; expected a valid operation")
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
        self._numbers = np.append(self.constants, 0.0)  # a valid address even if empty
        self.table.length = len(self.code)
        self.table.program = <const ff_instruction *>&self._program[0, 0]
        self.table.constants = &self._numbers[0]

    def __reduce__(self):
        return Function, (self.code, self.constants)

    def of(self, *code):
        """Return the function with further operations applied to this one."""
        return Function((*self.code, *code), self.constants)

    def of_inputs(self, numbers):
        """Return the function whose i-th input is that of the i-th number."""
        return Function(
            [(name, numbers[at] if name == "input" else at, count) for name, at, count in self.code],
            self.constants,
        )

    @property
    def address(self):
        """Addresses of its evaluator and its table, an ``ff_function``, valid while this object lives."""
        return <size_t><void *>ff_interpret_at, <size_t>&self.table

    cpdef int require(self, Py_ssize_t variables, Py_ssize_t inputs) except -1:
        """Raise an error for too few variables or inputs."""
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
        """Return the jet (3,) of the function for jets of its variables (V, 3)."""
        self.require(variables.shape[0], 0)
        cdef ff_jet f = ff_interpret(&self.table, <const ff_jet *>&variables[0, 0], NULL)
        return np.array([f.value, f.first, f.second])
