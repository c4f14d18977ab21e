# SPDX-License-Identifier: BSD-3-Clause
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""Instances of a model given as tables in memory, with the steps of exported solvers.

The tables are laid out by ``runtime.tables.memory``; steps are those of ``ff_advance.h``.
"""

import numpy as np
from cpython.exc cimport PyErr_CheckSignals
from libc.string cimport memcpy

cdef extern from "ff_works.h":
    ctypedef struct ff_matrices:
        int n, bases

    ctypedef struct ff_multibody:
        pass

    ctypedef struct ff_found:
        const ff_multibody *links
        int speeds

    ctypedef struct ff_model:
        ff_matrices matrices
        const ff_found *found

    ctypedef struct ff_work:
        long factorizations

    ctypedef struct ff_found_work:
        int factorizations, solves, most

    ctypedef struct ff_instance:
        const ff_model *model
        double *state
        double *kept
        double *elastic
        double *viscous
        double *multipliers
        ff_work work
        ff_found_work found
        double *log
        int logged
        int (*accepted)(ff_instance *s) noexcept nogil
        double *works
        double *now

    enum:
        FF_LOGGED
        FF_OK, FF_SINGULAR, FF_UNBOUNDED, FF_UNSETTLED, FF_ENDLESS, FF_CENTRINGS, FF_HALVINGS
        FF_STIFFNESS, FF_DAMPING, FF_UNIT, FF_PRESTRESS, FF_SECTION, FF_HEAT, FF_CIRCULATION
        FF_INERTIA_LOAD, FF_TRANSLATION_LOAD, FF_NODAL_LOAD
        FF_COMPONENT, FF_MAGNITUDE, FF_VON_MISES, FF_PRINCIPAL, FF_REACTION
        FF_JOINT_FORCE, FF_JOINT_MOMENT, FF_MULTIPLIER, FF_COORDINATE, FF_POINT

    const double FF_NO_INERTIA

    size_t ff_size(const ff_model *m) nogil
    size_t ff_states(const ff_model *m) nogil
    size_t ff_place_count(const ff_model *m) nogil
    size_t ff_speed_count(const ff_model *m) nogil
    ff_instance *ff_place(const ff_model *m, void *memory) nogil
    double *ff_places(const ff_instance *s) nogil
    double *ff_second(const ff_instance *s) nogil
    double *ff_expected(const ff_instance *s) nogil
    double *ff_multiplied(const ff_instance *s) nogil
    double *ff_counted(const ff_instance *s) nogil
    int ff_begin(ff_instance *s, double t, const double *places, const double *velocities) nogil
    int ff_evaluate(ff_instance *s, double t) nogil
    int ff_joint_forces(ff_instance *s) nogil
    int ff_take_whole(ff_instance *s, double h, double at) nogil
    int ff_paced(const ff_model *m) nogil
    double *ff_pace(const ff_instance *s) nogil
    double ff_time(const ff_instance *s) nogil
    int ff_take_paced(ff_instance *s, double until) nogil
    enum:
        FF_PREVIOUS, FF_WORKS_ENERGY, FF_WORKS_ERROR, FF_WORKS_LARGEST, FF_WORKS_FASTEST, FF_WORKS_KINETIC
        FF_WORKS_STRAIN, FF_WORKS_REACHED, FF_WORKS_HEAD

    size_t ff_works_doubles(const ff_multibody *m) nogil
    int ff_works_count(const ff_multibody *m) nogil
    int ff_works_begin(ff_instance *s) nogil
    int ff_works_follow(ff_instance *s) noexcept nogil
    void ff_between(ff_instance *s, const double *begin, const double *end, double t, double *out) nogil

#: Numbers of the enumerators that tables name.
CODES = {
    "FF_STIFFNESS": FF_STIFFNESS, "FF_DAMPING": FF_DAMPING, "FF_UNIT": FF_UNIT,
    "FF_PRESTRESS": FF_PRESTRESS, "FF_SECTION": FF_SECTION, "FF_HEAT": FF_HEAT,
    "FF_CIRCULATION": FF_CIRCULATION,
    "FF_INERTIA_LOAD": FF_INERTIA_LOAD, "FF_TRANSLATION_LOAD": FF_TRANSLATION_LOAD,
    "FF_NODAL_LOAD": FF_NODAL_LOAD, "FF_COMPONENT": FF_COMPONENT, "FF_MAGNITUDE": FF_MAGNITUDE,
    "FF_VON_MISES": FF_VON_MISES, "FF_PRINCIPAL": FF_PRINCIPAL, "FF_REACTION": FF_REACTION,
    "FF_JOINT_FORCE": FF_JOINT_FORCE, "FF_JOINT_MOMENT": FF_JOINT_MOMENT,
    "FF_MULTIPLIER": FF_MULTIPLIER, "FF_COORDINATE": FF_COORDINATE, "FF_POINT": FF_POINT,
}
#: Most corrections of an explicit step by Coriolis forces; number of halvings of a step before the
#: mechanism counts as locked; fraction of the largest inertia below which one is round-off.
CENTRINGS, HALVINGS, NO_INERTIA = FF_CENTRINGS, FF_HALVINGS, FF_NO_INERTIA
#: Four of the return codes; functions of time have others.
SINGULAR, UNBOUNDED, UNSETTLED, ENDLESS = FF_SINGULAR, FF_UNBOUNDED, FF_UNSETTLED, FF_ENDLESS
#: Where numbers of works are among those of ``ff_works.h``.
WORKS = {
    "error": FF_WORKS_ERROR, "largest": FF_WORKS_LARGEST, "fastest": FF_WORKS_FASTEST,
    "kinetic": FF_WORKS_KINETIC, "strain": FF_WORKS_STRAIN, "momentum": FF_WORKS_REACHED,
    "works": FF_WORKS_HEAD,
}


cdef class Instance:
    """An instance of a model, with the workspace of its steps.

    A row contains a state: positions, velocities, then all other data in order. Where steps adapt, states are
    those at the times that are asked for, and rows have the two ends of the step over the time behind, each in
    the order of native code. Works that are followed come last, those at the last end of a step.

    Parameters
    ----------
    model : InMemory
        The tables of an ``ff_model``.
    """

    cdef object model
    cdef double[::1] memory
    cdef ff_instance *instance
    cdef Py_ssize_t n, first, states  # numbers of positions and velocities; index of the first
    cdef double[::1] between  # a state between the ends of a step, or empty
    cdef double[::1] log  # time and number of events since the last look
    cdef double[::1] works, now  # works and powers, or empty

    def __init__(self, model):
        cdef const ff_model *m = <const ff_model *><size_t>model.address
        self.model = model
        self.memory = np.zeros(ff_size(m) // sizeof(double) + 1)
        self.instance = ff_place(m, &self.memory[0])
        self.n, self.states = ff_place_count(m) + ff_speed_count(m), ff_states(m)
        self.first = ff_places(self.instance) - self.instance.state
        self.between = np.zeros(self.states if ff_paced(m) else 0)
        self.log = np.zeros(2 * FF_LOGGED)
        self.instance.log = &self.log[0]
        self.works = self.now = np.zeros(0)

    @property
    def width(self):
        """Length of a row."""
        return self.states + 2 * self.between.shape[0] + self.works.shape[0]

    @property
    def followed(self):
        """Number of works in a row, with what they are made of: they are its last."""
        return self.works.shape[0]

    def follow(self, const double[::1] row):
        """Follow works and impulses of links whose motion is found, from the state of a row on.

        Return the row with them.
        """
        cdef ff_instance *s = self.instance
        cdef const ff_multibody *links = s.model.found.links
        self.set(row)
        works = np.zeros(ff_works_doubles(links))
        self.now, self.works = np.zeros(ff_works_count(links)), works
        s.now, s.works, s.accepted = &self.now[0], &self.works[0], ff_works_follow
        if ff_works_begin(s) != FF_OK:
            works[:] = np.nan  # as of a function without a value, which the first step tells
        return np.concatenate([np.asarray(row), works])

    @property
    def time(self):
        """Time reached, s: where steps adapt, that of the last end of a step."""
        return ff_time(self.instance)

    @property
    def pace(self):
        """Index in a row of how steps adapt: length and error of the last ones, numbers taken and
        refused, least and most length.

        It is that of the last end of a step; None where steps do not adapt.
        """
        if not self.between.shape[0]:
            return None
        return 2 * self.states + (ff_pace(self.instance) - self.instance.state)

    @property
    def factorizations(self):
        """Number of matrices factored so far, if it is counted."""
        if self.instance.model.found != NULL:
            return self.instance.found.factorizations
        return self.instance.work.factorizations

    @property
    def solves(self):
        """Solutions so far, and most of a step, for links whose motion is found."""
        return self.instance.found.solves, self.instance.found.most

    @property
    def multiplied(self):
        """Indices in a row of the multipliers and coordinates of links whose motion is found."""
        return (ff_multiplied(self.instance) - self.instance.state,
                ff_counted(self.instance) - self.instance.state)

    def take_events(self):
        """Return the times and numbers of events since the last call, (E, 2), and how many more there were."""
        cdef int count = self.instance.logged, noted = min(count, <int>FF_LOGGED)
        self.instance.logged = 0
        return np.array(self.log[:2 * noted]).reshape(-1, 2), count - noted

    @property
    def second(self):
        """Index of the first acceleration in a row."""
        return ff_second(self.instance) - self.instance.state

    @property
    def expected(self):
        """Index in a row of the predicted coordinates of a step of tied bodies."""
        return ff_expected(self.instance) - self.instance.state

    def begin(self, double t, const double[::1] places, const double[::1] velocities,
              double[::1] row):
        """Start with positions and velocities at a time, s; set the row; return a code."""
        cdef int code = ff_begin(self.instance, t, &places[0], &velocities[0])
        cdef ff_instance *s = self.instance
        if self.between.shape[0]:
            memcpy(s.kept, s.state, self.states * sizeof(double))
            memcpy(&self.between[0], s.state, self.states * sizeof(double))
        self.save(&row[0])
        return code

    def set(self, const double[::1] row):
        """Set the state from a row."""
        cdef double *state = self.instance.state
        cdef const double *values = &row[0]
        cdef size_t size = self.states * sizeof(double)
        cdef Py_ssize_t works = self.works.shape[0]
        if works:
            memcpy(&self.works[0], values + self.states + 2 * self.between.shape[0], works * sizeof(double))
        if self.between.shape[0]:
            memcpy(self.instance.kept, values + self.states, size)
            memcpy(state, values + 2 * self.states, size)
            return
        memcpy(state + self.first, values, self.n * sizeof(double))
        memcpy(state, values + self.n, self.first * sizeof(double))
        memcpy(state + self.first + self.n, values + self.n + self.first,
               (self.states - self.n - self.first) * sizeof(double))

    cdef void save(self, double *row) noexcept nogil:
        cdef const double *state = self.instance.state
        cdef size_t size = self.states * sizeof(double)
        cdef Py_ssize_t works = self.works.shape[0]
        if works:
            memcpy(row + self.states + 2 * self.between.shape[0], &self.works[0], works * sizeof(double))
        if self.between.shape[0]:
            memcpy(row + self.states, self.instance.kept, size)
            memcpy(row + 2 * self.states, state, size)
            state = &self.between[0]
        memcpy(row, state + self.first, self.n * sizeof(double))
        memcpy(row + self.n, state, self.first * sizeof(double))
        memcpy(row + self.n + self.first, state + self.first + self.n,
               (self.states - self.n - self.first) * sizeof(double))

    def run(self, double h, const double[::1] times, double[:, ::1] out, double last=0.0, bint each=True):
        """Take steps to given times; return the number of times reached, and the reason for stopping.

        Parameters
        ----------
        h : float
            Length of the steps, s, unless they adapt.
        times : ndarray, (T,)
            Ends of the steps, s; of steps that adapt, any times.
        out : ndarray, (T, width)
            One row per time, with the state there.
        last : float
            End of the steps that adapt, s.
        each : bool
            Whether states of all times are wanted; otherwise only the first row is set, to the last one.
        """
        cdef Py_ssize_t t, taken = 0
        cdef int code = FF_OK
        with nogil:
            for t in range(times.shape[0]):
                if self.between.shape[0]:
                    code = self.reach(times[t], max(times[t], last))
                else:
                    code = ff_take_whole(self.instance, h, times[t])
                if code:
                    break
                self.save(&out[t if each else 0, 0])
                taken += 1
        return taken, code

    cdef int reach(self, double t, double last) except -1 nogil:
        """Take steps that adapt, up to the last time or less far, until one reaches a time; look at the state there."""
        cdef ff_instance *s = self.instance
        cdef int code, count = 0
        while ff_time(s) < t:
            code = ff_take_paced(s, last)
            if code:
                return code
            count += 1
            if count % 1000 == 0:
                with gil:
                    PyErr_CheckSignals()
        ff_between(s, s.kept, s.state, t, &self.between[0])
        return FF_OK

    @property
    def factors(self):
        """Last evaluated factors of the constant matrices for displacements and velocities, (2, b)."""
        cdef Py_ssize_t bases = self.instance.model.matrices.bases
        found = np.empty((2, bases))
        cdef double[:, ::1] out = found
        if bases:
            memcpy(&out[0, 0], self.instance.elastic, bases * sizeof(double))
            memcpy(&out[1, 0], self.instance.viscous, bases * sizeof(double))
        return found

    def joint_forces(self, double t, double[::1] out):
        """Set the joint forces (m,) of the state at its time, s; return a code."""
        cdef int code = ff_evaluate(self.instance, t)
        if code == FF_OK:
            code = ff_joint_forces(self.instance)
        if code == FF_OK and out.shape[0]:
            memcpy(&out[0], self.instance.multipliers, out.shape[0] * sizeof(double))
        return code
