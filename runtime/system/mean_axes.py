# SPDX-License-Identifier: BSD-3-Clause
"""The frame of a link that its bodies determine: displacements without momentum on average.

Buckens' conditions ``int rho N d = 0`` and ``int rho x~ N d = 0`` take the six rigid motions, in
the plane three, out of the displacements of a link whose motion is unknown itself. They couple all
coordinates of the link, so they are no part of the system: its matrices remain sparse. Elastic
coordinates and shapes of reduced models obey them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.system.body import Body
from flexforge.runtime.system.system import System
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

#: Part of the largest singular value below which supports let a rigid motion be.
_LOOSE = 1e-9
#: Mass of a rigid motion, of the largest, below which it has none.
_MASSLESS = 1e-12


@dataclass(frozen=True, slots=True)
class MeanAxes:
    """Buckens' conditions ``(M R)^T d = 0`` of a link, with its c rigid motions R.

    Attributes
    ----------
    unknowns : ndarray of int, (m,)
        Unknowns of the system that move the bodies of the link.
    motions : ndarray, (m, c)
        R, of unit mass: ``R^T M R = 1``. About the middle of the bodies, so that digits remain
        where these are far from the origin of the link.
    momenta : ndarray, (m, c)
        M R.
    """

    unknowns: Ints
    motions: Floats
    momenta: Floats

    def rows(self, size: int) -> csr_matrix:
        """Return the conditions on all unknowns of a system of a size n, (c, n)."""
        from scipy.sparse import csr_matrix

        count = self.momenta.shape[1]
        columns = np.tile(self.unknowns, count)
        pointers = len(self.unknowns) * np.arange(count + 1)
        return csr_matrix((self.momenta.T.ravel(), columns, pointers), shape=(count, size))

    def deformation(self, unknowns: Floats) -> Floats:
        """Return displacements of all unknowns, (n,), without the rigid motion of this link."""
        found = unknowns.copy()
        found[self.unknowns] -= self.motions @ (self.momenta.T @ unknowns[self.unknowns])
        return found


def rigid_fields(body: Body, about: Floats | None = None) -> tuple[Floats, Floats]:
    """Return nodal vectors of unit displacements and of unit rotations of a body about a point.

    Parameters
    ----------
    body : Body
        The body.
    about : ndarray, (3,), optional
        The point, m; by default the origin.

    Returns
    -------
    translations : ndarray, (d, V, d)
        Along every axis.
    rotations : ndarray, (3 or 1, V, d)
        About every axis, or about z in the plane.
    """
    d, points = body.dimension, body.part.points
    translations = np.zeros((d, *body.points.shape))
    translations[:, : len(points)] = np.eye(d)[:, None, :]
    arms = points if about is None else points - about
    axes = (2,) if d == 2 else (0, 1, 2)
    rotations = np.zeros((len(axes), *body.points.shape))
    for k, axis in enumerate(axes):
        unit = np.eye(3)[axis]
        rotations[k, : len(points)] = np.cross(unit, arms)[:, :d]
        if body.turns:
            rotations[k, len(points) :] = unit if d == 3 else np.eye(2)[0]
    return translations, rotations


def check_frames(system: System, links: Sequence[str]) -> None:
    """Refuse supports that hold the bodies of a link in its frame in part.

    Parameters
    ----------
    system : System
        The bodies with their supports.
    links : sequence of str
        Names of the links, whose motion is found.

    Raises
    ------
    InputError
        For such supports, and for supports of rigid links.
    """
    for link, name in enumerate(links):
        bodies = _bodies(system, link)
        if not (held := _held(system, bodies)).any():
            continue
        if all(body.stiffens_itself for body in bodies):
            raise InputError(
                f"supports: found one at link '{name}', which is rigid and whose motion is "
                "found; expected a joint with the ground"
            )
        moving = _motions(system, bodies)[0]
        lengths = np.linalg.norm(moving, axis=(1, 2))
        turning = lengths > 0.0  # points on a line do not turn about it
        sizes = np.linalg.svd(moving[turning][:, held] / lengths[turning, None])[1]
        if len(sizes) < turning.sum() or sizes[-1] <= _LOOSE * sizes[0]:
            raise InputError(
                f"supports: they hold the bodies of link '{name}' in its frame in part; expected "
                "none, for a frame that follows them on average, or supports that let no rigid "
                "motion be"
            )


def mean_axes(system: System, links: Sequence[str]) -> dict[int, MeanAxes]:
    """Return Buckens' conditions of links whose bodies no support holds in the frame of the link.

    Parameters
    ----------
    system : System
        The bodies with their supports.
    links : sequence of str
        Names of the links.

    Returns
    -------
    dict
        By number of the link.

    Raises
    ------
    InputError
        When a rigid motion of bodies has no mass.
    """
    found = {}
    for link, name in enumerate(links):
        bodies = _bodies(system, link)
        rigid = all(body.stiffens_itself for body in bodies)
        if not rigid and not _held(system, bodies).any():
            found[link] = _axes(system, bodies, name)
    return found


def _axes(system: System, bodies: Sequence[Body], name: str) -> MeanAxes:
    """Return the conditions of the bodies of a link."""
    d = system.dimension
    nodes = np.unique(np.concatenate([body.nodes for body in bodies]))
    unknowns = system.map.reaching((nodes[:, None] * d + np.arange(d)).ravel())
    places = system.map.places[unknowns]  # without supports, every unknown moves its own place
    moving, weighted = (one.reshape(len(one), -1)[:, places] for one in _motions(system, bodies))
    masses = moving @ weighted.T
    lengths = np.linalg.norm(moving, axis=1)
    scales = 1.0 / np.where(lengths > 0.0, lengths, 1.0)  # displacements and angles alike
    sizes, turn = np.linalg.eigh(masses * scales * scales[:, None])
    combined = scales[:, None] * turn
    heavy = sizes > _MASSLESS * sizes[-1]
    light = combined[:, ~heavy].T @ moving  # none where points on a line turn about it
    if not heavy.any() or np.linalg.norm(light, axis=1).max(initial=0.0) > _LOOSE:
        raise InputError(
            f"links: found bodies of link '{name}' that move or turn without moving any mass, and "
            "its frame follows them on average; expected mass, or supports that hold them in it"
        )
    unit = combined[:, heavy] / np.sqrt(sizes[heavy])
    return MeanAxes(unknowns, moving.T @ unit, weighted.T @ unit)


def _bodies(system: System, link: int) -> list[Body]:
    """Return the bodies of a link with nodes of their own, which connectors have not."""
    return [body for body in system.bodies if body.motion.link == link and not body.is_connector]


def _held(system: System, bodies: Sequence[Body]) -> NDArray[np.bool_]:
    """Return which coordinates of bodies supports hold or equations tie, (N, d).

    Coordinates that are none, such as rotations out of the plane, are held as well.
    """
    moving = np.zeros((system.size, system.dimension), dtype=bool)
    for body in bodies:
        moving[body.nodes] |= np.concatenate(rigid_fields(body)).any(axis=0)
    return moving & system.map.constrained


def _motions(system: System, bodies: Sequence[Body]) -> tuple[Floats, Floats]:
    """Return rigid motions of bodies, and masses times them, (6 or 3, N, d) each."""
    count = 3 if system.dimension == 2 else 6
    moving = np.zeros((count, system.size, system.dimension))
    weighted = np.zeros_like(moving)
    middle = np.concatenate([body.part.points for body in bodies]).mean(axis=0)
    for body in bodies:
        fields = np.concatenate(rigid_fields(body, middle))
        moving[:, body.nodes] = fields
        if body.has_mass:
            for k, field in enumerate(fields):
                weighted[k, body.nodes] += body.mass_times(np.ascontiguousarray(field))
    return moving, weighted
