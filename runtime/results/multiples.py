# SPDX-License-Identifier: BSD-3-Clause
"""What probes see at multiples of the speed, where coefficients vary with the angle."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from flexforge.runtime.arrays import Complex
from flexforge.runtime.results.data import Column


class Multiples:
    """Amplitudes at multiples of the speed.

    Parameters
    ----------
    columns : sequence of Column
        The probes.

    Attributes
    ----------
    rows : list of tuple
        Speed (rad/s), multiple, and complex amplitudes of all probes.
    """

    def __init__(self, columns: Sequence[Column]) -> None:
        self._columns = columns
        self.rows: list[tuple[float, int, Complex]] = []

    def add(self, speed: float, multiple: int, values: Complex) -> None:
        """Add the amplitudes at a multiple of a speed, rad/s."""
        self.rows.append((speed, multiple, values))

    def csv(self) -> str:
        """Return amplitudes, and phases by which they are ahead, as CSV."""
        heads = ["speed [rad/s]", "multiple", "frequency [Hz]"]
        for column in self._columns:
            heads += [f"{column.name} [{column.unit}]", f"{column.name} phase [deg]"]
        lines = [",".join(heads)]
        for speed, multiple, values in self.rows:
            pairs = zip(np.abs(values).tolist(), np.angle(values, deg=True).tolist(), strict=True)
            row = [speed, multiple, multiple * speed / (2.0 * np.pi)]
            lines.append(",".join(map(repr, [*row, *(one for pair in pairs for one in pair)])))
        return "\n".join(lines) + "\n"
