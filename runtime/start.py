# SPDX-License-Identifier: BSD-3-Clause
"""From the method of an analysis to a motion: second-order, Hamilton's pair, or tied."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.constraints.build import Ties, joints_of
from flexforge.runtime.constraints.null_space import SPEEDS, Reducer
from flexforge.runtime.constraints.rates import Allowing
from flexforge.runtime.model.schema_analysis import TransientAnalysis
from flexforge.runtime.multibody.build import FoundLinks
from flexforge.runtime.multibody.motion import FoundMotion
from flexforge.runtime.multibody.steps import FoundSteps
from flexforge.runtime.native.constants import Constants, is_small
from flexforge.runtime.native.order import MOST_UNKNOWNS, MOST_WORK
from flexforge.runtime.native.steps import NativeSteps
from flexforge.runtime.statics.balance import is_large
from flexforge.runtime.statics.stress_over_time import stressed_at_rest
from flexforge.runtime.system.followed_points import with_points
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.machines import Machines
from flexforge.runtime.system.shapes import Shapes
from flexforge.runtime.system.system import System
from flexforge.runtime.transient.conserving_model import ConservingModel
from flexforge.runtime.transient.coordinates.all import AllCoordinates
from flexforge.runtime.transient.coordinates.canonical import Canonical, check_momenta
from flexforge.runtime.transient.coordinates.explicit import ExplicitCoordinates
from flexforge.runtime.transient.coordinates.multipliers import Multipliers
from flexforge.runtime.transient.coordinates.null_space import Reduced
from flexforge.runtime.transient.counts import Counts
from flexforge.runtime.transient.finite_model import FiniteModel
from flexforge.runtime.transient.finite_motion import FiniteMotion
from flexforge.runtime.transient.floating_model import FloatingModel
from flexforge.runtime.transient.floating_motion import FloatingMotion
from flexforge.runtime.transient.floating_solver import FloatingSolver
from flexforge.runtime.transient.gauss import METHODS
from flexforge.runtime.transient.hamilton import HamiltonMotion
from flexforge.runtime.transient.linear.factors import KeptFactors
from flexforge.runtime.transient.linear.mass import MassFactors, solve_mass
from flexforge.runtime.transient.linear_solver import Factored
from flexforge.runtime.transient.machine_model import MachineModel
from flexforge.runtime.transient.machine_motion import MachineMotion
from flexforge.runtime.transient.measure import LargestMove
from flexforge.runtime.transient.motion import Motion
from flexforge.runtime.transient.pace import Pace, smooth_intervals
from flexforge.runtime.transient.scheme import Scheme
from flexforge.runtime.transient.stability import (
    require_stable,
    require_stable_steps,
    system_matrices,
)
from flexforge.runtime.transient.state import State
from flexforge.runtime.transient.step_end import Coordinates
from flexforge.runtime.transient.steppers.followed import Acting, Followed
from flexforge.runtime.transient.steppers.hamilton import HamiltonSteps
from flexforge.runtime.transient.steppers.implicit import GeneralizedAlpha
from flexforge.runtime.transient.steppers.lengths import AveragedSteps
from flexforge.runtime.transient.steppers.linear import LinearSteps
from flexforge.runtime.transient.steppers.machines import MachineSteps
from flexforge.runtime.transient.steppers.midpoint import FloatingMidpoint, Midpoint
from flexforge.runtime.transient.steppers.paced import Paced
from flexforge.runtime.transient.steppers.stepper import ModelStepper, Stepper
from flexforge.runtime.transient.system_model import FreeModel, TiedModel
from flexforge.runtime.transient.tied_motion import TiedMotion


def start(
    analysis: TransientAnalysis,
    system: System,
    loads: Loads,
    displacement: Floats,
    velocity: Floats,
    ties: Ties | FoundLinks | None = None,
    shapes: Shapes | None = None,
    machines: Machines | None = None,
    *,
    native: bool = True,
) -> Motion:
    """Return the motion for an analysis, at t = 0.

    Parameters
    ----------
    analysis : TransientAnalysis
        Method and step.
    system : System
        The bodies, with their prestress.
    loads : Loads
        The loads on them.
    displacement, velocity : ndarray, (N, d)
        State at t = 0, relative to the frames, m and m/s.
    ties : Ties or FoundLinks, optional
        Constraints between the unknowns, or links whose motion is found.
    shapes : Shapes, optional
        Shapes of the unknowns.
    machines : Machines, optional
        Torques that decide how bodies spin.
    native : bool
        Whether small systems are stepped in C.

    Raises
    ------
    InputError
        When the state does not satisfy the constraints, or the constraints are dependent.
    """
    state = (displacement, velocity)
    if isinstance(ties, FoundLinks):
        return _found(analysis, system, loads, ties)
    if ties is not None:
        return _tied(
            analysis,
            TiedModel(system, loads, ties.joints, ties.equations),
            state,
            ties,
            shapes,
            native=native,
        )
    if machines is not None:
        return _turning(analysis, MachineModel(system, loads, machines), state)
    if any(body.is_free for body in system.bodies):
        return _floating(analysis, system, loads, state)
    if is_large(system):
        return _finite(analysis, system, loads, state)
    if analysis.method in METHODS:
        pace = _pace(analysis, system, loads)
        steps = HamiltonSteps(
            system,
            loads,
            METHODS[analysis.method],
            analysis.step_size if pace is None else pace.first,
            analysis.tolerance,
            analysis.solver,
        )
        return HamiltonMotion(system, loads, steps, analysis.step_size, *state, pace)
    pace = _pace(analysis, system, loads, shapes)
    stepper = _free(analysis, system, loads, shapes, pace, native=native)
    return Motion(system, loads, stepper, analysis.step_size, *state, shapes)


def _pace(
    analysis: TransientAnalysis, system: System, loads: Loads, shapes: Shapes | None = None
) -> Pace | None:
    """Return what steps of bodies in prescribed frames adapt to; None where they are equal."""
    if analysis.accuracy is None:
        return None
    intervals = smooth_intervals(loads.kinks, analysis.duration)
    matrix = None if shapes is None else shapes.matrix
    return Pace(analysis.accuracy, intervals, LargestMove(system, matrix))


def _found(
    analysis: TransientAnalysis, system: System, loads: Loads, links: FoundLinks
) -> FoundMotion:
    """Return the motion of links whose motion is found."""
    stepper = FoundSteps.of(analysis, links.model, links.mechanism.near)
    return FoundMotion(system, loads, stepper, links, analysis.step_size)


def _floating(
    analysis: TransientAnalysis, system: System, loads: Loads, state: tuple[Floats, Floats]
) -> FloatingMotion:
    """Return the motion of bodies in free frames."""
    model = FloatingModel(system, loads)
    model.check_start(*state)
    solver = FloatingSolver(model, analysis.solver)
    stepper: ModelStepper
    if analysis.method == "midpoint":
        stepper = FloatingMidpoint(model, analysis.tolerance, solver)
    else:
        stepper = GeneralizedAlpha(model, Scheme.of(analysis), analysis.tolerance, solver)
    return FloatingMotion(system, loads, stepper, solver, analysis.step_size, *state)


def _turning(
    analysis: TransientAnalysis, model: MachineModel, state: tuple[Floats, Floats]
) -> MachineMotion:
    """Return the motion of bodies whose spin a torque decides."""
    counts, step, solver = Counts(), analysis.step_size, analysis.solver
    factors = KeptFactors(solver, analysis.tolerance, counts)
    scheme = Scheme.of(analysis)
    steps = MachineSteps(model, factors, scheme, step, analysis.tolerance, solver, counts)
    return MachineMotion(steps, step, *state)


def _finite(
    analysis: TransientAnalysis, system: System, loads: Loads, state: tuple[Floats, Floats]
) -> FiniteMotion:
    """Return the motion of bodies of large displacements; refuse steps unstable at rest."""
    step = analysis.step_size
    state = with_points(system, *state)
    solver = Factored(analysis.solver, system.threads)
    stepper: ModelStepper
    if analysis.method == "midpoint":
        stepper = Midpoint(ConservingModel(system, loads), analysis.tolerance, solver)
    else:
        scheme, model = Scheme.of(analysis), FiniteModel(system, loads)
        stepper = GeneralizedAlpha(model, scheme, analysis.tolerance, solver)
        if analysis.stable_fraction is not None:
            followed = _followed(analysis, system, stepper, model.at)
            return FiniteMotion(system, loads, followed, step, *state, solver)
        require_stable_steps(scheme, step, analysis.duration, system, analysis.solver)
    return FiniteMotion(system, loads, stepper, step, *state, solver)


def _free(
    analysis: TransientAnalysis,
    system: System,
    loads: Loads,
    shapes: Shapes | None,
    pace: Pace | None,
    *,
    native: bool,
) -> Stepper:
    """Return the steps of bodies in prescribed frames; refuse unstable steps."""
    scheme, step, solver = Scheme.of(analysis), analysis.step_size, analysis.solver
    # C has constant matrices, with factors that motions of frames give.
    native = native and not stressed_at_rest(system) and not system.varies
    native = native and system.ranks.count == 1
    # Steps in C begin by the mass matrix itself, which reduced integration makes singular: behind
    # linear relations so nearly that nothing tells.
    regular = system.map.is_selection or not any(body.lacks_mass for body in system.bodies)
    small = shapes is not None or (native and regular and is_small(system))
    if scheme.explicit and (not small or analysis.stable_fraction is not None):
        counts = Counts()
        explicit = ExplicitCoordinates(system, solver, counts)
        if analysis.stable_fraction is not None:
            steps = LinearSteps(FreeModel(system, loads), explicit, scheme, step, counts)
            return _followed(analysis, system, steps, lambda _: system, explicit.masses)
        acting = system_matrices(system, explicit.masses)
        require_stable(scheme, step, analysis.duration, system, acting)
        return LinearSteps(FreeModel(system, loads), explicit, scheme, step, counts)
    require_stable_steps(scheme, step, analysis.duration, system, solver, shapes)
    constants = Constants(system, loads, shapes) if small else None

    def of_length(length: float, total: int) -> Stepper:
        if constants is not None:
            return NativeSteps(constants, scheme, length, total)
        return implicit_steps(system, loads, scheme, length, analysis.tolerance, analysis.solver)

    if pace is None:
        return of_length(step, analysis.number_of_steps)
    return Paced(AveragedSteps(lambda length: of_length(length, 0), pace.first), pace)


def _followed(
    analysis: TransientAnalysis,
    system: System,
    steps: Stepper,
    at: Callable[[State], System],
    masses: MassFactors | None = None,
) -> Followed:
    """Return explicit steps whose length follows the stiffness of bodies at a state."""
    own = MassFactors(system, analysis.solver, analysis.method) if masses is None else None

    def acting(state: State) -> Acting:
        time = np.array([state.t])
        (matrices,) = system_matrices(at(state), own or masses)(time)
        frames = system.frames(state.t) if system.include.coriolis else []
        turn = max((float(np.linalg.norm(frame.w)) for frame in frames), default=0.0)
        return Acting(matrices, turn)

    assert analysis.stable_fraction is not None
    return Followed(steps, Scheme.of(analysis), acting, analysis.stable_fraction, own)


def implicit_steps(
    system: System, loads: Loads, scheme: Scheme, step: float, tolerance: float, solver: str
) -> LinearSteps:
    """Return implicit steps of bodies in prescribed frames, for systems of any size.

    Parameters
    ----------
    system : System
        The bodies, with their prestress.
    loads : Loads
        The loads on them.
    scheme : Scheme
        Method of integration.
    step : float
        Length of a step, s.
    tolerance : float
        Relative residual of the equations of a step.
    solver : str
        Linear solver.
    """
    counts = Counts()
    factors = KeptFactors(solver, tolerance, counts)
    coordinates = AllCoordinates(factors, partial(solve_mass, system, solver))
    return LinearSteps(FreeModel(system, loads), coordinates, scheme, step, counts)


def _tied(
    analysis: TransientAnalysis,
    model: TiedModel,
    state: tuple[Floats, Floats],
    ties: Ties,
    shapes: Shapes | None,
    *,
    native: bool,
) -> TiedMotion:
    """Return the motion of tied bodies."""
    scheme, step, total = Scheme.of(analysis), analysis.step_size, analysis.number_of_steps
    if analysis.formalism == "hamilton":
        check_momenta(ties, model.system)
    joints, formalism = joints_of(ties), analysis.formalism or "maggi"
    small = shapes is not None or (
        native
        and not model.system.varies
        and ties.equations is None
        and model.loads.given is None
        and model.system.unknowns <= MOST_UNKNOWNS
    )
    if small and joints is not None and joints.actuators is None:
        constants = Constants(model.system, model.loads, shapes, joints, formalism=formalism)
        if shapes is not None or constants.work <= MOST_WORK:
            steps = NativeSteps(constants, scheme, step, total)
            return TiedMotion(model, steps, scheme, step, *state, shapes, constants.joints)
    counts = Counts()
    coordinates = _coordinates(analysis, ties, model.system, model.loads, counts)
    stepper = LinearSteps(model, coordinates, scheme, step, counts)
    return TiedMotion(model, stepper, scheme, step, *state)


def _coordinates(
    analysis: TransientAnalysis, ties: Ties, system: System, loads: Loads, counts: Counts
) -> Coordinates:
    """Return the coordinates in which a formalism solves the equations of tied bodies."""
    formalism = analysis.formalism or "maggi"
    m, n = ties.joints.pattern.shape
    names = ties.equations.names if ties.equations is not None else ()
    tolerance, solver = analysis.tolerance, analysis.solver
    if formalism == "lagrange" or n == m:  # without speeds to solve for there are forces alone
        return Multipliers(tolerance, solver, counts, n + m + len(names))
    choose = SPEEDS[formalism]
    reducer = Reducer(ties.joints.pattern, choose)
    if formalism == "hamilton":
        return Canonical(system, loads, ties.joints, reducer, tolerance, solver, counts)
    allowing = Allowing(names, choose) if names else None
    return Reduced(reducer, allowing, tolerance, solver, counts)
