# SPDX-License-Identifier: BSD-3-Clause
"""Forces and moments at nodes, from the model file: constant in a frame, or turning with nodes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.model.schema_axes import AxesSpec
from flexforge.runtime.model.schema_loads import ForceLoad, MomentLoad
from flexforge.runtime.motion.build import build_profile
from flexforge.runtime.motion.profiles import Profile
from flexforge.runtime.system.body import Body
from flexforge.runtime.system.followers import FollowingForce
from flexforge.runtime.system.local_axes import local_axes
from flexforge.runtime.system.name_table import NameTable
from flexforge.runtime.system.torque import torque
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class NodalForce:
    """Forces or moments at some nodes of a body: ``amplitude(t)`` times a constant vector per node.

    Attributes
    ----------
    body : int
        Number of the body.
    nodes : ndarray of int
        Its nodes, or their rotations.
    force : ndarray, (n, d)
        Force at each of them, N, or moment, N m.
    turning : bool
        Whether the components are global, and therefore rotate relative to the frame.
    amplitude : Profile
        Factor in time.
    key : str
        Of the model file.
    """

    body: int
    nodes: NDArray[np.int64]
    force: Floats
    turning: bool
    amplitude: Profile
    key: str

    @property
    def vectors(self) -> Floats:
        """Its constant vectors, one per node."""
        return self.force

    def on(self, body: Body) -> Floats:
        """Return the resultant force on its body for an amplitude of one, (d,), N."""
        in_space = self.nodes < len(body.part.points)  # the other vectors are rotations
        return np.asarray(self.force[in_space].sum(axis=0))


def nodal_loads(
    load: ForceLoad | MomentLoad, places: NameTable, key: str, span: float
) -> Iterator[tuple[list[NodalForce], list[FollowingForce]]]:
    """Yield what a load does to each body: forces that are constant, and forces that follow.

    Parameters
    ----------
    load : ForceLoad or MomentLoad
        The load.
    places : NameTable
        Names of its model in the system.
    key : str
        Its key in the model file, for messages.
    span : float
        Time that its amplitude spans, s.

    Raises
    ------
    InputError
        For groups that are missing, nodes without rotations, and components that a planar model
        does not have.
    """
    system, turns = places.system, isinstance(load, MomentLoad)
    amplitude = build_profile(load.amplitude, span)
    pairs = places.nodes(load.group, load.body, f"{key}.group")
    if turns and system.bodies[0].revolved:
        pairs = [(body, nodes) for body, nodes in pairs if not body.turns]
        yield (
            [
                NodalForce(body, nodes, force, False, amplitude, key)
                for body, nodes, force in torque(load, pairs, system, key)
            ],
            [],
        )
        return
    if turns:
        pairs = [(body, nodes) for body, nodes in pairs if body.turns]
        if not pairs:
            raise InputError(
                f"{key}.group: the nodes of '{load.group}' have no rotations; expected nodes of "
                "beams or shells"
            )
    numbers = {body.name: n for n, body in enumerate(system.bodies)}
    loaded = [(body, nodes + turns * len(body.part.points)) for body, nodes in pairs]
    count = len(np.unique(np.concatenate([body.nodes[nodes] for body, nodes in loaded])))
    given = load.each if load.total is None else load.total
    assert given is not None
    vector = _components(np.array(given, dtype=float), system.dimension, key, turns=turns)
    if load.total is not None:
        vector = vector / count
    seen = np.zeros(system.size, dtype=bool)
    for body, nodes in loaded:
        nodes = nodes[~seen[body.nodes[nodes]]]  # a node shared by bodies counts once
        seen[body.nodes[nodes]] = True
        vectors = np.tile(vector, (len(nodes), 1))
        if load.axes is not None:
            vectors = _turned(vectors, load.axes, body, nodes, f"{key}.axes", turns=turns)
        if load.follows:
            _require_turning(body, key)
            rotations = nodes if turns else nodes + len(body.part.points)
            number = numbers[body.name]
            yield [], [FollowingForce(number, nodes, rotations, vectors, amplitude, key)]
            continue
        # The axis of a body of revolution is fixed, so its rings are loaded symmetrically; moments
        # in the plane are about its normal.
        planar = turns and system.dimension == 2
        still = body.revolved or body.motion.stands or planar
        turning = load.frame == "global" and not still
        yield [NodalForce(numbers[body.name], nodes, vectors, turning, amplitude, key)], []


def in_dimension(vector: Floats, dimension: int, key: str) -> Floats:
    """Return the components that a system has; a planar one has no third component.

    Raises
    ------
    InputError
        When the third component is given there.
    """
    if vector[dimension:].any():
        raise InputError(
            f"{key}: found a z component of {vector[2]:g} in a planar model; expected 0"
        )
    return vector[:dimension]


def _components(vector: Floats, dimension: int, key: str, *, turns: bool) -> Floats:
    """Return the components of a force, or of a moment: in the plane first that about z."""
    if not turns or dimension == 3:
        return in_dimension(vector, dimension, key)
    if vector[:2].any():
        raise InputError(
            f"{key}: found the moment {vector.tolist()} in a planar model; expected one about z, "
            "[0, 0, M]"
        )
    return vector[[2, 0]]


def _turned(
    vectors: Floats, spec: AxesSpec, body: Body, nodes: NDArray[np.int64], key: str, *, turns: bool
) -> Floats:
    """Return vectors along local axes (n, d) in the axes of the frame."""
    d = vectors.shape[1]
    if turns and d == 2:
        return vectors  # about the normal of the plane
    points = body.part.points[nodes - turns * len(body.part.points)][:, :d]
    axes = local_axes(spec, points, key)[:, :d, :d]
    return np.asarray(np.einsum("na,nab->nb", vectors, axes))


def _require_turning(body: Body, key: str) -> None:
    if body.is_linear or not body.turns:
        raise InputError(
            f"{key}.follows: found true with body '{body.name}', whose nodes do not turn by any "
            "angle; expected beams with an energy, such as simo_beam2"
        )
