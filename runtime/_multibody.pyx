# SPDX-License-Identifier: BSD-3-Clause
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""Links whose motion is found by integration: the equations of ``ff_multibody.h``, evaluated."""

import numpy as np

cdef extern from "ff_multibody_tangent.h":
    ctypedef void (*ff_joint)(const double *, const double *, const double *, double *,
                              double *) noexcept nogil

    ctypedef struct ff_linkage:
        int links, joints, rows

    ctypedef struct ff_multibody:
        const ff_linkage *linkage
        int elastic
        const int *first
        const int *squares
        const int *entries

    ctypedef struct ff_joint_work:
        double *value
        double *rate
        double *second
        double *entries
        double *force

    enum:
        FF_LINK, FF_RIGID, FF_POSE

    int ff_all_speeds(const ff_multibody *m) nogil
    int ff_elastic_of(const ff_multibody *m, int link) nogil
    int ff_speeds_of(const ff_multibody *m, int link) nogil
    int ff_speeds_at(const ff_multibody *m, int joint) nogil
    size_t ff_tangent_doubles(const ff_multibody *m) nogil
    void ff_multibody_frames(const ff_multibody *m, const double *poses, const double *z,
                             const double *rate, double *frames) nogil
    void ff_multibody_forces(const ff_multibody *m, const double *frames, const double *d,
                             const double *z, const double *rate, const double *stiffness,
                             const double *amplitudes, double *out, double *room) nogil
    void ff_multibody_joints(const ff_multibody *m, const double *frames, const double *d,
                             const double *v, const double *near, ff_joint_work *work) nogil
    void ff_multibody_efforts(const ff_multibody *m, const double *multipliers,
                              const double *given, ff_joint_work *work) nogil
    void ff_subtract_efforts(const ff_multibody *m, const ff_joint_work *work, double *out) nogil
    void ff_link_tangent(const ff_multibody *m, int link, const double *d, const double *z,
                         const double *rate, const double *stiffness, double *by_rate,
                         double *by_speed, double *by_place, double *room) nogil
    void ff_push_tangent(const ff_multibody *m, int push, const double *frames,
                         const double *amplitudes, const double *d, double *by_place) nogil
    void ff_joint_tangent(const ff_multibody *m, int joint, ff_joint elastic, const double *frames,
                          const double *d, const double *v, const ff_joint_work *work,
                          double *by_speed, double *by_place, double *rates,
                          double *room) nogil

#: Numbers of a pose, of a rigid link's speeds, of a link's state.
POSE, RIGID, LINK = FF_POSE, FF_RIGID, FF_LINK


cdef class Links:
    """Bodies on links, and the joints between them, with the workspace of their equations.

    Parameters
    ----------
    table : InMemory
        The table of an ``ff_multibody``.
    tangents : ndarray of uintp, (joints,)
        Addresses of the kernels ``elastic`` of the joints.
    """

    cdef ff_multibody *m
    cdef ff_joint_work work
    cdef object table
    cdef size_t[::1] tangents
    cdef double[::1] room
    cdef readonly object frames, value, rate, second, entries, force

    def __init__(self, table, const size_t[::1] tangents):
        self.table, self.m = table, <ff_multibody *><size_t>table.address
        self.tangents = np.array(tangents)
        cdef const ff_linkage *linkage = self.m.linkage
        self.room = np.zeros(ff_tangent_doubles(self.m) + 10 * self.m.elastic + 16 * 144 + 1)
        self.frames = np.zeros((linkage.links, FF_LINK))
        self.value, self.rate, self.second, self.force = np.zeros((4, linkage.rows + 1))
        self.entries = np.zeros(self.m.entries[linkage.rows] + 1)
        cdef double[::1] value = self.value, rate = self.rate, second = self.second
        cdef double[::1] entries = self.entries, force = self.force
        self.work.value, self.work.rate, self.work.second = &value[0], &rate[0], &second[0]
        self.work.entries, self.work.force = &entries[0], &force[0]

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

    def forces(self, const double[::1] d, const double[::1] z, const double[::1] rate,
               const double[::1] stiffness, const double[::1] amplitudes,
               const double[::1] multipliers, const double[::1] given, double[::1] out):
        """Set out (speeds + 1,) to what inertia and elasticity need less all forces.

        Frames and rows are those of the last `move`.

        Parameters
        ----------
        stiffness : array
            Matrices (n, n) of all links, and a number that is not used; the following as well.
        amplitudes : array
            Of the loads.
        multipliers : array
            Of the equations.
        given : array
            Forces of the actuators.
        """
        cdef double[:, ::1] frames = self.frames
        with nogil:
            ff_multibody_efforts(self.m, &multipliers[0], &given[0], &self.work)
            ff_multibody_forces(self.m, &frames[0, 0], &d[0], &z[0], &rate[0], &stiffness[0],
                                &amplitudes[0], &out[0], &self.room[0])
            ff_subtract_efforts(self.m, &self.work, &out[0])

    def tangents_of(self, const double[::1] d, const double[::1] z, const double[::1] rate,
                    const double[::1] stiffness, const double[::1] amplitudes,
                    const int[:, ::1] pushes, double[:, ::1] links, double[:, ::1] joints,
                    double[:, ::1] rates):
        """Set the derivatives of `forces` in blocks; frames, rows, efforts are those of the last.

        Parameters
        ----------
        pushes : (pushes + 1, 4) array of int
            As of the table; one more row.
        links : (3, blocks + 1) array
            Blocks of all links by rates, speeds, places.
        joints : (2, blocks + 1) array
            Blocks of all joints by speeds and places.
        rates : (actuators + 1, speeds) array
            Derivatives of the rates of the actuators' coordinates by places.
        """
        cdef double[:, ::1] frames = self.frames
        cdef const ff_multibody *m = self.m
        cdef int link, joint, n, first, push, rigid = FF_RIGID * m.linkage.links
        cdef long at = 0
        rates[:, :] = 0.0
        cdef double[::1] own_z = np.zeros(self.m.elastic + FF_RIGID)
        cdef double[::1] own_rate = np.zeros(self.m.elastic + FF_RIGID)
        for link in range(m.linkage.links):
            n, first = ff_elastic_of(m, link), m.first[link]
            for k in range(FF_RIGID):
                own_z[k], own_rate[k] = z[FF_RIGID * link + k], rate[FF_RIGID * link + k]
            for k in range(n):
                own_z[FF_RIGID + k] = z[rigid + first + k]
                own_rate[FF_RIGID + k] = rate[rigid + first + k]
            ff_link_tangent(m, link, &d[first], &own_z[0], &own_rate[0],
                            &stiffness[m.squares[link]], &links[0, at], &links[1, at],
                            &links[2, at], &self.room[0])
            for push in range(pushes.shape[0] - 1):
                if pushes[push, 0] == link:
                    ff_push_tangent(m, push, &frames[0, 0], &amplitudes[0], &d[first],
                                    &links[2, at])
            at += (FF_RIGID + n) * (FF_RIGID + n)
        at = 0
        for joint in range(m.linkage.joints):
            ff_joint_tangent(m, joint, <ff_joint><void *>self.tangents[joint], &frames[0, 0],
                             &d[0], &z[rigid], &self.work, &joints[0, at], &joints[1, at],
                             &rates[0, 0], &self.room[0])
            n = ff_speeds_at(m, joint)
            at += n * n
