# SPDX-License-Identifier: BSD-3-Clause
"""All eigenvalues of a small ``(lambda^2 I + lambda g + k) y = 0``, in pairs where possible.

With g skew and k symmetric, lambda and -lambda occur together (physics.md section 5). A general
method gives the two eigenvalues of a pair different round-off, and a stable vibration a spurious
growth. Here one of each pair is computed and the other is its negative. If k is positive definite,
the problem is that of a Hermitian matrix (Meirovitch, AIAA Journal 12, 1974). Otherwise ``(H^2 +
s^2)^-1``, with H the Hamiltonian matrix of the problem, is reduced to the block triangular form of
Van Loan (Linear Algebra and its Applications 61, 1984), whose first block has every eigenvalue
once.
"""

from __future__ import annotations

import numpy as np
from flexforge.runtime.arrays import Complex, Floats

_ROUND_OFF = 1e-13
_FAR = 30.0  # ratio of frequencies that takes three digits of the higher one
_SPREAD = 1e5  # ratio of frequencies that takes five digits of the higher one
_CLOSE = 1e-5  # change by a Rayleigh quotient that is an improvement
_SPLIT = 100.0  # ratio of digits that may be lost for a wider gap
_OFF_THE_SPECTRUM = 0.7071  # times a frequency: no eigenvalue is expected there


def gyroscopic_pairs(
    stiffness: Floats, skew: Floats, count: int, target: float = 0.0, still: int = 0
) -> tuple[Complex, Complex]:
    """Return one eigenvalue of each pair, and vectors: all, or the lowest if k is definite.

    Parameters
    ----------
    stiffness : ndarray, (m, m)
        Symmetric.
    skew : ndarray, (m, m)
        Skew.
    count : int
        Number of required eigenvalues. If k is singular, these are computed accurately; if it is
        definite, only these are computed.
    target : float
        Frequency near which they are required; zero for the lowest.
    still : int
        Number of motions that are known to be unrestrained: k is singular.

    Returns
    -------
    values : ndarray, (m,) or (count,)
        With non-negative imaginary part; where that is zero, with non-negative real part.
    vectors : ndarray, (m, m) or (m, count)
        In columns.
    """
    if not skew.any():
        squares, shapes = np.linalg.eigh(stiffness)
        return np.emath.sqrt(-squares).astype(np.complex128), shapes.astype(np.complex128)
    own: Floats = np.linalg.eigvalsh(stiffness).astype(np.float64)
    if not still and own[0] > _ROUND_OFF * own[-1]:
        found = _definite(stiffness, skew, len(own) if target else min(count, len(own)))
        return found if _is_narrow(found[0]) else _with_higher(found, stiffness, skew)
    shift = _reference(own, count, target, still)
    found = _indefinite(stiffness, skew, shift)
    return found if shift else _in_two_parts(found, stiffness, skew, count)


def definite_pairs(
    stiffness: Floats, skew: Floats, mass: Floats, count: int
) -> tuple[Complex, Complex] | None:
    """Return the lowest eigenvalues of ``lambda^2 m + lambda g + k`` and shapes of unit modal mass.

    With the matrices as they are, the digits of the lowest do not depend on how stiff the stiffest
    supports are.

    Parameters
    ----------
    stiffness, mass : ndarray, (n, n)
        Symmetric.
    skew : ndarray, (n, n)
        Skew.
    count : int
        Number of eigenvalues.

    Returns
    -------
    values, vectors : ndarray, (count,) and (n, count)
        None where a matrix is not positive definite.
    """
    if (stiffness.diagonal() <= 0.0).any():
        return None
    sizes = np.sqrt(stiffness.diagonal())
    own = np.linalg.eigvalsh(stiffness / np.outer(sizes, sizes))
    if own[0] <= _ROUND_OFF * own[-1]:
        return None
    try:
        factor: Floats = np.linalg.cholesky(mass).astype(np.float64)
    except np.linalg.LinAlgError:
        return None
    values, vectors = _definite(stiffness, skew, min(count, len(own)), factor)
    if not _is_narrow(values):
        return None
    return values, vectors / np.linalg.norm(factor.T @ vectors, axis=0)


def _is_narrow(values: Complex) -> bool:
    """Whether the highest frequencies found with inverses have their digits beside the lowest."""
    sizes = np.abs(values)
    return bool(sizes.max() <= _SPREAD * sizes.min())


