# SPDX-License-Identifier: BSD-3-Clause
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""Links whose motion is found by integration: the equations of ``ff_multibody.h``, evaluated."""

import numpy as np

cdef extern from "ff_multibody_step.h":
    ctypedef void (*ff_joint)(const double *, const double *, const double *, double *,
                              double *) noexcept nogil

    ctypedef struct ff_linkage:
        int links, joints, rows, equations

    ctypedef struct ff_multibody:
        const ff_linkage *linkage
        int elastic, actuators
        const int *first
        const int *squares
        const int *entries
        const ff_joint *tangent

    ctypedef struct ff_joint_work:
        double *value
        double *rate
        double *second
        double *entries
        double *force

    ctypedef struct ff_found:
        int speeds, rigid, turns, equations
        const int *numbers
        const int *counted
        const int *independent
        double scale, tolerance

    ctypedef struct ff_found_trial:
        double a, b, c
        const double *rate
        const double *speed
        const double *increment
        const double *poses
        const double *d
        const double *stiffness
        const double *amplitudes
        const double *given
        const double *driven

    ctypedef struct ff_found_work:
        ff_joint_work joints
        double *frames
        double *poses
        double *d
        double *z
        double *rate
        double *near
        double *out
        double *multipliers
        double *right
        double *matrix
        double *blocks
        double *watched
        double *tangents
        double *room
        int *pivots
        int factorizations, solves

    enum:
        FF_LINK, FF_RIGID, FF_POSE

    void ff_retract(const double *pose, const double *step, double *to) nogil
    int ff_most_speeds(const ff_multibody *m) nogil
    int ff_found_solve(const ff_multibody *m, const ff_found *f, const ff_found_trial *trial,
                       ff_found_work *w, double *x, double *force, int *places,
                       int *links) nogil

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
    void ff_link_forces(const ff_multibody *m, int link, const double *F, const double *d,
                        const double *v, const double *a, const double *stiffness, double *force,
                        double *elastic, double *room) nogil
    void ff_subtract_pushes(const ff_multibody *m, const double *frames, const double *d,
                            const double *amplitudes, double *out) nogil
    void ff_multibody_reaction(const ff_multibody *m, int joint, const double *frames,
                               const double *d, const double *v, const double *multipliers,
                               double *out) nogil
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
    """

    cdef ff_multibody *m
    cdef ff_joint_work work
    cdef object table
    cdef double[::1] room
    cdef readonly object frames, value, rate, second, entries, force

    def __init__(self, table):
        self.table, self.m = table, <ff_multibody *><size_t>table.address
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

    def momenta(self, const double[::1] d, const double[::1] z, double[::1] out):
        """Set out (speeds + 1,) to the masses times the speeds: momenta in components of links."""
        cdef double state[24]
        cdef int link, k, first, rigid = FF_RIGID * self.m.linkage.links
        cdef double[::1] nothing = np.zeros(np.max(np.diff(self._sizes()), initial=0) + 1)
        cdef double[::1] still = np.zeros(self.m.elastic + 1)
        with nogil:
            for link in range(self.m.linkage.links):
                first = self.m.first[link]
                for k in range(24):
                    state[k] = 0.0
                for k in range(3):
                    state[18 + k] = z[FF_RIGID * link + k]
                    state[21 + k] = z[FF_RIGID * link + 3 + k]
                ff_link_forces(self.m, link, state, &d[first], &still[0], &z[rigid + first],
                               &nothing[0], &out[FF_RIGID * link], &out[rigid + first],
                               &self.room[0])

    def _sizes(self):
        return np.array([self.m.squares[k] for k in range(self.m.linkage.links + 1)])

    def loads(self, const double[::1] d, const double[::1] amplitudes, double[::1] out):
        """Set out (speeds + 1,) to the loads, in the frames of the last `move`."""
        cdef double[:, ::1] frames = self.frames
        out[:] = 0.0
        with nogil:
            ff_subtract_pushes(self.m, &frames[0, 0], &d[0], &amplitudes[0], &out[0])
        for k in range(out.shape[0]):
            out[k] = -out[k]

    def efforts(self, double[::1] out):
        """Set out (speeds + 1,) to what multipliers and actuators of the last `forces` do."""
        out[:] = 0.0
        with nogil:
            ff_subtract_efforts(self.m, &self.work, &out[0])
        for k in range(out.shape[0]):
            out[k] = -out[k]

    def reactions(self, const double[::1] d, const double[::1] z, const double[::1] multipliers,
                  double[:, ::1] out):
        """Set the reaction of every joint, (joints, 15), in the frames of the last `move`.

        Force and moment of the first link on the second, and the axes of the joint.
        """
        cdef double[:, ::1] frames = self.frames
        cdef int joint
        for joint in range(self.m.linkage.joints):
            ff_multibody_reaction(self.m, joint, &frames[0, 0], &d[0],
                                  &z[FF_RIGID * self.m.linkage.links], &multipliers[0],
                                  &out[joint, 0])

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
            ff_joint_tangent(m, joint, m.tangent[joint], &frames[0, 0], &d[0], &z[rigid], &self.work, &joints[0, at], &joints[1, at],
                             &rates[0, 0], &self.room[0])
            n = ff_speeds_at(m, joint)
            at += n * n


