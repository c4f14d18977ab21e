# SPDX-License-Identifier: BSD-3-Clause
"""Critical speeds of one pencil with many laws of bearings.

Small problems are solved completely. Large ones are projected on real vectors: what bearings move
at rest, and then, law by law, the corrections ``k^-1 (k - W^2 a) u`` of all shapes until none
matters; k of every law has the factors of one of them (Woodbury's formula).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime.arrays import Complex, Floats
from flexforge.runtime.solvers import factorize
from flexforge.runtime.vibration.critical_pencil import CriticalPencil, Law
from flexforge.runtime.vibration.quadratic import DENSE
from numpy.linalg import LinAlgError

#: Corrections, relative to shapes in the norm of k: squares of speeds have the error of its square.
_CHANGE = 1e-6
_NEW = 1e-10  # part of a vector outside the space that extends it
_BEYOND = 2  # additional shapes, which those that are wanted depend on
_MOST = 600  # vectors
_NO_INERTIA = 1e-10  # u^H a u of a shape without a critical speed, relative to u^H m u


@dataclass(frozen=True, slots=True)
class Found:
    """Critical speeds of a law, ascending.

    Attributes
    ----------
    squares : ndarray, (c,)
        (rad/s)^2; fewer than wanted where other shapes have no critical speed.
    vectors : ndarray, (m, c)
        Shapes, as factors of the vectors of the space.
    """

    squares: Floats
    vectors: Complex

    @property
    def speeds(self) -> Floats:
        """rad/s."""
        return np.sqrt(self.squares)


class CriticalSolver:
    """The lowest critical speeds for laws of bearings.

    Parameters
    ----------
    pencil : CriticalPencil
        The problem.
    count : int
        Number of speeds.
    solver : str
        Linear solver.
    threads : int
        Of its factors.
    """

    def __init__(self, pencil: CriticalPencil, count: int, solver: str, threads: int) -> None:
        self._pencil, self._count, self._solver = pencil, count, solver
        self._threads = threads
        self._stiffness: _Stiffness | None = None
        n = pencil.stiffness.shape[0]
        self.is_small = n <= max(DENSE, 2 * count)
        self.basis: Floats = np.zeros((n, 0))
        self._k, self._m = np.zeros((0, 0)), np.zeros((0, 0))
        self._a: Any = np.zeros((0, 0))
        self._stresses = [np.zeros((0, 0)) for _ in pencil.stresses]
        self._rows = np.zeros((len(pencil.rows), 2, 0))
        if self.is_small:
            self._extend(np.eye(n))

    def prepare(self, laws: Sequence[Law]) -> None:
        """Make the space large enough for laws.

        Raises
        ------
        AnalysisError
            When the stiffness is not definite, or the space grows too large.
        """
        if self.is_small or not laws:
            return
        if self._stiffness is None:
            middle = laws[len(laws) // 2]
            self._stiffness = _Stiffness(self._pencil, middle, self._solver, self._threads)
            self._begin(self._stiffness)
        for number in _halving(len(laws)):
            while (change := self._change(self._stiffness, laws[number])).size:
                self._extend(change)

    def close(self) -> None:
        """Release the factors."""
        if self._stiffness is not None:
            self._stiffness.close()

    def at(self, law: Law) -> Found:
        """Return the lowest critical speeds of a law.

        Raises
        ------
        AnalysisError
            When the stiffness at rest is not definite.
        """
        return self._within(law, self._count)

    def exactly(self, law: Law, number: int) -> tuple[float, Complex]:
        """Return the square of a critical speed, (rad/s)^2, without loss of digits, and its shape.

        Parameters
        ----------
        law : Law
            The law.
        number : int
            Of the critical speed, from 0.

        Returns
        -------
        square : float
        shape : ndarray of complex, (n,)
            Of the unknowns, of unit energy ``u^H k u``.
        """
        x = self.basis @ self._within(law, self._count).vectors[:, [number]]
        stiff, heavy = (np.vdot(x, one).real for one in self._products(law, x))
        shape = self._pencil.balanced(x.astype(complex))[:, 0]
        return float(stiff / heavy), np.asarray(shape / np.sqrt(stiff))

    def _within(self, law: Law, count: int) -> Found:
        from scipy.linalg import eigh

        k, a = self._k, self._a
        for rows, stiff, heavy in zip(self._rows, law.stiffness, law.inertia, strict=True):
            k = k + rows.T @ stiff @ rows
            if heavy.any():
                a = a + rows.T @ (heavy if heavy.imag.any() else heavy.real) @ rows
        diagonal = k.diagonal()
        if not (diagonal > 0.0).all():
            raise _indefinite()
        for factor, one in zip(law.stress, self._stresses, strict=bool(self._stresses)):
            a = a - factor * one
        scale = 1.0 / np.sqrt(diagonal)
        both = np.outer(scale, scale)
        try:
            values, vectors = eigh(a * both, k * both)
        except LinAlgError:
            raise _indefinite() from None
        y = scale[:, None] * vectors[:, np.flatnonzero(values > 0.0)[::-1]]
        # Quotients have twice the digits of eigenvalues where stiffnesses of all sizes meet.
        energy, inertia, mass = (
            np.einsum("ij,ij->j", y.conj(), one @ y).real for one in (k, a, self._m)
        )
        moves = np.flatnonzero(inertia > _NO_INERTIA * mass)
        squares = energy[moves] / inertia[moves]
        order = np.argsort(squares, kind="stable")[:count]
        return Found(squares[order], (y / np.sqrt(energy))[:, moves[order]])

    def _begin(self, solving: _Stiffness) -> None:
        """Begin with what bearings move, and how inertia then moves the shaft."""
        n = len(self.basis)
        random = np.random.default_rng(1).standard_normal((n, self._count + _BEYOND))
        x = np.hstack([solving.moved, solving.solve(abs(self._pencil.inertia) @ random)])
        for _ in range(2):
            x = x / np.linalg.norm(x, axis=0)
            self._extend(x)
            x = _parts(solving.solve(self._pencil.heavy_times(x)))

    def _change(self, solving: _Stiffness, law: Law) -> Floats:
        """Return the corrections of shapes that need one, as real vectors (n, k)."""
        found = self._within(law, self._count + _BEYOND)
        if not len(found.squares):
            return np.zeros((len(self.basis), 0))
        x = self.basis @ found.vectors
        stiff, heavy = self._products(law, x)
        left = stiff - heavy * found.squares
        change = solving.solve(left, law)
        sizes = np.sqrt(np.abs(np.einsum("ij,ij->j", left.conj(), change)))  # of unit energy
        return _parts(change[:, : self._count][:, sizes[: self._count] > _CHANGE])

    def _products(self, law: Law, x: Complex) -> tuple[Complex, Complex]:
        """Return both matrices of a law times vectors (n, k)."""
        pencil = self._pencil
        stiff, heavy = _each(pencil.stiff_times, x), pencil.heavy_times(x)
        for rows, k, a in zip(pencil.rows, law.stiffness, law.inertia, strict=True):
            u = rows @ x
            stiff, heavy = stiff + rows.T @ (k @ u), heavy + rows.T @ (a @ u)
        for factor, one in zip(law.stress, pencil.stresses, strict=bool(self._stresses)):
            heavy = heavy - factor * (one @ x)
        return stiff, heavy

    def _extend(self, vectors: Floats) -> None:
        """Add real vectors (n, k) to the space."""
        pencil = self._pencil
        if self.is_small:
            new = vectors
        else:
            new = _outside(self.basis, vectors)
            if self.basis.shape[1] + new.shape[1] > min(_MOST, len(new)) or not new.shape[1]:
                raise AnalysisError(
                    "critical speeds: the space of shapes does not converge; expected fewer of "
                    "them, or modes over the speed"
                )
        basis = np.hstack([self.basis, new])
        self._k = _grown(self._k, basis.T @ pencil.stiff_times(new))
        self._m = _grown(self._m, basis.T @ (pencil.mass @ new))
        self._a = _grown(self._a, basis.T @ pencil.heavy_times(new))
        pairs = zip(self._stresses, pencil.stresses, strict=True)
        self._stresses = [_grown(known, basis.T @ (one @ new)) for known, one in pairs]
        self.basis, self._rows = basis, pencil.rows @ basis


class _Stiffness:
    """Solves with the stiffness of any law by the factors of one."""

    def __init__(self, pencil: CriticalPencil, law: Law, solver: str, threads: int) -> None:
        from scipy.sparse import csr_matrix

        matrix = pencil.stiffness
        for rows, stiff in zip(pencil.rows, law.stiffness, strict=True):
            some = csr_matrix(rows)
            matrix = matrix + some.T @ csr_matrix(stiff) @ some
        try:
            self._factors = factorize(
                matrix.tocsr(), solver, threads, symmetric=True, positive_definite=True, check=False
            )
        except AnalysisError as error:
            raise _indefinite() from error
        self._law, self._rows = law, pencil.rows.reshape(-1, matrix.shape[0])
        #: Displacements by unit forces of bearings, (n, 2 bearings).
        self.moved = np.zeros((matrix.shape[0], 0))
        if len(self._rows):
            self.moved = np.asarray(self._factors.solve(np.ascontiguousarray(self._rows.T)))

    def solve(self, force: Complex | Floats, law: Law | None = None) -> Any:
        """Return displacements by forces (n, k)."""
        x = _each(self._factors.solve, np.asarray(force))
        if law is None or not len(self._rows):
            return x
        change = _blocks(law.stiffness - self._law.stiffness)
        small = np.eye(len(change)) + change @ (self._rows @ self.moved)
        return x - self.moved @ np.linalg.solve(small, change @ (self._rows @ x))

    def close(self) -> None:
        """Release the factors."""
        self._factors.close()


def _grown(known: Any, new: Any) -> Any:
    """Return a Hermitian matrix (m, m) with further columns (m + k, k), and their rows."""
    m, size = len(known), len(new)
    found = np.zeros((size, size), dtype=new.dtype)
    found[:m, :m] = known
    found[:, m:] = new
    found[m:, :m] = new[:m].conj().T
    found[m:, m:] = 0.5 * (new[m:] + new[m:].conj().T)
    return found


def _blocks(laws: Floats) -> Floats:
    """Return matrices (b, 2, 2) as blocks of one."""
    from scipy.linalg import block_diag

    return np.asarray(block_diag(*laws)) if len(laws) else np.zeros((0, 0))


def _each(times: Any, x: Any) -> Any:
    """Return a product with the real and the imaginary part of vectors (n, k)."""
    if not np.iscomplexobj(x):
        return np.asarray(times(np.ascontiguousarray(x)))
    both = np.asarray(times(np.hstack([x.real, x.imag])))
    return both[:, : x.shape[1]] + 1j * both[:, x.shape[1] :]


def _parts(x: Any) -> Floats:
    """Return the real and the imaginary parts of vectors (n, k) as vectors."""
    return np.hstack([x.real, x.imag]) if np.iscomplexobj(x) else np.asarray(x)


def _outside(basis: Floats, vectors: Floats) -> Floats:
    """Return orthonormal vectors for the part of some outside a space."""
    sizes = np.linalg.norm(vectors, axis=0)
    x = vectors[:, sizes > 0.0] / sizes[sizes > 0.0]
    for _ in range(2):
        x = x - basis @ (basis.T @ x)
    within, lengths, _ = np.linalg.svd(x, full_matrices=False)
    x = within[:, lengths > _NEW]
    return np.asarray(np.linalg.qr(x - basis @ (basis.T @ x))[0])


def _halving(count: int) -> list[int]:
    """Return the numbers from 0 to count - 1 so that the first ones are far from each other.

    Examples
    --------
    >>> _halving(5)
    [0, 4, 2, 1, 3]
    """
    order = [0, count - 1]
    step = count - 1
    while step > 1:
        step = (step + 1) // 2
        order += range(step, count - 1, step)
    return list(dict.fromkeys(order))


def _indefinite() -> AnalysisError:
    return AnalysisError(
        "critical speeds: the stiffness at rest is not positive definite; expected supports, "
        "bearings and stresses that hold every motion, or none of its parts"
    )
