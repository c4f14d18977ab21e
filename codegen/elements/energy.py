# SPDX-License-Identifier: BSD-3-Clause
"""Hyperelastic laws: an energy per undeformed volume, written as a formula of invariants.

With ``C = F^T F`` and ``E = (C - 1) / 2`` a formula knows ``I1 = tr C``, ``I2 = ((tr C)^2 - tr C^2)
/ 2``, ``J = det F``, ``I1_bar = J^(-2/3) I1``, ``I2_bar = J^(-4/3) I2``, ``trE`` and ``trE2``, the
trace of E^2, and the components of C and E along the axes of the body, ``C11 .. C13`` and ``E11 ..
E13``. In the plane F is that of plane strain.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, reduce
from types import MappingProxyType

import sympy
from flexforge.codegen.derivative import derivative
from flexforge.codegen.elements.constitutive import Constitutive
from flexforge.codegen.elements.energy_formulas import read_formula
from flexforge.codegen.elements.energy_laws import LAWS
from flexforge.codegen.elements.strain import VOIGT
from flexforge.codegen.errors import InputError
from flexforge.codegen.positive import without_steps

#: Invariants on which everything depends; at rest they are 3, 3 and 1.
I1, I2, J = sympy.symbols("I1 I2 J", positive=True)
#: Squares of the principal stretches, the principal values of C.
SQUARES = sympy.symbols("square1:4", positive=True)
#: Squares of the stretches of fibres of two families: ``a . C a`` of unit vectors a.
FIBRES = sympy.symbols("I4 I6", positive=True)
#: Components of E along the axes of the body, with their rows and columns.
COMPONENTS: Mapping[sympy.Symbol, tuple[int, int]] = MappingProxyType(
    {
        sympy.Symbol(f"E{i + 1}{j + 1}", real=True): (i, j)
        for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2))
    }
)
INVARIANTS = (I1, I2, J, *FIBRES, *COMPONENTS, *SQUARES)
#: Mean of J over the undeformed element: its volume relative to the undeformed one.
MEAN = sympy.Symbol("J_mean", positive=True)
#: Length that a change of temperature gives what is one long: ``1 + expansion T``.
GROWTH = sympy.Symbol("growth", positive=True)
#: Parameter with the thermal expansion of bodies that grow, 1/K.
EXPANSION = "expansion"
AT_REST: Mapping[sympy.Symbol, int] = MappingProxyType(
    {I1: 3, I2: 3, J: 1, MEAN: 1, GROWTH: 1, **dict.fromkeys((*FIBRES, *SQUARES), 1)}
    | dict.fromkeys(COMPONENTS, 0)
)
#: Parameters with the directions of the fibres, which need not be unit vectors.
DIRECTIONS: Mapping[sympy.Symbol, tuple[str, ...]] = MappingProxyType(
    {one: tuple(f"fibre{k}_{axis}" for axis in "xyz") for k, one in enumerate(FIBRES, 1)}
)

_TRACE = (I1 - 3) / 2
#: What formulas call them, and others made of them.
NAMES: Mapping[str, sympy.Expr] = MappingProxyType({
    "I1": I1, "I2": I2, "J": J,
    "I1_bar": J ** sympy.Rational(-2, 3) * I1, "I2_bar": J ** sympy.Rational(-4, 3) * I2,
    "trE": _TRACE, "trE2": (I1**2 - 2 * I2 - 2 * I1 + 3) / 4,
    **{one.name: one for one in FIBRES},
    **{f"{one.name}_bar": J ** sympy.Rational(-2, 3) * one for one in FIBRES},
    **{f"stretch{k + 1}": sympy.sqrt(one) for k, one in enumerate(SQUARES)},
    **{f"stretch{k + 1}_bar": J ** sympy.Rational(-1, 3) * sympy.sqrt(one)
       for k, one in enumerate(SQUARES)},
    **{one.name: one for one in COMPONENTS},
    **{one.name.replace("E", "C"): 2 * one + int(i == j) for one, (i, j) in COMPONENTS.items()},
})  # fmt: skip


@dataclass(frozen=True)
class Energy:
    """An energy per undeformed volume.

    Attributes
    ----------
    name : str
        Name of the law.
    formula : str
        As it is written.
    parameters : tuple of str
        Constants of the material, in the order of the kernels' parameters.
    units : mapping
        Their units, where they are stated.
    key : str
        Where the formula stands, for errors.
    grows : bool
        Whether temperatures expand the body.
    """

    name: str
    formula: str
    parameters: tuple[str, ...]
    units: Mapping[str, str] = field(default_factory=dict)
    key: str = field(default="energy", compare=False)
    grows: bool = False

    @cached_property
    def value(self) -> sympy.Expr:
        """The formula in the invariants and the parameters.

        Of a body that grows by ``F_th = g 1`` it is ``g^3 W(F / g)``: what has expanded freely is
        without energy (Lu and Pister, International Journal of Solids and Structures 11, 1975).

        Raises
        ------
        InputError
            For what is no formula, unknown names, or parameters that do not occur.
        """
        if not self.grows:
            return self._cold
        moved = _scaled(1 / GROWTH) | {J: J / GROWTH**3, MEAN: MEAN / GROWTH**3}
        grown = GROWTH**3 * self._cold.subs(moved, simultaneous=True)
        return _with_open_powers_apart(grown)

    @cached_property
    def _cold(self) -> sympy.Expr:
        """The formula of a body that does not grow."""
        return _parsed(self)

    def growing(self) -> Energy:
        """Return the energy of a body that temperatures expand."""
        return replace(self, parameters=(*self.parameters, EXPANSION), grows=True)

    @cached_property
    def used(self) -> tuple[sympy.Symbol, ...]:
        """The invariants that occur."""
        return tuple(one for one in INVARIANTS if one in self.value.free_symbols)

    @cached_property
    def principal(self) -> tuple[sympy.Symbol, ...]:
        """The squares of all stretches, if any of them occurs."""
        return SQUARES if self.value.free_symbols & {*SQUARES} else ()

    @cached_property
    def plain(self) -> tuple[sympy.Symbol, ...]:
        """The invariants that occur and have no axes."""
        return tuple(one for one in self.used if one in (I1, I2, J))

    @cached_property
    def fibres(self) -> tuple[sympy.Symbol, ...]:
        """The families of fibres that occur."""
        return tuple(one for one in FIBRES if one in self.value.free_symbols)

    @cached_property
    def along(self) -> tuple[sympy.Symbol, ...]:
        """The squares of stretches of fibres and the components of E that occur."""
        return (*self.fibres, *(one for one in COMPONENTS if one in self.value.free_symbols))

    def directions(self, family: sympy.Symbol) -> list[sympy.Expr]:
        """Return the unit vector along fibres in its parameters."""
        given = [sympy.Symbol(name, real=True) for name in DIRECTIONS[family]]
        length = sympy.sqrt(sum(one**2 for one in given))
        return [one / length for one in given]

    @property
    def local(self) -> tuple[sympy.Symbol, ...]:
        """What it depends on that differs from point to point of an element."""
        return (*self.used, GROWTH)

    @property
    def averaged(self) -> bool:
        """Whether it depends on the mean J of an element."""
        return MEAN in self.value.free_symbols

    def slopes(self, *by: sympy.Symbol) -> sympy.Expr:
        """Return a derivative by invariants."""
        by = tuple(sorted(by, key=sympy.default_sort_key))
        known = self._slopes.get(by)
        if known is None:
            known = self._slopes[by] = without_steps(derivative(self.value, *by))
        return known

    @cached_property
    def _slopes(self) -> dict[tuple[sympy.Symbol, ...], sympy.Expr]:
        """Derivatives that were taken, of which the terms of an element have many in common."""
        return {}

    def at(self, strain: str) -> Energy:
        """Return the energy at the points of elements with a strain operator.

        With the strain ``selective`` it is that of ``F_bar = (J_mean / J)^(1/3) F``, whose volume
        is the mean one of the element: ``W(F_bar)`` as a function of the invariants of F and of
        their mean J. In plane strain F_bar is stretched across the plane too, so that its shape is
        that of F (de Souza Neto, Peric, Dutko and Owen, International Journal of Solids and
        Structures 33, 1996; with the mean in place of the value at the centre forces have an
        energy).
        """
        return self._averaged if strain == "selective" else self

    @cached_property
    def _averaged(self) -> Energy:
        return AveragedEnergy(
            self.name, self.formula, self.parameters, self.units, self.key, self.grows
        )

    def limit(self, components: int, strain: str = "small_strain") -> Constitutive:
        """Return the law of small strains: second derivatives of the energy at rest.

        Parameters
        ----------
        components : int
            Of displacements: 3, or 2 in plane strain.
        strain : str
            Operator of the strains.

        Raises
        ------
        InputError
            For an energy with a stress at rest.
        """
        return _limit(
            self.name, self.formula, self.parameters, self.key, components=components, strain=strain
        )


class AveragedEnergy(Energy):
    """The energy of a deformation whose change of volume is the mean one of an element."""

    @cached_property
    def _cold(self) -> sympy.Expr:
        """The formula in the invariants, their mean, and the parameters."""
        moved = _scaled((MEAN / J) ** sympy.Rational(1, 3)) | {J: MEAN}
        return _with_open_powers_apart(_parsed(self).subs(moved, simultaneous=True))


def _scaled(factor: sympy.Expr) -> dict[sympy.Symbol, sympy.Expr]:
    """Return the invariants of a multiple of F, but J."""
    found = {I1: factor**2 * I1, I2: factor**4 * I2}
    found |= {one: factor**2 * one for one in (*FIBRES, *SQUARES)}
    for one, (i, j) in COMPONENTS.items():
        found[one] = factor**2 * one + (factor**2 - 1) / 2 * int(i == j)
    return found


def _parsed(energy: Energy) -> sympy.Expr:
    directions = {name for names in DIRECTIONS.values() for name in names}
    names = [name for name in energy.parameters if name not in {*directions, EXPANSION}]
    turning = re.search(r"\bF([1-3][1-3])\b", energy.formula)
    if turning and turning[0] not in names:
        raise InputError(
            f"{energy.key}: found '{turning[0]}' in '{energy.formula}', which changes where the "
            f"body turns; expected components of C and E, such as C{turning[1]} or E{turning[1]}"
        )
    components = {one.name[1:] for one in COMPONENTS}  # C11 .. may be constants of a material
    known = {k: v for k, v in NAMES.items() if k not in names or k[1:] not in components}
    found = read_formula(energy.formula, known, names, energy.key, "invariants", continuum=True)
    if not found.free_symbols & {*INVARIANTS}:
        raise InputError(
            f"{energy.key}: found '{energy.formula}', which does not change with the deformation"
        )
    check_symmetry(energy, found)
    return _with_open_powers_apart(found)


def _with_open_powers_apart(value: sympy.Expr) -> sympy.Expr:
    """Return a formula with powers of products as products of powers, by parameters alone."""
    return value.replace(
        lambda one: one.is_Pow and not one.exp.is_Rational,
        lambda one: sympy.Mul(*(b ** (e * one.exp) for b, e in one.base.as_powers_dict().items())),
    )


def check_symmetry(energy: Energy, value: sympy.Expr) -> None:
    """Refuse a formula that changes where two of the stretches are exchanged.

    It is compared at a point that no formula is likely to be symmetric at by chance.
    """
    if not value.free_symbols & {*SQUARES}:
        return
    symbols = sorted(value.free_symbols | {*SQUARES}, key=str)
    at = {one: sympy.Rational(k + 11, k + 9) for k, one in enumerate(symbols)}
    exact = value.subs(at).evalf(30)
    for one, other in ((0, 1), (1, 2)):
        first, second = SQUARES[one], SQUARES[other]
        swapped = {**at, first: at[second], second: at[first]}
        if abs(value.subs(swapped).evalf(30) - exact) > 1e-20 * (1 + abs(exact)):
            raise InputError(
                f"{energy.key}: found '{energy.formula}', which changes where stretch{one + 1} and "
                f"stretch{other + 1} are exchanged; expected a formula in which all three are alike"
            )


def small_tensor(strain: str, components: int) -> tuple[tuple[sympy.Symbol, ...], sympy.Matrix]:
    """Return symbols of the small strains of an operator, and their tensor, (3, 3).

    Parameters
    ----------
    strain : str
        ``small_strain``, ``selective``, whose last strain is the mean dilatation, or
        ``axisymmetric``, whose last is the strain along circles.
    components : int
        Of displacements.
    """
    places = VOIGT[components]
    eps = sympy.symbols(f"eps1:{len(places) + 1}")
    E = sympy.zeros(3, 3)
    for (i, j), one in zip(places, eps, strict=True):
        E[i, j] = E[j, i] = one if i == j else one / 2
    if strain == "axisymmetric":
        hoop = sympy.Symbol("eps_hoop")
        E[2, 2] = hoop
        return (*eps, hoop), E
    if strain != "selective":
        return eps, E
    mean = sympy.Symbol("eps_mean")
    return (*eps, mean), E + (mean - E.trace()) / 3 * sympy.eye(3)


def near_rest(value: sympy.Expr) -> sympy.Expr:
    """Return an energy whose stretches are replaced by I1 and I2, equal to second order at rest.

    With ``s_i - 1`` the principal values of ``C - 1`` a symmetric function is
    ``w + w_1 (I1 - 3) + (w_11 - w_12) / 2 tr (C - 1)^2 + w_12 / 2 (I1 - 3)^2``.
    """
    if not value.free_symbols & {*SQUARES}:
        return value
    one, other, _ = SQUARES
    rest = dict.fromkeys(SQUARES, sympy.Integer(1))
    level, slope, bent, across = (
        reduce(derivative, by, value).xreplace(rest)
        for by in ((), (one,), (one, one), (one, other))
    )
    grown = I1 - 3
    squares = I1**2 - 2 * I2 - 2 * I1 + 3
    return level + slope * grown + (bent - across) / 2 * squares + across / 2 * grown**2


@lru_cache(maxsize=64)
def _limit(
    name: str, formula: str, parameters: tuple[str, ...], key: str, *, components: int, strain: str
) -> Constitutive:
    """Return the law of small strains of an energy; kept, as models and tests ask for it again."""
    energy = Energy(name, formula, parameters, key=key)
    eps, E = small_tensor(strain, components)
    C = sympy.eye(3) + 2 * E
    trace, determinant = C.trace(), sympy.expand(C.det())
    values = {I1: trace, I2: (trace**2 - (C * C).trace()) / 2, J: sympy.sqrt(determinant)}
    units: list[tuple[sympy.Symbol, sympy.Expr]] = []
    for k, one in enumerate(energy.fibres, 1):
        along = sympy.Matrix(sympy.symbols([f"unit{k}_{axis}" for axis in "xyz"], real=True))
        units += zip(along, energy.directions(one), strict=True)
        values[one] = (along.T * (C - sympy.eye(3)) * along)[0] + 1
    values |= {one: E[place] for one, place in COMPONENTS.items()}
    zero = dict.fromkeys(eps, sympy.Integer(0))
    rest = {one: sympy.Integer(number) for one, number in AT_REST.items()}
    value = near_rest(energy.value)
    used = [one for one in values if one in value.free_symbols]
    by_strain = {k: [derivative(values[k], one) for one in eps] for k in used}
    first = {k: [one.xreplace(zero) for one in slopes] for k, slopes in by_strain.items()}
    by_invariant = {k: derivative(value, k) for k in used}
    slope = {k: one.xreplace(rest) for k, one in by_invariant.items()}
    curve = {(k, m): derivative(by_invariant[k], m).xreplace(rest) for k in used for m in used}
    for row, _ in enumerate(eps):
        stress = sympy.simplify(sum(slope[k] * first[k][row] for k in used))
        if stress != 0:
            raise InputError(
                f"{energy.key}: found '{energy.formula}', which has the stress {stress} where "
                "nothing is deformed; expected none"
            )

    def entry(row: int, column: int) -> sympy.Expr:
        terms = [
            slope[k] * derivative(by_strain[k][row], eps[column]).xreplace(zero)
            for k in used
            if slope[k] != 0
        ]
        terms += [c * first[k][row] * first[m][column] for (k, m), c in curve.items()]
        return sympy.factor(sympy.simplify(sympy.Add(*terms)))

    size = range(len(eps))
    upper = {(r, c): entry(r, c) for r in size for c in size if r <= c}
    matrix = sympy.Matrix(len(eps), len(eps), lambda r, c: upper[min(r, c), max(r, c)])
    names: dict[sympy.Expr, sympy.Symbol] = {}
    for value in matrix:
        if value != 0 and value not in names:
            called = f"{energy.name}{len(names) + 1}"
            while called in energy.parameters:  # a parameter may be called like an entry
                called += "_"
            names[value] = sympy.Symbol(called, real=True)
    named = matrix.applyfunc(lambda value: names.get(value, sympy.Integer(0)))
    return Constitutive(
        energy.name,
        energy.parameters,
        (*units, *((symbol, value) for value, symbol in names.items())),
        sympy.ImmutableMatrix(named),
    )


#: Laws that every element may have.
ENERGIES: Mapping[str, Energy] = MappingProxyType(
    {
        name: Energy(name, law.formula, tuple(law.units), law.units, f"energy '{name}'")
        for name, law in LAWS.items()
    }
)
