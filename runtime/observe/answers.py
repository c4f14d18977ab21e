# SPDX-License-Identifier: BSD-3-Clause
"""What results show of the answer of linear bodies, relative to what they show at rest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Complex, Floats
from flexforge.runtime.observe.combined import Sizes
from flexforge.runtime.observe.motion import Snapshot, Snapshots
from flexforge.runtime.observe.probes import Probe
from flexforge.runtime.observe.record import Figures, Recorder
from flexforge.runtime.observe.seen import STRESSES, Key, Seen, Values
from flexforge.runtime.observe.support_probe import SupportProbe
from flexforge.runtime.results.data import von_mises
from flexforge.runtime.system.section_forces import LARGEST
from flexforge.runtime.system.system import System
from flexforge.runtime.system.vector_body import VectorBody

#: Components of which sizes alone are combined, and those that no combination has.
_SIZES = ("magnitude", "von_mises", "von_mises_top", "von_mises_bottom", LARGEST)
_NONE = ("principal1", "principal2", "principal3")
#: Displacement of differences, relative to the size of the bodies.
_PART = 1e-5


class Answers:
    """What results show of displacements and their rates, without what static loads add.

    Parameters
    ----------
    recorder : Recorder
        Knows tables and probes.
    system : System
        The bodies, with their stresses.
    time : float
        Time at which loads and frames are taken, s.
    without : tuple of str
        Quantities that the analysis does not have.
    accelerates : bool
        Whether accelerations of nodes are among the results.
    about : ndarray, (N, d), optional
        Displacements about which bodies with an energy vibrate, m: results are derivatives there.

    Raises
    ------
    InputError
        For probes and tables of values that cannot be combined.
    """

    def __init__(
        self,
        recorder: Recorder,
        system: System,
        time: float,
        without: tuple[str, ...] = (),
        *,
        accelerates: bool = True,
        about: Floats | None = None,
    ) -> None:
        self._recorder, self._system, self._time = recorder, system, time
        self._without, self._accelerates = without, accelerates
        self._require_sizes()
        self._still = np.zeros((system.size, system.dimension))
        self._about = about
        self._seen = self._look(self._still, self._still, self._still)
        self._offset = self._seen.linear()
        for number, probe in enumerate(recorder.probes):
            if probe.spec.component in _SIZES and self._seen.probes[number]:
                raise InputError(
                    f"probes[{number}]: found '{probe.column.name}', a size, with loads that are "
                    "there before; expected a component"
                )

    def _look(
        self, u: Floats, v: Floats, a: Floats, forces: Floats | None = None, *, bodies: bool = True
    ) -> Seen:
        state = Snapshot(self._system, self._time, u, v, a, forces)
        return self._recorder.seen(self._time, state, bodies=bodies)

    def values(
        self,
        u: Floats,
        v: Floats | None = None,
        a: Floats | None = None,
        forces: Floats | None = None,
        *,
        bodies: bool = True,
    ) -> Values:
        """Return all that is linear in a vibration.

        Parameters
        ----------
        u, v, a : ndarray, (N, d)
            Displacements and their rates; zero by default.
        forces : ndarray, (N, d), optional
            Nodal forces that cause it, N, which supports bear too.
        bodies : bool
            Whether states of bodies are of interest, not tables and probes alone.
        """
        v, a = (self._still if one is None else one for one in (v, a))
        if self._about is None:
            found = self._look(u, v, a, forces, bodies=bodies).linear()
            found = {key: one - self._offset[key] for key, one in found.items()}
        else:
            found = self._slopes(self._about, (u, v, a), forces, bodies=bodies)
        shown = bodies and self._accelerates and self._seen.states
        for body in self._system.bodies if shown else ():
            found["nodes", body.name, "acceleration"] = a[body.placed]
        return {k: one for k, one in found.items() if k[2] not in self._without or k[0] != "nodes"}

    def _slopes(
        self,
        about: Floats,
        rates: tuple[Floats, Floats, Floats],
        forces: Floats | None,
        *,
        bodies: bool,
    ) -> dict[Key, Floats]:
        """Return the derivatives along a vibration, by differences of small ones."""
        size = max(float(np.ptp(body.points, axis=0).max()) for body in self._system.bodies)
        part = _PART * size / (float(np.abs(rates[0]).max(initial=0.0)) or size)
        forces = self._still if forces is None else forces
        ends = []
        for share in (part, -part):
            u, v, a = (share * one for one in rates)
            seen = self._look(about + u, v, a, share * forces, bodies=bodies)
            ends.append(seen.linear())
        return {key: (ends[0][key] - ends[1][key]) / (2.0 * part) for key in ends[0]}

    def probes(self, u: Floats, v: Floats, a: Floats, forces: Floats) -> Floats:
        """Return the values of all probes, (P,), less those at rest."""
        state = Snapshot(self._system, self._time, u, v, a, forces)
        samples = state.over([state])
        found = np.array([float(one.over(samples)[0]) for one in self._recorder.probes])
        return np.asarray(found - self._seen.probes)

    @property
    def probes_alone(self) -> bool:
        """Whether results show nothing but probes of a vibration."""
        return not self._recorder.shows_states and not self._recorder.tables

    def write_probed(self, u: Complex, forces: Complex, frequencies: Floats) -> Complex:
        """Count frames of vibrations of which probes alone are shown; return their values.

        Parameters
        ----------
        u, forces : ndarray of complex, (S, N, d)
            Amplitudes of displacements, m, and of nodal forces that cause them, N.
        frequencies : ndarray, (S,)
            Hz.

        Returns
        -------
        ndarray of complex, (S, P)
            Amplitudes of all probes.
        """
        w = 2j * np.pi * frequencies[:, None, None]
        fields = (u, w * u, w * w * u, forces)
        found = np.zeros((len(u), len(self._recorder.probes)), dtype=np.complex128)
        for unit, part in ((1.0, np.real), (1j, np.imag)):
            moved, rates, seconds, acting = (np.ascontiguousarray(part(x)) for x in fields)
            samples = Snapshots(self._system, frequencies, moved, rates, seconds, tuple(acting))
            for column, probe in zip(found.T, self._recorder.probes, strict=True):
                column += unit * probe.over(samples)
        nothing = Seen({}, (), self._seen.probes)
        for frequency in frequencies.tolist():
            self._recorder.record_seen(nothing, frequency, probed=False)
        return np.asarray(found - (1.0 + 1j) * self._seen.probes)

    @property
    def linear_probes(self) -> list[int]:
        """Numbers of the probes that are linear, not sizes."""
        probes = enumerate(self._recorder.probes)
        return [number for number, probe in probes if probe.spec.component not in _SIZES]

    def figures(self, called: str) -> Figures:
        """Return what the recorder tells of combined values; probes are called so after a comma."""
        names = {probe.column.name for probe in self._recorder.probes}
        return {
            f"{name}, {called}" if name in names else name: value
            for name, value in self._recorder.figures().items()
        }

    def write(self, sizes: Sizes) -> None:
        """Write combined values as the one frame of the results.

        Of the largest normal stresses of rods it has bounds, from the sizes of section forces: no
        point of a section has more.
        """
        seen = self._seen.with_values(self._completed(sizes), self._time)
        self._recorder.record_seen(seen, self._time)
        self._recorder.flush()

    def write_vibration(self, real: Values, imaginary: Values, frequency: float) -> None:
        """Write a frame with the real part of a vibration, and tables of both parts.

        Parameters
        ----------
        real, imaginary : mapping
            Values by key, of the imaginary part those of tables alone.
        frequency : float
            Hz.
        """
        first = self._seen.with_values(self._completed(real), frequency, moves=True)
        self._recorder.record_seen(first, frequency, probed=False)
        others = self._seen.listings_with(imaginary, frequency)
        self._recorder.writer.listings(
            [replace(one, title=f"{one.title} imaginary") for one in others]
        )

    def _completed(self, values: Mapping[Key, Floats]) -> Sizes:
        """Return values with the stresses that follow from forces of sections, and are missing."""
        found = dict(values)
        for (where, name, what), one in values.items():
            key = where, name, STRESSES.get(what, "")
            if where == "stations" and what != "stress" and key[2] and key not in found:
                found[key] = von_mises(one)
        for body in self._system.bodies:
            forces = {k[2]: one for k, one in values.items() if k[:2] == ("stations", body.name)}
            if "N" in forces and isinstance(body, VectorBody):
                largest = body.largest_normal_stress(forces)
                if largest is not None:
                    found["stations", body.name, LARGEST] = largest
        return found

    def _require_sizes(self) -> None:
        for number, probe in enumerate(self._recorder.probes):
            key = f"probes[{number}]"
            spec = probe.spec
            if not isinstance(probe, Probe | SupportProbe) or spec.quantity == "position":
                raise InputError(
                    f"{key}: found '{probe.column.name}', which is not linear in displacements; "
                    "expected a displacement, stress, section force or reaction"
                )
            if spec.quantity in self._without:
                raise InputError(
                    f"{key}.quantity: found {spec.quantity}, which this analysis does not have; "
                    "expected another one"
                )
            several = isinstance(probe, Probe) and sum(len(nodes) for _, nodes in probe.where) > 1
            alone = spec.component in _SIZES or spec.reduce == "max"
            if spec.component in _NONE or (several and alone and probe_is_nodal(probe)):
                raise InputError(
                    f"{key}.component: found {spec.component} of '{probe.column.name}', which "
                    "cannot be combined; expected a component, or a size at one node"
                )
        for number, table in enumerate(self._recorder.tables):
            if table.spec.quantity in self._without:
                raise InputError(
                    f"tables[{number}].quantity: found {table.spec.quantity}, which this analysis "
                    "does not have; expected another one"
                )


def probe_is_nodal(probe: object) -> bool:
    """Whether a probe reads at nodes, or at all stations of a body, not between two of them."""
    return not isinstance(probe, Probe) or probe.around is None
