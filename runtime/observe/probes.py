# SPDX-License-Identifier: BSD-3-Clause
"""Values recorded over time, at a node or over the nodes of a group."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.model.schema_probe import ProbeSpec
from flexforge.runtime.observe.link_probes import JointProbe, LinkProbe, link_probe
from flexforge.runtime.observe.machine_probe import MachineProbe
from flexforge.runtime.observe.motion import AnyState, Samples, each_of
from flexforge.runtime.observe.stations import Around, nearest_station, stations_around
from flexforge.runtime.observe.support_probe import SupportProbe
from flexforge.runtime.results import Column, von_mises
from flexforge.runtime.results.data import UNITS, principal, spatial
from flexforge.runtime.system.body import Body
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.name_table import NameTable
from numpy.typing import NDArray

_UNITS = {
    "displacement": "m",
    "position": "m",
    "velocity": "m/s",
    "acceleration": "m/s^2",
    "stress": "Pa",
}
#: Components of a stress, in their order.
STRESSES = ("xx", "yy", "zz", "xy", "yz", "zx")


def stress_of(body: Body, motion: AnyState, loads: Loads, time: float) -> Floats:
    """Return the nodal stresses of a body in a state, (P, 6), Pa, including viscous stresses."""
    return body.stress(strained(body, motion), loads.temperature(body.name, time))


def strained(body: Body, motion: AnyState) -> Floats:
    """Return the displacement whose elastic stress is the stress of a state, (V, d), m.

    With viscosity this is ``u + tau u'``.
    """
    coordinates = motion.displacement[body.nodes]
    displacement = body.relative(coordinates)
    if body.viscosity:
        rate = body.relative_rate(coordinates, motion.velocity[body.nodes])
        displacement = displacement + body.viscosity * rate
    return displacement


@dataclass(frozen=True, slots=True)
class Probe:
    """A probe of the model file with its nodes or its stations."""

    #: The specification of the probe.
    of: ClassVar[Literal["bodies"]] = "bodies"
    spec: ProbeSpec
    where: tuple[tuple[Body, NDArray[np.int64]], ...]
    loads: Loads
    #: The stations between which the value at a point is interpolated.
    around: Around | None = field(default=None, kw_only=True)

    @property
    def column(self) -> Column:
        """Heading of its column."""
        unit = _UNITS.get(self.spec.quantity) or UNITS[self.spec.component]
        return Column(self.spec.name, unit)

    @property
    def at_stations(self) -> bool:
        """Whether it reads at stations of sections rather than at nodes."""
        return self.spec.quantity == "section_force"

    @property
    def reads(self) -> tuple[str, ...]:
        """Names of the nodal values that it reads."""
        known = {"position": ("displacement",), "velocity": ("velocity",)}
        known["acceleration"] = ("acceleration",)
        strained = ("displacement", "velocity")
        return known.get(self.spec.quantity, strained)

    @property
    def remark(self) -> str:
        """Where its value is taken, for those who check the model; empty where that is clear."""
        if self.around is None:
            return ""
        body = self.where[0][0].name
        return f"probe '{self.spec.name}': section force of body '{body}' {self.around.text()}"

    def over(self, samples: Samples) -> Floats:
        """Return the values at several times, (T,)."""
        return self.reduced(self.each(samples))

    def each(self, samples: Samples) -> Floats:
        """Return the values at its nodes at several times, (T, k)."""
        found = [self._values(body, nodes, samples) for body, nodes in self.where]
        return np.concatenate(found, axis=1)

    def reduced(self, found: Floats) -> Floats:
        """Return one value for those at its nodes, (T,)."""
        if self.around is not None:
            return np.asarray(found @ self.around.weights)
        if self.spec.reduce == "mean":
            # Rows of numbers one after the other are summed alike, however many they are.
            return np.asarray(np.ascontiguousarray(found).mean(axis=1))
        largest = np.argmax(np.abs(found), axis=1)
        return np.asarray(found[np.arange(len(found)), largest])

    def _values(self, body: Body, nodes: NDArray[np.int64], samples: Samples) -> Floats:
        """Return the values at nodes or a station of a body, (T, k)."""
        component = self.spec.component
        if self.spec.quantity == "stress":
            stress = [stress_of(body, one, self.loads, t)[nodes] for t, one in each_of(samples)]
            return _of_stress(np.array(stress), component)
        if self.at_stations:
            forces = [
                body.at_stations(strained(body, one), self.loads.temperature(body.name, t))
                for t, one in each_of(samples)
            ]
            return np.array([one[component][nodes] for one in forces])
        if self.spec.quantity == "position":
            field = _positions(body, nodes, samples)
        else:
            field = getattr(samples, self.spec.quantity)[:, body.nodes[nodes]]
        if component == "magnitude":
            return np.asarray(np.linalg.norm(field, axis=2))
        return field[:, :, "xyz".index(component)]


def _positions(body: Body, nodes: NDArray[np.int64], samples: Samples) -> Floats:
    """Return positions of nodes of a body in space, (T, k, 3), m, global axes."""
    moved = body.part.points[nodes] + spatial(samples.displacement[:, body.nodes[nodes]])
    origin, rotation = body.motion.poses(samples.times)
    return np.asarray(origin[:, None] + moved @ np.swapaxes(rotation, 1, 2))


def _of_stress(stress: Floats, component: str) -> Floats:
    """Return a component or an invariant of stresses (..., 6), (...)."""
    if component == "von_mises":
        return von_mises(stress)
    if component.startswith("principal"):
        return principal(stress)[..., int(component[-1]) - 1]
    return stress[..., STRESSES.index(component)]


@dataclass(frozen=True, slots=True)
class ReactionProbe:
    """A probe of the force of a joint, of a constraint, or of the state of a controller."""

    of: ClassVar[Literal["ties"]] = "ties"
    spec: ProbeSpec
    unit: str

    @property
    def column(self) -> Column:
        """Heading of its column."""
        return Column(self.spec.name, self.unit)

    def over(self, samples: Any) -> Floats:
        """Return the values at several times of a tied motion, (T,)."""
        spec = self.spec
        if spec.constraint is not None:
            return np.asarray(samples.multiplier(spec.constraint))
        if spec.controller is not None:
            return np.asarray(samples.controller(spec.controller))
        reaction = samples.reactions[spec.joint]
        vectors = reaction.force if spec.quantity == "force" else reaction.moment
        if spec.component == "magnitude":
            return np.asarray(np.linalg.norm(vectors, axis=1))
        if spec.axes == "joint":
            vectors = (reaction.axes @ vectors[..., None])[..., 0]
        return np.asarray(vectors[:, "xyz".index(spec.component)])


AnyProbe = Probe | ReactionProbe | SupportProbe | LinkProbe | JointProbe | MachineProbe


def build_probes(model: ModelSpec, places: NameTable, loads: Loads) -> list[AnyProbe]:
    """Return the probes of a model.

    Parameters
    ----------
    model : ModelSpec
        The model.
    places : NameTable
        Its names in the system.
    loads : Loads
        What acts on it.

    Raises
    ------
    InputError
        For a group without nodes, or a component that the model does not have.
    """
    in_time = model.analysis.kind == "transient"  # other steps have no motion of machines
    return [
        _any_probe(f"probes[{i}]", spec, model, places, loads)
        for i, spec in enumerate(model.probes)
        if in_time or spec.machine is None
    ]


def _any_probe(
    key: str, spec: ProbeSpec, model: ModelSpec, places: NameTable, loads: Loads
) -> AnyProbe:
    """Return a probe of links, machines, or of what has equations in a system."""
    if spec.of_motion:
        return link_probe(key, spec, model, places)
    if spec.machine is not None:
        return MachineProbe.of_model(spec, model)
    return _probe(key, spec, places, loads)


def _probe(key: str, spec: ProbeSpec, places: NameTable, loads: Loads) -> AnyProbe:
    if spec.controller is not None:
        return ReactionProbe(spec, "")
    if spec.joint is not None or spec.constraint is not None:
        return ReactionProbe(spec, _unit_of_reaction(spec, places))
    planar = places.system.dimension == 2
    if planar and spec.quantity == "reaction_moment" and spec.component not in ("z", "magnitude"):
        raise InputError(
            f"{key}.component: found '{spec.component}' in a planar model; expected 'z'"
        )
    if spec.quantity == "reaction_moment":
        return SupportProbe(spec, places.bodies(spec.body)[0], loads)
    if planar and spec.component == "z":
        raise InputError(f"{key}.component: found 'z' in a planar model; expected 'x' or 'y'")
    if spec.quantity == "reaction_force":
        return SupportProbe(spec, places.bodies(spec.body)[0], loads)
    if spec.quantity == "section_force":
        where, around = _stations(key, spec, places)
        return Probe(spec, tuple(where), loads, around=around)
    if spec.group is not None:
        pairs = _once(places.nodes(spec.group, spec.body, f"{key}.group"))
    else:
        pairs = [_nearest(np.array(spec.point, dtype=float), places.bodies(spec.body))]
    if spec.quantity == "stress":
        for body, _ in pairs:
            if "stress" not in body.kernels:
                raise InputError(
                    f"{key}.quantity: element '{body.element}' of body '{body.name}' has no "
                    "stresses; expected displacement, velocity or acceleration"
                )
    return Probe(spec, tuple(pairs), loads)


def _unit_of_reaction(spec: ProbeSpec, places: NameTable) -> str:
    """Return the unit of a joint's force or moment, or of what keeps a driver or a gear.

    Equations of velocities have the unit that their text gives them; it is not known.
    """
    if spec.quantity != "multiplier":
        return "N" if spec.quantity == "force" else "N m"
    if places.mechanism is None:
        return ""
    parts = places.mechanism.parts
    kept = {one.name: one.coordinates[0] for one in parts.gears}
    kept |= {one.name: one.coordinate for one in parts.drivers}
    if spec.constraint not in kept:
        return ""
    return "N" if parts.coordinates[kept[spec.constraint]].is_length else "N m"


def _once(pairs: list[tuple[Body, NDArray[np.int64]]]) -> list[tuple[Body, NDArray[np.int64]]]:
    """Drop masses and connectors at nodes of bodies, which would otherwise count twice."""
    seen: list[int] = []
    found = []
    for body, nodes in pairs:
        if body.lumped:
            nodes = nodes[~np.isin(body.nodes[nodes], seen)]
        seen += body.nodes[nodes].tolist()
        if len(nodes):
            found.append((body, nodes))
    return found


def _nearest(point: Floats, bodies: list[Body]) -> tuple[Body, NDArray[np.int64]]:
    """Return the node nearest to a point."""

    def distance(body: Body) -> tuple[float, int]:
        gaps = np.linalg.norm(body.part.points - point, axis=1)
        return float(gaps.min()), int(gaps.argmin())

    found = [(*distance(body), body) for body in bodies]
    _, node, body = min(found, key=lambda one: one[0])
    return body, np.array([node])


def _stations(
    key: str, spec: ProbeSpec, places: NameTable
) -> tuple[list[tuple[Body, NDArray[np.int64]]], Around | None]:
    """Return the stations of a rod or a shell around a point; without a point all of a body.

    Raises
    ------
    InputError
        When there is no rod or shell, or its sections have no such force.
    """
    sections = [b for b in places.bodies(spec.body) if b.generalized]
    if not sections:
        raise InputError(
            f"{key}.quantity: found section_force; expected it with bars, beams or shells"
        )
    known = [body.at_stations(np.zeros_like(body.points)) for body in sections]
    bodies = [b for b, forces in zip(sections, known, strict=True) if spec.component in forces]
    if not bodies:
        raise InputError(
            f"{key}.component: found '{spec.component}' of body '{sections[0].name}'; expected one "
            f"of {', '.join(name for name, value in known[0].items() if value.ndim == 1)}"
        )
    if spec.point is None:
        counts = [body.stations.reshape(-1, body.dimension).shape[0] for body in bodies]
        return [(b, np.arange(n)) for b, n in zip(bodies, counts, strict=True)], None
    point = np.array(spec.point, dtype=float)
    body = min(bodies, key=lambda one: nearest_station(one, point)[1])
    around = stations_around(body, point)
    return [(body, around.numbers)], around
