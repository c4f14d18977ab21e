# SPDX-License-Identifier: BSD-3-Clause
"""A small space for a large system at all speeds, and what its answers leave of the equations.

A space is extended where what is left of the equations is largest, by the correction that the
factors of one of the matrices give for it: a hundred speeds take the factors of a few. Norms of
what is left are those of random combinations of the equations (Johnson and Lindenstrauss), which
are a tenth off at most.
Source: Buffa, Maday, Patera, Prud'homme and Turinici, ESAIM M2AN 46 (2012), the greedy choice;
Balabanov and Nouy, Advances in Computational Mathematics 45 (2019), the norms.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from flexforge.runtime.arrays import Complex, Floats
from flexforge.runtime.vibration.speed_matrices import SpeedMatrices

MOST = 400
"""Vectors of a space."""

_COMBINED = 160  # random combinations of the equations
_NEW = 1e-10  # part of a vector outside the space that extends it


class SpeedSpace:
    """Vectors, and the equations within their span.

    Parameters
    ----------
    matrices : SpeedMatrices
        The equations over the speed.
    kind : type
        Of the vectors: float, or complex.

    Attributes
    ----------
    basis : ndarray, (n, m)
        Orthonormal vectors.
    """

    def __init__(self, matrices: SpeedMatrices, kind: type) -> None:
        n, random = matrices.system.unknowns, np.random.default_rng(1)
        self._matrices = matrices
        self.combinations = random.choice([-1.0, 1.0], (min(_COMBINED, n), n))
        self.combinations /= np.sqrt(len(self.combinations))
        terms = len(matrices.matrices)
        self.basis: Any = np.zeros((n, 0), dtype=kind)
        self._reduced: Any = np.zeros((terms, 0, 0), dtype=kind)
        self._combined: Any = np.zeros((terms, len(self.combinations), 0), dtype=kind)
        self._rows: Any = np.zeros((len(matrices.bearings), 2, 0), dtype=kind)
        across = [rows for rows, _ in matrices.bearings]
        self._across = np.array([self.combinations @ rows.T for rows in across])

    @property
    def size(self) -> int:
        """Number of vectors."""
        return int(self.basis.shape[1])

    @property
    def is_full(self) -> bool:
        """Whether it has as many vectors as it may have."""
        return self.size >= min(MOST, len(self.basis))

    def extend(self, vectors: Floats | Complex) -> None:
        """Add the part of vectors (n, k) outside the space, and what the matrices make of it."""
        old, basis = self.size, self.basis
        x = np.asarray(vectors, dtype=basis.dtype)
        sizes = np.linalg.norm(x, axis=0)
        x = x[:, sizes > 0.0] / sizes[sizes > 0.0]
        for _ in range(2):
            x = x - basis @ (basis.conj().T @ x)
        within, lengths, _ = np.linalg.svd(x, full_matrices=False)
        x = within[:, lengths > _NEW]
        x = x - basis @ (basis.conj().T @ x)
        new = np.linalg.qr(x)[0]
        self.basis = basis = np.hstack([basis, new])
        terms, m = self._reduced.shape[0], self.size
        reduced = np.zeros((terms, m, m), dtype=basis.dtype)
        reduced[:, :old, :old] = self._reduced
        combined = np.zeros((terms, len(self.combinations), m), dtype=basis.dtype)
        combined[:, :, :old] = self._combined
        for number in range(terms):
            moved = self._matrices.times(number, new)
            reduced[number, :, old:] = basis.conj().T @ moved
            sign = self._matrices.signs[number]
            if sign:
                reduced[number, old:, :old] = sign * reduced[number, :old, old:].conj().T
            else:
                turned = self._matrices.turned_times(number, new)
                reduced[number, old:, :old] = turned.conj().T @ basis[:, :old]
            combined[number, :, old:] = self.combinations @ moved
        self._reduced, self._combined = reduced, combined
        rows = [across @ basis for across, _ in self._matrices.bearings]
        self._rows = np.array(rows, dtype=basis.dtype).reshape(-1, 2, m)

    def projected(self, factors: Floats | Complex, laws: Floats | Complex) -> Any:
        """Return sums of the matrices within the space, (S, m, m).

        Parameters
        ----------
        factors : ndarray, (S, terms)
            Of the constant matrices.
        laws : ndarray, (S, bearings, 2, 2)
            Of bearings.
        """
        found = np.tensordot(factors, self._reduced, axes=1)
        for place, rows in enumerate(self._rows):
            found = found + rows.conj().T @ laws[:, place] @ rows
        return found

    @property
    def rows(self) -> Any:
        """Displacements of bearings along their axes, (bearings, 2, m)."""
        return self._rows

    def combined(
        self, factors: Complex, laws: Complex, small: Complex, forces: Complex | None = None
    ) -> Complex:
        """Return random combinations of sums of the matrices times vectors of the space, (S, c).

        Parameters
        ----------
        factors, laws : ndarray
            As of :meth:`projected`.
        small : ndarray, (S, m)
            The vectors: factors of the basis.
        forces : ndarray, (S, bearings, 2), optional
            Further forces along the axes of bearings.
        """
        found = np.zeros((len(small), len(self.combinations)), dtype=complex)
        for some, matrix in zip(factors.T, self._combined, strict=True):
            if some.any():
                found += some[:, None] * (small @ matrix.T)
        for place, rows in enumerate(self._rows):
            pushed = np.einsum("sab,sb->sa", laws[:, place], small @ rows.T)
            if forces is not None:
                pushed = pushed + forces[:, place]
            found += pushed @ self._across[place].T
        return found
