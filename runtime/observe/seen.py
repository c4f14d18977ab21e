# SPDX-License-Identifier: BSD-3-Clause
"""What results show of a state, as arrays that can be combined.

Displacements, stresses, section forces, tables and most probes are linear in a state. What is not,
such as a von Mises stress, is a norm of what is: of combined states it follows from the norms of
these, not from their combined components.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.results.data import BodyState, von_mises
from flexforge.runtime.results.listing import Listing
from flexforge.runtime.system.face_stresses import FACES
from flexforge.runtime.system.section_forces import LARGEST

#: Where a value is shown (nodes, stations, table, probe), of what, and which.
Key = tuple[str, str, str]
#: Values by key.
Values = dict[Key, Floats]
#: Values of stations that are not linear in a state.
_NONLINEAR = {LARGEST, "von_mises", *(f"von_mises_{face}" for face in FACES)}
#: Stresses, and the von Mises stresses that belong to them.
STRESSES = {"stress": "von_mises", **{f"stress_{f}": f"von_mises_{f}" for f in FACES}}
#: Key of the values of probes.
PROBES: Key = ("probes", "", "")


@dataclass(frozen=True, slots=True)
class Seen:
    """What results show of a state.

    Attributes
    ----------
    states : dict of str to BodyState
        By body.
    listings : tuple of Listing
        Tables.
    probes : ndarray, (P,)
        Values of probes.
    """

    states: dict[str, BodyState]
    listings: tuple[Listing, ...]
    probes: Floats

    def linear(self) -> Values:
        """Return all that is linear in the state."""
        found: Values = {PROBES: self.probes}
        for name, state in self.states.items():
            nodal = {
                "displacement": state.displacement,
                "velocity": state.velocity,
                "stress": state.stress,
                **(state.others or {}),
            }
            found |= {
                ("nodes", name, k): v
                for k, v in nodal.items()
                if v is not None and k not in _NONLINEAR
            }
            stations = state.at_stations or {}
            found |= {("stations", name, k): v for k, v in stations.items() if k not in _NONLINEAR}
        for i, one in enumerate(self.listings):
            found["table", str(i), "values"] = one.values
            if one.total != "no":
                found["table", str(i), "sum"] = one.sum
        return found

    def listings_with(self, values: Mapping[Key, Floats], time: float) -> tuple[Listing, ...]:
        """Return the tables with other values; parameters as of :meth:`with_values`."""
        return tuple(
            replace(
                one,
                time=time,
                values=values["table", str(i), "values"],
                summed=values.get(("table", str(i), "sum")),
            )
            for i, one in enumerate(self.listings)
        )

    def with_values(
        self, values: Mapping[Key, Floats], time: float, *, moves: bool = False
    ) -> Seen:
        """Return the same with other values, of which some may be missing.

        Parameters
        ----------
        values : mapping
            By key; von Mises stresses too, where they do not follow from stresses.
        time : float
            Of tables; of a vibration its frequency.
        moves : bool
            Whether values are of one motion, so that bodies have frames and velocities.
        """
        states = {}
        for name, state in self.states.items():
            nodal = {k[2]: v for k, v in values.items() if k[:2] == ("nodes", name)}
            stations = {k[2]: v for k, v in values.items() if k[:2] == ("stations", name)}
            displacement = nodal.pop("displacement")
            velocity, stress = nodal.pop("velocity", None), nodal.pop("stress", None)
            states[name] = BodyState(
                displacement,
                velocity,
                stress,
                state.frame if moves else None,
                stations or None,
                nodal or None,
            )
        return Seen(states, self.listings_with(values, time), values[PROBES])


def sizes_of(values: Mapping[Key, Floats]) -> dict[Key, tuple[Floats, Callable[[Floats], Floats]]]:
    """Return every value with the norm that measures it: magnitudes, and von Mises of stresses.

    Parameters
    ----------
    values : mapping
        Linear in a state, by key.

    Returns
    -------
    dict
        By key, those of von Mises stresses among them, the array and its norm.
    """
    found: dict[Key, tuple[Floats, Callable[[Floats], Floats]]] = {}
    for key, array in values.items():
        found[key] = array, np.abs
        if key[2] in STRESSES:
            found[(*key[:2], STRESSES[key[2]])] = array, von_mises
    return found