cdef class Steps:
    """Newton's method for steps of links whose motion is found, see ``ff_multibody_step.h``.

    Parameters
    ----------
    links : Links
        The equations.
    numbers : (n,) array of int32
        Of the speeds among all speeds, those of links first.
    rigid : int
        How many are those of links.
    counted : (k,) array of int32
        Actuators whose coordinate is an angle that is counted.
    independent : (e,) array of int32
        Equations that do not depend on others.
    scale, tolerance : float
        Size of a large displacement, m; relative error of the unknowns.

    Attributes
    ----------
    factorizations, solves : int
        Work done.
    """

    cdef Links links
    cdef ff_found found
    cdef ff_found_work work
    cdef int[::1] numbers, counted, independent, places, link_of, pivots
    cdef double[::1] memory

    def __init__(self, Links links, const int[::1] numbers, int rigid, const int[::1] counted,
                 const int[::1] independent, double scale, double tolerance):
        cdef const ff_multibody *m = links.m
        cdef int all_speeds = ff_all_speeds(m), most = ff_most_speeds(m)
        self.links = links
        self.numbers = np.append(numbers, 0).astype(np.int32)
        self.counted = np.append(counted, 0).astype(np.int32)
        self.independent = np.append(independent, 0).astype(np.int32)
        self.found.speeds, self.found.rigid = len(numbers), rigid
        self.found.turns, self.found.equations = len(counted), len(independent)
        self.found.numbers, self.found.counted = &self.numbers[0], &self.counted[0]
        self.found.independent = &self.independent[0]
        self.found.scale, self.found.tolerance = scale, tolerance
        size = self.found.speeds + self.found.turns + self.found.equations
        actuators = m.actuators
        sizes = {
            "frames": FF_LINK * m.linkage.links, "poses": FF_POSE * m.linkage.links,
            "d": m.elastic, "z": all_speeds, "rate": all_speeds, "near": m.linkage.rows,
            "out": all_speeds, "multipliers": m.linkage.equations, "right": size,
            "matrix": size * size, "blocks": 3 * most * most + 2 * most + 2 * all_speeds,
            "watched": actuators * all_speeds, "tangents": 36 * m.linkage.links,
            "room": ff_tangent_doubles(m) + 10 * m.elastic + 16 * 144,
            "value": m.linkage.rows, "second": m.linkage.rows, "speed": m.linkage.rows,
            "force": m.linkage.rows, "entries": m.entries[m.linkage.rows],
        }
        at, total = {}, 0
        for name, length in sizes.items():
            at[name], total = total, total + length + 1
        self.memory = np.zeros(total)
        cdef ff_found_work *w = &self.work
        cdef double *base = &self.memory[0]
        w.frames, w.poses, w.d = base + <long>at["frames"], base + <long>at["poses"], base + <long>at["d"]
        w.z, w.rate, w.near = base + <long>at["z"], base + <long>at["rate"], base + <long>at["near"]
        w.out, w.multipliers = base + <long>at["out"], base + <long>at["multipliers"]
        w.right, w.matrix = base + <long>at["right"], base + <long>at["matrix"]
        w.blocks, w.watched = base + <long>at["blocks"], base + <long>at["watched"]
        w.tangents, w.room = base + <long>at["tangents"], base + <long>at["room"]
        w.joints.value, w.joints.rate = base + <long>at["value"], base + <long>at["speed"]
        w.joints.second, w.joints.force = base + <long>at["second"], base + <long>at["force"]
        w.joints.entries = base + <long>at["entries"]
        self.places = np.zeros(all_speeds + most + 1, dtype=np.intc)
        self.link_of = np.zeros(most + 1, dtype=np.intc)
        self.pivots = np.zeros(size + 1, dtype=np.intc)
        w.pivots = &self.pivots[0]

    @property
    def factorizations(self):
        """Number of matrices factored."""
        return self.work.factorizations

    @property
    def solves(self):
        """Number of solutions with their factors."""
        return self.work.solves

    def solve(self, double a, double b, double c, const double[::1] rate, const double[::1] speed,
              const double[::1] increment, const double[::1] poses, const double[::1] d,
              const double[::1] stiffness, const double[::1] amplitudes, const double[::1] given,
              const double[:, ::1] driven, double[::1] unknown, double[::1] force):
        """Solve the equations of a step; return whether they converged.

        Parameters
        ----------
        a, b, c : float
            What a unit of the unknown changes rates, speeds and increments by.
        rate, speed, increment : array
            Of the end of the step if the unknown were zero.
        poses, d : array
            At its beginning; d with a number that is not used, like the following three.
        stiffness, amplitudes, given : array
            Matrices of the links; loads and forces of actuators at the end.
        driven : (drivers or 1, 3) array
            Drivers at the end.
        unknown : (n + k + 1,) array
            The guess, and the solution.
        force : (equations + 1,) array
            Multipliers, likewise.
        """
        cdef ff_found_trial trial
        cdef int status
        trial.a, trial.b, trial.c = a, b, c
        trial.rate, trial.speed, trial.increment = &rate[0], &speed[0], &increment[0]
        trial.poses, trial.d, trial.stiffness = &poses[0], &d[0], &stiffness[0]
        trial.amplitudes, trial.given, trial.driven = &amplitudes[0], &given[0], &driven[0, 0]
        with nogil:
            status = ff_found_solve(self.links.m, &self.found, &trial, &self.work, &unknown[0],
                                    &force[0], &self.places[0], &self.link_of[0])
        return status == 0
