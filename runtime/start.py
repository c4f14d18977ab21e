# SPDX-License-Identifier: BSD-3-Clause
"""From the method an analysis names to a motion: second-order, Hamilton's pair, or tied."""

from __future__ import annotations

from functools import partial

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.constraints.build import Ties
from flexforge.runtime.constraints.generalized_speeds import independent, null_space
from flexforge.runtime.constraints.joints import JointConstraints
from flexforge.runtime.constraints.null_space import Choice, Reducer
from flexforge.runtime.constraints.rates import Allowing
from flexforge.runtime.model.schema_analysis import TransientAnalysis
from flexforge.runtime.native.constants import TiedConstants
from flexforge.runtime.native.free import Compact, Constants, is_small
from flexforge.runtime.native.steps import steps_at_once
from flexforge.runtime.native.tied import TiedMotion
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.shapes import Shapes
from flexforge.runtime.system.system import System
from flexforge.runtime.transient.canonical import Canonical
from flexforge.runtime.transient.constrained import Constrained, stiffened_bodies
from flexforge.runtime.transient.coordinates.multipliers import Multipliers
from flexforge.runtime.transient.coordinates.null_space import Reduced
from flexforge.runtime.transient.explicit import Explicit
from flexforge.runtime.transient.gauss import METHODS
from flexforge.runtime.transient.hamilton import Hamilton
from flexforge.runtime.transient.linear.factors import Counts
from flexforge.runtime.transient.linear.mass import MassFactors, factors_at_start, needs_inertia
from flexforge.runtime.transient.scheme import Scheme
from flexforge.runtime.transient.stability import require_stable, system_matrices
from flexforge.runtime.transient.step_end import ConstraintMethod
from flexforge.runtime.transient.transient import Transient
from numpy.typing import NDArray

Floats = NDArray[np.float64]


#: Speeds that a formalism chooses: along the null space, or rates of coordinates.
SPEEDS: dict[str, Choice] = {
    "maggi": null_space, "kane": independent, "gibbs_appell": independent, "hamilton": independent
}  # fmt: skip


def start(
    analysis: TransientAnalysis,
    system: System,
    loads: Loads,
    displacement: Floats,
    velocity: Floats,
    ties: Ties | None = None,
    shapes: Shapes | None = None,
) -> Transient | Explicit | Hamilton | Constrained | Compact | TiedMotion:
    """Return the motion that an analysis asks for, at t = 0.

    Parameters
    ----------
    analysis : TransientAnalysis
        Method and step.
    system : System
        The bodies; prestress has been added.
    loads : Loads
        What acts on them.
    displacement, velocity : ndarray, (N, d)
        State at t = 0, relative to the frames, m and m/s.
    ties : Ties, optional
        What ties the unknowns to each other.
    shapes : Shapes, optional
        Those that the unknowns move in.

    Raises
    ------
    InputError
        When the state does not satisfy the ties, or they depend on each other.
    """
    if ties is not None and shapes is not None:
        return _reduced(analysis, system, loads, displacement, velocity, ties, shapes)
    if ties is not None:
        scheme, step = Scheme.of(analysis), analysis.step_size
        way = partial(_way, analysis, ties, system, loads)
        motion = Constrained(
            system, loads, ties.joints, scheme, step, way, displacement, velocity, ties.equations
        )
        if isinstance(motion.way, Reduced) and isinstance(ties.joints, JointConstraints):
            motion.take_at_once(
                steps_at_once(
                    system,
                    loads,
                    ties.joints,
                    scheme,
                    step,
                    analysis.number_of_steps,
                    motion.stiffened,
                    independent=rates_of_coordinates(analysis),
                )  # fmt: skip
            )
        return motion
    if analysis.method in METHODS:
        return Hamilton(
            system, loads, METHODS[analysis.method], analysis.step_size, analysis.tolerance,
            analysis.solver, displacement, velocity,
        )  # fmt: skip
    scheme, step = Scheme.of(analysis), analysis.step_size
    if shapes is not None or is_small(system):
        constants = Constants(system, loads, shapes)
        constants.require_stable(scheme, step, analysis.duration)
        return Compact(
            constants, scheme, step, analysis.number_of_steps, displacement, velocity
        )  # fmt: skip
    if scheme.explicit:
        explicit = Explicit(system, loads, step, analysis.solver, displacement, velocity)
        explicit.require_stable(scheme, analysis.duration)
        return explicit
    if scheme.limit[1] > 0.0:
        masses = MassFactors(system, analysis.solver, analysis.method)
        acting = system_matrices(system, masses)
        require_stable(scheme, step, analysis.duration, system, acting)
        masses.close()
    return Transient(
        system, loads, scheme, step, analysis.tolerance, analysis.solver, displacement, velocity
    )


def rates_of_coordinates(analysis: TransientAnalysis) -> bool:
    """Whether the speeds of an analysis are rates of coordinates."""
    return SPEEDS[analysis.formalism or "maggi"] is independent


def _reduced(
    analysis: TransientAnalysis, system: System, loads: Loads, displacement: Floats,
    velocity: Floats, ties: Ties, shapes: Shapes,
) -> TiedMotion:  # fmt: skip
    """Return the motion of tied bodies in shapes."""
    assert isinstance(ties.joints, JointConstraints)
    constants = TiedConstants(
        system, loads, ties.joints, stiffened_bodies(system, loads), shapes,
        independent=rates_of_coordinates(analysis),
    )  # fmt: skip
    return TiedMotion(
        constants, Scheme.of(analysis), analysis.step_size, analysis.number_of_steps,
        displacement, velocity,
    )  # fmt: skip


def _way(
    analysis: TransientAnalysis, ties: Ties, system: System, loads: Loads, counts: Counts
) -> ConstraintMethod:
    """Return the way through the equations of tied bodies that a formalism takes."""
    formalism = analysis.formalism or "maggi"
    m, n = ties.joints.pattern.shape
    names = ties.equations.names if ties.equations is not None else ()
    tolerance, solver = analysis.tolerance, analysis.solver
    if formalism == "lagrange":
        return Multipliers(tolerance, solver, counts, n + m + len(names))
    choose = SPEEDS[formalism]
    reducer = Reducer(ties.joints.pattern, choose)
    if formalism == "hamilton":
        if names:
            raise InputError(
                "analysis.formalism: found hamilton with [[constraints]] of velocities, which have "
                "no canonical momenta; expected maggi, kane, gibbs_appell or lagrange"
            )
        if factors_at_start(system, 1.0)[2]:
            raise needs_inertia("hamilton", "formalism", "another formalism")
        return Canonical(system, loads, ties.joints, reducer, tolerance, solver, counts)
    allowing = Allowing(names, choose) if names else None
    return Reduced(reducer, allowing, tolerance, solver, counts)
