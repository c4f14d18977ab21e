# SPDX-License-Identifier: BSD-3-Clause
"""Choice of the prestress that stiffens the bodies of an analysis.

``include.prestress`` selects it; every analysis gets its prestressed bodies here:

``steady``
    The stresses of the state at rest in the frames, ``(k + k_omega + k_eps + k_geo(d)) d = loads``:
    softened by the rotation, stiffened by its own stresses, under all loads that are constant in
    the frames (``steady``).
``rigid_load``
    The stresses that k alone gives for the inertia forces of the rotation on the undeformed bodies,
    quadratic in the angular velocity, with which they vary in time (``prestress``).

``auto`` is ``steady`` for modes and ``rigid_load`` for all other analyses. Bodies tied by joints or
constraints have the stresses of their own state at every time, ``own_state``
(``transient.system_model``); there is no choice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.model.schema_loads import IncludeSpec
from flexforge.runtime.statics.prestress import PrestressReport, prestressed
from flexforge.runtime.statics.steady import SteadySolver
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.system import System

Theory: TypeAlias = Literal["steady", "linear", "rigid_load", "own_state"]


@dataclass(frozen=True, slots=True)
class StressState:
    """Bodies with the stresses of an analysis.

    Attributes
    ----------
    system : System
        The bodies; those that are stressed have their geometric stiffness.
    theory : str
        Theory of the prestress.
    displacement : ndarray, (N, d)
        Of the steady state, m; zero where there is none.
    turns : int
        How often the stresses of the steady state were computed.
    warnings : tuple of str
        Loads left out, with reasons.
    """

    system: System
    theory: Theory
    displacement: Floats
    turns: int = 0
    warnings: tuple[str, ...] = ()

    @property
    def acts(self) -> bool:
        """Whether any body has a stress that stiffens it."""
        return is_stressed(self.system)


#: Returns the state about which bodies vibrate, of system, loads, solver and time.
StateAt: TypeAlias = Callable[[System, Loads, str, float], StressState]


def is_stressed(system: System) -> bool:
    """Whether a body of a system has a geometric stiffness that is not zero."""
    return any(one.any() for body in system.bodies for one in body.geometric)


def theory_of(include: IncludeSpec, kind: str) -> Theory:
    """Return the theory of the stresses of untied bodies.

    Parameters
    ----------
    include : IncludeSpec
        Settings of the model.
    kind : str
        The analysis: ``static``, ``modes``, ``buckling`` or ``transient``; reduced and exported
        models are transient.

    Examples
    --------
    >>> theory_of(IncludeSpec(), "modes"), theory_of(IncludeSpec(), "transient")
    ('steady', 'rigid_load')
    >>> theory_of(IncludeSpec(prestress="steady"), "transient")
    'steady'
    """
    if kind == "buckling":
        return "linear"
    if include.prestress != "auto":
        return include.prestress
    return "steady" if kind == "modes" else "rigid_load"


class Stresses(Protocol):
    """What finds the stresses of bodies at any speed, as a :class:`StressSolver` does."""

    acted: bool
    theory: Theory

    @property
    def warnings(self) -> list[str]:
        """Loads left out, for all computed states."""

    def find(self, time: float, system: System) -> StressState:
        """Return the bodies with their stresses."""

    def grows_with_rotation(self, time: float, systems: Sequence[System]) -> bool:
        """Whether stresses grow as the square of the speed, from zero at rest."""

    def close(self) -> None:
        """Release the factors."""


class StressSolver:
    """Finds the stresses of one system, at several times or speeds.

    Parameters
    ----------
    system : System
        The bodies, without stresses.
    loads : Loads
        What acts on them.
    kind : str
        The analysis, as for :func:`theory_of`.
    solver : str
        Linear solver.

    Attributes
    ----------
    theory : str
        Theory of the prestress.
    acted : bool
        Whether any of the computed states had a stiffening stress.

    Raises
    ------
    InputError
        When ``geometric = true`` and an element has no geometric stiffness.
    """

    def __init__(self, system: System, loads: Loads, kind: str, solver: str) -> None:
        self.theory, self.acted = theory_of(system.include, kind), False
        self._system, self._solver = system, solver
        self._steady: SteadySolver | None = None
        self._report: PrestressReport | None = None
        if self.theory in ("steady", "linear"):
            self._steady = SteadySolver(system, loads, solver, linear=self.theory == "linear")

    @property
    def warnings(self) -> list[str]:
        """Loads left out, for all computed states."""
        if self._steady is not None:
            return self._steady.warnings
        said = self._report.warning if self._report is not None else ""
        return [said] if said else []

    def find(self, time: float, system: System | None = None) -> StressState:
        """Return the bodies with their stresses.

        Parameters
        ----------
        time : float
            Time at which loads and frames are evaluated, s. Stresses of the rotation alone follow
            the frames at any time.
        system : System, optional
            The same bodies in frames that rotate at another speed.

        Raises
        ------
        InputError
            When supports leave a motion free, and ``geometric = true`` requires it to be held.
        AnalysisError
            When there is no steady state: naming the body and the motion that keeps changing.
        """
        found = self._by_rotation(system) if self._steady is None else self._about(time, system)
        self.acted |= found.acts
        return found

    def at(self, time: float, displacement: Floats) -> StressState:
        """Return the bodies with the stresses of a state that is known, if those of states count.

        Parameters
        ----------
        time : float
            Time at which loads and frames are evaluated, s.
        displacement : ndarray, (N, d)
            Of the state, m.
        """
        if self._steady is None:
            return self._by_rotation(None)
        state = self._steady.at(time, displacement)
        return StressState(
            state.system, self.theory, state.displacement, state.turns, tuple(self.warnings)
        )

    def grows_with_rotation(self, time: float, systems: Sequence[System]) -> bool:
        """Whether stresses grow as the square of the speed of all frames, and from zero at rest.

        Parameters
        ----------
        time : float
            Time at which loads and frames are evaluated, s.
        systems : sequence of System
            The same bodies at rest and at a speed.
        """
        steady = self._steady
        return steady is None or all(steady.grows_with_rotation(time, one) for one in systems)

    def _about(self, time: float, system: System | None) -> StressState:
        """Return the bodies with the stresses of their steady state."""
        assert self._steady is not None
        state = self._steady.find(time, system)
        return StressState(
            state.system, self.theory, state.displacement, state.turns, tuple(self.warnings)
        )

    def _by_rotation(self, system: System | None) -> StressState:
        """Return the bodies with the stresses of loads of their rotation."""
        if self._report is None:
            self._report = prestressed(self._system, self._solver)
        found = self._report.system
        if system is not None:
            moved = zip(found.bodies, system.bodies, strict=True)
            found = found.with_bodies(
                {n: body.moving(other.motion) for n, (body, other) in enumerate(moved)}
            )
        still = np.zeros((found.size, found.dimension))
        return StressState(found, self.theory, still, 0, tuple(self.warnings))

    def close(self) -> None:
        """Release the factors."""
        if self._steady is not None:
            self._steady.close()


def stress_at(system: System, loads: Loads, kind: str, solver: str, time: float) -> StressState:
    """Return the bodies with the stresses at one time.

    Parameters and errors are those of :class:`StressSolver` and its ``find``.
    """
    solving = StressSolver(system, loads, kind, solver)
    try:
        return solving.find(time)
    finally:
        solving.close()
