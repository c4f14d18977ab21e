# SPDX-License-Identifier: BSD-3-Clause
# cython: boundscheck=False, wraparound=False
"""A loop over elements that calls kernels of flexforge without the GIL."""

from libc.stdlib cimport free, malloc

import numpy as np

from flexforge.kernels cimport (
    find_kernel,
    flexforge_bad_elements,
    flexforge_check_double,
    flexforge_elements_double,
    flexforge_kernel,
    flexforge_memory,
)


cdef double _energy(const double *matrix, const double *d, Py_ssize_t size) noexcept nogil:
    """Return d . K d / 2."""
    cdef Py_ssize_t i, j
    cdef double sum = 0.0
    for i in range(size):
        for j in range(size):
            sum += d[i] * matrix[i * size + j] * d[j]
    return 0.5 * sum


cdef object _parameters(const flexforge_kernel *kernel, dict given):
    """Return the parameters of a kernel in its order, by their names."""
    names = [kernel.parameter_names[k].decode() for k in range(kernel.parameter_count)]
    if set(given) != set(names):
        raise TypeError(f"found {', '.join(given) or 'none'}; {kernel.name.decode()} expects "
                        f"{', '.join(names)}")
    return np.array([*(given[name] for name in names), 0.0])  # never empty


def energies(str element, const double[:, :, ::1] points, const double[:, :, ::1] displacements,
             **material):
    """Return the elastic energy of every element, J.

    Parameters
    ----------
    element : str
        A solid of flexforge, such as ``hex8``, or the file of one of your own.
    points, displacements : ndarray, (elements, nodes, 3)
        Positions and displacements of the nodes, m.
    **material : float
        The parameters of its stiffness by name, such as ``young=2e11, poisson=0.3``.
    """
    cdef const flexforge_kernel *stiffness = find_kernel(element, "stiffness")
    cdef const flexforge_kernel *jacobian = find_kernel(element, "jacobian")
    cdef flexforge_bad_elements bad
    cdef Py_ssize_t count = points.shape[0], size = stiffness.rows, first = 0, k, some
    cdef Py_ssize_t block = 16  # enough for full batches, few enough for the cache
    cdef const double[::1] values = _parameters(stiffness, material)
    if points.shape[1] != stiffness.nodes or points.shape[2] != stiffness.dimension:
        raise ValueError(f"points: found ({points.shape[1]}, {points.shape[2]}) per element; "
                         f"expected ({stiffness.nodes}, {stiffness.dimension})")
    if tuple(displacements.shape)[:3] != tuple(points.shape)[:3]:
        raise ValueError(f"displacements: found shape {tuple(displacements.shape)[:3]}; expected "
                         f"{tuple(points.shape)[:3]}, as of points")
    result = np.empty(count)
    cdef double[::1] energy = result
    cdef double *matrices = <double *>malloc(block * size * size * sizeof(double))
    cdef void *memory = malloc(max(flexforge_memory(stiffness), flexforge_memory(jacobian)))
    if matrices == NULL or memory == NULL:
        free(matrices)
        free(memory)
        raise MemoryError
    with nogil:
        # Kernels do not report inverted elements, which would have negative energy.
        bad = flexforge_check_double(jacobian, count, &points[0, 0, 0] if count else NULL, memory)
        while first < count and bad.count == 0:
            some = min(block, count - first)
            flexforge_elements_double(stiffness, some, &points[first, 0, 0], &values[0],
                                      NULL,
                                      matrices, memory)
            for k in range(some):
                energy[first + k] = _energy(matrices + k * size * size,
                                            &displacements[first + k, 0, 0], size)
            first += some
        free(matrices)
        free(memory)
    if bad.count:
        raise ValueError(f"points[{bad.first}]: the determinant of the Jacobian is "
                         f"{bad.determinant:g}; expected a positive one ({bad.count} elements)")
    return result
