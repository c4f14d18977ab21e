# SPDX-License-Identifier: BSD-3-Clause
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""Kinematic analysis of a mechanism: a whole grid of times without Python in the loop.

At every time the joints' kernels give residuals, Jacobian and accelerations; Newton's method with
one factorization closes the joints, and the same factors, refined, give velocities and
accelerations. LAPACK is SciPy's.
"""

from cpython.pycapsule cimport PyCapsule_GetName, PyCapsule_GetPointer
from libc.math cimport M_PI, atan2, cos, fabs, rint, sin, sqrt
from libc.stdint cimport int64_t
from libc.string cimport memcpy, memset

import numpy as np
from scipy.linalg import cython_lapack

ctypedef void (*kernel_function)(const double *, const double *, const double *, double *,
                                 double *) noexcept nogil
ctypedef void (*factor_function)(int *, int *, double *, int *, int *, int *) noexcept nogil
ctypedef void (*solve_function)(char *, int *, int *, double *, int *, int *, double *, int *,
                                int *) noexcept nogil

cdef void *_pointer(name):
    """Return the address of one of SciPy's LAPACK functions."""
    capsule = cython_lapack.__pyx_capi__[name]
    return PyCapsule_GetPointer(capsule, PyCapsule_GetName(capsule))

cdef factor_function dgetrf = <factor_function>_pointer("dgetrf")
cdef solve_function dgetrs = <solve_function>_pointer("dgetrs")

cdef enum:
    STATE = 24  # numbers of a link's state
    ROW = 17  # of a row of a kernel: value, Jacobian, gamma
    MOST_ROWS = 16  # of a joint
    MOST_CORRECTIONS = 12  # of a position
    MOST_REFINEMENTS = 8  # of a velocity or an acceleration
    IS_DONE = 0
    IS_OPEN = 1
    IS_SINGULAR = 2

#: Largest correction of a predicted position that is trusted, and largest turn of a step, rad.
cdef double TRUSTED = 0.2
cdef double LARGEST_TURN = 1.0

#: How a run ended: all times done, no solution found, a singular position.
DONE, OPEN, SINGULAR = IS_DONE, IS_OPEN, IS_SINGULAR


def evaluate(size_t function, const double[::1] markers, const double[::1] parameters,
             const double[::1] state, double[::1] out):
    """Call the kernel of a joint."""
    (<kernel_function><void *>function)(&markers[0], &parameters[0], &state[0], &out[0], NULL)


cdef void _turn(double *R, const double *x) noexcept nogil:
    """Turn a rotation matrix (row-major) by a vector in its own components, and orthonormalize."""
    cdef double angle2 = x[0] * x[0] + x[1] * x[1] + x[2] * x[2]
    cdef double angle = sqrt(angle2), first, second
    cdef double[9] E
    cdef double[9] T
    cdef double[9] G
    cdef int i, j, k
    if angle < 1e-4:
        first = 1.0 - angle2 / 6.0
        second = 0.5 - angle2 / 24.0
    else:
        first = sin(angle) / angle
        second = (1.0 - cos(angle)) / angle2
    for i in range(3):
        for j in range(3):
            E[3 * i + j] = second * x[i] * x[j]
        E[4 * i] += 1.0 - second * angle2
    E[1] -= first * x[2]
    E[2] += first * x[1]
    E[3] += first * x[2]
    E[5] -= first * x[0]
    E[6] -= first * x[1]
    E[7] += first * x[0]
    for i in range(3):
        for j in range(3):
            T[3 * i + j] = 0.0
            for k in range(3):
                T[3 * i + j] += R[3 * i + k] * E[3 * k + j]
    # One step towards the orthogonal factor: T (3 I - T^T T) / 2.
    for i in range(3):
        for j in range(3):
            G[3 * i + j] = -0.5 * (T[i] * T[j] + T[3 + i] * T[3 + j] + T[6 + i] * T[6 + j])
        G[4 * i] += 1.5
    for i in range(3):
        for j in range(3):
            R[3 * i + j] = 0.0
            for k in range(3):
                R[3 * i + j] += T[3 * i + k] * G[3 * k + j]


