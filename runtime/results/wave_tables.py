# SPDX-License-Identifier: BSD-3-Clause
"""The table of the modes of a wheel: nodal diameters, frequencies, how they travel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from flexforge.runtime.results.listing import fortran

_HEADS = (
    "nodal diameter",
    "mode",
    "frequency [Hz]",
    "travels",
    "frequency in the fixed frame [Hz]",
    "travels in the fixed frame",
    "growth [1/s]",
)


@dataclass(frozen=True, slots=True)
class WaveRow:
    """A vibration of a wheel.

    Attributes
    ----------
    diameter, number : int
        Number of nodal diameters, and of the vibration among those that travel alike.
    frequency : float
        Frequency in the frame of the wheel, Hz.
    travels : str
        How it travels there.
    fixed : tuple of float and str, optional
        The same as seen in a frame at rest.
    growth : float
        1/s.
    """

    diameter: int
    number: int
    frequency: float
    travels: str
    fixed: tuple[float, str] | None
    growth: float


def waves_csv(waves: Sequence[WaveRow]) -> str:
    """Return the modes of a wheel as CSV."""
    lines = [",".join(_HEADS)]
    for one in waves:
        seen, sense = one.fixed or ("", "")
        cells = (one.diameter, one.number, one.frequency, one.travels, seen, sense)
        lines.append(",".join(map(str, (*cells, one.growth))))
    return "\n".join(lines) + "\n"


def printed_waves(waves: Sequence[WaveRow]) -> str:
    """Return the tables that CalculiX prints: one for every nodal diameter, each mode twice.

    CalculiX doubles the unknowns to have real ones, and with them all frequencies.
    """
    lines: list[str] = []
    for diameter in sorted({one.diameter for one in waves}):
        lines += [
            "",
            "     E I G E N V A L U E   O U T P U T",
            "",
            "  NODAL   MODE NO    EIGENVALUE                      FREQUENCY",
            " DIAMETER                                    REAL PART            IMAGINARY PART",
            "                                    (RAD/TIME)      (CYCLES/TIME)   (RAD/TIME)",
            "",
        ]
        own = [one for one in waves if one.diameter == diameter for _ in range(2)]
        for number, one in enumerate(own, start=1):
            speed = 2.0 * np.pi * one.frequency
            values = (speed**2, speed, one.frequency, one.growth)
            row = "".join(f"  {fortran(float(value))}" for value in values)
            lines.append(f"{diameter:5d}{number:11d}{row}")
    return "\n".join(lines) + "\n"
