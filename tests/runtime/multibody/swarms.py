# SPDX-License-Identifier: BSD-3-Clause
"""Links made of particles: integrals are sums, and equations Newton's law of particles."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from flexforge.runtime.multibody.integrals import LinkIntegrals


@dataclass(frozen=True)
class Swarm:
    """Particles of a link: masses (p,), places (p, 3) and shapes (p, 3, n)."""

    masses: np.ndarray
    places: np.ndarray
    shapes: np.ndarray
    stiffness: np.ndarray
    damping: np.ndarray

    @classmethod
    def random(cls, rng, n, particles=7):
        """Return particles anywhere, with n elastic coordinates."""
        square = rng.normal(size=(n, n))
        return cls(
            rng.uniform(0.1, 1.0, particles),
            rng.normal(size=(particles, 3)),
            0.3 * rng.normal(size=(particles, 3, n)),
            square @ square.T,
            0.1 * square.T @ square,
        )

    @property
    def integrals(self):
        """The sums that the equations are made of."""
        m, x, shapes = self.masses, self.places, self.shapes
        return LinkIntegrals(
            m.sum(),
            m @ x,
            np.einsum("p,pa,pb->ab", m, x, x),
            np.einsum("p,pak->ka", m, shapes),
            np.einsum("p,pak,pb->kab", m, shapes, x),
            np.einsum("p,pai,pbj->abij", m, shapes, shapes),
            self.stiffness,
            self.damping,
            self.stiffness,
        )

    def forces(self, d, z, rate):
        """Return what its motion takes: forces of all speeds, (6 + n,)."""
        v, w = z[:3], z[3:6]
        places = self.places + self.shapes @ d
        moved, faster = self.shapes @ z[6:], self.shapes @ rate[6:]
        pull = rate[:3] + np.cross(w, v) + np.cross(rate[3:6], places)
        pull = pull + np.cross(w, np.cross(w, places)) + 2.0 * np.cross(w, moved) + faster
        force = self.masses[:, None] * pull
        elastic = np.einsum("pak,pa->k", self.shapes, force)
        elastic = elastic + self.stiffness @ d + self.damping @ z[6:]
        return np.concatenate([force.sum(axis=0), np.cross(places, force).sum(axis=0), elastic])
