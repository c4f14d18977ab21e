# SPDX-License-Identifier: BSD-3-Clause
"""Coefficients of the methods of integration of second-order equations."""

from __future__ import annotations

from dataclasses import dataclass

from flexforge.runtime.model.schema_analysis import TransientAnalysis


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

    @property
    def averaging(self) -> float:
        """What a unit of the averaged acceleration of a step adds to that of its end."""
        return (1.0 - self.alpha_m) / (1.0 - self.alpha_f)

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
        if analysis.method == "central_difference":
            return cls(0.0, 0.0, 0.0, 0.5, explicit=True)
        rho = analysis.rho_infinity
        assert rho is not None
        alpha_m, alpha_f = (2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0)
        shift = alpha_f - alpha_m
        return cls(alpha_m, alpha_f, 0.25 * (1.0 + shift) ** 2, 0.5 + shift)
