# SPDX-License-Identifier: BSD-3-Clause
"""Kinematics of a point of an element with an explicit field, in axes that rotate with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import sympy
from flexforge.codegen.mechanics.kinematics import MaterialPoint
from flexforge.codegen.mechanics.ledger import Ledger
from flexforge.codegen.mechanics.shape_symbols import column


@dataclass(frozen=True)
class FieldPoint(MaterialPoint):
    """A point of an element with an explicit field: one matrix of shape symbols per vector.

    Attributes
    ----------
    strains : int
        Rows of the strain matrix.
    stiffened : tuple of sympy.ImmutableMatrix
        Q of every second-order strain ``1/2 g^T Q g`` with rates g of the displacement; empty if
        stress does not stiffen the element.
    """

    strains: int = 0
    stiffened: tuple[sympy.ImmutableMatrix, ...] = ()

    def _entries(self, letter: str, node: str, rows: int) -> sympy.Matrix:
        digits = len(str(rows))
        return sympy.Matrix(
            rows,
            self.dimension,
            lambda i, k: sympy.Symbol(f"{letter}_{node},{int(i) + 1:0{digits}}{k + 1}", real=True),
        )

    @cached_property
    def shape_matrix(self) -> sympy.ImmutableMatrix:
        """N = [N_1, N_2, ...], a full block per vector."""
        blocks = [self._entries("N", node, self.dimension) for node in self.nodes]
        return sympy.ImmutableMatrix(sympy.Matrix.hstack(*blocks))

    def interpolate_in_fixed_axes(
        self,
        nodal: Sequence[sympy.Symbol],
        rates: Sequence[sympy.Symbol],
        turn: sympy.Matrix,
        moving: Mapping[sympy.Symbol, sympy.Expr],
        ledger: Ledger,
    ) -> sympy.Matrix:
        """Return ``d/dt (R N R^T q)``: the axes of the field rotate."""
        c = self.dimension
        local: list[sympy.Expr] = []
        for first in range(0, len(nodal), c):
            local += ledger.times(turn.T, sympy.Matrix(nodal[first : first + c]), "v")
        displacement = ledger.times(turn, self.interpolate(local, ledger, "v"), "v")
        return displacement.applyfunc(lambda entry: ledger.total(entry, moving, "du/dt"))

    @cached_property
    def slopes(self) -> sympy.ImmutableMatrix:
        """The matrix of the rates g in second-order strains."""
        rows = self.stiffened[0].rows if self.stiffened else 0
        blocks = [self._entries("G", node, rows) for node in self.nodes]
        return sympy.ImmutableMatrix(sympy.Matrix.hstack(*blocks))

    def _whole_gradient(self, nodal: Sequence[sympy.Expr], ledger: Ledger) -> sympy.Matrix:
        """Return the rates g of a field with the given nodal values."""
        return ledger.times(self.slopes, sympy.Matrix(list(nodal)), "eps")

    def _quadratic(self, left: sympy.Matrix, right: sympy.Matrix) -> sympy.Matrix:
        """Return the second-order strains, polarized: ``1/2 left^T Q right``."""
        return sympy.Matrix([(left.T * q * right)[0] / 2 for q in self.stiffened])

    @cached_property
    def strain_matrix(self) -> sympy.ImmutableMatrix:
        """The matrix of ``eps = B d``."""
        blocks = [self._entries("B", node, self.strains) for node in self.nodes]
        return sympy.ImmutableMatrix(sympy.Matrix.hstack(*blocks))

    @cached_property
    def initial_stress(self) -> sympy.ImmutableMatrix:
        """Initial stress, one component per second-order strain."""
        return column("sigma", len(self.stiffened))
