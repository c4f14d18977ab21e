# SPDX-License-Identifier: BSD-3-Clause
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""Links whose motion is found by integration: the equations of ``ff_multibody.h``, evaluated."""

import numpy as np

cdef extern from "ff_account.h":
    ctypedef void (*ff_joint)(const double *, const double *, const double *, double *,
                              double *) noexcept nogil

    ctypedef struct ff_linkage:
        int links, joints, rows, equations, coordinates
        const int *ends

    ctypedef struct ff_multibody:
        const ff_linkage *linkage
        int elastic, actuators, most
        const int *first
        const int *squares
        const int *entries
        const int *push_first
        const int *acting_first
        const int *actuator_of
        const int *row_of
        const ff_joint *tangent

    ctypedef struct ff_marker:
        pass

    ctypedef struct ff_deformed:
        pass

    ctypedef struct ff_joint_work:
        double *value
        double *rate
        double *second
        double *entries
        double *force
        double *told
        double *kernel
        ff_marker *pairs

    ctypedef struct ff_accounted:
        const double *frames
        const double *d
        const double *z
        const double *amplitudes
        const double *given
        const double *driven
        const double *multipliers
        const ff_joint_work *joints
        ff_deformed *deformed
        double *room
        double *momenta
        double *forces

    ctypedef struct ff_account:
        double kinetic, strain
        double[6] momentum
        double[6] external

    enum:
        FF_LINK, FF_RIGID, FF_POSE, FF_JOINT_ROW

    int ff_powers(const ff_multibody *m) nogil
    void ff_account_at(const ff_multibody *m, const ff_accounted *at, ff_account *to, double *powers) nogil

    size_t ff_marker_doubles(const ff_multibody *m) nogil
    size_t ff_deformed_doubles(const ff_multibody *m) nogil
    ff_deformed *ff_deformed_place(const ff_multibody *m, double *doubles) nogil

    void ff_retract(const double *pose, const double *step, double *to) nogil
    int ff_most_speeds(const ff_multibody *m) nogil
    const double *ff_stiffened_links(const ff_multibody *m, const double *frames, const double *d,
                                     const double *amplitudes, double *room) nogil
    int ff_all_equations(const ff_multibody *m) nogil
    size_t ff_told_numbers(const ff_multibody *m) nogil
    size_t ff_told_inputs(const ff_multibody *m, int inputs) nogil
    void ff_multibody_formulas(const ff_multibody *m, double t, const double *states, const double *felt,
                               const double *kept, double *inputs, const ff_joint_work *work, double *room) noexcept nogil
    void ff_multibody_controllers(const ff_multibody *m, const double *rate,
                                  const ff_joint_work *work, double *out) nogil

    int ff_all_speeds(const ff_multibody *m) nogil
    int ff_elastic_of(const ff_multibody *m, int link) nogil
    int ff_speeds_of(const ff_multibody *m, int link) nogil
    int ff_speed_number(const ff_multibody *m, int link, int speed) nogil
    int ff_speeds_at(const ff_multibody *m, int joint) nogil
    size_t ff_tangent_doubles(const ff_multibody *m) nogil
    void ff_multibody_frames(const ff_multibody *m, const double *poses, const double *z,
                             const double *rate, double *frames) nogil
    void ff_multibody_forces(const ff_multibody *m, const double *frames, const double *d,
                             const double *z, const double *rate, const double *stiffness,
                             const double *amplitudes, double *out, ff_deformed *deformed,
                             double *room) nogil
    void ff_multibody_reaction(const ff_multibody *m, int joint, const double *frames,
                               const double *d, const double *v, const double *multipliers,
                               const double *told, double *out) nogil
    void ff_multibody_joints(const ff_multibody *m, const double *frames, const double *d,
                             const double *v, const double *near, ff_joint_work *work) nogil
    void ff_multibody_coordinates(const ff_multibody *m, const ff_joint_work *work, const double *rate,
                                  double *out) nogil
    void ff_multibody_efforts(const ff_multibody *m, const double *multipliers,
                              const double *given, const ff_joint_work *work) nogil
    void ff_subtract_efforts(const ff_multibody *m, int j, const ff_joint_work *work,
                             double *out) nogil
    void ff_link_tangent(const ff_multibody *m, int link, const double *d, const double *z,
                         const double *rate, const double *stiffness, const ff_deformed *b,
                         double *by_rate, double *by_speed, double *by_place, double *room) nogil
    void ff_push_tangent(const ff_multibody *m, int push, const double *frames,
                         const double *amplitudes, const double *d, double *by_place) nogil
    int ff_joint_tangent(const ff_multibody *m, int joint, ff_joint elastic, const double *frames,
                          const double *v, const ff_joint_work *work,
                          double *by_speed, double *by_place, double *rates,
                          double *room) nogil

#: Numbers of a pose, of a rigid link's speeds, of a link's state.
POSE, RIGID, LINK = FF_POSE, FF_RIGID, FF_LINK


def retract(const double[::1] poses, const double[::1] steps, double[::1] out):
    """Set out (7 n,) to poses moved by screws (6 n,) in their own components."""
    cdef Py_ssize_t k
    with nogil:
        for k in range(steps.shape[0] // FF_RIGID):
            ff_retract(&poses[FF_POSE * k], &steps[FF_RIGID * k], &out[FF_POSE * k])


cdef class Links:
    """Bodies on links, and the joints between them, with the workspace of their equations.

    Parameters
    ----------
    table : InMemory
        The table of an ``ff_multibody``.
    told : array
        Values of the inputs of formulas.
    """

    cdef ff_multibody *m
    cdef ff_joint_work work
    cdef object table
    cdef ff_deformed *deformed
    cdef double[::1] room, stiffened, inputs, kernel, pairs, integrals
    cdef readonly object frames, value, rate, second, entries, force, told

    def __init__(self, table, const double[::1] told):
        self.table, self.m = table, <ff_multibody *><size_t>table.address
        cdef const ff_linkage *linkage = self.m.linkage
        self.room = np.zeros(ff_tangent_doubles(self.m) + 16 * 144 + self.m.most + 1)
        self.frames = np.zeros((linkage.links, FF_LINK))
        self.value, self.rate, self.second, self.force = np.zeros((4, linkage.rows + 1))
        self.entries = np.zeros(self.m.entries[linkage.rows] + 1)
        self.told = np.zeros(ff_told_numbers(self.m) + 1)
        self.stiffened = np.zeros(self.m.squares[linkage.links] + 1)
        self.inputs = np.zeros(ff_told_inputs(self.m, told.shape[0]) + 1)
        for k in range(told.shape[0]):
            self.inputs[4 * (self.m.most + k)] = told[k]
        cdef double[::1] value = self.value, rate = self.rate, second = self.second
        cdef double[::1] entries = self.entries, force = self.force, numbers = self.told
        self.work.value, self.work.rate, self.work.second = &value[0], &rate[0], &second[0]
        self.work.entries, self.work.force = &entries[0], &force[0]
        self.work.told = &numbers[0]
        self.kernel = np.zeros(FF_JOINT_ROW * linkage.rows + 1)
        self.pairs = np.zeros(ff_marker_doubles(self.m) + 1)
        self.integrals = np.zeros(ff_deformed_doubles(self.m) + 1)
        self.deformed = ff_deformed_place(self.m, &self.integrals[0])
        self.work.kernel, self.work.pairs = &self.kernel[0], <ff_marker *>&self.pairs[0]

    def move(self, const double[::1] poses, const double[::1] d, const double[::1] z,
             const double[::1] rate, const double[::1] near):
        """Set frames of the links, and values, rates, second rates and entries of all rows.

        Parameters
        ----------
        poses : (links * 7,) array
            Origins and quaternions.
        d : (elastic + 1,) array
            Elastic coordinates, and a number that is not used.
        z, rate : (speeds + 1,) array
            All speeds and their rates, and a number that is not used.
        near : (rows + 1,) array
            Values that angles of rows are closest to.
        """
        cdef double[:, ::1] frames = self.frames
        cdef int rigid = FF_RIGID * self.m.linkage.links
        with nogil:
            ff_multibody_frames(self.m, &poses[0], &z[0], &rate[0], &frames[0, 0])
            ff_multibody_joints(self.m, &frames[0, 0], &d[0], &z[rigid], &near[0], &self.work)

    def course(self, const double[:, ::1] poses, const double[:, ::1] d, const double[:, ::1] z,
               const double[:, ::1] rate, const double[:, ::1] near, double[:, :, ::1] frames,
               double[:, :, ::1] coordinates):
        """Set the states of links (T, links, 24) and coordinates of joints (T, coordinates + 1, 3) over time.

        Frames and rows are then those of the last time. Arguments are those of `move`, with a row per time, but
        for ``near``, which has the coordinates (T, coordinates + 1).
        """
        cdef double[:, ::1] last = self.frames
        cdef double[::1] wanted = np.zeros(self.m.linkage.rows + 1)
        cdef Py_ssize_t t
        cdef int k, rigid = FF_RIGID * self.m.linkage.links
        with nogil:
            for t in range(poses.shape[0]):
                for k in range(self.m.linkage.coordinates):
                    wanted[self.m.row_of[k]] = near[t, k]
                ff_multibody_frames(self.m, &poses[t, 0], &z[t, 0], &rate[t, 0], &frames[t, 0, 0])
                ff_multibody_joints(self.m, &frames[t, 0, 0], &d[t, 0], &z[t, rigid], &wanted[0], &self.work)
                ff_multibody_coordinates(self.m, &self.work, &rate[t, 0], &coordinates[t, 0, 0])
        last[:, :] = frames[poses.shape[0] - 1]

    def forces(self, double t, const double[::1] d, const double[::1] z, const double[::1] rate,
               const double[::1] amplitudes, const double[::1] multipliers,
               const double[::1] given, double[::1] out):
        """Set out (speeds + 1,) to what inertia and elasticity need less all forces.

        And to rates of states of controllers less what they are to be. Frames and rows are those of
        the last `move`.

        Parameters
        ----------
        t : float
            Time of the formulas, s.
        amplitudes : array
            Of the loads, and a number that is not used; the following as well.
        multipliers : array
            Of the equations; then what laws keep, and a number that is not used.
        given : array
            Forces of the actuators.
        """
        cdef double[:, ::1] frames = self.frames
        cdef const double *stiffness
        cdef int joint, states = FF_RIGID * self.m.linkage.links + self.m.elastic
        with nogil:
            ff_multibody_formulas(self.m, t, &z[states], &multipliers[0],
                                  &multipliers[0] + ff_all_equations(self.m), &self.inputs[0], &self.work, &self.room[0])
            ff_multibody_efforts(self.m, &multipliers[0], &given[0], &self.work)
            stiffness = ff_stiffened_links(self.m, &frames[0, 0], &d[0], &amplitudes[0],
                                           &self.stiffened[0])
            ff_multibody_forces(self.m, &frames[0, 0], &d[0], &z[0], &rate[0], stiffness,
                                &amplitudes[0], &out[0], self.deformed, &self.room[0])
            for joint in range(self.m.linkage.joints):
                ff_subtract_efforts(self.m, joint, &self.work, &out[0])
            ff_multibody_controllers(self.m, &rate[0], &self.work, &out[0])

    def account(self, const double[::1] d, const double[::1] z, const double[::1] amplitudes,
                const double[::1] given, const double[:, ::1] driven, const double[::1] multipliers):
        """Return energies (2,), powers, momentum and external force (6,) each, where forces were evaluated.

        Parameters
        ----------
        d, z, amplitudes, given, multipliers : array
            Of the last `forces`.
        driven : (drivers + 1, 3) array
            Drivers and their rates.
        """
        cdef double[:, ::1] frames = self.frames
        cdef double[:, ::1] room = np.zeros((2, z.shape[0]))
        cdef double[::1] powers = np.zeros(ff_powers(self.m))
        cdef ff_account found
        cdef ff_accounted at
        at.frames, at.d, at.z, at.amplitudes = &frames[0, 0], &d[0], &z[0], &amplitudes[0]
        at.given, at.driven, at.multipliers = &given[0], &driven[0, 0], &multipliers[0]
        at.joints, at.deformed, at.room = &self.work, self.deformed, &self.room[0]
        at.momenta, at.forces = &room[0, 0], &room[1, 0]
        with nogil:
            ff_account_at(self.m, &at, &found, &powers[0])
        momentum, external = np.empty((2, 6))
        for k in range(6):
            momentum[k], external[k] = found.momentum[k], found.external[k]
        return (found.kinetic, found.strain), np.asarray(powers), momentum, external

    def reactions(self, const double[::1] d, const double[::1] z, const double[::1] multipliers,
                  double[:, ::1] out):
        """Set the reaction of every joint, (joints, 15), in the frames of the last `move`.

        Force and moment of the first link on the second, and the axes of the joint. Those of forces
        between links are of the last `forces`.
        """
        cdef double[:, ::1] frames = self.frames
        cdef int joint
        for joint in range(self.m.linkage.joints):
            ff_multibody_reaction(self.m, joint, &frames[0, 0], &d[0],
                                  &z[FF_RIGID * self.m.linkage.links], &multipliers[0],
                                  self.work.told, &out[joint, 0])

    def tangents_of(self, const double[::1] d, const double[::1] z, const double[::1] rate,
                    const double[::1] amplitudes, double[:, ::1] links, double[:, ::1] joints,
                    double[:, ::1] rates):
        """Set the derivatives of `forces` in blocks; frames, rows, efforts are those of the last.

        Parameters
        ----------
        amplitudes : array
            Of the loads.
        links : (3, blocks + 1) array
            Blocks of all links by rates, speeds, places.
        joints : (2, blocks + 1) array
            Blocks of all joints by speeds and places.
        rates : (actuators + 1, speeds) array
            Derivatives of the rates of the actuators' coordinates by places.
        """
        cdef double[:, ::1] frames = self.frames
        cdef const ff_multibody *m = self.m
        cdef int link, joint, n, first, push, k, side, rigid = FF_RIGID * m.linkage.links
        cdef long at = 0
        cdef double[::1] own_z = np.zeros(self.m.elastic + FF_RIGID)
        cdef double[::1] own_rate = np.zeros(self.m.elastic + FF_RIGID)
        cdef double[:, ::1] watched = np.zeros((m.actuators + 1, ff_most_speeds(m)))
        cdef const double *stiffness = ff_stiffened_links(m, &frames[0, 0], &d[0], &amplitudes[0],
                                                          &self.stiffened[0])
        rates[:, :] = 0.0
        for link in range(m.linkage.links):
            n, first = ff_elastic_of(m, link), m.first[link]
            for k in range(FF_RIGID):
                own_z[k], own_rate[k] = z[FF_RIGID * link + k], rate[FF_RIGID * link + k]
            for k in range(n):
                own_z[FF_RIGID + k] = z[rigid + first + k]
                own_rate[FF_RIGID + k] = rate[rigid + first + k]
            ff_link_tangent(m, link, &d[first], &own_z[0], &own_rate[0],
                            stiffness + m.squares[link], self.deformed + link, &links[0, at],
                            &links[1, at], &links[2, at], &self.room[0])
            for push in range(m.push_first[link], m.push_first[link + 1]):
                ff_push_tangent(m, push, &frames[0, 0], &amplitudes[0], &d[first], &links[2, at])
            at += (FF_RIGID + n) * (FF_RIGID + n)
        at = 0
        for joint in range(m.linkage.joints):
            n = ff_speeds_at(m, joint)
            if not ff_joint_tangent(m, joint, m.tangent[joint], &frames[0, 0], &z[rigid], &self.work,
                                    &joints[0, at], &joints[1, at], &watched[0, 0], &self.room[0]):
                joints[0, at : at + n * n] = 0.0
            at += n * n
            for k in range(m.acting_first[joint], m.acting_first[joint + 1]):
                first = (k - m.acting_first[joint]) * n
                for side in range(2):
                    link = m.linkage.ends[2 * joint + side]
                    for push in range(ff_speeds_of(m, link)):
                        rates[k, ff_speed_number(m, link, push)] += (&watched[0, 0])[first + push]
                    first += ff_speeds_of(m, link)
