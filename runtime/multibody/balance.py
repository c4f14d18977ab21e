# SPDX-License-Identifier: BSD-3-Clause
"""Energy, momentum and angular momentum of links whose motion is found, and their balances.

Works and impulses are integrals over all steps, recorded or not, of cubics through the powers and
forces at their ends (``ff_works.h``). Forces between links cancel, so what is left of all forces is
external.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from flexforge.runtime._native import WORKS
from flexforge.runtime.multibody.motion import FoundMotion


class FoundBalance:
    """Energies, momenta, works and impulses of a motion, and how far they balance at its steps.

    Parameters
    ----------
    motion : FoundMotion
        The motion, whose works are followed from now on; they are a part of its state.
    """

    KEPT: ClassVar[tuple[str, ...]] = ()

    def __init__(self, motion: FoundMotion) -> None:
        self._motion = motion
        motion.follow()

    def follow(self) -> None:
        """Accept: steps follow themselves."""

    def figures(self) -> dict[str, Any]:
        """Return energies and momenta at the end, works, and the errors of the balances."""
        numbers, model = self._motion.works, self._motion.links.model
        if not np.isfinite(numbers).all():  # a run that has failed
            return {}
        found: dict[str, Any] = {
            "kinetic energy": [float(numbers[WORKS["kinetic"]]), "J"],
            "strain energy": [float(numbers[WORKS["strain"]]), "J"],
        }
        planar, first = model.parts.planar, WORKS["momentum"]
        for axis in "xy" if planar else "xyz":
            size = float(numbers[first + "xyz".index(axis)])
            found[f"momentum {axis}"] = [size, "kg m/s"]
        for axis in "z" if planar else "xyz":
            size = float(numbers[first + 3 + "xyz".index(axis)])
            found[f"angular momentum {axis}"] = [size, "kg m^2/s"]
        acting = (f"work of force '{one.name}'" for one in model.formulas.forces)
        names = ("work of drivers", "work of loads", "dissipated", *acting)
        for name, work in zip(names, numbers[WORKS["works"] :], strict=False):
            found[name] = [float(work), "J"]
        # Momenta may be zero while everything moves: that of all mass at the speed of the energy.
        fastest = numbers[WORKS["fastest"]]
        moving = float(np.sqrt(2.0 * fastest * np.sum(model.table.mass)))
        for k, (name, least) in enumerate(
            (("energy", 0.0), ("momentum", moving), ("angular momentum", moving * model.parts.size))
        ):
            size = max(float(numbers[WORKS["largest"] + k]), least) or 1.0
            error = float(numbers[WORKS["error"] + k])
            found[f"largest error of the {name} balance"] = error / size
        return found
