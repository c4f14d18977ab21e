# SPDX-License-Identifier: BSD-3-Clause
"""Stresses of a sector of a wheel, found once at each speed for vibrations of all nodal diameters.

What stresses a wheel is alike in all sectors: these are the stresses of nodal diameter 0, whatever
the nodal diameters of vibrations about them.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace

from flexforge.runtime.statics.stress_state import Stresses, StressState, Theory
from flexforge.runtime.system.system import System

_KEPT = 4  # states, of the latest speeds


class SectorStresses:
    """Finds the stresses of a sector, and keeps those of the latest speeds.

    Parameters
    ----------
    solver : Stresses
        Of the sector.
    system : System
        The sector at nodal diameter 0.
    """

    def __init__(self, solver: Stresses, system: System) -> None:
        self._solver, self._system = solver, system
        self._known: OrderedDict[bytes, StressState] = OrderedDict()

    def at_diameter(self) -> StressesOfWaves:
        """Return what gives these stresses to systems at any number of nodal diameters."""
        return StressesOfWaves(self._solver, self)

    def find(self, time: float, system: System) -> StressState:
        """Return the sector with the stresses at the speeds of the frames of a system.

        Parameters and errors are those of :meth:`Stresses.find`.
        """
        frames = system.frames(time)
        key = b"".join(part.tobytes() for one in frames for part in (one.w, one.e, one.a_O))
        if key not in self._known:
            self._known[key] = self._solver.find(time, self.still(system))
            if len(self._known) > _KEPT:
                self._known.popitem(last=False)
        return self._known[key]

    def still(self, system: System) -> System:
        """Return a system at nodal diameter 0."""
        return replace(system, map=self._system.map)

    def close(self) -> None:
        """Release the factors."""
        self._solver.close()


class StressesOfWaves:
    """The stresses of a sector for systems at some number of nodal diameters.

    Parameters
    ----------
    solver : Stresses
        Of the sector.
    shared : SectorStresses
        Finds the stresses.

    Attributes
    ----------
    theory : str
        Theory of the prestress.
    acted : bool
        Whether any of the computed states had a stiffening stress.
    """

    def __init__(self, solver: Stresses, shared: SectorStresses) -> None:
        self.theory: Theory = solver.theory
        self.acted = False
        self._solver, self._shared = solver, shared

    @property
    def warnings(self) -> list[str]:
        """Loads left out, for all computed states."""
        return self._solver.warnings

    def find(self, time: float, system: System) -> StressState:
        """Return a system with its stresses; parameters and errors are those of a StressSolver."""
        found = self._shared.find(time, system)
        self.acted |= found.acts
        return replace(found, system=replace(found.system, map=system.map))

    def grows_with_rotation(self, time: float, systems: Sequence[System]) -> bool:
        """Whether stresses grow as the square of the speed, as of a StressSolver."""
        return self._solver.grows_with_rotation(time, [self._shared.still(one) for one in systems])

    def close(self) -> None:
        """Leave the factors to the solver, which others share."""
