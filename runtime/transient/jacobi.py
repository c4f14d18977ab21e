# SPDX-License-Identifier: BSD-3-Clause
"""The Jacobi integral, constant where w, v_O and the loads are constant.

J = 1/2 d'.m d' + 1/2 d.(k + k_omega + k_geo) d - d.(q - q_omega - m_O a_O)   (physics.md section 3)

It is the Hamiltonian with the velocities written in, less a constant. Hamilton's pair is linear
then, and J quadratic in its unknowns, so that Gauss methods keep it but for round-off.
"""

from __future__ import annotations


class JacobiIntegral:
    """What becomes of the integral along a motion.

    Parameters
    ----------
    kinetic, elastic, work : float
        Its three terms at the start, J.

    Attributes
    ----------
    first : float
        Its value at the start, J.
    """

    def __init__(self, kinetic: float, elastic: float, work: float) -> None:
        self.first = kinetic + elastic - work
        self._farthest = self._largest = 0.0
        self.follow(kinetic, elastic, work)

    def follow(self, kinetic: float, elastic: float, work: float) -> None:
        """Take in a state.

        Parameters
        ----------
        kinetic, elastic, work : float
            The three terms there, J.
        """
        now = kinetic + elastic - work
        self._farthest = max(self._farthest, abs(now - self.first))
        self._largest = max(self._largest, abs(kinetic) + abs(elastic) + abs(work))

    @property
    def largest_change(self) -> float:
        """Greatest distance from the first value, relative to the greatest sum of the terms."""
        return self._farthest / self._largest if self._largest else 0.0
