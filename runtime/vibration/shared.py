# SPDX-License-Identifier: BSD-3-Clause
"""The lowest modes of bodies that several ranks share, by SLEPc."""

from __future__ import annotations

import numpy as np
from flexforge.codegen.errors import AnalysisError, InputError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.ranks import Ranks
from flexforge.runtime.solvers import of_ranks
from flexforge.runtime.solvers.layout import Blocked
from flexforge.runtime.solvers.petsc import Inverse, distributed
from flexforge.runtime.solvers.rows import KeptRows
from flexforge.runtime.statics.pencil import Pencil
from flexforge.runtime.statics.rigid import require_held
from flexforge.runtime.system.body import Combination
from flexforge.runtime.system.system import System

_TOLERANCE = 1e-12  # of eigenvalues


def undamped_only(system: System, time: float) -> list[Combination]:
    """Return the stiffness of undamped vibrations; refuse Coriolis forces and damping.

    Raises
    ------
    InputError
        Naming what makes the eigenvalues complex.
    """
    spins = system.spins(time)
    if any(spin.coriolis.any() for spin in spins):
        raise _refused("Coriolis forces", "include.coriolis = false", system.ranks)
    if any(body.is_damped for body in system.bodies):
        raise _refused("damping", "materials without", system.ranks)
    return [Combination(1.0, spin.stiffness, spin.prestress) for spin in spins]


def lowest_shared(
    pencil: Pencil, count: int, shift: float | None, solver: str
) -> tuple[Floats, Floats, str]:
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
    squares : ndarray, (count,)
        Squared circular frequencies, ascending, (rad/s)^2.
    vectors : ndarray, (n, count)
        Shapes of unit modal mass, at the unknowns of this rank.
    name : str
        What solved.

    Raises
    ------
    InputError
        When supports leave a motion free.
    AnalysisError
        When modes do not converge.
    """
    try:
        from slepc4py import SLEPc
    except ImportError as error:
        raise InputError(
            f"analysis.kind: modes of several processes need slepc4py ({error}); expected it "
            "installed: see docs/distributed.md"
        ) from None
    system = pencil.system
    require_held(system, "for modes of several processes")
    sigma = 0.0 if shift is None else (2.0 * np.pi * shift) ** 2
    rows, blocks = pencil.blocked, pencil.shifted(sigma)
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
    found = problem.getConverged()
    if found < count:
        raise AnalysisError(f"modes: {found} of {count} converge; expected all")
    vector, squares, shapes = stiffness.createVecRight(), [], []
    for number in range(count):
        squares.append(problem.getEigenpair(number, vector).real)
        shapes.append(vector.getArray()[rows.slots].copy())
    order = np.argsort(squares)
    name = f"slepc, {factors.name}"
    for one in (problem, stiffness, inertia, vector):
        one.destroy()
    factors.close()
    return np.array(squares)[order], np.array(shapes)[order].T, name


def _inertia(pencil: Pencil, rows: Blocked) -> Blocked:
    """Return the inertia, of which held components have none, so that they have no modes."""
    system = pencil.system
    unit = Combination(0.0, np.eye(system.dimension), np.zeros(0))
    found = Pencil.of(system, [unit] * len(system.bodies)).blocked
    assert found is not None
    assert isinstance(found.rows, KeptRows)
    matrix, held = found.rows.matrix, np.ones(found.rows.size, dtype=bool)
    held[rows.slots] = False
    free = ~held.reshape(-1, found.rows.block)
    matrix.data *= np.repeat(free, np.diff(matrix.indptr), axis=0)[:, :, None]
    return found


def _refused(what: str, expected: str, ranks: Ranks) -> InputError:
    return InputError(
        f"analysis.kind: found modes with {what} and {ranks.count} processes; expected {expected}, "
        "or one process"
    )
