# SPDX-License-Identifier: BSD-3-Clause
"""Natural frequencies and shapes of small vibrations about the moving frame.

At rest and undamped, ``k phi = omega^2 m phi``. In a rotating frame the Coriolis term couples the
shapes in quadrature, and damping dissipates energy: ``(lambda^2 m + lambda (2 c + damping) + k +
k_omega + k_eps + k_geo) phi = 0`` with complex ``lambda`` and shapes. The vibration grows as
``exp(Re lambda t)`` at ``Im lambda`` rad/s.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from flexforge.codegen.errors import AnalysisError, InputError
from flexforge.runtime.arrays import Complex, Floats, Ints
from flexforge.runtime.ranks import ONE, Ranks
from flexforge.runtime.statics.pencil import Pencil
from flexforge.runtime.statics.rigid import count_of_free
from flexforge.runtime.system.body import Combination
from flexforge.runtime.system.combinations import elastic_of, viscous_of
from flexforge.runtime.system.products import Products
from flexforge.runtime.system.system import System
from flexforge.runtime.vibration.hermitian import solve_hermitian
from flexforge.runtime.vibration.quadratic import (
    Eigenvalues,
    QuadraticProblem,
    solve_complete,
    solve_quadratic,
)
from flexforge.runtime.vibration.shared import (
    lowest_shared,
    shared_matrices,
    shared_problem,
    solve_shared,
)
from flexforge.runtime.vibration.undamped import Undamped, solve_undamped

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Tell = Callable[[str, int, int], None]

_UNSTABLE = 1e-6  # growth relative to frequency that is not round-off, of paired eigenvalues
_NO_GROWTH = 1e-11  # the same where there is damping
_NO_MOTION = 1e-7  # amplitude of nodes, relative to what is internal, that is round-off


@dataclass(frozen=True, slots=True)
class Modes:
    """Natural vibrations, ascending in frequency.

    Attributes
    ----------
    frequencies : ndarray, (count,)
        Hz, as seen in the frame; with damping, those of the damped vibration.
    shapes : ndarray, (count, N, d)
        Displacements of unit modal mass; for complex shapes the real parts at their maximum, for
        those of a nodal diameter the real parts.
    growth : ndarray, (count,)
        Real part of the eigenvalue, 1/s: positive where the motion is unstable, negative where it
        decays.
    damping : ndarray, (count,)
        Damping ratio, ``-Re lambda / |lambda|``.
    gyroscopic : bool
        Whether the Coriolis term is included.
    vectors : ndarray, (count, unknowns)
        Complex shapes of the unknowns, of unit modal mass ``phi^H m phi``.
    solves : int
        Number of solved right-hand sides.
    residual : float
        The largest residual of the equation of a mode, relative to the forces in it.
    solver : str
        What solved: the backend that factored, or LAPACK for small problems.
    """

    frequencies: Floats
    shapes: Floats
    growth: Floats
    damping: Floats
    gyroscopic: bool
    vectors: Complex
    solves: int = 0
    residual: float = 0.0
    solver: str = ""

    @property
    def values(self) -> Complex:
        """Eigenvalues, 1/s."""
        return np.asarray(self.growth + 2j * np.pi * self.frequencies)

    @property
    def has_shapes(self) -> bool:
        """Whether shapes at nodes are there, and not only those of the unknowns."""
        return len(self.shapes) == len(self.vectors)

    def chosen(self, which: Ints) -> Modes:
        """Return some of the modes, by number, in any order."""
        return replace(
            self,
            frequencies=self.frequencies[which],
            shapes=self.shapes[which] if self.has_shapes else self.shapes,
            growth=self.growth[which],
            damping=self.damping[which],
            vectors=self.vectors[which],
        )


class NotConvergedError(AnalysisError):
    """Some of the requested modes have not converged.

    Attributes
    ----------
    modes : Modes
        The converged modes.
    """

    def __init__(self, missing: str, modes: Modes) -> None:
        super().__init__(f"modes: {missing}")
        self.modes = modes


def solve_modes(
    system: System,
    count: int,
    shift: float | None,
    time: float,
    solver: str,
    *,
    tell: Tell | None = None,
    damped: bool = True,
    both: bool = False,
) -> Modes:
    """Return the vibrations of a system with the motion of its frames at a given time.

    Parameters
    ----------
    system : System
        The bodies, with the stresses of their rotation or of a steady state.
    count : int
        Number of modes; at a nodal diameter with Coriolis forces, of those that travel forward, and
        of those that travel backward.
    shift : float, optional
        Frequency near which modes are computed, Hz; by default the lowest.
    time : float
        Time, s.
    solver : str
        Linear solver.
    tell : callable, optional
        Called with a text, the number of things done and their number.
    damped : bool
        Whether damping is in the equations.
    both : bool
        Of a nodal diameter without Coriolis forces: whether the waves of both senses are returned,
        those that travel forward first, which have one shape and frequency.

    Raises
    ------
    NotConvergedError
        With the converged modes, if others have not converged.
    AnalysisError
        When the eigenvalue solver fails, or the shift is an eigenvalue.
    InputError
        For a shift of waves at a nodal diameter.
    """
    ranks = system.ranks
    count = min(count, int(ranks.total(float(system.unknowns))))
    spins = system.spins(time)
    elastic = elastic_of(spins)
    viscous = viscous_of(system.bodies, spins)
    gyroscopic = any(spin.coriolis.any() for spin in spins)
    if not damped:
        elastic = [replace(one, circulation=0.0) for one in elastic]
        viscous = [
            Combination(0.0, spin.coriolis, one.geometric)
            for spin, one in zip(spins, viscous, strict=True)
        ]
    damped = damped and any(body.is_damped for body in system.bodies)
    paired = not damped and system.is_symmetric and all(c.is_symmetric for c in elastic)
    pencil = Pencil.of(system, elastic)
    if ranks.count > 1:
        if paired and not gyroscopic:
            return _shared(pencil, count, shift, solver)
        problem = shared_problem(pencil, viscous, paired=paired)
        found = solve_shared(problem, count, shift, solver, tell)
        return _complex(system, problem, found, gyroscopic)
    if not (pencil.inertia.diagonal().real > 0.0).any():
        raise AnalysisError("modes: no free coordinate has inertia; expected a density above 0")
    if paired and not gyroscopic:
        standing = _real(pencil, count, shift, solver)
        return _with_opposite(standing) if both else standing
    problem = QuadraticProblem(
        mass=pencil.inertia,
        viscous=system.matrix(viscous),
        stiffness=pencil.stiffness,
        paired=paired,
        singular=count_of_free(system) > 0,
        still=pencil.still.shape[1],
        pencil=pencil,
    )
    if system.map.is_complex:
        if shift is not None:
            raise InputError(
                "analysis.shift: found with Coriolis forces or damping at a nodal diameter; "
                "expected none"
            )
        found = solve_hermitian(problem, count, solver, system.threads, both=gyroscopic or both)
        return _complex(system, problem, found, gyroscopic)
    target = None if shift is None else 2.0 * np.pi * abs(shift)
    among = min(count + system.idle, system.unknowns)
    found = solve_quadratic(problem, among, target, solver, system.threads, tell)
    return _of_nodes(system, _complex(system, problem, found, gyroscopic), count, target)


def solve_small(
    system: System, problem: QuadraticProblem, count: int, shift: float | None
) -> Modes | None:
    """Return the vibrations of a small problem with Coriolis forces or damping.

    Shapes at nodes are left out: those of the unknowns are enough to go on from speed to speed.

    Parameters
    ----------
    system : System
        The bodies.
    problem : QuadraticProblem
        The matrices of their unknowns.
    count, shift : int, float
        As of :func:`solve_modes`.

    Returns
    -------
    Modes or None
        None where digits are lost that :func:`solve_modes` keeps.
    """
    target = None if shift is None else 2.0 * np.pi * abs(shift)
    found = solve_complete(problem, min(count + system.idle, problem.size), target)
    if found is None:
        return None
    modes = _complex(system, problem, found, gyroscopic=True, at_nodes=False)
    return _of_nodes(system, modes, count, target)


def _of_nodes(system: System, modes: Modes, count: int, target: float | None) -> Modes:
    """Return the modes that move nodes, of these a number; others are internal to bearings."""
    inside = system.internal
    if not len(inside) or not len(modes.vectors):
        return modes
    sizes = np.abs(modes.vectors)
    largest = np.delete(sizes, inside, axis=1).max(axis=1)
    kept = np.flatnonzero(largest > _NO_MOTION * sizes[:, inside].max(axis=1))
    distance = np.abs(modes.values[kept] - 1j * (target or 0.0))
    nearest = kept[np.argsort(distance, kind="stable")[:count]]
    some = np.sort(nearest)
    return modes.chosen(some)


def _complex(
    system: System,
    problem: QuadraticProblem,
    found: Eigenvalues,
    gyroscopic: bool,
    *,
    at_nodes: bool = True,
) -> Modes:
    """Return vibrations with complex shapes, also at nodes if these are wanted.

    Raises
    ------
    NotConvergedError
        When some are missing.
    """
    values = found.values
    growth, ratio = rates(values, problem.noise if problem.paired else None)
    # The phase of amplitudes at a nodal diameter is a position on the wheel, and free.
    vectors = found.vectors.T
    if not system.map.is_complex:
        vectors = in_phase(vectors, system.ranks)
    matrices = problem.mass, problem.viscous, problem.stiffness
    modes = Modes(
        values.imag / (2.0 * np.pi),
        real_shapes(system, vectors, problem.mass) if at_nodes else np.zeros((0, 0, 0)),
        growth,
        ratio,
        gyroscopic,
        vectors,
        found.solves,
        _residual(system, *matrices, values, values**2, vectors),
        found.solver,
    )
    return _complete(modes, found.missing)


def rates(values: Complex, noise: float | None) -> tuple[Floats, Floats]:
    """Return the growth of vibrations, 1/s, without round-off, and their damping ratios.

    Parameters
    ----------
    values : ndarray of complex, (count,)
        Eigenvalues, 1/s.
    noise : float, optional
        Round-off of squared frequencies where eigenvalues are in pairs, (rad/s)^2.
    """
    growth = values.real.copy()
    size = np.maximum(np.abs(values), np.finfo(float).tiny)
    if noise is not None:  # round-off splits a double eigenvalue by its square root
        unstable = np.maximum(_UNSTABLE * size, np.sqrt(1e-3 * noise))
    else:  # of shapes that no damper moves
        unstable = _NO_GROWTH * size
    growth[np.abs(growth) < unstable] = 0.0
    return growth, -growth / size + 0.0


def in_phase(vectors: Complex, ranks: Ranks = ONE) -> Complex:
    """Return complex shapes (k, n) with the phases at which their real parts are largest."""
    phases = np.angle(ranks.total(np.einsum("kn,kn->k", vectors, vectors))) / 2.0
    return np.asarray(vectors * np.exp(-1j * phases)[:, None])


def real_shapes(system: System, vectors: Complex, mass: csr_matrix | Products | Floats) -> Floats:
    """Return real parts of shapes, of unit modal mass, at all nodes, (count, N, d).

    Parameters
    ----------
    system : System
        The bodies.
    vectors : ndarray of complex, (count, n)
        Shapes of the unknowns.
    mass : csr_matrix, Products or ndarray
        Of the unknowns.
    """
    found = []
    for vector in vectors:
        if system.map.is_complex:
            found.append(system.expand(vector).real)
            continue
        real = vector.real
        found.append(system.expand(real / np.sqrt(system.ranks.dot(real, mass @ real))))
    return np.array(found).reshape(len(vectors), *_of(system))


def _with_opposite(found: Modes) -> Modes:
    """Return modes after those with the other root of ``lambda^2``, whose shapes are the same."""
    count = len(found.frequencies)
    twice = found.chosen(np.tile(np.arange(count), 2))
    sign = np.repeat([-1.0, 1.0], count)
    return replace(
        twice,
        frequencies=sign * twice.frequencies + 0.0,
        growth=sign * twice.growth + 0.0,
        damping=sign * twice.damping + 0.0,
    )


def _shared(pencil: Pencil, count: int, shift: float | None, solver: str) -> Modes:
    """Return the undamped vibrations of bodies that ranks share."""
    found = lowest_shared(pencil, count, shift, solver)
    return _undamped(pencil.system, found, shared_matrices(pencil))


def _complete(modes: Modes, missing: str) -> Modes:
    """Return the modes; refuse an incomplete set."""
    if missing:
        raise NotConvergedError(missing, modes)
    return modes


def _of(system: System) -> tuple[int, int]:
    return system.size, system.dimension


def _residual(
    system: System,
    mass: csr_matrix | Products | Floats,
    viscous: csr_matrix | Products | Floats | None,
    stiffness: csr_matrix | Products | Floats,
    values: Complex,
    squares: Floats | Complex,
    vectors: Floats | Complex,
) -> float:
    """Return the largest residual of modes: forces within elements nearly cancel in soft ones."""
    columns: Any = np.ascontiguousarray(vectors.T)  # real or complex
    inertia = squares * (mass @ columns)
    left = inertia + stiffness @ columns
    sizes = _norms(system, inertia) + system.stiffness_scale * _norms(system, columns)
    if viscous is not None:
        forces = values * (viscous @ columns)
        left = left + forces
        sizes = sizes + _norms(system, forces)
    return float((_norms(system, left) / sizes).max(initial=0.0))


def _norms(system: System, columns: Any) -> Floats:
    """Return the lengths of columns (n, k), whose rows ranks share: (k,)."""
    squares = np.einsum("nk,nk->k", columns.conj(), columns).real
    return np.asarray(np.sqrt(system.ranks.total(squares)))


def _real(pencil: Pencil, count: int, shift: float | None, solver: str) -> Modes:
    """Solve ``k phi = omega^2 m phi``."""
    found = solve_undamped(pencil, count, shift, solver)
    return _undamped(pencil.system, found, pencil.matrices)


def _undamped(
    system: System,
    found: Undamped,
    matrices: tuple[csr_matrix | Products | Floats, csr_matrix | Products | Floats],
) -> Modes:
    """Return vibrations with real shapes, from squares and with the stiffness and inertia.

    Raises
    ------
    NotConvergedError
        When some are missing.
    """
    stiffness, inertia = matrices
    omega = np.sqrt(np.maximum(found.squares, 0.0))
    growth = np.sqrt(np.maximum(-found.squares, 0.0))
    shapes = np.array([system.expand(column).real for column in found.vectors.T])
    damping = np.where(growth > 0.0, -1.0, 0.0)
    shapes_of = np.ascontiguousarray(found.vectors.T)
    modes = Modes(
        omega / (2.0 * np.pi),
        shapes.reshape(len(omega), *_of(system)),
        growth,
        damping,
        False,
        shapes_of.astype(np.complex128),
        residual=_residual(
            system, inertia, None, stiffness, growth + 1j * omega, -found.squares, shapes_of
        ),
        solver=found.solver,
    )
    return _complete(modes, found.missing)
