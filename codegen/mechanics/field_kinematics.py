# SPDX-License-Identifier: BSD-3-Clause
"""Kinematics of a point of an element that writes out its field, in axes that turn with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import sympy
from flexforge.codegen.elements.strain import VOIGT
from flexforge.codegen.mechanics.kinematics import MaterialPoint
from flexforge.codegen.mechanics.ledger import Ledger
from flexforge.codegen.mechanics.shape_symbols import column


@dataclass(frozen=True)
class FieldPoint(MaterialPoint):
    """A point of an element that writes out its field: a matrix of shape symbols a vector.

    Attributes
    ----------
    strains : int
        Rows of the strain matrix.
    axes : int
        Axes along which the displacement has slopes; none where no stress stiffens the element.
    """

    strains: int = 0
    axes: int = 1

    def _entries(self, letter: str, node: str, rows: int, prefix: str = "") -> sympy.Matrix:
        return sympy.Matrix(
            rows,
            self.dimension,
            lambda i, k: sympy.Symbol(f"{letter}_{node},{prefix}{i + 1}{k + 1}", real=True),
        )

    @cached_property
    def shape_matrix(self) -> sympy.ImmutableMatrix:
        """N = [N_1, N_2, ...], a full block a vector."""
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
        """Return ``d/dt (R N R^T q)``: the field is written in axes that turn."""
        c = self.dimension
        local: list[sympy.Expr] = []
        for first in range(0, len(nodal), c):
            local += ledger.times(turn.T, sympy.Matrix(nodal[first : first + c]), "v")
        displacement = ledger.times(turn, self.interpolate(local, ledger, "v"), "v")
        return displacement.applyfunc(lambda entry: ledger.total(entry, moving, "du/dt"))

    @cached_property
    def slope_matrices(self) -> tuple[sympy.ImmutableMatrix, ...]:
        """Derivatives of N along every axis of the cell."""
        return tuple(
            sympy.ImmutableMatrix(sympy.Matrix.hstack(
                *(self._entries("G", node, self.dimension, str(j + 1)) for node in self.nodes)
            ))
            for j in range(self.axes)
        )  # fmt: skip

    @cached_property
    def slopes(self) -> sympy.ImmutableMatrix:
        """All derivatives of N, one axis after the other."""
        return sympy.ImmutableMatrix(sympy.Matrix.vstack(*self.slope_matrices))

    def displacement_gradient(self, nodal: Sequence[sympy.Expr], ledger: Ledger) -> sympy.Matrix:
        """Return ``du_i / dx_j``, a column an axis of the cell."""
        column = sympy.Matrix(list(nodal))
        return sympy.Matrix.hstack(
            *(ledger.times(slope, column, "eps") for slope in self.slope_matrices)
        )

    @cached_property
    def strain_matrix(self) -> sympy.ImmutableMatrix:
        """The matrix of ``eps = B d``."""
        blocks = [self._entries("B", node, self.strains) for node in self.nodes]
        return sympy.ImmutableMatrix(sympy.Matrix.hstack(*blocks))

    @cached_property
    def initial_stress(self) -> sympy.ImmutableMatrix:
        """Initial stress along the axes of the cell, in Voigt order."""
        return column("sigma", len(VOIGT[self.axes]) if self.axes else 0)
