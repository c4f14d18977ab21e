# SPDX-License-Identifier: BSD-3-Clause
"""The tables of a model whose links are cut into pieces.

Tables keep their numbers: of a link or a body that is cut, its first piece has the old place, and
the others follow after all tables, as do the joints between pieces.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.mesh import Mesh, group_at
from flexforge.runtime.mesh.mesh import Group
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.model.schema_body import BodySpec
from flexforge.runtime.model.schema_mechanism import JointSpec, LinkSpec, Place
from flexforge.runtime.substructures.cells import BodyCells
from flexforge.runtime.substructures.cut import Cut
from flexforge.runtime.substructures.seams import Seam


@dataclass(frozen=True, slots=True)
class CutLink:
    """A link that is cut.

    Attributes
    ----------
    number : int
        Of the link in the model.
    bodies : tuple of BodyCells
        The bodies on it, with nodes as before the cut.
    pieces : tuple of ndarray of int64
        The piece of every cell of each of them.
    seams : tuple of Seam
        Where pieces are joined.
    cut : Cut
        The mesh.
    """

    number: int
    bodies: tuple[BodyCells, ...]
    pieces: tuple[Ints, ...]
    seams: tuple[Seam, ...]
    cut: Cut

    @property
    def nodes(self) -> Ints:
        """All nodes of the bodies, as numbered before the cut."""
        return np.unique(np.concatenate([body.nodes.ravel() for body in self.bodies]))

    def nearest(self, point: Floats, points: Floats) -> int:
        """Return the first piece that has the node nearest to a point."""
        nodes = self.nodes
        node = nodes[np.argmin(np.linalg.norm(points[nodes] - point, axis=1))]
        return next(k for k, copies in enumerate(self.cut.copy_of) if copies[node] >= 0)


def piece_name(name: str, piece: int) -> str:
    """Return the name of a piece of a link or a body, which no name of a model file is."""
    return f"{name}[{piece + 1}]"


def tables_of_pieces(model: ModelSpec, mesh: Mesh, one: CutLink) -> tuple[ModelSpec, Mesh]:
    """Return the model and the mesh of the pieces of a link.

    Parameters
    ----------
    model : ModelSpec
        The model with the whole link.
    mesh : Mesh
        Its mesh.
    one : CutLink
        How the link is cut.

    Raises
    ------
    InputError
        For joints on nodes of several pieces.
    """
    link, groups = model.links[one.number], dict(one.cut.mesh.groups)
    first, *further = _links(link, len(one.cut.copy_of))
    links = [*model.links, *further]
    links[one.number] = first
    bodies, pieces = _bodies(model, one, link.name, groups)
    joints = [_led(k, joint, link.name, mesh, one, groups) for k, joint in enumerate(model.joints)]
    seams = _joints(one, link.name, groups)

    def beside(point: Floats) -> str:
        return piece_name(link.name, one.nearest(point, mesh.points))

    probes, masses = list(model.probes), list(model.masses)
    for k, probe in enumerate(probes):
        if probe.link == link.name:
            own = beside(np.array(probe.point or (0.0, 0.0, 0.0)))
            probes[k] = probe.model_copy(update={"link": own})
    for k, mass in enumerate(masses):
        if mass.frame == link.name:
            nodes = group_at(mesh, mass.group, f"masses[{k}].group").nodes
            own = beside(mesh.points[nodes].mean(axis=0))
            masses[k] = mass.model_copy(update={"frame": own})
    changed = model.model_copy(
        update={
            "links": tuple(links),
            "bodies": tuple(bodies),
            "joints": (*joints, *seams),
            "probes": tuple(probes),
            "masses": tuple(masses),
        }
    )
    changed._pieces = {**model.pieces, **pieces}
    changed._seams = (*model.seams, *(seam.name for seam in seams))
    return changed, replace(one.cut.mesh, groups=groups)


def _links(link: LinkSpec, count: int) -> list[LinkSpec]:
    """Return the pieces of a link, all with its origin and axes; the first has its velocities."""
    free = {"velocity": None, "angular_velocity": None}
    return [
        link.model_copy(
            update={"name": piece_name(link.name, k), "frames": 1, **(free if k else {})}
        )
        for k in range(count)
    ]


def _bodies(
    model: ModelSpec, one: CutLink, link: str, groups: dict[str, Group]
) -> tuple[list[BodySpec], dict[str, tuple[str, ...]]]:
    """Return all bodies, and the names of the pieces of those on a link; add their groups."""
    bodies, pieces = list(model.bodies), dict[str, tuple[str, ...]]()
    for body, piece in zip(one.bodies, one.pieces, strict=True):
        spec, numbers = model.bodies[body.body], np.unique(piece).tolist()
        cut = []
        for k in numbers:
            change: dict[str, str] = {"frame": piece_name(link, k)}
            if len(numbers) > 1:
                change["name"] = piece_name(body.name, k)
                rows = body.rows[piece == k]
                nodes = np.unique(one.cut.mesh.blocks[body.block].nodes[rows])
                group = Group("", body.dim, {body.block: rows}, nodes)
                change["cells"] = add_group(groups, change["name"], group)
            cut.append(spec.model_copy(update=change))
        bodies[body.body] = cut[0]
        bodies += cut[1:]
        pieces[body.name] = tuple(each.name for each in cut)
    return bodies, pieces


def add_group(groups: dict[str, Group], wanted: str, group: Group) -> str:
    """Add a group under a name like the one wanted, which no other group has; return the name."""
    name = wanted
    while name in groups:
        name += "'"
    groups[name] = replace(group, name=name)
    return name


def _joints(one: CutLink, link: str, groups: dict[str, Group]) -> list[JointSpec]:
    """Return joints between pieces, one for each shared node; add groups of these nodes.

    So pieces are joined as their elements are: displacements of both copies of a node agree, and
    rotations where both have them.
    """
    found = []
    for seam in one.seams:
        names = [piece_name(link, k) for k in seam.pieces]
        for node, turns in zip(seam.nodes, seam.turns, strict=True):
            label = one.cut.mesh.node_labels[node]
            at = [
                add_group(
                    groups,
                    f"node {label} of {name}",
                    Group("", 0, {}, one.cut.of_piece(k, np.array([node]))),
                )
                for name, k in zip(names, seam.pieces, strict=True)
            ]
            found.append(
                JointSpec.model_construct(
                    name=f"{'-'.join(names)}, node {label}",
                    kind="fixed" if turns else "spherical",
                    links=tuple(names),
                    at=tuple(at),
                )
            )
    return found


def _led(
    number: int,
    joint: JointSpec,
    link: str,
    mesh: Mesh,
    one: CutLink,
    groups: dict[str, Group],
) -> JointSpec:
    """Return a joint of the file on the pieces that have its nodes."""
    links, at = list(joint.links), list(joint.at)
    for i, name in enumerate(joint.links):
        if name == link:
            key = f"joints[{number}].at[{i}]"
            piece, at[i] = _end(joint.at[i], link, mesh, one, groups, key)
            links[i] = piece_name(link, piece)
    return joint.model_copy(update={"links": tuple(links), "at": tuple(at)})


def _end(
    place: Place, link: str, mesh: Mesh, one: CutLink, groups: dict[str, Group], key: str
) -> tuple[int, Place]:
    """Return the piece that has the nodes of an end of a joint, and where it is there."""
    if not isinstance(place, str):
        return one.nearest(np.array(place), mesh.points), place
    group = group_at(mesh, place, key)
    nodes = np.intersect1d(group.nodes, one.nodes)
    if not len(nodes):
        return 0, place  # which is refused where joints are attached
    for k in range(len(one.cut.copy_of)):
        own = one.cut.of_piece(k, nodes)
        if len(own) == len(nodes):
            if (own == nodes).all():
                return k, place
            named = f"{place} of {piece_name(link, k)}"
            return k, add_group(groups, named, replace(group, nodes=own))
    raise InputError(
        f"{key}: group '{place}' has nodes in several frames of link '{link}'; expected nodes of "
        "one"
    )
