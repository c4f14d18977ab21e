# SPDX-License-Identifier: BSD-3-Clause
"""A spring whose force is a table of its elongation: a cable without mass between two nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.system.finite_rod import FiniteRod


@dataclass(frozen=True, eq=False)
class NonlinearSpring(FiniteRod):
    """A connector with an energy; its attributes are those of ``FiniteRod``."""

    lumped: ClassVar[bool] = True

    @property
    def is_connector(self) -> bool:
        """Whether it connects nodes without being part of a body."""
        return True

    def at_stations(
        self, displacement: Floats, temperature: Floats | None = None
    ) -> dict[str, Floats]:
        """Return its force, ``N``, (1,), N: that of cables is of Green's strain, and is stretched.

        Parameters are those of ``VectorBody.at_stations``.
        """
        found = super().at_stations(displacement, temperature)
        first, second = (self.points + displacement)[self.graph.cells[0]]
        stretch = float(np.linalg.norm(second - first)) / self.values["span"]
        return {name: stretch * value for name, value in found.items()}


def table_values(forces: Sequence[tuple[float, float]]) -> tuple[dict[str, float], int, int]:
    """Return kernel arguments of a table, and the numbers of changes of the slope on both sides.

    Beyond the ends of the table the force is that of the ends.

    Parameters
    ----------
    forces : sequence of (elongation, force)
        Rising elongations, m, and forces, N, through zero.
    """
    places, values = np.array(forces).T
    inner = np.diff(values) / np.diff(places)
    slopes = np.concatenate([[0.0], inner, [0.0]])  # below the first point, .., above the last
    stiffness = float(slopes[np.searchsorted(places, 0.0, side="right")])
    found = {"stiffness": stiffness}
    counts = []
    sides = (
        ("pulled", places, slopes),
        ("pushed", -places[::-1], slopes[::-1]),
    )
    for side, ends, along in sides:
        first = int(np.searchsorted(ends, 0.0, side="right"))
        kinks = [(float(p), float(c)) for p, c in zip(ends, np.diff(along), strict=True)][first:]
        if side == "pushed" and along[first] != stiffness:
            kinks.insert(0, (0.0, float(along[first]) - stiffness))
        kinks = [one for one in kinks if one[1] != 0.0]
        for number, (place, change) in enumerate(kinks, start=1):
            found |= {f"{side}_at{number}": place, f"{side}_change{number}": change}
        counts.append(len(kinks))
    return found, counts[0], counts[1]
