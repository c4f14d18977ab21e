# SPDX-License-Identifier: BSD-3-Clause
"""The lowest modes of bodies that several ranks share.

Undamped ones without Coriolis forces are those of SLEPc; others come from the space of one process,
whose products and sums are over all ranks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from flexforge.codegen.errors import AnalysisError, InputError
from flexforge.runtime.arrays import Complex, Floats
from flexforge.runtime.solvers import Factorization, of_ranks
from flexforge.runtime.solvers.gmres import gmres
from flexforge.runtime.solvers.layout import Blocked
from flexforge.runtime.solvers.petsc import Inverse, distributed
from flexforge.runtime.solvers.rows import KeptRows
from flexforge.runtime.statics.pencil import Pencil
from flexforge.runtime.statics.rigid import count_of_free, require_held
from flexforge.runtime.system.body import Combination
from flexforge.runtime.system.products import Products
from flexforge.runtime.vibration.krylov import SecondOrderSpace
from flexforge.runtime.vibration.quadratic import (
    Eigenvalues,
    QuadraticProblem,
    iterate,
    not_all,
    typical,
)
from flexforge.runtime.vibration.undamped import Undamped

_TOLERANCE = 1e-12  # of eigenvalues
#: Relative residual of solutions about a frequency: they only make a space.
_SOLVED = 1e-10
_BELOW = 1e-7  # shift below zero for a singular stiffness, relative to the mesh
_PURPOSE = "for modes of several processes"


def shared_matrices(pencil: Pencil) -> tuple[Products, Products]:
    """Return stiffness and inertia, as products."""
    system = pencil.system
    unit = Combination(0.0, np.eye(system.dimension), np.zeros(0))
    inertia = Products(system, [unit] * len(system.bodies))
    return Products(system, pencil.combinations), inertia


def shared_problem(
    pencil: Pencil, viscous: Sequence[Combination], *, paired: bool
) -> QuadraticProblem:
    """Return the problem of vibrations with Coriolis forces or damping.

    Parameters
    ----------
    pencil : Pencil
        Stiffness and inertia.
    viscous : sequence of Combination
        The factor of velocities.
    paired : bool
        Whether there is no damping, and the stiffness is symmetric.

    Raises
    ------
    InputError
        When supports leave a motion free.
    """
    require_held(pencil.system, _PURPOSE)
    stiffness, inertia = shared_matrices(pencil)
    return QuadraticProblem(
        mass=inertia,
        viscous=Products(pencil.system, viscous),
        stiffness=stiffness,
        paired=paired,
        singular=False,
        pencil=pencil,
        ranks=pencil.system.ranks,
    )


def solve_shared(
    problem: QuadraticProblem,
    count: int,
    shift: float | None,
    solver: str,
    tell: Callable[[str, int, int], None] | None,
) -> Eigenvalues:
    """Return the lowest modes of a problem of :func:`shared_problem`.

    Parameters
    ----------
    problem : QuadraticProblem
        The problem.
    count : int
        Number of modes.
    shift : float, optional
        A frequency near which modes are wanted, Hz.
    solver : str
        Linear solver.
    tell : callable, optional
        Called with a text, the number of converged modes, and the count.

    Raises
    ------
    InputError
        When the stiffness is not symmetric.
    AnalysisError
        When the stiffness is singular, or the shift cannot be solved about.
    """
    ranks, pencil = problem.ranks, problem.pencil
    assert pencil is not None
    if not all(c.is_symmetric for c in pencil.combinations):
        raise InputError(
            f"analysis.kind: found modes of a body that turns faster and faster with {ranks.count} "
            "processes; expected a steady rotation, or one process"
        )
    target = 2.0 * np.pi * shift if shift else None
    blocks = pencil.blocked(target**2 if target else 0.0)
    assert blocks is not None  # models without are refused before
    factors = of_ranks(blocks, solver, pencil.system.threads)
    about = factors if target is None else _AboutFrequency(problem, target, factors)
    try:
        matrices = (problem.mass, problem.viscous, problem.stiffness)
        space = SecondOrderSpace(*matrices, 1j * (target or 0.0), about, ranks)
        return replace(iterate(problem, space, count, target, tell), solver=factors.name)
    finally:
        factors.close()


class _AboutFrequency:
    """The inverse of ``k - w^2 m + i w c``, by iteration with factors of its real part.

    PETSc of Debian has real numbers: real and imaginary parts are one vector of double length.

    Parameters
    ----------
    problem : QuadraticProblem
        The matrices.
    frequency : float
        w, rad/s.
    factors : Factorization
        Of ``k - w^2 m``.
    """

    def __init__(self, problem: QuadraticProblem, frequency: float, factors: Factorization) -> None:
        self._problem, self._frequency, self._factors = problem, frequency, factors

    def solve(self, force: Complex) -> Complex:
        """Return solutions for forces (n, k).

        Raises
        ------
        AnalysisError
            When the iteration does not end.
        """
        return np.column_stack([self._solved(one) for one in force.T])

    def _solved(self, force: Complex) -> Complex:
        tolerance, ranks = _SOLVED, self._problem.ranks
        both = np.concatenate([force.real, force.imag])
        found = gmres(
            self._product, both, self._approximate, tolerance=tolerance, restart=60, ranks=ranks
        )
        if not found.converged:
            raise AnalysisError(
                f"analysis.shift: the iteration about {self._frequency / (2.0 * np.pi):g} Hz ends "
                f"with the residual {found.residual:.1e} after {found.iterations} iterations; "
                f"expected {tolerance:g}: a frequency farther from modes, or one process"
            )
        real, imaginary = np.split(found.solution, 2)
        return np.asarray(real + 1j * imaginary)

    def _product(self, both: Floats) -> Floats:
        problem, w = self._problem, self._frequency
        parts = np.ascontiguousarray(both.reshape(2, -1).T)
        straight = problem.stiffness @ parts - w**2 * (problem.mass @ parts)
        turned = w * (problem.viscous @ parts)
        return np.concatenate([straight[:, 0] - turned[:, 1], straight[:, 1] + turned[:, 0]])

    def _approximate(self, both: Floats) -> Floats:
        parts = np.ascontiguousarray(both.reshape(2, -1).T)
        return np.ascontiguousarray(self._factors.solve(parts).T).ravel()


def lowest_shared(pencil: Pencil, count: int, shift: float | None, solver: str) -> Undamped:
    """Return modes nearest to a frequency, by shift and invert.

    Parameters
    ----------
    pencil : Pencil
        Stiffness and inertia.
    count : int
        Number of modes.
    shift : float, optional
        Frequency, Hz; by default zero.
    solver : str
        Linear solver.

    Returns
    -------
    Undamped
        Shapes are at the unknowns of this rank.

    Raises
    ------
    InputError
        When supports leave a motion free that rotation or prestress acts on.
    """
    try:
        from slepc4py import SLEPc
    except (ImportError, ValueError) as error:  # ValueError: compiled for another PETSc
        raise InputError(
            f"analysis.kind: modes of several processes need slepc4py ({error}); expected one "
            "installed for the same PETSc: see docs/distributed.md"
        ) from None
    system, still = pencil.system, 0
    if any(c.inertia.any() or c.geometric.any() for c in pencil.combinations):
        require_held(system, _PURPOSE)
    else:
        still = count_of_free(system)
    sigma = 0.0 if shift is None else (2.0 * np.pi * shift) ** 2
    if still and not sigma:
        sigma = -_BELOW * typical(*shared_matrices(pencil), system.ranks)
    rows = pencil.blocked()
    blocks = pencil.blocked(sigma) if sigma else rows
    assert rows is not None and blocks is not None  # models without are refused before
    stiffness, inertia = distributed(rows), distributed(_inertia(pencil, rows))
    factors = of_ranks(blocks, solver, system.threads, positive_definite=shift is None)
    problem = SLEPc.EPS().create(stiffness.getComm())
    problem.setOperators(stiffness, inertia)
    problem.setProblemType(SLEPc.EPS.ProblemType.GHEP)
    problem.setDimensions(count)
    problem.setTolerances(_TOLERANCE, 1000)
    problem.setTarget(sigma)
    problem.setWhichEigenpairs(SLEPc.EPS.Which.TARGET_MAGNITUDE)
    transform = problem.getST()
    transform.setType("sinvert")
    transform.setKSP(Inverse(factors, rows.slots).solver(stiffness))
    problem.solve()
    found = min(problem.getConverged(), count)
    missing = "" if found == count else not_all(found, count, "")
    vector, squares, shapes = stiffness.createVecRight(), [], []
    for number in range(found):
        squares.append(problem.getEigenpair(number, vector).real)
        shapes.append(vector.getArray()[rows.slots].copy())
    order = np.argsort(squares)
    name = f"slepc, {factors.name}"
    for one in (problem, stiffness, inertia, vector):
        one.destroy()
    factors.close()
    vectors = np.array(shapes).reshape(found, system.unknowns)[order].T
    values = np.array(squares)[order]
    if sigma <= 0.0:  # unrestrained motions are the lowest, and known to have no stiffness
        values[:still] = 0.0
    return Undamped(values, vectors, missing, name)


def _inertia(pencil: Pencil, rows: Blocked) -> Blocked:
    """Return the inertia, of which held components have none, so that they have no modes."""
    system = pencil.system
    unit = Combination(0.0, np.eye(system.dimension), np.zeros(0))
    found = Pencil.of(system, [unit] * len(system.bodies)).blocked()
    assert found is not None
    assert isinstance(found.rows, KeptRows)
    matrix, held = found.rows.matrix, np.ones(found.rows.size, dtype=bool)
    held[rows.slots] = False
    free = ~held.reshape(-1, found.rows.block)
    matrix.data *= np.repeat(free, np.diff(matrix.indptr), axis=0)[:, :, None]
    return found
