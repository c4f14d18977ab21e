# SPDX-License-Identifier: BSD-3-Clause
"""Generalized forces of a system at a time: loads of the model file and inertia of the frame."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.mesh.mesh import Mesh, group_at
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.model.schema_loads import (
    BodyForceLoad,
    ChangeAtNodes,
    ForceLoad,
    GravityLoad,
    LoadSpec,
    MomentLoad,
    PressureLoad,
    TemperatureLoad,
    UnbalanceLoad,
)
from flexforge.runtime.motion.build import build_field, build_profile
from flexforge.runtime.motion.frame import FrameMotion, FrameState
from flexforge.runtime.motion.profiles import Kink, Profile
from flexforge.runtime.system.body import Body
from flexforge.runtime.system.followers import Follower, FollowingPressure
from flexforge.runtime.system.inertia import Spin
from flexforge.runtime.system.large_body import LargeBody
from flexforge.runtime.system.name_table import NameTable
from flexforge.runtime.system.nodal_loads import NodalForce, in_dimension, nodal_loads
from flexforge.runtime.system.prescribed import Prescribed
from flexforge.runtime.system.pressures import pressed
from flexforge.runtime.system.system import System
from flexforge.runtime.system.unbalance import Unbalance

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


@dataclass(frozen=True, slots=True)
class MassForce:
    """A force per unit mass, N/kg: gravity in global components, or a body force in local ones."""

    body: int
    acceleration: Floats
    turning: bool
    amplitude: Profile
    key: str

    @property
    def vectors(self) -> Floats:
        """Its constant vector."""
        return self.acceleration

    def on(self, body: Body) -> Floats:
        """Return the resultant force on its body for an amplitude of one, (d,), N."""
        return body.total_mass * self.acceleration[: body.dimension]


@dataclass(frozen=True, slots=True)
class Heat:
    """A temperature change of a body: a field times a factor in time.

    Attributes
    ----------
    field : ndarray, (P,)
        At the nodes of its part, K.
    amplitude : Profile
        Factor in time.
    """

    field: Floats
    amplitude: Profile


class Loads:
    """The right-hand side of the element equations, assembled once.

    Parameters
    ----------
    model : ModelSpec
        The model.
    places : NameTable
        Its names in the system.

    Attributes
    ----------
    system : System
        The bodies; their stresses do not matter here.
    nodal, mass : list
        Forces at nodes and on masses.
    heat : dict
        Temperature changes by body name.
    unbalances : list of Unbalance
        Masses beside the axes of bodies that spin, whose forces are among those at nodes.
    followers : list of Follower
        Pressures that turn with their surfaces, forces and moments that turn with their nodes.

    Raises
    ------
    InputError
        For groups that are missing or have no facets, and for out-of-plane forces.
    """

    def __init__(self, model: ModelSpec, places: NameTable) -> None:
        self.system: System = places.system
        self.include = model.include
        self._units = model.unit_system
        self.nodal: list[NodalForce] = []
        self.mass: list[MassForce] = []
        self.heat: dict[str, list[Heat]] = {}
        self.followers: list[Follower] = []
        self.unbalances: list[Unbalance] = []
        for i, load in enumerate(model.loads):
            self._add(f"loads[{i}]", load, places, model.span or 1.0)

    @property
    def given(self) -> Prescribed | None:
        """Prescribed displacements of supports and equations, if there are any."""
        return self.system.map.given

    @property
    def forces(self) -> list[NodalForce | MassForce]:
        """Forces on masses and at nodes."""
        return [*self.mass, *self.nodal]

    @property
    def are_steady(self) -> bool:
        """Whether all loads and supports are constant as seen from the frames."""
        if self.given is not None and not self.given.is_constant:
            return False
        if not all(one.amplitude.is_constant for heats in self.heat.values() for one in heats):
            return False
        return all(load.amplitude.is_constant and self._is_kept(load) for load in self.forces)

    @property
    def kinks(self) -> set[Kink]:
        """Where loads, supports and motions of frames are not smooth in time, s."""
        used = [load.amplitude for load in (*self.forces, *self.followers)]
        used += [one.amplitude for heats in self.heat.values() for one in heats]
        motions = [body.motion for body in self.system.bodies]
        used += [p for one in motions if isinstance(one, FrameMotion) for p in one.profiles]
        used += [] if self.given is None else [one.profile for one in self.given.functions]
        return {kink for profile in used for kink in profile.kinks}

    def heating(self, body: int, heat: Heat) -> int:
        """Return the number of the nodal load due to a temperature change of a body."""
        return next(
            k
            for k, load in enumerate(self.nodal)
            if load.body == body and load.amplitude is heat.amplitude
        )

    def temperature(self, body: str, time: float) -> Floats | None:
        """Return the temperature change of a body at a time, if it has one.

        Parameters
        ----------
        body : str
            Its name.
        time : float
            Time, s.

        Returns
        -------
        ndarray, (P,), or None
            At the nodes of its part, K.
        """
        found = self.heat.get(body)
        if found is None:
            return None
        factors = [float(one.amplitude.derivative(time, 0)) for one in found]
        return np.asarray(np.tensordot(factors, [one.field for one in found], axes=1))

    def warmed(self, system: System, time: float, factor: float = 1.0) -> System:
        """Return a system whose bodies with an energy are at their temperatures.

        Parameters
        ----------
        system : System
            The bodies.
        time : float
            Time, s.
        factor : float
            By which all temperature changes are multiplied.
        """
        if not self.heat:
            return system
        return system.with_bodies(
            {
                number: body.warmed(factor * change)
                for number, body in enumerate(system.bodies)
                if isinstance(body, LargeBody)
                and (change := self.temperature(body.name, time)) is not None
            }
        )

    def on(self, system: System) -> Loads:
        """Return the loads on the same bodies with another motion of their frames."""
        found = copy(self)
        found.system = system
        return found

    def only(self, keys: Collection[str]) -> Loads:
        """Return the loads with some keys of the model file, such as ``loads[2]``."""
        found = copy(self)
        found.nodal = [load for load in self.nodal if load.key in keys]
        found.mass = [load for load in self.mass if load.key in keys]
        found.followers = [load for load in self.followers if load.key in keys]
        return found

    def at_nodes(self, used: Sequence[Ints]) -> Loads:
        """Return the loads on some of the nodes of every body, without the bodies.

        Parameters
        ----------
        used : sequence of ndarray of int
            Of every body the numbers of the vectors of these nodes, ascending.
        """
        found = copy(self)
        del found.system
        found.nodal = []
        for load in self.nodal:
            nodes = used[load.body]
            place = np.searchsorted(nodes, load.nodes)
            here = np.isin(load.nodes, nodes)
            some = replace(load, nodes=place[here], force=load.force[here])
            found.nodal.append(some)
        found.heat = {
            body.name: [
                replace(one, field=one.field[nodes[nodes < len(one.field)]])
                for one in self.heat[body.name]
            ]
            for body, nodes in zip(self.system.bodies, used, strict=True)
            if body.name in self.heat
        }
        return found

    def constant_in_frames(self) -> tuple[Loads, list[str]]:
        """Return the loads that are constant in their frames, and a description of the others."""
        kept = copy(self)
        kept.nodal = [load for load in self.nodal if self._is_kept(load)]
        kept.mass = [load for load in self.mass if self._is_kept(load)]
        lost: list[tuple[str, NodalForce | MassForce]] = []
        lost += [("a force in global components", load) for load in self.nodal]
        lost += [("gravity", load) for load in self.mass]
        names = [
            f"{kind} on body '{self.system.bodies[load.body].name}'"
            for kind, load in lost
            if not self._is_kept(load)
        ]
        return kept, names

    def _is_kept(self, load: NodalForce | MassForce) -> bool:
        return not load.turning or self.system.bodies[load.body].motion.keeps(load.vectors)

    def at(
        self, time: float, spins: list[Spin], frames: Sequence[FrameState] | None = None
    ) -> Floats:
        """Return the nodal forces of the system, without those that follow displacements.

        Parameters
        ----------
        time : float
            Time, s.
        spins : list of Spin
            Inertia blocks of every body at that time.
        frames : sequence of FrameState, optional
            Motion of every body's frame, by default that of the time.

        Returns
        -------
        ndarray, (N, d)
            N; along fixed axes on bodies in free frames, as their coordinates are.
        """
        d = self.system.dimension
        total = np.zeros((self.system.size, d))
        bodies, frames = self.system.bodies, frames or self.system.frames(time)
        for number, (body, spin, frame) in enumerate(zip(bodies, spins, frames, strict=True)):
            acting = np.zeros_like(total) if body.is_free else total
            if spin.load.any():
                acting[body.nodes] -= body.inertia_load(spin.load)
            acceleration = self.acceleration(number, frame, time)
            if acceleration.any():
                acting[body.nodes] += body.translation_load(acceleration)
            for load in self.nodal:
                if load.body == number:
                    amplitude = float(load.amplitude.derivative(time, 0))
                    force = amplitude * self._local(load.force, load.turning, frame)
                    acting[body.nodes[load.nodes]] += force
            if body.is_free:
                total[body.nodes] += acting[body.nodes] @ frame.R[:d, :d].T
        return total

    def following(self, time: float, displacement: Floats) -> Floats:
        """Return the nodal forces (N, d), N, that turn with displacements (N, d)."""
        total = np.zeros_like(displacement)
        for one in self.followers:
            body = self.system.bodies[one.body]
            forces = one.forces(body.points, displacement[body.nodes])
            total[body.nodes] += float(one.amplitude.derivative(time, 0)) * forces
        return total

    def following_slopes(self, time: float, displacement: Floats) -> dict[int, csr_matrix]:
        """Return the derivatives of these forces by the displacements of a body, N/m.

        Returns
        -------
        dict of int to csr_matrix, (V d, V d)
            Of the vectors of a body, by its number; of bodies with such forces.
        """
        found: dict[int, csr_matrix] = {}
        for one in self.followers:
            body = self.system.bodies[one.body]
            own = one.slope(body.points, displacement[body.nodes]).tocsr()
            own *= float(one.amplitude.derivative(time, 0))
            found[one.body] = found[one.body] + own if one.body in found else own
        return found

    def following_slope(self, time: float, displacement: Floats) -> csr_matrix:
        """Return the derivative of these forces by nodal displacements, (N d, N d), N/m."""
        from scipy.sparse import coo_matrix

        d, size = self.system.dimension, displacement.size
        total = coo_matrix((size, size)).tocsr()
        for number, slope in self.following_slopes(time, displacement).items():
            own, nodes = slope.tocoo(), self.system.bodies[number].nodes
            place = (nodes[:, None] * d + np.arange(d)).ravel()
            entries = (own.data, (place[own.row], place[own.col]))
            total = total + coo_matrix(entries, shape=(size, size)).tocsr()
        return total

    def acceleration(self, number: int, frame: FrameState, time: float) -> Floats:
        """Return the force per unit mass on a body, including its frame's acceleration, (d,), N/kg.

        Parameters
        ----------
        number : int
            Number of the body.
        frame : FrameState
            Motion of its frame.
        time : float
            Time, s.
        """
        local = -frame.a_O * self.include.origin_load
        for load in self.mass:
            if load.body == number:
                amplitude = float(load.amplitude.derivative(time, 0))
                turn = frame.R.T if load.turning else np.eye(3)
                local = local + amplitude * (turn @ load.acceleration)
        return local[: self.system.dimension]

    def _local(self, force: Floats, turning: bool, frame: FrameState) -> Floats:
        d = self.system.dimension
        return force @ frame.R[:d, :d] if turning else force  # rows: R^T f

    def _add(
        self,
        key: str,
        load: LoadSpec,
        places: NameTable,
        span: float,
    ) -> None:
        numbers = {body.name: n for n, body in enumerate(self.system.bodies)}
        match load:
            case ForceLoad() | MomentLoad():
                for dead, follower in nodal_loads(load, places, key, span):
                    self.nodal += dead
                    self.followers += follower
            case PressureLoad():
                value = build_profile(load.value, span)
                for body, (facets, arguments) in pressed(load, places, key):
                    one = FollowingPressure(numbers[body.name], facets, arguments, value, key)
                    follows = not body.is_linear if load.follows is None else load.follows
                    if follows and body.is_linear:
                        raise InputError(
                            f"{key}.follows: found true with body '{body.name}', whose "
                            "displacements are small; expected a body with an energy"
                        )
                    if follows:
                        self.followers.append(one)
                        continue
                    forces = one.forces(body.points, np.zeros_like(body.points))
                    nodes = np.flatnonzero(forces.any(axis=1))
                    self.nodal.append(
                        NodalForce(numbers[body.name], nodes, forces[nodes], False, value, key)
                    )
            case UnbalanceLoad():
                unbalance = Unbalance.of(load, places, self._units, key)
                self.unbalances.append(unbalance)
                self.nodal += unbalance.forces(self.system.bodies[unbalance.body], span)
            case TemperatureLoad():
                amplitude = build_profile(load.amplitude, span)
                # Masses, springs and nodes of no cell do not expand; one that is named is told so.
                for body in (b for b in places.bodies(load.body) if load.body or not b.lumped):
                    change = _change(places.mesh, body, load, key)
                    self.heat.setdefault(body.name, []).append(Heat(change, amplitude))
                    if isinstance(body, LargeBody):
                        continue  # its forces depend on temperature
                    force = body.thermal_load(change)
                    everywhere = np.arange(len(force))
                    self.nodal.append(
                        NodalForce(numbers[body.name], everywhere, force, False, amplitude, key)
                    )
            case GravityLoad() | BodyForceLoad():
                amplitude = build_profile(load.amplitude, span)
                acceleration = np.array(load.acceleration, dtype=float)
                in_dimension(acceleration, self.system.dimension, key)
                for body in (one for one in places.bodies(load.body) if one.has_mass):
                    turning = load.kind == "gravity" and not body.motion.stands
                    self.mass.append(
                        MassForce(numbers[body.name], acceleration, turning, amplitude, key)
                    )


def _change(mesh: Mesh, body: Body, load: TemperatureLoad, key: str) -> Floats:
    """Return the temperature change at the nodes of a body, (P,), K."""
    from flexforge.codegen.elements.catalogue import find
    from flexforge.codegen.elements.terms import further_terms_of

    element = find(body.element) if body.declared is None else body.declared
    if "thermal_load" not in further_terms_of(element) or "expansion1" not in body.values:
        raise InputError(
            f"{key}: body '{body.name}' has no thermal expansion; expected a material with "
            "expansion, and an element with stresses"
        )
    if isinstance(load.change, ChangeAtNodes):
        change = np.zeros(len(mesh.points))
        for number, (group, value) in enumerate(load.change.nodes):
            change[group_at(mesh, group, f"{key}.change.nodes[{number}]").nodes] = value
        return change[body.part.nodes]
    x, y, z = body.part.points.T
    return np.array(np.broadcast_to(build_field(load.change)(x=x, y=y, z=z), x.shape))
