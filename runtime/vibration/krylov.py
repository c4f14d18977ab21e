# SPDX-License-Identifier: BSD-3-Clause
"""A real second-order Krylov space of ``lambda^2 m + lambda c + k`` about a shift.

With ``lambda = shift + w mu`` and z = (phi, mu phi) the inverse of the linearization is ``phi' =
-D^-1 (w c_s phi + w^2 m psi), psi' = phi``, where ``D = k + shift c + shift^2 m`` and ``c_s = c + 2
shift m``. Both halves of all vectors lie in one space of half the length: only its real basis,
orthonormal in m, and small coefficients are stored. Vectors are processed in pairs, so that double
eigenvalues are found twice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from flexforge.runtime.arrays import Complex, Floats
from flexforge.runtime.ranks import ONE, Ranks
from flexforge.runtime.solvers import factorize
from flexforge.runtime.solvers.interface import Factorization
from flexforge.runtime.statics.precise import PreciseStiffness
from flexforge.runtime.system.products import Products

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


_STARTS = 2
_DEPENDENT = 1e-10  # remainder of a vector that is already in the space


def factor_shifted(
    mass: csr_matrix,
    viscous: csr_matrix,
    stiffness: csr_matrix,
    shift: complex,
    paired: bool,
    solver: str,
    threads: int,
) -> Factorization:
    """Factor ``D = k + shift c + shift^2 m``, which is real for a real shift.

    With a skew c, a symmetric k and a shift on the imaginary axis it is Hermitian.
    """
    real = stiffness
    if shift:
        real = real + (shift**2).real * mass
    if shift.real:
        real = real + shift.real * viscous
    if not shift.imag:
        symmetric = paired and not shift.real
        return factorize(real.tocsr(), solver, threads, symmetric=symmetric, check=False)
    imaginary = shift.imag * viscous + (shift**2).imag * mass
    return factorize((real + 1j * imaginary).tocsr(), solver, threads, symmetric=paired)


class Inverse(Protocol):
    """What solves with ``D``: factors, or an iteration; complex forces for a complex shift."""

    def solve(self, rhs: Any, /) -> Any:
        """Return solutions for forces (n, k)."""


class SecondOrderSpace:
    """The space, and the problem projected on it.

    Parameters
    ----------
    mass, viscous : csr_matrix or Products
        m and c.
    stiffness : csr_matrix, Products or PreciseStiffness
        k.
    shift : complex
        The shift, 1/s.
    factors : Inverse
        Such as from :func:`factor_shifted`.
    ranks : Ranks
        The processes that share the unknowns.

    Attributes
    ----------
    solves : int
        Number of solved right-hand sides.
    """

    def __init__(
        self,
        mass: csr_matrix | Products,
        viscous: csr_matrix | Products,
        stiffness: csr_matrix | Products | PreciseStiffness,
        shift: complex,
        factors: Inverse,
        ranks: Ranks = ONE,
    ) -> None:
        self.solves = 0
        self._ranks = ranks
        self._mass, self._viscous, self._stiffness = mass, viscous, stiffness
        self._shift, self._factors = shift, factors
        n = mass.shape[0]
        self._columns = np.empty((n, 32), order="F")
        self.size = 0
        self._small = (np.zeros((0, 0)), np.zeros((0, 0)))
        self._pairs: list[tuple[Complex, Complex]] = []
        self._used = 0
        random = np.random.default_rng(ranks.number).standard_normal((n, _STARTS))
        smooth = self._solve((mass @ random).astype(np.complex128))
        self._scale = abs(shift) or self._lowest(smooth.real)
        for vector in smooth.T:
            coefficients = self._absorb(vector)
            self._append(coefficients, np.zeros(0, dtype=np.complex128))

    @property
    def basis(self) -> Floats:
        """Vectors of the space, (n, size), orthonormal in m."""
        found: Floats = self._columns[:, : self.size]
        return found

    @property
    def projected(self) -> tuple[Floats, Floats]:
        """C and k projected on the space, (size, size) each; m becomes 1."""
        return self._small

    def extend(self, vectors: int) -> bool:
        """Process a number of further vectors; return whether the space has grown."""
        before = self.size
        goal = self._used + vectors
        while self._used < min(goal, len(self._pairs)):
            batch = self._pairs[self._used : min(self._used + _STARTS, goal)]
            self._used += len(batch)
            first = np.column_stack([self._combine(u) for u, _ in batch])
            second = np.column_stack([self._combine(w) for _, w in batch])
            w, shift = self._scale, self._shift
            inert = 2.0 * (shift * w) * first + w**2 * second
            force = w * _times(self._viscous, first) + _times(self._mass, inert)
            images = self._solve(-force)
            for image, (u, _) in zip(images.T, batch, strict=True):
                self._append(self._absorb(image), u)
        self._project(before)
        return self.size > before

    def _solve(self, force: Complex) -> Complex:
        """Return ``D^-1`` times vectors (n, k)."""
        self.solves += force.shape[1]
        if not self._shift.imag:
            if not force.imag.any():
                return np.asarray(self._factors.solve(force.real.copy()), dtype=np.complex128)
            both = self._factors.solve(np.hstack([force.real, force.imag]))
            k = force.shape[1]
            return np.asarray(both[:, :k] + 1j * both[:, k:])
        return np.asarray(self._factors.solve(force), dtype=np.complex128)

    def _lowest(self, shapes: Floats) -> float:
        """Return an estimate of the lowest frequency, rad/s: it gives both halves equal weight."""
        total = self._ranks.total
        for _ in range(2):
            following = self._factors.solve(self._mass @ shapes)
            up = total(np.einsum("ij,ij->j", shapes, self._mass @ shapes))
            down = np.abs(total(np.einsum("ij,ij->j", shapes, self._mass @ following)))
            shapes = following / np.sqrt(total(np.einsum("ij,ij->j", following, following)))
        return float(np.sqrt(np.min(up / down)))

    def _combine(self, coefficients: Complex) -> Complex:
        basis = self._columns[:, : len(coefficients)]
        if not self._shift.imag:
            return np.asarray(basis @ coefficients.real).astype(np.complex128)
        return np.asarray(basis @ coefficients.real + 1j * (basis @ coefficients.imag))

    def _absorb(self, vector: Complex) -> Complex:
        """Add the part of a vector outside the space; return its coefficients."""
        coefficients = np.zeros(self.size + 2, dtype=np.complex128)
        ranks = self._ranks
        for part, unit in ((vector.real, 1.0), (vector.imag, 1j)):
            if not ranks.any(part.any()):
                continue
            rest = part.copy()
            whole = float(np.sqrt(ranks.dot(rest, self._mass @ rest)))
            for _ in range(3):  # the last pass removes round-off
                inside = ranks.total(self.basis.T @ (self._mass @ rest))
                rest -= self.basis @ inside
                coefficients[: self.size] += unit * inside
            length = float(np.sqrt(max(ranks.dot(rest, self._mass @ rest), 0.0)))
            if length > _DEPENDENT * whole:
                self._grow(rest / length)
                coefficients[self.size - 1] += unit * length
        return coefficients[: self.size]

    def _grow(self, column: Floats) -> None:
        if self.size == self._columns.shape[1]:
            larger = np.empty((len(column), 2 * self.size), order="F")
            larger[:, : self.size] = self._columns
            self._columns = larger
        self._columns[:, self.size] = column
        self.size += 1

    def _append(self, first: Complex, second: Complex) -> None:
        """Orthogonalize a pair of coefficients against all others and append the remainder."""
        m = self.size
        pair = np.zeros(2 * m, dtype=np.complex128)
        pair[: len(first)], pair[m : m + len(second)] = first, second
        whole = float(np.linalg.norm(pair))
        others = np.zeros((2 * m, len(self._pairs)), dtype=np.complex128)
        for column, (u, w) in zip(others.T, self._pairs, strict=True):
            column[: len(u)], column[m : m + len(w)] = u, w
        for _ in range(2):
            pair -= others @ (others.conj().T @ pair)
        length = float(np.linalg.norm(pair))
        if length > _DEPENDENT * whole:
            pair /= length
            self._pairs.append((pair[:m], pair[m:]))

    def _project(self, before: int) -> None:
        """Extend the projected matrices by the new vectors."""
        m, start = self.size, len(self._small[0])
        new = self._columns[:, start:m]
        larger = []
        for matrix, small in zip((self._viscous, self._stiffness), self._small, strict=True):
            grown = np.zeros((m, m))
            grown[:start, :start] = small
            grown[:, start:] = self._ranks.total(self.basis.T @ (matrix @ new))
            turned = (matrix.T @ new).T @ self._columns[:, :start]
            grown[start:, :start] = self._ranks.total(turned)
            larger.append(grown)
        self._small = (larger[0], larger[1])


def _times(matrix: csr_matrix | Products, x: Complex) -> Complex:
    """Return a real matrix times complex vectors; SciPy would convert the matrix to complex."""
    if not x.imag.any():
        return np.asarray(matrix @ np.ascontiguousarray(x.real)).astype(np.complex128)
    k = x.shape[1]
    both = matrix @ np.hstack([x.real, x.imag])
    return np.asarray(both[:, :k] + 1j * both[:, k:])
