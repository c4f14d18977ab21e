# SPDX-License-Identifier: BSD-3-Clause
"""From the masses and connectors of a model file to elements at nodes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from flexforge.codegen.errors import InputError, nearest
from flexforge.runtime.arrays import Floats
from flexforge.runtime.mesh import Mesh, Part, group_at
from flexforge.runtime.mesh.relations import Followers
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.model.schema_couplings import CouplingSpec
from flexforge.runtime.model.schema_frame import FrameSpec
from flexforge.runtime.model.schema_lumped import (
    BearingSpec,
    ConnectorSpec,
    GearMeshSpec,
    GearRatioSpec,
    MassSpec,
    PlanetarySpec,
    SpringSpec,
)
from flexforge.runtime.model.schema_mechanism import LinkSpec
from flexforge.runtime.model.schema_spin import SpinSpec
from flexforge.runtime.motion.rotation import across
from flexforge.runtime.system.bearing_axes import placed_law
from flexforge.runtime.system.bearing_law import BearingLaw
from flexforge.runtime.system.gear_meshes import line_of_action
from flexforge.runtime.system.gear_trains import TrainLaw, train_law
from flexforge.runtime.system.lump_values import (
    check_free,
    law_values,
    mass_values,
    numbered,
)
from flexforge.runtime.system.nonlinear_spring import table_values
from flexforge.runtime.system.numbering import Member

if TYPE_CHECKING:
    from flexforge.codegen.elements.field import FieldElement

_CLOSE = 1e-9
#: Cells of members by their number of nodes.
_CELLS = {1: "point1", 2: "line2", 3: "line3"}


@dataclass(frozen=True, slots=True)
class LumpedMember:
    """A mass or a connector: an element with its nodes and properties.

    Attributes
    ----------
    name : str
        Name in the model file.
    member : Member
        Its nodes and frame.
    element : str
        Full name of the element.
    values, dampers : dict
        Kernel arguments, and the damping coefficients in place of the stiffnesses.
    declared : FieldElement, optional
        Its declaration, if it is not in the library.
    bearing : BearingLaw, optional
        Law of a bearing.
    across : ndarray, (2, 3), optional
        Axes x and y of a bearing.
    train : TrainLaw, optional
        Law of gears that couple torsion.
    """

    name: str
    member: Member
    element: str
    values: dict[str, float]
    dampers: dict[str, float] = field(default_factory=dict)
    declared: FieldElement | None = None
    bearing: BearingLaw | None = None
    across: Floats | None = None
    train: TrainLaw | None = None


def find_lumps(
    model: ModelSpec, mesh: Mesh, members: list[Member], dimension: int
) -> list[LumpedMember]:
    """Return the masses and connectors of a model.

    Parameters
    ----------
    model : ModelSpec
        The model.
    mesh : Mesh
        Its mesh.
    members : list of Member
        Its bodies.
    dimension : int
        Coordinates per node.

    Raises
    ------
    InputError
        For groups that are missing or have several nodes, nodes without the required coordinates,
        and frames that do not agree.
    """
    return _Finder(model, mesh, members, dimension).found


class _Finder:
    """Data per mesh node while masses and connectors are placed."""

    def __init__(self, model: ModelSpec, mesh: Mesh, members: list[Member], dimension: int) -> None:
        self.model, self.mesh, self.dimension = model, mesh, dimension
        self.ending = "_plane" if dimension == 2 else ""
        self.owner: list[Member] = list(members)
        self.of_node = np.full(len(mesh.points), -1)
        self.turning = np.zeros(len(mesh.points), dtype=bool)
        for number, member in enumerate(members):
            self.of_node[member.part.nodes] = number
            self.turning[member.part.nodes] |= member.carried > 1
        self.names = [body.name for body in model.bodies]
        self.flexible = len(members)
        self.reach = _CLOSE * max(float(np.abs(mesh.points).max(initial=0.0)), 1e-300)
        self.found: list[LumpedMember] = []
        if mesh.followers is not None:
            self._following(mesh.followers)
        for i, mass in enumerate(model.masses):
            self.found.append(self._mass(f"masses[{i}]", mass))
        for link in model.rigid_links:
            self.found.append(self._link(link))
        for i, coupling in enumerate(model.couplings):
            if coupling.point is not None:
                self._coupled(f"couplings[{i}]", coupling, coupling.point)
        for i, connector in enumerate(model.connectors):
            self.found.append(self._connector(f"connectors[{i}]", connector))

    def _node(self, group: str, key: str) -> int:
        nodes = group_at(self.mesh, group, key).nodes
        if len(nodes) != 1:
            raise InputError(f"{key}: group '{group}' has {len(nodes)} nodes; expected one")
        return int(nodes[0])

    def _member(
        self,
        key: str,
        frame: FrameSpec | str,
        nodes: list[int],
        carried: int,
        spin: SpinSpec | None = None,
        internal: int = 0,
    ) -> Member:
        """Return the member of a cell of one to three nodes."""
        ordered = np.unique(np.array(nodes, dtype=np.int64))
        part = Part(
            _CELLS[len(nodes)],
            self.mesh.points[ordered],
            np.searchsorted(ordered, np.array([nodes])),
            ordered,
            np.array([1]),
            self.mesh.node_labels[ordered],
            key,
        )
        return Member(key, frame, part, carried, spin, internal)

    def _mass(self, key: str, spec: MassSpec) -> LumpedMember:
        node = self._node(spec.group, f"{key}.group")
        number = int(self.of_node[node])
        on_body = 0 <= number < self.flexible
        if on_body and spec.turns and not self.turning[node]:
            what = "inertia" if spec.inertia is not None else "centre"
            raise InputError(
                f"{key}.{what}: the node of group '{spec.group}' has no rotations (body "
                f"'{self.names[number]}'); expected a mass alone, or a node of a beam"
            )
        if not on_body:
            check_free(key, spec)
        frame = self._frame(key, spec, number)
        carried = 2 if spec.turns else 1
        spin = spec.spin
        if spin is None and number >= 0:
            spin = self.owner[number].spin
        member = self._member(key, frame, [node], carried, spin)
        if number < 0:
            self.of_node[node] = len(self.owner)
        self.owner.append(member)
        self.turning[node] |= spec.turns
        if not spec.turns:
            return LumpedMember(spec.name, member, f"point_mass{self.ending}", {"mass": spec.mass})
        values = mass_values(spec, self.dimension)
        return LumpedMember(spec.name, member, f"rigid_inertia{self.ending}", values)

    def _coupled(self, key: str, spec: CouplingSpec, group: str) -> None:
        """Give the point of a coupling a rotation, by a rigid body without mass."""
        node = self._node(group, f"{key}.point")
        if self.turning[node]:
            return
        number = int(self.of_node[node])
        if number >= 0:
            frame = self.owner[number].frame
        else:
            nodes = group_at(self.mesh, spec.group, f"{key}.group").nodes
            owners = [int(n) for n in self.of_node[nodes] if n >= 0]
            frame = self.owner[owners[0]].frame if owners else FrameSpec()
        member = self._member(key, frame, [node], 2)
        if number < 0:
            self.of_node[node] = len(self.owner)
        self.owner.append(member)
        self.turning[node] = True
        point = MassSpec.model_construct(
            name=spec.name, group=group, mass=0.0, inertia=None, centre=(0.0, 0.0, 0.0)
        )
        values = mass_values(point, self.dimension)
        self.found.append(LumpedMember(spec.name, member, f"rigid_inertia{self.ending}", values))

    def _following(self, followers: Followers) -> None:
        """Give nodes that follow others displacements, and rotations where they have some."""
        frames = [self.model.bodies[int(k)].frame for k in followers.bodies]
        for turns in (False, True):
            for frame in {repr(one): one for one in frames}.values():
                here = [one == frame for one in frames]
                some = np.flatnonzero(np.array(here) & (followers.turning == turns))
                if not len(some):
                    continue
                nodes, labels = followers.nodes[some], followers.labels[some]
                cells = np.arange(len(some))[:, None]
                name = f"nodes:{len(self.found)}"
                part = Part("point1", self.mesh.points[nodes], cells, nodes, labels, labels, name)
                member = Member(name, frame, part, 2 if turns else 1)
                self.of_node[nodes[self.of_node[nodes] < 0]] = len(self.owner)
                self.owner.append(member)
                self.turning[nodes] |= turns
                element = "rigid_inertia" if turns else "point_mass"
                point = MassSpec.model_construct(
                    name=name, group="", mass=0.0, inertia=None, centre=(0.0, 0.0, 0.0)
                )
                values = mass_values(point, self.dimension) if turns else {"mass": 0.0}
                self.found.append(LumpedMember(name, member, f"{element}{self.ending}", values))

    def _link(self, link: LinkSpec) -> LumpedMember:
        """Return the rigid body of a link, with its own node at the origin of the link."""
        node = self._node(link.origin, "links")
        member = self._member(f"link '{link.name}'", link.name, [node], 2)
        self.of_node[node] = len(self.owner)
        self.owner.append(member)
        self.turning[node] = True
        values = mass_values(link, self.dimension)
        return LumpedMember(link.name, member, f"rigid_inertia{self.ending}", values)

    def _frame(self, key: str, spec: MassSpec, number: int) -> FrameSpec | str:
        """Return the frame of a mass: that of the body at its node, or its own."""
        if number >= 0:
            owner = self.owner[number]
            if spec.frame not in (None, owner.frame):
                raise InputError(
                    f"{key}.frame: the node of group '{spec.group}' is one of {owner.key} in "
                    "another frame; expected none, as it moves with that frame"
                )
            return owner.frame
        if spec.frame is not None:
            return spec.frame
        frames = [member.frame for member in self.owner]
        if any(frame != frames[0] for frame in frames):
            raise InputError(
                f"{key}.frame: missing at a node without a body in a model with several frames; "
                "expected a table"
            )
        return frames[0] if frames else FrameSpec()

    def _connector(self, key: str, spec: ConnectorSpec) -> LumpedMember:
        keys = [f"{key}.{where}" for _, where in spec.ends]
        nodes = [self._node(group, k) for (group, _), k in zip(spec.ends, keys, strict=True)]
        if len(set(nodes)) < len(nodes):
            raise InputError(f"{key}.between: found one node twice; expected two nodes")
        frames = [self.owner[n].frame for n in self.of_node[nodes] if n >= 0]
        if not frames:  # between nodes of connectors alone
            frames = [member.frame for member in self.owner] or [FrameSpec()]
            if any(frame != frames[0] for frame in frames):
                raise InputError(
                    f"{keys[0]}: the node of group '{spec.ends[0][0]}' has neither body nor mass "
                    "in a model with several frames; expected one"
                )
        if any(frame != frames[0] for frame in frames):
            raise InputError(
                f"{key}.between: found nodes in different frames; expected nodes of one frame"
            )
        lump = self._tie(key, spec, nodes, frames[0])
        for node in nodes:
            if self.of_node[node] < 0:  # must be held by a support
                self.of_node[node] = len(self.owner)
        self.owner.append(lump.member)
        return lump

    def _tie(
        self, key: str, spec: ConnectorSpec, nodes: list[int], frame: FrameSpec | str
    ) -> LumpedMember:
        """Return the element between nodes, or between a node and the frame."""
        span = self.mesh.points[nodes[-1]] - self.mesh.points[nodes[0]]
        apart = float(np.linalg.norm(span)) > self.reach
        if isinstance(spec, BearingSpec):
            return self._bearing(key, spec, nodes, frame, apart=apart)
        if isinstance(spec, GearMeshSpec):
            return self._gear_mesh(key, spec, nodes, frame)
        if isinstance(spec, GearRatioSpec | PlanetarySpec):
            return self._gear_train(key, spec, nodes, frame)
        if isinstance(spec, SpringSpec) and spec.forces is not None:
            return self._tabulated(key, spec, nodes, frame, span)
        if spec.kind != "bushing" and apart:
            if spec.axis is not None:
                raise InputError(
                    f"{key}.axis: found one between distant nodes; expected none, the force acts "
                    "along their line"
                )
            dampers = {"stiffness": spec.damping} if spec.damping else {}
            member = self._member(key, frame, nodes, 1)
            values = {"stiffness": spec.stiffness or 0.0}
            return LumpedMember(spec.name, member, f"spring{self.ending}", values, dampers)
        if spec.kind != "bushing" and spec.axis is None:
            raise InputError(f"{key}.axis: missing; expected a direction, three numbers")
        values, dampers = (
            law_values(spec.stiffness, self.dimension),
            law_values(spec.damping, self.dimension),
        )
        self._check_rotations(key, spec, nodes, values, dampers)
        axis = spec.axis or (1.0, 0.0, 0.0)
        orientation = spec.orientation if spec.kind == "bushing" else across(axis)
        values |= numbered("axis", axis) | numbered("orientation", orientation)
        if len(nodes) == 2:
            values["location"] = self._location(key, spec, nodes, apart)
        kind = "ground_bushing" if len(nodes) == 1 else "bushing"
        member = self._member(key, frame, nodes, 2)
        dampers = dampers if any(dampers.values()) else {}
        return LumpedMember(spec.name, member, f"{kind}{self.ending}", values, dampers)

    def _tabulated(
        self,
        key: str,
        spec: SpringSpec,
        nodes: list[int],
        frame: FrameSpec | str,
        span: Floats,
    ) -> LumpedMember:
        """Return a spring of a table of forces."""
        from flexforge.codegen.elements.spring_tables import tabulated_spring

        assert spec.forces is not None
        length = float(np.linalg.norm(span))
        if not length > self.reach:
            raise InputError(
                f"{key}.forces: found them between nodes at one place; expected distant nodes, "
                "whose distance they are of"
            )
        values, pulled, pushed = table_values(spec.forces)
        values |= {"span": length, "area": 0.0, "density": 0.0}
        declared = tabulated_spring(self.dimension, pulled, pushed)
        member = self._member(key, frame, nodes, 1)
        return LumpedMember(spec.name, member, declared.name, values, declared=declared)

    def _gear_mesh(
        self, key: str, spec: GearMeshSpec, nodes: list[int], frame: FrameSpec | str
    ) -> LumpedMember:
        """Return the teeth of two gears: a bushing at their pitch point."""
        turning = self._geared(key, spec, nodes, frame)
        centres = self.mesh.points[nodes]
        span = abs(self.model.span)
        push, place = line_of_action(spec, key, centres, (turning[0], turning[1]), span)
        x, y, z = push.tolist()
        line = (x, y, z)
        values, dampers = (
            law_values(one, self.dimension) for one in (spec.stiffness, spec.damping)
        )
        values |= numbered("axis", line) | numbered("orientation", across(line))
        member = self._member(key, frame, nodes, 2)
        values["location"] = place
        if not spec.damping:
            dampers = {}
        return LumpedMember(spec.name, member, "bushing", values, dampers)

    def _geared(
        self,
        key: str,
        spec: GearMeshSpec | GearRatioSpec | PlanetarySpec,
        nodes: list[int],
        frame: FrameSpec | str,
    ) -> list[FrameSpec | None]:
        """Return the frames that turn with the shafts of gears, of nodes with rotations."""
        if self.dimension == 2:
            raise InputError(f"{key}.kind: found a gear mesh in the plane; expected it in space")
        if not isinstance(frame, FrameSpec) or frame.given is not None:
            raise InputError(
                f"{key}.between: found nodes of a frame that moves; expected shafts with spin, "
                "whose axes stand still"
            )
        for (group, _), node in zip(spec.ends, nodes, strict=True):
            if not self.turning[node]:
                raise InputError(
                    f"{key}.between: the node of group '{group}' has no rotations; expected a node "
                    "of a beam, or a mass with inertia"
                )
        owners = [self.owner[n].spin if n >= 0 else None for n in self.of_node[nodes]]
        return [None if one is None else self.model.turning(one, 1.0) for one in owners]

    def _gear_train(
        self,
        key: str,
        spec: GearRatioSpec | PlanetarySpec,
        nodes: list[int],
        frame: FrameSpec | str,
    ) -> LumpedMember:
        """Return gears that couple the torsion of shafts."""
        turning = self._geared(key, spec, nodes, frame)
        centres, span = self.mesh.points[nodes], abs(self.model.span)
        law = train_law(spec, key, centres, turning, span)
        member = self._member(key, frame, nodes, 2)
        return LumpedMember(spec.name, member, spec.kind, {}, train=law)

    def _bearing(
        self,
        key: str,
        spec: BearingSpec,
        nodes: list[int],
        frame: FrameSpec | str,
        *,
        apart: bool,
    ) -> LumpedMember:
        """Return a bearing, with the spin of the shaft that its table is of."""
        if self.dimension == 2:
            raise InputError(f"{key}.kind: found a bearing in the plane; expected it in space")
        if apart:
            raise InputError(
                f"{key}.between: found distant nodes; expected two nodes at one place, or a node "
                "and the frame (at)"
            )
        spin = self._spin_of(key, spec, nodes)
        law, across = placed_law(spec, key, frame, spin)
        member = self._member(key, frame, nodes, 1, spin, law.internal)
        return LumpedMember(spec.name, member, "bearing", {}, bearing=law, across=across)

    def _spin_of(self, key: str, spec: BearingSpec, nodes: list[int]) -> SpinSpec | None:
        """Return the spin of the shaft of a bearing: of the named body, or at its nodes."""
        if spec.speed is None:
            at_nodes = [self.owner[n].spin for n in self.of_node[nodes] if n >= 0]
            return next((spin for spin in at_nodes if spin is not None), None)
        spins = {body.name: body.spin for body in self.model.bodies}
        spins |= {mass.name: mass.spin for mass in self.model.masses}
        known = [name for name, spin in spins.items() if spin is not None]
        if spec.speed not in known:
            raise InputError(
                f"{key}.speed: found '{spec.speed}'; expected the name of a body that spins, one "
                f"of {', '.join(known) or 'none'}{nearest(spec.speed, known)}"
            )
        return spins[spec.speed]

    def _check_rotations(
        self,
        key: str,
        spec: ConnectorSpec,
        nodes: list[int],
        values: dict[str, float],
        dampers: dict[str, float],
    ) -> None:
        """Refuse members that act on rotations where a node has none."""
        for (group, _), node in zip(spec.ends, nodes, strict=True):
            for what, law in (("stiffness", values), ("damping", dampers)):
                if not self.turning[node] and any(v for n, v in law.items() if "_r" in n):
                    raise InputError(
                        f"{key}.{what}: found values about axes, but the node of group "
                        f"'{group}' has no rotations; expected only values along axes"
                    )

    def _location(self, key: str, spec: ConnectorSpec, nodes: list[int], apart: bool) -> float:
        """Return the position of a bushing; a node without rotations has no arm."""
        given = spec.location if spec.kind == "bushing" else None
        first, second = self.turning[nodes]
        if not apart or (first and second):
            return 0.5 if given is None else given
        if not first and not second:
            raise InputError(
                f"{key}.between: found distant nodes without rotations; expected nodes at "
                "one point, or a spring along their line"
            )
        where = 1.0 if first else 0.0
        if given not in (None, where):
            raise InputError(
                f"{key}.location: found {given:g}; expected {where:g}, the node without rotations"
            )
        return where
