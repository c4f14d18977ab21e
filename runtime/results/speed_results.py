# SPDX-License-Identifier: BSD-3-Clause
"""What is told of a response over the speed beside amplitudes: peaks, bearing forces, orbits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from flexforge.runtime.results.bearing_loads import BearingForces
from flexforge.runtime.results.orbits import OrbitPair, orbits_csv, orbits_data
from flexforge.runtime.results.resonances import peaks_csv
from flexforge.runtime.results.response import Response
from flexforge.runtime.unit_systems import UnitSystem


class SpeedResults:
    """Peaks, forces of bearings and orbits of a response over the speed.

    Parameters
    ----------
    response : Response
        What probes have seen.
    forces : BearingForces
        Of bearings.
    pairs : sequence of OrbitPair
        Probes of which there are orbits.
    """

    def __init__(
        self, response: Response, forces: BearingForces, pairs: Sequence[OrbitPair]
    ) -> None:
        self._response, self._forces = response, forces
        self._peaks = response.peaks()
        self._orbits = orbits_data(
            pairs if len(response.speeds) else (),
            response.names,
            response.speeds,
            response.values,
            self._peaks,
            response.operating,
        )

    def tables(self, units: UnitSystem) -> Iterator[tuple[str, str]]:
        """Yield names and texts of the CSV files."""
        if self._response.names:
            margins = self._response.operating is not None
            yield "peaks", peaks_csv(self._peaks, margins=margins, units=units)
        if self._forces.names:
            yield "bearing_loads", self._forces.csv()
        if self._orbits:
            yield "orbits", orbits_csv(self._orbits, units)

    def data(self) -> dict[str, Any]:
        """Return all of it as plain data, with the amplitudes of probes."""
        found = self._response.data() | {"peaks": self._peaks}
        if self._forces.names:
            found["bearings"] = self._forces.data()
        if self._orbits:
            found["orbits"] = self._orbits
        return found