def general_values(
    stiffness: Floats, viscous: Floats, count: int, target: float = 0.0, still: int = 0
) -> tuple[Complex, Complex]:
    """Return all 2 m eigenvalues and their vectors for general matrices, without pairs.

    Parameters
    ----------
    stiffness, viscous : ndarray, (m, m)
        Factors of ``y`` and of ``lambda y``.
    count, target, still : int, float, int
        As in :func:`gyroscopic_pairs`.
    """
    from scipy.linalg import eig

    m = len(stiffness)
    sizes: Floats = np.linalg.eigvalsh(0.5 * (stiffness + stiffness.T)).astype(np.float64)
    shift = _reference(sizes, count, target, still)
    scale = shift or float(np.sqrt(np.abs(sizes).min()))
    matrix = np.block(
        [[np.zeros((m, m)), scale * np.eye(m)], [-stiffness / scale, -viscous]]
    ) - shift * np.eye(2 * m)
    inverted, vectors = eig(np.linalg.inv(matrix))
    return shift + 1.0 / inverted, vectors[:m]


def _reference(own: Floats, count: int, target: float, still: int) -> float:
    """Return 0 if k is regular, otherwise a frequency of the order of the required ones."""
    sizes = np.sort(np.abs(own))
    if not still and sizes[0] > _ROUND_OFF * sizes[-1]:
        return 0.0
    if target:
        return _OFF_THE_SPECTRUM * target
    sizes = sizes[still:]
    wanted = sizes[sizes > _ROUND_OFF * sizes.max(initial=0.0)]
    if not len(wanted):
        return 1.0
    return _OFF_THE_SPECTRUM * float(np.sqrt(wanted[min(count, len(wanted)) - 1]))


def _definite(
    stiffness: Floats, skew: Floats, count: int, root: Floats | None = None
) -> tuple[Complex, Complex]:
    """Solve the Hermitian problem for the lowest: with ``k = L L^T`` and ``z = (L^T y, lambda y)``.

    ``lambda z = S z`` has the skew ``S = [[0, L^T], [-L, -g]]``; ``i S^-1`` is Hermitian with the
    eigenvalues 1 / omega. With a mass ``m = N N^T`` z is ``(L^T y, lambda N^T y)``.
    """
    from scipy.linalg import eigh, solve_triangular

    m = len(stiffness)
    factor = np.linalg.cholesky(stiffness)
    inverse = solve_triangular(factor, np.eye(m), lower=True)
    inner = inverse @ skew @ inverse.T
    heavy = inverse if root is None else inverse @ root
    turned = np.block([[-0.5 * (inner - inner.T), -heavy], [heavy.T, np.zeros((m, m))]])
    periods, vectors = eigh(1j * turned, subset_by_index=(2 * m - count, 2 * m - 1))
    return 1j / periods, inverse.T @ vectors[:m]


def _with_higher(
    found: tuple[Complex, Complex], stiffness: Floats, skew: Floats
) -> tuple[Complex, Complex]:
    """Return eigenvalues of which the higher ones are from S itself, as inverses lose their digits.

    Of inverses the error of a frequency w is that of ``w^2 / lowest``, of S that of the highest.
    """
    m = len(stiffness)
    factor = np.linalg.cholesky(stiffness)
    matrix = np.block([[np.zeros((m, m)), factor.T], [-factor, -0.5 * (skew - skew.T)]])
    negative, vectors = np.linalg.eigh(1j * matrix)
    order = np.argsort(np.abs(found[0]), kind="stable")
    values, shapes = found[0][order], found[1][:, order]
    own = -negative[:m][::-1][: len(values)]
    higher = own**2 > abs(values[0]) * float(np.abs(negative).max())
    values[higher] = 1j * own[higher]
    shapes[:, higher] = vectors[m:, :m][:, ::-1][:, : len(values)][:, higher]
    return values, shapes / np.linalg.norm(shapes, axis=0)


def _indefinite(stiffness: Floats, skew: Floats, shift: float) -> tuple[Complex, Complex]:
    """Solve through ``(H^2 + shift^2)^-1``, with every eigenvalue once."""
    m = len(stiffness)
    c = 0.5 * skew
    matrix = np.block([[-c, np.eye(m)], [c @ c - stiffness, -c]])  # of q and p = q' + c q
    if shift:
        squared = np.linalg.inv(matrix - 1j * shift * np.eye(2 * m)).imag / shift
    else:
        inverse = np.linalg.inv(matrix)
        squared = inverse @ inverse
    block, basis = _van_loan(squared)
    inverted, small = np.linalg.eig(block)
    squares = 1.0 / inverted.astype(np.complex128) - shift**2
    values = np.sqrt(squares)
    values = np.where(values.imag < 0.0, -values, values)
    values.real[squares.imag == 0.0] = np.where(squares.real > 0.0, values.real, 0.0)[
        squares.imag == 0.0
    ]
    combined = basis[:, :m] @ small
    # (H - lambda)(H + lambda) v = 0: the image of v under H + lambda is a vector of lambda.
    both = matrix @ combined + values * combined
    sizes = 1e-8 * np.linalg.norm(matrix @ combined, axis=0)
    nothing = _ROUND_OFF * np.linalg.norm(matrix) * np.linalg.norm(combined, axis=0)
    lost = np.linalg.norm(both, axis=0) <= np.maximum(sizes, nothing)
    vectors = np.where(lost, combined, both)[:m]
    return values, vectors / np.linalg.norm(vectors, axis=0)


