# SPDX-License-Identifier: BSD-3-Clause
"""The frame of a link that its bodies determine: displacements without momentum on average.

Buckens' conditions ``int rho N d = 0`` and ``int rho x~ N d = 0`` take the six rigid motions, in
the plane three, out of the displacements of a link whose motion is unknown itself. They take part
in the elimination like other linear equations between coordinates.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.system.body import Body
from flexforge.runtime.system.linear_equations import Rows
from flexforge.runtime.system.system import System
from numpy.typing import NDArray

#: Coordinates of a link that follows its bodies on average: all of them depend on each other.
MOST = 3000
#: Part of the largest singular value below which supports let a rigid motion be.
_LOOSE = 1e-9


def rigid_fields(body: Body) -> tuple[Floats, Floats]:
    """Return nodal vectors of unit displacements and of unit rotations of a body about the origin.

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
    axes = (2,) if d == 2 else (0, 1, 2)
    rotations = np.zeros((len(axes), *body.points.shape))
    for k, axis in enumerate(axes):
        unit = np.eye(3)[axis]
        rotations[k, : len(points)] = np.cross(unit, points)[:, :d]
        if body.turns:
            rotations[k, len(points) :] = unit if d == 3 else np.eye(2)[0]
    return translations, rotations


def frame_conditions(
    system: System, links: Sequence[str], held: NDArray[np.bool_]
) -> Iterator[Rows]:
    """Yield Buckens' conditions of links whose bodies no support holds in the frame of the link.

    Parameters
    ----------
    system : System
        The bodies without supports.
    links : sequence of str
        Names of the links.
    held : ndarray of bool, (N, d)
        Coordinates that supports and equations hold or tie.

    Raises
    ------
    InputError
        When supports hold the bodies of a link in part.
    """
    none = np.zeros(0, dtype=np.int64)
    for link, name in enumerate(links):
        bodies = [body for body in system.bodies if body.motion.link == link]
        nodes = np.unique(np.concatenate([body.nodes for body in bodies]))
        moving, weighted = _motions(system, bodies)
        # Coordinates that are none, such as rotations out of the plane, are held as well.
        held_here = held & moving.any(axis=0)
        if all(body.stiffens_itself for body in bodies):
            if held_here.any():
                raise InputError(
                    f"supports: found one at link '{name}', which is rigid and whose motion is "
                    "found; expected a joint with the ground"
                )
            continue
        if not held_here.any():
            if nodes.size * system.dimension > MOST:
                raise InputError(
                    f"links: found {nodes.size * system.dimension} coordinates of the bodies of "
                    f"link '{name}', whose motion is found; expected at most {MOST}, or supports "
                    "that hold them in the frame of the link"
                )
            d = system.dimension
            places = (nodes[:, None] * d + np.arange(d)).ravel()
            factors = weighted.reshape(len(weighted), -1)[:, places]
            # Lengths and angles: rows of about the same size.
            factors /= np.abs(factors).max(axis=1, keepdims=True)
            everywhere = np.tile(places, (len(factors), 1))
            key = f"links: the mean axes of '{name}'"
            yield Rows(key, everywhere, factors, none, np.zeros((len(factors), 0)))
            continue
        kept = moving[:, held_here]
        sizes = np.linalg.svd(kept / np.linalg.norm(moving, axis=(1, 2))[:, None])[1]
        if len(sizes) < len(moving) or sizes[-1] <= _LOOSE * sizes[0]:
            raise InputError(
                f"supports: they hold the bodies of link '{name}' in its frame in part; expected "
                "none, for a frame that follows them on average, or supports that let no rigid "
                "motion be"
            )


def _motions(system: System, bodies: Sequence[Body]) -> tuple[Floats, Floats]:
    """Return rigid motions of bodies, and masses times them, (6 or 3, N, d) each."""
    count = 3 if system.dimension == 2 else 6
    moving = np.zeros((count, system.size, system.dimension))
    weighted = np.zeros_like(moving)
    for body in bodies:
        fields = np.concatenate(rigid_fields(body))
        moving[:, body.nodes] = fields
        if body.has_mass:
            for k, field in enumerate(fields):
                weighted[k, body.nodes] += body.mass_times(np.ascontiguousarray(field))
    return moving, weighted
