# SPDX-License-Identifier: BSD-3-Clause
"""Energy, momentum and angular momentum of links whose motion is found, and their balances.

Works and impulses are integrals of cubic splines through the powers and forces at the ends of
steps. Forces between links cancel, so what is left of all forces is external.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.multibody.motion import FoundMotion
from flexforge.runtime.observe.moving import LEFT_OUT, integrals

#: What a summary says where steps adapt and results are too far apart for splines through them;
#: part of that which the shortest step may be.
_TOO_FAR = "not computed, results are farther apart than steps: expected more of them (steps)"
_WITHIN = 0.1


class FoundBalance:
    """Energies, momenta, powers and forces of a motion at the recorded times.

    Parameters
    ----------
    motion : FoundMotion
        The motion.
    """

    KEPT: ClassVar[tuple[str, ...]] = ("_times", "_energies", "_powers", "_momenta", "_forces")

    def __init__(self, motion: FoundMotion) -> None:
        self._motion = motion
        self._times: list[float] = []
        self._energies: list[tuple[float, float]] = []
        self._powers: list[tuple[float, ...]] = []
        self._momenta: list[Floats] = []
        self._forces: list[Floats] = []

    def follow(self) -> None:
        """Record the current state of the motion."""
        found = self._motion.links.model.account(self._motion.point)
        self._times.append(self._motion.time)
        self._energies.append((found.kinetic, found.strain))
        self._powers.append((found.driving, found.loads, found.damping, *found.forces))
        self._momenta.append(found.momentum)
        self._forces.append(found.external)

    def figures(self) -> dict[str, Any]:
        """Return energies and momenta at the end, works, and the errors of the balances.

        If not every step was recorded, a text says so instead of works and balances.
        """
        rows = np.column_stack([self._energies, self._powers, self._momenta, self._forces])
        if not self._times or not np.isfinite(rows).all():  # a run that has failed
            return {}
        energies, momenta = np.array(self._energies), np.array(self._momenta)
        found: dict[str, Any] = {
            "kinetic energy": [float(energies[-1, 0]), "J"],
            "strain energy": [float(energies[-1, 1]), "J"],
        }
        planar = self._motion.links.model.parts.planar
        for axis in "xy" if planar else "xyz":
            size = float(momenta[-1, "xyz".index(axis)])
            found[f"momentum {axis}"] = [size, "kg m/s"]
        for axis in "z" if planar else "xyz":
            size = float(momenta[-1, 3 + "xyz".index(axis)])
            found[f"angular momentum {axis}"] = [size, "kg m^2/s"]
        times, adapted = np.array(self._times), self._motion.adapted
        left_out = self._motion.counts.steps >= len(energies)  # powers of some steps are missing
        if adapted is not None:
            far = adapted.shortest < _WITHIN * np.diff(times).max(initial=0.0)
            if left_out or far:
                return found | {"energy balance": _TOO_FAR}
        elif left_out:
            return found | {"energy balance": LEFT_OUT}
        worked = integrals(times, np.array(self._powers))
        acting = (f"work of force '{one.name}'" for one in self._motion.links.model.formulas.forces)
        names = ("work of drivers", "work of loads", "dissipated", *acting)
        found |= {name: [float(w), "J"] for name, w in zip(names, worked[-1], strict=True)}
        gained = energies.sum(axis=1) - energies[0].sum()
        left = worked.sum(axis=1) - 2.0 * worked[:, 2] - gained
        size = max(float(np.abs(energies).max()), float(np.abs(worked).max())) or 1.0
        found["largest error of the energy balance"] = float(np.abs(left).max()) / size
        impulses = integrals(times, np.array(self._forces))
        # Momenta may be zero while everything moves: that of all mass at the speed of the energy.
        model = self._motion.links.model
        moving = np.sqrt(2.0 * energies[:, 0].max() * float(np.sum(model.table.mass)))
        for name, part, least in (
            ("momentum", slice(0, 3), moving),
            ("angular momentum", slice(3, 6), moving * model.parts.size),
        ):
            own, given = momenta[:, part], impulses[:, part]
            size = max(float(np.abs(own).max()), float(np.abs(given).max()), least) or 1.0
            error = float(np.abs(given - (own - own[0])).max()) / size
            found[f"largest error of the {name} balance"] = error
        return found
