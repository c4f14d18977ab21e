# SPDX-License-Identifier: BSD-3-Clause
"""Interpolation from a coarse level and restriction to it; where ranks share it, with exchanges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from flexforge.runtime.ranks import Ranks
from flexforge.runtime.ranks.halo import Halo, halo_of
from flexforge.runtime.solvers.rows import Product
from flexforge.runtime.solvers.threaded import ThreadedProduct
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import bsr_matrix


def transfers(
    ranks: Ranks, counts: Sequence[int], smooth: bsr_matrix, threads: int
) -> tuple[Product, Product]:
    """Return the products with an interpolation P and with its transpose.

    Parameters
    ----------
    ranks : Ranks
        The processes that share the levels.
    counts : sequence of int
        Number of aggregates of every rank.
    smooth : bsr_matrix, (m, n)
        Rows of P of this rank; columns are numbered over all ranks.
    threads : int
        Threads of the products.
    """
    if ranks.count == 1:
        return _both(smooth, threads)
    halo, numbers = halo_of(ranks, counts, smooth.indices)
    d, k = smooth.blocksize
    columns = np.searchsorted(numbers, smooth.indices)
    parts = (smooth.data, columns, smooth.indptr)
    interpolation, restriction = _both(
        type(smooth)(parts, shape=(smooth.shape[0], k * len(numbers))), threads
    )
    return _Interpolation(interpolation, halo, k), _Restriction(restriction, halo, k)


def _both(smooth: bsr_matrix, threads: int) -> tuple[Product, Product]:
    turned = smooth.T.tobsr(smooth.blocksize[::-1])
    return ThreadedProduct(smooth, threads), ThreadedProduct(turned, threads)


class _Interpolation:
    """An interpolation that first asks for the values of other ranks' aggregates."""

    def __init__(self, product: Product, halo: Halo, block: int) -> None:
        self._product, self._halo, self._block = product, halo, block
        self.bytes = product.bytes

    def __matmul__(self, x: NDArray[Any]) -> NDArray[Any]:
        whole = np.empty((len(self._halo.own), self._block), dtype=x.dtype)
        whole[self._halo.own] = x.reshape(-1, self._block)
        return self._product @ self._halo.fill(whole).ravel()


class _Restriction:
    """A restriction that hands over what belongs to other ranks' aggregates."""

    def __init__(self, product: Product, halo: Halo, block: int) -> None:
        self._product, self._halo, self._block = product, halo, block
        self.bytes = product.bytes

    def __matmul__(self, x: NDArray[Any]) -> NDArray[Any]:
        whole = self._halo.add((self._product @ x).reshape(-1, self._block))
        return whole[self._halo.own].ravel()