def _in_two_parts(
    found: tuple[Complex, Complex], stiffness: Floats, skew: Floats, count: int
) -> tuple[Complex, Complex]:
    """Return values of which those far above the lowest are from a shift that is near them.

    A frequency near zero, as at a critical speed, dominates the inverse of the squares: that of w
    loses ``(w / lowest)^2`` of its digits. With a shift s those below it lose ``(s / w)^2``.
    """
    order = np.argsort(np.abs(found[0]), kind="stable")
    sizes = np.abs(found[0][order])
    wanted = sizes[min(count, len(sizes)) - 1]
    if not wanted > _FAR * sizes[0]:
        return found
    shift = _OFF_THE_SPECTRUM * wanted
    other = _indefinite(stiffness, skew, shift)
    lost = np.maximum(
        np.concatenate([[0.0], (sizes / sizes[0]) ** 2]),
        np.concatenate([(shift / sizes) ** 2, [0.0]]),
    )
    # Where few digits are lost, the parts are split at the widest gap.
    gaps = np.concatenate([[1.0], sizes[1:] / sizes[:-1], [1.0]])
    split = int(np.argmax(np.where(lost <= _SPLIT * lost.min(), gaps, 0.0)))
    rest = np.argsort(np.abs(other[0]), kind="stable")[split:]
    higher = _refined(other[0][rest], other[1][:, rest], stiffness, skew)
    values = np.concatenate([found[0][order[:split]], higher])
    return values, np.concatenate([found[1][:, order[:split]], other[1][:, rest]], axis=1)


def _refined(values: Complex, vectors: Complex, stiffness: Floats, skew: Floats) -> Complex:
    """Return imaginary values as roots of Rayleigh quotients.

    On the imaginary axis ``k + lambda g + lambda^2`` is Hermitian: the root of its quotient by a
    vector has the square of the vector's error.
    """
    half = 0.5 * np.real(np.sum(vectors.conj() * (1j * (skew @ vectors)), axis=0))
    rest = np.real(np.sum(vectors.conj() * (stiffness @ vectors), axis=0))
    root = np.sqrt(np.maximum(half**2 + rest, 0.0))  # of w^2 = 2 half w + rest
    roots = np.array([half + root, half - root])
    nearest = np.argmin(np.abs(roots - values.imag), axis=0)
    found = roots[nearest, np.arange(len(values))]
    close = (values.real == 0.0) & (np.abs(found - values.imag) <= _CLOSE * values.imag)
    return np.where(close, 1j * found, values)


def _van_loan(matrix: Floats) -> tuple[Floats, Floats]:
    """Return the first block W of ``U^T N U = [[W, *], [0, W^T]]`` and the orthogonal U.

    N = ``[[A, G], [Q, A^T]]`` with G and Q skew; U is symplectic as well.
    """
    m = len(matrix) // 2
    a, g, q, d = matrix[:m, :m], matrix[:m, m:], matrix[m:, :m], matrix[m:, m:]
    n = np.block([[a + d.T, g - g.T], [q - q.T, a.T + d]]) / 2.0
    basis = np.eye(2 * m)
    for j in range(m - 1):
        _reflect(n, basis, m, n[m + j + 1 :, j], j + 1)
        _rotate(n, basis, j + 1, m + j + 1, j)
        _reflect(n, basis, m, n[j + 1 : m, j], j + 1)
    return n[:m, :m].copy(), basis


def _reflect(n: Floats, basis: Floats, m: int, column: Floats, first: int) -> None:
    """Apply the reflection that keeps only the first entry of a column, in both halves."""
    v = column.copy()
    v[0] += np.copysign(np.linalg.norm(v), v[0])
    length = float(v @ v)
    if length == 0.0:
        return
    v *= np.sqrt(2.0 / length)
    for part in (slice(first, m), slice(m + first, 2 * m)):
        n[part] -= np.outer(v, v @ n[part])
        n[:, part] -= np.outer(n[:, part] @ v, v)
        basis[:, part] -= np.outer(basis[:, part] @ v, v)


def _rotate(n: Floats, basis: Floats, i: int, k: int, j: int) -> None:
    """Rotate rows and columns i and k so that entry (k, j) vanishes."""
    length = float(np.hypot(n[i, j], n[k, j]))
    if length == 0.0:
        return
    c, s = n[i, j] / length, n[k, j] / length
    turn = np.array([[c, s], [-s, c]])
    n[[i, k]] = turn @ n[[i, k]]
    n[:, [i, k]] = n[:, [i, k]] @ turn.T
    basis[:, [i, k]] = basis[:, [i, k]] @ turn.T
