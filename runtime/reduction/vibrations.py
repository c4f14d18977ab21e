# SPDX-License-Identifier: BSD-3-Clause
"""Natural vibrations of a reduced model with its frames at one time."""

from __future__ import annotations

from typing import Any

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.model.schema_analysis import ModesAnalysis
from flexforge.runtime.native.constants import Constants
from flexforge.runtime.native.steps import factors_at
from flexforge.runtime.reduction.basis import Basis
from flexforge.runtime.statics.pencil import Pencil
from flexforge.runtime.statics.rigid import free_motions
from flexforge.runtime.statics.stress_over_time import by_rotation, require_by_rotation
from flexforge.runtime.statics.stress_state import StressState, stress_at, theory_of
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.system import System
from flexforge.runtime.vibration.modes import solve_modes
from flexforge.runtime.vibration.quadratic import QuadraticProblem, solve_quadratic

#: Round-off of squared frequencies, relative to those of the mesh nodes.
_NOISE = 1e-12


def compare_frequencies(
    analysis: ModesAnalysis,
    system: System,
    loads: Loads,
    basis: Basis,
    stressed: StressState,
    known: Floats,
) -> dict[str, Any]:
    """Return the frequencies of the reduced model, and their differences from the full ones.

    Where the model names no prestress theory, the reduced model has the stresses of its rotation
    alone, while the modes of the full model are those about the steady state. If the steady state
    has further stresses, the full model is solved a second time with those of the rotation.

    Parameters
    ----------
    analysis : ModesAnalysis
        The settings of the analysis.
    system : System
        The bodies, without stresses.
    loads : Loads
        What acts on them.
    basis : Basis
        The shapes.
    stressed : StressState
        The bodies under the stresses of the full model.
    known : ndarray, (count,)
        Frequencies of the full model under these stresses, Hz.

    Raises
    ------
    InputError
        When bodies at rest have the stresses of a steady state.
    AnalysisError
        When modes of the full model do not converge.
    """
    figures: dict[str, Any] = {"coordinates": basis.size}
    full, own = known, stressed
    if theory_of(system.include, "transient") != stressed.theory:
        own = stress_at(system, loads, "transient", analysis.solver, analysis.time)
    system = by_rotation(own, analysis.time) if own.theory in ("steady", "linear") else own.system
    require_by_rotation(system, "a reduced model")
    if own.theory != stressed.theory and (stressed.acts or own.acts):
        full = solve_modes(
            system, analysis.count, None, analysis.time, analysis.solver
        ).frequencies[: analysis.count]
        for i, value in enumerate(full, start=1):
            figures[f"mode {i}, stressed by the rotation alone"] = [float(value), "Hz"]
    constants = Constants(system, loads, basis.shapes)
    found = frequencies(constants, len(full), analysis.time, analysis.solver)
    for i, value in enumerate(found, start=1):
        figures[f"mode {i} of the reduced model"] = [float(value), "Hz"]
    full = full[: len(found)]
    errors = np.abs(found[full > 0.0] / full[full > 0.0] - 1.0)
    return figures | {"largest error of these frequencies": float(errors.max(initial=0.0))}


def frequencies(constants: Constants, count: int, time: float, solver: str = "auto") -> Floats:
    """Return the lowest frequencies of a reduced model in its frames, Hz, ascending.

    The same criteria as for full models decide which eigenvalues are vibrations.

    Parameters
    ----------
    constants : Constants
        The reduced model.
    count : int
        Number of frequencies.
    time : float
        Time at which the frames are taken, s.
    solver : str
        Linear solver, for many coordinates.
    """
    from scipy.linalg import eigvalsh
    from scipy.sparse import csr_matrix

    elastic, viscous = factors_at(constants, time)
    matrices, system = constants.matrices, constants.system
    count = min(count, matrices.size)
    mass = matrices.dense(matrices.mass)
    stiffness = matrices.dense(elastic @ matrices.bases)
    damping = matrices.dense(viscous @ matrices.bases)
    damped = any(body.is_damped for body in system.bodies)
    paired = not damped and not elastic[matrices.skew].any()  # symmetric up to round-off
    pencil = Pencil.at_rest(system)
    noise = _NOISE * pencil.typical
    if paired and not damping.any():
        squares = eigvalsh(0.5 * (stiffness + stiffness.T), mass)[:count]
        squares[: pencil.still.shape[1]] = 0.0
        return np.asarray(np.sqrt(np.maximum(squares, 0.0)) / (2.0 * np.pi))
    problem = QuadraticProblem(
        csr_matrix(mass),
        csr_matrix(damping),
        csr_matrix(stiffness),
        paired,
        bool(free_motions(system)),
        pencil.still.shape[1],
        noise,
    )
    found = solve_quadratic(problem, count, None, solver, system.threads)
    return np.asarray(found.values.imag / (2.0 * np.pi))
