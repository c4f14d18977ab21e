# SPDX-License-Identifier: BSD-3-Clause
"""Lumped masses: the diagonal of every element's mass matrix, scaled to the mass of the element.

The scaling preserves the mass of an element and, unlike row sums, gives positive masses to all
nodes of serendipity elements (Hinton, Rock and Zienkiewicz, Earthquake Engineering and Structural
Dynamics 4, 1976). The kernel ``lumped_mass`` computes the same; here the masses are computed from
the scalar mass matrices, whose kernels every installation has.
"""

from __future__ import annotations

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.assembly.assemble import Scalars, evaluate, some_of
from flexforge.runtime.assembly.calls import CompiledKernel
from numpy.typing import NDArray

#: Number of entries of element matrices in memory at once.
_AT_ONCE = 1 << 22


def diagonal_masses(
    kernel: CompiledKernel, cells: NDArray[np.int32], points: Floats, values: Scalars
) -> Floats:
    """Return the masses of the nodes of a body, (P,), kg.

    Parameters
    ----------
    kernel : CompiledKernel
        ``scalar_mass`` of its element.
    cells : ndarray of int32, (E, nodes)
        Nodes of the elements.
    points : ndarray, (P, d)
        Nodal positions, m.
    values : mapping
        Scalar arguments of the kernel: density, section.

    Raises
    ------
    InputError
        When a scalar argument is missing.
    """
    masses = np.zeros(len(points))
    few = max(_AT_ONCE // kernel.nodes**2, 1)
    for begin in range(0, len(cells), few):
        some = cells[begin : begin + few]
        found = evaluate(kernel, some, points, some_of(values, slice(begin, begin + few)))
        diagonal = np.einsum("eaa->ea", found)
        scale = found.sum(axis=(1, 2)) / diagonal.sum(axis=1)
        scaled = scale[:, None] * diagonal
        masses += np.bincount(some.ravel(), scaled.ravel(), minlength=len(masses))
    return masses
