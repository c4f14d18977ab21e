# SPDX-License-Identifier: BSD-3-Clause
"""The map between all coordinates and the unknowns: ``q = T y + g(t)``.

Supports, linear equations, ties, local axes, prescribed motions and shapes are all T and g: T is
sparse and constant, complex for the sectors of a cyclic structure; g comes with g' and g''. Only
Euclidean coordinates are mapped; rotations and rigid motions pass through as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.system.elimination import eliminate
from flexforge.runtime.transient.manifold import Euclidean, Product
from flexforge.runtime.transient.operator import Matrix
from flexforge.runtime.transient.state import Block, Layout
from numpy.typing import NDArray

Values = NDArray[Any]


@dataclass(frozen=True)
class Equation:
    """A linear equation ``sum_i factors_i q_i = given(t)``; of one component it is a support.

    Attributes
    ----------
    name : str
        For messages.
    components : sequence of int
        Components of the tangent vector z.
    factors : sequence of float
        Of each.
    given : callable, optional
        Value, rate and second rate at a time, s; zero where not given.
    """

    name: str
    components: Sequence[int]
    factors: Sequence[float]
    given: Callable[[float], tuple[float, float, float]] | None = None


class Unknowns:
    """``q = T y + g(t)``, ``g = D b(t)``.

    Parameters
    ----------
    blocks : sequence of Block
        Of all coordinates q and states s.
    matrix : matrix, (z, free)
        T; identity on what is not Euclidean.
    free : sequence of Block
        Of y, block by block those of q.
    given : matrix (z, k), optional
        D.
    equations : sequence of Equation
        Whose right-hand sides are b.

    Attributes
    ----------
    matrix, adjoint : csr_matrix
        T and its conjugate transpose.
    blocks : tuple of Block
        Of y and s.
    """

    def __init__(
        self,
        blocks: Sequence[Block],
        matrix: Matrix,
        free: Sequence[Block],
        given: Matrix = None,
        equations: Sequence[Equation] = (),
    ) -> None:
        from scipy.sparse import csr_matrix

        first = tuple(b for b in blocks if b.first_order)
        self.matrix = csr_matrix(matrix)
        self.adjoint = csr_matrix(self.matrix.conj().T)
        self._given, self._equations = given, tuple(equations)
        self.full, self.blocks = Layout(blocks), (*free, *first)
        self._places = list(
            zip(
                self.full.manifold.places,
                Product(tuple(b.manifold for b in free)).places,
                strict=True,
            )
        )

    @classmethod
    def eliminate(cls, blocks: Sequence[Block], equations: Sequence[Equation]) -> Unknowns:
        """Return the unknowns that linear equations leave: each removes one, if independent.

        Raises
        ------
        InputError
            When equations contradict each other. What follows from others is left out.
        """
        from scipy.sparse import csr_matrix, diags, lil_matrix

        layout = Layout(blocks)
        z = layout.sizes[1]
        euclidean = np.zeros(z, dtype=bool)
        for part, _, along in layout.manifold.places:
            euclidean[along] = part.is_flat
        rows = lil_matrix((len(equations), z))
        for number, equation in enumerate(equations):
            if not euclidean[list(equation.components)].all():
                raise InputError(f"'{equation.name}': expected coordinates other than rotations")
            for component, factor in zip(equation.components, equation.factors, strict=True):
                rows[number, component] += factor
        right = diags([float(one.given is not None) for one in equations])
        found = eliminate(csr_matrix(rows), right, [one.name for one in equations])
        free = [
            Block(b.name, b.owner, Euclidean(int(found.kept[at].sum())), b.scale)
            if b.manifold.is_flat
            else b
            for b, at in zip(layout.blocks, layout.slices, strict=True)
            if not b.first_order
        ]
        return cls(blocks, found.matrix, free, found.given, equations)

    @cached_property
    def identity(self) -> bytes:
        """Hash of T and D; what the right-hand sides are of the time is not in it."""
        parts = [self.matrix] if self._given is None else [self.matrix, self._given]
        arrays = [a for m in parts for a in (m.indptr, m.indices, m.data)]
        return sha256(b"".join(np.ascontiguousarray(a).tobytes() for a in arrays)).digest()

    def motion(self, t: float) -> tuple[Floats, Floats, Floats]:
        """Return g, g' and g'' at a time, (z,) each."""
        if self._given is None:
            zero = np.zeros(self.matrix.shape[0])
            return zero, zero, zero
        none = (0.0, 0.0, 0.0)
        rows = [none if e.given is None else e.given(t) for e in self._equations]
        g: Floats = self._given @ np.array(rows).reshape(-1, 3)
        return g[:, 0], g[:, 1], g[:, 2]

    def expand(self, t: float, y: Values, v: Values, a: Values) -> tuple[Values, Values, Values]:
        """Return q, z and z' of y and its rates."""
        g0, g1, g2 = self.motion(t)
        flat = np.zeros(self.matrix.shape[1], dtype=y.dtype)
        for _, (part, at, along) in self._places:
            if part.is_flat:
                flat[along] = y[at]
        moved = self.matrix @ flat + g0
        q = np.empty(self.full.sizes[0], dtype=moved.dtype)
        for (part, at, along), (_, own, _) in self._places:
            q[at] = moved[along] if part.is_flat else y[own]
        return q, self.matrix @ v + g1, self.matrix @ a + g2

    def reduce(self, t: float, q: Floats, z: Floats) -> tuple[Floats, Floats]:
        """Return y and y' of q and z that obey the equations: the nearest where they do not."""
        g0, g1, _ = self.motion(t)
        flat = np.zeros_like(g0)
        for (part, at, along), _ in self._places:
            if part.is_flat:
                flat[along] = q[at] - g0[along]
        nearest, v = self._nearest(flat), self._nearest(z - g1)
        y = np.empty(sum(b.manifold.size for b in self.blocks if not b.first_order))
        for (part, at, _), (_, own, along) in self._places:
            y[own] = nearest[along] if part.is_flat else q[at]
        return y, v

    def restrict(self, r: Values) -> Values:
        """Return ``T^T r``: the equations of y from those of q."""
        return np.asarray(self.adjoint @ r)

    def _nearest(self, full: Floats) -> Floats:
        return np.asarray(self._normal(self.adjoint @ full))

    @cached_property
    def _normal(self) -> Any:
        from scipy.sparse import csc_matrix
        from scipy.sparse.linalg import factorized

        return factorized(csc_matrix(self.adjoint @ self.matrix))
