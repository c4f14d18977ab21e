# SPDX-License-Identifier: BSD-3-Clause
"""Angles, speeds and torques of machines over time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.model.schema_probe import ProbeSpec
from flexforge.runtime.results import Column

_UNITS = {"angle": "rad", "velocity": "rad/s", "acceleration": "rad/s^2", "torque": "N m"}
#: Names of the quantities in `Turn`.
_RATES = {"angle": "angle", "velocity": "speed", "acceleration": "acceleration"}


@dataclass(frozen=True, slots=True)
class MachineProbe:
    """A probe of a machine.

    Attributes
    ----------
    spec : ProbeSpec
        Specification in the model.
    machine : int
        Number of the machine.
    """

    of: ClassVar[Literal["machines"]] = "machines"
    spec: ProbeSpec
    machine: int

    @classmethod
    def of_model(cls, spec: ProbeSpec, model: ModelSpec) -> MachineProbe:
        """Return the probe of a machine of a model."""
        return cls(spec, [one.name for one in model.machines].index(str(spec.machine)))

    @property
    def column(self) -> Column:
        """Heading of its column."""
        return Column(self.spec.name, _UNITS[self.spec.quantity])

    def over(self, samples: Any) -> Floats:
        """Return the values at several times of a motion with machines, (T,)."""
        if self.spec.quantity == "torque":
            return np.asarray(samples.torques(self.machine))
        name = _RATES[self.spec.quantity]
        return np.array([getattr(one.turn, name)[self.machine] for one in samples.reached])
