# SPDX-License-Identifier: BSD-3-Clause
"""States about which bodies vibrate at a speed: bodies with an energy in equilibrium there.

At each speed the equilibrium is reached from that of the nearest speed before, so that a diagram
stays on one path of equilibria; the first one from the undeformed state.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.finite.equilibrium import equilibrium_at
from flexforge.runtime.finite.load_stiffness import with_load_stiffness
from flexforge.runtime.statics.balance import is_large
from flexforge.runtime.statics.stress_state import (
    Stresses,
    StressSolver,
    StressState,
    Theory,
    theory_of,
)
from flexforge.runtime.statics.tied_balance import balance_of
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.system import System


def stresses_of(system: System, loads: Loads, solver: str) -> Stresses:
    """Return what finds the stresses of bodies that vibrate, by their laws.

    Parameters
    ----------
    system : System
        The bodies, without stresses.
    loads : Loads
        What acts on them.
    solver : str
        Linear solver.
    """
    if is_large(system):
        return DeformedStates(system, loads, solver)
    return StressSolver(system, loads, "modes", solver)


def state_at(system: System, loads: Loads, solver: str, time: float) -> StressState:
    """Return the bodies about whose state at a time vibrations are.

    Parameters and errors are those of :func:`stresses_of` and of the ``find`` of what it returns.
    """
    solving = stresses_of(system, loads, solver)
    try:
        return solving.find(time, system)
    finally:
        solving.close()


class DeformedStates:
    """Finds the deformed bodies of one system, at several speeds.

    Parameters
    ----------
    system : System
        The bodies.
    loads : Loads
        What acts on them.
    solver : str
        Linear solver.

    Attributes
    ----------
    theory : str
        Theory of the prestress of the linear bodies among them.
    acted : bool
        Whether any of the computed states had such a stress.
    """

    def __init__(self, system: System, loads: Loads, solver: str) -> None:
        self.theory: Theory = theory_of(system.include, "modes")
        self.acted = False
        self._system, self._loads, self._solver = system, loads, solver
        self._known: list[tuple[float, Floats]] = []
        self._warnings: list[str] = []

    @property
    def warnings(self) -> list[str]:
        """Loads left out of the stresses of linear bodies, for all computed states."""
        return self._warnings

    def find(self, time: float, system: System | None = None) -> StressState:
        """Return the bodies in equilibrium with their loads.

        Parameters
        ----------
        time : float
            Time at which loads and frames are evaluated, s.
        system : System, optional
            The same bodies in frames that rotate at another speed.

        Raises
        ------
        InputError
            When supports leave a motion free.
        AnalysisError
            When there is no equilibrium on the way from the undeformed state.
        """
        system = self._system if system is None else system
        speed = _speed(system, time)
        near = min(self._known, key=lambda one: abs(one[0] - speed), default=(0.0, None))[1]
        state = equilibrium_at(system, self._loads, time, self._solver, near)
        self._known.append((speed, state.q))
        balance = balance_of(system, self._loads, time)
        deformed = balance.at(state.displacement)
        stresses = StressSolver(deformed, self._loads, "modes", self._solver)
        try:
            found = stresses.at(time, state.displacement)
        finally:
            stresses.close()
        loaded = with_load_stiffness(balance, found.system, state.displacement)
        self.acted |= found.acts
        self._warnings += [text for text in found.warnings if text not in self._warnings]
        return replace(found, system=loaded, displacement=state.displacement, turns=found.turns + 1)

    def grows_with_rotation(self, time: float, systems: Sequence[System]) -> bool:
        """Whether stresses grow as the square of the speed: not those of large displacements."""
        del time, systems
        return False

    def close(self) -> None:
        """Forget the states."""
        self._known.clear()


def _speed(system: System, time: float) -> float:
    """Return the largest angular velocity of the frames, rad/s."""
    motions = (body.motion.at(time).w for body in system.bodies)
    return max((float(np.linalg.norm(w)) for w in motions), default=0.0)
