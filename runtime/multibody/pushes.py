# SPDX-License-Identifier: BSD-3-Clause
"""Loads on links whose motion is found, as constant vectors times amplitudes.

A load of a body is a field of nodal vectors f. On its link it is a force, a moment about the
origin, a force on every elastic coordinate, and a moment that grows with the displacements, which
move the points that it acts at. A load in global components is nine such, each times an entry of
the rotation of the link.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.motion.profiles import Profile
from flexforge.runtime.multibody.elastic import ElasticCoordinates
from flexforge.runtime.multibody.integrals import spread
from flexforge.runtime.system.body import Body
from flexforge.runtime.system.loads import Loads, MassForce
from flexforge.runtime.system.mean_axes import rigid_fields
from flexforge.runtime.system.nodal_loads import NodalForce
from flexforge.runtime.system.system import System


@dataclass(frozen=True, slots=True)
class Push:
    """A load on a link, of an amplitude of one.

    Attributes
    ----------
    link : int
        Number of the link.
    amplitude : int
        Number of its amplitude among those of the loads.
    entry : tuple of int
        Global component and axis of the link: the entry of its rotation; (-1, -1) without.
    wrench : ndarray, (6,)
        Force and moment about the origin, in components of the link.
    elastic : ndarray, (4, n)
        Forces of the elastic coordinates, and the moment by a unit of each.
    """

    link: int
    amplitude: int
    entry: tuple[int, int]
    wrench: Floats
    elastic: Floats


def pushes_of(
    system: System, loads: Loads, coordinates: ElasticCoordinates
) -> tuple[list[Push], list[Profile]]:
    """Return the loads on all links, and their amplitudes over time."""
    found: list[Push] = []
    amplitudes: list[Profile] = []
    for load in loads.forces:
        body = system.bodies[load.body]
        number = len(amplitudes)
        amplitudes.append(load.amplitude)
        link = body.motion.link
        assert link is not None
        for entry, field, moving in _fields(load, body):
            wrench = np.zeros(6)
            translations, rotations = rigid_fields(body)
            along = np.einsum("avi,vi->a", translations, field)
            about = np.einsum("kvi,vi->k", rotations, field)
            wrench[: len(along)] = along
            wrench[6 - len(about) :] = about
            shapes = coordinates.of_link(link)
            elastic = np.zeros((4, shapes.shape[1]))
            elastic[0] = shapes.T @ spread(system, body, field)
            for k, one in moving:
                elastic[1 + k] = shapes.T @ spread(system, body, one)
            if wrench.any() or elastic.any():
                found.append(Push(link, number, entry, wrench, elastic))
    return found, amplitudes


def _fields(
    load: NodalForce | MassForce, body: Body
) -> Iterator[tuple[tuple[int, int], Floats, list[tuple[int, Floats]]]]:
    """Yield the entry of the rotation, the nodal vectors, and those of moments by displacements."""
    d = body.dimension
    if not load.turning:
        yield (-1, -1), _nodal(load, body, np.eye(3)), _moving(load, body, np.eye(3))
        return
    for i, j in np.ndindex(d, d):
        turn = np.zeros((3, 3))
        turn[j, i] = 1.0  # the global component i along axis j of the link
        if (load.vectors[..., i] != 0.0).any():
            yield (i, j), _nodal(load, body, turn), _moving(load, body, turn)


def _nodal(load: NodalForce | MassForce, body: Body, turn: Floats) -> Floats:
    """Return the nodal vectors (V, d) of a load whose vectors are turned."""
    d = body.dimension
    if isinstance(load, MassForce):
        return body.translation_load((turn @ load.acceleration)[:d])
    found = np.zeros_like(body.points)
    np.add.at(found, load.nodes, load.force @ turn[:d, :d].T)
    return found


def _moving(load: NodalForce | MassForce, body: Body, turn: Floats) -> list[tuple[int, Floats]]:
    """Return, for each axis, the nodal vectors whose work is the moment of a displaced load.

    The moment about axis k of forces f at points that move by u is ``u . (f x e_k)``.
    """
    d, found = body.dimension, []
    for k in (2,) if d == 2 else (0, 1, 2):
        across = -np.cross(np.eye(3)[k], np.eye(3)).T  # the matrix of f -> f x e_k
        crossed = across @ turn
        field = _nodal(load, body, crossed)
        if isinstance(load, NodalForce) and body.turns:
            field[len(body.part.points) :] = 0.0  # moments stay where they are
        found.append((k, field))
    return found
