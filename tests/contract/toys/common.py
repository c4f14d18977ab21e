# SPDX-License-Identifier: BSD-3-Clause
"""What the toys share: their identity, and how a case of theirs is run."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import sha256

import numpy as np
from flexforge.runtime.transient.loop import march
from flexforge.runtime.transient.model import Point
from flexforge.runtime.transient.scheme import Scheme
from flexforge.runtime.transient.state import Layout
from flexforge.runtime.transient.steppers.implicit import GeneralizedAlpha


def identity(*parts):
    """Return the hash of everything that the equations of a toy depend on."""
    return sha256(repr(parts).encode()).digest()


def no_inputs(t):
    """Return no inputs."""
    return np.zeros(0)


@dataclass(frozen=True)
class Case:
    """A motion of a toy, for the tests that every model passes."""

    name: str
    model: object
    state: object
    step: float
    steps: int = 20
    short: int = 1  # what the step is divided by to be short beside the fastest vibration
    inputs: object = no_inputs
    stepper: dict = field(default_factory=dict)

    def make(self, rho=None, **more):
        """Return a stepper, with a spectral radius at infinite frequency."""
        if rho is not None:
            more["scheme"] = Scheme.generalized_alpha(rho)
        return GeneralizedAlpha(self.model, **({"inputs": self.inputs} | self.stepper | more))

    def run(self, step=None, stepper=None, state=None, end=None):
        """Return the states of the motion."""
        stepper = stepper or self.make()
        end = self.steps * self.step if end is None else end
        return list(march(stepper, state or self.state, step or self.step, end))

    def random_point(self, seed=0):
        """Return a point near the start where nothing is zero."""
        random = np.random.default_rng(seed)
        layout, x = Layout(self.model.blocks), self.state
        _, z, s = layout.sizes
        u = self.inputs(x.t)
        moved = layout.manifold.retract(x.q, layout.scales[:z] * random.normal(size=z) * 0.1)
        at = Point(
            x.t + 0.3 * self.step,
            moved,
            x.z + random.normal(size=z),
            x.s + 0.1 * random.normal(size=s),
            x.mode,
            random.normal(size=z + s),
            u=u + random.normal(size=len(u)),
        )
        rows = len(self.model.constraints(at).names)
        return at, random.normal(size=rows)
