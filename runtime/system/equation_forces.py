# SPDX-License-Identifier: BSD-3-Clause
"""Forces that equations between displacements exert on nodes, apart from those of supports.

What loads, elasticity and inertia leave at nodes is balanced by both. Equations and supports exert
it along their rows, ``r = C^T l + S^T m`` at all coordinates that are not held as they are; what is
not of the equations is a reaction of the supports. Without the split a point that carries a face
would have no reaction: what holds it is balanced by its equations.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.system.curved.rows import CurvedRows
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

#: Square of the share of dependent rows, relative to that of others, in what is balanced.
_DEPENDENT = 1e-13


@dataclass(frozen=True)
class EquationForces:
    """The rows of a system.

    Attributes
    ----------
    equations, supports : csr_matrix, (m, N d) and (k, N d)
        Linear equations, and supports along local axes.
    curved : CurvedRows, optional
        Equations that are not linear.
    held : ndarray of bool, (N d,)
        Coordinates that supports hold as they are.
    """

    equations: csr_matrix
    supports: csr_matrix
    curved: CurvedRows | None
    held: NDArray[np.bool_]

    @property
    def supported(self) -> NDArray[np.bool_]:
        """Coordinates on which supports may act, (N d,)."""
        found = self.held.copy()
        found[self.supports.indices] = True
        return found

    def exerted(self, left: Floats, u: Floats) -> Floats:
        """Return the forces of the equations on nodes, (N, d), N.

        Parameters
        ----------
        left : ndarray, (N, d)
            Forces of equations and supports together, N.
        u : ndarray, (N, d)
            Nodal displacements, m.
        """
        from scipy.sparse import csr_matrix, vstack

        rows = [self.equations]
        if self.curved is not None:
            rows.append(self.curved.slopes(u))
        tying = _scaled(vstack(rows, format="csr"))
        if not tying.nnz:
            return np.zeros_like(left)
        inside = np.zeros(len(self.held), dtype=bool)
        inside[tying.indices] = True
        near = np.flatnonzero(abs(self.supports) @ inside.astype(float))
        beside = _scaled(self.supports[near])
        inside[beside.indices] = True
        some = np.flatnonzero(inside & ~self.held)
        forces = _least(csr_matrix(vstack([tying, beside])[:, some]), left.ravel()[some])
        return np.asarray(tying.T @ forces[: tying.shape[0]]).reshape(left.shape)


def _scaled(rows: csr_matrix) -> csr_matrix:
    """Return rows of unit length."""
    from scipy.sparse import csr_matrix, diags

    sizes = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
    return csr_matrix(diags(1.0 / np.where(sizes > 0.0, sizes, 1.0)) @ rows)


def _least(rows: csr_matrix, wanted: Floats) -> Floats:
    """Return the x with ``rows^T x`` nearest to what is wanted; small along dependent rows."""
    from scipy.sparse import block_array, eye
    from scipy.sparse.linalg import splu

    m, n = rows.shape
    blocks = [[eye(n), rows.T], [rows, -_DEPENDENT * eye(m)]]
    factors: Any = splu(block_array(blocks, format="csc"))
    right = np.concatenate([wanted, np.zeros(m)])
    found = factors.solve(right)
    return np.asarray(found[n:])
