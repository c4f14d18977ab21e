# SPDX-License-Identifier: BSD-3-Clause
"""Steady vibration under loads and supports that vary as ``Re(f exp(i omega t))``.

``(k + i omega (2 c + damping) - omega^2 m) u = f``: solved at every frequency, or by modes, which
describe what is left after the quasi-static answer to supports that move.
Source: Clough and Penzien, Dynamics of Structures, chapters 3 and 26.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime.arrays import Complex, Floats
from flexforge.runtime.solvers import factorize
from flexforge.runtime.solvers.interface import SingularMatrixError
from flexforge.runtime.system.system import System
from flexforge.runtime.vibration.carried import carried
from flexforge.runtime.vibration.superposition import Superposition
from flexforge.runtime.vibration.vibrating_matrices import VibratingMatrices

#: Returns the displacements at a circular frequency, rad/s, under each of several forces:
#: (e, N, d) complex.
Answer = Callable[[float], Complex]
#: Elastic forces relative to those that cause them, above which a vibration is round-off.
_MAGNIFIED = 1e12


def directly(
    system: System, forces: Complex, given: Floats, time: float, solver: str = "auto"
) -> Answer:
    """Return the answers of all unknowns to several forces, factored once at every frequency.

    Parameters
    ----------
    system : System
        The bodies, with their stresses.
    forces : ndarray of complex, (e, N, d)
        Amplitudes of the nodal forces, N.
    given : ndarray, (N, d)
        Amplitudes of the displacements of supports, m; zero elsewhere.
    time : float
        Time at which frames are taken, s.
    solver : str
        Linear solver.
    """
    matrices, moves = VibratingMatrices(system, time), bool(given.any())
    unsymmetric = solver if solver in ("pardiso", "scipy") else "auto"  # that others do not factor

    def at(w: float) -> Complex:
        rest = forces
        if moves:
            moved = matrices.times(w, given)
            rest = forces - (moved[0] + 1j * w * moved[1] - w * w * moved[2])
        k, c, m = matrices.at(w)
        matrix = (k + 1j * w * c - (w * w) * m).tocsr()
        each = [system.restrict(one.real) + 1j * system.restrict(one.imag) for one in rest]
        try:
            factors = factorize(matrix, unsymmetric, system.threads, check=False)
            found = [np.asarray(factors.solve(rhs), dtype=complex) for rhs in each]
            factors.close()
        except SingularMatrixError:
            found = [np.full(len(rhs), np.nan, dtype=complex) for rhs in each]
        for one, rhs in zip(found, each, strict=True):
            require_steady(w, k @ one, rhs)
        return np.array([_expanded(system, one) + given for one in found])

    return at


def by_modes(
    system: System,
    modes: Superposition,
    force: Complex,
    given: Floats,
    time: float,
    solver: str,
    drag: float = 0.0,
) -> Answer:
    """Return the answer by superposition.

    Parameters
    ----------
    system, given, time
        As of :func:`directly`.
    modes : Superposition
        The modes.
    force : ndarray of complex, (k,)
        Amplitudes of the modal forces.
    solver : str
        Linear solver.
    drag : float
        Damping of the modes in proportion to mass, 1/s, which brakes supports that move as well.
    """
    moved = carried(system, modes, given[None], time, solver, drag=drag)
    quasi, inertia, damping = moved.shapes[0], moved.inertia[0], moved.damping[0]

    def at(w: float) -> Complex:
        loads = force + w * w * inertia - 1j * w * damping
        with np.errstate(all="ignore"):  # what is not finite is refused
            found = modes.answers(np.array([w]), loads[None])[0]
        require_steady(w, modes.squares * found, loads)
        u = modes.moved(found.real) + 1j * modes.moved(found.imag) + quasi
        return np.asarray(u[None])

    return at


def swept(resonances: Floats, begin: float, end: float, points: int, bias: float) -> Floats:
    """Return frequencies from one to another that gather at resonances, Hz.

    Between two neighbours of begin, resonances and end, ``mid + half sign(x) |x|^(1/bias)`` with x
    from -1 to 1 in equal steps.

    Parameters
    ----------
    resonances : ndarray
        Natural frequencies, Hz.
    begin, end : float
        The range, Hz.
    points : int
        Points in each interval, both ends included.
    bias : float
        How closely they gather; 1 is evenly.
    """
    inside = resonances[(resonances > begin) & (resonances < end)]
    ends = np.unique(np.concatenate([[begin], inside, [end]]))
    x = np.linspace(-1.0, 1.0, points)
    spread = np.sign(x) * np.abs(x) ** (1.0 / bias)
    each = [0.5 * (a + b) + 0.5 * (b - a) * spread for a, b in zip(ends, ends[1:], strict=False)]
    return np.concatenate([one if i == 0 else one[1:] for i, one in enumerate(each)])


def require_steady(w: float, elastic: Complex, force: Complex) -> None:
    """Refuse a vibration whose elastic forces are not finite, or of the size of round-off."""
    size = float(np.linalg.norm(elastic))
    if not size <= _MAGNIFIED * float(np.linalg.norm(force)):
        raise AnalysisError(
            f"harmonic analysis: no steady vibration at {w / (2 * np.pi):.6g} Hz, which is a "
            "natural frequency without damping; expected damping or another frequency"
        )


def _expanded(system: System, values: Complex) -> Complex:
    return np.asarray(system.expand(values.real) + 1j * system.expand(values.imag))
