# SPDX-License-Identifier: BSD-3-Clause
"""Tracking modes from one speed to the next by their shapes.

Shapes are compared by the mass-weighted modal assurance criterion: ``MAC = |phi^H m psi|^2`` for
shapes of unit modal mass. When a frequency passes through zero, the shape continues as its
conjugate, with a negative frequency. Each shape is therefore compared with both, and curves of
signed frequency are smooth where the frequency itself is reflected. Shapes of equal eigenvalues are
arbitrary within their space, so the spaces are compared instead.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from flexforge.runtime.arrays import Complex, Floats
from flexforge.runtime.ranks import ONE, Ranks
from flexforge.runtime.system.products import Products
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


#: Relative difference of eigenvalues that count as equal.
EQUAL = 1e-6
_CLEARLY = 0.2  # margin by which the conjugate shape must fit better
_FREQUENCY = 0.1  # weight of the frequency where shapes are not decisive
_ORDER = 1e-7  # that of the order, which modes keep that are equal at a speed


@dataclass(frozen=True, slots=True)
class Match:
    """A new mode that continues a tracked one.

    Attributes
    ----------
    row, column : int
        Index of the tracked mode, and of the new one.
    assurance : float
        MAC, 0 to 1.
    conjugate : bool
        Whether the conjugate of the new mode continues the tracked one.
    """

    row: int
    column: int
    assurance: float
    conjugate: bool


def match(
    before: tuple[Complex, Complex],
    after: tuple[Complex, Complex],
    expected: Floats,
    mass: csr_matrix | Products,
    ranks: Ranks = ONE,
    *,
    mirrors: bool = True,
) -> list[Match]:
    """Assign new modes to tracked ones so that the sum of their MAC is largest.

    Parameters
    ----------
    before, after : tuple of ndarray
        Eigenvalues (a,) and shapes (a, n).
    expected : ndarray, (a,)
        Signed frequencies at which the tracked modes are expected, rad/s.
    mass : csr_matrix or Products
        Of the unknowns.
    ranks : Ranks
        The processes that share the unknowns.
    mirrors : bool
        Whether the conjugate of a mode is one too. Waves of a wheel have theirs at the opposite
        number of nodal diameters: each keeps its sign, which tells those of one shape apart.
    """
    keys = (_unsigned(before[0]), _unsigned(after[0])) if mirrors else (before[0], after[0])
    clusters = [_clusters(one) for one in keys]
    old = _orthonormal(clusters[0], before[1], mass, ranks)
    new = _orthonormal(clusters[1], after[1], mass, ranks)
    old, _ = _unit(old, mass, ranks)
    new, heavy = _unit(new, mass, ranks)
    straight = _assurance(ranks.total(old.conj() @ heavy.T), *clusters)
    if not mirrors:
        sizes = np.maximum(np.abs(after[0].imag), np.abs(expected[:, None]))
        away = np.abs(after[0].imag - expected[:, None]) / np.maximum(sizes, 1e-300)
        return _assigned(straight, away, np.zeros(straight.shape, dtype=bool))
    mirrored = _assurance(ranks.total(old.conj() @ heavy.conj().T), *clusters)
    negative = (before[0].imag < 0.0)[:, None]
    likely, other = (
        np.where(negative, mirrored, straight),
        np.where(negative, straight, mirrored),
    )
    swapped = other > likely + _CLEARLY
    assurance = np.where(swapped, other, likely)
    conjugate = swapped ^ negative
    signed = np.where(conjugate, -after[0].imag, after[0].imag)
    scale = np.abs(after[0]).max(initial=1e-300)
    return _assigned(assurance, np.abs(signed - expected[:, None]) / scale, conjugate)


def _assigned(assurance: Floats, away: Floats, conjugate: NDArray[np.bool_]) -> list[Match]:
    """Return the best assignment, of MAC and relative distances from expected frequencies."""
    from scipy.optimize import linear_sum_assignment

    places = np.arange(assurance.shape[0])[:, None] - np.arange(assurance.shape[1])
    costs = _FREQUENCY * np.minimum(away, 1.0) - assurance + _ORDER * places**2
    rows, columns = linear_sum_assignment(costs)
    return [
        Match(int(i), int(j), float(assurance[i, j]), bool(conjugate[i, j]))
        for i, j in zip(rows, columns, strict=True)
    ]


def _unsigned(values: Complex) -> Complex:
    """Return eigenvalues without the sign of their frequency, by which conjugates are equal."""
    return np.asarray(values.real + 1j * np.abs(values.imag))


def _clusters(keys: Complex) -> list[NDArray[np.int64]]:
    """Return groups of equal eigenvalues; of modes with conjugates given without their sign."""
    near = np.abs(keys - keys[:, None]) <= EQUAL * np.abs(keys)[:, None]
    left, found = np.ones(len(keys), dtype=bool), []
    for first in range(len(keys)):
        if left[first]:
            group = np.flatnonzero(near[first] & left)
            left[group] = False
            found.append(group)
    return found


def _orthonormal(
    clusters: list[NDArray[np.int64]],
    vectors: Complex,
    mass: csr_matrix | Products,
    ranks: Ranks,
) -> Complex:
    """Make the shapes of equal eigenvalues orthonormal in the mass."""
    result = vectors.copy()
    for group in clusters:
        if len(group) == 1:
            continue
        some = vectors[group]
        gram = ranks.total(some.conj() @ (mass @ some.T))
        sizes, turn = np.linalg.eigh(gram)
        if sizes[0] > 1e-6 * sizes[-1]:  # otherwise defective: all its shapes are equal
            result[group] = (turn / np.sqrt(sizes)).T @ some
    return result


def _unit(vectors: Complex, mass: csr_matrix | Products, ranks: Ranks) -> tuple[Complex, Complex]:
    """Return vectors (a, n) of unit length in the mass, and the mass times them.

    They had unit modal mass with what bearings add at their own speeds.
    """
    heavy = (mass @ vectors.T).T
    squares = ranks.total(np.einsum("ij,ij->i", vectors.conj(), heavy).real)
    sizes = np.sqrt(np.where(squares > 0.0, squares, 1.0))[:, None]
    return vectors / sizes, heavy / sizes


def _assurance(
    products: Complex, groups: list[NDArray[np.int64]], others: list[NDArray[np.int64]]
) -> Floats:
    """Return the MAC of every pair; for equal eigenvalues, that of their spaces."""
    squares: Floats = np.abs(products) ** 2
    found = squares.copy()
    several = [one for one in others if len(one) > 1]
    for group in groups:
        for other in others if len(group) > 1 else several:
            block = np.ix_(group, other)
            found[block] = squares[block].sum() / min(len(group), len(other))
    return np.minimum(found, 1.0)
