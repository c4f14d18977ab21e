# SPDX-License-Identifier: BSD-3-Clause
"""Combinations of the matrices of a system as operators on its unknowns.

One process stores them as sparse matrices. Ranks that share a system have rows of their own nodes
only, whose columns reach the nodes of other ranks: they take products element by element.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from flexforge.runtime.arrays import Floats, Number
from flexforge.runtime.system.body import Body, Combination
from flexforge.runtime.system.system import System
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


@dataclass(frozen=True, eq=False)
class Products:
    """Products of a combination with vectors of unknowns, also of those that ranks share.

    Attributes
    ----------
    system : System
        The bodies.
    combinations : sequence of Combination
        One per body.
    """

    system: System
    combinations: Sequence[Combination]

    @property
    def shape(self) -> tuple[int, int]:
        """Number of unknowns of this rank, twice."""
        return self.system.unknowns, self.system.unknowns

    def __matmul__(self, x: NDArray[Number]) -> NDArray[Number]:
        """Return the product with one vector (n,) or several (n, k)."""
        found = np.empty_like(x)
        for column, into in zip(x.reshape(len(x), -1).T, found.reshape(len(x), -1).T, strict=True):
            into.real = self._times(np.ascontiguousarray(column.real))
            if np.iscomplexobj(x):
                into.imag = self._times(np.ascontiguousarray(column.imag))
        return found

    def _times(self, x: Floats) -> Floats:
        system = self.system
        return system.restrict(system.apply(self.combinations, system.expand(x)))

    @property
    def T(self) -> Products:  # noqa: N802 (as of matrices)
        """The transpose: only blocks of inertia are not symmetric."""
        turned = [replace(c, inertia=c.inertia.T) for c in self.combinations]
        return Products(self.system, turned)

    def diagonal(self) -> Floats:
        """Return the diagonal, (n,)."""
        found: Floats = self.system.matrix(self.combinations).diagonal()
        return found


def operator_of(system: System, combinations: Sequence[Combination]) -> csr_matrix | Products:
    """Return a combination as a matrix; of unknowns that ranks share, as its products.

    Parameters
    ----------
    system : System
        The bodies.
    combinations : sequence of Combination
        One per body.
    """
    if system.ranks.count > 1:
        return Products(system, combinations)
    return system.matrix(combinations)


def projected(body: Body, combination: Combination, fields: Floats) -> Floats:
    """Return a combination of the matrices of a body on displacements of its nodes.

    Parameters
    ----------
    body : Body
        The body.
    combination : Combination
        Factors of its matrices.
    fields : ndarray, (k, V, d)
        Nodal displacements.

    Returns
    -------
    ndarray, (k, k)
        Field by field times the products.
    """
    images = np.zeros_like(fields)
    for image, field in zip(images, fields, strict=True):
        image[:] = body.apply(combination, field)
    return np.asarray(np.tensordot(fields, images, axes=([1, 2], [1, 2])))
