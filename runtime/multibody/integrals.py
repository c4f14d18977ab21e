# SPDX-License-Identifier: BSD-3-Clause
"""What the inertia of a link is made of: constant integrals over its bodies.

All terms of a frame that moves freely are sums of these, `int rho`, `int rho x`, `int rho x x^T`,
`int rho N`, `int rho N_a x_b` and `int rho N_a^T N_b` (physics.md section 12). Bodies compute them
for prescribed frames already: as masses, as loads of unit blocks and as matrices of unit blocks.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.system.body import Body, Combination
from flexforge.runtime.system.mean_axes import rigid_fields
from flexforge.runtime.system.products import projected
from flexforge.runtime.system.system import System

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

_NONE = np.zeros(0)
#: Mass of a motion, of the largest, that counts as none; period of such a motion, in steps / 2 pi.
_MASSLESS, _WITHIN = 1e-12, 0.02


@dataclass(frozen=True)
class LinkIntegrals:
    """Integrals of a link with n elastic coordinates, in components of the link.

    Attributes
    ----------
    mass : float
        kg.
    moment : ndarray, (3,)
        ``int rho x``, kg m.
    second : ndarray, (3, 3)
        ``int rho x x^T``, kg m^2.
    translation : ndarray, (n, 3)
        ``int rho N``.
    position : ndarray, (n, 3, 3)
        ``int rho N_a x_b``.
    masses : ndarray, (3, 3, n, n)
        ``int rho N_a^T N_b``.
    stiffness, damping : ndarray, (n, n)
        Matrices of d and d', without bodies with an energy.
    at_rest : ndarray, (n, n)
        Stiffness of the undeformed link, with them.

    In the plane only what turns about z see is known: the traces and the skew parts.
    """

    mass: float
    moment: Floats
    second: Floats
    translation: Floats
    position: Floats
    masses: Floats
    stiffness: Floats
    damping: Floats
    at_rest: Floats


def link_integrals(system: System, link: int, matrix: csr_matrix) -> LinkIntegrals:
    """Return the integrals of all bodies of a link.

    Parameters
    ----------
    system : System
        The bodies, those on links with the motion of their link.
    link : int
        Its number.
    matrix : csr_matrix, (unknowns, n)
        Unknowns of the system by the elastic coordinates of the link.
    """
    n = matrix.shape[1]
    total = LinkIntegrals(
        0.0, np.zeros(3), np.zeros((3, 3)), np.zeros((n, 3)), np.zeros((n, 3, 3)),
        np.zeros((3, 3, n, n)), *np.zeros((3, n, n)),
    )  # fmt: skip
    for body in system.bodies:
        if body.motion.link == link:
            total = _added(total, system, body, matrix)
    return total


def link_unknowns(system: System, link: int) -> Ints:
    """Return the unknowns of the system that move the bodies of a link, (n,)."""
    nodes = np.concatenate([body.nodes for body in system.bodies if body.motion.link == link])
    d = system.dimension
    places = (np.unique(nodes)[:, None] * d + np.arange(d)).ravel()
    return np.unique(system.map.sparse[places].indices).astype(np.int64)


def with_small_masses(integrals: LinkIntegrals, step: float) -> LinkIntegrals:
    """Return integrals in which every elastic coordinate has mass.

    Motions without mass, such as the rotations of shells about their normals, follow the others as
    in equilibrium. With a mass by which they vibrate many times within a step they still do, and
    accelerations at the start exist.

    Parameters
    ----------
    integrals : LinkIntegrals
        Of a link.
    step : float
        Length of the steps, s.
    """
    none = massless_motions(integrals)
    if not none.shape[1]:
        return integrals
    held = (_WITHIN * step) ** 2 * none.T @ integrals.at_rest @ none
    found = integrals.masses.copy()
    found[0, 0] += none @ held @ none.T
    return replace(integrals, masses=found)


def massless_motions(integrals: LinkIntegrals) -> Floats:
    """Return the motions of elastic coordinates that move no mass, (n, k)."""
    masses = np.asarray(np.einsum("aaij->ij", integrals.masses))
    if not len(masses):
        return masses
    sizes, motions = np.linalg.eigh(masses)
    return np.asarray(motions[:, sizes <= _MASSLESS * sizes[-1]])


def spread(system: System, body: Body, vectors: Floats) -> Floats:
    """Return nodal vectors of a body, (V, d), as forces on the unknowns of the system, (n,)."""
    full = np.zeros((system.size, system.dimension))
    full[body.nodes] += vectors
    return system.restrict(full)


def _added(total: LinkIntegrals, system: System, body: Body, shapes: csr_matrix) -> LinkIntegrals:
    """Return integrals with those of another body."""
    d = body.dimension
    places = (body.nodes[:, None] * d + np.arange(d)).ravel()
    moved = (system.map.sparse[places] @ shapes).toarray()
    fields = np.ascontiguousarray(moved.T).reshape(-1, *body.points.shape)
    elastic = projected(body, Combination(1.0, np.zeros((d, d)), _NONE), fields)
    viscous = Combination(body.beta, body.alpha * np.eye(d), _NONE, 1.0)
    damping = projected(body, viscous, fields) if body.is_damped else 0.0
    total = replace(total, at_rest=total.at_rest + elastic, damping=total.damping + damping)
    if body.is_linear:
        total = replace(total, stiffness=total.stiffness + elastic)
    if not body.has_mass:
        return total
    translations, rotations = rigid_fields(body)
    turned = np.array([body.mass_times(np.ascontiguousarray(one)) for one in rotations])
    inertia = np.einsum("kvi,lvi->kl", rotations, turned)
    crossed = np.einsum("kvi,avi->ka", turned, translations)  # int rho (e_k x x)_a
    moment, second = np.zeros(3), np.zeros((3, 3))
    if d == 2:
        moment[:2] = crossed[0, 1], -crossed[0, 0]
        second[0, 0] = second[1, 1] = 0.5 * inertia[0, 0]
    else:
        moment[:] = -crossed[1, 2], crossed[0, 2], -crossed[0, 1]
        second = 0.5 * np.trace(inertia) * np.eye(3) - inertia
    translation = np.zeros_like(total.translation)
    for a in range(d):
        load = body.translation_load(np.eye(d)[a])
        translation[:, a] = shapes.T @ spread(system, body, load)
    position, masses = np.zeros_like(total.position), np.zeros_like(total.masses)
    for block, shares in _unit_blocks(d):
        load = shapes.T @ spread(system, body, body.inertia_load(block))
        matrix = projected(body, Combination(0.0, block, _NONE), fields)
        if body.turns and not body.is_linear:
            matrix, sections = _without_sections(body, block, fields, matrix)
            masses[2, 2] += sections
            if block[1, 0]:  # a spin of the link turns the sections too
                load = shapes.T @ spread(system, body, turned[0])
        for (a, b), share in shares:
            position[:, a, b] += share * load
            masses[a, b] += share * matrix
    return replace(
        total,
        mass=total.mass + body.total_mass,
        moment=total.moment + moment,
        second=total.second + second,
        translation=total.translation + translation,
        position=total.position + position,
        masses=total.masses + masses,
    )


def _without_sections(
    body: Body, block: Floats, fields: Floats, matrix: Floats
) -> tuple[Floats, Floats]:
    """Return a matrix of a unit block without the sections of a beam in the plane, and their part.

    The angle of a section may be any: its inertia resists a further spin, and no spin of the link
    pulls it out. Along z, where spins about z have no blocks, it has accelerations alone.
    """
    moved = fields.copy()
    moved[:, len(body.part.points) :] = 0.0
    centers = projected(body, Combination(0.0, block, _NONE), moved)
    return centers, matrix - centers


def _unit_blocks(d: int) -> list[tuple[Floats, list[tuple[tuple[int, int], float]]]]:
    """Return blocks that bodies have inertia terms of, and the entries that these stand for.

    In the plane bodies have those of 1 and of a turn about z alone, and no others are needed.
    """
    if d == 3:
        unit = np.eye(3)
        pairs = np.ndindex(3, 3)
        return [(np.outer(unit[a], unit[b]), [((a, b), 1.0)]) for a, b in pairs]
    turn = np.array([[0.0, -1.0], [1.0, 0.0]])
    return [
        (np.eye(2), [((0, 0), 0.5), ((1, 1), 0.5)]),
        (turn, [((1, 0), 0.5), ((0, 1), -0.5)]),
    ]
