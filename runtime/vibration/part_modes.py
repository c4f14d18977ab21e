# SPDX-License-Identifier: BSD-3-Clause
"""Eigenvalues of a part of a small problem whose matrices vary, as with the speed of a rotor.

A part that does not vary is solved once. Shapes of others vary smoothly: those at a few speeds span
a space in which the problem is small. What a shape found there leaves of its equation is a force;
where the displacement that this force causes matters, the part is solved completely and the space
takes its shapes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from flexforge.runtime.arrays import Complex, Floats
from numpy.typing import NDArray

#: Mass, factor of velocities, and stiffness, (n, n) each.
Matrices = tuple[Floats, Floats, Floats]
#: Eigenvalues, (k,), and shapes of unit modal mass, (n, k).
Pairs = tuple[Complex, Complex]

_REAL = 1e-9  # imaginary part of an eigenvalue that is real, relative to it
#: Displacement, relative to a shape, that its rest may cause; difference of eigenvalues that are
#: the same.
_CHANGE, _SAME = 1e-9, 1e-9
_FLOOR = 4.0  # times what complete solutions leave, which is round-off
_NEW = 1e-11  # part of a shape that is not in the space, from which on it is a new vector
_MOST = 0.6  # vectors of a space per unknown, above which it does not pay


class Solve(Protocol):
    """Solves a problem completely."""

    def __call__(self, matrices: Matrices, *, decaying: bool = False) -> Pairs:
        """Return eigenvalues and shapes; after them those of motions that only decay, if wanted."""


class PartModes(Protocol):
    """A way to the eigenvalues of a part.

    Attributes
    ----------
    is_settled : bool
        Whether nothing is to be learned from solving it elsewhere first.
    """

    is_settled: bool

    def solve(self, complete: Solve, given: Callable[[], Matrices]) -> Pairs:
        """Return eigenvalues and shapes.

        Parameters
        ----------
        complete : callable
            Solves a problem completely.
        given : callable
            Returns its matrices.
        """


class ConstantModes:
    """Those of a part whose matrices are always the same."""

    is_settled = True

    def __init__(self) -> None:
        self._found: Pairs | None = None

    def solve(self, complete: Solve, given: Callable[[], Matrices]) -> Pairs:
        """Return eigenvalues and shapes, as :meth:`PartModes.solve`."""
        if self._found is None:
            self._found = complete(given())
        return self._found


class VaryingModes:
    """Those of a part in a space of its shapes so far.

    It is settled when a complete solution was what the space had before, or it does not pay.
    """

    def __init__(self) -> None:
        self._basis: Floats = np.zeros((0, 0))
        self._allowed = _CHANGE
        self.is_settled = False

    def solve(self, complete: Solve, given: Callable[[], Matrices]) -> Pairs:
        """Return eigenvalues and shapes, as :meth:`PartModes.solve`."""
        matrices, count = given(), self._basis.shape[1]
        if count > _MOST * len(matrices[0]):
            self.is_settled = True
            return complete(matrices)
        found = self._within(complete, matrices) if count else None
        close = found is not None and self._left(found, matrices) <= self._allowed
        if found is not None and close and self.is_settled:
            return found
        each, shapes = complete(matrices, decaying=True)
        vibrate = ~only_decay(each)
        exact = each[vibrate], shapes[:, vibrate]
        floor = _FLOOR * self._left(exact, matrices)
        self._allowed = max(self._allowed, floor)
        if found is not None and len(found[0]) == len(exact[0]):
            differ = np.abs(found[0] - exact[0]).max(initial=0.0)
            near = differ <= max(_SAME, floor) * np.abs(exact[0]).max(initial=0.0)
            self.is_settled |= bool(near) and close
        self._extend(shapes, matrices[0])
        return exact

    def _within(self, complete: Solve, matrices: Matrices) -> Pairs:
        """Return eigenvalues and shapes in the space."""
        basis = self._basis
        m, c, k = (basis.T @ one @ basis for one in matrices)
        values, small = complete((m, c, k))
        return values, np.asarray(basis @ small)

    def _left(self, found: Pairs, matrices: Matrices) -> float:
        """Return the largest displacement by what shapes leave of their equations, of unit mass."""
        mass, viscous, stiffness = matrices
        values, shapes = found
        forces = stiffness @ shapes + viscous @ (values * shapes) + mass @ (values**2 * shapes)
        try:
            moved = np.linalg.solve(stiffness, forces)
        except np.linalg.LinAlgError:
            return np.inf
        squares = np.einsum("nk,nk->k", moved.conj(), mass @ moved).real
        return float(np.sqrt(np.abs(squares).max(initial=0.0)))

    def _extend(self, shapes: Complex, mass: Floats) -> None:
        """Extend the space by what is new in shapes, in coordinates scaled by the masses."""
        own = mass.diagonal()
        scale = np.sqrt(np.where(own > 0.0, own, own.max()))[:, None]
        if not len(self._basis):
            self._basis = np.zeros((len(mass), 0))
        basis, new = scale * self._basis, scale * np.hstack([shapes.real, shapes.imag])
        new = new / np.maximum(np.linalg.norm(new, axis=0).max(), np.finfo(float).tiny)
        for _ in range(2):
            new = new - basis @ (basis.T @ new)
        left, sizes, _ = np.linalg.svd(new, full_matrices=False)
        self._basis = np.hstack([basis, left[:, sizes > _NEW]]) / scale


def resting(values: Complex) -> NDArray[np.bool_]:
    """Return whether motions do not vibrate."""
    return np.asarray(np.abs(values.imag) <= _REAL * np.abs(values))


def only_decay(values: Complex) -> NDArray[np.bool_]:
    """Return whether motions decay without vibrating."""
    return np.asarray(resting(values) & (values.real < 0.0))