cdef class Equations:
    """The equations of a mechanism: joints, then gears, then drivers.

    Unknowns of a link are displacement and turn in its own components: six, in the plane three.
    """

    cdef readonly Py_ssize_t links, unknowns, equations, coordinates
    cdef Py_ssize_t joints, gears, drivers, held
    cdef int per_link
    cdef double size
    cdef int[6] columns
    cdef int64_t[::1] functions, starts, equation_of, coordinate_of, driver_of
    cdef int64_t[:, ::1] ends, gear_of
    cdef double[:, ::1] markers, parts, coordinate_rows
    cdef double[::1] radii, ratios, scales, units, gamma, coordinate_gamma
    cdef int64_t[:, ::1] touched
    cdef double[STATE] ground

    def __init__(self, *, links, planar, functions, ends, markers, radii, starts, equation_of,
                 coordinate_of, gears, ratios, drivers, scales, size):
        cdef int k
        self.links, self.joints = links, len(functions)
        self.per_link = 3 if planar else 6
        for k, column in enumerate((0, 1, 5) if planar else range(6)):
            self.columns[k] = column
        self.unknowns = links * self.per_link
        self.functions, self.ends, self.markers = functions, ends, markers
        self.radii, self.starts = radii, starts
        self.equation_of, self.coordinate_of = equation_of, coordinate_of
        self.gear_of, self.ratios, self.driver_of = gears, ratios, drivers
        self.gears, self.drivers = len(ratios), len(drivers)
        self.scales, self.size = scales, size
        self.equations = len(scales)
        self.held = self.equations - self.gears - self.drivers
        self.coordinates = int(np.max(coordinate_of, initial=-1)) + 1
        self.parts = np.zeros((max(self.coordinates, 1), 4))
        self.coordinate_rows = np.zeros((max(self.coordinates, 1), max(self.unknowns, 1)))
        self.gamma = np.zeros(max(self.equations, 1))
        self.coordinate_gamma = np.zeros(max(self.coordinates, 1))
        lengths = 2 if planar else 3
        one = [size] * lengths + [1.0] * (self.per_link - lengths)
        self.units = np.tile(np.array(one, dtype=float), max(links, 1))
        self.touched = self._touched()
        memset(self.ground, 0, sizeof(self.ground))
        for k in range(3):
            self.ground[3 + 4 * k] = 1.0

    def _touched(self):
        """List, for every equation, the links it has unknowns of: up to four, then -1."""
        cdef Py_ssize_t j, r, g, c
        of_equation = [[] for _ in range(self.equations)]
        of_coordinate = [[] for _ in range(self.coordinates)]
        for j in range(self.joints):
            both = [link for link in (self.ends[j, 0], self.ends[j, 1]) if link >= 0]
            for r in range(self.starts[j], self.starts[j + 1]):
                if self.equation_of[r] >= 0:
                    of_equation[self.equation_of[r]] = both
                if self.coordinate_of[r] >= 0:
                    of_coordinate[self.coordinate_of[r]] = both
        for g in range(self.gears):
            links = {k for c in (0, 1) for k in of_coordinate[self.gear_of[g, c]]}
            of_equation[self.held + g] = sorted(links)
        for g in range(self.drivers):
            of_equation[self.held + self.gears + g] = of_coordinate[self.driver_of[g]]
        return np.array([(*links, -1, -1, -1, -1)[:4] for links in of_equation],
                        dtype=np.int64).reshape(-1, 4)

    cdef void _evaluate(self, const double *frames, const double *angles, const double *offsets,
                        const double *driven, double *residual, double *jacobian,
                        double *values, double *angles_found) noexcept nogil:
        """Compute scaled residuals and Jacobian (row-major), coordinates, angles and gammas.

        The Jacobian is zero before the first call; what is not zero is overwritten by every call.
        """
        cdef double[2 * STATE] state
        cdef double[MOST_ROWS * ROW] out
        cdef Py_ssize_t j, r, count, n = self.unknowns, equation, coordinate, g, c
        cdef int side, k
        cdef double value, angle, factor, scale
        cdef double *row
        cdef double *target
        for j in range(self.joints):
            for side in range(2):
                if self.ends[j, side] < 0:
                    memcpy(state + side * STATE, self.ground, sizeof(double) * STATE)
                else:
                    memcpy(state + side * STATE, frames + self.ends[j, side] * STATE,
                           sizeof(double) * STATE)
            (<kernel_function><void *><size_t>self.functions[j])(
                &self.markers[j, 0], &self.radii[j], state, out, NULL)
            count = self.starts[j + 1] - self.starts[j]
            for r in range(count):
                row = out + r * ROW
                equation = self.equation_of[self.starts[j] + r]
                coordinate = self.coordinate_of[self.starts[j] + r]
                if equation < 0 and coordinate < 0:
                    continue
                factor = row[3]
                value = row[0]
                if factor != 0.0:
                    angle = atan2(row[1], row[2])
                    angle += 2.0 * M_PI * rint(
                        (angles[self.starts[j] + r] - angle) / (2.0 * M_PI))
                    angles_found[self.starts[j] + r] = angle
                    value += factor * angle
                if equation >= 0:
                    scale = 1.0 / self.scales[equation]
                    residual[equation] = (value - offsets[equation]) * scale
                    self.gamma[equation] = row[16] * scale
                    target = jacobian + equation * n
                else:
                    scale = 1.0
                    values[coordinate] = value
                    self.coordinate_gamma[coordinate] = row[16]
                    target = &self.coordinate_rows[coordinate, 0]
                for side in range(2):
                    if self.ends[j, side] >= 0:
                        c = self.ends[j, side] * self.per_link
                        for k in range(self.per_link):
                            target[c + k] = (row[4 + 6 * side + self.columns[k]]
                                             * self.units[c + k] * scale)
        for g in range(self.gears):
            equation = self.held + g
            scale = 1.0 / self.scales[equation]
            factor = self.ratios[g]
            residual[equation] = scale * (values[self.gear_of[g, 0]] - offsets[equation]
                                          - factor * values[self.gear_of[g, 1]])
            self.gamma[equation] = scale * (
                self.coordinate_gamma[self.gear_of[g, 0]]
                - factor * self.coordinate_gamma[self.gear_of[g, 1]])
            for c in range(n):
                jacobian[equation * n + c] = scale * (
                    self.coordinate_rows[self.gear_of[g, 0], c]
                    - factor * self.coordinate_rows[self.gear_of[g, 1], c])
        for g in range(self.drivers):
            equation = self.held + self.gears + g
            scale = 1.0 / self.scales[equation]
            residual[equation] = (values[self.driver_of[g]] - driven[3 * g]) * scale
            self.gamma[equation] = self.coordinate_gamma[self.driver_of[g]] * scale
            for c in range(n):
                jacobian[equation * n + c] = self.coordinate_rows[self.driver_of[g], c] * scale

    cdef void _move(self, double *frames, const double *step) noexcept nogil:
        """Move the links by displacements (in units of the size) and turns."""
        cdef Py_ssize_t link
        cdef int i, k
        cdef double[6] x
        cdef double *frame
        for link in range(self.links):
            for k in range(6):
                x[k] = 0.0
            for k in range(self.per_link):
                x[self.columns[k]] = step[link * self.per_link + k]
            frame = frames + link * STATE
            for i in range(3):
                for k in range(3):
                    frame[i] += frame[3 + 3 * i + k] * x[k] * self.size
            _turn(frame + 3, x + 3)

    def linearize(self, const double[:, ::1] frames, const double[::1] angles,
                  const double[::1] offsets, const double[:, ::1] driven, double[::1] residual,
                  double[:, ::1] jacobian, double[::1] coordinates, double[::1] angles_found):
        """Compute residuals, Jacobian (both scaled), coordinates and angles for given frames."""
        with nogil:
            self._evaluate(&frames[0, 0], &angles[0], &offsets[0], &driven[0, 0], &residual[0],
                           &jacobian[0, 0], &coordinates[0], &angles_found[0])

    def move(self, double[:, ::1] frames, const double[::1] step):
        """Move links by a scaled step."""
        with nogil:
            self._move(&frames[0, 0], &step[0])

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
            State of every link; becomes that of the last time done. Accelerations are used to
            predict.
        angles : (R,) array
            Angle of every row of every joint; becomes that of the last time done.
        offsets : (E,) array
            Values at which equations are kept.
        sign : int
            Sign of the determinant that must not change; 0 takes that of the first time.
        tolerance : float
            Of the scaled residuals.
        out : (T, L, 24) array
            States.
        coordinates : (T, C, 3) array
            Value, rate and acceleration of every coordinate.
        angles_out : (T, R) array
            Angles.

        Returns
        -------
        done, status, sign : int
            How many times are done; DONE, OPEN or SINGULAR; sign of the determinant.
        pivot : float
            Smallest pivot over the largest, of the last factorization.
        """
        cdef Py_ssize_t n = self.unknowns, R = angles.shape[0]
        cdef double[:, ::1] J = np.zeros((n, n)), LU = np.zeros((n, n))
        cdef double[::1] f = np.zeros(n), x = np.zeros(n), y = np.zeros(n), b = np.zeros(n)
        cdef double[::1] found = angles.copy()
        cdef double[::1] values = np.zeros(max(self.coordinates, 1))
        cdef int[::1] swaps = np.zeros(n, dtype=np.intc)
        cdef double[:, ::1] trial = frames.copy(), before = frames.copy()
        cdef double h, last = 0.0, pivot = 1.0, now = start
        cdef Py_ssize_t t, c, k
        cdef int status = IS_DONE, new_sign = sign
        with nogil:
            for t in range(times.shape[0]):
                h = times[t] - now
                memcpy(&trial[0, 0], &frames[0, 0], sizeof(double) * STATE * <size_t>self.links)
                if not self._predict(&trial[0, 0], &frames[0, 0], &before[0, 0], h, last):
                    status = IS_OPEN
                    break
                status = self._position(
                    &trial[0, 0], &angles[0], &offsets[0], &driven[t, 0, 0], tolerance,
                    &f[0], &J[0, 0], &LU[0, 0], &swaps[0], &x[0], &values[0], &found[0],
                    &new_sign, &pivot)
                if status != IS_DONE:
                    break
                if sign == 0:
                    sign = new_sign
                if new_sign != sign:
                    status = IS_SINGULAR
                    break
                for c in range(n):
                    b[c] = 0.0
                for c in range(self.drivers):
                    k = self.held + self.gears + c
                    b[k] = driven[t, c, 1] / self.scales[k]
                if not self._solve(&J[0, 0], &LU[0, 0], &swaps[0], &b[0], &x[0], &y[0]):
                    status = IS_SINGULAR
                    break
                self._spread(&trial[0, 0], &x[0], 12)
                for c in range(self.coordinates):
                    coordinates[t, c, 0] = values[c]
                    coordinates[t, c, 1] = self._rate(c, &x[0])
                self._evaluate(&trial[0, 0], &found[0], &offsets[0], &driven[t, 0, 0], &f[0],
                               &J[0, 0], &values[0], &found[0])
                for c in range(n):
                    b[c] = -self.gamma[c]
                for c in range(self.drivers):
                    k = self.held + self.gears + c
                    b[k] += driven[t, c, 2] / self.scales[k]
                if not self._solve(&J[0, 0], &LU[0, 0], &swaps[0], &b[0], &x[0], &y[0]):
                    status = IS_SINGULAR
                    break
                self._spread(&trial[0, 0], &x[0], 18)
                for c in range(self.coordinates):
                    coordinates[t, c, 2] = self._rate(c, &x[0]) + self.coordinate_gamma[c]
                memcpy(&before[0, 0], &frames[0, 0], sizeof(double) * STATE * <size_t>self.links)
                memcpy(&frames[0, 0], &trial[0, 0], sizeof(double) * STATE * <size_t>self.links)
                memcpy(&out[t, 0, 0], &trial[0, 0], sizeof(double) * STATE * <size_t>self.links)
                if R:
                    memcpy(&angles[0], &found[0], sizeof(double) * <size_t>R)
                    memcpy(&angles_out[t, 0], &found[0], sizeof(double) * <size_t>R)
                last, now = h, times[t]
            else:
                t = times.shape[0]
        return t, status, sign, pivot

    cdef double _rate(self, Py_ssize_t coordinate, const double *x) noexcept nogil:
        """Return the Jacobian of a coordinate times scaled velocities."""
        cdef Py_ssize_t c
        cdef double total = 0.0
        for c in range(self.unknowns):
            total += self.coordinate_rows[coordinate, c] * x[c]
        return total

    cdef void _spread(self, double *frames, const double *x, int place) noexcept nogil:
        """Put scaled velocities or accelerations where the states of the links have them."""
        cdef Py_ssize_t link
        cdef int k
        for link in range(self.links):
            for k in range(6):
                frames[link * STATE + place + k] = 0.0
            for k in range(self.per_link):
                frames[link * STATE + place + self.columns[k]] = (
                    x[link * self.per_link + k] * self.units[link * self.per_link + k])

    cdef bint _predict(self, double *trial, const double *frames, const double *before, double h,
                       double last) noexcept nogil:
        """Predict positions from velocities, accelerations and how these changed."""
        cdef Py_ssize_t link
        cdef int i, k
        cdef const double *F
        cdef const double *B
        cdef double *T
        cdef double[3] local
        cdef double[3] turn
        cdef double[3] jerk
        cdef double size2
        for link in range(self.links):
            F, B, T = frames + link * STATE, before + link * STATE, trial + link * STATE
            for k in range(3):
                local[k] = h * F[12 + k] + 0.5 * h * h * F[18 + k]
                turn[k] = h * F[15 + k] + 0.5 * h * h * F[21 + k]
            if last != 0.0:
                for k in range(3):
                    jerk[k] = (F[21 + k] - B[21 + k]) / last
                jerk[0] += 0.5 * (F[16] * F[23] - F[17] * F[22])
                jerk[1] += 0.5 * (F[17] * F[21] - F[15] * F[23])
                jerk[2] += 0.5 * (F[15] * F[22] - F[16] * F[21])
                for k in range(3):
                    turn[k] += h * h * h / 6.0 * jerk[k]
                for i in range(3):
                    for k in range(3):
                        T[i] += h * h * h / 6.0 / last * (
                            F[3 + 3 * i + k] * F[18 + k] - B[3 + 3 * i + k] * B[18 + k])
            size2 = turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2]
            if not size2 <= LARGEST_TURN * LARGEST_TURN:
                return False
            for i in range(3):
                for k in range(3):
                    T[i] += F[3 + 3 * i + k] * local[k]
            _turn(T + 3, turn)
        return True

    cdef int _position(self, double *frames, const double *angles, const double *offsets,
                       const double *driven, double tolerance, double *f, double *J, double *LU,
                       int *swaps, double *x, double *values, double *found, int *sign,
                       double *pivot) noexcept nogil:
        """Close the joints; the factors are those of the position or one very near."""
        cdef int n = <int>self.unknowns, one = 1, info = 0, number
        cdef char transposed = b"T"
        cdef double size, before = 1e300, moved = 0.0
        cdef Py_ssize_t c
        cdef bint fresh = False, old = True
        for number in range(MOST_CORRECTIONS):
            self._evaluate(frames, angles, offsets, driven, f, J, values, found)
            size = 0.0
            for c in range(n):
                size = max(size, fabs(f[c]))
            if not size < 1e300:
                return IS_OPEN
            # Where rounding is all that is left, another correction gains nothing.
            if number > 0 and (size <= 1e-15 or (size <= tolerance and size > 0.1 * before)):
                return IS_DONE
            if old or size > 0.05 * before:
                memcpy(LU, J, sizeof(double) * <size_t>(n * n))
                dgetrf(&n, &n, LU, &n, swaps, &info)
                if info != 0 or not self._pivots(LU, swaps, sign, pivot):
                    return IS_SINGULAR
                old = False
            if number > 0 and size <= tolerance and size > 0.1 * before:
                return IS_DONE
            before = size
            for c in range(n):
                x[c] = -f[c]
            # Row-major: the factors are those of the transpose.
            dgetrs(&transposed, &n, &one, LU, &n, swaps, x, &n, &info)
            for c in range(n):
                moved = max(moved, fabs(x[c]))
            if not moved < TRUSTED:
                return IS_OPEN
            self._move(frames, x)
        self._evaluate(frames, angles, offsets, driven, f, J, values, found)
        size = 0.0
        for c in range(n):
            size = max(size, fabs(f[c]))
        return IS_DONE if size <= tolerance else IS_OPEN

    cdef bint _pivots(self, const double *LU, const int *swaps, int *sign,
                      double *pivot) noexcept nogil:
        """Find the sign of the determinant; return whether the matrix is regular."""
        cdef Py_ssize_t c, n = self.unknowns
        cdef double smallest = 1e300, largest = 0.0, value
        sign[0] = 1
        for c in range(n):
            value = LU[c * n + c]
            if (value < 0.0) != (swaps[c] != c + 1):
                sign[0] = -sign[0]
            smallest = min(smallest, fabs(value))
            largest = max(largest, fabs(value))
        pivot[0] = smallest / largest if largest > 0.0 else 0.0
        return pivot[0] > 1e-9

    cdef bint _solve(self, const double *J, const double *LU, int *swaps, const double *b,
                     double *x, double *y) noexcept nogil:
        """Solve ``J x = b`` with factors of a matrix nearby, refined until rounding is left."""
        cdef int n = <int>self.unknowns, one = 1, info = 0, number
        cdef char transposed = b"T"
        cdef Py_ssize_t r, c, first
        cdef int slot
        cdef double size, change, before = 1e300, total
        for c in range(n):
            x[c] = 0.0
            y[c] = b[c]
        for number in range(MOST_REFINEMENTS):
            dgetrs(&transposed, &n, &one, <double *>LU, &n, swaps, y, &n, &info)
            size = change = 0.0
            for c in range(n):
                x[c] += y[c]
                size = max(size, fabs(x[c]))
                change = max(change, fabs(y[c]))
            if not size < 1e300:
                return False
            if change <= 4e-16 * size or (number > 1 and change > 0.5 * before):
                return change <= 1e-9 * size
            before = change
            for r in range(n):
                total = b[r]
                for slot in range(4):
                    first = self.touched[r, slot] * self.per_link
                    if first < 0:
                        break
                    for c in range(first, first + self.per_link):
                        total -= J[r * n + c] * x[c]
                y[r] = total
        return change <= 1e-9 * size
