# SPDX-License-Identifier: BSD-3-Clause
"""Element equations: residuals of a formalism, split into named and checked terms.

    m d'' + 2 c d' + (k + k_eps + k_omega + k_geo) d = q* - q_eps - q_omega - m_O a_O

(physics.md section 2). Every term is the density of an integral over the element.

In a free frame the speeds ``z = (v_O, w, d')`` are unknown:

    M z' + 2 C d' + h_omega + (0, 0, (k + k_geo) d) = Q*

with densities in the displaced position ``x_d = x + N d``, on which M and h_omega depend.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

import sympy
from flexforge.codegen.errors import FlexforgeError
from flexforge.codegen.mechanics.kinematics import DENSITY, MaterialPoint
from flexforge.codegen.mechanics.ledger import Ledger
from flexforge.codegen.mechanics.plain_names import Symbols, plain_symbols
from flexforge.codegen.mechanics.polynomials import Polynomials
from flexforge.codegen.mechanics.shape_symbols import column


@dataclass(frozen=True)
class Term:
    """One named term of the element equations.

    Attributes
    ----------
    name, symbol : str
        Usual name, and symbol as in the papers.
    density : sympy.ImmutableMatrix
        Integrand: a matrix over pairs of nodal coordinates, or a column for a load.
    symmetry : str
        ``symmetric``, ``skew`` or ``general`` under exchange of rows and columns.
    depends : tuple of str
        Motions, stresses and forces it depends on: w, e, a_O, sigma_0, f; in a free frame also v_O
        and, through the displaced position, d.
    units : str
        Units of the integral.
    meaning : str
        The integral in the notation of docs/physics.md.
    """

    name: str
    symbol: str
    density: sympy.ImmutableMatrix
    symmetry: str
    depends: tuple[str, ...]
    units: str
    meaning: str

    def __repr__(self) -> str:
        return f"{self.name}: {self.symbol} = {self.meaning} [{self.units}]"


@dataclass(frozen=True, slots=True)
class _Kind:
    """A kind of term, and how its monomials are recognized: by their unknown and their motions.

    ``factor`` is the coefficient in the residual of the term of physics.md section 2, ``further``
    what the term depends on besides the motions.
    """

    symbol: str
    unknown: str
    motions: tuple[str, ...]
    symmetry: str
    units: str
    meaning: str
    factor: int = 1
    further: tuple[str, ...] = ()


_KINDS = {
    "mass": _Kind("m", "d''", (), "symmetric", "kg", "int rho N^T N"),
    "coriolis": _Kind("c", "d'", ("w",), "skew", "kg/s", "int rho N^T w~ N", 2),
    "stiffness": _Kind("k", "d", (), "symmetric", "N/m", "int (bN)^T H (bN)"),
    "euler": _Kind("k_eps", "d", ("e",), "skew", "N/m", "int rho N^T e~ N"),
    "centrifugal": _Kind("k_omega", "d", ("w", "w"), "symmetric", "N/m", "int rho N^T w~ w~ N"),
    "geometric": _Kind("k_geo", "d", ("sigma_0",), "symmetric", "N/m", "int G^T sigma_0 G"),
    "euler_load": _Kind("q_eps", "", ("e",), "general", "N", "int rho N^T e~ x"),
    "centrifugal_load": _Kind("q_omega", "", ("w", "w"), "general", "N", "int rho N^T w~ w~ x"),
    "translation": _Kind("m_O a_O", "", ("a_O",), "general", "N", "int rho N^T a_O"),
    "body_load": _Kind("q*", "", ("f",), "general", "N", "int N^T f", -1),
}
_FREE_KINDS = {
    "mass": _Kind(
        "M", "z'", (), "symmetric", "kg, kg m, kg m^2", "int rho L^T L", further=("d",)
    ),
    "coriolis": _Kind(
        "C", "d'", ("w",), "general", "kg/s, kg m/s", "int rho L^T w~ N", 2, ("d",)
    ),
    "centrifugal": _Kind(
        "h_omega", "", ("w",), "general", "N, N m", "int rho L^T (w~ v_O + w~ w~ x_d)",
        further=("v_O", "d"),
    ),
    "stiffness": _KINDS["stiffness"],
    "geometric": _KINDS["geometric"],
    "body_load": _Kind("Q*", "", ("f",), "general", "N, N m", "int L^T f", -1, ("d",)),
}  # fmt: skip


def _kinds_of(point: MaterialPoint) -> dict[str, _Kind]:
    """Return the terms of the equations by name: those of a prescribed or of a free frame."""
    return _FREE_KINDS if point.frame.is_free else _KINDS


@dataclass(frozen=True)
class ElementEquations:
    """The equations of motion of an element, term by term.

    Attributes
    ----------
    element, formalism : str
        Element, and formalism of the derivation.
    point : MaterialPoint
        The kinematics and the symbols in which the densities are written.
    terms : dict
        Terms by name, in the order of the equation.
    ledger : Ledger
        Cost of the derivation.
    """

    element: str
    formalism: str
    point: MaterialPoint
    terms: dict[str, Term]
    ledger: Ledger

    def __repr__(self) -> str:
        return f"{self.element} by {self.formalism}: {', '.join(self.terms)}"

    @property
    def seconds(self) -> float:
        """Duration of the derivation; `derive` keeps results, and their times, for the process."""
        return self.ledger.seconds

    @property
    def symbols(self) -> dict[str, sympy.Symbol]:
        """Symbols of the densities and of the material's constants by name, for use with SymPy.

        Returns
        -------
        dict of str to sympy.Symbol
            ``rho`` the density; ``N_a``, ``N_a,1`` value and gradient of a shape function; ``w3``,
            ``e3``, ``a_O1`` motions of the frame; ``sigma1``, ``f1`` initial stress and body force;
            ``x1`` the position; ``lambda``, ``mu`` the constants of the law, ``young``, ``poisson``
            what they follow from by ``point.law.definitions``. All are real: a symbol of your own
            matches if it is ``sympy.Symbol(name, real=True)``. :meth:`plain` has names that are
            identifiers.

        Examples
        --------
        The mass of nodes a and b at a point where both shape functions are a third:

        >>> import flexforge as ff
        >>> equations = ff.derive("tri3")
        >>> symbols, mass = equations.symbols, equations.terms["mass"].density
        >>> mass.subs({symbols["N_a"]: "1/3", symbols["N_b"]: "1/3", symbols["rho"]: 9})
        Matrix([
        [1, 0],
        [0, 1]])
        """
        found = {symbol for term in self.terms.values() for symbol in term.density.free_symbols}
        for symbol, value in self.point.law.definitions:
            found |= {symbol, *value.free_symbols}
        return Symbols({symbol.name: symbol for symbol in sorted(found, key=str)})

    def plain(self) -> ElementEquations:
        """Return the equations with symbols that other programs read: ``N_a,1`` becomes ``N_a_1``.

        Names are identifiers without a meaning in Python or SymPy: ``lambda`` becomes ``lambda_``,
        and a parameter ``E1``, ``E1_``, since SymPy's ``E1`` is the exponential integral.
        Kernels and their arguments keep their names.
        Reports and LaTeX take the original equations, whose names they translate.

        Returns
        -------
        ElementEquations
            Densities of all terms, and the definitions of the law, in symbols with plain names.

        Examples
        --------
        A density survives its text. Symbols are real; to SymPy, ``Symbol("rho")`` is another symbol
        than ``Symbol("rho", real=True)``, so `locals` names them:

        >>> import flexforge as ff, sympy
        >>> equations = ff.derive("tri3").plain()
        >>> stiffness = equations.terms["stiffness"].density
        >>> sympy.sympify(str(stiffness), locals=equations.symbols) == stiffness
        True
        >>> stiffness[0, 1]
        N_a_1*N_b_2*lambda_ + N_a_2*N_b_1*mu
        """
        names = plain_symbols(self.symbols.values())
        law = self.point.law
        definitions = tuple((s.xreplace(names), v.xreplace(names)) for s, v in law.definitions)
        renamed = replace(law, definitions=definitions, matrix=law.matrix.xreplace(names))
        terms = {
            name: replace(term, density=term.density.xreplace(names))
            for name, term in self.terms.items()
        }
        return replace(self, point=replace(self.point, law=renamed), terms=terms)


def collect(
    element: str,
    formalism: str,
    point: MaterialPoint,
    residuals: Sequence[sympy.Expr],
    ledger: Ledger,
) -> ElementEquations:
    """Expand the residuals and sort their monomials into terms; nothing may be left over.

    Parameters
    ----------
    element, formalism : str
        Names, for reports.
    point : MaterialPoint
        Kinematics of the residuals.
    residuals : sequence of sympy.Expr
        One per equation of motion, linear in d'', d' and d.
    ledger : Ledger
        Counts the collection.

    Raises
    ------
    FlexforgeError
        If a residual contains a monomial that is not in physics.md section 2, for instance a
        velocity of the origin that should have cancelled.
    """
    columns, motions, kinds = _unknowns(point), _motions(point), _kinds_of(point)
    names = _names(point)
    if point.frame.is_free:
        residuals = [residual.xreplace(_undisplaced(point)) for residual in residuals]
    polynomials = Polynomials(_symbols(point) | columns.keys() | motions.keys(), ledger)
    symbols = polynomials.symbols
    entries: dict[str, dict[tuple[int, int], list[sympy.Expr]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for row, residual in enumerate(residuals):
        for exponents, coefficient in polynomials.expand(residual).terms():
            factors = [(symbols[i], n) for i, n in enumerate(exponents) if n]
            unknown = [columns[s] for s, n in factors if s in columns for _ in range(n)]
            moved = tuple(motions[s] for s, n in factors if s in motions for _ in range(n))
            kind, column = unknown[0] if unknown else ("", 0)
            name = names.get((kind, tuple(sorted(moved))))
            if name is None or len(unknown) > 1:
                rest = sympy.Mul(*(s**n for s, n in factors))
                raise FlexforgeError(_leftover(element, formalism, row, rest, "v_O" in moved))
            rational = sympy.Rational(int(coefficient.numerator), int(coefficient.denominator))
            entries[name][row, column].append(
                sympy.Mul(
                    rational / kinds[name].factor, *(s**n for s, n in factors if s not in columns)
                )
            )
    return ElementEquations(
        element, formalism, point, _terms(point, entries, len(residuals)), ledger
    )


def _names(point: MaterialPoint) -> dict[tuple[str, tuple[str, ...]], str]:
    """Return the terms by the unknowns and the motions of their monomials."""
    names = {(kind.unknown, kind.motions): name for name, kind in _kinds_of(point).items()}
    if point.frame.is_free:
        del names["", ("w",)]  # h_omega is quadratic in the speeds of the frame
        names |= {("", ("v_O", "w")): "centrifugal", ("", ("w", "w")): "centrifugal"}
    return names


def displaced_position(point: MaterialPoint) -> sympy.ImmutableMatrix:
    """Return symbols of the displaced position x_d, in which the densities of a free frame are."""
    return column("x_d", point.frame.dimension)


def _undisplaced(point: MaterialPoint) -> dict[sympy.Symbol, sympy.Expr]:
    """Return the undeformed position as ``x_d - N d``, by which d disappears from inertia terms."""
    displacement = point.displaced - point.position
    place = displaced_position(point) - displacement
    return dict(zip(point.position, place, strict=True))


def _unknowns(point: MaterialPoint) -> dict[sympy.Symbol, tuple[str, int]]:
    """Return the kind and the column of every unknown."""
    if point.frame.is_free:
        free = {"z'": point.speed_rates, "d'": point.velocities, "d": point.coordinates}
        return {s: (kind, k) for kind, group in free.items() for k, s in enumerate(group)}
    groups = {"d''": point.accelerations, "d'": point.velocities, "d": point.coordinates}
    return {s: (kind, k) for kind, group in groups.items() for k, s in enumerate(group)}


def _motions(point: MaterialPoint) -> dict[sympy.Symbol, str]:
    """Return the dependences of terms, by symbol."""
    frame = point.frame
    groups = {
        "w": frame.angular_velocity, "e": frame.angular_acceleration, "v_O": frame.velocity,
        "a_O": frame.acceleration, "sigma_0": point.initial_stress, "f": point.body_force,
    }  # fmt: skip
    if frame.is_free:  # e is unknown
        del groups["e"]
    return {
        symbol: name
        for name, group in groups.items()
        for symbol in group
        if isinstance(symbol, sympy.Symbol)
    }


def _symbols(point: MaterialPoint) -> set[sympy.Symbol]:
    """Return the symbols of terms besides motions and unknowns."""
    shapes = point.shape_matrix.free_symbols | point.slopes.free_symbols
    shapes |= point.strain_matrix.free_symbols | point.position.free_symbols
    if point.frame.is_free:
        shapes |= displaced_position(point).free_symbols
    return {*shapes, *point.law.matrix.free_symbols, DENSITY}


def _leftover(element: str, formalism: str, row: int, rest: sympy.Expr, of_origin: bool) -> str:
    """Return why a monomial belongs to no term."""
    why = "depends on the velocity of the origin" if of_origin else "is no term of the equations"
    return (
        f"{formalism} of {element}: left over in equation {row + 1}: {rest}, which {why}; "
        "expected nothing"
    )


def _terms(
    point: MaterialPoint,
    entries: dict[str, dict[tuple[int, int], list[sympy.Expr]]],
    rows: int,
) -> dict[str, Term]:
    """Return the collected entries as terms, in the order of the equation."""
    terms = {}
    first = len(point.frame.speeds)
    widths = {"": 1, "z'": rows}
    for name, kind in _kinds_of(point).items():
        if name == "geometric" and not point.initial_stress:
            continue
        found = entries[name]
        density = sympy.SparseMatrix(
            rows,
            widths.get(kind.unknown, len(point.coordinates)),
            {at: sympy.Add(*monomials) for at, monomials in found.items()},
        )
        if name in ("stiffness", "geometric"):  # the motion of the frame does not strain
            density = density[first:, :]
        depends = (*dict.fromkeys(kind.motions), *kind.further)
        terms[name] = Term(
            name,
            kind.symbol,
            sympy.ImmutableMatrix(density),
            kind.symmetry,
            depends,
            kind.units,
            kind.meaning,
        )
    return terms
