# SPDX-License-Identifier: BSD-3-Clause
"""Eigenvalues of ``(lambda^2 m + lambda c + k) phi = 0`` near a point of the imaginary axis.

Small problems are solved completely. For large ones a second-order Krylov space is built about a
shift (Bai and Su, SIAM J. Matrix Anal. Appl. 26, 2005; in two levels as Lu, Su and Bai, ibid. 37,
2016): ``k + shift c + shift^2 m`` is factored once, and each pair of vectors takes one solve. The
problem is then projected on a real basis of that space, orthonormal in m. This preserves the
structure of the matrices: a skew c remains skew and a symmetric k symmetric, so eigenvalues come in
exact pairs of lambda and -lambda. Since the basis is real, the space also contains the mirror
images of the shift.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np
from flexforge.runtime.arrays import Complex, Floats, Ints
from flexforge.runtime.ranks import ONE, Ranks
from flexforge.runtime.solvers.interface import (
    LARGEST_ERROR,
    Factorization,
    SingularMatrixError,
    known_error,
)
from flexforge.runtime.statics.pencil import Pencil, dense
from flexforge.runtime.statics.refined import Refined
from flexforge.runtime.system.products import Products
from flexforge.runtime.vibration.gyroscopic import (
    definite_pairs,
    general_values,
    gyroscopic_pairs,
)
from flexforge.runtime.vibration.krylov import SecondOrderSpace, factor_shifted
from flexforge.runtime.vibration.massless import unit_mass
from flexforge.runtime.vibration.part_modes import (
    Matrices,
    Pairs,
    PartModes,
    only_decay,
    resting,
)
from flexforge.runtime.vibration.uncoupled import largest, uncoupled
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


DENSE = 400
"""Unknowns up to which all eigenvalues are computed."""

COMPLETE = "LAPACK"
"""What solves them."""

_TOLERANCE = 1e-11  # relative change of a squared eigenvalue between two checks
_LARGEST_SPACE = 120  # vectors, in addition to ten per eigenvalue
_HIDDEN = 1e-4  # of the noise, in changes between two checks
_ROUND_OFF = 1e-12  # of squared frequencies, relative to those of the mesh
_EPSILON = float(np.finfo(float).eps)
_ALIKE = 1e-14  # difference of symmetric entries, relative to the largest
_PART = 1e-6  # displacements of a motion in a part, relative to its largest, that are not round-off
_LEAST_SHIFT = 1e-7  # relative in the same way, for singular k


@dataclass(frozen=True)
class QuadraticProblem:
    """The matrices of the unknowns.

    Attributes
    ----------
    mass : csr_matrix or Products
        Symmetric, or Hermitian, and positive definite, except for motions without inertia.
    viscous : csr_matrix or Products
        Factor of lambda: Coriolis, which is skew, and damping.
    stiffness : csr_matrix or Products
        The sum of all factors of displacements.
    paired : bool
        Without damping and with a symmetric stiffness: lambda and -lambda occur together.
    singular : bool
        Whether the stiffness may be singular, as for free bodies.
    still : int
        Number of motions that nothing restrains: as many frequencies are zero.
    inherited : float
        Round-off of squared frequencies that the matrices already contain, (rad/s)^2.
    pencil : Pencil, optional
        Stiffness and mass again, for products without the loss of digits of the matrix.
    ranks : Ranks
        The processes that share the unknowns.
    idle : int
        Further eigenvalues of zero, at most, that belong to no motion: of unknowns that count by
        their rates alone. The problem is not paired then.
    parts : list of ndarray of int, optional
        Unknowns of parts that nothing couples, where known.
    ways : mapping, optional
        What solves parts, by number, that are in several problems of one count and target.
    """

    mass: csr_matrix | Products | Floats
    viscous: csr_matrix | Products | Floats
    stiffness: csr_matrix | Products | Floats
    paired: bool
    singular: bool
    still: int = 0
    inherited: float = 0.0
    pencil: Pencil | None = None
    ranks: Ranks = ONE
    idle: int = 0
    parts: list[Ints] | None = None
    ways: Mapping[int, PartModes] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """Number of unknowns, of all ranks."""
        return int(self.ranks.total(float(self.mass.shape[0])))

    @cached_property
    def noise(self) -> float:
        """Round-off of squared frequencies: relative to the highest of the mesh, (rad/s)^2."""
        return max(_ROUND_OFF * typical(self.stiffness, self.mass, self.ranks), self.inherited)


@dataclass(frozen=True, slots=True)
class Eigenvalues:
    """The computed eigenvalues, ascending in frequency.

    Attributes
    ----------
    values : ndarray, (count,)
        1/s, one of each pair.
    vectors : ndarray, (n, count)
        In columns, of unit modal mass.
    solves : int
        Number of solved right-hand sides; 0 if the problem was solved completely.
    missing : str
        Why there are fewer than requested; empty if all are there.
    solver : str
        What solved: the backend that factored, or LAPACK for small problems.
    """

    values: Complex
    vectors: Complex
    solves: int = 0
    missing: str = ""
    solver: str = COMPLETE


def typical(
    stiffness: csr_matrix | Products, mass: csr_matrix | Products, ranks: Ranks = ONE
) -> float:
    """Return a squared frequency typical of single nodes, (rad/s)^2."""
    inertia = mass.diagonal().real
    moving = inertia > 0  # rotation of a flat shell about its normal has no inertia
    sizes = np.abs(stiffness.diagonal()[moving]) / inertia[moving]
    each = ranks.gathered(float(np.median(sizes)) if len(sizes) else None)
    return float(np.median([one for one in each if one is not None]))


def not_all(settled: int, count: int, where: str) -> str:
    """Return the message that some eigenvalues have not converged, with a remedy."""
    return (
        f"{settled} of {count} eigenvalues have converged{where}; expected all: ask for fewer, or "
        "give a shift near them"
    )


def solve_quadratic(
    problem: QuadraticProblem,
    count: int,
    target: float | None,
    solver: str,
    threads: int,
    tell: Callable[[str, int, int], None] | None = None,
) -> Eigenvalues:
    """Return the eigenvalues nearest to ``i target``, one of each pair.

    If some do not converge, the converged ones are returned with a message about the others.

    Parameters
    ----------
    problem : QuadraticProblem
        The matrices.
    count : int
        Number of eigenvalues.
    target : float, optional
        rad/s; by default the lowest are computed.
    solver : str
        Linear solver.
    threads : int
        Number of threads of the linear solver.
    tell : callable, optional
        Called with a text, the number of converged eigenvalues, and the count.

    Raises
    ------
    AnalysisError
        When the shifted matrix is singular.
    """
    n = problem.mass.shape[0]
    if n <= max(DENSE, 4 * count):
        found = _solve_dense(problem, count, target)
        if n <= 4 * count or not _lost(problem, found):
            return found
    if target:
        shift = 1j * target
        factors = _factor(problem, shift, solver, threads)
    else:
        shift, factors = about_zero(problem, solver, threads)
    try:
        space = space_about(problem, shift, factors)
        return replace(iterate(problem, space, count, target, tell), solver=factors.name)
    finally:
        factors.close()


def space_about(
    problem: QuadraticProblem, shift: complex, factors: Factorization
) -> SecondOrderSpace:
    """Return the space about a shift, with products that do not lose digits.

    Parameters are the matrices, and the shift and factors of :func:`about_zero`.
    """
    mass, viscous, pencil = problem.mass, problem.viscous, problem.pencil
    about_zero = pencil is not None and not shift.imag
    if pencil is None or about_zero and not pencil.lost(*pencil.rough(factors.solve)):
        return SecondOrderSpace(mass, viscous, problem.stiffness, shift, factors)

    def times(x: Floats) -> Floats:
        inert = shift.real * (viscous @ x) + shift.real**2 * (mass @ x)
        return np.asarray(pencil.times(x) + inert)

    symmetric = problem.paired and not shift
    solving = Refined(factors, times, symmetric=symmetric) if about_zero else factors
    return SecondOrderSpace(mass, viscous, pencil.precise, shift, solving)


def _lost(problem: QuadraticProblem, found: Eigenvalues) -> bool:
    """Whether a dense method has lost digits of eigenvalues that other products would preserve."""
    squares = np.abs(found.values[found.values != 0.0]) ** 2
    pencil = problem.pencil
    return pencil is not None and bool((pencil.hidden > squares).any())


def iterate(
    problem: QuadraticProblem,
    space: SecondOrderSpace,
    count: int,
    target: float | None,
    tell: Callable[[str, int, int], None] | None,
) -> Eigenvalues:
    """Extend a space about a shift until the eigenvalues no longer change.

    Parameters are those of :func:`solve_quadratic`, and the space.
    """
    n = problem.size
    most = min(n, _LARGEST_SPACE + 10 * count)
    step = 4 + count // 2
    before = np.zeros(0, dtype=np.complex128)
    settled, changes = np.zeros(0, dtype=bool), np.zeros(0)
    steady = 0
    while True:
        grown = space.extend(2 * count + 6 if not len(before) else step)
        values, small = _solve_small(problem, *space.projected, count, target)
        if len(values) == len(before):
            # Perturbations of a double root by round-off are small in the square.
            allowed = _TOLERANCE * np.abs(values) ** 2 + _HIDDEN * problem.noise
            changes = np.abs(values**2 - before**2)
            settled = changes <= allowed
            steady = steady + 1 if settled.all() else 0
            if tell is not None:
                tell("modes", int(settled.sum()), count)
            if steady == 2:
                break
        before = values
        if not grown or space.size >= n:
            break
        if space.size > most:
            if len(changes) == len(values):
                uncertain = _uncertain(problem, values, space.projected[1])
                settled |= changes <= uncertain * np.abs(values) ** 2
                if settled.all():
                    break
            kept = np.flatnonzero(settled)
            where = f" in a space of {space.size} vectors"
            return Eigenvalues(
                values[kept],
                space.basis @ small[:, kept],
                space.solves,
                not_all(len(kept), count, where),
            )
    return Eigenvalues(values, space.basis @ small, space.solves)


def _uncertain(problem: QuadraticProblem, values: Complex, stiffness: Floats) -> Floats:
    """Return the round-off of squared eigenvalues found within a space, relative.

    It is that of the highest square of the space. Without pairs it grows as an eigenvalue comes
    near another, up to the root of round-off where both are one.
    """
    size = np.abs(values)
    grown = float(np.abs(stiffness.diagonal()).max()) / size**2
    if not problem.paired:
        apart = np.abs(values - values[:, None]) + np.diag(np.full(len(values), np.inf))
        grown = np.maximum(grown, size / np.maximum(apart.min(axis=0), _ALIKE * size))
    return np.asarray(np.minimum(len(stiffness) * _EPSILON * grown, np.sqrt(_EPSILON)))


def about_zero(
    problem: QuadraticProblem, solver: str, threads: int
) -> tuple[complex, Factorization]:
    """Return a shift for the lowest eigenvalues, and its factors.

    Parameters are those of :func:`solve_quadratic`. The shift is zero if possible: the real k is
    cheapest to factor. For a singular k, as for free bodies or at a critical speed, it is a small
    real number, which is equally close to i omega and -i omega, and of the order of the lowest
    frequencies where these can be estimated.
    """
    if not problem.singular:
        with suppress(SingularMatrixError):
            factors = _factor(problem, 0.0j, solver, threads)
            if _regular(problem, factors):
                return 0.0j, factors
            factors.close()
    shift = complex(np.sqrt(_LEAST_SHIFT / _ROUND_OFF * problem.noise))
    factors = _factor(problem, shift, solver, threads)
    if problem.pencil is not None:
        square = float(problem.pencil.rough(factors.solve, -(shift.real**2))[0][0])
        if 0.0 < square < 0.1 * shift.real**2:
            factors.close()
            shift = complex(np.sqrt(square))
            factors = _factor(problem, shift, solver, threads)
    return shift, factors


def _regular(problem: QuadraticProblem, factors: Factorization) -> bool:
    """Whether the factors of the stiffness are usable, possibly with refinement by its pencil."""
    if known_error(factors, problem.stiffness)[0] <= LARGEST_ERROR:
        return True
    pencil = problem.pencil
    if pencil is None:
        return False
    _, shape = pencil.rough(Refined(factors, pencil.times, symmetric=problem.paired).solve)
    return bool(np.isfinite(shape).all()) and pencil.is_held(shape)


def _factor(problem: QuadraticProblem, shift: complex, solver: str, threads: int) -> Factorization:
    matrices = (problem.mass, problem.viscous, problem.stiffness)
    return factor_shifted(*matrices, shift, problem.paired, solver, threads)


def solve_complete(
    problem: QuadraticProblem, count: int, target: float | None
) -> Eigenvalues | None:
    """Return the eigenvalues of a small problem; None where that loses digits of some.

    Parameters are those of :func:`solve_quadratic`.
    """
    found = _solve_dense(problem, count, target)
    return None if _lost(problem, found) else found


def _solve_dense(problem: QuadraticProblem, count: int, target: float | None) -> Eigenvalues:
    """Solve a small problem completely, part by part, in coordinates in which the mass is 1."""
    matrices = (problem.mass, problem.viscous, problem.stiffness)
    mass, viscous, stiffness = (_dense(one) for one in matrices)
    parts = _parts(problem, mass, viscous, stiffness)
    ways = problem.ways if parts is problem.parts else {}
    found, vectors = [], np.zeros((len(mass), len(parts) * count), dtype=np.complex128)
    taken = 0
    for number, part in enumerate(parts):
        still = problem.still if len(parts) == 1 else still_in(problem, part)
        complete = partial(_of_own, problem, count=count, target=target, still=still)
        given = partial(_of_part, (mass, viscous, stiffness), part)
        way = ways.get(number)
        values, shapes = complete(given()) if way is None else way.solve(complete, given)
        vectors[part, taken : taken + len(values)] = shapes
        taken += len(values)
        found.append(values)
    values = np.concatenate(found)
    chosen = _chosen(values, np.arange(len(values)), count, target or 0.0)
    return Eigenvalues(values[chosen], vectors[:, chosen])


def _of_own(
    problem: QuadraticProblem,
    matrices: Matrices,
    count: int,
    target: float | None,
    still: int,
    *,
    decaying: bool = False,
) -> Pairs:
    """Return eigenvalues of a part, with shapes of unit modal mass.

    Parameters
    ----------
    problem : QuadraticProblem
        The whole problem.
    matrices : tuple of ndarray, (n, n)
        Mass, factor of velocities, and stiffness of the part.
    count, target : int, float
        As of :func:`solve_quadratic`.
    still : int
        Number of motions of the part that nothing restrains.
    decaying : bool
        Whether motions follow that decay without vibrating, as fast as the others at most.
    """
    m, c, k = matrices
    at_rest = _only_vibrates(m, c, k)
    paired = problem.paired or at_rest
    damping = np.zeros_like(k) if at_rest else c
    if paired and not (target or still or np.iscomplexobj(k)):
        found = definite_pairs(0.5 * (k + k.T), 0.5 * (damping - damping.T), m, count)
        if found is not None:
            return found
    basis, motions = unit_mass(k, m)
    own = replace(problem, mass=m, stiffness=k, paired=paired, still=still, inherited=problem.noise)
    scaled = basis.T @ damping @ motions, basis.T @ k @ motions
    values, small = _solve_small(own, *scaled, count, target, decaying=decaying)
    return values, np.asarray(motions @ small)


def _parts(
    problem: QuadraticProblem, mass: Floats, viscous: Floats, stiffness: Floats
) -> list[Ints]:
    """Return the unknowns of parts that nothing couples; what has no mass is with another part."""
    whole = [np.arange(len(mass))]
    if problem.idle or (problem.still and problem.pencil is None):
        return whole
    parts = problem.parts
    if parts is None:
        m, c, k = (np.abs(one) for one in (mass, viscous, stiffness))
        heavy, stiff = largest(m), largest(k)
        parts = uncoupled((m, heavy), (c, np.sqrt(heavy * stiff)), (k, stiff))
    moving = [part for part in parts if (mass.diagonal()[part].real > 0.0).any()]
    return parts if len(moving) == len(parts) else whole


def _of_part(matrices: Matrices, part: Ints) -> Matrices:
    """Return the entries of matrices (n, n) that are of some unknowns."""
    m, c, k = matrices
    if len(part) == len(m):
        return matrices
    some = np.ix_(part, part)
    return m[some], c[some], k[some]


def _only_vibrates(mass: Floats, viscous: Floats, stiffness: Floats) -> bool:
    """Whether a part has a symmetric stiffness and no forces of velocities, but round-off."""
    if np.iscomplexobj(stiffness):
        return False
    m, c, k = (float(np.abs(one).max(initial=0.0)) for one in (mass, viscous, stiffness))
    skew = float(np.abs(stiffness - stiffness.T).max(initial=0.0))
    return c * c <= _ALIKE**2 * k * m and skew <= _ALIKE * k


def still_in(problem: QuadraticProblem, part: Ints) -> int:
    """Return the number of motions of a part that nothing restrains."""
    if not problem.still or problem.pencil is None:
        return 0
    still = problem.pencil.still
    least = _PART * float(np.abs(still).max(initial=0.0))  # others are of other parts
    return int(np.linalg.matrix_rank(still[part], tol=least))


def _chosen(values: Complex, among: Ints, count: int, near: float) -> Ints:
    """Return some of the eigenvalues, those nearest to ``i near``, ascending in frequency."""
    nearest = among[np.argsort(np.abs(values[among] - 1j * near), kind="stable")[:count]]
    return nearest[np.lexsort((-values[nearest].real, values[nearest].imag))]


def _dense(matrix: csr_matrix | Products | Floats) -> Floats:
    assert not isinstance(matrix, Products)  # ranks have no complete problem
    return dense(matrix)


def _solve_small(
    problem: QuadraticProblem,
    viscous: Floats,
    stiffness: Floats,
    count: int,
    target: float | None,
    *,
    decaying: bool = False,
) -> Pairs:
    """Return the chosen eigenvalues of a problem of unit mass, and vectors of length 1."""
    near, others = target or 0.0, np.zeros(0, dtype=np.int64)
    if problem.paired:
        stiffness = 0.5 * (stiffness + stiffness.T)
        most = count + problem.still  # motions at rest are the lowest
        values, vectors = gyroscopic_pairs(
            stiffness, 0.5 * (viscous - viscous.T), most, near, problem.still
        )
        values[_zeros(values, problem.still, problem.noise)] = 0.0
        upper = np.arange(len(values))
    else:
        singular = problem.still + problem.idle
        values, vectors = general_values(stiffness, viscous, count, near, singular)
        zeros = _zeros(values, 2 * problem.still + problem.idle, problem.noise)
        values[zeros] = 0.0
        upper = _upper(values, zeros, problem.still)
        if decaying:
            others = np.flatnonzero(only_decay(values))
    chosen = _chosen(values, upper, count, near)
    fastest = np.abs(values[chosen]).max(initial=0.0)
    chosen = np.concatenate([chosen, others[np.abs(values[others]) <= fastest]])
    vectors = vectors[:, chosen]
    return values[chosen], vectors / np.linalg.norm(vectors, axis=0)


def _zeros(values: Complex, count: int, noise: float) -> NDArray[np.int64]:
    """Return the eigenvalues that belong to unrestrained motions: at most that many.

    They are the smallest; a root of a defective pair differs from zero by the square root of
    round-off. All others are results, however small: at a critical speed a restrained motion has
    frequency zero.
    """
    smallest = np.argsort(np.abs(values), kind="stable")[:count]
    return smallest[np.abs(values[smallest]) ** 2 <= noise]


def _upper(values: Complex, zeros: NDArray[np.int64], still: int) -> NDArray[np.int64]:
    """Return which eigenvalues to keep if they are not in pairs of lambda and -lambda.

    From a complex pair the upper one is kept; from zeros, which are double unless velocities are
    damped, one per motion; from real ones those that grow: the others are not vibrations.
    """
    rests = resting(values)
    upper = rests & (values.real > 0.0) | ~rests & (values.imag > 0.0)
    upper[zeros] = False
    upper[zeros[::2] if len(zeros) == 2 * still else zeros[:still]] = True
    return np.flatnonzero(upper)
