# SPDX-License-Identifier: BSD-3-Clause
"""Coefficients of the methods of integration of second-order equations."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.model.schema_analysis import TransientAnalysis
from flexforge.runtime.transient.vectors import combined


@dataclass(frozen=True, slots=True)
class Scheme:
    """Generalized-alpha, balanced at the end of a step; Newmark's method has both alphas zero.

    Central differences are Newmark's method with beta zero, their forces explicit.

    Attributes
    ----------
    alpha_m, alpha_f : float
        Weights of the old step in the inertia forces and in all others.
    beta, gamma : float
        Newmark's parameters.
    explicit : bool
        Whether forces are those of the state expected at the end of a step.

    Notes
    -----
    The method carries on an averaged acceleration x, that of a time shifted by ``(alpha_m -
    alpha_f) h``: ``(1 - alpha_m) x_1 + alpha_m x_0 = (1 - alpha_f) a_1 + alpha_f a_0``. Arnold and
    Bruels, "Convergence of the generalized-alpha scheme for constrained mechanical systems",
    Multibody Syst. Dyn. 18 (2007), eqs. 4-5. Coefficients: Chung and Hulbert, "A time integration
    algorithm for structural dynamics with improved numerical dissipation: the generalized-alpha
    method", J. Appl. Mech. 60 (1993), eqs. 25-27.
    """

    alpha_m: float
    alpha_f: float
    beta: float
    gamma: float
    explicit: bool = False

    def factors(self, h: float) -> tuple[float, float, float]:
        """Return the change of acceleration, velocity and position per unit of x_1 in a step h."""
        return (1.0 - self.alpha_m) / (1.0 - self.alpha_f), self.gamma * h, self.beta * h * h

    def predicted(
        self, h: float, v: Floats, a: Floats, averaged: Floats
    ) -> tuple[Floats, Floats, Floats]:
        """Return the change of position, the velocity and the acceleration if x_1 were zero.

        Parameters
        ----------
        h : float
            Length of the step, s.
        v, a, averaged : ndarray, (n,)
            Velocity, acceleration and x_0 at its beginning.
        """
        moved = combined(h, v, h * h * (0.5 - self.beta), averaged)
        speed = combined(1.0, v, h * (1.0 - self.gamma), averaged)
        if not (self.alpha_m or self.alpha_f):
            return moved, speed, np.zeros(len(v))
        rate = combined(self.alpha_m, averaged, -self.alpha_f, a)
        rate /= 1.0 - self.alpha_f
        return moved, speed, rate

    @property
    def method(self) -> str:
        """Name of the method in a model."""
        if self.explicit:
            return "central_difference"
        return "generalized_alpha" if self.alpha_m or self.alpha_f else "newmark"

    @property
    def limit(self) -> tuple[float, float]:
        """A and b: a step h is stable where ``M - a h C - b h^2 K`` is positive.

        Where b is not above zero every step is (physics.md section 10).
        """
        if self.explicit:
            return 1.0, 0.25
        if self.alpha_m or self.alpha_f:  # as of() chooses them
            return 0.0, 0.0
        return 0.5 - self.gamma, 0.5 * self.gamma - self.beta

    @classmethod
    def of(cls, analysis: TransientAnalysis) -> Scheme:
        """Return the coefficients an analysis asks for."""
        if analysis.method == "newmark":
            assert analysis.beta is not None and analysis.gamma is not None
            return cls(0.0, 0.0, analysis.beta, analysis.gamma)
        if analysis.method == "hht":
            assert analysis.alpha is not None
            shift = -analysis.alpha
            return cls(0.0, shift, 0.25 * (1.0 + shift) ** 2, 0.5 + shift)
        if analysis.method == "central_difference":
            return cls(0.0, 0.0, 0.0, 0.5, explicit=True)
        assert analysis.rho_infinity is not None
        return cls.generalized_alpha(analysis.rho_infinity)

    @classmethod
    def generalized_alpha(cls, rho: float) -> Scheme:
        """Return the coefficients for a spectral radius at infinite frequency, 0 to 1."""
        alpha_m, alpha_f = (2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0)
        shift = alpha_f - alpha_m
        return cls(alpha_m, alpha_f, 0.25 * (1.0 + shift) ** 2, 0.5 + shift)
