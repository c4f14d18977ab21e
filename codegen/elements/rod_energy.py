# SPDX-License-Identifier: BSD-3-Clause
"""Energies of rods whose displacements and rotations are large, over their strains.

The measures of a beam are those of Reissner (1972) and Simo (1985): with the axis r(s) and the
rotation R(s) of the section since rest, both functions of the length s at rest, and in axes of the
section,

    gamma = R^T r' - r_0',   kappa = axial(R^T R'),

an element declares its strains as linear forms of them. The measure of a bar is ``green``, Green's
strain of its axis; that of a cable with slopes also its curvature per length at rest, in the frame,
``r' x r''/|r'|^2`` (Gerstmayr and Irschik, Journal of Sound and Vibration 318, 2008). The energy is
that of the linear law, or a formula of the strains.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from types import MappingProxyType

import sympy
from flexforge.codegen.elements.energy_formulas import read_formula
from flexforge.codegen.errors import InputError

#: Measures by the vectors that nodes carry, and their number of components.
MEASURES: Mapping[tuple[tuple[str, ...], int], tuple[str, ...]] = MappingProxyType(
    {
        (("displacement", "rotation"), 3): (
            *("gamma_x", "gamma_y", "gamma_z"),
            *("kappa_x", "kappa_y", "kappa_z"),
        ),
        (("displacement", "rotation"), 2): ("gamma_x", "gamma_y", "kappa_z"),
        (("displacement",), 3): ("green",),
        (("displacement",), 2): ("green",),
        (("displacement", "slope"), 3): ("green", "curvature_x", "curvature_y", "curvature_z"),
        (("displacement", "slope"), 2): ("green", "curvature_z"),
    }
)


def strain_symbols(count: int) -> tuple[sympy.Symbol, ...]:
    """Return the symbols of the strains of a rod, which are other ones than those of its law."""
    return tuple(sympy.Symbol(f"strain{k + 1}", finite=True) for k in range(count))


@dataclass(frozen=True)
class RodEnergy:
    """Strains of a rod at any displacement, and the energy that they store.

    Attributes
    ----------
    strains : tuple of str
        Their names, in the order of the law.
    measures : tuple of str
        Names of the measures.
    forms : sympy.ImmutableMatrix
        Factors of the measures in each strain: constants of the section.
    formula : str
        Energy per length at rest, in the strains and the parameters of the law; empty for that of
        the law.
    parameters : tuple of str
        Parameters of the formula.
    key : str
        Where the formula stands, for errors.
    """

    strains: tuple[str, ...]
    measures: tuple[str, ...]
    forms: sympy.ImmutableMatrix
    formula: str = ""
    parameters: tuple[str, ...] = ()
    key: str = field(default="energy", compare=False)

    @property
    def of_axis(self) -> bool:
        """Whether its first strain is Green's strain of the axis, and no other has a part of it."""
        first = sympy.ImmutableMatrix([1, *[0] * (len(self.strains) - 1)])
        return bool(self.measures[0] == "green" and self.forms[:, 0] == first)

    @property
    def symbols(self) -> tuple[sympy.Symbol, ...]:
        """The symbols of the strains."""
        return strain_symbols(len(self.strains))

    @cached_property
    def written(self) -> sympy.Expr:
        """The formula in the symbols of the strains and in the parameters.

        Raises
        ------
        InputError
            For what is no formula, unknown names, parameters that do not occur, or a formula with
            a stress at rest.
        """
        found = read_formula(self.formula, self._known(), self.parameters, self.key, "strains")
        zero = dict.fromkeys(self.symbols, 0)
        for name, one in zip(self.strains, self.symbols, strict=True):
            stress = sympy.simplify(sympy.diff(found, one).subs(zero))
            if stress != 0:
                raise InputError(
                    f"{self.key}: found '{self.formula}', which has the stress {stress} of "
                    f"'{name}' where nothing is deformed; expected none"
                )
        self._check_directions(found)
        return found

    def _check_directions(self, found: sympy.Expr) -> None:
        """Refuse an energy of a curvature in the frame that is not the same in every direction."""
        known = dict(zip(self.measures, self.symbols, strict=False))
        bends = [one for name, one in known.items() if name.startswith("curvature")]
        for a, b in combinations(bends, 2) if self.forms == sympy.eye(len(self.strains)) else ():
            turned = a * sympy.diff(found, b) - b * sympy.diff(found, a)
            if sympy.simplify(turned) != 0:
                raise InputError(
                    f"{self.key}: found '{self.formula}', which is not the same for bending in "
                    "every direction; expected the sum of the squares of all bending strains"
                )

    def _known(self) -> Mapping[str, sympy.Expr]:
        """Return what a formula knows; that of a cable also its stretch, of Green's strain."""
        known = dict(zip(self.strains, self.symbols, strict=True))
        if self.strains[0] == "tension" and self.of_axis:
            known["stretch"] = sympy.sqrt(1 + 2 * self.symbols[0])
        return known

    def density(self, law: sympy.MatrixBase) -> sympy.Expr:
        """Return the energy in the symbols of the strains, with that of a linear law by default."""
        if self.formula:
            return self.written
        strains = sympy.Matrix(self.symbols)
        return sympy.expand((strains.T * law * strains)[0] / 2)

    def limit(self) -> sympy.ImmutableMatrix:
        """Return the law of small strains: second derivatives of the formula at rest."""
        zero = dict.fromkeys(self.symbols, 0)
        hessian = sympy.hessian(self.written, self.symbols).subs(zero)
        return sympy.ImmutableMatrix(hessian.applyfunc(sympy.simplify))


def measures_of(carried: Sequence[str], components: int) -> tuple[str, ...]:
    """Return the names of the measures of rods whose nodes carry the given vectors."""
    return MEASURES.get((tuple(carried), components), ())
