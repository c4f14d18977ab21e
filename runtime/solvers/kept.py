# SPDX-License-Identifier: BSD-3-Clause
"""Factors that are kept for the next analysis: a matrix that comes back is not factored anew.

Load cases have one stiffness, and so has the prestress of modes after a static step. Within
:func:`keeping` the last factors stay, known by digests of the matrix and of how it is factored.
Where only the values of the next matrix are others, as in modes after a static step, its ordering
is theirs.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.solvers.interface import Factorization

if TYPE_CHECKING:
    from scipy.sparse import bsr_matrix, csr_matrix

#: Memory of factors that are kept while nothing uses them, bytes.
MOST = 2**31


@dataclass(eq=False)
class _Kept:
    """Factors, how many use them, and whether others may."""

    factors: Factorization
    users: int = 0
    stays: bool = True

    def release(self) -> None:
        """Close them once nothing uses them, unless they stay."""
        if not self.users and not self.stays:
            self.factors.close()


@dataclass(eq=False)
class _Store:
    """The last factors, for how many analyses they may be, and of what matrix they are.

    The pattern is a digest of how the matrix was factored too.
    """

    cases: int
    last: _Kept | None = None
    pattern: bytes = b""
    values: bytes = b""

    def clear(self) -> None:
        """Let the last factors go."""
        if self.last is not None:
            self.last.stays = False
            self.last.release()
            self.last = None

    def reordered(self, matrix: csr_matrix | bsr_matrix) -> Factorization | None:
        """Take the last factors, if nothing uses them, for other values in their pattern."""
        if self.last is None or self.last.users or self.last.factors.iterative:
            return None
        factors, self.last = self.last.factors, None
        try:
            factors.update(matrix)
        except BaseException:
            factors.close()
            raise
        return factors


_STORE: ContextVar[_Store | None] = ContextVar("kept factors", default=None)


@contextmanager
def keeping(cases: int = 1) -> Iterator[None]:
    """Keep the last factors of :func:`kept` until the end.

    Parameters
    ----------
    cases : int
        Number of analyses that may have the same matrix.
    """
    store = _Store(cases)
    token = _STORE.set(store)
    try:
        yield
    finally:
        _STORE.reset(token)
        store.clear()


def cases() -> int:
    """Return for how many analyses factors are kept: 1 where they are not."""
    store = _STORE.get()
    return 1 if store is None else max(store.cases, 1)


def kept(
    matrix: csr_matrix | bsr_matrix,
    how: tuple[object, ...],
    factor: Callable[[], Factorization],
) -> Factorization:
    """Return factors of a matrix: those that are kept if they are of the same, else new ones.

    Parameters
    ----------
    matrix : csr_matrix or bsr_matrix, (n, n)
        The matrix.
    how : tuple
        What else determines the factors: names, numbers, flags.
    factor : callable
        Returns new factors.
    """
    store = _STORE.get()
    if store is None:
        return factor()
    pattern = _digest(repr((matrix.shape, how)).encode(), matrix.indptr, matrix.indices)
    values = _digest(matrix.data)
    alike = store.last is not None and pattern == store.pattern
    if not alike or values != store.values:
        found = store.reordered(matrix) if alike else None
        if found is None:
            store.clear()  # before others take memory
            found = factor()
        if (found.bytes or 0) > MOST:
            return found
        store.last, store.pattern, store.values = _Kept(found), pattern, values
    assert store.last is not None
    store.last.users += 1
    return _Borrowed(store.last)


def _digest(*parts: Any) -> bytes:
    # Processors have instructions for this one: twice as fast as others that are as safe.
    found = hashlib.sha256()
    for part in parts:
        found.update(part if isinstance(part, bytes) else np.ascontiguousarray(part).data)
    return found.digest()


class _Borrowed:
    """Kept factors in use: closing them ends this use alone.

    Parameters
    ----------
    own : _Kept
        The factors.
    """

    def __init__(self, own: _Kept) -> None:
        self._own, self._open = own, True
        self.iterative = own.factors.iterative

    @property
    def name(self) -> str:
        """Name of the backend."""
        return self._own.factors.name

    @property
    def bytes(self) -> int | None:
        """Memory of the factors, if the backend reports it."""
        return self._own.factors.bytes

    @property
    def negative(self) -> int | None:
        """Number of negative eigenvalues of a symmetric matrix, if the backend knows it."""
        return getattr(self._own.factors, "negative", None)

    def solve(self, rhs: Floats) -> Floats:
        """Solve for one right-hand side (n,) or several (n, k)."""
        return self._own.factors.solve(rhs)

    def precondition(self, rhs: Floats) -> Floats:
        """Return the solution, of factors, or what one step of an iteration makes."""
        return self._own.factors.precondition(rhs)

    def update(self, matrix: csr_matrix) -> None:
        """Refuse other values: the factors are those of the matrix that they are known by."""
        raise TypeError("kept factors are of one matrix; factor another one")

    def close(self) -> None:
        """End this use."""
        if self._open:
            self._open = False
            self._own.users -= 1
            self._own.release()
